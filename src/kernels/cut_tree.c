/* Builds the search trees that kernels look values up in. */
#include "kernels/cut_tree.h"

#include <float.h>
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
    tree->n_halvings = 0;
    tree->halves = NULL;
}

/* ---- halves ---- */

static size_t count_halvings(size_t n_cuts) {
    size_t n = MXB__LEAST_HALVINGS;
    while ((size_t)1 << n <= n_cuts) {
        n++;
    }
    return n;
}

size_t mxb__cut_tree_n_halves(size_t n_cuts) { return (size_t)1 << count_halvings(n_cuts); }

/* The largest float that is not above, but no denormal one: a process may take those for 0. */
static float round_down(double cut) {
    float rounded = (float)cut;
    if (fabs(cut) < (double)FLT_MIN) {
        return cut < 0 ? -FLT_MIN : 0.0F;
    }
    return (double)rounded > cut ? nextafterf(rounded, -INFINITY) : rounded;
}

void mxb__cut_tree_add_halves(const double *cuts, float *halves, struct cut_tree *tree) {
    tree->n_halvings = count_halvings(tree->n_cuts);
    tree->halves = halves;
    size_t reach = (size_t)1 << tree->n_halvings; /* cuts below a node, and one */
    halves[0] = 0;
    for (size_t level = 1; reach > 1; level *= 2, reach /= 2) {
        for (size_t i = 0; i < level; i++) {
            size_t cut = i * reach + reach / 2 - 1;
            halves[level + i] = cut < tree->n_cuts ? round_down(cuts[cut]) : INFINITY;
        }
    }
}
