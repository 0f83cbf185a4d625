/* Growing a symmetric tree: a level after the other, one split for all nodes of a level. */
#ifndef MXB_LEARNER_SYMMETRIC_GROW_H
#define MXB_LEARNER_SYMMETRIC_GROW_H

#include "learner/tree/tree_engine.h"

/* A symmetric tree under construction. Its nodes are those that rows are in; a leaf of the full tree, a number with a
 * bit a level, leads to one, and several do where a split did not divide a node. */
struct symmetric_grower {
    struct split levels[MXB__MAX_SYMMETRIC_DEPTH];
    uint32_t depth;
    struct engine_node *nodes; /* [max_leaves] of the last level */
    uint32_t n_nodes;
    uint32_t *node_of_leaf; /* [2^symmetric_depth] */

    struct engine_node *parents; /* [max_leaves] scratch: the level before */
    uint32_t *first_child;       /* [max_leaves] scratch: of each parent, among the nodes */
    struct family *families;     /* [max_leaves / 2 + 1] scratch */
    struct level_cut *cuts;      /* [n_features] scratch */
};

/** Takes the arrays from the workspace, where symmetric trees are drawn; measures when its base is NULL. */
void mxb__symmetric_carve(struct symmetric_grower *grower, const struct fit_input *input, struct workspace *workspace);

/** Grows the tree on an engine that has begun. */
void mxb__symmetric_grow(struct symmetric_grower *grower, struct tree_engine *engine, uint32_t max_depth);

#endif
