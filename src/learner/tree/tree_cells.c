/* The engine of histogram trees: adding rows to cells, by one thread or by all. Knows nothing of splits. */
#include "learner/tree/tree_cells.h"

#include <string.h>

#include "base/parallel.h"

enum { BLOCK_ROWS = 1 << 13 }; /* of a node that all threads build together */

struct field_run mxb__cells_next_run(const struct tree_engine *engine, size_t *next, size_t end) {
    const uint32_t *groups = engine->groups;
    uint32_t n_fields = engine->input->prepared->fields.n;
    uint32_t first = groups[(*next)++];
    uint32_t behind = first + 1;
    while (*next < end && groups[*next] == behind && behind % MXB__PANEL_GROUPS != 0) {
        behind++;
        (*next)++;
    }
    uint32_t n = (behind - first) * MXB__GROUP;
    first *= MXB__GROUP;
    struct field_run run = {first, n < n_fields - first ? n : n_fields - first};
    return run;
}

static void clear(const struct tree_engine *engine, struct field_run run, uint64_t *cells) {
    memset(cells, 0, mxb__cells_words(engine, run.n) * sizeof *cells);
}

/* Some rows of a node. */
static void add_rows(const struct tree_engine *engine, const struct engine_node *node, struct row_span span,
                     struct field_run run, uint64_t *cells) {
    int is_whole_set = mxb__span_rows(node->rows) == engine->input->prepared->n_rows;
    struct histogram_rows rows = {.records = mxb__prepared_records(engine->input->prepared, run.first),
                                  .rows = is_whole_set ? NULL : engine->rows + span.begin,
                                  .first = span.begin,
                                  .n = mxb__span_rows(span),
                                  .n_features = run.n};
    if (engine->packed) {
        engine->input->kernels->histogram_packed(&rows, engine->words, cells);
    } else {
        engine->input->kernels->histogram_wide(&rows, engine->sums, (struct gradient_sum *)(void *)cells);
    }
}

void mxb__cells_build(const struct tree_engine *engine, const struct engine_node *node, struct field_run run,
                      uint64_t *cells) {
    clear(engine, run, cells);
    add_rows(engine, node, node->rows, run, cells);
}

void mxb__cells_subtract(uint64_t *restrict from, const uint64_t *restrict cells, size_t n) {
    for (size_t i = 0; i < n; i++) {
        from[i] -= cells[i];
    }
}

/* ---- by all threads ---- */

struct block_task {
    struct tree_engine *engine;
    const struct engine_node *node;
};

static uint64_t *thread_cells(const struct tree_engine *engine, size_t thread, struct field_run run) {
    char *histogram = engine->thread_cells + thread * engine->n_cells * sizeof(struct gradient_sum);
    return mxb__cells_of(engine, histogram, run.first);
}

static void add_block(void *context, size_t block, size_t thread) {
    const struct block_task *task = context;
    struct tree_engine *engine = task->engine;
    struct row_span span = task->node->rows;
    span.begin += (uint32_t)(block * BLOCK_ROWS);
    span.end = span.begin + (uint32_t)mxb__block_length(mxb__span_rows(task->node->rows), BLOCK_ROWS, block);
    for (size_t next = 0; next < engine->n_groups;) {
        struct field_run run = mxb__cells_next_run(engine, &next, engine->n_groups);
        uint64_t *cells = thread_cells(engine, thread, run);
        if (!engine->thread_built[thread]) {
            clear(engine, run, cells);
        }
        add_rows(engine, task->node, span, run, cells);
    }
    engine->thread_built[thread] = 1;
}

void mxb__cells_build_by_threads(struct tree_engine *engine, const struct engine_node *node) {
    struct block_task task = {engine, node};
    size_t n_rows = mxb__span_rows(node->rows);
    memset(engine->thread_built, 0, engine->input->options->tree_n_threads);
    mxb__pool_run(engine->pool, mxb__n_blocks(n_rows, BLOCK_ROWS), mxb__cells_rows_ns(engine, n_rows), add_block,
                  &task);
}

void mxb__cells_gather(const struct tree_engine *engine, struct field_run run, uint64_t *cells) {
    clear(engine, run, cells);
    for (size_t t = 0; t < engine->input->options->tree_n_threads; t++) {
        const uint64_t *from = thread_cells(engine, t, run);
        for (size_t i = 0; engine->thread_built[t] && i < mxb__cells_words(engine, run.n); i++) {
            cells[i] += from[i];
        }
    }
}

double mxb__cells_rows_ns(const struct tree_engine *engine, size_t n_rows) {
    return (double)n_rows * (double)engine->n_groups * MXB__GROUP * 0.5;
}
