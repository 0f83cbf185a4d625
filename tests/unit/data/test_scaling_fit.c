#include <float.h>
#include <stdlib.h>

#include "base/math.h"
#include "base/random.h"
#include "check.h"
#include "data/distinct.h"
#include "data/scaling.h"
#include "unit/data/draw_column.h"

static const struct random_stream RANDOM = {0x7363616c};

enum { MAX = 8000 };

static double values[MAX];
static double weights[MAX];
static double knots[MXB__MAX_KNOTS];
static float scores[MXB__MAX_KNOTS];

static const enum scaling_kind KINDS[] = {SCALING_NONE, SCALING_STANDARD, SCALING_RANK};

static struct scaling_feature fit(enum scaling_kind kind, size_t n) {
    struct distinct distinct = {n, values, weights};
    struct scaling_feature feature;
    mxb__scaling_fit(kind, &distinct, knots, scores, &feature);
    return feature;
}

/* Ascending values, weights 1 to 5. */
static void make_values(size_t n) {
    double x = -30;
    for (size_t i = 0; i < n; i++) {
        x += 1e-3 + mxb__random_uniform(RANDOM, i);
        values[i] = x;
        weights[i] = 1 + (double)(mxb__random_bits(RANDOM, 10000 + i) % 5);
    }
}

/* The middle of the list in which value i stands weights[i] times. */
static double naive_median(size_t n) {
    static double copies[5 * MAX];
    size_t n_copies = 0;
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < (int)weights[i]; k++) {
            copies[n_copies++] = values[i];
        }
    }
    return copies[(n_copies - 1) / 2] / 2 + copies[n_copies / 2] / 2;
}

/* Whatever is asked of it, a scaling answers with a number of at most 1e30. */
static int always_finite(enum scaling_kind kind, const struct scaling_feature *feature) {
    static const double asked[] = {-INFINITY, -DBL_MAX, -1e300, -1,      -DBL_MIN, -0.0, 0,
                                   0x1p-1074, 1,        1e300,  DBL_MAX, INFINITY, NAN};
    int is_finite = isfinite(feature->missing) && isfinite(feature->center) && isfinite(feature->factor);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        is_finite = is_finite && fabsf(mxb__scale_value(kind, feature, asked[i])) <= 1e30f;
    }
    return is_finite;
}

static void none_centers_at_the_median(void) {
    for (size_t n = 1; n < 400; n += 1 + n / 5) {
        make_values(n);
        struct scaling_feature feature = fit(SCALING_NONE, n);
        CHECK(feature.center == naive_median(n));
        CHECK(feature.factor == 1);
        CHECK(feature.missing == 0);
        CHECK_INT(feature.n_knots, 0);
        CHECK(always_finite(SCALING_NONE, &feature));
    }
}

static void standard_against_naive(void) {
    for (size_t n = 2; n < MAX; n = n * 3 + 1) {
        make_values(n);
        long double total = 0, mean = 0, variance = 0;
        for (size_t i = 0; i < n; i++) {
            total += (long double)weights[i];
            mean += (long double)weights[i] * (long double)values[i];
        }
        mean /= total;
        for (size_t i = 0; i < n; i++) {
            long double deviation = (long double)values[i] - mean;
            variance += (long double)weights[i] * deviation * deviation;
        }
        struct scaling_feature feature = fit(SCALING_STANDARD, n);
        double size = fmax(fabs(values[0]), fabs(values[n - 1]));
        CHECK_NEAR(feature.center, (double)mean, 1e-13 * size);
        CHECK_NEAR(feature.factor * (double)sqrtl(variance / total), 1, 1e-12);
        CHECK(feature.missing == mxb__factor((naive_median(n) - feature.center) * feature.factor));
        CHECK(always_finite(SCALING_STANDARD, &feature));
    }
}

/* Far from zero the spread is still seen. */
static void standard_far_from_zero(void) {
    for (size_t i = 0; i < 101; i++) {
        values[i] = 1.7e9 + (double)i;
        weights[i] = 1;
    }
    struct scaling_feature feature = fit(SCALING_STANDARD, 101);
    CHECK_NEAR(feature.center, 1.7e9 + 50, 1e-4);
    CHECK_NEAR(1 / feature.factor, sqrt(850), 1e-6);
}

static void rank_knots(void) {
    static const size_t sizes[] = {1, 2, 3, 100, 1023, 1024, 1025, 1026, 2047, 2048, MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t n = sizes[s];
        make_values(n);
        struct scaling_feature feature = fit(SCALING_RANK, n);
        REQUIRE(feature.n_knots >= 1 && feature.n_knots <= MXB__MAX_KNOTS);
        CHECK(feature.n_knots <= n);
        CHECK(n > MXB__MAX_KNOTS || feature.n_knots == n); /* as long as they fit, all */
        CHECK(n < 2 * MXB__MAX_KNOTS || feature.n_knots > MXB__MAX_KNOTS / 2);
        CHECK(feature.knots[0] == values[0]);
        CHECK(feature.knots[feature.n_knots - 1] == values[n - 1]);
        for (uint32_t k = 1; k < feature.n_knots; k++) {
            CHECK(feature.knots[k - 1] < feature.knots[k]);
            CHECK(feature.knot_scores[k - 1] <= feature.knot_scores[k]);
        }
        CHECK(feature.missing == mxb__scale_value(SCALING_RANK, &feature, naive_median(n)));
        CHECK(always_finite(SCALING_RANK, &feature));
    }
}

/* At its knots a rank scaling gives normal scores of mid-ranks; between them, with many values, nearly so. */
static void rank_scores_are_normal(void) {
    make_values(MAX);
    struct scaling_feature feature = fit(SCALING_RANK, MAX);
    double total = 0;
    for (size_t i = 0; i < MAX; i++) {
        total += weights[i];
    }
    double below = 0;
    double sum = 0;
    double sum_squares = 0;
    size_t n_off = 0;
    for (size_t i = 0; i < MAX; i++) {
        double exact = mxb__normal_quantile((below + weights[i] / 2) / total);
        double score = (double)mxb__scale_value(SCALING_RANK, &feature, values[i]);
        n_off += fabs(score - exact) > (fabs(exact) < 2.5 ? 0.02 : 0.6);
        sum += weights[i] * score;
        sum_squares += weights[i] * score * score;
        below += weights[i];
    }
    CHECK_INT(n_off, 0);
    CHECK_NEAR(sum / total, 0, 0.01);
    CHECK_NEAR(sum_squares / total, 1, 0.02);
}

/* Few values: exact scores, and ties share one because a value is there once. */
static void rank_of_few_values(void) {
    double x[] = {-1, 0, 5};
    double w[] = {1, 2, 1};
    memcpy(values, x, sizeof x);
    memcpy(weights, w, sizeof w);
    struct scaling_feature feature = fit(SCALING_RANK, 3);
    CHECK_INT(feature.n_knots, 3);
    CHECK(mxb__scale_value(SCALING_RANK, &feature, -1) == mxb__factor(mxb__normal_quantile(0.125)));
    CHECK(mxb__scale_value(SCALING_RANK, &feature, 0) == 0);
    CHECK(mxb__scale_value(SCALING_RANK, &feature, 5) == mxb__factor(mxb__normal_quantile(0.875)));
    CHECK(feature.missing == 0);
    CHECK(mxb__scale_value(SCALING_RANK, &feature, -1) == -mxb__scale_value(SCALING_RANK, &feature, 5));
}

static void constant_column(void) {
    values[0] = 0.1;
    weights[0] = 7;
    for (size_t k = 0; k < 3; k++) {
        struct scaling_feature feature = fit(KINDS[k], 1);
        CHECK(mxb__scale_value(KINDS[k], &feature, 0.1) == 0);
        CHECK(feature.missing == 0);
        CHECK(always_finite(KINDS[k], &feature));
        if (KINDS[k] != SCALING_NONE) { /* an unseen value is worth as much as the one that was seen */
            CHECK(mxb__scale_value(KINDS[k], &feature, 1e9) == 0);
        }
    }
}

static void nothing_finite(void) {
    static const double cases[][2] = {{0, 0}, {-INFINITY, 0}, {INFINITY, 0}, {-INFINITY, INFINITY}};
    static const size_t sizes[] = {0, 1, 1, 2};
    for (size_t c = 0; c < 4; c++) {
        for (size_t k = 0; k < 3; k++) {
            memcpy(values, cases[c], sizeof cases[c]);
            weights[0] = weights[1] = 1;
            struct scaling_feature feature = fit(KINDS[k], sizes[c]);
            CHECK(feature.missing == 0);
            CHECK(always_finite(KINDS[k], &feature));
            CHECK(mxb__scale_value(KINDS[k], &feature, 17) == 0);
            CHECK(mxb__scale_value(KINDS[k], &feature, -INFINITY) == 0);
            CHECK_INT(feature.n_knots, KINDS[k] == SCALING_RANK);
        }
    }
}

/* Infinities do not count: the fit is that of the finite values. */
static void infinities_do_not_count(void) {
    for (size_t k = 0; k < 3; k++) {
        static double own_knots[100];
        static float own_scores[100];
        double x[] = {-INFINITY, 1, 2, 4, INFINITY};
        double w[] = {100, 1, 3, 2, 50};
        struct distinct all = {5, x, w};
        struct distinct finite = {3, x + 1, w + 1};
        struct scaling_feature a, b;
        mxb__scaling_fit(KINDS[k], &all, knots, scores, &a);
        mxb__scaling_fit(KINDS[k], &finite, own_knots, own_scores, &b);
        CHECK(a.center == b.center && a.factor == b.factor && a.missing == b.missing && a.n_knots == b.n_knots);
        CHECK_INT(memcmp(knots, own_knots, a.n_knots * sizeof *knots), 0);
        CHECK_INT(memcmp(scores, own_scores, a.n_knots * sizeof *scores), 0);
        CHECK(always_finite(KINDS[k], &a));
    }
}

static void extreme_values(void) {
    static const double cases[][4] = {
        {-1e308, -1, 1, 1e308},
        {-DBL_MAX, -1e308, 1e308, DBL_MAX},
        {0x1.ffffffffffffcp+1023, 0x1.ffffffffffffdp+1023, 0x1.ffffffffffffep+1023, DBL_MAX},
        {-DBL_MAX, -0x1.ffffffffffffep+1023, -0x1.ffffffffffffdp+1023, -1e308},
        {0, 0x1p-1074, 2 * 0x1p-1074, 3 * 0x1p-1074},
        {-DBL_MIN, 0, DBL_MIN, 2 * DBL_MIN},
        {1, 1 + 0x1p-52, 1 + 2 * 0x1p-52, 1 + 3 * 0x1p-52},
        {-DBL_MAX, 0, 0x1p-1074, DBL_MAX}};
    static const double shares[][4] = {{1, 1, 1, 1}, {1e-6, 1e6, 1, 3}, {1e-20, 1, 1, 1e-20}, {1, 1, 1, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (size_t s = 0; s < 4; s++) {
            for (size_t k = 0; k < 3; k++) {
                memcpy(values, cases[c], sizeof cases[c]);
                memcpy(weights, shares[s], sizeof shares[s]);
                struct scaling_feature feature = fit(KINDS[k], 4);
                CHECK(always_finite(KINDS[k], &feature));
                for (size_t i = 1; i < 4; i++) {
                    CHECK(mxb__scale_value(KINDS[k], &feature, values[i - 1]) <=
                          mxb__scale_value(KINDS[k], &feature, values[i]));
                }
            }
        }
    }
    memcpy(values, cases[1], sizeof cases[1]);
    memcpy(weights, shares[0], sizeof shares[0]);
    struct scaling_feature feature = fit(SCALING_STANDARD, 4);
    CHECK_NEAR((double)mxb__scale_value(SCALING_STANDARD, &feature, DBL_MAX), 1.23, 0.02);
}

/* A mean that rounding would push beyond the largest value, here beyond all doubles. */
static void mean_stays_within_the_values(void) {
    for (uint64_t trial = 0; trial < 200; trial++) {
        size_t n = 2 + trial % 7;
        double x = -DBL_MAX;
        for (size_t i = 0; i < n; i++) {
            values[i] = x;
            x = nextafter(x, INFINITY);
            weights[i] = 0.1 + mxb__random_uniform(RANDOM, 100 * trial + i);
        }
        struct scaling_feature feature = fit(SCALING_STANDARD, n);
        CHECK(feature.center >= values[0] && feature.center <= values[n - 1]);
        CHECK(always_finite(SCALING_STANDARD, &feature));
    }
}

/* Weights of 1e-300 beside 1e200: ranks next to 0 and 1 keep scores that a double's resolution allows. */
static void extreme_weights(void) {
    double x[] = {1, 2, 3, 4, 5};
    double w[] = {1e-300, 1e-20, 1e200, 1e-20, 1e-300};
    memcpy(values, x, sizeof x);
    memcpy(weights, w, sizeof w);
    struct scaling_feature feature = fit(SCALING_RANK, 5);
    CHECK(always_finite(SCALING_RANK, &feature));
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(fabsf(feature.knot_scores[i]) < 8.5f);
        CHECK(i == 0 || feature.knot_scores[i - 1] <= feature.knot_scores[i]);
    }
    CHECK(feature.knot_scores[0] == -feature.knot_scores[4]);
    CHECK(feature.missing == 0);
}

/* The same shares give the same fit, whatever the unit of the weights. */
static void unit_of_weights_does_not_matter(void) {
    for (size_t k = 0; k < 3; k++) {
        make_values(1500);
        struct scaling_feature a = fit(KINDS[k], 1500);
        double center = a.center, factor = a.factor;
        float missing = a.missing;
        float middle = mxb__scale_value(KINDS[k], &a, values[700]);
        for (size_t i = 0; i < 1500; i++) {
            weights[i] *= 0x1p-40;
        }
        struct scaling_feature b = fit(KINDS[k], 1500);
        CHECK(b.center == center && b.factor == factor && b.missing == missing);
        CHECK(mxb__scale_value(KINDS[k], &b, values[700]) == middle);
    }
}

/* Where rows weigh 1: what the walk over distinct values finds. */
static void check_both_ways(const double *rows, size_t n, int narrow) {
    static double found_knots[MXB__MAX_KNOTS];
    static float found_scores[MXB__MAX_KNOTS];
    struct sorted sorted = sort_values(rows, n, narrow);
    struct distinct distinct = list_distinct(rows, n);
    static const enum scaling_kind kinds[] = {SCALING_NONE, SCALING_RANK};
    for (size_t k = 0; k < 2; k++) {
        struct scaling_feature walked, found;
        mxb__scaling_fit(kinds[k], &distinct, knots, scores, &walked);
        mxb__scaling_fit_sorted(kinds[k], &sorted, found_knots, found_scores, &found);
        CHECK(found.center == walked.center);
        CHECK(found.factor == walked.factor && found.missing == walked.missing);
        CHECK_INT(found.n_knots, walked.n_knots);
        CHECK_INT(memcmp(found_knots, knots, walked.n_knots * sizeof *knots), 0);
        CHECK_INT(memcmp(found_scores, scores, walked.n_knots * sizeof *scores), 0);
    }
}

static void steps_find_what_the_walk_finds(void) {
    for_every_column(check_both_ways);
    for (size_t n = 1020; n < 1030; n++) { /* as many values as knots */
        static double rows[1030];
        draw_column(COLUMN_NORMAL, n, n, 0, 0, rows);
        check_both_ways(rows, n, 0);
    }
}

int main(void) {
    RUN(none_centers_at_the_median);
    RUN(standard_against_naive);
    RUN(standard_far_from_zero);
    RUN(rank_knots);
    RUN(rank_scores_are_normal);
    RUN(rank_of_few_values);
    RUN(constant_column);
    RUN(nothing_finite);
    RUN(infinities_do_not_count);
    RUN(extreme_values);
    RUN(mean_stays_within_the_values);
    RUN(extreme_weights);
    RUN(unit_of_weights_does_not_matter);
    RUN(steps_find_what_the_walk_finds);
    return check_report();
}
