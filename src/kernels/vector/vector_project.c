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

struct feature_map {
    const float *weights;
    const float *phases;
    size_t n_features;
    size_t n_components;
    float amplitude;
};

/* `width` floats, all of a vector but where the components end; a constant WIDTH where there are enough. */
static inline floats load_some(const float *from, size_t width) {
    return width == WIDTH ? load_floats(from) : load_first_floats(from, width);
}

struct tile {
    floats z[ROWS][VECTORS];
};

/* Components from `start` on of some rows, from the first one's inputs on: n_vectors of them, the last `width` wide.
 * All counts are constants where this is inlined, but for the width of a single vector. */
MXB__INLINE struct tile project_tile(const struct feature_map *map, const float *inputs, size_t start, size_t n_rows,
                                     size_t n_vectors, size_t width) {
    doubles turns[ROWS][VECTORS];
    struct tile tile;
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t v = 0; v < n_vectors; v++) {
            turns[r][v] = widened(load_some(map->phases + start + v * WIDTH, width));
        }
    }
    for (size_t f = 0; f < map->n_features; f++) {
        const float *weights = map->weights + f * map->n_components + start;
        for (size_t v = 0; v < n_vectors; v++) {
            doubles w = widened(load_some(weights + v * WIDTH, width));
            for (size_t r = 0; r < n_rows; r++) {
                doubles x = all((double)inputs[r * map->n_features + f]);
                turns[r][v] = plus_exact(turns[r][v], x, w);
            }
        }
    }
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t v = 0; v < n_vectors; v++) {
            tile.z[r][v] = map->amplitude * cos_turns(turns[r][v]);
        }
    }
    return tile;
}

/* ---- components that are kept ---- */

MXB__INLINE void store_tile(const struct tile *tile, size_t n_rows, size_t n_vectors, size_t n_components, float *z) {
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t v = 0; v < n_vectors; v++) {
            memcpy(z + r * n_components + v * WIDTH, &tile->z[r][v], sizeof tile->z[r][v]);
        }
    }
}

MXB__INLINE void project_rows(const struct feature_map *map, const float *inputs, size_t n_rows, float *z) {
    size_t c = map->n_components;
    size_t start = 0;
    for (; start + VECTORS * WIDTH <= c; start += VECTORS * WIDTH) {
        struct tile tile = project_tile(map, inputs, start, n_rows, VECTORS, WIDTH);
        store_tile(&tile, n_rows, VECTORS, c, z + start);
    }
    for (; start < c; start += WIDTH) { /* the last one may overlap the one before: the same values again */
        size_t from = start + WIDTH <= c ? start : c - WIDTH;
        struct tile tile = project_tile(map, inputs, from, n_rows, 1, WIDTH);
        store_tile(&tile, n_rows, 1, c, z + from);
    }
}

void MXB__KERNEL(project)(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                          size_t n_components, float amplitude, float *z) {
    struct feature_map map = {weights, phases, n_features, n_components, amplitude};
    size_t i = 0;
    if (n_components < WIDTH) {
        mxb__portable_project(inputs, n, weights, phases, n_features, n_components, amplitude, z);
        return;
    }
    for (; i + ROWS <= n; i += ROWS) {
        project_rows(&map, inputs + i * n_features, ROWS, z + i * n_components);
    }
    for (; i < n; i++) {
        project_rows(&map, inputs + i * n_features, 1, z + i * n_components);
    }
}

/* ---- components that are only added up ---- */

/* The sums of some rows: eight lanes each, component j in lane j mod 8. */
enum { LANE_VECTORS = MXB__LANES / WIDTH };

struct lanes {
    doubles of[ROWS][LANE_VECTORS];
};

MXB__INLINE void add_tile(struct lanes *lanes, const struct tile *tile, size_t start, size_t n_rows, size_t n_vectors,
                          size_t width, const double *weights) {
    for (size_t v = 0; v < n_vectors; v++) {
        const double *from = weights + start + v * WIDTH;
        doubles w = width == WIDTH ? load(from) : load_first(from, width);
        size_t k = (start / WIDTH + v) % LANE_VECTORS;
        for (size_t r = 0; r < n_rows; r++) { /* a lane that has no more components gets 0, which changes nothing */
            lanes->of[r][k] += widened(tile->z[r][v]) * w;
        }
    }
}

MXB__INLINE void project_dot_rows(const struct feature_map *map, const float *inputs, size_t n_rows,
                                  const double *weights, double *out) {
    struct lanes lanes = {{{{0}}}};
    size_t c = map->n_components;
    size_t start = 0;
    for (; start + VECTORS * WIDTH <= c; start += VECTORS * WIDTH) {
        struct tile tile = project_tile(map, inputs, start, n_rows, VECTORS, WIDTH);
        add_tile(&lanes, &tile, start, n_rows, VECTORS, WIDTH, weights);
    }
    for (; start + WIDTH <= c; start += WIDTH) {
        struct tile tile = project_tile(map, inputs, start, n_rows, 1, WIDTH);
        add_tile(&lanes, &tile, start, n_rows, 1, WIDTH, weights);
    }
    if (start < c) {
        struct tile tile = project_tile(map, inputs, start, n_rows, 1, c - start);
        add_tile(&lanes, &tile, start, n_rows, 1, c - start, weights);
    }
    for (size_t r = 0; r < n_rows; r++) {
        double lane[MXB__LANES];
        memcpy(lane, lanes.of[r], sizeof lane);
        out[r] = mxb__add_lanes(lane);
    }
}

void MXB__KERNEL(project_dot)(const float *inputs, size_t n, const float *weights, const float *phases,
                              size_t n_features, size_t n_components, float amplitude, const double *dot_weights,
                              double *out) {
    struct feature_map map = {weights, phases, n_features, n_components, amplitude};
    size_t i = 0;
    for (; i + ROWS <= n; i += ROWS) {
        project_dot_rows(&map, inputs + i * n_features, ROWS, dot_weights, out + i);
    }
    for (; i < n; i++) {
        project_dot_rows(&map, inputs + i * n_features, 1, dot_weights, out + i);
    }
}
