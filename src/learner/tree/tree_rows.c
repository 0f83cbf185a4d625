/* The engine of histogram trees, second part: moving rows between nodes; and for both engines, the rows of leaves. A
 * batch of nodes is cut into tasks of at most MXB__TASK_ROWS rows, whatever the number of threads. */
#include <string.h>

#include "base/parallel.h"
#include "base/reduce.h"
#include "learner/tree/tree_histograms.h"

/* Requests of one batch; each kind of request begins with its node. */
struct row_batch {
    struct tree_engine *engine;
    char *requests;
    size_t request_bytes;
    size_t n;
    size_t n_tasks;
    size_t n_rows;
};

static const struct engine_node *node_of(const struct row_batch *batch, size_t request) {
    return (const struct engine_node *)(void *)(batch->requests + request * batch->request_bytes);
}

static struct row_batch number_tasks(struct tree_engine *engine, void *requests, size_t request_bytes, size_t n) {
    struct row_batch batch = {.engine = engine, .requests = requests, .request_bytes = request_bytes, .n = n};
    for (size_t i = 0; i < n; i++) {
        const struct engine_node *node = node_of(&batch, i);
        engine->task_first[i] = (uint32_t)batch.n_tasks;
        batch.n_tasks += mxb__n_blocks(node->end - node->begin, MXB__TASK_ROWS);
        batch.n_rows += node->end - node->begin;
    }
    engine->task_first[n] = (uint32_t)batch.n_tasks;
    return batch;
}

/* The rows of a task: which request, and which part of its node. */
struct row_task {
    size_t request;
    uint32_t begin;
    uint32_t n;
};

static struct row_task find_task(const struct row_batch *batch, size_t task) {
    const uint32_t *first = batch->engine->task_first;
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
    const struct engine_node *node = node_of(batch, low);
    size_t block = task - first[low];
    struct row_task found = {low, node->begin + (uint32_t)(block * MXB__TASK_ROWS),
                             (uint32_t)mxb__block_length(node->end - node->begin, MXB__TASK_ROWS, block)};
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
    const struct partition_request *requests = (const struct partition_request *)(void *)batch->requests;
    const struct split *split = &requests[task.request].split;
    const mxb_prepared *prepared = engine->input->prepared;

    struct column_split by = {prepared->columns + split->feature * prepared->n_rows, (uint8_t)split->bin,
                              (uint8_t)mxb__missing_code(&prepared->bins[split->feature]),
                              (uint8_t)split->missing_left};
    uint32_t *left = engine->rows + task.begin;
    const uint32_t *rows = engine->in_order ? NULL : left; /* in place */
    engine->task_left[index] =
        (uint32_t)engine->input->kernels->partition(&by, rows, task.begin, task.n, left, engine->right + task.begin);
}

static void close_up_left(void *context, size_t index, size_t thread) {
    struct row_batch *batch = context;
    struct tree_engine *engine = batch->engine;
    struct partition_request *request = &((struct partition_request *)(void *)batch->requests)[index];
    (void)thread;
    uint32_t from = request->node.begin;
    request->middle = request->node.begin;
    for (size_t t = engine->task_first[index]; t < engine->task_first[index + 1]; t++) {
        uint32_t n_left = engine->task_left[t];
        if (from > request->middle) {
            memmove(engine->rows + request->middle, engine->rows + from, n_left * sizeof *engine->rows);
        }
        request->middle += n_left;
        from += MXB__TASK_ROWS;
    }
}

static void append_right(void *context, size_t index, size_t thread) {
    struct row_batch *batch = context;
    struct tree_engine *engine = batch->engine;
    (void)thread;
    struct row_task task = find_task(batch, index);
    const struct partition_request *request =
        &((const struct partition_request *)(void *)batch->requests)[task.request];
    uint32_t right_before = task.begin - request->node.begin; /* rows that earlier tasks of this node sent right */
    for (size_t t = engine->task_first[task.request]; t < index; t++) {
        right_before -= engine->task_left[t];
    }
    memcpy(engine->rows + request->middle + right_before, engine->right + task.begin,
           (task.n - engine->task_left[index]) * sizeof *engine->rows);
}

void mxb__rows_partition(struct tree_engine *engine, struct partition_request *requests, size_t n) {
    struct row_batch batch = number_tasks(engine, requests, sizeof *requests, n);
    struct pool *pool = engine->input->tree_pool;
    mxb__pool_run(pool, batch.n_tasks, (double)batch.n_rows * 1.5, split_rows, &batch);
    mxb__pool_run(pool, n, (double)batch.n_rows * 0.1, close_up_left, &batch);
    mxb__pool_run(pool, batch.n_tasks, (double)batch.n_rows * 0.3, append_right, &batch);
    engine->in_order = 0;
}

/* ---- leaves ---- */

static void sum_rows(void *context, size_t index, size_t thread) {
    struct row_batch *batch = context;
    struct tree_engine *engine = batch->engine;
    (void)thread;
    struct row_task task = find_task(batch, index);
    if (engine->packed) {
        struct scaled_rows rows = mxb__quanta_rows(engine->input, engine->wide_quanta);
        engine->task_sum[index] = engine->input->kernels->sum_quanta(&rows, engine->rows + task.begin, task.n);
        return;
    }
    struct gradient_sum sum = {0, 0};
    for (uint32_t i = task.begin; i < task.begin + task.n; i++) {
        sum.g += engine->sums[engine->rows[i]].g;
        sum.h += engine->sums[engine->rows[i]].h;
    }
    engine->task_sum[index] = sum;
}

void mxb__engine_leaf_sums(struct tree_engine *engine, struct leaf_request *requests, size_t n) {
    struct row_batch batch = number_tasks(engine, requests, sizeof *requests, n);
    mxb__pool_run(engine->input->tree_pool, batch.n_tasks, (double)batch.n_rows * 3.0, sum_rows, &batch);
    for (size_t i = 0; i < n; i++) {
        requests[i].sum = (struct gradient_sum){0, 0};
        for (size_t t = engine->task_first[i]; t < engine->task_first[i + 1]; t++) {
            requests[i].sum.g += engine->task_sum[t].g;
            requests[i].sum.h += engine->task_sum[t].h;
        }
        mxb__reduce_integers(&requests[i].sum.g, 1);
        mxb__reduce_integers(&requests[i].sum.h, 1);
    }
}

static void add_value(void *context, size_t index, size_t thread) {
    struct row_batch *batch = context;
    struct tree_engine *engine = batch->engine;
    (void)thread;
    struct row_task task = find_task(batch, index);
    double value = ((const struct leaf_request *)(void *)batch->requests)[task.request].value;
    for (uint32_t i = task.begin; i < task.begin + task.n; i++) {
        engine->scores[engine->rows[i]] += value;
    }
}

void mxb__engine_add_leaves(struct tree_engine *engine, struct leaf_request *requests, size_t n, double *scores) {
    struct row_batch batch = number_tasks(engine, requests, sizeof *requests, n);
    engine->scores = scores;
    mxb__pool_run(engine->input->tree_pool, batch.n_tasks, (double)batch.n_rows * 2.0, add_value, &batch);
}
