#include "data/scaling.h"

#include <float.h>
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"

static const double EXTREMES[] = {-INFINITY, -DBL_MAX, -1e300, -1,      -DBL_MIN, -0.0, 0,
                                  0x1p-1074, 1,        1e300,  DBL_MAX, INFINITY, NAN};
enum { N_EXTREMES = sizeof EXTREMES / sizeof EXTREMES[0] };

static void none_and_standard(void) {
    static const double beyond[] = {22, 22.5, 1e9, DBL_MAX, INFINITY, -2, -2.5, -1e9, -DBL_MAX, -INFINITY};
    struct scaling_feature feature = {.center = 10, .factor = 1, .missing = 0.25f};
    CHECK(mxb__scale_value(SCALING_NONE, &feature, 12.5) == 2.5f);
    CHECK(mxb__scale_value(SCALING_NONE, &feature, NAN) == 0.25f);
    feature.factor = 0.5;
    CHECK(mxb__scale_value(SCALING_UNBOUNDED, &feature, 12.5) == 1.25f);
    CHECK(mxb__scale_value(SCALING_UNBOUNDED, &feature, 30) == 10);
    CHECK(mxb__scale_value(SCALING_UNBOUNDED, &feature, INFINITY) == 0x1p50f);
    CHECK(mxb__scale_value(SCALING_UNBOUNDED, &feature, -INFINITY) == -0x1p50f);
    CHECK(mxb__scale_value(SCALING_UNBOUNDED, &feature, -DBL_MAX) == -0x1p50f);
    CHECK(mxb__scale_value(SCALING_STANDARD, &feature, 12.5) == 1.25f);
    CHECK(mxb__scale_value(SCALING_STANDARD, &feature, 21.5) == 5.75f);
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        CHECK(mxb__scale_value(SCALING_STANDARD, &feature, beyond[i]) == (beyond[i] > 0 ? 6 : -6));
    }
    feature.factor = 0; /* a constant column */
    CHECK(mxb__scale_value(SCALING_UNBOUNDED, &feature, INFINITY) == 0);
    CHECK(mxb__scale_value(SCALING_STANDARD, &feature, INFINITY) == 0);
}

static void rank_interpolates(void) {
    double knots[] = {-2, 0, 1, 5};
    float scores[] = {-1.5f, -0.5f, -0.5f, 3.5f};
    struct scaling_feature feature = {.missing = 7, .n_knots = 4, .knots = knots, .knot_scores = scores};
    static const double cases[][2] = {{-INFINITY, -1.5}, {-3, -1.5}, {-2, -1.5},     {-1.5, -1.25},  {0, -0.5},
                                      {0.3, -0.5},       {1, -0.5},  {2, 0.5},       {4.5, 3},       {5, 3.5},
                                      {6, 3.5},          {NAN, 7},   {DBL_MAX, 3.5}, {INFINITY, 3.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_NEAR((double)mxb__scale_value(SCALING_RANK, &feature, cases[i][0]), cases[i][1], 0);
    }
}

/* Against a scan of the table from its start, over many sizes. */
static void rank_finds_its_interval(void) {
    double knots[33];
    float scores[33];
    for (uint32_t n = 1; n <= 33; n++) {
        struct scaling_feature feature = {.n_knots = n, .knots = knots, .knot_scores = scores};
        for (uint32_t i = 0; i < n; i++) {
            knots[i] = (double)i;
            scores[i] = (float)(i * i);
        }
        for (double x = -1; x <= (double)n; x += 0.25) {
            double expected = x <= 0 ? 0 : (double)(n - 1) * (n - 1);
            for (uint32_t i = 0; i + 1 < n; i++) {
                if (x >= knots[i] && x < knots[i + 1]) {
                    double k = (double)i;
                    expected = k * k + (x - k) * (2 * k + 1);
                }
            }
            CHECK_NEAR((double)mxb__scale_value(SCALING_RANK, &feature, x), expected, 1e-5);
        }
    }
}

/* Values side by side are what each is alone, whatever their number and place. */
static void columns_are_their_values(void) {
    static const enum scaling_kind kinds[] = {SCALING_NONE, SCALING_UNBOUNDED, SCALING_RANK, SCALING_STANDARD};
    double knots[33], values[140];
    float scores[33], out[281];
    struct scaling_feature feature = {
        .center = 0.5, .factor = 3, .missing = 7, .knots = knots, .knot_scores = scores, .n_knots = 33};
    for (uint32_t i = 0; i < 33; i++) {
        knots[i] = (double)i * i - 100;
        scores[i] = (float)i;
    }
    for (size_t i = 0; i < 140; i++) {
        values[i] = i < N_EXTREMES ? EXTREMES[i] : (double)((i * 377) % 1200) - 150.5 + (double)(i % 2) / 2;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (size_t n = 0; n <= 140; n++) {
            out[2 * n] = 77;
            mxb__scale_column(kinds[k], &feature, values, n, out, 2);
            CHECK(out[2 * n] == 77);
            for (size_t i = 0; i < n; i++) {
                CHECK(out[2 * i] == mxb__scale_value(kinds[k], &feature, values[i]));
            }
        }
    }
}

static void rank_of_a_constant(void) {
    double knot = 3;
    float score = 0.5f;
    struct scaling_feature feature = {.missing = 0.25f, .n_knots = 1, .knots = &knot, .knot_scores = &score};
    for (size_t i = 0; i < N_EXTREMES; i++) {
        CHECK(mxb__scale_value(SCALING_RANK, &feature, EXTREMES[i]) == (isnan(EXTREMES[i]) ? 0.25f : 0.5f));
    }
}

/* Only where no value, missing or not, scales to another number. */
static void what_is_constant(void) {
    double knots[] = {-1, 2};
    float same[] = {0.5f, 0.5f}, different[] = {0.5f, 0.75f};
    struct scaling_feature rank = {.missing = 0.5f, .n_knots = 2, .knots = knots, .knot_scores = same};
    struct scaling_feature standard = {.center = 3, .factor = 0};
    CHECK(mxb__scaling_is_constant(SCALING_RANK, &rank));
    CHECK(mxb__scaling_is_constant(SCALING_STANDARD, &standard));
    rank.missing = 0;
    standard.missing = 1;
    CHECK(!mxb__scaling_is_constant(SCALING_RANK, &rank));
    CHECK(!mxb__scaling_is_constant(SCALING_STANDARD, &standard));
    rank = (struct scaling_feature){.missing = 0.5f, .n_knots = 2, .knots = knots, .knot_scores = different};
    standard = (struct scaling_feature){.center = 3, .factor = 1e-300};
    CHECK(!mxb__scaling_is_constant(SCALING_RANK, &rank));
    CHECK(!mxb__scaling_is_constant(SCALING_STANDARD, &standard));
    standard.factor = 1;
    CHECK(!mxb__scaling_is_constant(SCALING_NONE, &standard));
}

static void always_finite(void) {
    for (size_t a = 0; a < N_EXTREMES; a++) {
        for (size_t b = 0; b < N_EXTREMES; b++) {
            if (!isfinite(EXTREMES[a]) || !isfinite(EXTREMES[b])) {
                continue;
            }
            struct scaling_feature plain = {.center = EXTREMES[a], .factor = EXTREMES[b]};
            double knots[] = {EXTREMES[a], EXTREMES[b]};
            float scores[] = {-3, 4};
            struct scaling_feature ranked = {.n_knots = 2, .knots = knots, .knot_scores = scores};
            for (size_t i = 0; i < N_EXTREMES; i++) {
                CHECK(fabsf(mxb__scale_value(SCALING_STANDARD, &plain, EXTREMES[i])) <= 1e30f);
                if (knots[0] < knots[1]) {
                    float score = mxb__scale_value(SCALING_RANK, &ranked, EXTREMES[i]);
                    CHECK(isnan(EXTREMES[i]) ? score == 0 : score >= -3 && score <= 4);
                }
            }
        }
    }
}

/* Knots so far apart that their distance overflows. */
static void rank_over_the_whole_range(void) {
    double knots[] = {-DBL_MAX, DBL_MAX};
    float scores[] = {-1, 1};
    struct scaling_feature feature = {.n_knots = 2, .knots = knots, .knot_scores = scores};
    CHECK(mxb__scale_value(SCALING_RANK, &feature, 0) == 0);
    CHECK(mxb__scale_value(SCALING_RANK, &feature, DBL_MAX / 2) == 0.5f);
}

static void copy_is_deep(void) {
    double knots[] = {1, 2};
    float scores[] = {-1, 1};
    struct scaling_feature features[2] = {{.missing = 1, .n_knots = 2, .knots = knots, .knot_scores = scores},
                                          {.missing = 2, .center = 5, .factor = 3}};
    struct scaling from = {.kind = SCALING_RANK, .n_features = 2, .features = features};
    struct scaling to;
    mxb_error error;
    mxb_status status = MXB_ERROR_MEMORY;
    int n_failures = 0;
    for (uint64_t n = 1; status != MXB_OK; n++) {
        mxb__memory_fail_at(n, 0);
        status = mxb__scaling_copy(&to, &from, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || (status == MXB_ERROR_MEMORY && to.features == NULL));
        n_failures += status != MXB_OK;
    }
    CHECK_INT(n_failures, 3);
    CHECK(to.kind == SCALING_RANK && to.n_features == 2 && to.features[0].knots != knots);
    CHECK(to.features[0].knots[1] == 2 && to.features[0].knot_scores[0] == -1 && to.features[1].factor == 3);
    mxb__scaling_clear(&to);
    CHECK(to.features == NULL && to.n_features == 0);
    mxb__scaling_clear(&to);

    struct scaling empty = {.kind = SCALING_STANDARD, .n_features = 4};
    OK(mxb__scaling_copy(&to, &empty, &error), error);
    CHECK(to.kind == SCALING_STANDARD && to.n_features == 4 && to.features == NULL);
}

int main(void) {
    RUN(none_and_standard);
    RUN(rank_interpolates);
    RUN(rank_finds_its_interval);
    RUN(columns_are_their_values);
    RUN(rank_of_a_constant);
    RUN(what_is_constant);
    RUN(always_finite);
    RUN(rank_over_the_whole_range);
    RUN(copy_is_deep);
    return check_report();
}
