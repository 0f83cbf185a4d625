/* Random Fourier features: projection and cosine, a tile of components at a time so that the sums stay in registers or
 * L1. */
#include "base/math.h"
#include "kernels/portable/portable.h"

/* ---- components that are kept ---- */

enum { KEPT_TILE = 32 };

static inline void add_input(float x, const float *weights, size_t width, float *turns) {
    for (size_t j = 0; j < width; j++) {
        turns[j] += x * weights[j];
    }
}

static inline void begin_turns(const float *phases, size_t width, float *turns) {
    for (size_t j = 0; j < width; j++) {
        turns[j] = phases[j];
    }
}

static inline void end_turns(const float *turns, size_t width, float amplitude, float *z) {
    for (size_t j = 0; j < width; j++) {
        z[j] = amplitude * mxb__cos_turns(turns[j]);
    }
}

void mxb__portable_project(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                           size_t n_components, float amplitude, float *z) {
    for (size_t row = 0; row < n; row++) {
        const float *x = inputs + row * n_features;
        for (size_t start = 0; start < n_components; start += KEPT_TILE) {
            size_t left = n_components - start, width = left < KEPT_TILE ? left : KEPT_TILE;
            float turns[KEPT_TILE];
            begin_turns(phases + start, width, turns);
            for (size_t f = 0; f < n_features; f++) {
                add_input(x[f], weights + f * n_components + start, width, turns);
            }
            end_turns(turns, width, amplitude, z + row * n_components + start);
        }
    }
}

/* ---- components that are only added up ---- */

enum { TILE = 2 * MXB__LANES };

/* The features from `start` on of one row, whose inputs are `stride` apart. The width is TILE, as a constant where this
 * is inlined, but for the last ones. */
static inline void project_tile(const struct feature_map *map, const float *inputs, size_t stride, size_t start,
                                size_t width, float *z) {
    float turns[TILE];
    begin_turns(map->phases + start, width, turns);
    for (size_t k = 0; k < map->n_inputs; k++) {
        add_input(inputs[map->columns[k] * stride], map->weights + k * map->step + start, width, turns);
    }
    end_turns(turns, width, map->amplitude, z);
}

static inline void add_to_lanes(const float *z, const double *dots, size_t width, double *lane) {
    for (size_t j = 0; j < width; j++) {
        lane[j % MXB__LANES] += (double)z[j] * dots[j];
    }
}

void mxb__portable_project_dot(const struct feature_map *map, const float *inputs, size_t stride, size_t n,
                               double *out) {
    for (size_t row = 0; row < n; row++) {
        double lane[MXB__LANES] = {0};
        float z[TILE];
        size_t start = 0;
        for (; start + TILE <= map->n_components; start += TILE) {
            project_tile(map, inputs + row, stride, start, TILE, z);
            add_to_lanes(z, map->dots + start, TILE, lane);
        }
        project_tile(map, inputs + row, stride, start, map->n_components - start, z);
        add_to_lanes(z, map->dots + start, map->n_components - start, lane);
        out[row] = mxb__add_lanes(lane);
    }
}
