/* Makes the tables of scalings by ranks ready for kernels. */
#include "kernels/rank_table.h"

#include <math.h>

enum { MAX_CUTS = MXB__MAX_KNOTS / 2 - 1 };

static size_t count_cuts(size_t n_knots) { return n_knots < 2 ? 0 : n_knots / 2 - 1; }

size_t mxb__rank_table_slots(size_t n_knots) { return mxb__cut_tree_slots(count_cuts(n_knots)); }

size_t mxb__rank_table_n_halves(size_t n_knots) { return mxb__cut_tree_n_halves(count_cuts(n_knots)); }

void mxb__rank_table_build(struct rank_table *table, double *slots, float *halves) {
    const double *knots = table->knots;
    size_t last = table->n_knots - 1, n_cuts = count_cuts(table->n_knots);
    double cuts[MAX_CUTS];
    table->tree.depth = 0;
    if (last == 0 || isinf(knots[last] - knots[0])) {
        return;
    }
    for (size_t i = 0; i < n_cuts; i++) {
        cuts[i] = nextafter(knots[2 * (i + 1)], -INFINITY);
    }
    mxb__cut_tree_build(cuts, n_cuts, slots, &table->tree);
    mxb__cut_tree_add_halves(cuts, halves, &table->tree);
}
