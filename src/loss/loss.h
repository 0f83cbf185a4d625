/* Steps 4 and 5 of the data's path: start value, gradients and hessians, and the metric of the training curve. One
 * const table, a row a loss. Knows nothing of learners. */
#ifndef MXB_LOSS_LOSS_H
#define MXB_LOSS_LOSS_H

#include <stddef.h>

#include "kernels/training_kernels.h"

struct pool;

/* Rows a loss is taken over. */
struct loss_rows {
    size_t n_rows;
    const double *labels;
    const uint8_t *is_1;   /* labels of two classes, 0 or 1, for a loss of two classes; else NULL */
    const double *weights; /* NULL: all 1 */
    double weight_sum;
    const double *scores;
    double *g; /* [n_rows] for the derivatives, weights multiplied in; both NULL: only the metric is wanted */
    double *h; /* NULL with g: only their range is wanted, since g implies them; not of losses computed elsewhere */
    int only_derivatives; /* the metric is not looked at; one that is a caller's is not taken */
};

struct loss {
    const char *name;
    const char *metric;
    int two_classes;       /* labels are 0 and 1 */
    enum hessian hessian;  /* of rows without weights: implied by g */
    int metric_is_squared; /* the mean is of squares: take the root */

    /* The constant score of least loss, from the weighted mean of the labels and that of 1 - label. */
    double (*start)(double mean, double mean_rest);
    /* Loss and derivatives of a block of rows, by one of the kernels. All finite for finite arguments, and the second
     * derivative is over 0. */
    struct loss_sums (*measure)(const struct training_kernels *kernels, const struct loss_block *block);
};

/** The loss of that name, or NULL. */
const struct loss *mxb__loss_find(const char *name);

/** The constant score of least weighted loss; the rows' scores are not looked at. */
double mxb__loss_start(const struct loss *loss, const struct loss_rows *rows);

/* What the learners need to know of all gradients at once. */
struct gradient_range {
    double sum_abs_g; /* infinite if too large for a double */
    double sum_h;
    double max_abs_g;
    double max_h;
};

/* What one pass over the rows tells. */
struct measurement {
    double metric;               /* a weighted mean */
    struct gradient_range range; /* 0 where derivatives were not wanted */
};

/** Doubles of scratch that the functions below need for n rows. */
size_t mxb__loss_scratch(size_t n_rows);

/** The derivatives of every row, if wanted, and what they and the metric come to. Summed in fixed blocks, so the same
 *  for any number of threads. */
struct measurement mxb__loss_measure(const struct loss *loss, const struct training_kernels *kernels,
                                     const struct loss_rows *rows, struct pool *pool, double *scratch);

/** The two halves of it for losses that are computed elsewhere, with the same sums: the weighted mean of the rows'
 *  values, and derivatives multiplied by the weights in place. */
double mxb__loss_mean(const struct loss_rows *rows, const double *values, struct pool *pool, double *scratch);
struct gradient_range mxb__loss_weigh(const struct loss_rows *rows, struct pool *pool, double *scratch);

#endif
