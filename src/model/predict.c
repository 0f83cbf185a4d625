/* Step 10 of the data's path: raw columns to scores to predictions, a block of rows at a time. Knows nothing of
 * training.
 *
 * A row's score is the same sum in the same order in every batch, block and thread:
 *     (((base_score + its leaf of each tree, in round order) + z . collapsed weights of each used projection, in order)
 *     + collapsed intercept) + rate times the value of each round of a caller's learner, in round order
 * with z and the dot product as the kernels define them. Callers' functions run on the calling thread only, for all
 * rows at once: learners after the blocks, and then the link. */
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/processors.h"
#include "data/dataset.h"
#include "data/text_coding.h"
#include "kernels/kernels.h"
#include "model/model.h"

/* Rows of a block: enough to amortise a call per column and a walk through the trees; fewer where rows are so wide that
 * a block would leave the caches. The rows of a block never meet, so this changes no result. */
enum { MAX_BLOCK_ROWS = 256, MAX_BLOCK_VALUES = 1 << 19 };

/* Each thread has buffers of its own, so a wish for a million threads must not become a wish for their memory. */
enum { MAX_THREADS = 1024 };

/* What is to be added up, for which features, and where to. */
struct prediction {
    const mxb_model *model;
    const mxb_dataset *dataset;
    const struct term *term; /* this one alone, added to `scores`; NULL: the whole model */
    enum mxb_output output;  /* of the whole model */
    double *scores;          /* [n_rows] */

    const struct kernels *kernels;
    uint32_t *features; /* [n_used] the features to read, ascending */
    size_t n_used;
    int projects; /* 1 if any fourier term counts */
    size_t block_rows;
    struct block_buffers *buffers; /* [thread] */
    char *memory;                  /* what the buffers are carved from */
};

struct block_buffers {
    double *column; /* [block_rows] one feature */
    double *rows;   /* [block_rows][n_features] features to read filled in */
    float *inputs;  /* [block_rows][n_features] scaled */
    float *z;       /* [block_rows][n_components] */
    double *dots;   /* [block_rows] */
};

/* ---- Making ready ---- */

static mxb_status list_features(struct prediction *job, mxb_error *error) {
    const mxb_model *model = job->model;
    unsigned char *used;
    MXB_TRY(mxb__alloc(&job->features, model->n_features, sizeof *job->features, "the features to read", error));
    MXB_TRY(mxb__alloc_zeroed(&used, model->n_features, sizeof *used, "the features to read", error));
    if (job->term != NULL && job->term->kind == TERM_TREE) {
        for (uint32_t i = 0; i < job->term->tree.n_nodes; i++) {
            const struct tree_node *node = &job->term->tree.nodes[i];
            if (node->split != SPLIT_NONE) {
                used[node->feature] = 1;
            }
        }
    }
    for (uint32_t f = 0; f < model->n_features; f++) {
        int in_trees = job->term != NULL ? used[f] : model->feature_splits[f] > 0;
        if (job->projects || in_trees) {
            job->features[job->n_used++] = f;
        }
    }
    mxb__free(used);
    return MXB_OK;
}

/* The projections that count, as the widest of them; 0 without any. */
static uint32_t count_components(const struct prediction *job) {
    const mxb_model *model = job->model;
    uint32_t widest = 0;
    if (job->term != NULL) {
        return job->term->kind == TERM_FOURIER ? model->projections[job->term->fourier.projection].n_components : 0;
    }
    for (uint32_t p = 0; p < model->n_projections; p++) {
        if (model->collapsed_weights[p] != NULL && model->projections[p].n_components > widest) {
            widest = model->projections[p].n_components;
        }
    }
    return widest;
}

static void carve_buffers(struct workspace *workspace, const struct prediction *job, size_t n_components,
                          struct block_buffers *buffers) {
    size_t n = job->block_rows;
    buffers->column = mxb__carve(workspace, n, sizeof *buffers->column);
    buffers->rows = mxb__carve(workspace, n * job->model->n_features, sizeof *buffers->rows);
    buffers->inputs = mxb__carve(workspace, job->projects ? n * job->model->n_features : 0, sizeof *buffers->inputs);
    buffers->z = mxb__carve(workspace, n * n_components, sizeof *buffers->z);
    buffers->dots = mxb__carve(workspace, n, sizeof *buffers->dots);
}

static size_t choose_block_rows(const struct prediction *job, size_t n_components) {
    size_t n_features = job->model->n_features, n_rows = job->dataset->n_rows;
    size_t fitting = MAX_BLOCK_VALUES / (n_features > n_components ? n_features : n_components);
    size_t most = n_rows < MAX_BLOCK_ROWS ? n_rows : MAX_BLOCK_ROWS;
    return fitting == 0 ? 1 : fitting < most ? fitting : most;
}

static void job_clear(struct prediction *job) {
    mxb__free(job->features);
    mxb__free(job->buffers);
    mxb__free(job->memory);
}

/* Fills in what the caller has not; `n_threads` buffers, so that the workers need no memory. */
static mxb_status job_prepare(struct prediction *job, size_t n_threads, mxb_error *error) {
    size_t n_components = count_components(job);
    struct workspace workspace = {.base = NULL, .used = 0};
    struct block_buffers measured;
    job->kernels = mxb__kernels();
    job->projects = n_components > 0;
    job->block_rows = choose_block_rows(job, n_components);
    MXB_TRY(list_features(job, error));
    MXB_TRY(mxb__alloc(&job->buffers, n_threads, sizeof *job->buffers, "prediction", error));
    carve_buffers(&workspace, job, n_components, &measured);
    MXB_TRY(mxb__alloc(&job->memory, n_threads, workspace.used, "prediction", error));
    workspace = (struct workspace){.base = job->memory, .used = 0};
    for (size_t t = 0; t < n_threads; t++) {
        carve_buffers(&workspace, job, n_components, &job->buffers[t]);
    }
    return MXB_OK;
}

/* ---- A block ---- */

static void read_rows(const struct prediction *job, size_t first, size_t n, const struct block_buffers *buffers) {
    size_t n_features = job->model->n_features;
    for (size_t k = 0; k < job->n_used; k++) {
        size_t f = job->features[k];
        mxb__column_read(job->dataset, &job->dataset->columns[f], first, n, buffers->column);
        for (size_t i = 0; i < n; i++) {
            buffers->rows[i * n_features + f] = buffers->column[i];
        }
    }
}

static void scale_rows(const struct prediction *job, size_t n, const struct block_buffers *buffers) {
    const struct scaling *scaling = &job->model->scaling;
    size_t n_features = job->model->n_features;
    for (size_t i = 0; i < n; i++) {
        const double *row = buffers->rows + i * n_features;
        float *inputs = buffers->inputs + i * n_features;
        for (size_t f = 0; f < n_features; f++) {
            inputs[f] = mxb__scale_value(scaling->kind, &scaling->features[f], row[f]);
        }
    }
}

static void add_tree(const struct tree *tree, size_t n_features, size_t n, const struct block_buffers *buffers,
                     double *scores) {
    for (size_t i = 0; i < n; i++) {
        scores[i] += tree->nodes[mxb__tree_leaf(tree, buffers->rows + i * n_features)].value;
    }
}

/* Adds z . weights + constant, summed before it meets the score. */
static void add_projection(const struct prediction *job, uint32_t index, const double *weights, double constant,
                           size_t n, const struct block_buffers *buffers, double *scores) {
    const struct projection *projection = &job->model->projections[index];
    job->kernels->project(buffers->inputs, n, projection->weights, projection->phases, projection->n_features,
                          projection->n_components, mxb__projection_amplitude(projection->n_components), buffers->z);
    job->kernels->dot(buffers->z, n, projection->n_components, weights, buffers->dots);
    for (size_t i = 0; i < n; i++) {
        scores[i] = mxb__bounded(scores[i] + (buffers->dots[i] + constant));
    }
}

static void add_constant(double constant, size_t n, double *scores) {
    for (size_t i = 0; i < n; i++) {
        scores[i] = mxb__bounded(scores[i] + constant);
    }
}

static double apply_link(const mxb_model *model, enum mxb_output output, double score) {
    if (output == MXB_PREDICT_RAW || model->loss != MODEL_LOGLOSS) {
        return score;
    }
    if (output == MXB_PREDICT_VALUE) {
        return model->labels[score > 0];
    }
    double e = mxb__exp(-fabs(score)); /* at most 1, so nothing overflows */
    return score >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static void predict_block(const struct prediction *job, size_t n, const struct block_buffers *buffers, double *scores) {
    const mxb_model *model = job->model;
    for (size_t i = 0; i < n; i++) {
        scores[i] = model->base_score;
    }
    for (uint32_t r = 0; r < model->n_rounds; r++) {
        if (model->terms[r].kind == TERM_TREE) {
            add_tree(&model->terms[r].tree, model->n_features, n, buffers, scores);
        }
    }
    for (uint32_t p = 0; p < model->n_projections; p++) {
        if (model->collapsed_weights[p] != NULL) {
            add_projection(job, p, model->collapsed_weights[p], 0, n, buffers, scores);
        }
    }
    add_constant(model->collapsed_intercept, n, scores);
    for (size_t i = 0; i < n; i++) {
        scores[i] = apply_link(model, job->output, scores[i]);
    }
}

static void run_block(void *context, size_t index, size_t thread) {
    const struct prediction *job = context;
    const struct block_buffers *buffers = &job->buffers[thread];
    size_t first = index * job->block_rows;
    size_t n = mxb__block_length(job->dataset->n_rows, job->block_rows, index);
    double *scores = job->scores + first;
    read_rows(job, first, n, buffers);
    if (job->projects) {
        scale_rows(job, n, buffers);
    }
    if (job->term == NULL) {
        predict_block(job, n, buffers, scores);
    } else if (job->term->kind == TERM_TREE) {
        add_tree(&job->term->tree, job->model->n_features, n, buffers, scores);
        add_constant(0, n, scores);
    } else {
        const struct fourier *fourier = &job->term->fourier;
        add_projection(job, fourier->projection, fourier->weights, fourier->intercept, n, buffers, scores);
    }
}

/* ---- Calls ---- */

/* A guess at the work of a row: a read a feature, some steps a tree, a cosine and its sums a component. */
static double row_nanoseconds(const struct prediction *job) {
    double n_terms = job->term == NULL ? (double)job->model->n_rounds : 1;
    double per_projection = (double)count_components(job) * (8 + 0.5 * (double)job->model->n_features);
    return 10 + 3 * (double)job->n_used + 20 * n_terms + per_projection;
}

static void job_run(struct prediction *job, struct pool *pool) {
    size_t n_rows = job->dataset->n_rows;
    mxb__pool_run(pool, mxb__n_blocks(n_rows, job->block_rows), (double)n_rows * row_nanoseconds(job), run_block, job);
}

static mxb_status add_own_round(const struct own_term *own, const struct mxb_dataset *dataset, double *scores,
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
    struct prediction job = {.model = model, .dataset = dataset, .term = term, .scores = scores};
    if (term->kind == TERM_OWN) {
        return add_own_round(&term->own, dataset, scores, error);
    }
    mxb_status status = job_prepare(&job, mxb__pool_n_threads(pool), error);
    if (status == MXB_OK) {
        job_run(&job, pool);
    }
    job_clear(&job);
    return status;
}

static int needs_link(const mxb_model *model, enum mxb_output output) {
    return model->loss == MODEL_OWN_LOSS && model->has_link && output == MXB_PREDICT_VALUE;
}

static mxb_status check_arguments(const mxb_model *model, const mxb_dataset *dataset, mxb_output output, int n_threads,
                                  const double *out, mxb_error *error) {
    if (model == NULL || dataset == NULL || out == NULL) {
        const char *missing = model == NULL ? "model" : dataset == NULL ? "dataset" : "out";
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", missing);
    }
    if ((int)output < MXB_PREDICT_VALUE || (int)output > MXB_PREDICT_RAW) {
        return mxb__fail(error, MXB_ERROR_PARAM, "output is %d; it must be 0, 1 or 2 (value, probability or raw)",
                         (int)output);
    }
    if (output == MXB_PREDICT_PROBABILITY && model->loss != MODEL_LOGLOSS) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "probabilities need a model of objective logloss; this one is of objective %s",
                         model->loss == MODEL_MSE ? "mse" : model->own_loss.name);
    }
    if (needs_link(model, output) && model->own_loss.link == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "predictions of the loss \"%s\" go through its link, which is not here; load the model by "
                         "mxb_model_load_with and params with that loss, or ask for raw predictions",
                         model->own_loss.name);
    }
    if (n_threads < 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_threads is %d; it must be 0 (all processors) or more", n_threads);
    }
    return mxb__dataset_check_features(dataset, model->feature_names, model->n_features, "the model", error);
}

static mxb_status apply_own_link(const mxb_model *model, const mxb_dataset *dataset, double *scores, mxb_error *error) {
    const mxb_loss *loss = &model->own_loss;
    for (size_t i = 0; i < dataset->n_rows; i++) {
        scores[i] = loss->link(loss->context, scores[i]);
        if (!isfinite(scores[i])) {
            char number[MXB__NUMBER_SIZE];
            mxb__number_format(scores[i], number);
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the link of the loss \"%s\" gave %s for row %zu of the dataset; it must be finite",
                             loss->name, number, (size_t)mxb__dataset_array_row(dataset, i) + 1);
        }
    }
    return MXB_OK;
}

/* What callers' functions do after the blocks have made raw scores. */
static mxb_status finish_with_callbacks(const mxb_model *model, const mxb_dataset *dataset, enum mxb_output output,
                                        double *scores, mxb_error *error) {
    for (uint32_t r = 0; r < model->n_rounds; r++) {
        if (model->terms[r].kind == TERM_OWN) {
            MXB_TRY(add_own_round(&model->terms[r].own, dataset, scores, error));
        }
    }
    if (needs_link(model, output)) {
        return apply_own_link(model, dataset, scores, error);
    }
    for (size_t i = 0; i < dataset->n_rows; i++) {
        scores[i] = apply_link(model, output, scores[i]);
    }
    return MXB_OK;
}

mxb_status mxb_model_predict(const mxb_model *model, const mxb_dataset *dataset, mxb_output output, int n_threads,
                             double *out, mxb_error *error) {
    mxb_dataset *coded; /* the dataset with its texts as the model has them */
    MXB_TRY(check_arguments(model, dataset, output, n_threads, out, error));
    MXB_TRY(mxb__texts_apply(dataset, model->dictionaries, "the model", &coded, error));
    dataset = coded != NULL ? coded : dataset;
    int has_callbacks = model->n_own_rounds > 0 || needs_link(model, output);
    struct prediction job = {
        .model = model, .dataset = dataset, .output = has_callbacks ? MXB_PREDICT_RAW : output, .scores = out};
    size_t n_blocks = mxb__n_blocks(dataset->n_rows, choose_block_rows(&job, count_components(&job)));
    size_t n_useful = n_blocks < MAX_THREADS ? n_blocks : MAX_THREADS;
    /* Counting processors reads files: not for a block that one thread predicts. */
    size_t n_wanted = n_threads > 0 ? (size_t)n_threads : n_useful > 1 ? mxb__n_processors() : 1;
    struct pool *pool = mxb__pool_open(n_wanted < n_useful ? n_wanted : n_useful);
    mxb_status status = job_prepare(&job, mxb__pool_n_threads(pool), error);
    if (status == MXB_OK) {
        job_run(&job, pool);
    }
    job_clear(&job);
    mxb__pool_close(pool);
    if (status == MXB_OK && has_callbacks) {
        status = finish_with_callbacks(model, dataset, output, out, error);
    }
    mxb_dataset_free(coded);
    return status;
}
