/* Random Fourier features: projection and cosine of some rows and components at a time, whose sums stay in registers
 * while each weight is loaded once for all the rows. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector.h"

/* Rows and vectors of components of a tile: as many sums as the registers hold beside the operands. One row alone has
 * enough vectors for sums and cosines not to wait for each other. */
enum { ROWS = 6, VECTORS = WIDTH == 8 ? 4 : 2, ROW_VECTORS = 6, SUMS = ROWS * VECTORS };

/* Before a loop over arrays that stay in registers. */
#if defined(__clang__)
#define MXB__UNROLL _Pragma("clang loop unroll(full)")
#else
#define MXB__UNROLL _Pragma("GCC unroll 32")
#endif

/* ---- sums ---- */

/* The inputs of some rows, from the first one's on: rows of floats, or columns of doubles. */
struct inputs {
    int are_floats; /* a constant where this is inlined */
    const float *floats;
    const double *doubles;
    size_t step; /* from row to row, or from column to column */
};

MXB__INLINE double input(const struct inputs *inputs, const uint32_t *columns, size_t row, size_t k) {
    return inputs->are_floats ? (double)inputs->floats[row * inputs->step + k]
                              : inputs->doubles[columns[k] * inputs->step + row];
}

/* turns[v * n_rows + r] = those of row r in the v-th vector of components from `start` on. All counts of rows and
 * vectors are constants where this is inlined. */
MXB__INLINE void add_up(const struct feature_map *map, const struct inputs *inputs, size_t start, size_t n_rows,
                        size_t n_vectors, doubles *turns) {
    doubles sums[SUMS];
    for (size_t v = 0; v < n_vectors; v++) {
        doubles phases = widened(load_floats(map->phases + start + v * WIDTH));
        for (size_t r = 0; r < n_rows; r++) {
            sums[v * n_rows + r] = phases;
        }
    }
    for (size_t k = 0; k < map->n_inputs; k++) {
        doubles w[ROW_VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            w[v] = widened(load_floats(map->weights + k * map->step + start + v * WIDTH));
        }
        for (size_t r = 0; r < n_rows; r++) {
            doubles x = all(input(inputs, map->columns, r, k));
            for (size_t v = 0; v < n_vectors; v++) {
                sums[v * n_rows + r] = plus_exact(sums[v * n_rows + r], x, w[v]);
            }
        }
    }
    for (size_t v = 0; v < n_vectors; v++) {
        for (size_t r = 0; r < n_rows; r++) {
            turns[v * n_rows + r] = sums[v * n_rows + r];
        }
    }
}

/* ---- cosines ---- */

/* The distance from the next integer, exactly. */
static inline doubles from_integer(doubles t) {
#if defined(__AVX512F__)
    return magnitude((doubles)_mm512_reduce_pd((__m512d)t, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
    const double rounder = 0x1.8p52;
    t = magnitude(t);
    doubles r = magnitude(t - ((t + rounder) - rounder));
    return where(r <= 0.5, r, all(0.0));
#endif
}

/* As mxb__cos_turns, step by step for some side by side: a single one would wait for every step. */
enum { SIDE_BY_SIDE = 12 };

MXB__INLINE void cos_turns(const doubles *turns, size_t n, float amplitude, floats *z) {
    floats a[SIDE_BY_SIDE], s[SIDE_BY_SIDE], p[SIDE_BY_SIDE];
    for (size_t k = 0; k < n; k++) {
        a[k] = narrowed(0.25 - from_integer(turns[k]));
    }
    for (size_t k = 0; k < n; k++) {
        s[k] = a[k] * a[k];
    }
    for (size_t k = 0; k < n; k++) {
        p[k] = s[k] * 39.759827f + -76.581173f;
    }
    for (size_t k = 0; k < n; k++) {
        p[k] = p[k] * s[k] + 81.602476f;
    }
    for (size_t k = 0; k < n; k++) {
        p[k] = p[k] * s[k] + -41.341681f;
    }
    for (size_t k = 0; k < n; k++) {
        p[k] = p[k] * s[k] + 6.2831853f;
    }
    for (size_t k = 0; k < n; k++) {
        z[k] = amplitude * (a[k] * p[k]);
    }
}

/* z[v * n_rows + r], as above. */
MXB__INLINE void project_tile(const struct feature_map *map, const struct inputs *inputs, size_t start, size_t n_rows,
                              size_t n_vectors, floats *z) {
    doubles turns[SUMS];
    size_t n = n_rows * n_vectors;
    add_up(map, inputs, start, n_rows, n_vectors, turns);
    MXB__UNROLL
    for (size_t k = 0; k < n; k += SIDE_BY_SIDE) {
        cos_turns(turns + k, n - k < SIDE_BY_SIDE ? n - k : SIDE_BY_SIDE, map->amplitude, z + k);
    }
}

/* ---- components that are kept ---- */

MXB__INLINE void keep_tile(const struct feature_map *map, const struct inputs *inputs, size_t start, size_t n_rows,
                           size_t n_vectors, float *z) {
    floats tile[SUMS];
    project_tile(map, inputs, start, n_rows, n_vectors, tile);
    for (size_t v = 0; v < n_vectors; v++) {
        for (size_t r = 0; r < n_rows; r++) {
            memcpy(z + r * map->n_components + start + v * WIDTH, &tile[v * n_rows + r], sizeof *tile);
        }
    }
}

MXB__INLINE void keep_rows(const struct feature_map *map, const struct inputs *inputs, size_t n_rows, float *z) {
    size_t c = map->n_components, start = 0;
    for (; start + VECTORS * WIDTH <= c; start += VECTORS * WIDTH) {
        keep_tile(map, inputs, start, n_rows, VECTORS, z);
    }
    for (; start < c; start += WIDTH) { /* the last one may overlap the one before: the same values again */
        keep_tile(map, inputs, start + WIDTH <= c ? start : c - WIDTH, n_rows, 1, z);
    }
}

void MXB__KERNEL(project)(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                          size_t n_components, float amplitude, float *z) {
    struct feature_map map = {.n_inputs = n_features,
                              .n_components = n_components,
                              .step = n_components,
                              .weights = weights,
                              .phases = phases,
                              .amplitude = amplitude};
    size_t i = 0;
    if (n_components < WIDTH) {
        mxb__portable_project(inputs, n, weights, phases, n_features, n_components, amplitude, z);
        return;
    }
    for (; i + ROWS <= n; i += ROWS) {
        struct inputs rows = {.are_floats = 1, .floats = inputs + i * n_features, .step = n_features};
        keep_rows(&map, &rows, ROWS, z + i * n_components);
    }
    for (; i < n; i++) {
        struct inputs row = {.are_floats = 1, .floats = inputs + i * n_features, .step = n_features};
        keep_rows(&map, &row, 1, z + i * n_components);
    }
}

/* ---- components that are only added up ---- */

/* The sums of a row: eight lanes, component j in lane j mod 8. */
enum { LANE_VECTORS = MXB__LANES / WIDTH };

MXB__INLINE void dot_tile(const struct feature_map *map, const struct inputs *inputs, size_t start, size_t n_rows,
                          size_t n_vectors, doubles *lanes) {
    floats z[SUMS];
    project_tile(map, inputs, start, n_rows, n_vectors, z);
    for (size_t v = 0; v < n_vectors; v++) {
        doubles w = load(map->dots + start + v * WIDTH);
        for (size_t r = 0; r < n_rows; r++) {
            lanes[r * LANE_VECTORS + v % LANE_VECTORS] += widened(z[v * n_rows + r]) * w;
        }
    }
}

/* What the map has beyond its components adds 0 to a lane, which changes nothing. */
MXB__INLINE void dot_rows(const struct feature_map *map, const struct inputs *inputs, size_t n_rows, size_t n_vectors,
                          double *out) {
    doubles lanes[ROWS * LANE_VECTORS] = {{0}};
    size_t start = 0;
    for (; start + n_vectors * WIDTH <= map->step; start += n_vectors * WIDTH) {
        dot_tile(map, inputs, start, n_rows, n_vectors, lanes);
    }
    for (; start < map->step; start += MXB__LANES) {
        dot_tile(map, inputs, start, n_rows, LANE_VECTORS, lanes);
    }
    for (size_t r = 0; r < n_rows; r++) {
        double lane[MXB__LANES];
        memcpy(lane, lanes + r * LANE_VECTORS, sizeof lane);
        out[r] = mxb__add_lanes(lane);
    }
}

void MXB__KERNEL(project_dot)(const struct feature_map *map, const double *inputs, size_t stride, size_t n,
                              double *out) {
    size_t i = 0;
    for (; i < n && n >= ROWS; i += ROWS) {
        size_t first = i + ROWS <= n ? i : n - ROWS; /* may overlap the ones before: the same values again */
        struct inputs rows = {.doubles = inputs + first, .step = stride};
        dot_rows(map, &rows, ROWS, VECTORS, out + first);
    }
    for (; i < n; i++) {
        struct inputs row = {.doubles = inputs + i, .step = stride};
        dot_rows(map, &row, 1, ROW_VECTORS, out + i);
    }
}
