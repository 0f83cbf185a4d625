/* Step 2 of the data's path: the view of the caller's columns, label and weight. Checks how the arrays are described,
 * never what is in them. Knows nothing of bins, gradients or files. */
#include "data/dataset.h"

#include <string.h>

#include "base/memory.h"
#include "data/dictionary.h"

enum { NAME_SIZE = 128 /* of a quoted name in messages */ };

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

/* Integers as codes, and texts that a model file can hold. */
static mxb_status check_texts(mxb_type type, const char *const *texts, size_t n_texts, mxb_error *error) {
    if (type == MXB_FLOAT32 || type == MXB_FLOAT64) {
        return mxb__fail(error, MXB_ERROR_PARAM, "type is %d; the codes of texts must be integers, %d to %d", (int)type,
                         MXB_INT8, MXB_BOOL);
    }
    if (n_texts > MXB__MAX_TEXTS) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_texts is %zu; a column has at most %zu texts", n_texts,
                         MXB__MAX_TEXTS);
    }
    if (texts == NULL && n_texts > 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "texts is NULL");
    }
    for (size_t i = 0; i < n_texts; i++) {
        if (texts[i] == NULL) {
            return mxb__fail(error, MXB_ERROR_PARAM, "texts[%zu] is NULL", i);
        }
        if (strlen(texts[i]) > MXB__MAX_TEXT_BYTES) {
            return mxb__fail(error, MXB_ERROR_PARAM, "texts[%zu] has %zu bytes; at most %d are allowed", i,
                             strlen(texts[i]), (int)MXB__MAX_TEXT_BYTES);
        }
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

static void column_clear(struct column *column) {
    mxb__free(column->name);
    mxb__free(column->numbers);
    *column = (struct column){0};
}

/* Adds a column under a name of its own; what it owns becomes the dataset's if that succeeds. */
static mxb_status add_column(mxb_dataset *dataset, const char *name, const struct column *column, mxb_error *error) {
    struct column added = *column;
    MXB_TRY(check_name(dataset, name, error));
    MXB_TRY(reserve_columns(dataset, 1, error));
    if (name != NULL) {
        MXB_TRY(mxb__copy_text(&added.name, name, error));
        mxb_status status = mxb__name_index_add(&dataset->names, added.name, dataset->n_columns, error);
        if (status != MXB_OK) {
            mxb__free(added.name);
            return status;
        }
    }
    dataset->columns[dataset->n_columns++] = added;
    return MXB_OK;
}

mxb_status mxb_dataset_add_column(mxb_dataset *dataset, const char *name, const void *data, ptrdiff_t stride,
                                  mxb_type type, mxb_error *error) {
    struct column column = {.data = data, .stride = stride, .type = type};
    MXB_TRY(check_array(dataset, data, stride, type, error));
    return add_column(dataset, name, &column, error);
}

/* Describes a column of text; its numbers are ranks. */
static mxb_status init_text(struct column *column, const mxb_dataset *dataset, const void *codes, ptrdiff_t stride,
                            mxb_type type, const char *const *texts, size_t n_texts, mxb_error *error) {
    *column = (struct column){.data = codes, .stride = stride, .type = type, .texts = texts, .n_texts = n_texts};
    MXB_TRY(check_array(dataset, codes, stride, type, error));
    MXB_TRY(check_texts(type, texts, n_texts, error));
    MXB_TRY(mxb__alloc(&column->numbers, n_texts, sizeof *column->numbers, "the numbers of texts", error));
    mxb_status status = mxb__texts_rank(texts, n_texts, column->numbers, error);
    if (status != MXB_OK) {
        column_clear(column);
    }
    return status;
}

mxb_status mxb_dataset_add_text_column(mxb_dataset *dataset, const char *name, const void *codes, ptrdiff_t stride,
                                       mxb_type type, const char *const *texts, size_t n_texts, mxb_error *error) {
    struct column column;
    MXB_TRY(init_text(&column, dataset, codes, stride, type, texts, n_texts, error));
    mxb_status status = add_column(dataset, name, &column, error);
    if (status != MXB_OK) {
        column_clear(&column);
    }
    return status;
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
    column_clear(&dataset->label);
    dataset->label = (struct column){.data = data, .stride = stride, .type = type};
    return MXB_OK;
}

mxb_status mxb_dataset_set_text_label(mxb_dataset *dataset, const void *codes, ptrdiff_t stride, mxb_type type,
                                      const char *const *texts, size_t n_texts, mxb_error *error) {
    struct column column;
    MXB_TRY(init_text(&column, dataset, codes, stride, type, texts, n_texts, error));
    column_clear(&dataset->label);
    dataset->label = column;
    return MXB_OK;
}

mxb_status mxb_dataset_set_weight(mxb_dataset *dataset, const void *data, ptrdiff_t stride, mxb_type type,
                                  mxb_error *error) {
    MXB_TRY(check_array(dataset, data, stride, type, error));
    dataset->weight = (struct column){.data = data, .stride = stride, .type = type};
    return MXB_OK;
}

/* ---- Selections of rows ---- */

/* A column of its own name and numbers. On failure it holds what was made of them. */
static mxb_status copy_column(struct column *to, const struct column *from, mxb_error *error) {
    *to = *from;
    to->name = NULL;
    to->numbers = NULL;
    if (from->name != NULL) {
        MXB_TRY(mxb__copy_text(&to->name, from->name, error));
    }
    if (from->numbers != NULL) {
        size_t size = sizeof *to->numbers;
        MXB_TRY(mxb__alloc(&to->numbers, from->n_texts, size, "the numbers of texts", error));
        memcpy(to->numbers, from->numbers, from->n_texts * size);
    }
    return MXB_OK;
}

static mxb_status copy_columns(const mxb_dataset *from, mxb_dataset *to, mxb_error *error) {
    MXB_TRY(reserve_columns(to, from->n_columns, error));
    for (size_t i = 0; i < from->n_columns; i++) {
        MXB_TRY(copy_column(&to->columns[to->n_columns++], &from->columns[i], error));
    }
    return MXB_OK;
}

mxb_status mxb__dataset_create_view(const mxb_dataset *dataset, mxb_dataset **view, mxb_error *error) {
    MXB_TRY(mxb_dataset_create(dataset->n_rows, view, error));
    (*view)->weight = dataset->weight;
    mxb_status status = copy_column(&(*view)->label, &dataset->label, error);
    if (status == MXB_OK) {
        status = copy_columns(dataset, *view, error);
    }
    if (status == MXB_OK && dataset->rows != NULL) {
        size_t size = sizeof *dataset->rows;
        status = mxb__alloc(&(*view)->rows, dataset->n_rows, size, "a selection of rows", error);
        if (status == MXB_OK) {
            memcpy((*view)->rows, dataset->rows, dataset->n_rows * size);
        }
    }
    if (status != MXB_OK) {
        mxb_dataset_free(*view);
        *view = NULL;
    }
    return status;
}

mxb_status mxb__dataset_create_subset(const mxb_dataset *dataset, size_t n_rows, mxb_dataset **subset,
                                      mxb_error *error) {
    MXB_TRY(mxb_dataset_create(n_rows, subset, error));
    (*subset)->weight = dataset->weight;
    mxb_status status = copy_column(&(*subset)->label, &dataset->label, error);
    if (status == MXB_OK) {
        status = copy_columns(dataset, *subset, error);
    }
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

int mxb_dataset_feature_is_text(const mxb_dataset *dataset, size_t column) {
    return dataset != NULL && column < dataset->n_columns && dataset->columns[column].numbers != NULL;
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
        column_clear(&dataset->columns[i]);
    }
    column_clear(&dataset->label);
    mxb__free(dataset->columns);
    mxb__name_index_clear(&dataset->names);
    mxb__free(dataset->rows);
    mxb__free(dataset);
}
