/* Bin edges: the paper's greedy balancing of the examples per bin. Knows nothing of gradients. */
#include "data/bins.h"

double mxb__bins_cut(double a, double b) {
    double middle = a / 2 + b / 2;
    return middle >= a && middle < b ? middle : a; /* not so next to an infinity, and where halves underflow */
}

/* Whether a bin holding `held` is better closed than joined by `next`, when `wanted` would be just right. */
static int is_full(double held, double next, double wanted) {
    return held >= wanted || held + next - wanted > wanted - held;
}

uint32_t mxb__bins_find_cuts(const struct distinct *distinct, uint32_t n_bins, double cuts[MXB__MAX_CUTS]) {
    uint32_t n_cuts = 0;
    size_t bins_left = n_bins < MXB__MAX_CUTS + 1 ? n_bins : MXB__MAX_CUTS + 1;
    double weight_left = 0.0;
    for (size_t i = 0; i < distinct->n; i++) {
        weight_left += distinct->weights[i];
    }
    double held = 0.0;
    for (size_t i = 0; i + 1 < distinct->n && bins_left > 1; i++) {
        held += distinct->weights[i];
        size_t values_left = distinct->n - (i + 1);
        double wanted = weight_left / (double)bins_left;
        if (values_left < bins_left || is_full(held, distinct->weights[i + 1], wanted)) {
            cuts[n_cuts++] = mxb__bins_cut(distinct->values[i], distinct->values[i + 1]);
            weight_left -= held;
            bins_left--;
            held = 0.0;
        }
    }
    return n_cuts;
}
