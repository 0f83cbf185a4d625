/* Step 2 of the data's path: the view of the caller's columns, label and weight. Checks how the arrays are described,
 * never what is in them. Knows nothing of bins, gradients or files. */
#include "data/dataset.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { NAME_SIZE = 128 /* of a quoted name in messages */ };

/* ---- Reading columns ---- */

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

static void read_rows(const struct column *column, const uint32_t *rows, size_t first, size_t n, double *values) {
    read_present(column, rows, first, n, values);
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

/* ---- Checks ---- */

static size_t magnitude(ptrdiff_t value) { return value < 0 ? (size_t)0 - (size_t)value : (size_t)value; }

/* Whether count - 1 steps of `stride` bytes are more than an address can span. */
static int span_overflows(size_t count, ptrdiff_t stride) {
    return stride != 0 && count - 1 > (size_t)PTRDIFF_MAX / magnitude(stride);
}

/* A dataset that may be added to, and an array for it. */
static mxb_status check_array(const mxb_dataset *dataset, const void *data, ptrdiff_t stride, mxb_type type,
                              mxb_error *error) {
    if (dataset == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "dataset is NULL");
    }
    if (dataset->rows != NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "the dataset is a selection of another one's rows and cannot be added to");
    }
    if (data == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "data is NULL");
    }
    if ((int)type < MXB_FLOAT32 || (int)type > MXB_BOOL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "type is %d; it must be one of mxb_type, %d to %d", (int)type,
                         MXB_FLOAT32, MXB_BOOL);
    }
    if (span_overflows(dataset->n_rows, stride)) {
        return mxb__fail(error, MXB_ERROR_PARAM, "a stride of %td bytes is too large for %zu rows", stride,
                         dataset->n_rows);
    }
    return MXB_OK;
}

/* All features have names or none has, and each another one. */
static mxb_status check_name(const mxb_dataset *dataset, const char *name, mxb_error *error) {
    char quoted[NAME_SIZE];
    size_t n = dataset->n_columns;
    int others_have_names = n > 0 && dataset->columns[0].name != NULL;
    if (name == NULL) {
        return !others_have_names ? MXB_OK
                                  : mxb__fail(error, MXB_ERROR_PARAM,
                                              "feature %zu has no name, but the features before it have", n + 1);
    }
    mxb__quote(quoted, sizeof quoted, name, SIZE_MAX);
    if (n > 0 && !others_have_names) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "feature %zu has the name \"%s\", but the features before it have none", n + 1, quoted);
    }
    if (strlen(name) > MXB__MAX_FEATURE_NAME) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the name of feature %zu has %zu bytes; at most %d are allowed", n + 1,
                         strlen(name), (int)MXB__MAX_FEATURE_NAME);
    }
    size_t other = mxb__name_index_find(&dataset->names, name);
    if (other != MXB__NO_POSITION) {
        return mxb__fail(error, MXB_ERROR_PARAM, "features %zu and %zu have the same name \"%s\"", other + 1, n + 1,
                         quoted);
    }
    return MXB_OK;
}

static mxb_status reserve_columns(mxb_dataset *dataset, size_t n_more, mxb_error *error) {
    if (n_more > MXB__MAX_COLUMNS - dataset->n_columns) {
        return mxb__fail(error, MXB_ERROR_PARAM, "a dataset has at most %zu features; %zu and %zu more are too many",
                         MXB__MAX_COLUMNS, dataset->n_columns, n_more);
    }
    size_t needed = dataset->n_columns + n_more;
    if (needed <= dataset->capacity) {
        return MXB_OK;
    }
    size_t capacity = needed > 2 * dataset->capacity ? needed : 2 * dataset->capacity;
    MXB_TRY(mxb__grow(&dataset->columns, dataset->n_columns, capacity, sizeof *dataset->columns, "columns", error));
    dataset->capacity = capacity;
    return MXB_OK;
}

/* ---- Making ---- */

mxb_status mxb_dataset_create(size_t n_rows, mxb_dataset **dataset, mxb_error *error) {
    if (dataset == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "dataset is NULL");
    }
    *dataset = NULL;
    if (n_rows == 0 || n_rows > MXB__MAX_ROWS) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_rows is %zu; it must be 1 to %zu", n_rows, MXB__MAX_ROWS);
    }
    MXB_TRY(mxb__alloc_zeroed(dataset, 1, sizeof **dataset, "a dataset", error));
    (*dataset)->n_rows = n_rows;
    return MXB_OK;
}

mxb_status mxb_dataset_add_column(mxb_dataset *dataset, const char *name, const void *data, ptrdiff_t stride,
                                  mxb_type type, mxb_error *error) {
    struct column column = {.data = data, .stride = stride, .type = type};
    MXB_TRY(check_array(dataset, data, stride, type, error));
    MXB_TRY(check_name(dataset, name, error));
    MXB_TRY(reserve_columns(dataset, 1, error));
    if (name != NULL) {
        MXB_TRY(mxb__copy_text(&column.name, name, error));
        mxb_status status = mxb__name_index_add(&dataset->names, column.name, dataset->n_columns, error);
        if (status != MXB_OK) {
            mxb__free(column.name);
            return status;
        }
    }
    dataset->columns[dataset->n_columns++] = column;
    return MXB_OK;
}

mxb_status mxb_dataset_set_validity(mxb_dataset *dataset, size_t column, const uint8_t *bitmap, size_t bit_offset,
                                    mxb_error *error) {
    MXB_TRY(check_array(dataset, bitmap, 0, MXB_UINT8, error));
    if (column >= dataset->n_columns) {
        return mxb__fail(error, MXB_ERROR_PARAM, "column is %zu; the dataset has %zu features, counted from 0", column,
                         dataset->n_columns);
    }
    if (bit_offset > SIZE_MAX - dataset->n_rows) {
        return mxb__fail(error, MXB_ERROR_PARAM, "bit_offset is %zu; that is too large for %zu rows", bit_offset,
                         dataset->n_rows);
    }
    dataset->columns[column].validity = bitmap;
    dataset->columns[column].validity_offset = bit_offset;
    return MXB_OK;
}

mxb_status mxb_dataset_add_matrix(mxb_dataset *dataset, const void *data, mxb_type type, size_t n_columns,
                                  ptrdiff_t row_stride, ptrdiff_t column_stride, mxb_error *error) {
    MXB_TRY(check_array(dataset, data, row_stride, type, error));
    MXB_TRY(check_name(dataset, NULL, error));
    if (n_columns == 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_columns is 0; it must be at least 1");
    }
    MXB_TRY(reserve_columns(dataset, n_columns, error));
    if (span_overflows(n_columns, column_stride)) {
        return mxb__fail(error, MXB_ERROR_PARAM, "a column stride of %td bytes is too large for %zu columns",
                         column_stride, n_columns);
    }
    for (size_t i = 0; i < n_columns; i++) {
        dataset->columns[dataset->n_columns++] = (struct column){
            .data = (const char *)data + (ptrdiff_t)i * column_stride, .stride = row_stride, .type = type};
    }
    return MXB_OK;
}

mxb_status mxb_dataset_set_label(mxb_dataset *dataset, const void *data, ptrdiff_t stride, mxb_type type,
                                 mxb_error *error) {
    MXB_TRY(check_array(dataset, data, stride, type, error));
    dataset->label = (struct column){.data = data, .stride = stride, .type = type};
    return MXB_OK;
}

mxb_status mxb_dataset_set_weight(mxb_dataset *dataset, const void *data, ptrdiff_t stride, mxb_type type,
                                  mxb_error *error) {
    MXB_TRY(check_array(dataset, data, stride, type, error));
    dataset->weight = (struct column){.data = data, .stride = stride, .type = type};
    return MXB_OK;
}

/* ---- Selections of rows ---- */

static mxb_status copy_columns(const mxb_dataset *from, mxb_dataset *to, mxb_error *error) {
    MXB_TRY(reserve_columns(to, from->n_columns, error));
    for (size_t i = 0; i < from->n_columns; i++) {
        struct column column = from->columns[i];
        if (column.name != NULL) {
            MXB_TRY(mxb__copy_text(&column.name, column.name, error));
        }
        to->columns[to->n_columns++] = column;
    }
    return MXB_OK;
}

mxb_status mxb__dataset_create_subset(const mxb_dataset *dataset, size_t n_rows, mxb_dataset **subset,
                                      mxb_error *error) {
    MXB_TRY(mxb_dataset_create(n_rows, subset, error));
    (*subset)->label = dataset->label;
    (*subset)->weight = dataset->weight;
    mxb_status status = copy_columns(dataset, *subset, error);
    if (status == MXB_OK) {
        status = mxb__alloc(&(*subset)->rows, n_rows, sizeof *(*subset)->rows, "a selection of rows", error);
    }
    if (status != MXB_OK) {
        mxb_dataset_free(*subset);
        *subset = NULL;
    }
    return status;
}

mxb_status mxb_dataset_select(const mxb_dataset *dataset, const size_t *rows, size_t n_rows, mxb_dataset **subset,
                              mxb_error *error) {
    if (subset == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "subset is NULL");
    }
    *subset = NULL;
    if (dataset == NULL || rows == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", dataset == NULL ? "dataset" : "rows");
    }
    for (size_t i = 0; i < n_rows; i++) {
        if (rows[i] >= dataset->n_rows) {
            return mxb__fail(error, MXB_ERROR_PARAM, "rows[%zu] is %zu; the dataset has %zu rows, counted from 0", i,
                             rows[i], dataset->n_rows);
        }
    }
    MXB_TRY(mxb__dataset_create_subset(dataset, n_rows, subset, error));
    for (size_t i = 0; i < n_rows; i++) {
        (*subset)->rows[i] = mxb__dataset_array_row(dataset, rows[i]);
    }
    return MXB_OK;
}

/* ---- Asking ---- */

size_t mxb_dataset_n_rows(const mxb_dataset *dataset) { return dataset == NULL ? 0 : dataset->n_rows; }

size_t mxb_dataset_n_features(const mxb_dataset *dataset) { return dataset == NULL ? 0 : dataset->n_columns; }

const char *mxb_dataset_feature_name(const mxb_dataset *dataset, size_t column) {
    return dataset == NULL || column >= dataset->n_columns ? NULL : dataset->columns[column].name;
}

mxb_status mxb_dataset_read(const mxb_dataset *dataset, size_t column, size_t first, size_t n, double *values,
                            mxb_error *error) {
    if (dataset == NULL || values == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", dataset == NULL ? "dataset" : "values");
    }
    if (column >= dataset->n_columns) {
        return mxb__fail(error, MXB_ERROR_PARAM, "column is %zu; the dataset has %zu features, counted from 0", column,
                         dataset->n_columns);
    }
    if (first > dataset->n_rows || n > dataset->n_rows - first) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%zu rows from %zu on; the dataset has %zu rows, counted from 0", n,
                         first, dataset->n_rows);
    }
    mxb__column_read(dataset, &dataset->columns[column], first, n, values);
    return MXB_OK;
}

mxb_status mxb__dataset_check_features(const mxb_dataset *dataset, char *const *names, size_t n, const char *owner,
                                       mxb_error *error) {
    char ours[NAME_SIZE];
    char theirs[NAME_SIZE];
    if (dataset->n_columns != n) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the dataset has %zu feature%s, %s has %zu", dataset->n_columns,
                         dataset->n_columns == 1 ? "" : "s", owner, n);
    }
    if (names == NULL || n == 0 || dataset->columns[0].name == NULL) {
        return MXB_OK;
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = dataset->columns[i].name;
        if (strcmp(name, names[i]) != 0) {
            return mxb__fail(error, MXB_ERROR_PARAM, "feature %zu of the dataset is \"%s\", that of %s is \"%s\"",
                             i + 1, mxb__quote(ours, sizeof ours, name, SIZE_MAX), owner,
                             mxb__quote(theirs, sizeof theirs, names[i], SIZE_MAX));
        }
    }
    return MXB_OK;
}

void mxb_dataset_free(mxb_dataset *dataset) {
    if (dataset == NULL) {
        return;
    }
    for (size_t i = 0; i < dataset->n_columns; i++) {
        mxb__free(dataset->columns[i].name);
    }
    mxb__free(dataset->columns);
    mxb__name_index_clear(&dataset->names);
    mxb__free(dataset->rows);
    mxb__free(dataset);
}
