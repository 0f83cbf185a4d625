/* Zw of the ridge rounds and of predictions. */
#include "kernels/portable/portable.h"

void mxb__portable_dot(const float *z, size_t n, size_t n_components, const double *weights, double *out) {
    for (size_t i = 0; i < n; i++) {
        const float *row = z + i * n_components;
        double lane[MXB__LANES] = {0};
        for (size_t j = 0; j < n_components; j++) {
            lane[j % MXB__LANES] += (double)row[j] * weights[j];
        }
        out[i] = mxb__add_lanes(lane);
    }
}
