/* Ten thousand rounds: trained, in parts, too, saved, loaded and predicted with, all at once, row by row and round by
 * round; and the best of them found on validation rows. Each stage is compared with a plain sum of the terms so far.
 *
 *     many_rounds [ROUNDS] */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "unit/boost/train_data.h"
#include "unit/model/naive_predict.h"

enum { N_ROWS = 200, N_FEATURES = 4, N_PARTS = 7 };

static char rounds[16] = "10000";
static char path[] = "/tmp/mixboost-test-XXXXXX";
static struct made_data data;

static mxb_params *options(void) {
    return PARAMS("num_round", rounds, "tree_probability", "0.7", "symmetric_probability", "0.3", "n_components", "16",
                  "learning_rate", "0.1", "n_threads", "2");
}

static void read_row(size_t i, double row[N_FEATURES]) {
    for (size_t f = 0; f < N_FEATURES; f++) {
        row[f] = data.x[f * N_ROWS + i];
    }
}

static int near(double is, double expected) { return fabs(is - expected) <= 1e-5 * (1.0 + fabs(expected)); }

/* Every stage against the oracle, the last one and single rows against `raw`. */
static void check_stages(const mxb_model *model, const double *raw) {
    double staged[N_ROWS], sums[N_ROWS], row[N_FEATURES], alone;
    size_t n_far = 0;
    mxb_stages *stages;
    mxb_error error;
    for (size_t i = 0; i < N_ROWS; i++) {
        sums[i] = model->base_score;
    }
    OK(mxb_stages_create(model, data.dataset, 1, &stages, &error), error);
    for (size_t r = 0; r < mxb_model_n_rounds(model); r++) {
        OK(mxb_stages_next(stages, MXB_PREDICT_RAW, staged, &error), error);
        for (size_t i = 0; i < N_ROWS; i++) {
            read_row(i, row);
            sums[i] += term_value(model, &model->terms[r], row);
            n_far += !near(staged[i], sums[i]);
        }
    }
    CHECK(mxb_stages_next(stages, MXB_PREDICT_RAW, staged, &error) == MXB_ERROR_PARAM);
    mxb_stages_free(stages);
    CHECK_INT(n_far, 0);
    CHECK(memcmp(raw, staged, sizeof staged) == 0);
    for (size_t i = 0; i < N_ROWS; i++) {
        read_row(i, row);
        OK(mxb_model_predict_rows(model, row, 1, N_FEATURES, MXB_PREDICT_RAW, &alone, &error), error);
        CHECK(alone == raw[i]);
    }
}

static void saved_and_loaded(void) {
    mxb_params *params = options();
    mxb_model *model = train(&data, params), *loaded = NULL;
    mxb_error error;
    REQUIRE(model != NULL);
    CHECK_INT(mxb_model_n_rounds(model), atoi(rounds));
    CHECK_INT(mxb_model_n_curve(model), atoi(rounds));
    CHECK(mxb_model_curve(model, mxb_model_n_rounds(model), 0) < mxb_model_curve(model, 0, 0) / 10);
    OK(mxb_model_save(model, path, &error), error);
    OK(mxb_model_load(path, &loaded, &error), error);
    struct model_bytes bytes = bytes_of(model), again = bytes_of(loaded);
    double *raw = predict(model, &data), *raw_again = predict(loaded, &data);
    CHECK(same_bytes(bytes, again));
    CHECK(memcmp(raw, raw_again, N_ROWS * sizeof *raw) == 0);
    check_stages(loaded, raw);
    printf("%zu rounds, %zu bytes of a model\n", mxb_model_n_rounds(loaded), bytes.n_bytes);
    free(raw);
    free(raw_again);
    mxb_bytes_free(bytes.bytes);
    mxb_bytes_free(again.bytes);
    mxb_model_free(model);
    mxb_model_free(loaded);
    mxb_params_free(params);
}

/* Pauses, and in the middle a model that another trainer goes on from. */
static void trained_in_parts(void) {
    mxb_params *params = options();
    struct model_bytes expected = train_bytes(&data, params);
    size_t n_rounds = (size_t)atoi(rounds);
    mxb_prepared *prepared;
    mxb_trainer *trainer, *second;
    mxb_model *model;
    mxb_error error;
    OK(mxb_prepared_create(data.dataset, params, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, NULL, params, &trainer, &error), error);
    OK(mxb_trainer_run(trainer, n_rounds / 2, NULL, NULL, &error), error);
    OK(mxb_trainer_model(trainer, &model, &error), error);
    OK(mxb_trainer_create_from(prepared, NULL, params, model, &second, &error), error);
    mxb_model_free(model);
    for (size_t part = 1; part <= N_PARTS; part++) {
        OK(mxb_trainer_run(second, n_rounds / 2 + (n_rounds - n_rounds / 2) * part / N_PARTS, NULL, NULL, &error),
           error);
    }
    OK(mxb_trainer_model(second, &model, &error), error);
    struct model_bytes bytes = bytes_of(model);
    CHECK(same_bytes(bytes, expected));
    mxb_bytes_free(bytes.bytes);
    mxb_bytes_free(expected.bytes);
    mxb_model_free(model);
    mxb_trainer_free(trainer);
    mxb_trainer_free(second);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
}

/* The best round is that with the lowest loss of all, and its model is that of as many rounds. */
static void stopped_at_the_best(void) {
    struct made_data valid = data_make((struct data_recipe){.n_rows = 100, .n_features = N_FEATURES, .seed = 6});
    mxb_params *params = options();
    mxb_model *model;
    mxb_error error;
    char text[24];
    REQUIRE(mxb_params_set(params, "early_stopping_rounds", rounds, &error) == MXB_OK);
    OK(mxb_train(data.dataset, valid.dataset, params, NULL, NULL, &model, &error), error);
    size_t best = 0, n_best = mxb_model_n_rounds(model);
    CHECK_INT(mxb_model_n_curve(model), atoi(rounds));
    for (size_t r = 1; r <= mxb_model_n_curve(model); r++) {
        best = mxb_model_curve(model, r, 1) < mxb_model_curve(model, best, 1) ? r : best;
    }
    CHECK_INT(n_best, best);
    CHECK(best > 0 && best < mxb_model_n_curve(model) && mxb_model_stopped_early(model));
    double *raw = predict(model, &data);
    snprintf(text, sizeof text, "%zu", best);
    REQUIRE(mxb_params_set(params, "num_round", text, &error) == MXB_OK);
    mxb_model *as_many = train(&data, params);
    double *expected = predict(as_many, &data);
    CHECK(memcmp(raw, expected, N_ROWS * sizeof *raw) == 0);
    free(raw);
    free(expected);
    mxb_model_free(model);
    mxb_model_free(as_many);
    mxb_params_free(params);
    data_clear(&valid);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        snprintf(rounds, sizeof rounds, "%s", argv[1]);
    }
    int file = mkstemp(path);
    if (file < 0) {
        fprintf(stderr, "cannot make %s\n", path);
        return 1;
    }
    close(file);
    data = data_make((struct data_recipe){.n_rows = N_ROWS, .n_features = N_FEATURES, .seed = 5});
    RUN(saved_and_loaded);
    RUN(trained_in_parts);
    RUN(stopped_at_the_best);
    data_clear(&data);
    unlink(path);
    return check_report();
}
