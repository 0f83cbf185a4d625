/* Finished symmetric trees: equal to the naive ones, and every training row, sampled or not, in the leaf that
 * prediction finds. */
#include "learner/tree/symmetric_grow.h"

#include "base/random.h"
#include "check.h"
#include "unit/learner/naive_symmetric.h"

static mxb_status fit_symmetric(struct fit_case *fit, uint32_t round, uint32_t depth, struct term *term) {
    struct draw draw = {.round = round, .max_depth = depth, .is_symmetric = 1};
    return fit_draw(fit, &mxb__tree_learner, draw, term);
}

static struct learner_options symmetric_options(uint32_t depth) {
    struct learner_options options = fit_options();
    options.symmetric_depth = depth;
    options.max_max_depth = depth;
    return options;
}

/* ---- the whole tree ---- */

static void compare(const struct fit_case *fit, const struct symmetric *tree, const struct naive_symmetric *naive) {
    double unit = fit->input.sum_abs_g * fit->input.sum_abs_g / fit->input.sum_h;
    CHECK_INT(tree->depth, naive->depth);
    for (uint32_t l = 0; l < tree->depth && l < naive->depth; l++) {
        const struct naive_node *level = &naive->levels[l];
        double gain = level->gain * naive->codes.scale;
        CHECK_INT(tree->levels[l].feature, level->feature);
        CHECK_INT(tree->levels[l].missing_left, level->missing_left);
        CHECK(tree->levels[l].threshold == naive_threshold(&naive->codes, level));
        CHECK_NEAR(tree->gain * (double)tree->levels[l].share, gain, 1e-6 * gain + 1e-14 * unit);
    }
    for (uint32_t leaf = 0; tree->depth == naive->depth && leaf < (uint32_t)1 << tree->depth; leaf++) {
        double weight;
        size_t n_rows;
        double value = naive_leaf_value(naive, leaf, &weight, &n_rows);
        /* Half a quantum a row of g and h: quanta are 2^-61 of the sums over all rows. */
        double n_quanta = 0x1p-60 * (double)n_rows;
        double rounding = n_quanta * (fit->input.sum_abs_g + fabs(value) * fit->input.sum_h) / weight;
        CHECK_NEAR(tree->values[leaf], value, 1e-13 * fabs(value) + rounding);
    }
}

/* A training row's step is the leaf of its raw values, bit for bit. */
static void check_steps(const struct fit_case *fit, const struct term *term) {
    size_t n = fit->prepared->n_rows;
    uint32_t d = fit->prepared->n_features;
    double *row = calloc(d, sizeof *row), *values = calloc(n, sizeof *values);
    for (size_t i = 0; i < n; i++) {
        for (uint32_t f = 0; f < d; f++) {
            row[f] = naive_value(fit->prepared, f, i);
        }
        uint32_t leaf;
        mxb__symmetric_leaves(&term->symmetric, row, d, 1, &leaf);
        CHECK(fit->step[i] == term->symmetric.values[leaf]);
    }
    CHECK_INT(mxb__model_add_term_values(fit->model, term, fit->prepared->view, NULL, values, NULL), MXB_OK);
    CHECK(memcmp(values, fit->step, n * sizeof *values) == 0);
    free(row);
    free(values);
}

static void check_one(uint32_t seed, int exact) {
    struct fit_case fit;
    struct dice dice = {seed};
    uint32_t depth = 1 + seed % 6;
    struct learner_options options = symmetric_options(depth + (uint32_t)dice_below(&dice, 3));
    options.seed = seed;
    options.lambda_l2 = seed % 3 == 0 ? 0.0 : 3.0 * dice_uniform(&dice);
    options.min_child_weight = seed % 4 == 0 ? 4.0 * dice_uniform(&dice) : 0.0;
    options.subsample = seed % 5 == 2 ? 0.6 : 1.0;
    options.split_noise = seed % 3 == 2 ? 3.0 * dice_uniform(&dice) : 0.0;
    options.split_prior = seed % 7 == 3 ? dice_uniform(&dice) : 0.0;
    options.leaves_from_all_rows = seed % 2 == 0;
    struct data_recipe recipe = {.n_rows = 2 + dice_below(&dice, 100),
                                 .n_features = 1 + dice_below(&dice, 7),
                                 .seed = seed,
                                 .missing = seed % 2 == 0 ? 0.25 : 0.0,
                                 .n_distinct = seed % 3 == 1 ? 1 + dice_below(&dice, 8) : 0,
                                 .weighted = seed % 5 == 1};
    REQUIRE(fit_open(&fit, data_make(recipe), options, exact ? 0 : seed % 7 == 0 ? 3 : 256, SCALING_NONE));
    if (seed % 4 == 3) { /* gradients and hessians of no loss in particular */
        for (size_t i = 0; i < fit.prepared->n_rows; i++) {
            fit.g[i] = dice_normal(&dice);
            fit.h[i] = exp(2.0 * dice_normal(&dice));
        }
        fit_measure(&fit);
    }
    size_t n = fit.prepared->n_rows, n_sampled = 0;
    uint8_t *is_row = calloc(n, 1);
    struct random_stream random = mxb__random_stream(seed, RANDOM_ROWS, 1 + seed);
    const uint64_t *keys = fit.prepared->row_keys;
    for (size_t i = 0; i < n; i++) {
        is_row[i] =
            options.subsample == 1.0 || mxb__random_uniform(random, keys != NULL ? keys[i] : i) < options.subsample;
        n_sampled += is_row[i];
    }
    struct term term;
    for (uint32_t round = 1; options.split_prior > 0.0 && round <= 3; round++) { /* what the prior looks at */
        CHECK_INT(fit_symmetric(&fit, round, depth, &term), MXB_OK);
        CHECK_INT(mxb__model_add_term(fit.model, &term, NULL), MXB_OK);
    }
    CHECK_INT(fit_symmetric(&fit, 1 + seed, depth, &term), MXB_OK);
    struct naive_symmetric naive = naive_symmetric_make(&fit, depth, n_sampled > 0 ? is_row : NULL, NULL);
    CHECK_INT(term.kind, TERM_SYMMETRIC);
    CHECK_INT(term.n_outputs, 1);
    CHECK_INT(term.symmetric.max_depth, depth);
    compare(&fit, &term.symmetric, &naive);
    check_steps(&fit, &term);
    mxb__term_clear(&term);
    naive_symmetric_clear(&naive);
    fit_close(&fit);
    free(is_row);
}

static void trees_equal_naive_ones(void) {
    for (uint32_t k = 0; k < 600; k++) {
        int before = check_n_failed;
        uint32_t seed = 1 + k / 2;
        check_one(seed, k % 2);
        if (check_n_failed > before) {
            fprintf(stderr, "    (the tree of seed %u, exact %u)\n", seed, k % 2);
            return;
        }
    }
}

/* ---- what must not matter ---- */

static int same_trees(const struct symmetric *a, const struct symmetric *b) {
    return a->depth == b->depth && a->gain == b->gain &&
           memcmp(a->levels, b->levels, a->depth * sizeof *a->levels) == 0 &&
           memcmp(a->values, b->values, mxb__symmetric_n_leaves(a) * sizeof *a->values) == 0;
}

/* Threads and kernels; with more features than a thread's part, and with more rows. */
static void the_same_bits(void) {
    static const struct data_recipe recipes[] = {
        {.n_rows = 3000, .n_features = 5, .seed = 1, .missing = 0.2},
        {.n_rows = 300, .n_features = 90, .seed = 2, .n_distinct = 4},
        {.n_rows = 70000, .n_features = 4, .seed = 3},
    };
    for (int k = 0; k < 6; k++) {
        struct term terms[5];
        for (int form = 0; form < 5; form++) {
            static const char *const sets[] = {"portable", "avx2", "avx512"};
            struct fit_case fit;
            struct learner_options options = symmetric_options(8);
            const struct training_kernels *kernels = form < 3 ? mxb__training_kernels_named(sets[form]) : NULL;
            options.tree_n_threads = form < 3 ? 1 : (uint32_t)form;
            options.subsample = 0.8;
            if (k >= 3 && recipes[k % 3].n_rows > 10000) {
                options.symmetric_depth = 4; /* exact trees take their time */
            }
            REQUIRE(fit_open(&fit, data_make(recipes[k % 3]), options, k < 3 ? 256 : 0, SCALING_NONE));
            fit.input.kernels = kernels != NULL ? kernels : fit.input.kernels;
            CHECK_INT(fit_symmetric(&fit, 1, options.symmetric_depth, &terms[form]), MXB_OK);
            check_steps(&fit, &terms[form]);
            CHECK(terms[form].symmetric.depth > 2);
            CHECK(same_trees(&terms[0].symmetric, &terms[form].symmetric));
            fit_close(&fit);
        }
        for (int form = 0; form < 5; form++) {
            mxb__term_clear(&terms[form]);
        }
    }
}

/* Where each value has a bin, histograms and sorted rows give the same tree. */
static void histograms_and_exact_trees(void) {
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct term terms[2];
        for (int exact = 0; exact < 2; exact++) {
            struct fit_case fit;
            struct learner_options options = symmetric_options(9);
            options.min_child_weight = seed % 2 == 0 ? 3.0 : 0.0;
            struct data_recipe recipe = {.n_rows = 150 + 100 * seed,
                                         .n_features = 6,
                                         .seed = seed,
                                         .missing = seed % 3 == 0 ? 0.0 : 0.1,
                                         .n_distinct = 3 * seed,
                                         .weighted = seed % 4 == 1};
            REQUIRE(fit_open(&fit, data_make(recipe), options, exact ? 0 : 256, SCALING_NONE));
            CHECK_INT(fit_symmetric(&fit, seed, 9, &terms[exact]), MXB_OK);
            fit_close(&fit);
        }
        CHECK(same_trees(&terms[0].symmetric, &terms[1].symmetric));
        mxb__term_clear(&terms[0]);
        mxb__term_clear(&terms[1]);
    }
}

/* So wide that few nodes keep their histograms. Most columns are copies, which lose every tie, so the tree is that of
 * the others alone. */
static void more_than_the_budget(void) {
    enum { N = 5000, D = 30, N_COPIES = 50, DEPTH = 7 };
    struct term terms[2];
    for (int k = 0; k < 2; k++) {
        struct fit_case fit;
        size_t n_columns = k == 0 ? D : D * N_COPIES;
        struct made_data few = data_make((struct data_recipe){.n_rows = N, .n_features = D, .seed = 6});
        struct made_data data = data_allocate(N, n_columns, 0);
        for (size_t f = 0; f < n_columns; f++) {
            memcpy(data.x + f * N, few.x + f % D * N, N * sizeof *data.x);
        }
        memcpy(data.y, few.y, N * sizeof *data.y);
        data_clear(&few);
        REQUIRE(data_view(&data) && fit_open(&fit, data, symmetric_options(DEPTH), 256, SCALING_NONE));
        CHECK_INT(fit_symmetric(&fit, 1, DEPTH, &terms[k]), MXB_OK);
        CHECK_INT(terms[k].symmetric.depth, DEPTH);
        fit_close(&fit);
    }
    CHECK(same_trees(&terms[0].symmetric, &terms[1].symmetric));
    mxb__term_clear(&terms[0]);
    mxb__term_clear(&terms[1]);
}

/* ---- small things ---- */

/* One level is an ordinary tree of depth 1. */
static void a_stump_is_a_stump(void) {
    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct fit_case fit;
        struct term terms[2];
        struct data_recipe recipe = {
            .n_rows = 20 + seed, .n_features = 5, .seed = seed, .missing = seed % 2 == 0 ? 0.2 : 0.0};
        REQUIRE(fit_open(&fit, data_make(recipe), symmetric_options(1), seed % 3 == 0 ? 0 : 256, SCALING_NONE));
        CHECK_INT(fit_symmetric(&fit, seed, 1, &terms[0]), MXB_OK);
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, seed, 1, &terms[1]), MXB_OK);
        const struct symmetric *a = &terms[0].symmetric;
        const struct tree *b = &terms[1].tree;
        REQUIRE(a->depth == 1 && b->n_nodes == 3);
        CHECK(a->levels[0].feature == b->nodes[0].feature && a->levels[0].threshold == b->nodes[0].value);
        CHECK(a->levels[0].missing_left == b->nodes[0].missing_left && a->levels[0].share == 1.0f);
        CHECK(a->values[0] == b->nodes[1].value && a->values[1] == b->nodes[2].value);
        CHECK_NEAR(a->gain, b->gain, 1e-14 * b->gain);
        mxb__term_clear(&terms[0]);
        mxb__term_clear(&terms[1]);
        fit_close(&fit);
    }
}

/* A node that the level's split would leave with too light a side stays whole, and both its leaves have its value. */
static void light_sides(void) {
    enum { N = 12 };
    static const double x0[N] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    static const double x1[N] = {0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1}; /* one row of the right half has 0 */
    static const double y[N] = {-9, -9, -9, -5, -5, -5, 50, 7, 7, 7, 7, 7};
    for (int k = 0; k < 2; k++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = symmetric_options(2);
        struct made_data data = data_allocate(N, 2, 0);
        options.lambda_l2 = 0.0;
        options.min_child_weight = k == 0 ? 2.0 : 0.0;
        memcpy(data.x, x0, sizeof x0);
        memcpy(data.x + N, x1, sizeof x1);
        memcpy(data.y, y, sizeof y);
        REQUIRE(data_view(&data) && fit_open(&fit, data, options, 256, SCALING_NONE));
        CHECK_INT(fit_symmetric(&fit, 1, 2, &term), MXB_OK);
        const struct symmetric *tree = &term.symmetric;
        REQUIRE(tree->depth == 2);
        CHECK(tree->levels[0].feature == 0 && tree->levels[1].feature == 1);
        CHECK_NEAR(tree->values[0], -9, 1e-12);
        CHECK_NEAR(tree->values[1], -5, 1e-12);
        CHECK_NEAR(tree->values[2], k == 0 ? 85.0 / 6 : 50, 1e-12);
        CHECK_NEAR(tree->values[3], k == 0 ? 85.0 / 6 : 7, 1e-12);
        check_steps(&fit, &term);
        mxb__term_clear(&term);
        fit_close(&fit);
    }
}

/* Missing values that weigh nothing are as if nobody missed any; their rows go where predictions send them. */
static void missing_values_without_weight(void) {
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct fit_case fit;
        struct term term;
        struct data_recipe recipe = {.n_rows = 200, .n_features = 2, .seed = seed, .missing = 0.2};
        REQUIRE(fit_open(&fit, data_make(recipe), symmetric_options(3), seed % 2 == 0 ? 0 : 256, SCALING_NONE));
        for (size_t i = 0; i < fit.prepared->n_rows; i++) {
            if (isnan(naive_value(fit.prepared, 0, i)) || isnan(naive_value(fit.prepared, 1, i))) {
                fit.g[i] = fit.h[i] = 0.0;
            }
        }
        fit_measure(&fit);
        CHECK_INT(fit_symmetric(&fit, seed, 3, &term), MXB_OK);
        CHECK_INT(term.symmetric.depth, 3);
        check_steps(&fit, &term);
        mxb__term_clear(&term);
        fit_close(&fit);
    }
}

/* Nothing to gain: one leaf; and no level more than has something to gain. */
static void levels_that_gain_nothing(void) {
    for (int exact = 0; exact < 2; exact++) {
        for (int k = 0; k < 3; k++) { /* equal labels, equal features, a single row */
            struct fit_case fit;
            struct term term;
            struct data_recipe recipe = {
                .n_rows = k == 2 ? 1 : 60, .n_features = 3, .seed = 3, .n_distinct = k == 1 ? 1 : 0};
            REQUIRE(fit_open(&fit, data_make(recipe), symmetric_options(6), exact ? 0 : 256, SCALING_NONE));
            for (size_t i = 0; i < fit.prepared->n_rows && k == 0; i++) {
                fit.g[i] = -2.0;
            }
            fit_measure(&fit);
            CHECK_INT(fit_symmetric(&fit, 1, 6, &term), MXB_OK);
            CHECK_INT(term.symmetric.depth, 0);
            CHECK(term.symmetric.gain == 0.0);
            check_steps(&fit, &term);
            mxb__term_clear(&term);
            fit_close(&fit);
        }
    }
}

static void memory_may_run_out(void) {
    struct fit_case fit;
    struct term term;
    REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 50, .n_features = 3, .seed = 2}),
                     symmetric_options(4), 256, SCALING_NONE));
    CHECK_INT(fit_symmetric(&fit, 1, 4, &term), MXB_OK);
    mxb__term_clear(&term);
    for (uint64_t n = 1; n <= 2; n++) {
        mxb__memory_fail_at(n, 0);
        CHECK_INT(fit_symmetric(&fit, 1, 4, &term), MXB_ERROR_MEMORY);
    }
    mxb__memory_fail_at(0, 0);
    fit_close(&fit);
}

int main(void) {
    RUN(trees_equal_naive_ones);
    RUN(the_same_bits);
    RUN(histograms_and_exact_trees);
    RUN(more_than_the_budget);
    RUN(a_stump_is_a_stump);
    RUN(light_sides);
    RUN(missing_values_without_weight);
    RUN(levels_that_gain_nothing);
    RUN(memory_may_run_out);
    return check_report();
}
