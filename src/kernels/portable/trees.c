/* Trees on codes, for a tile of rows at a time: from the bottom up each node takes the leaf of its left or right half,
 * by loops without branches that compilers make vectors of. */
#include <string.h>

#include "kernels/portable/portable.h"

enum { TILE = 64 };

_Static_assert(MXB__CODE_ROWS % TILE == 0, "a tile never reaches behind the codes");

static inline void choose(const struct code_rows *rows, uint32_t node, const uint8_t *left, const uint8_t *right,
                          uint8_t *chosen) {
    const uint8_t *codes = rows->codes + (node >> 8) * rows->stride;
    uint8_t threshold = (uint8_t)node;
    uint8_t rows_leaves[TILE]; /* `chosen` may be one of the halves */
    for (size_t i = 0; i < TILE; i++) {
        uint8_t is_right = (uint8_t) - (codes[i] > threshold); /* all bits, or none */
        rows_leaves[i] = (uint8_t)(left[i] ^ (is_right & (left[i] ^ right[i])));
    }
    memcpy(chosen, rows_leaves, TILE);
}

/* The nodes of the lowest level, whose halves are the leaves 2 k and 2 k + 1. */
static inline void choose_lowest(const struct code_rows *rows, uint32_t node, size_t k, uint8_t *chosen) {
    const uint8_t *codes = rows->codes + (node >> 8) * rows->stride;
    uint8_t threshold = (uint8_t)node;
    for (size_t i = 0; i < TILE; i++) {
        chosen[i] = (uint8_t)(2 * k + (codes[i] > threshold));
    }
}

void mxb__portable_full_tree(const struct code_rows *rows, const uint32_t *nodes, unsigned depth, uint8_t *leaves) {
    uint8_t chosen[1 << (MXB__FULL_DEPTH - 1)][TILE];
    struct code_rows tile = *rows;
    for (size_t first = 0; first < rows->n; first += TILE) {
        size_t width = (size_t)1 << (depth - 1);
        tile.codes = rows->codes + first;
        for (size_t k = 0; k < width; k++) {
            choose_lowest(&tile, nodes[width + k], k, chosen[k]);
        }
        for (width /= 2; width > 0; width /= 2) {
            for (size_t k = 0; k < width; k++) {
                choose(&tile, nodes[width + k], chosen[2 * k], chosen[2 * k + 1], chosen[k]);
            }
        }
        memcpy(leaves + first, chosen[0], TILE);
    }
}

void mxb__portable_symmetric_tree(const struct code_rows *rows, const uint32_t *levels, unsigned depth,
                                  uint8_t *leaves) {
    for (size_t first = 0; first < rows->n; first += TILE) {
        uint8_t leaf[TILE] = {0};
        for (unsigned l = 0; l < depth; l++) {
            const uint8_t *codes = rows->codes + (levels[l] >> 8) * rows->stride + first;
            uint8_t threshold = (uint8_t)levels[l];
            for (size_t i = 0; i < TILE; i++) {
                leaf[i] = (uint8_t)(2 * leaf[i] + (codes[i] > threshold));
            }
        }
        memcpy(leaves + first, leaf, TILE);
    }
}

/* The levels whose tests every tree has room for. */
enum { COMMON_LEVELS = 6 };

_Static_assert(1 << COMMON_LEVELS == MXB__NARROW_NODES, "a tree of fewer levels has room for the tests of so many");

static inline size_t next_node(const struct narrow_tree *tree, size_t at, const uint8_t *codes) {
    return at + at + (tree->thresholds[at] < codes[tree->columns[at]]);
}

/* Several trees side by side, so that one does not wait for the other's loads, and all as deep as the deepest or as all
 * have room for: steps beyond a leaf only add digits behind its number, from whatever tests are read. Deeper ones go on
 * alone. The last tree may go several times. */
void mxb__portable_row_trees(const struct narrow_tree *trees, size_t n, const uint8_t *codes, size_t n_columns,
                             uint8_t *leaves) {
    enum { WALKS = 8 };
    (void)n_columns;
    for (size_t first = 0; first < n; first += WALKS) {
        const struct narrow_tree *walked[WALKS];
        size_t at[WALKS];
        uint32_t common = 0;
        for (size_t k = 0; k < WALKS; k++) {
            walked[k] = &trees[first + k < n ? first + k : n - 1];
            common = walked[k]->depth > common ? walked[k]->depth : common;
            at[k] = 1;
        }
        common = common < COMMON_LEVELS ? common : COMMON_LEVELS;
        for (uint32_t l = 0; l < common; l++) {
            for (size_t k = 0; k < WALKS; k++) {
                at[k] = next_node(walked[k], at[k], codes);
            }
        }
        for (size_t k = 0; k < WALKS && first + k < n; k++) {
            uint32_t depth = walked[k]->depth;
            for (uint32_t l = common; l < depth; l++) {
                at[k] = next_node(walked[k], at[k], codes);
            }
            leaves[first + k] = (uint8_t)((at[k] >> (depth < common ? common - depth : 0)) - ((size_t)1 << depth));
        }
    }
}

void mxb__portable_row_levels(const uint8_t *columns, const uint8_t *thresholds, size_t n, const uint8_t *codes,
                              size_t n_columns, uint8_t *leaves) {
    (void)n_columns;
    for (size_t t = 0; t < n; t++) {
        unsigned leaf = 0;
        for (unsigned b = 0; b < MXB__FULL_DEPTH; b++) {
            size_t test = t * MXB__FULL_DEPTH + b;
            leaf |= (unsigned)(codes[columns[test]] > thresholds[test]) << b;
        }
        leaves[t] = (uint8_t)leaf;
    }
}

void mxb__portable_add_leaves(const uint8_t *leaves, size_t n, const double *values, size_t n_values, double *scores) {
    (void)n_values;
    for (size_t i = 0; i < n; i++) {
        scores[i] += values[leaves[i]];
    }
}
