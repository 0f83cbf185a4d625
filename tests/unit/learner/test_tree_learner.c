/* Finished trees: equal to the naive ones, and every training row, sampled or not, in the leaf that prediction finds.
 */
#include "base/random.h"
#include "check.h"
#include "unit/learner/naive_tree.h"

/* ---- the whole tree ---- */

static void compare_below(const struct fit_case *fit, const struct tree *tree, uint32_t n,
                          const struct naive_tree *naive, size_t m) {
    const struct tree_node *node = &tree->nodes[n];
    const struct naive_node *other = &naive->nodes[m];
    CHECK_INT(node->split == SPLIT_NONE, other->is_leaf);
    if (node->split == SPLIT_NONE || other->is_leaf) {
        /* Half a quantum a row of g and h: quanta are 2^-61 of the sums over all rows. */
        double n_quanta = 0x1p-60 * (double)other->n_rows;
        double rounding = n_quanta * (fit->input.sum_abs_g + fabs(other->value) * fit->input.sum_h) / other->weight;
        CHECK_NEAR(node->value, other->value, 1e-13 * fabs(other->value) + rounding);
        return;
    }
    CHECK_INT(node->feature, other->feature);
    CHECK_INT(node->missing_left, other->missing_left);
    CHECK(node->value == naive_threshold(naive, other));
    CHECK(node->left > n); /* breadth first */
    double unit = other->score + fit->input.sum_abs_g * fit->input.sum_abs_g / fit->input.sum_h;
    double gain = other->gain * naive->scale;
    CHECK_NEAR(tree->gain * (double)node->share, gain, 1e-6 * gain + 1e-14 * unit);
    compare_below(fit, tree, node->left, naive, other->left);
    compare_below(fit, tree, node->left + 1, naive, other->right);
}

/* Levels follow each other. */
static void check_breadth_first(const struct tree *tree) {
    uint32_t next = 1;
    for (uint32_t n = 0; n < tree->n_nodes; n++) {
        if (tree->nodes[n].split != SPLIT_NONE) {
            CHECK_INT(tree->nodes[n].left, next);
            next += 2;
        }
    }
    CHECK_INT(next, tree->n_nodes);
}

/* A training row's step is the leaf of its raw values, bit for bit. */
static void check_steps(const struct fit_case *fit, const struct term *term) {
    size_t n = fit->prepared->n_rows;
    uint32_t d = fit->prepared->n_features;
    double *row = calloc(d, sizeof *row);
    double *values = calloc(n, sizeof *values);
    for (size_t i = 0; i < n; i++) {
        for (uint32_t f = 0; f < d; f++) {
            mxb__column_read(fit->prepared->view, &fit->prepared->view->columns[f], i, 1, &row[f]);
        }
        double value = term->tree.nodes[mxb__tree_leaf(&term->tree, row)].value;
        CHECK(fit->step[i] == value);
    }
    CHECK_INT(mxb__model_add_term_values(fit->model, term, fit->prepared->view, NULL, values, NULL), MXB_OK);
    for (size_t i = 0; i < n; i++) {
        CHECK(fit->step[i] == values[i]);
    }
    free(row);
    free(values);
}

/* Which rows a round draws; freed by the caller. */
static uint8_t *draw_rows(const struct fit_case *fit, uint32_t round, size_t *n_drawn) {
    struct random_stream random = mxb__random_stream(fit->options.seed, RANDOM_ROWS, round);
    const uint64_t *keys = fit->prepared->row_keys;
    uint8_t *is_row = calloc(fit->prepared->n_rows, 1);
    *n_drawn = 0;
    for (size_t i = 0; i < fit->prepared->n_rows; i++) {
        is_row[i] = fit->options.subsample == 1.0 ||
                    mxb__random_uniform(random, keys != NULL ? keys[i] : i) < fit->options.subsample;
        *n_drawn += is_row[i];
    }
    return is_row;
}

/* `exact`: every distinct value a candidate, however many. */
static void check_one(uint32_t seed, int exact) {
    struct fit_case fit;
    struct dice dice = {seed};
    struct learner_options options = fit_options();
    uint32_t depth = 1 + seed % 6;
    options.seed = seed;
    options.max_max_depth = depth + (uint32_t)dice_below(&dice, 3);
    options.lambda_l2 = seed % 3 == 0 ? 0.0 : 3.0 * dice_uniform(&dice);
    options.min_child_weight = seed % 4 == 0 ? 4.0 * dice_uniform(&dice) : 0.0;
    options.split_noise = seed % 3 == 2 ? 3.0 * dice_uniform(&dice) : 0.0;
    options.split_prior = seed % 7 == 3 ? dice_uniform(&dice) : 0.0;
    options.subsample = seed % 5 == 2 ? 0.3 + 0.7 * dice_uniform(&dice) : 1.0;
    options.leaves_from_all_rows = seed % 2 == 0;
    struct data_recipe recipe = {.n_rows = 2 + dice_below(&dice, 120),
                                 .n_features = 1 + dice_below(&dice, 9),
                                 .seed = seed,
                                 .missing = seed % 2 == 0 ? 0.25 : 0.0,
                                 .n_distinct = seed % 3 == 1 ? 1 + dice_below(&dice, 8) : 0,
                                 .weighted = seed % 5 == 1};
    recipe.n_rows += exact && seed % 10 == 0 ? 400 : 0;
    REQUIRE(fit_open(&fit, data_make(recipe), options, exact ? 0 : seed % 7 == 0 ? 3 : 256, SCALING_NONE));
    if (seed % 4 == 3) { /* gradients and hessians of no loss in particular */
        for (size_t i = 0; i < fit.prepared->n_rows; i++) {
            fit.g[i] = dice_normal(&dice);
            fit.h[i] = exp(2.0 * dice_normal(&dice));
        }
        fit_measure(&fit);
    }
    struct term term;
    size_t n_drawn;
    for (uint32_t round = 1; options.split_prior > 0.0 && round <= 3; round++) { /* what the prior looks at */
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, round, depth, &term), MXB_OK);
        CHECK_INT(mxb__model_add_term(fit.model, &term, NULL), MXB_OK);
    }
    CHECK_INT(fit_run(&fit, &mxb__tree_learner, 1 + seed, depth, &term), MXB_OK);
    uint8_t *is_row = draw_rows(&fit, 1 + seed, &n_drawn);
    struct naive_tree naive = naive_make(&fit, depth, n_drawn == 0 ? NULL : is_row, NULL);
    CHECK_INT(term.kind, TERM_TREE);
    CHECK_INT(term.n_outputs, 1);
    CHECK_INT(term.tree.max_depth, depth);
    CHECK_INT(term.tree.n_nodes, naive.n_nodes);
    check_breadth_first(&term.tree);
    compare_below(&fit, &term.tree, 0, &naive, 0);
    check_steps(&fit, &term);
    mxb__term_clear(&term);
    naive_clear(&naive);
    fit_close(&fit);
    free(is_row);
}

static void trees_equal_naive_ones(void) {
    for (uint32_t k = 0; k < 1000; k++) {
        int before = check_n_failed;
        uint32_t seed = 1 + k / 2;
        check_one(seed, k % 2);
        if (check_n_failed > before) {
            fprintf(stderr, "    (the tree of seed %u, exact %u)\n", seed, k % 2);
            return;
        }
    }
}

/* ---- columns of every kind ---- */

/* One column of each type, with infinities, negative zeros and missing values of both kinds. */
struct typed_data {
    float f32[300];
    double f64[300];
    double odd[300];
    int8_t i8[300];
    int64_t i64[300];
    uint64_t u64[300];
    uint16_t u16[300];
    uint8_t flag[300];
    uint8_t validity[40];
};

static struct made_data make_typed(struct typed_data *typed, uint64_t seed) {
    const double odd[] = {-HUGE_VAL, HUGE_VAL, -0.0, 0.0, 5e-324, -5e-324, 1e308, -1e308, (double)NAN, 1.0};
    struct dice dice = {seed};
    struct made_data data = data_allocate(300, 1, 0);
    for (size_t i = 0; i < 300; i++) {
        typed->f32[i] = dice_below(&dice, 9) == 0 ? -0.0f : (float)dice_normal(&dice);
        typed->f64[i] = dice_below(&dice, 9) == 0 ? -HUGE_VAL : dice_normal(&dice) * 1e-310;
        typed->odd[i] = odd[dice_below(&dice, 10)];
        typed->i8[i] = (int8_t)((int)dice_below(&dice, 256) - 128);
        typed->i64[i] = INT64_MAX - (int64_t)dice_below(&dice, 4096);
        typed->u64[i] = UINT64_MAX - dice_below(&dice, 8192);
        typed->u16[i] = (uint16_t)dice_below(&dice, 65536);
        typed->flag[i] = (uint8_t)dice_below(&dice, 3);
        data.y[i] = dice_normal(&dice) + (typed->odd[i] > 0.0) + 0.01 * typed->i8[i] * typed->flag[i];
    }
    for (size_t i = 0; i < 40; i++) {
        typed->validity[i] = (uint8_t)dice_bits(&dice);
    }
    mxb_dataset *set = NULL;
    int fine = mxb_dataset_create(300, &set, NULL) == MXB_OK &&
               mxb_dataset_add_column(set, NULL, typed->f32, sizeof(float), MXB_FLOAT32, NULL) == MXB_OK &&
               mxb_dataset_add_column(set, NULL, typed->f64, sizeof(double), MXB_FLOAT64, NULL) == MXB_OK &&
               mxb_dataset_add_column(set, NULL, typed->odd, sizeof(double), MXB_FLOAT64, NULL) == MXB_OK &&
               mxb_dataset_add_column(set, NULL, typed->i8, 1, MXB_INT8, NULL) == MXB_OK &&
               mxb_dataset_add_column(set, NULL, typed->i64, sizeof(int64_t), MXB_INT64, NULL) == MXB_OK &&
               mxb_dataset_add_column(set, NULL, typed->u64, sizeof(uint64_t), MXB_UINT64, NULL) == MXB_OK &&
               mxb_dataset_add_column(set, NULL, typed->u16, sizeof(uint16_t), MXB_UINT16, NULL) == MXB_OK &&
               mxb_dataset_add_column(set, NULL, typed->flag, 1, MXB_BOOL, NULL) == MXB_OK &&
               mxb_dataset_set_validity(set, 3, typed->validity, 5, NULL) == MXB_OK &&
               mxb_dataset_set_label(set, data.y, sizeof(double), MXB_FLOAT64, NULL) == MXB_OK;
    data.dataset = fine ? set : NULL;
    data.n_features = 8;
    return data;
}

/* More distinct values than a byte, and than 16 bits, can count. */
static void many_values(void) {
    const size_t counts[] = {257, 1000, 66000, 70001};
    for (size_t c = 0; c < 4; c++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.lambda_l2 = 0.0;
        options.tree_n_threads = 2;
        struct data_recipe recipe = {
            .n_rows = counts[c], .n_features = 2, .seed = c, .missing = c == 3 ? 0.04 : 0.0, .weighted = c == 1};
        REQUIRE(fit_open(&fit, data_make(recipe), options, 0, SCALING_NONE));
        CHECK(fit.prepared->bins[0].n_cuts >= (c < 3 ? counts[c] - 1 : 65536));
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, 1, 5, &term), MXB_OK);
        struct naive_tree naive = naive_make(&fit, 5, NULL, NULL);
        CHECK(naive.n_nodes > 31);
        CHECK_INT(term.tree.n_nodes, naive.n_nodes);
        compare_below(&fit, &term.tree, 0, &naive, 0);
        check_steps(&fit, &term);
        mxb__term_clear(&term);
        naive_clear(&naive);
        fit_close(&fit);
    }
}

/* A split between the last two of many values: codes and bins beyond 16 bits reach the threshold. */
static void the_last_of_many_values(void) {
    enum { N = 70000 };
    struct fit_case fit;
    struct term term;
    struct made_data data = data_allocate(N, 1, 0);
    for (size_t i = 0; i < N; i++) {
        size_t value = (i * 7919) % N;
        data.x[i] = (double)value;
        data.y[i] = value == N - 1 ? 100.0 : 0.0;
    }
    REQUIRE(data_view(&data));
    REQUIRE(fit_open(&fit, data, fit_options(), 0, SCALING_NONE));
    CHECK_INT(fit_run(&fit, &mxb__tree_learner, 1, 1, &term), MXB_OK);
    CHECK_INT(term.tree.n_nodes, 3);
    CHECK(term.tree.nodes[0].value == N - 1.5);
    check_steps(&fit, &term);
    mxb__term_clear(&term);
    fit_close(&fit);
}

static void every_type_ends_in_its_leaf(void) {
    static struct typed_data typed;
    for (uint32_t seed = 1; seed <= 30; seed++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.lambda_l2 = 0.0;
        options.subsample = seed % 2 == 0 ? 0.5 : 1.0;
        options.max_max_depth = 8;
        REQUIRE(fit_open(&fit, make_typed(&typed, seed), options, (uint32_t[]){5, 256, 0}[seed % 3], SCALING_NONE));
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, seed, 8, &term), MXB_OK);
        CHECK(term.tree.n_nodes > 20);
        check_steps(&fit, &term);
        mxb__term_clear(&term);
        fit_close(&fit);
    }
}

/* ---- gains ---- */

/* Before the learning rate, and the shares of a tree's splits are all of its gain. */
static void gains_and_shares(void) {
    double gains[2];
    for (int k = 0; k < 2; k++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.learning_rate = k == 0 ? 1.0 : 0.01;
        struct data_recipe recipe = {.n_rows = 300, .n_features = 3, .seed = 4};
        REQUIRE(fit_open(&fit, data_make(recipe), options, 256, SCALING_NONE));
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, 1, 5, &term), MXB_OK);
        double sum = 0.0;
        for (uint32_t n = 0; n < term.tree.n_nodes; n++) {
            CHECK((term.tree.nodes[n].split != SPLIT_NONE) == (term.tree.nodes[n].share > 0.0f));
            sum += (double)term.tree.nodes[n].share;
        }
        CHECK(term.tree.n_nodes > 10);
        CHECK_NEAR(sum, 1.0, 1e-6);
        gains[k] = term.tree.gain;
        mxb__term_clear(&term);
        fit_close(&fit);
    }
    CHECK(gains[0] > 0.0 && gains[0] == gains[1]);
}

/* A tree on half of the rows counts as on all; packed quanta, rounded at random, gain about the same. */
static void gains_of_samples_and_packed_quanta(void) {
    for (int packed = 0; packed < 2; packed++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        size_t n = packed ? 70000 : 500;
        size_t n_sampled;
        options.subsample = 0.5;
        REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = n, .n_features = 2, .seed = 4}), options, 256,
                         SCALING_NONE));
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, 3, 1, &term), MXB_OK);
        uint8_t *is_row = draw_rows(&fit, 3, &n_sampled);
        struct naive_tree naive = naive_make(&fit, 1, is_row, NULL);
        double expected = naive.nodes[0].gain * naive.scale;
        CHECK_INT(term.tree.n_nodes, 3);
        CHECK(term.tree.nodes[0].share == 1.0f);
        CHECK_NEAR(term.tree.gain, expected, (packed ? 1e-2 : 1e-9) * expected);
        mxb__term_clear(&term);
        naive_clear(&naive);
        fit_close(&fit);
        free(is_row);
    }
}

/* ---- samples ---- */

/* Which rows were drawn shows in what changing their gradient does; the engine's own list is looked at elsewhere. */
static void check_rows_left_out_change_nothing(uint32_t hist_nbins) {
    struct fit_case fit;
    struct term first;
    struct learner_options options = fit_options();
    options.subsample = 0.5;
    options.max_max_depth = 4;
    struct data_recipe recipe = {.n_rows = 200, .n_features = 3, .seed = 3, .missing = 0.1};
    REQUIRE(fit_open(&fit, data_make(recipe), options, hist_nbins, SCALING_NONE));
    CHECK_INT(fit_run(&fit, &mxb__tree_learner, 5, 4, &first), MXB_OK);
    check_steps(&fit, &first);
    size_t n_without_effect = 0;
    for (size_t i = 0; i < 200; i++) {
        struct term term;
        double old = fit.g[i];
        fit.g[i] = -old + 0.5;
        fit_measure(&fit);
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, 5, 4, &term), MXB_OK);
        int same = term.tree.n_nodes == first.tree.n_nodes;
        for (uint32_t n = 0; same && n < first.tree.n_nodes; n++) {
            const struct tree_node *a = &first.tree.nodes[n];
            const struct tree_node *b = &term.tree.nodes[n];
            same = a->feature == b->feature && a->left == b->left && fabs(a->value - b->value) <= 1e-12;
        }
        n_without_effect += same ? 1 : 0;
        fit.g[i] = old;
        mxb__term_clear(&term);
    }
    CHECK(n_without_effect > 70 && n_without_effect < 130);
    mxb__term_clear(&first);
    fit_close(&fit);
}

/* Only sampled columns are used, and over the rounds all of them are. */
static void check_columns_left_out_are_not_used(uint32_t hist_nbins) {
    struct fit_case fit;
    struct learner_options options = fit_options();
    options.colsample = 0.2; /* 2 of 10 */
    options.lambda_l2 = 0.0;
    size_t n_rounds_used[10] = {0};
    REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 300, .n_features = 10, .seed = 3}), options,
                     hist_nbins, SCALING_NONE));
    for (uint32_t round = 1; round <= 300; round++) {
        struct term term;
        int used[10] = {0};
        int n_used = 0;
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, round, 4, &term), MXB_OK);
        for (uint32_t n = 0; n < term.tree.n_nodes; n++) {
            if (term.tree.nodes[n].split != SPLIT_NONE) {
                used[term.tree.nodes[n].feature] = 1;
            }
        }
        for (int f = 0; f < 10; f++) {
            n_used += used[f];
            n_rounds_used[f] += (size_t)used[f];
        }
        CHECK_INT(n_used, 2);
        mxb__term_clear(&term);
    }
    for (int f = 0; f < 10; f++) {
        CHECK(n_rounds_used[f] > 30 && n_rounds_used[f] < 90); /* 60 expected */
    }
    fit_close(&fit);
}

/* ---- leaves that have nothing to go by ---- */

static int has_leaf_of_0(const struct tree *tree) {
    int has = 0;
    for (uint32_t n = 0; n < tree->n_nodes; n++) {
        has |= tree->nodes[n].split == SPLIT_NONE && tree->nodes[n].value == 0.0;
    }
    return has;
}

static void check_leaf_values_are_finite(uint32_t hist_nbins) {
    const double gs[] = {0.0, 1.0, -1e300, 1e300, 5e-324, 1e308};
    const double hs[] = {0.0, 1.0, 5e-324, 1e300, 1e-300};
    const double lambdas[] = {0.0, 1.0, 1e300};
    size_t n_repaired = 0;
    for (size_t k = 0; k < 6 * 5 * 3; k++) {
        struct fit_case fit;
        struct term term;
        struct learner_options options = fit_options();
        options.lambda_l2 = lambdas[k % 3];
        REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .seed = k}), options,
                         hist_nbins, SCALING_NONE));
        for (size_t i = 0; i < 40; i++) {
            fit.g[i] = i % 2 == 0 ? gs[k / 15] : gs[k / 15] / 3.0;
            fit.h[i] = i % 4 == 0 ? 0.0 : hs[k / 3 % 5];
        }
        fit_measure(&fit);
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, 1, 6, &term), MXB_OK);
        for (uint32_t n = 0; n < term.tree.n_nodes; n++) {
            CHECK(isfinite(term.tree.nodes[n].value) || term.tree.nodes[n].split != SPLIT_NONE);
            CHECK(term.tree.nodes[n].share >= 0.0f && term.tree.nodes[n].share <= 1.0f);
        }
        CHECK(isfinite(term.tree.gain) && term.tree.gain >= 0.0);
        check_steps(&fit, &term);
        double g = fabs(gs[k / 15]), h = hs[k / 3 % 5];
        CHECK(g > 1.0 || !term.repaired);
        CHECK(options.lambda_l2 > 0.0 || h < 1e-300 || !isinf(g / h) || term.repaired);
        CHECK(has_leaf_of_0(&term.tree) || !term.repaired);
        n_repaired += term.repaired;
        mxb__term_clear(&term);
        fit_close(&fit);
    }
    CHECK(n_repaired > 0);
}

/* Hessians below half a quantum round to 0, but their leaf may not go beyond the targets, which are 1. */
static void check_light_rows_are_not_overshot(uint32_t hist_nbins) {
    struct fit_case fit;
    struct term term;
    struct learner_options options = fit_options();
    options.lambda_l2 = 0.0;
    struct made_data data = data_allocate(102, 1, 0);
    for (size_t i = 0; i < 102; i++) {
        data.x[i] = i == 0 ? -1.0 : 1.0;
    }
    REQUIRE(data_view(&data));
    REQUIRE(fit_open(&fit, data, options, hist_nbins, SCALING_NONE));
    for (int all_lost = 0; all_lost < 2; all_lost++) {
        for (size_t i = 0; i < 102; i++) {
            fit.h[i] = i == 0 ? 0x1p61 - 64.0 : i == 1 && !all_lost ? 0.6 : 0.4; /* in quanta of 1 */
            fit.g[i] = i == 0 ? 0.0 : -fit.h[i];
        }
        fit_measure(&fit);
        CHECK_INT(fit_run(&fit, &mxb__tree_learner, 1, 1, &term), MXB_OK);
        CHECK_INT(term.tree.n_nodes, all_lost ? 1 : 3);
        CHECK(fit.step[50] <= 1.0 && fit.step[50] > (all_lost ? 0.0 : 0.5));
        mxb__term_clear(&term);
    }
    fit_close(&fit);
}

static void check_failed_allocation_leaks_nothing(uint32_t hist_nbins) {
    struct fit_case fit;
    struct term term;
    REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .seed = 1}), fit_options(),
                     hist_nbins, SCALING_NONE));
    CHECK_INT(fit_run(&fit, &mxb__tree_learner, 1, 3, &term), MXB_OK);
    mxb__term_clear(&term);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(fit_run(&fit, &mxb__tree_learner, 1, 3, &term), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    fit_close(&fit);
}

/* ---- both engines ---- */

static void rows_left_out_change_nothing(void) {
    check_rows_left_out_change_nothing(256);
    check_rows_left_out_change_nothing(0);
}

static void columns_left_out_are_not_used(void) {
    check_columns_left_out_are_not_used(256);
    check_columns_left_out_are_not_used(0);
}

static void leaf_values_are_finite(void) {
    check_leaf_values_are_finite(256);
    check_leaf_values_are_finite(0);
}

static void light_rows_are_not_overshot(void) {
    check_light_rows_are_not_overshot(256);
    check_light_rows_are_not_overshot(0);
}

static void failed_allocation_leaks_nothing(void) {
    check_failed_allocation_leaks_nothing(256);
    check_failed_allocation_leaks_nothing(0);
}

int main(void) {
    RUN(trees_equal_naive_ones);
    RUN(many_values);
    RUN(the_last_of_many_values);
    RUN(every_type_ends_in_its_leaf);
    RUN(gains_and_shares);
    RUN(gains_of_samples_and_packed_quanta);
    RUN(rows_left_out_change_nothing);
    RUN(columns_left_out_are_not_used);
    RUN(leaf_values_are_finite);
    RUN(light_rows_are_not_overshot);
    RUN(failed_allocation_leaks_nothing);
    return check_report();
}
