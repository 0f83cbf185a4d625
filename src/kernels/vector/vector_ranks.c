/* Values to their places among ranks: the intervals by the knots' tree, and then four values at a time between the ends
 * of theirs. Four whatever the registers hold: bringing together what belongs to them is most of the work. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector_search.h"

enum { FOUR = 4, AT_ONCE = 128 };

/* knots[low] <= x < knots[low + 1] for each value that lies inside, and some interval for the others. */
static void find_intervals(const struct rank_table *table, const double *values, size_t n, uint32_t *low) {
    const double *knots = table->knots;
    uint32_t last = (uint32_t)table->n_knots - 2;
    MXB__KERNEL(count_cuts)(&table->tree, values, n, low);
    for (size_t i = 0; i < n; i++) {
        uint32_t even = 2 * low[i], interval = even + (knots[even + 1] <= values[i]);
        low[i] = interval < last ? interval : last;
    }
}

/* ---- between the knots ---- */

/* Of four intervals: where they begin and end. */
static inline void load_knots(const double *knots, const uint32_t *low, __m256d *from, __m256d *to) {
    __m256d even = _mm256_set_m128d(_mm_loadu_pd(knots + low[2]), _mm_loadu_pd(knots + low[0]));
    __m256d odd = _mm256_set_m128d(_mm_loadu_pd(knots + low[3]), _mm_loadu_pd(knots + low[1]));
    *from = _mm256_unpacklo_pd(even, odd);
    *to = _mm256_unpackhi_pd(even, odd);
}

static inline __m128d load_pair(const float *scores) {
    double pair;
    memcpy(&pair, scores, sizeof pair);
    return _mm_set_sd(pair);
}

static inline void load_scores(const float *scores, const uint32_t *low, __m256d *from, __m256d *to) {
    __m128 first = _mm_castpd_ps(_mm_unpacklo_pd(load_pair(scores + low[0]), load_pair(scores + low[1])));
    __m128 second = _mm_castpd_ps(_mm_unpacklo_pd(load_pair(scores + low[2]), load_pair(scores + low[3])));
    *from = _mm256_cvtps_pd(_mm_shuffle_ps(first, second, _MM_SHUFFLE(2, 0, 2, 0)));
    *to = _mm256_cvtps_pd(_mm_shuffle_ps(first, second, _MM_SHUFFLE(3, 1, 3, 1)));
}

/* What takes the place of values that lie outside. */
struct ends {
    __m256d first, last;
    __m256d first_score, last_score, missing;
};

static inline struct ends load_ends(const struct rank_table *table) {
    size_t last = table->n_knots - 1;
    return (struct ends){.first = _mm256_set1_pd(table->knots[0]),
                         .last = _mm256_set1_pd(table->knots[last]),
                         .first_score = _mm256_set1_pd((double)table->scores[0]),
                         .last_score = _mm256_set1_pd((double)table->scores[last]),
                         .missing = _mm256_set1_pd((double)table->missing)};
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
static inline __m128 score_four(const struct rank_table *table, const struct ends *ends, const double *values,
                                const uint32_t *low) {
    __m256d x = _mm256_loadu_pd(values), begin, end, from, to;
    load_knots(table->knots, low, &begin, &end);
    load_scores(table->scores, low, &from, &to);
    __m256d part = _mm256_div_pd(_mm256_sub_pd(x, begin), _mm256_sub_pd(end, begin));
    __m256d score = _mm256_add_pd(from, _mm256_mul_pd(part, _mm256_sub_pd(to, from)));
    score = _mm256_blendv_pd(score, ends->first_score, _mm256_cmp_pd(x, ends->first, _CMP_LE_OQ));
    score = _mm256_blendv_pd(score, ends->last_score, _mm256_cmp_pd(x, ends->last, _CMP_GE_OQ));
    score = _mm256_blendv_pd(score, ends->missing, _mm256_cmp_pd(x, x, _CMP_UNORD_Q));
    return _mm256_cvtpd_ps(factors(score));
}

static inline void score_all(const struct rank_table *table, const double *values, const uint32_t *low, size_t n,
                             float *out) {
    size_t i = 0;
    if (n >= FOUR) {
        struct ends ends = load_ends(table);
        for (; i + FOUR <= n; i += FOUR) {
            _mm_storeu_ps(out + i, score_four(table, &ends, values + i, low + i));
        }
    }
    for (; i < n; i++) {
        out[i] = mxb__rank_score(table, values[i], low[i]);
    }
}

void MXB__KERNEL(scale_ranks)(const struct rank_table *table, const double *values, size_t n, float *out) {
    uint32_t low[AT_ONCE];
    if (table->tree.depth == 0) {
        mxb__portable_scale_ranks(table, values, n, out);
        return;
    }
    for (size_t first = 0; first < n; first += AT_ONCE) {
        size_t count = n - first < AT_ONCE ? n - first : AT_ONCE;
        find_intervals(table, values + first, count, low);
        score_all(table, values + first, low, count, out + first);
    }
}
