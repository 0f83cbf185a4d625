/* The best cut of a feature, and the gains of all its cuts, from the sums of its bins. */
#include "kernels/portable/portable_training.h"

static double best_side(const struct cut_search *search, struct gradient_sum left) {
    double best = mxb__cut_score(search, left);
    if (mxb__has_missing(search)) {
        left.g += search->missing.g;
        left.h += search->missing.h;
        best = mxb__larger(mxb__cut_score(search, left), best);
    }
    return best;
}

double mxb__portable_best_cut_packed(const uint64_t *cells, size_t n, const struct cut_search *search) {
    double best = 0.0;
    uint64_t left = 0;
    for (size_t i = 0; i < n; i++) {
        left += cells[i];
        best = mxb__larger(best_side(search, mxb__unpacked(left)), best);
    }
    return best;
}

double mxb__portable_best_cut_wide(const struct gradient_sum *cells, size_t n, const struct cut_search *search) {
    double best = 0.0;
    struct gradient_sum left = {0, 0};
    for (size_t i = 0; i < n; i++) {
        left.g += cells[i].g;
        left.h += cells[i].h;
        best = mxb__larger(best_side(search, left), best);
    }
    return best;
}

static void add_cut(const struct cut_gains *node, struct gradient_sum below, size_t i, double *right, double *left) {
    right[i] += mxb__cut_gain(node, below);
    if (left != NULL) {
        below.g += node->cuts.missing.g;
        below.h += node->cuts.missing.h;
        left[i] += mxb__cut_gain(node, below);
    }
}

void mxb__portable_add_gains_packed(const uint64_t *cells, size_t n, const struct cut_gains *node, double *right,
                                    double *left) {
    uint64_t below = 0;
    for (size_t i = 0; i < n; i++) {
        below += cells[i];
        add_cut(node, mxb__unpacked(below), i, right, left);
    }
}

void mxb__portable_add_gains_wide(const struct gradient_sum *cells, size_t n, const struct cut_gains *node,
                                  double *right, double *left) {
    struct gradient_sum below = {0, 0};
    for (size_t i = 0; i < n; i++) {
        below.g += cells[i].g;
        below.h += cells[i].h;
        add_cut(node, below, i, right, left);
    }
}
