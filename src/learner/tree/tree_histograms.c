/* The engine of histogram trees, first part: sums over bins, and splits from them. Sums are integers, so threads and
 * order do not matter. Knows nothing of how nodes are numbered or chosen. */
#include "learner/tree/tree_histograms.h"

#include <string.h>

#include "base/parallel.h"
#include "base/reduce.h"

enum { SHARED_ROWS = 1 << 16 }; /* a node with more is built by all threads together */

/* Histograms kept at once; beyond it a tree is grown part by part (tree_grow.c). */
static const size_t SLOT_BUDGET_BYTES = (size_t)64 << 20;

static size_t cell_bytes(const struct tree_engine *engine) {
    return engine->packed ? sizeof *engine->words : sizeof *engine->sums;
}

static void carve(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace) {
    size_t n = input->prepared->n_rows;
    size_t d = input->prepared->n_features;
    engine->n_groups_all = (uint32_t)mxb__n_blocks(d, MXB__GROUP);
    engine->n_cells = (size_t)engine->n_groups_all * MXB__GROUP * MXB__CELLS;
    size_t slot_bytes = engine->n_cells * sizeof(struct gradient_sum);
    size_t affordable = SLOT_BUDGET_BYTES / slot_bytes;
    size_t needed = (size_t)input->options->max_max_depth + 1;
    size_t useful = mxb__engine_max_leaves(input) / 2 + needed; /* all parents of leaves at once */
    engine->n_slots = affordable < useful ? affordable : useful;
    engine->n_slots = engine->n_slots < needed ? needed : engine->n_slots;

    engine->groups = mxb__carve(workspace, engine->n_groups_all, sizeof *engine->groups);
    engine->right = mxb__carve(workspace, n, sizeof *engine->right);
    engine->slots = mxb__carve(workspace, engine->n_slots, slot_bytes);
    engine->thread_slots = mxb__carve(workspace, n > SHARED_ROWS ? input->options->tree_n_threads : 0, slot_bytes);
    engine->free_slot = mxb__carve(workspace, engine->n_slots, sizeof *engine->free_slot);
    engine->requests = mxb__carve(workspace, engine->n_slots, sizeof *engine->requests);
    engine->gains = mxb__carve(workspace, engine->n_slots * d, sizeof *engine->gains);
}

/* Groups of features with a sampled one. */
static void list_groups(struct tree_engine *engine) {
    uint32_t d = engine->input->prepared->n_features;
    engine->n_groups = 0;
    for (uint32_t group = 0; group < engine->n_groups_all; group++) {
        int used = 0;
        for (uint32_t f = group * MXB__GROUP; f < d && f < (group + 1) * MXB__GROUP; f++) {
            used |= engine->is_column[f];
        }
        engine->groups[engine->n_groups] = group;
        engine->n_groups += used ? 1 : 0;
    }
}

static void begin(struct tree_engine *engine, const struct draw *draw) {
    const struct fit_input *input = engine->input;
    engine->in_order = engine->n_sampled == input->prepared->n_rows;
    list_groups(engine);
    engine->packed = mxb__quanta_packed(input, &engine->quanta) &&
                     mxb__quanta_write_packed(input, engine->quanta, draw->round, engine->words);
    if (!engine->packed) {
        engine->quanta = engine->wide_quanta;
        mxb__quanta_write_wide(input, engine->quanta, engine->sums);
    }
    engine->n_free = 0;
    for (size_t slot = engine->n_slots; slot > 0; slot--) {
        engine->free_slot[engine->n_free++] = (uint32_t)(slot - 1);
    }
}

uint32_t mxb__slot_take(struct tree_engine *engine) { return engine->free_slot[--engine->n_free]; }

void mxb__slot_return(struct tree_engine *engine, uint32_t slot) { engine->free_slot[engine->n_free++] = slot; }

/* ---- histograms ---- */

static char *slot_cells(const struct tree_engine *engine, uint32_t slot) {
    return engine->slots + slot * engine->n_cells * cell_bytes(engine);
}

/* Cells of one group: 64-bit integers, one a cell when packed and two when wide, so that adding and subtracting is the
 * same for both. */
static size_t group_words(const struct tree_engine *engine) {
    return MXB__GROUP * MXB__CELLS * cell_bytes(engine) / sizeof(uint64_t);
}

static uint64_t *group_cells(const struct tree_engine *engine, char *cells, uint32_t group) {
    return (uint64_t *)(void *)cells + group * group_words(engine);
}

static void clear_cells(const struct tree_engine *engine, char *cells) {
    for (uint32_t g = 0; g < engine->n_groups; g++) {
        memset(group_cells(engine, cells, engine->groups[g]), 0, group_words(engine) * sizeof(uint64_t));
    }
}

static void subtract_cells(const struct tree_engine *engine, char *from, char *cells) {
    for (uint32_t g = 0; g < engine->n_groups; g++) {
        uint64_t *to = group_cells(engine, from, engine->groups[g]);
        const uint64_t *what = group_cells(engine, cells, engine->groups[g]);
        for (size_t i = 0; i < group_words(engine); i++) {
            to[i] -= what[i];
        }
    }
}

static void add_rows(const struct tree_engine *engine, uint32_t begin, uint32_t end, char *cells) {
    const mxb_prepared *prepared = engine->input->prepared;
    struct histogram_rows rows = {.records = prepared->records,
                                  .record_bytes = prepared->record_bytes,
                                  .rows = engine->in_order ? NULL : engine->rows + begin,
                                  .first = begin,
                                  .n = end - begin,
                                  .groups = engine->groups,
                                  .n_groups = engine->n_groups};
    if (engine->packed) {
        engine->input->kernels->histogram_packed(&rows, engine->words, (uint64_t *)(void *)cells);
    } else {
        engine->input->kernels->histogram_wide(&rows, engine->sums, (struct gradient_sum *)(void *)cells);
    }
}

struct histogram_task {
    struct tree_engine *engine;
    const struct histogram_request *requests;
    struct engine_node node; /* the one that all threads build together */
};

static double histogram_ns(const struct tree_engine *engine, size_t n_rows, size_t n_nodes) {
    double features = (double)engine->n_groups * MXB__GROUP;
    return features * ((double)n_rows * 0.6 + (double)n_nodes * MXB__CELLS * 0.3);
}

static void add_block(void *context, size_t block, size_t thread) {
    struct histogram_task *task = context;
    struct tree_engine *engine = task->engine;
    uint32_t begin = task->node.begin + (uint32_t)(block * MXB__TASK_ROWS);
    uint32_t end = begin + (uint32_t)mxb__block_length(task->node.end - task->node.begin, MXB__TASK_ROWS, block);
    add_rows(engine, begin, end, engine->thread_slots + thread * engine->n_cells * cell_bytes(engine));
}

static void gather_group(void *context, size_t index, size_t thread) {
    struct histogram_task *task = context;
    struct tree_engine *engine = task->engine;
    (void)thread;
    uint32_t group = engine->groups[index];
    uint64_t *to = group_cells(engine, slot_cells(engine, task->node.slot), group);
    memset(to, 0, group_words(engine) * sizeof *to);
    for (size_t t = 0; t < engine->input->options->tree_n_threads; t++) {
        char *cells = engine->thread_slots + t * engine->n_cells * cell_bytes(engine);
        const uint64_t *from = group_cells(engine, cells, group);
        for (size_t i = 0; i < group_words(engine); i++) {
            to[i] += from[i];
        }
    }
}

/* A large node: blocks of rows to all threads, each into cells of its own, then their sum. */
static void build_together(struct histogram_task *task) {
    struct tree_engine *engine = task->engine;
    struct pool *pool = engine->input->tree_pool;
    size_t n_rows = task->node.end - task->node.begin;
    for (size_t t = 0; t < engine->input->options->tree_n_threads; t++) {
        clear_cells(engine, engine->thread_slots + t * engine->n_cells * cell_bytes(engine));
    }
    mxb__pool_run(pool, mxb__n_blocks(n_rows, MXB__TASK_ROWS), histogram_ns(engine, n_rows, 1), add_block, task);
    mxb__pool_run(pool, engine->n_groups, (double)(engine->n_groups * group_words(engine)), gather_group, task);
}

static void build_alone(void *context, size_t index, size_t thread) {
    struct histogram_task *task = context;
    struct tree_engine *engine = task->engine;
    const struct histogram_request *request = &task->requests[index];
    (void)thread;
    if (request->node.end - request->node.begin > SHARED_ROWS) {
        return; /* built together */
    }
    char *cells = slot_cells(engine, request->node.slot);
    clear_cells(engine, cells);
    add_rows(engine, request->node.begin, request->node.end, cells);
}

static void subtract_sibling(void *context, size_t index, size_t thread) {
    struct histogram_task *task = context;
    const struct histogram_request *request = &task->requests[index];
    (void)thread;
    if (request->sibling != MXB__NO_SLOT) {
        subtract_cells(task->engine, slot_cells(task->engine, request->sibling),
                       slot_cells(task->engine, request->node.slot));
    }
}

void mxb__histograms_build(struct tree_engine *engine, const struct histogram_request *requests, size_t n) {
    struct histogram_task task = {.engine = engine, .requests = requests};
    struct pool *pool = engine->input->tree_pool;
    size_t n_rows = 0;
    for (size_t i = 0; i < n; i++) {
        n_rows += requests[i].node.end - requests[i].node.begin;
        if (requests[i].node.end - requests[i].node.begin > SHARED_ROWS) {
            task.node = requests[i].node;
            build_together(&task);
        }
    }
    mxb__pool_run(pool, n, histogram_ns(engine, n_rows, n), build_alone, &task);
    for (size_t i = 0; i < n; i++) {
        mxb__reduce_integers((int64_t *)(void *)slot_cells(engine, requests[i].node.slot),
                             engine->n_cells * cell_bytes(engine) / sizeof(int64_t));
    }
    mxb__pool_run(pool, n, histogram_ns(engine, 0, n), subtract_sibling, &task);
}

/* ---- open nodes ---- */

static void open_root(struct tree_engine *engine, struct engine_node *root) {
    root->slot = mxb__slot_take(engine);
    struct histogram_request request = {*root, MXB__NO_SLOT};
    mxb__histograms_build(engine, &request, 1);
}

/* The smaller child is built in a new slot, the larger one takes over the parent's. */
static void open_children(struct tree_engine *engine, const struct open_request *requests, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct engine_node *left = requests[i].left;
        struct engine_node *right = requests[i].right;
        struct engine_node *smaller = left->end - left->begin <= right->end - right->begin ? left : right;
        struct engine_node *larger = smaller == left ? right : left;
        smaller->slot = mxb__slot_take(engine);
        larger->slot = requests[i].parent->slot;
        requests[i].parent->slot = MXB__NO_SLOT;
        engine->requests[i] = (struct histogram_request){*smaller, larger->slot};
    }
    mxb__histograms_build(engine, engine->requests, n);
}

static void close_node(struct tree_engine *engine, struct engine_node *node) {
    mxb__slot_return(engine, node->slot);
    node->slot = MXB__NO_SLOT;
}

/* Every level in progress holds a slot of its own at least: so many are kept back. */
static size_t room(const struct tree_engine *engine, size_t levels_below) { return engine->n_free - levels_below; }

/* ---- split search ---- */

struct split_task {
    struct tree_engine *engine;
    struct split_request *requests;
};

static struct feature_cells cells_of(const struct tree_engine *engine, uint32_t slot, uint32_t feature) {
    const char *cells = slot_cells(engine, slot) + feature * MXB__CELLS * cell_bytes(engine);
    return mxb__feature_cells(cells, engine->packed, &engine->input->prepared->bins[feature]);
}

static void search_feature(void *context, size_t index, size_t thread) {
    struct split_task *task = context;
    struct tree_engine *engine = task->engine;
    size_t d = engine->input->prepared->n_features;
    (void)thread;
    const struct split_request *request = &task->requests[index / d];
    uint32_t feature = (uint32_t)(index % d);
    engine->gains[index] = 0.0;
    if (engine->is_column[feature]) {
        struct feature_cells cells = cells_of(engine, request->node.slot, feature);
        engine->gains[index] = mxb__split_gain(engine->input->kernels, &cells, request->total, &engine->rules);
    }
}

/* Every row is in one cell of each sampled feature, so any of them adds up to the node. */
static struct gradient_sum total_of(const struct tree_engine *engine, uint32_t slot) {
    uint32_t feature = 0;
    while (!engine->is_column[feature]) {
        feature++;
    }
    struct feature_cells cells = cells_of(engine, slot, feature);
    struct gradient_sum total = cells.missing;
    for (size_t i = 0; i < cells.n; i++) {
        struct gradient_sum cell = engine->packed ? mxb__unpacked(cells.words[i]) : cells.sums[i];
        total.g += cell.g;
        total.h += cell.h;
    }
    return total;
}

static struct split choose_split(const struct tree_engine *engine, const struct split_request *request,
                                 const double *gains) {
    uint32_t d = engine->input->prepared->n_features;
    uint32_t feature = mxb__split_choose(gains, d);
    struct split split = {0};
    if (feature < d) {
        struct feature_cells cells = cells_of(engine, request->node.slot, feature);
        split = mxb__split_locate(&cells, request->total, &engine->rules, gains[feature]);
        split.feature = feature;
    }
    return split;
}

static void find_splits(struct tree_engine *engine, struct split_request *requests, size_t n) {
    uint32_t d = engine->input->prepared->n_features;
    struct split_task task = {engine, requests};
    for (size_t i = 0; i < n; i++) {
        requests[i].total = total_of(engine, requests[i].node.slot);
    }
    mxb__pool_run(engine->input->tree_pool, n * d, (double)(n * d) * 150.0, search_feature, &task);
    for (size_t i = 0; i < n; i++) {
        requests[i].split = choose_split(engine, &requests[i], engine->gains + i * d);
    }
}

const struct engine_ops mxb__histogram_engine = {carve,         begin,      room,        open_root,
                                                 open_children, close_node, find_splits, mxb__rows_partition};
