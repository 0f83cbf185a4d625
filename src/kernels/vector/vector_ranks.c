/* Values to their places among ranks: the interval by the knots' tree, and four values at a time between its ends. Four
 * whatever the registers hold: gathering what belongs to each value is most of the work. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector_search.h"

enum { FOUR = 4 };

/* from[k], to[k] = values[low[k]], values[low[k] + 1] */
static inline void load_knots(const double *values, const size_t *low, __m256d *from, __m256d *to) {
    __m256d even = _mm256_set_m128d(_mm_loadu_pd(values + low[2]), _mm_loadu_pd(values + low[0]));
    __m256d odd = _mm256_set_m128d(_mm_loadu_pd(values + low[3]), _mm_loadu_pd(values + low[1]));
    *from = _mm256_unpacklo_pd(even, odd);
    *to = _mm256_unpackhi_pd(even, odd);
}

static inline __m128d load_pair(const float *values) {
    double pair;
    memcpy(&pair, values, sizeof pair);
    return _mm_set_sd(pair);
}

static inline void load_scores(const float *values, const size_t *low, __m256d *from, __m256d *to) {
    __m128 first = _mm_castpd_ps(_mm_unpacklo_pd(load_pair(values + low[0]), load_pair(values + low[1])));
    __m128 second = _mm_castpd_ps(_mm_unpacklo_pd(load_pair(values + low[2]), load_pair(values + low[3])));
    *from = _mm256_cvtps_pd(_mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0)));
    *to = _mm256_cvtps_pd(_mm_shuffle_ps(first, second, _MM_SHUFFLE(3, 1, 3, 1)));
}

/* knots[low] <= x < knots[low + 1] for x from the first knot on and below the last. */
MXB__INLINE size_t find_interval(const struct rank_table *table, size_t depth, double x) {
    size_t low = 2 * search(&table->tree, depth, x);
    return low + (table->knots[low + 1] <= x);
}

/* As mxb__factor, of numbers. */
static inline __m256d factors(__m256d x) {
    const __m256d largest = _mm256_set1_pd(0x1p50), smallest = _mm256_set1_pd(0x1p-50);
    const __m256d sign = _mm256_set1_pd(-0.0);
    x = _mm256_max_pd(_mm256_min_pd(x, largest), _mm256_xor_pd(largest, sign));
    __m256d product = _mm256_mul_pd(x, _mm256_set1_pd(0x1p41 + 1));
    __m256d rounded = _mm256_sub_pd(product, _mm256_sub_pd(product, x));
    return _mm256_and_pd(rounded, _mm256_cmp_pd(_mm256_andnot_pd(sign, rounded), smallest, _CMP_GE_OQ));
}

/* As mxb__rank_score. */
MXB__INLINE void scale_four(const struct rank_table *table, size_t depth, const double *values, float *out) {
    __m256d x = _mm256_loadu_pd(values);
    __m256d first = _mm256_broadcast_sd(&table->knots[0]);
    __m256d last = _mm256_broadcast_sd(&table->knots[table->n_knots - 1]);
    /* Within the knots, whatever the values are: what is not is replaced in the end. */
    __m256d inside = _mm256_min_pd(_mm256_max_pd(x, first), _mm256_broadcast_sd(&table->below_last));
    double at[FOUR];
    size_t low[FOUR];
    _mm256_storeu_pd(at, inside);
    for (size_t k = 0; k < FOUR; k++) {
        low[k] = find_interval(table, depth, at[k]);
    }
    __m256d low_knot, high_knot, from, to;
    load_knots(table->knots, low, &low_knot, &high_knot);
    load_scores(table->scores, low, &from, &to);
    __m256d part = _mm256_div_pd(_mm256_sub_pd(inside, low_knot), _mm256_sub_pd(high_knot, low_knot));
    __m256d y = _mm256_add_pd(from, _mm256_mul_pd(part, _mm256_sub_pd(to, from)));
    __m256d first_score = _mm256_set1_pd((double)table->scores[0]);
    __m256d last_score = _mm256_set1_pd((double)table->scores[table->n_knots - 1]);
    y = _mm256_blendv_pd(y, first_score, _mm256_cmp_pd(x, first, _CMP_LE_OQ));
    y = _mm256_blendv_pd(y, last_score, _mm256_cmp_pd(x, last, _CMP_GE_OQ));
    y = _mm256_blendv_pd(y, _mm256_set1_pd((double)table->missing), _mm256_cmp_pd(x, x, _CMP_UNORD_Q));
    _mm_storeu_ps(out, _mm256_cvtpd_ps(factors(y)));
}

MXB__INLINE void scale_all(const struct rank_table *table, size_t depth, const double *values, size_t n, float *out) {
    size_t i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        scale_four(table, depth, values + i, out + i);
    }
    for (; i < n; i++) {
        double inside = values[i] < table->below_last ? values[i] : table->below_last;
        out[i] = mxb__rank_score(table, values[i], find_interval(table, depth, inside));
    }
}

void MXB__KERNEL(scale_ranks)(const struct rank_table *table, const double *values, size_t n, float *out) {
    struct rank_table own = *table;
    if (own.tree.depth == 0) {
        mxb__portable_scale_ranks(table, values, n, out);
    } else if (own.tree.depth == MXB__CUT_LEVELS) {
        scale_all(&own, MXB__CUT_LEVELS, values, n, out);
    } else {
        scale_all(&own, own.tree.depth, values, n, out);
    }
}
