/* What every training promises, whatever the data: the same bytes for any number of threads, weights as copies, no
 * leak when memory runs out, no harm from fork. */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/model.h"
#include "unit/boost/train_data.h"

/* ---- threads ---- */

static void check_threads(struct data_recipe recipe, mxb_params *params) {
    const char *const threads[] = {"1", "2", "3", "8"};
    struct made_data data = data_make(recipe);
    struct model_bytes first = {NULL, 0};
    REQUIRE(params != NULL);
    for (size_t t = 0; t < 4; t++) {
        CHECK_INT(mxb_params_set(params, "n_threads", threads[t], NULL), MXB_OK);
        struct model_bytes bytes = train_bytes(&data, params);
        if (t == 0) {
            first = bytes;
        } else {
            CHECK(same_bytes(first, bytes));
            mxb_bytes_free(bytes.bytes);
        }
    }
    /* Each pool with a number of its own. */
    CHECK_INT(mxb_params_set(params, "tree_n_threads", "3", NULL), MXB_OK);
    CHECK_INT(mxb_params_set(params, "ridge_n_threads", "2", NULL), MXB_OK);
    CHECK_INT(mxb_params_set(params, "kernel_n_threads", "5", NULL), MXB_OK);
    struct model_bytes bytes = train_bytes(&data, params);
    CHECK(same_bytes(first, bytes));
    mxb_bytes_free(bytes.bytes);
    mxb_bytes_free(first.bytes);
    data_clear(&data);
    mxb_params_free(params);
}

static void threads_do_not_change_wide_models(void) {
    struct data_recipe recipe = {.n_rows = 9000, .n_features = 9, .seed = 1, .missing = 0.1, .weighted = 1, .wild = 1};
    check_threads(recipe, PARAMS("symmetric_probability", "0.4", "num_round", "8", "tree_probability", "0.6",
                                 "max_max_depth", "7", "subsample", "0.8", "colsample", "0.6", "n_components", "12"));
    check_threads(recipe,
                  PARAMS("symmetric_probability", "0.4", "num_round", "8", "max_max_depth", "11", "subsample", "0.8",
                         "leaf_rows", "all", "split_noise", "0.5", "split_prior", "0.2", "lambda_l2", "0"));
    recipe.wild = 0;
    recipe.two_classes = 1;
    check_threads(recipe,
                  PARAMS("symmetric_probability", "0.4", "num_round", "8", "tree_probability", "0.6", "max_max_depth",
                         "7", "objective", "logloss", "n_components", "12", "fourier_scaling", "standard"));
}

static void threads_do_not_change_banks(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct data_recipe recipe = {
            .n_rows = 9000, .n_features = 9, .seed = 1, .missing = 0.1, .two_classes = two_classes, .weighted = 1};
        check_threads(recipe,
                      PARAMS("objective", two_classes ? "logloss" : "mse", "num_round", "16", "tree_probability", "0.4",
                             "n_components", "12", "gamma", "auto", "n_projections", "2", "fourier_metric", "learned"));
    }
}

/* More than 2^16 rows: packed words where the gradients are even, wide ones where they are not. */
static void threads_do_not_change_models_of_many_rows(void) {
    struct data_recipe recipe = {.n_rows = 66000, .n_features = 3, .seed = 1, .missing = 0.1};
    check_threads(recipe, PARAMS("symmetric_probability", "0.4", "num_round", "4", "tree_probability", "0.8",
                                 "max_max_depth", "4", "n_components", "4", "subsample", "0.999"));
    check_threads(recipe, PARAMS("symmetric_probability", "0.4", "num_round", "4", "tree_probability", "1",
                                 "max_max_depth", "12", "subsample", "0.7", "leaf_rows", "all", "split_noise", "0.5"));
    recipe.weighted = 1;
    recipe.wild = 1;
    check_threads(recipe, PARAMS("symmetric_probability", "0.4", "num_round", "3", "tree_probability", "0.8",
                                 "max_max_depth", "4", "n_components", "4"));
}

/* ---- weights are copies ---- */

/* The same splits on the same sides. Without missing values their side is the heavier one, and where both weigh the
 * same it is rounding that says which. */
static void check_same_trees(const mxb_model *a, const mxb_model *b, int has_missing) {
    REQUIRE(a != NULL && b != NULL);
    CHECK_INT(a->n_terms, b->n_terms);
    for (uint32_t r = 0; r < a->n_terms && r < b->n_terms; r++) {
        REQUIRE(a->terms[r].kind == b->terms[r].kind);
        if (a->terms[r].kind == TERM_TREE) {
            const struct tree *x = &a->terms[r].tree;
            const struct tree *y = &b->terms[r].tree;
            REQUIRE(x->n_nodes == y->n_nodes);
            for (uint32_t n = 0; n < x->n_nodes; n++) {
                CHECK(x->nodes[n].split == y->nodes[n].split && x->nodes[n].left == y->nodes[n].left);
                CHECK(x->nodes[n].feature == y->nodes[n].feature);
                CHECK(!has_missing || x->nodes[n].missing_left == y->nodes[n].missing_left);
                CHECK(x->nodes[n].split == SPLIT_NONE || x->nodes[n].value == y->nodes[n].value);
            }
        }
    }
}

static void check_same_predictions(const mxb_model *a, const mxb_model *b, const struct made_data *data,
                                   double tolerance) {
    double *x = predict(a, data);
    double *y = predict(b, data);
    double largest = 0.0;
    double difference = 0.0;
    for (size_t i = 0; i < data->n_rows; i++) {
        largest = fmax(largest, fabs(x[i]));
        difference = fmax(difference, fabs(x[i] - y[i]));
    }
    CHECK_NEAR(difference / largest, 0.0, tolerance);
    free(x);
    free(y);
}

/* Weights 0 .. 3 against so many copies, side by side or in another order. Sums of weights and of copies differ in
 * rounding, which the condition of a ridge system makes larger: hence the tolerance. */
static void check_copies(struct data_recipe recipe, int reversed, mxb_params *params, double tolerance) {
    REQUIRE(params != NULL);
    recipe.weighted = 1;
    struct made_data data = data_make(recipe);
    struct dice dice = {recipe.seed + 1000};
    size_t n_copies = 0;
    for (size_t i = 0; i < data.n_rows; i++) {
        data.weights[i] = i < 2 ? 1.0 : (double)dice_below(&dice, 4);
        n_copies += (size_t)data.weights[i];
    }
    struct made_data copies = data_allocate(n_copies, data.n_features, 0);
    size_t at = 0;
    for (size_t i = 0; i < data.n_rows; i++) {
        for (size_t k = 0; k < (size_t)data.weights[i]; k++, at++) {
            size_t to = reversed ? n_copies - 1 - at : at;
            copies.y[to] = data.y[i];
            for (size_t f = 0; f < data.n_features; f++) {
                copies.x[f * n_copies + to] = data.x[f * data.n_rows + i];
            }
        }
    }
    REQUIRE(data_view(&copies));
    mxb_model *weighted = train(&data, params);
    mxb_model *copied = train(&copies, params);
    check_same_trees(weighted, copied, recipe.missing > 0.0);
    check_same_predictions(weighted, copied, &data, tolerance);
    mxb_model_free(weighted);
    mxb_model_free(copied);
    data_clear(&data);
    data_clear(&copies);
    mxb_params_free(params);
}

static void weights_are_copies(void) {
    const char *const scalings[] = {"none", "standard", "rank"};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        int two_classes = seed % 2 == 0;
        struct data_recipe recipe = {.n_rows = 150 + 60 * (size_t)seed,
                                     .n_features = 4,
                                     .seed = seed,
                                     .missing = seed % 3 == 0 ? 0.1 : 0.0,
                                     .two_classes = two_classes};
        check_copies(
            recipe, 0,
            PARAMS("learning_rate", "0.05", "symmetric_probability", "0.4", "objective",
                   two_classes ? "logloss" : "mse", "num_round", "15", "tree_probability", seed % 3 == 1 ? "1" : "0.6",
                   "max_max_depth", "5", "colsample", "0.8", "n_components", "20", "alpha", "1", "fourier_scaling",
                   scalings[seed % 3], "gamma", "0.05", "n_projections", "1", "fourier_metric", "isotropic",
                   "fourier_linear", seed % 5 < 2 ? "true" : "false", "subsample", "1", "hist_nbins",
                   seed % 4 == 0 ? "9" : "256", "n_threads", "1", "split_noise", seed > 6 ? "0.6" : "0"),
            1e-12);
        check_copies(recipe, 0,
                     PARAMS("learning_rate", "0.05", "symmetric_probability", "0.4", "objective",
                            two_classes ? "logloss" : "mse", "num_round", "40", "tree_probability", "0.9", "alpha",
                            "0.001", "subsample", "1", "gamma", "0.05", "n_projections", "1", "fourier_metric",
                            "isotropic", "fourier_linear", "false"),
                     1e-9);
    }
}

/* Kernels that are drawn from the data: on few rows whatever their order, on more where copies lie side by side.
 * Frequencies are floats, so what differs in rounding may differ in their last bit. */
static void weights_are_copies_to_banks(void) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        int two_classes = seed % 2 == 0, few = seed <= 8;
        struct data_recipe recipe = {
            .n_rows = few ? 12 + 2 * (size_t)seed : 400, .n_features = 4, .seed = seed, .two_classes = two_classes};
        check_copies(recipe, few,
                     PARAMS("objective", two_classes ? "logloss" : "mse", "num_round", "30", "tree_probability", "0.6",
                            "n_components", "20", "alpha", "1", "gamma", "auto", "n_projections", "2", "fourier_metric",
                            "learned", "fourier_linear", "true", "subsample", "1", "n_threads", "1"),
                     1e-6);
    }
}

/* The plain defaults, on few rows in any order: also their choice of num_round is the same. */
static void weights_are_copies_by_default(void) {
    for (uint64_t seed = 1; seed <= 12; seed++) {
        int two_classes = seed % 2 == 0;
        struct data_recipe recipe = {.n_rows = 10 + 2 * (size_t)seed,
                                     .n_features = 3,
                                     .seed = seed,
                                     .missing = seed % 3 == 0 ? 0.1 : 0.0,
                                     .two_classes = two_classes};
        check_copies(recipe, seed % 4 < 2, PARAMS("objective", two_classes ? "logloss" : "mse"), 1e-6);
    }
}

/* Rows of weight 0 may hold anything, and the model is the same to the last byte. */
static void weight_0_is_a_row_absent(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct made_data data = data_make((struct data_recipe){
            .n_rows = 200, .n_features = 3, .seed = 6, .missing = 0.1, .two_classes = two_classes, .weighted = 1});
        size_t n_kept = 0;
        for (size_t i = 0; i < 200; i++) {
            data.weights[i] = i >= 2 && i % 3 == 0 ? 0.0 : 1.0 + (double)(i % 5);
            n_kept += data.weights[i] > 0.0;
            if (data.weights[i] == 0.0) {
                data.x[i] = 1e308;
                data.x[200 + i] = (double)NAN;
                data.y[i] = i % 2 == 0 ? 12345.0 : (double)NAN; /* no class of the others, or no label at all */
            }
        }
        struct made_data kept = data_allocate(n_kept, 3, 1);
        size_t at = 0;
        for (size_t i = 0; i < 200; i++) {
            if (data.weights[i] > 0.0) {
                kept.y[at] = data.y[i];
                kept.weights[at] = data.weights[i];
                for (size_t f = 0; f < 3; f++) {
                    kept.x[f * n_kept + at] = data.x[f * 200 + i];
                }
                at++;
            }
        }
        REQUIRE(data_view(&kept));
        mxb_params *params = PARAMS("symmetric_probability", "0.4", "objective", two_classes ? "logloss" : "mse",
                                    "num_round", "10", "tree_probability", "0.6", "n_components", "10");
        struct model_bytes a = train_bytes(&data, params);
        struct model_bytes b = train_bytes(&kept, params);
        CHECK(same_bytes(a, b));
        mxb_bytes_free(a.bytes);
        mxb_bytes_free(b.bytes);
        data_clear(&data);
        data_clear(&kept);
        mxb_params_free(params);
    }
}

/* Without weights no hessian is stored, with them all are; the bytes do not tell which. */
static void check_ones(struct data_recipe recipe, mxb_params *params) {
    REQUIRE(params != NULL);
    struct made_data data = data_make(recipe);
    struct model_bytes plain = train_bytes(&data, params);
    mxb_dataset_free(data.dataset);
    data.weights = calloc(data.n_rows, sizeof *data.weights);
    for (size_t i = 0; i < data.n_rows; i++) {
        data.weights[i] = 1.0;
    }
    REQUIRE(data_view(&data));
    struct model_bytes weighted = train_bytes(&data, params);
    CHECK(same_bytes(plain, weighted));
    mxb_bytes_free(plain.bytes);
    mxb_bytes_free(weighted.bytes);
    data_clear(&data);
    mxb_params_free(params);
}

static void weights_of_1_change_nothing(void) {
    for (int k = 0; k < 12; k++) {
        int two_classes = k & 1, is_large = k >> 1 & 1; /* packed words from 2^16 rows on */
        const char *const tree_shares[] = {"1", "0.5", "0"};
        struct data_recipe recipe = {
            .n_rows = is_large ? 66000 : 3000, .n_features = 3, .seed = 4, .missing = 0.1, .two_classes = two_classes};
        check_ones(recipe, PARAMS("symmetric_probability", "0.4", "objective", two_classes ? "logloss" : "mse",
                                  "num_round", is_large ? "6" : "25", "tree_probability", tree_shares[k / 4],
                                  "max_max_depth", "5", "n_components", "10"));
    }
    struct data_recipe recipe = {.n_rows = 3000, .n_features = 3, .seed = 5, .two_classes = 1};
    check_ones(recipe, PARAMS("symmetric_probability", "0.4", "objective", "logloss", "num_round", "25",
                              "use_histograms", "false"));
}

static void order_of_rows_does_not_matter(void) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct data_recipe recipe = {
            .n_rows = 240, .n_features = 4, .seed = seed, .missing = 0.1, .two_classes = seed % 2 == 0};
        struct made_data data = data_make(recipe);
        struct made_data shuffled = data_allocate(240, 4, 0);
        for (size_t i = 0; i < 240; i++) {
            size_t from = (i * 77 + 13) % 240;
            shuffled.y[i] = data.y[from];
            for (size_t f = 0; f < 4; f++) {
                shuffled.x[f * 240 + i] = data.x[f * 240 + from];
            }
        }
        REQUIRE(data_view(&shuffled));
        mxb_params *params =
            PARAMS("symmetric_probability", "0.4", "objective", seed % 2 == 0 ? "logloss" : "mse", "num_round", "15",
                   "tree_probability", "0.8", "n_components", "10", "alpha", "1", "gamma", "0.05", "n_projections", "1",
                   "fourier_metric", "isotropic", "n_threads", "1");
        mxb_model *a = train(&data, params);
        mxb_model *b = train(&shuffled, params);
        check_same_trees(a, b, 1);
        check_same_predictions(a, b, &data, 1e-12);
        mxb_model_free(a);
        mxb_model_free(b);
        data_clear(&data);
        data_clear(&shuffled);
        mxb_params_free(params);
    }
}

/* Metres or millimetres: columns times powers of two, which rounding does not see, and the same predictions.
 * (A draw of few rows goes by what they hold, and is another.) */
static void units_of_columns_do_not_matter(void) {
    const char *const scalings[] = {"rank", "standard"};
    for (size_t k = 0; k < 4; k++) {
        struct data_recipe recipe = {
            .n_rows = 400, .n_features = 4, .seed = 7 + k, .missing = 0.1, .two_classes = k % 2 == 1};
        struct made_data data = data_make(recipe), other = data_make(recipe);
        for (size_t i = 0; i < 400 * 4; i++) {
            other.x[i] = ldexp(other.x[i], (int[]){0, 20, -20, 100}[i / 400]);
        }
        mxb_params *params = PARAMS("objective", k % 2 == 1 ? "logloss" : "mse", "num_round", "20", "tree_probability",
                                    "0.5", "n_components", "20", "subsample", "1", "fourier_scaling", scalings[k / 2]);
        mxb_model *a = train(&data, params), *b = train(&other, params);
        double *of_a = predict(a, &data), *of_b = predict(b, &other);
        CHECK(memcmp(of_a, of_b, 400 * sizeof *of_a) == 0);
        free(of_a);
        free(of_b);
        mxb_model_free(a);
        mxb_model_free(b);
        data_clear(&data);
        data_clear(&other);
        mxb_params_free(params);
    }
}

/* ---- saving and predicting ---- */

static void loading_gives_the_same_bytes_and_predictions(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        mxb_error error;
        struct made_data data = data_make((struct data_recipe){
            .n_rows = 700, .n_features = 5, .seed = 9, .missing = 0.1, .two_classes = two_classes, .weighted = 1});
        mxb_params *params =
            PARAMS("symmetric_probability", "0.4", "objective", two_classes ? "logloss" : "mse", "num_round", "20",
                   "tree_probability", "0.6", "n_components", "10", "subsample", "0.5");
        mxb_model *model = train(&data, params);
        struct model_bytes bytes = bytes_of(model);
        mxb_model *loaded;
        OK(mxb_model_from_bytes(bytes.bytes, bytes.n_bytes, &loaded, &error), error);
        struct model_bytes again = bytes_of(loaded);
        CHECK(same_bytes(bytes, again));
        double *batch = predict(model, &data);
        double *from_loaded = predict(loaded, &data);
        CHECK(memcmp(batch, from_loaded, 700 * sizeof *batch) == 0);
        for (size_t i = 0; i < 700; i += 7) { /* row by row */
            mxb_dataset *row;
            double alone;
            OK(mxb_dataset_select(data.dataset, &i, 1, &row, &error), error);
            OK(mxb_model_predict(model, row, MXB_PREDICT_RAW, 1, &alone, &error), error);
            CHECK(alone == batch[i]);
            mxb_dataset_free(row);
        }
        free(batch);
        free(from_loaded);
        mxb_bytes_free(bytes.bytes);
        mxb_bytes_free(again.bytes);
        mxb_model_free(model);
        mxb_model_free(loaded);
        data_clear(&data);
        mxb_params_free(params);
    }
}

/* ---- memory ---- */

static void check_memory(const char *n_threads, int for_ever) {
    mxb_params *params = PARAMS("symmetric_probability", "0.4", "num_round", "6", "tree_probability", "0.5",
                                "n_components", "4", "n_threads", n_threads, "max_max_depth", "3");
    check_failing_allocations(params, for_ever);
    mxb_params_free(params);
}

static void every_allocation_may_fail(void) {
    check_memory("1", 0);
    check_memory("1", 1);
    check_memory("2", 1);
}

/* A pool that cannot be had is no failure: fewer threads, same bytes. */
static void missing_threads_change_nothing(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 60, .n_features = 3, .seed = 2});
    mxb_params *params = PARAMS("symmetric_probability", "0.4", "num_round", "4", "tree_probability", "0.5",
                                "n_components", "4", "n_threads", "3", "tree_n_threads", "2");
    struct model_bytes expected = train_bytes(&data, params);
    size_t n_trained = 0;
    for (uint64_t n = 1; n <= 120; n++) {
        mxb_model *model = NULL;
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb_train(data.dataset, NULL, params, NULL, NULL, &model, NULL);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || (status == MXB_ERROR_MEMORY && model == NULL));
        if (status == MXB_OK) {
            struct model_bytes bytes = bytes_of(model);
            CHECK(same_bytes(expected, bytes));
            mxb_bytes_free(bytes.bytes);
            n_trained++;
        }
        mxb_model_free(model);
    }
    CHECK(n_trained > 0);
    mxb_bytes_free(expected.bytes);
    data_clear(&data);
    mxb_params_free(params);
}

/* ---- fork ---- */

/* Trains in a child process; whether it gave these bytes. */
static int child_agrees(const struct made_data *data, const mxb_params *params, struct model_bytes expected) {
    pid_t child = fork();
    if (child == 0) {
        struct model_bytes bytes = train_bytes(data, params);
        int same = expected.bytes == NULL ? bytes.bytes != NULL : same_bytes(bytes, expected);
        mxb_bytes_free(bytes.bytes);
        _exit(same ? 0 : 1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void fork_is_harmless(void) {
    mxb_error error;
    struct made_data data = data_make((struct data_recipe){.n_rows = 9000, .n_features = 8, .seed = 2});
    mxb_params *params = PARAMS("symmetric_probability", "0.4", "num_round", "4", "tree_probability", "0.5",
                                "n_components", "8", "n_threads", "3");
    REQUIRE(params != NULL);
    CHECK(child_agrees(&data, params, (struct model_bytes){NULL, 0})); /* before anything */
    struct model_bytes expected = train_bytes(&data, params);
    CHECK(child_agrees(&data, params, expected));
    /* In the middle of a training, which both go on with. */
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *model;
    OK(mxb_prepared_create(data.dataset, params, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, NULL, params, &trainer, &error), error);
    OK(mxb_trainer_run(trainer, 2, NULL, NULL, &error), error);
    pid_t child = fork();
    CHECK(mxb_trainer_run(trainer, 4, NULL, NULL, &error) == MXB_OK);
    CHECK(mxb_trainer_model(trainer, &model, &error) == MXB_OK);
    struct model_bytes bytes = bytes_of(model);
    int same = same_bytes(bytes, expected);
    if (child == 0) {
        _exit(same ? 0 : 1);
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(same);
    mxb_bytes_free(bytes.bytes);
    mxb_bytes_free(expected.bytes);
    mxb_model_free(model);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    data_clear(&data);
    mxb_params_free(params);
}

int main(void) {
    RUN(threads_do_not_change_wide_models);
    RUN(threads_do_not_change_banks);
    RUN(threads_do_not_change_models_of_many_rows);
    RUN(weights_are_copies);
    RUN(weights_are_copies_to_banks);
    RUN(weights_are_copies_by_default);
    RUN(weight_0_is_a_row_absent);
    RUN(weights_of_1_change_nothing);
    RUN(order_of_rows_does_not_matter);
    RUN(units_of_columns_do_not_matter);
    RUN(loading_gives_the_same_bytes_and_predictions);
    RUN(every_allocation_may_fail);
    RUN(missing_threads_change_nothing);
    RUN(fork_is_harmless);
    return check_report();
}
