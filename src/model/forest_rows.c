/* Step 10 of the data's path: what the trees say about a block of rows, or about one. A row's sum takes the trees in
 * the order of the terms either way. Knows nothing of projections, links or datasets. */
#include <math.h>
#include <string.h>

#include "model/forest.h"

void mxb__forest_carve(struct forest_rows *rows, const struct forest *forest, size_t n, struct workspace *workspace) {
    size_t stride = n > 1 ? (n + MXB__CODE_ROWS - 1) / MXB__CODE_ROWS * MXB__CODE_ROWS : n;
    rows->stride = stride;
    size_t n_columns = n == 1 && forest->n_columns < MXB__NARROW_COLUMNS ? MXB__NARROW_COLUMNS : forest->n_columns;
    rows->codes = mxb__carve(workspace, n_columns * stride, sizeof *rows->codes);
    rows->counts = n > 1 ? NULL : mxb__carve(workspace, forest->n_features, sizeof *rows->counts);
    for (size_t k = 0; k < 2; k++) {
        rows->leaves[k] = n > 1 ? mxb__carve(workspace, stride, sizeof *rows->leaves[k]) : NULL;
    }
}

/* ---- values to codes ---- */

/* How many thresholds of a feature with several parts are below x. Without branches on the values, which nobody could
 * predict. */
static inline size_t count_below(const struct forest_feature *feature, double x) {
    size_t below = 0;
    for (size_t n = feature->n_thresholds; n > 0;) {
        size_t half = (n + 1) / 2;
        below += feature->thresholds[below + half - 1] < x ? half : 0;
        n -= half;
    }
    return below;
}

/* The code of one part: how many of its own thresholds are below. */
static inline uint8_t part_code(size_t below, size_t part) {
    size_t before = part * MXB__TREE_CUTS;
    size_t within = below < before ? 0 : below - before;
    return (uint8_t)(within < MXB__TREE_CUTS ? within : MXB__TREE_CUTS);
}

/* The codes of a value of a feature with several parts. */
static void encode_parts(const struct forest_feature *feature, double x, uint8_t *codes, size_t stride) {
    size_t below = isnan(x) ? SIZE_MAX : count_below(feature, x);
    for (size_t side = 0; side < 2; side++) {
        for (size_t part = 0; feature->columns[side] != UINT32_MAX && part < feature->n_parts; part++) {
            size_t counted = isnan(x) && side == MISSING_LEFT ? 0 : below;
            codes[(feature->columns[side] + part) * stride] = part_code(counted, part);
        }
    }
}

void mxb__forest_encode(const struct forest *forest, size_t k, const double *values, size_t n,
                        const struct forest_rows *rows) {
    const struct forest_feature *feature = &forest->features[k];
    for (size_t i = 0; feature->n_parts > 1 && i < n; i++) {
        encode_parts(feature, values[i], rows->codes + i, rows->stride);
    }
    if (feature->n_parts > 1) {
        return;
    }
    size_t first_side = feature->columns[MISSING_RIGHT] != UINT32_MAX ? MISSING_RIGHT : MISSING_LEFT;
    uint8_t *codes = rows->codes + feature->columns[first_side] * rows->stride;
    forest->kernels->encode(&forest->cuts[k], values, n, first_side == MISSING_RIGHT ? UINT8_MAX : 0, codes);
    if (first_side == MISSING_RIGHT && feature->columns[MISSING_LEFT] != UINT32_MAX) {
        uint8_t *left = rows->codes + feature->columns[MISSING_LEFT] * rows->stride;
        for (size_t i = 0; i < n; i++) {
            left[i] = values[i] == values[i] ? codes[i] : 0;
        }
    }
}

static void encode_row(const struct forest *forest, const double *row, const struct forest_rows *rows) {
    forest->kernels->encode_row(forest->cuts, forest->feature_numbers, forest->n_features, row, rows->counts);
    for (uint32_t k = 0; k < forest->n_features; k++) {
        const struct forest_feature *feature = &forest->features[k];
        double x = row[forest->feature_numbers[k]];
        if (feature->n_parts > 1) {
            encode_parts(feature, x, rows->codes, 1);
            continue;
        }
        if (feature->columns[MISSING_RIGHT] != UINT32_MAX) {
            rows->codes[feature->columns[MISSING_RIGHT]] = isnan(x) ? UINT8_MAX : rows->counts[k];
        }
        if (feature->columns[MISSING_LEFT] != UINT32_MAX) {
            rows->codes[feature->columns[MISSING_LEFT]] = rows->counts[k]; /* 0 if missing */
        }
    }
}

/* ---- codes to scores ---- */

static inline uint32_t goes_right(uint32_t test, const uint8_t *codes, size_t stride) {
    return codes[(test >> 8) * stride] > (uint8_t)test;
}

static inline uint32_t next_node(const struct deep_node *nodes, uint32_t at, const uint8_t *codes, size_t stride) {
    return nodes[at].left + goes_right(nodes[at].test, codes, stride);
}

enum { WALKS = 16 };

/* Some rows that go on from the top of a tree, at once, so that one does not wait for the other's loads. */
static inline void add_walks(const struct forest_tree *tree, const struct code_rows *rows, const uint8_t *top_leaves,
                             size_t first, size_t n, double *scores) {
    uint32_t at[WALKS], moved;
    for (size_t k = 0; k < n; k++) {
        at[k] = tree->entries[top_leaves[first + k]];
    }
    do {
        moved = 0;
        for (size_t k = 0; k < n; k++) {
            uint32_t next = next_node(tree->nodes, at[k], rows->codes + first + k, rows->stride);
            moved |= next ^ at[k];
            at[k] = next;
        }
    } while (moved != 0);
    for (size_t k = 0; k < n; k++) {
        scores[first + k] += tree->nodes[at[k]].value;
    }
}

static void add_deep(const struct forest_tree *tree, const struct code_rows *rows, const uint8_t *top_leaves,
                     double *scores) {
    size_t first = 0;
    for (; first + WALKS <= rows->n; first += WALKS) {
        add_walks(tree, rows, top_leaves, first, WALKS, scores);
    }
    add_walks(tree, rows, top_leaves, first, rows->n - first, scores);
}

/* Symmetric trees with more leaves than a byte can number: the first levels and the others, one after the other. */
static void add_deep_symmetric(const struct kernels *kernels, const struct forest_tree *tree,
                               const struct forest_rows *room, const struct code_rows *rows, double *scores) {
    uint32_t n_low = tree->depth - MXB__FULL_DEPTH;
    kernels->symmetric_tree(rows, tree->tests, MXB__FULL_DEPTH, room->leaves[0]);
    kernels->symmetric_tree(rows, tree->tests + MXB__FULL_DEPTH, n_low, room->leaves[1]);
    for (size_t i = 0; i < rows->n; i++) {
        scores[i] += tree->values[(uint32_t)room->leaves[0][i] << n_low | room->leaves[1][i]];
    }
}

void mxb__forest_add(const struct forest *forest, const struct forest_rows *room, size_t n, double *scores) {
    const struct kernels *kernels = forest->kernels;
    struct code_rows rows = {room->codes, room->stride, n};
    for (uint32_t t = 0; t < forest->n_trees; t++) {
        const struct forest_tree *tree = &forest->trees[t];
        if (tree->depth == 0) {
            memset(room->leaves[0], 0, n);
        } else if (tree->kind != FOREST_SYMMETRIC) {
            kernels->full_tree(&rows, tree->tests, tree->depth, room->leaves[0]);
        } else if (tree->depth <= MXB__FULL_DEPTH) {
            kernels->symmetric_tree(&rows, tree->tests, tree->depth, room->leaves[0]);
        }
        if (tree->kind == FOREST_DEEP) {
            add_deep(tree, &rows, room->leaves[0], scores);
        } else if (tree->depth > MXB__FULL_DEPTH) {
            add_deep_symmetric(kernels, tree, room, &rows, scores);
        } else {
            kernels->add_leaves(room->leaves[0], n, tree->values, (size_t)1 << tree->depth, scores);
        }
    }
}

/* ---- one row ---- */

static inline double symmetric_value(const struct forest_tree *tree, const uint8_t *codes) {
    size_t leaf = 0;
    for (uint32_t l = 0; l < tree->depth; l++) {
        leaf = 2 * leaf + goes_right(tree->tests[l], codes, 1);
    }
    return tree->values[leaf];
}

static inline size_t full_leaf(const struct forest_tree *tree, const uint8_t *codes) {
    size_t at = 1;
    for (uint32_t l = 0; l < tree->depth; l++) {
        at = 2 * at + goes_right(tree->tests[at], codes, 1);
    }
    return at - ((size_t)1 << tree->depth);
}

/* From the leaf of the full tree or top on. */
static inline double value_below(const struct forest_tree *tree, size_t leaf, const uint8_t *codes) {
    if (tree->kind == FOREST_FULL) {
        return tree->values[leaf];
    }
    uint32_t at = tree->entries[leaf];
    for (uint32_t next; (next = next_node(tree->nodes, at, codes, 1)) != at;) {
        at = next;
    }
    return tree->nodes[at].value;
}

/* The leaves of narrow trees, found for some at once, in the order of the trees. */
struct leaf_queue {
    uint32_t n_taken;
    uint8_t leaves[64];
};

enum { QUEUE = sizeof((struct leaf_queue *)NULL)->leaves };

/* How many to find now: none while some are left. */
static inline size_t to_find(const struct leaf_queue *queue, uint32_t n_trees) {
    uint32_t n_left = n_trees - queue->n_taken;
    return queue->n_taken % QUEUE != 0 ? 0 : n_left < QUEUE ? n_left : QUEUE;
}

static inline size_t take_leaf(struct leaf_queue *queue) { return queue->leaves[queue->n_taken++ % QUEUE]; }

static inline double narrow_value(const struct forest *forest, const struct forest_tree *tree, const uint8_t *codes,
                                  struct leaf_queue *full, struct leaf_queue *symmetric) {
    if (tree->kind == FOREST_SYMMETRIC) {
        size_t n = to_find(symmetric, forest->n_narrow_symmetric);
        if (n > 0) {
            size_t first = (size_t)symmetric->n_taken * MXB__FULL_DEPTH;
            forest->kernels->row_levels(forest->level_columns + first, forest->level_thresholds + first, n, codes,
                                        forest->n_columns, symmetric->leaves);
        }
        return tree->values[take_leaf(symmetric)];
    }
    size_t n = to_find(full, forest->n_narrow);
    if (n > 0) {
        forest->kernels->row_trees(forest->narrow + full->n_taken, n, codes, forest->n_columns, full->leaves);
    }
    return value_below(tree, take_leaf(full), codes);
}

void mxb__forest_add_to_row(const struct forest *forest, const double *row, const struct forest_rows *rows,
                            double *score) {
    struct leaf_queue full, symmetric;
    double sum = *score;
    full.n_taken = symmetric.n_taken = 0;
    encode_row(forest, row, rows);
    for (uint32_t t = 0; t < forest->n_trees; t++) {
        const struct forest_tree *tree = &forest->trees[t];
        int is_deep_symmetric = tree->kind == FOREST_SYMMETRIC && tree->depth > MXB__FULL_DEPTH;
        if (forest->is_narrow && !is_deep_symmetric) {
            sum += narrow_value(forest, tree, rows->codes, &full, &symmetric);
        } else if (tree->kind == FOREST_SYMMETRIC) {
            sum += symmetric_value(tree, rows->codes);
        } else {
            sum += value_below(tree, full_leaf(tree, rows->codes), rows->codes);
        }
    }
    *score = sum;
}
