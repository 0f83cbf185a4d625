/* Growing a symmetric tree: which split a level gets, and which of its nodes it divides. Knows nothing of rows or
 * histograms. */
#include "learner/tree/symmetric_grow.h"

#include "base/parallel.h"
#include "learner/tree/level_split.h"

void mxb__symmetric_carve(struct symmetric_grower *grower, const struct fit_input *input, struct workspace *workspace) {
    uint32_t depth = input->options->symmetric_depth;
    size_t max_leaves = depth == 0 ? 0 : mxb__engine_max_leaves(input);
    grower->nodes = mxb__carve(workspace, max_leaves, sizeof *grower->nodes);
    grower->parents = mxb__carve(workspace, max_leaves, sizeof *grower->parents);
    grower->first_child = mxb__carve(workspace, max_leaves, sizeof *grower->first_child);
    grower->families = mxb__carve(workspace, depth == 0 ? 0 : max_leaves / 2 + 1, sizeof *grower->families);
    grower->node_of_leaf = mxb__carve(workspace, depth == 0 ? 0 : (size_t)1 << depth, sizeof *grower->node_of_leaf);
    grower->cuts = mxb__carve(workspace, depth == 0 ? 0 : input->prepared->n_features, sizeof *grower->cuts);
}

/* ---- the split of a level ---- */

static double score_nodes(const struct symmetric_grower *grower, const struct tree_engine *engine) {
    double score = 0.0;
    for (uint32_t i = 0; i < grower->n_nodes; i++) {
        if (mxb__level_divides(grower->nodes[i].total, &engine->rules)) {
            score += mxb__level_score(grower->nodes[i].total, &engine->rules);
        }
    }
    return score;
}

static int choose_cut(const struct symmetric_grower *grower, struct tree_engine *engine, struct split *split) {
    uint32_t d = engine->input->prepared->n_features;
    double *gains = engine->scratch.gains;
    struct level level = {grower->nodes, grower->n_nodes, score_nodes(grower, engine), grower->cuts};
    engine->ops->search_level(engine, &level);
    for (uint32_t f = 0; f < d; f++) { /* what features are chosen by: the place for factors on their gains */
        gains[f] = grower->cuts[f].gain;
    }
    uint32_t feature = mxb__split_choose(gains, d, &engine->factors, (uint32_t)1 << grower->depth);
    if (feature == d) {
        return 0;
    }
    const struct level_cut *cut = &grower->cuts[feature];
    *split = (struct split){cut->gain, feature, cut->bin, cut->missing_left, {0, 0}};
    return 1;
}

struct left_task {
    struct symmetric_grower *grower;
    struct tree_engine *engine;
    const struct split *split;
};

static void find_left(void *context, size_t index, size_t thread) {
    struct left_task *task = context;
    struct engine_node *node = &task->grower->nodes[index];
    (void)thread;
    node->split = *task->split;
    node->split.left = task->engine->ops->left_sum(task->engine, node);
}

/* The split, and what goes left by it in each node. Where nobody is missing a value, missing ones will follow the
 * heavier side. */
static int find_split(struct symmetric_grower *grower, struct tree_engine *engine, struct split *split) {
    if (!choose_cut(grower, engine, split)) {
        return 0;
    }
    struct left_task task = {grower, engine, split};
    double n_rows = 0.0; /* to be looked at */
    int64_t left = 0;
    int64_t right = 0;
    for (uint32_t i = 0; i < grower->n_nodes; i++) {
        n_rows += grower->nodes[i].cells == NULL ? mxb__span_rows(grower->nodes[i].rows) : 0;
    }
    mxb__pool_run(engine->pool, grower->n_nodes, n_rows + grower->n_nodes * 100.0, find_left, &task);
    for (uint32_t i = 0; i < grower->n_nodes; i++) {
        const struct engine_node *node = &grower->nodes[i];
        left += node->split.left.h;
        right += node->total.h - node->split.left.h;
    }
    if (!grower->cuts[split->feature].has_missing) {
        split->missing_left = left >= right;
    }
    for (uint32_t i = 0; i < grower->n_nodes; i++) {
        grower->nodes[i].split.missing_left = split->missing_left;
    }
    return 1;
}

/* ---- the next level ---- */

static int is_divided(const struct tree_engine *engine, const struct engine_node *node) {
    double left = (double)node->split.left.h;
    double right = (double)(node->total.h - node->split.left.h);
    return left >= engine->rules.least_h && right >= engine->rules.least_h;
}

/* The nodes become parents; those that are divided have two children, the others are their own. Returns how many are
 * divided. */
static uint32_t divide_nodes(struct symmetric_grower *grower, struct tree_engine *engine) {
    struct engine_node *parents = grower->nodes;
    uint32_t n_families = 0;
    uint32_t n_children = 0;
    grower->nodes = grower->parents;
    grower->parents = parents;
    for (uint32_t i = 0; i < grower->n_nodes; i++) {
        struct engine_node *children = &grower->nodes[n_children];
        grower->first_child[i] = n_children;
        if (is_divided(engine, &parents[i])) {
            children[0] = children[1] = (struct engine_node){0};
            grower->families[n_families++] = (struct family){&parents[i], &children[0], &children[1]};
            n_children += 2;
        } else {
            children[0] = parents[i];
            n_children++;
        }
    }
    for (uint32_t leaf = (uint32_t)1 << grower->depth; leaf > 0; leaf--) { /* from behind, in place */
        uint32_t parent = grower->node_of_leaf[leaf - 1];
        uint32_t child = grower->first_child[parent];
        grower->node_of_leaf[2 * leaf - 2] = child;
        grower->node_of_leaf[2 * leaf - 1] = child + (is_divided(engine, &parents[parent]) ? 1 : 0);
    }
    grower->n_nodes = n_children;
    return n_families;
}

static void partition(struct symmetric_grower *grower, struct tree_engine *engine, uint32_t n) {
    size_t most = engine->scratch.max_batch;
    for (size_t first = 0; first < n; first += most) {
        engine->ops->partition(engine, grower->families + first, n - first < most ? n - first : most);
    }
}

void mxb__symmetric_grow(struct symmetric_grower *grower, struct tree_engine *engine, uint32_t max_depth) {
    struct family root = {.left = &grower->nodes[0]};
    grower->nodes[0] = (struct engine_node){.rows = {0, engine->n_sampled}};
    grower->n_nodes = 1;
    grower->depth = 0;
    grower->node_of_leaf[0] = 0;
    engine->ops->open_level(engine, &root, 1);
    while (grower->depth < max_depth && find_split(grower, engine, &grower->levels[grower->depth])) {
        uint32_t n_families = divide_nodes(grower, engine);
        grower->depth++;
        partition(grower, engine, n_families);
        if (grower->depth < max_depth) {
            engine->ops->open_level(engine, grower->families, n_families);
        }
    }
}
