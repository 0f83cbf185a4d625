/* The best cut of a feature, from the sums of its bins. */
#include "kernels/portable/portable.h"

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
