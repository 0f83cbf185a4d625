/* The trees of tables of ranks against a scan of the knots. */
#include "kernels/rank_table.h"

#include <float.h>

#include "check.h"

enum { MAX_SLOTS = 1024, MAX_HALVES = 512 + 1 };

/* Every second knot up to x, but for the first and the last of all. */
static size_t scan(const struct rank_table *table, double x) {
    size_t n = 0;
    for (size_t i = 2; i + 1 < table->n_knots; i += 2) {
        n += table->knots[i] <= x;
    }
    return n;
}

static size_t search(const struct cut_tree *tree, double x) {
    size_t at = 0;
    for (size_t l = 0; l < tree->depth; l++) {
        size_t below = 0;
        for (size_t k = 0; k < MXB__CUT_NODE; k++) {
            below += tree->levels[l][at * MXB__CUT_NODE + k] < x;
        }
        at = at * MXB__CUT_NODE + below;
    }
    return at;
}

static void every_number_of_knots(void) {
    static double knots[MXB__MAX_KNOTS];
    static float scores[MXB__MAX_KNOTS];
    static _Alignas(64) double slots[MAX_SLOTS];
    static _Alignas(64) float halves[MAX_HALVES];
    for (size_t i = 0; i < MXB__MAX_KNOTS; i++) {
        knots[i] = (double)i * 0.375 - 30; /* 0 is one of them */
    }
    for (size_t n = 2; n <= MXB__MAX_KNOTS; n++) {
        struct rank_table table = {.n_knots = n, .knots = knots, .scores = scores};
        size_t n_slots = mxb__rank_table_slots(n), n_wrong = 0;
        CHECK(n_slots < MAX_SLOTS && n_slots % 8 == 0);
        size_t n_halves = mxb__rank_table_n_halves(n);
        CHECK(n_halves < MAX_HALVES && n_halves % 16 == 0);
        slots[n_slots] = 77;
        halves[n_halves] = 77;
        mxb__rank_table_build(&table, slots, halves);
        CHECK(slots[n_slots] == 77 && halves[n_halves] == 77);
        CHECK(table.tree.depth >= 1 && table.tree.depth <= MXB__CUT_LEVELS);
        for (size_t i = 0; i < n; i++) {
            n_wrong += search(&table.tree, knots[i]) != scan(&table, knots[i]);
            double below = nextafter(knots[i], -INFINITY);
            n_wrong += search(&table.tree, below) != scan(&table, below);
        }
        n_wrong += search(&table.tree, -0.0) != scan(&table, -0.0);
        n_wrong += search(&table.tree, INFINITY) != scan(&table, INFINITY);
        n_wrong += search(&table.tree, -INFINITY) != 0;
        CHECK_INT(n_wrong, 0);
    }
}

static void tables_without_a_tree(void) {
    double knots[] = {-DBL_MAX, 0, 1, DBL_MAX};
    float scores[4] = {0};
    _Alignas(64) double slots[8];
    _Alignas(64) float halves[16];
    struct rank_table table = {.n_knots = 4, .knots = knots, .scores = scores};
    mxb__rank_table_build(&table, slots, halves);
    CHECK_INT(table.tree.depth, 0);
    table.n_knots = 3;
    mxb__rank_table_build(&table, slots, halves);
    CHECK_INT(table.tree.depth, 1);
    table.n_knots = 1;
    CHECK(mxb__rank_table_slots(1) <= 8 && mxb__rank_table_n_halves(1) <= 16);
    mxb__rank_table_build(&table, slots, halves);
    CHECK_INT(table.tree.depth, 0);
}

int main(void) {
    RUN(every_number_of_knots);
    RUN(tables_without_a_tree);
    return check_report();
}
