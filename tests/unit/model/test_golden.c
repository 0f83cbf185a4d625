/* Models that earlier versions wrote, in tests/golden: they load, predict the same bits, are saved as the same bytes,
 * and trainings go on from them. */
#include <stdlib.h>

#include "check.h"

enum { MAX_ROWS = 100, N_MODELS = 3 };

static const char *const NAMES[N_MODELS] = {"mse", "logloss", "exact"};

/* An old model with the rows and the raw predictions that belong to it. */
struct golden {
    mxb_model *model;
    mxb_table *table;
    mxb_dataset *rows;
    size_t n_rows;
    double raw[MAX_ROWS];
};

static const char *path_of(const char *name, const char *kind) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", GOLDEN_FOLDER, name, kind);
    return path;
}

static mxb_status read_predictions(struct golden *golden, const char *name, mxb_error *error) {
    mxb_table *table = NULL;
    mxb_dataset *predictions = NULL;
    mxb_status status = mxb_table_read_csv(path_of(name, "raw.csv"), MXB_HEADER_YES, NULL, 0, 0, &table, error);
    if (status == MXB_OK) {
        status = mxb_dataset_from_table(table, NULL, NULL, NULL, 0, &predictions, error);
    }
    if (status == MXB_OK) {
        status = mxb_dataset_read(predictions, 0, 0, golden->n_rows, golden->raw, error);
    }
    mxb_dataset_free(predictions);
    mxb_table_free(table);
    return status;
}

/* The model's own columns of the rows. */
static mxb_status view_rows(struct golden *golden, mxb_error *error) {
    const char *features[8];
    size_t n_features = mxb_model_n_features(golden->model);
    for (size_t f = 0; f < n_features; f++) {
        features[f] = mxb_model_feature_name(golden->model, f);
    }
    return mxb_dataset_from_table(golden->table, "y", NULL, features, n_features, &golden->rows, error);
}

static int golden_open(struct golden *golden, const char *name) {
    mxb_error error;
    *golden = (struct golden){0};
    mxb_status status = mxb_model_load(path_of(name, "mxb"), &golden->model, &error);
    if (status == MXB_OK) {
        status = mxb_table_read_csv(path_of(name, "rows.csv"), MXB_HEADER_YES, NULL, 0, 0, &golden->table, &error);
    }
    if (status == MXB_OK) {
        status = view_rows(golden, &error);
    }
    if (status == MXB_OK) {
        golden->n_rows = mxb_dataset_n_rows(golden->rows);
        status = read_predictions(golden, name, &error);
    }
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return status == MXB_OK;
}

static void golden_close(struct golden *golden) {
    mxb_model_free(golden->model);
    mxb_dataset_free(golden->rows);
    mxb_table_free(golden->table);
}

static void check_raw(const struct golden *golden, const double *raw) {
    CHECK_INT(memcmp(raw, golden->raw, golden->n_rows * sizeof *raw), 0);
}

/* ---- tests ---- */

static void predictions_are_what_they_were(void) {
    for (size_t k = 0; k < N_MODELS; k++) {
        struct golden golden;
        mxb_error error;
        double raw[MAX_ROWS];
        REQUIRE(golden_open(&golden, NAMES[k]));
        CHECK_INT(mxb_model_n_members(golden.model), 1);
        for (int n_threads = 1; n_threads <= 2; n_threads++) {
            OK(mxb_model_predict(golden.model, golden.rows, MXB_PREDICT_RAW, n_threads, raw, &error), error);
            check_raw(&golden, raw);
        }
        mxb_stages *stages;
        OK(mxb_stages_create(golden.model, golden.rows, 1, &stages, &error), error);
        for (size_t r = 0; r < mxb_model_n_rounds(golden.model); r++) {
            OK(mxb_stages_next(stages, MXB_PREDICT_RAW, raw, &error), error);
        }
        check_raw(&golden, raw);
        mxb_stages_free(stages);
        golden_close(&golden);
    }
}

static void bytes_are_what_they_were(void) {
    for (size_t k = 0; k < N_MODELS; k++) {
        static char file[1 << 16];
        struct golden golden;
        mxb_error error;
        void *bytes;
        size_t n_bytes;
        REQUIRE(golden_open(&golden, NAMES[k]));
        FILE *stream = fopen(path_of(NAMES[k], "mxb"), "rb");
        REQUIRE(stream != NULL);
        size_t n_read = fread(file, 1, sizeof file, stream);
        fclose(stream);
        OK(mxb_model_to_bytes(golden.model, &bytes, &n_bytes, &error), error);
        CHECK(n_bytes == n_read && memcmp(bytes, file, n_bytes) == 0);
        mxb_bytes_free(bytes);
        golden_close(&golden);
    }
}

/* The options of the model, and what it has none of as it was before there were such options. */
static mxb_params *params_of_model(const mxb_model *model) {
    static const char *const before[][2] = {
        {"n_members", "1"}, {"n_projections", "1"}, {"fourier_metric", "isotropic"}, {"fourier_linear", "false"}};
    mxb_params *params = NULL;
    CHECK_INT(mxb_params_create(&params, NULL), MXB_OK);
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        CHECK_INT(mxb_params_set(params, before[i][0], before[i][1], NULL), MXB_OK);
    }
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *value = mxb_model_option(model, mxb_option_name(i));
        CHECK(value == NULL || mxb_params_set(params, mxb_option_name(i), value, NULL) == MXB_OK);
    }
    return params;
}

static void trainings_go_on(void) {
    for (size_t k = 0; k < 2; k++) { /* the last one was trained on some of the rows */
        struct golden golden;
        mxb_error error;
        mxb_prepared *prepared;
        mxb_trainer *trainer;
        mxb_model *longer;
        mxb_stages *stages;
        double raw[MAX_ROWS];
        REQUIRE(golden_open(&golden, NAMES[k]));
        size_t n_rounds = mxb_model_n_rounds(golden.model);
        mxb_params *params = params_of_model(golden.model);
        OK(mxb_params_set(params, "num_round", "20", &error), error);
        OK(mxb_prepared_create(golden.rows, params, &prepared, &error), error);
        OK(mxb_trainer_create_from(prepared, NULL, params, golden.model, &trainer, &error), error);
        OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
        OK(mxb_trainer_model(trainer, &longer, &error), error);
        CHECK_INT(mxb_model_n_rounds(longer), 20);
        OK(mxb_stages_create(longer, golden.rows, 1, &stages, &error), error);
        for (size_t r = 0; r < n_rounds; r++) {
            OK(mxb_stages_next(stages, MXB_PREDICT_RAW, raw, &error), error);
        }
        check_raw(&golden, raw);
        mxb_stages_free(stages);
        mxb_model_free(longer);
        mxb_trainer_free(trainer);
        mxb_prepared_free(prepared);
        mxb_params_free(params);
        golden_close(&golden);
    }
}

int main(void) {
    RUN(predictions_are_what_they_were);
    RUN(bytes_are_what_they_were);
    RUN(trainings_go_on);
    return check_report();
}
