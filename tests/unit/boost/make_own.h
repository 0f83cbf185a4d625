/* Losses and learners as a caller would write them, for tests: they count their calls and fail on request. */
#ifndef MAKE_OWN_H
#define MAKE_OWN_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "mixboost/mixboost.h"

/* When a callback misbehaves: at its n-th call (0: never), by a status, or if that is MXB_OK by a number. */
struct mischief {
    size_t at;
    mxb_status status;
    double number;
    size_t row;
};

/* 1 if the call before which `n_calls` were made is the one; the status then tells how. */
static inline int mischief_now(const struct mischief *mischief, size_t n_calls, mxb_status *status, mxb_error *error) {
    *status = MXB_OK;
    if (mischief->at == 0 || n_calls + 1 != mischief->at) {
        return 0;
    }
    *status = mischief->status;
    if (*status != MXB_OK) {
        snprintf(error->message, sizeof error->message, "call %zu went wrong", mischief->at);
    }
    return 1;
}

/* ---- a learner: the weighted least-squares line through one feature, missing values counting as 0 ---- */

struct line {
    double slope;
    double intercept;
};

struct line_learner {
    size_t feature;
    struct mischief fit_mischief;
    struct mischief predict_mischief;
    struct mischief read_mischief;
    size_t lie; /* bytes that `write` announces too many */
    size_t n_fits;
    size_t n_predicts;
    size_t n_frees;
    size_t n_reads;
    size_t n_writes;
    long n_live; /* terms made and not yet freed */
    uint64_t last_seed;
};

static inline mxb_status line_values(const struct line_learner *lines, const struct line *line, const mxb_dataset *data,
                                     double *values, mxb_error *error) {
    size_t n = mxb_dataset_n_rows(data);
    mxb_status status = mxb_dataset_read(data, lines->feature, 0, n, values, error);
    for (size_t i = 0; status == MXB_OK && i < n; i++) {
        values[i] = line->intercept + line->slope * (isfinite(values[i]) ? values[i] : 0.0);
    }
    return status;
}

static inline struct line line_solve(const double *x, const double *t, const double *w, size_t n) {
    double sw = 0, sx = 0, st = 0, sxx = 0, sxt = 0;
    for (size_t i = 0; i < n; i++) {
        double v = isfinite(x[i]) ? x[i] : 0.0;
        sw += w[i];
        sx += w[i] * v;
        st += w[i] * t[i];
        sxx += w[i] * v * v;
        sxt += w[i] * v * t[i];
    }
    double determinant = sw * sxx - sx * sx;
    struct line line = {0, sw > 0 ? st / sw : 0};
    if (determinant > 1e-12 * sw * sxx) {
        line.slope = (sw * sxt - sx * st) / determinant;
        line.intercept = (st - line.slope * sx) / sw;
    }
    return line;
}

static inline mxb_status line_fit(void *context, const mxb_round *round, void **term, double *values,
                                  mxb_error *error) {
    struct line_learner *lines = context;
    mxb_status status;
    int bad = mischief_now(&lines->fit_mischief, lines->n_fits++, &status, error);
    if (status != MXB_OK) {
        *term = (void *)1; /* must not be looked at */
        return status;
    }
    size_t n = mxb_dataset_n_rows(mxb_round_data(round));
    double *targets = malloc(2 * n * sizeof *targets);
    struct line *line = malloc(sizeof *line);
    mxb_round_targets(round, targets, targets + n);
    status = mxb_dataset_read(mxb_round_data(round), lines->feature, 0, n, values, error);
    *line = line_solve(values, targets, targets + n, n);
    free(targets);
    if (status == MXB_OK) {
        status = line_values(lines, line, mxb_round_data(round), values, error);
    }
    if (bad) {
        values[lines->fit_mischief.row] = lines->fit_mischief.number;
    }
    lines->last_seed = mxb_round_seed(round);
    lines->n_live++;
    *term = line;
    return status;
}

static inline mxb_status line_predict(void *context, const void *term, const mxb_dataset *data, double *values,
                                      mxb_error *error) {
    struct line_learner *lines = context;
    mxb_status status;
    int bad = mischief_now(&lines->predict_mischief, lines->n_predicts++, &status, error);
    if (status == MXB_OK) {
        status = line_values(lines, term, data, values, error);
    }
    if (bad && status == MXB_OK) {
        values[lines->predict_mischief.row] = lines->predict_mischief.number;
    }
    return status;
}

static inline void line_free(void *context, void *term) {
    struct line_learner *lines = context;
    lines->n_frees++;
    lines->n_live--;
    free(term);
}

static inline size_t line_write(void *context, const void *term, void *bytes, size_t capacity) {
    struct line_learner *lines = context;
    lines->n_writes++;
    if (capacity < sizeof(struct line)) {
        return sizeof(struct line) + lines->lie;
    }
    memcpy(bytes, term, sizeof(struct line));
    return sizeof(struct line);
}

static inline mxb_status line_read(void *context, const void *bytes, size_t n_bytes, void **term, mxb_error *error) {
    struct line_learner *lines = context;
    mxb_status status;
    mischief_now(&lines->read_mischief, lines->n_reads++, &status, error);
    if (status == MXB_OK && n_bytes != sizeof(struct line)) {
        snprintf(error->message, sizeof error->message, "%zu bytes are no line", n_bytes);
        status = MXB_ERROR_FORMAT;
    }
    if (status == MXB_OK) {
        *term = malloc(sizeof(struct line));
        memcpy(*term, bytes, sizeof(struct line));
        lines->n_live++;
    }
    return status;
}

/* NULL on failure; `with_files`: it can be saved. */
static inline mxb_learner *line_learner_make(struct line_learner *lines, const char *name, int with_files) {
    mxb_learner *learner = NULL;
    if (mxb_learner_create(name, line_fit, line_predict, line_free, lines, &learner, NULL) == MXB_OK && with_files) {
        mxb_learner_set_files(learner, line_write, line_read);
    }
    return learner;
}

/* Adds a line learner to params; 0 on failure. */
static inline int line_learner_add(mxb_params *params, struct line_learner *lines, const char *name, int with_files,
                                   double probability) {
    mxb_learner *learner = line_learner_make(lines, name, with_files);
    mxb_status status = learner == NULL ? MXB_ERROR_MEMORY : mxb_params_add_learner(params, learner, probability, NULL);
    mxb_learner_free(learner); /* params has a copy */
    return status == MXB_OK;
}

/* ---- losses that repeat the built-in ones, operation by operation ---- */

struct own_loss {
    int two_classes;
    struct mischief value_mischief;
    struct mischief derivatives_mischief;
    struct mischief start_mischief;
    struct mischief metric_mischief;
    size_t n_values;
    size_t n_derivatives;
    size_t n_starts;
    size_t n_metrics;
    double bad_link; /* what the link gives for scores above 1e6 */
};

static inline mxb_status own_value(void *context, size_t n, const double *labels, const double *scores, double *values,
                                   mxb_error *error) {
    struct own_loss *own = context;
    mxb_status status;
    int bad = mischief_now(&own->value_mischief, own->n_values++, &status, error);
    for (size_t i = 0; i < n; i++) {
        double residual = scores[i] - labels[i];
        double wrong_side = labels[i] > 0.5 ? -scores[i] : scores[i];
        values[i] = own->two_classes ? mxb__log1p(mxb__exp(-fabs(scores[i]))) + (wrong_side > 0.0 ? wrong_side : 0.0)
                                     : residual * residual;
    }
    if (bad) {
        values[own->value_mischief.row] = own->value_mischief.number;
    }
    return status;
}

static inline mxb_status own_derivatives(void *context, size_t n, const double *labels, const double *scores,
                                         double *first, double *second, mxb_error *error) {
    struct own_loss *own = context;
    mxb_status status;
    int bad = mischief_now(&own->derivatives_mischief, own->n_derivatives++, &status, error);
    for (size_t i = 0; i < n; i++) {
        double e = mxb__exp(-fabs(scores[i]));
        double likely = 1.0 / (1.0 + e);
        double unlikely = e * likely;
        double p_of_1 = scores[i] >= 0.0 ? likely : unlikely;
        double p_of_0 = scores[i] >= 0.0 ? unlikely : likely;
        first[i] = !own->two_classes ? scores[i] - labels[i] : labels[i] > 0.5 ? -p_of_0 : p_of_1;
        second[i] = !own->two_classes ? 1.0 : fmax(fabs(first[i]) * (1.0 - fabs(first[i])), 1e-16);
    }
    if (bad) { /* rows from 1000 on mean the second derivative */
        size_t row = own->derivatives_mischief.row;
        *(row < 1000 ? &first[row] : &second[row - 1000]) = own->derivatives_mischief.number;
    }
    return status;
}

static inline mxb_status own_start(void *context, size_t n, const double *labels, const double *weights, double *start,
                                   mxb_error *error) {
    struct own_loss *own = context;
    mxb_status status;
    int bad = mischief_now(&own->start_mischief, own->n_starts++, &status, error);
    double sum = 0.0, mean = 0.0, rest = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += weights == NULL ? 1.0 : weights[i];
    }
    for (size_t i = 0; i < n; i++) {
        double share = (weights == NULL ? 1.0 : weights[i]) / sum;
        mean += share * labels[i];
        rest += share * (1.0 - labels[i]);
    }
    *start = bad ? own->start_mischief.number : own->two_classes ? mxb__log(mean) - mxb__log(rest) : mean;
    return status;
}

/* The root mean squared error, over rows in blocks of 4,096 as the library sums them. */
static inline mxb_status own_metric(void *context, size_t n, const double *labels, const double *weights,
                                    const double *scores, double *metric, mxb_error *error) {
    struct own_loss *own = context;
    mxb_status status;
    int bad = mischief_now(&own->metric_mischief, own->n_metrics++, &status, error);
    double total = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        total += weights == NULL ? 1.0 : weights[i];
    }
    for (size_t first = 0; first < n; first += 4096) {
        double lane[8] = {0};
        for (size_t i = first; i < n && i < first + 4096; i++) {
            double residual = scores[i] - labels[i];
            lane[i % 8] += (weights == NULL ? 1.0 : weights[i]) / total * (residual * residual);
        }
        sum += ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    }
    *metric = bad ? own->metric_mischief.number : sqrt(sum);
    return status;
}

/* The more likely label, or twice the score. */
static inline double own_link(void *context, double score) {
    const struct own_loss *own = context;
    return score > 1e6 ? own->bad_link : own->two_classes ? (score > 0) : 2.0 * score;
}

/* As the built-in loss in everything; `with_link` adds a link. Sets it in params; 0 on failure. */
static inline int own_loss_set(mxb_params *params, struct own_loss *own, const char *name, int with_link) {
    mxb_loss *loss = NULL;
    if (mxb_loss_create(name, own_value, own_derivatives, own, &loss, NULL) != MXB_OK) {
        return 0;
    }
    mxb_loss_set_start(loss, own_start);
    if (!own->two_classes) {
        mxb_loss_set_metric(loss, "my rmse", own_metric);
    }
    mxb_loss_set_link(loss, with_link ? own_link : NULL);
    mxb_status status = mxb_params_set_loss(params, loss, NULL);
    mxb_loss_free(loss); /* params has a copy */
    return status == MXB_OK;
}

#endif
