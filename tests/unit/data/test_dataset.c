/* The view: every type, stride, bitmap and selection read right, and every wrong description refused. */
#include "data/dataset.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

static mxb_error error;

static mxb_dataset *dataset_of(size_t n_rows) {
    mxb_dataset *dataset;
    if (mxb_dataset_create(n_rows, &dataset, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return dataset;
}

static int same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* ---- Reading ---- */

enum { ROWS = 37 };

/* What a value of each type is, from random bits; writes it at any address. */
static double store(mxb_type type, uint64_t bits, char *at) {
#define STORE(value_type)                \
    do {                                 \
        value_type v = (value_type)bits; \
        memcpy(at, &v, sizeof v);        \
        return (double)v;                \
    } while (0)
    switch (type) {
        case MXB_FLOAT32: {
            float v = bits % 7 == 0 ? NAN : (float)(int32_t)bits / 8;
            memcpy(at, &v, sizeof v);
            return (double)v;
        }
        case MXB_FLOAT64: {
            double v = bits % 7 == 0 ? NAN : (double)(int64_t)bits / 8;
            memcpy(at, &v, sizeof v);
            return v;
        }
        case MXB_INT8:
            STORE(int8_t);
        case MXB_INT16:
            STORE(int16_t);
        case MXB_INT32:
            STORE(int32_t);
        case MXB_INT64:
            STORE(int64_t);
        case MXB_UINT8:
            STORE(uint8_t);
        case MXB_UINT16:
            STORE(uint16_t);
        case MXB_UINT32:
            STORE(uint32_t);
        case MXB_UINT64:
            STORE(uint64_t);
        case MXB_BOOL: {
            uint8_t v = bits % 2 == 0 ? 0 : (uint8_t)(bits >> 8);
            memcpy(at, &v, sizeof v);
            return v != 0 ? 1 : 0;
        }
    }
    return NAN;
}

/* Reads of any block, through rows or not, must give `expected`. */
static void check_reads(const mxb_dataset *dataset, const struct column *column, const double *expected) {
    int n_wrong = 0;
    for (size_t first = 0; first < dataset->n_rows; first++) {
        for (size_t n = 0; first + n <= dataset->n_rows; n += 1 + n / 3) {
            double values[ROWS];
            mxb__column_read(dataset, column, first, n, values);
            for (size_t i = 0; i < n; i++) {
                n_wrong += !same(values[i], expected[first + i]);
            }
        }
    }
    CHECK_INT(n_wrong, 0);
}

static void reads_every_type_stride_and_offset(void) {
    static const ptrdiff_t strides[] = {0, 1, 3, 4, 8, 9, 16, -1, -8, -11};
    struct random_stream stream = mxb__random_stream(1, RANDOM_ROWS, 0);
    uint64_t next = 0;
    for (int type = MXB_FLOAT32; type <= MXB_BOOL; type++) {
        for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
            static const size_t sizes[] = {0, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
            ptrdiff_t stride = strides[s];
            char buffer[2 * ROWS * 16 + 32];
            double expected[ROWS];
            if (stride != 0 && (size_t)(stride < 0 ? -stride : stride) < sizes[type]) {
                continue; /* values would overlap */
            }
            char *origin = buffer + 1 + (stride < 0 ? ROWS * 16 : 0); /* unaligned */
            for (size_t i = 0; i < ROWS; i++) {
                expected[i] = store((mxb_type)type, mxb__random_bits(stream, next++), origin + (ptrdiff_t)i * stride);
            }
            for (size_t i = 0; stride == 0 && i < ROWS; i++) {
                expected[i] = expected[ROWS - 1];
            }
            mxb_dataset *dataset = dataset_of(ROWS);
            OK(mxb_dataset_add_column(dataset, NULL, origin, stride, (mxb_type)type, &error), error);
            check_reads(dataset, &dataset->columns[0], expected);
            CHECK(same(mxb__column_value(&dataset->columns[0], 5), expected[5]));
            static const size_t rows[] = {36, 0, 7, 7, 3};
            double chosen[5];
            mxb_dataset *subset;
            OK(mxb_dataset_select(dataset, rows, 5, &subset, &error), error);
            for (size_t i = 0; i < 5; i++) {
                chosen[i] = expected[rows[i]];
            }
            mxb_dataset_free(dataset); /* the subset stands on its own */
            check_reads(subset, &subset->columns[0], chosen);
            mxb_dataset_free(subset);
        }
    }
}

static void applies_validity(void) {
    double x[ROWS];
    double expected[ROWS];
    uint8_t bitmap[(ROWS + 11) / 8 + 1];
    for (size_t i = 0; i < sizeof bitmap; i++) {
        bitmap[i] = (uint8_t)(0x6D * (i + 1));
    }
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (double)i;
        expected[i] = (bitmap[(i + 11) / 8] >> ((i + 11) % 8) & 1) != 0 ? x[i] : NAN;
    }
    mxb_dataset *dataset = dataset_of(ROWS);
    OK(mxb_dataset_add_column(dataset, "a", x, sizeof *x, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_column(dataset, "b", x, sizeof *x, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_set_validity(dataset, 1, bitmap, 11, &error), error);
    check_reads(dataset, &dataset->columns[0], x);
    check_reads(dataset, &dataset->columns[1], expected);
    CHECK(same(mxb__column_value(&dataset->columns[1], 20), expected[20]));
    static const size_t rows[] = {30, 1, 2, 3, 4, 5, 6};
    double chosen[7];
    mxb_dataset *subset;
    OK(mxb_dataset_select(dataset, rows, 7, &subset, &error), error);
    for (size_t i = 0; i < 7; i++) {
        chosen[i] = expected[rows[i]];
    }
    check_reads(subset, &subset->columns[1], chosen);
    FAILS(mxb_dataset_set_validity(dataset, 2, bitmap, 0, &error), error, MXB_ERROR_PARAM,
          "column is 2; the dataset has 2 features, counted from 0");
    FAILS(mxb_dataset_set_validity(dataset, 0, NULL, 0, &error), error, MXB_ERROR_PARAM, "data is NULL");
    FAILS(mxb_dataset_set_validity(dataset, 0, bitmap, SIZE_MAX - 5, &error), error, MXB_ERROR_PARAM,
          "bit_offset is 18446744073709551610; that is too large for 37 rows");
    mxb_dataset_free(subset);
    mxb_dataset_free(dataset);
}

static void adds_matrices(void) {
    float x[6][4];
    double expected[6];
    for (int i = 0; i < 24; i++) {
        x[i / 4][i % 4] = (float)i;
    }
    mxb_dataset *dataset = dataset_of(6);
    OK(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT32, 4, sizeof x[0], sizeof(float), &error), error);
    OK(mxb_dataset_add_matrix(dataset, x[5], MXB_FLOAT32, 2, -(ptrdiff_t)sizeof x[0], 2 * sizeof(float), &error),
       error);
    CHECK_INT(mxb_dataset_n_features(dataset), 6);
    for (size_t j = 0; j < 4; j++) {
        for (size_t i = 0; i < 6; i++) {
            expected[i] = (double)x[i][j];
        }
        check_reads(dataset, &dataset->columns[j], expected);
    }
    for (size_t i = 0; i < 6; i++) {
        expected[i] = (double)x[5 - i][2];
    }
    check_reads(dataset, &dataset->columns[5], expected);
    FAILS(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT32, 0, 4, 4, &error), error, MXB_ERROR_PARAM,
          "n_columns is 0; it must be at least 1");
    FAILS(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT32, 3, 4, PTRDIFF_MAX, &error), error, MXB_ERROR_PARAM,
          "a column stride of 9223372036854775807 bytes is too large for 3 columns");
    FAILS(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT32, MXB__MAX_COLUMNS - 5, 4, 0, &error), error, MXB_ERROR_PARAM,
          "a dataset has at most 1048576 features; 6 and 1048571 more are too many");
    CHECK_INT(mxb_dataset_n_features(dataset), 6);
    OK(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT32, MXB__MAX_COLUMNS - 6, 4, 0, &error), error);
    mxb_dataset_free(dataset);
}

/* ---- Refusing ---- */

static void refuses_wrong_arguments(void) {
    double x[2] = {1, 2};
    mxb_dataset *dataset;
    FAILS(mxb_dataset_create(0, &dataset, &error), error, MXB_ERROR_PARAM, "n_rows is 0; it must be 1 to 4294967295");
    CHECK(dataset == NULL);
    FAILS(mxb_dataset_create((size_t)1 << 32, &dataset, &error), error, MXB_ERROR_PARAM,
          "n_rows is 4294967296; it must be 1 to 4294967295");
    FAILS(mxb_dataset_create(1, NULL, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    dataset = dataset_of(2);
    FAILS(mxb_dataset_add_column(NULL, NULL, x, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    FAILS(mxb_dataset_add_column(dataset, NULL, NULL, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM, "data is NULL");
    FAILS(mxb_dataset_add_column(dataset, NULL, x, 8, (mxb_type)12, &error), error, MXB_ERROR_PARAM,
          "type is 12; it must be one of mxb_type, 1 to 11");
    FAILS(mxb_dataset_add_matrix(dataset, x, (mxb_type)0, 1, 8, 8, &error), error, MXB_ERROR_PARAM,
          "type is 0; it must be one of mxb_type, 1 to 11");
    FAILS(mxb_dataset_set_label(dataset, NULL, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM, "data is NULL");
    FAILS(mxb_dataset_set_weight(dataset, x, 8, (mxb_type)99, &error), error, MXB_ERROR_PARAM,
          "type is 99; it must be one of mxb_type, 1 to 11");
    mxb_dataset_free(dataset);
    dataset = dataset_of(3);
    FAILS(mxb_dataset_set_label(dataset, x, PTRDIFF_MIN, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM,
          "a stride of -9223372036854775808 bytes is too large for 3 rows");
    CHECK_INT(mxb_dataset_n_features(dataset), 0);
    CHECK(dataset->label.data == NULL);
    mxb_dataset_free(dataset);
    CHECK_INT(mxb_dataset_n_rows(NULL), 0);
    CHECK_INT(mxb_dataset_n_features(NULL), 0);
    CHECK(mxb_dataset_feature_name(NULL, 0) == NULL);
    mxb_dataset_free(NULL);
}

static void keeps_names_complete_and_different(void) {
    double x[1] = {1};
    char name[] = "price";
    mxb_dataset *dataset = dataset_of(1);
    OK(mxb_dataset_add_column(dataset, name, x, 8, MXB_FLOAT64, &error), error);
    name[0] = '#'; /* it was copied */
    CHECK_TEXT(mxb_dataset_feature_name(dataset, 0), "price");
    FAILS(mxb_dataset_add_column(dataset, NULL, x, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM,
          "feature 2 has no name, but the features before it have");
    FAILS(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT64, 1, 8, 8, &error), error, MXB_ERROR_PARAM,
          "feature 2 has no name, but the features before it have");
    OK(mxb_dataset_add_column(dataset, "b", x, 8, MXB_FLOAT64, &error), error);
    FAILS(mxb_dataset_add_column(dataset, "price", x, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM,
          "features 1 and 3 have the same name \"price\"");
    CHECK_INT(mxb_dataset_n_features(dataset), 2);
    CHECK(mxb_dataset_feature_name(dataset, 2) == NULL);
    char *longest = malloc(MXB__MAX_FEATURE_NAME + 2);
    REQUIRE(longest != NULL);
    memset(longest, 'a', MXB__MAX_FEATURE_NAME + 1);
    longest[MXB__MAX_FEATURE_NAME + 1] = '\0';
    FAILS(mxb_dataset_add_column(dataset, longest, x, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM,
          "the name of feature 3 has 65536 bytes; at most 65535 are allowed");
    OK(mxb_dataset_add_column(dataset, longest + 1, x, 8, MXB_FLOAT64, &error), error);
    free(longest);
    mxb_dataset_free(dataset);
    dataset = dataset_of(1);
    OK(mxb_dataset_add_column(dataset, NULL, x, 8, MXB_FLOAT64, &error), error);
    FAILS(mxb_dataset_add_column(dataset, "late", x, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM,
          "feature 2 has the name \"late\", but the features before it have none");
    mxb_dataset_free(dataset);
}

/* Quadratic time would take minutes here. */
static void takes_many_named_columns(void) {
    enum { MANY = 100000 };
    double x[1] = {1};
    mxb_dataset *dataset = dataset_of(1);
    char name[16];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "f%d", i);
        OK(mxb_dataset_add_column(dataset, name, x, 8, MXB_FLOAT64, &error), error);
    }
    FAILS(mxb_dataset_add_column(dataset, "f77", x, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM,
          "features 78 and 100001 have the same name \"f77\"");
    mxb_dataset_free(dataset);
}

static void checks_features_against_a_model(void) {
    double x[1] = {1};
    char a[] = "a", b[] = "b", c[] = "c";
    char *names[] = {a, b};
    char *others[] = {a, c};
    mxb_dataset *named = dataset_of(1);
    mxb_dataset *unnamed = dataset_of(1);
    OK(mxb_dataset_add_column(named, "a", x, 8, MXB_FLOAT64, &error), error);
    FAILS(mxb__dataset_check_features(named, names, 2, "the model", &error), error, MXB_ERROR_PARAM,
          "the dataset has 1 feature, the model has 2");
    OK(mxb_dataset_add_column(named, "b", x, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_matrix(unnamed, x, MXB_FLOAT64, 2, 8, 0, &error), error);
    CHECK_INT(mxb__dataset_check_features(named, names, 2, "the model", &error), MXB_OK);
    CHECK_INT(mxb__dataset_check_features(named, NULL, 2, "the model", &error), MXB_OK);
    CHECK_INT(mxb__dataset_check_features(unnamed, names, 2, "the model", &error), MXB_OK);
    FAILS(mxb__dataset_check_features(named, others, 2, "the model", &error), error, MXB_ERROR_PARAM,
          "feature 2 of the dataset is \"b\", that of the model is \"c\"");
    FAILS(mxb__dataset_check_features(unnamed, NULL, 3, "the training data", &error), error, MXB_ERROR_PARAM,
          "the dataset has 2 features, the training data has 3");
    mxb_dataset_free(named);
    mxb_dataset_free(unnamed);
}

/* ---- Reading for callers ---- */

static void reads_ranges(void) {
    double x[3] = {1, 2, 3};
    double values[3];
    static const size_t rows[] = {2, 0};
    mxb_dataset *dataset = dataset_of(3), *subset;
    OK(mxb_dataset_add_column(dataset, NULL, x, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_read(dataset, 0, 1, 2, values, &error), error);
    CHECK(values[0] == 2 && values[1] == 3);
    OK(mxb_dataset_read(dataset, 0, 3, 0, values, &error), error);
    OK(mxb_dataset_select(dataset, rows, 2, &subset, &error), error);
    OK(mxb_dataset_read(subset, 0, 0, 2, values, &error), error);
    CHECK(values[0] == 3 && values[1] == 1);
    FAILS(mxb_dataset_read(subset, 0, 1, 2, values, &error), error, MXB_ERROR_PARAM,
          "2 rows from 1 on; the dataset has 2 rows, counted from 0");
    FAILS(mxb_dataset_read(subset, 0, 3, 0, values, &error), error, MXB_ERROR_PARAM,
          "0 rows from 3 on; the dataset has 2 rows, counted from 0");
    FAILS(mxb_dataset_read(subset, 1, 0, 1, values, &error), error, MXB_ERROR_PARAM,
          "column is 1; the dataset has 1 features, counted from 0");
    FAILS(mxb_dataset_read(subset, 0, 0, 1, NULL, &error), error, MXB_ERROR_PARAM, "values is NULL");
    FAILS(mxb_dataset_read(NULL, 0, 0, 1, values, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    mxb_dataset_free(dataset);
    mxb_dataset_free(subset);
}

/* ---- Selecting ---- */

static void selects_of_selections(void) {
    double x[10], y[10], w[10];
    mxb_dataset *dataset = dataset_of(10);
    mxb_dataset *odd;
    mxb_dataset *few;
    for (int i = 0; i < 10; i++) {
        x[i] = i;
        y[i] = 100 + i;
        w[i] = 200 + i;
    }
    OK(mxb_dataset_add_column(dataset, "x", x, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_set_label(dataset, y, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_set_weight(dataset, w, 8, MXB_FLOAT64, &error), error);
    static const size_t odd_rows[] = {9, 7, 5, 3, 1};
    static const size_t few_rows[] = {4, 0, 0};
    OK(mxb_dataset_select(dataset, odd_rows, 5, &odd, &error), error);
    OK(mxb_dataset_select(odd, few_rows, 3, &few, &error), error);
    FAILS(mxb_dataset_add_column(odd, "z", x, 8, MXB_FLOAT64, &error), error, MXB_ERROR_PARAM,
          "the dataset is a selection of another one's rows and cannot be added to");
    static const size_t bad_rows[] = {0, 5};
    mxb_dataset *none;
    FAILS(mxb_dataset_select(odd, bad_rows, 2, &none, &error), error, MXB_ERROR_PARAM,
          "rows[1] is 5; the dataset has 5 rows, counted from 0");
    FAILS(mxb_dataset_select(odd, bad_rows, 0, &none, &error), error, MXB_ERROR_PARAM,
          "n_rows is 0; it must be 1 to 4294967295");
    FAILS(mxb_dataset_select(NULL, bad_rows, 1, &none, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    FAILS(mxb_dataset_select(odd, NULL, 1, &none, &error), error, MXB_ERROR_PARAM, "rows is NULL");
    FAILS(mxb_dataset_select(odd, bad_rows, 1, NULL, &error), error, MXB_ERROR_PARAM, "subset is NULL");
    CHECK(none == NULL);
    mxb_dataset_free(dataset);
    mxb_dataset_free(odd);
    CHECK_INT(mxb_dataset_n_rows(few), 3);
    CHECK_TEXT(mxb_dataset_feature_name(few, 0), "x");
    static const double xs[] = {1, 9, 9}, ys[] = {101, 109, 109}, ws[] = {201, 209, 209};
    check_reads(few, &few->columns[0], xs);
    check_reads(few, &few->label, ys);
    check_reads(few, &few->weight, ws);
    mxb_dataset_free(few);
}

/* ---- Memory ---- */

static mxb_status build_all(const double *x, mxb_dataset **dataset, mxb_dataset **subset) {
    static const size_t rows[] = {1, 0};
    char name[16];
    *subset = NULL;
    MXB_TRY(mxb_dataset_create(2, dataset, NULL));
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "c%d", i);
        MXB_TRY(mxb_dataset_add_column(*dataset, name, x, 8, MXB_FLOAT64, NULL));
    }
    static const int8_t codes[] = {1, 0};
    static const char *const texts[] = {"b", "a"};
    MXB_TRY(mxb_dataset_add_text_column(*dataset, "text", codes, 1, MXB_INT8, texts, 2, NULL));
    MXB_TRY(mxb_dataset_set_text_label(*dataset, codes, 1, MXB_INT8, texts, 2, NULL));
    return mxb_dataset_select(*dataset, rows, 2, subset, NULL);
}

static void survives_every_failing_allocation(void) {
    double x[2] = {1, 2};
    mxb_dataset *dataset = NULL;
    mxb_dataset *subset = NULL;
    uint64_t n;
    for (n = 1; n < 1000; n++) {
        mxb__memory_fail_at(n, 0);
        mxb_status status = build_all(x, &dataset, &subset);
        mxb__memory_fail_at(0, 0);
        mxb_dataset_free(dataset);
        mxb_dataset_free(subset);
        if (status == MXB_OK) {
            break;
        }
        CHECK_INT(status, MXB_ERROR_MEMORY);
        CHECK(subset == NULL);
    }
    CHECK(n > 40 && n < 1000);
    dataset = dataset_of(2);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT64, 5, 8, 0, &error), MXB_ERROR_MEMORY);
    CHECK_INT(mxb_dataset_n_features(dataset), 0);
    mxb_dataset_free(dataset);
}

static void values_can_be_read(void) {
    static const double x[4] = {1, 2, (double)NAN, 4};
    static const int16_t k[4] = {-1, 0, 1, 2};
    static const uint8_t valid[1] = {0x0B};
    static const size_t rows[3] = {3, 2, 0};
    mxb_dataset *dataset = dataset_of(4), *subset;
    double values[4];
    OK(mxb_dataset_add_column(dataset, NULL, x, sizeof *x, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_column(dataset, NULL, k, sizeof *k, MXB_INT16, &error), error);
    OK(mxb_dataset_set_validity(dataset, 1, valid, 0, &error), error);
    OK(mxb_dataset_read(dataset, 0, 0, 4, values, &error), error);
    CHECK(values[0] == 1 && values[1] == 2 && isnan(values[2]) && values[3] == 4);
    OK(mxb_dataset_read(dataset, 1, 1, 3, values, &error), error);
    CHECK(values[0] == 0 && isnan(values[1]) && values[2] == 2);
    values[0] = 77;
    OK(mxb_dataset_read(dataset, 1, 4, 0, values, &error), error); /* no rows, after the last */
    CHECK(values[0] == 77);
    OK(mxb_dataset_select(dataset, rows, 3, &subset, &error), error);
    OK(mxb_dataset_read(subset, 1, 1, 2, values, &error), error);
    CHECK(isnan(values[0]) && values[1] == -1);
    FAILS(mxb_dataset_read(NULL, 0, 0, 1, values, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    FAILS(mxb_dataset_read(dataset, 0, 0, 1, NULL, &error), error, MXB_ERROR_PARAM, "values is NULL");
    FAILS(mxb_dataset_read(dataset, 2, 0, 1, values, &error), error, MXB_ERROR_PARAM,
          "column is 2; the dataset has 2 features, counted from 0");
    FAILS(mxb_dataset_read(dataset, 0, 2, 3, values, &error), error, MXB_ERROR_PARAM,
          "3 rows from 2 on; the dataset has 4 rows, counted from 0");
    CHECK_INT(mxb_dataset_read(dataset, 0, 5, 0, values, &error), MXB_ERROR_PARAM);
    CHECK_INT(mxb_dataset_read(subset, 0, 1, SIZE_MAX, values, &error), MXB_ERROR_PARAM);
    mxb_dataset_free(subset);
    mxb_dataset_free(dataset);
}

int main(void) {
    RUN(reads_every_type_stride_and_offset);
    RUN(applies_validity);
    RUN(adds_matrices);
    RUN(refuses_wrong_arguments);
    RUN(keeps_names_complete_and_different);
    RUN(takes_many_named_columns);
    RUN(checks_features_against_a_model);
    RUN(reads_ranges);
    RUN(selects_of_selections);
    RUN(survives_every_failing_allocation);
    RUN(values_can_be_read);
    return check_report();
}
