#include "loss/loss.h"

#include <float.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "base/random.h"
#include "check.h"

static const struct random_stream RANDOM = {0x6c6f7373};

enum { N = 30011 }; /* several blocks and a rest */

static uint8_t is_1[N]; /* the labels, where there are two classes */
static double labels[N], weights[N], scores[N], g[N], h[N], g2[N], h2[N];
static double scratch[1024];

static const struct loss *mse(void) { return mxb__loss_find("mse"); }
static const struct loss *logloss(void) { return mxb__loss_find("logloss"); }

/* Rows of the static arrays, all that a loss wants to know of them filled in. */
static struct loss_rows rows_of(size_t n, int weighted) {
    struct loss_rows rows = {n, labels, is_1, weighted ? weights : NULL, 0, scores, NULL, NULL, 0};
    for (size_t i = 0; i < n; i++) {
        rows.weight_sum += weighted ? weights[i] : 1;
    }
    return rows;
}

static double metric_of(const struct loss *loss, const struct loss_rows *rows, struct pool *pool) {
    return mxb__loss_measure(loss, mxb__training_kernels(), rows, pool, scratch).metric;
}

static struct measurement measure(const struct loss *loss, struct loss_rows rows, struct pool *pool, double *to_g,
                                  double *to_h) {
    rows.g = to_g;
    rows.h = to_h;
    return mxb__loss_measure(loss, mxb__training_kernels(), &rows, pool, scratch);
}

/* The loss of one row; its derivatives are in g[0] and h[0]. */
static double value_of(const struct loss *loss, double label, double score) {
    uint8_t class = label > 0.5;
    struct loss_block block = {1, &label, &class, &score, NULL, 1.0, 1.0, g, h};
    return loss->measure(mxb__training_kernels(), &block).mean;
}

static void make_rows(const struct loss *loss, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double x = mxb__random_normal(RANDOM, i);
        is_1[i] = x > 0.3;
        labels[i] = loss->two_classes ? is_1[i] : exp(6 * x);
        scores[i] = 3 * mxb__random_normal(RANDOM, 100000 + i);
        weights[i] = pow(10, 12 * mxb__random_uniform(RANDOM, 200000 + i) - 6);
    }
}

static void names(void) {
    REQUIRE(mse() != NULL && logloss() != NULL);
    CHECK_TEXT(mse()->name, "mse");
    CHECK_TEXT(mse()->metric, "rmse");
    CHECK_TEXT(logloss()->metric, "logloss");
    CHECK(!mse()->two_classes && mse()->hessian == HESSIAN_ONE && mse()->metric_is_squared);
    CHECK(logloss()->two_classes && logloss()->hessian == HESSIAN_LOGISTIC && !logloss()->metric_is_squared);
    CHECK(mxb__loss_find("") == NULL && mxb__loss_find("MSE") == NULL && mxb__loss_find("ms") == NULL);
}

/* ---- Derivatives ---- */

static long double naive_loss(const struct loss *loss, long double label, long double score) {
    return loss->two_classes ? (score > 0 ? score + log1pl(expl(-score)) : log1pl(expl(score))) - label * score
                             : (label - score) * (label - score) / 2;
}

static void check_derivatives(const struct loss *loss, double label, double score) {
    long double step = 1e-4L;
    long double f = (long double)score;
    long double y = (long double)label;
    long double up = naive_loss(loss, y, f + step);
    long double middle = naive_loss(loss, y, f);
    long double down = naive_loss(loss, y, f - step);
    long double first, second;
    double scale = fmax(1, fabs(label - score));
    double metric = value_of(loss, label, score);
    first = (up - down) / (2 * step);
    second = (up - 2 * middle + down) / (step * step);
    CHECK_NEAR(g[0], (double)first, 1e-8 * scale);
    CHECK_NEAR(h[0], (double)second, 1e-8 * scale * scale);
    CHECK(h[0] > 0);
    CHECK_NEAR(metric, (double)(loss->metric_is_squared ? 2 * middle : middle), 1e-14 * scale * scale);
}

static void derivatives_by_differences(void) {
    for (int i = -200; i <= 200; i++) {
        double score = i * 0.1;
        check_derivatives(logloss(), 0, score);
        check_derivatives(logloss(), 1, score);
        check_derivatives(mse(), 0.7, score);
        check_derivatives(mse(), -12, score);
    }
}

/* In the tails, where differences see nothing: the exact formulas in long double. A hessian is as exact as 1 - |g|. */
static void check_tail(double first, double second, long double p0, long double p1) {
    long double h_exact = fmaxl(p0 * p1, 1e-16L);
    CHECK(fabsl((long double)second - h_exact) <= 1e-14L * h_exact + 0x1p-53L);
    CHECK(fabs(first) > 0.5 || fabsl((long double)second - h_exact) <= 1e-14L * h_exact);
}

static void logloss_in_the_tails(void) {
    for (int i = -700; i <= 700; i += 7) {
        double score = i;
        long double p1 = 1 / (1 + expl(-(long double)score));
        long double p0 = 1 / (1 + expl((long double)score));
        value_of(logloss(), 1, score);
        CHECK(fabsl((long double)g[0] + p0) <= 1e-14L * p0);
        check_tail(g[0], h[0], p0, p1);
        double value = value_of(logloss(), 0, score);
        CHECK(fabsl((long double)g[0] - p1) <= 1e-14L * p1);
        check_tail(g[0], h[0], p0, p1);
        long double exact = naive_loss(logloss(), 0, (long double)score);
        CHECK(fabsl((long double)value - exact) <= 1e-14L * exact);
        CHECK(value == value_of(logloss(), 1, -score)); /* symmetric */
    }
}

static void safe_at_any_score(void) {
    static const double extreme[] = {0,     -0.0, 0x1p-1074, 1e-300, 36,    37,    40,    700,
                                     709.9, 745,  746.5,     1e10,   1e100, 1e200, 1e300, 1e308};
    static const double label_sizes[] = {0, 1, 1e100, 1e300};
    for (size_t i = 0; i < sizeof extreme / sizeof extreme[0]; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double score = sign * extreme[i];
            for (int label = 0; label <= 1; label++) {
                double value = value_of(logloss(), label, score);
                CHECK(fabs(g[0]) <= 1 && h[0] >= 1e-16 && h[0] <= 0.25);
                CHECK(isfinite(value) && value >= 0);
            }
            for (size_t k = 0; k < 4; k++) {
                value_of(mse(), label_sizes[k], score);
                CHECK(isfinite(g[0]) && h[0] == 1);
            }
        }
    }
}

/* ---- Start ---- */

static long double naive_total(const struct loss *loss, const struct loss_rows *rows, long double score) {
    long double sum = 0;
    for (size_t i = 0; i < rows->n_rows; i++) {
        long double weight = rows->weights == NULL ? 1 : (long double)rows->weights[i];
        sum += weight * naive_loss(loss, (long double)rows->labels[i], score);
    }
    return sum / (long double)rows->weight_sum;
}

static void start_is_the_best_constant(void) {
    for (int weighted = 0; weighted < 2; weighted++) {
        for (int k = 0; k < 2; k++) {
            const struct loss *loss = k == 0 ? mse() : logloss();
            make_rows(loss, 2000);
            struct loss_rows rows = rows_of(2000, weighted);
            double start = mxb__loss_start(loss, &rows);
            double step = 1e-5 * fmax(1, fabs(start));
            long double best = naive_total(loss, &rows, (long double)start);
            CHECK(best < naive_total(loss, &rows, (long double)(start + step)));
            CHECK(best < naive_total(loss, &rows, (long double)(start - step)));
        }
    }
    double y[] = {1, 0, 1, 1};
    uint8_t classes[] = {1, 0, 1, 1};
    struct loss_rows rows = {4, y, classes, NULL, 4, NULL, NULL, NULL, 0};
    CHECK_NEAR(mxb__loss_start(logloss(), &rows), log(3), 1e-15);
    CHECK(mxb__loss_start(mse(), &rows) == 0.75);
    static double same[300];
    for (size_t i = 0; i < 300; i++) {
        same[i] = 7.1;
    }
    struct loss_rows constant = {300, same, NULL, NULL, 300, NULL, NULL, NULL, 0};
    CHECK(mxb__loss_start(mse(), &constant) == 7.1);
}

static void start_at_extreme_weights(void) {
    uint8_t classes[] = {0, 1};
    for (double ratio = 1; ratio > 1e-280; ratio *= 1e-20) {
        double w[] = {1, ratio};
        double swapped[] = {ratio, 1};
        struct loss_rows rows = {2, NULL, classes, w, 1 + ratio, NULL, NULL, NULL, 0};
        CHECK_NEAR(mxb__loss_start(logloss(), &rows), log(ratio), 1e-11);
        rows.weights = swapped;
        CHECK_NEAR(mxb__loss_start(logloss(), &rows), -log(ratio), 1e-11);
    }
    double large[] = {1e300, -1e300, 1e300};
    struct loss_rows rows = {3, large, NULL, NULL, 3, NULL, NULL, NULL, 0};
    CHECK_NEAR(mxb__loss_start(mse(), &rows) / 1e300, 1.0 / 3, 1e-15);
    double tiny[] = {1e-300, 0, 0};
    uint8_t one[] = {1, 0, 0}; /* the class of label 1 weighs next to nothing */
    rows = (struct loss_rows){3, NULL, one, tiny, 1e-290, NULL, NULL, NULL, 0};
    CHECK(isfinite(mxb__loss_start(logloss(), &rows)));
}

/* ---- Metric ---- */

static void metric_against_naive(void) {
    static const size_t sizes[] = {1, 2, 4095, 4096, 4097, N};
    for (int k = 0; k < 2; k++) {
        const struct loss *loss = k == 0 ? mse() : logloss();
        for (size_t s = 0; s < 6; s++) {
            for (int weighted = 0; weighted < 2; weighted++) {
                make_rows(loss, sizes[s]);
                struct loss_rows rows = rows_of(sizes[s], weighted);
                long double sum = 0;
                for (size_t i = 0; i < sizes[s]; i++) {
                    long double value = naive_loss(loss, (long double)labels[i], (long double)scores[i]);
                    sum += (weighted ? (long double)weights[i] : 1) * value;
                }
                sum /= (long double)rows.weight_sum;
                double expected = (double)(loss->metric_is_squared ? sqrtl(2 * sum) : sum);
                REQUIRE(mxb__loss_scratch(sizes[s]) <= 1024);
                CHECK_NEAR(metric_of(loss, &rows, NULL) / expected, 1, 1e-12);
            }
        }
    }
}

static void metric_stays_finite(void) {
    static const double sizes[] = {0, 1e-300, 1e-160, 1, 1e100, 1e150, 1e160, 1e200, 1e290, 1e300};
    static const double score_sizes[] = {0, 1e-308, 1e-200, 1, 1e150, 1e160, 1e200, 1e300, 1e308};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < sizeof score_sizes / sizeof score_sizes[0]; k++) {
            for (size_t r = 0; r < 100; r++) {
                labels[r] = r % 2 == 0 ? sizes[i] : -sizes[i];
                scores[r] = score_sizes[k];
                weights[r] = r % 3 == 0 ? 1e-6 : 1e6;
            }
            struct loss_rows rows = rows_of(100, 1);
            double metric = metric_of(mse(), &rows, NULL);
            double larger = fmax(sizes[i], score_sizes[k]);
            CHECK(isfinite(metric));
            if (larger > 0) { /* the root of a mean of squares near larger^2 */
                CHECK(metric >= 0.99 * larger && metric <= 2.01 * larger);
            }
            for (size_t r = 0; r < 100; r++) {
                is_1[r] = r % 2;
            }
            rows = rows_of(100, 1);
            CHECK(isfinite(metric_of(logloss(), &rows, NULL)));
        }
    }
}

/* ---- Weights and threads ---- */

static void weight_k_is_k_copies(void) {
    enum { ROWS = 3000 };
    for (int k = 0; k < 2; k++) {
        const struct loss *loss = k == 0 ? mse() : logloss();
        make_rows(loss, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            weights[i] = (double)(i % 5); /* 0 = absent */
        }
        struct loss_rows rows = rows_of(ROWS, 1);
        double metric = metric_of(loss, &rows, NULL);
        double start = mxb__loss_start(loss, &rows);
        struct gradient_range range = measure(loss, rows, NULL, g, h).range;
        for (size_t i = 0; i < ROWS; i++) {
            CHECK(weights[i] > 0 || (g[i] == 0 && h[i] == 0));
        }
        size_t n = 0; /* copies behind the rows, then moved to the front */
        static double copied_labels[N], copied_scores[N];
        static uint8_t copied_is_1[N];
        for (size_t i = 0; i < ROWS; i++) {
            for (size_t c = 0; c < i % 5; c++, n++) {
                copied_labels[n] = labels[i];
                copied_is_1[n] = is_1[i];
                copied_scores[n] = scores[i];
            }
        }
        struct loss_rows copies = {n, copied_labels, copied_is_1, NULL, (double)n, copied_scores, NULL, NULL, 0};
        CHECK_NEAR(metric_of(loss, &copies, NULL) / metric, 1, 1e-12);
        CHECK_NEAR(mxb__loss_start(loss, &copies), start, 1e-12 * fmax(1, fabs(start)));
        struct gradient_range other = measure(loss, copies, NULL, g2, h2).range;
        CHECK_NEAR(other.sum_abs_g / range.sum_abs_g, 1, 1e-12);
        CHECK_NEAR(other.sum_h / range.sum_h, 1, 1e-12);
    }
}

static void gradients_and_their_range(void) {
    for (int k = 0; k < 2; k++) {
        const struct loss *loss = k == 0 ? mse() : logloss();
        make_rows(loss, N);
        for (int weighted = 0; weighted < 2; weighted++) {
            struct loss_rows rows = rows_of(N, weighted);
            struct gradient_range range = measure(loss, rows, NULL, g, h).range;
            double max_g = 0, max_h = 0;
            long double sum_g = 0, sum_h = 0;
            size_t n_wrong = 0;
            for (size_t i = 0; i < N; i++) {
                double one_g, one_h;
                double weight = weighted ? weights[i] : 1;
                struct loss_block block = {1, &labels[i], &is_1[i], &scores[i], NULL, 1.0, 1.0, &one_g, &one_h};
                loss->measure(mxb__training_kernels(), &block);
                n_wrong += g[i] != weight * one_g || h[i] != weight * one_h || !(h[i] > 0);
                max_g = fmax(max_g, fabs(g[i]));
                max_h = fmax(max_h, h[i]);
                sum_g += (long double)fabs(g[i]);
                sum_h += (long double)h[i];
            }
            CHECK_INT(n_wrong, 0);
            CHECK(range.max_abs_g == max_g && range.max_h == max_h);
            CHECK_NEAR(range.sum_abs_g / (double)sum_g, 1, 1e-12);
            CHECK_NEAR(range.sum_h / (double)sum_h, 1, 1e-12);
        }
    }
    for (size_t i = 0; i < 10; i++) { /* too large together for a double */
        labels[i] = -1e300;
        weights[i] = 1e8;
        scores[i] = 0;
    }
    struct loss_rows rows = rows_of(10, 1);
    struct gradient_range range = measure(mse(), rows, NULL, g, h).range;
    CHECK(range.sum_abs_g == INFINITY && range.max_abs_g == 1e308);
}

static void same_for_any_number_of_threads(void) {
    for (int k = 0; k < 2; k++) {
        const struct loss *loss = k == 0 ? mse() : logloss();
        make_rows(loss, N);
        struct loss_rows rows = rows_of(N, 1);
        double metric = metric_of(loss, &rows, NULL);
        struct gradient_range range = measure(loss, rows, NULL, g, h).range;
        for (size_t n_threads = 2; n_threads <= 8; n_threads++) {
            struct pool *pool = mxb__pool_open(n_threads);
            CHECK(metric_of(loss, &rows, pool) == metric);
            struct measurement other = measure(loss, rows, pool, g2, h2);
            CHECK_INT(memcmp(&range, &other.range, sizeof range), 0);
            CHECK(other.metric == metric);
            CHECK_INT(memcmp(g, g2, sizeof g), 0);
            CHECK_INT(memcmp(h, h2, sizeof h), 0);
            mxb__pool_close(pool);
        }
    }
}

int main(void) {
    RUN(names);
    RUN(derivatives_by_differences);
    RUN(logloss_in_the_tails);
    RUN(safe_at_any_score);
    RUN(start_is_the_best_constant);
    RUN(start_at_extreme_weights);
    RUN(metric_against_naive);
    RUN(metric_stays_finite);
    RUN(weight_k_is_k_copies);
    RUN(gradients_and_their_range);
    RUN(same_for_any_number_of_threads);
    return check_report();
}
