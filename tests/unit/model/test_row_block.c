/* What the parts of a model say about a block, against recursive walks and plain cosines, row by row. */
#include "check.h"
#include "model/row_block.h"
#include "unit/model/naive_predict.h"

/* A block of `n` rows, filled and scaled; the caller frees both. */
static struct row_block open_block(const mxb_model *model, const double *rows, size_t n, char **memory) {
    struct row_block block;
    uint32_t n_components = model->n_components;
    struct workspace workspace = {.base = NULL, .used = 0};
    mxb__block_carve(&block, model, n, n_components, &workspace);
    make_sure(mxb__alloc(memory, workspace.used, 1, "a test", NULL));
    workspace = (struct workspace){.base = *memory, .used = 0};
    mxb__block_carve(&block, model, n, n_components, &workspace);
    memcpy(block.rows, rows, n * model->n_features * sizeof *rows);
    if (n_components > 0) {
        mxb__block_scale(&block, &model->scaling);
    }
    return block;
}

/* Sizes around the eight walks that go side by side. */
static void trees(void) {
    static const size_t sizes[] = {1, 2, 7, 8, 9, 16, 23};
    struct model_shape shape = {.seed = 3, .loss = MODEL_MSE, .n_features = 4, .n_trees = 1, .max_depth = 6};
    mxb_model *model = make_model(&shape);
    double *rows = make_rows(23, 4);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        char *memory;
        struct row_block block = open_block(model, rows, sizes[s], &memory);
        double scores[23];
        for (size_t i = 0; i < 23; i++) {
            scores[i] = (double)i;
        }
        mxb__block_add_tree(&block, &model->terms[0], scores);
        for (size_t i = 0; i < 23; i++) {
            CHECK(scores[i] == (double)i + (i < sizes[s] ? walk(&model->terms[0].tree, 0, rows + 4 * i) : 0));
        }
        mxb__free(memory);
    }
    mxb_model_free(model);
    free(rows);
}

/* Sizes around the rows that find their leaves at a time. */
static void symmetric_trees(void) {
    static const size_t sizes[] = {1, 3, 63, 64, 65, 128, 150};
    struct model_shape shape = {.seed = 4, .loss = MODEL_MSE, .n_features = 4, .n_symmetric = 6, .max_depth = 16};
    mxb_model *model = make_model(&shape);
    double *rows = make_rows(150, 4);
    for (uint32_t r = 0; r < model->n_terms; r++) {
        size_t n = sizes[r];
        char *memory;
        struct row_block block = open_block(model, rows, n, &memory);
        double scores[150];
        for (size_t i = 0; i < 150; i++) {
            scores[i] = (double)i;
        }
        mxb__block_add_tree(&block, &model->terms[r], scores);
        for (size_t i = 0; i < 150; i++) {
            double value = i < n ? walk_levels(&model->terms[r].symmetric, rows + 4 * i) : 0;
            CHECK(scores[i] == (double)i + value);
        }
        mxb__free(memory);
    }
    mxb_model_free(model);
    free(rows);
}

static void projections(void) {
    struct model_shape shape = MAKE_SHAPES[4];
    mxb_model *model = make_model(&shape);
    const struct projection *projection = &model->projections[0];
    double *rows = make_rows(5, 4);
    char *memory;
    struct row_block block = open_block(model, rows, 5, &memory);
    CHECK_INT(model->n_components, 8);
    mxb__block_project(&block, projection, block.z);
    for (size_t i = 0; i < 5; i++) {
        for (uint32_t j = 0; j < 8; j++) {
            double weights[8] = {0};
            struct fourier one = {.weights = weights};
            weights[j] = 1;
            CHECK_NEAR((double)block.z[i * 8 + j], project(model, &one, rows + 4 * i), 1e-5);
        }
    }
    mxb__free(memory);
    mxb_model_free(model);
    free(rows);
}

static void scores_stay_finite(void) {
    double scores[] = {1, DBL_MAX, -DBL_MAX, INFINITY}, values[] = {2, DBL_MAX, -INFINITY, -INFINITY};
    mxb__scores_add(scores, 4, values, 0.5);
    CHECK(scores[0] == 3.5 && scores[1] == DBL_MAX && scores[2] == -DBL_MAX && scores[3] == 0);
    scores[3] = INFINITY;
    mxb__scores_add_constant(scores, 4, -1);
    CHECK(scores[0] == 2.5 && scores[1] == DBL_MAX && scores[2] == -DBL_MAX && scores[3] == DBL_MAX);
}

int main(void) {
    RUN(trees);
    RUN(symmetric_trees);
    RUN(projections);
    RUN(scores_stay_finite);
    return check_report();
}
