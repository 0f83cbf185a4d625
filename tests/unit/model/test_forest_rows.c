/* What the trees say together, against recursive walks in the order of the terms: bit for bit, by blocks and by row. */
#include "check.h"
#include "model/forest.h"
#include "unit/model/naive_predict.h"

static double naive_sum(const mxb_model *model, const double *row, double sum) {
    for (uint32_t t = 0; t < model->n_terms; t++) {
        if (mxb__term_is_tree(&model->terms[t])) {
            sum += term_value(model, &model->terms[t], row);
        }
    }
    return sum;
}

static struct forest_rows open_rows(const struct forest *forest, size_t n, char **memory) {
    struct forest_rows rows;
    struct workspace workspace = {.base = NULL, .used = 0};
    mxb__forest_carve(&rows, forest, n, &workspace);
    make_sure(mxb__alloc(memory, workspace.used, 1, "a test", NULL));
    workspace = (struct workspace){.base = *memory, .used = 0};
    mxb__forest_carve(&rows, forest, n, &workspace);
    return rows;
}

static void check_block(const mxb_model *model, const double *rows, size_t n, const double *expected) {
    const struct forest *forest = model->forest;
    double *scores = make_block(n + 1, sizeof *scores), *column = make_block(n, sizeof *column);
    char *memory;
    struct forest_rows room = open_rows(forest, n, &memory);
    for (size_t i = 0; i <= n; i++) {
        scores[i] = 0.1 * (double)i;
    }
    for (uint32_t k = 0; k < forest->n_features; k++) {
        for (size_t i = 0; i < n; i++) {
            column[i] = rows[i * model->n_features + forest->feature_numbers[k]];
        }
        mxb__forest_encode(forest, k, column, n, &room);
    }
    mxb__forest_add(forest, &room, n, scores);
    CHECK(same_bits(scores, expected, n));
    CHECK(scores[n] == 0.1 * (double)n);
    mxb__free(memory);
    mxb__free(scores);
    mxb__free(column);
}

static void check_single_rows(const mxb_model *model, const double *rows, size_t n, const double *expected) {
    char *memory;
    struct forest_rows room = open_rows(model->forest, 1, &memory);
    size_t n_wrong = 0;
    for (size_t i = 0; i < n; i++) {
        double score = 0.1 * (double)i;
        mxb__forest_add_to_row(model->forest, rows + i * model->n_features, &room, &score);
        n_wrong += !same_bits(&score, &expected[i], 1);
    }
    CHECK_INT(n_wrong, 0);
    mxb__free(memory);
}

static void check_model(const struct model_shape *shape) {
    static const size_t sizes[] = {2, 7, 9, 127, 128, 129, 300};
    mxb_model *model = make_model(shape);
    double *rows = make_rows(300, shape->n_features), expected[300];
    for (size_t i = 0; i < 300; i++) { /* and values at thresholds */
        const struct forest *forest = model->forest;
        uint32_t k = (uint32_t)i;
        if (k < forest->n_features && forest->features[k].n_parts > 1) {
            rows[i * shape->n_features + forest->feature_numbers[k]] = forest->features[k].thresholds[i * 3];
        }
    }
    for (size_t i = 0; i < 300; i++) {
        expected[i] = naive_sum(model, rows + i * shape->n_features, 0.1 * (double)i);
    }
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        check_block(model, rows, sizes[s], expected);
    }
    check_single_rows(model, rows, 300, expected);
    free(rows);
    mxb_model_free(model);
}

/* From stumps to trees with deep parts; from few columns to more than a byte can number. */
static void every_depth(void) {
    for (uint32_t depth = 0; depth <= 12; depth++) {
        struct model_shape shape = {.seed = 20 + depth,
                                    .loss = MODEL_MSE,
                                    .n_features = 2 + depth,
                                    .n_trees = 3 * depth + 1,
                                    .n_symmetric = depth,
                                    .max_depth = depth};
        check_model(&shape);
        shape.n_features = 140; /* two kinds of columns each */
        check_model(&shape);
    }
}

/* Trees of either kind in numbers around what is taken at a time. */
static void many_trees(void) {
    for (uint32_t n = 1; n <= 200; n = n < 20 ? n + 1 : n * 3 / 2) {
        struct model_shape shape = {
            .seed = 400 + n, .loss = MODEL_MSE, .n_features = 5, .n_trees = n, .n_symmetric = n / 2, .max_depth = 3};
        check_model(&shape);
        shape.n_symmetric = n;
        shape.n_trees = n / 3;
        check_model(&shape);
    }
}

static void deep_symmetric_trees(void) {
    struct model_shape shape = {.seed = 7, .loss = MODEL_MSE, .n_features = 6, .n_symmetric = 30, .max_depth = 16};
    check_model(&shape);
}

int main(void) {
    RUN(every_depth);
    RUN(many_trees);
    RUN(deep_symmetric_trees);
    return check_report();
}
