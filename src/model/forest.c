/* Step 10 of the data's path: makes trees ready to predict. Knows nothing of rows. */
#include "model/forest.h"

#include <string.h>

#include "data/sort.h"

/* Of a deeper tree, the levels at the top that are made full: one more doubles the tests but saves a step. */
enum { TOP_DEPTH = 7 };

/* A test that all rows pass to the left: no code is larger. */
static const uint32_t ALWAYS_LEFT = UINT8_MAX;

/* Then columns fit into 24 bits: each feature has one of a kind, and a further one for every 255 splits. */
static const size_t MAX_NODES = (size_t)1 << 30;

/* A forest on its way. The nodes of all ordinary trees and the levels of all symmetric ones, in the order of the terms,
 * are its places. */
struct build {
    const mxb_model *model;
    struct forest *forest;
    size_t n_places;
    size_t n_splits;
    uint32_t *tests;  /* [n_places] of each place that splits; first its missing side */
    size_t *ends;     /* [n_features] of the splits of each feature, in the arrays below */
    uint64_t *keys;   /* [n_splits] of the thresholds, by feature */
    uint32_t *places; /* [n_splits] that they belong to */
    uint64_t *spare_keys;
    uint32_t *spare_places;
};

/* ---- thresholds to tests ---- */

static void put_split(struct build *build, uint32_t feature, double threshold, uint8_t missing_left, size_t place) {
    size_t at = build->ends[feature]++;
    build->keys[at] = mxb__sort_key(threshold);
    build->places[at] = (uint32_t)place;
    build->tests[place] = missing_left ? MISSING_LEFT : MISSING_RIGHT;
}

static void collect_splits(struct build *build) {
    size_t end = 0, place = 0;
    for (uint32_t f = 0; f < build->model->n_features; f++) { /* where they begin, until they are put there */
        build->ends[f] = end;
        end += build->model->feature_splits[f];
    }
    for (uint32_t t = 0; t < build->model->n_terms; t++) {
        const struct term *term = &build->model->terms[t];
        for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++, place++) {
            const struct tree_node *node = &term->tree.nodes[i];
            if (node->split != SPLIT_NONE) {
                put_split(build, node->feature, node->value, node->missing_left, place);
            }
        }
        for (uint32_t l = 0; term->kind == TERM_SYMMETRIC && l < term->symmetric.depth; l++, place++) {
            const struct symmetric_level *level = &term->symmetric.levels[l];
            put_split(build, level->feature, level->threshold, level->missing_left, place);
        }
    }
}

/* The columns of a feature, as many kinds as its splits need. */
static void number_columns(struct build *build, struct forest_feature *feature, const uint32_t *places, size_t n) {
    int is_used[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        is_used[build->tests[places[i]]] = 1;
    }
    feature->n_parts = (feature->n_thresholds + MXB__TREE_CUTS - 1) / MXB__TREE_CUTS;
    for (size_t side = 0; side < 2; side++) {
        feature->columns[side] = is_used[side] ? build->forest->n_columns : UINT32_MAX;
        build->forest->n_columns += is_used[side] ? feature->n_parts : 0;
    }
}

/* Slots that the thresholds of n splits take at most. */
static size_t most_slots(size_t n) { return n > MXB__TREE_CUTS ? n + MXB__CUT_SLOTS : mxb__cut_tree_slots(n); }
static size_t most_halves(size_t n) { return mxb__cut_tree_n_halves(n > MXB__TREE_CUTS ? MXB__TREE_CUTS : n); }

/* The thresholds of n sorted splits, as a search tree or plainly, into `slots`. */
static void put_thresholds(const uint64_t *keys, size_t n, double *slots, float *halves, struct forest_feature *feature,
                           struct cut_tree *cuts) {
    double thresholds[MXB__TREE_CUTS];
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            slots[feature->n_thresholds++] = mxb__sort_value(keys[i]);
        }
    }
    if (feature->n_thresholds > MXB__TREE_CUTS) {
        feature->thresholds = slots;
        return;
    }
    memcpy(thresholds, slots, feature->n_thresholds * sizeof *thresholds);
    mxb__cut_tree_build(thresholds, feature->n_thresholds, slots, cuts);
    mxb__cut_tree_add_halves(thresholds, halves, cuts);
}

/* Sorts the n splits of a feature from `first` on and makes their tests; the thresholds go to `slots`. */
static void code_feature(struct build *build, size_t first, size_t n, double *slots, float *halves,
                         struct forest_feature *feature, struct cut_tree *cuts) {
    uint64_t *keys = build->keys + first;
    uint32_t *places = build->places + first;
    mxb__sort_keys(keys, places, n, build->spare_keys, build->spare_places);
    put_thresholds(keys, n, slots, halves, feature, cuts);
    number_columns(build, feature, places, n);
    uint32_t k = 0;
    for (size_t i = 0; i < n; i++) {
        k += i > 0 && keys[i] != keys[i - 1];
        uint32_t *test = &build->tests[places[i]];
        uint32_t column = feature->columns[*test] + k / MXB__TREE_CUTS;
        *test = column << 8 | k % MXB__TREE_CUTS;
    }
}

static void code_features(struct build *build) {
    struct forest *forest = build->forest;
    double *slots = forest->slots;
    float *halves = forest->halves;
    size_t first = 0;
    for (uint32_t f = 0; f < build->model->n_features; f++) {
        size_t n = build->ends[f] - first;
        if (n > 0) {
            uint32_t k = forest->n_features++;
            forest->feature_numbers[k] = f;
            code_feature(build, first, n, slots, halves, &forest->features[k], &forest->cuts[k]);
            slots += (most_slots(n) + 7) / 8 * 8; /* whole cache lines */
            halves += most_halves(n);
            first += n;
        }
    }
}

static mxb_status make_tests(struct build *build, mxb_error *error) {
    const mxb_model *model = build->model;
    struct forest *forest = build->forest;
    size_t n_used = 0, most = 0, n_slots = 0, n_halves = 0;
    for (uint32_t f = 0; f < model->n_features; f++) {
        size_t n_splits = model->feature_splits[f];
        n_used += n_splits > 0;
        most = n_splits > most ? n_splits : most;
        n_slots += n_splits > 0 ? (most_slots(n_splits) + 7) / 8 * 8 : 0;
        n_halves += n_splits > 0 ? most_halves(n_splits) : 0;
    }
    size_t n = build->n_splits;
    MXB_TRY(mxb__alloc(&forest->feature_numbers, n_used, sizeof *forest->feature_numbers, "a forest", error));
    MXB_TRY(mxb__alloc_zeroed(&forest->features, n_used, sizeof *forest->features, "a forest", error));
    MXB_TRY(mxb__alloc_zeroed(&forest->cuts, n_used, sizeof *forest->cuts, "a forest", error));
    MXB_TRY(mxb__alloc(&forest->slots, n_slots, sizeof *forest->slots, "a forest", error));
    MXB_TRY(mxb__alloc(&forest->halves, n_halves, sizeof *forest->halves, "a forest", error));
    MXB_TRY(mxb__alloc(&build->tests, build->n_places, sizeof *build->tests, "a forest", error));
    MXB_TRY(mxb__alloc(&build->ends, model->n_features, sizeof *build->ends, "a forest", error));
    MXB_TRY(mxb__alloc(&build->keys, n, sizeof *build->keys, "a forest", error));
    MXB_TRY(mxb__alloc(&build->places, n, sizeof *build->places, "a forest", error));
    MXB_TRY(mxb__alloc(&build->spare_keys, most, sizeof *build->spare_keys, "a forest", error));
    MXB_TRY(mxb__alloc(&build->spare_places, most, sizeof *build->spare_places, "a forest", error));
    collect_splits(build);
    code_features(build);
    return MXB_OK;
}

/* ---- trees ---- */

/* Levels of splits. Nodes are in breadth-first order, so those of a level follow each other. */
static uint32_t tree_depth(const struct tree *tree) {
    uint32_t depth = 0;
    size_t first = 0, n = 1;
    for (;;) {
        size_t n_splits = 0;
        for (size_t i = first; i < first + n; i++) {
            n_splits += tree->nodes[i].split != SPLIT_NONE;
        }
        if (n_splits == 0) {
            return depth;
        }
        depth++;
        first += n;
        n = 2 * n_splits;
    }
}

/* How much of each array the trees take, or have taken. */
struct extent {
    size_t tests;
    size_t values;
    size_t entries;
    size_t nodes;
};

static void measure_tree(const struct term *term, struct forest_tree *tree, struct extent *extent) {
    uint32_t depth = term->kind == TERM_TREE ? tree_depth(&term->tree) : term->symmetric.depth;
    tree->kind = term->kind == TERM_SYMMETRIC ? FOREST_SYMMETRIC : depth <= MXB__FULL_DEPTH ? FOREST_FULL : FOREST_DEEP;
    tree->depth = tree->kind == FOREST_DEEP ? TOP_DEPTH : depth;
    extent->tests += tree->kind == FOREST_SYMMETRIC ? depth : (size_t)1 << tree->depth;
    extent->values += tree->kind == FOREST_FULL ? (size_t)1 << tree->depth : 0;
    extent->entries += tree->kind == FOREST_DEEP ? (size_t)1 << tree->depth : 0;
    extent->nodes += tree->kind == FOREST_DEEP ? term->tree.n_nodes : 0;
}

/* The full tree of the first levels: its tests, and in `below` the 2^depth nodes that its leaves are. A leaf above them
 * is all the nodes below it. */
static void fill_full(const struct tree *tree, const uint32_t *node_tests, uint32_t depth, uint32_t *tests,
                      uint32_t *below) {
    uint32_t at[2 << MXB__FULL_DEPTH];
    size_t n = (size_t)1 << depth;
    at[1] = 0; /* the root is number 1 */
    for (size_t k = 1; k < n; k++) {
        const struct tree_node *node = &tree->nodes[at[k]];
        int is_split = node->split != SPLIT_NONE;
        tests[k] = is_split ? node_tests[at[k]] : ALWAYS_LEFT;
        at[2 * k] = is_split ? node->left : at[k];
        at[2 * k + 1] = is_split ? node->left + 1 : at[k];
    }
    memcpy(below, at + n, n * sizeof *below);
}

static void fill_deep(const struct tree *tree, const uint32_t *node_tests, struct deep_node *nodes) {
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct tree_node *node = &tree->nodes[i];
        nodes[i] = node->split != SPLIT_NONE ? (struct deep_node){.test = node_tests[i], .left = node->left}
                                             : (struct deep_node){.test = ALWAYS_LEFT, .left = i, .value = node->value};
    }
}

static void fill_tree(const struct term *term, const uint32_t *place_tests, const struct forest *forest,
                      struct extent *taken, struct forest_tree *tree) {
    uint32_t *tests = forest->tests + taken->tests;
    double *values = forest->values + taken->values;
    uint32_t *entries = forest->entries + taken->entries;
    struct deep_node *nodes = forest->nodes + taken->nodes;
    uint32_t leaves[1 << MXB__FULL_DEPTH];
    size_t n = (size_t)1 << tree->depth;
    tree->tests = tests;
    if (tree->kind == FOREST_SYMMETRIC) {
        memcpy(tests, place_tests, tree->depth * sizeof *tests);
        tree->values = term->symmetric.values;
        taken->tests += tree->depth;
        return;
    }
    taken->tests += n;
    if (tree->kind == FOREST_DEEP) {
        fill_full(&term->tree, place_tests, tree->depth, tests, entries);
        fill_deep(&term->tree, place_tests, nodes);
        tree->entries = entries;
        tree->nodes = nodes;
        taken->entries += n;
        taken->nodes += term->tree.n_nodes;
        return;
    }
    fill_full(&term->tree, place_tests, tree->depth, tests, leaves);
    for (size_t k = 0; k < n; k++) {
        values[k] = term->tree.nodes[leaves[k]].value;
    }
    tree->values = values;
    taken->values += n;
}

static mxb_status make_trees(struct build *build, mxb_error *error) {
    const mxb_model *model = build->model;
    struct forest *forest = build->forest;
    struct extent extent = {0}, taken = {0};
    MXB_TRY(mxb__alloc_zeroed(&forest->trees, forest->n_trees, sizeof *forest->trees, "a forest", error));
    for (uint32_t t = 0, k = 0; t < model->n_terms; t++) {
        if (mxb__term_is_tree(&model->terms[t])) {
            measure_tree(&model->terms[t], &forest->trees[k++], &extent);
        }
    }
    MXB_TRY(mxb__alloc(&forest->tests, extent.tests, sizeof *forest->tests, "a forest", error));
    MXB_TRY(mxb__alloc(&forest->values, extent.values, sizeof *forest->values, "a forest", error));
    MXB_TRY(mxb__alloc(&forest->entries, extent.entries, sizeof *forest->entries, "a forest", error));
    MXB_TRY(mxb__alloc(&forest->nodes, extent.nodes, sizeof *forest->nodes, "a forest", error));
    const uint32_t *tests = build->tests;
    for (uint32_t t = 0, k = 0; t < model->n_terms; t++) {
        const struct term *term = &model->terms[t];
        if (mxb__term_is_tree(term)) {
            fill_tree(term, tests, forest, &taken, &forest->trees[k++]);
            tests += term->kind == TERM_TREE ? term->tree.n_nodes : term->symmetric.depth;
        }
    }
    return MXB_OK;
}

/* ---- trees for one row ---- */

static int is_narrow_symmetric(const struct forest_tree *tree) {
    return tree->kind == FOREST_SYMMETRIC && tree->depth <= MXB__FULL_DEPTH;
}

static size_t narrow_nodes(const struct forest_tree *tree) {
    size_t n = (size_t)1 << tree->depth;
    return n > MXB__NARROW_NODES ? n : MXB__NARROW_NODES;
}

static void put_test(uint32_t test, uint8_t *column, uint8_t *threshold) {
    *column = (uint8_t)(test >> 8);
    *threshold = (uint8_t)test;
}

static void fill_narrow_tree(struct forest *forest, const struct forest_tree *tree, uint8_t *place) {
    uint8_t *columns = place, *thresholds = place + narrow_nodes(tree);
    for (size_t k = 1; k < (size_t)1 << tree->depth; k++) {
        put_test(tree->tests[k], &columns[k], &thresholds[k]);
    }
    forest->narrow[forest->n_narrow++] = (struct narrow_tree){tree->depth, columns, thresholds};
}

static void fill_levels(struct forest *forest, const struct forest_tree *tree) {
    size_t first = (size_t)forest->n_narrow_symmetric++ * MXB__FULL_DEPTH;
    for (uint32_t l = 0; l < tree->depth; l++) {
        size_t test = first + tree->depth - 1 - l;
        put_test(tree->tests[l], &forest->level_columns[test], &forest->level_thresholds[test]);
    }
}

static mxb_status make_narrow_trees(struct forest *forest, mxb_error *error) {
    size_t n_bytes = 0, n_levels = 8 * MXB__FULL_DEPTH; /* the last eight trees may not be all */
    forest->is_narrow = forest->n_columns <= MXB__NARROW_COLUMNS;
    if (!forest->is_narrow) {
        return MXB_OK;
    }
    for (uint32_t t = 0; t < forest->n_trees; t++) {
        const struct forest_tree *tree = &forest->trees[t];
        n_bytes += tree->kind != FOREST_SYMMETRIC ? 2 * narrow_nodes(tree) : 0;
        n_levels += is_narrow_symmetric(tree) ? MXB__FULL_DEPTH : 0;
    }
    MXB_TRY(mxb__alloc(&forest->narrow, forest->n_trees, sizeof *forest->narrow, "a forest", error));
    MXB_TRY(mxb__alloc_zeroed(&forest->narrow_tests, n_bytes, 1, "a forest", error));
    MXB_TRY(mxb__alloc_zeroed(&forest->level_columns, n_levels, 1, "a forest", error));
    MXB_TRY(mxb__alloc(&forest->level_thresholds, n_levels, 1, "a forest", error));
    memset(forest->level_thresholds, (int)ALWAYS_LEFT, n_levels);
    uint8_t *place = forest->narrow_tests;
    for (uint32_t t = 0; t < forest->n_trees; t++) {
        const struct forest_tree *tree = &forest->trees[t];
        if (is_narrow_symmetric(tree)) {
            fill_levels(forest, tree);
        } else if (tree->kind != FOREST_SYMMETRIC) {
            fill_narrow_tree(forest, tree, place);
            place += 2 * narrow_nodes(tree);
        }
    }
    return MXB_OK;
}

/* ---- the whole ---- */

static mxb_status count_places(struct build *build, mxb_error *error) {
    const mxb_model *model = build->model;
    for (uint32_t t = 0; t < model->n_terms; t++) {
        const struct term *term = &model->terms[t];
        build->n_places += term->kind == TERM_TREE        ? term->tree.n_nodes
                           : term->kind == TERM_SYMMETRIC ? term->symmetric.depth
                                                          : 0;
        build->forest->n_trees += mxb__term_is_tree(term) ? 1 : 0;
    }
    for (uint32_t f = 0; f < model->n_features; f++) {
        build->n_splits += model->feature_splits[f];
    }
    if (build->n_places > MAX_NODES) {
        return mxb__fail(error, MXB_ERROR_DATA, "the model's trees have %zu nodes; at most %zu are allowed",
                         build->n_places, MAX_NODES);
    }
    return MXB_OK;
}

mxb_status mxb__forest_build(const mxb_model *model, struct forest **forest, mxb_error *error) {
    struct build build = {.model = model};
    MXB_TRY(mxb__alloc_zeroed(&build.forest, 1, sizeof *build.forest, "a forest", error));
    build.forest->kernels = mxb__kernels();
    mxb_status status = count_places(&build, error);
    if (status == MXB_OK) {
        status = make_tests(&build, error);
    }
    if (status == MXB_OK) {
        status = make_trees(&build, error);
    }
    if (status == MXB_OK) {
        status = make_narrow_trees(build.forest, error);
    }
    mxb__free(build.tests);
    mxb__free(build.ends);
    mxb__free(build.keys);
    mxb__free(build.places);
    mxb__free(build.spare_keys);
    mxb__free(build.spare_places);
    if (status != MXB_OK) {
        mxb__forest_free(build.forest);
        return status;
    }
    *forest = build.forest;
    return MXB_OK;
}

void mxb__forest_free(struct forest *forest) {
    if (forest == NULL) {
        return;
    }
    mxb__free(forest->feature_numbers);
    mxb__free(forest->features);
    mxb__free(forest->cuts);
    mxb__free(forest->trees);
    mxb__free(forest->slots);
    mxb__free(forest->halves);
    mxb__free(forest->tests);
    mxb__free(forest->narrow);
    mxb__free(forest->narrow_tests);
    mxb__free(forest->level_columns);
    mxb__free(forest->level_thresholds);
    mxb__free(forest->values);
    mxb__free(forest->entries);
    mxb__free(forest->nodes);
    mxb__free(forest);
}
