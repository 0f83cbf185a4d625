/* What one round offers a learner, made for a test: prepared data, gradients and a workspace. */
#ifndef MAKE_FIT_H
#define MAKE_FIT_H

#include "base/parallel.h"
#include "learner/learner.h"
#include "unit/boost/make_data.h"

struct fit_case {
    struct made_data data; /* cleared with the case */
    mxb_prepared *prepared;
    struct pool *pool;
    struct learner_options options;
    struct fit_input input;
    mxb_model *model;
    double *g;
    double *h;
    uint32_t round;  /* of the last term; 1 before it */
    double *step;    /* its values */
    char *workspace; /* made by the first fit */
};

static inline struct learner_options fit_options(void) {
    struct learner_options options = {.seed = 1,
                                      .learning_rate = 1,
                                      .subsample = 1.0,
                                      .colsample = 1.0,
                                      .lambda_l2 = 1.0,
                                      .min_child_weight = 0.0,
                                      .max_max_depth = 6,
                                      .max_wide_rows = 1 << 16,
                                      .alpha = 1.0,
                                      .fit_intercept = 1,
                                      .gamma = 0.1,
                                      .n_components = 16,
                                      .n_projections = 1,
                                      .fourier_bytes = (size_t)512 << 20,
                                      .tree_n_threads = 1,
                                      .ridge_n_threads = 1,
                                      .kernel_n_threads = 1};
    return options;
}

/* Sums and maxima of g and h, as the loss would tell them. */
static inline void fit_measure(struct fit_case *fit) {
    struct fit_input *input = &fit->input;
    input->sum_abs_g = input->sum_h = input->max_abs_g = input->max_h = 0.0;
    for (size_t i = 0; i < fit->prepared->n_rows; i++) {
        input->sum_abs_g += fabs(fit->g[i]);
        input->sum_h += fit->h[i];
        input->max_abs_g = fmax(input->max_abs_g, fabs(fit->g[i]));
        input->max_h = fmax(input->max_h, fit->h[i]);
    }
}

/* Gradients of the squared loss at score 0, weights multiplied in. */
static inline void fit_gradients(struct fit_case *fit) {
    const struct labels *labels = &fit->prepared->labels;
    for (size_t i = 0; i < fit->prepared->n_rows; i++) {
        fit->h[i] = labels->weights == NULL ? 1.0 : labels->weights[i];
        fit->g[i] = -fit->h[i] * labels->values[i];
    }
    fit_measure(fit);
}

/* Takes over `data`. `hist_nbins` 0: for exact trees. 0 on failure. */
static inline int fit_open(struct fit_case *fit, struct made_data data, struct learner_options options,
                           uint32_t hist_nbins, enum scaling_kind scaling) {
    struct prepare_settings settings = {.hist_nbins = hist_nbins, .scaling = scaling, .exact = hist_nbins == 0};
    *fit = (struct fit_case){.data = data, .options = options, .round = 1};
    fit->pool = mxb__pool_open(options.tree_n_threads);
    if (data.dataset == NULL ||
        mxb__prepared_create(data.dataset, &settings, fit->pool, &fit->prepared, NULL) != MXB_OK ||
        mxb__model_create(&fit->model, NULL) != MXB_OK ||
        mxb__scaling_copy(&fit->model->scaling, &fit->prepared->scaling, NULL) != MXB_OK) {
        return 0;
    }
    size_t n = fit->prepared->n_rows;
    fit->model->n_features = fit->prepared->n_features;
    fit->g = calloc(n, sizeof *fit->g);
    fit->h = calloc(n, sizeof *fit->h);
    fit->step = calloc(n, sizeof *fit->step);
    fit->input = (struct fit_input){.prepared = fit->prepared,
                                    .kernels = mxb__training_kernels(),
                                    .tree_pool = fit->pool,
                                    .ridge_pool = fit->pool,
                                    .kernel_pool = fit->pool,
                                    .g = fit->g,
                                    .h = fit->h,
                                    .model = fit->model};
    fit_gradients(fit);
    return 1;
}

static inline mxb_status fit_draw(struct fit_case *fit, const struct learner_ops *learner, struct draw draw,
                                  struct term *term) {
    fit->round = draw.round;
    fit->input.options = &fit->options; /* the case may have been copied since it was opened */
    if (fit->workspace == NULL) {
        size_t n_bytes = learner->workspace_bytes(&fit->input);
        if (mxb__alloc(&fit->workspace, n_bytes, 1, "a test", NULL) != MXB_OK) {
            return MXB_ERROR_MEMORY;
        }
        memset(fit->workspace, 0x5a, n_bytes); /* nothing but the head may be taken to be zero */
        memset(fit->workspace, 0, 64);
    }
    mxb_status status = learner->fit(&fit->input, &draw, fit->workspace, term, NULL);
    if (status == MXB_OK) {
        memset(fit->step, 0, fit->prepared->n_rows * sizeof *fit->step);
        learner->add(&fit->input, fit->workspace, fit->step);
    }
    return status;
}

static inline mxb_status fit_run(struct fit_case *fit, const struct learner_ops *learner, uint32_t round,
                                 uint32_t max_depth, struct term *term) {
    struct draw draw = {.round = round, .max_depth = max_depth};
    return fit_draw(fit, learner, draw, term);
}

static inline void fit_close(struct fit_case *fit) {
    mxb__pool_close(fit->pool);
    mxb_prepared_free(fit->prepared);
    mxb_model_free(fit->model);
    mxb__free(fit->workspace);
    free(fit->g);
    free(fit->h);
    free(fit->step);
    data_clear(&fit->data);
}

/* A copy of the first rounds of a model of one member. */
static inline int fit_copy_rounds(const mxb_model *model, uint32_t n_rounds, mxb_model **copy) {
    return mxb__model_copy_empty(model, copy, NULL) == MXB_OK &&
           mxb__members_join(*copy, &model, n_rounds, NULL) == MXB_OK;
}

#endif
