/* The ridge rounds on random Fourier features, against the normal equations by elimination in long double. */
#include "learner/learner.h"

#include "base/memory.h"
#include "check.h"
#include "learner/fourier/projection_bank.h"
#include "unit/learner/make_features.h"
#include "unit/learner/naive_solve.h"

/* What a weight is penalised by. */
static double naive_alpha(const struct fit_case *fit, size_t component) {
    return fit->options.alpha * mxb__bank_penalty(&fit->model->projections[0], (uint32_t)component);
}

/* (Z'HZ + A) w = -Z'g with the intercept last, not penalised. */
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
        a[j * m + j] += (long double)naive_alpha(fit, j);
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
        loss += (long double)naive_alpha(fit, j) * (long double)w[j] * (long double)w[j] / 2;
    }
    return (double)(-2 * loss - (fit->options.fit_intercept ? sum_g * sum_g / sum_h : 0.0L));
}

/* Weights as the oracle's, and the step as the term's prediction. */
static void check_fit(const struct fit_case *fit, const struct term *term, double tolerance) {
    size_t n = fit->prepared->n_rows;
    size_t c = fit->options.n_components;
    float *z = naive_features(fit, term->fourier.projection);
    double *w = calloc(c + 1, sizeof *w);
    double *values = calloc(n, sizeof *values);
    naive_ridge(fit, z, w);
    double largest = largest_of(w, c + 1);
    CHECK_INT(term->kind, TERM_FOURIER);
    CHECK_INT(term->n_outputs, 1);
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
        options.takes_inputs = k / 3 % 2;
        options.seed = k;
        struct data_recipe recipe = {.n_rows = k % 3 == 0 ? 2500 : 300, .n_features = 3, .seed = k, .missing = 0.05};
        enum scaling_kind scaling = (enum scaling_kind)(k % 3);
        REQUIRE(fit_open(&fit, data_make(recipe), options, 256, scaling));
        if (k / 10 % 2 == 1) {
            logistic_gradients(&fit, k, k / 20 == 1);
        }
        CHECK_INT(fit_run(&fit, &mxb__fourier_learner, 1, 0, &term), MXB_OK);
        CHECK_INT(fit.model->n_projections, 1);
        CHECK_INT(term.repaired, 0);
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
        CHECK_INT(mxb__model_add_term(used.model, &term, NULL), MXB_OK);
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

/* ---- a bank of projections ---- */

enum { BANK_ROWS = 2300, BANK_VALID = 1300, BANK_ROUNDS = 40, BANK_COMPONENTS = 16 };

/* Gradients of a round: hessians are the same in all rounds, or not. */
static void bank_gradients(struct fit_case *fit, uint32_t round, int constant_hessian) {
    struct dice dice = {round};
    for (size_t i = 0; i < BANK_ROWS; i++) {
        fit->g[i] = dice_normal(&dice) - fit->data.y[i];
        fit->h[i] = constant_hessian ? 0.3 + (double)(i % 5) : dice_uniform(&dice);
    }
    fit_measure(fit);
}

static int bank_open(struct fit_case *fit, int constant_hessian, size_t fourier_bytes, uint32_t n_threads) {
    struct learner_options options = fit_options();
    options.n_projections = 4;
    options.learns_metric = 1;
    options.gamma = (double)NAN;
    options.fourier_bytes = fourier_bytes;
    options.tree_n_threads = options.ridge_n_threads = options.kernel_n_threads = n_threads;
    struct data_recipe recipe = {.n_rows = BANK_ROWS, .n_features = 3, .seed = 8, .missing = 0.1};
    int fine = fit_open(fit, data_make(recipe), options, 256, SCALING_RANK);
    fit->input.constant_hessian = constant_hessian;
    return fine;
}

static int same_terms(const struct term *a, const struct term *b) {
    return a->fourier.projection == b->fourier.projection && a->fourier.intercept == b->fourier.intercept &&
           a->fourier.gain == b->fourier.gain && a->repaired == b->repaired &&
           memcmp(a->fourier.weights, b->fourier.weights, BANK_COMPONENTS * sizeof(double)) == 0;
}

/* Each round, with all that was kept, against one with a new workspace that goes on from a copy of the model. */
static void check_bank(int constant_hessian) {
    struct fit_case used;
    struct fit_case fresh;
    REQUIRE(bank_open(&used, constant_hessian, (size_t)512 << 20, 1));
    REQUIRE(bank_open(&fresh, constant_hessian, 0, 1));
    for (uint32_t round = 1; round <= BANK_ROUNDS; round++) {
        struct term term, expected;
        mxb_model_free(fresh.model);
        REQUIRE(fit_copy_rounds(used.model, round - 1, &fresh.model));
        if (round == 1) {
            REQUIRE(mxb__scaling_copy(&fresh.model->scaling, &used.model->scaling, NULL) == MXB_OK);
        }
        fresh.input.model = fresh.model;
        mxb__free(fresh.workspace);
        fresh.workspace = NULL;
        bank_gradients(&used, round, constant_hessian);
        bank_gradients(&fresh, round, constant_hessian);
        REQUIRE(fit_run(&used, &mxb__fourier_learner, round, 0, &term) == MXB_OK);
        REQUIRE(fit_run(&fresh, &mxb__fourier_learner, round, 0, &expected) == MXB_OK);
        CHECK(same_terms(&term, &expected));
        CHECK(memcmp(used.step, fresh.step, BANK_ROWS * sizeof(double)) == 0);
        check_fit(&used, &term, 1e-9);
        mxb__term_clear(&expected);
        REQUIRE(mxb__model_add_term(used.model, &term, NULL) == MXB_OK);
    }
    CHECK(used.model->n_projections > 8 && used.model->n_projections <= 16);
    fit_close(&used);
    fit_close(&fresh);
}

static void rounds_of_a_bank_equal_fresh_ones(void) {
    check_bank(0);
    check_bank(1);
}

/* Where hessians are said to stay the same, a slot's factor serves all its rounds: none looks at them again. */
static void factors_are_kept(void) {
    struct fit_case fits[2];
    for (int k = 0; k < 2; k++) {
        REQUIRE(bank_open(&fits[k], 1, (size_t)512 << 20, 1));
        fits[k].options.learns_metric = 0;
    }
    for (uint32_t round = 1; round <= BANK_ROUNDS; round++) {
        struct term terms[2];
        for (int k = 0; k < 2; k++) {
            bank_gradients(&fits[k], round, 1);
            for (size_t i = 0; k == 1 && fits[k].model->n_projections == 4 && i < BANK_ROWS; i++) {
                fits[k].h[i] = (double)NAN;
            }
            REQUIRE(fit_run(&fits[k], &mxb__fourier_learner, round, 0, &terms[k]) == MXB_OK);
            REQUIRE(mxb__model_add_term(fits[k].model, &terms[k], NULL) == MXB_OK);
        }
        CHECK(same_terms(&terms[0], &terms[1]));
    }
    CHECK_INT(fits[1].model->n_projections, 4);
    fit_close(&fits[0]);
    fit_close(&fits[1]);
}

/* All rounds of a training with so much room, their steps on training and validation rows one after the other. */
static double *run_bank(int constant_hessian, size_t fourier_bytes, uint32_t n_threads, mxb_model **model) {
    struct fit_case fit;
    double *steps = calloc(BANK_ROUNDS * (BANK_ROWS + BANK_VALID), sizeof *steps);
    struct made_data valid = data_make((struct data_recipe){.n_rows = BANK_VALID, .n_features = 3, .seed = 9});
    int fine = bank_open(&fit, constant_hessian, fourier_bytes, n_threads);
    fit.input.valid = valid.dataset;
    for (uint32_t round = 1; fine && round <= BANK_ROUNDS; round++) {
        struct term term;
        double *step = steps + (round - 1) * (BANK_ROWS + BANK_VALID);
        bank_gradients(&fit, round, constant_hessian);
        fine = fit_run(&fit, &mxb__fourier_learner, round, 0, &term) == MXB_OK;
        memcpy(step, fit.step, BANK_ROWS * sizeof *step);
        fine =
            fine && mxb__fourier_learner.add_valid(&fit.input, &term, fit.workspace, step + BANK_ROWS, NULL) == MXB_OK;
        fine = fine && mxb__model_add_term(fit.model, &term, NULL) == MXB_OK;
    }
    CHECK(fine);
    *model = fit.model;
    fit.model = NULL;
    fit_close(&fit);
    data_clear(&valid);
    return steps;
}

/* Nothing kept, features of one slot or two, of validation rows too, of all; factors of one or all. */
static void room_changes_nothing(void) {
    const size_t one = BANK_ROWS * BANK_COMPONENTS * sizeof(float);
    const size_t rooms[] = {(size_t)512 << 20, 0, one, 2 * one + one * BANK_VALID / BANK_ROWS, 4 * one};
    for (int constant_hessian = 0; constant_hessian < 2; constant_hessian++) {
        mxb_model *first = NULL;
        double *steps = run_bank(constant_hessian, rooms[0], 1, &first);
        for (size_t k = 1; k < 2 * 5; k++) {
            mxb_model *model = NULL;
            double *others = run_bank(constant_hessian, rooms[k % 5], k < 5 ? 1 : 3, &model);
            CHECK(memcmp(steps, others, BANK_ROUNDS * (BANK_ROWS + BANK_VALID) * sizeof *steps) == 0);
            for (uint32_t r = 0; r < BANK_ROUNDS; r++) {
                CHECK(same_terms(&first->terms[r], &model->terms[r]));
            }
            mxb_model_free(model);
            free(others);
        }
        mxb_model_free(first);
        free(steps);
    }
}

/* ---- threads ---- */

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
    size_t n_left_out = 0; /* weights beyond a double */
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
        CHECK(options.alpha != 0.0 || term.repaired > 0);
        int is_left_out = gs[k / 15] >= 1.0 && options.alpha < 1.0 && term.fourier.weights[0] == 0.0;
        CHECK(!is_left_out || term.repaired > 0);
        n_left_out += is_left_out && options.alpha > 0.0;
        mxb__term_clear(&term);
        fit_close(&fit);
    }
    CHECK(n_left_out > 0);
}

static void failed_allocations_leak_nothing(void) {
    struct fit_case fit;
    struct term term;
    REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .seed = 1}), fit_options(),
                     256, SCALING_NONE));
    fit.input.options = &fit.options;
    size_t n_bytes = mxb__fourier_learner.workspace_bytes(&fit.input);
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
    RUN(later_rounds_equal_fresh_ones);
    RUN(rounds_of_a_bank_equal_fresh_ones);
    RUN(factors_are_kept);
    RUN(room_changes_nothing);
    RUN(threads_change_nothing);
    RUN(extremes_stay_finite);
    RUN(failed_allocations_leak_nothing);
    return check_report();
}
