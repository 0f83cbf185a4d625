/* Step 1 of the data's path: a CSV file as columns of doubles or of texts. Knows nothing of bins, labels or losses. */
#ifndef MXB_IO_TABLE_H
#define MXB_IO_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/name_index.h"
#include "base/status.h"

struct table_column {
    char *name;     /* NULL without a header */
    double *values; /* [n_rows]; NaN = missing. NULL for text */
    /* The first cell that is neither a number nor missing, for the error of whoever needs numbers here. */
    size_t text_line; /* line in the file, from 1; 0 = none */
    char text[48];    /* quoted for messages */
    /* Text, because there is such a cell or because the caller wants it. */
    int is_text;
    int has_numbers;    /* text, some cells of which read as numbers */
    int64_t *codes;     /* [n_rows] into texts; -1 = missing. They take the place of the values */
    const char **texts; /* [n_texts], each a different one, in the order of the file */
    size_t n_texts;
    char *text_bytes;    /* what texts point into */
    const char *problem; /* why the texts cannot be used, for the error of whoever asks for them; NULL = they can */
    size_t problem_line;
};

struct mxb_table {
    char *path; /* for messages: printable, cut if long; "standard input" for "-" */
    size_t n_rows;
    size_t n_columns;
    int has_header;
    struct table_column *columns;
    struct name_index names; /* positions of the columns; empty without a header */
};

/** The most columns a file may have. */
#define MXB__MAX_TABLE_COLUMNS ((size_t)1 << 17)

struct table_options {
    mxb_header header;
    const char *const *text_columns; /* to be text whatever they hold: their names or numbers from 1 */
    size_t n_text;
    size_t n_threads;   /* 0: all processors */
    size_t piece_bytes; /* of the text that a thread reads at a time; 0: as many as are good */
};

/** Reads CSV text that is already in memory; `path` is only for messages. Every line must have as many fields as the
 *  first. Blanks around a number, a missing value or an unquoted name do not count. An empty name becomes "column N".
 *  Lines that are empty are skipped; in a file of one column they are missing values instead, except at the end of the
 *  file and before the header. Threads and pieces never show in the result. */
mxb_status mxb__table_parse(const char *text, size_t n_bytes, const char *path, const struct table_options *options,
                            mxb_table **table, mxb_error *error);

/** The position of a column by its name or else its number, counted from 1. DATA if there is none. */
mxb_status mxb__table_find_column(const mxb_table *table, const char *wanted, size_t *column, mxb_error *error);

#endif
