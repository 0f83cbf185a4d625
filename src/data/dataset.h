/* Step 2 of the data's path: the view. Columns stay where the caller has them; a dataset only says how to read them and
 * which rows count. */
#ifndef MXB_DATA_DATASET_H
#define MXB_DATA_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "base/name_index.h"
#include "base/status.h"

struct column {
    const void *data;
    ptrdiff_t stride; /* bytes from one row to the next */
    mxb_type type;
    const uint8_t *validity; /* bit set = present; NULL = all present (NaN is missing anyway) */
    size_t validity_offset;  /* bits */
    char *name;              /* owned; NULL = none */
    /* Text only: the values are codes, and code c stands for texts[c]. */
    const char *const *texts;
    size_t n_texts;
    double *numbers; /* owned [n_texts]: what texts[c] counts as; NaN = missing. NULL = the values are numbers */
};

struct mxb_dataset {
    size_t n_rows;
    size_t n_columns;
    size_t capacity; /* of columns */
    struct column *columns;
    struct name_index names; /* positions of the named columns; empty in a selection of rows */
    struct column label;     /* data NULL = none */
    struct column weight;    /* data NULL = every row weighs 1 */
    uint32_t *rows;          /* owned; row i of the dataset is row rows[i] of the arrays; NULL = row i */
};

/** Largest number of rows and of columns a dataset may have. */
#define MXB__MAX_ROWS    ((size_t)UINT32_MAX)
#define MXB__MAX_COLUMNS ((size_t)1 << 20)

/** The longest name of a feature, in bytes; what a model file can hold. */
enum { MXB__MAX_FEATURE_NAME = (1 << 16) - 1 };

struct dictionary;

/** The value of a column in array row `row`, NaN where missing. */
double mxb__column_value(const struct column *column, size_t row);

/** Values of rows first .. first + n - 1 of the dataset, as doubles, NaN where missing. */
void mxb__column_read(const mxb_dataset *dataset, const struct column *column, size_t first, size_t n, double *values);

/** Whether every value of the column, by its type, is one that a float has too. */
int mxb__column_is_narrow(const struct column *column);

/** The text of a text column in row `row` of the dataset, or NULL where it is missing. */
const char *mxb__column_text(const mxb_dataset *dataset, const struct column *column, size_t row);

/** The first row of the dataset whose text is not a number, or n_rows where all are. For messages. */
size_t mxb__column_find_text(const mxb_dataset *dataset, const struct column *column);

/** From now on the texts of a text column count as the dictionary says, those it does not have as missing. */
void mxb__column_code(struct column *column, const struct dictionary *dictionary);

/** A dataset of the same rows whose text columns can be coded otherwise. */
mxb_status mxb__dataset_create_view(const mxb_dataset *dataset, mxb_dataset **view, mxb_error *error);

/** A dataset of `n_rows` rows of another, which the caller still has to write into `(*subset)->rows`, as array rows:
 *  row i of `dataset` is array row mxb__dataset_array_row(dataset, i). */
mxb_status mxb__dataset_create_subset(const mxb_dataset *dataset, size_t n_rows, mxb_dataset **subset,
                                      mxb_error *error);

static inline uint32_t mxb__dataset_array_row(const mxb_dataset *dataset, size_t row) {
    return dataset->rows != NULL ? dataset->rows[row] : (uint32_t)row;
}

/** PARAM unless `dataset` has the given features: as many, and, where both sides have names, the same in the same
 * order. `names` has n entries, or is NULL; `owner` says whose they are ("the model"). */
mxb_status mxb__dataset_check_features(const mxb_dataset *dataset, char *const *names, size_t n, const char *owner,
                                       mxb_error *error);

#endif
