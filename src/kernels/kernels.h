/* The hot loops of predictions, which training uses too, as a table of functions on plain arrays. Portable C is always
 * there and is the oracle of every other set; all sets give the same bits. A model takes the table once and keeps it.
 * What only training needs is in training_kernels.h. */
#ifndef MXB_KERNELS_KERNELS_H
#define MXB_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/rank_table.h"

/* Sums of doubles, over the rows of a block or the components of a row, run in lanes: the i-th in lane i mod 8, each
 * lane in order. */
enum { MXB__LANES = 8 };

static inline double mxb__add_lanes(const double lane[MXB__LANES]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* Rows of a forest's codes (model/forest.h), column by column: that of row i in column c is codes[c * stride + i].
 * There is room for, and anything in, the rows up to the next multiple of MXB__CODE_ROWS.
 *
 * A test is column << 8 | threshold: a row goes right if its code is over the threshold. */
struct code_rows {
    const uint8_t *codes;
    size_t stride; /* a multiple of MXB__CODE_ROWS */
    size_t n;
};

enum { MXB__CODE_ROWS = 128, MXB__FULL_DEPTH = 8 /* the deepest tree whose leaves a byte can number */ };

/* A full tree of depth 0 .. MXB__FULL_DEPTH, whose columns a byte can number too: the tests of nodes
 * 1 .. 2^depth - 1, and room for MXB__NARROW_NODES at least. */
struct narrow_tree {
    uint32_t depth;
    const uint8_t *columns;
    const uint8_t *thresholds;
};

enum { MXB__NARROW_COLUMNS = 256, MXB__NARROW_NODES = 64 };

enum { MXB__MAP_STEP = 16 };

/* A random feature map and what its features are multiplied by, made ready to predict: without the inputs whose weights
 * are all 0, which would change no sum. */
struct feature_map {
    size_t n_inputs;
    const uint32_t *columns; /* [n_inputs] where they are */
    size_t n_components;
    size_t step;          /* the next multiple of MXB__MAP_STEP; what follows the components is 0 */
    const float *weights; /* [n_inputs][step] */
    const float *phases;  /* [step] */
    const double *dots;   /* [step] */
    float amplitude;
};

struct kernels {
    const char *name;

    /* Codes of n values: the number of cuts below the value; `missing_code` for NaN. */
    void (*encode)(const struct cut_tree *cuts, const double *values, size_t n, uint8_t missing_code, uint8_t *codes);

    /* Codes of one row, each by cuts of its own: codes[k] is the number of cuts[k] below row[features[k]]; 0 for NaN.
     */
    void (*encode_row)(const struct cut_tree *cuts, const uint32_t *features, size_t n, const double *row,
                       uint8_t *codes);

    /* out[i] = the score of values[i], linear between the knots and constant beyond, as a factor. */
    void (*scale_ranks)(const struct rank_table *table, const double *values, size_t n, float *out);

    /* z[row][j] = amplitude cos(2 pi (sum_f inputs[row][f] weights[f][j] + phases[j])). Inputs and weights are factors
     * (mxb__factor), whose products are exact; the sum, in float, begins with the phase and runs over f in order. */
    void (*project)(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                    size_t n_components, float amplitude, float *z);

    /* out[i] = sum_j z_ij weights[j], in double and in lanes. */
    void (*dot)(const float *z, size_t n, size_t n_components, const double *weights, double *out);

    /* out[i] = what `dot` with the map's dots makes of what `project` would write of row i, whose input in column c is
     * inputs[c * stride + i]. */
    void (*project_dot)(const struct feature_map *map, const float *inputs, size_t stride, size_t n, double *out);

    /* The leaf of each row, 0 .. 2^depth - 1 from left to right, in a full tree of depth 1 .. MXB__FULL_DEPTH: tests
     * nodes[1 .. 2^depth - 1], the children of k being 2 k and 2 k + 1. There is room for as many leaves as codes. */
    void (*full_tree)(const struct code_rows *rows, const uint32_t *nodes, unsigned depth, uint8_t *leaves);

    /* The same in a symmetric tree, with one test a level. */
    void (*symmetric_tree)(const struct code_rows *rows, const uint32_t *levels, unsigned depth, uint8_t *leaves);

    /* The leaf of one row, with a code a column and room for MXB__NARROW_COLUMNS, in each of n full trees. */
    void (*row_trees)(const struct narrow_tree *trees, size_t n, const uint8_t *codes, size_t n_columns,
                      uint8_t *leaves);

    /* The same in n symmetric trees of up to MXB__FULL_DEPTH levels: tests MXB__FULL_DEPTH t + b of tree t give the
     * bits b of its leaf, and where there is none threshold 255 gives 0. Tests and leaves have room for a multiple of
     * eight trees. */
    void (*row_levels)(const uint8_t *columns, const uint8_t *thresholds, size_t n, const uint8_t *codes,
                       size_t n_columns, uint8_t *leaves);

    /* scores[i] += values[leaves[i]]; the n_values are a power of two. */
    void (*add_leaves)(const uint8_t *leaves, size_t n, const double *values, size_t n_values, double *scores);
};

/** The table for this processor: "avx512", "avx2" or "portable", the first that it can run; or the one that the
 *  environment variable MIXBOOST_KERNELS names, if it can run that. */
const struct kernels *mxb__kernels(void);

/** The set of that name if this processor can run it, else NULL; NULL: the first that it can. */
const struct kernels *mxb__kernels_named(const char *name);

extern const struct kernels mxb__kernels_portable;

#endif
