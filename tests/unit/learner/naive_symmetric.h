/* The oracle of symmetric trees: looks at every feature, bin and missing side of every level, with sums in long double
 * over the rows of each node. */
#ifndef NAIVE_SYMMETRIC_H
#define NAIVE_SYMMETRIC_H

#include "unit/learner/naive_tree.h"

enum { NAIVE_MAX_LEVELS = 8 };

struct naive_symmetric {
    struct naive_tree codes; /* for these, and the rules */
    size_t n_sampled;
    size_t *rows;          /* [n_sampled] */
    uint32_t *node_of_row; /* [row] of the sampled ones */
    uint32_t n_nodes;
    uint32_t depth;
    struct naive_node levels[NAIVE_MAX_LEVELS];
    uint32_t node_of_leaf[1 << NAIVE_MAX_LEVELS]; /* the node a row of the full tree's leaf would be in */
};

static inline struct naive_sum naive_row_sum(const struct naive_symmetric *tree, size_t row) {
    return (struct naive_sum){(long double)tree->codes.input->g[row], (long double)tree->codes.input->h[row]};
}

/* The sums of all nodes, and of what goes left in each. */
static inline void naive_sides(const struct naive_symmetric *tree, const struct naive_node *split,
                               struct naive_sum *left, struct naive_sum *right) {
    memset(left, 0, tree->n_nodes * sizeof *left);
    memset(right, 0, tree->n_nodes * sizeof *right);
    for (size_t i = 0; i < tree->n_sampled; i++) {
        size_t row = tree->rows[i];
        struct naive_sum *side = naive_goes_left(&tree->codes, split, row) ? left : right;
        side[tree->node_of_row[row]] = naive_add(side[tree->node_of_row[row]], naive_row_sum(tree, row));
    }
}

/* Nothing for nodes that it would leave with too light a side. */
static inline long double naive_level_gain(const struct naive_symmetric *tree, const struct naive_node *split,
                                           struct naive_sum *left, struct naive_sum *right) {
    long double least = (long double)tree->codes.input->options->min_child_weight;
    long double sum = 0;
    naive_sides(tree, split, left, right);
    for (uint32_t k = 0; k < tree->n_nodes; k++) {
        if (left[k].h > 0 && right[k].h > 0 && left[k].h >= least && right[k].h >= least) {
            sum += naive_gain(&tree->codes, left[k], right[k]);
        }
    }
    return sum;
}

/* In a node that some cut could divide. */
static inline int naive_has_missing(const struct naive_symmetric *tree, uint32_t feature, struct naive_sum *left,
                                    struct naive_sum *right) {
    long double least = (long double)tree->codes.input->options->min_child_weight;
    size_t n = tree->codes.input->prepared->n_rows;
    struct naive_node any = {.feature = feature};
    int found = 0;
    naive_sides(tree, &any, left, right);
    for (size_t i = 0; i < tree->n_sampled; i++) {
        uint32_t node = tree->node_of_row[tree->rows[i]];
        int is_heavy = left[node].h + right[node].h >= 2 * least;
        found |= is_heavy && tree->codes.codes[feature * n + tree->rows[i]] == tree->codes.n_cuts[feature] + 1;
    }
    return found;
}

static inline long double naive_level_score(const struct naive_symmetric *tree, struct naive_sum *left,
                                            struct naive_sum *right) {
    struct naive_node any = {.bin = 0};
    long double sum = 0;
    naive_sides(tree, &any, left, right);
    for (uint32_t k = 0; k < tree->n_nodes; k++) {
        struct naive_sum total = naive_add(left[k], right[k]);
        sum += total.h > 0 ? naive_score(&tree->codes, total) : 0;
    }
    return sum;
}

/* The best split of the level: the lowest feature, chosen with noise on the gains, and bin within a tie. 0 if nothing
 * gains. */
static inline int naive_find_level(const struct naive_symmetric *tree, struct naive_node *found, struct naive_sum *left,
                                   struct naive_sum *right) {
    uint32_t d = tree->codes.input->prepared->n_features;
    long double floor = 1e-12L * naive_level_score(tree, left, right);
    long double best_of_all = 0;
    struct naive_node *best = calloc(d, sizeof *best);
    long double *compared = calloc(d, sizeof *compared);
    for (uint32_t f = 0; f < d; f++) {
        long double most = 0;
        for (int pass = 0; pass < 2 && (tree->codes.is_column == NULL || tree->codes.is_column[f]); pass++) {
            int n_sides = naive_has_missing(tree, f, left, right) ? 2 : 1;
            for (uint32_t k = 0; k < 2 * (tree->codes.n_cuts[f] + 1) && best[f].gain == 0; k++) {
                struct naive_node split = {.feature = f, .bin = k / 2, .missing_left = (int)(k % 2)};
                if ((int)(k % 2) >= n_sides) {
                    continue;
                }
                long double gain = naive_level_gain(tree, &split, left, right);
                most = gain > most ? gain : most;
                if (pass == 1 && most > floor && gain >= most * (1 - 1e-9L)) {
                    best[f] = split;
                    best[f].gain = (double)most;
                }
            }
        }
        compared[f] = (long double)best[f].gain * naive_factor(&tree->codes, (uint32_t)1 << tree->depth, f);
        best_of_all = compared[f] > best_of_all ? compared[f] : best_of_all;
    }
    int is_found = 0;
    for (uint32_t f = 0; f < d && !is_found; f++) {
        if (best[f].gain > 0 && compared[f] >= best_of_all * (1 - 1e-9L)) {
            *found = best[f];
            is_found = 1;
        }
    }
    free(best);
    free(compared);
    return is_found;
}

/* Missing values that nobody saw go with the heavier side. */
static inline void naive_settle_missing(const struct naive_symmetric *tree, struct naive_node *split,
                                        struct naive_sum *left, struct naive_sum *right) {
    if (!naive_has_missing(tree, split->feature, left, right)) {
        long double heavier = 0;
        naive_sides(tree, split, left, right);
        for (uint32_t k = 0; k < tree->n_nodes; k++) {
            heavier += left[k].h - right[k].h;
        }
        split->missing_left = heavier >= 0;
    }
}

static inline void naive_divide(struct naive_symmetric *tree, const struct naive_node *split, struct naive_sum *left,
                                struct naive_sum *right) {
    long double least = (long double)tree->codes.input->options->min_child_weight;
    uint32_t *first = calloc(tree->n_nodes, sizeof *first), n = 0;
    uint8_t *divided = calloc(tree->n_nodes, sizeof *divided);
    naive_sides(tree, split, left, right);
    for (uint32_t k = 0; k < tree->n_nodes; k++) {
        first[k] = n;
        divided[k] = left[k].h > 0 && right[k].h > 0 && left[k].h >= least && right[k].h >= least;
        n += divided[k] ? 2 : 1;
    }
    for (size_t i = 0; i < tree->n_sampled; i++) {
        size_t row = tree->rows[i];
        uint32_t node = tree->node_of_row[row];
        int goes_right = divided[node] && !naive_goes_left(&tree->codes, split, row);
        tree->node_of_row[row] = first[node] + (goes_right ? 1 : 0);
    }
    uint32_t old[1 << NAIVE_MAX_LEVELS];
    memcpy(old, tree->node_of_leaf, sizeof old);
    for (uint32_t leaf = 0; leaf < (uint32_t)2 << tree->depth; leaf++) {
        uint32_t node = old[leaf / 2];
        tree->node_of_leaf[leaf] = first[node] + (divided[node] && leaf % 2 == 1 ? 1 : 0);
    }
    tree->n_nodes = n;
    tree->depth++;
    free(first);
    free(divided);
}

/* Grows on the rows with is_row (NULL: all) and columns with is_column (NULL: all). */
static inline struct naive_symmetric naive_symmetric_make(const struct fit_case *fit, uint32_t max_depth,
                                                          const uint8_t *is_row, const uint8_t *is_column) {
    size_t n = fit->prepared->n_rows;
    struct naive_symmetric tree = {.codes = {.input = &fit->input, .is_column = is_column}, .n_nodes = 1};
    struct naive_sum *left = calloc(n + 1, sizeof *left), *right = calloc(n + 1, sizeof *right);
    tree.rows = calloc(n, sizeof *tree.rows);
    tree.node_of_row = calloc(n, sizeof *tree.node_of_row);
    naive_encode(&tree.codes, fit->prepared);
    for (size_t i = 0; i < n; i++) {
        tree.rows[tree.n_sampled] = i;
        tree.n_sampled += is_row == NULL || is_row[i];
    }
    tree.codes.scale = naive_scale(fit->prepared, tree.rows, tree.n_sampled);
    tree.codes.noise = mxb__split_noise(fit->options.seed, fit->round, fit->options.split_noise);
    tree.codes.prior = naive_prior(fit);
    struct naive_node *level = &tree.levels[0];
    for (; tree.depth < max_depth && naive_find_level(&tree, level, left, right); level++) {
        naive_settle_missing(&tree, level, left, right);
        naive_divide(&tree, level, left, right);
    }
    free(left);
    free(right);
    return tree;
}

/* The node that a row of any kind would be in. */
static inline uint32_t naive_node_of(const struct naive_symmetric *tree, size_t row) {
    uint32_t leaf = 0;
    for (uint32_t l = 0; l < tree->depth; l++) {
        leaf = 2 * leaf + (naive_goes_left(&tree->codes, &tree->levels[l], row) ? 0 : 1);
    }
    return tree->node_of_leaf[leaf];
}

/* What a leaf of the full tree adds, from its sampled rows or from all, and in `weight` its sum of h with the penalty.
 */
static inline double naive_leaf_value(const struct naive_symmetric *tree, uint32_t leaf, double *weight,
                                      size_t *n_rows) {
    struct naive_sum sum = {0, (long double)tree->codes.input->options->lambda_l2};
    *n_rows = 0;
    int all = tree->codes.input->options->leaves_from_all_rows;
    for (size_t i = 0; i < (all ? tree->codes.input->prepared->n_rows : tree->n_sampled); i++) {
        size_t row = all ? i : tree->rows[i];
        if (naive_node_of(tree, row) == tree->node_of_leaf[leaf]) {
            sum = naive_add(sum, naive_row_sum(tree, row));
            ++*n_rows;
        }
    }
    *weight = (double)sum.h;
    return sum.h > 0 ? (double)(-sum.g / sum.h) : 0.0;
}

static inline void naive_symmetric_clear(struct naive_symmetric *tree) {
    naive_clear(&tree->codes);
    free(tree->rows);
    free(tree->node_of_row);
}

#endif
