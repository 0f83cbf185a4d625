/* Columns of text: codes of every integer type, what a dictionary makes of them, and their life in a dataset. Numbers
 * of every type are read in test_dataset.c. */
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "data/dataset.h"
#include "data/dictionary.h"

static mxb_error error;
static const char *const TEXTS[] = {"pear", "apple", "17", "fig"}; /* ranks 3, 1, 0, 2 */

static mxb_dataset *dataset_of(size_t n_rows) {
    mxb_dataset *dataset;
    if (mxb_dataset_create(n_rows, &dataset, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return dataset;
}

/* The column's five values: `expected` where it has one, NaN for -1. */
static void check_values(const void *codes, ptrdiff_t stride, mxb_type type, const double expected[5]) {
    mxb_dataset *dataset = dataset_of(5);
    double values[5];
    OK(mxb_dataset_add_text_column(dataset, NULL, codes, stride, type, TEXTS, 4, &error), error);
    OK(mxb_dataset_read(dataset, 0, 0, 5, values, &error), error);
    for (size_t i = 0; i < 5; i++) {
        CHECK(expected[i] < 0 ? isnan(values[i]) : values[i] == expected[i]);
        double value = mxb__column_value(&dataset->columns[0], i);
        CHECK(expected[i] < 0 ? isnan(value) : value == expected[i]);
    }
    mxb_dataset_free(dataset);
}

static void reads_codes_of_every_type(void) {
    static const double expected[] = {3, 1, -1, 2, -1};
#define CODES(value_type, type, below, above)                              \
    do {                                                                   \
        value_type codes[] = {0, 1, (value_type)(below), 3, (above)};      \
        check_values(codes, (ptrdiff_t)sizeof codes[0], (type), expected); \
    } while (0)
    CODES(int8_t, MXB_INT8, -1, 4);
    CODES(int16_t, MXB_INT16, INT16_MIN, INT16_MAX);
    CODES(int32_t, MXB_INT32, -1, 5);
    CODES(int64_t, MXB_INT64, INT64_MIN, INT64_MAX);
    CODES(uint8_t, MXB_UINT8, -1, 4);
    CODES(uint16_t, MXB_UINT16, -1, 4);
    CODES(uint32_t, MXB_UINT32, -1, 4);
    CODES(uint64_t, MXB_UINT64, -1, UINT64_C(1) << 32);
    uint8_t flags[] = {0, 1, 0, 255, 0}; /* MXB_BOOL: whatever is not 0 is 1 */
    check_values(flags, 1, MXB_BOOL, (const double[]){3, 1, 3, 1, 3});
    int32_t spread[10] = {3, 9, 2, 9, 1, 9, 0, 9, -1, 9};
    check_values(spread, 8, MXB_INT32, (const double[]){2, 0, 1, 3, -1});
    check_values(spread + 8, -8, MXB_INT32, (const double[]){-1, 3, 1, 0, 2});
}

static void knows_the_text_of_a_row(void) {
    static const int8_t codes[] = {2, 0, -1, 3, 1};
    static const uint8_t present = 0x0f;
    static const size_t rows[] = {4, 3, 2, 1, 0};
    mxb_dataset *dataset = dataset_of(5), *subset;
    OK(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, TEXTS, 4, &error), error);
    OK(mxb_dataset_set_validity(dataset, 0, &present, 0, &error), error);
    OK(mxb_dataset_select(dataset, rows, 5, &subset, &error), error);
    CHECK_TEXT(mxb__column_text(dataset, &dataset->columns[0], 0), "17");
    CHECK_TEXT(mxb__column_text(subset, &subset->columns[0], 1), "fig");
    CHECK(mxb__column_text(dataset, &dataset->columns[0], 2) == NULL);
    CHECK(mxb__column_text(dataset, &dataset->columns[0], 4) == NULL); /* not valid */
    CHECK_INT(mxb__column_find_text(dataset, &dataset->columns[0]), 1);
    CHECK_INT(mxb__column_find_text(subset, &subset->columns[0]), 1);
    mxb_dataset_free(dataset);
    mxb_dataset_free(subset);
}

static void finds_no_text_among_numbers(void) {
    static const int8_t codes[] = {2, 2, -1};
    mxb_dataset *dataset = dataset_of(3);
    OK(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, TEXTS, 4, &error), error);
    CHECK_INT(mxb__column_find_text(dataset, &dataset->columns[0]), 3);
    mxb_dataset_free(dataset);
}

static void follows_a_dictionary(void) {
    static const int8_t codes[] = {0, 1, 2, 3, -1};
    static const char *const known[] = {"apple", "banana", "pear"};
    struct dictionary *dictionary;
    double values[5];
    mxb_dataset *dataset = dataset_of(5);
    OK(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, TEXTS, 4, &error), error);
    OK(mxb__alloc_zeroed(&dictionary, 1, sizeof *dictionary, "a test", &error), error);
    OK(mxb__dictionary_fill(dictionary, known, 3, &error), error);
    mxb__column_code(&dataset->columns[0], dictionary);
    OK(mxb_dataset_read(dataset, 0, 0, 5, values, &error), error);
    CHECK(values[0] == 2 && values[1] == 0 && isnan(values[2]) && isnan(values[3]) && isnan(values[4]));
    CHECK(mxb__column_text(dataset, &dataset->columns[0], 2) == NULL); /* unknown is missing */
    mxb__dictionaries_free(dictionary, 1);
    mxb_dataset_free(dataset);
}

/* ---- As part of a dataset ---- */

static const char *const DOUBLED[] = {"b", "a", "b", "c"};

static void adds_text_columns(void) {
    static const uint16_t codes[] = {0, 1, 2, 3, 4};
    double x[5] = {1, 2, 3, 4, 5};
    double values[5];
    mxb_dataset *dataset = dataset_of(5);
    OK(mxb_dataset_add_column(dataset, "x", x, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_text_column(dataset, "t", codes, 2, MXB_UINT16, DOUBLED, 4, &error), error);
    OK(mxb_dataset_add_text_column(dataset, "nothing", codes, 2, MXB_UINT16, NULL, 0, &error), error);
    CHECK_INT(mxb_dataset_n_features(dataset), 3);
    CHECK_INT(mxb_dataset_feature_is_text(dataset, 0), 0);
    CHECK_INT(mxb_dataset_feature_is_text(dataset, 1), 1);
    CHECK_INT(mxb_dataset_feature_is_text(dataset, 2), 1);
    CHECK_INT(mxb_dataset_feature_is_text(dataset, 3), 0);
    CHECK_INT(mxb_dataset_feature_is_text(NULL, 0), 0);
    OK(mxb_dataset_read(dataset, 1, 0, 5, values, &error), error); /* the same text has the same number */
    CHECK(values[0] == 1 && values[1] == 0 && values[2] == 1 && values[3] == 2 && isnan(values[4]));
    OK(mxb_dataset_read(dataset, 2, 4, 1, values, &error), error);
    CHECK(isnan(values[0]));
    FAILS(mxb_dataset_add_text_column(dataset, "t", codes, 2, MXB_UINT16, DOUBLED, 4, &error), error, MXB_ERROR_PARAM,
          "features 2 and 4 have the same name \"t\"");
    mxb_dataset_free(dataset);
}

static void refuses_wrong_texts(void) {
    static const int8_t codes[] = {0};
    static const char *const holed[] = {"a", NULL};
    mxb_dataset *dataset = dataset_of(1);
    FAILS(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_FLOAT32, DOUBLED, 4, &error), error, MXB_ERROR_PARAM,
          "type is 1; the codes of texts must be integers, 3 to 11");
    FAILS(mxb_dataset_set_text_label(dataset, codes, 1, MXB_FLOAT64, DOUBLED, 4, &error), error, MXB_ERROR_PARAM,
          "type is 2; the codes of texts must be integers, 3 to 11");
    FAILS(mxb_dataset_add_text_column(dataset, NULL, codes, 1, (mxb_type)12, DOUBLED, 4, &error), error,
          MXB_ERROR_PARAM, "type is 12; it must be one of mxb_type, 1 to 11");
    FAILS(mxb_dataset_add_text_column(dataset, NULL, NULL, 1, MXB_INT8, DOUBLED, 4, &error), error, MXB_ERROR_PARAM,
          "data is NULL");
    FAILS(mxb_dataset_add_text_column(NULL, NULL, codes, 1, MXB_INT8, DOUBLED, 4, &error), error, MXB_ERROR_PARAM,
          "dataset is NULL");
    FAILS(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, NULL, 4, &error), error, MXB_ERROR_PARAM,
          "texts is NULL");
    FAILS(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, holed, 2, &error), error, MXB_ERROR_PARAM,
          "texts[1] is NULL");
    FAILS(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, DOUBLED, MXB__MAX_TEXTS + 1, &error), error,
          MXB_ERROR_PARAM, "n_texts is 16777217; a column has at most 16777216 texts");
    char *longest = malloc(MXB__MAX_TEXT_BYTES + 2);
    REQUIRE(longest != NULL);
    memset(longest, 'a', MXB__MAX_TEXT_BYTES + 1);
    longest[MXB__MAX_TEXT_BYTES + 1] = '\0';
    const char *text = longest;
    FAILS(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, &text, 1, &error), error, MXB_ERROR_PARAM,
          "texts[0] has 1048577 bytes; at most 1048576 are allowed");
    text++;
    OK(mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, &text, 1, &error), error);
    CHECK_INT(mxb_dataset_n_features(dataset), 1);
    free(longest);
    mxb_dataset_free(dataset);
}

/* Selections and views keep texts, whichever dataset goes first. */
static void selections_keep_texts(void) {
    static const int32_t codes[] = {3, 0, -1, 1};
    static const size_t rows[] = {3, 2, 0};
    double values[3];
    mxb_dataset *dataset = dataset_of(4), *subset, *view;
    OK(mxb_dataset_add_text_column(dataset, "t", codes, 4, MXB_INT32, DOUBLED, 4, &error), error);
    OK(mxb_dataset_set_text_label(dataset, codes, 4, MXB_INT32, DOUBLED, 4, &error), error);
    OK(mxb_dataset_select(dataset, rows, 3, &subset, &error), error);
    OK(mxb__dataset_create_view(subset, &view, &error), error);
    mxb_dataset_free(dataset);
    CHECK_INT(mxb_dataset_feature_is_text(subset, 0), 1);
    CHECK_TEXT(mxb__column_text(subset, &subset->label, 2), "c");
    mxb_dataset_free(subset);
    OK(mxb_dataset_read(view, 0, 0, 3, values, &error), error);
    CHECK(values[0] == 0 && isnan(values[1]) && values[2] == 2);
    CHECK_TEXT(mxb__column_text(view, &view->label, 2), "c");
    mxb_dataset_free(view);
}

static void knows_which_values_are_floats(void) {
    static const int narrow[] = {
        [MXB_FLOAT32] = 1, [MXB_FLOAT64] = 0, [MXB_INT8] = 1,   [MXB_INT16] = 1,  [MXB_INT32] = 0, [MXB_INT64] = 0,
        [MXB_UINT8] = 1,   [MXB_UINT16] = 1,  [MXB_UINT32] = 0, [MXB_UINT64] = 0, [MXB_BOOL] = 1};
    for (int type = MXB_FLOAT32; type <= MXB_BOOL; type++) {
        struct column column = {.type = (mxb_type)type};
        CHECK_INT(mxb__column_is_narrow(&column), narrow[type]);
        double number;
        column.numbers = &number;
        column.n_texts = (size_t)1 << 24; /* the last rank is a float */
        CHECK(mxb__column_is_narrow(&column));
        column.n_texts += 2;
        CHECK(!mxb__column_is_narrow(&column));
    }
}

int main(void) {
    RUN(reads_codes_of_every_type);
    RUN(knows_the_text_of_a_row);
    RUN(finds_no_text_among_numbers);
    RUN(follows_a_dictionary);
    RUN(adds_text_columns);
    RUN(refuses_wrong_texts);
    RUN(selections_keep_texts);
    RUN(knows_which_values_are_floats);
    return check_report();
}
