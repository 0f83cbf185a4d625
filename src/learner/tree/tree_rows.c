/* The engine of histogram trees: moving rows between nodes. A batch of nodes is cut into tasks of at most
 * MXB__TASK_ROWS rows, whatever the number of threads. */
#include <string.h>

#include "base/parallel.h"
#include "learner/tree/tree_histograms.h"

struct row_batch {
    struct tree_engine *engine;
    const struct family *families;
    size_t n;
    size_t n_tasks;
    size_t n_rows;
};

static void number_tasks(struct row_batch *batch) {
    struct tree_engine *engine = batch->engine;
    for (size_t i = 0; i < batch->n; i++) {
        engine->scratch.task_first[i] = (uint32_t)batch->n_tasks;
        batch->n_tasks += mxb__n_blocks(mxb__span_rows(engine->scratch.spans[i]), MXB__TASK_ROWS);
        batch->n_rows += mxb__span_rows(engine->scratch.spans[i]);
    }
    engine->scratch.task_first[batch->n] = (uint32_t)batch->n_tasks;
}

/* The rows of a task: which span, and which part of it. */
struct row_task {
    size_t span;
    uint32_t begin;
    uint32_t n;
};

static struct row_task find_task(const struct row_batch *batch, size_t task) {
    const uint32_t *first = batch->engine->scratch.task_first;
    size_t low = 0;
    size_t high = batch->n; /* first[low] <= task < first[high] */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (first[middle] <= task) {
            low = middle;
        } else {
            high = middle;
        }
    }
    struct row_span span = batch->engine->scratch.spans[low];
    size_t block = task - first[low];
    struct row_task found = {low, span.begin + (uint32_t)(block * MXB__TASK_ROWS),
                             (uint32_t)mxb__block_length(mxb__span_rows(span), MXB__TASK_ROWS, block)};
    return found;
}

/* ---- partition ---- */

/* Each task moves its left rows to the front of its own, and puts the right ones beside them in another array:
 *     rows = [acd.....|fgk.....]   right = [be......|hijl....]
 * From there the left ones close up, task after task, and the right ones follow: rows = [acdfgk behijl]. */
static void split_rows(void *context, size_t index, size_t thread) {
    struct row_batch *batch = context;
    struct tree_engine *engine = batch->engine;
    (void)thread;
    struct row_task task = find_task(batch, index);
    const struct engine_node *node = batch->families[task.span].parent;
    const struct split *split = &node->split;
    const mxb_prepared *prepared = engine->input->prepared;

    struct column_split by = {prepared->columns + split->feature * prepared->n_rows, (uint8_t)split->bin,
                              (uint8_t)mxb__missing_code(&prepared->bins[split->feature]),
                              (uint8_t)split->missing_left};
    uint32_t *left = engine->rows + task.begin;
    const uint32_t *rows = mxb__span_rows(node->rows) == prepared->n_rows ? NULL : left; /* in place */
    engine->scratch.task_left[index] =
        (uint32_t)engine->input->kernels->partition(&by, rows, task.begin, task.n, left, engine->right + task.begin);
}

static void close_up_left(void *context, size_t index, size_t thread) {
    struct row_batch *batch = context;
    struct tree_engine *engine = batch->engine;
    (void)thread;
    uint32_t from = engine->scratch.spans[index].begin;
    uint32_t middle = from;
    for (size_t t = engine->scratch.task_first[index]; t < engine->scratch.task_first[index + 1]; t++) {
        uint32_t n_left = engine->scratch.task_left[t];
        if (from > middle) {
            memmove(engine->rows + middle, engine->rows + from, n_left * sizeof *engine->rows);
        }
        middle += n_left;
        from += MXB__TASK_ROWS;
    }
    mxb__family_divide(&batch->families[index], middle);
}

static void append_right(void *context, size_t index, size_t thread) {
    struct row_batch *batch = context;
    struct tree_engine *engine = batch->engine;
    (void)thread;
    struct row_task task = find_task(batch, index);
    const struct family *family = &batch->families[task.span];
    uint32_t right_before = task.begin - family->parent->rows.begin; /* rows that earlier tasks sent right */
    for (size_t t = engine->scratch.task_first[task.span]; t < index; t++) {
        right_before -= engine->scratch.task_left[t];
    }
    memcpy(engine->rows + family->right->rows.begin + right_before, engine->right + task.begin,
           (task.n - engine->scratch.task_left[index]) * sizeof *engine->rows);
}

void mxb__rows_partition(struct tree_engine *engine, const struct family *families, size_t n) {
    struct row_batch batch = {.engine = engine, .families = families, .n = n};
    for (size_t i = 0; i < n; i++) {
        engine->scratch.spans[i] = families[i].parent->rows;
    }
    number_tasks(&batch);
    mxb__pool_run(engine->pool, batch.n_tasks, (double)batch.n_rows, split_rows, &batch);
    mxb__pool_run(engine->pool, n, (double)batch.n_rows * 0.1, close_up_left, &batch);
    mxb__pool_run(engine->pool, batch.n_tasks, (double)batch.n_rows * 0.2, append_right, &batch);
}
