/* Keys of rows: copies share one wherever they lie, other rows have others. */
#include "data/row_keys.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "check.h"

enum { N_ROWS = 3000, N_FEATURES = 4, N_TEXTS = 3 };

static double features[N_FEATURES - 1][N_ROWS];
static int32_t codes[N_ROWS];
static double label_values[N_ROWS];
static uint64_t keys[N_ROWS];
static mxb_error error;

/* Few values each, so that many rows are copies. */
static void draw_rows(uint64_t seed) {
    static const double values[] = {0.0, -0.0, 1.5, NAN, INFINITY, -INFINITY, 1e-300};
    struct random_stream random = mxb__random_stream(seed, RANDOM_ROWS, 0);
    for (size_t i = 0; i < N_ROWS; i++) {
        for (size_t f = 0; f + 1 < N_FEATURES; f++) {
            features[f][i] = values[mxb__random_bits(random, N_FEATURES * i + f) % 7];
        }
        codes[i] = (int32_t)(mxb__random_bits(random, N_FEATURES * i + N_FEATURES - 1) % N_TEXTS);
        label_values[i] = (double)(i % 2);
    }
}

static int same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static int are_copies(size_t a, size_t b) {
    int same = codes[a] == codes[b] && label_values[a] == label_values[b];
    for (size_t f = 0; f + 1 < N_FEATURES; f++) {
        same = same && same_number(features[f][a], features[f][b]);
    }
    return same;
}

static mxb_dataset *make_dataset(const char *const *texts) {
    mxb_dataset *dataset;
    if (mxb_dataset_create(N_ROWS, &dataset, &error) != MXB_OK) {
        return NULL;
    }
    for (size_t f = 0; f + 1 < N_FEATURES; f++) {
        CHECK(mxb_dataset_add_column(dataset, NULL, features[f], sizeof(double), MXB_FLOAT64, &error) == MXB_OK);
    }
    CHECK(mxb_dataset_add_text_column(dataset, NULL, codes, sizeof *codes, MXB_INT32, texts, N_TEXTS, &error) == MXB_OK);
    return dataset;
}

static void keys_tell_copies_from_others(void) {
    static const char *const texts[N_TEXTS] = {"a", "", "ab"};
    draw_rows(1);
    mxb_dataset *dataset = make_dataset(texts);
    REQUIRE(dataset != NULL);
    struct labels labels = {.n_rows = N_ROWS, .values = label_values};
    mxb__row_keys(dataset, &labels, keys);
    size_t n_copies = 0;
    for (size_t a = 0; a < N_ROWS; a += 7) {
        for (size_t b = 0; b < N_ROWS; b++) {
            CHECK((keys[a] == keys[b]) == are_copies(a, b));
            n_copies += a != b && are_copies(a, b);
        }
    }
    CHECK(n_copies > 100);
    mxb_dataset_free(dataset);
}

/* The same texts under other numbers. */
static void keys_know_texts_not_their_numbers(void) {
    static const char *const texts[N_TEXTS] = {"a", "", "ab"};
    static const char *const turned[N_TEXTS] = {"", "ab", "a"};
    static const int32_t turn[N_TEXTS] = {2, 0, 1};
    static uint64_t others[N_ROWS];
    draw_rows(2);
    struct labels labels = {.n_rows = N_ROWS, .values = label_values};
    mxb_dataset *dataset = make_dataset(texts);
    REQUIRE(dataset != NULL);
    mxb__row_keys(dataset, &labels, keys);
    mxb_dataset_free(dataset);
    for (size_t i = 0; i < N_ROWS; i++) {
        codes[i] = turn[codes[i]];
    }
    dataset = make_dataset(turned);
    REQUIRE(dataset != NULL);
    mxb__row_keys(dataset, &labels, others);
    CHECK(memcmp(keys, others, sizeof keys) == 0);
    mxb_dataset_free(dataset);
}

int main(void) {
    RUN(keys_tell_copies_from_others);
    RUN(keys_know_texts_not_their_numbers);
    return check_report();
}
