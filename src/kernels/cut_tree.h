/* Ascending cuts as a search tree whose nodes are eight cuts side by side: the number of a node's cuts below a value is
 * the child to go on with. Two or three nodes, each compared at once, replace eight steps of a binary search. */
#ifndef MXB_KERNELS_CUT_TREE_H
#define MXB_KERNELS_CUT_TREE_H

#include <stddef.h>
#include <stdint.h>

enum {
    MXB__TREE_CUTS = 255,         /* at most, so that a byte can count them */
    MXB__CUT_NODE = 8,            /* cuts of a node: a cache line */
    MXB__CUT_LEVELS = 3,          /* at most */
    MXB__LEAST_HALVINGS = 4,      /* a vector of sixteen floats */
    MXB__MOST_HALVINGS = 9,       /* MXB__CUT_NODE ^ MXB__CUT_LEVELS - 1 cuts */
    MXB__CUT_SLOTS = 256 + 32 + 8 /* that MXB__TREE_CUTS take in all levels */
};

/* The cuts are the lowest level. A slot of a level above it holds the last cut below the slot, or inf where there is
 * none; so the last slot of a node is never below a value that came there. */
struct cut_tree {
    size_t n_cuts;
    size_t depth;
    const double *levels[MXB__CUT_LEVELS]; /* from the root on */

    /* The same cuts halved and halved again, as floats, for many values at once; no halvings: there are none. Node 1 is
     * the root, the children of k are 2k and 2k + 1, and 2^n_halvings + c is where a value comes that c cuts are below.
     * Cuts are rounded down to numbers that are not denormal, so such a number is above a cut if it is above what
     * became of it. */
    size_t n_halvings;
    const float *halves; /* [2^n_halvings] */
};

/** The slots that the tree of so many cuts takes. */
size_t mxb__cut_tree_slots(size_t n_cuts);

/** Makes the tree of up to MXB__CUT_NODE ^ MXB__CUT_LEVELS - 1 cuts in `slots`, which are aligned to 64 bytes. */
void mxb__cut_tree_build(const double *cuts, size_t n_cuts, double *slots, struct cut_tree *tree);

/** The floats that the halves of so many cuts take. */
size_t mxb__cut_tree_n_halves(size_t n_cuts);

/** Makes the halves of a tree in `halves`, which are aligned to 64 bytes. */
void mxb__cut_tree_add_halves(const double *cuts, float *halves, struct cut_tree *tree);

#endif
