/* Step 10 of the data's path: a block of rows and what one term of a model says about it, for the rounds one after the
 * other; and the sums of a prediction, written once. The whole model goes through scoring.h. */
#ifndef MXB_MODEL_ROW_BLOCK_H
#define MXB_MODEL_ROW_BLOCK_H

#include "base/memory.h"
#include "kernels/kernels.h"
#include "model/model.h"

struct row_block {
    const struct kernels *kernels;
    size_t n; /* rows */
    size_t n_features;
    double *rows;  /* [n][n_features] the features that count; NaN = missing */
    float *inputs; /* [n][n_features] these scaled, where there are components */
    float *z;      /* [n][n_components] of the last projection */
    double *dots;  /* [n] */
};

/** Takes the arrays for `n` rows from the workspace; measures when its base is NULL. */
void mxb__block_carve(struct row_block *block, const mxb_model *model, size_t n, size_t n_components,
                      struct workspace *workspace);

/** Fills `inputs` from `rows`, all features. */
void mxb__block_scale(const struct row_block *block, const struct scaling *scaling);

/** The features of the scaled rows, [n][n_components]. */
void mxb__block_project(const struct row_block *block, const struct projection *projection, float *z);

/** Adds the leaves of a tree, ordinary or symmetric, to `scores`, which may leave the range of a double. */
void mxb__block_add_tree(const struct row_block *block, const struct term *term, double *scores);

/** Adds values + constant to n scores, which stay finite. */
void mxb__scores_add(double *scores, size_t n, const double *values, double constant);
void mxb__scores_add_constant(double *scores, size_t n, double constant);

/** What the sum over all members begins with, and how n sums become means: nothing changes for one member. */
double mxb__scores_begin(const mxb_model *model);
void mxb__scores_end(const mxb_model *model, double *scores, size_t n);

/** Adds to n scores of the other terms the mean of what callers' learners said, from the sums over all members. */
void mxb__scores_add_own(const mxb_model *model, double *scores, size_t n, const double *sums);

#endif
