/* The features of a test's rows as the kernels define them, computed all at once and never kept. */
#ifndef MAKE_FEATURES_H
#define MAKE_FEATURES_H

#include "unit/learner/make_fit.h"

/* [row][feature] scaled; the caller's to free. */
static inline float *naive_inputs(const struct fit_case *fit, const mxb_dataset *dataset) {
    size_t n = dataset->n_rows;
    size_t d = dataset->n_columns;
    float *inputs = calloc(n * d, sizeof *inputs);
    for (size_t f = 0; f < d; f++) {
        for (size_t i = 0; i < n; i++) {
            double x;
            mxb__column_read(dataset, &dataset->columns[f], i, 1, &x);
            inputs[i * d + f] = mxb__scale_value(fit->model->scaling.kind, &fit->model->scaling.features[f], x);
        }
    }
    return inputs;
}

/* [row][component] of a projection of the model, for the training rows; the caller's to free. */
static inline float *naive_features(const struct fit_case *fit, uint32_t which) {
    size_t n = fit->prepared->n_rows;
    const struct projection *projection = &fit->model->projections[which];
    float *inputs = naive_inputs(fit, fit->prepared->view);
    float *z = calloc(n * projection->n_components, sizeof *z);
    mxb__kernels()->project(inputs, n, projection->weights, projection->phases, projection->n_features,
                            projection->n_components, mxb__projection_amplitude(projection->n_components), z);
    free(inputs);
    return z;
}

#endif
