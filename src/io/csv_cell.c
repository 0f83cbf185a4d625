/* Step 1 of the data's path: what a field says. Knows nothing of the table around it. */
#include "io/csv_cell.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

struct csv_field mxb__csv_cell_trim(struct csv_field field) {
    while (field.n_bytes > 0 && mxb__csv_is_blank(*field.text)) {
        field.text++;
        field.n_bytes--;
    }
    while (field.n_bytes > 0 && mxb__csv_is_blank(field.text[field.n_bytes - 1])) {
        field.n_bytes--;
    }
    return field;
}

int mxb__csv_cell_is_missing(const struct csv_field *trimmed) {
    char lower[3];
    if (trimmed->n_bytes == 0) {
        return 1;
    }
    if (trimmed->n_bytes > sizeof lower) {
        return 0;
    }
    for (size_t i = 0; i < trimmed->n_bytes; i++) {
        lower[i] = (char)(trimmed->text[i] | 0x20);
    }
    return (trimmed->n_bytes == 2 && memcmp(lower, "na", 2) == 0) ||
           (trimmed->n_bytes == 3 && memcmp(lower, "nan", 3) == 0);
}

int mxb__csv_cell_read(const struct csv_field *field, double *value) {
    struct csv_field cell = mxb__csv_cell_trim(*field);
    if (mxb__number_parse(cell.text, cell.n_bytes, value)) {
        return 1;
    }
    *value = NAN;
    return mxb__csv_cell_is_missing(&cell);
}
