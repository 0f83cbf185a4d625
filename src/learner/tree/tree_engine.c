/* What both tree engines share: step 7a of the data's path up to the first node. Draws the round's sample of rows and
 * columns. Knows nothing of how splits are found. */
#include "learner/tree/tree_engine.h"

#include <string.h>

#include "base/parallel.h"
#include "base/random.h"
#include "learner/tree/tree_exact.h"
#include "learner/tree/tree_histograms.h"

uint32_t mxb__engine_max_leaves(const struct fit_input *input) {
    uint32_t depth = input->options->max_max_depth;
    size_t full = (size_t)1 << depth;
    size_t n_rows = input->prepared->n_rows;
    return (uint32_t)(full < n_rows ? full : n_rows);
}

void *mxb__engine_carve_sums(size_t n, const struct fit_input *input, struct workspace *workspace) {
    struct gradient_sum *sums = mxb__carve(workspace, n, sizeof *sums);
    if (sums != NULL && !input->prepared->settings.exact && mxb__quanta_may_be_packed(input)) {
        mxb__memory_seldom_used(sums + n / 2, (n - n / 2) * sizeof *sums);
    }
    return sums;
}

void mxb__engine_carve_batches(struct engine_scratch *scratch, const struct fit_input *input,
                               struct workspace *workspace) {
    size_t n_spans = scratch->max_batch;
    size_t n_tasks = n_spans + input->prepared->n_rows / MXB__TASK_ROWS + 1;
    scratch->gains = mxb__carve(workspace, scratch->max_batch * input->prepared->n_features, sizeof *scratch->gains);
    scratch->spans = mxb__carve(workspace, n_spans, sizeof *scratch->spans);
    scratch->task_first = mxb__carve(workspace, n_spans + 1, sizeof *scratch->task_first);
    scratch->task_left = mxb__carve(workspace, n_tasks, sizeof *scratch->task_left);
}

void mxb__engine_carve(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace) {
    size_t n = input->prepared->n_rows;
    size_t d = input->prepared->n_features;
    engine->is_column = mxb__carve(workspace, d, sizeof *engine->is_column);
    engine->shuffled = mxb__carve(workspace, d, sizeof *engine->shuffled);
    engine->sums = mxb__engine_carve_sums(n, input, workspace);
    engine->rows = mxb__carve(workspace, n, sizeof *engine->rows);
    engine->leaf_sums = mxb__carve(workspace, 3 * (size_t)mxb__engine_max_leaves(input), sizeof *engine->leaf_sums);
    engine->n_engines = 0;
    engine->thread_batch = 0;
    engine->subtree_rows = 0;
    engine->ops = input->prepared->settings.exact ? &mxb__exact_engine : &mxb__histogram_engine;
    engine->ops->carve(engine, input, workspace);
}

struct sample_task {
    struct tree_engine *engine;
    struct random_stream random;
    double fraction;
};

/* The sampled rows of a block, from its beginning on. */
static void sample_block(void *context, size_t block, size_t thread) {
    const struct sample_task *task = context;
    uint32_t first = (uint32_t)(block * MXB__TASK_ROWS);
    uint32_t n = (uint32_t)mxb__block_length(task->engine->input->prepared->n_rows, MXB__TASK_ROWS, block);
    const uint64_t *keys = task->engine->input->prepared->row_keys;
    uint32_t *rows = task->engine->rows + first;
    uint32_t n_kept = 0;
    (void)thread;
    for (uint32_t i = 0; i < n; i++) {
        rows[n_kept] = first + i;
        uint64_t index = keys != NULL ? keys[first + i] : first + i;
        n_kept += task->fraction == 1.0 || mxb__random_uniform(task->random, index) < task->fraction;
    }
    task->engine->scratch.task_left[block] = n_kept;
}

static void sample_fraction(struct tree_engine *engine, struct sample_task *task) {
    size_t n = engine->input->prepared->n_rows;
    size_t n_blocks = mxb__n_blocks(n, MXB__TASK_ROWS);
    mxb__pool_run(engine->pool, n_blocks, (double)n * (task->fraction < 1.0 ? 2.0 : 0.3), sample_block, task);
    engine->n_sampled = 0;
    for (size_t block = 0; block < n_blocks; block++) { /* close up */
        uint32_t n_kept = engine->scratch.task_left[block];
        memmove(engine->rows + engine->n_sampled, engine->rows + block * MXB__TASK_ROWS, n_kept * sizeof *engine->rows);
        engine->n_sampled += n_kept;
    }
}

/* The weight of all rows over that of the sample. */
static double find_scale(const struct tree_engine *engine) {
    const mxb_prepared *prepared = engine->input->prepared;
    const double *weights = prepared->labels.weights;
    if (weights == NULL || engine->n_sampled == prepared->n_rows) {
        return (double)prepared->n_rows / (double)engine->n_sampled;
    }
    double sum = 0.0;
    for (uint32_t i = 0; i < engine->n_sampled; i++) {
        sum += weights[engine->rows[i]];
    }
    return prepared->labels.sum / sum;
}

static void sample_rows(struct tree_engine *engine, uint32_t round) {
    const struct learner_options *options = engine->input->options;
    struct sample_task task = {engine, mxb__random_stream(options->seed, RANDOM_ROWS, round), options->subsample};
    sample_fraction(engine, &task);
    if (engine->n_sampled == 0) { /* none was drawn, as happens with very few rows */
        task.fraction = 1.0;
        sample_fraction(engine, &task);
    }
    engine->sample_scale = find_scale(engine);
}

static void sample_columns(struct tree_engine *engine, uint32_t round) {
    uint32_t d = engine->input->prepared->n_features;
    struct random_stream random = mxb__random_stream(engine->input->options->seed, RANDOM_COLUMNS, round);
    uint32_t wanted = (uint32_t)(engine->input->options->colsample * (double)d + 0.5);
    wanted = wanted < 1 ? 1 : wanted > d ? d : wanted;
    for (uint32_t f = 0; f < d; f++) {
        engine->shuffled[f] = f;
        engine->is_column[f] = wanted == d;
    }
    for (uint32_t i = 0; i < wanted && wanted < d; i++) {
        uint32_t pick = i + (uint32_t)(mxb__random_uniform(random, i) * (double)(d - i));
        uint32_t column = engine->shuffled[pick];
        engine->shuffled[pick] = engine->shuffled[i];
        engine->is_column[column] = 1;
    }
}

void mxb__engine_set_rules(struct tree_engine *engine) {
    const struct learner_options *options = engine->input->options;
    double h_scale = engine->quanta.h_scale;
    engine->rules = mxb__split_rules(options->lambda_l2 * h_scale, options->min_child_weight * h_scale);
}

void mxb__engine_begin(struct tree_engine *engine, const struct fit_input *input, const struct draw *draw,
                       const double *prior) {
    engine->input = input;
    engine->factors.prior = prior;
    engine->pool = input->tree_pool;
    sample_rows(engine, draw->round);
    sample_columns(engine, draw->round);
    engine->wide_quanta = mxb__quanta_wide(input);
    engine->factors.noise = mxb__split_noise(input->options->seed, draw->round, input->options->split_noise);
    engine->ops->begin(engine, draw);
}
