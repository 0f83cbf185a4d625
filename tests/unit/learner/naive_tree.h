/* The oracle of the tree tests: grows a tree by looking at every feature, bin and missing side of every node, with sums
 * in long double over the rows themselves. For exact trees bins are found here, from the raw values. */
#ifndef NAIVE_TREE_H
#define NAIVE_TREE_H

#include "learner/learner.h"
#include "learner/tree/tree_noise.h"
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
    double gain;   /* split */
    double score;  /* split: of the whole node, the unit of the gain's rounding */
};

struct naive_tree {
    const struct fit_input *input;
    const uint8_t *is_column; /* NULL: all */
    uint32_t max_depth;
    struct split_noise noise;
    long double *prior; /* [feature] NULL: none */
    double scale;       /* the weight of all rows over that of those it is grown on */
    size_t n_nodes;
    struct naive_node *nodes;
    uint32_t *n_cuts; /* [feature] */
    uint32_t *codes;  /* [feature][row], from the raw values */
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
    uint32_t n_cuts = tree->n_cuts[f];
    struct naive_sum *cells = calloc(n_cuts + 2, sizeof *cells);
    struct naive_sum *above = calloc(n_cuts + 2, sizeof *above); /* higher bins, on their own: subtraction cancels */
    size_t *n_in = calloc(n_cuts + 2, sizeof *n_in);
    struct naive_sum total = {0, 0};
    long double(*gains)[2] = calloc(n_cuts + 1, sizeof *gains);
    for (size_t i = 0; i < n; i++) {
        uint32_t code = tree->codes[f * tree->input->prepared->n_rows + rows[i]];
        struct naive_sum row = {(long double)tree->input->g[rows[i]], (long double)tree->input->h[rows[i]]};
        cells[code] = naive_add(cells[code], row);
        n_in[code]++;
        total = naive_add(total, row);
    }
    struct naive_sum missing = cells[n_cuts + 1];
    int has_missing = n_in[n_cuts + 1] > 0;
    long double best = 0;
    for (uint32_t b = n_cuts; b > 0; b--) {
        above[b - 1] = naive_add(above[b], cells[b]);
    }
    struct naive_sum left = {0, 0};
    size_t n_left = 0;
    for (uint32_t b = 0; b <= n_cuts; b++) {
        left = naive_add(left, cells[b]);
        n_left += n_in[b];
        struct naive_sum both = naive_add(left, missing);
        gains[b][0] = n_left == n || n_left == 0 ? -1 : naive_gain(tree, left, naive_add(above[b], missing));
        gains[b][1] = !has_missing || n_left + n_in[n_cuts + 1] == n ? -1 : naive_gain(tree, both, above[b]);
        best = gains[b][0] > best ? gains[b][0] : best;
        best = gains[b][1] > best ? gains[b][1] : best;
    }
    best = best > 1e-12L * naive_score(tree, total) ? best : 0;
    left = (struct naive_sum){0, 0};
    int found = best == 0;
    for (uint32_t b = 0; !found; b++) {
        left = naive_add(left, cells[b]);
        for (int side = 0; side < 2 && !found; side++) {
            if (gains[b][side] >= best * (1 - 1e-9L)) {
                node->feature = f;
                node->bin = b;
                node->missing_left = has_missing ? side : left.h >= above[b].h;
                found = 1;
            }
        }
    }
    free(cells);
    free(above);
    free(n_in);
    free(gains);
    return best;
}

static inline int naive_goes_left(const struct naive_tree *tree, const struct naive_node *node, size_t row) {
    uint32_t code = tree->codes[node->feature * tree->input->prepared->n_rows + row];
    int missing = code == tree->n_cuts[node->feature] + 1;
    return missing ? node->missing_left : code <= node->bin;
}

/* What the model's trees gained by each feature, as a factor on its gains; NULL without a prior. */
static inline long double *naive_prior(const struct fit_case *fit) {
    uint32_t d = fit->prepared->n_features;
    long double *gains = calloc(d, sizeof *gains), sum = 0, largest = 0;
    for (uint32_t t = 0; t < fit->model->n_terms; t++) {
        const struct term *term = &fit->model->terms[t];
        for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++) {
            const struct tree_node *node = &term->tree.nodes[i];
            gains[node->feature] += (long double)term->tree.gain * (long double)node->share; /* 0 of a leaf */
        }
        for (uint32_t l = 0; term->kind == TERM_SYMMETRIC && l < term->symmetric.depth; l++) {
            const struct symmetric_level *level = &term->symmetric.levels[l];
            gains[level->feature] += (long double)term->symmetric.gain * (long double)level->share;
        }
    }
    for (uint32_t f = 0; f < d; f++) {
        sum += gains[f];
        largest = gains[f] > largest ? gains[f] : largest;
    }
    for (uint32_t f = 0; f < d; f++) {
        long double worth = sum > 0 ? (gains[f] + 0.001L * sum) / (largest + 0.001L * sum) : 1;
        gains[f] = powl(worth, (long double)fit->options.split_prior);
    }
    if (fit->options.split_prior == 0.0) {
        free(gains);
        return NULL;
    }
    return gains;
}

static inline long double naive_factor(const struct naive_tree *tree, uint32_t place, uint32_t feature) {
    long double factor = (long double)mxb__split_noise_factor(&tree->noise, place, feature);
    return tree->prior == NULL ? factor : factor * tree->prior[feature];
}

/* The node's split, its feature chosen with factors on the gains. */
static inline int naive_find_split(const struct naive_tree *tree, const size_t *rows, size_t n, uint32_t path,
                                   struct naive_node *node) {
    uint32_t d = tree->input->prepared->n_features;
    struct naive_node *found = calloc(d, sizeof *found);
    long double *compared = calloc(d, sizeof *compared);
    long double best = 0;
    for (uint32_t f = 0; f < d; f++) {
        if (tree->is_column == NULL || tree->is_column[f]) {
            long double gain = naive_best_bin(tree, f, rows, n, &found[f]);
            found[f].gain = (double)gain;
            compared[f] = gain * naive_factor(tree, path, f);
            best = compared[f] > best ? compared[f] : best;
        }
    }
    for (uint32_t f = 0; f < d && best > 0; f++) {
        if (compared[f] >= best * (1 - 1e-9L)) {
            *node = found[f];
            break;
        }
    }
    free(found);
    free(compared);
    return best > 0;
}

static inline struct naive_sum naive_total(const struct naive_tree *tree, const size_t *rows, size_t n) {
    struct naive_sum sum = {0, 0};
    for (size_t i = 0; i < n; i++) {
        sum.g += (long double)tree->input->g[rows[i]];
        sum.h += (long double)tree->input->h[rows[i]];
    }
    return sum;
}

static inline void naive_set_value(const struct naive_tree *tree, struct naive_sum sum, struct naive_node *node) {
    sum.h += (long double)tree->input->options->lambda_l2;
    node->weight = (double)sum.h;
    node->value = sum.h > 0 ? (double)(-sum.g / sum.h) : 0.0;
}

static inline size_t naive_grow(struct naive_tree *tree, const size_t *rows, size_t n, uint32_t depth, uint32_t path) {
    size_t at = tree->n_nodes++;
    struct naive_node node = {.is_leaf = 1, .n_rows = n};
    if (depth < tree->max_depth && naive_find_split(tree, rows, n, path, &node)) {
        size_t *sides[2] = {calloc(n, sizeof **sides), calloc(n, sizeof **sides)};
        size_t counts[2] = {0, 0};
        for (size_t i = 0; i < n; i++) {
            int right = !naive_goes_left(tree, &node, rows[i]);
            sides[right][counts[right]++] = rows[i];
        }
        node.is_leaf = 0;
        node.n_rows = n;
        node.score = (double)naive_score(tree, naive_total(tree, rows, n));
        node.left = naive_grow(tree, sides[0], counts[0], depth + 1, 2 * path);
        node.right = naive_grow(tree, sides[1], counts[1], depth + 1, 2 * path + 1);
        free(sides[0]);
        free(sides[1]);
    } else {
        naive_set_value(tree, naive_total(tree, rows, n), &node);
    }
    tree->nodes[at] = node;
    return at;
}

/* Leaf values anew, from all rows. */
static inline void naive_refit(struct naive_tree *tree) {
    struct naive_sum *sums = calloc(tree->n_nodes, sizeof *sums);
    for (size_t row = 0; row < tree->input->prepared->n_rows; row++) {
        size_t at = 0;
        while (!tree->nodes[at].is_leaf) {
            at = naive_goes_left(tree, &tree->nodes[at], row) ? tree->nodes[at].left : tree->nodes[at].right;
        }
        sums[at] = naive_add(sums[at], naive_total(tree, &row, 1));
    }
    for (size_t n = 0; n < tree->n_nodes; n++) {
        naive_set_value(tree, sums[n], &tree->nodes[n]);
    }
    free(sums);
}

static inline double naive_value(const mxb_prepared *prepared, uint32_t feature, size_t row) {
    double x;
    mxb__column_read(prepared->view, &prepared->view->columns[feature], row, 1, &x);
    return x;
}

static inline int naive_compare(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distinct values of a feature, ascending; returns how many. */
static inline size_t naive_distinct(const mxb_prepared *prepared, uint32_t feature, double *values) {
    size_t n = 0;
    for (size_t i = 0; i < prepared->n_rows; i++) {
        values[n] = naive_value(prepared, feature, i);
        n += isnan(values[n]) ? 0 : 1;
    }
    qsort(values, n, sizeof *values, naive_compare);
    size_t n_distinct = n > 0;
    for (size_t i = 1; i < n; i++) {
        if (values[i] != values[n_distinct - 1]) {
            values[n_distinct++] = values[i];
        }
    }
    return n_distinct;
}

/* The numbers between bins: those of the prepared data, or for exact trees the middles of neighbours. */
static inline uint32_t naive_cuts(const mxb_prepared *prepared, uint32_t feature, double *cuts) {
    if (!prepared->settings.exact) {
        memcpy(cuts, prepared->bins[feature].cuts, prepared->bins[feature].n_cuts * sizeof *cuts);
        return prepared->bins[feature].n_cuts;
    }
    size_t n = naive_distinct(prepared, feature, cuts);
    for (size_t i = 0; i + 1 < n; i++) {
        cuts[i] = mxb__bins_cut(cuts[i], cuts[i + 1]);
    }
    return n > 0 ? (uint32_t)n - 1 : 0;
}

static inline void naive_encode(struct naive_tree *tree, const mxb_prepared *prepared) {
    size_t n = prepared->n_rows;
    double *cuts = calloc(n + 256, sizeof *cuts);
    tree->n_cuts = calloc(prepared->n_features, sizeof *tree->n_cuts);
    tree->codes = calloc(n * prepared->n_features, sizeof *tree->codes);
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        tree->n_cuts[f] = naive_cuts(prepared, f, cuts);
        for (size_t i = 0; i < n; i++) {
            double x = naive_value(prepared, f, i);
            uint32_t low = 0;
            uint32_t high = tree->n_cuts[f]; /* cuts before low are below x, those from high on are not */
            while (low < high) {
                uint32_t middle = (low + high) / 2;
                low = cuts[middle] < x ? middle + 1 : low;
                high = cuts[middle] < x ? high : middle;
            }
            tree->codes[f * n + i] = isnan(x) ? tree->n_cuts[f] + 1 : low;
        }
    }
    free(cuts);
}

static inline double naive_threshold(const struct naive_tree *tree, const struct naive_node *node) {
    const mxb_prepared *prepared = tree->input->prepared;
    double *cuts = calloc(prepared->n_rows + 256, sizeof *cuts);
    uint32_t n_cuts = naive_cuts(prepared, node->feature, cuts);
    double threshold = node->bin < n_cuts ? cuts[node->bin] : HUGE_VAL;
    free(cuts);
    return threshold;
}

static inline double naive_scale(const mxb_prepared *prepared, const size_t *rows, size_t n) {
    const double *weights = prepared->labels.weights;
    double all = 0.0, some = 0.0;
    for (size_t i = 0; i < prepared->n_rows; i++) {
        all += weights == NULL ? 1.0 : weights[i];
    }
    for (size_t i = 0; i < n; i++) {
        some += weights == NULL ? 1.0 : weights[rows[i]];
    }
    return all / some;
}

/* Grows on the rows with is_row (NULL: all) and columns with is_column (NULL: all), as the case's options say. */
static inline struct naive_tree naive_make(const struct fit_case *fit, uint32_t max_depth, const uint8_t *is_row,
                                           const uint8_t *is_column) {
    const mxb_prepared *prepared = fit->prepared;
    size_t n = prepared->n_rows;
    struct naive_tree tree = {.input = &fit->input, .is_column = is_column, .max_depth = max_depth};
    tree.noise = mxb__split_noise(fit->options.seed, fit->round, fit->options.split_noise);
    tree.prior = naive_prior(fit);
    size_t *rows = calloc(n, sizeof *rows);
    size_t n_rows = 0;
    tree.nodes = calloc(2 * n, sizeof *tree.nodes);
    naive_encode(&tree, prepared);
    for (size_t i = 0; i < n; i++) {
        rows[n_rows] = i;
        n_rows += is_row == NULL || is_row[i];
    }
    tree.scale = naive_scale(prepared, rows, n_rows);
    naive_grow(&tree, rows, n_rows, 0, 1);
    if (fit->options.leaves_from_all_rows) {
        naive_refit(&tree);
    }
    free(rows);
    return tree;
}

static inline void naive_clear(struct naive_tree *tree) {
    free(tree->nodes);
    free(tree->prior);
    free(tree->n_cuts);
    free(tree->codes);
}

#endif
