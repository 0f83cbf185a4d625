/* Step 10 of the data's path: the trees of a model, made ready to predict. The values of a feature become codes, their
 * places among the thresholds that the trees have for it, and trees become tests of codes. Made once, with the model.
 * Knows nothing of projections, links or datasets. */
#ifndef MXB_MODEL_FOREST_H
#define MXB_MODEL_FOREST_H

#include "base/memory.h"
#include "kernels/kernels.h"
#include "model/model.h"

/* Where the missing values of a column go in every test of it. A feature may have columns of both kinds. */
enum missing_side { MISSING_RIGHT = 0, MISSING_LEFT = 1 };

/* A feature that some tree splits. Its codes count thresholds in a byte, so a column has MXB__TREE_CUTS at most. */
struct forest_feature {
    uint32_t n_thresholds;
    uint32_t n_parts;    /* columns of a kind: threshold k is number k mod 255 of part k / 255 */
    double *thresholds;  /* ascending, all different; NULL with one part, whose thresholds are its cuts */
    uint32_t columns[2]; /* by missing side: the first; UINT32_MAX where there are none */
};

/* A node of a deep tree. A leaf leads to itself. */
struct deep_node {
    uint32_t test; /* see struct code_rows */
    uint32_t left; /* the right child follows it */
    double value;  /* of a leaf */
};

enum forest_tree_kind { FOREST_FULL, FOREST_SYMMETRIC, FOREST_DEEP };

/* An ordinary tree of up to MXB__FULL_DEPTH levels is made full: above the bottom its leaves become tests that all rows
 * pass to the left. Of a deeper one the top is full, and from there rows go on node by node. */
struct forest_tree {
    enum forest_tree_kind kind;
    uint32_t depth;          /* of the full tree, the symmetric tree or the top */
    const uint32_t *tests;   /* full and deep: as the kernel has them; symmetric: one a level */
    const double *values;    /* full and symmetric: [2^depth] */
    const uint32_t *entries; /* deep: [2^depth] the nodes below the top */
    const struct deep_node *nodes;
};

struct forest {
    const struct kernels *kernels;
    uint32_t n_features;
    uint32_t *feature_numbers;       /* [n_features] ascending */
    struct forest_feature *features; /* [n_features] */
    struct cut_tree *cuts;           /* [n_features] of those with one part, and nothing for the others */
    uint32_t n_columns;
    uint32_t n_trees;
    struct forest_tree *trees; /* in the order of the terms */

    /* For one row once more, unless there are too many columns: full trees and tops, and the symmetric trees that are
     * not too deep. */
    int is_narrow;
    uint32_t n_narrow;
    struct narrow_tree *narrow;
    uint32_t n_narrow_symmetric;
    uint8_t *level_columns; /* as the kernel has them */
    uint8_t *level_thresholds;

    double *slots; /* what the above point into, beside the values of symmetric trees, which are the model's */
    float *halves;
    uint32_t *tests;
    uint8_t *narrow_tests;
    double *values;
    uint32_t *entries;
    struct deep_node *nodes;
};

/** Makes the forest of a model whose terms and split counts are final, or none on failure. */
mxb_status mxb__forest_build(const mxb_model *model, struct forest **forest, mxb_error *error);
void mxb__forest_free(struct forest *forest);

/* ---- forest_rows.c ---- */

/* Room for a block of rows. */
struct forest_rows {
    size_t stride;      /* rows there is room for, a multiple of MXB__CODE_ROWS; or 1, for one row alone */
    uint8_t *codes;     /* [n_columns][stride]; of one row at least MXB__NARROW_COLUMNS */
    uint8_t *counts;    /* [n_features] for one row: its thresholds below */
    uint8_t *leaves[2]; /* [stride] each; none for one row */
};

/** Takes the arrays for up to `n` rows from the workspace; measures when its base is NULL. */
void mxb__forest_carve(struct forest_rows *rows, const struct forest *forest, size_t n, struct workspace *workspace);

/** The codes of the k-th feature of the forest, from the values (NaN = missing) of the first n rows. */
void mxb__forest_encode(const struct forest *forest, size_t k, const double *values, size_t n,
                        const struct forest_rows *rows);

/** Adds the leaves of all trees, in order, to the scores of the first n rows, whose codes are there. */
void mxb__forest_add(const struct forest *forest, const struct forest_rows *rows, size_t n, double *scores);

/** Both for one row of numbers alone, with room of stride 1. */
void mxb__forest_add_to_row(const struct forest *forest, const double *row, const struct forest_rows *rows,
                            double *score);

#endif
