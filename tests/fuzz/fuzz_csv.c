/* Any bytes as a CSV file: a table or an error, never a crash, leak or blow-up, and the same by many threads in small
 * pieces; and of any table, any dataset. The first byte chooses the header mode, how many columns are text anyway and
 * the length of the pieces, the rest is the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "io/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static volatile double sink; /* so that no read is left out */

/* Reads all that a training would read. */
static void use(const mxb_dataset *dataset) {
    double values[64];
    for (size_t first = 0; first < dataset->n_rows; first += 64) {
        size_t n = dataset->n_rows - first < 64 ? dataset->n_rows - first : 64;
        for (size_t j = 0; j < dataset->n_columns; j++) {
            mxb__column_read(dataset, &dataset->columns[j], first, n, values);
            sink = values[n - 1];
        }
        if (dataset->label.data != NULL) {
            mxb__column_read(dataset, &dataset->label, first, n, values);
            sink = values[n - 1];
        }
    }
}

static void make_dataset(const mxb_table *table, const char *label, const char *weight, const char *const *features,
                         size_t n_features) {
    mxb_dataset *dataset;
    mxb_dataset *first;
    mxb_dataset *second;
    mxb_error error;
    if (mxb_dataset_from_table(table, label, weight, features, n_features, &dataset, &error) != MXB_OK) {
        return;
    }
    use(dataset);
    for (int stratify = 0; stratify <= (label != NULL); stratify++) {
        if (mxb_dataset_split(dataset, 0.3, stratify, n_features, &first, &second, &error) == MXB_OK) {
            use(first);
            use(second);
            mxb_dataset_free(first);
            mxb_dataset_free(second);
        }
    }
    mxb_dataset_free(dataset);
}

static int same_columns(const struct table_column *a, const struct table_column *b, size_t n_rows) {
    if (a->text_line != b->text_line || strcmp(a->text, b->text) != 0 || a->is_text != b->is_text ||
        a->n_texts != b->n_texts || a->problem != b->problem || a->problem_line != b->problem_line) {
        return 0;
    }
    for (size_t i = 0; i < a->n_texts; i++) {
        if (strcmp(a->texts[i], b->texts[i]) != 0) {
            return 0;
        }
    }
    return a->is_text ? memcmp(a->codes, b->codes, n_rows * sizeof *a->codes) == 0
                      : memcmp(a->values, b->values, n_rows * sizeof *a->values) == 0;
}

static int same_tables(const mxb_table *a, const mxb_table *b) {
    int same = a->n_rows == b->n_rows && a->n_columns == b->n_columns && a->has_header == b->has_header;
    for (size_t i = 0; same && i < a->n_columns; i++) {
        same = same_columns(&a->columns[i], &b->columns[i], a->n_rows);
    }
    return same;
}

/* The same text in pieces gives the same table, or the same sentence. */
static void compare_pieces(const char *text, size_t n_bytes, struct table_options options, const mxb_table *expected,
                           const mxb_error *expected_error) {
    mxb_table *table;
    mxb_error error;
    mxb_status status = mxb__table_parse(text, n_bytes, "fuzz.csv", &options, &table, &error);
    if ((status == MXB_OK) != (expected != NULL) ||
        (status == MXB_OK ? !same_tables(table, expected) : strcmp(error.message, expected_error->message) != 0)) {
        abort();
    }
    mxb_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
    mxb_table *table;
    mxb_error error;
    if (n_bytes == 0) {
        return 0;
    }
    static const char *const text_columns[] = {"1", "2"};
    const char *text = (const char *)bytes + 1;
    struct table_options options = {(mxb_header)(bytes[0] % 3), text_columns, bytes[0] / 64 % 3, 1, n_bytes};
    mxb_status status = mxb__table_parse(text, n_bytes - 1, "fuzz.csv", &options, &table, &error);
    options.n_threads = 2;
    options.piece_bytes = (size_t)1 << bytes[0] / 3 % 11;
    compare_pieces(text, n_bytes - 1, options, table, &error);
    if (status != MXB_OK) {
        return 0;
    }
    if (table->n_rows == 0 || table->n_columns == 0 || table->n_rows * table->n_columns > n_bytes) {
        abort(); /* every cell takes at least a byte */
    }
    const char *last = mxb_table_column_name(table, table->n_columns - 1);
    const char *first_names[2] = {mxb_table_column_name(table, 0), last};
    make_dataset(table, NULL, NULL, NULL, 0);
    make_dataset(table, "1", NULL, NULL, 0);
    make_dataset(table, "y", "w", NULL, 0);
    make_dataset(table, last, "2", NULL, 0);
    make_dataset(table, NULL, NULL, first_names, 2);
    make_dataset(table, "2", NULL, first_names, 1);
    mxb_table_free(table);
    return 0;
}
