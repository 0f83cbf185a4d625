/* Bin edges: the paper's greedy balancing of the examples per bin, once by a walk over all distinct values, whatever
 * they weigh, and once, where each row weighs 1, by steps from cut to cut. Knows nothing of gradients. */
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

/* Where a bin that begins at `begin` is full. The walk above would stop before the run in which the wanted weight is
 * reached, or behind it: up to there no bin is better closed than joined. */
static size_t find_full(const struct sorted *sorted, size_t begin, double wanted) {
    size_t reached = begin + (size_t)wanted;
    size_t run_begin = mxb__sorted_run_begin(sorted, reached);
    size_t run_end = mxb__sorted_run_end(sorted, reached);
    double held = (double)(run_begin - begin);
    return run_begin > begin && is_full(held, (double)(run_end - run_begin), wanted) ? run_begin : run_end;
}

uint32_t mxb__bins_find_cuts_sorted(const struct sorted *sorted, uint32_t n_bins, double cuts[MXB__MAX_CUTS]) {
    uint32_t n_cuts = 0;
    size_t bins_left = n_bins < MXB__MAX_CUTS + 1 ? n_bins : MXB__MAX_CUTS + 1;
    size_t last_begins[MXB__MAX_CUTS + 2]; /* [k]: where the last k values begin, the first of all if they are fewer */
    last_begins[0] = sorted->n;
    for (size_t k = 1; k <= bins_left; k++) {
        size_t next = last_begins[k - 1];
        last_begins[k] = next == 0 ? 0 : mxb__sorted_run_begin(sorted, next - 1);
    }
    for (size_t begin = 0; begin < sorted->n && bins_left > 1; bins_left--) {
        /* As many values as bins are left: each gets its own. */
        size_t few_left = last_begins[bins_left] > begin ? last_begins[bins_left] : begin;
        size_t end = find_full(sorted, begin, (double)(sorted->n - begin) / (double)bins_left);
        if (few_left < end) {
            end = mxb__sorted_run_end(sorted, few_left);
        }
        if (end < sorted->n) {
            cuts[n_cuts++] = mxb__bins_cut(mxb__sorted_value(sorted, end - 1), mxb__sorted_value(sorted, end));
        }
        begin = end;
    }
    return n_cuts;
}
