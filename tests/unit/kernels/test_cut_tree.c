/* Search trees against a scan of the cuts, by the nodes that a value comes to. */
#include "kernels/cut_tree.h"

#include <math.h>

#include "check.h"

/* The number of cuts below x, node by node; whether the last slot of a node was ever below. */
static size_t search(const struct cut_tree *tree, double x, int *fell_off) {
    size_t at = 0;
    for (size_t l = 0; l < tree->depth; l++) {
        const double *node = tree->levels[l] + at * MXB__CUT_NODE;
        size_t below = 0;
        for (size_t k = 0; k < MXB__CUT_NODE; k++) {
            below += node[k] < x;
        }
        *fell_off |= below == MXB__CUT_NODE;
        at = at * MXB__CUT_NODE + below;
    }
    return at;
}

static void every_number_of_cuts(void) {
    for (size_t n = 0; n <= MXB__TREE_CUTS; n++) {
        _Alignas(64) double slots[MXB__CUT_SLOTS + 1];
        double cuts[MXB__TREE_CUTS];
        struct cut_tree tree;
        int fell_off = 0;
        size_t n_slots = mxb__cut_tree_slots(n), n_wrong = 0;
        for (size_t i = 0; i < n; i++) {
            cuts[i] = (double)i;
        }
        slots[n_slots] = 77;
        mxb__cut_tree_build(cuts, n, slots, &tree);
        CHECK(n_slots <= MXB__CUT_SLOTS && slots[n_slots] == 77);
        CHECK_INT(tree.depth, n < 8 ? 1 : n < 64 ? 2 : 3);
        for (size_t i = 0; i <= n; i++) {
            n_wrong += search(&tree, (double)i - 0.5, &fell_off) != i;
            n_wrong += search(&tree, (double)i, &fell_off) != i;
        }
        n_wrong += search(&tree, (double)INFINITY, &fell_off) != n;
        n_wrong += search(&tree, (double)NAN, &fell_off) != 0;
        CHECK_INT(n_wrong, 0);
        CHECK(!fell_off);
    }
}

int main(void) {
    RUN(every_number_of_cuts);
    return check_report();
}
