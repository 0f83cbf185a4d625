/* Step 7a of the data's path: one tree, grown on a sample of rows and columns, with leaf values from wide sums. Knows
 * nothing of losses. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "data/bin_codes.h"
#include "learner/tree/split_prior.h"
#include "learner/tree/symmetric_grow.h"
#include "learner/tree/symmetric_walk.h"
#include "learner/tree/tree_grow.h"
#include "learner/tree/tree_leaves.h"
#include "model/row_block.h"

/* Stands at the head of the workspace, where it outlives the fit: its rows are still to be added to the scores. */
struct tree_state {
    int valid_is_coded;  /* in the head that begins as zero */
    uint32_t n_in_prior; /* likewise: terms of the model whose gains were looked at */
    int is_symmetric;    /* the last tree */
    struct tree_engine engine;
    struct grower grower;
    struct symmetric_grower symmetric;
    struct leaf *leaves; /* [max_leaves] in the model's order; of a symmetric tree those that rows are in */
    size_t n_leaves;
    uint32_t *leaf_of_place; /* the number of the leaf that is a node, or of that which a full tree's leaf leads to */
    uint32_t *breadth_first; /* [n_nodes] the grower's numbers in the model's order */
    uint32_t n_nodes;
    struct walk_node *walk; /* [node], where rows walk */
    double *gains;          /* [n_features] of the trees so far; none without a prior */
    double *prior;          /* [n_features] */
    uint8_t *valid_codes;   /* [feature][row] of the rows that are only scored; none for exact trees */
};

static size_t carve(struct tree_state *state, const struct fit_input *input, void *base) {
    struct workspace workspace = {base, 0};
    size_t max_leaves = mxb__engine_max_leaves(input);
    size_t n_full = (size_t)1 << input->options->symmetric_depth; /* leaves of a symmetric tree, with rows or not */
    mxb__carve(&workspace, 1, sizeof *state);
    mxb__engine_carve(&state->engine, input, &workspace);
    mxb__grower_carve(&state->grower, &state->engine, input, &workspace);
    mxb__symmetric_carve(&state->symmetric, input, &workspace);
    state->leaves = mxb__carve(&workspace, max_leaves, sizeof *state->leaves);
    state->leaf_of_place =
        mxb__carve(&workspace, n_full > 2 * max_leaves ? n_full : 2 * max_leaves, sizeof *state->leaf_of_place);
    state->breadth_first = mxb__carve(&workspace, 2 * max_leaves, sizeof *state->breadth_first);
    size_t n_valid = input->valid == NULL || input->prepared->settings.exact ? 0 : input->valid->n_rows;
    int walks = n_valid > 0 || input->options->subsample < 1.0;
    state->walk = mxb__carve(&workspace, walks ? 2 * max_leaves : 0, sizeof *state->walk);
    state->valid_codes = mxb__carve(&workspace, n_valid * input->prepared->n_features, sizeof *state->valid_codes);
    size_t n_weighed = input->options->split_prior > 0.0 ? input->prepared->n_features : 0;
    state->gains = mxb__carve(&workspace, n_weighed, sizeof *state->gains);
    state->prior = mxb__carve(&workspace, n_weighed, sizeof *state->prior);
    return workspace.used;
}

static size_t workspace_bytes(const struct fit_input *input) {
    struct tree_state state;
    return carve(&state, input, NULL);
}

/* ---- rows that walk ---- */

struct walk_task {
    const struct tree_state *state;
    size_t n_rows;
    struct walk walk;                /* of an ordinary tree */
    struct symmetric_walk symmetric; /* of a symmetric one */
    double *scores;                  /* of rows that are only scored */
};

/* The numbers of the leaves of rows first .. first + n - 1. */
static void find_symmetric(const struct walk_task *task, size_t first, size_t n, uint32_t *leaves) {
    mxb__symmetric_walk_find(&task->symmetric, first, n, leaves);
    for (size_t i = 0; i < n; i++) {
        leaves[i] = task->state->leaf_of_place[leaves[i]];
    }
}

/* The same for the rows of an ordinary tree that are listed. */
static void find_ordinary(const struct walk_task *task, struct walkers *walkers) {
    mxb__walk_find(&task->walk, walkers);
    for (size_t i = 0; i < walkers->n; i++) {
        walkers->leaves[i] = task->state->leaf_of_place[walkers->leaves[i]];
    }
}

static void number_block(void *context, size_t block, size_t thread) {
    const struct walk_task *task = context;
    uint32_t *leaf_of_row = task->state->engine.leaf_of_row;
    size_t first = block * MXB__WALK_ROWS;
    size_t n = mxb__block_length(task->n_rows, MXB__WALK_ROWS, block);
    struct walkers walkers;
    (void)thread;
    if (task->state->is_symmetric) { /* all rows side by side, faster than some of them */
        find_symmetric(task, first, n, leaf_of_row + first);
        return;
    }
    walkers.n = 0;
    for (size_t i = first; i < first + n; i++) {
        walkers.rows[walkers.n] = (uint32_t)i;
        walkers.n += leaf_of_row[i] == MXB__NO_LEAF;
    }
    find_ordinary(task, &walkers);
    for (size_t i = 0; i < walkers.n; i++) {
        leaf_of_row[walkers.rows[i]] = walkers.leaves[i];
    }
}

static void score_block(void *context, size_t block, size_t thread) {
    const struct walk_task *task = context;
    size_t first = block * MXB__WALK_ROWS;
    struct walkers walkers;
    (void)thread;
    walkers.n = mxb__block_length(task->n_rows, MXB__WALK_ROWS, block);
    if (task->state->is_symmetric) {
        find_symmetric(task, first, walkers.n, walkers.leaves);
    } else {
        for (size_t i = 0; i < walkers.n; i++) {
            walkers.rows[i] = (uint32_t)(first + i);
        }
        find_ordinary(task, &walkers);
    }
    for (size_t i = 0; i < walkers.n; i++) {
        task->scores[first + i] += task->state->leaves[walkers.leaves[i]].value;
    }
    mxb__scores_add_constant(task->scores + first, walkers.n, 0); /* they stay finite, as in predictions */
}

static struct walk make_walk(struct tree_state *state, struct code_columns codes) {
    struct walk walk = {.codes = codes, .nodes = state->walk};
    for (uint32_t i = 0; i < state->n_nodes; i++) {
        uint32_t n = state->breadth_first[i];
        const struct grow_node *node = &state->grower.nodes[n];
        state->walk[n] = node->left == 0 ? mxb__walk_leaf(n)
                                         : mxb__walk_split(&codes, state->engine.input->prepared->bins,
                                                           &node->work.split, node->left);
        walk.depth = node->depth > walk.depth ? node->depth : walk.depth;
    }
    return walk;
}

static struct symmetric_walk make_symmetric_walk(const struct tree_state *state, struct code_columns codes) {
    const struct symmetric_grower *grower = &state->symmetric;
    struct symmetric_walk walk = {.codes = codes, .depth = grower->depth};
    for (uint32_t l = 0; l < walk.depth; l++) {
        walk.levels[l] = mxb__walk_split(&codes, state->engine.input->prepared->bins, &grower->levels[l], 0);
    }
    return walk;
}

static void walk_rows(struct tree_state *state, struct code_columns codes, double *scores, task_fn function) {
    struct walk_task task = {.state = state, .n_rows = codes.n_rows, .scores = scores};
    double n_steps = 1.0;
    if (state->is_symmetric) {
        task.symmetric = make_symmetric_walk(state, codes);
        n_steps += 0.25 * task.symmetric.depth;
    } else {
        task.walk = make_walk(state, codes);
        n_steps += task.walk.depth;
    }
    mxb__pool_run(state->engine.input->tree_pool, mxb__n_blocks(codes.n_rows, MXB__WALK_ROWS),
                  (double)codes.n_rows * n_steps, function, &task);
}

/* Rows of an ordinary tree's sample are in their leaves already, the others walk. */
static void number_rows(struct tree_state *state) {
    const mxb_prepared *prepared = state->engine.input->prepared;
    struct code_columns codes = {prepared->columns, prepared->codes, prepared->n_rows};
    if (!state->is_symmetric) {
        mxb__leaves_number(&state->engine, state->leaves, state->n_leaves);
    }
    walk_rows(state, codes, NULL, number_block);
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
            state->leaf_of_place[n] = (uint32_t)state->n_leaves++;
        }
    }
}

static int find_values(struct tree_state *state) {
    if (mxb__leaves_some_out(&state->engine)) {
        number_rows(state);
    }
    return mxb__leaves_fit(&state->engine, state->leaves, state->n_leaves);
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
    walk_rows(state, codes, scores, score_block);
    return MXB_OK;
}

/* ---- the finished term ---- */

/* What splits of so much gain in quanta took off the loss. Trees on a sample of the rows count as if these were all. */
static double gain_of(const struct tree_engine *engine, double sum) {
    return mxb__bounded(ldexp(sum * engine->sample_scale, engine->quanta.h_exponent - 2 * engine->quanta.g_exponent));
}

/* The gain of a tree; those of its splits become their shares of it. */
static double share_gain(const struct tree_state *state, struct tree *tree) {
    double sum = 0.0;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        sum += state->grower.nodes[state->breadth_first[i]].work.split.gain;
    }
    for (uint32_t i = 0; i < tree->n_nodes && sum > 0.0; i++) {
        tree->nodes[i].share = (float)(state->grower.nodes[state->breadth_first[i]].work.split.gain / sum);
    }
    return gain_of(&state->engine, sum);
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
            out->value = state->leaves[state->leaf_of_place[state->breadth_first[i]]].value;
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

static mxb_status fit_tree(struct tree_state *state, uint32_t max_depth, struct term *term, mxb_error *error) {
    mxb__grower_run(&state->grower, &state->engine, max_depth);
    state->n_nodes = list_nodes(state);
    list_leaves(state);
    term->repaired = (uint8_t)find_values(state);
    term->kind = TERM_TREE;
    return make_tree(state, max_depth, &term->tree, error);
}

static mxb_status make_symmetric(const struct tree_state *state, uint32_t max_depth, struct symmetric *tree,
                                 mxb_error *error) {
    const struct symmetric_grower *grower = &state->symmetric;
    double sum = 0.0;
    tree->depth = grower->depth;
    tree->max_depth = max_depth;
    MXB_TRY(mxb__symmetric_allocate(tree, error));
    for (uint32_t l = 0; l < tree->depth; l++) {
        sum += grower->levels[l].gain;
    }
    for (uint32_t l = 0; l < tree->depth; l++) {
        const struct split *split = &grower->levels[l];
        double threshold = mxb__prepared_threshold(state->engine.input->prepared, split->feature, split->bin);
        tree->levels[l] =
            (struct symmetric_level){threshold, split->feature, (float)(split->gain / sum), split->missing_left};
    }
    for (size_t leaf = 0; leaf < mxb__symmetric_n_leaves(tree); leaf++) {
        tree->values[leaf] = state->leaves[state->leaf_of_place[leaf]].value;
    }
    tree->gain = gain_of(&state->engine, sum);
    return MXB_OK;
}

static mxb_status fit_symmetric(struct tree_state *state, uint32_t max_depth, struct term *term, mxb_error *error) {
    const struct symmetric_grower *grower = &state->symmetric;
    mxb__symmetric_grow(&state->symmetric, &state->engine, max_depth);
    state->n_leaves = grower->n_nodes;
    for (uint32_t i = 0; i < grower->n_nodes; i++) {
        state->leaves[i].rows = grower->nodes[i].rows;
    }
    memcpy(state->leaf_of_place, grower->node_of_leaf, ((size_t)1 << grower->depth) * sizeof *state->leaf_of_place);
    term->repaired = (uint8_t)find_values(state);
    term->kind = TERM_SYMMETRIC;
    return make_symmetric(state, max_depth, &term->symmetric, error);
}

/* The factors of this round, from all trees before; NULL: none. */
static const double *find_prior(struct tree_state *state, const struct fit_input *input) {
    uint32_t d = input->prepared->n_features;
    if (input->options->split_prior == 0.0) {
        return NULL;
    }
    for (uint32_t f = 0; f < d && state->n_in_prior == 0; f++) {
        state->gains[f] = 0.0;
    }
    for (; state->n_in_prior < input->model->n_terms; state->n_in_prior++) {
        mxb__term_add_split_gains(&input->model->terms[state->n_in_prior], 1, state->gains);
    }
    mxb__split_prior(state->gains, d, input->options->split_prior, state->prior);
    return state->prior;
}

static mxb_status fit(const struct fit_input *input, const struct draw *draw, void *workspace, struct term *term,
                      mxb_error *error) {
    struct tree_state *state = workspace;
    carve(state, input, workspace);
    mxb__engine_begin(&state->engine, input, draw, find_prior(state, input));
    state->is_symmetric = draw->is_symmetric;
    *term = (struct term){.n_outputs = 1};
    return state->is_symmetric ? fit_symmetric(state, draw->max_depth, term, error)
                               : fit_tree(state, draw->max_depth, term, error);
}

const struct learner_ops mxb__tree_learner = {"tree", workspace_bytes, fit, add, add_valid};
