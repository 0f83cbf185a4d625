/* Tables of more cells than 2^31 and 2^32, in little memory: rows repeat after a period, and each column is the one
 * before, moved by a row. So an index that lost its upper bits would find other values, and what must come out follows
 * from the rows of one period.
 *
 *     many_cells predict ROWS COLUMNS     ROWS up to 2^32 - 1
 *     many_cells train ROWS COLUMNS       some 2 bytes a cell; ROWS a multiple of 50,000 */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "unit/boost/make_data.h"
#include "unit/boost/train_data.h"

enum {
    N_VALUES = 200,                /* of a cell, so that no two columns share a byte of bin codes */
    PREDICTED_PERIOD = 255 * 4096, /* rows: whole pages, and no divisor of 2^31 */
    TRAINED_PERIOD = 50000,
    N_STRETCHES = 8 /* of rows, each of which has a place of its own for its predictions */
};

static size_t n_rows, n_columns;

/* ---- tables ---- */

static uint8_t *draw_cells(size_t n) {
    uint8_t *cells = malloc(n);
    struct dice dice = {11};
    for (size_t i = 0; i < n; i++) {
        cells[i] = (uint8_t)dice_below(&dice, N_VALUES);
    }
    return cells;
}

/* The cell of row i in column j is cells[i + j]. */
static mxb_dataset *table_of(const uint8_t *cells, size_t n) {
    mxb_dataset *dataset = NULL;
    CHECK_INT(mxb_dataset_create(n, &dataset, NULL), MXB_OK);
    CHECK_INT(mxb_dataset_add_matrix(dataset, cells, MXB_UINT8, n_columns, 1, 1, NULL), MXB_OK);
    return dataset;
}

/* Steps in columns at both ends and in between, so clear that no rounding chooses another split; and so many labels
 * that the last levels of a tree have more nodes than histograms fit into its budget. */
static uint8_t label_of(const uint8_t *row) {
    const size_t stepped[] = {n_columns - 1, 0, n_columns / 2, n_columns / 4 * 3, n_columns - 2, n_columns / 4, 1};
    unsigned label = 0;
    for (size_t i = 0; i < sizeof stepped / sizeof stepped[0]; i++) {
        label = 2 * label + (row[stepped[i]] >= 60 + 10 * i);
    }
    return (uint8_t)label;
}

static uint8_t *labels_of(const uint8_t *cells, size_t n) {
    uint8_t *labels = malloc(n);
    for (size_t i = 0; i < n; i++) {
        labels[i] = label_of(cells + i);
    }
    return labels;
}

static double *predict_table(const mxb_model *model, const mxb_dataset *table) {
    size_t n = mxb_dataset_n_rows(table);
    double *raw = malloc(n * sizeof *raw);
    mxb_error error;
    if (mxb_model_predict(model, table, MXB_PREDICT_RAW, 0, raw, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return raw;
}

static mxb_model *train_tables(const mxb_dataset *rows, const mxb_dataset *valid, const mxb_params *params) {
    mxb_model *model = NULL;
    mxb_error error;
    if (mxb_train(rows, valid, params, NULL, NULL, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return model;
}

/* ---- predictions ---- */

/* `n_bytes` addresses behind which the bytes of one period lie, over and over. */
static void *map_ring(void *at, int file, size_t period, size_t n_bytes) {
    for (size_t first = 0; first < n_bytes; first += period) {
        size_t n = n_bytes - first < period ? n_bytes - first : period;
        if (mmap((char *)at + first, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
            return NULL;
        }
    }
    return at;
}

/* A file of so many bytes that has no name and no disk. */
static int make_file(size_t n_bytes) {
    int file = memfd_create("many_cells", MFD_CLOEXEC);
    return file >= 0 && ftruncate(file, (off_t)n_bytes) == 0 ? file : -1;
}

/* Addresses for n_bytes, nothing behind them yet. */
static void *reserve(size_t n_bytes) {
    void *at = mmap(NULL, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static uint8_t *ring_of_cells(void) {
    size_t n = n_rows + n_columns;
    int file = make_file(PREDICTED_PERIOD);
    uint8_t *at = reserve(n);
    uint8_t *cells = draw_cells(PREDICTED_PERIOD);
    int fine = file >= 0 && at != NULL && write(file, cells, PREDICTED_PERIOD) == PREDICTED_PERIOD &&
               map_ring(at, file, PREDICTED_PERIOD, n) != NULL;
    free(cells);
    return fine ? at : NULL;
}

/* Room for a prediction of each row. The rows of a stretch that are a period apart share theirs. */
static double *rings_of_predictions(size_t stretch) {
    size_t period = PREDICTED_PERIOD * sizeof(double);
    double *at = reserve(n_rows * sizeof *at);
    for (size_t first = 0; at != NULL && first < n_rows; first += stretch) {
        size_t n = n_rows - first < stretch ? n_rows - first : stretch;
        int file = make_file(period);
        double *ring = map_ring(at + first, file, period, n * sizeof *at);
        at = ring == NULL ? NULL : at;
        for (size_t i = 0; ring != NULL && i < PREDICTED_PERIOD && i < n; i++) {
            ring[i] = (double)NAN;
        }
        close(file);
    }
    return at;
}

/* Rows by their numbers, some of them far up: selected, read and predicted alone. */
static void check_single_rows(const mxb_model *model, const mxb_dataset *table, const double *expected) {
    size_t rows[] = {n_rows - 1, 0, n_rows / 2, n_rows / 4 * 3, n_rows - 2};
    enum { N = sizeof rows / sizeof rows[0] };
    double *values = malloc(n_columns * sizeof *values), raw[N], alone;
    mxb_dataset *some;
    mxb_error error;
    OK(mxb_dataset_select(table, rows, N, &some, &error), error);
    OK(mxb_model_predict(model, some, MXB_PREDICT_RAW, 1, raw, &error), error);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < n_columns; j++) {
            OK(mxb_dataset_read(table, j, rows[i], 1, &values[j], &error), error);
        }
        OK(mxb_model_predict_rows(model, values, 1, n_columns, MXB_PREDICT_RAW, &alone, &error), error);
        CHECK(raw[i] == expected[rows[i] % PREDICTED_PERIOD] && alone == raw[i]);
    }
    mxb_dataset_free(some);
    free(values);
}

static void predict_many(void) {
    size_t n_periods = n_rows / PREDICTED_PERIOD;
    size_t stretch = (n_periods / N_STRETCHES + 1) * PREDICTED_PERIOD;
    uint8_t *cells = ring_of_cells();
    double *out = rings_of_predictions(stretch);
    mxb_error error;
    REQUIRE(cells != NULL && out != NULL && n_periods > 2 * N_STRETCHES);
    uint8_t *labels = labels_of(cells, TRAINED_PERIOD);
    mxb_dataset *learned = table_of(cells, TRAINED_PERIOD), *period = table_of(cells, PREDICTED_PERIOD);
    mxb_dataset *table = table_of(cells, n_rows);
    CHECK_INT(mxb_dataset_set_label(learned, labels, 1, MXB_UINT8, NULL), MXB_OK);
    mxb_params *params = PARAMS("num_round", "4", "max_max_depth", "4", "tree_probability", "0.6", "n_components", "8");
    mxb_model *model = train_tables(learned, NULL, params);
    REQUIRE(model != NULL);
    double *expected = predict_table(model, period);
    OK(mxb_model_predict(model, table, MXB_PREDICT_RAW, 0, out, &error), error);
    for (size_t first = 0; first + PREDICTED_PERIOD <= n_rows; first += stretch) {
        CHECK(memcmp(out + first, expected, PREDICTED_PERIOD * sizeof *out) == 0);
    }
    check_single_rows(model, table, expected);
    free(expected);
    free(labels);
    mxb_model_free(model);
    mxb_params_free(params);
    mxb_dataset_free(learned);
    mxb_dataset_free(period);
    mxb_dataset_free(table);
}

/* ---- trainings ---- */

/* A table, and the rows of one period that weigh as much. */
static struct {
    double weight;
    uint8_t *cells;
    uint8_t *labels;
    mxb_dataset *many;
    mxb_dataset *few;
} tables;

static void tables_make(void) {
    tables.weight = (double)(n_rows / TRAINED_PERIOD);
    tables.cells = draw_cells(n_rows + n_columns);
    for (size_t i = TRAINED_PERIOD; i < n_rows + n_columns; i++) {
        tables.cells[i] = tables.cells[i - TRAINED_PERIOD];
    }
    tables.labels = labels_of(tables.cells, n_rows);
    tables.many = table_of(tables.cells, n_rows);
    tables.few = table_of(tables.cells, TRAINED_PERIOD);
    CHECK_INT(mxb_dataset_set_label(tables.many, tables.labels, 1, MXB_UINT8, NULL), MXB_OK);
    CHECK_INT(mxb_dataset_set_label(tables.few, tables.labels, 1, MXB_UINT8, NULL), MXB_OK);
    CHECK_INT(mxb_dataset_set_weight(tables.few, &tables.weight, 0, MXB_FLOAT64, NULL), MXB_OK);
}

static void tables_clear(void) {
    mxb_dataset_free(tables.many);
    mxb_dataset_free(tables.few);
    free(tables.cells);
    free(tables.labels);
}

static double largest_difference(const double *one, const double *other, size_t n) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(one[i] - other[i]));
    }
    return largest;
}

/* The model of all rows is that of one period whose rows weigh as much, and it predicts each period the same. */
static void compare(const mxb_params *params, double tolerance) {
    mxb_model *large = train_tables(tables.many, NULL, params), *small = train_tables(tables.few, NULL, params);
    size_t n_splits = 0;
    REQUIRE(large != NULL && small != NULL);
    double *expected = predict_table(small, tables.few), *raw = predict_table(large, tables.many);
    double difference = largest_difference(raw, expected, TRAINED_PERIOD);
    printf("%zu rounds, %g away from those of weighted rows\n", mxb_model_n_rounds(large), difference);
    CHECK(difference <= tolerance);
    for (size_t first = 0; first < n_rows; first += TRAINED_PERIOD) {
        CHECK(memcmp(raw + first, raw, TRAINED_PERIOD * sizeof *raw) == 0);
    }
    for (size_t f = 0; f < n_columns; f++) {
        CHECK_INT(mxb_model_feature_splits(large, f), mxb_model_feature_splits(small, f));
        n_splits += mxb_model_feature_splits(large, f);
    }
    CHECK(mxb_model_round_depth(large, 1, 0) == 0 || n_splits > 0);
    CHECK_NEAR(mxb_model_curve(large, mxb_model_n_rounds(large), 0),
               mxb_model_curve(small, mxb_model_n_rounds(small), 0), tolerance);
    free(expected);
    free(raw);
    mxb_model_free(large);
    mxb_model_free(small);
}

static void train_trees(void) {
    mxb_params *params =
        PARAMS("num_round", "4", "learning_rate", "0.5", "tree_probability", "1", "symmetric_probability", "0.5",
               "subsample", "1", "min_max_depth", "7", "max_max_depth", "7", "symmetric_depth", "7", "lambda_l2", "0");
    compare(params, 1e-9);
    mxb_params_free(params);
}

static void train_ridges(void) {
    mxb_params *params =
        PARAMS("num_round", "2", "learning_rate", "0.5", "tree_probability", "0", "n_components", "16", "gamma",
               "0.0003", "alpha", "1", "n_projections", "1", "fourier_metric", "isotropic", "fourier_linear", "false");
    compare(params, 1e-5);
    mxb_params_free(params);
}

/* Validation rows are many: the curve is that of one period. */
static void validate(void) {
    mxb_params *params = PARAMS("num_round", "3", "tree_probability", "0.5", "n_components", "8", "max_max_depth", "4");
    mxb_model *large = train_tables(tables.few, tables.many, params);
    mxb_model *small = train_tables(tables.few, tables.few, params);
    REQUIRE(large != NULL && small != NULL);
    for (size_t r = 0; r <= mxb_model_n_curve(small); r++) {
        CHECK_NEAR(mxb_model_curve(large, r, 1), mxb_model_curve(small, r, 1), 1e-9);
    }
    double metric = 0.0;
    CHECK_INT(mxb_model_evaluate(large, tables.many, 0, &metric, NULL), MXB_OK);
    CHECK_NEAR(metric, mxb_model_curve(small, mxb_model_n_rounds(small), 1), 1e-9);
    mxb_model_free(large);
    mxb_model_free(small);
    mxb_params_free(params);
}

static void train_many(void) {
    struct rusage used;
    tables_make();
    validate();
    train_ridges();
    train_trees();
    tables_clear();
    getrusage(RUSAGE_SELF, &used);
    printf("%ld MiB taken\n", used.ru_maxrss / 1024);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: many_cells predict|train ROWS COLUMNS\n");
        return 2;
    }
    n_rows = strtoull(argv[2], NULL, 10);
    n_columns = strtoull(argv[3], NULL, 10);
    if (strcmp(argv[1], "train") == 0) {
        RUN(train_many);
    } else {
        RUN(predict_many);
    }
    printf("%zu rows, %zu cells\n", n_rows, n_rows * n_columns);
    return check_report();
}
