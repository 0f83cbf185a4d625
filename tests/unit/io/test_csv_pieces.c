/* Text cut into pieces: whole lines, nothing left out, and the numbers of lines and rows that one reader counts. */
#include "io/csv_pieces.h"

#include <stdlib.h>

#include "check.h"
#include "random_csv.h"

static struct random_csv csv;

/* The row and line that a reader has come to at each byte that begins a line; SIZE_MAX elsewhere. */
struct walk {
    size_t rows[sizeof csv.text + 1];
    size_t lines[sizeof csv.text + 1];
    size_t n_rows;
};

/* Returns 0 if the reader finds a mistake. */
static int walk_text(struct walk *walk, const struct csv_reader *start, const char *text, int counts_blank) {
    struct csv_reader reader = *start;
    size_t n_rows = 0;
    memset(walk->rows, 0xff, sizeof walk->rows);
    walk->n_rows = 0;
    while (!mxb__csv_is_at_end(&reader)) {
        struct csv_field field;
        walk->rows[reader.next - text] = n_rows;
        walk->lines[reader.next - text] = reader.line;
        do {
            if (mxb__csv_next(&reader, &field, NULL) != MXB_OK) {
                return 0;
            }
        } while (!field.is_last);
        int is_blank = mxb__csv_is_blank_line(&reader, &field);
        n_rows += !is_blank || counts_blank;
        walk->n_rows = is_blank ? walk->n_rows : n_rows;
    }
    return 1;
}

/* Whether the pieces are those of the walk, each of about the wanted length. */
static int pieces_agree(const struct csv_pieces *pieces, const struct walk *walk, const char *text, const char *end) {
    const char *p = pieces->n > 0 ? pieces->pieces[0].start : end;
    size_t n_rows = 0;
    for (size_t i = 0; i < pieces->n; i++) {
        const struct csv_piece *piece = &pieces->pieces[i];
        size_t at = (size_t)(piece->start - text);
        if (piece->start != p || piece->end <= p || walk->lines[at] != piece->first_line ||
            (piece->n_rows > 0 && (walk->rows[at] != piece->first_row || n_rows != piece->first_row))) {
            return 0;
        }
        n_rows += piece->n_rows;
        p = piece->end;
    }
    return p == end && n_rows == walk->n_rows && pieces->n_rows == n_rows;
}

/* 1: the pieces of the text are those of a walk over it; 0: they are not; -1: there is a mistake in it. */
static int compare(const char *text, size_t n_bytes, int counts_blank, size_t piece_bytes, struct pool *pool) {
    static struct walk walk;
    struct csv_reader start;
    struct csv_pieces pieces;
    if (mxb__csv_init(&start, text, n_bytes, "f.csv", NULL) != MXB_OK ||
        !walk_text(&walk, &start, text, counts_blank)) {
        return -1;
    }
    if (mxb__csv_pieces_build(&pieces, &start, counts_blank, piece_bytes, pool, NULL) != MXB_OK) {
        return 0;
    }
    int agree = pieces_agree(&pieces, &walk, text, start.end);
    mxb__csv_pieces_clear(&pieces);
    return agree;
}

static void counts_as_one_reader(void) {
    size_t n_wrong = 0, n_right = 0;
    struct pool *pool = mxb__pool_open(3);
    for (uint64_t seed = 0; seed < 3000 && n_wrong == 0; seed++) {
        random_csv_fill(&csv, seed, 1 + seed % 40);
        char *text = malloc(csv.n_bytes); /* of just the size, for sanitizers */
        REQUIRE(text != NULL);
        memcpy(text, csv.text, csv.n_bytes);
        int outcome = compare(text, csv.n_bytes, seed % 2 == 0, 1 + random_below(&csv, 100), pool);
        n_wrong += outcome == 0;
        n_right += outcome == 1;
        free(text);
    }
    mxb__pool_close(pool);
    CHECK_INT(n_wrong, 0);
    CHECK(n_right > 2000);
}

static size_t n_pieces(const char *text, size_t n_bytes, size_t piece_bytes) {
    struct csv_reader start;
    struct csv_pieces pieces;
    if (mxb__csv_init(&start, text, n_bytes, "f.csv", NULL) != MXB_OK ||
        mxb__csv_pieces_build(&pieces, &start, 0, piece_bytes, NULL, NULL) != MXB_OK) {
        return SIZE_MAX;
    }
    size_t n = pieces.n;
    mxb__csv_pieces_clear(&pieces);
    return n;
}

static void cuts_where_lines_begin(void) {
    CHECK_INT(n_pieces("", 0, 4), 0);
    CHECK_INT(n_pieces("1\n2\n3\n4\n", 8, 100), 1);
    CHECK_INT(n_pieces("1\n2\n3\n4\n", 8, 4), 2);
    CHECK_INT(n_pieces("1\n2\n3\n4\n", 8, 1), 4);
    CHECK_INT(n_pieces("1,2,3,4,5,6\n7", 13, 4), 2);
    CHECK_INT(n_pieces("\"\n\n\n\n\n\n\n\n\"\n7", 13, 2), 2);
}

/* Quotes that never close, in every piece, and lines without an end: still each byte is looked at a few times only. */
static void long_lines_take_no_longer(void) {
    enum { BYTES = 1 << 22 };
    char *text = malloc(BYTES);
    REQUIRE(text != NULL);
    memset(text, 'x', BYTES);
    CHECK_INT(n_pieces(text, BYTES, 100), 1);
    for (size_t i = 0; i + 1 < BYTES; i += 100) {
        text[i] = '\n';
        text[i + 1] = '"';
    }
    CHECK(n_pieces(text, BYTES, 128) < BYTES / 100);
    free(text);
}

int main(void) {
    RUN(counts_as_one_reader);
    RUN(cuts_where_lines_begin);
    RUN(long_lines_take_no_longer);
    return check_report();
}
