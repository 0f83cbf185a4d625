/* Gradients as integers: rounded at random into packed words, or to nearest into pairs and their sums. */
#include <math.h>

#include "base/prefetch.h"
#include "kernels/portable/portable_training.h"

enum { AHEAD = 64 }; /* rows */

static inline double hessian_of_row(const struct scaled_rows *rows, size_t row) {
    return rows->hessian == HESSIAN_STORED ? rows->h[row] : mxb__implied_hessian(rows->hessian, rows->g[row]);
}

static int is_coarse(double quanta) { return quanta > 0.0 && quanta < MXB__COARSE_QUANTA; }

size_t mxb__portable_quanta_packed(const struct scaled_rows *rows, struct random_stream noise, size_t first, size_t n,
                                   uint64_t *words) {
    size_t n_coarse = 0;
    for (size_t i = first; i < first + n; i++) {
        uint64_t bits = mxb__random_bits(noise, i);
        double g = rows->g[i] * rows->g_scale;
        double h = hessian_of_row(rows, i) * rows->h_scale;
        n_coarse += is_coarse(fabs(g)) || is_coarse(h);
        int64_t g_quanta = (int64_t)floor(g + (double)(bits >> 32) * 0x1p-32);
        int64_t h_quanta = (int64_t)floor(h + (double)(bits & 0xffffffffu) * 0x1p-32);
        words[i] = ((uint64_t)g_quanta << 32) + (uint64_t)h_quanta;
    }
    return n_coarse;
}

static struct gradient_sum quanta_of_row(const struct scaled_rows *rows, size_t row) {
    struct gradient_sum sum = {llrint(rows->g[row] * rows->g_scale), llrint(hessian_of_row(rows, row) * rows->h_scale)};
    return sum;
}

void mxb__portable_quanta_wide(const struct scaled_rows *rows, size_t first, size_t n, struct gradient_sum *sums) {
    for (size_t i = first; i < first + n; i++) {
        sums[i] = quanta_of_row(rows, i);
    }
}

struct gradient_sum mxb__portable_sum_quanta(const struct scaled_rows *rows, const uint32_t *indices, size_t n) {
    struct gradient_sum sum = {0, 0};
    for (size_t i = 0; i < n; i++) {
        size_t later = indices[i + AHEAD < n ? i + AHEAD : n - 1];
        MXB__PREFETCH(rows->g + later);
        if (rows->hessian == HESSIAN_STORED) {
            MXB__PREFETCH(rows->h + later);
        }
        struct gradient_sum row = quanta_of_row(rows, indices[i]);
        sum.g += row.g;
        sum.h += row.h;
    }
    return sum;
}
