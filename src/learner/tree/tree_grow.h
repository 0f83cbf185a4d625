/* Growing a tree: which nodes are split, and in which order. */
#ifndef MXB_LEARNER_TREE_GROW_H
#define MXB_LEARNER_TREE_GROW_H

#include <stdint.h>

#include "learner/tree/tree_engine.h"

struct grow_node {
    struct engine_node rows;
    uint32_t depth;
    uint32_t left; /* index of the left child, the right one follows; 0 = a leaf */
    struct split split;
};

/* A tree under construction; nodes in the order they were made, node 0 the root. */
struct grower {
    struct tree_engine *engine;
    uint32_t max_depth;
    uint32_t n_nodes;
    struct grow_node *nodes;
    struct open_request *opens; /* scratch for batches: one of each per node of a batch */
    struct split_request *splits;
    struct partition_request *partitions;
};

/** Takes the arrays from the workspace; measures when its base is NULL. */
void mxb__grower_carve(struct grower *grower, const struct fit_input *input, struct workspace *workspace);

/** Grows the tree on an engine that has begun. */
void mxb__grower_run(struct grower *grower, struct tree_engine *engine, uint32_t max_depth);

#endif
