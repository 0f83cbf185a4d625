/* Step 1 of the data's path: CSV fields to columns of doubles, 8 bytes a cell, pieces of the text side by side. Knows
 * nothing of names, nor of the texts in columns of text. */
#include "io/table_rows.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "io/csv_cell.h"

static const double NANOSECONDS_PER_BYTE = 2.0;

#define NONE SIZE_MAX /* no such piece */

struct row_reading {
    mxb_table *table;
    const struct csv_pieces *pieces;
    size_t n_stored;             /* rows that the columns have room for */
    _Atomic size_t failed_piece; /* the first, or NONE */
    _Atomic size_t *text_pieces; /* [n_columns] the first with a cell of text, or NONE */
};

static void keep_least(_Atomic size_t *least, size_t index) {
    size_t known = atomic_load_explicit(least, memory_order_relaxed);
    while (index < known &&
           !atomic_compare_exchange_weak_explicit(least, &known, index, memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* ---- Reading ---- */

struct cell {
    double value;
    int is_text;
    int is_last;
    int is_blank_line;
};

static const uint64_t PLACE_BITS = ((uint64_t)1 << 48) - 1;

/* NaN in the lower bits of which a place is kept. */
static double place_as_nan(size_t place) {
    uint64_t bits = UINT64_C(0x7ff8) << 48 | (uint64_t)(place + 1);
    double nan;
    memcpy(&nan, &bits, sizeof nan);
    return nan;
}

size_t mxb__text_place(const void *value) {
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    return (size_t)(bits & PLACE_BITS) - 1;
}

static mxb_status next_cell(struct csv_reader *csv, struct cell *cell, mxb_error *error) {
    struct csv_field field;
    if (mxb__csv_next_number(csv, &cell->value, &cell->is_last)) {
        cell->is_text = 0;
        cell->is_blank_line = 0;
        return MXB_OK;
    }
    MXB_TRY(mxb__csv_next(csv, &field, error));
    cell->is_text = !mxb__csv_cell_read(&field, &cell->value);
    cell->is_last = field.is_last;
    cell->is_blank_line = mxb__csv_is_blank_line(csv, &field);
    return MXB_OK;
}

/* Reads a line; *is_row: it is one, and not an empty line. */
static mxb_status read_line(const struct row_reading *reading, size_t piece, size_t row, struct csv_reader *csv,
                            int *is_row, mxb_error *error) {
    const mxb_table *table = reading->table;
    struct cell cell;
    do {
        const char *begin = csv->next;
        MXB_TRY(next_cell(csv, &cell, error));
        if (cell.is_blank_line && table->n_columns > 1) {
            *is_row = 0;
            return MXB_OK;
        }
        if (csv->n_fields <= table->n_columns) {
            if (cell.is_text) {
                cell.value = place_as_nan((size_t)(begin - reading->pieces->pieces[0].start));
                keep_least(&reading->text_pieces[csv->n_fields - 1], piece);
            }
            table->columns[csv->n_fields - 1].values[row] = cell.value;
        }
    } while (!cell.is_last);
    if (csv->n_fields != table->n_columns) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu has %zu field%s, the first line has %zu", table->path,
                         csv->record_line, csv->n_fields, csv->n_fields == 1 ? "" : "s", table->n_columns);
    }
    *is_row = 1;
    return MXB_OK;
}

static mxb_status read_piece(const struct row_reading *reading, size_t index, mxb_error *error) {
    const struct csv_piece *piece = &reading->pieces->pieces[index];
    struct csv_reader csv = mxb__csv_piece_reader(piece, reading->table->path);
    size_t end = piece->first_row + piece->n_rows;
    for (size_t row = piece->first_row; row < end && row < reading->n_stored;) {
        int is_row;
        MXB_TRY(read_line(reading, index, row, &csv, &is_row, error));
        row += (size_t)is_row;
    }
    return MXB_OK;
}

static void read_piece_task(void *context, size_t index, size_t thread) {
    struct row_reading *reading = context;
    (void)thread;
    if (read_piece(reading, index, NULL) != MXB_OK) {
        keep_least(&reading->failed_piece, index);
    }
}

/* ---- The first texts ---- */

/* Notes the first text of each column that has it in this piece. */
static mxb_status note_first_texts(const struct row_reading *reading, size_t index, mxb_error *error) {
    mxb_table *table = reading->table;
    const struct csv_piece *piece = &reading->pieces->pieces[index];
    struct csv_reader csv = mxb__csv_piece_reader(piece, table->path);
    while (!mxb__csv_is_at_end(&csv)) {
        struct csv_field field;
        double value;
        MXB_TRY(mxb__csv_next(&csv, &field, error));
        struct table_column *column = &table->columns[csv.n_fields - 1];
        if (reading->text_pieces[csv.n_fields - 1] == index && column->text_line == 0 &&
            !mxb__csv_cell_read(&field, &value)) {
            char start[sizeof column->text];
            column->is_text = 1;
            column->text_line = field.line;
            mxb__quote(column->text, sizeof column->text, start, mxb__csv_copy(&field, start, sizeof start));
        }
    }
    return MXB_OK;
}

static mxb_status note_texts(const struct row_reading *reading, mxb_error *error) {
    const mxb_table *table = reading->table;
    for (size_t i = 0; i < table->n_columns; i++) {
        size_t piece = reading->text_pieces[i];
        if (piece != NONE && table->columns[i].text_line == 0) {
            MXB_TRY(note_first_texts(reading, piece, error));
        }
    }
    return MXB_OK;
}

/* ---- All rows ---- */

/* Rows to make room for. A row takes a byte a cell at least, so if there are more rows than bytes for them, one has too
 * few cells, and the first such row is among so many. */
static size_t n_rows_to_store(const mxb_table *table, const struct csv_pieces *pieces, size_t n_bytes) {
    size_t limit = n_bytes / table->n_columns + 1;
    return pieces->n_rows < limit ? pieces->n_rows : limit;
}

static mxb_status run(struct row_reading *reading, struct pool *pool, mxb_error *error) {
    mxb_table *table = reading->table;
    const struct csv_pieces *pieces = reading->pieces;
    size_t n_bytes = (size_t)(pieces->pieces[pieces->n - 1].end - pieces->pieces[0].start);
    reading->n_stored = n_rows_to_store(table, pieces, n_bytes);
    for (size_t i = 0; i < table->n_columns; i++) {
        reading->text_pieces[i] = NONE;
        MXB_TRY(mxb__alloc(&table->columns[i].values, reading->n_stored, sizeof(double), "a table", error));
    }
    mxb__pool_run(pool, pieces->n, NANOSECONDS_PER_BYTE * (double)n_bytes, read_piece_task, reading);
    if (reading->failed_piece != NONE) {
        return read_piece(reading, reading->failed_piece, error); /* once more, for the sentence */
    }
    table->n_rows = pieces->n_rows;
    return note_texts(reading, error);
}

mxb_status mxb__table_read_rows(mxb_table *table, const struct csv_pieces *pieces, struct pool *pool,
                                mxb_error *error) {
    struct row_reading reading = {.table = table, .pieces = pieces, .failed_piece = NONE};
    if (pieces->n_rows == 0) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has a header and no rows", table->path);
    }
    if (pieces->n_rows > MXB__MAX_ROWS) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has more than %zu rows", table->path, MXB__MAX_ROWS);
    }
    MXB_TRY(mxb__alloc(&reading.text_pieces, table->n_columns, sizeof *reading.text_pieces, "a table", error));
    mxb_status status = run(&reading, pool, error);
    mxb__free((void *)reading.text_pieces);
    return status;
}
