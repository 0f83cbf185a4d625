/* Values to codes, by the cuts' tree: sixteen floats at once by halving the cuts, where registers can look them up in
 * each other, else one by one. */
#include <float.h>

#include "kernels/vector/vector_search.h"

#if defined(__AVX512F__)
enum { SIXTEEN = 16 };

/* Whether values are floats that are not denormal, 0 or NaN, as many of them as make sixteens. */
static int are_floats(const double *values, size_t n) {
    const __m512d least = _mm512_set1_pd((double)FLT_MIN);
    unsigned others = 0;
    for (size_t i = 0; i < n / SIXTEEN * SIXTEEN; i += WIDTH) {
        __m512d x = _mm512_loadu_pd(values + i);
        __mmask8 is_small = _mm512_cmp_pd_mask(_mm512_abs_pd(x), least, _CMP_LT_OQ);
        others |= _mm512_cmp_pd_mask(x, _mm512_cvtps_pd(_mm512_cvtpd_ps(x)), _CMP_NEQ_OQ);
        others |= _mm512_mask_cmp_pd_mask(is_small, x, _mm512_setzero_pd(), _CMP_NEQ_OQ);
    }
    return others == 0;
}

static inline __m512 load_as_floats(const double *values) {
    __m256 first = _mm512_cvtpd_ps(_mm512_loadu_pd(values)), second = _mm512_cvtpd_ps(_mm512_loadu_pd(values + WIDTH));
    return _mm512_insertf32x8(_mm512_castps256_ps512(first), second, 1);
}

/* The floats at k, of so many from `from` on: registers look up 32, and more of them choose by the bits above. */
static inline __m512 of_16(const float *from, __m512i k) { return _mm512_permutexvar_ps(k, _mm512_load_ps(from)); }

static inline __m512 of_32(const float *from, __m512i k) {
    return _mm512_permutex2var_ps(_mm512_load_ps(from), k, _mm512_load_ps(from + SIXTEEN));
}

static inline __m512 choose(__m512i k, int bit, __m512 without, __m512 with) {
    return _mm512_mask_blend_ps(_mm512_test_epi32_mask(k, _mm512_set1_epi32(bit)), without, with);
}

static inline __m512 of_64(const float *from, __m512i k) { return choose(k, 32, of_32(from, k), of_32(from + 32, k)); }

static inline __m512 of_128(const float *from, __m512i k) { return choose(k, 64, of_64(from, k), of_64(from + 64, k)); }

static inline __m512 of_256(const float *from, __m512i k) {
    return choose(k, 128, of_128(from, k), of_128(from + 128, k));
}

/* halves[k] of each node k, all of them on a level of so many nodes. */
MXB__INLINE __m512 load_nodes(const float *halves, size_t n_nodes, __m512i k) {
    return n_nodes < 16     ? of_16(halves, k)
           : n_nodes == 16  ? of_16(halves + 16, k)
           : n_nodes == 32  ? of_32(halves + 32, k)
           : n_nodes == 64  ? of_64(halves + 64, k)
           : n_nodes == 128 ? of_128(halves + 128, k)
                            : of_256(halves + 256, k);
}

/* How many cuts' floats are below each of sixteen floats, 0 for NaN. The count of halvings is a constant where this is
 * inlined. */
MXB__INLINE __m512i search_floats(const float *halves, size_t n_halvings, __m512 x) {
    __m512i node = _mm512_set1_epi32(1);
    for (size_t l = 0; l < n_halvings; l++) {
        __mmask16 is_above = _mm512_cmp_ps_mask(load_nodes(halves, (size_t)1 << l, node), x, _CMP_LT_OQ);
        node = _mm512_add_epi32(node, node);
        node = _mm512_mask_add_epi32(node, is_above, node, _mm512_set1_epi32(1));
    }
    return _mm512_sub_epi32(node, _mm512_set1_epi32(1 << n_halvings));
}

/* As many values as make sixteens; returns their number. */
MXB__INLINE size_t count_sixteens(const struct cut_tree *cuts, size_t n_halvings, const double *values, size_t n,
                                  uint32_t *below) {
    const float *halves = cuts->halves;
    size_t i = 0;
    for (; i + SIXTEEN <= n; i += SIXTEEN) {
        _mm512_storeu_si512(below + i, search_floats(halves, n_halvings, load_as_floats(values + i)));
    }
    return i;
}

/* The same, if they are floats, and else none. */
static size_t count_floats(const struct cut_tree *cuts, const double *values, size_t n, uint32_t *below) {
    if (cuts->n_halvings == 0 || !are_floats(values, n)) {
        return 0;
    }
    switch (cuts->n_halvings) {
        case MXB__LEAST_HALVINGS:
            return count_sixteens(cuts, MXB__LEAST_HALVINGS, values, n, below);
        case 5:
            return count_sixteens(cuts, 5, values, n, below);
        case 6:
            return count_sixteens(cuts, 6, values, n, below);
        case 7:
            return count_sixteens(cuts, 7, values, n, below);
        case 8:
            return count_sixteens(cuts, 8, values, n, below);
        default:
            return count_sixteens(cuts, MXB__MOST_HALVINGS, values, n, below);
    }
}
#else
static size_t count_floats(const struct cut_tree *cuts, const double *values, size_t n, uint32_t *below) {
    (void)cuts, (void)values, (void)n, (void)below;
    return 0;
}
#endif

MXB__INLINE void count_one_by_one(const struct cut_tree *cuts, size_t depth, const double *values, size_t n,
                                  uint32_t *below) {
    struct cut_tree tree = *cuts;
    for (size_t i = 0; i < n; i++) {
        below[i] = (uint32_t)search(&tree, depth, values[i]);
    }
}

void MXB__KERNEL(count_cuts)(const struct cut_tree *cuts, const double *values, size_t n, uint32_t *below) {
    size_t i = count_floats(cuts, values, n, below);
    switch (cuts->depth) {
        case 1:
            count_one_by_one(cuts, 1, values + i, n - i, below + i);
            break;
        case 2:
            count_one_by_one(cuts, 2, values + i, n - i, below + i);
            break;
        default:
            count_one_by_one(cuts, MXB__CUT_LEVELS, values + i, n - i, below + i);
            break;
    }
}

/* ---- codes ---- */

enum { AT_ONCE = 128 };

void MXB__KERNEL(encode)(const struct cut_tree *cuts, const double *values, size_t n, uint8_t missing_code,
                         uint8_t *codes) {
    uint32_t below[AT_ONCE];
    for (size_t first = 0; first < n; first += AT_ONCE) {
        size_t count = n - first < AT_ONCE ? n - first : AT_ONCE;
        MXB__KERNEL(count_cuts)(cuts, values + first, count, below);
        for (size_t i = 0; i < count; i++) {
            double x = values[first + i];
            codes[first + i] = x == x ? (uint8_t)below[i] : missing_code;
        }
    }
}

void MXB__KERNEL(encode_row)(const struct cut_tree *cuts, const uint32_t *features, size_t n, const double *row,
                             uint8_t *codes) {
    for (size_t k = 0; k < n; k++) {
        double x = row[features[k]];
        codes[k] = (uint8_t)(cuts[k].depth == MXB__CUT_LEVELS ? search(&cuts[k], MXB__CUT_LEVELS, x)
                                                              : search(&cuts[k], cuts[k].depth, x));
    }
}
