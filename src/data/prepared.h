/* Step 3 of the data's path, whole: a training set made ready once, for any number of trainings. */
#ifndef MXB_DATA_PREPARED_H
#define MXB_DATA_PREPARED_H

#include <stddef.h>
#include <stdint.h>

#include "data/bins.h"
#include "data/dataset.h"
#include "data/dictionary.h"
#include "data/fields.h"
#include "data/labels.h"
#include "data/scaling.h"
#include "kernels/training_kernels.h"

struct pool;

/* What preparing depends on. */
struct prepare_settings {
    int two_classes;
    uint32_t hist_nbins;
    enum scaling_kind scaling;
    int exact; /* every value a bin of its own, for exact trees; hist_nbins is not looked at */
};

struct mxb_prepared {
    struct prepare_settings settings;
    mxb_dataset *view; /* owned: the caller's columns, only the rows that weigh anything */
    size_t n_rows;
    uint32_t n_features;
    struct labels labels;
    uint64_t *row_keys;              /* [n_rows] where rows are few (row_keys.h): these are drawn by them; else NULL */
    struct dictionary *dictionaries; /* [n_features] what the view's text columns are coded by; NULL = none is text */

    struct feature_bins *bins; /* [n_features] */

    /* For histograms; NULL for exact trees. */
    double *cuts;     /* what bins point into */
    uint8_t *columns; /* bin codes [feature][row], for partitions and walks; behind the records, in one block */
    uint8_t *records; /* fields of bin codes [panel][row][MXB__PANEL], for histograms; 0 behind the last field */
    struct fields fields;
    size_t code_bytes; /* room for both, at the most */

    /* For exact trees; NULL for histograms. A code is the number of distinct values below the row's. */
    uint32_t *codes; /* [feature][row] */
    uint32_t *order; /* [feature][row] the rows by ascending code, equal ones in row order; missing ones are last */

    struct scaling scaling; /* its knots lie in the two arrays below */
    double *knots;          /* [n_features][knot_room] */
    float *knot_scores;     /* likewise */
    size_t knot_room;
};

/** The rows of a training set that weigh anything, as a view, and their labels; after a failure, too, they are to be
 *  freed and cleared. */
mxb_status mxb__training_rows(const mxb_dataset *dataset, int two_classes, mxb_dataset **view, struct labels *labels,
                              mxb_error *error);

mxb_status mxb__prepared_create(const mxb_dataset *dataset, const struct prepare_settings *settings, struct pool *pool,
                                mxb_prepared **prepared, mxb_error *error);

/** Some rows of what `whole` was made of, with its bins, scaling and texts. Exact trees are prepared anew. */
mxb_status mxb__prepared_create_part(const mxb_prepared *whole, const mxb_dataset *part, struct pool *pool,
                                     mxb_prepared **prepared, mxb_error *error);

/** The records of all rows, from the field on to the end of its panel. */
static inline const uint8_t *mxb__prepared_records(const mxb_prepared *prepared, uint32_t field) {
    return prepared->records + (field / MXB__PANEL * prepared->n_rows * MXB__PANEL + field % MXB__PANEL);
}

/** The first place in order[begin .. end) of the feature, or in a part of it in the same order, whose row has a code
 *  above `code`; `end` if none has. */
uint32_t mxb__order_find_above(const uint32_t *order, const uint32_t *codes, uint32_t begin, uint32_t end,
                               uint32_t code);

/** The number between the values of `bin` and those of the next: x <= it are codes up to `bin`. After the last bin it
 * is +inf. */
double mxb__prepared_threshold(const mxb_prepared *prepared, uint32_t feature, uint32_t bin);

#endif
