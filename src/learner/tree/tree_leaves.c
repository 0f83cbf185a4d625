/* Step 7a of the data's path, after the last split: the rows of leaves, for both engines and any shape of tree. Knows
 * nothing of splits. */
#include "learner/tree/tree_leaves.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/reduce.h"

struct leaf_pass {
    struct tree_engine *engine;
    const struct leaf *leaves;
    size_t n;
    uint32_t block_rows; /* row numbers, not rows of leaves */
    double *scores;
};

/* What a leaf's rows add up to. */
struct row_sum {
    int64_t g;
    int64_t h;
    int64_t n_rows;
};

static void add_to_leaf(struct tree_engine *engine, size_t leaf, struct row_sum sum) {
    engine->leaf_sums[3 * leaf] += sum.g;
    engine->leaf_sums[3 * leaf + 1] += sum.h;
    engine->leaf_sums[3 * leaf + 2] += sum.n_rows;
}

/* ---- by spans ---- */

/* Rows of all leaves in blocks of row numbers, so that what is read and written for them lies close together. A leaf's
 * rows ascend. */
enum { BLOCK_LEAVES = 256 }; /* with more, blocks grow: a leaf should have many rows in each */

static void run_spans(struct leaf_pass *pass, double nanoseconds_a_row, task_fn function) {
    size_t n_rows = pass->engine->input->prepared->n_rows;
    size_t n_times = 1 + pass->n / BLOCK_LEAVES;
    pass->block_rows = (uint32_t)(n_times * MXB__TASK_ROWS < n_rows ? n_times * MXB__TASK_ROWS : n_rows);
    mxb__pool_run(pass->engine->pool, mxb__n_blocks(n_rows, pass->block_rows), (double)n_rows * nanoseconds_a_row,
                  function, pass);
}

/* The first place in the span whose row is not below the number. */
static uint32_t find_row(const uint32_t *rows, struct row_span span, uint64_t number) {
    while (span.begin < span.end) {
        uint32_t middle = span.begin + mxb__span_rows(span) / 2;
        if (rows[middle] < number) {
            span.begin = middle + 1;
        } else {
            span.end = middle;
        }
    }
    return span.begin;
}

static struct row_span rows_in_block(const struct leaf_pass *pass, size_t leaf, size_t block) {
    const uint32_t *rows = pass->engine->rows;
    struct row_span span = pass->leaves[leaf].rows;
    if (pass->block_rows < pass->engine->input->prepared->n_rows) {
        span.begin = find_row(rows, span, (uint64_t)block * pass->block_rows);
        span.end = find_row(rows, span, ((uint64_t)block + 1) * pass->block_rows);
    }
    return span;
}

static struct gradient_sum sum_wide(const struct tree_engine *engine, struct row_span span) {
    struct gradient_sum sum = {0, 0};
    for (uint32_t i = span.begin; i < span.end; i++) {
        sum.g += engine->sums[engine->rows[i]].g;
        sum.h += engine->sums[engine->rows[i]].h;
    }
    return sum;
}

static void sum_block(void *context, size_t block, size_t thread) {
    const struct leaf_pass *pass = context;
    const struct tree_engine *engine = pass->engine;
    const struct scaled_rows rows = mxb__quanta_rows(engine->input, engine->wide_quanta);
    (void)thread;
    for (size_t i = 0; i < pass->n; i++) {
        struct row_span span = rows_in_block(pass, i, block);
        struct gradient_sum sum =
            engine->packed ? engine->input->kernels->sum_quanta(&rows, engine->rows + span.begin, mxb__span_rows(span))
                           : sum_wide(engine, span);
        add_to_leaf(pass->engine, i, (struct row_sum){sum.g, sum.h, mxb__span_rows(span)});
    }
}

static void add_block(void *context, size_t block, size_t thread) {
    const struct leaf_pass *pass = context;
    const uint32_t *rows = pass->engine->rows;
    (void)thread;
    for (size_t leaf = 0; leaf < pass->n; leaf++) {
        struct row_span span = rows_in_block(pass, leaf, block);
        double value = pass->leaves[leaf].value;
        for (uint32_t i = span.begin; i < span.end; i++) {
            pass->scores[rows[i]] += value;
        }
    }
}

static void number_block(void *context, size_t block, size_t thread) {
    const struct leaf_pass *pass = context;
    const uint32_t *rows = pass->engine->rows;
    uint32_t *leaf_of_row = pass->engine->leaf_of_row;
    size_t n_rows = mxb__block_length(pass->engine->input->prepared->n_rows, pass->block_rows, block);
    (void)thread;
    for (size_t i = 0; i < n_rows; i++) {
        leaf_of_row[block * pass->block_rows + i] = MXB__NO_LEAF;
    }
    for (size_t leaf = 0; leaf < pass->n; leaf++) {
        struct row_span span = rows_in_block(pass, leaf, block);
        for (uint32_t i = span.begin; i < span.end; i++) {
            leaf_of_row[rows[i]] = (uint32_t)leaf;
        }
    }
}

void mxb__leaves_number(struct tree_engine *engine, const struct leaf *leaves, size_t n) {
    struct leaf_pass pass = {.engine = engine, .leaves = leaves, .n = n};
    run_spans(&pass, 2.0, number_block);
}

/* ---- by numbers ---- */

enum {
    FEW_LEAVES = 1024, /* with more, threads seldom meet in one */
    SUM_ROWS = 256     /* in quanta at once */
};

static void run_numbered(struct leaf_pass *pass, double nanoseconds_a_row, task_fn function) {
    size_t n_rows = pass->engine->input->prepared->n_rows;
    mxb__pool_run(pass->engine->pool, mxb__n_blocks(n_rows, MXB__TASK_ROWS), (double)n_rows * nanoseconds_a_row,
                  function, pass);
}

static void sum_numbered(void *context, size_t block, size_t thread) {
    const struct leaf_pass *pass = context;
    const struct tree_engine *engine = pass->engine;
    struct scaled_rows rows = mxb__quanta_rows(engine->input, engine->wide_quanta);
    size_t next = block * MXB__TASK_ROWS;
    size_t end = next + mxb__block_length(engine->input->prepared->n_rows, MXB__TASK_ROWS, block);
    struct gradient_sum quanta[SUM_ROWS];
    struct row_sum few[FEW_LEAVES]; /* of this block */
    int are_few = pass->n <= FEW_LEAVES;
    (void)thread;
    memset(few, 0, (are_few ? pass->n : 0) * sizeof *few);
    for (; next < end; next += SUM_ROWS) {
        size_t n = end - next < SUM_ROWS ? end - next : SUM_ROWS;
        struct scaled_rows part = rows;
        part.g += next;
        part.h = rows.h == NULL ? NULL : rows.h + next;
        engine->input->kernels->quanta_wide(&part, 0, n, quanta);
        for (size_t i = 0; i < n; i++) {
            uint32_t leaf = engine->leaf_of_row[next + i];
            if (are_few) {
                few[leaf].g += quanta[i].g;
                few[leaf].h += quanta[i].h;
                few[leaf].n_rows++;
            } else {
                add_to_leaf(pass->engine, leaf, (struct row_sum){quanta[i].g, quanta[i].h, 1});
            }
        }
    }
    for (size_t leaf = 0; are_few && leaf < pass->n; leaf++) {
        add_to_leaf(pass->engine, leaf, few[leaf]);
    }
}

static void add_numbered(void *context, size_t block, size_t thread) {
    const struct leaf_pass *pass = context;
    const uint32_t *leaf_of_row = pass->engine->leaf_of_row;
    size_t first = block * MXB__TASK_ROWS;
    size_t end = first + mxb__block_length(pass->engine->input->prepared->n_rows, MXB__TASK_ROWS, block);
    (void)thread;
    for (size_t i = first; i < end; i++) {
        pass->scores[i] += pass->leaves[leaf_of_row[i]].value;
    }
}

/* ---- both ---- */

void mxb__leaves_add(struct tree_engine *engine, const struct leaf *leaves, size_t n, double *scores) {
    struct leaf_pass pass = {.engine = engine, .leaves = leaves, .n = n, .scores = scores};
    if (mxb__leaves_some_out(engine)) {
        run_numbered(&pass, 1.0, add_numbered);
    } else {
        run_spans(&pass, 2.0, add_block);
    }
}

/* May be infinite. */
static double step_of(const struct tree_engine *engine, const struct leaf *leaf) {
    const struct learner_options *options = engine->input->options;
    struct quanta quanta = engine->wide_quanta;
    double n_rows = (double)leaf->n_rows;
    double h = (double)leaf->sum.h;
    if (h < n_rows && engine->input->sum_h > 0.0) {
        /* Rows that weigh next to nothing beside others: rounding may have lost half a quantum of each, as much as the
         * sum. A step too short is safe, one too long makes the loss rise. */
        h += 0.5 * n_rows;
    }
    h += options->lambda_l2 * quanta.h_scale;
    return h > 0.0 ? ldexp(-(double)leaf->sum.g / h, quanta.h_exponent - quanta.g_exponent) : 0.0;
}

int mxb__leaves_fit(struct tree_engine *engine, struct leaf *leaves, size_t n) {
    int is_cut = 0;
    struct leaf_pass pass = {.engine = engine, .leaves = leaves, .n = n};
    for (size_t i = 0; i < 3 * n; i++) {
        engine->leaf_sums[i] = 0;
    }
    if (mxb__leaves_some_out(engine) && engine->input->options->leaves_from_all_rows) {
        run_numbered(&pass, 3.0, sum_numbered);
    } else {
        run_spans(&pass, 3.0, sum_block);
    }
    for (size_t i = 0; i < n; i++) {
        int64_t sums[3] = {engine->leaf_sums[3 * i], engine->leaf_sums[3 * i + 1], engine->leaf_sums[3 * i + 2]};
        mxb__reduce_integers(sums, 3);
        leaves[i].sum = (struct gradient_sum){sums[0], sums[1]};
        leaves[i].n_rows = sums[2];
        double step = step_of(engine, &leaves[i]);
        is_cut |= !isfinite(step);
        leaves[i].value = isfinite(step) ? engine->input->options->learning_rate * step : 0.0;
    }
    return is_cut;
}
