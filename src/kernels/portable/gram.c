/* Z'HZ of the ridge rounds. Each entry is a sum over rows in order, so SIMD may run across columns but never across
 * rows. */
#include "kernels/portable/portable_training.h"

void mxb__portable_gram(const float *z, const double *h, size_t n, size_t n_components, int rounded, double *gram) {
    for (size_t i = 0; i < n; i++) {
        const float *row = z + i * n_components;
        for (size_t j = 0; j < n_components; j++) {
            double weighted = h[i] * (double)row[j];
            if (rounded) {
                weighted = (double)(float)weighted;
            }
            double *out = gram + j * n_components;
            for (size_t k = 0; k <= j; k++) {
                out[k] += weighted * (double)row[k];
            }
        }
    }
}
