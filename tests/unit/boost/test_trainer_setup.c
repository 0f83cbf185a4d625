/* Going on from a model: the same bytes as one long training, and what is refused. Trainings on parts of what is
 * prepared. */
#include "base/memory.h"
#include "check.h"
#include "mixboost/tune.h"
#include "model/model.h"
#include "unit/boost/make_data.h"

struct long_training {
    struct made_data train;
    struct made_data valid;
    mxb_params *params;
    mxb_prepared *prepared;
};

static int open_training(struct long_training *training, int two_classes, const char *patience) {
    memset(training, 0, sizeof *training);
    struct data_recipe recipe = {.n_rows = 300, .n_features = 4, .seed = 8, .missing = 0.1, .two_classes = two_classes};
    training->train = data_make(recipe);
    recipe.seed = 9;
    recipe.n_rows = 120;
    training->valid = data_make(recipe);
    training->params =
        PARAMS("objective", two_classes ? "logloss" : "mse", "num_round", "30", "tree_probability", "0.6", "subsample",
               "0.8", "colsample", "0.7", "max_max_depth", "4", "n_components", "12", "alpha", "0", "learning_rate",
               "0.3", "symmetric_probability", "0.5", "early_stopping_rounds", patience, "leaf_rows", "all",
               "split_noise", "0.7", "split_prior", "0.3", "gamma", "0.05", "n_projections", "1", "fourier_metric",
               "isotropic", "fourier_linear", "false");
    return training->params != NULL &&
           mxb_prepared_create(training->train.dataset, training->params, &training->prepared, NULL) == MXB_OK;
}

static void close_training(struct long_training *training) {
    mxb_prepared_free(training->prepared);
    mxb_params_free(training->params);
    data_clear(&training->train);
    data_clear(&training->valid);
}

/* The same with a bank of projections that learn from the rounds before. */
static int open_bank_training(struct long_training *training, int two_classes, const char *patience) {
    return open_training(training, two_classes, patience) &&
           mxb_params_set(training->params, "gamma", "auto", NULL) == MXB_OK &&
           mxb_params_set(training->params, "fourier_metric", "learned", NULL) == MXB_OK &&
           mxb_params_set(training->params, "n_projections", "2", NULL) == MXB_OK;
}

/* The model after `until` rounds, begun from `from` (NULL: from nothing). */
static mxb_model *run(const struct long_training *training, const mxb_dataset *valid, const mxb_model *from,
                      size_t until) {
    mxb_trainer *trainer = NULL;
    mxb_model *model = NULL;
    mxb_error error;
    mxb_status status =
        from == NULL ? mxb_trainer_create(training->prepared, valid, training->params, &trainer, &error)
                     : mxb_trainer_create_from(training->prepared, valid, training->params, from, &trainer, &error);
    if (status == MXB_OK) {
        status = mxb_trainer_run(trainer, until, NULL, NULL, &error);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_model(trainer, &model, &error);
    }
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    mxb_trainer_free(trainer);
    return model;
}

/* Through a file and back, as a killed training would come back. */
static mxb_model *reloaded(mxb_model *model) {
    struct model_bytes bytes = bytes_of(model);
    mxb_model *copy = NULL;
    CHECK_INT(mxb_model_from_bytes(bytes.bytes, bytes.n_bytes, &copy, NULL), MXB_OK);
    mxb_bytes_free(bytes.bytes);
    mxb_model_free(model);
    return copy;
}

static void going_on_gives_the_bytes_of_one_long_training(void) {
    for (int k = 0; k < 12; k++) {
        struct long_training training;
        const char *patience = k / 2 % 3 < 2 ? "0" : "6";
        REQUIRE(k < 6 ? open_training(&training, k % 2, patience) : open_bank_training(&training, k % 2, patience));
        const mxb_dataset *valid = k / 2 % 3 == 0 ? NULL : training.valid.dataset;
        mxb_model *whole = run(&training, valid, NULL, 30);
        struct model_bytes expected = bytes_of(whole);
        for (size_t stop = 0; stop <= 30; stop += 7) {
            mxb_model *first = reloaded(run(&training, valid, NULL, stop));
            mxb_model *second = reloaded(run(&training, valid, first, stop + 3));
            mxb_model *last = run(&training, valid, second, SIZE_MAX);
            struct model_bytes bytes = bytes_of(last);
            CHECK(same_bytes(bytes, expected));
            mxb_bytes_free(bytes.bytes);
            mxb_model_free(first);
            mxb_model_free(second);
            mxb_model_free(last);
        }
        mxb_bytes_free(expected.bytes);
        mxb_model_free(whole);
        close_training(&training);
    }
}

static void other_data_keep_the_old_rounds(void) {
    struct long_training training, other;
    REQUIRE(open_training(&training, 0, "0"));
    REQUIRE(open_training(&other, 0, "0"));
    mxb_prepared_free(other.prepared);
    OK(mxb_prepared_create(other.valid.dataset, other.params, &other.prepared, NULL), (mxb_error){"not prepared"});
    mxb_model *first = run(&training, NULL, NULL, 12);
    mxb_model *same = run(&other, NULL, first, 12);
    mxb_model *more = run(&other, NULL, first, 30);
    double *a = calloc(training.train.n_rows, sizeof *a), *b = calloc(training.train.n_rows, sizeof *b);
    CHECK_INT(mxb_model_predict(first, training.train.dataset, MXB_PREDICT_RAW, 1, a, NULL), MXB_OK);
    CHECK_INT(mxb_model_predict(same, training.train.dataset, MXB_PREDICT_RAW, 1, b, NULL), MXB_OK);
    CHECK(memcmp(a, b, training.train.n_rows * sizeof *a) == 0);
    CHECK_INT(mxb_model_n_rounds(more), 30);
    CHECK(mxb_model_curve(more, 30, 0) < mxb_model_curve(more, 12, 0));
    free(a);
    free(b);
    mxb_model_free(first);
    mxb_model_free(same);
    mxb_model_free(more);
    close_training(&training);
    close_training(&other);
}

static void refuses(const struct long_training *training, const mxb_model *from, const char *name, const char *value,
                    const char *sentence) {
    mxb_params *params = training->params;
    mxb_trainer *trainer;
    mxb_prepared *prepared;
    mxb_error error;
    char old[64];
    snprintf(old, sizeof old, "%s", mxb_params_get(params, name));
    OK(mxb_params_set(params, name, value, &error), error);
    OK(mxb_prepared_create(training->train.dataset, params, &prepared, &error), error);
    FAILS(mxb_trainer_create_from(prepared, NULL, params, from, &trainer, &error), error, MXB_ERROR_PARAM, sentence);
    CHECK(trainer == NULL);
    mxb_prepared_free(prepared);
    OK(mxb_params_set(params, name, old, &error), error);
}

static void options_must_fit(void) {
    struct long_training training;
    mxb_trainer *trainer;
    mxb_error error;
    REQUIRE(open_training(&training, 1, "0"));
    mxb_model *model = run(&training, NULL, NULL, 20);
    refuses(&training, model, "num_round", "19", "num_round is 19; the model already has 20 rounds");
    refuses(&training, model, "objective", "mse",
            "objective is mse; to go on from a model it must be as in its training, logloss");
    refuses(&training, model, "base_score", "5",
            "base_score is 5; to go on from a model it must be as in its training, auto");
    refuses(&training, model, "gamma", "0.7",
            "gamma is 0.7; to go on from a model it must be as in its training, 0.05");
    refuses(&training, model, "n_components", "13",
            "n_components is 13; to go on from a model it must be as in its training, 12");
    refuses(&training, model, "fourier_scaling", "none",
            "fourier_scaling is none; to go on from a model it must be as in its training, rank");
    refuses(&training, model, "random_state", "1",
            "random_state is 1; to go on from a model it must be as in its training, 0");
    refuses(&training, model, "gamma", "auto",
            "gamma is auto; to go on from a model it must be as in its training, 0.05");
    refuses(&training, model, "n_projections", "2",
            "n_projections is 2; to go on from a model it must be as in its training, 1");
    refuses(&training, model, "fourier_metric", "learned",
            "fourier_metric is learned; to go on from a model it must be as in its training, isotropic");
    refuses(&training, model, "fourier_linear", "true",
            "fourier_linear is true; to go on from a model it must be as in its training, false");
    FAILS(mxb_trainer_create_from(training.prepared, NULL, training.params, NULL, &trainer, &error), error,
          MXB_ERROR_PARAM, "the model to go on from is NULL");
    mxb_model_free(model);
    close_training(&training);
}

/* 300 rows are few to fourier_linear, tree_probability and alpha; 1500 are not. */
static void what_is_auto_by_the_rows_is_the_models(void) {
    static const char *const names[] = {"tree_probability", "alpha", "fourier_linear"};
    struct made_data few = data_make((struct data_recipe){.n_rows = 300, .n_features = 3, .seed = 1});
    struct made_data many = data_make((struct data_recipe){.n_rows = 1500, .n_features = 3, .seed = 2});
    mxb_params *params = PARAMS("num_round", "30"), *more = PARAMS("num_round", "40");
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *on;
    mxb_model *first, *afresh;
    OK(mxb_train(few.dataset, NULL, params, NULL, NULL, &first, &error), error);
    OK(mxb_train(many.dataset, NULL, more, NULL, NULL, &afresh, &error), error);
    OK(mxb_prepared_create(many.dataset, more, &prepared, &error), error);
    OK(mxb_trainer_create_from(prepared, NULL, more, first, &trainer, &error), error);
    OK(mxb_trainer_model(trainer, &on, &error), error);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CHECK_TEXT(mxb_model_option(on, names[i]), mxb_model_option(first, names[i]));
        CHECK(strcmp(mxb_model_option(on, names[i]), mxb_model_option(afresh, names[i])) != 0);
    }
    mxb_model_free(first);
    mxb_model_free(afresh);
    mxb_model_free(on);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
    mxb_params_free(more);
    data_clear(&few);
    data_clear(&many);
}

/* Models from before there was a bank do not keep its options; their one projection is as the paper's. */
static void models_without_a_bank_go_on(void) {
    struct long_training training;
    REQUIRE(open_training(&training, 0, "0"));
    mxb_model *whole = run(&training, NULL, NULL, 30);
    mxb_model *old = run(&training, NULL, NULL, 20);
    for (size_t i = 0; i < old->n_options; i++) {
        if (strcmp(old->option_names[i], "n_projections") == 0 || strcmp(old->option_names[i], "fourier_metric") == 0 ||
            strcmp(old->option_names[i], "fourier_linear") == 0) {
            old->option_names[i][0] = '?';
        }
    }
    CHECK(mxb_model_option(old, "n_projections") == NULL && mxb_model_option(old, "fourier_metric") == NULL);
    refuses(&training, old, "n_projections", "2",
            "n_projections is 2; to go on from a model it must be as in its training, 1");
    refuses(&training, old, "fourier_metric", "learned",
            "fourier_metric is learned; to go on from a model it must be as in its training, isotropic");
    mxb_model *more = run(&training, NULL, old, 30);
    struct model_bytes bytes = bytes_of(more), expected = bytes_of(whole);
    CHECK(same_bytes(bytes, expected));
    mxb_bytes_free(bytes.bytes);
    mxb_bytes_free(expected.bytes);
    mxb_model_free(more);
    mxb_model_free(old);
    mxb_model_free(whole);
    close_training(&training);
}

/* A file may hold any projections, whatever its options say. */
static void projections_must_fit_their_options(void) {
    struct long_training training;
    REQUIRE(open_bank_training(&training, 0, "0"));
    mxb_model *model = run(&training, NULL, NULL, 20);
    REQUIRE(model->n_projections > 1);
    model->projections[1].n_components = 11;
    refuses(&training, model, "num_round", "30", "projection 2 of the model has 11 components; its options say 12");
    mxb_model_free(model);
    close_training(&training);
}

static void data_must_fit(void) {
    struct long_training training;
    mxb_trainer *trainer;
    mxb_error error;
    mxb_prepared *prepared;
    REQUIRE(open_training(&training, 1, "0"));
    mxb_model *model = run(&training, NULL, NULL, 3);
    struct made_data narrow = data_make((struct data_recipe){.n_rows = 50, .n_features = 3, .two_classes = 1});
    OK(mxb_prepared_create(narrow.dataset, training.params, &prepared, &error), error);
    CHECK_INT(mxb_trainer_create_from(prepared, NULL, training.params, model, &trainer, &error), MXB_ERROR_PARAM);
    CHECK(strstr(error.message, "the model") != NULL);
    mxb_prepared_free(prepared);
    data_clear(&narrow);
    struct made_data others = data_make((struct data_recipe){.n_rows = 50, .n_features = 4, .two_classes = 1});
    for (size_t i = 0; i < others.n_rows; i++) {
        others.y[i] = others.y[i] > 0.5 ? 2.5 : -1;
    }
    OK(mxb_prepared_create(others.dataset, training.params, &prepared, &error), error);
    FAILS(mxb_trainer_create_from(prepared, NULL, training.params, model, &trainer, &error), error, MXB_ERROR_DATA,
          "the labels are -1 and 2.5; those of the model are 0 and 1");
    mxb_prepared_free(prepared);
    data_clear(&others);
    mxb_model_free(model);
    close_training(&training);
}

static void every_allocation_may_fail(void) {
    struct long_training training;
    REQUIRE(open_training(&training, 1, "0"));
    mxb_model *model = run(&training, NULL, NULL, 8);
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        /* A pool that gets no memory is one thread, so a success is not yet the end. */
        uint64_t n = 1;
        for (int n_successes = 0; n_successes < 30; n++) {
            mxb_trainer *trainer;
            mxb__memory_fail_at(n, for_ever);
            mxb_status status = mxb_trainer_create_from(training.prepared, training.valid.dataset, training.params,
                                                        model, &trainer, NULL);
            mxb__memory_fail_at(0, 0);
            CHECK(status == MXB_OK || (status == MXB_ERROR_MEMORY && trainer == NULL));
            n_successes = status == MXB_OK ? n_successes + 1 : 0;
            mxb_trainer_free(trainer);
        }
        CHECK(n > 80);
    }
    mxb_model_free(model);
    close_training(&training);
}

/* ---- Parts ---- */

/* The bytes of a training on prepared rows. */
static struct model_bytes bytes_on(const mxb_prepared *prepared, const mxb_params *params) {
    mxb_trainer *trainer = NULL;
    mxb_model *model = NULL;
    mxb_error error;
    if (mxb_trainer_create(prepared, NULL, params, &trainer, &error) != MXB_OK ||
        mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error) != MXB_OK ||
        mxb_trainer_model(trainer, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    struct model_bytes bytes = bytes_of(model);
    mxb_model_free(model);
    mxb_trainer_free(trainer);
    return bytes;
}

/* Rows 0 .. n - 1, `n_times` each. */
static mxb_dataset *copies_of(const struct made_data *data, size_t n, size_t n_times) {
    mxb_dataset *copies = NULL;
    size_t *rows = calloc(n * n_times, sizeof *rows);
    for (size_t i = 0; i < n * n_times; i++) {
        rows[i] = i % n;
    }
    CHECK_INT(mxb_dataset_select(data->dataset, rows, n * n_times, &copies, NULL), MXB_OK);
    free(rows);
    return copies;
}

/* Of a whole that has each row twice the bins, knots and ranks are those of the rows alone; to exact trees the whole
 * does not matter at all. */
static void a_part_of_the_same_values_is_trained_like_them_alone(void) {
    for (int k = 0; k < 8; k++) {
        struct made_data data = data_make((struct data_recipe){.n_rows = k % 4 < 2 ? 700 : 200,
                                                               .n_features = 5,
                                                               .seed = 3,
                                                               .missing = 0.1,
                                                               .n_distinct = 40,
                                                               .two_classes = k % 2,
                                                               .weighted = k > 5});
        mxb_params *params = PARAMS("objective", k % 2 ? "logloss" : "mse", "num_round", "20", "tree_probability",
                                    "0.5", "n_components", "8", "use_histograms", k < 4 ? "true" : "false");
        mxb_dataset *twice = copies_of(&data, data.n_rows, k < 4 ? 2 : 1), *once = copies_of(&data, 150, 1);
        const mxb_dataset *rows = k < 4 ? data.dataset : once;
        mxb_prepared *whole, *part, *alone;
        mxb_error error;
        OK(mxb_prepared_create(twice, params, &whole, &error), error);
        OK(mxb_prepared_create_part(whole, rows, k == 1 ? NULL : params, &part, &error), error);
        OK(mxb_prepared_create(rows, params, &alone, &error), error);
        mxb_prepared_free(whole);
        struct model_bytes of_part = bytes_on(part, params), expected = bytes_on(alone, params);
        CHECK(same_bytes(of_part, expected));
        mxb_bytes_free(of_part.bytes);
        mxb_bytes_free(expected.bytes);
        mxb_prepared_free(part);
        mxb_prepared_free(alone);
        mxb_dataset_free(twice);
        mxb_dataset_free(once);
        mxb_params_free(params);
        data_clear(&data);
    }
}

/* A part of rows that differ has the edges of all: thresholds between its own values would be others. */
static void a_part_has_the_thresholds_of_the_whole(void) {
    double x[] = {0, 1, 2, 3, 10, 20, 21, 22}, y[] = {0, 0, 0, 0, 9, 9, 9, 9};
    static const size_t rows[] = {0, 1, 2, 5, 6, 7};
    mxb_dataset *dataset, *some;
    mxb_prepared *whole, *part;
    mxb_trainer *trainer;
    mxb_model *model;
    mxb_error error;
    mxb_params *params = PARAMS("num_round", "1", "tree_probability", "1", "max_max_depth", "1", "hist_nbins", "2",
                                "subsample", "1", "symmetric_probability", "0");
    OK(mxb_dataset_create(8, &dataset, &error), error);
    OK(mxb_dataset_add_column(dataset, NULL, x, sizeof *x, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_set_label(dataset, y, sizeof *y, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_select(dataset, rows, 6, &some, &error), error);
    OK(mxb_prepared_create(dataset, params, &whole, &error), error);
    OK(mxb_prepared_create_part(whole, some, params, &part, &error), error);
    OK(mxb_trainer_create(part, NULL, params, &trainer, &error), error);
    OK(mxb_trainer_run(trainer, 1, NULL, NULL, &error), error);
    OK(mxb_trainer_model(trainer, &model, &error), error);
    double at[] = {3, 6, 7, 10}, raw[4]; /* cut between 3 and 10, not between 2 and 20 */
    mxb_dataset *probe;
    OK(mxb_dataset_create(4, &probe, &error), error);
    OK(mxb_dataset_add_column(probe, NULL, at, sizeof *at, MXB_FLOAT64, &error), error);
    OK(mxb_model_predict(model, probe, MXB_PREDICT_RAW, 1, raw, &error), error);
    CHECK(raw[0] == raw[1] && raw[1] < raw[2] && raw[2] == raw[3]);
    mxb_dataset_free(probe);
    mxb_model_free(model);
    mxb_trainer_free(trainer);
    mxb_prepared_free(part);
    mxb_prepared_free(whole);
    mxb_dataset_free(some);
    mxb_dataset_free(dataset);
    mxb_params_free(params);
}

static void parts_say_what_is_wrong(void) {
    struct long_training training;
    mxb_prepared *part = (mxb_prepared *)1;
    mxb_error error;
    REQUIRE(open_training(&training, 0, "0"));
    FAILS(mxb_prepared_create_part(NULL, training.train.dataset, NULL, &part, &error), error, MXB_ERROR_PARAM,
          "whole is NULL");
    CHECK(part == NULL);
    FAILS(mxb_prepared_create_part(training.prepared, NULL, NULL, &part, &error), error, MXB_ERROR_PARAM,
          "part is NULL");
    struct made_data narrow = data_make((struct data_recipe){.n_rows = 50, .n_features = 3});
    FAILS(mxb_prepared_create_part(training.prepared, narrow.dataset, NULL, &part, &error), error, MXB_ERROR_DATA,
          "the part has 3 features; the whole has 4");
    CHECK(part == NULL);
    data_clear(&narrow);
    close_training(&training);
}

int main(void) {
    RUN(going_on_gives_the_bytes_of_one_long_training);
    RUN(other_data_keep_the_old_rounds);
    RUN(options_must_fit);
    RUN(what_is_auto_by_the_rows_is_the_models);
    RUN(models_without_a_bank_go_on);
    RUN(projections_must_fit_their_options);
    RUN(data_must_fit);
    RUN(every_allocation_may_fail);
    RUN(a_part_of_the_same_values_is_trained_like_them_alone);
    RUN(a_part_has_the_thresholds_of_the_whole);
    RUN(parts_say_what_is_wrong);
    return check_report();
}
