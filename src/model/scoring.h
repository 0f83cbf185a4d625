/* Step 10 of the data's path: rows to scores, by all terms but those of callers' learners. Many rows go through the
 * model block by block, feature after feature and tree after tree; a few go one by one. Knows nothing of threads or
 * links.
 *
 * A row's score is the same sum in the same order in every block and by either way:
 *
 *     (((n_members base_score + its leaf of each tree, in the order of the terms)
 *       + z . collapsed weights of each used projection, in order)
 *      + collapsed intercept) / n_members
 *
 * with z and the dot product as the kernels define them. */
#ifndef MXB_MODEL_SCORING_H
#define MXB_MODEL_SCORING_H

#include "model/forest.h"
#include "model/waves.h"

/* Up to so many rows are quicker one by one: a block has work for MXB__CODE_ROWS at least. */
enum { MXB__FEW_ROWS = 16 };

/* Room for a block of rows, or for a few. */
struct scoring {
    const mxb_model *model;
    struct forest_rows trees;
    struct wave_rows waves;
    double *column; /* [n] of one feature; NaN = missing */
};

/** Takes the arrays for blocks of up to `n` > 1 rows, or for a few rows, from the workspace; measures when its base is
 *  NULL. */
void mxb__scoring_carve(struct scoring *scoring, const mxb_model *model, size_t n, struct workspace *workspace);
void mxb__scoring_carve_few(struct scoring *scoring, const mxb_model *model, size_t n, struct workspace *workspace);

/** Whether the values of a feature count. */
int mxb__scoring_reads(const mxb_model *model, uint32_t feature);

/** Reads n values of a feature from row `first` of the source on. */
typedef void (*column_fn)(const void *source, size_t feature, size_t first, size_t n, double *values);

/** The scores of n rows of a source, which is read only where it counts. */
void mxb__score_block(struct scoring *scoring, column_fn read, const void *source, size_t first, size_t n,
                      double *scores);

/** The scores of a few rows of numbers, the model's features in order; NaN is missing. */
void mxb__score_few(struct scoring *scoring, const double *rows, size_t n, double *scores);

#endif
