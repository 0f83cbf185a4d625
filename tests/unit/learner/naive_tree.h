/* The oracle of the tree tests: grows a tree by looking at every feature, bin and missing side of every node, with sums
 * in long double over the rows themselves. */
#ifndef NAIVE_TREE_H
#define NAIVE_TREE_H

#include "learner/learner.h"
#include "unit/learner/make_fit.h"

struct naive_node {
    int is_leaf;
    uint32_t feature;
    uint32_t bin;
    int missing_left;
    size_t left;
    size_t right;
    size_t n_rows;
    double value;  /* leaf */
    double weight; /* leaf: sum of h, and lambda_l2 */
};

struct naive_tree {
    const struct fit_input *input;
    const uint8_t *is_column; /* NULL: all */
    uint32_t max_depth;
    size_t n_nodes;
    struct naive_node *nodes;
    uint8_t *codes; /* [feature][row], from the raw values */
};

struct naive_sum {
    long double g;
    long double h;
};

static inline struct naive_sum naive_add(struct naive_sum a, struct naive_sum b) {
    return (struct naive_sum){a.g + b.g, a.h + b.h};
}

static inline long double naive_score(const struct naive_tree *tree, struct naive_sum sum) {
    return sum.g * sum.g / (sum.h + (long double)tree->input->options->lambda_l2);
}

static inline long double naive_gain(const struct naive_tree *tree, struct naive_sum left, struct naive_sum right) {
    long double least = (long double)tree->input->options->min_child_weight;
    if (left.h <= 0 || right.h <= 0 || left.h < least || right.h < least) {
        return -1;
    }
    return naive_score(tree, left) + naive_score(tree, right) - naive_score(tree, naive_add(left, right));
}

/* The best split of one feature into `node`; its gain, or 0. */
static inline long double naive_best_bin(const struct naive_tree *tree, uint32_t f, const size_t *rows, size_t n,
                                         struct naive_node *node) {
    const struct feature_bins *bins = &tree->input->prepared->bins[f];
    struct naive_sum cells[256] = {{0, 0}};
    struct naive_sum above[257] = {{0, 0}}; /* sums over higher bins, added up on their own: subtraction cancels */
    size_t n_in[256] = {0};
    struct naive_sum total = {0, 0};
    long double gains[256][2];
    for (size_t i = 0; i < n; i++) {
        uint8_t code = tree->codes[f * tree->input->prepared->n_rows + rows[i]];
        struct naive_sum row = {(long double)tree->input->g[rows[i]], (long double)tree->input->h[rows[i]]};
        cells[code] = naive_add(cells[code], row);
        n_in[code]++;
        total = naive_add(total, row);
    }
    struct naive_sum missing = cells[bins->n_cuts + 1];
    int has_missing = n_in[bins->n_cuts + 1] > 0;
    long double best = 0;
    for (uint32_t b = bins->n_cuts; b > 0; b--) {
        above[b - 1] = naive_add(above[b], cells[b]);
    }
    struct naive_sum left = {0, 0};
    size_t n_left = 0;
    for (uint32_t b = 0; b <= bins->n_cuts; b++) {
        left = naive_add(left, cells[b]);
        n_left += n_in[b];
        struct naive_sum both = naive_add(left, missing);
        gains[b][0] = n_left == n || n_left == 0 ? -1 : naive_gain(tree, left, naive_add(above[b], missing));
        gains[b][1] = !has_missing || n_left + n_in[bins->n_cuts + 1] == n ? -1 : naive_gain(tree, both, above[b]);
        best = gains[b][0] > best ? gains[b][0] : best;
        best = gains[b][1] > best ? gains[b][1] : best;
    }
    if (!(best > 1e-12L * naive_score(tree, total))) {
        return 0;
    }
    left = (struct naive_sum){0, 0};
    for (uint32_t b = 0;; b++) {
        left = naive_add(left, cells[b]);
        for (int side = 0; side < 2; side++) {
            if (gains[b][side] >= best * (1 - 1e-9L)) {
                node->feature = f;
                node->bin = b;
                node->missing_left = has_missing ? side : left.h >= above[b].h;
                return best;
            }
        }
    }
}

static inline int naive_goes_left(const struct naive_tree *tree, const struct naive_node *node, size_t row) {
    uint8_t code = tree->codes[node->feature * tree->input->prepared->n_rows + row];
    int missing = code == tree->input->prepared->bins[node->feature].n_cuts + 1;
    return missing ? node->missing_left : code <= node->bin;
}

static inline int naive_find_split(const struct naive_tree *tree, const size_t *rows, size_t n,
                                   struct naive_node *node) {
    uint32_t d = tree->input->prepared->n_features;
    struct naive_node *found = calloc(d, sizeof *found);
    long double *gains = calloc(d, sizeof *gains);
    long double best = 0;
    for (uint32_t f = 0; f < d; f++) {
        if (tree->is_column == NULL || tree->is_column[f]) {
            gains[f] = naive_best_bin(tree, f, rows, n, &found[f]);
            best = gains[f] > best ? gains[f] : best;
        }
    }
    for (uint32_t f = 0; f < d && best > 0; f++) {
        if (gains[f] >= best * (1 - 1e-9L)) {
            *node = found[f];
            break;
        }
    }
    free(found);
    free(gains);
    return best > 0;
}

static inline size_t naive_grow(struct naive_tree *tree, const size_t *rows, size_t n, uint32_t depth) {
    size_t at = tree->n_nodes++;
    struct naive_node node = {.is_leaf = 1, .n_rows = n};
    if (depth < tree->max_depth && naive_find_split(tree, rows, n, &node)) {
        size_t *sides[2] = {calloc(n, sizeof **sides), calloc(n, sizeof **sides)};
        size_t counts[2] = {0, 0};
        for (size_t i = 0; i < n; i++) {
            int right = !naive_goes_left(tree, &node, rows[i]);
            sides[right][counts[right]++] = rows[i];
        }
        node.is_leaf = 0;
        node.n_rows = n;
        node.left = naive_grow(tree, sides[0], counts[0], depth + 1);
        node.right = naive_grow(tree, sides[1], counts[1], depth + 1);
        free(sides[0]);
        free(sides[1]);
    } else {
        struct naive_sum sum = {0, 0};
        for (size_t i = 0; i < n; i++) {
            sum.g += (long double)tree->input->g[rows[i]];
            sum.h += (long double)tree->input->h[rows[i]];
        }
        sum.h += (long double)tree->input->options->lambda_l2;
        node.weight = (double)sum.h;
        node.value = sum.h > 0 ? (double)(-sum.g / sum.h) : 0.0;
    }
    tree->nodes[at] = node;
    return at;
}

/* Grows on the rows with is_row (NULL: all) and columns with is_column (NULL: all). */
static inline struct naive_tree naive_make(const struct fit_case *fit, uint32_t max_depth, const uint8_t *is_row,
                                           const uint8_t *is_column) {
    const mxb_prepared *prepared = fit->prepared;
    size_t n = prepared->n_rows;
    struct naive_tree tree = {.input = &fit->input, .is_column = is_column, .max_depth = max_depth};
    size_t *rows = calloc(n, sizeof *rows);
    size_t n_rows = 0;
    tree.nodes = calloc(2 * n, sizeof *tree.nodes);
    tree.codes = calloc(n * prepared->n_features, 1);
    for (size_t i = 0; i < n; i++) {
        rows[n_rows] = i;
        n_rows += is_row == NULL || is_row[i];
        for (uint32_t f = 0; f < prepared->n_features; f++) {
            const struct feature_bins *bins = &prepared->bins[f];
            double x;
            mxb__column_read(prepared->view, &prepared->view->columns[f], i, 1, &x);
            uint32_t code = 0;
            while (code < bins->n_cuts && bins->cuts[code] < x) {
                code++;
            }
            tree.codes[f * n + i] = (uint8_t)(isnan(x) ? bins->n_cuts + 1 : code);
        }
    }
    naive_grow(&tree, rows, n_rows, 0);
    free(rows);
    return tree;
}

static inline void naive_clear(struct naive_tree *tree) {
    free(tree->nodes);
    free(tree->codes);
}

#endif
