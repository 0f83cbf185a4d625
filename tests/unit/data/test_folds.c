/* Folds: every row in one, sizes, labels spread evenly, what the dealing depends on. */
#include "data/folds.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

static mxb_error error;

enum { MOST_ROWS = 6000 };

static double values[MOST_ROWS];
static double weights[MOST_ROWS];
static uint32_t folds[MOST_ROWS];
static uint32_t others[MOST_ROWS];

static struct labels labels_of(size_t n_rows, int weighted) {
    struct labels labels = {.n_rows = n_rows, .values = values, .weights = weighted ? weights : NULL};
    return labels;
}

/* Rows of each fold that have this label and weigh something; NaN: any label and weight. */
static void check_even(const struct labels *labels, size_t n_folds, double label) {
    size_t least = SIZE_MAX;
    size_t most = 0;
    for (size_t fold = 0; fold < n_folds; fold++) {
        size_t n = 0;
        for (size_t i = 0; i < labels->n_rows; i++) {
            int counts =
                isnan(label) || (labels->values[i] == label && (labels->weights == NULL || labels->weights[i] > 0));
            n += folds[i] == fold && counts;
        }
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    CHECK(least >= 1);
    CHECK(most - least <= 1);
}

static void every_row_is_in_one_fold_of_even_size(void) {
    static const size_t cases[][2] = {{2, 2}, {3, 2}, {10, 3}, {11, 11}, {999, 10}, {1000, 1000}, {5003, 5}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t n_rows = cases[c][0];
        struct labels labels = labels_of(n_rows, 0);
        memset(folds, 0xff, sizeof folds);
        OK(mxb__folds_deal(&labels, cases[c][1], 0, 42, 0, folds, &error), error);
        for (size_t i = 0; i < n_rows; i++) {
            REQUIRE(folds[i] < cases[c][1]);
        }
        CHECK(n_rows == MOST_ROWS || folds[n_rows] == UINT32_MAX);
        check_even(&labels, cases[c][1], NAN);
    }
}

/* Row i stands at the place of its random bits among all; the places go round the folds. */
static void follows_the_random_bits(void) {
    enum { N = 700, N_FOLDS = 6 };
    struct labels labels = labels_of(N, 0);
    struct random_stream stream = mxb__random_stream(7, RANDOM_FOLDS, 3);
    int n_wrong = 0;
    OK(mxb__folds_deal(&labels, N_FOLDS, 0, 7, 3, folds, &error), error);
    for (uint64_t i = 0; i < N; i++) {
        size_t n_smaller = 0;
        for (uint64_t j = 0; j < N; j++) {
            n_smaller += mxb__random_bits(stream, j) < mxb__random_bits(stream, i);
        }
        n_wrong += folds[i] != n_smaller % N_FOLDS;
    }
    CHECK_INT(n_wrong, 0);
}

static void depends_on_seed_and_repeat_alone(void) {
    static const uint64_t changed[][2] = {{9, 0}, {8, 1}, {9, 1}, {8, 2}};
    enum { N = 1000 };
    struct labels labels = labels_of(N, 0);
    OK(mxb__folds_deal(&labels, 5, 0, 8, 0, folds, &error), error);
    OK(mxb__folds_deal(&labels, 5, 0, 8, 0, others, &error), error);
    CHECK(memcmp(folds, others, N * sizeof *folds) == 0);
    for (size_t c = 0; c < 4; c++) {
        size_t n_same = 0;
        OK(mxb__folds_deal(&labels, 5, 0, changed[c][0], changed[c][1], others, &error), error);
        for (size_t i = 0; i < N; i++) {
            n_same += folds[i] == others[i];
        }
        CHECK(n_same > 130 && n_same < 270); /* 200 expected, standard deviation 13 */
    }
}

static void spreads_each_label_evenly(void) {
    static const size_t counts[][4] = {{7, 7, 7, 7}, {5, 100, 6, 8}, {1000, 5, 9, 13}, {2501, 1003, 777, 1501}};
    static const double kinds[] = {-3.5, -0.0, 1e-310, 7};
    for (size_t c = 0; c < 4; c++) {
        size_t n = 0;
        size_t left[4];
        memcpy(left, counts[c], sizeof left);
        while (left[0] + left[1] + left[2] + left[3] > 0) { /* interleaved */
            size_t k = (n * 5 + n / 7) % 4;
            while (left[k] == 0) {
                k = (k + 1) % 4;
            }
            values[n] = kinds[k] == 0 && n % 2 == 0 ? 0.0 : kinds[k]; /* -0 and 0 are one label */
            left[k]--;
            n++;
        }
        struct labels labels = labels_of(n, 0);
        OK(mxb__folds_deal(&labels, 5, 1, 11, 0, folds, &error), error);
        check_even(&labels, 5, NAN);
        for (size_t k = 0; k < 4; k++) {
            check_even(&labels, 5, kinds[k]);
        }
        /* Which of a label's rows go where is random too. */
        OK(mxb__folds_deal(&labels, 5, 1, 11, 1, others, &error), error);
        CHECK(memcmp(folds, others, n * sizeof *folds) != 0);
    }
}

/* Rows of weight 0 are dealt, evenly, and have no say: neither in where the others go nor by their labels. */
static void rows_without_weight_have_no_say(void) {
    enum { N = 600, N_FOLDS = 4 };
    static uint32_t of_the_rest[N];
    for (int stratify = 0; stratify <= 1; stratify++) {
        size_t n_rest = 0;
        for (size_t i = 0; i < N; i++) {
            weights[i] = i % 3 == 1 ? 0 : 0.5 + (double)i;
            values[i] = i % 3 == 1 ? (double)i : (double)(i % 2);
        }
        struct labels labels = labels_of(N, 1);
        OK(mxb__folds_deal(&labels, N_FOLDS, stratify, 5, 0, folds, &error), error);
        check_even(&labels, N_FOLDS, NAN);
        for (int label = 0; label <= stratify; label++) {
            check_even(&labels, N_FOLDS, stratify ? (double)label : (double)NAN);
        }
        for (size_t i = 0; i < N; i++) {
            if (weights[i] > 0) {
                values[n_rest] = values[i];
                of_the_rest[n_rest++] = folds[i];
            }
        }
        labels = labels_of(n_rest, 0);
        OK(mxb__folds_deal(&labels, N_FOLDS, stratify, 5, 0, others, &error), error);
        CHECK(memcmp(of_the_rest, others, n_rest * sizeof *others) == 0);
    }
}

static void refuses_what_cannot_be_dealt(void) {
    for (size_t i = 0; i < 10; i++) {
        values[i] = i < 3 ? -0.25 : 6;
        weights[i] = i < 4 ? 1 : 0;
    }
    struct labels labels = labels_of(10, 0);
    FAILS(mxb__folds_deal(&labels, 11, 0, 1, 0, folds, &error), error, MXB_ERROR_DATA,
          "11 folds need at least as many rows; the data has 10");
    FAILS(mxb__folds_deal(&labels, 4, 1, 1, 0, folds, &error), error, MXB_ERROR_DATA,
          "label -0.25 has 3 rows; 4 stratified folds need at least 4 of each label");
    CHECK_INT(mxb__folds_deal(&labels, 3, 1, 1, 0, folds, &error), MXB_OK);
    labels = labels_of(10, 1);
    FAILS(mxb__folds_deal(&labels, 5, 0, 1, 0, folds, &error), error, MXB_ERROR_DATA,
          "5 folds need at least as many rows; the data has 4 that weigh anything");
    FAILS(mxb__folds_deal(&labels, 2, 1, 1, 0, folds, &error), error, MXB_ERROR_DATA,
          "label 6 has 1 row; 2 stratified folds need at least 2 of each label");
}

/* A selection of a selection still reads the arrays' own rows. */
static void selects_a_fold_or_the_others(void) {
    enum { N = 7 };
    static const double column[N] = {0, 1, 2, 3, 4, 5, 6};
    static const uint32_t fold_of_row[N] = {1, 0, 1, 1, 2, 0, 1};
    static const uint32_t fold_of_others[] = {0, 1, 0}; /* of rows 1, 4 and 5 */
    mxb_dataset *all, *fold, *rest, *part;
    OK(mxb_dataset_create(N, &all, &error), error);
    OK(mxb_dataset_add_column(all, "x", column, sizeof *column, MXB_FLOAT64, &error), error);
    OK(mxb__folds_select(all, fold_of_row, 1, 0, &fold, &error), error);
    OK(mxb__folds_select(all, fold_of_row, 1, 1, &rest, &error), error);
    OK(mxb__folds_select(rest, fold_of_others, 0, 0, &part, &error), error);
    static const uint32_t of_fold[] = {0, 2, 3, 6}, of_rest[] = {1, 4, 5}, of_part[] = {1, 5};
    REQUIRE(fold->n_rows == 4 && rest->n_rows == 3 && part->n_rows == 2);
    CHECK(memcmp(fold->rows, of_fold, sizeof of_fold) == 0);
    CHECK(memcmp(rest->rows, of_rest, sizeof of_rest) == 0);
    CHECK(memcmp(part->rows, of_part, sizeof of_part) == 0);
    mxb_dataset_free(part);
    mxb_dataset_free(rest);
    mxb_dataset_free(fold);
    mxb_dataset_free(all);
}

static void survives_every_failing_allocation(void) {
    uint64_t n;
    struct labels labels = labels_of(10, 0);
    for (n = 1; n < 20; n++) {
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb__folds_deal(&labels, 2, 1, 1, 0, folds, NULL);
        mxb__memory_fail_at(0, 0);
        if (status == MXB_OK) {
            break;
        }
        CHECK_INT(status, MXB_ERROR_MEMORY);
    }
    CHECK_INT(n, 5);
}

int main(void) {
    RUN(every_row_is_in_one_fold_of_even_size);
    RUN(follows_the_random_bits);
    RUN(depends_on_seed_and_repeat_alone);
    RUN(spreads_each_label_evenly);
    RUN(rows_without_weight_have_no_say);
    RUN(refuses_what_cannot_be_dealt);
    RUN(selects_a_fold_or_the_others);
    RUN(survives_every_failing_allocation);
    return check_report();
}
