/* The columns of a table that hold text. */
#ifndef MXB_IO_TABLE_TEXTS_H
#define MXB_IO_TABLE_TEXTS_H

#include "base/parallel.h"
#include "io/csv_pieces.h"
#include "io/table.h"

/** Gives the columns that are text codes and texts instead of values. `pieces` are those of which the rows were read,
 *  without failure. */
mxb_status mxb__table_read_texts(mxb_table *table, const struct csv_pieces *pieces, struct pool *pool,
                                 mxb_error *error);

#endif
