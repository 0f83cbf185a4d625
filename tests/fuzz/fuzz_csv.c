/* Any bytes as a CSV file: a table or an error, never a crash, leak or blow-up; and of any table, any dataset. The
 * first byte chooses the header mode and how many columns are text anyway, the rest is the text. */
#include <stdint.h>
#include <stdlib.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
    mxb_table *table;
    mxb_error error;
    if (n_bytes == 0) {
        return 0;
    }
    static const char *const text_columns[] = {"1", "2"};
    mxb_header header = (mxb_header)(bytes[0] % 3);
    struct text_choice choice = {text_columns, bytes[0] / 64 % 3};
    if (mxb__table_parse((const char *)bytes + 1, n_bytes - 1, "fuzz.csv", header, choice, &table, &error) != MXB_OK) {
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
