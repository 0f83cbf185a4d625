/* The ridge rounds on random Fourier features, against the normal equations by elimination in long double. The source
 * is included so that the way without a cache, which only huge data take, can be walked on small ones. */
#include "learner/learner.h"
#define mxb__fourier_learner included_fourier_learner
#include "learner/fourier/fourier_learner.c"
#undef mxb__fourier_learner

#include "check.h"
#include "unit/learner/make_fit.h"
#include "unit/learner/naive_solve.h"

/* The features of all rows, as the kernels define them. */
static float *features_of(const struct fit_case *fit) {
    size_t n = fit->prepared->n_rows;
    size_t d = fit->prepared->n_features;
    const struct projection *projection = &fit->model->projections[0];
    float *inputs = calloc(n * d, sizeof *inputs);
    float *z = calloc(n * projection->n_components, sizeof *z);
    for (size_t f = 0; f < d; f++) {
        for (size_t i = 0; i < n; i++) {
            double x;
            mxb__column_read(fit->prepared->view, &fit->prepared->view->columns[f], i, 1, &x);
            inputs[i * d + f] = mxb__scale_value(fit->prepared->scaling.kind, &fit->prepared->scaling.features[f], x);
        }
    }
    mxb__kernels()->project(inputs, n, projection->weights, projection->phases, d, projection->n_components,
                            mxb__projection_amplitude(projection->n_components), z);
    free(inputs);
    return z;
}

/* (Z'HZ + alpha I) w = -Z'g with the intercept last, not penalised. */
static void naive_ridge(const struct fit_case *fit, const float *z, double *w) {
    size_t c = fit->options.n_components;
    size_t m = c + (fit->options.fit_intercept ? 1 : 0);
    long double *a = calloc(m * m, sizeof *a);
    long double *b = calloc(m, sizeof *b);
    long double *row = calloc(m, sizeof *row);
    for (size_t i = 0; i < fit->prepared->n_rows; i++) {
        for (size_t j = 0; j < m; j++) {
            row[j] = j < c ? (long double)z[i * c + j] : 1.0L;
        }
        for (size_t j = 0; j < m; j++) {
            b[j] -= (long double)fit->g[i] * row[j];
            for (size_t k = 0; k < m; k++) {
                a[j * m + k] += (long double)fit->h[i] * row[j] * row[k];
            }
        }
    }
    for (size_t j = 0; j < c; j++) {
        a[j * m + j] += (long double)fit->options.alpha;
    }
    double *a_double = calloc(m * m, sizeof *a_double);
    double *b_double = calloc(m, sizeof *b_double);
    for (size_t j = 0; j < m * m; j++) {
        a_double[j] = (double)a[j];
    }
    for (size_t j = 0; j < m; j++) {
        b_double[j] = (double)b[j];
    }
    w[c] = 0.0;
    naive_solve(a_double, b_double, m, w);
    free(a);
    free(b);
    free(row);
    free(a_double);
    free(b_double);
}

static double largest_of(const double *values, size_t n) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

/* Twice what the oracle's weights take off the quadratic approximation and the penalty, which the best constant alone
 * would not. */
static double naive_gain(const struct fit_case *fit, const float *z, const double *w) {
    size_t c = fit->options.n_components;
    long double loss = 0.0L, sum_g = 0.0L, sum_h = 0.0L;
    for (size_t i = 0; i < fit->prepared->n_rows; i++) {
        long double value = (long double)w[c];
        for (size_t j = 0; j < c; j++) {
            value += (long double)w[j] * (long double)z[i * c + j];
        }
        loss += (long double)fit->g[i] * value + (long double)fit->h[i] * value * value / 2;
        sum_g += (long double)fit->g[i];
        sum_h += (long double)fit->h[i];
    }
    for (size_t j = 0; j < c; j++) {
        loss += (long double)fit->options.alpha * (long double)w[j] * (long double)w[j] / 2;
    }
    return (double)(-2 * loss - (fit->options.fit_intercept ? sum_g * sum_g / sum_h : 0.0L));
}

/* Weights as the oracle's, and the step as the term's prediction. */
static void check_fit(const struct fit_case *fit, const struct term *term, double tolerance) {
    size_t n = fit->prepared->n_rows;
    size_t c = fit->options.n_components;
    float *z = features_of(fit);
    double *w = calloc(c + 1, sizeof *w);
    double *values = calloc(n, sizeof *values);
    naive_ridge(fit, z, w);
    double largest = largest_of(w, c + 1);
    CHECK_INT(term->kind, TERM_FOURIER);
    CHECK_INT(term->n_outputs, 1);
    CHECK_INT(term->fourier.projection, 0);
    CHECK(fit->options.fit_intercept || term->fourier.intercept == 0.0);
    double gain = naive_gain(fit, z, w);
    CHECK(gain > 0.0);
    CHECK_NEAR(term->fourier.gain, gain, 10 * tolerance * gain);
    for (size_t j = 0; j <= c; j++) {
        CHECK_NEAR(j < c ? term->fourier.weights[j] : term->fourier.intercept, w[j], tolerance * largest);
    }
    CHECK_INT(mxb__model_add_term_values(fit->model, term, fit->prepared->view, NULL, values, NULL), MXB_OK);
    double size = largest * (double)c;
    for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(fit->step[i], values[i], 1e-12 * fabs(values[i]) + 1e-15 * size);
    }
    free(z);
    free(w);
    free(values);
}

/* Gradients as logloss has them at random scores, with weights. */
static void logistic_gradients(struct fit_case *fit, uint64_t seed, int weighted) {
    struct dice dice = {seed};
    for (size_t i = 0; i < fit->prepared->n_rows; i++) {
        double p = 1.0 / (1.0 + exp(-3.0 * dice_normal(&dice)));
        double weight = weighted ? exp(2.0 * dice_normal(&dice)) : 1.0;
        fit->g[i] = weight * (p - (dice_uniform(&dice) < 0.4 ? 1.0 : 0.0));
        fit->h[i] = weight * p * (1.0 - p);
    }
    fit_measure(fit);
}

static void weights_equal_elimination(void) {
    const double alphas[] = {0.0, 1e-6, 1e-3, 1.0, 1e3};
    for (uint32_t k = 0; k < 40; k++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.alpha = alphas[k % 5];
        options.fit_intercept = k / 5 % 2;
        options.n_components = options.alpha < 1e-3 ? 6 : 17;
        options.gamma = 0.5;
        options.seed = k;
        struct data_recipe recipe = {.n_rows = k % 3 == 0 ? 2500 : 300, .n_features = 3, .seed = k, .missing = 0.05};
        enum scaling_kind scaling = (enum scaling_kind)(k % 3);
        REQUIRE(fit_open(&fit, data_make(recipe), options, 256, scaling));
        if (k / 10 % 2 == 1) {
            logistic_gradients(&fit, k, k / 20 == 1);
        }
        CHECK_INT(fit_run(&fit, &mxb__fourier_learner, 1, 0, &term), MXB_OK);
        CHECK_INT(fit.model->n_projections, 1);
        CHECK_INT(term.fourier.repaired, 0);
        check_fit(&fit, &term, 1e-9);
        mxb__term_clear(&term);
        fit_close(&fit);
    }
}

/* A gain is of the whole step, whatever part of it is taken; a constant alone gains nothing beyond itself. */
static void gains(void) {
    double all = 0.0;
    for (int k = 0; k < 3; k++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.learning_rate = k == 0 ? 1.0 : 0.01;
        REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 300, .n_features = 3, .seed = 1}), options, 256,
                         SCALING_RANK));
        for (size_t i = 0; i < 300 && k == 2; i++) {
            fit.g[i] = -5.0;
        }
        fit_measure(&fit);
        CHECK_INT(fit_run(&fit, &mxb__fourier_learner, 1, 0, &term), MXB_OK);
        all = k == 0 ? term.fourier.gain : all;
        CHECK(all > 0.0);
        CHECK_NEAR(term.fourier.gain, k < 2 ? all : 0.0, k < 2 ? 0.0 : 1e-9);
        mxb__term_clear(&term);
        fit_close(&fit);
    }
}

/* Above 2^15 rows h z is rounded to float32: 6e-8 of each product, at random. */
static void many_rows_stay_close_to_elimination(void) {
    for (int logistic = 0; logistic < 2; logistic++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.n_components = 12;
        options.alpha = 0.1;
        options.tree_n_threads = options.ridge_n_threads = options.kernel_n_threads = 2;
        REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 33000, .n_features = 2, .seed = 5}), options,
                         256, SCALING_NONE));
        if (logistic) {
            logistic_gradients(&fit, 7, 1);
        }
        CHECK_INT(fit_run(&fit, &mxb__fourier_learner, 1, 0, &term), MXB_OK);
        check_fit(&fit, &term, 1e-5);
        mxb__term_clear(&term);
        fit_close(&fit);
    }
}

/* ---- the projection ---- */

/* Opens a case with a drawn projection. */
static int open_projection(struct fit_case *fit, uint32_t n_components, double gamma, uint64_t seed) {
    struct learner_options options = fit_options();
    options.n_components = n_components;
    options.gamma = gamma;
    options.seed = seed;
    struct data_recipe recipe = {.n_rows = 30, .n_features = 4, .seed = 99};
    if (!fit_open(fit, data_make(recipe), options, 256, SCALING_NONE)) {
        return 0;
    }
    mxb_status status =
        draw_projection(&(struct fit_input){.prepared = fit->prepared, .options = &options, .model = fit->model}, NULL);
    return status == MXB_OK;
}

/* Root of the mean squared error of z(x).z(x') over pairs of rows and some seeds. */
static double kernel_error(uint32_t n_components, double gamma) {
    double sum = 0.0;
    double count = 0.0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct fit_case fit;
        if (!open_projection(&fit, n_components, gamma, seed)) {
            return (double)NAN;
        }
        float *z = features_of(&fit);
        for (size_t a = 0; a < 30; a++) {
            for (size_t b = 0; b < a; b++) {
                double distance = 0.0;
                double dot = 0.0;
                for (size_t f = 0; f < 4; f++) {
                    distance += pow(fit.data.x[f * 30 + a] - fit.data.x[f * 30 + b], 2.0);
                }
                for (size_t j = 0; j < n_components; j++) {
                    dot += (double)z[a * n_components + j] * (double)z[b * n_components + j];
                }
                sum += pow(dot - exp(-gamma * distance), 2.0);
                count++;
            }
        }
        free(z);
        fit_close(&fit);
    }
    return sqrt(sum / count);
}

/* The variance of one pair is (2/c) Var(cos cos), between 1/4 c and 3/2 c. */
static void features_approach_the_kernel(void) {
    const double gammas[] = {0.01, 0.3, 2.0};
    for (size_t k = 0; k < 3; k++) {
        for (uint32_t c = 50; c <= 12800; c *= 16) {
            double error = kernel_error(c, gammas[k]);
            CHECK(error * sqrt((double)c) > 0.3 && error * sqrt((double)c) < 1.6);
        }
    }
}

static void draws_do_not_depend_on_their_number(void) {
    struct fit_case few;
    struct fit_case many;
    REQUIRE(open_projection(&few, 7, 0.3, 5));
    REQUIRE(open_projection(&many, 64, 0.3, 5));
    for (size_t j = 0; j < 7; j++) {
        CHECK(few.model->projections[0].phases[j] == many.model->projections[0].phases[j]);
        for (size_t f = 0; f < 4; f++) {
            CHECK(few.model->projections[0].weights[f * 7 + j] == many.model->projections[0].weights[f * 64 + j]);
        }
    }
    fit_close(&few);
    fit_close(&many);
}

/* N(0, 2 gamma) for frequencies (kept in turns), U[0, 1) turns for phases; another seed, other draws. */
static void draws_have_their_distributions(void) {
    struct fit_case fit;
    struct fit_case other;
    enum { C = 5000 };
    double gamma = 0.7;
    REQUIRE(open_projection(&fit, C, gamma, 1));
    REQUIRE(open_projection(&other, C, gamma, 2));
    const struct projection *projection = &fit.model->projections[0];
    double sums[4] = {0};
    for (size_t i = 0; i < 4 * C; i++) {
        double frequency = 6.283185307179586 * (double)projection->weights[i];
        sums[0] += frequency;
        sums[1] += frequency * frequency;
    }
    for (size_t j = 0; j < C; j++) {
        double phase = (double)projection->phases[j];
        CHECK(phase >= 0.0 && phase <= 1.0);
        sums[2] += phase;
        sums[3] += phase * phase;
    }
    CHECK_NEAR(sums[0] / (4 * C), 0.0, 5.0 * sqrt(2.0 * gamma / (4 * C)));
    CHECK_NEAR(sums[1] / (4 * C), 2.0 * gamma, 5.0 * 2.0 * gamma * sqrt(2.0 / (4 * C)));
    CHECK_NEAR(sums[2] / C, 0.5, 5.0 * sqrt(1.0 / 12.0 / C));
    CHECK_NEAR(sums[3] / C, 1.0 / 3.0, 5.0 * sqrt(4.0 / 45.0 / C));
    CHECK(memcmp(projection->weights, other.model->projections[0].weights, C * sizeof(float)) != 0);
    fit_close(&fit);
    fit_close(&other);
}

/* ---- what is kept between rounds ---- */

/* Fits one round on a new workspace and on a used one; both must give the same bits. */
static void check_reuse(int constant_hessian, int fit_intercept) {
    struct fit_case used;
    struct fit_case fresh;
    struct term term;
    struct learner_options options = fit_options();
    struct data_recipe recipe = {.n_rows = 3000, .n_features = 3, .seed = 8};
    options.fit_intercept = fit_intercept;
    REQUIRE(fit_open(&used, data_make(recipe), options, 256, SCALING_RANK));
    used.input.constant_hessian = constant_hessian;
    for (uint32_t round = 1; round <= 4; round++) {
        REQUIRE(fit_open(&fresh, data_make(recipe), options, 256, SCALING_RANK));
        struct dice dice = {round};
        for (size_t i = 0; i < 3000; i++) {
            used.g[i] = dice_normal(&dice) * pow(10.0, 3.0 * round);
            used.h[i] = constant_hessian ? 0.7 : dice_uniform(&dice);
        }
        fit_measure(&used);
        memcpy(fresh.g, used.g, 3000 * sizeof *fresh.g);
        memcpy(fresh.h, used.h, 3000 * sizeof *fresh.h);
        fit_measure(&fresh);
        CHECK_INT(fit_run(&used, &mxb__fourier_learner, round, 0, &term), MXB_OK);
        struct term expected;
        CHECK_INT(fit_run(&fresh, &mxb__fourier_learner, round, 0, &expected), MXB_OK);
        CHECK_INT(used.model->n_projections, 1);
        CHECK(memcmp(term.fourier.weights, expected.fourier.weights, 16 * sizeof(double)) == 0);
        CHECK(term.fourier.intercept == expected.fourier.intercept);
        CHECK(term.fourier.gain == expected.fourier.gain && term.fourier.gain > 0.0);
        CHECK(memcmp(used.step, fresh.step, 3000 * sizeof(double)) == 0);
        mxb__term_clear(&term);
        mxb__term_clear(&expected);
        fit_close(&fresh);
    }
    fit_close(&used);
}

static void later_rounds_equal_fresh_ones(void) {
    check_reuse(0, 0);
    check_reuse(0, 1);
    check_reuse(1, 0);
    check_reuse(1, 1);
}

static void no_cache_gives_the_same_bits(void) {
    struct fit_case fit;
    struct term term;
    struct learner_options options = fit_options();
    options.tree_n_threads = options.ridge_n_threads = options.kernel_n_threads = 3;
    struct data_recipe recipe = {.n_rows = 5000, .n_features = 3, .seed = 8, .missing = 0.1};
    REQUIRE(fit_open(&fit, data_make(recipe), options, 256, SCALING_STANDARD));
    fit.input.valid = fit.data.dataset;
    logistic_gradients(&fit, 3, 1);
    CHECK_INT(fit_run(&fit, &mxb__fourier_learner, 1, 0, &term), MXB_OK);

    struct fourier_state state;
    double *step = calloc(5000, sizeof *step);
    double *valid_step = calloc(5000, sizeof *valid_step);
    memset(fit.workspace, 0, 64);
    carve(&state, &fit.input, fit.workspace);
    REQUIRE(state.train.cache != NULL && state.valid.cache != NULL);
    state.z = state.train.cache; /* 5,000 rows: room for a block of each of three threads */
    state.train.cache = state.valid.cache = NULL;
    state.projection = &fit.model->projections[0];
    take_rows(&state, &state.train, &state.memory->is_cached);
    solve(&state);
    add_values(&state, step);
    take_rows(&state, &state.valid, &state.memory->valid_is_cached);
    add_values(&state, valid_step);
    CHECK_INT(state.memory->is_cached, 0);
    CHECK_INT(state.memory->valid_is_cached, 0);
    CHECK(memcmp(state.solution, term.fourier.weights, 16 * sizeof(double)) == 0);
    CHECK(memcmp(step, fit.step, 5000 * sizeof(double)) == 0);
    CHECK(memcmp(valid_step, fit.step, 5000 * sizeof(double)) == 0);
    free(step);
    free(valid_step);
    mxb__term_clear(&term);
    fit_close(&fit);
}

static void threads_change_nothing(void) {
    double *steps[2] = {calloc(70000, sizeof **steps), calloc(70000, sizeof **steps)};
    const uint32_t threads[] = {1, 2, 3, 8};
    for (size_t t = 0; t < 4; t++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.n_components = 5;
        options.tree_n_threads = options.ridge_n_threads = options.kernel_n_threads = threads[t];
        REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 70000, .n_features = 2, .seed = 8}), options,
                         256, SCALING_NONE));
        CHECK_INT(fit_run(&fit, &mxb__fourier_learner, 1, 0, &term), MXB_OK);
        memcpy(steps[t > 0], fit.step, 70000 * sizeof **steps);
        CHECK(t == 0 || memcmp(steps[0], steps[1], 70000 * sizeof **steps) == 0);
        mxb__term_clear(&term);
        fit_close(&fit);
    }
    free(steps[0]);
    free(steps[1]);
}

/* ---- extremes: finite in, finite out, and never for ever ---- */

static void extremes_stay_finite(void) {
    const double gs[] = {0.0, 1.0, 1e300, 1e-300, 5e-324};
    const double hs[] = {1.0, 1e290, 1e-290, 1e-310, 5e-324};
    const double alphas[] = {0.0, 1e-300, 1e300};
    for (size_t k = 0; k < 5 * 5 * 3; k++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.alpha = alphas[k % 3];
        options.fit_intercept = k % 2 == 0;
        options.n_components = 20; /* more than rows: singular without alpha */
        REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 10, .n_features = 2, .seed = k}), options, 256,
                         SCALING_RANK));
        for (size_t i = 0; i < 10; i++) {
            fit.g[i] = (i % 2 == 0 ? 1.0 : -0.3) * gs[k / 15];
            fit.h[i] = hs[k / 3 % 5];
        }
        fit_measure(&fit);
        CHECK_INT(fit_run(&fit, &mxb__fourier_learner, 1, 0, &term), MXB_OK);
        CHECK(isfinite(term.fourier.intercept));
        CHECK(isfinite(term.fourier.gain) && term.fourier.gain >= 0.0);
        for (size_t j = 0; j < 20; j++) {
            CHECK(isfinite(term.fourier.weights[j]));
        }
        for (size_t i = 0; i < 10; i++) {
            CHECK(isfinite(fit.step[i]));
        }
        CHECK(options.alpha != 0.0 || term.fourier.repaired > 0);
        mxb__term_clear(&term);
        fit_close(&fit);
    }
}

static void failed_allocations_leak_nothing(void) {
    struct fit_case fit;
    struct term term;
    REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .seed = 1}), fit_options(),
                     256, SCALING_NONE));
    fit.input.options = &fit.options;
    size_t n_bytes = included_fourier_learner.workspace_bytes(&fit.input);
    REQUIRE(mxb__alloc(&fit.workspace, n_bytes, 1, "a test", NULL) == MXB_OK);
    memset(fit.workspace, 0, 64);
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 1;
    for (; n < 20 && status != MXB_OK; n++) {
        mxb__memory_fail_at(n, 0);
        status = fit_run(&fit, &mxb__fourier_learner, 1, 0, &term);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || status == MXB_ERROR_MEMORY);
    }
    CHECK_INT(status, MXB_OK);
    CHECK(n > 2);
    check_fit(&fit, &term, 1e-9);
    mxb__term_clear(&term);
    fit_close(&fit);
}

int main(void) {
    RUN(weights_equal_elimination);
    RUN(gains);
    RUN(many_rows_stay_close_to_elimination);
    RUN(features_approach_the_kernel);
    RUN(draws_do_not_depend_on_their_number);
    RUN(draws_have_their_distributions);
    RUN(later_rounds_equal_fresh_ones);
    RUN(no_cache_gives_the_same_bits);
    RUN(threads_change_nothing);
    RUN(extremes_stay_finite);
    RUN(failed_allocations_leak_nothing);
    return check_report();
}
