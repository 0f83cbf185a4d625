/* Step 10 of the data's path: rows to scores. */
#include "model/scoring.h"

#include "model/row_block.h"

int mxb__scoring_reads(const mxb_model *model, uint32_t feature) {
    return model->feature_splits[feature] > 0 || mxb__waves_read(model->waves, feature);
}

static void carve(struct scoring *scoring, const mxb_model *model, size_t n, size_t n_in_trees,
                  struct workspace *workspace) {
    scoring->model = model;
    mxb__forest_carve(&scoring->trees, model->forest, n_in_trees, workspace);
    mxb__waves_carve(&scoring->waves, model->waves, n, workspace);
    scoring->column = mxb__carve(workspace, n, sizeof *scoring->column);
}

void mxb__scoring_carve(struct scoring *scoring, const mxb_model *model, size_t n, struct workspace *workspace) {
    carve(scoring, model, n, n, workspace);
}

void mxb__scoring_carve_few(struct scoring *scoring, const mxb_model *model, size_t n, struct workspace *workspace) {
    carve(scoring, model, n, 1, workspace);
}

static void begin(const mxb_model *model, size_t n, double *scores) {
    double first = mxb__scores_begin(model);
    for (size_t i = 0; i < n; i++) {
        scores[i] = first;
    }
}

/* What follows the trees. */
static void end(const struct scoring *scoring, size_t n, double *scores) {
    const mxb_model *model = scoring->model;
    mxb__waves_add(model->waves, &scoring->waves, n, scores);
    mxb__scores_add_constant(scores, n, model->collapsed_intercept);
    mxb__scores_end(model, scores, n);
}

void mxb__score_block(struct scoring *scoring, column_fn read, const void *source, size_t first, size_t n,
                      double *scores) {
    const mxb_model *model = scoring->model;
    uint32_t k = 0; /* the next feature of the trees */
    for (uint32_t f = 0; f < model->n_features; f++) {
        if (!mxb__scoring_reads(model, f)) {
            continue;
        }
        read(source, f, first, n, scoring->column);
        if (model->feature_splits[f] > 0) {
            mxb__forest_encode(model->forest, k++, scoring->column, n, &scoring->trees);
        }
        if (mxb__waves_read(model->waves, f)) {
            mxb__waves_scale(model->waves, f, scoring->column, 0, n, &scoring->waves);
        }
    }
    begin(model, n, scores);
    mxb__forest_add(model->forest, &scoring->trees, n, scores);
    end(scoring, n, scores);
}

void mxb__score_few(struct scoring *scoring, const double *rows, size_t n, double *scores) {
    const mxb_model *model = scoring->model;
    begin(model, n, scores);
    for (size_t i = 0; i < n; i++) {
        const double *row = rows + i * model->n_features;
        mxb__forest_add_to_row(model->forest, row, &scoring->trees, &scores[i]);
        for (uint32_t f = 0; f < model->n_features; f++) {
            if (mxb__waves_read(model->waves, f)) {
                mxb__waves_scale(model->waves, f, &row[f], i, 1, &scoring->waves);
            }
        }
    }
    end(scoring, n, scores);
}
