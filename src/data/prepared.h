/* Step 3 of the data's path, whole: a training set made ready once, for any number of trainings. */
#ifndef MXB_DATA_PREPARED_H
#define MXB_DATA_PREPARED_H

#include <stddef.h>
#include <stdint.h>

#include "data/bins.h"
#include "data/dataset.h"
#include "data/labels.h"
#include "data/scaling.h"

struct pool;

/* What preparing depends on. */
struct prepare_settings {
    int two_classes;
    uint32_t hist_nbins;
    enum scaling_kind scaling;
};

struct mxb_prepared {
    struct prepare_settings settings;
    mxb_dataset *view; /* owned: the caller's columns, only the rows that weigh anything */
    size_t n_rows;
    uint32_t n_features;
    struct labels labels;

    struct feature_bins *bins; /* [n_features] */
    double *cuts;              /* what bins point into */
    uint8_t *columns;          /* bin codes [feature][row], for partitioning */
    uint8_t *records;          /* bin codes [row][record_bytes], for histograms */
    size_t record_bytes;       /* n_features padded to a multiple of 32 */

    struct scaling scaling; /* its knots lie in the two arrays below */
    double *knots;
    float *knot_scores;
};

mxb_status mxb__prepared_create(const mxb_dataset *dataset, const struct prepare_settings *settings, struct pool *pool,
                                mxb_prepared **prepared, mxb_error *error);

#endif
