/* Z'v of the ridge rounds. */
#include "kernels/vector/vector_training.h"

/* A run of rows stays in L1 while tiles of its columns are summed in registers, four vectors of columns at a time. */
enum { RUN_ROWS = 32, VECTORS = 4 };

/* n_vectors of columns from the first on; the count is a constant where this is inlined. */
MXB__INLINE void sum_columns(const float *z, const double *v, size_t n, size_t c, size_t n_vectors, double *out) {
    doubles sums[VECTORS];
    for (size_t k = 0; k < n_vectors; k++) {
        sums[k] = load(out + k * WIDTH);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n_vectors; k++) {
            sums[k] += v[i] * widened(load_floats(z + i * c + k * WIDTH));
        }
    }
    for (size_t k = 0; k < n_vectors; k++) {
        store(out + k * WIDTH, sums[k]);
    }
}

static void sum_run(const float *z, const double *v, size_t n, size_t c, double *sums) {
    size_t j = 0;
    for (; j + VECTORS * WIDTH <= c; j += VECTORS * WIDTH) {
        sum_columns(z + j, v, n, c, VECTORS, sums + j);
    }
    for (; j + WIDTH <= c; j += WIDTH) {
        sum_columns(z + j, v, n, c, 1, sums + j);
    }
    if (j < c) {
        doubles rest = load_first(sums + j, c - j);
        for (size_t i = 0; i < n; i++) {
            rest += v[i] * widened(load_first_floats(z + i * c + j, c - j));
        }
        store_first(sums + j, c - j, rest);
    }
}

void MXB__KERNEL(weighted_sum)(const float *z, const double *v, size_t n, size_t n_components, double *sums) {
    for (size_t first = 0; first < n; first += RUN_ROWS) {
        size_t n_rows = n - first < RUN_ROWS ? n - first : RUN_ROWS;
        sum_run(z + first * n_components, v + first, n_rows, n_components, sums);
    }
}
