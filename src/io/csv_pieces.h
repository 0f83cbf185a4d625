/* CSV text cut into pieces of whole lines, which threads can read side by side. */
#ifndef MXB_IO_CSV_PIECES_H
#define MXB_IO_CSV_PIECES_H

#include <stddef.h>

#include "base/parallel.h"
#include "base/status.h"
#include "io/csv.h"

struct csv_piece {
    const char *start; /* begins a line */
    const char *end;   /* begins a line, or is the end of the text */
    size_t first_line; /* in the file, from 1 */
    size_t first_row;
    size_t n_rows; /* lines of fields; what is wrong with one of them is not known yet */
};

struct csv_pieces {
    struct csv_piece *pieces; /* in the order of the text */
    size_t n;
    size_t n_rows;
};

/** Cuts what `rows`, which stands at the first row, has to read into pieces of about `piece_bytes`. Empty lines are no
 *  rows, or if `counts_blank` only those at the end of the text. The pieces are the same for any number of threads. */
mxb_status mxb__csv_pieces_build(struct csv_pieces *pieces, const struct csv_reader *rows, int counts_blank,
                                 size_t piece_bytes, struct pool *pool, mxb_error *error);
void mxb__csv_pieces_clear(struct csv_pieces *pieces);

/** A reader that begins and ends with the piece. */
struct csv_reader mxb__csv_piece_reader(const struct csv_piece *piece, const char *path);

#endif
