/* Step 1 of the data's path: CSV fields to columns of doubles, one pass over the text, 8 bytes a cell; a second pass
 * codes the columns that hold text. Knows nothing of labels, weights or features: datasets are made of a table in
 * table_view.c. */
#include "io/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/dataset.h"
#include "data/dictionary.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/text_list.h"

_Static_assert((int)MXB__MAX_FIELD_BYTES <= (int)MXB__MAX_TEXT_BYTES, "any cell can be a text");

enum {
    PATH_SIZE = 256, /* of the path in messages */
    NAME_SIZE = 128, /* of a quoted name in messages */
    FIRST_ROWS = 8   /* capacity of a column at first: an allocation has at least 64 bytes */
};

/* A table on its way. */
struct parse {
    mxb_table *table;
    struct csv_reader csv;
    size_t n_bytes;          /* of the whole text */
    size_t capacity;         /* rows the columns have room for */
    struct text_list *lists; /* [n_columns] while texts are coded */
    char *plain;             /* a cell without its doubled quotes */
    size_t n_plain;          /* bytes it has room for */
};

/* ---- Cells ---- */

static int is_missing(const char *text, size_t n_bytes) {
    char lower[3];
    if (n_bytes == 0) {
        return 1;
    }
    if (n_bytes > sizeof lower) {
        return 0;
    }
    for (size_t i = 0; i < n_bytes; i++) {
        lower[i] = (char)(text[i] | 0x20);
    }
    return (n_bytes == 2 && memcmp(lower, "na", 2) == 0) || (n_bytes == 3 && memcmp(lower, "nan", 3) == 0);
}

/* A field without the blanks around it, which in quotes are still there. */
static struct csv_field trim(struct csv_field field) {
    while (field.n_bytes > 0 && (*field.text == ' ' || *field.text == '\t')) {
        field.text++;
        field.n_bytes--;
    }
    while (field.n_bytes > 0 && (field.text[field.n_bytes - 1] == ' ' || field.text[field.n_bytes - 1] == '\t')) {
        field.n_bytes--;
    }
    return field;
}

/* The number in a field, NaN if missing; 0 is returned for text, whose value is NaN too. */
static int read_cell(const struct csv_field *field, double *value) {
    struct csv_field cell = trim(*field);
    if (mxb__number_parse(cell.text, cell.n_bytes, value)) {
        return 1;
    }
    *value = NAN;
    return is_missing(cell.text, cell.n_bytes);
}

static void store_cell(struct table_column *column, size_t row, const struct csv_field *field) {
    char start[sizeof column->text];
    if (!read_cell(field, &column->values[row]) && column->text_line == 0) {
        column->is_text = 1;
        column->text_line = field->line;
        mxb__quote(column->text, sizeof column->text, start, mxb__csv_copy(field, start, sizeof start));
    }
}

/* ---- Rows ---- */

/* Lines are about equally long, so the bytes read tell how many rows there will be. A cell takes at least a byte of the
 * text, so the estimate is bounded by it; the factors keep odd beginnings from leading far astray. */
static mxb_status reserve_row(struct parse *parse, mxb_error *error) {
    mxb_table *table = parse->table;
    if (table->n_rows < parse->capacity) {
        return MXB_OK;
    }
    if (table->n_rows >= MXB__MAX_ROWS) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has more than %zu rows", table->path, MXB__MAX_ROWS);
    }
    size_t capacity = FIRST_ROWS;
    if (table->n_rows > 0) {
        size_t n_left = (size_t)(parse->csv.end - parse->csv.next);
        double n_done = (double)(parse->n_bytes - n_left) + 1;
        double estimate = 1.02 * (double)table->n_rows * (double)parse->n_bytes / n_done + FIRST_ROWS;
        capacity = table->n_rows + table->n_rows / 2;
        if (estimate > (double)capacity) {
            capacity = estimate < 8 * (double)table->n_rows ? (size_t)estimate : 8 * table->n_rows;
        }
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        MXB_TRY(mxb__grow(&table->columns[i].values, table->n_rows, capacity, sizeof(double), "a table", error));
    }
    parse->capacity = capacity;
    return MXB_OK;
}

/* The rest of a line whose first field has been read. */
static mxb_status read_row(struct parse *parse, struct csv_field *field, mxb_error *error) {
    mxb_table *table = parse->table;
    MXB_TRY(reserve_row(parse, error));
    store_cell(&table->columns[0], table->n_rows, field);
    while (!field->is_last) {
        MXB_TRY(mxb__csv_next(&parse->csv, field, error));
        if (parse->csv.n_fields <= table->n_columns) {
            store_cell(&table->columns[parse->csv.n_fields - 1], table->n_rows, field);
        }
    }
    size_t n_fields = parse->csv.n_fields;
    if (n_fields != table->n_columns) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu has %zu field%s, the first line has %zu", table->path,
                         parse->csv.record_line, n_fields, n_fields == 1 ? "" : "s", table->n_columns);
    }
    table->n_rows++;
    return MXB_OK;
}

static mxb_status read_rows(struct parse *parse, mxb_error *error) {
    mxb_table *table = parse->table;
    size_t n_blank = 0; /* lines that are missing values if anything follows them */
    while (!mxb__csv_is_at_end(&parse->csv)) {
        struct csv_field field;
        MXB_TRY(mxb__csv_next(&parse->csv, &field, error));
        if (mxb__csv_is_blank_line(&parse->csv, &field)) {
            n_blank += table->n_columns == 1;
            continue;
        }
        for (; n_blank > 0; n_blank--) {
            MXB_TRY(reserve_row(parse, error));
            table->columns[0].values[table->n_rows++] = NAN;
        }
        MXB_TRY(read_row(parse, &field, error));
    }
    if (table->n_rows == 0) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has a header and no rows", table->path);
    }
    return MXB_OK;
}

/* ---- Texts ---- */

static void give_up_texts(struct table_column *column, const char *problem, size_t line) {
    column->problem = problem;
    column->problem_line = line;
}

static mxb_status code_cell(struct parse *parse, size_t index, size_t row, const struct csv_field *field,
                            mxb_error *error) {
    struct table_column *column = &parse->table->columns[index];
    struct text_list *list = &parse->lists[index];
    struct csv_field cell = trim(*field);
    uint32_t code;
    column->codes[row] = -1;
    if (column->problem != NULL || is_missing(cell.text, cell.n_bytes)) {
        return MXB_OK;
    }
    if (memchr(cell.text, '\0', cell.n_bytes) != NULL) {
        give_up_texts(column, "the text has a zero byte in it", field->line);
        return MXB_OK;
    }
    if (cell.quoted && memchr(cell.text, '"', cell.n_bytes) != NULL) {
        if (cell.n_bytes > parse->n_plain) {
            MXB_TRY(mxb__grow(&parse->plain, 0, cell.n_bytes, 1, "a cell", error));
            parse->n_plain = cell.n_bytes;
        }
        cell.n_bytes = mxb__csv_copy(&cell, parse->plain, cell.n_bytes);
        cell.text = parse->plain;
    }
    MXB_TRY(mxb__text_list_add(list, cell.text, cell.n_bytes, &code, error));
    column->codes[row] = (int32_t)code;
    if (list->n_texts > MXB__MAX_TEXTS) {
        give_up_texts(column, "the column has more than 16777216 different texts", field->line);
    }
    return MXB_OK;
}

/* Goes through the rows again; all of them have been read once, so nothing is wrong with their form. */
static mxb_status code_rows(struct parse *parse, struct csv_reader csv, mxb_error *error) {
    mxb_table *table = parse->table;
    for (size_t row = 0; row < table->n_rows;) {
        struct csv_field field;
        MXB_TRY(mxb__csv_next(&csv, &field, error));
        if (table->n_columns > 1 && mxb__csv_is_blank_line(&csv, &field)) {
            continue;
        }
        for (size_t i = 0; i < table->n_columns; i++) {
            if (i > 0) {
                MXB_TRY(mxb__csv_next(&csv, &field, error));
            }
            if (table->columns[i].is_text) {
                MXB_TRY(code_cell(parse, i, row, &field, error));
            }
        }
        row++;
    }
    return MXB_OK;
}

/* `csv` stands at the first row. */
static mxb_status read_texts(struct parse *parse, struct csv_reader csv, mxb_error *error) {
    mxb_table *table = parse->table;
    size_t n_text = 0;
    for (size_t i = 0; i < table->n_columns; i++) {
        struct table_column *column = &table->columns[i];
        if (column->is_text) {
            n_text++;
            mxb__free(column->values);
            column->values = NULL;
            MXB_TRY(mxb__alloc(&column->codes, table->n_rows, sizeof *column->codes, "a table", error));
        }
    }
    if (n_text == 0) {
        return MXB_OK;
    }
    MXB_TRY(mxb__alloc_zeroed(&parse->lists, table->n_columns, sizeof *parse->lists, "a table", error));
    MXB_TRY(code_rows(parse, csv, error));
    for (size_t i = 0; i < table->n_columns; i++) {
        struct table_column *column = &table->columns[i];
        if (column->is_text) {
            column->n_texts = parse->lists[i].n_texts;
            MXB_TRY(mxb__text_list_take(&parse->lists[i], &column->texts, &column->text_bytes, error));
        }
    }
    return MXB_OK;
}

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
static mxb_status look_at_first_line(struct parse *parse, struct csv_reader *line, int *has_text, mxb_error *error) {
    struct csv_field field;
    double value;
    do {
        if (mxb__csv_is_at_end(&parse->csv)) {
            return mxb__fail(error, MXB_ERROR_DATA, "%s is empty", parse->table->path);
        }
        *line = parse->csv;
        MXB_TRY(mxb__csv_next(&parse->csv, &field, error));
    } while (mxb__csv_is_blank_line(&parse->csv, &field));
    *has_text = !read_cell(&field, &value);
    while (!field.is_last) {
        MXB_TRY(mxb__csv_next(&parse->csv, &field, error));
        *has_text |= !read_cell(&field, &value);
    }
    if (parse->csv.n_fields > MXB__MAX_TABLE_COLUMNS) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has %zu columns; at most %zu are allowed", parse->table->path,
                         parse->csv.n_fields, MXB__MAX_TABLE_COLUMNS);
    }
    return MXB_OK;
}

static mxb_status parse_text(struct parse *parse, mxb_header header, struct text_choice choice, mxb_error *error) {
    mxb_table *table = parse->table;
    struct csv_reader start = parse->csv;
    struct csv_reader first_line;
    int has_text = 0;
    MXB_TRY(look_at_first_line(parse, &first_line, &has_text, error));
    table->has_header = header == MXB_HEADER_YES || (header == MXB_HEADER_AUTO && has_text);
    size_t n_columns = parse->csv.n_fields;
    MXB_TRY(mxb__alloc_zeroed(&table->columns, n_columns, sizeof *table->columns, "a table", error));
    table->n_columns = n_columns;
    if (table->has_header) {
        MXB_TRY(read_names(table, first_line, error));
    } else {
        parse->csv = n_columns == 1 ? start : first_line;
    }
    for (size_t i = 0; i < choice.n; i++) {
        size_t column;
        MXB_TRY(mxb__table_find_column(table, choice.columns[i], &column, error));
        table->columns[column].is_text = 1;
    }
    struct csv_reader rows = parse->csv;
    MXB_TRY(read_rows(parse, error));
    return read_texts(parse, rows, error);
}

mxb_status mxb__table_parse(const char *text, size_t n_bytes, const char *path, mxb_header header,
                            struct text_choice choice, mxb_table **table, mxb_error *error) {
    char printable[PATH_SIZE];
    struct parse parse = {.n_bytes = n_bytes};
    *table = NULL;
    if (strcmp(path, "-") == 0) {
        path = "standard input";
    }
    MXB_TRY(mxb__alloc_zeroed(&parse.table, 1, sizeof *parse.table, "a table", error));
    mxb__quote(printable, sizeof printable, path, SIZE_MAX);
    mxb_status status = mxb__copy_text(&parse.table->path, printable, error);
    if (status == MXB_OK) {
        status = mxb__csv_init(&parse.csv, text, n_bytes, parse.table->path, error);
    }
    if (status == MXB_OK) {
        status = parse_text(&parse, header, choice, error);
    }
    for (size_t i = 0; parse.lists != NULL && i < parse.table->n_columns; i++) {
        mxb__text_list_clear(&parse.lists[i]);
    }
    mxb__free(parse.lists);
    mxb__free(parse.plain);
    if (status != MXB_OK) {
        mxb_table_free(parse.table);
        return status;
    }
    *table = parse.table;
    return MXB_OK;
}

/* ---- The public table ---- */

mxb_status mxb_table_read_csv(const char *path, mxb_header header, const char *const *text_columns, size_t n_text,
                              mxb_table **table, mxb_error *error) {
    struct text_choice choice = {text_columns, n_text};
    char *text;
    size_t n_bytes;
    if (table == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "table is NULL");
    }
    *table = NULL;
    if (path == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "path is NULL");
    }
    if (header != MXB_HEADER_AUTO && header != MXB_HEADER_YES && header != MXB_HEADER_NO) {
        return mxb__fail(error, MXB_ERROR_PARAM, "header is %d; it must be 0 (auto), 1 (yes) or 2 (no)", (int)header);
    }
    for (size_t i = 0; i < n_text; i++) {
        if (text_columns == NULL || text_columns[i] == NULL) {
            return text_columns == NULL
                       ? mxb__fail(error, MXB_ERROR_PARAM, "text_columns is NULL, n_text is %zu", n_text)
                       : mxb__fail(error, MXB_ERROR_PARAM, "text_columns[%zu] is NULL", i);
        }
    }
    MXB_TRY(mxb__file_read(path, &text, &n_bytes, error));
    mxb_status status = mxb__table_parse(text, n_bytes, path, header, choice, table, error);
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
    if (table == NULL || column >= table->n_columns || table->columns[column].text_line == 0) {
        return NULL;
    }
    const struct table_column *found = &table->columns[column];
    for (size_t i = 0; i < found->n_texts; i++) {
        double number;
        if (mxb__number_parse(found->texts[i], strlen(found->texts[i]), &number)) {
            return found->text;
        }
    }
    return NULL;
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
