/* Step 7a of the data's path: one tree, grown on a sample of rows and columns, with leaf values from wide sums. Knows
 * nothing of losses. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "learner/tree/tree_grow.h"

enum { WALK_ROWS = 4096 };

/* Stands at the head of the workspace, where it outlives the fit: its rows are still to be added to the scores. */
struct tree_state {
    struct tree_engine engine;
    struct grower grower;
    struct leaf *leaves; /* [max_leaves] */
    uint32_t *node_of_leaf;      /* [max_leaves] */
    size_t n_leaves;
    double *values;          /* [node] leaf values */
    uint32_t *breadth_first; /* [n_nodes] the grower's numbers in the model's order */
    uint32_t n_nodes;
};

static size_t carve(struct tree_state *state, const struct fit_input *input, void *base) {
    struct workspace workspace = {base, 0};
    size_t max_leaves = mxb__engine_max_leaves(input);
    mxb__carve(&workspace, 1, sizeof *state);
    mxb__engine_carve(&state->engine, input, &workspace);
    mxb__grower_carve(&state->grower, &state->engine, input, &workspace);
    state->leaves = mxb__carve(&workspace, max_leaves, sizeof *state->leaves);
    state->node_of_leaf = mxb__carve(&workspace, max_leaves, sizeof *state->node_of_leaf);
    state->values = mxb__carve(&workspace, 2 * max_leaves, sizeof *state->values);
    state->breadth_first = mxb__carve(&workspace, 2 * max_leaves, sizeof *state->breadth_first);
    return workspace.used;
}

static size_t workspace_bytes(const struct fit_input *input) {
    struct tree_state state;
    return carve(&state, input, NULL);
}

/* ---- leaf values: -G / (H + lambda), times the learning rate ---- */

static double leaf_value(const struct leaf *leaf, struct quanta quanta, const struct fit_input *input) {
    const struct learner_options *options = input->options;
    double n_rows = (double)(mxb__span_rows(leaf->rows));
    double h = (double)leaf->sum.h;
    if (h < n_rows && input->sum_h > 0.0) {
        /* Rows that weigh next to nothing beside others: rounding may have lost half a quantum of each, as much as the
         * sum. A step too short is safe, one too long makes the loss rise. */
        h += 0.5 * n_rows;
    }
    h += options->lambda_l2 * quanta.h_scale;
    double value = h > 0.0 ? ldexp(-(double)leaf->sum.g / h, quanta.h_exponent - quanta.g_exponent) : 0.0;
    return isfinite(value) ? options->learning_rate * value : 0.0;
}

/* The nodes in the model's order, breadth-first. Returns how many there are. */
static uint32_t list_nodes(struct tree_state *state) {
    uint32_t n = 1;
    state->breadth_first[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t left = state->grower.nodes[state->breadth_first[i]].left;
        if (left != 0) {
            state->breadth_first[n++] = left;
            state->breadth_first[n++] = left + 1;
        }
    }
    return n;
}

static void find_values(struct tree_state *state) {
    state->n_leaves = 0;
    for (uint32_t i = 0; i < state->n_nodes; i++) {
        uint32_t n = state->breadth_first[i];
        if (state->grower.nodes[n].left == 0) {
            state->leaves[state->n_leaves].rows = state->grower.nodes[n].work.rows;
            state->node_of_leaf[state->n_leaves++] = n;
        }
    }
    mxb__engine_leaf_sums(&state->engine, state->leaves, state->n_leaves);
    for (size_t i = 0; i < state->n_leaves; i++) {
        struct leaf *leaf = &state->leaves[i];
        leaf->value = leaf_value(leaf, state->engine.wide_quanta, state->engine.input);
        state->values[state->node_of_leaf[i]] = leaf->value;
    }
}

/* ---- scores ---- */

struct walk_task {
    const struct tree_state *state;
    double *scores;
};

/* Where rows were left out of the sample, all find their leaf by their codes. */
static void add_by_walk(void *context, size_t block, size_t thread) {
    struct walk_task *task = context;
    const struct tree_state *state = task->state;
    const mxb_prepared *prepared = state->engine.input->prepared;
    (void)thread;
    size_t end = block * WALK_ROWS + mxb__block_length(prepared->n_rows, WALK_ROWS, block);
    for (size_t row = block * WALK_ROWS; row < end; row++) {
        uint32_t n = 0;
        while (state->grower.nodes[n].left != 0) {
            const struct grow_node *node = &state->grower.nodes[n];
            uint32_t code = mxb__prepared_code(prepared, node->work.split.feature, row);
            int missing = code == mxb__missing_code(&prepared->bins[node->work.split.feature]);
            int goes_left = missing ? node->work.split.missing_left : code <= node->work.split.bin;
            n = node->left + (goes_left ? 0 : 1);
        }
        task->scores[row] += state->values[n];
    }
}

static void add(const struct fit_input *input, void *workspace, double *scores) {
    struct tree_state *state = workspace;
    size_t n_rows = input->prepared->n_rows;
    state->engine.input = input;
    if (state->engine.n_sampled == n_rows) {
        mxb__engine_add_leaves(&state->engine, state->leaves, state->n_leaves, scores);
    } else {
        struct walk_task task = {state, scores};
        size_t n_blocks = mxb__n_blocks(n_rows, WALK_ROWS);
        mxb__pool_run(input->tree_pool, n_blocks, (double)n_rows * 10.0, add_by_walk, &task);
    }
}

/* ---- the finished term ---- */

/* The sum of the splits' gains, each of which becomes its share of it. Trees on a sample of the rows count as if these
 * were all. */
static double share_gain(const struct tree_state *state, struct tree *tree) {
    const struct tree_engine *engine = &state->engine;
    double sum = 0.0;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        sum += state->grower.nodes[state->breadth_first[i]].work.split.gain;
    }
    for (uint32_t i = 0; i < tree->n_nodes && sum > 0.0; i++) {
        tree->nodes[i].share = (float)(state->grower.nodes[state->breadth_first[i]].work.split.gain / sum);
    }
    double all_rows = (double)engine->input->prepared->n_rows / (double)engine->n_sampled;
    return mxb__bounded(ldexp(sum * all_rows, engine->quanta.h_exponent - 2 * engine->quanta.g_exponent));
}

static mxb_status make_tree(struct tree_state *state, uint32_t max_depth, struct tree *tree, mxb_error *error) {
    const struct grow_node *nodes = state->grower.nodes;
    const mxb_prepared *prepared = state->engine.input->prepared;
    MXB_TRY(mxb__alloc_zeroed(&tree->nodes, state->n_nodes, sizeof *tree->nodes, "a tree", error));
    tree->n_nodes = state->n_nodes;
    tree->max_depth = max_depth;
    uint32_t n_placed = 1; /* nodes whose parent was met */
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct grow_node *node = &nodes[state->breadth_first[i]];
        struct tree_node *out = &tree->nodes[i];
        if (node->left == 0) {
            out->split = SPLIT_NONE;
            out->value = state->values[state->breadth_first[i]];
        } else {
            out->split = SPLIT_NUMERIC;
            out->value = mxb__prepared_threshold(prepared, node->work.split.feature, node->work.split.bin);
            out->feature = node->work.split.feature;
            out->missing_left = node->work.split.missing_left;
            out->left = n_placed;
            n_placed += 2;
        }
    }
    tree->gain = share_gain(state, tree);
    return MXB_OK;
}

static mxb_status fit(const struct fit_input *input, const struct draw *draw, void *workspace, struct term *term,
                      mxb_error *error) {
    struct tree_state *state = workspace;
    carve(state, input, workspace);
    mxb__engine_begin(&state->engine, input, draw);
    mxb__grower_run(&state->grower, &state->engine, draw->max_depth);
    state->n_nodes = list_nodes(state);
    find_values(state);
    *term = (struct term){.kind = TERM_TREE, .n_outputs = 1};
    return make_tree(state, draw->max_depth, &term->tree, error);
}

const struct learner_ops mxb__tree_learner = {"tree", workspace_bytes, fit, add};
