/* Rows that find their leaf of a symmetric tree by their codes: those left out of its sample, and those that are only
 * scored. */
#ifndef MXB_LEARNER_SYMMETRIC_WALK_H
#define MXB_LEARNER_SYMMETRIC_WALK_H

#include "learner/tree/tree_walk.h"
#include "model/model.h"

struct symmetric_walk {
    struct code_columns codes;
    struct walk_node levels[MXB__MAX_SYMMETRIC_DEPTH]; /* their `left` has no meaning */
    uint32_t depth;
};

/** The leaves of rows first .. first + n - 1. */
void mxb__symmetric_walk_find(const struct symmetric_walk *walk, size_t first, size_t n, uint32_t *leaves);

#endif
