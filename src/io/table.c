/* Step 1 of the data's path: a CSV file as a table. The first line tells the columns; the text below it is cut into
 * pieces, which threads read side by side. Knows nothing of labels, weights or features: datasets are made of a table
 * in table_view.c. */
#include "io/table.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "io/csv_cell.h"
#include "io/csv_pieces.h"
#include "io/file.h"
#include "io/table_rows.h"
#include "io/table_texts.h"

enum {
    PATH_SIZE = 256, /* of the path in messages */
    NAME_SIZE = 128, /* of a quoted name in messages */
    PIECE_BYTES = 1 << 18
};

/* ---- The first line ---- */

static mxb_status copy_name(const mxb_table *table, const struct csv_field *field, size_t column, char **name,
                            mxb_error *error) {
    char numbered[32];
    if (field->n_bytes == 0) {
        snprintf(numbered, sizeof numbered, "column %zu", column + 1);
        return mxb__copy_text(name, numbered, error);
    }
    if (memchr(field->text, '\0', field->n_bytes) != NULL) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu, column %zu: the name has a zero byte in it", table->path,
                         field->line, column + 1);
    }
    MXB_TRY(mxb__alloc(name, field->n_bytes + 1, 1, "a name", error));
    (*name)[mxb__csv_copy(field, *name, field->n_bytes)] = '\0';
    return MXB_OK;
}

/* Takes the columns' names from the line that `csv` stands at. */
static mxb_status read_names(mxb_table *table, struct csv_reader csv, mxb_error *error) {
    char quoted[NAME_SIZE];
    for (size_t i = 0; i < table->n_columns; i++) {
        struct csv_field field;
        char **name = &table->columns[i].name;
        MXB_TRY(mxb__csv_next(&csv, &field, error));
        MXB_TRY(copy_name(table, &field, i, name, error));
        size_t other = mxb__name_index_find(&table->names, *name);
        if (other != MXB__NO_POSITION) {
            return mxb__fail(error, MXB_ERROR_DATA, "%s: columns %zu and %zu have the same name \"%s\"", table->path,
                             other + 1, i + 1, mxb__quote(quoted, sizeof quoted, *name, SIZE_MAX));
        }
        MXB_TRY(mxb__name_index_add(&table->names, *name, i, error));
    }
    return MXB_OK;
}

/* Reads the first line that is not empty: its number of fields, and whether one of them is text. `*line` is a reader
 * that stands at it. */
static mxb_status look_at_first_line(struct csv_reader *csv, struct csv_reader *line, int *has_text, mxb_error *error) {
    struct csv_field field;
    double value;
    do {
        if (mxb__csv_is_at_end(csv)) {
            return mxb__fail(error, MXB_ERROR_DATA, "%s is empty", csv->path);
        }
        *line = *csv;
        MXB_TRY(mxb__csv_next(csv, &field, error));
    } while (mxb__csv_is_blank_line(csv, &field));
    *has_text = !mxb__csv_cell_read(&field, &value);
    while (!field.is_last) {
        MXB_TRY(mxb__csv_next(csv, &field, error));
        *has_text |= !mxb__csv_cell_read(&field, &value);
    }
    if (csv->n_fields > MXB__MAX_TABLE_COLUMNS) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has %zu columns; at most %zu are allowed", csv->path, csv->n_fields,
                         MXB__MAX_TABLE_COLUMNS);
    }
    return MXB_OK;
}

/* Makes the columns; `csv` then stands at the first row. */
static mxb_status read_first_line(mxb_table *table, struct csv_reader *csv, const struct table_options *options,
                                  mxb_error *error) {
    struct csv_reader start = *csv;
    struct csv_reader first_line;
    int has_text = 0;
    MXB_TRY(look_at_first_line(csv, &first_line, &has_text, error));
    table->has_header = options->header == MXB_HEADER_YES || (options->header == MXB_HEADER_AUTO && has_text);
    size_t n_columns = csv->n_fields;
    MXB_TRY(mxb__alloc_zeroed(&table->columns, n_columns, sizeof *table->columns, "a table", error));
    table->n_columns = n_columns;
    if (table->has_header) {
        MXB_TRY(read_names(table, first_line, error));
    } else {
        *csv = n_columns == 1 ? start : first_line;
    }
    for (size_t i = 0; i < options->n_text; i++) {
        size_t column;
        MXB_TRY(mxb__table_find_column(table, options->text_columns[i], &column, error));
        table->columns[column].is_text = 1;
    }
    return MXB_OK;
}

/* ---- The text ---- */

static mxb_status read_pieces(mxb_table *table, const struct csv_reader *rows, size_t piece_bytes, struct pool *pool,
                              mxb_error *error) {
    struct csv_pieces pieces;
    MXB_TRY(mxb__csv_pieces_build(&pieces, rows, table->n_columns == 1, piece_bytes, pool, error));
    mxb_status status = mxb__table_read_rows(table, &pieces, pool, error);
    if (status == MXB_OK) {
        status = mxb__table_read_texts(table, &pieces, pool, error);
    }
    mxb__csv_pieces_clear(&pieces);
    return status;
}

/* A file of one line for us, and of many for who wrote it. */
static mxb_status check_line_ends(const struct csv_reader *csv, mxb_error *error) {
    size_t n_bytes = (size_t)(csv->end - csv->next);
    if (n_bytes > 0 && memchr(csv->next, '\n', n_bytes) == NULL && memchr(csv->next, '\r', n_bytes - 1) != NULL &&
        memchr(csv->next, '"', n_bytes) == NULL) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has lines that end with CR alone; they must end with LF or CR LF",
                         csv->path);
    }
    return MXB_OK;
}

static mxb_status parse(mxb_table *table, const char *text, size_t n_bytes, const struct table_options *options,
                        struct pool *pool, mxb_error *error) {
    struct csv_reader csv;
    MXB_TRY(mxb__csv_init(&csv, text, n_bytes, table->path, error));
    MXB_TRY(check_line_ends(&csv, error));
    MXB_TRY(read_first_line(table, &csv, options, error));
    return read_pieces(table, &csv, options->piece_bytes > 0 ? options->piece_bytes : PIECE_BYTES, pool, error);
}

mxb_status mxb__table_parse(const char *text, size_t n_bytes, const char *path, const struct table_options *options,
                            mxb_table **table, mxb_error *error) {
    char printable[PATH_SIZE];
    mxb_table *made;
    *table = NULL;
    if (strcmp(path, "-") == 0) {
        path = "standard input";
    }
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "a table", error));
    mxb__quote(printable, sizeof printable, path, SIZE_MAX);
    struct pool *pool = mxb__pool_open(options->n_threads);
    mxb_status status = mxb__copy_text(&made->path, printable, error);
    if (status == MXB_OK) {
        status = parse(made, text, n_bytes, options, pool, error);
    }
    mxb__pool_close(pool);
    if (status != MXB_OK) {
        mxb_table_free(made);
        return status;
    }
    *table = made;
    return MXB_OK;
}

/* ---- The public table ---- */

static mxb_status check_arguments(const char *path, const struct table_options *options, int n_threads,
                                  mxb_error *error) {
    if (path == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "path is NULL");
    }
    if (options->header != MXB_HEADER_AUTO && options->header != MXB_HEADER_YES && options->header != MXB_HEADER_NO) {
        return mxb__fail(error, MXB_ERROR_PARAM, "header is %d; it must be 0 (auto), 1 (yes) or 2 (no)",
                         (int)options->header);
    }
    if (options->text_columns == NULL && options->n_text > 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "text_columns is NULL, n_text is %zu", options->n_text);
    }
    for (size_t i = 0; i < options->n_text; i++) {
        if (options->text_columns[i] == NULL) {
            return mxb__fail(error, MXB_ERROR_PARAM, "text_columns[%zu] is NULL", i);
        }
    }
    if (n_threads < 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_threads is %d; it must be 0 (all processors) or more", n_threads);
    }
    return MXB_OK;
}

mxb_status mxb_table_read_csv(const char *path, mxb_header header, const char *const *text_columns, size_t n_text,
                              int n_threads, mxb_table **table, mxb_error *error) {
    struct table_options options = {header, text_columns, n_text, 0, 0};
    char *text;
    size_t n_bytes;
    if (table == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "table is NULL");
    }
    *table = NULL;
    MXB_TRY(check_arguments(path, &options, n_threads, error));
    MXB_TRY(mxb__file_read(path, &text, &n_bytes, error));
    options.n_threads = (size_t)n_threads;
    mxb_status status = mxb__table_parse(text, n_bytes, path, &options, table, error);
    mxb__free(text);
    return status;
}

size_t mxb_table_n_rows(const mxb_table *table) { return table == NULL ? 0 : table->n_rows; }

size_t mxb_table_n_columns(const mxb_table *table) { return table == NULL ? 0 : table->n_columns; }

const char *mxb_table_column_name(const mxb_table *table, size_t column) {
    return table == NULL || column >= table->n_columns ? NULL : table->columns[column].name;
}

int mxb_table_column_is_text(const mxb_table *table, size_t column) {
    return table != NULL && column < table->n_columns && table->columns[column].is_text;
}

const char *mxb_table_column_oddity(const mxb_table *table, size_t column) {
    if (table == NULL || column >= table->n_columns) {
        return NULL;
    }
    const struct table_column *found = &table->columns[column];
    return found->text_line != 0 && found->has_numbers ? found->text : NULL;
}

void mxb_table_free(mxb_table *table) {
    if (table == NULL) {
        return;
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        mxb__free(table->columns[i].name);
        mxb__free(table->columns[i].values);
        mxb__free(table->columns[i].codes);
        mxb__free(table->columns[i].texts);
        mxb__free(table->columns[i].text_bytes);
    }
    mxb__free(table->columns);
    mxb__name_index_clear(&table->names);
    mxb__free(table->path);
    mxb__free(table);
}
