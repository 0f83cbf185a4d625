/* The models of tests/golden load and predict the same bits. Uses only what the library that only predicts has, and is
 * run on both. */
#include "check.h"
#include "golden/golden.h"

static const char *const NAMES[] = {"trees", "symmetric", "exact", "rank",   "standard",
                                    "none",  "logloss",   "words", "members"};
enum { N_MODELS = sizeof NAMES / sizeof NAMES[0] };

static struct golden_rows rows;

static void predictions_are_what_they_were(void) {
    for (size_t k = 0; k < N_MODELS; k++) {
        double expected[GOLDEN_ROWS], raw[GOLDEN_ROWS];
        mxb_error error;
        mxb_model *model = golden_load(NAMES[k]);
        REQUIRE(model != NULL && golden_read_raw(NAMES[k], expected));
        mxb_dataset *data = golden_view(&rows, mxb_model_feature_name(model, 0) != NULL);
        for (int n_threads = 1; n_threads <= 2; n_threads++) {
            OK(mxb_model_predict(model, data, MXB_PREDICT_RAW, n_threads, raw, &error), error);
            CHECK_INT(memcmp(raw, expected, sizeof raw), 0);
        }
        mxb_dataset_free(data);
        mxb_model_free(model);
    }
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

static void rows_of_numbers_too(void) {
    for (size_t k = 0; k < N_MODELS; k++) {
        double expected[GOLDEN_ROWS], raw[GOLDEN_ROWS], numbers[GOLDEN_ROWS][GOLDEN_FEATURES];
        mxb_error error;
        mxb_model *model = golden_load(NAMES[k]);
        REQUIRE(model != NULL && golden_read_raw(NAMES[k], expected));
        for (size_t i = 0; i < GOLDEN_ROWS; i++) {
            for (size_t f = 0; f < GOLDEN_FEATURES - 1; f++) {
                numbers[i][f] = rows.numbers[f][i];
            }
            numbers[i][3] = town_number(model, rows.towns[i]);
            OK(mxb_model_predict_rows(model, numbers[i], 1, GOLDEN_FEATURES, MXB_PREDICT_RAW, &raw[i], &error), error);
        }
        CHECK_INT(memcmp(raw, expected, sizeof raw), 0);
        OK(mxb_model_predict_rows(model, numbers[0], GOLDEN_ROWS, GOLDEN_FEATURES, MXB_PREDICT_RAW, raw, &error),
           error);
        CHECK_INT(memcmp(raw, expected, sizeof raw), 0);
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

/* A model of a caller's learner loads, and says what it lacks. */
static void a_learner_that_is_not_here(void) {
    mxb_model *model = golden_load("own");
    mxb_error error;
    double raw[GOLDEN_ROWS];
    REQUIRE(model != NULL);
    mxb_dataset *data = golden_view(&rows, 1);
    CHECK_INT(mxb_model_predict(model, data, MXB_PREDICT_RAW, 1, raw, &error), MXB_ERROR_PARAM);
    CHECK(strstr(error.message, "\"line\"") != NULL);
    mxb_dataset_free(data);
    mxb_model_free(model);
}

int main(void) {
    if (!golden_read_rows(&rows)) {
        return 1;
    }
    RUN(predictions_are_what_they_were);
    RUN(rows_of_numbers_too);
    RUN(labels);
    RUN(a_learner_that_is_not_here);
    return check_report();
}
