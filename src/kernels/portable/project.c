/* Random Fourier features: projection and cosine, a tile of components at a time so that the sums stay in registers or
 * L1. */
#include "base/math.h"
#include "kernels/portable/portable.h"

enum { TILE = 32 }; /* of whole turns of lanes */

struct feature_map {
    const float *weights;
    const float *phases;
    size_t n_features;
    size_t n_components;
    float amplitude;
};

/* The components start .. start + width - 1 of the row x. */
static inline void project_tile(const struct feature_map *map, const float *x, size_t start, size_t width, float *z) {
    float turns[TILE];
    for (size_t j = 0; j < width; j++) {
        turns[j] = map->phases[start + j];
    }
    for (size_t f = 0; f < map->n_features; f++) {
        float value = x[f];
        const float *w = map->weights + f * map->n_components + start;
        for (size_t j = 0; j < width; j++) {
            turns[j] += value * w[j];
        }
    }
    for (size_t j = 0; j < width; j++) {
        z[j] = map->amplitude * mxb__cos_turns(turns[j]);
    }
}

static size_t tile_width(size_t start, size_t n_components) {
    return n_components - start < TILE ? n_components - start : TILE;
}

void mxb__portable_project(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                           size_t n_components, float amplitude, float *z) {
    struct feature_map map = {weights, phases, n_features, n_components, amplitude};
    for (size_t row = 0; row < n; row++) {
        for (size_t start = 0; start < n_components; start += TILE) {
            project_tile(&map, inputs + row * n_features, start, tile_width(start, n_components),
                         z + row * n_components + start);
        }
    }
}

void mxb__portable_project_dot(const float *inputs, size_t n, const float *weights, const float *phases,
                               size_t n_features, size_t n_components, float amplitude, const double *dot_weights,
                               double *out) {
    struct feature_map map = {weights, phases, n_features, n_components, amplitude};
    for (size_t row = 0; row < n; row++) {
        double lane[MXB__LANES] = {0};
        for (size_t start = 0; start < n_components; start += TILE) {
            size_t width = tile_width(start, n_components);
            float z[TILE];
            project_tile(&map, inputs + row * n_features, start, width, z);
            for (size_t j = 0; j < width; j++) {
                lane[j % MXB__LANES] += (double)z[j] * dot_weights[start + j];
            }
        }
        out[row] = mxb__add_lanes(lane);
    }
}
