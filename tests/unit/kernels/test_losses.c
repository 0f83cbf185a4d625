/* Losses of blocks of rows: every bit that of one row after the other, summed in the stated lanes. */
#include <float.h>

#include "base/math.h"
#include "base/random.h"
#include "check.h"
#include "kernels/training_kernels.h"

static const struct random_stream RANDOM = {0x6c6f7373};

enum { MAX_ROWS = 4100 };

static uint8_t is_1[MAX_ROWS];
static double labels[MAX_ROWS], scores[MAX_ROWS], weights[MAX_ROWS];
static double g[MAX_ROWS + 1], h[MAX_ROWS + 1];

static const double EXTREMES[] = {0,    -0.0, DBL_MIN, 0x1p-1074, 1e-17,  0x1p-53, 0.3465735902799727,
                                  36.7, 40,   708.5,   745,       745.2,  746,     746.1,
                                  1e3,  6e15, 1e100,   1e300,     DBL_MAX};
enum { N_EXTREMES = sizeof EXTREMES / sizeof EXTREMES[0] };

static void make_rows(int two_classes, int wild) {
    for (size_t i = 0; i < MAX_ROWS; i++) {
        double size = i % 5 == 0 ? 300 : 3;
        scores[i] = size * mxb__random_normal(RANDOM, i);
        if (wild && i % 3 == 0) {
            scores[i] = EXTREMES[i / 3 % N_EXTREMES] * (i % 2 == 0 ? 1 : -1);
        }
        is_1[i] = i / 2 % 2;
        labels[i] = two_classes ? (double)is_1[i] : mxb__random_normal(RANDOM, 10000 + i);
        weights[i] = i % 7 == 3 ? 0 : pow(10, 12 * mxb__random_uniform(RANDOM, 20000 + i) - 6);
    }
}

static double naive_value(int is_logistic, double label, double score, double unit) {
    if (is_logistic) {
        double wrong_side = label > 0.5 ? -score : score;
        return mxb__log1p(mxb__exp(-fabs(score))) + fmax(wrong_side, 0);
    }
    double residual = (score - label) / unit;
    return residual * residual;
}

static void naive_derivatives(int is_logistic, double label, double score, double *first, double *second) {
    *first = score - label;
    *second = 1;
    if (is_logistic) {
        double e = mxb__exp(-fabs(score));
        double likely = 1 / (1 + e);
        double unlikely = e * likely;
        *first = label > 0.5 ? -(score >= 0 ? unlikely : likely) : (score >= 0 ? likely : unlikely);
        *second = fmax(fabs(*first) * (1 - fabs(*first)), 1e-16);
    }
}

static double naive_sum(const double lane[8]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static void check_block(int is_logistic, struct loss_block block) {
    volatile double lanes[3][8] = {{0}};
    struct loss_sums expected = {0};
    size_t n_wrong = 0;
    int with_derivatives = block.g != NULL;
    g[block.n] = 77;
    for (size_t i = 0; i <= block.n; i++) {
        h[i] = 77;
    }
    struct loss_sums sums =
        (is_logistic ? mxb__training_kernels()->logistic : mxb__training_kernels()->squared)(&block);
    for (size_t i = 0; i < block.n; i++) {
        double weight = block.weights == NULL ? 1 : block.weights[i];
        volatile double share = weight / block.weight_sum;
        double value = naive_value(is_logistic, block.labels[i], block.scores[i], block.unit);
        lanes[0][i % 8] = lanes[0][i % 8] + (share > 0 ? share * value : 0);
        if (with_derivatives) {
            double first, second;
            naive_derivatives(is_logistic, block.labels[i], block.scores[i], &first, &second);
            n_wrong += g[i] != first * weight || signbit(g[i]) != signbit(first * weight);
            n_wrong += h[i] != (block.h == NULL ? 77 : second * weight);
            lanes[1][i % 8] = lanes[1][i % 8] + fabs(g[i]);
            lanes[2][i % 8] = lanes[2][i % 8] + second * weight;
            expected.max_abs_g = fmax(expected.max_abs_g, fabs(g[i]));
            expected.max_h = fmax(expected.max_h, second * weight);
        }
    }
    double copy[3][8];
    for (size_t i = 0; i < 24; i++) {
        copy[i / 8][i % 8] = lanes[i / 8][i % 8];
    }
    expected.mean = naive_sum(copy[0]);
    expected.abs_g = naive_sum(copy[1]);
    expected.h = naive_sum(copy[2]);
    CHECK_INT(n_wrong, 0);
    CHECK(g[block.n] == 77 && h[block.n] == 77);
    CHECK(memcmp(&sums, &expected, sizeof sums) == 0);
}

static void bits_are_those_of_the_stated_order(void) {
    for (int k = 0; k < 24; k++) {
        int is_logistic = k & 1, is_weighted = k >> 1 & 1, wild = k >> 2 & 1, n_derivatives = k >> 3;
        make_rows(is_logistic, wild && is_logistic);
        for (size_t n = 0; n <= MAX_ROWS; n = n == 40 ? 4096 : n + 1) {
            struct loss_block block = {.n = n,
                                       .labels = labels,
                                       .is_1 = is_1,
                                       .scores = scores,
                                       .weights = is_weighted ? weights : NULL,
                                       .weight_sum = 12345.6,
                                       .unit = is_logistic ? 1 : 0x1p3,
                                       .g = n_derivatives > 0 ? g : NULL,
                                       .h = n_derivatives > 1 ? h : NULL};
            check_block(is_logistic, block);
        }
    }
}

/* Every score near the ends of what exp can say. */
static void exp_is_the_librarys_everywhere(void) {
    for (double from = 0; from < 760; from += 4) {
        for (size_t i = 0; i < 4000; i++) {
            scores[i] = (i % 2 == 0 ? 1 : -1) * (from + (double)i * 0.001);
            is_1[i] = i / 2 % 2;
            labels[i] = (double)is_1[i];
        }
        struct loss_block block = {4000, labels, is_1, scores, NULL, 4000, 1, g, h};
        check_block(1, block);
    }
}

/* Where a difference overflows, it is infinite, and it does not spoil the sums of rows that weigh nothing. */
static void infinities_are_told(void) {
    for (size_t n = 1; n <= 20; n++) {
        for (size_t i = 0; i < n; i++) {
            labels[i] = -1;
            scores[i] = 1;
            weights[i] = 1;
        }
        scores[n - 1] = INFINITY;
        struct loss_block block = {n, labels, NULL, scores, weights, 20, 1, g, h};
        struct loss_sums sums = mxb__training_kernels()->squared(&block);
        CHECK(isinf(sums.mean) && isinf(sums.abs_g) && isinf(sums.max_abs_g) && sums.h == (double)n);
        weights[n - 1] = 0;
        sums = mxb__training_kernels()->squared(&block);
        CHECK_NEAR(sums.mean, 4 * (double)(n - 1) / 20, 1e-14);
    }
}

int main(void) {
    RUN(bits_are_those_of_the_stated_order);
    RUN(exp_is_the_librarys_everywhere);
    RUN(infinities_are_told);
    return check_report();
}
