/* Trainings with use_histograms=false: the same model as with histograms where every value has a bin of its own, and
 * every promise of a training kept. */
#include "model/model.h"
#include "unit/boost/train_data.h"

/* ---- equal to histograms ---- */

static int same_double(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_same_tree(const struct tree *a, const struct tree *b) {
    REQUIRE(a->n_nodes == b->n_nodes && a->max_depth == b->max_depth);
    for (uint32_t n = 0; n < a->n_nodes; n++) {
        const struct tree_node *x = &a->nodes[n];
        const struct tree_node *y = &b->nodes[n];
        CHECK(x->split == y->split && x->left == y->left && x->feature == y->feature);
        CHECK(x->missing_left == y->missing_left);
        CHECK(same_double(x->value, y->value)); /* thresholds and leaves */
    }
}

static void check_same_symmetric(const struct symmetric *a, const struct symmetric *b) {
    REQUIRE(a->depth == b->depth && a->max_depth == b->max_depth && a->gain == b->gain);
    CHECK(memcmp(a->levels, b->levels, a->depth * sizeof *a->levels) == 0);
    CHECK(memcmp(a->values, b->values, mxb__symmetric_n_leaves(a) * sizeof *a->values) == 0);
}

static void check_same_model(const mxb_model *a, const mxb_model *b) {
    REQUIRE(a != NULL && b != NULL && a->n_terms == b->n_terms);
    for (uint32_t r = 0; r < a->n_terms; r++) {
        REQUIRE(a->terms[r].kind == b->terms[r].kind);
        if (a->terms[r].kind == TERM_TREE) {
            check_same_tree(&a->terms[r].tree, &b->terms[r].tree);
        } else if (a->terms[r].kind == TERM_SYMMETRIC) {
            check_same_symmetric(&a->terms[r].symmetric, &b->terms[r].symmetric);
        }
    }
    CHECK(memcmp(a->train_curve, b->train_curve, (a->n_curve + 1) * sizeof *a->train_curve) == 0);
}

/* Takes over the options. */
static void check_against_histograms(struct data_recipe recipe, mxb_params *params) {
    REQUIRE(params != NULL);
    struct made_data data = data_make(recipe);
    mxb_model *binned = train(&data, params);
    CHECK_INT(mxb_params_set(params, "use_histograms", "false", NULL), MXB_OK);
    mxb_model *exact = train(&data, params);
    check_same_model(binned, exact);
    double *x = predict(binned, &data);
    double *y = predict(exact, &data);
    CHECK(memcmp(x, y, data.n_rows * sizeof *x) == 0);
    CHECK_TEXT(mxb_model_option(exact, "use_histograms"), "false");
    free(x);
    free(y);
    mxb_model_free(binned);
    mxb_model_free(exact);
    data_clear(&data);
    mxb_params_free(params);
}

static void equals_histograms_with_a_bin_a_value(void) {
    const char *const samples[] = {"1", "0.7", "0.3"};
    const char *const lambdas[] = {"1", "0"};
    const size_t values[] = {2, 6, 40, 255};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int two_classes = seed % 2 == 0;
        struct data_recipe recipe = {.n_rows = 3 + 31 * (size_t)seed,
                                     .n_features = 1 + seed % 11,
                                     .seed = seed,
                                     .missing = seed % 3 == 0 ? 0.25 : 0.0,
                                     .n_distinct = values[seed % 4],
                                     .two_classes = two_classes,
                                     .weighted = seed % 5 < 2,
                                     .wild = seed % 7 == 0};
        check_against_histograms(
            recipe, PARAMS("objective", two_classes ? "logloss" : "mse", "num_round", "12", "tree_probability", "0.8",
                           "max_max_depth", seed % 4 == 0 ? "15" : "6", "subsample", samples[seed % 3], "colsample",
                           samples[seed / 3 % 3], "lambda_l2", lambdas[seed / 2 % 2], "min_child_weight",
                           seed % 6 == 0 ? "5" : "0", "n_components", "5", "alpha", "1", "n_threads",
                           seed % 2 == 0 ? "3" : "1", "split_noise", seed % 5 == 1 ? "0.8" : "0", "leaf_rows",
                           seed % 4 < 2 ? "all" : "sample", "symmetric_probability", "0.5"));
    }
}

/* Continuous features, but no more rows than bins; and many rows of few values whose gradients stay wide. */
static void equals_histograms_of_few_and_of_many_rows(void) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct data_recipe recipe = {
            .n_rows = 236 + (size_t)seed, .n_features = 5, .seed = seed, .missing = seed > 10 ? 0.1 : 0.0};
        recipe.n_rows = recipe.n_rows < 255 ? recipe.n_rows : 255;
        check_against_histograms(recipe, PARAMS("num_round", "20", "tree_probability", "1", "subsample",
                                                seed % 2 == 0 ? "0.8" : "1", "lambda_l2", "0"));
    }
    struct data_recipe many = {
        .n_rows = 67000, .n_features = 3, .seed = 2, .missing = 0.1, .n_distinct = 200, .weighted = 1, .wild = 1};
    check_against_histograms(many, PARAMS("num_round", "3", "tree_probability", "1", "subsample", "0.9"));
}

static void hist_nbins_is_not_looked_at(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 300, .n_features = 3, .seed = 1});
    mxb_params *few = PARAMS("use_histograms", "false", "hist_nbins", "2", "num_round", "5");
    mxb_params *many = PARAMS("use_histograms", "false", "num_round", "5");
    REQUIRE(few != NULL && many != NULL);
    mxb_model *a = train(&data, few);
    mxb_model *b = train(&data, many);
    check_same_model(a, b);
    mxb_model_free(a);
    mxb_model_free(b);
    /* Nor does a trainer mind. */
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    OK(mxb_prepared_create(data.dataset, few, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, NULL, many, &trainer, &error), error);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_params_free(few);
    mxb_params_free(many);
    data_clear(&data);
}

/* ---- every value ---- */

/* More thresholds than bins: a tree that gives each of 2000 rows its own leaf, and predicts all of them. */
static void every_value_may_be_a_threshold(void) {
    struct made_data data = data_allocate(2000, 1, 0);
    for (size_t i = 0; i < 2000; i++) {
        data.x[i] = (double)((i * 1237) % 2000) * 0.5;
        data.y[i] = 3.0 * data.x[i] + 1.0;
    }
    REQUIRE(data_view(&data));
    mxb_params *params = PARAMS("use_histograms", "false", "num_round", "1", "learning_rate", "1", "tree_probability",
                                "1", "symmetric_probability", "0", "min_max_depth", "30", "max_max_depth", "30",
                                "lambda_l2", "0", "subsample", "1");
    mxb_model *model = train(&data, params);
    REQUIRE(model != NULL);
    double *predicted = predict(model, &data);
    CHECK_INT(model->terms[0].tree.n_nodes, 3999);
    CHECK_INT(mxb_model_feature_splits(model, 0), 1999);
    for (size_t i = 0; i < 2000; i++) {
        CHECK_NEAR(predicted[i], data.y[i], 1e-9);
    }
    free(predicted);
    mxb_model_free(model);
    mxb_params_free(params);
    data_clear(&data);
}

/* Infinities, both zeros, a constant and an empty feature; scores in training are those of prediction. */
static void odd_values(void) {
    const double odd[] = {-HUGE_VAL, HUGE_VAL, -0.0, 0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, (double)NAN, 1.0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct dice dice = {seed};
        struct made_data data = data_allocate(250, 5, 0);
        for (size_t i = 0; i < 250; i++) {
            double kind = odd[dice_below(&dice, 10)];
            double small = dice_below(&dice, 5) == 0 ? -0.0 : dice_normal(&dice) * 1e-309;
            data.x[i] = kind;
            data.x[250 + i] = 7.25;
            data.x[500 + i] = (double)NAN;
            data.x[750 + i] = small;
            data.x[1000 + i] = dice_below(&dice, 4) == 0 ? (double)NAN : -HUGE_VAL;
            data.y[i] = dice_normal(&dice) + (kind > 0.0 ? 2.0 : 0.0) + (small == 0.0 ? 1.0 : 0.0);
        }
        REQUIRE(data_view(&data));
        mxb_params *params =
            PARAMS("use_histograms", "false", "num_round", "20", "learning_rate", "1", "tree_probability", "1",
                   "lambda_l2", "0", "subsample", seed % 2 == 0 ? "0.7" : "1", "n_threads", "1");
        mxb_model *model = train(&data, params);
        REQUIRE(model != NULL);
        CHECK_INT(mxb_model_feature_splits(model, 1), 0);
        CHECK_INT(mxb_model_feature_splits(model, 2), 0);
        CHECK(mxb_model_feature_splits(model, 0) > 20 && mxb_model_feature_splits(model, 3) > 20);
        double *predicted = predict(model, &data);
        double sum = 0.0;
        for (size_t i = 0; i < 250; i++) {
            sum += (predicted[i] - data.y[i]) * (predicted[i] - data.y[i]);
        }
        CHECK_NEAR(mxb_model_curve(model, 20, 0), sqrt(sum / 250.0), 1e-12);
        /* All values are in the model's own bins, so histograms agree. */
        CHECK_INT(mxb_params_set(params, "use_histograms", "true", NULL), MXB_OK);
        mxb_model *binned = train(&data, params);
        check_same_model(model, binned);
        mxb_model_free(binned);
        free(predicted);
        mxb_model_free(model);
        mxb_params_free(params);
        data_clear(&data);
    }
}

/* ---- promises ---- */

static void check_threads(struct data_recipe recipe, const char *objective) {
    const char *const threads[] = {"1", "2", "3", "8"};
    struct made_data data = data_make(recipe);
    struct model_bytes first = {NULL, 0};
    for (size_t t = 0; t < 4; t++) {
        mxb_params *params =
            PARAMS("use_histograms", "false", "objective", objective, "num_round", "6", "tree_probability", "0.8",
                   "max_max_depth", "7", "subsample", "0.8", "colsample", "0.7", "n_components", "6", "split_noise",
                   "0.4", "leaf_rows", "all", "n_threads", threads[t]);
        struct model_bytes bytes = train_bytes(&data, params);
        CHECK(t == 0 || same_bytes(first, bytes));
        if (t == 0) {
            first = bytes;
        } else {
            mxb_bytes_free(bytes.bytes);
        }
        mxb_params_free(params);
    }
    mxb_bytes_free(first.bytes);
    data_clear(&data);
}

static void threads_do_not_change_models(void) {
    struct data_recipe recipe = {.n_rows = 9000, .n_features = 4, .seed = 1, .missing = 0.1, .weighted = 1, .wild = 1};
    check_threads(recipe, "mse");
    check_threads((struct data_recipe){.n_rows = 5000, .n_features = 13, .seed = 2, .two_classes = 1}, "logloss");
    check_threads((struct data_recipe){.n_rows = 70000, .n_features = 2, .seed = 3, .missing = 0.1}, "mse");
}

static void check_memory(const char *n_threads, int for_ever) {
    mxb_params *params = PARAMS("use_histograms", "false", "num_round", "6", "tree_probability", "0.6", "n_components",
                                "4", "n_threads", n_threads, "max_max_depth", "3", "learning_rate", "0.05");
    check_failing_allocations(params, for_ever);
    mxb_params_free(params);
}

static void every_allocation_may_fail(void) {
    check_memory("1", 0);
    check_memory("1", 1);
    check_memory("2", 1);
}

/* Weights 0 .. 3 against so many copies: the same splits, and values that differ in rounding only. */
static void weights_are_copies(void) {
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct made_data data = data_make((struct data_recipe){
            .n_rows = 300, .n_features = 4, .seed = seed, .missing = seed % 2 == 0 ? 0.1 : 0.0, .weighted = 1});
        struct dice dice = {seed + 1000};
        size_t n_copies = 0;
        for (size_t i = 0; i < 300; i++) {
            data.weights[i] = (double)dice_below(&dice, 4);
            n_copies += (size_t)data.weights[i];
        }
        struct made_data copies = data_allocate(n_copies, 4, 0);
        for (size_t i = 0, at = 0; i < 300; i++) {
            for (size_t k = 0; k < (size_t)data.weights[i]; k++, at++) {
                copies.y[at] = data.y[i];
                for (size_t f = 0; f < 4; f++) {
                    copies.x[f * n_copies + at] = data.x[f * 300 + i];
                }
            }
        }
        REQUIRE(data_view(&copies));
        mxb_params *params = PARAMS("use_histograms", "false", "num_round", "10", "tree_probability", "1",
                                    "symmetric_probability", "0", "max_max_depth", "5", "subsample", "1");
        mxb_model *weighted = train(&data, params);
        mxb_model *copied = train(&copies, params);
        REQUIRE(weighted != NULL && copied != NULL);
        for (uint32_t r = 0; r < 10; r++) {
            const struct tree *a = &weighted->terms[r].tree;
            const struct tree *b = &copied->terms[r].tree;
            REQUIRE(a->n_nodes == b->n_nodes);
            for (uint32_t n = 0; n < a->n_nodes; n++) {
                CHECK(a->nodes[n].split == b->nodes[n].split && a->nodes[n].feature == b->nodes[n].feature);
                CHECK_NEAR(a->nodes[n].value, b->nodes[n].value,
                           a->nodes[n].split == SPLIT_NONE ? 1e-12 * (1 + fabs(a->nodes[n].value)) : 0.0);
            }
        }
        mxb_model_free(weighted);
        mxb_model_free(copied);
        mxb_params_free(params);
        data_clear(&data);
        data_clear(&copies);
    }
}

int main(void) {
    RUN(equals_histograms_with_a_bin_a_value);
    RUN(equals_histograms_of_few_and_of_many_rows);
    RUN(hist_nbins_is_not_looked_at);
    RUN(every_value_may_be_a_threshold);
    RUN(odd_values);
    RUN(threads_do_not_change_models);
    RUN(every_allocation_may_fail);
    RUN(weights_are_copies);
    return check_report();
}
