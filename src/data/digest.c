/* A number that tells datasets apart by what they hold: names, values, texts, labels, weights; not by where or in what
 * type these lie. Knows nothing of what the columns are for. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/dataset.h"
#include "mixboost/tune.h"

enum { BLOCK_ROWS = 1024 };

/* What stands for a column that is not there, and for a value that is missing. */
static const uint64_t NO_COLUMN = 0x6E6F6E65;
static const uint64_t NO_VALUE = 0x7FF8000000000000;

static uint64_t add(uint64_t digest, uint64_t bits) { return mxb__mix64((digest ^ bits) + 0x9E3779B97F4A7C15u); }

/* FNV-1a: texts are short. */
static uint64_t digest_of_text(const char *text) {
    uint64_t digest = 0xCBF29CE484222325u;
    for (const char *at = text; at != NULL && *at != '\0'; at++) {
        digest = (digest ^ (unsigned char)*at) * 0x100000001B3u;
    }
    return text == NULL ? NO_VALUE : digest;
}

static uint64_t bits_of_value(double value) {
    uint64_t bits = NO_VALUE;
    if (!isnan(value)) {
        value += 0.0; /* -0 becomes 0 */
        memcpy(&bits, &value, sizeof bits);
    }
    return bits;
}

static uint64_t add_numbers(uint64_t digest, const mxb_dataset *dataset, const struct column *column) {
    double values[BLOCK_ROWS];
    for (size_t first = 0; first < dataset->n_rows; first += BLOCK_ROWS) {
        size_t n = dataset->n_rows - first < BLOCK_ROWS ? dataset->n_rows - first : BLOCK_ROWS;
        mxb__column_read(dataset, column, first, n, values);
        for (size_t i = 0; i < n; i++) {
            digest = add(digest, bits_of_value(values[i]));
        }
    }
    return digest;
}

/* Each text is looked at once: equal texts have equal numbers. */
static mxb_status add_texts(uint64_t *digest, const mxb_dataset *dataset, const struct column *column,
                            mxb_error *error) {
    double values[BLOCK_ROWS];
    uint64_t *digests;
    MXB_TRY(mxb__alloc(&digests, column->n_texts, sizeof *digests, "digests of texts", error));
    for (size_t code = 0; code < column->n_texts; code++) {
        if (!isnan(column->numbers[code])) {
            digests[(size_t)column->numbers[code]] = digest_of_text(column->texts[code]);
        }
    }
    for (size_t first = 0; first < dataset->n_rows; first += BLOCK_ROWS) {
        size_t n = dataset->n_rows - first < BLOCK_ROWS ? dataset->n_rows - first : BLOCK_ROWS;
        mxb__column_read(dataset, column, first, n, values);
        for (size_t i = 0; i < n; i++) {
            *digest = add(*digest, isnan(values[i]) ? NO_VALUE : digests[(size_t)values[i]]);
        }
    }
    mxb__free(digests);
    return MXB_OK;
}

static mxb_status add_column(uint64_t *digest, const mxb_dataset *dataset, const struct column *column,
                             mxb_error *error) {
    if (column->data == NULL) {
        *digest = add(*digest, NO_COLUMN);
        return MXB_OK;
    }
    *digest = add(*digest, digest_of_text(column->name));
    *digest = add(*digest, column->numbers != NULL);
    if (column->numbers != NULL) {
        return add_texts(digest, dataset, column, error);
    }
    *digest = add_numbers(*digest, dataset, column);
    return MXB_OK;
}

mxb_status mxb_dataset_digest(const mxb_dataset *dataset, uint64_t *digest, mxb_error *error) {
    if (dataset == NULL || digest == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", dataset == NULL ? "dataset" : "digest");
    }
    uint64_t sum = add(add(0, dataset->n_rows), dataset->n_columns);
    for (size_t i = 0; i < dataset->n_columns; i++) {
        MXB_TRY(add_column(&sum, dataset, &dataset->columns[i], error));
    }
    MXB_TRY(add_column(&sum, dataset, &dataset->label, error));
    MXB_TRY(add_column(&sum, dataset, &dataset->weight, error));
    *digest = sum;
    return MXB_OK;
}
