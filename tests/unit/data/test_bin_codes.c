#include "data/bin_codes.h"

#include <stdlib.h>

#include "base/parallel.h"
#include "base/random.h"
#include "check.h"

static const struct random_stream RANDOM = {0x636f6465};

enum { MAX_ROWS = 2050, MAX_FEATURES = 65 };

static float matrix[MAX_ROWS][MAX_FEATURES];
static double labels[MAX_ROWS];

static void make_matrix(void) {
    for (size_t i = 0; i < MAX_ROWS; i++) {
        labels[i] = (double)i;
        for (size_t f = 0; f < MAX_FEATURES; f++) {
            double x = mxb__random_normal(RANDOM, i * MAX_FEATURES + f);
            matrix[i][f] = (i + f) % 17 == 0 ? (float)NAN : (float)(f % 3 == 0 ? rint(x) : x);
        }
    }
}

/* One cut after another. */
static unsigned naive_code(const struct feature_bins *bins, double x) {
    unsigned code = 0;
    for (size_t c = 0; c < bins->n_cuts; c++) {
        code += bins->cuts[c] < x;
    }
    return isnan(x) ? bins->n_cuts + 1 : code;
}

/* Columns hold the codes, records the sum over the features of a field, and 0 behind the last. */
static size_t n_wrong(const mxb_prepared *prepared, size_t first_row, size_t step) {
    size_t wrong = 0;
    size_t record_bytes = mxb__n_blocks(prepared->fields.n, MXB__PANEL) * MXB__PANEL;
    for (size_t i = 0; i < prepared->n_rows; i++) {
        unsigned record[MAX_FEATURES + MXB__PANEL] = {0};
        for (size_t f = 0; f < prepared->n_features; f++) {
            const struct feature_place *place = &prepared->fields.places[f];
            unsigned code = naive_code(&prepared->bins[f], (double)matrix[first_row + i * step][f]);
            wrong += prepared->columns[f * prepared->n_rows + i] != code;
            record[place->field] += code * place->stride;
        }
        for (size_t field = 0; field < record_bytes; field++) {
            wrong += *(mxb__prepared_records(prepared, (uint32_t)field) + i * MXB__PANEL) != record[field];
        }
    }
    return wrong;
}

static void check_shape(size_t n_rows, size_t n_features, size_t n_threads, int selected) {
    struct prepare_settings settings = {0, 256, SCALING_RANK, 0};
    mxb_error error;
    mxb_dataset *dataset, *subset = NULL;
    mxb_prepared *prepared;
    OK(mxb_dataset_create(MAX_ROWS, &dataset, &error), error);
    OK(mxb_dataset_add_matrix(dataset, matrix, MXB_FLOAT32, n_features, sizeof matrix[0], sizeof(float), &error),
       error);
    OK(mxb_dataset_set_label(dataset, labels, sizeof *labels, MXB_FLOAT64, &error), error);
    size_t rows[MAX_ROWS];
    for (size_t i = 0; i < n_rows; i++) {
        rows[i] = selected ? 1 + i * 2 : i;
    }
    OK(mxb_dataset_select(dataset, rows, n_rows, &subset, &error), error);
    struct pool *pool = mxb__pool_open(n_threads);
    OK(mxb__prepared_create(n_rows == MAX_ROWS ? dataset : subset, &settings, pool, &prepared, &error), error);
    mxb__pool_close(pool);
    CHECK_INT(n_wrong(prepared, selected ? 1 : 0, selected ? 2 : 1), 0);
    mxb_prepared_free(prepared);
    mxb_dataset_free(subset);
    mxb_dataset_free(dataset);
}

static void every_shape_of_tiles(void) {
    static const size_t row_counts[] = {1, 7, 1023, 1024, 1025, MAX_ROWS};
    static const size_t feature_counts[] = {1, 31, 32, 33, MAX_FEATURES};
    for (size_t r = 0; r < 6; r++) {
        for (size_t f = 0; f < 5; f++) {
            check_shape(row_counts[r], feature_counts[f], 1 + (r + f) % 3, 0);
        }
    }
}

/* Codes of rows that the bins were not made from, by column; `n_rows` of them, every second one if `selected`. */
static void check_other_rows(const mxb_prepared *prepared, size_t n_rows, size_t n_threads, int selected) {
    static float others[MAX_ROWS][MAX_FEATURES];
    static uint8_t columns[MAX_FEATURES * MAX_ROWS + 1];
    static const float odd[] = {-INFINITY, INFINITY, -0.0f, 0.0f, NAN, 1e30f, -1e30f, 1e-45f};
    size_t rows[MAX_ROWS];
    mxb_error error;
    mxb_dataset *dataset, *subset = NULL;
    for (size_t i = 0; i < MAX_ROWS; i++) {
        rows[i] = selected ? 2 * i : i;
        for (size_t f = 0; f < MAX_FEATURES; f++) {
            others[i][f] = (i + 3 * f) % 5 == 0 ? odd[(i + f) % 8] : 3.0f * matrix[MAX_ROWS - 1 - i][f];
        }
    }
    OK(mxb_dataset_create(MAX_ROWS, &dataset, &error), error);
    OK(mxb_dataset_add_matrix(dataset, others, MXB_FLOAT32, prepared->n_features, sizeof others[0], sizeof(float),
                              &error),
       error);
    OK(mxb_dataset_select(dataset, rows, n_rows, &subset, &error), error);
    size_t n_codes = n_rows * prepared->n_features, wrong = 0;
    columns[n_codes] = 99;
    struct pool *pool = mxb__pool_open(n_threads);
    mxb__bin_codes_write_columns(prepared, subset, pool, columns);
    mxb__pool_close(pool);
    for (size_t i = 0; i < n_codes; i++) {
        size_t f = i / n_rows;
        wrong += columns[i] != naive_code(&prepared->bins[f], (double)others[rows[i % n_rows]][f]);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(columns[n_codes], 99);
    mxb_dataset_free(subset);
    mxb_dataset_free(dataset);
}

static void other_rows(void) {
    static const size_t row_counts[] = {1, 1023, 1025, MAX_ROWS};
    struct prepare_settings settings = {0, 256, SCALING_RANK, 0};
    mxb_error error;
    for (size_t n_features = 1; n_features <= MAX_FEATURES; n_features += 32) {
        mxb_dataset *dataset;
        mxb_prepared *prepared;
        OK(mxb_dataset_create(MAX_ROWS, &dataset, &error), error);
        OK(mxb_dataset_add_matrix(dataset, matrix, MXB_FLOAT32, n_features, sizeof matrix[0], sizeof(float), &error),
           error);
        OK(mxb_dataset_set_label(dataset, labels, sizeof *labels, MXB_FLOAT64, &error), error);
        OK(mxb__prepared_create(dataset, &settings, NULL, &prepared, &error), error);
        for (size_t r = 0; r < 4; r++) {
            check_other_rows(prepared, row_counts[r], 1 + r % 3, row_counts[r] <= MAX_ROWS / 2);
        }
        mxb_prepared_free(prepared);
        mxb_dataset_free(dataset);
    }
}

static void selected_rows(void) {
    check_shape(1024, 40, 2, 1);
    check_shape(3, 40, 1, 1);
}

int main(void) {
    make_matrix();
    RUN(every_shape_of_tiles);
    RUN(selected_rows);
    RUN(other_rows);
    return check_report();
}
