/* Search trees against a scan of the cuts, by the nodes that a value comes to. */
#include "kernels/cut_tree.h"

#include <float.h>
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

/* The number of cuts below a float, half by half. */
static size_t search_halves(const struct cut_tree *tree, float x) {
    size_t node = 1;
    for (size_t l = 0; l < tree->n_halvings; l++) {
        node = 2 * node + (tree->halves[node] < x);
    }
    return node - ((size_t)1 << tree->n_halvings);
}

static void every_number_of_cuts(void) {
    enum { MOST = 511 };
    for (size_t n = 0; n <= MOST; n++) {
        static _Alignas(64) double slots[1024];
        static _Alignas(64) float halves[513];
        double cuts[MOST] = {0};
        struct cut_tree tree;
        int fell_off = 0;
        size_t n_slots = mxb__cut_tree_slots(n), n_wrong = 0;
        for (size_t i = 0; i < n; i++) {
            cuts[i] = (double)i;
        }
        slots[n_slots] = 77;
        mxb__cut_tree_build(cuts, n, slots, &tree);
        CHECK_INT(tree.n_halvings, 0);
        halves[mxb__cut_tree_n_halves(n)] = 77;
        mxb__cut_tree_add_halves(cuts, halves, &tree);
        CHECK(halves[mxb__cut_tree_n_halves(n)] == 77);
        CHECK_INT(tree.n_halvings, n < 16 ? 4 : n < 32 ? 5 : n < 64 ? 6 : n < 128 ? 7 : n < 256 ? 8 : 9);
        CHECK((n > MXB__TREE_CUTS || n_slots <= MXB__CUT_SLOTS) && slots[n_slots] == 77);
        CHECK_INT(tree.depth, n < 8 ? 1 : n < 64 ? 2 : 3);
        for (size_t i = 0; i <= n; i++) {
            n_wrong += search(&tree, (double)i - 0.5, &fell_off) != i;
            n_wrong += search(&tree, (double)i, &fell_off) != i;
            n_wrong += search_halves(&tree, (float)i - 0.5F) != i;
            n_wrong += search_halves(&tree, (float)i) != i;
        }
        n_wrong += search_halves(&tree, INFINITY) != n;
        n_wrong += search_halves(&tree, NAN) != 0;
        n_wrong += search(&tree, (double)INFINITY, &fell_off) != n;
        n_wrong += search(&tree, (double)NAN, &fell_off) != 0;
        CHECK_INT(n_wrong, 0);
        CHECK(!fell_off);
    }
}

/* Halves are right for floats however close the cuts are to them. */
static void halves_are_rounded_down(void) {
    static const double between = 1 + 0x1p-30, close = 1 + 0x1p-29, ends[] = {-DBL_MAX, DBL_MAX};
    const struct {
        double cuts[2];
        float below, above; /* below: not above the first cut; above: above it */
    } cases[] = {
        {{between, 2}, 1.0F, 1.0F + 0x1p-23F},
        {{between, close}, 1.0F, 1.0F + 0x1p-23F},
        {{-close, -between}, -1.0F - 0x1p-23F, -1.0F},
        {{-0x1p-1074, 0x1p-1074}, -FLT_MIN, -0.0F},
        {{-1e-40, 1e-40}, -FLT_MIN, 0.0F},
        {{1e-40, 1}, 0.0F, FLT_MIN},
        {{ends[0], ends[1]}, -INFINITY, -FLT_MAX},
        {{ends[1], INFINITY}, FLT_MAX, INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        _Alignas(64) double slots[MXB__CUT_SLOTS];
        _Alignas(64) float halves[16];
        struct cut_tree tree;
        mxb__cut_tree_build(cases[i].cuts, 2, slots, &tree);
        mxb__cut_tree_add_halves(cases[i].cuts, halves, &tree);
        CHECK_INT(search_halves(&tree, cases[i].below), 0);
        CHECK(search_halves(&tree, cases[i].above) >= 1);
    }
}

int main(void) {
    RUN(every_number_of_cuts);
    RUN(halves_are_rounded_down);
    return check_report();
}
