/* A few training rows as the kernel sees them, for what a projection's drawing needs to know of the data. */
#ifndef MXB_LEARNER_FOURIER_ROW_SAMPLE_H
#define MXB_LEARNER_FOURIER_ROW_SAMPLE_H

#include <stddef.h>

#include "learner/learner.h"

/* Up to so many training rows are all in the sample, once each. */
enum { MXB__ALL_ROWS = 64 };

/* Of more rows so many are drawn, in proportion to their weights. */
enum { MXB__SAMPLE_ROWS = 512 };

/* Pairs of drawn rows whose distances are looked at; of rows that are all there, every pair is. */
enum { MXB__SAMPLE_PAIRS = 1024 };

struct row_sample {
    size_t n_rows;
    size_t n_features;
    int is_drawn;    /* rows weigh the same and may be there twice */
    float *inputs;   /* [row][feature], scaled */
    double *weights; /* [row], at most 1: a power of two times those of the training */
};

/** Takes the sample from (data, seed) alone. Weight k is as k copies in a row, and up to MXB__ALL_ROWS rows as k copies
 *  anywhere. */
mxb_status mxb__row_sample_init(struct row_sample *sample, const struct fit_input *input, mxb_error *error);
void mxb__row_sample_clear(struct row_sample *sample);

/** The weighted median of squared distances between two rows that differ, their inputs multiplied by `metric`: the
 *  least distance that half of the pairs' weight does not exceed. 0 where no rows differ. */
mxb_status mxb__row_sample_median(const struct row_sample *sample, const double *metric, uint64_t seed, double *median,
                                  mxb_error *error);

#endif
