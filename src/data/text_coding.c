/* Numbers for the texts of a dataset's columns. Before this a column's numbers are ranks among all its texts; after it
 * they are those of a dictionary, and texts it does not have are missing. Knows nothing of bins or models. */
#include "data/text_coding.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

enum { BLOCK_ROWS = 1024, NAME_SIZE = 128, TEXT_SIZE = 96 };

/* ---- Learning ---- */

static void mark_used(const mxb_dataset *view, const struct column *column, uint8_t *used) {
    double ranks[BLOCK_ROWS];
    for (size_t first = 0; first < view->n_rows; first += BLOCK_ROWS) {
        size_t n = view->n_rows - first < BLOCK_ROWS ? view->n_rows - first : BLOCK_ROWS;
        mxb__column_read(view, column, first, n, ranks);
        for (size_t i = 0; i < n; i++) {
            if (!isnan(ranks[i])) {
                used[(size_t)ranks[i]] = 1;
            }
        }
    }
}

/* One column. `texts` and `used` have room for an entry a rank. */
static mxb_status learn_column(const mxb_dataset *view, struct column *column, const char **texts, uint8_t *used,
                               struct dictionary *dictionary, mxb_error *error) {
    mark_used(view, column, used);
    for (size_t code = 0; code < column->n_texts; code++) {
        if (!isnan(column->numbers[code])) { /* as it may be in a view of a training's rows */
            texts[(size_t)column->numbers[code]] = column->texts[code];
        }
    }
    size_t n = 0;
    for (size_t rank = 0; rank < column->n_texts; rank++) {
        if (used[rank]) {
            texts[n++] = texts[rank];
        }
    }
    MXB_TRY(mxb__dictionary_fill(dictionary, texts, n, error));
    mxb__column_code(column, dictionary);
    return MXB_OK;
}

mxb_status mxb__texts_learn(mxb_dataset *view, struct dictionary **dictionaries, mxb_error *error) {
    struct dictionary *made = NULL;
    mxb_status status = MXB_OK;
    *dictionaries = NULL;
    for (size_t i = 0; status == MXB_OK && i < view->n_columns; i++) {
        struct column *column = &view->columns[i];
        const char **texts = NULL;
        uint8_t *used = NULL;
        if (column->numbers == NULL) {
            continue;
        }
        if (made == NULL) {
            status = mxb__alloc_zeroed(&made, view->n_columns, sizeof *made, "texts", error);
        }
        if (status == MXB_OK) {
            status = mxb__alloc(&texts, column->n_texts, sizeof *texts, "texts", error);
        }
        if (status == MXB_OK) {
            status = mxb__alloc_zeroed(&used, column->n_texts, sizeof *used, "texts", error);
        }
        if (status == MXB_OK) {
            status = learn_column(view, column, texts, used, &made[i], error);
        }
        mxb__free(texts);
        mxb__free(used);
    }
    if (status != MXB_OK) {
        mxb__dictionaries_free(made, view->n_columns);
        return status;
    }
    *dictionaries = made;
    return MXB_OK;
}

/* ---- Applying ---- */

/* `feature 3` or `feature "price"`. */
static const char *describe(const mxb_dataset *dataset, size_t column, char out[NAME_SIZE + 16]) {
    char quoted[NAME_SIZE];
    const char *name = dataset->columns[column].name;
    if (name == NULL) {
        snprintf(out, NAME_SIZE + 16, "feature %zu", column + 1);
    } else {
        snprintf(out, NAME_SIZE + 16, "feature \"%s\"", mxb__quote(quoted, sizeof quoted, name, SIZE_MAX));
    }
    return out;
}

static mxb_status check_kind(const mxb_dataset *dataset, size_t index, int needs_text, const char *owner,
                             mxb_error *error) {
    char name[NAME_SIZE + 16];
    char quoted[TEXT_SIZE];
    const struct column *column = &dataset->columns[index];
    if ((column->numbers != NULL) == needs_text) {
        return MXB_OK;
    }
    if (needs_text) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s of the dataset holds numbers, that of %s holds text",
                         describe(dataset, index, name), owner);
    }
    size_t row = mxb__column_find_text(dataset, column);
    if (row == dataset->n_rows) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s of the dataset is a column of text, that of %s holds numbers",
                         describe(dataset, index, name), owner);
    }
    mxb__quote(quoted, sizeof quoted, mxb__column_text(dataset, column, row), SIZE_MAX);
    return mxb__fail(error, MXB_ERROR_DATA,
                     "%s of the dataset holds text (\"%s\" in row %zu), that of %s holds numbers",
                     describe(dataset, index, name), quoted, (size_t)mxb__dataset_array_row(dataset, row) + 1, owner);
}

mxb_status mxb__texts_check(const mxb_dataset *dataset, const struct dictionary *dictionaries, const char *owner,
                            mxb_error *error) {
    for (size_t i = 0; i < dataset->n_columns; i++) {
        MXB_TRY(check_kind(dataset, i, dictionaries != NULL && dictionaries[i].is_text, owner, error));
    }
    return MXB_OK;
}

mxb_status mxb__texts_apply(const mxb_dataset *dataset, const struct dictionary *dictionaries, const char *owner,
                            mxb_dataset **view, mxb_error *error) {
    *view = NULL;
    MXB_TRY(mxb__texts_check(dataset, dictionaries, owner, error));
    if (dictionaries == NULL) {
        return MXB_OK;
    }
    MXB_TRY(mxb__dataset_create_view(dataset, view, error));
    for (size_t i = 0; i < dataset->n_columns; i++) {
        if (dictionaries[i].is_text) {
            mxb__column_code(&(*view)->columns[i], &dictionaries[i]);
        }
    }
    return MXB_OK;
}
