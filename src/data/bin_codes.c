/* Writes the bin code of every value, by column and by row, in tiles of rows and fields: the caller's values of a
 * tile, also of a row-major matrix, and its codes in both layouts stay in the cache until the tile is done. Knows
 * nothing of how bins were found. */
#include "data/bin_codes.h"

#include <string.h>

#include "base/parallel.h"
#include "kernels/kernels.h"

enum { TILE_ROWS = 1024 }; /* and the fields of a panel */

struct tile_task {
    const mxb_prepared *prepared;
    const mxb_dataset *rows;
    const struct kernels *kernels;
    uint8_t *records; /* NULL: only columns are written */
    uint8_t *columns;
    size_t n_across; /* tiles side by side */
};

/* One feature of a tile, as a column and into its field of the records. */
static void write_feature(const struct tile_task *task, uint32_t feature, size_t first_row, size_t n_rows,
                          uint8_t *records) {
    const struct feature_bins *bins = &task->prepared->bins[feature];
    const struct feature_place *place = &task->prepared->fields.places[feature];
    uint8_t *codes = task->columns + feature * task->rows->n_rows + first_row;
    double values[TILE_ROWS];
    _Alignas(64) double slots[MXB__CUT_SLOTS];
    struct cut_tree cuts;
    mxb__column_read(task->rows, &task->rows->columns[feature], first_row, n_rows, values);
    mxb__cut_tree_build(bins->cuts, bins->n_cuts, slots, &cuts);
    task->kernels->encode(&cuts, values, n_rows, (uint8_t)mxb__missing_code(bins), codes);
    for (size_t i = 0; records != NULL && i < n_rows; i++) {
        uint8_t *field = &records[i * MXB__PANEL + place->field % MXB__PANEL];
        *field = (uint8_t)(*field + codes[i] * place->stride);
    }
}

static void write_tile(void *context, size_t tile, size_t thread) {
    const struct tile_task *task = context;
    const struct fields *fields = &task->prepared->fields;
    size_t block = tile / task->n_across, panel = tile % task->n_across;
    size_t first_row = block * TILE_ROWS;
    size_t n_rows = mxb__block_length(task->rows->n_rows, TILE_ROWS, block);
    size_t n_fields = mxb__block_length(fields->n, MXB__PANEL, panel);
    uint8_t *records = NULL;
    (void)thread;
    if (task->records != NULL) {
        records = task->records + (panel * task->rows->n_rows + first_row) * MXB__PANEL;
        memset(records, 0, n_rows * MXB__PANEL);
    }
    uint32_t end = fields->first[panel * MXB__PANEL + n_fields];
    for (uint32_t i = fields->first[panel * MXB__PANEL]; i < end; i++) {
        write_feature(task, fields->features[i], first_row, n_rows, records);
    }
}

static void write_tiles(struct tile_task *task, struct pool *pool) {
    size_t n_rows = task->rows->n_rows, n_features = task->prepared->n_features;
    task->kernels = mxb__kernels();
    task->n_across = mxb__n_blocks(task->prepared->fields.n, MXB__PANEL);
    mxb__pool_run(pool, mxb__n_blocks(n_rows, TILE_ROWS) * task->n_across, (double)n_rows * (double)n_features * 3.0,
                  write_tile, task);
}

void mxb__bin_codes_write(mxb_prepared *prepared, struct pool *pool) {
    struct tile_task task = {
        .prepared = prepared, .rows = prepared->view, .records = prepared->records, .columns = prepared->columns};
    write_tiles(&task, pool);
}

void mxb__bin_codes_write_columns(const mxb_prepared *prepared, const mxb_dataset *rows, struct pool *pool,
                                  uint8_t *columns) {
    struct tile_task task = {.prepared = prepared, .rows = rows, .columns = columns};
    write_tiles(&task, pool);
}
