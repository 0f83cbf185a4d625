/* Scores of values against a scan of the knots from their start. */
#include <float.h>
#include <stdlib.h>

#include "base/math.h"
#include "base/random.h"
#include "check.h"
#include "kernels/kernels.h"

static const struct random_stream RANDOM = {0x72616e6b};

enum { N_EXTREMES = 13, MAX_VALUES = 4 * MXB__MAX_KNOTS + N_EXTREMES };

static const double EXTREMES[N_EXTREMES] = {-INFINITY, -DBL_MAX, -1,       -0x1p-1074, -0.0, 0.0,  0x1p-1074,
                                            1,         DBL_MAX,  INFINITY, NAN,        -NAN, 1e300};

/* One operation after the other. */
static float naive_score(const struct rank_table *table, double x) {
    size_t last = table->n_knots - 1, low = 0;
    if (isnan(x)) {
        return mxb__factor((double)table->missing);
    }
    volatile double score = (double)table->scores[x <= table->knots[0] ? 0 : last];
    if (x > table->knots[0] && x < table->knots[last]) {
        while (table->knots[low + 1] <= x) {
            low++;
        }
        double from = table->knots[low], to = table->knots[low + 1];
        double unit = isinf(to - from) ? 0.5 : 1;
        volatile double share = (x * unit - from * unit) / (to * unit - from * unit);
        volatile double step = share * ((double)table->scores[low + 1] - (double)table->scores[low]);
        score = (double)table->scores[low] + step;
    }
    return mxb__factor(score);
}

/* Each knot, its neighbours, what lies between, and the extremes, in no order. Returns their number. */
static size_t make_values(const struct rank_table *table, double *values) {
    size_t n = 0;
    for (size_t i = 0; i < N_EXTREMES; i++) {
        values[n++] = EXTREMES[i];
    }
    for (size_t i = 0; i < table->n_knots; i++) {
        double knot = table->knots[i], next = table->knots[i + 1 < table->n_knots ? i + 1 : i];
        double between = mxb__random_uniform(RANDOM, i);
        values[n++] = knot;
        values[n++] = nextafter(knot, -INFINITY);
        values[n++] = nextafter(knot, INFINITY);
        values[n++] = knot * between + next * (1 - between);
    }
    for (size_t i = n - 1; i > 0; i--) {
        size_t k = (size_t)(mxb__random_uniform(RANDOM, 5000 + i) * (double)(i + 1));
        double kept = values[i];
        values[i] = values[k];
        values[k] = kept;
    }
    return n;
}

static int same_bits(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

static size_t n_wrong_values(const struct rank_table *table, const double *values, size_t n) {
    static float out[MAX_VALUES + 1];
    size_t wrong = 0;
    for (size_t count = n; count > 0; count = count > 70 ? count / 3 : count - 1) {
        out[count] = 77;
        mxb__kernels()->scale_ranks(table, values, count, out);
        wrong += out[count] != 77;
        for (size_t i = 0; i < count; i++) {
            wrong += !same_bits(out[i], naive_score(table, values[i]));
        }
    }
    return wrong;
}

/* The table of these knots in blocks of their own size, so that a sanitizer sees who reads beyond them. */
static size_t n_wrong(const double *knots, const float *scores, size_t n_knots) {
    static double values[MAX_VALUES];
    double *own_knots = malloc(n_knots * sizeof *knots);
    float *own_scores = malloc(n_knots * sizeof *scores);
    double *slots = aligned_alloc(64, mxb__rank_table_slots(n_knots) * sizeof *slots);
    float *halves = aligned_alloc(64, mxb__rank_table_n_halves(n_knots) * sizeof *halves);
    struct rank_table table = {.n_knots = n_knots, .knots = own_knots, .scores = own_scores, .missing = 0.625f};
    memcpy(own_knots, knots, n_knots * sizeof *knots);
    memcpy(own_scores, scores, n_knots * sizeof *scores);
    mxb__rank_table_build(&table, slots, halves);
    size_t n = make_values(&table, values), wrong = n_wrong_values(&table, values, n);
    for (size_t i = 0; i < n; i++) { /* floats, which kernels take another way */
        float nearest = (float)values[i];
        values[i] = fabsf(nearest) < FLT_MIN ? 0.0 : (double)nearest;
    }
    wrong += n_wrong_values(&table, values, n);
    free(own_knots);
    free(own_scores);
    free(slots);
    free(halves);
    return wrong;
}

static void scores_lie_between_those_of_the_knots(void) {
    static double knots[MXB__MAX_KNOTS];
    static float scores[MXB__MAX_KNOTS];
    for (size_t n = 1; n <= MXB__MAX_KNOTS; n += n < 40 || n > 1020 || n % 64 > 61 || n % 64 < 4 ? 1 : 7) {
        double x = -50;
        for (size_t i = 0; i < n; i++) {
            knots[i] = x += 1e-3 + mxb__random_uniform(RANDOM, 10000 + n + i);
            scores[i] = (float)(mxb__random_normal(RANDOM, 20000 + i) + 0.1 * (double)i);
        }
        CHECK_INT(n_wrong(knots, scores, n), 0);
    }
}

static void knots_as_close_as_doubles(void) {
    double knots[300];
    float scores[300];
    double x = 0x1p-1074 * -150;
    for (size_t i = 0; i < 300; i++) {
        knots[i] = x;
        scores[i] = (float)(i * i);
        x += 0x1p-1074;
    }
    CHECK_INT(n_wrong(knots, scores, 300), 0);
    for (size_t i = 0; i < 300; i++) {
        knots[i] = 1e5 + (double)i * 0x1p-36;
    }
    CHECK_INT(n_wrong(knots, scores, 300), 0);
}

static void knots_over_the_whole_range(void) {
    static const double knots[] = {-DBL_MAX, -1e300, -1, 0, 0x1p-1074, 2, 1e308, DBL_MAX};
    static const float scores[] = {-3, -2, -2, -1, 0, 0.5f, 7, 8};
    for (size_t first = 0; first < 8; first++) {
        for (size_t n = 1; n <= 8 - first; n++) {
            CHECK_INT(n_wrong(knots + first, scores + first, n), 0);
        }
    }
    static const double far[] = {-DBL_MAX, DBL_MAX};
    CHECK_INT(n_wrong(far, scores, 2), 0);
}

/* No scaling has such scores, but the limit holds. */
static void scores_beyond_the_limit(void) {
    static const double knots[] = {1, 2, 3, 4, 5, 6};
    static const float scores[] = {-3e38f, -2e30f, -1, 1e30f, 3e38f, 3.4e38f};
    CHECK_INT(n_wrong(knots, scores, 6), 0);
    CHECK_INT(n_wrong(knots, scores + 1, 4), 0);
}

/* At a knot the score is its own, even where it is lost beside the one before. */
static void scores_beside_much_larger_ones(void) {
    static const double knots[] = {1, 2, 3, 4, 5, 6, 7};
    static const float scores[] = {-3, -1, 1.3e-15f, 2.7e-15f, 1, 1e10f, 1e10f};
    for (size_t n = 1; n <= 7; n++) {
        CHECK_INT(n_wrong(knots, scores, n), 0);
    }
}

int main(void) {
    RUN(scores_lie_between_those_of_the_knots);
    RUN(knots_as_close_as_doubles);
    RUN(knots_over_the_whole_range);
    RUN(scores_beyond_the_limit);
    RUN(scores_beside_much_larger_ones);
    return check_report();
}
