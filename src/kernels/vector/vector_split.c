/* The best cut of a feature, a vector of cuts at a time. Only the largest score is kept; which cut has it is looked up
 * later, on the feature that wins, so that the search has no branches. And the gains of all cuts, likewise. The sums on
 * the left of the cuts are made one after the other, which keeps busy what vectors leave idle and beats adding across
 * their lanes, and some cells ahead of the scores, as a vector cannot be loaded before its parts are stored. */
#include "kernels/vector/vector_training.h"

enum { AHEAD = 64 }; /* cells; with 32 a search takes a third longer */

/* The low half of each lane of x and the high half of y's. */
static inline naturals with_high_halves(naturals x, naturals y) {
#if defined(__AVX512F__)
    return (naturals)_mm512_mask_blend_epi32(0xaaaa, (__m512i)x, (__m512i)y);
#else
    return (naturals)_mm256_blend_epi32((__m256i)x, (__m256i)y, 0xaa);
#endif
}

/* Integers below 2^32 become the lowest bits of a double between 2^52 and 2^53. */
static inline doubles low_half_and_2_52(naturals x) { return (doubles)with_high_halves(x, (naturals)all(0x1p52)); }

static inline doubles low_half(naturals x) { return low_half_and_2_52(x) - 0x1p52; }

/* As (double) does it. */
static inline doubles converted(integers x) {
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtepi64_pd((__m512i)x);
#else
    /* The high half becomes the lowest bits of a double between 2^84 and 2^85, which count 2^32 each; its sign becomes
     * 2^63 more or less. All is exact but the last sum, which rounds once. */
    doubles high = (doubles)(((naturals)x >> 32) ^ (naturals)all(0x1p84 + 0x1p63));
    return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low_half_and_2_52((naturals)x);
#endif
}

static inline doubles high_half(naturals x) { /* with its sign */
#if defined(__AVX512F__)
    return converted((integers)x >> 32);
#else
    return (doubles)((x >> 32) ^ (naturals)all(0x1p52 + 0x1p31)) - (0x1p52 + 0x1p31);
#endif
}

/* ---- scores ---- */

struct sides {
    doubles gl, hl, gr, hr;
};

static inline doubles where_allowed(struct sides sides, const struct split_rules *rules, doubles x) {
    return where(smaller(sides.hl, sides.hr) >= rules->least_h, x, (doubles){0});
}

/* mxb__cut_score of each lane, where it is allowed; the product with a power of two is exact. */
static inline doubles any_scores(struct sides sides, const struct split_rules *rules) {
    doubles wl = plus_exact(all(rules->lambda), sides.hl, all(rules->unit));
    doubles wr = plus_exact(all(rules->lambda), sides.hr, all(rules->unit));
    doubles difference = sides.gl * wr - sides.gr * wl;
    return difference * difference / (wl * wr);
}

static inline doubles scores_of(struct sides sides, const struct split_rules *rules) {
    return where_allowed(sides, rules, any_scores(sides, rules));
}

/* mxb__cut_gain of each lane. */
static inline doubles gains_of(struct sides sides, const struct cut_gains *node) {
    doubles gain = (any_scores(sides, &node->cuts.rules) - node->lost) * node->factor;
    return where_allowed(sides, &node->cuts.rules, gain);
}

static inline void add(double *to, doubles x) { store(to, load(to) + x); }

static inline double largest_lane(doubles x) {
    double largest = x[0];
    for (size_t k = 1; k < WIDTH; k++) {
        largest = mxb__larger(x[k], largest);
    }
    return largest;
}

/* ---- packed ---- */

/* Goes on with the sums of the cells from i on, for a vector. Those behind the last cell repeat its cut. */
static inline uint64_t sum_words(const uint64_t *cells, size_t n, size_t i, uint64_t sum, uint64_t *sums) {
    if (i + WIDTH <= n) {
        for (size_t k = i; k < i + WIDTH; k++) {
            sums[k] = sum += cells[k];
        }
    } else {
        for (size_t k = i; k < i + WIDTH; k++) {
            sums[k] = sum += k < n ? cells[k] : 0;
        }
    }
    return sum;
}

double MXB__KERNEL(best_cut_packed)(const uint64_t *cells, size_t n, const struct cut_search *search) {
    struct split_rules rules = search->rules;
    int has_missing = mxb__has_missing(search);
    double total_g = (double)search->total.g;
    double total_h = (double)search->total.h;
    double missing_g = (double)search->missing.g;
    double missing_h = (double)search->missing.h;
    uint64_t sums[MXB__CELLS];
    uint64_t sum = 0;
    size_t n_summed = 0;
    doubles best = {0};
    for (size_t i = 0; i < n; i += WIDTH) {
        for (; n_summed < n && n_summed < i + AHEAD; n_summed += WIDTH) {
            sum = sum_words(cells, n, n_summed, sum, sums);
        }
        naturals left;
        memcpy(&left, sums + i, sizeof left);
        doubles g = high_half(left);
        doubles h = low_half(left);
        struct sides sides = {g, h, total_g - g, total_h - h}; /* integers that a double holds */
        best = larger(scores_of(sides, &rules), best);
        if (has_missing) {
            struct sides moved = {g + missing_g, h + missing_h, sides.gr - missing_g, sides.hr - missing_h};
            best = larger(scores_of(moved, &rules), best);
        }
    }
    return largest_lane(best);
}

void MXB__KERNEL(add_gains_packed)(const uint64_t *cells, size_t n, const struct cut_gains *node, double *right,
                                   double *left) {
    struct cut_gains own = *node; /* nothing that is written to can change it */
    double total_g = (double)own.cuts.total.g;
    double total_h = (double)own.cuts.total.h;
    double missing_g = (double)own.cuts.missing.g;
    double missing_h = (double)own.cuts.missing.h;
    uint64_t sums[MXB__CELLS];
    uint64_t sum = 0;
    size_t n_summed = 0;
    for (size_t i = 0; i < n; i += WIDTH) {
        for (; n_summed < n && n_summed < i + AHEAD; n_summed += WIDTH) {
            sum = sum_words(cells, n, n_summed, sum, sums);
        }
        naturals below;
        memcpy(&below, sums + i, sizeof below);
        doubles g = high_half(below);
        doubles h = low_half(below);
        struct sides sides = {g, h, total_g - g, total_h - h};
        add(right + i, gains_of(sides, &own));
        if (left != NULL) {
            struct sides moved = {g + missing_g, h + missing_h, sides.gr - missing_g, sides.hr - missing_h};
            add(left + i, gains_of(moved, &own));
        }
    }
}

/* ---- wide ---- */

/* g and h of a cell. */
typedef uint64_t pair __attribute__((vector_size(2 * sizeof(uint64_t))));

static inline pair sum_pairs(const struct gradient_sum *cells, size_t n, size_t i, pair sum, pair *sums) {
    pair cell;
    if (i + WIDTH <= n) {
        for (size_t k = i; k < i + WIDTH; k++) {
            memcpy(&cell, &cells[k], sizeof cell);
            sums[k] = sum += cell;
        }
    } else {
        for (size_t k = i; k < i + WIDTH; k++) {
            memcpy(&cell, &cells[k < n ? k : i], sizeof cell);
            sums[k] = sum += k < n ? cell : (pair){0};
        }
    }
    return sum;
}

/* The pairs of a vector, in an order of their own, the same for g and h. */
static inline void load_pairs(const pair *from, integers *g, integers *h) {
#if defined(__AVX512F__)
    __m512i lower = _mm512_loadu_si512(from);
    __m512i upper = _mm512_loadu_si512(from + WIDTH / 2);
    *g = (integers)_mm512_unpacklo_epi64(lower, upper);
    *h = (integers)_mm512_unpackhi_epi64(lower, upper);
#else
    __m256i lower = _mm256_loadu_si256((const __m256i *)(const void *)from);
    __m256i upper = _mm256_loadu_si256((const __m256i *)(const void *)(from + WIDTH / 2));
    *g = (integers)_mm256_unpacklo_epi64(lower, upper);
    *h = (integers)_mm256_unpackhi_epi64(lower, upper);
#endif
}

static inline doubles wide_scores(integers g, integers h, struct gradient_sum total, const struct split_rules *rules) {
    struct sides sides = {converted(g), converted(h), converted(total.g - g), converted(total.h - h)};
    return scores_of(sides, rules);
}

double MXB__KERNEL(best_cut_wide)(const struct gradient_sum *cells, size_t n, const struct cut_search *search) {
    struct cut_search cuts = *search;
    int has_missing = mxb__has_missing(search);
    pair sums[MXB__CELLS];
    pair sum = {0};
    size_t n_summed = 0;
    doubles best = {0};
    for (size_t i = 0; i < n; i += WIDTH) {
        for (; n_summed < n && n_summed < i + AHEAD; n_summed += WIDTH) {
            sum = sum_pairs(cells, n, n_summed, sum, sums);
        }
        integers g, h;
        load_pairs(sums + i, &g, &h);
        best = larger(wide_scores(g, h, cuts.total, &cuts.rules), best);
        if (has_missing) {
            best = larger(wide_scores(g + cuts.missing.g, h + cuts.missing.h, cuts.total, &cuts.rules), best);
        }
    }
    return largest_lane(best);
}

/* What load_pairs mixed, in order. */
static inline doubles unmixed(doubles x) {
#if defined(__AVX512F__)
    return (doubles)_mm512_permutexvar_pd(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), (__m512d)x);
#else
    return (doubles)_mm256_permute4x64_pd((__m256d)x, 0xd8);
#endif
}

static inline doubles wide_gains(integers g, integers h, const struct cut_gains *node) {
    struct gradient_sum total = node->cuts.total;
    struct sides sides = {converted(g), converted(h), converted(total.g - g), converted(total.h - h)};
    return unmixed(gains_of(sides, node));
}

void MXB__KERNEL(add_gains_wide)(const struct gradient_sum *cells, size_t n, const struct cut_gains *node,
                                 double *right, double *left) {
    struct cut_gains own = *node;
    pair sums[MXB__CELLS];
    pair sum = {0};
    size_t n_summed = 0;
    for (size_t i = 0; i < n; i += WIDTH) {
        for (; n_summed < n && n_summed < i + AHEAD; n_summed += WIDTH) {
            sum = sum_pairs(cells, n, n_summed, sum, sums);
        }
        integers g, h;
        load_pairs(sums + i, &g, &h);
        add(right + i, wide_gains(g, h, &own));
        if (left != NULL) {
            add(left + i, wide_gains(g + own.cuts.missing.g, h + own.cuts.missing.h, &own));
        }
    }
}
