/* Dictionaries learnt from rows and applied to others: what counts, what is missing, what is refused. */
#include "data/text_coding.h"

#include "base/memory.h"
#include "check.h"

static mxb_error error;
static const char *const TEXTS[] = {"pear", "apple", "apple", "fig", "17"};
static const int8_t CODES[] = {2, -1, 0, 1, 3, 0};
static const double NUMBERS[] = {1, 2, 3, 4, 5, 6};
enum { ROWS = 6 };

/* A text column, a numeric one, a text column of which the rows have nothing. */
static mxb_dataset *make(const char *const *names) {
    static const int8_t nothing[ROWS] = {-1, -1, 9, -1, -1, -1};
    mxb_dataset *dataset;
    int fine = mxb_dataset_create(ROWS, &dataset, &error) == MXB_OK &&
               mxb_dataset_add_text_column(dataset, names[0], CODES, 1, MXB_INT8, TEXTS, 5, &error) == MXB_OK &&
               mxb_dataset_add_column(dataset, names[1], NUMBERS, sizeof *NUMBERS, MXB_FLOAT64, &error) == MXB_OK &&
               mxb_dataset_add_text_column(dataset, names[2], nothing, 1, MXB_INT8, TEXTS, 5, &error) == MXB_OK;
    CHECK(fine);
    return dataset;
}

static const char *const NO_NAMES[3] = {NULL, NULL, NULL};
static const char *const NAMES[3] = {"fruit", "size", "none"};

static void learns_what_the_rows_have(void) {
    static const size_t rows[] = {5, 3, 1};
    mxb_dataset *dataset = make(NO_NAMES), *view;
    struct dictionary *dictionaries;
    double values[ROWS];
    OK(mxb_dataset_select(dataset, rows, 3, &view, &error), error);
    OK(mxb__texts_learn(view, &dictionaries, &error), error);
    CHECK(dictionaries[0].is_text && !dictionaries[1].is_text && dictionaries[2].is_text);
    CHECK_INT(dictionaries[0].n_texts, 2); /* no fig, no 17 */
    CHECK_TEXT(dictionaries[0].texts[0], "apple");
    CHECK_TEXT(dictionaries[0].texts[1], "pear");
    CHECK_INT(dictionaries[2].n_texts, 0);
    OK(mxb_dataset_read(view, 0, 0, 3, values, &error), error);
    CHECK(values[0] == 1 && values[1] == 0 && isnan(values[2]));
    OK(mxb_dataset_read(dataset, 0, 0, ROWS, values, &error), error); /* still ranks of its own */
    CHECK(values[0] == 1 && isnan(values[1]) && values[2] == 3 && values[4] == 2);
    mxb_dataset_free(view);
    OK(mxb__texts_apply(dataset, dictionaries, "the model", &view, &error), error);
    OK(mxb_dataset_read(view, 0, 0, ROWS, values, &error), error);
    CHECK(values[0] == 0 && isnan(values[1]) && values[2] == 1 && values[3] == 0 && isnan(values[4]));
    OK(mxb_dataset_read(view, 1, 0, ROWS, values, &error), error);
    CHECK(values[5] == 6);
    mxb_dataset_free(dataset);
    mxb_dataset_free(view);
    mxb__dictionaries_free(dictionaries, 3);
}

static void applies_to_a_selection(void) {
    static const size_t rows[] = {4, 2, 2};
    mxb_dataset *dataset = make(NAMES), *subset, *view;
    struct dictionary *dictionaries;
    double values[3];
    OK(mxb_dataset_select(dataset, rows, 3, &subset, &error), error);
    OK(mxb__texts_learn(dataset, &dictionaries, &error), error);
    CHECK_INT(dictionaries[0].n_texts, 3);
    OK(mxb__texts_apply(subset, dictionaries, "the model", &view, &error), error);
    mxb_dataset_free(subset);
    mxb_dataset_free(dataset);
    CHECK_INT(mxb_dataset_n_rows(view), 3);
    CHECK_TEXT(mxb_dataset_feature_name(view, 0), "fruit");
    OK(mxb_dataset_read(view, 0, 0, 3, values, &error), error);
    CHECK(values[0] == 1 && values[1] == 2 && values[2] == 2);
    mxb_dataset_free(view);
    mxb__dictionaries_free(dictionaries, 3);
}

/* Rows that a training has coded can be trained on again. */
static void learns_from_coded_rows(void) {
    static const size_t some[] = {0, 2, 4}, fewer[] = {0, 5};
    mxb_dataset *dataset = make(NAMES), *view, *again;
    struct dictionary *first, *second;
    double values[2];
    OK(mxb_dataset_select(dataset, some, 3, &view, &error), error);
    OK(mxb__texts_learn(view, &first, &error), error);
    mxb_dataset_free(view);
    OK(mxb__texts_apply(dataset, first, "the model", &view, &error), error);
    OK(mxb_dataset_select(view, fewer, 2, &again, &error), error);
    OK(mxb__texts_learn(again, &second, &error), error);
    CHECK_INT(first[0].n_texts, 3);
    CHECK_INT(second[0].n_texts, 2);
    CHECK_TEXT(second[0].texts[0], "apple");
    CHECK_TEXT(second[0].texts[1], "pear");
    OK(mxb_dataset_read(again, 0, 0, 2, values, &error), error);
    CHECK(values[0] == 0 && values[1] == 1);
    mxb_dataset_free(dataset);
    mxb_dataset_free(view);
    mxb_dataset_free(again);
    mxb__dictionaries_free(first, 3);
    mxb__dictionaries_free(second, 3);
}

static void leaves_numbers_alone(void) {
    mxb_dataset *dataset, *view;
    struct dictionary *dictionaries;
    OK(mxb_dataset_create(ROWS, &dataset, &error), error);
    OK(mxb_dataset_add_column(dataset, NULL, NUMBERS, sizeof *NUMBERS, MXB_FLOAT64, &error), error);
    OK(mxb__texts_learn(dataset, &dictionaries, &error), error);
    CHECK(dictionaries == NULL);
    OK(mxb__texts_apply(dataset, NULL, "the model", &view, &error), error);
    CHECK(view == NULL);
    mxb_dataset_free(dataset);
}

static void explains_the_wrong_kind(void) {
    static const int8_t digits[ROWS] = {4, 4, -1, 4, 4, 4};
    mxb_dataset *dataset = make(NAMES), *unnamed = make(NO_NAMES), *view;
    struct dictionary *dictionaries;
    OK(mxb__texts_learn(dataset, &dictionaries, &error), error);
    struct dictionary swapped[3] = {dictionaries[1], dictionaries[0], dictionaries[2]};
    struct dictionary all[3] = {dictionaries[0], dictionaries[0], dictionaries[2]};
    FAILS(mxb__texts_apply(dataset, swapped, "the model", &view, &error), error, MXB_ERROR_DATA,
          "feature \"fruit\" of the dataset holds text (\"apple\" in row 1), that of the model holds numbers");
    FAILS(mxb__texts_apply(unnamed, swapped, "the training data", &view, &error), error, MXB_ERROR_DATA,
          "feature 1 of the dataset holds text (\"apple\" in row 1), that of the training data holds numbers");
    FAILS(mxb__texts_check(unnamed, all, "the model", &error), error, MXB_ERROR_DATA,
          "feature 2 of the dataset holds numbers, that of the model holds text");
    mxb_dataset_free(unnamed);
    OK(mxb_dataset_create(ROWS, &unnamed, &error), error);
    OK(mxb_dataset_add_text_column(unnamed, NULL, digits, 1, MXB_INT8, TEXTS, 5, &error), error);
    FAILS(mxb__texts_apply(unnamed, NULL, "the model", &view, &error), error, MXB_ERROR_DATA,
          "feature 1 of the dataset is a column of text, that of the model holds numbers");
    CHECK(view == NULL);
    mxb_dataset_free(dataset);
    mxb_dataset_free(unnamed);
    mxb__dictionaries_free(dictionaries, 3);
}

static void survives_every_failing_allocation(void) {
    mxb_dataset *dataset = make(NAMES), *view;
    struct dictionary *dictionaries;
    uint64_t n = 0;
    mxb_status status = MXB_ERROR_MEMORY;
    while (status == MXB_ERROR_MEMORY && n < 100) {
        mxb__memory_fail_at(++n, 0);
        status = mxb__texts_learn(dataset, &dictionaries, &error);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (dictionaries != NULL));
    }
    CHECK(n > 8);
    status = MXB_ERROR_MEMORY;
    for (n = 0; status == MXB_ERROR_MEMORY && n < 100;) {
        mxb__memory_fail_at(++n, 0);
        status = mxb__texts_apply(dataset, dictionaries, "the model", &view, &error);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (view != NULL));
    }
    CHECK(n > 6);
    mxb_dataset_free(view);
    mxb_dataset_free(dataset);
    mxb__dictionaries_free(dictionaries, 3);
}

int main(void) {
    RUN(learns_what_the_rows_have);
    RUN(applies_to_a_selection);
    RUN(learns_from_coded_rows);
    RUN(leaves_numbers_alone);
    RUN(explains_the_wrong_kind);
    RUN(survives_every_failing_allocation);
    return check_report();
}
