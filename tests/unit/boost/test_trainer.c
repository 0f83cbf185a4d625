/* The boosting loop from outside: pausing, stopping, early stopping, and what it refuses. */
#include "base/memory.h"
#include "check.h"
#include "unit/boost/make_data.h"

/* Takes over `model`. */
static struct model_bytes take_bytes(mxb_model *model) {
    struct model_bytes bytes = bytes_of(model);
    mxb_model_free(model);
    return bytes;
}

static struct model_bytes train_bytes(const mxb_dataset *train, const mxb_dataset *valid, const mxb_params *params) {
    mxb_model *model = NULL;
    mxb_error error;
    if (mxb_train(train, valid, params, NULL, NULL, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return take_bytes(model);
}

static struct model_bytes trainer_bytes(const mxb_trainer *trainer) {
    mxb_model *model = NULL;
    if (mxb_trainer_model(trainer, &model, NULL) != MXB_OK) {
        check_failed(__FILE__, __LINE__, "no model");
    }
    return take_bytes(model);
}

/* Training and validation rows and mixed options, for each loss. */
struct mixed {
    struct made_data train;
    struct made_data valid;
    mxb_params *params;
};

static int mixed_open(struct mixed *mixed, int two_classes, const char *num_round, const char *patience) {
    struct data_recipe recipe = {.n_rows = 160, .n_features = 3, .seed = 4, .missing = 0.1, .two_classes = two_classes};
    mixed->train = data_make(recipe);
    recipe.seed = 5;
    recipe.n_rows = 90;
    mixed->valid = data_make(recipe);
    mixed->params = PARAMS("objective", two_classes ? "logloss" : "mse", "num_round", num_round, "tree_probability",
                           "0.7", "subsample", "0.8", "colsample", "0.7", "max_max_depth", "4", "n_components", "9",
                           "learning_rate", "0.5", "early_stopping_rounds", patience, "n_threads", "2");
    return mixed->params != NULL;
}

static void mixed_close(struct mixed *mixed) {
    data_clear(&mixed->train);
    data_clear(&mixed->valid);
    mxb_params_free(mixed->params);
}

/* ---- pausing ---- */

static void pausing_changes_nothing(void) {
    for (int k = 0; k < 4; k++) {
        struct mixed mixed;
        mxb_error error;
        mxb_prepared *prepared;
        mxb_trainer *trainer;
        REQUIRE(mixed_open(&mixed, k % 2, "25", "8"));
        const mxb_dataset *valid = k < 2 ? NULL : mixed.valid.dataset;
        struct model_bytes whole = train_bytes(mixed.train.dataset, valid, mixed.params);
        OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
        OK(mxb_trainer_create(prepared, valid, mixed.params, &trainer, &error), error);
        CHECK_INT(mxb_trainer_n_rounds(trainer), 0);
        CHECK_INT(mxb_trainer_is_done(trainer), 0);
        for (size_t round = 1; !mxb_trainer_is_done(trainer) && round <= 25; round++) {
            OK(mxb_trainer_run(trainer, round, NULL, NULL, &error), error);
            CHECK_INT(mxb_trainer_n_rounds(trainer), round);
            OK(mxb_trainer_run(trainer, round, NULL, NULL, &error), error); /* nothing left to do */
            CHECK_INT(mxb_trainer_n_rounds(trainer), round);
            struct model_bytes so_far = trainer_bytes(trainer);
            mxb_bytes_free(so_far.bytes);
        }
        CHECK_INT(mxb_trainer_is_done(trainer), 1);
        size_t n_rounds = mxb_trainer_n_rounds(trainer);
        CHECK(valid != NULL || n_rounds == 25);
        OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
        CHECK_INT(mxb_trainer_n_rounds(trainer), n_rounds);
        struct model_bytes paused = trainer_bytes(trainer);
        CHECK(same_bytes(whole, paused));
        mxb_bytes_free(whole.bytes);
        mxb_bytes_free(paused.bytes);
        mxb_trainer_free(trainer);
        mxb_prepared_free(prepared);
        mixed_close(&mixed);
    }
}

/* The curve of a training that pauses is as far as its rounds, and the model's. */
static void the_curve_so_far(void) {
    for (int with_valid = 0; with_valid < 2; with_valid++) {
        struct mixed mixed;
        mxb_error error;
        mxb_prepared *prepared;
        mxb_trainer *trainer;
        mxb_model *model;
        REQUIRE(mixed_open(&mixed, 0, "9", "0"));
        const mxb_dataset *valid = with_valid ? mixed.valid.dataset : NULL;
        OK(mxb_train(mixed.train.dataset, valid, mixed.params, NULL, NULL, &model, &error), error);
        OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
        OK(mxb_trainer_create(prepared, valid, mixed.params, &trainer, &error), error);
        for (size_t n_done = 0; n_done <= 9; n_done += 3) {
            OK(mxb_trainer_run(trainer, n_done, NULL, NULL, &error), error);
            for (size_t round = 0; round <= 10; round++) {
                double loss = mxb_trainer_curve(trainer, round, 0), valid_loss = mxb_trainer_curve(trainer, round, 1);
                CHECK(round <= n_done ? loss == mxb_model_curve(model, round, 0) : isnan(loss));
                CHECK(with_valid && round <= n_done ? valid_loss == mxb_model_curve(model, round, 1)
                                                    : isnan(valid_loss));
            }
        }
        CHECK(isnan(mxb_trainer_curve(NULL, 0, 0)));
        mxb_model_free(model);
        mxb_trainer_free(trainer);
        mxb_prepared_free(prepared);
        mixed_close(&mixed);
    }
}

/* One prepared set serves several trainings. */
static void prepared_data_serve_several_trainings(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainers[2];
    REQUIRE(mixed_open(&mixed, 0, "10", "0"));
    OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, NULL, mixed.params, &trainers[0], &error), error);
    OK(mxb_trainer_create(prepared, NULL, mixed.params, &trainers[1], &error), error);
    OK(mxb_params_set(mixed.params, "num_round", "77", &error), error); /* the trainers have copies */
    for (size_t round = 1; round <= 10; round++) {
        OK(mxb_trainer_run(trainers[round % 2], round, NULL, NULL, &error), error);
    }
    OK(mxb_trainer_run(trainers[0], 10, NULL, NULL, &error), error);
    OK(mxb_trainer_run(trainers[1], 10, NULL, NULL, &error), error);
    CHECK(mxb_trainer_is_done(trainers[0]) && mxb_trainer_is_done(trainers[1]));
    struct model_bytes a = trainer_bytes(trainers[0]);
    struct model_bytes b = trainer_bytes(trainers[1]);
    CHECK(same_bytes(a, b));
    mxb_bytes_free(a.bytes);
    mxb_bytes_free(b.bytes);
    mxb_trainer_free(trainers[0]);
    mxb_trainer_free(trainers[1]);
    mxb_prepared_free(prepared);
    mixed_close(&mixed);
}

/* ---- progress ---- */

struct watcher {
    size_t stop_at; /* 0: never */
    size_t n_calls;
    size_t last_round;
    double seconds;
    double train_loss[64];
    double valid_loss[64];
};

static int watch(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    struct watcher *watcher = context;
    watcher->n_calls++;
    watcher->last_round = round;
    watcher->train_loss[round] = train_loss;
    watcher->valid_loss[round] = valid_loss;
    CHECK(seconds >= watcher->seconds);
    watcher->seconds = seconds;
    return round != watcher->stop_at;
}

static void progress_sees_every_round(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    struct watcher watcher = {0};
    REQUIRE(mixed_open(&mixed, 1, "12", "0"));
    OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, watch, &watcher, &model, &error), error);
    CHECK_INT(watcher.n_calls, 12);
    CHECK_INT(mxb_model_n_curve(model), 12);
    for (size_t round = 1; round <= 12; round++) {
        CHECK(mxb_model_curve(model, round, 0) == watcher.train_loss[round]);
        CHECK(mxb_model_curve(model, round, 1) == watcher.valid_loss[round]);
    }
    mxb_model_free(model);
    watcher = (struct watcher){0};
    OK(mxb_train(mixed.train.dataset, NULL, mixed.params, watch, &watcher, &model, &error), error);
    CHECK(isnan(watcher.valid_loss[12]));
    CHECK(isnan(mxb_model_curve(model, 12, 1)));
    mxb_model_free(model);
    mixed_close(&mixed);
}

static void stopped_training_may_go_on(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *model = NULL;
    struct watcher watcher = {.stop_at = 7};
    REQUIRE(mixed_open(&mixed, 0, "20", "0"));
    FAILS(mxb_train(mixed.train.dataset, NULL, mixed.params, watch, &watcher, &model, &error), error, MXB_STOPPED,
          "training was stopped after round 7");
    CHECK(model == NULL);
    struct model_bytes whole = train_bytes(mixed.train.dataset, NULL, mixed.params);
    OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, NULL, mixed.params, &trainer, &error), error);
    for (size_t round = 1; round <= 20; round += 3) {
        watcher = (struct watcher){.stop_at = round};
        CHECK_INT(mxb_trainer_run(trainer, SIZE_MAX, watch, &watcher, &error), MXB_STOPPED);
        CHECK_INT(mxb_trainer_n_rounds(trainer), round);
        OK(mxb_trainer_model(trainer, &model, &error), error);
        CHECK_INT(mxb_model_n_rounds(model), round);
        mxb_model_free(model);
    }
    OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
    struct model_bytes stopped = trainer_bytes(trainer);
    CHECK(same_bytes(whole, stopped));
    mxb_bytes_free(whole.bytes);
    mxb_bytes_free(stopped.bytes);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mixed_close(&mixed);
}

/* ---- early stopping ---- */

/* The best round is kept, and a training of just so many rounds predicts the same. */
static void best_round_is_kept(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct mixed mixed;
        mxb_error error;
        mxb_model *model;
        mxb_model *shorter;
        REQUIRE(mixed_open(&mixed, two_classes, "300", "10"));
        OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error);
        size_t best = mxb_model_n_rounds(model);
        size_t n_curve = mxb_model_n_curve(model);
        CHECK_INT(mxb_model_stopped_early(model), 1);
        CHECK_INT(n_curve, best + 10);
        CHECK(best > 0 && n_curve < 300);
        for (size_t round = 0; round <= n_curve; round++) {
            double least = mxb_model_curve(model, best, 1);
            CHECK(round < best ? mxb_model_curve(model, round, 1) > least : mxb_model_curve(model, round, 1) >= least);
        }
        char text[16];
        snprintf(text, sizeof text, "%zu", best);
        CHECK_INT(mxb_params_set(mixed.params, "num_round", text, &error), MXB_OK);
        OK(mxb_train(mixed.train.dataset, NULL, mixed.params, NULL, NULL, &shorter, &error), error);
        CHECK_INT(mxb_model_n_rounds(shorter), best);
        CHECK_INT(mxb_model_stopped_early(shorter), 0);
        double predicted[2][160];
        OK(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_RAW, 1, predicted[0], &error), error);
        OK(mxb_model_predict(shorter, mixed.train.dataset, MXB_PREDICT_RAW, 1, predicted[1], &error), error);
        CHECK(memcmp(predicted[0], predicted[1], sizeof predicted[0]) == 0);
        for (size_t round = 0; round <= best; round++) {
            CHECK(mxb_model_curve(model, round, 0) == mxb_model_curve(shorter, round, 0));
        }
        mxb_model_free(model);
        mxb_model_free(shorter);
        mixed_close(&mixed);
    }
}

static void patience_0_keeps_all_rounds(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_model *model;
    REQUIRE(mixed_open(&mixed, 0, "40", "0"));
    OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error);
    CHECK_INT(mxb_model_n_rounds(model), 40);
    CHECK_INT(mxb_model_stopped_early(model), 0);
    CHECK(isfinite(mxb_model_curve(model, 40, 1)));
    mxb_model_free(model);
    mixed_close(&mixed);
}

/* Validation labels that only get worse: the model without rounds is the best. */
static void no_round_may_be_kept(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_model *model;
    REQUIRE(mixed_open(&mixed, 0, "40", "3"));
    double mean = 0.0;
    for (size_t i = 0; i < mixed.train.n_rows; i++) {
        mean += mixed.train.y[i] / (double)mixed.train.n_rows;
    }
    for (size_t i = 0; i < mixed.valid.n_rows; i++) {
        mixed.valid.y[i] = mean;
    }
    OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error);
    CHECK_INT(mxb_model_n_rounds(model), 0);
    CHECK_INT(mxb_model_n_curve(model), 3);
    double predicted[90];
    OK(mxb_model_predict(model, mixed.valid.dataset, MXB_PREDICT_VALUE, 1, predicted, &error), error);
    CHECK_NEAR(predicted[0], mean, 1e-12);
    struct model_bytes bytes = bytes_of(model);
    mxb_model *loaded;
    OK(mxb_model_from_bytes(bytes.bytes, bytes.n_bytes, &loaded, &error), error);
    CHECK_INT(mxb_model_n_rounds(loaded), 0);
    mxb_bytes_free(bytes.bytes);
    mxb_model_free(loaded);
    mxb_model_free(model);
    mixed_close(&mixed);
}

/* The curve's last value is the metric of the model's own predictions. */
static void curves_are_the_metric_of_predictions(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct mixed mixed;
        mxb_error error;
        mxb_model *model;
        double raw[160];
        REQUIRE(mixed_open(&mixed, two_classes, "15", "0"));
        OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error);
        for (int valid = 0; valid < 2; valid++) {
            const struct made_data *data = valid ? &mixed.valid : &mixed.train;
            double sum = 0.0;
            OK(mxb_model_predict(model, data->dataset, MXB_PREDICT_RAW, 1, raw, &error), error);
            for (size_t i = 0; i < data->n_rows; i++) {
                double residual = raw[i] - data->y[i];
                double margin = data->y[i] > 0.5 ? raw[i] : -raw[i];
                sum += two_classes ? log1p(exp(-margin)) : residual * residual;
            }
            double metric = sum / (double)data->n_rows;
            CHECK_NEAR(mxb_model_curve(model, 15, valid), two_classes ? metric : sqrt(metric), 1e-12);
        }
        CHECK_TEXT(mxb_model_metric(model), two_classes ? "logloss" : "rmse");
        CHECK_TEXT(mxb_model_option(model, "n_components"), "9");
        CHECK(mxb_model_option(model, "n_threads") == NULL);
        mxb_model_free(model);
        mixed_close(&mixed);
    }
}

/* ---- what is refused ---- */

static void validation_data_must_fit(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_model *model;
    REQUIRE(mixed_open(&mixed, 1, "3", "3"));
    struct made_data narrow =
        data_make((struct data_recipe){.n_rows = 10, .n_features = 2, .seed = 1, .two_classes = 1});
    CHECK_INT(mxb_train(mixed.train.dataset, narrow.dataset, mixed.params, NULL, NULL, &model, &error),
              MXB_ERROR_PARAM);
    CHECK(model == NULL && strstr(error.message, "the training data") != NULL);
    mixed.valid.y[7] = 0.5;
    FAILS(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error,
          MXB_ERROR_DATA, "the label of row 8 of the validation data is 0.5; the training labels are 0 and 1");
    mixed.valid.y[7] = (double)NAN;
    FAILS(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error,
          MXB_ERROR_DATA, "the label of row 8 of the validation data is nan; labels must be finite numbers");
    mixed.valid.y[7] = 1.0;
    mxb_dataset *bare;
    OK(mxb_dataset_create(10, &bare, &error), error);
    OK(mxb_dataset_add_matrix(bare, mixed.valid.x, MXB_FLOAT64, 3, sizeof(double), 10 * sizeof(double), &error), error);
    FAILS(mxb_train(mixed.train.dataset, bare, mixed.params, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "the validation data has no label");
    mxb_dataset_free(bare);
    data_clear(&narrow);
    mixed_close(&mixed);
}

static void options_must_be_those_of_the_prepared_data(void) {
    const char *const changes[][2] = {
        {"objective", "logloss"}, {"hist_nbins", "255"}, {"fourier_scaling", "none"}, {"use_histograms", "false"}};
    struct mixed mixed;
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    REQUIRE(mixed_open(&mixed, 0, "3", "3"));
    OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
    for (size_t i = 0; i < 4; i++) {
        mxb_params *other = PARAMS(changes[i][0], changes[i][1], "num_round", "3");
        REQUIRE(other != NULL);
        FAILS(mxb_trainer_create(prepared, NULL, other, &trainer, &error), error, MXB_ERROR_PARAM,
              "objective, use_histograms, hist_nbins or fourier_scaling differ from those the data was prepared with");
        CHECK(trainer == NULL);
        mxb_params_free(other);
    }
    mxb_params *bad = PARAMS("min_max_depth", "9", "max_max_depth", "8");
    REQUIRE(bad != NULL);
    FAILS(mxb_trainer_create(prepared, NULL, bad, &trainer, &error), error, MXB_ERROR_PARAM,
          "min_max_depth is 9 and max_max_depth 8; the first must not be larger");
    mxb_params_free(bad);
    FAILS(mxb_trainer_create(prepared, NULL, NULL, &trainer, &error), error, MXB_ERROR_PARAM,
          "num_round is auto; without validation data it must be a number (mxb_choose_rounds finds it)");
    CHECK(trainer == NULL);
    OK(mxb_trainer_create(prepared, mixed.valid.dataset, NULL, &trainer, &error), error); /* defaults fit */
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mixed_close(&mixed);
}

static void arguments_may_not_be_null(void) {
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *model;
    FAILS(mxb_prepared_create(NULL, NULL, &prepared, &error), error, MXB_ERROR_PARAM, "the training data is NULL");
    FAILS(mxb_trainer_create(NULL, NULL, NULL, &trainer, &error), error, MXB_ERROR_PARAM, "the prepared data is NULL");
    FAILS(mxb_train(NULL, NULL, NULL, NULL, NULL, &model, &error), error, MXB_ERROR_PARAM, "the training data is NULL");
    CHECK(prepared == NULL && trainer == NULL && model == NULL);
    mxb_trainer_free(NULL);
    mxb_prepared_free(NULL);
}

/* After a failure that is none of the caller's a trainer can only be freed. */
static void failed_trainer_says_so(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *model;
    REQUIRE(mixed_open(&mixed, 0, "5", "0"));
    OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, NULL, mixed.params, &trainer, &error), error);
    OK(mxb_trainer_run(trainer, 2, NULL, NULL, &error), error);
    mxb__memory_fail_at(1, 1);
    CHECK_INT(mxb_trainer_run(trainer, 5, NULL, NULL, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    FAILS(mxb_trainer_run(trainer, 5, NULL, NULL, &error), error, MXB_ERROR_PARAM,
          "this training has failed before and can only be freed");
    FAILS(mxb_trainer_model(trainer, &model, &error), error, MXB_ERROR_PARAM,
          "this training has failed before and can only be freed");
    CHECK(model == NULL);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mixed_close(&mixed);
}

/* A start far from all labels is slow but no error. */
static void far_start_stays_finite(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_model *model;
    double predicted[160];
    REQUIRE(mixed_open(&mixed, 0, "5", "0"));
    CHECK_INT(mxb_params_set(mixed.params, "base_score", "1e300", &error), MXB_OK);
    OK(mxb_train(mixed.train.dataset, NULL, mixed.params, NULL, NULL, &model, &error), error);
    OK(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_VALUE, 1, predicted, &error), error);
    for (size_t i = 0; i < 160; i++) {
        CHECK(isfinite(predicted[i]) && predicted[i] < 1e300);
    }
    CHECK(mxb_model_curve(model, 5, 0) < mxb_model_curve(model, 0, 0));
    mxb_model_free(model);
    mixed_close(&mixed);
}

/* The loss is finite here, but not a gradient times its weight. */
static void gradients_must_be_finite(void) {
    mxb_error error;
    mxb_model *model;
    struct made_data data = data_allocate(6, 1, 1);
    for (size_t i = 0; i < 6; i++) {
        data.x[i] = (double)i;
        data.y[i] = i % 2 == 0 ? 1e290 : -1e290;
        data.weights[i] = 1e10;
    }
    REQUIRE(data_view(&data));
    mxb_params *params = PARAMS("base_score", "-1e300", "num_round", "3");
    REQUIRE(params != NULL);
    FAILS(mxb_train(data.dataset, NULL, params, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "the loss or its gradient after round 0 is not finite; labels, weights or base_score are too large, or "
          "learning_rate is");
    mxb_params_free(params);
    data_clear(&data);
}

int main(void) {
    RUN(pausing_changes_nothing);
    RUN(the_curve_so_far);
    RUN(prepared_data_serve_several_trainings);
    RUN(progress_sees_every_round);
    RUN(stopped_training_may_go_on);
    RUN(best_round_is_kept);
    RUN(patience_0_keeps_all_rounds);
    RUN(no_round_may_be_kept);
    RUN(curves_are_the_metric_of_predictions);
    RUN(validation_data_must_fit);
    RUN(options_must_be_those_of_the_prepared_data);
    RUN(arguments_may_not_be_null);
    RUN(failed_trainer_says_so);
    RUN(far_start_stays_finite);
    RUN(gradients_must_be_finite);
    return check_report();
}
