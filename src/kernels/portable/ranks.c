/* Values to their places among ranks, by a binary search over the knots. */
#include "kernels/portable/portable.h"

/* Values whose intervals are searched side by side, so that one does not wait for the other's loads. */
enum { SIDE_BY_SIDE = 8 };

/* knots[low] <= x < knots[low + 1] for each value that lies inside. Without branches on the values, which nobody could
 * predict. The count is a constant where this is inlined. */
static inline void find_intervals(const struct rank_table *table, const double *values, size_t count, size_t *low) {
    const double *knots = table->knots;
    for (size_t k = 0; k < count; k++) {
        low[k] = 0;
    }
    for (size_t n = table->n_knots - 1; n > 1; n -= n / 2) { /* intervals left */
        for (size_t k = 0; k < count; k++) {
            low[k] += knots[low[k] + n / 2] <= values[k] ? n / 2 : 0;
        }
    }
}

void mxb__portable_scale_ranks(const struct rank_table *table, const double *values, size_t n, float *out) {
    size_t low[SIDE_BY_SIDE], i = 0;
    for (; i + SIDE_BY_SIDE <= n; i += SIDE_BY_SIDE) {
        find_intervals(table, values + i, SIDE_BY_SIDE, low);
        for (size_t k = 0; k < SIDE_BY_SIDE; k++) {
            out[i + k] = mxb__rank_score(table, values[i + k], low[k]);
        }
    }
    for (; i < n; i++) {
        find_intervals(table, values + i, 1, low);
        out[i] = mxb__rank_score(table, values[i], low[0]);
    }
}
