/* Step 1 of the data's path: columns of text to codes. Where each text begins is known from the first pass; only where
 * some cells of the column were numbers the lines are read once more. One thread codes all pieces with the columns' own
 * lists. More of them code some pieces at a time with lists of the piece, which are then joined to the
 * columns' in the order of the file, so that codes are the same. Knows nothing of numbers. */
#include "io/table_texts.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data/dictionary.h"
#include "io/csv_cell.h"
#include "io/table_rows.h"
#include "io/text_list.h"

_Static_assert((int)MXB__MAX_FIELD_BYTES <= (int)MXB__MAX_TEXT_BYTES, "any cell can be a text");

static const double NANOSECONDS_PER_BYTE = 1.0;

enum {
    PIECES_PER_THREAD = 4, /* coded at a time */
    ROWS_WORTH_A_LIST = 32 /* in a piece; with fewer, lists of its own cost more than they save */
};

/* A piece and the lists that code it. */
struct coding {
    mxb_table *table;
    const struct csv_piece *piece;
    const char *text;        /* what the places of texts count from */
    struct text_list *lists; /* [n_columns]; those of numbers stay empty */
    char *plain;             /* a cell without its doubled quotes */
    size_t n_plain;          /* bytes it has room for */
    int is_whole;            /* 1 = the lists are the columns', 0 = the piece's */
    int is_again;            /* 1 = the piece has been coded before */
    int has_problem;         /* 1 = left to whoever has the columns' lists */
    const char *counted_to;  /* NULL, or a place of which the line is known */
    size_t counted_line;
    mxb_status status;
};

static void coding_clear(struct coding *coding) {
    for (size_t i = 0; coding->lists != NULL && i < coding->table->n_columns; i++) {
        mxb__text_list_clear(&coding->lists[i]);
    }
    mxb__free(coding->lists);
    mxb__free(coding->plain);
    coding->lists = NULL;
    coding->plain = NULL;
    coding->n_plain = 0;
}

/* ---- One piece ---- */

/* The line of a place in the piece. Goes on from the last one asked for, so that a line of many columns is not counted
 * once for each. */
static size_t line_of(struct coding *coding, const char *place) {
    const struct csv_piece *piece = coding->piece;
    if (coding->counted_to < piece->start || coding->counted_to > place) {
        coding->counted_to = piece->start;
        coding->counted_line = piece->first_line;
    }
    const char *feed;
    while ((feed = memchr(coding->counted_to, '\n', (size_t)(place - coding->counted_to))) != NULL) {
        coding->counted_to = feed + 1;
        coding->counted_line++;
    }
    coding->counted_to = place;
    return coding->counted_line;
}

/* What stands in the way of a column's texts ends them there; a piece alone cannot know whether it is the first. */
static void give_up_texts(struct coding *coding, struct table_column *column, const char *problem, const char *place) {
    coding->has_problem = 1;
    if (coding->is_whole) {
        column->problem = problem;
        column->problem_line = line_of(coding, place);
    }
}

/* Takes the doubled quotes out of a cell. */
static mxb_status make_plain(struct coding *coding, struct csv_field *cell, mxb_error *error) {
    if (cell->n_bytes > coding->n_plain) {
        MXB_TRY(mxb__grow(&coding->plain, 0, cell->n_bytes, 1, "a cell", error));
        coding->n_plain = cell->n_bytes;
    }
    cell->n_bytes = mxb__csv_copy(cell, coding->plain, cell->n_bytes);
    cell->text = coding->plain;
    return MXB_OK;
}

static mxb_status code_cell(struct coding *coding, size_t index, size_t row, const struct csv_field *field,
                            mxb_error *error) {
    struct table_column *column = &coding->table->columns[index];
    struct text_list *list = &coding->lists[index];
    struct csv_field cell = mxb__csv_cell_trim(*field);
    uint32_t code;
    column->codes[row] = -1;
    if (column->problem != NULL || mxb__csv_cell_is_missing(&cell)) {
        return MXB_OK;
    }
    if (memchr(cell.text, '\0', cell.n_bytes) != NULL) {
        give_up_texts(coding, column, "the text has a zero byte in it", field->text);
        return MXB_OK;
    }
    if (cell.quoted && memchr(cell.text, '"', cell.n_bytes) != NULL) {
        MXB_TRY(make_plain(coding, &cell, error));
    }
    MXB_TRY(mxb__text_list_add(list, cell.text, cell.n_bytes, &code, error));
    column->codes[row] = code;
    if (list->n_texts > MXB__MAX_TEXTS) {
        give_up_texts(coding, column, "the column has more than 16777216 different texts", field->text);
    }
    return MXB_OK;
}

/* Whether the texts of a column are where its codes will be. */
static int knows_places(const struct coding *coding, size_t index) {
    return !coding->is_again && !coding->table->columns[index].has_numbers;
}

/* The columns of which the places are not known. All rows have been read once, so nothing is wrong with their form. */
static mxb_status code_lines(struct coding *coding, mxb_error *error) {
    const mxb_table *table = coding->table;
    const struct csv_piece *piece = coding->piece;
    struct csv_reader csv = mxb__csv_piece_reader(piece, table->path);
    size_t end = piece->first_row + piece->n_rows;
    for (size_t row = piece->first_row; row < end;) {
        if (table->n_columns > 1 && mxb__csv_begins_blank_line(csv.next, csv.end)) {
            mxb__csv_skip(&csv);
            continue;
        }
        for (size_t i = 0; i < table->n_columns; i++) {
            struct csv_field field;
            if (!table->columns[i].is_text || knows_places(coding, i)) {
                mxb__csv_skip(&csv);
                continue;
            }
            MXB_TRY(mxb__csv_next(&csv, &field, error));
            MXB_TRY(code_cell(coding, i, row, &field, error));
        }
        row++;
    }
    return MXB_OK;
}

/* A column of which they are. */
static mxb_status code_places(struct coding *coding, size_t index, mxb_error *error) {
    struct table_column *column = &coding->table->columns[index];
    const struct csv_piece *piece = coding->piece;
    size_t end = piece->first_row + piece->n_rows;
    for (size_t row = piece->first_row; row < end; row++) {
        size_t place = mxb__text_place(&column->codes[row]);
        struct csv_reader csv = mxb__csv_piece_reader(piece, coding->table->path);
        struct csv_field field;
        if (place == SIZE_MAX) {
            column->codes[row] = -1;
            continue;
        }
        csv.next = coding->text + place;
        MXB_TRY(mxb__csv_next(&csv, &field, error));
        MXB_TRY(code_cell(coding, index, row, &field, error));
    }
    return MXB_OK;
}

static mxb_status code_piece(struct coding *coding, mxb_error *error) {
    const mxb_table *table = coding->table;
    int has_others = 0;
    for (size_t i = 0; i < table->n_columns; i++) {
        if (table->columns[i].is_text && knows_places(coding, i)) {
            MXB_TRY(code_places(coding, i, error));
        } else {
            has_others |= table->columns[i].is_text;
        }
    }
    return has_others ? code_lines(coding, error) : MXB_OK;
}

/* ---- Pieces side by side ---- */

static void code_alone(void *context, size_t index, size_t thread) {
    struct coding *coding = (struct coding *)context + index;
    (void)thread;
    coding->status = mxb__alloc_zeroed(&coding->lists, coding->table->n_columns, sizeof *coding->lists, "texts", NULL);
    if (coding->status == MXB_OK) {
        coding->status = code_piece(coding, NULL);
    }
}

static int fits(const struct coding *whole, const struct coding *part) {
    for (size_t i = 0; i < whole->table->n_columns; i++) {
        if (whole->lists[i].n_texts + part->lists[i].n_texts > MXB__MAX_TEXTS ||
            whole->table->columns[i].problem != NULL) {
            return 0;
        }
    }
    return !part->has_problem;
}

/* Joins the list of a piece to a column's, and gives its rows the column's codes. */
static mxb_status join_column(const struct coding *part, struct text_list *list, size_t index, mxb_error *error) {
    const struct text_list *part_list = &part->lists[index];
    uint32_t *new_codes;
    if (part->piece->n_rows == 0) {
        return MXB_OK; /* and there is no place for its codes */
    }
    MXB_TRY(mxb__alloc(&new_codes, part_list->n_texts, sizeof *new_codes, "texts", error));
    int64_t *codes = part->table->columns[index].codes + part->piece->first_row;
    mxb_status status = MXB_OK;
    for (size_t code = 0; code < part_list->n_texts && status == MXB_OK; code++) {
        const char *text = part_list->bytes + part_list->starts[code];
        status = mxb__text_list_add(list, text, strlen(text), &new_codes[code], error);
    }
    for (size_t i = 0; i < part->piece->n_rows && status == MXB_OK; i++) {
        codes[i] = codes[i] < 0 ? -1 : (int64_t)new_codes[codes[i]];
    }
    mxb__free(new_codes);
    return status;
}

/* `part` has coded the piece by itself. Where that is not the same as in the order of the file, it is done so. */
static mxb_status join(struct coding *whole, const struct coding *part, mxb_error *error) {
    if (part->status != MXB_OK) {
        return mxb__fail_memory(error, whole->table->n_columns * sizeof *part->lists, "texts");
    }
    if (!fits(whole, part)) {
        whole->piece = part->piece;
        whole->is_again = 1;
        return code_piece(whole, error);
    }
    for (size_t i = 0; i < whole->table->n_columns; i++) {
        if (whole->table->columns[i].is_text) {
            MXB_TRY(join_column(part, &whole->lists[i], i, error));
        }
    }
    return MXB_OK;
}

static mxb_status code_together(struct coding *whole, const struct csv_pieces *pieces, struct pool *pool,
                                mxb_error *error) {
    size_t n_at_once = PIECES_PER_THREAD * mxb__pool_n_threads(pool);
    struct coding *parts;
    MXB_TRY(mxb__alloc_zeroed(&parts, n_at_once, sizeof *parts, "texts", error));
    mxb_status status = MXB_OK;
    for (size_t first = 0; first < pieces->n && status == MXB_OK; first += n_at_once) {
        size_t n = mxb__block_length(pieces->n, n_at_once, first / n_at_once);
        for (size_t i = 0; i < n; i++) {
            parts[i] = (struct coding){.table = whole->table, .text = whole->text, .piece = &pieces->pieces[first + i]};
        }
        double n_bytes = (double)(parts[n - 1].piece->end - parts[0].piece->start);
        mxb__pool_run(pool, n, NANOSECONDS_PER_BYTE * n_bytes, code_alone, parts);
        for (size_t i = 0; i < n; i++) {
            if (status == MXB_OK) {
                status = join(whole, &parts[i], error);
            }
            coding_clear(&parts[i]);
        }
    }
    mxb__free(parts);
    return status;
}

/* ---- All texts ---- */

static mxb_status code_rows(struct coding *whole, const struct csv_pieces *pieces, struct pool *pool,
                            mxb_error *error) {
    mxb_table *table = whole->table;
    MXB_TRY(mxb__alloc_zeroed(&whole->lists, table->n_columns, sizeof *whole->lists, "a table", error));
    if (mxb__pool_n_threads(pool) > 1 && pieces->n > 1 && pieces->n_rows >= ROWS_WORTH_A_LIST * pieces->n) {
        MXB_TRY(code_together(whole, pieces, pool, error));
    } else {
        for (size_t i = 0; i < pieces->n; i++) {
            whole->piece = &pieces->pieces[i];
            MXB_TRY(code_piece(whole, error));
        }
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        struct table_column *column = &table->columns[i];
        if (column->is_text) {
            column->n_texts = whole->lists[i].n_texts;
            MXB_TRY(mxb__text_list_take(&whole->lists[i], &column->texts, &column->text_bytes, error));
        }
    }
    return MXB_OK;
}

static int has_number(const double *values, size_t n) {
    size_t i = 0;
    while (i < n && isnan(values[i])) {
        i++;
    }
    return i < n;
}

mxb_status mxb__table_read_texts(mxb_table *table, const struct csv_pieces *pieces, struct pool *pool,
                                 mxb_error *error) {
    struct coding whole = {.table = table, .text = pieces->pieces[0].start, .is_whole = 1};
    size_t n_text = 0;
    for (size_t i = 0; i < table->n_columns; i++) {
        struct table_column *column = &table->columns[i];
        if (column->is_text) {
            n_text++;
            column->has_numbers = has_number(column->values, table->n_rows);
            column->codes = (int64_t *)(void *)column->values;
            column->values = NULL;
        }
    }
    mxb_status status = n_text == 0 ? MXB_OK : code_rows(&whole, pieces, pool, error);
    coding_clear(&whole);
    return status;
}
