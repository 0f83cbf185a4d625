/* Step 10 of the data's path: all rows of a dataset to predictions, or what one round adds to their scores. Knows
 * nothing of training.
 *
 * A row's score is the same sum in the same order in every batch, block and thread: that of scoring.h, and to it
 * added the mean over the members of the sum, from 0 in order, of rate times the value of each term of a caller's
 * learner. Callers' functions run on the calling thread only, for all rows at once: learners after the blocks, and then
 * the link. */
#include "base/memory.h"
#include "base/parallel.h"
#include "data/dataset.h"
#include "data/text_coding.h"
#include "model/link.h"
#include "model/row_pass.h"
#include "model/scoring.h"

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

/* Rows of a block: enough to amortise what a block costs for every feature and tree, and few enough that its codes and
 * inputs stay in the caches. The rows of a block never meet, so this changes no result. */
enum { MAX_BLOCK_ROWS = 512, MAX_BLOCK_BYTES = 1 << 19 };

struct prediction {
    const mxb_model *model;
    const mxb_dataset *dataset; /* already checked against the model */
    enum mxb_output output;     /* of a block */
    double *out;
    size_t block_rows;
    struct scoring *rooms; /* [thread] */
};

static void read_column(const void *source, size_t feature, size_t first, size_t n, double *values) {
    const mxb_dataset *dataset = source;
    mxb__column_read(dataset, &dataset->columns[feature], first, n, values);
}

static void predict_block(void *context, size_t index, size_t thread) {
    const struct prediction *prediction = context;
    size_t first = index * prediction->block_rows;
    size_t n = mxb__block_length(prediction->dataset->n_rows, prediction->block_rows, index);
    double *out = prediction->out + first;
    mxb__score_block(&prediction->rooms[thread], read_column, prediction->dataset, first, n, out);
    mxb__link_apply(prediction->model, prediction->output, n, out);
}

/* Few enough for all threads to have work, but whole tiles of codes, and at least one however wide rows are. */
static size_t choose_block_rows(const mxb_model *model, size_t n_rows, size_t n_threads) {
    size_t row_bytes = model->forest->n_columns + (model->waves->n_inputs + (size_t)2) * sizeof(float);
    size_t fitting = MAX_BLOCK_BYTES / row_bytes + 1, share = n_rows / n_threads + 1;
    size_t most = fitting < share ? fitting : share;
    size_t rows = (most + MXB__CODE_ROWS - 1) / MXB__CODE_ROWS * MXB__CODE_ROWS;
    return rows < MAX_BLOCK_ROWS ? rows : MAX_BLOCK_ROWS;
}

/* A guess at the work of a row: a code a feature, a tree's tests, a cosine and its sums a component. */
static double row_nanoseconds(const mxb_model *model) {
    double n_projections = 0;
    for (uint32_t p = 0; p < model->n_projections; p++) {
        n_projections += model->collapsed_weights[p] != NULL;
    }
    double n_features = (double)model->n_features, n_components = (double)model->n_components;
    return 10 + 3 * (double)model->forest->n_features + (double)model->forest->n_trees +
           n_projections * (n_features * 3 + n_components * (1 + 0.1 * n_features));
}

/* Room for each thread, so that the workers need no memory; `memory` is what it is carved from. */
static mxb_status make_rooms(struct prediction *prediction, size_t n_threads, char **memory, mxb_error *error) {
    struct workspace workspace = {.base = NULL, .used = 0};
    struct scoring measured;
    MXB_TRY(mxb__alloc(&prediction->rooms, n_threads, sizeof *prediction->rooms, "prediction", error));
    size_t n_rows =
        prediction->block_rows < prediction->dataset->n_rows ? prediction->block_rows : prediction->dataset->n_rows;
    mxb__scoring_carve(&measured, prediction->model, n_rows, &workspace);
    MXB_TRY(mxb__alloc(memory, n_threads, workspace.used, "prediction", error));
    workspace = (struct workspace){.base = *memory, .used = 0};
    for (size_t t = 0; t < n_threads; t++) {
        mxb__scoring_carve(&prediction->rooms[t], prediction->model, n_rows, &workspace);
    }
    return MXB_OK;
}

static mxb_status predict_many(struct prediction *prediction, int n_threads, mxb_error *error) {
    size_t n_rows = prediction->dataset->n_rows;
    struct pool *pool = mxb__pool_open(mxb__pass_n_threads(n_rows, MXB__CODE_ROWS, n_threads));
    char *memory = NULL;
    prediction->block_rows = choose_block_rows(prediction->model, n_rows, mxb__pool_n_threads(pool));
    mxb_status status = make_rooms(prediction, mxb__pool_n_threads(pool), &memory, error);
    if (status == MXB_OK) {
        mxb__pool_run(pool, mxb__n_blocks(n_rows, prediction->block_rows),
                      (double)n_rows * row_nanoseconds(prediction->model), predict_block, prediction);
    }
    mxb__pool_close(pool);
    mxb__free(prediction->rooms);
    mxb__free(memory);
    return status;
}

/* A few rows one by one; only features that count are read. */
static mxb_status predict_few(const struct prediction *prediction, mxb_error *error) {
    const mxb_model *model = prediction->model;
    const mxb_dataset *dataset = prediction->dataset;
    size_t n = dataset->n_rows, n_features = model->n_features;
    struct workspace workspace = {.base = NULL, .used = 0};
    struct scoring scoring;
    double *rows, column[MXB__FEW_ROWS] = {0};
    char *memory = NULL;
    mxb__scoring_carve_few(&scoring, model, n, &workspace);
    MXB_TRY(mxb__alloc(&rows, n, n_features * sizeof *rows, "prediction", error));
    mxb_status status = mxb__alloc(&memory, workspace.used, 1, "prediction", error);
    if (status == MXB_OK) {
        workspace = (struct workspace){.base = memory, .used = 0};
        mxb__scoring_carve_few(&scoring, model, n, &workspace);
        for (uint32_t f = 0; f < n_features; f++) {
            if (mxb__scoring_reads(model, f)) {
                read_column(dataset, f, 0, n, column);
            }
            for (size_t i = 0; i < n; i++) {
                rows[i * n_features + f] = column[i];
            }
        }
        mxb__score_few(&scoring, rows, n, prediction->out);
        mxb__link_apply(model, prediction->output, n, prediction->out);
    }
    mxb__free(rows);
    mxb__free(memory);
    return status;
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
    struct prediction prediction = {
        .model = model, .dataset = dataset, .output = has_callbacks ? MXB_PREDICT_RAW : output, .out = out};
    mxb_status status = dataset->n_rows <= MXB__FEW_ROWS ? predict_few(&prediction, error)
                                                         : predict_many(&prediction, n_threads, error);
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
