/* Text in columns, on standard output. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <stddef.h>

struct cell {
    const char *text;
    size_t width; /* of its column */
};

/** Prints a row, each cell wrapped to its width. Cells are used up. */
void columns_print(struct cell *cells, size_t n_cells);

/** The width that is left for a last column beside others, of `widths` characters in all. */
size_t columns_last_width(size_t widths, size_t n_others);

#endif
