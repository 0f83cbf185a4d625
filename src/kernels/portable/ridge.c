/* Z'v of the ridge rounds. */
#include "kernels/portable/portable_training.h"

void mxb__portable_weighted_sum(const float *z, const double *v, size_t n, size_t n_components, double *sums) {
    for (size_t i = 0; i < n; i++) {
        const float *row = z + i * n_components;
        for (size_t j = 0; j < n_components; j++) {
            sums[j] += v[i] * (double)row[j];
        }
    }
}
