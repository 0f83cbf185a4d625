/* Step 10 of the data's path: all rows of a dataset to predictions, or what one round adds to their scores. Knows
 * nothing of training.
 *
 * A row's score is the same sum in the same order in every batch, block and thread: that of mxb__block_predict, and to
 * it added the mean over the members of the sum, from 0 in order, of rate times the value of each term of a caller's
 * learner. Callers' functions run on the calling thread only, for all rows at once: learners after the blocks, and then
 * the link. */
#include "base/memory.h"
#include "base/parallel.h"
#include "data/dataset.h"
#include "data/text_coding.h"
#include "model/link.h"
#include "model/row_pass.h"

/* ---- one round ---- */

/* The context is the scores that are added to. */
static void add_term_block(const struct row_pass *pass, const struct row_block *block, size_t first) {
    double *scores = (double *)pass->context + first;
    if (mxb__term_is_tree(pass->term)) {
        mxb__block_add_tree(block, pass->term, scores);
        mxb__scores_add_constant(scores, block->n, 0);
        return;
    }
    const struct fourier *fourier = &pass->term->fourier;
    const struct projection *projection = &pass->model->projections[fourier->projection];
    mxb__block_project(block, projection, block->z);
    block->kernels->dot(block->z, block->n, projection->n_components, fourier->weights, block->dots);
    mxb__scores_add(scores, block->n, block->dots, fourier->intercept);
}

static mxb_status add_own_values(const struct own_term *own, const struct mxb_dataset *dataset, double *scores,
                                 mxb_error *error) {
    double *values;
    MXB_TRY(mxb__alloc(&values, dataset->n_rows, sizeof *values, "a learner's values", error));
    mxb_status status = mxb__own_term_add_values(own, dataset, values, scores, error);
    mxb__free(values);
    return status;
}

mxb_status mxb__model_add_term_values(const mxb_model *model, const struct term *term,
                                      const struct mxb_dataset *dataset, struct pool *pool, double *scores,
                                      mxb_error *error) {
    if (term->kind == TERM_OWN) {
        return add_own_values(&term->own, dataset, scores, error);
    }
    struct row_pass pass = {
        .model = model, .dataset = dataset, .term = term, .work = add_term_block, .context = scores};
    return mxb__pass_run(&pass, pool, error);
}

/* ---- all rounds ---- */

struct prediction {
    enum mxb_output output; /* of a block */
    double *out;
};

static void predict_block(const struct row_pass *pass, const struct row_block *block, size_t first) {
    const struct prediction *prediction = pass->context;
    double *out = prediction->out + first;
    mxb__block_predict(block, pass->model, out);
    mxb__link_apply(pass->model, prediction->output, block->n, out);
}

/* Adds the terms of callers' learners. */
static mxb_status add_own_terms(const mxb_model *model, const mxb_dataset *dataset, double *scores, mxb_error *error) {
    double *sums;
    mxb_status status = MXB_OK;
    MXB_TRY(mxb__alloc_zeroed(&sums, dataset->n_rows, sizeof *sums, "learners' values", error));
    for (uint32_t i = 0; i < model->n_terms && status == MXB_OK; i++) {
        if (model->terms[i].kind == TERM_OWN) {
            status = add_own_values(&model->terms[i].own, dataset, sums, error);
        }
    }
    if (status == MXB_OK) {
        mxb__scores_add_own(model, scores, dataset->n_rows, sums);
    }
    mxb__free(sums);
    return status;
}

static mxb_status predict_rows(const mxb_model *model, const mxb_dataset *dataset, mxb_output output, int n_threads,
                               double *out, mxb_error *error) {
    int has_callbacks = model->n_own_terms > 0 || mxb__link_is_own(model, output);
    struct prediction prediction = {has_callbacks ? MXB_PREDICT_RAW : output, out};
    struct row_pass pass = {.model = model, .dataset = dataset, .work = predict_block, .context = &prediction};
    struct pool *pool = mxb__pool_open(mxb__pass_n_threads(&pass, n_threads));
    mxb_status status = mxb__pass_run(&pass, pool, error);
    mxb__pool_close(pool);
    if (status == MXB_OK && model->n_own_terms > 0) {
        status = add_own_terms(model, dataset, out, error);
    }
    if (status != MXB_OK || !has_callbacks) {
        return status;
    }
    if (mxb__link_is_own(model, output)) {
        return mxb__link_apply_own(model, dataset, dataset->n_rows, out, error);
    }
    mxb__link_apply(model, output, dataset->n_rows, out);
    return MXB_OK;
}

static mxb_status check_arguments(const mxb_model *model, const mxb_dataset *dataset, mxb_output output, int n_threads,
                                  const double *out, mxb_error *error) {
    if (model == NULL || dataset == NULL || out == NULL) {
        const char *missing = model == NULL ? "model" : dataset == NULL ? "dataset" : "out";
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", missing);
    }
    MXB_TRY(mxb__link_check(model, output, error));
    return mxb__pass_check(model, dataset, n_threads, error);
}

mxb_status mxb_model_predict(const mxb_model *model, const mxb_dataset *dataset, mxb_output output, int n_threads,
                             double *out, mxb_error *error) {
    mxb_dataset *coded; /* the dataset with its texts as the model has them */
    MXB_TRY(check_arguments(model, dataset, output, n_threads, out, error));
    MXB_TRY(mxb__texts_apply(dataset, model->dictionaries, "the model", &coded, error));
    mxb_status status = predict_rows(model, coded != NULL ? coded : dataset, output, n_threads, out, error);
    mxb_dataset_free(coded);
    return status;
}
