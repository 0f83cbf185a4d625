/* Step 10 of the data's path: rows to scores. */
#include "model/scoring.h"

#include "model/row_block.h"

static int has_projections(const mxb_model *model) { return model->n_components > 0; }

int mxb__scoring_reads(const mxb_model *model, uint32_t feature) {
    return model->feature_splits[feature] > 0 || has_projections(model);
}

static void carve(struct scoring *scoring, const mxb_model *model, size_t n, size_t n_in_trees,
                  struct workspace *workspace) {
    scoring->model = model;
    mxb__forest_carve(&scoring->trees, model->forest, n_in_trees, workspace);
    scoring->column = mxb__carve(workspace, n, sizeof *scoring->column);
    scoring->inputs =
        mxb__carve(workspace, has_projections(model) ? n * model->n_features : 0, sizeof *scoring->inputs);
}

void mxb__scoring_carve(struct scoring *scoring, const mxb_model *model, size_t n, struct workspace *workspace) {
    carve(scoring, model, n, n > 1 ? n : 2, workspace);
}

void mxb__scoring_carve_few(struct scoring *scoring, const mxb_model *model, size_t n, struct workspace *workspace) {
    carve(scoring, model, n, 1, workspace);
}

/* What follows the trees. */
static void add_projections(const struct scoring *scoring, size_t n, double *scores) {
    const mxb_model *model = scoring->model;
    for (uint32_t p = 0; p < model->n_projections; p++) {
        if (model->collapsed_weights[p] != NULL) {
            const struct projection *projection = &model->projections[p];
            model->forest->kernels->project_dot(scoring->inputs, n, projection->weights, projection->phases,
                                                projection->n_features, projection->n_components,
                                                mxb__projection_amplitude(projection->n_components),
                                                model->collapsed_weights[p], scoring->column);
            mxb__scores_add(scores, n, scoring->column, 0);
        }
    }
    mxb__scores_add_constant(scores, n, model->collapsed_intercept);
    mxb__scores_end(model, scores, n);
}

static void begin(const mxb_model *model, size_t n, double *scores) {
    double first = mxb__scores_begin(model);
    for (size_t i = 0; i < n; i++) {
        scores[i] = first;
    }
}

void mxb__score_block(struct scoring *scoring, column_fn read, const void *source, size_t first, size_t n,
                      double *scores) {
    const mxb_model *model = scoring->model;
    const struct forest *forest = model->forest;
    const struct scaling *scaling = &model->scaling;
    int has_inputs = has_projections(model);
    uint32_t k = 0; /* the next feature of the trees */
    for (uint32_t f = 0; f < model->n_features; f++) {
        if (!mxb__scoring_reads(model, f)) {
            continue;
        }
        read(source, f, first, n, scoring->column);
        if (model->feature_splits[f] > 0) {
            mxb__forest_encode(forest, k++, scoring->column, n, &scoring->trees);
        }
        if (has_inputs) {
            mxb__scale_column(scaling->kind, &scaling->features[f], scoring->column, n, scoring->inputs + f,
                              model->n_features);
        }
    }
    begin(model, n, scores);
    mxb__forest_add(forest, &scoring->trees, n, scores);
    add_projections(scoring, n, scores);
}

void mxb__score_few(struct scoring *scoring, const double *rows, size_t n, double *scores) {
    const mxb_model *model = scoring->model;
    const struct scaling *scaling = &model->scaling;
    size_t n_features = model->n_features;
    begin(model, n, scores);
    for (size_t i = 0; i < n; i++) {
        mxb__forest_add_to_row(model->forest, rows + i * n_features, &scoring->trees, &scores[i]);
    }
    for (size_t i = 0; has_projections(model) && i < n; i++) {
        for (size_t f = 0; f < n_features; f++) {
            scoring->inputs[i * n_features + f] =
                mxb__scale_value(scaling->kind, &scaling->features[f], rows[i * n_features + f]);
        }
    }
    add_projections(scoring, n, scores);
}
