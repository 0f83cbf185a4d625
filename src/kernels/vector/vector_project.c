/* Random Fourier features: projection and cosine of some rows and components at a time, whose sums stay in registers
 * while each weight is loaded once for all the rows. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector.h"

/* Components of a vector; rows and vectors of a tile: as many sums as the registers hold beside the operands. */
enum { COMPONENTS = 2 * WIDTH, ROWS = 4, VECTORS = WIDTH == 8 ? 6 : 2 };

typedef float wide __attribute__((vector_size(COMPONENTS * sizeof(float))));
typedef int32_t wide_integers __attribute__((vector_size(COMPONENTS * sizeof(int32_t))));

/* `width` floats and 0 behind them: all of a vector but where the components end; a constant where there are enough. */
#if defined(__AVX512F__)
static inline wide load_wide(const float *from, size_t width) {
    return width == COMPONENTS ? (wide)_mm512_loadu_ps(from)
                               : (wide)_mm512_maskz_loadu_ps((__mmask16)((1u << width) - 1), from);
}
static inline wide all_wide(float x) { return (wide)_mm512_set1_ps(x); }
/* The product is exact, so fused or not is the same. */
static inline wide plus_exact_wide(wide sum, wide a, wide b) {
    return (wide)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)sum);
}
static inline floats half_of(wide x, int high) {
    return (floats)(high ? _mm512_extractf32x8_ps((__m512)x, 1) : _mm512_castps512_ps256((__m512)x));
}
#else
static inline wide load_wide(const float *from, size_t width) {
    __m256i first = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)width), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return width == COMPONENTS ? (wide)_mm256_loadu_ps(from) : (wide)_mm256_maskload_ps(from, first);
}
static inline wide all_wide(float x) { return (wide)_mm256_set1_ps(x); }
static inline wide plus_exact_wide(wide sum, wide a, wide b) {
    return (wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)sum);
}
static inline floats half_of(wide x, int high) {
    return (floats)(high ? _mm256_extractf128_ps((__m256)x, 1) : _mm256_castps256_ps128((__m256)x));
}
#endif

static inline wide magnitude_wide(wide x) { return (wide)((wide_integers)x & INT32_MAX); }

/* As mxb__cos_turns. */
static inline wide cos_turns(wide t) {
    const float rounder = 0x1.8p23f;
    t = magnitude_wide(t);
    wide r = t - ((t + rounder) - rounder);
    r = (wide)((wide_integers)r & (t < 0x1p22f));
    wide a = 0.25f - magnitude_wide(r);
    wide s = a * a;
    wide p = s * 39.759827f + -76.581173f;
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

struct tile {
    wide z[ROWS][VECTORS];
};

/* Components from `start` on of some rows, from the first one's inputs on: n_vectors of them, the last `width` wide.
 * All counts are constants where this is inlined, but for the width of a single vector. */
MXB__INLINE struct tile project_tile(const struct feature_map *map, const float *inputs, size_t start, size_t n_rows,
                                     size_t n_vectors, size_t width) {
    wide turns[ROWS][VECTORS];
    struct tile tile;
    for (size_t v = 0; v < n_vectors; v++) {
        wide phases = load_wide(map->phases + start + v * COMPONENTS, width);
        for (size_t r = 0; r < n_rows; r++) {
            turns[r][v] = phases;
        }
    }
    for (size_t f = 0; f < map->n_features; f++) {
        const float *weights = map->weights + f * map->n_components + start;
        wide x[ROWS];
        for (size_t r = 0; r < n_rows; r++) {
            x[r] = all_wide(inputs[r * map->n_features + f]);
        }
        for (size_t v = 0; v < n_vectors; v++) {
            wide w = load_wide(weights + v * COMPONENTS, width);
            for (size_t r = 0; r < n_rows; r++) {
                turns[r][v] = plus_exact_wide(turns[r][v], x[r], w);
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

MXB__INLINE void keep_tile(const struct feature_map *map, const float *inputs, size_t start, size_t n_rows,
                           size_t n_vectors, float *z) {
    struct tile tile = project_tile(map, inputs, start, n_rows, n_vectors, COMPONENTS);
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t v = 0; v < n_vectors; v++) {
            memcpy(z + r * map->n_components + start + v * COMPONENTS, &tile.z[r][v], sizeof tile.z[r][v]);
        }
    }
}

MXB__INLINE void project_rows(const struct feature_map *map, const float *inputs, size_t n_rows, float *z) {
    size_t c = map->n_components;
    size_t start = 0;
    for (; start + VECTORS * COMPONENTS <= c; start += VECTORS * COMPONENTS) {
        keep_tile(map, inputs, start, n_rows, VECTORS, z);
    }
    for (; start < c; start += COMPONENTS) { /* the last one may overlap the one before: the same values again */
        keep_tile(map, inputs, start + COMPONENTS <= c ? start : c - COMPONENTS, n_rows, 1, z);
    }
}

void MXB__KERNEL(project)(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                          size_t n_components, float amplitude, float *z) {
    struct feature_map map = {weights, phases, n_features, n_components, amplitude};
    size_t i = 0;
    if (n_components < COMPONENTS) {
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

/* Adds one half of a vector of components, from `start` on; of the last one as many as there are. */
MXB__INLINE void add_half(struct lanes *lanes, const struct tile *tile, size_t v, int high, size_t start, size_t n_rows,
                          size_t width, const double *weights) {
    size_t first = high ? WIDTH : 0, n = width - first < WIDTH ? width - first : WIDTH;
    if (width <= first) {
        return;
    }
    doubles w = n == WIDTH ? load(weights + start + first) : load_first(weights + start + first, n);
    for (size_t r = 0; r < n_rows; r++) { /* a lane that has no more components gets 0, which changes nothing */
        lanes->of[r][high % LANE_VECTORS] += widened(half_of(tile->z[r][v], high)) * w;
    }
}

MXB__INLINE void add_tile(struct lanes *lanes, const struct feature_map *map, const float *inputs, size_t start,
                          size_t n_rows, size_t n_vectors, size_t width, const double *weights) {
    struct tile tile = project_tile(map, inputs, start, n_rows, n_vectors, width);
    for (size_t v = 0; v < n_vectors; v++) {
        add_half(lanes, &tile, v, 0, start + v * COMPONENTS, n_rows, width, weights);
        add_half(lanes, &tile, v, 1, start + v * COMPONENTS, n_rows, width, weights);
    }
}

MXB__INLINE void project_dot_rows(const struct feature_map *map, const float *inputs, size_t n_rows,
                                  const double *weights, double *out) {
    struct lanes lanes = {{{{0}}}};
    size_t c = map->n_components;
    size_t start = 0;
    for (; start + VECTORS * COMPONENTS <= c; start += VECTORS * COMPONENTS) {
        add_tile(&lanes, map, inputs, start, n_rows, VECTORS, COMPONENTS, weights);
    }
    for (; start + COMPONENTS <= c; start += COMPONENTS) {
        add_tile(&lanes, map, inputs, start, n_rows, 1, COMPONENTS, weights);
    }
    if (start < c) {
        add_tile(&lanes, map, inputs, start, n_rows, 1, c - start, weights);
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
