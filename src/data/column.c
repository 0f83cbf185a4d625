/* Step 2 of the data's path: the values of one column, whatever type and stride they have in memory. Knows nothing of
 * what the column is for. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "data/dataset.h"
#include "data/dictionary.h"

/* ---- Numbers ---- */

/* Values may lie at any address, so each is copied out; the compiler makes plain loads of it. */
#define READ_AS(value_type, to_double)                            \
    do {                                                          \
        for (size_t i = 0; i < n; i++) {                          \
            size_t row = rows != NULL ? rows[i] : first + i;      \
            value_type v;                                         \
            memcpy(&v, data + (ptrdiff_t)row * stride, sizeof v); \
            values[i] = (to_double);                              \
        }                                                         \
    } while (0)

/* Array rows rows[0 .. n), or first .. first + n - 1 where `rows` is NULL. */
static void read_present(const struct column *column, const uint32_t *rows, size_t first, size_t n, double *values) {
    const char *data = column->data;
    ptrdiff_t stride = column->stride;
    if (column->type == MXB_FLOAT64 && stride == (ptrdiff_t)sizeof(double) && rows == NULL) {
        memcpy(values, data + (ptrdiff_t)first * stride, n * sizeof(double));
        return;
    }
    switch (column->type) {
        case MXB_FLOAT32:
            READ_AS(float, (double)v);
            break;
        case MXB_FLOAT64:
            READ_AS(double, v);
            break;
        case MXB_INT8:
            READ_AS(int8_t, (double)v);
            break;
        case MXB_INT16:
            READ_AS(int16_t, (double)v);
            break;
        case MXB_INT32:
            READ_AS(int32_t, (double)v);
            break;
        case MXB_INT64:
            READ_AS(int64_t, (double)v);
            break;
        case MXB_UINT8:
            READ_AS(uint8_t, (double)v);
            break;
        case MXB_UINT16:
            READ_AS(uint16_t, (double)v);
            break;
        case MXB_UINT32:
            READ_AS(uint32_t, (double)v);
            break;
        case MXB_UINT64:
            READ_AS(uint64_t, (double)v);
            break;
        case MXB_BOOL:
            READ_AS(uint8_t, v != 0 ? 1.0 : 0.0);
            break;
    }
}

/* The code in a value, or n_texts where it is none. */
static size_t code_of(const struct column *column, double value) {
    return value >= 0.0 && value < (double)column->n_texts ? (size_t)value : column->n_texts;
}

static void read_rows(const struct column *column, const uint32_t *rows, size_t first, size_t n, double *values) {
    read_present(column, rows, first, n, values);
    for (size_t i = 0; column->numbers != NULL && i < n; i++) {
        size_t code = code_of(column, values[i]);
        values[i] = code < column->n_texts ? column->numbers[code] : (double)NAN;
    }
    if (column->validity == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        size_t bit = column->validity_offset + (rows != NULL ? rows[i] : first + i);
        if ((column->validity[bit / 8] >> (bit % 8) & 1) == 0) {
            values[i] = NAN;
        }
    }
}

double mxb__column_value(const struct column *column, size_t row) {
    double value;
    read_rows(column, NULL, row, 1, &value);
    return value;
}

void mxb__column_read(const mxb_dataset *dataset, const struct column *column, size_t first, size_t n, double *values) {
    read_rows(column, dataset->rows != NULL ? dataset->rows + first : NULL, first, n, values);
}

int mxb__column_is_narrow(const struct column *column) {
    if (column->numbers != NULL) {
        return column->n_texts <= (size_t)1 << 24; /* ranks */
    }
    switch (column->type) {
        case MXB_FLOAT32:
        case MXB_INT8:
        case MXB_INT16:
        case MXB_UINT8:
        case MXB_UINT16:
        case MXB_BOOL:
            return 1;
        default:
            return 0;
    }
}

/* ---- Text ---- */

const char *mxb__column_text(const mxb_dataset *dataset, const struct column *column, size_t row) {
    size_t array_row = mxb__dataset_array_row(dataset, row);
    double value;
    if (isnan(mxb__column_value(column, array_row))) {
        return NULL;
    }
    read_present(column, NULL, array_row, 1, &value);
    return column->texts[code_of(column, value)];
}

size_t mxb__column_find_text(const mxb_dataset *dataset, const struct column *column) {
    size_t row = 0;
    for (; row < dataset->n_rows; row++) {
        const char *text = mxb__column_text(dataset, column, row);
        double number;
        if (text != NULL && !mxb__number_parse(text, strlen(text), &number)) {
            break;
        }
    }
    return row;
}

void mxb__column_code(struct column *column, const struct dictionary *dictionary) {
    for (size_t code = 0; code < column->n_texts; code++) {
        uint32_t number = mxb__dictionary_find(dictionary, column->texts[code]);
        column->numbers[code] = number == MXB__NO_NUMBER ? (double)NAN : (double)number;
    }
}
