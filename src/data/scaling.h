/* Step 3 of the data's path, for the fourier learner: how a raw column becomes an input of the projections. Built from
 * training rows (scaling_fit.c), stored in the model, applied by both (scaling.c). */
#ifndef MXB_DATA_SCALING_H
#define MXB_DATA_SCALING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "kernels/rank_table.h"

/* Unbounded ones are standard ones of older models, which a value far from all others took anywhere. */
enum scaling_kind { SCALING_NONE = 0, SCALING_UNBOUNDED = 1, SCALING_RANK = 2, SCALING_STANDARD = 3 };

/* Standard ones end at so many deviations from the mean: no value of a normal column lies further, and what is learnt
 * of the few that do elsewhere must hold for all beyond. */
enum { STANDARD_BOUND = 6 };

struct scaling_feature {
    double center;      /* none: the median; standard, unbounded: the mean */
    double factor;      /* none: 1; standard, unbounded: 1 / standard deviation, 0 for a constant */
    float missing;      /* the scaled training median, for missing values */
    uint32_t n_knots;   /* rank only: at most MXB__MAX_KNOTS */
    double *knots;      /* [n_knots] ascending finite values */
    float *knot_scores; /* [n_knots] not descending */
};

struct scaling {
    enum scaling_kind kind;
    uint32_t n_features;
    struct scaling_feature *features; /* NULL when the model has no fourier learner */
};

/** The scaled value of x (NaN = missing) for one feature; a factor as the kernels take them. */
float mxb__scale_value(enum scaling_kind kind, const struct scaling_feature *feature, double x);

/** out[i] = the scaled value of values[i], for i of 0 .. n - 1. */
void mxb__scale_values(enum scaling_kind kind, const struct scaling_feature *feature, const double *values, size_t n,
                       float *out);

/** out[i * stride] = the scaled value of values[i], for i of 0 .. n - 1. */
void mxb__scale_column(enum scaling_kind kind, const struct scaling_feature *feature, const double *values, size_t n,
                       float *out, size_t stride);

/** The feature's table of ranks for kernels, without a tree. */
struct rank_table mxb__scaling_table(const struct scaling_feature *feature);

/** Whether every value, also a missing one, scales to the same number, as those of a constant feature do. */
int mxb__scaling_is_constant(enum scaling_kind kind, const struct scaling_feature *feature);

/** A deep copy of `from` into `to`. */
mxb_status mxb__scaling_copy(struct scaling *to, const struct scaling *from, mxb_error *error);
void mxb__scaling_clear(struct scaling *scaling);

struct distinct;

/** Fits one feature's scaling to its distinct training values; infinite ones do not count. `knots` and `knot_scores`
 *  have room for MXB__MAX_KNOTS, or for as many as there are values if these are fewer. */
void mxb__scaling_fit(enum scaling_kind kind, const struct distinct *distinct, double *knots, float *knot_scores,
                      struct scaling_feature *feature);

struct sorted;

/** The same fit to a column whose rows weigh 1 each; only SCALING_NONE and SCALING_RANK, the others' sums need every
 * value. */
void mxb__scaling_fit_sorted(enum scaling_kind kind, const struct sorted *sorted, double *knots, float *knot_scores,
                             struct scaling_feature *feature);

#endif
