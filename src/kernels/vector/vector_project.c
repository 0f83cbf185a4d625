/* Random Fourier features: projection and cosine of some rows and components at a time, whose sums stay in registers
 * while each weight is loaded once for all the rows. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector.h"

/* Components of a vector; rows and vectors of a tile: as many sums as the registers hold beside the operands. One row
 * alone has enough vectors for its sums not to wait for each other. */
enum {
    COMPONENTS = 2 * WIDTH,
    ROWS = WIDTH == 8 ? 4 : 6,
    VECTORS = WIDTH == 8 ? 6 : 2,
    ROW_VECTORS = WIDTH == 8 ? 6 : 4,
    SUMS = ROWS * VECTORS
};

_Static_assert(MXB__MAP_STEP % COMPONENTS == 0, "a map has whole vectors");

/* Before a loop over arrays that stay in registers. */
#if defined(__clang__)
#define MXB__UNROLL _Pragma("clang loop unroll(full)")
#else
#define MXB__UNROLL _Pragma("GCC unroll 32")
#endif

typedef float wide __attribute__((vector_size(COMPONENTS * sizeof(float))));
typedef int32_t wide_integers __attribute__((vector_size(COMPONENTS * sizeof(int32_t))));

static inline wide load_wide(const float *from) {
    wide x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* The product is exact, so fused or not is the same. */
#if defined(__AVX512F__)
static inline wide all_wide(float x) { return (wide)_mm512_set1_ps(x); }
static inline wide plus_exact_wide(wide sum, wide a, wide b) {
    return (wide)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)sum);
}
static inline doubles low_half(wide x) { return widened((floats)_mm512_castps512_ps256((__m512)x)); }
static inline doubles high_half(wide x) { return widened((floats)_mm512_extractf32x8_ps((__m512)x, 1)); }
#else
static inline wide all_wide(float x) { return (wide)_mm256_set1_ps(x); }
static inline wide plus_exact_wide(wide sum, wide a, wide b) {
    return (wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)sum);
}
static inline doubles low_half(wide x) { return widened((floats)_mm256_castps256_ps128((__m256)x)); }
static inline doubles high_half(wide x) { return widened((floats)_mm256_extractf128_ps((__m256)x, 1)); }
#endif

static inline wide magnitude_wide(wide x) { return (wide)((wide_integers)x & INT32_MAX); }

/* ---- sums ---- */

/* The inputs of some rows, from the first one's on: one row behind the other, or one column. */
struct inputs {
    int are_rows; /* a constant where this is inlined */
    const float *from;
    size_t step; /* from row to row, or from column to column */
};

MXB__INLINE float input(const struct inputs *inputs, const uint32_t *columns, size_t row, size_t k) {
    return inputs->are_rows ? inputs->from[row * inputs->step + k] : inputs->from[columns[k] * inputs->step + row];
}

/* turns[v * n_rows + r] = those of row r in the v-th vector of components from `start` on. All counts of rows and
 * vectors are constants where this is inlined. */
MXB__INLINE void add_up(const struct feature_map *map, const struct inputs *inputs, size_t start, size_t n_rows,
                        size_t n_vectors, wide *turns) {
    wide sums[SUMS];
    for (size_t v = 0; v < n_vectors; v++) {
        wide phases = load_wide(map->phases + start + v * COMPONENTS);
        for (size_t r = 0; r < n_rows; r++) {
            sums[v * n_rows + r] = phases;
        }
    }
    for (size_t k = 0; k < map->n_inputs; k++) {
        wide w[ROW_VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            w[v] = load_wide(map->weights + k * map->step + start + v * COMPONENTS);
        }
        for (size_t r = 0; r < n_rows; r++) {
            wide x = all_wide(input(inputs, map->columns, r, k));
            for (size_t v = 0; v < n_vectors; v++) {
                sums[v * n_rows + r] = plus_exact_wide(sums[v * n_rows + r], x, w[v]);
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

/* As mxb__cos_turns, step by step for some side by side: a single one would wait for every step. */
enum { SIDE_BY_SIDE = 12 };

MXB__INLINE void cos_turns(const wide *turns, size_t n, float amplitude, wide *z) {
    const float rounder = 0x1.8p23f;
    wide a[SIDE_BY_SIDE], s[SIDE_BY_SIDE], p[SIDE_BY_SIDE];
    for (size_t k = 0; k < n; k++) {
        wide t = magnitude_wide(turns[k]);
        wide r = t - ((t + rounder) - rounder);
        r = (wide)((wide_integers)r & (t < 0x1p22f));
        a[k] = 0.25f - magnitude_wide(r);
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
                              size_t n_vectors, wide *z) {
    wide turns[SUMS];
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
    wide tile[SUMS];
    project_tile(map, inputs, start, n_rows, n_vectors, tile);
    for (size_t v = 0; v < n_vectors; v++) {
        for (size_t r = 0; r < n_rows; r++) {
            memcpy(z + r * map->n_components + start + v * COMPONENTS, &tile[v * n_rows + r], sizeof *tile);
        }
    }
}

MXB__INLINE void keep_rows(const struct feature_map *map, const float *inputs, size_t n_rows, float *z) {
    const struct inputs rows = {.are_rows = 1, .from = inputs, .step = map->n_inputs};
    size_t c = map->n_components, start = 0;
    for (; start + VECTORS * COMPONENTS <= c; start += VECTORS * COMPONENTS) {
        keep_tile(map, &rows, start, n_rows, VECTORS, z);
    }
    for (; start < c; start += COMPONENTS) { /* the last one may overlap the one before: the same values again */
        keep_tile(map, &rows, start + COMPONENTS <= c ? start : c - COMPONENTS, n_rows, 1, z);
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
    if (n_components < COMPONENTS) {
        mxb__portable_project(inputs, n, weights, phases, n_features, n_components, amplitude, z);
        return;
    }
    for (; i + ROWS <= n; i += ROWS) {
        keep_rows(&map, inputs + i * n_features, ROWS, z + i * n_components);
    }
    for (; i < n; i++) {
        keep_rows(&map, inputs + i * n_features, 1, z + i * n_components);
    }
}

/* ---- components that are only added up ---- */

/* The sums of a row: eight lanes, component j in lane j mod 8. */
enum { LANE_VECTORS = MXB__LANES / WIDTH };

MXB__INLINE void dot_tile(const struct feature_map *map, const struct inputs *inputs, size_t start, size_t n_rows,
                          size_t n_vectors, doubles *lanes) {
    wide z[SUMS];
    project_tile(map, inputs, start, n_rows, n_vectors, z);
    for (size_t v = 0; v < n_vectors; v++) {
        const double *dots = map->dots + start + v * COMPONENTS;
        for (size_t r = 0; r < n_rows; r++) {
            lanes[r * LANE_VECTORS] += low_half(z[v * n_rows + r]) * load(dots);
            lanes[r * LANE_VECTORS + LANE_VECTORS - 1] += high_half(z[v * n_rows + r]) * load(dots + WIDTH);
        }
    }
}

/* What the map has beyond its components adds 0 to a lane, which changes nothing. */
MXB__INLINE void dot_rows(const struct feature_map *map, const struct inputs *rows, size_t n_rows, size_t n_vectors,
                          double *out) {
    doubles lanes[ROWS * LANE_VECTORS] = {{0}};
    size_t start = 0;
    for (; start + n_vectors * COMPONENTS <= map->step; start += n_vectors * COMPONENTS) {
        dot_tile(map, rows, start, n_rows, n_vectors, lanes);
    }
    for (; start < map->step; start += COMPONENTS) {
        dot_tile(map, rows, start, n_rows, 1, lanes);
    }
    for (size_t r = 0; r < n_rows; r++) {
        double lane[MXB__LANES];
        memcpy(lane, lanes + r * LANE_VECTORS, sizeof lane);
        out[r] = mxb__add_lanes(lane);
    }
}

void MXB__KERNEL(project_dot)(const struct feature_map *map, const float *inputs, size_t stride, size_t n,
                              double *out) {
    size_t i = 0;
    for (; i < n && n >= ROWS; i += ROWS) {
        size_t first = i + ROWS <= n ? i : n - ROWS; /* may overlap the ones before: the same values again */
        struct inputs rows = {.from = inputs + first, .step = stride};
        dot_rows(map, &rows, ROWS, VECTORS, out + first);
    }
    for (; i < n; i++) {
        struct inputs row = {.from = inputs + i, .step = stride};
        dot_rows(map, &row, 1, ROW_VECTORS, out + i);
    }
}
