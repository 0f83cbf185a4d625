/* A learner and a loss of one's own whose every allocation may fail: the mean target, the squared error. */
#ifndef MEAN_LEARNER_H
#define MEAN_LEARNER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixboost/mixboost.h"

static inline mxb_status fit_mean(void *context, const mxb_round *round, void **term, double *values,
                                  mxb_error *error) {
    size_t n = mxb_dataset_n_rows(mxb_round_data(round));
    const double *g = mxb_round_gradients(round), *h = mxb_round_hessians(round);
    double *mean = malloc(sizeof *mean), sum_g = 0.0, sum_h = 0.0;
    (void)context;
    if (mean == NULL) {
        snprintf(error->message, sizeof error->message, "out of memory for a mean");
        return MXB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        sum_g += g[i];
        sum_h += h[i];
    }
    *mean = -sum_g / sum_h;
    for (size_t i = 0; i < n; i++) {
        values[i] = *mean;
    }
    *term = mean;
    return MXB_OK;
}

static inline mxb_status predict_mean(void *context, const void *term, const mxb_dataset *rows, double *values,
                                      mxb_error *error) {
    (void)context;
    (void)error;
    for (size_t i = 0; i < mxb_dataset_n_rows(rows); i++) {
        values[i] = *(const double *)term;
    }
    return MXB_OK;
}

static inline void free_mean(void *context, void *term) {
    (void)context;
    free(term);
}

static inline size_t write_mean(void *context, const void *term, void *bytes, size_t capacity) {
    (void)context;
    if (capacity >= sizeof(double)) {
        memcpy(bytes, term, sizeof(double));
    }
    return sizeof(double);
}

static inline mxb_status read_mean(void *context, const void *bytes, size_t n_bytes, void **term, mxb_error *error) {
    double *mean = n_bytes == sizeof *mean ? malloc(sizeof *mean) : NULL;
    (void)context;
    if (mean == NULL) {
        snprintf(error->message, sizeof error->message, "out of memory for a mean");
        return MXB_ERROR_MEMORY;
    }
    memcpy(mean, bytes, sizeof *mean);
    *term = mean;
    return MXB_OK;
}

static inline mxb_status squared_values(void *context, size_t n, const double *labels, const double *scores,
                                        double *values, mxb_error *error) {
    (void)context;
    (void)error;
    for (size_t i = 0; i < n; i++) {
        values[i] = 0.5 * (scores[i] - labels[i]) * (scores[i] - labels[i]);
    }
    return MXB_OK;
}

static inline mxb_status squared_derivatives(void *context, size_t n, const double *labels, const double *scores,
                                             double *first, double *second, mxb_error *error) {
    (void)context;
    (void)error;
    for (size_t i = 0; i < n; i++) {
        first[i] = scores[i] - labels[i];
        second[i] = 1.0;
    }
    return MXB_OK;
}

static inline mxb_status mean_learner_add(mxb_params *params, mxb_error *error) {
    mxb_loss *loss = NULL;
    mxb_learner *learner = NULL;
    mxb_status status = mxb_loss_create("squared", squared_values, squared_derivatives, NULL, &loss, error);
    if (status == MXB_OK) {
        status = mxb_params_set_loss(params, loss, error);
    }
    if (status == MXB_OK) {
        status = mxb_learner_create("mean", fit_mean, predict_mean, free_mean, NULL, &learner, error);
    }
    if (status == MXB_OK) {
        mxb_learner_set_files(learner, write_mean, read_mean);
        status = mxb_params_add_learner(params, learner, 0.5, error);
    }
    mxb_loss_free(loss);
    mxb_learner_free(learner);
    return status;
}

#endif
