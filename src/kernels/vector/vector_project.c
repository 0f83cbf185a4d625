/* Random Fourier features: projection and cosine of some rows and components at a time, whose sums stay in registers
 * while each weight is loaded once for all the rows. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector.h"

/* Rows and vectors of components of a tile: as many sums as the registers hold beside the operands. */
enum { ROWS = 4, VECTORS = WIDTH == 8 ? 4 : 2 };

/* As mxb__cos_turns. */
static inline floats cos_turns(doubles t) {
    const double rounder = 0x1.8p52;
    t = magnitude(t);
    doubles r = t - ((t + rounder) - rounder);
    r = where(magnitude(r) <= 0.5, r, all(0.0));
    floats a = narrowed(0.25 - magnitude(r));
    floats s = a * a;
    floats p = s * 39.759827f + -76.581173f;
    p = p * s + 81.602476f;
    p = p * s + -41.341681f;
    p = p * s + 6.2831853f;
    return a * p;
}

struct projection_tile {
    const float *inputs; /* of the first row */
    const float *weights;
    const float *phases;
    size_t n_features;
    size_t n_components;
    float amplitude;
    float *z; /* of the first row */
};

/* Components start .. start + n_vectors * WIDTH - 1 of some rows; both counts are constants where this is inlined. */
static inline void project_tile(const struct projection_tile *tile, size_t start, size_t n_rows, size_t n_vectors) {
    doubles turns[ROWS][VECTORS];
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t v = 0; v < n_vectors; v++) {
            turns[r][v] = widened(load_floats(tile->phases + start + v * WIDTH));
        }
    }
    for (size_t f = 0; f < tile->n_features; f++) {
        const float *weights = tile->weights + f * tile->n_components + start;
        for (size_t v = 0; v < n_vectors; v++) {
            doubles w = widened(load_floats(weights + v * WIDTH));
            for (size_t r = 0; r < n_rows; r++) {
                doubles x = all((double)tile->inputs[r * tile->n_features + f]);
                turns[r][v] = plus_exact(turns[r][v], x, w);
            }
        }
    }
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t v = 0; v < n_vectors; v++) {
            floats z = tile->amplitude * cos_turns(turns[r][v]);
            memcpy(tile->z + r * tile->n_components + start + v * WIDTH, &z, sizeof z);
        }
    }
}

static inline void project_rows(const struct projection_tile *tile, size_t n_rows) {
    size_t c = tile->n_components;
    size_t start = 0;
    for (; start + VECTORS * WIDTH <= c; start += VECTORS * WIDTH) {
        project_tile(tile, start, n_rows, VECTORS);
    }
    for (; start < c; start += WIDTH) { /* the last one may overlap the one before: the same values again */
        project_tile(tile, start + WIDTH <= c ? start : c - WIDTH, n_rows, 1);
    }
}

void MXB__KERNEL(project)(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                          size_t n_components, float amplitude, float *z) {
    if (n_components < WIDTH) {
        mxb__portable_project(inputs, n, weights, phases, n_features, n_components, amplitude, z);
        return;
    }
    struct projection_tile tile = {inputs, weights, phases, n_features, n_components, amplitude, z};
    for (; n >= ROWS; n -= ROWS) {
        project_rows(&tile, ROWS);
        tile.inputs += ROWS * n_features;
        tile.z += ROWS * n_components;
    }
    for (; n > 0; n--) {
        project_rows(&tile, 1);
        tile.inputs += n_features;
        tile.z += n_components;
    }
}
