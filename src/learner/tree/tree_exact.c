/* The engine of exact trees: every feature's rows stay in sorted order, node by node, so that one walk over a node's
 * rows sees every cut between its values. A level costs as many steps as there are sampled rows times columns. Knows
 * nothing of how nodes are numbered or chosen. */
#include "learner/tree/tree_exact.h"

#include <string.h>

#include "base/parallel.h"
#include "base/reduce.h"
#include "learner/tree/level_split.h"

/* Gains found at once, a node's on each feature: more nodes are searched a batch after the other. */
enum { MAX_BATCH = 512, MAX_GAINS = 1 << 20 };

static void carve(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace) {
    size_t n = input->prepared->n_rows;
    size_t d = input->prepared->n_features;
    size_t max_leaves = mxb__engine_max_leaves(input);
    size_t max_batch = MAX_GAINS / d < MAX_BATCH ? MAX_GAINS / d : MAX_BATCH;
    max_batch = max_batch < max_leaves ? max_batch : max_leaves;
    engine->scratch.n_histograms = 0;
    engine->scratch.max_batch = max_batch < 2 ? 2 : max_batch; /* a node's children */
    engine->sorted = mxb__carve(workspace, d * n, sizeof *engine->sorted);
    engine->goes_left = mxb__carve(workspace, n, sizeof *engine->goes_left);
    engine->n_spares = input->options->tree_n_threads < d ? input->options->tree_n_threads : d;
    engine->spares = mxb__carve(workspace, engine->n_spares * n, sizeof *engine->spares);
    engine->leaf_of_row = engine->spares;
    engine->max_cuts = 0;
    for (size_t f = 0; f < d && input->options->symmetric_depth > 0; f++) {
        size_t n_cuts = mxb__missing_code(&input->prepared->bins[f]);
        engine->max_cuts = n_cuts > engine->max_cuts ? n_cuts : engine->max_cuts;
    }
    engine->level_gains = mxb__carve(workspace, engine->n_spares * 2 * engine->max_cuts, sizeof *engine->level_gains);
    mxb__engine_carve_batches(&engine->scratch, input, workspace);
}

static void begin(struct tree_engine *engine, const struct draw *draw) {
    (void)draw;
    engine->packed = 0;
    engine->quanta = engine->wide_quanta;
    mxb__quanta_write_wide(engine->input, engine->quanta, engine->sums);
    mxb__engine_set_rules(engine);
}

static size_t room(const struct tree_engine *engine, size_t levels_below) {
    (void)levels_below;
    return engine->scratch.max_batch / 2;
}

static void close_node(struct tree_engine *engine, struct engine_node *node) {
    (void)engine;
    (void)node;
}

/* The work of one step on so many rows of every feature. */
static double step_ns(const struct tree_engine *engine, size_t n_rows, double nanoseconds) {
    return (double)n_rows * (double)engine->input->prepared->n_features * nanoseconds;
}

/* ---- sorted rows ---- */

static uint32_t *sorted_of(const struct tree_engine *engine, size_t feature) {
    return engine->sorted + feature * engine->input->prepared->n_rows;
}

static void sort_sample(void *context, size_t feature, size_t thread) {
    struct tree_engine *engine = context;
    size_t n = engine->input->prepared->n_rows;
    const uint32_t *order = engine->input->prepared->order + feature * n;
    uint32_t *sorted = sorted_of(engine, feature);
    (void)thread;
    if (!engine->is_column[feature]) {
        return;
    }
    if (engine->n_sampled == n) {
        memcpy(sorted, order, n * sizeof *sorted);
        return;
    }
    size_t n_kept = 0;
    for (size_t i = 0; n_kept < engine->n_sampled; i++) {
        sorted[n_kept] = order[i];
        n_kept += engine->goes_left[order[i]]; /* here: in the sample */
    }
}

/* Moves the rows that go left before those that go right, both in their old order. No other task may use the same spare
 * for the same node. */
static uint32_t move_rows(const struct tree_engine *engine, uint32_t *rows, struct row_span span, size_t spare) {
    uint32_t *right = engine->spares + spare * engine->input->prepared->n_rows + span.begin;
    uint32_t middle = span.begin;
    size_t n_right = 0;
    for (uint32_t i = span.begin; i < span.end; i++) {
        uint32_t row = rows[i];
        uint32_t is_left = engine->goes_left[row];
        rows[middle] = row;
        right[n_right] = row;
        middle += is_left;
        n_right += 1 - is_left;
    }
    memcpy(rows + middle, right, n_right * sizeof *rows);
    return middle;
}

/* ---- partition ---- */

struct family_task {
    struct tree_engine *engine;
    const struct family *families;
};

static size_t rows_of_parents(const struct family *families, size_t n) {
    size_t n_rows = 0;
    for (size_t i = 0; i < n; i++) {
        n_rows += mxb__span_rows(families[i].parent->rows);
    }
    return n_rows;
}

/* In the sorted rows of the split's feature, those of the left bins come first and the missing ones last. */
static void partition_node(void *context, size_t index, size_t thread) {
    struct family_task *task = context;
    struct tree_engine *engine = task->engine;
    const struct engine_node *node = task->families[index].parent;
    const mxb_prepared *prepared = engine->input->prepared;
    (void)thread;
    struct row_span span = node->rows;
    uint32_t feature = node->split.feature;
    const uint32_t *sorted = sorted_of(engine, feature);
    const uint32_t *codes = prepared->codes + feature * prepared->n_rows;
    uint32_t right = mxb__order_find_above(sorted, codes, span.begin, span.end, node->split.bin);
    uint32_t missing = mxb__order_find_above(sorted, codes, span.begin, span.end, prepared->bins[feature].n_cuts);
    for (uint32_t i = span.begin; i < span.end; i++) {
        engine->goes_left[sorted[i]] = i < right ? 1 : i < missing ? 0 : node->split.missing_left;
    }
    mxb__family_divide(&task->families[index], move_rows(engine, engine->rows, span, 0));
}

static void partition(struct tree_engine *engine, const struct family *families, size_t n) {
    struct family_task task = {engine, families};
    mxb__pool_run(engine->pool, n, (double)rows_of_parents(families, n) * 3.0, partition_node, &task);
}

/* ---- split search ---- */

/* Nodes 2i and 2i + 1 are the children of family i; a root is a left child without parent and sibling. */
static struct engine_node *node_of(const struct family_task *task, size_t index) {
    const struct family *family = &task->families[index / 2];
    return index % 2 == 0 ? family->left : family->right;
}

static struct sorted_rows rows_of(const struct tree_engine *engine, const struct engine_node *node, size_t feature) {
    const mxb_prepared *prepared = engine->input->prepared;
    struct sorted_rows rows = {sorted_of(engine, feature) + node->rows.begin, mxb__span_rows(node->rows),
                               prepared->codes + feature * prepared->n_rows, engine->sums,
                               mxb__missing_code(&prepared->bins[feature])};
    return rows;
}

static void search_feature(void *context, size_t index, size_t thread) {
    struct family_task *task = context;
    struct tree_engine *engine = task->engine;
    size_t d = engine->input->prepared->n_features;
    (void)thread;
    const struct engine_node *node = node_of(task, index / d);
    double *gain = &engine->scratch.gains[index];
    *gain = 0.0;
    if (engine->is_column[index % d]) {
        struct sorted_rows rows = rows_of(engine, node, index % d);
        *gain = mxb__split_gain_sorted(&rows, node->total, &engine->rules);
    }
}

static void choose_split(void *context, size_t index, size_t thread) {
    struct family_task *task = context;
    const struct tree_engine *engine = task->engine;
    uint32_t d = engine->input->prepared->n_features;
    struct engine_node *node = node_of(task, index);
    const double *gains = engine->scratch.gains + index * d;
    (void)thread;
    uint32_t feature = mxb__split_choose(gains, d, &engine->factors, node->path);
    if (feature < d) {
        struct sorted_rows rows = rows_of(engine, node, feature);
        node->split = mxb__split_locate_sorted(&rows, node->total, &engine->rules, gains[feature]);
        node->split.feature = feature;
    }
}

static void find_splits(struct family_task *task, size_t n_nodes, size_t n_rows) {
    struct pool *pool = task->engine->pool;
    size_t n_features = task->engine->input->prepared->n_features;
    mxb__pool_run(pool, n_nodes * n_features, step_ns(task->engine, n_rows, 10.0), search_feature, task);
    mxb__pool_run(pool, n_nodes, (double)n_rows * 10.0, choose_split, task);
}

/* ---- opening nodes ---- */

static void sort_root(struct tree_engine *engine, struct engine_node *root) {
    const mxb_prepared *prepared = engine->input->prepared;
    memset(engine->goes_left, 0, prepared->n_rows);
    for (uint32_t i = 0; i < engine->n_sampled; i++) {
        engine->goes_left[engine->rows[i]] = 1;
    }
    mxb__pool_run(engine->pool, prepared->n_features, step_ns(engine, prepared->n_rows, 1.0), sort_sample, engine);
    for (uint32_t i = 0; i < engine->n_sampled; i++) {
        root->total.g += engine->sums[engine->rows[i]].g;
        root->total.h += engine->sums[engine->rows[i]].h;
    }
    mxb__reduce_integers(&root->total.g, 1);
    mxb__reduce_integers(&root->total.h, 1);
}

static void open_root(struct tree_engine *engine, struct engine_node *root) {
    sort_root(engine, root);
    struct family family = {.left = root};
    struct family_task task = {engine, &family};
    find_splits(&task, 1, engine->n_sampled);
}

static void move_feature(void *context, size_t index, size_t thread) {
    struct family_task *task = context;
    size_t d = task->engine->input->prepared->n_features;
    size_t feature = index % d;
    if (task->engine->is_column[feature]) {
        size_t spare = task->engine->n_spares == d ? feature : thread;
        move_rows(task->engine, sorted_of(task->engine, feature), task->families[index / d].parent->rows, spare);
    }
}

static void move_families(struct family_task *task, size_t n, size_t n_rows) {
    mxb__pool_run(task->engine->pool, n * task->engine->input->prepared->n_features, step_ns(task->engine, n_rows, 2.0),
                  move_feature, task);
}

static void open_children(struct tree_engine *engine, const struct family *families, size_t n) {
    struct family_task task = {engine, families};
    size_t n_rows = rows_of_parents(families, n);
    move_families(&task, n, n_rows);
    find_splits(&task, 2 * n, n_rows);
}

/* ---- symmetric trees ---- */

struct level_task {
    struct tree_engine *engine;
    const struct level *level;
};

static void open_level(struct tree_engine *engine, const struct family *families, size_t n) {
    struct family_task task = {engine, families};
    if (n == 1 && families[0].parent == NULL) {
        sort_root(engine, families[0].left);
    } else {
        move_families(&task, n, rows_of_parents(families, n));
    }
}

/* The nodes in order, so that the sum of each cut has one order. */
static void search_level_feature(void *context, size_t feature, size_t thread) {
    const struct level_task *task = context;
    const struct tree_engine *engine = task->engine;
    const struct level *level = task->level;
    size_t spare = engine->n_spares == engine->input->prepared->n_features ? feature : thread;
    double *room = engine->level_gains + spare * 2 * engine->max_cuts;
    uint8_t has_missing = 0;
    struct level_gains gains = {mxb__missing_code(&engine->input->prepared->bins[feature]), room,
                                room + engine->max_cuts, &has_missing};
    level->cuts[feature] = (struct level_cut){0};
    if (!engine->is_column[feature]) {
        return;
    }
    memset(gains.right, 0, gains.n * sizeof *gains.right);
    for (size_t i = 0; i < level->n_nodes; i++) {
        if (mxb__level_divides(level->nodes[i].total, &engine->rules)) {
            struct sorted_rows rows = rows_of(engine, &level->nodes[i], feature);
            mxb__level_add_sorted(&rows, level->nodes[i].total, &engine->rules, &gains);
        }
    }
    level->cuts[feature] = mxb__level_best(&gains, level->score, &engine->rules);
}

static void search_level(struct tree_engine *engine, const struct level *level) {
    struct level_task task = {engine, level};
    double nanoseconds = step_ns(engine, engine->n_sampled, 10.0);
    mxb__pool_run(engine->pool, engine->input->prepared->n_features, nanoseconds, search_level_feature, &task);
}

static struct gradient_sum left_sum(const struct tree_engine *engine, const struct engine_node *node) {
    const mxb_prepared *prepared = engine->input->prepared;
    const uint32_t *codes = prepared->codes + node->split.feature * prepared->n_rows;
    uint32_t missing = mxb__missing_code(&prepared->bins[node->split.feature]);
    struct gradient_sum left = {0, 0};
    for (uint32_t i = node->rows.begin; i < node->rows.end; i++) {
        uint32_t row = engine->rows[i];
        if (codes[row] == missing ? node->split.missing_left : codes[row] <= node->split.bin) {
            left.g += engine->sums[row].g;
            left.h += engine->sums[row].h;
        }
    }
    mxb__reduce_integers(&left.g, 1);
    mxb__reduce_integers(&left.h, 1);
    return left;
}

const struct engine_ops mxb__exact_engine = {
    .carve = carve,
    .begin = begin,
    .room = room,
    .open_root = open_root,
    .partition = partition,
    .open_children = open_children,
    .close = close_node,
    .open_level = open_level,
    .search_level = search_level,
    .left_sum = left_sum,
};
