/* Zw of the ridge rounds and of predictions. */
#include "kernels/vector/vector.h"

enum { LANE_VECTORS = MXB__LANES / WIDTH };

MXB__INLINE double dot_row(const float *z, size_t c, const double *weights) {
    doubles sums[LANE_VECTORS] = {{0}};
    double lane[MXB__LANES];
    size_t j = 0;
    for (; j + MXB__LANES <= c; j += MXB__LANES) {
        for (size_t k = 0; k < LANE_VECTORS; k++) {
            sums[k] += widened(load_floats(z + j + k * WIDTH)) * load(weights + j + k * WIDTH);
        }
    }
    for (size_t k = 0; j < c; j += WIDTH, k++) { /* a lane that has no more elements gets 0, which changes nothing */
        size_t n = c - j < WIDTH ? c - j : WIDTH;
        sums[k] += n < WIDTH ? widened(load_first_floats(z + j, n)) * load_first(weights + j, n)
                             : widened(load_floats(z + j)) * load(weights + j);
    }
    memcpy(lane, sums, sizeof lane);
    return mxb__add_lanes(lane);
}

void MXB__KERNEL(dot)(const float *z, size_t n, size_t n_components, const double *weights, double *out) {
    for (size_t i = 0; i < n; i++) {
        out[i] = dot_row(z + i * n_components, n_components, weights);
    }
}
