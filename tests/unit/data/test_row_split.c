/* Random splits: sizes, membership by random bits, proportions by label, repeatability. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "data/dataset.h"

static mxb_error error;

enum { MOST_ROWS = 5000 };

static double identity[MOST_ROWS];
static double labels[MOST_ROWS];

/* Row i has feature i and label labels[i]. */
static mxb_dataset *dataset_of(size_t n_rows) {
    mxb_dataset *dataset;
    for (size_t i = 0; i < n_rows; i++) {
        identity[i] = (double)i;
    }
    if (mxb_dataset_create(n_rows, &dataset, &error) != MXB_OK ||
        mxb_dataset_add_column(dataset, "row", identity, sizeof(double), MXB_FLOAT64, &error) != MXB_OK ||
        mxb_dataset_set_label(dataset, labels, sizeof(double), MXB_FLOAT64, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return dataset;
}

static size_t row_at(const mxb_dataset *part, size_t i) {
    double value;
    mxb__column_read(part, &part->columns[0], i, 1, &value);
    return (size_t)value;
}

/* Both parts ascend and together are the n rows, each once. */
static void check_partition(const mxb_dataset *first, const mxb_dataset *second, size_t n_rows) {
    size_t i = 0;
    size_t j = 0;
    REQUIRE(mxb_dataset_n_rows(first) + mxb_dataset_n_rows(second) == n_rows);
    for (size_t row = 0; row < n_rows; row++) {
        if (i < mxb_dataset_n_rows(first) && row_at(first, i) == row) {
            i++;
        } else {
            REQUIRE(j < mxb_dataset_n_rows(second) && row_at(second, j) == row);
            j++;
        }
    }
}

static size_t n_with_label(const mxb_dataset *part, double label) {
    size_t n = 0;
    for (size_t i = 0; i < mxb_dataset_n_rows(part); i++) {
        double value;
        mxb__column_read(part, &part->label, i, 1, &value);
        n += value == label;
    }
    return n;
}

static void has_the_size_asked_for(void) {
    static const struct {
        size_t n_rows;
        double fraction;
        size_t n_second;
    } cases[] = {{2, 0.5, 1},   {2, 1e-300, 1}, {2, 0.9999, 1}, {3, 0.5, 2},      {10, 0.2, 2},     {10, 0.25, 3},
                 {10, 0.01, 1}, {10, 0.99, 9},  {99, 0.1, 10},  {1025, 0.2, 205}, {5000, 0.5, 2500}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mxb_dataset *dataset = dataset_of(cases[i].n_rows);
        mxb_dataset *first;
        mxb_dataset *second;
        OK(mxb_dataset_split(dataset, cases[i].fraction, 0, 42, &first, &second, &error), error);
        CHECK_INT(mxb_dataset_n_rows(second), cases[i].n_second);
        check_partition(first, second, cases[i].n_rows);
        mxb_dataset_free(dataset);
        CHECK_TEXT(mxb_dataset_feature_name(second, 0), "row");
        mxb_dataset_free(first);
        mxb_dataset_free(second);
    }
}

/* The second part is the rows with the smallest random bits: an oracle by counting. */
static void follows_the_random_bits(void) {
    enum { N = 800 };
    struct random_stream stream = mxb__random_stream(7, RANDOM_SPLIT_ROWS, 0);
    mxb_dataset *dataset = dataset_of(N);
    mxb_dataset *first;
    mxb_dataset *second;
    int n_wrong = 0;
    OK(mxb_dataset_split(dataset, 0.3, 0, 7, &first, &second, &error), error);
    for (size_t i = 0; i < mxb_dataset_n_rows(second); i++) {
        uint64_t bits = mxb__random_bits(stream, row_at(second, i));
        size_t n_smaller = 0;
        for (uint64_t row = 0; row < N; row++) {
            n_smaller += mxb__random_bits(stream, row) < bits;
        }
        n_wrong += n_smaller >= 240;
    }
    CHECK_INT(n_wrong, 0);
    mxb_dataset_free(first);
    mxb_dataset_free(second);
    mxb_dataset_free(dataset);
}

static void depends_on_the_seed_alone(void) {
    mxb_dataset *dataset = dataset_of(1000);
    mxb_dataset *first[3];
    mxb_dataset *second[3];
    size_t n_same = 0;
    for (int i = 0; i < 3; i++) {
        OK(mxb_dataset_split(dataset, 0.5, 0, i == 2 ? 9 : 8, &first[i], &second[i], &error), error);
    }
    CHECK(memcmp(second[0]->rows, second[1]->rows, 500 * sizeof(uint32_t)) == 0);
    for (size_t i = 0, j = 0; i < 500 && j < 500;) {
        n_same += second[0]->rows[i] == second[2]->rows[j];
        if (second[0]->rows[i] < second[2]->rows[j]) {
            i++;
        } else {
            j++;
        }
    }
    CHECK(n_same > 200 && n_same < 300); /* 250 expected, standard deviation 8 */
    for (int i = 0; i < 3; i++) {
        mxb_dataset_free(first[i]);
        mxb_dataset_free(second[i]);
    }
    mxb_dataset_free(dataset);
}

static void splits_selections(void) {
    size_t rows[100];
    mxb_dataset *dataset = dataset_of(400);
    mxb_dataset *selection;
    mxb_dataset *first;
    mxb_dataset *second;
    for (size_t i = 0; i < 100; i++) {
        rows[i] = 399 - 4 * i;
    }
    OK(mxb_dataset_select(dataset, rows, 100, &selection, &error), error);
    OK(mxb_dataset_split(selection, 0.4, 0, 1, &first, &second, &error), error);
    size_t i = 0;
    size_t j = 0;
    for (size_t k = 0; k < 100; k++) { /* the selection's order is kept */
        if (i < 60 && row_at(first, i) == rows[k]) {
            i++;
        } else {
            REQUIRE(j < 40 && row_at(second, j) == rows[k]);
            j++;
        }
    }
    mxb_dataset_free(first);
    mxb_dataset_free(second);
    mxb_dataset_free(selection);
    mxb_dataset_free(dataset);
}

/* Sizes by largest remainder, against shares worked out by hand. */
static void stratifies(void) {
    static const struct {
        size_t counts[3]; /* rows with label -1, 0.5, 7 */
        double fraction;
        size_t seconds[3];
    } cases[] = {
        {{50, 30, 20}, 0.2, {10, 6, 4}},
        {{90, 9, 1}, 0.1, {9, 1, 0}},
        {{5, 5, 0}, 0.3, {2, 1, 0}}, /* equal remainders: the smaller label */
        {{7, 7, 7}, 0.5, {4, 4, 3}},
        {{3, 2, 2}, 0.9, {2, 1, 1}}, /* 6 wanted, but each keeps a row */
        {{4, 1, 1}, 0.5, {2, 1, 0}},
        {{100, 2, 2}, 0.01, {1, 0, 0}},
        {{1000, 1000, 3000}, 0.25, {250, 250, 750}},
    };
    static const double values[] = {-1, 0.5, 7};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t n = 0;
        mxb_dataset *first;
        mxb_dataset *second;
        size_t left[3];
        memcpy(left, cases[c].counts, sizeof left);
        while (left[0] + left[1] + left[2] > 0) { /* interleaved */
            size_t k = (n * 7 + n / 3) % 3;
            while (left[k] == 0) {
                k = (k + 1) % 3;
            }
            labels[n++] = values[k];
            left[k]--;
        }
        mxb_dataset *dataset = dataset_of(n);
        OK(mxb_dataset_split(dataset, cases[c].fraction, 1, 5, &first, &second, &error), error);
        check_partition(first, second, n);
        for (size_t k = 0; k < 3; k++) {
            CHECK_INT(n_with_label(second, values[k]), cases[c].seconds[k]);
            CHECK_INT(n_with_label(first, values[k]), cases[c].counts[k] - cases[c].seconds[k]);
        }
        mxb_dataset_free(first);
        mxb_dataset_free(second);
        mxb_dataset_free(dataset);
    }
}

static void refuses_what_cannot_be_split(void) {
    mxb_dataset *first;
    mxb_dataset *second;
    static const double fractions[] = {0, 1, -0.5, 1.5, NAN, INFINITY};
    static const char *const texts[] = {"0", "1", "-0.5", "1.5", "nan", "inf"};
    for (size_t i = 0; i < 10; i++) {
        labels[i] = (double)i;
    }
    mxb_dataset *dataset = dataset_of(10);
    for (size_t i = 0; i < 6; i++) {
        char expected[80];
        snprintf(expected, sizeof expected, "fraction is %s; it must be over 0 and below 1", texts[i]);
        FAILS(mxb_dataset_split(dataset, fractions[i], 0, 1, &first, &second, &error), error, MXB_ERROR_PARAM,
              expected);
    }
    FAILS(mxb_dataset_split(dataset, 0.5, 1, 1, &first, &second, &error), error, MXB_ERROR_DATA,
          "a stratified split needs labels that repeat: at most 4096 values, and half as many as rows; the 10 rows "
          "have more");
    CHECK(first == NULL && second == NULL);
    labels[3] = NAN;
    FAILS(mxb_dataset_split(dataset, 0.5, 1, 1, &first, &second, &error), error, MXB_ERROR_DATA,
          "row 4 has no label: a stratified split needs all of them");
    FAILS(mxb_dataset_split(dataset, 0.5, 0, 1, NULL, &second, &error), error, MXB_ERROR_PARAM, "first is NULL");
    FAILS(mxb_dataset_split(dataset, 0.5, 0, 1, &first, NULL, &error), error, MXB_ERROR_PARAM, "second is NULL");
    FAILS(mxb_dataset_split(NULL, 0.5, 0, 1, &first, &second, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    dataset->label.data = NULL;
    FAILS(mxb_dataset_split(dataset, 0.5, 1, 1, &first, &second, &error), error, MXB_ERROR_PARAM,
          "the dataset has no label, which a stratified split needs");
    mxb_dataset_free(dataset);
    dataset = dataset_of(1);
    FAILS(mxb_dataset_split(dataset, 0.5, 0, 1, &first, &second, &error), error, MXB_ERROR_DATA,
          "a dataset of one row cannot be split");
    mxb_dataset_free(dataset);
}

static void survives_every_failing_allocation(void) {
    mxb_dataset *first;
    mxb_dataset *second;
    uint64_t n;
    for (size_t i = 0; i < 100; i++) {
        labels[i] = (double)(i % 40);
    }
    mxb_dataset *dataset = dataset_of(100);
    for (n = 1; n < 100; n++) {
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb_dataset_split(dataset, 0.5, 1, 1, &first, &second, NULL);
        mxb__memory_fail_at(0, 0);
        if (status == MXB_OK) {
            break;
        }
        CHECK_INT(status, MXB_ERROR_MEMORY);
        CHECK(first == NULL && second == NULL);
    }
    CHECK(n > 8 && n < 100);
    mxb_dataset_free(first);
    mxb_dataset_free(second);
    mxb_dataset_free(dataset);
}

int main(void) {
    RUN(has_the_size_asked_for);
    RUN(follows_the_random_bits);
    RUN(depends_on_the_seed_alone);
    RUN(splits_selections);
    RUN(stratifies);
    RUN(refuses_what_cannot_be_split);
    RUN(survives_every_failing_allocation);
    return check_report();
}
