/* Step 1 of the data's path: text to pieces of whole lines. Where a line ends depends on quotes, and these on all text
 * before; so each piece is counted from where a line seems to begin, and counted again from where one does begin if
 * that was wrong, which only a line break in quotes brings about. Knows nothing of columns, names or numbers. */
#include "io/csv_pieces.h"

#include <string.h>

#include "base/memory.h"

static const double NANOSECONDS_PER_BYTE = 0.1;

/* Lines one behind the other. */
struct lines {
    const char *start; /* NULL: not counted */
    const char *end;
    size_t n_breaks; /* LFs, also those in quotes */
    size_t n_rows;
    size_t n_blank_at_end; /* of the rows */
};

struct cutting {
    const char *start; /* of the rows */
    const char *end;   /* of the text */
    size_t piece_bytes;
    int counts_blank;
    struct lines *lines; /* of each piece */
};

static const char *after(const char *p, const char *end, size_t n_bytes) {
    return (size_t)(end - p) > n_bytes ? p + n_bytes : end;
}

/* Counts the lines that begin before `stop`. Returns 0 if the last of them does not end before `limit`, which lies
 * behind `stop` or is the end of the text. */
static int count_lines(const struct cutting *cutting, const char *start, const char *stop, const char *limit,
                       struct lines *lines) {
    const char *p = start;
    *lines = (struct lines){.start = start};
    while (p < stop) {
        int is_blank = mxb__csv_begins_blank_line(p, limit);
        if (!is_blank || cutting->counts_blank) {
            lines->n_rows++;
            lines->n_blank_at_end = is_blank ? lines->n_blank_at_end + 1 : 0;
        }
        p = mxb__csv_line_end(p, limit, &lines->n_breaks);
        if (p == limit && limit != cutting->end) {
            return 0;
        }
    }
    lines->end = p;
    return 1;
}

/* A piece as it is if a line begins after its first LF. Looks no further than one piece beyond its own, so that all of
 * them together look at each byte twice at most. */
static void count_guess(void *context, size_t index, size_t thread) {
    const struct cutting *cutting = context;
    struct lines *lines = &cutting->lines[index];
    const char *start = cutting->start + index * cutting->piece_bytes;
    const char *stop = after(start, cutting->end, cutting->piece_bytes);
    (void)thread;
    lines->start = NULL;
    if (index > 0) {
        start = memchr(start - 1, '\n', (size_t)(stop - start) + 1);
        if (start == NULL || ++start == stop) {
            return;
        }
    }
    if (!count_lines(cutting, start, stop, after(stop, cutting->end, cutting->piece_bytes), lines)) {
        lines->start = NULL;
    }
}

/* Joins the guesses that were right, and counts again what was not. */
static void chain(const struct cutting *cutting, size_t first_line, struct csv_pieces *pieces, size_t n_guesses) {
    const char *start = cutting->start;
    for (size_t i = 0; i < n_guesses; i++) {
        struct lines *lines = &cutting->lines[i];
        const char *stop = after(cutting->start + i * cutting->piece_bytes, cutting->end, cutting->piece_bytes);
        if (start >= stop) {
            continue; /* one long line is all of the piece */
        }
        if (lines->start != start) {
            count_lines(cutting, start, stop, cutting->end, lines);
        }
        pieces->pieces[pieces->n] = (struct csv_piece){start, lines->end, first_line, pieces->n_rows, lines->n_rows};
        cutting->lines[pieces->n++] = *lines;
        pieces->n_rows += lines->n_rows;
        first_line += lines->n_breaks;
        start = lines->end;
    }
}

static void drop_blank_at_end(struct csv_pieces *pieces, const struct lines *lines) {
    for (size_t i = pieces->n; i-- > 0;) {
        pieces->pieces[i].n_rows -= lines[i].n_blank_at_end;
        pieces->n_rows -= lines[i].n_blank_at_end;
        if (pieces->pieces[i].n_rows > 0) {
            return;
        }
    }
}

mxb_status mxb__csv_pieces_build(struct csv_pieces *pieces, const struct csv_reader *rows, int counts_blank,
                                 size_t piece_bytes, struct pool *pool, mxb_error *error) {
    struct cutting cutting = {rows->next, rows->end, piece_bytes, counts_blank, NULL};
    size_t n_bytes = (size_t)(rows->end - rows->next);
    size_t n_guesses = mxb__n_blocks(n_bytes, piece_bytes);
    *pieces = (struct csv_pieces){0};
    MXB_TRY(mxb__alloc(&pieces->pieces, n_guesses, sizeof *pieces->pieces, "a table", error));
    mxb_status status = mxb__alloc(&cutting.lines, n_guesses, sizeof *cutting.lines, "a table", error);
    if (status != MXB_OK) {
        mxb__csv_pieces_clear(pieces);
        return status;
    }
    mxb__pool_run(pool, n_guesses, NANOSECONDS_PER_BYTE * (double)n_bytes, count_guess, &cutting);
    chain(&cutting, rows->line, pieces, n_guesses);
    if (counts_blank) {
        drop_blank_at_end(pieces, cutting.lines);
    }
    mxb__free(cutting.lines);
    return MXB_OK;
}

void mxb__csv_pieces_clear(struct csv_pieces *pieces) {
    mxb__free(pieces->pieces);
    *pieces = (struct csv_pieces){0};
}

struct csv_reader mxb__csv_piece_reader(const struct csv_piece *piece, const char *path) {
    return (struct csv_reader){
        .next = piece->start, .end = piece->end, .path = path, .line = piece->first_line, .is_line_done = 1};
}
