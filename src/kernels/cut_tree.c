/* Builds the search trees that kernels look values up in. */
#include "kernels/cut_tree.h"

#include <math.h>

/* Levels, and the cuts below a node of the lowest one. */
static size_t count_levels(size_t n_cuts, size_t *reach) {
    size_t depth = 1;
    for (*reach = MXB__CUT_NODE; *reach <= n_cuts; *reach *= MXB__CUT_NODE) {
        depth++;
    }
    return depth;
}

size_t mxb__cut_tree_slots(size_t n_cuts) {
    size_t n_slots = 0, reach;
    count_levels(n_cuts, &reach);
    for (; reach > 1; reach /= MXB__CUT_NODE) {
        n_slots += (n_cuts / reach + 1) * MXB__CUT_NODE;
    }
    return n_slots;
}

void mxb__cut_tree_build(const double *cuts, size_t n_cuts, double *slots, struct cut_tree *tree) {
    size_t reach; /* cuts below a node of the level */
    tree->n_cuts = n_cuts;
    tree->depth = count_levels(n_cuts, &reach);
    for (size_t l = 0; l < tree->depth; l++) {
        size_t step = reach / MXB__CUT_NODE, n_slots = (n_cuts / reach + 1) * MXB__CUT_NODE;
        tree->levels[l] = slots;
        for (size_t i = 1; i <= n_slots; i++) {
            *slots++ = i * step <= n_cuts ? cuts[i * step - 1] : (double)INFINITY;
        }
        reach = step;
    }
}
