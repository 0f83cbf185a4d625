/* The learner and the loss that the golden model `own` names. */
#ifndef GOLDEN_OWN_H
#define GOLDEN_OWN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "mixboost/mixboost.h"

/* A term: slope and intercept of a line in the first feature, a missing value counting as 0. */
struct golden_line {
    double slope;
    double intercept;
};

static inline mxb_status golden_line_predict(void *context, const void *term, const mxb_dataset *data, double *values,
                                             mxb_error *error) {
    const struct golden_line *line = term;
    (void)context;
    for (size_t i = 0; i < mxb_dataset_n_rows(data); i++) {
        double x;
        mxb_status status = mxb_dataset_read(data, 0, i, 1, &x, error);
        if (status != MXB_OK) {
            return status;
        }
        values[i] = isnan(x) ? line->intercept : line->slope * x + line->intercept;
    }
    return MXB_OK;
}

/* The weighted mean of the targets, and a slope of that size. */
static inline mxb_status golden_line_fit(void *context, const mxb_round *round, void **term, double *values,
                                         mxb_error *error) {
    size_t n = mxb_dataset_n_rows(mxb_round_data(round));
    double sum_g = 0, sum_h = 0;
    for (size_t i = 0; i < n; i++) {
        sum_g += mxb_round_gradients(round)[i];
        sum_h += mxb_round_hessians(round)[i];
    }
    struct golden_line *line = malloc(sizeof *line);
    if (line == NULL) {
        return MXB_ERROR_MEMORY;
    }
    line->intercept = -sum_g / sum_h;
    line->slope = line->intercept / (double)(1 + mxb_round_number(round));
    *term = line;
    mxb_status status = golden_line_predict(context, line, mxb_round_data(round), values, error);
    if (status != MXB_OK) {
        free(line);
    }
    return status;
}

static inline void golden_line_free(void *context, void *term) {
    (void)context;
    free(term);
}

/* Two little-endian doubles. */
static inline size_t golden_line_write(void *context, const void *term, void *bytes, size_t capacity) {
    const struct golden_line *line = term;
    const double numbers[2] = {line->slope, line->intercept};
    (void)context;
    for (size_t k = 0; k < 2 && capacity >= 16; k++) {
        uint64_t bits;
        memcpy(&bits, &numbers[k], sizeof bits);
        mxb__store_u64((unsigned char *)bytes + 8 * k, bits);
    }
    return 16;
}

static inline mxb_status golden_line_read(void *context, const void *bytes, size_t n_bytes, void **term,
                                          mxb_error *error) {
    struct byte_reader in = {.bytes = bytes, .n_left = n_bytes};
    struct golden_line *line = n_bytes == 16 ? malloc(sizeof *line) : NULL;
    (void)context;
    if (line == NULL) {
        snprintf(error->message, sizeof error->message, "not the 16 bytes of a line");
        return MXB_ERROR_FORMAT;
    }
    line->slope = mxb__get_f64(&in);
    line->intercept = mxb__get_f64(&in);
    *term = line;
    return MXB_OK;
}

static inline mxb_status golden_loss_value(void *context, size_t n, const double *labels, const double *scores,
                                           double *values, mxb_error *error) {
    (void)context, (void)error;
    for (size_t i = 0; i < n; i++) {
        values[i] = (scores[i] - labels[i]) * (scores[i] - labels[i]);
    }
    return MXB_OK;
}

static inline mxb_status golden_loss_derivatives(void *context, size_t n, const double *labels, const double *scores,
                                                 double *first, double *second, mxb_error *error) {
    (void)context, (void)error;
    for (size_t i = 0; i < n; i++) {
        first[i] = 2 * (scores[i] - labels[i]);
        second[i] = 2;
    }
    return MXB_OK;
}

static inline double golden_link(void *context, double score) {
    (void)context;
    return 2 * score;
}

/** Gives params the learner, half of all rounds, and the loss. */
static inline mxb_status golden_add_own(mxb_params *params, mxb_error *error) {
    mxb_learner *learner = NULL;
    mxb_loss *loss = NULL;
    mxb_status status =
        mxb_learner_create("line", golden_line_fit, golden_line_predict, golden_line_free, NULL, &learner, error);
    if (status == MXB_OK) {
        mxb_learner_set_files(learner, golden_line_write, golden_line_read);
        status = mxb_params_add_learner(params, learner, 0.5, error);
    }
    if (status == MXB_OK) {
        status = mxb_loss_create("square", golden_loss_value, golden_loss_derivatives, NULL, &loss, error);
    }
    if (status == MXB_OK) {
        mxb_loss_set_link(loss, golden_link);
        status = mxb_params_set_loss(params, loss, error);
    }
    mxb_learner_free(learner);
    mxb_loss_free(loss);
    return status;
}

#endif
