/* Trainings with a caller's loss and learners, from outside: they run on the one loop, and everything the loop promises
 * holds for them. */
#include "check.h"
#include "unit/boost/own_case.h"

static size_t count_rounds(const mxb_model *model, const char *learner) {
    size_t n = 0;
    for (size_t round = 1; round <= mxb_model_n_rounds(model); round++) {
        n += strcmp(mxb_model_round_learner(model, round, 0), learner) == 0;
    }
    return n;
}

/* ---- a loss that repeats a built-in one ---- */

/* The same rounds with the same numbers: the JSON text of the rounds is the same, and so are predictions and curve. */
static void check_same_training(int two_classes, int weighted, const char *scaling, int with_valid) {
    struct data_recipe recipe = {.n_rows = 5000, .n_features = 4, .seed = 9, .two_classes = two_classes};
    recipe.missing = 0.05;
    struct made_data data = data_make(recipe);
    struct own_loss own = {.two_classes = two_classes};
    mxb_model *models[2];
    mxb_error error;
    char *json[2];
    size_t n;
    if (weighted) {
        data.weights = calloc(data.n_rows, sizeof *data.weights);
        for (size_t i = 0; i < data.n_rows; i++) {
            data.weights[i] = (double)(i % 7) / 3.0; /* some rows weigh nothing */
        }
        mxb_dataset_free(data.dataset);
        REQUIRE(data_view(&data));
    }
    double *predicted = calloc(2 * data.n_rows, sizeof *predicted);
    for (int k = 0; k < 2; k++) {
        mxb_params *params = PARAMS("objective", two_classes ? "logloss" : "mse", "num_round", "15", "tree_probability",
                                    "0.6", "max_max_depth", "5", "n_components", "12", "fourier_scaling", scaling,
                                    "subsample", "0.8", "early_stopping_rounds", "0");
        REQUIRE(params != NULL && (k == 0 || own_loss_set(params, &own, "mine", 0)));
        OK(mxb_train(data.dataset, with_valid ? data.dataset : NULL, params, NULL, NULL, &models[k], &error), error);
        OK(mxb_model_predict(models[k], data.dataset, MXB_PREDICT_RAW, 0, predicted + (size_t)k * data.n_rows, &error),
           error);
        OK(mxb_model_to_json(models[k], &json[k], &n, &error), error);
        mxb_params_free(params);
    }
    CHECK(memcmp(predicted, predicted + data.n_rows, data.n_rows * sizeof *predicted) == 0);
    for (size_t round = 0; round <= 15; round++) {
        CHECK(mxb_model_curve(models[0], round, 0) == mxb_model_curve(models[1], round, 0));
        CHECK(!with_valid || mxb_model_curve(models[0], round, 1) == mxb_model_curve(models[1], round, 1));
    }
    const char *rounds[2] = {strstr(json[0], "\"rounds\":"), strstr(json[1], "\"rounds\":")};
    const char *end[2] = {strstr(json[0], "\"curve\":"), strstr(json[1], "\"curve\":")};
    CHECK(end[0] - rounds[0] == end[1] - rounds[1] && memcmp(rounds[0], rounds[1], (size_t)(end[0] - rounds[0])) == 0);
    CHECK(own.n_starts == 1 && own.n_derivatives == 16);
    CHECK_TEXT(mxb_model_option(models[1], "objective"), "mine");
    CHECK_TEXT(mxb_model_metric(models[1]), two_classes ? "mine" : "my rmse");
    for (int k = 0; k < 2; k++) {
        mxb_model_free(models[k]);
        mxb_bytes_free(json[k]);
    }
    free(predicted);
    data_clear(&data);
}

static void a_loss_that_repeats_a_built_in_one_trains_the_same(void) {
    check_same_training(0, 0, "rank", 0);
    check_same_training(0, 1, "standard", 1);
    check_same_training(1, 0, "none", 1);
    check_same_training(1, 1, "rank", 0);
}

/* ---- learners on the loop ---- */

static void a_learner_alone_needs_no_other(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    REQUIRE(mixed_open(&mixed, "30", 1.0));
    CHECK_INT(mxb_params_set(mixed.params, "early_stopping_rounds", "0", &error), MXB_OK);
    OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error);
    CHECK_INT(count_rounds(model, "line"), 30);
    CHECK_INT(mixed.lines.n_fits, 30);
    CHECK_INT(mixed.lines.n_predicts, 30);
    /* Newton steps of rate 1/2 towards the least-squares line halve the distance each time. */
    double raw[N_TRAIN], x[N_TRAIN], ones[N_TRAIN];
    OK(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_VALUE, 1, raw, &error), error);
    for (size_t i = 0; i < N_TRAIN; i++) {
        x[i] = mixed.train.x[i];
        ones[i] = 1;
    }
    struct line best = line_solve(x, mixed.train.y, ones, N_TRAIN);
    for (size_t i = 0; i < N_TRAIN; i++) {
        CHECK_NEAR(raw[i], best.intercept + best.slope * (isnan(x[i]) ? 0 : x[i]), 1e-7);
    }
    mxb_model_free(model);
    mixed_close(&mixed);
}

/* The curve's last value is the metric of the model's own predictions, with own rounds among the others. */
static void curves_are_the_metric_of_predictions(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    double raw[N_TRAIN];
    REQUIRE(mixed_open(&mixed, "25", 0.4));
    CHECK_INT(mxb_params_set(mixed.params, "early_stopping_rounds", "0", &error), MXB_OK);
    OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error);
    CHECK(count_rounds(model, "line") > 3 && count_rounds(model, "tree") > 3 && count_rounds(model, "fourier") > 0);
    for (int valid = 0; valid < 2; valid++) {
        const struct made_data *data = valid ? &mixed.valid : &mixed.train;
        double metric;
        OK(mxb_model_predict(model, data->dataset, MXB_PREDICT_RAW, 1, raw, &error), error);
        OK(own_metric(&mixed.own, data->n_rows, data->y, NULL, raw, &metric, &error), error);
        CHECK_NEAR(mxb_model_curve(model, 25, valid), metric, 1e-12);
    }
    mxb_model_free(model);
    mixed_close(&mixed);
}

/* With a built-in loss, labels and probabilities are those of the whole sum, own rounds included. */
static void built_in_links_come_after_own_rounds(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    double raw[N_TRAIN], probability[N_TRAIN], value[N_TRAIN];
    REQUIRE(mixed_open(&mixed, "20", 0.6));
    for (size_t i = 0; i < N_TRAIN; i++) {
        mixed.train.y[i] = mixed.train.y[i] > 0.3 ? 7 : 3;
    }
    CHECK_INT(mxb_params_set(mixed.params, "objective", "logloss", &error), MXB_OK);
    OK(mxb_train(mixed.train.dataset, NULL, mixed.params, NULL, NULL, &model, &error), error);
    CHECK(count_rounds(model, "line") > 5);
    OK(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_RAW, 2, raw, &error), error);
    OK(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_PROBABILITY, 2, probability, &error), error);
    OK(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_VALUE, 2, value, &error), error);
    for (size_t i = 0; i < N_TRAIN; i++) {
        CHECK_NEAR(probability[i], 1 / (1 + exp(-raw[i])), 1e-15);
        CHECK(value[i] == (raw[i] > 0 ? 7 : 3));
    }
    mxb_model_free(model);
    mixed_close(&mixed);
}

/* Models share terms with the trainer and with each other; whichever goes last frees them. */
static void pausing_changes_nothing_and_terms_are_freed_once(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *whole, *so_far[26] = {NULL};
    REQUIRE(mixed_open(&mixed, "25", 0.4));
    OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &whole, &error), error);
    struct model_bytes expected = bytes_of(whole);
    mxb_model_free(whole);
    CHECK_INT(mixed.lines.n_live, 0);
    CHECK_INT(mixed.lines.n_frees, mixed.lines.n_fits);
    OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, mixed.valid.dataset, mixed.params, &trainer, &error), error);
    size_t n_models = 0;
    while (!mxb_trainer_is_done(trainer) && n_models < 25) {
        OK(mxb_trainer_run(trainer, n_models + 1, NULL, NULL, &error), error);
        so_far[n_models++] = trainer_model(trainer);
    }
    struct model_bytes paused = bytes_of(so_far[n_models - 1]);
    CHECK(same_bytes(expected, paused));
    long n_live = mixed.lines.n_live;
    CHECK(n_live > 0);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    size_t n_kept = count_rounds(so_far[n_models - 1], "line");
    CHECK_INT(mixed.lines.n_live, n_kept); /* rounds after the best one went with the trainer */
    for (size_t i = 0; i < n_models; i++) {
        mxb_model_free(so_far[i]);
        CHECK(i + 1 == n_models || mixed.lines.n_live == (long)n_kept);
    }
    CHECK_INT(mixed.lines.n_live, 0);
    CHECK_INT(mixed.lines.n_frees, mixed.lines.n_fits);
    mxb_bytes_free(expected.bytes);
    mxb_bytes_free(paused.bytes);
    mixed_close(&mixed);
}

/* From a saved model, loaded with the learner, the same bytes come out as from one long training. */
static void a_training_goes_on_from_a_model_with_own_rounds(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *whole, *part, *loaded;
    REQUIRE(mixed_open(&mixed, "20", 0.4) && own_loss_set(mixed.params, &mixed.own, "mine", 0));
    OK(mxb_train(mixed.train.dataset, NULL, mixed.params, NULL, NULL, &whole, &error), error);
    OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, NULL, mixed.params, &trainer, &error), error);
    OK(mxb_trainer_run(trainer, 9, NULL, NULL, &error), error);
    part = trainer_model(trainer);
    OK(mxb_model_save(part, "test_own_training.mxb", &error), error);
    mxb_trainer_free(trainer);
    OK(mxb_model_load_with("test_own_training.mxb", mixed.params, &loaded, &error), error);
    OK(mxb_trainer_create_from(prepared, NULL, mixed.params, loaded, &trainer, &error), error);
    CHECK_INT(mxb_trainer_n_rounds(trainer), 9);
    OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
    mxb_model_free(loaded);
    mxb_model *longer = trainer_model(trainer);
    struct model_bytes bytes[2] = {bytes_of(whole), bytes_of(longer)};
    CHECK(same_bytes(bytes[0], bytes[1]));
    mxb_trainer_free(trainer);
    OK(mxb_model_load("test_own_training.mxb", &loaded, &error), error);
    FAILS(mxb_trainer_create_from(prepared, NULL, mixed.params, loaded, &trainer, &error), error, MXB_ERROR_PARAM,
          "the model has rounds of the learner \"line\", which is not here; load it by mxb_model_load_with and params "
          "with that learner");
    OK(mxb_params_set_loss(mixed.params, NULL, &error), error);
    FAILS(mxb_trainer_create_from(prepared, NULL, mixed.params, part, &trainer, &error), error, MXB_ERROR_PARAM,
          "objective is mse; to go on from a model it must be as in its training, mine");
    mxb_model_free(loaded);
    mxb_model_free(part);
    mxb_model_free(whole);
    mxb_model_free(longer);
    mxb_bytes_free(bytes[0].bytes);
    mxb_bytes_free(bytes[1].bytes);
    mxb_prepared_free(prepared);
    remove("test_own_training.mxb");
    mixed_close(&mixed);
}

/* ---- rows that say little ---- */

/* Second derivatives of 0 in some rows, or all: finite steps, finite scores, with every learner. */
static mxb_status flat_derivatives(void *context, size_t n, const double *labels, const double *scores, double *first,
                                   double *second, mxb_error *error) {
    size_t every = *(const size_t *)context;
    (void)error;
    for (size_t i = 0; i < n; i++) {
        first[i] = scores[i] > labels[i] ? 1.0 : -1.0;
        second[i] = every == 0 || i % every != 0 ? 0.0 : 1.0;
    }
    return MXB_OK;
}

static mxb_status flat_value(void *context, size_t n, const double *labels, const double *scores, double *values,
                             mxb_error *error) {
    (void)context, (void)error;
    for (size_t i = 0; i < n; i++) {
        values[i] = fabs(scores[i] - labels[i]);
    }
    return MXB_OK;
}

static void second_derivatives_of_0_do_no_harm(void) {
    static const char *const tree_probabilities[] = {"0", "0.5", "1"};
    for (size_t k = 0; k < 18; k++) {
        struct mixed mixed;
        mxb_model *model;
        mxb_error error;
        mxb_loss *loss;
        size_t every = k % 3; /* no row curved, every row, every second */
        double out[N_TRAIN];
        REQUIRE(mixed_open(&mixed, "10", 0.3));
        CHECK_INT(mxb_params_set(mixed.params, "tree_probability", tree_probabilities[k / 3 % 3], NULL), MXB_OK);
        CHECK_INT(mxb_params_set(mixed.params, "lambda_l2", k < 9 ? "1" : "0", NULL), MXB_OK);
        CHECK_INT(mxb_params_set(mixed.params, "alpha", k < 9 ? "1" : "0", NULL), MXB_OK);
        OK(mxb_loss_create("flat", flat_value, flat_derivatives, &every, &loss, &error), error);
        OK(mxb_params_set_loss(mixed.params, loss, &error), error);
        mxb_loss_free(loss);
        OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error);
        OK(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_VALUE, 1, out, &error), error);
        for (size_t i = 0; i < N_TRAIN; i++) {
            CHECK(isfinite(out[i]));
        }
        mxb_model_free(model);
        mixed_close(&mixed);
    }
}

int main(void) {
    RUN(a_loss_that_repeats_a_built_in_one_trains_the_same);
    RUN(a_learner_alone_needs_no_other);
    RUN(curves_are_the_metric_of_predictions);
    RUN(built_in_links_come_after_own_rounds);
    RUN(pausing_changes_nothing_and_terms_are_freed_once);
    RUN(a_training_goes_on_from_a_model_with_own_rounds);
    RUN(second_derivatives_of_0_do_no_harm);
    return check_report();
}
