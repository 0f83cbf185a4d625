/* Step 7a of the data's path: one tree, grown on a sample of rows and columns, with leaf values from wide sums. Knows
 * nothing of losses. */
#include <math.h>

#include "base/parallel.h"
#include "data/bin_codes.h"
#include "learner/tree/tree_grow.h"
#include "learner/tree/tree_leaves.h"
#include "learner/tree/tree_walk.h"
#include "model/row_block.h"

/* Stands at the head of the workspace, where it outlives the fit: its rows are still to be added to the scores. */
struct tree_state {
    int valid_is_coded; /* in the head that begins as zero */
    struct tree_engine engine;
    struct grower grower;
    struct leaf *leaves; /* [max_leaves] in the model's order */
    size_t n_leaves;
    uint32_t *leaf_of_node;  /* [node] its number, if it is one */
    uint32_t *breadth_first; /* [n_nodes] the grower's numbers in the model's order */
    uint32_t n_nodes;
    struct walk_node *walk; /* [node], where rows walk */
    uint8_t *valid_codes;   /* [feature][row] of the rows that are only scored; none for exact trees */
};

static size_t carve(struct tree_state *state, const struct fit_input *input, void *base) {
    struct workspace workspace = {base, 0};
    size_t max_leaves = mxb__engine_max_leaves(input);
    mxb__carve(&workspace, 1, sizeof *state);
    mxb__engine_carve(&state->engine, input, &workspace);
    mxb__grower_carve(&state->grower, &state->engine, input, &workspace);
    state->leaves = mxb__carve(&workspace, max_leaves, sizeof *state->leaves);
    state->leaf_of_node = mxb__carve(&workspace, 2 * max_leaves, sizeof *state->leaf_of_node);
    state->breadth_first = mxb__carve(&workspace, 2 * max_leaves, sizeof *state->breadth_first);
    size_t n_valid = input->valid == NULL || input->prepared->settings.exact ? 0 : input->valid->n_rows;
    int walks = n_valid > 0 || input->options->subsample < 1.0;
    state->walk = mxb__carve(&workspace, walks ? 2 * max_leaves : 0, sizeof *state->walk);
    state->valid_codes = mxb__carve(&workspace, n_valid * input->prepared->n_features, sizeof *state->valid_codes);
    return workspace.used;
}

static size_t workspace_bytes(const struct fit_input *input) {
    struct tree_state state;
    return carve(&state, input, NULL);
}

/* ---- rows that walk ---- */

struct walk_task {
    const struct tree_state *state;
    struct walk walk;
    double *scores; /* of rows that are only scored */
};

static void number_block(void *context, size_t block, size_t thread) {
    const struct walk_task *task = context;
    const struct tree_state *state = task->state;
    uint32_t *leaf_of_row = state->engine.leaf_of_row;
    size_t first = block * MXB__WALK_ROWS;
    size_t end = first + mxb__block_length(task->walk.codes.n_rows, MXB__WALK_ROWS, block);
    struct walkers walkers;
    (void)thread;
    walkers.n = 0;
    for (size_t i = first; i < end; i++) {
        walkers.rows[walkers.n] = (uint32_t)i;
        walkers.n += leaf_of_row[i] == MXB__NO_LEAF;
    }
    mxb__walk_find(&task->walk, &walkers);
    for (size_t i = 0; i < walkers.n; i++) {
        leaf_of_row[walkers.rows[i]] = state->leaf_of_node[walkers.leaves[i]];
    }
}

static void score_block(void *context, size_t block, size_t thread) {
    const struct walk_task *task = context;
    const struct tree_state *state = task->state;
    size_t first = block * MXB__WALK_ROWS;
    struct walkers walkers;
    (void)thread;
    walkers.n = mxb__block_length(task->walk.codes.n_rows, MXB__WALK_ROWS, block);
    for (size_t i = 0; i < walkers.n; i++) {
        walkers.rows[i] = (uint32_t)(first + i);
    }
    mxb__walk_find(&task->walk, &walkers);
    for (size_t i = 0; i < walkers.n; i++) {
        task->scores[first + i] += state->leaves[state->leaf_of_node[walkers.leaves[i]]].value;
    }
    mxb__scores_add_constant(task->scores + first, walkers.n, 0); /* they stay finite, as in predictions */
}

static void walk_rows(struct tree_state *state, struct walk_task *task, task_fn function) {
    const struct fit_input *input = state->engine.input;
    struct walk *walk = &task->walk;
    for (uint32_t i = 0; i < state->n_nodes; i++) {
        uint32_t n = state->breadth_first[i];
        const struct grow_node *node = &state->grower.nodes[n];
        state->walk[n] = node->left == 0
                             ? mxb__walk_leaf(n)
                             : mxb__walk_split(&walk->codes, input->prepared->bins, &node->work.split, node->left);
        walk->depth = node->depth > walk->depth ? node->depth : walk->depth;
    }
    walk->nodes = state->walk;
    task->state = state;
    size_t n_rows = walk->codes.n_rows;
    mxb__pool_run(input->tree_pool, mxb__n_blocks(n_rows, MXB__WALK_ROWS), (double)n_rows * (double)(1 + walk->depth),
                  function, task);
}

/* Rows of the sample are in their leaves already, the others walk. */
static void number_rows(struct tree_state *state) {
    const mxb_prepared *prepared = state->engine.input->prepared;
    struct code_columns codes = {prepared->columns, prepared->codes, prepared->n_rows};
    struct walk_task task = {.walk = {.codes = codes}};
    mxb__leaves_number(&state->engine, state->leaves, state->n_leaves);
    walk_rows(state, &task, number_block);
}

/* ---- leaves ---- */

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

static void list_leaves(struct tree_state *state) {
    state->n_leaves = 0;
    for (uint32_t i = 0; i < state->n_nodes; i++) {
        uint32_t n = state->breadth_first[i];
        if (state->grower.nodes[n].left == 0) {
            state->leaves[state->n_leaves].rows = state->grower.nodes[n].work.rows;
            state->leaf_of_node[n] = (uint32_t)state->n_leaves++;
        }
    }
}

/* ---- scores ---- */

static void add(const struct fit_input *input, void *workspace, double *scores) {
    struct tree_state *state = workspace;
    state->engine.input = input;
    mxb__leaves_add(&state->engine, state->leaves, state->n_leaves, scores);
}

/* Exact trees have a code for each value that training met: others would have to be looked up, so they go by values. */
static mxb_status add_valid(const struct fit_input *input, const struct term *term, void *workspace, double *scores,
                            mxb_error *error) {
    struct tree_state *state = workspace;
    state->engine.input = input;
    if (input->prepared->settings.exact) {
        return mxb__model_add_term_values(input->model, term, input->valid, input->tree_pool, scores, error);
    }
    if (!state->valid_is_coded) {
        mxb__bin_codes_write_columns(input->prepared, input->valid, input->tree_pool, state->valid_codes);
        state->valid_is_coded = 1;
    }
    struct code_columns codes = {.bytes = state->valid_codes, .n_rows = input->valid->n_rows};
    struct walk_task task = {.walk = {.codes = codes}, .scores = scores};
    walk_rows(state, &task, score_block);
    return MXB_OK;
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
            out->value = state->leaves[state->leaf_of_node[state->breadth_first[i]]].value;
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
    list_leaves(state);
    if (mxb__leaves_some_out(&state->engine)) {
        number_rows(state);
    }
    mxb__leaves_fit(&state->engine, state->leaves, state->n_leaves);
    *term = (struct term){.kind = TERM_TREE, .n_outputs = 1};
    return make_tree(state, draw->max_depth, &term->tree, error);
}

const struct learner_ops mxb__tree_learner = {"tree", workspace_bytes, fit, add, add_valid};
