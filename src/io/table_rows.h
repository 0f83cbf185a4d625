/* The rows of a table as numbers. */
#ifndef MXB_IO_TABLE_ROWS_H
#define MXB_IO_TABLE_ROWS_H

#include "base/parallel.h"
#include "io/csv_pieces.h"
#include "io/table.h"

/** Where a cell of text begins, counted from the first piece, as its value tells; SIZE_MAX of a missing one. */
size_t mxb__text_place(const void *value);

/** Reads the rows that `pieces` cuts out: sets n_rows and fills the columns' values, NaN where a cell is missing or
 *  text, and of text also the place. Columns with a cell of text become text, and the first such cell is noted. What is
 * wrong with the file is told of the first line where something is. */
mxb_status mxb__table_read_rows(mxb_table *table, const struct csv_pieces *pieces, struct pool *pool, mxb_error *error);

#endif
