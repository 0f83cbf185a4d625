/* Step 1 of the data's path: a CSV file as columns of doubles. Knows nothing of bins, labels or losses. */
#ifndef MXB_IO_TABLE_H
#define MXB_IO_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/name_index.h"
#include "base/status.h"

struct table_column {
    char *name;     /* NULL without a header */
    double *values; /* [n_rows]; NaN = missing, and for cells that hold text */
    /* The first cell that is neither a number nor missing, for the error of whoever needs numbers here. */
    size_t text_line; /* line in the file, from 1; 0 = none, the column is numeric */
    char text[48];    /* quoted for messages */
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

/** Reads CSV text that is already in memory; `path` is only for messages. Every line must have as many fields as the
 *  first. Blanks around a number, a missing value or an unquoted name do not count. An empty name becomes "column N".
 *  Lines that are empty are skipped; in a file of one column they are missing values instead, except at the end of the
 *  file and before the header. */
mxb_status mxb__table_parse(const char *text, size_t n_bytes, const char *path, mxb_header header, mxb_table **table,
                            mxb_error *error);

#endif
