/* The sets of kernels for processors with wide vectors: one source, compiled once for each set with its instructions
 * (CMakeLists.txt), in which vectors are as wide as the registers. Operations are those of portable C on each element,
 * so the bits are the same; kernels.h says what each kernel does. */
#ifndef MXB_KERNELS_VECTOR_H
#define MXB_KERNELS_VECTOR_H

#include <immintrin.h>
#include <string.h>

#include "kernels/kernels.h"

/* mxb__avx2_project, mxb__avx512_project */
#define MXB__JOIN(set, name)   mxb__##set##_##name
#define MXB__EXPAND(set, name) MXB__JOIN(set, name)
#define MXB__KERNEL(name)      MXB__EXPAND(MXB__KERNEL_SET, name)

/* mxb__kernels_avx2, mxb__kernels_avx512 */
#define MXB__TABLE_JOIN(set) mxb__kernels_##set
#define MXB__TABLE_NAME(set) MXB__TABLE_JOIN(set)
#define MXB__TABLE           MXB__TABLE_NAME(MXB__KERNEL_SET)

/* For functions whose counts must become constants. */
#define MXB__INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif

typedef double doubles __attribute__((vector_size(WIDTH * sizeof(double))));
typedef float floats __attribute__((vector_size(WIDTH * sizeof(float))));
typedef int64_t integers __attribute__((vector_size(WIDTH * sizeof(int64_t))));
typedef uint64_t naturals __attribute__((vector_size(WIDTH * sizeof(uint64_t))));

static inline doubles load(const double *from) {
    doubles x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void store(double *to, doubles x) { memcpy(to, &x, sizeof x); }

static inline floats load_floats(const float *from) {
    floats x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* The first n < WIDTH elements, and 0 for the others; nothing behind them is touched. */
#if defined(__AVX512F__)
static inline __mmask8 first_lanes(size_t n) { return (__mmask8)((1u << n) - 1); }
static inline doubles load_first(const double *from, size_t n) {
    return (doubles)_mm512_maskz_loadu_pd(first_lanes(n), from);
}
static inline floats load_first_floats(const float *from, size_t n) {
    return (floats)_mm256_maskz_loadu_ps(first_lanes(n), from);
}
static inline void store_first(double *to, size_t n, doubles x) {
    _mm512_mask_storeu_pd(to, first_lanes(n), (__m512d)x);
}
#else
static inline __m128i first_lanes(size_t n) {
    return _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
}
static inline __m256i first_wide_lanes(size_t n) { return _mm256_cvtepi32_epi64(first_lanes(n)); }
static inline doubles load_first(const double *from, size_t n) {
    return (doubles)_mm256_maskload_pd(from, first_wide_lanes(n));
}
static inline floats load_first_floats(const float *from, size_t n) {
    return (floats)_mm_maskload_ps(from, first_lanes(n));
}
static inline void store_first(double *to, size_t n, doubles x) {
    _mm256_maskstore_pd(to, first_wide_lanes(n), (__m256d)x);
}
#endif

/* Conversions by name, since gcc 12 makes two halves of what is one instruction. */
#if defined(__AVX512F__)
static inline doubles widened(floats x) { return (doubles)_mm512_cvtps_pd((__m256)x); }
static inline floats narrowed(doubles x) { return (floats)_mm512_cvtpd_ps((__m512d)x); }
#else
static inline doubles widened(floats x) { return (doubles)_mm256_cvtps_pd((__m128)x); }
static inline floats narrowed(doubles x) { return (floats)_mm256_cvtpd_ps((__m256d)x); }
#endif

/* Subtracting 0 makes a vector of a number, and the compiler a broadcast of that (adding it would lose a -0). */
static inline doubles all(double x) { return x - (doubles){0}; }

/* sum + a b where a b is exact, so that the bits are the same fused or not. */
static inline doubles plus_exact(doubles sum, doubles a, doubles b) {
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)sum);
#else
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)sum);
#endif
}

static inline doubles where(integers condition, doubles yes, doubles no) {
    return (doubles)((condition & (integers)yes) | (~condition & (integers)no));
}

static inline doubles magnitude(doubles x) { return (doubles)((integers)x & INT64_MAX); }

/* The second where one is NaN. */
#if defined(__AVX512F__)
static inline doubles larger(doubles x, doubles y) { return (doubles)_mm512_max_pd((__m512d)x, (__m512d)y); }
static inline doubles smaller(doubles x, doubles y) { return (doubles)_mm512_min_pd((__m512d)x, (__m512d)y); }
#else
static inline doubles larger(doubles x, doubles y) { return (doubles)_mm256_max_pd((__m256d)x, (__m256d)y); }
static inline doubles smaller(doubles x, doubles y) { return (doubles)_mm256_min_pd((__m256d)x, (__m256d)y); }
#endif

extern const struct kernels MXB__TABLE;

void MXB__KERNEL(encode)(const struct cut_tree *cuts, const double *values, size_t n, uint8_t missing_code,
                         uint8_t *codes);
void MXB__KERNEL(encode_row)(const struct cut_tree *cuts, const uint32_t *features, size_t n, const double *row,
                             uint8_t *codes);
void MXB__KERNEL(scale_ranks)(const struct rank_table *table, const double *values, size_t n, float *out);
void MXB__KERNEL(project)(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                          size_t n_components, float amplitude, float *z);
void MXB__KERNEL(dot)(const float *z, size_t n, size_t n_components, const double *weights, double *out);
void MXB__KERNEL(project_dot)(const struct feature_map *map, const float *inputs, size_t stride, size_t n, double *out);
void MXB__KERNEL(full_tree)(const struct code_rows *rows, const uint32_t *nodes, unsigned depth, uint8_t *leaves);
void MXB__KERNEL(symmetric_tree)(const struct code_rows *rows, const uint32_t *levels, unsigned depth, uint8_t *leaves);
void MXB__KERNEL(row_trees)(const struct narrow_tree *trees, size_t n, const uint8_t *codes, size_t n_columns,
                            uint8_t *leaves);
void MXB__KERNEL(row_levels)(const uint8_t *columns, const uint8_t *thresholds, size_t n, const uint8_t *codes,
                             size_t n_columns, uint8_t *leaves);
void MXB__KERNEL(add_leaves)(const uint8_t *leaves, size_t n, const double *values, size_t n_values, double *scores);

#endif
