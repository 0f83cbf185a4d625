/* The leaves of a tree that is grown, of whatever shape: their values, and these to the rows' scores. Where the tree
 * saw all rows, a leaf's rows are a span of the engine's. Where some were left out of its sample, the rows have
 * numbers: leaf_of_row = [2 0 0 1 2 ..]    those of the sample by mxb__leaves_number, then the others by who knows the
 * tree. */
#ifndef MXB_LEARNER_TREE_LEAVES_H
#define MXB_LEARNER_TREE_LEAVES_H

#include "learner/tree/tree_engine.h"

struct leaf {
    struct row_span rows;    /* of the sample */
    int64_t n_rows;          /* that its value is made of */
    struct gradient_sum sum; /* of these, in wide quanta */
    double value;
};

static inline int mxb__leaves_some_out(const struct tree_engine *engine) {
    return engine->n_sampled < engine->input->prepared->n_rows;
}

/** Writes engine->leaf_of_row: for a row of the sample its leaf, for the others MXB__NO_LEAF. */
#define MXB__NO_LEAF UINT32_MAX
void mxb__leaves_number(struct tree_engine *engine, const struct leaf *leaves, size_t n);

/** Finds the leaves' values, -G / (H + lambda) times the learning rate, from their rows in the sample, or from all
 *  their rows where the options say so. Returns whether one was beyond a double: it is 0. */
int mxb__leaves_fit(struct tree_engine *engine, struct leaf *leaves, size_t n);

/** Adds their leaf's value to the scores of all rows. */
void mxb__leaves_add(struct tree_engine *engine, const struct leaf *leaves, size_t n, double *scores);

#endif
