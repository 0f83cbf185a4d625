/* The plain twin of the reader of tables: one field after the other, numbers by strtod, texts by looking at all before.
 * Tables and what went wrong are compared as text that says everything. */
#ifndef PLAIN_TABLE_H
#define PLAIN_TABLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"
#include "io/table.h"

enum { PLAIN_FIELDS = 1 << 14, PLAIN_CELL = 256 };

static void plain_must(int has_room) {
    if (!has_room) {
        fprintf(stderr, "too much for the plain twin\n");
        abort();
    }
}

/* ---- What a table says ---- */

static void print_quoted(FILE *out, const char *text) {
    char quoted[PLAIN_CELL];
    fprintf(out, " [%s]", text == NULL ? "-" : mxb__quote(quoted, sizeof quoted, text, SIZE_MAX));
}

static void print_table(FILE *out, const mxb_table *table) {
    fprintf(out, "%zu x %zu\n", table->n_rows, table->n_columns);
    for (size_t j = 0; j < table->n_columns; j++) {
        const struct table_column *column = &table->columns[j];
        print_quoted(out, column->name);
        fprintf(out, " %zu [%s]", column->text_line, column->text);
        fprintf(out, " %zu", column->problem_line);
        print_quoted(out, column->problem);
        for (size_t i = 0; column->is_text && i < column->n_texts; i++) {
            print_quoted(out, column->texts[i]);
        }
        for (size_t i = 0; i < table->n_rows; i++) {
            if (column->is_text) {
                fprintf(out, " %d", (int)column->codes[i]);
            } else if (isnan(column->values[i])) {
                fprintf(out, " ?");
            } else {
                fprintf(out, " %a", column->values[i]);
            }
        }
        fprintf(out, "\n");
    }
}

/* What the reader makes of a text, to be freed. */
static char *table_as_text(const char *text, size_t n_bytes, const struct table_options *options) {
    char *said = NULL;
    size_t n_said;
    FILE *out = open_memstream(&said, &n_said);
    mxb_table *table;
    mxb_error error;
    if (mxb__table_parse(text, n_bytes, "data.csv", options, &table, &error) == MXB_OK) {
        print_table(out, table);
        mxb_table_free(table);
    } else {
        fprintf(out, "%s", error.message);
    }
    fclose(out);
    return said;
}

/* ---- The twin ---- */

struct plain_reading {
    struct csv_field fields[PLAIN_FIELDS];
    size_t n_fields;
    size_t line_starts[PLAIN_FIELDS + 1]; /* the first field of each line */
    size_t n_lines;                       /* whole ones */
    mxb_error error;                      /* of what follows them */
    int failed;
};

static int plain_is_blank(const struct plain_reading *reading, size_t line) {
    const struct csv_field *field = &reading->fields[reading->line_starts[line]];
    return field->is_last && field->n_bytes == 0 && !field->quoted;
}

static void plain_split(struct plain_reading *reading, const char *text, size_t n_bytes) {
    struct csv_reader csv;
    memset(reading, 0, sizeof *reading);
    reading->failed = mxb__csv_init(&csv, text, n_bytes, "data.csv", &reading->error) != MXB_OK;
    while (!reading->failed && !mxb__csv_is_at_end(&csv)) {
        struct csv_field *field;
        do {
            plain_must(reading->n_fields < PLAIN_FIELDS);
            field = &reading->fields[reading->n_fields++];
            reading->failed = mxb__csv_next(&csv, field, &reading->error) != MXB_OK;
        } while (!reading->failed && !field->is_last);
        if (!reading->failed) {
            reading->line_starts[++reading->n_lines] = reading->n_fields;
        }
    }
}

/* The cell without blanks and doubled quotes. */
static size_t plain_cell(const struct csv_field *field, char cell[PLAIN_CELL]) {
    char whole[PLAIN_CELL];
    plain_must(field->n_bytes < PLAIN_CELL);
    size_t end = mxb__csv_copy(field, whole, sizeof whole);
    size_t start = 0;
    for (; start < end && (whole[start] == ' ' || whole[start] == '\t'); start++) {
    }
    for (; end > start && (whole[end - 1] == ' ' || whole[end - 1] == '\t'); end--) {
    }
    memcpy(cell, whole + start, end - start);
    cell[end - start] = '\0';
    return end - start;
}

static int plain_is_missing(const char *cell, size_t length) {
    static const char *const words[] = {"",    "na",  "nA",  "Na",  "NA",  "nan", "naN",
                                        "nAn", "nAN", "Nan", "NaN", "NAn", "NAN"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], cell, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Everything strtod takes but hexadecimal, nan and blanks before it. */
static int plain_is_number(const char *cell, size_t length, double *value) {
    char *end;
    *value = NAN;
    if (length == 0 || strlen(cell) != length || strpbrk(cell, "xX \t\r\n\v\f(") != NULL) {
        return 0;
    }
    double read = strtod(cell, &end);
    if (*end != '\0' || isnan(read)) {
        return 0;
    }
    *value = read;
    return 1;
}

/* Prints a column of the rows that begin with the given fields. */
static void plain_column(FILE *out, const struct csv_field *const *rows, size_t n_rows, size_t column, int is_text) {
    static char texts[PLAIN_FIELDS][PLAIN_CELL];
    static int codes[PLAIN_FIELDS];
    static double values[PLAIN_FIELDS];
    char cell[PLAIN_CELL];
    char quoted[48] = "";
    size_t text_line = 0, problem_line = 0, n_texts = 0;
    for (size_t i = 0; i < n_rows; i++) {
        const struct csv_field *field = &rows[i][column];
        size_t length = plain_cell(field, cell);
        if (!plain_is_number(cell, length, &values[i]) && !plain_is_missing(cell, length) && text_line == 0) {
            char start[sizeof quoted];
            text_line = field->line;
            is_text = 1;
            mxb__quote(quoted, sizeof quoted, start, mxb__csv_copy(field, start, sizeof start));
        }
    }
    for (size_t i = 0; i < n_rows && is_text; i++) {
        size_t length = plain_cell(&rows[i][column], cell);
        codes[i] = -1;
        if (problem_line == 0 && strlen(cell) != length) {
            problem_line = rows[i][column].line;
        }
        if (problem_line == 0 && !plain_is_missing(cell, length)) {
            for (codes[i] = 0; (size_t)codes[i] < n_texts && strcmp(texts[codes[i]], cell) != 0; codes[i]++) {
            }
            if ((size_t)codes[i] == n_texts) {
                strcpy(texts[n_texts++], cell);
            }
        }
    }
    fprintf(out, " %zu [%s] %zu", text_line, quoted, problem_line);
    print_quoted(out, problem_line == 0 ? NULL : "the text has a zero byte in it");
    for (size_t i = 0; i < n_texts; i++) {
        print_quoted(out, texts[i]);
    }
    for (size_t i = 0; i < n_rows; i++) {
        if (is_text) {
            fprintf(out, " %d", codes[i]);
        } else {
            fprintf(out, isnan(values[i]) ? " ?" : " %a", values[i]);
        }
    }
    fprintf(out, "\n");
}

/* Prints the names of a header, or what is wrong with them: then 0. */
static int plain_names(char names[][PLAIN_CELL], const struct csv_field *fields, size_t n, FILE *out) {
    for (size_t j = 0; j < n; j++) {
        plain_must(fields[j].n_bytes < PLAIN_CELL);
        size_t length = mxb__csv_copy(&fields[j], names[j], PLAIN_CELL - 1);
        names[j][length] = '\0';
        if (strlen(names[j]) != length) {
            fprintf(out, "data.csv: line %zu, column %zu: the name has a zero byte in it", fields[j].line, j + 1);
            return 0;
        }
        if (length == 0) {
            snprintf(names[j], PLAIN_CELL, "column %zu", j + 1);
        }
        for (size_t k = 0; k < j; k++) {
            if (strcmp(names[k], names[j]) == 0) {
                char quoted[128];
                fprintf(out, "data.csv: columns %zu and %zu have the same name \"%s\"", k + 1, j + 1,
                        mxb__quote(quoted, sizeof quoted, names[j], SIZE_MAX));
                return 0;
            }
        }
    }
    return 1;
}

/* The rows from line `first` on; returns how many, or SIZE_MAX if one is wrong, after saying so. */
static size_t plain_rows(const struct plain_reading *reading, size_t first, size_t n_columns,
                         const struct csv_field **rows, FILE *out) {
    size_t n_rows = 0, n_blank = 0;
    for (size_t i = first; i < reading->n_lines; i++) {
        size_t n_fields = reading->line_starts[i + 1] - reading->line_starts[i];
        int is_blank = plain_is_blank(reading, i);
        if (is_blank && n_columns > 1) {
            continue;
        }
        if (n_fields != n_columns) {
            fprintf(out, "data.csv: line %zu has %zu field%s, the first line has %zu",
                    reading->fields[reading->line_starts[i]].line, n_fields, n_fields == 1 ? "" : "s", n_columns);
            return SIZE_MAX;
        }
        rows[n_rows++] = &reading->fields[reading->line_starts[i]];
        n_blank = is_blank ? n_blank + 1 : 0;
    }
    if (reading->failed) {
        fprintf(out, "%s", reading->error.message);
        return SIZE_MAX;
    }
    if (n_rows == n_blank) {
        fprintf(out, "data.csv has a header and no rows");
        return SIZE_MAX;
    }
    return n_rows - n_blank;
}

/* The column that is to be text: one at most, called 1 or the first. */
static size_t plain_wanted(const struct table_options *options, char names[][PLAIN_CELL], size_t n_names) {
    for (size_t j = 0; j < n_names && options->n_text > 0; j++) {
        if (strcmp(names[j], "1") == 0) {
            return j;
        }
    }
    return options->n_text > 0 ? 0 : SIZE_MAX;
}

static void plain_print(const struct plain_reading *reading, const struct table_options *options, FILE *out) {
    static char names[PLAIN_FIELDS][PLAIN_CELL];
    static const struct csv_field *rows[PLAIN_FIELDS];
    char cell[PLAIN_CELL];
    double value;
    size_t first = 0;
    while (first < reading->n_lines && plain_is_blank(reading, first)) {
        first++;
    }
    if (first == reading->n_lines) {
        fprintf(out, "%s", reading->failed ? reading->error.message : "data.csv is empty");
        return;
    }
    const struct csv_field *line = &reading->fields[reading->line_starts[first]];
    size_t n_columns = reading->line_starts[first + 1] - reading->line_starts[first];
    int has_text = 0;
    for (size_t j = 0; j < n_columns; j++) {
        size_t length = plain_cell(&line[j], cell);
        has_text |= !plain_is_number(cell, length, &value) && !plain_is_missing(cell, length);
    }
    int has_header = options->header == MXB_HEADER_YES || (options->header == MXB_HEADER_AUTO && has_text);
    if (has_header && !plain_names(names, line, n_columns, out)) {
        return;
    }
    size_t first_row = has_header ? first + 1 : n_columns == 1 ? 0 : first;
    size_t n_rows = plain_rows(reading, first_row, n_columns, rows, out);
    if (n_rows == SIZE_MAX) {
        return;
    }
    size_t wanted = plain_wanted(options, names, has_header ? n_columns : 0);
    fprintf(out, "%zu x %zu\n", n_rows, n_columns);
    for (size_t j = 0; j < n_columns; j++) {
        print_quoted(out, has_header ? names[j] : NULL);
        plain_column(out, rows, n_rows, j, j == wanted);
    }
}

/* Lines that end with CR alone, and nothing that says they are not lines. */
static int plain_has_cr_lines(const char *text, size_t n_bytes) {
    size_t n_cr = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        if (text[i] == '\n' || text[i] == '"') {
            return 0;
        }
        n_cr += text[i] == '\r' && i + 1 < n_bytes;
    }
    return n_cr > 0;
}

/* What the twin makes of it. */
static inline char *plain_as_text(const char *text, size_t n_bytes, const struct table_options *options) {
    static struct plain_reading reading;
    char *said = NULL;
    size_t n_said;
    FILE *out = open_memstream(&said, &n_said);
    plain_split(&reading, text, n_bytes);
    if (plain_has_cr_lines(text, n_bytes) && (reading.n_lines > 0 || !reading.failed)) {
        fprintf(out, "data.csv has lines that end with CR alone; they must end with LF or CR LF");
    } else {
        plain_print(&reading, options, out);
    }
    fclose(out);
    return said;
}

#endif
