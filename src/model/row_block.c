/* Step 10 of the data's path: what one term says about a block of rows. Knows nothing of datasets, threads or links. */
#include "model/row_block.h"

void mxb__block_carve(struct row_block *block, const mxb_model *model, size_t n, size_t n_components,
                      struct workspace *workspace) {
    size_t n_features = model->n_features;
    block->kernels = mxb__kernels();
    block->n = n;
    block->n_features = n_features;
    block->rows = mxb__carve(workspace, n * n_features, sizeof *block->rows);
    block->inputs = mxb__carve(workspace, n_components > 0 ? n * n_features : 0, sizeof *block->inputs);
    block->z = mxb__carve(workspace, n * n_components, sizeof *block->z);
    block->dots = mxb__carve(workspace, n, sizeof *block->dots);
}

/* One feature at a time, whose table then stays in L1; `dots` is free until there are features to add up. */
void mxb__block_scale(const struct row_block *block, const struct scaling *scaling) {
    for (size_t f = 0; f < block->n_features; f++) {
        for (size_t i = 0; i < block->n; i++) {
            block->dots[i] = block->rows[i * block->n_features + f];
        }
        mxb__scale_column(scaling->kind, &scaling->features[f], block->dots, block->n, block->inputs + f,
                          block->n_features);
    }
}

void mxb__block_project(const struct row_block *block, const struct projection *projection, float *z) {
    block->kernels->project(block->inputs, block->n, projection->weights, projection->phases, projection->n_features,
                            projection->n_components, mxb__projection_amplitude(projection->n_components), z);
}

/* ---- trees ---- */

enum { SYMMETRIC_ROWS = 64 }; /* at a time */

static void add_symmetric(const struct row_block *block, const struct symmetric *tree, double *scores) {
    uint32_t leaves[SYMMETRIC_ROWS];
    for (size_t first = 0; first < block->n; first += SYMMETRIC_ROWS) {
        size_t n = block->n - first < SYMMETRIC_ROWS ? block->n - first : SYMMETRIC_ROWS;
        mxb__symmetric_leaves(tree, block->rows + first * block->n_features, block->n_features, n, leaves);
        for (size_t i = 0; i < n; i++) {
            scores[first + i] += tree->values[leaves[i]];
        }
    }
}

static void add_ordinary(const struct row_block *block, const struct tree *tree, double *scores) {
    const struct tree *trees[MXB__WALKS];
    size_t i = 0;
    for (size_t k = 0; k < MXB__WALKS; k++) {
        trees[k] = tree;
    }
    for (; i + MXB__WALKS <= block->n; i += MXB__WALKS) {
        const double *rows[MXB__WALKS];
        uint32_t leaves[MXB__WALKS];
        for (size_t k = 0; k < MXB__WALKS; k++) {
            rows[k] = block->rows + (i + k) * block->n_features;
        }
        mxb__tree_leaves(trees, rows, leaves);
        for (size_t k = 0; k < MXB__WALKS; k++) {
            scores[i + k] += tree->nodes[leaves[k]].value;
        }
    }
    for (; i < block->n; i++) {
        scores[i] += tree->nodes[mxb__tree_leaf(tree, block->rows + i * block->n_features)].value;
    }
}

void mxb__block_add_tree(const struct row_block *block, const struct term *term, double *scores) {
    if (term->kind == TERM_SYMMETRIC) {
        add_symmetric(block, &term->symmetric, scores);
    } else {
        add_ordinary(block, &term->tree, scores);
    }
}

/* ---- sums ---- */

void mxb__scores_add(double *scores, size_t n, const double *values, double constant) {
    for (size_t i = 0; i < n; i++) {
        scores[i] = mxb__bounded(scores[i] + (values[i] + constant));
    }
}

void mxb__scores_add_constant(double *scores, size_t n, double constant) {
    for (size_t i = 0; i < n; i++) {
        scores[i] = mxb__bounded(scores[i] + constant);
    }
}

double mxb__scores_begin(const mxb_model *model) { return mxb__bounded((double)model->n_members * model->base_score); }

void mxb__scores_end(const mxb_model *model, double *scores, size_t n) {
    for (size_t i = 0; model->n_members > 1 && i < n; i++) {
        scores[i] /= (double)model->n_members;
    }
}

void mxb__scores_add_own(const mxb_model *model, double *scores, size_t n, const double *sums) {
    for (size_t i = 0; i < n; i++) {
        scores[i] = mxb__bounded(scores[i] + sums[i] / (double)model->n_members);
    }
}
