/* The engine of histogram trees: the search of a symmetric tree's level. A task has a group of fields and goes through
 * the nodes in order, so that each sum of gains has one order. Where a node keeps no histogram, being tiny or for want
 * of room, its cells are made for the while. */
#include "learner/tree/level_cells.h"

#include <string.h>

#include "base/parallel.h"
#include "base/reduce.h"
#include "learner/tree/level_split.h"

struct level_task {
    struct tree_engine *engine;
    const struct level *level;
};

/* ---- the gains of a field ---- */

/* A feature of one value in all rows splits nothing, and of those a field may have any number. */
static int is_searched(const struct tree_engine *engine, uint32_t feature) {
    const struct feature_bins *bins = &engine->input->prepared->bins[feature];
    return engine->is_column[feature] && (bins->n_cuts > 0 || bins->has_missing);
}

/* Where the gains of a feature are; *place moves on to those of the next one of its field. */
static struct level_gains gains_at(const struct tree_engine *engine, struct level_cells *scratch, size_t f,
                                   uint32_t feature, size_t *place) {
    size_t n = mxb__missing_code(&engine->input->prepared->bins[feature]);
    struct level_gains gains = {n, scratch->gains[f][0] + *place, scratch->gains[f][1] + *place,
                                scratch->has_missing[f] + *place};
    *place += mxb__n_blocks(n, MXB__LANES) * MXB__LANES;
    return gains;
}

/* Field f of the group. */
static void add_field(const struct tree_engine *engine, const struct engine_node *node, uint32_t field,
                      const uint64_t *cells, struct level_cells *scratch, size_t f) {
    const mxb_prepared *prepared = engine->input->prepared;
    const struct fields *fields = &prepared->fields;
    const struct training_kernels *kernels = engine->input->kernels;
    uint32_t only = mxb__field_feature(engine, field);
    size_t place = 0;
    if (only < prepared->n_features) {
        if (is_searched(engine, only)) {
            struct feature_cells of_feature = mxb__feature_cells(cells, engine->packed, &prepared->bins[only]);
            struct level_gains gains = gains_at(engine, scratch, f, only, &place);
            mxb__level_add(kernels, &of_feature, node->total, &engine->rules, &gains);
        }
        return;
    }
    struct gradient_sum sums[MXB__MAX_BINS];
    mxb__field_load(engine, field, cells, sums);
    for (uint32_t i = fields->first[field + 1]; i > fields->first[field]; i--) {
        uint32_t feature = fields->features[i - 1];
        if (is_searched(engine, feature)) {
            struct digit_sums digit;
            struct feature_cells of_feature = mxb__field_read(engine, feature, sums, &digit);
            struct level_gains gains = gains_at(engine, scratch, f, feature, &place);
            mxb__level_add(kernels, &of_feature, node->total, &engine->rules, &gains);
        }
        mxb__field_drop(engine, feature, sums);
    }
}

static void find_cuts(const struct level_task *task, uint32_t field, struct level_cells *scratch, size_t f) {
    const struct tree_engine *engine = task->engine;
    const struct fields *fields = &engine->input->prepared->fields;
    size_t place = 0;
    for (uint32_t i = fields->first[field + 1]; i > fields->first[field]; i--) {
        uint32_t feature = fields->features[i - 1];
        if (is_searched(engine, feature)) {
            struct level_gains gains = gains_at(engine, scratch, f, feature, &place);
            task->level->cuts[feature] = mxb__level_best(&gains, task->level->score, &engine->rules);
        }
    }
}

/* ---- a group of fields ---- */

static const uint64_t *cells_of_node(const struct tree_engine *engine, const struct engine_node *node,
                                     struct field_run run, struct level_cells *scratch) {
    if (node->cells != NULL) {
        return mxb__cells_of(engine, node->cells, run.first);
    }
    uint64_t *cells = (uint64_t *)(void *)scratch->of_node;
    mxb__cells_build(engine, node, run, cells);
    mxb__reduce_integers((int64_t *)cells, mxb__cells_words(engine, run.n));
    return cells;
}

static void search_group(void *context, size_t index, size_t thread) {
    const struct level_task *task = context;
    const struct tree_engine *engine = task->engine;
    struct level_cells *scratch = &engine->level_cells[thread];
    uint32_t first = engine->groups[index] * MXB__GROUP;
    uint32_t n_left = engine->input->prepared->fields.n - first;
    struct field_run run = {first, n_left < MXB__GROUP ? n_left : MXB__GROUP};
    memset(scratch->gains, 0, sizeof scratch->gains);
    memset(scratch->has_missing, 0, sizeof scratch->has_missing);
    for (size_t i = 0; i < task->level->n_nodes; i++) {
        const struct engine_node *node = &task->level->nodes[i];
        if (!mxb__level_divides(node->total, &engine->rules)) {
            continue;
        }
        const uint64_t *cells = cells_of_node(engine, node, run, scratch);
        for (uint32_t f = 0; f < run.n; f++) {
            add_field(engine, node, first + f, cells + mxb__cells_words(engine, f), scratch, f);
        }
    }
    for (uint32_t f = 0; f < run.n; f++) {
        find_cuts(task, first + f, scratch, f);
    }
}

void mxb__level_cells_search(struct tree_engine *engine, const struct level *level) {
    struct level_task task = {engine, level};
    size_t n_rows = 0; /* to be added */
    memset(level->cuts, 0, engine->input->prepared->n_features * sizeof *level->cuts);
    for (size_t i = 0; i < level->n_nodes; i++) {
        n_rows += level->nodes[i].cells == NULL ? mxb__span_rows(level->nodes[i].rows) : 0;
    }
    double of_cells = (double)level->n_nodes * (double)engine->n_groups * MXB__GROUP * MXB__CELLS * 0.5;
    mxb__pool_run(engine->pool, engine->n_groups, mxb__cells_rows_ns(engine, n_rows) + of_cells, search_group, &task);
}

/* ---- what goes left ---- */

static struct gradient_sum sum_left(const struct feature_cells *cells, const struct split *split) {
    struct gradient_sum left = split->missing_left ? cells->missing : (struct gradient_sum){0, 0};
    for (uint32_t bin = 0; bin <= split->bin; bin++) {
        struct gradient_sum cell = cells->words != NULL ? mxb__unpacked(cells->words[bin]) : cells->sums[bin];
        left.g += cell.g;
        left.h += cell.h;
    }
    return left;
}

static struct gradient_sum sum_left_rows(const struct tree_engine *engine, const struct engine_node *node) {
    const mxb_prepared *prepared = engine->input->prepared;
    const struct split *split = &node->split;
    const uint8_t *column = prepared->columns + split->feature * prepared->n_rows;
    uint32_t missing = mxb__missing_code(&prepared->bins[split->feature]);
    struct gradient_sum left = {0, 0};
    for (uint32_t i = node->rows.begin; i < node->rows.end; i++) {
        uint32_t row = engine->rows[i];
        if (column[row] == missing ? split->missing_left : column[row] <= split->bin) {
            struct gradient_sum sum = engine->packed ? mxb__unpacked(engine->words[row]) : engine->sums[row];
            left.g += sum.g;
            left.h += sum.h;
        }
    }
    mxb__reduce_integers(&left.g, 1);
    mxb__reduce_integers(&left.h, 1);
    return left;
}

struct gradient_sum mxb__level_cells_left(const struct tree_engine *engine, const struct engine_node *node) {
    const mxb_prepared *prepared = engine->input->prepared;
    uint32_t feature = node->split.feature;
    if (node->cells == NULL) {
        return sum_left_rows(engine, node);
    }
    uint32_t field = prepared->fields.places[feature].field;
    const uint64_t *cells = mxb__cells_of(engine, node->cells, field);
    if (mxb__field_feature(engine, field) == feature) {
        struct feature_cells of_feature = mxb__feature_cells(cells, engine->packed, &prepared->bins[feature]);
        return sum_left(&of_feature, &node->split);
    }
    struct gradient_sum sums[MXB__MAX_BINS];
    struct digit_sums digit;
    mxb__field_load(engine, field, cells, sums);
    struct feature_cells of_feature = mxb__field_find(engine, feature, sums, &digit);
    return sum_left(&of_feature, &node->split);
}
