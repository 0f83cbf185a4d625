/* What a field of a table says: a number, nothing, or a text. */
#ifndef MXB_IO_CSV_CELL_H
#define MXB_IO_CSV_CELL_H

#include "io/csv.h"

/** The field without the blanks around it, which in quotes are still there. */
struct csv_field mxb__csv_cell_trim(struct csv_field field);

/** Whether a trimmed field is a missing value: empty, NA or NaN in any case. */
int mxb__csv_cell_is_missing(const struct csv_field *trimmed);

/** The number in a field, NaN if missing; 0 is returned for text, whose value is NaN too. */
int mxb__csv_cell_read(const struct csv_field *field, double *value);

#endif
