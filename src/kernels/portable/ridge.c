/* Z'v and Zw of the ridge rounds and of predictions. */
#include "kernels/portable/portable.h"

void mxb__portable_weighted_sum(const float *z, const double *v, size_t n, size_t n_components, double *sums) {
    for (size_t i = 0; i < n; i++) {
        const float *row = z + i * n_components;
        for (size_t j = 0; j < n_components; j++) {
            sums[j] += v[i] * (double)row[j];
        }
    }
}

void mxb__portable_dot(const float *z, size_t n, size_t n_components, const double *weights, double *out) {
    for (size_t i = 0; i < n; i++) {
        const float *row = z + i * n_components;
        double lane[8] = {0};
        for (size_t j = 0; j < n_components; j++) {
            lane[j % 8] += (double)row[j] * weights[j];
        }
        out[i] = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    }
}
