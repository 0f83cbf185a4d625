/* The models of tests/golden are saved as the same bytes, predict the same round by round, and trainings go on from
 * them. */
#include "check.h"
#include "golden/golden.h"
#include "golden/golden_own.h"

static struct golden_rows rows;
static struct golden_list models;
static mxb_params *own_params; /* brings the learner and the loss of `own` */

static mxb_model *load(const char *name) {
    char path[4096];
    mxb_model *model;
    snprintf(path, sizeof path, "%s/%s.mxb", GOLDEN_FOLDER, name);
    CHECK_INT(mxb_model_load_with(path, own_params, &model, NULL), MXB_OK);
    return model;
}

static void check_bytes(const mxb_model *model, const char *name) {
    static char file[1 << 16], path[64];
    mxb_error error;
    void *bytes;
    size_t n_bytes;
    snprintf(path, sizeof path, "%s.mxb", name);
    FILE *stream = golden_open(path, "rb");
    REQUIRE(stream != NULL);
    size_t n_read = fread(file, 1, sizeof file, stream);
    fclose(stream);
    OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
    CHECK(n_bytes == n_read && memcmp(bytes, file, n_bytes) == 0);
    mxb_bytes_free(bytes);
}

static void bytes_are_what_they_were(void) {
    for (size_t k = 0; k < models.n; k++) {
        mxb_model *model = load(models.names[k]), *without = golden_load(models.names[k]);
        REQUIRE(model != NULL && without != NULL);
        check_bytes(model, models.names[k]);
        check_bytes(without, models.names[k]);
        mxb_model_free(model);
        mxb_model_free(without);
    }
    printf("%zu models saved again\n", models.n);
}

/* The predictions after the first n_rounds rounds are those of the golden model. */
static void check_stages(const mxb_model *model, size_t n_rounds, const double *expected) {
    double raw[GOLDEN_ROWS] = {0};
    mxb_stages *stages;
    mxb_error error;
    mxb_dataset *data = golden_view_for(&rows, model);
    OK(mxb_stages_create(model, data, 1, &stages, &error), error);
    for (size_t r = 0; r < n_rounds; r++) {
        OK(mxb_stages_next(stages, MXB_PREDICT_RAW, raw, &error), error);
    }
    CHECK_INT(memcmp(raw, expected, sizeof raw), 0);
    mxb_stages_free(stages);
    mxb_dataset_free(data);
}

static void check_rounds(const mxb_model *model, const char *name) {
    struct golden_predictions expected, predictions;
    mxb_error error;
    mxb_dataset *data = golden_view_for(&rows, model);
    if (golden_read_predictions(name, &expected)) {
        OK(golden_predict(model, data, 1, &predictions, &error), error);
        CHECK_INT(memcmp(&predictions, &expected, sizeof expected), 0);
        if (mxb_model_n_rounds(model) > 0) {
            check_stages(model, mxb_model_n_rounds(model), expected.raw);
        }
    } else { /* nobody has its learner */
        CHECK_INT(golden_predict(model, data, 1, &predictions, &error), MXB_ERROR_PARAM);
    }
    mxb_dataset_free(data);
}

static void round_by_round(void) {
    for (size_t k = 0; k < models.n; k++) {
        mxb_model *model = load(models.names[k]);
        REQUIRE(model != NULL);
        check_rounds(model, models.names[k]);
        mxb_model_free(model);
    }
}

static mxb_params *params_of_model(const mxb_model *model) {
    mxb_params *params = NULL;
    CHECK_INT(mxb_params_create(&params, NULL), MXB_OK);
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *value = mxb_model_option(model, mxb_option_name(i));
        CHECK(value == NULL || mxb_params_set(params, mxb_option_name(i), value, NULL) == MXB_OK);
    }
    return params;
}

static void train_on(const mxb_model *model, const mxb_dataset *data, mxb_model **longer) {
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    *longer = NULL;
    mxb_params *params = params_of_model(model);
    OK(mxb_params_set(params, "num_round", "12", &error), error);
    OK(mxb_prepared_create(data, params, &prepared, &error), error);
    OK(mxb_trainer_create_from(prepared, NULL, params, model, &trainer, &error), error);
    OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
    OK(mxb_trainer_model(trainer, longer, &error), error);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
}

static void trainings_go_on(void) {
    static const char *const names[] = {"standard", "words", "members"};
    for (size_t k = 0; k < 3; k++) {
        struct golden_predictions expected;
        mxb_error error;
        mxb_model *model = load(names[k]);
        REQUIRE(model != NULL && golden_read_predictions(names[k], &expected));
        mxb_dataset *data = golden_view_for(&rows, model);
        OK(mxb_dataset_set_weight(data, rows.weight, sizeof(double), MXB_FLOAT64, &error), error);
        OK(k == 1 ? mxb_dataset_set_text_label(data, rows.word, 1, MXB_INT8, GOLDEN_WORDS, GOLDEN_N_WORDS, &error)
                  : mxb_dataset_set_label(data, rows.number, sizeof(double), MXB_FLOAT64, &error),
           error);
        mxb_model *longer;
        train_on(model, data, &longer);
        CHECK_INT(mxb_model_n_rounds(longer), 12);
        check_stages(longer, mxb_model_n_rounds(model), expected.raw);
        mxb_model_free(longer);
        mxb_dataset_free(data);
        mxb_model_free(model);
    }
}

int main(void) {
    if (!golden_read_rows(&rows) || !golden_read_list(&models) || mxb_params_create(&own_params, NULL) != MXB_OK ||
        golden_add_own(own_params, NULL) != MXB_OK) {
        return 1;
    }
    RUN(bytes_are_what_they_were);
    RUN(round_by_round);
    RUN(trainings_go_on);
    mxb_params_free(own_params);
    return check_report();
}
