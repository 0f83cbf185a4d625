/* Growing a tree: which nodes are split, and in which order. */
#ifndef MXB_LEARNER_TREE_GROW_H
#define MXB_LEARNER_TREE_GROW_H

#include <stdint.h>

#include "learner/tree/tree_engine.h"

struct grow_node {
    struct engine_node work; /* what the engine needs to know of it */
    uint32_t depth;
    uint32_t left; /* index of the left child, the right one follows; 0 = a leaf */
};

/* A tree under construction; node 0 is the root, children lie behind their parents. */
struct grower {
    struct tree_engine *engine;
    uint32_t max_depth;
    struct grow_node *nodes;  /* [2 max_leaves] */
    uint32_t n_nodes;         /* taken; of those taken for a subtree not all need be nodes of the tree */
    struct family *families;  /* [max_batch] scratch */
    struct subtree *subtrees; /* [max_leaves / 2] put off, to be grown by a thread each */
    size_t n_subtrees;
    struct grower *of_thread; /* [engine's n_engines] for one thread each, on the same nodes */
};

/** Takes the arrays from the workspace; measures when its base is NULL. The engine has taken its own. */
void mxb__grower_carve(struct grower *grower, const struct tree_engine *engine, const struct fit_input *input,
                       struct workspace *workspace);

/** Grows the tree on an engine that has begun. */
void mxb__grower_run(struct grower *grower, struct tree_engine *engine, uint32_t max_depth);

#endif
