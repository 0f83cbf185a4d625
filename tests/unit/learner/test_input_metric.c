/* Learned weights of the kernel's inputs, against gains counted node by node and slopes by the formula in double. */
#include "learner/fourier/input_metric.h"

#include "base/memory.h"
#include "check.h"
#include "unit/learner/make_features.h"

enum { TREES = 1, FOURIER = 2 };

/* A case whose model has six rounds of the classes. */
static int open_model(struct fit_case *fit, struct made_data data, int classes, uint32_t n_threads) {
    struct learner_options options = fit_options();
    options.n_projections = 3;
    options.learns_metric = 1;
    options.gamma = (double)NAN;
    options.tree_n_threads = options.ridge_n_threads = options.kernel_n_threads = n_threads;
    if (!fit_open(fit, data, options, 256, SCALING_RANK)) {
        return 0;
    }
    char *workspaces[2] = {NULL, NULL};
    int fine = 1;
    for (uint32_t round = 1; fine && classes != 0 && round <= 6; round++) {
        int fourier = classes == FOURIER || (classes != TREES && round % 2 == 0);
        struct term term;
        fit->workspace = workspaces[fourier];
        fine = fit_run(fit, fourier ? &mxb__fourier_learner : &mxb__tree_learner, round, 3, &term) == MXB_OK &&
               mxb__model_add_term(fit->model, &term, NULL) == MXB_OK;
        workspaces[fourier] = fit->workspace;
    }
    mxb__free(workspaces[0]);
    fit->workspace = workspaces[1];
    fit->input.options = &fit->options;
    return fine;
}

static mxb_status learn(const struct fit_case *fit, double *weights) {
    struct row_sample sample;
    mxb_status status = mxb__row_sample_init(&sample, &fit->input, NULL);
    if (status == MXB_OK) {
        status = mxb__input_metric_learn(&fit->input, &sample, weights, NULL);
        mxb__row_sample_clear(&sample);
    }
    return status;
}

/* ---- the oracle ---- */

static void add_gains(const struct fit_case *fit, double *gains) {
    for (uint32_t r = 0; r < fit->model->n_terms; r++) {
        const struct term *term = &fit->model->terms[r];
        for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++) {
            const struct tree_node *node = &term->tree.nodes[i];
            if (node->split != SPLIT_NONE) {
                gains[node->feature] += term->tree.gain * (double)node->share;
            }
        }
    }
}

/* The slope of all fourier terms along one input at a row, round by round. */
static double naive_slope(const struct fit_case *fit, const float *row, uint32_t feature) {
    double slope = 0.0;
    for (uint32_t r = 0; r < fit->model->n_terms; r++) {
        const struct term *term = &fit->model->terms[r];
        if (term->kind != TERM_FOURIER) {
            continue;
        }
        const struct projection *projection = &fit->model->projections[term->fourier.projection];
        uint32_t c = projection->n_components;
        for (uint32_t j = 0; j < c; j++) {
            double turns = (double)projection->phases[j];
            for (uint32_t f = 0; f < projection->n_features; f++) {
                turns += (double)row[f] * (double)projection->weights[(size_t)f * c + j];
            }
            double frequency = 6.283185307179586 * (double)projection->weights[(size_t)feature * c + j];
            slope -= term->fourier.weights[j] * sqrt(2.0 / c) * frequency * sin(6.283185307179586 * turns);
        }
    }
    return slope;
}

static int to_shares(double *values, size_t n) {
    double sum = 0.0;
    for (size_t f = 0; f < n; f++) {
        sum += values[f];
    }
    for (size_t f = 0; f < n && sum > 0.0; f++) {
        values[f] /= sum;
    }
    return sum > 0.0;
}

static void naive_metric(const struct fit_case *fit, double *metric) {
    struct row_sample sample;
    size_t d = fit->prepared->n_features;
    double *gains = calloc(d, sizeof *gains);
    double *slopes = calloc(d, sizeof *slopes);
    CHECK_INT(mxb__row_sample_init(&sample, &fit->input, NULL), MXB_OK);
    add_gains(fit, gains);
    for (uint32_t f = 0; f < d; f++) {
        for (size_t i = 0; i < sample.n_rows; i++) {
            slopes[f] += sample.weights[i] * pow(naive_slope(fit, sample.inputs + i * d, f), 2.0);
        }
    }
    int n_kinds = to_shares(gains, d) + to_shares(slopes, d);
    for (uint32_t f = 0; f < d; f++) {
        metric[f] = n_kinds == 0 ? 1.0 : sqrt((double)d * (gains[f] + slopes[f]) / n_kinds);
    }
    mxb__row_sample_clear(&sample);
    free(gains);
    free(slopes);
}

/* ---- checks ---- */

static void weights_equal_plain_ones(void) {
    for (int k = 0; k < 16; k++) {
        struct fit_case fit;
        double metric[5], expected[5], square = 0.0;
        struct data_recipe recipe = {
            .n_rows = k % 2 == 0 ? 50 : 900, .n_features = 5, .seed = (uint64_t)k, .weighted = k >= 8};
        REQUIRE(open_model(&fit, data_make(recipe), k / 2 % 4, 1));
        CHECK_INT(learn(&fit, metric), MXB_OK);
        naive_metric(&fit, expected);
        for (size_t f = 0; f < 5; f++) {
            CHECK_NEAR(metric[f], expected[f], 1e-5);
            CHECK(k / 2 % 4 != 0 || metric[f] == 1.0);
            square += metric[f] * metric[f] / 5;
        }
        CHECK_NEAR(square, 1.0, 1e-12);
        fit_close(&fit);
    }
}

/* Labels follow the first features alone; noise gets little, a constant nothing. */
static void inputs_that_matter_weigh_more(void) {
    for (int classes = TREES; classes <= (TREES | FOURIER); classes++) {
        struct fit_case fit;
        double metric[6];
        struct made_data data = data_allocate(3000, 6, 0);
        struct dice dice = {(uint64_t)classes};
        for (size_t i = 0; i < 3000; i++) {
            for (size_t f = 0; f < 5; f++) {
                data.x[f * 3000 + i] = dice_normal(&dice);
            }
            data.y[i] = sin(2.0 * data.x[i]) + data.x[3000 + i];
        }
        REQUIRE(data_view(&data));
        REQUIRE(open_model(&fit, data, classes, 1));
        CHECK_INT(learn(&fit, metric), MXB_OK);
        for (size_t f = 2; f < 6; f++) {
            CHECK(metric[f] < 0.5 * fmin(metric[0], metric[1]));
        }
        CHECK(metric[5] == 0.0);
        fit_close(&fit);
    }
}

static void threads_and_kernels_change_nothing(void) {
    double first[4];
    for (uint32_t k = 0; k < 5; k++) {
        const uint32_t threads[] = {1, 2, 3, 8, 1};
        struct fit_case fit;
        double metric[4];
        struct data_recipe recipe = {.n_rows = 2000, .n_features = 4, .seed = 2, .missing = 0.1, .weighted = 1};
        REQUIRE(open_model(&fit, data_make(recipe), TREES | FOURIER, threads[k]));
        fit.input.kernels = k == 4 ? &mxb__training_kernels_portable : fit.input.kernels;
        CHECK_INT(learn(&fit, k == 0 ? first : metric), MXB_OK);
        CHECK(k == 0 || memcmp(first, metric, sizeof metric) == 0);
        fit_close(&fit);
    }
}

/* Gains and weights near the largest double. */
static void extremes_stay_finite(void) {
    for (int classes = TREES; classes <= (TREES | FOURIER); classes++) {
        struct fit_case fit;
        double metric[3], square = 0.0;
        struct made_data data = data_make((struct data_recipe){.n_rows = 200, .n_features = 3, .seed = 4});
        for (size_t i = 0; i < 200; i++) {
            data.y[i] *= 1e160;
        }
        REQUIRE(open_model(&fit, data, classes, 1));
        for (uint32_t r = 0; r < fit.model->n_terms; r++) {
            struct term *term = &fit.model->terms[r];
            for (uint32_t j = 0; term->kind == TERM_FOURIER && j < fit.options.n_components; j++) {
                term->fourier.weights[j] *= 1e140;
            }
        }
        CHECK_INT(learn(&fit, metric), MXB_OK);
        for (size_t f = 0; f < 3; f++) {
            square += metric[f] * metric[f] / 3;
        }
        CHECK_NEAR(square, 1.0, 1e-12);
        fit_close(&fit);
    }
}

static void failed_allocations_leak_nothing(void) {
    struct fit_case fit;
    double metric[3];
    mxb_status status = MXB_ERROR_MEMORY;
    REQUIRE(open_model(&fit, data_make((struct data_recipe){.n_rows = 90, .n_features = 3, .seed = 4}), 3, 1));
    uint64_t n = 1;
    for (; n < 20 && status != MXB_OK; n++) {
        mxb__memory_fail_at(n, 0);
        status = learn(&fit, metric);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || status == MXB_ERROR_MEMORY);
    }
    CHECK_INT(status, MXB_OK);
    CHECK_INT(n, 6);
    fit_close(&fit);
}

int main(void) {
    RUN(weights_equal_plain_ones);
    RUN(inputs_that_matter_weigh_more);
    RUN(threads_and_kernels_change_nothing);
    RUN(extremes_stay_finite);
    RUN(failed_allocations_leak_nothing);
    return check_report();
}
