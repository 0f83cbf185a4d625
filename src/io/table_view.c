/* From step 1 to step 2 of the data's path: which columns of a table are features, label and weight. Knows nothing of
 * how the table was read or what the columns are for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/dataset.h"
#include "io/table.h"

enum {
    NAME_SIZE = 128,  /* of a quoted name in messages */
    LISTED_NAME = 48, /* the same in a list of columns */
    LIST_SIZE = 400,  /* of such a list */
    LIST_RESERVE = 40 /* room in it for "... (131072 columns)" */
};

#define NONE SIZE_MAX /* no such column */

struct choice {
    size_t label;  /* column of the table, or NONE */
    size_t weight; /* the same */
};

/* ---- Messages ---- */

/* `"price"`, or `3` where the columns have no names. */
static const char *describe(const mxb_table *table, size_t column, char out[NAME_SIZE + 2]) {
    char quoted[NAME_SIZE];
    const char *name = table->columns[column].name;
    if (name == NULL) {
        snprintf(out, NAME_SIZE + 2, "%zu", column + 1);
    } else {
        snprintf(out, NAME_SIZE + 2, "\"%s\"", mxb__quote(quoted, sizeof quoted, name, SIZE_MAX));
    }
    return out;
}

static mxb_status fail_no_column(const mxb_table *table, const char *wanted, mxb_error *error) {
    char quoted[NAME_SIZE];
    char listed[LISTED_NAME];
    char list[LIST_SIZE];
    size_t used = 0;
    mxb__quote(quoted, sizeof quoted, wanted, SIZE_MAX);
    if (!table->has_header) {
        return mxb__fail(error, MXB_ERROR_DATA,
                         "%s has no column \"%s\"; it has no header, so its columns are known as 1 to %zu", table->path,
                         quoted, table->n_columns);
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        mxb__quote(listed, sizeof listed, table->columns[i].name, SIZE_MAX);
        if (used + strlen(listed) + LIST_RESERVE > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ... (%zu columns)", table->n_columns);
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ", listed);
    }
    return mxb__fail(error, MXB_ERROR_DATA, "%s has no column \"%s\"; its columns are %s", table->path, quoted, list);
}

/* ---- Finding columns ---- */

/* A number from 1 to `limit` in digits only, or 0. */
static size_t read_position(const char *text, size_t limit) {
    size_t value = 0;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p < '0' || *p > '9' || value > limit) {
            return 0;
        }
        value = value * 10 + (size_t)(*p - '0');
    }
    return value <= limit ? value : 0;
}

mxb_status mxb__table_find_column(const mxb_table *table, const char *wanted, size_t *column, mxb_error *error) {
    *column = mxb__name_index_find(&table->names, wanted);
    if (*column == MXB__NO_POSITION) {
        size_t position = read_position(wanted, table->n_columns);
        if (position == 0) {
            return fail_no_column(table, wanted, error);
        }
        *column = position - 1;
    }
    return MXB_OK;
}

/* `wanted` NULL: NONE. */
static mxb_status find_role(const mxb_table *table, const char *wanted, size_t *column, mxb_error *error) {
    *column = NONE;
    return wanted == NULL ? MXB_OK : mxb__table_find_column(table, wanted, column, error);
}

/* Text that can be used. */
static mxb_status check_texts(const mxb_table *table, size_t index, mxb_error *error) {
    char name[NAME_SIZE + 2];
    const struct table_column *column = &table->columns[index];
    if (column->problem == NULL) {
        return MXB_OK;
    }
    return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu, column %s: %s", table->path, column->problem_line,
                     describe(table, index, name), column->problem);
}

static mxb_status check_weight(const mxb_table *table, size_t index, mxb_error *error) {
    char name[NAME_SIZE + 2];
    const struct table_column *column = &table->columns[index];
    if (column->text_line != 0) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu, column %s: \"%s\" is not a number", table->path,
                         column->text_line, describe(table, index, name), column->text);
    }
    if (column->is_text) {
        return mxb__fail(error, MXB_ERROR_DATA, "column %s of %s is read as text and cannot be the weight",
                         describe(table, index, name), table->path);
    }
    return MXB_OK;
}

/* Label or weight (`lowest` 0): a value in every row that weighs anything (`weights` NULL: all), where numbers are
 * wanted a finite one. */
static mxb_status check_complete(const mxb_table *table, size_t index, const char *role, double lowest,
                                 const double *weights, mxb_error *error) {
    char name[NAME_SIZE + 2];
    char number[MXB__NUMBER_SIZE];
    const struct table_column *column = &table->columns[index];
    for (size_t i = 0; i < table->n_rows; i++) {
        if (weights != NULL && weights[i] == 0.0) {
            continue;
        }
        if (column->is_text ? column->codes[i] < 0 : isnan(column->values[i])) {
            return mxb__fail(error, MXB_ERROR_DATA, "%s: row %zu has no %s (column %s)", table->path, i + 1, role,
                             describe(table, index, name));
        }
        if (!column->is_text && !(isfinite(column->values[i]) && column->values[i] >= lowest)) {
            mxb__number_format(column->values[i], number);
            return mxb__fail(error, MXB_ERROR_DATA, "%s: row %zu, column %s: the %s is %s; it must be finite%s",
                             table->path, i + 1, describe(table, index, name), role, number,
                             lowest == 0.0 ? " and not negative" : "");
        }
    }
    return MXB_OK;
}

static mxb_status choose_roles(const mxb_table *table, const char *label, const char *weight, struct choice *choice,
                               mxb_error *error) {
    char name[NAME_SIZE + 2];
    MXB_TRY(find_role(table, label, &choice->label, error));
    MXB_TRY(find_role(table, weight, &choice->weight, error));
    if (choice->label != NONE && choice->label == choice->weight) {
        return mxb__fail(error, MXB_ERROR_PARAM, "label and weight are the same column %s of %s",
                         describe(table, choice->label, name), table->path);
    }
    const double *weights = NULL;
    if (choice->weight != NONE) {
        MXB_TRY(check_weight(table, choice->weight, error));
        MXB_TRY(check_complete(table, choice->weight, "weight", 0.0, NULL, error));
        weights = table->columns[choice->weight].values;
    }
    if (choice->label != NONE) {
        MXB_TRY(check_texts(table, choice->label, error));
        MXB_TRY(check_complete(table, choice->label, "label", -HUGE_VAL, weights, error));
    }
    return MXB_OK;
}

/* ---- Features ---- */

static mxb_status add_feature(const mxb_table *table, size_t index, mxb_dataset *dataset, mxb_error *error) {
    const struct table_column *column = &table->columns[index];
    if (!column->is_text) {
        return mxb_dataset_add_column(dataset, column->name, column->values, sizeof(double), MXB_FLOAT64, error);
    }
    MXB_TRY(check_texts(table, index, error));
    return mxb_dataset_add_text_column(dataset, column->name, column->codes, sizeof *column->codes, MXB_INT64,
                                       column->texts, column->n_texts, error);
}

static mxb_status add_named(const mxb_table *table, const struct choice *choice, const char *const *features,
                            size_t n_features, mxb_dataset *dataset, mxb_error *error) {
    char name[NAME_SIZE + 2];
    for (size_t i = 0; i < n_features; i++) {
        size_t column = mxb__name_index_find(&table->names, features[i]);
        if (column == MXB__NO_POSITION) {
            return fail_no_column(table, features[i], error);
        }
        if (column == choice->label || column == choice->weight) {
            return mxb__fail(error, MXB_ERROR_PARAM, "column %s of %s cannot be a feature: it is the %s",
                             describe(table, column, name), table->path, column == choice->label ? "label" : "weight");
        }
        MXB_TRY(add_feature(table, column, dataset, error));
    }
    return MXB_OK;
}

static mxb_status add_all_others(const mxb_table *table, const struct choice *choice, mxb_dataset *dataset,
                                 mxb_error *error) {
    for (size_t i = 0; i < table->n_columns; i++) {
        if (i != choice->label && i != choice->weight) {
            MXB_TRY(add_feature(table, i, dataset, error));
        }
    }
    return MXB_OK;
}

static int has_names(const char *const *features, size_t n_features) {
    for (size_t i = 0; i < n_features; i++) {
        if (features[i] == NULL) {
            return 0;
        }
    }
    return 1;
}

static mxb_status add_features(const mxb_table *table, const struct choice *choice, const char *const *features,
                               size_t n_features, mxb_dataset *dataset, mxb_error *error) {
    size_t n_others = table->n_columns - (choice->label != NONE) - (choice->weight != NONE);
    if (features != NULL && table->has_header && has_names(features, n_features)) {
        return add_named(table, choice, features, n_features, dataset, error);
    }
    if (features != NULL && n_features != n_others) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has %zu feature column%s; %zu %s needed", table->path, n_others,
                         n_others == 1 ? "" : "s", n_features, n_features == 1 ? "is" : "are");
    }
    if (n_others == 0) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has no feature columns: all are label or weight", table->path);
    }
    return add_all_others(table, choice, dataset, error);
}

static mxb_status set_label(const struct table_column *column, mxb_dataset *dataset, mxb_error *error) {
    if (!column->is_text) {
        return mxb_dataset_set_label(dataset, column->values, sizeof(double), MXB_FLOAT64, error);
    }
    return mxb_dataset_set_text_label(dataset, column->codes, sizeof *column->codes, MXB_INT64, column->texts,
                                      column->n_texts, error);
}

static mxb_status fill(const mxb_table *table, const struct choice *choice, const char *const *features,
                       size_t n_features, mxb_dataset *dataset, mxb_error *error) {
    MXB_TRY(add_features(table, choice, features, n_features, dataset, error));
    if (choice->label != NONE) {
        MXB_TRY(set_label(&table->columns[choice->label], dataset, error));
    }
    if (choice->weight == NONE) {
        return MXB_OK;
    }
    return mxb_dataset_set_weight(dataset, table->columns[choice->weight].values, sizeof(double), MXB_FLOAT64, error);
}

mxb_status mxb_dataset_from_table(const mxb_table *table, const char *label, const char *weight,
                                  const char *const *features, size_t n_features, mxb_dataset **dataset,
                                  mxb_error *error) {
    struct choice choice;
    if (dataset == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "dataset is NULL");
    }
    *dataset = NULL;
    if (table == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "table is NULL");
    }
    if (features != NULL && n_features == 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_features is 0; features must name at least one column");
    }
    MXB_TRY(choose_roles(table, label, weight, &choice, error));
    MXB_TRY(mxb_dataset_create(table->n_rows, dataset, error));
    mxb_status status = fill(table, &choice, features, n_features, *dataset, error);
    if (status != MXB_OK) {
        mxb_dataset_free(*dataset);
        *dataset = NULL;
    }
    return status;
}
