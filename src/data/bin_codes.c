/* Writes the bin code of every value, by column and by row, in tiles of rows and features: the caller's values of a
 * tile, also of a row-major matrix, and its codes in both layouts stay in the cache until the tile is done. Knows
 * nothing of how bins were found. */
#include "data/bin_codes.h"

#include <string.h>

#include "base/parallel.h"
#include "kernels/kernels.h"

enum { TILE_ROWS = 1024, TILE_FEATURES = MXB__PANEL };

struct tile_task {
    const mxb_prepared *prepared;
    const mxb_dataset *rows;
    const struct kernels *kernels;
    uint8_t *records; /* NULL: only columns are written */
    uint8_t *columns;
    size_t n_across; /* tiles side by side */
};

static void write_tile(void *context, size_t tile, size_t thread) {
    struct tile_task *task = context;
    const mxb_prepared *prepared = task->prepared;
    const mxb_dataset *rows = task->rows;
    double values[TILE_ROWS];
    size_t block = tile / task->n_across, across = tile % task->n_across;
    size_t first_row = block * TILE_ROWS, first_feature = across * TILE_FEATURES;
    size_t n_rows = mxb__block_length(rows->n_rows, TILE_ROWS, block);
    size_t n_features = mxb__block_length(prepared->n_features, TILE_FEATURES, across);
    uint8_t *records = NULL;
    (void)thread;
    if (task->records != NULL) {
        records = task->records + (across * rows->n_rows + first_row) * MXB__PANEL;
        memset(records, 0, n_rows * MXB__PANEL);
    }
    for (size_t f = 0; f < n_features; f++) {
        const struct feature_bins *bins = &prepared->bins[first_feature + f];
        uint8_t *codes = task->columns + (first_feature + f) * rows->n_rows + first_row;
        mxb__column_read(rows, &rows->columns[first_feature + f], first_row, n_rows, values);
        task->kernels->encode(values, n_rows, bins->cuts, bins->n_cuts, (uint8_t)mxb__missing_code(bins), codes);
        for (size_t i = 0; records != NULL && i < n_rows; i++) {
            records[i * MXB__PANEL + f] = codes[i];
        }
    }
}

static void write_tiles(struct tile_task *task, struct pool *pool) {
    size_t n_rows = task->rows->n_rows, n_features = task->prepared->n_features;
    task->kernels = mxb__kernels();
    task->n_across = mxb__n_blocks(n_features, TILE_FEATURES);
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
