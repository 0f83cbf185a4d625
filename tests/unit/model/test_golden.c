/* The models of tests/golden load and predict the same bits. Uses only what the library that only predicts has, and is
 * run on both. */
#include "check.h"
#include "golden/golden.h"

static struct golden_rows rows;
static struct golden_list models;

/* A round of a learner that the library does not have. */
static int needs_a_learner(const mxb_model *model) {
    for (size_t r = 1; r <= mxb_model_n_rounds(model); r++) {
        for (size_t m = 0; m < mxb_model_n_members(model); m++) {
            const char *name = mxb_model_round_learner(model, r, m);
            if (strcmp(name, "tree") != 0 && strcmp(name, "symmetric") != 0 && strcmp(name, "fourier") != 0) {
                return 1;
            }
        }
    }
    return 0;
}

static void check_model(const char *name, size_t *n_predicted) {
    struct golden_predictions expected, predictions;
    mxb_error error;
    mxb_model *model = golden_load(name);
    REQUIRE(model != NULL);
    mxb_dataset *data = golden_view_for(&rows, model);
    if (needs_a_learner(model)) {
        CHECK_INT(golden_predict(model, data, 1, &predictions, &error), MXB_ERROR_PARAM);
        CHECK(strstr(error.message, ", which is not here; load it by mxb_model_load_with") != NULL);
    } else {
        REQUIRE(golden_read_predictions(name, &expected));
        for (int n_threads = 1; n_threads <= 2; n_threads++) {
            OK(golden_predict(model, data, n_threads, &predictions, &error), error);
            CHECK_INT(memcmp(&predictions, &expected, sizeof expected), 0);
        }
        ++*n_predicted;
    }
    mxb_dataset_free(data);
    mxb_model_free(model);
}

static void predictions_are_what_they_were(void) {
    size_t n_predicted = 0;
    for (size_t k = 0; k < models.n; k++) {
        int n_failed = check_n_failed;
        check_model(models.names[k], &n_predicted);
        CHECK_TEXT(check_n_failed > n_failed ? models.names[k] : "", "");
    }
    printf("%zu models predicted\n", n_predicted);
}

/* The number that the model has for a town, NaN if it has none. */
static double town_number(const mxb_model *model, int8_t code) {
    for (size_t i = 0; code >= 0 && i < mxb_model_feature_n_texts(model, 3); i++) {
        if (strcmp(mxb_model_feature_text(model, 3, i), GOLDEN_TOWNS[code]) == 0) {
            return (double)i;
        }
    }
    return (double)NAN;
}

static void check_rows_of_numbers(const mxb_model *model, const double *expected) {
    double raw[GOLDEN_ROWS], numbers[GOLDEN_ROWS * GOLDEN_FEATURES];
    size_t n_features = mxb_model_n_features(model);
    mxb_error error;
    for (size_t i = 0; i < GOLDEN_ROWS; i++) {
        double *row = numbers + i * n_features;
        for (size_t f = 0; f < n_features; f++) {
            row[f] = f < GOLDEN_FEATURES - 1 ? rows.numbers[f][i] : town_number(model, rows.towns[i]);
        }
        OK(mxb_model_predict_rows(model, row, 1, n_features, MXB_PREDICT_RAW, &raw[i], &error), error);
    }
    CHECK_INT(memcmp(raw, expected, sizeof raw), 0);
    OK(mxb_model_predict_rows(model, numbers, GOLDEN_ROWS, n_features, MXB_PREDICT_RAW, raw, &error), error);
    CHECK_INT(memcmp(raw, expected, sizeof raw), 0);
}

static void rows_of_numbers_too(void) {
    for (size_t k = 0; k < models.n; k++) {
        struct golden_predictions expected;
        mxb_model *model = golden_load(models.names[k]);
        REQUIRE(model != NULL);
        if (!needs_a_learner(model)) {
            REQUIRE(golden_read_predictions(models.names[k], &expected));
            check_rows_of_numbers(model, expected.raw);
        }
        mxb_model_free(model);
    }
}

static void labels(void) {
    mxb_model *numbers = golden_load("logloss"), *words = golden_load("words");
    REQUIRE(numbers != NULL && words != NULL);
    CHECK(mxb_model_label(numbers, 0) == -1 && mxb_model_label(numbers, 1) == 2);
    CHECK_TEXT(mxb_model_label_text(words, 0), "no");
    CHECK_TEXT(mxb_model_label_text(words, 1), "yes");
    mxb_model_free(numbers);
    mxb_model_free(words);
}

int main(void) {
    if (!golden_read_rows(&rows) || !golden_read_list(&models)) {
        return 1;
    }
    RUN(predictions_are_what_they_were);
    RUN(rows_of_numbers_too);
    RUN(labels);
    return check_report();
}
