#include "data/distinct.h"

#include <float.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"

static const struct random_stream RANDOM = {0x64697374};

enum { MAX = 3000 };

static uint64_t keys[2][MAX], spare_keys[2][MAX];
static uint32_t rows[2][MAX], spare_rows[2][MAX];
static double sums[2][MAX];

/* `slot` keeps two results apart. */
static struct distinct find(const double *values, const double *weights, size_t n, int slot) {
    struct distinct_scratch scratch = {keys[slot], spare_keys[slot], NULL, NULL, sums[slot], 0};
    if (weights != NULL) {
        scratch.rows = rows[slot];
        scratch.spare_rows = spare_rows[slot];
    }
    return mxb__distinct_find(values, weights, n, &scratch);
}

/* Looks for every found value among the rows, and the other way round. */
static void check_against_naive(const double *values, const double *weights, size_t n) {
    struct distinct found = find(values, weights, n, 0);
    size_t n_wrong = 0;
    size_t n_counted = 0;
    for (size_t k = 0; k < found.n; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            if (values[i] == found.values[k]) {
                sum += weights == NULL ? 1 : weights[i];
                n_counted++;
            }
        }
        n_wrong += sum != found.weights[k];
        n_wrong += k > 0 && !(found.values[k - 1] < found.values[k]);
        n_wrong += found.values[k] == 0 && signbit(found.values[k]);
    }
    size_t n_present = 0;
    for (size_t i = 0; i < n; i++) {
        n_present += isnan(values[i]) ? 0 : 1;
    }
    CHECK_INT(n_wrong, 0);
    CHECK_INT(n_counted, n_present);
}

static double make_value(uint64_t i, int kind) {
    static const double special[] = {-INFINITY, -DBL_MAX,  -0x1p-1074, -0.0, 0.0,  0x1p-1074,
                                     1,         1 + 1e-15, DBL_MAX,    NAN,  -NAN, INFINITY};
    switch (kind) {
        case 0:
            return mxb__random_normal(RANDOM, i);
        case 1:
            return rint(5 * mxb__random_normal(RANDOM, i));
        case 2:
            return special[mxb__random_bits(RANDOM, i) % 12];
        case 3:
            return NAN;
        default:
            return 3.25;
    }
}

static void finds_values_and_weights(void) {
    double values[1000];
    double weights[1000];
    for (int kind = 0; kind < 5; kind++) {
        for (size_t n = 0; n <= 1000; n = n * 3 + 1) {
            for (size_t i = 0; i < n; i++) {
                values[i] = make_value(i, kind);
                weights[i] = exp(6 * mxb__random_normal(RANDOM, 5000 + i));
            }
            check_against_naive(values, NULL, n);
            check_against_naive(values, weights, n);
        }
    }
    values[0] = NAN;
    CHECK_INT(find(values, NULL, 1, 0).n, 0);
    CHECK_INT(find(values, NULL, 0, 0).n, 0);
}

/* Row i with weight k_i, and k_i copies of row i, anywhere: exactly the same. */
static void weight_k_is_k_copies(void) {
    double values[500], weights[500], copies[MAX], ones[MAX];
    size_t n_copies = 0;
    for (size_t i = 0; i < 500; i++) {
        values[i] = make_value(i, i % 2 == 0 ? 1 : 2);
        size_t k = 1 + (size_t)(mxb__random_bits(RANDOM, 9000 + i) % 5);
        weights[i] = (double)k;
        for (size_t j = 0; j < k; j++) {
            copies[n_copies++] = values[i];
        }
    }
    for (size_t i = n_copies - 1; i > 0; i--) { /* shuffled */
        size_t j = (size_t)(mxb__random_bits(RANDOM, 20000 + i) % (i + 1));
        double other = copies[i];
        copies[i] = copies[j];
        copies[j] = other;
    }
    for (size_t i = 0; i < n_copies; i++) {
        ones[i] = 1;
    }
    const double *copy_weights[] = {NULL, ones};
    for (size_t w = 0; w < 2; w++) {
        struct distinct weighted = find(values, weights, 500, 0);
        struct distinct copied = find(copies, copy_weights[w], n_copies, 1);
        CHECK_INT(weighted.n, copied.n);
        for (size_t k = 0; k < weighted.n && weighted.n == copied.n; k++) {
            CHECK(weighted.values[k] == copied.values[k]);
            CHECK(weighted.weights[k] == copied.weights[k]);
        }
    }
}

/* With room for rows, weights or not: keys and rows of those present, equal keys in row order. */
static void rows_come_sorted(void) {
    double values[1000];
    double weights[1000];
    for (int kind = 0; kind < 5; kind++) {
        size_t n_present = 0;
        for (size_t i = 0; i < 1000; i++) {
            values[i] = make_value(i, kind);
            weights[i] = 1 + (double)(i % 3);
            n_present += isnan(values[i]) ? 0 : 1;
        }
        for (int weighted = 0; weighted < 2; weighted++) {
            struct distinct_scratch scratch = {keys[0], spare_keys[0], rows[0], spare_rows[0], sums[0], 0};
            struct distinct plain = find(values, weighted ? weights : NULL, 1000, 1);
            struct distinct found = mxb__distinct_find(values, weighted ? weights : NULL, 1000, &scratch);
            CHECK_INT(found.n, plain.n);
            CHECK_INT(memcmp(found.weights, plain.weights, found.n * sizeof *found.weights), 0);
            size_t n_wrong = 0;
            for (size_t i = 0; i < n_present; i++) {
                double value = values[rows[0][i]];
                double before = i == 0 ? -INFINITY : values[rows[0][i - 1]];
                n_wrong += isnan(value) || before > value || (i > 0 && before == value && rows[0][i] <= rows[0][i - 1]);
                n_wrong += i > 0 && (keys[0][i] == keys[0][i - 1]) != (before == value);
            }
            CHECK_INT(n_wrong, 0);
        }
    }
}

static void floats_may_be_sorted_as_such(void) {
    static double values[MAX], weights[MAX];
    for (size_t n = 0; n <= MAX; n += 1 + n) {
        for (int kind = 0; kind < 5; kind++) {
            size_t n_present = 0;
            for (size_t i = 0; i < n; i++) {
                values[i] = (double)(float)make_value(i, kind);
                n_present += isnan(values[i]) ? 0 : 1;
                weights[i] = 0.1 + (double)(i % 3);
            }
            struct distinct_scratch scratch = {keys[0], spare_keys[0], rows[0], spare_rows[0], sums[0], 1};
            struct distinct_scratch as_doubles = {keys[1], spare_keys[1], rows[1], spare_rows[1], sums[1], 0};
            struct distinct found = mxb__distinct_find(values, weights, n, &scratch);
            struct distinct expected = mxb__distinct_find(values, weights, n, &as_doubles);
            CHECK_INT(found.n, expected.n);
            CHECK_INT(memcmp(found.values, expected.values, found.n * sizeof *found.values), 0);
            CHECK_INT(memcmp(found.weights, expected.weights, found.n * sizeof *found.weights), 0);
            size_t n_wrong = 0;
            for (size_t i = 0; i < n_present; i++) {
                n_wrong += rows[0][i] != rows[1][i];
                n_wrong += i > 0 && (keys[0][i] == keys[0][i - 1]) != (keys[1][i] == keys[1][i - 1]);
            }
            CHECK_INT(n_wrong, 0);
        }
    }
}

int main(void) {
    RUN(finds_values_and_weights);
    RUN(rows_come_sorted);
    RUN(floats_may_be_sorted_as_such);
    RUN(weight_k_is_k_copies);
    return check_report();
}
