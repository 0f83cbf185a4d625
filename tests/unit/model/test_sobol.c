/* The total indices of sums of cosines: against the double sum of the definition, an integral, and closed cases. */
#include "check.h"
#include "model/sobol.h"
#include "unit/model/make_model.h"

enum { MAX_D = 6, MAX_C = 40 };

static const long double PI = 3.14159265358979323846264338327950288L;

/* ---- the slow twin: every pair, in long double, with libm's functions ---- */

static long double frequency(const struct projection *projection, uint32_t f, uint32_t j) {
    return 2 * PI * (long double)projection->weights[(size_t)f * projection->n_components + j];
}

static long double pair_index(const struct projection *projection, uint32_t f, uint32_t j, uint32_t k) {
    long double minus = 0, plus = 0, uf = frequency(projection, f, j) * frequency(projection, f, k);
    long double bj = 2 * PI * (long double)projection->phases[j], bk = 2 * PI * (long double)projection->phases[k];
    for (uint32_t g = 0; g < projection->n_features; g++) {
        long double uj = frequency(projection, g, j), uk = frequency(projection, g, k);
        minus -= (uj - uk) * (uj - uk) / 2;
        plus -= (uj + uk) * (uj + uk) / 2;
    }
    return cosl(bj - bk) * (expl(minus) - expl(minus - uf)) + cosl(bj + bk) * (expl(plus) - expl(plus + uf));
}

static double naive_index(const struct projection *projection, const double *weights, uint32_t f) {
    long double sum = 0;
    for (uint32_t j = 0; j < projection->n_components; j++) {
        for (uint32_t k = 0; k < projection->n_components; k++) {
            sum += (long double)weights[j] * (long double)weights[k] * pair_index(projection, f, j, k) / 2;
        }
    }
    return (double)sum;
}

/* ---- projections ---- */

/* Frequencies of standard deviation sqrt(2 gamma), as the fourier learner draws them. */
static struct projection draw_projection(uint32_t d, uint32_t c, double gamma, double *weights) {
    struct projection projection = make_projection(d, c);
    for (size_t i = 0; i < (size_t)d * c; i++) {
        double normal = mxb__random_normal(make_stream, make_index++);
        projection.weights[i] = mxb__factor(sqrt(2 * gamma) / 6.283185307179586 * normal);
    }
    for (uint32_t j = 0; j < c; j++) {
        weights[j] = make_number() / 2;
    }
    return projection;
}

static double sum_of(const double *values, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum;
}

/* ---- tests ---- */

static void pairs_are_the_definition(void) {
    static const double gammas[] = {1e-4, 0.05, 0.5, 10};
    for (uint32_t k = 0; k < 40; k++) {
        uint32_t d = 1 + k % MAX_D, c = 1 + (7 * k) % MAX_C;
        double weights[MAX_C], scratch[8 * MAX_C], indices[MAX_D];
        struct projection projection = draw_projection(d, c, gammas[k % 4], weights);
        mxb__sobol_from_pairs(&projection, weights, scratch, indices);
        for (uint32_t f = 0; f < d; f++) {
            /* Cosines of phases are float32; sums of moments are in units of the largest. */
            double expected = naive_index(&projection, weights, f);
            CHECK_NEAR(indices[f], expected, 1e-5 * expected + 1e-12 * c * c);
        }
        mxb__projection_clear(&projection);
    }
}

/* The definition itself: the mean over the other inputs of the variance along one, by sums over a grid of two inputs.
 */
static void indices_are_variances(void) {
    enum { C = 5, N = 400 };
    double weights[C], scratch[8 * C], indices[2], values[N][N], density[N], total = 0;
    struct projection projection = draw_projection(2, C, 0.3, weights);
    mxb__sobol_from_pairs(&projection, weights, scratch, indices);
    for (int a = 0; a < N; a++) {
        double x = 16.0 * a / (N - 1) - 8;
        density[a] = exp(-x * x / 2);
        total += density[a];
        for (int b = 0; b < N; b++) {
            double y = 16.0 * b / (N - 1) - 8;
            values[a][b] = 0;
            for (int j = 0; j < C; j++) {
                double turns = x * (double)projection.weights[j] + y * (double)projection.weights[C + j];
                values[a][b] += weights[j] * cos(6.283185307179586 * (turns + (double)projection.phases[j]));
            }
        }
    }
    double variances[2] = {0, 0};
    for (int a = 0; a < N; a++) { /* along the second input where the first is a; and the other way round */
        double mean[2] = {0, 0}, square[2] = {0, 0};
        for (int b = 0; b < N; b++) {
            for (int f = 0; f < 2; f++) {
                double value = f == 1 ? values[a][b] : values[b][a];
                mean[f] += density[b] / total * value;
                square[f] += density[b] / total * value * value;
            }
        }
        for (int f = 0; f < 2; f++) {
            variances[f] += density[a] / total * (square[f] - mean[f] * mean[f]);
        }
    }
    for (int f = 0; f < 2; f++) {
        CHECK_NEAR(indices[f], variances[f], 1e-5 * variances[f]);
    }
    mxb__projection_clear(&projection);
}

/* cos(2 pi (x W + phase)) of one input, in closed form; inputs of frequency 0 have no part at all. */
static void one_component(void) {
    float weights[3] = {0, 0.3f, 0}, phase = 0.1f;
    struct projection projection = {.n_components = 1, .n_features = 3, .weights = weights, .phases = &phase};
    double weight = -0.5, scratch[8], pairs[3], rows[3];
    double u = 6.283185307179586 * 0.3f, b = 6.283185307179586 * 0.1f;
    double mean = weight * exp(-u * u / 2) * cos(b);
    double variance = weight * weight * (1 + exp(-2 * u * u) * cos(2 * b)) / 2 - mean * mean;
    mxb__sobol_from_pairs(&projection, &weight, scratch, pairs);
    mxb__sobol_from_rows(&projection, &weight, scratch, rows);
    CHECK_NEAR(pairs[1], variance, 1e-6 * variance);
    CHECK_NEAR(rows[1], variance, 0.1 * variance);
    CHECK(pairs[0] == 0 && pairs[2] == 0 && rows[0] == 0 && rows[2] == 0);
}

/* The estimate is right to some percent, whatever the width, and the same every time. */
static void rows_are_close_to_pairs(void) {
    static const double gammas[] = {1e-4, 0.05, 0.5, 10};
    for (uint32_t k = 0; k < 8; k++) {
        double weights[MAX_C], scratch[8 * MAX_C], pairs[MAX_D], rows[MAX_D], again[MAX_D];
        struct projection projection = draw_projection(MAX_D, MAX_C, gammas[k % 4], weights);
        mxb__sobol_from_pairs(&projection, weights, scratch, pairs);
        mxb__sobol_from_rows(&projection, weights, scratch, rows);
        mxb__sobol_from_rows(&projection, weights, scratch, again);
        for (uint32_t f = 0; f < MAX_D; f++) {
            CHECK_NEAR(rows[f], pairs[f], 0.2 * pairs[f]);
            CHECK(rows[f] == again[f]);
        }
        mxb__projection_clear(&projection);
    }
}

/* Few components are summed in pairs, also where there are many features; many are measured at rows. */
static void either_way(void) {
    enum { WIDE = 134 };
    static const struct {
        uint32_t d, c;
        int by_rows;
    } cases[] = {{2, 300, 0}, {WIDE, 500, 0}, {2, 6000, 1}};
    for (int k = 0; k < 3; k++) {
        uint32_t d = cases[k].d, c = cases[k].c;
        double *weights = make_block(c, sizeof *weights), *scratch = make_block(8 * (size_t)c, sizeof *scratch);
        double indices[WIDE], expected[WIDE];
        struct projection projection = draw_projection(d, c, 0.5 / d, weights);
        mxb_error error;
        for (uint32_t j = 0; j < c; j++) {
            weights[j] *= 1e300;
        }
        OK(mxb__sobol_indices(&projection, weights, indices, &error), error);
        for (uint32_t j = 0; j < c; j++) {
            weights[j] *= 1e-300;
        }
        if (cases[k].by_rows) {
            mxb__sobol_from_rows(&projection, weights, scratch, expected);
        } else {
            mxb__sobol_from_pairs(&projection, weights, scratch, expected);
        }
        CHECK_NEAR(indices[0] / sum_of(indices, d), expected[0] / sum_of(expected, d), 1e-9);
        mxb__memory_fail_at(1, 0);
        CHECK_INT(mxb__sobol_indices(&projection, weights, indices, &error), MXB_ERROR_MEMORY);
        mxb__memory_fail_at(0, 0);
        mxb__projection_clear(&projection);
        mxb__free(weights);
        mxb__free(scratch);
    }
}

/* Any numbers that a model file may hold: finite, not negative. */
static void extremes(void) {
    static const float sizes[] = {0, 1e-45f, 3e-9f, 1e10f, 3e38f};
    for (int k = 0; k < 100; k++) {
        struct projection projection = make_projection(3, 10);
        double weights[10], scratch[80], rows[3], indices[3];
        mxb_error error;
        for (int i = 0; i < 30; i++) { /* near or equal to each other, or far apart */
            float size = sizes[k % 2 == 0 ? k / 2 % 5 : (int)make_below(5)];
            projection.weights[i] = mxb__factor((double)size * (make_below(2) == 0 ? 1 : make_number() / 2));
        }
        for (int j = 0; j < 10; j++) {
            weights[j] = make_number() / 2;
        }
        mxb__sobol_from_rows(&projection, weights, scratch, rows);
        OK(mxb__sobol_indices(&projection, weights, indices, &error), error);
        for (int f = 0; f < 3; f++) {
            CHECK(isfinite(indices[f]) && indices[f] >= 0 && isfinite(rows[f]) && rows[f] >= 0);
        }
        mxb__projection_clear(&projection);
    }
    struct projection constant = make_projection(2, 3);
    double zeros[3] = {0}, indices[2];
    mxb_error error;
    OK(mxb__sobol_indices(&constant, zeros, indices, &error), error);
    CHECK(indices[0] == 0 && indices[1] == 0);
    mxb__projection_clear(&constant);
}

int main(void) {
    make_stream = mxb__random_stream(5, RANDOM_ROWS, 0);
    RUN(pairs_are_the_definition);
    RUN(indices_are_variances);
    RUN(one_component);
    RUN(rows_are_close_to_pairs);
    RUN(either_way);
    RUN(extremes);
    return check_report();
}
