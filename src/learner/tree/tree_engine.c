/* What both tree engines share: step 7a of the data's path up to the first node. Draws the round's sample of rows and
 * columns. Knows nothing of how splits are found. */
#include "learner/tree/tree_engine.h"

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

void mxb__engine_carve(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace) {
    size_t n = input->prepared->n_rows;
    size_t d = input->prepared->n_features;
    size_t max_leaves = mxb__engine_max_leaves(input);
    size_t max_tasks = max_leaves + n / MXB__TASK_ROWS + 1;
    engine->is_column = mxb__carve(workspace, d, sizeof *engine->is_column);
    engine->shuffled = mxb__carve(workspace, d, sizeof *engine->shuffled);
    engine->sums = mxb__carve(workspace, n, sizeof *engine->sums);
    engine->rows = mxb__carve(workspace, n, sizeof *engine->rows);
    engine->task_first = mxb__carve(workspace, max_leaves + 1, sizeof *engine->task_first);
    engine->task_left = mxb__carve(workspace, max_tasks, sizeof *engine->task_left);
    engine->task_sum = mxb__carve(workspace, max_tasks, sizeof *engine->task_sum);
    engine->ops = input->prepared->settings.exact ? &mxb__exact_engine : &mxb__histogram_engine;
    engine->ops->carve(engine, input, workspace);
}

static void sample_rows(struct tree_engine *engine, uint32_t round) {
    uint32_t n = (uint32_t)engine->input->prepared->n_rows;
    double fraction = engine->input->options->subsample;
    struct random_stream random = mxb__random_stream(engine->input->options->seed, RANDOM_ROWS, round);
    engine->n_sampled = 0;
    for (uint32_t i = 0; i < n && fraction < 1.0; i++) {
        engine->rows[engine->n_sampled] = i;
        engine->n_sampled += mxb__random_uniform(random, i) < fraction;
    }
    if (engine->n_sampled == 0) { /* all; also where none was drawn, as happens with very few rows */
        for (uint32_t i = 0; i < n; i++) {
            engine->rows[i] = i;
        }
        engine->n_sampled = n;
    }
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

void mxb__engine_begin(struct tree_engine *engine, const struct fit_input *input, const struct draw *draw) {
    engine->input = input;
    sample_rows(engine, draw->round);
    sample_columns(engine, draw->round);
    engine->wide_quanta = mxb__quanta_wide(input);
    engine->ops->begin(engine, draw);
    double h_scale = engine->quanta.h_scale;
    engine->rules = mxb__split_rules(input->options->lambda_l2 * h_scale, input->options->min_child_weight * h_scale);
}
