/* The bank of projections: which one a round works on, and how it is drawn. */
#include "learner/fourier/projection_bank.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "unit/learner/make_features.h"

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
    uint32_t which = 1;
    fit->input.options = &options;
    return mxb__bank_choose(&fit->input, 1, &which, NULL) == MXB_OK && which == 0;
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
        float *z = naive_features(&fit, 0);
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

/* ---- the kernel of a projection ---- */

static mxb_status draw_next(struct fit_case *fit) {
    uint32_t which;
    fit->input.options = &fit->options;
    return mxb__bank_choose(&fit->input, fit->model->n_terms + 1, &which, NULL);
}

/* Adds a tree that gained by splits on features in the proportion 1 : 2 : 3 ..., and on the last not at all. */
static int add_tree(mxb_model *model) {
    uint32_t n = model->n_features - 1;
    struct term term = {.kind = TERM_TREE, .n_outputs = 1};
    if (mxb__alloc_zeroed(&term.tree.nodes, n, sizeof *term.tree.nodes, "a test", NULL) != MXB_OK) {
        return 0;
    }
    term.tree.n_nodes = n;
    term.tree.gain = 5.0;
    for (uint32_t i = 0; i < n; i++) {
        term.tree.nodes[i] = (struct tree_node){
            .split = SPLIT_NUMERIC, .feature = i, .share = 2 * (float)(i + 1) / (float)(n * (n + 1))};
    }
    return mxb__model_add_term(model, &term, NULL) == MXB_OK;
}

/* A frequency is the isotropic one times the root of d times the feature's share. */
static void metrics_multiply_frequencies(void) {
    struct fit_case fits[2];
    for (int learns = 0; learns < 2; learns++) {
        struct learner_options options = fit_options();
        options.learns_metric = learns;
        REQUIRE(fit_open(&fits[learns], data_make((struct data_recipe){.n_rows = 80, .n_features = 4, .seed = 1}),
                         options, 256, SCALING_RANK));
        REQUIRE(add_tree(fits[learns].model));
        REQUIRE(draw_next(&fits[learns]) == MXB_OK);
    }
    const struct projection *plain = &fits[0].model->projections[0];
    const struct projection *learned = &fits[1].model->projections[0];
    for (size_t f = 0; f < 4; f++) {
        for (size_t j = 0; j < 16; j++) {
            double expected = (double)plain->weights[f * 16 + j] * (f < 3 ? sqrt(4.0 * (double)(f + 1) / 6.0) : 0.0);
            CHECK_NEAR((double)learned->weights[f * 16 + j], expected, 4e-4 * fabs(expected)); /* both rounded */
        }
    }
    CHECK(memcmp(plain->phases, learned->phases, 16 * sizeof(float)) == 0);
    fit_close(&fits[0]);
    fit_close(&fits[1]);
}

/* With as many inputs as half of the components or fewer, component j < d is 0.1 x_j and a little less, whatever the
 * metric, and the others are as without. */
static void inputs_are_slow_components(void) {
    static const uint32_t n_components[] = {7, 8, 16};
    for (size_t k = 0; k < 3; k++) {
        struct fit_case fits[2];
        uint32_t c = n_components[k], n_linear = c >= 8 ? 4 : 0;
        for (int takes = 0; takes < 2; takes++) {
            struct learner_options options = fit_options();
            options.takes_inputs = takes;
            options.learns_metric = 1;
            options.n_components = c;
            REQUIRE(fit_open(&fits[takes], data_make((struct data_recipe){.n_rows = 80, .n_features = 4, .seed = 1}),
                             options, 256, SCALING_RANK));
            REQUIRE(add_tree(fits[takes].model));
            REQUIRE(draw_next(&fits[takes]) == MXB_OK);
        }
        float *inputs = naive_inputs(&fits[1], fits[1].prepared->view);
        float *z = naive_features(&fits[1], 0), *others = naive_features(&fits[0], 0);
        for (size_t i = 0; i < 80; i++) {
            for (size_t j = 0; j < c; j++) {
                double slow = sqrt(2.0 / c) * sin(0.1 * (double)inputs[i * 4 + j % 4]);
                CHECK_NEAR((double)z[i * c + j], j < n_linear ? slow : (double)others[i * c + j], 1e-4);
            }
        }
        free(inputs);
        free(z);
        free(others);
        fit_close(&fits[0]);
        fit_close(&fits[1]);
    }
}

/* The penalty of a component of a new projection of so many features. */
static double penalty(int takes, uint32_t n_features, uint32_t component) {
    struct fit_case fit;
    struct learner_options options = fit_options();
    struct data_recipe recipe = {.n_rows = 40, .n_features = n_features, .seed = 1};
    options.n_components = 50;
    options.takes_inputs = takes;
    int is_drawn = fit_open(&fit, data_make(recipe), options, 256, SCALING_RANK) && draw_next(&fit) == MXB_OK;
    double found = is_drawn ? mxb__bank_penalty(&fit.model->projections[0], component) : NAN;
    fit_close(&fit);
    return found;
}

/* As if the inputs were features of size 3 in all. */
static void inputs_are_penalised_by_their_size(void) {
    CHECK_NEAR(penalty(0, 4, 0), 1.0, 0.0);
    CHECK_NEAR(penalty(1, 4, 0), 0.1 * 0.1 * (2.0 / 50) / (9.0 / 4), 1e-10);
    CHECK_NEAR(penalty(1, 25, 24), 0.1 * 0.1 * (2.0 / 50) / (9.0 / 25), 1e-10);
    CHECK_NEAR(penalty(1, 4, 4), 1.0, 0.0);
    CHECK_NEAR(penalty(1, 26, 0), 1.0, 0.0);
}

/* An input that a row has six or more standard deviations from the mean has its random component. */
static void far_values_keep_their_input_out(void) {
    struct fit_case fits[2];
    for (int takes = 0; takes < 2; takes++) {
        struct learner_options options = fit_options();
        struct made_data data = data_make((struct data_recipe){.n_rows = 400, .n_features = 3, .seed = 1});
        data.x[1 * 400 + 399] = -1e6;
        options.takes_inputs = takes;
        options.n_components = 6;
        REQUIRE(fit_open(&fits[takes], data, options, 256, SCALING_STANDARD) && draw_next(&fits[takes]) == MXB_OK);
    }
    const struct projection *with = &fits[1].model->projections[0], *without = &fits[0].model->projections[0];
    for (uint32_t j = 0; j < 6; j++) {
        int is_linear = j == 0 || j == 2;
        CHECK_INT(mxb__bank_penalty(with, j) < 1.0, is_linear);
        CHECK_INT(with->weights[j] == without->weights[j], !is_linear);
    }
    fit_close(&fits[0]);
    fit_close(&fits[1]);
}

/* The median squared distance by a sort of all pairs; n is odd enough that one of them is in the middle. */
static double naive_median(const struct fit_case *fit) {
    size_t n = fit->prepared->n_rows, d = fit->prepared->n_features, n_pairs = 0;
    float *inputs = naive_inputs(fit, fit->prepared->view);
    double *pairs = calloc(n * n, sizeof *pairs);
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < a; b++, n_pairs++) {
            for (size_t f = 0; f < d; f++) {
                pairs[n_pairs] += pow((double)inputs[a * d + f] - (double)inputs[b * d + f], 2.0);
            }
            for (size_t k = n_pairs; k > 0 && pairs[k - 1] > pairs[k]; k--) {
                double larger = pairs[k - 1];
                pairs[k - 1] = pairs[k];
                pairs[k] = larger;
            }
        }
    }
    double median = pairs[n_pairs / 2];
    CHECK_INT(n_pairs % 2, 1);
    free(pairs);
    free(inputs);
    return median;
}

/* gamma times the median is ten to an even number of -1.5 .. 0.5, for each projection another. A frequency divided by
 * that of the same draw with gamma 1 is the root of gamma. */
static void gamma_is_drawn_around_the_median(void) {
    struct fit_case fits[2];
    enum { N = 60, ROWS = 30 };
    double sum = 0.0;
    for (int is_drawn = 0; is_drawn < 2; is_drawn++) {
        struct learner_options options = fit_options();
        options.gamma = is_drawn ? (double)NAN : 1.0;
        REQUIRE(fit_open(&fits[is_drawn], data_make((struct data_recipe){.n_rows = ROWS, .n_features = 3, .seed = 1}),
                         options, 256, SCALING_RANK));
        for (int p = 0; p < N; p++) { /* without rounds each is the first of its slot */
            REQUIRE(draw_next(&fits[is_drawn]) == MXB_OK);
        }
    }
    double median = naive_median(&fits[1]);
    for (uint32_t p = 0; p < N; p++) {
        const float *with_1 = fits[0].model->projections[p].weights;
        const float *with_drawn = fits[1].model->projections[p].weights;
        double root = (double)with_drawn[0] / (double)with_1[0];
        double exponent = log10(root * root * median);
        double even = mxb__random_uniform(mxb__random_stream(1, RANDOM_GAMMA, p), 0);
        CHECK_NEAR(exponent, 2.0 * even - 1.5, 5e-4); /* frequencies have 12 digits */
        for (size_t i = 0; i < 3 * 16; i++) {
            CHECK_NEAR((double)with_drawn[i], root * (double)with_1[i], 1e-3 * fabs((double)with_drawn[i]));
        }
        sum += exponent / N;
    }
    CHECK_NEAR(sum, -0.5, 5.0 * 2.0 / sqrt(12.0 * N));
    fit_close(&fits[0]);
    fit_close(&fits[1]);
}

/* gamma 1 where all rows are the same; finite frequencies whatever the inputs. */
static void odd_rows_have_a_kernel(void) {
    const double sizes[] = {0.0, 1e-320, 1e-45, 1e-36, 1e-20, 1e20, 1e30, 1e300};
    for (size_t k = 0; k < 8 * 2; k++) {
        size_t n = k % 2 == 0 ? 40 : 100;
        struct fit_case fit;
        struct learner_options options = fit_options();
        struct made_data data = data_allocate(n, 2, 0);
        options.gamma = (double)NAN;
        for (size_t i = 0; i < n; i++) {
            data.x[i] = (double)i * sizes[k / 2];
            data.x[n + i] = 3.0;
        }
        REQUIRE(data_view(&data) && fit_open(&fit, data, options, 256, SCALING_NONE));
        REQUIRE(draw_next(&fit) == MXB_OK);
        const float *weights = fit.model->projections[0].weights;
        for (size_t i = 0; i < 2 * 16; i++) {
            CHECK(isfinite(weights[i]));
        }
        if (sizes[k / 2] < 1e-50) { /* floats do not tell the rows apart */
            struct fit_case same;
            options.gamma = 1.0;
            struct data_recipe recipe = {.n_rows = n, .n_features = 2, .seed = 1};
            REQUIRE(fit_open(&same, data_make(recipe), options, 256, SCALING_NONE));
            REQUIRE(draw_next(&same) == MXB_OK);
            CHECK(memcmp(weights, same.model->projections[0].weights, 2 * 16 * sizeof *weights) == 0);
            fit_close(&same);
        }
        fit_close(&fit);
    }
}

/* ---- which projection ---- */

/* The bank as a table that remembers, for as many rounds. */
struct naive_bank {
    uint32_t held[64]; /* the slot's projection, counted from 1; 0: none */
    uint32_t n_drawn;
};

static uint32_t naive_choice(struct naive_bank *bank, const struct learner_options *options, uint32_t round) {
    double place = mxb__random_uniform(mxb__random_stream(options->seed, RANDOM_SLOT, round), 0);
    double luck = mxb__random_uniform(mxb__random_stream(options->seed, RANDOM_REDRAW, round), 0);
    uint32_t *held = &bank->held[(size_t)(place * options->n_projections)];
    int again = options->learns_metric && luck < 0.2 && bank->n_drawn + 1 <= 4 * options->n_projections;
    if (*held == 0 || again) {
        *held = ++bank->n_drawn;
    }
    return *held - 1;
}

/* Adds a round: a tree, or the fourier round that the bank chooses. */
static int add_round(struct fit_case *fit, mxb_model *model, int is_tree) {
    struct term term = {.kind = TERM_FOURIER, .n_outputs = 1};
    struct fit_input input = fit->input;
    input.options = &fit->options;
    input.model = model;
    if (is_tree) {
        return add_tree(model);
    }
    if (mxb__bank_choose(&input, model->n_terms + 1, &term.fourier.projection, NULL) != MXB_OK ||
        mxb__alloc_zeroed(&term.fourier.weights, fit->options.n_components, sizeof(double), "a test", NULL) != MXB_OK) {
        return 0;
    }
    for (uint32_t j = 0; j < fit->options.n_components; j++) {
        term.fourier.weights[j] = sin((double)(model->n_terms * 31 + j));
    }
    return mxb__model_add_term(model, &term, NULL) == MXB_OK;
}

static int open_bank(struct fit_case *fit, uint32_t n_slots, int learns_metric, uint64_t seed) {
    struct learner_options options = fit_options();
    options.n_projections = n_slots;
    options.learns_metric = learns_metric;
    options.gamma = (double)NAN;
    options.n_components = 3;
    options.seed = seed;
    return fit_open(fit, data_make((struct data_recipe){.n_rows = 40, .n_features = 3, .seed = seed}), options, 256,
                    SCALING_RANK);
}

static int is_tree(uint32_t round) { return (int)(round * 2654435761u >> 31); }

static void rounds_work_on_what_their_slot_holds(void) {
    const uint32_t sizes[] = {1, 2, 5, 64};
    for (uint32_t k = 0; k < 8; k++) {
        struct fit_case fit;
        struct naive_bank bank = {.n_drawn = 0};
        uint32_t n_slots = sizes[k / 2], n_used = 0;
        REQUIRE(open_bank(&fit, n_slots, k % 2 == 1, k));
        for (uint32_t round = 1; round <= 400; round++) {
            REQUIRE(add_round(&fit, fit.model, is_tree(round)));
            if (!is_tree(round)) {
                CHECK_INT(fit.model->terms[round - 1].fourier.projection, naive_choice(&bank, &fit.options, round));
            }
        }
        CHECK_INT(fit.model->n_projections, bank.n_drawn);
        for (uint32_t slot = 0; slot < n_slots; slot++) {
            n_used += bank.held[slot] > 0;
        }
        CHECK(n_used >= n_slots * 9 / 10);
        CHECK(k % 2 == 1 ? bank.n_drawn > n_slots && bank.n_drawn <= 4 * n_slots : bank.n_drawn == n_used);
        fit_close(&fit);
    }
}

/* 3 slots of 150,000 weights each are drawn whatever that makes, and three more times there is room for it. */
static void large_projections_are_seldom_drawn_anew(void) {
    struct fit_case fit;
    struct learner_options options = fit_options();
    options.n_projections = 3;
    options.learns_metric = 1;
    options.n_components = 3000;
    REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 20, .n_features = 50, .seed = 1}), options, 256,
                     SCALING_RANK));
    for (uint32_t round = 1; round <= 100; round++) {
        REQUIRE(add_round(&fit, fit.model, 0));
    }
    CHECK_INT(fit.model->n_projections, 6); /* 2^20 / 150,000 */
    fit_close(&fit);
}

static int same_projections(const mxb_model *a, const mxb_model *b) {
    int same = a->n_projections == b->n_projections;
    for (uint32_t p = 0; same && p < a->n_projections; p++) {
        const struct projection *x = &a->projections[p], *y = &b->projections[p];
        same = memcmp(x->weights, y->weights, (size_t)x->n_features * x->n_components * sizeof(float)) == 0 &&
               memcmp(x->phases, y->phases, x->n_components * sizeof(float)) == 0;
    }
    return same;
}

/* A copy of the first rounds has the projections that these drew, and goes on as the model did. */
static void copies_go_on_the_same(void) {
    struct fit_case fit;
    REQUIRE(open_bank(&fit, 3, 1, 9));
    for (uint32_t round = 1; round <= 60; round++) {
        REQUIRE(add_round(&fit, fit.model, is_tree(round)));
    }
    for (uint32_t cut = 0; cut <= 60; cut++) {
        mxb_model *copy;
        uint32_t n_drawn = 0;
        REQUIRE(fit_copy_rounds(fit.model, cut, &copy));
        for (uint32_t r = 0; r < cut; r++) {
            const struct term *term = &fit.model->terms[r];
            n_drawn += term->kind == TERM_FOURIER && term->fourier.projection == n_drawn;
        }
        CHECK_INT(copy->n_projections, n_drawn);
        if (copy->scaling.features == NULL) { /* without projections a copy leaves it out, and a trainer puts it back */
            REQUIRE(mxb__scaling_copy(&copy->scaling, &fit.model->scaling, NULL) == MXB_OK);
        }
        for (uint32_t round = cut + 1; round <= 60; round++) {
            REQUIRE(add_round(&fit, copy, is_tree(round)));
            CHECK(is_tree(round) ||
                  copy->terms[round - 1].fourier.projection == fit.model->terms[round - 1].fourier.projection);
        }
        CHECK(same_projections(copy, fit.model));
        mxb_model_free(copy);
    }
    fit_close(&fit);
}

static void slots_are_chosen_evenly(void) {
    struct learner_options options = fit_options();
    uint32_t counts[64] = {0};
    options.n_projections = 64;
    for (uint32_t round = 1; round <= 64000; round++) {
        counts[mxb__bank_slot(&options, round)]++;
    }
    for (size_t slot = 0; slot < 64; slot++) {
        CHECK_NEAR((double)counts[slot], 1000.0, 5.0 * sqrt(1000.0));
    }
}

static void failed_allocations_leak_nothing(void) {
    struct fit_case fit;
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 1;
    REQUIRE(open_bank(&fit, 2, 1, 3));
    REQUIRE(add_tree(fit.model));
    for (; n < 30 && status != MXB_OK; n++) {
        mxb__memory_fail_at(n, 0);
        status = draw_next(&fit);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || (status == MXB_ERROR_MEMORY && fit.model->n_projections == 0));
    }
    CHECK_INT(status, MXB_OK);
    CHECK(n > 9);
    fit_close(&fit);
}

int main(void) {
    RUN(features_approach_the_kernel);
    RUN(draws_do_not_depend_on_their_number);
    RUN(draws_have_their_distributions);
    RUN(metrics_multiply_frequencies);
    RUN(inputs_are_slow_components);
    RUN(inputs_are_penalised_by_their_size);
    RUN(far_values_keep_their_input_out);
    RUN(gamma_is_drawn_around_the_median);
    RUN(odd_rows_have_a_kernel);
    RUN(rounds_work_on_what_their_slot_holds);
    RUN(large_projections_are_seldom_drawn_anew);
    RUN(copies_go_on_the_same);
    RUN(slots_are_chosen_evenly);
    RUN(failed_allocations_leak_nothing);
    return check_report();
}
