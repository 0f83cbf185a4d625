/* Random Fourier features: projection and cosine, a tile of components at a time so that the sums stay in registers or
 * L1. */
#include "base/math.h"
#include "kernels/portable/portable.h"

enum { TILE = 32 };

void mxb__portable_project(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                           size_t n_components, float amplitude, float *z) {
    for (size_t row = 0; row < n; row++) {
        const float *x = inputs + row * n_features;
        float *out = z + row * n_components;
        for (size_t start = 0; start < n_components; start += TILE) {
            size_t width = n_components - start < TILE ? n_components - start : TILE;
            double turns[TILE];
            for (size_t j = 0; j < width; j++) {
                turns[j] = (double)phases[start + j];
            }
            for (size_t f = 0; f < n_features; f++) {
                double value = (double)x[f];
                const float *w = weights + f * n_components + start;
                for (size_t j = 0; j < width; j++) {
                    turns[j] += value * (double)w[j];
                }
            }
            for (size_t j = 0; j < width; j++) {
                out[start + j] = amplitude * mxb__cos_turns(turns[j]);
            }
        }
    }
}
