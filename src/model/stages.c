/* Step 10 of the data's path, round by round. The parts of scoring.h's sum are kept for every row, so that a
 * round costs what it adds, and each stage is bit for bit what a model of the rounds so far would predict. Knows
 * nothing of training. */
#include "model/stages.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "data/dataset.h"
#include "data/text_coding.h"
#include "model/link.h"
#include "model/row_pass.h"

enum { GATHER_ROWS = 4096 };

static const size_t CACHE_BYTES = (size_t)512 << 20;

/* A projection, once a round has used it. */
struct stage_projection {
    double *weights; /* [n_components] of its rounds so far; NULL: none has used it */
    double *dots;    /* [n_rows] z . weights */
    float *z;        /* [n_rows][n_components], or NULL: too many to keep */
};

struct mxb_stages {
    const mxb_model *model;
    const mxb_dataset *dataset;
    mxb_dataset *coded; /* owned: `dataset` is it where the model has texts; else NULL */
    size_t n_threads;
    size_t n_cache_bytes; /* that features may still take */

    int has_failed;
    uint32_t n_done;                      /* terms in the sums below, all members' of each round */
    double *tree_sums;                    /* [n_rows] what the sum begins with + leaves */
    uint32_t n_projections;               /* the model's, which may be freed before the stages are */
    struct stage_projection *projections; /* [n_projections] */
    double intercept;
    double *own_sums; /* [n_rows] of callers' learners; NULL: no such round yet */
};

/* ---- making and freeing ---- */

void mxb_stages_free(mxb_stages *stages) {
    if (stages == NULL) {
        return;
    }
    for (uint32_t p = 0; stages->projections != NULL && p < stages->n_projections; p++) {
        mxb__free(stages->projections[p].weights);
        mxb__free(stages->projections[p].dots);
        mxb__free(stages->projections[p].z);
    }
    mxb__free(stages->projections);
    mxb__free(stages->tree_sums);
    mxb__free(stages->own_sums);
    mxb_dataset_free(stages->coded);
    mxb__free(stages);
}

static mxb_status set_up(mxb_stages *stages, mxb_error *error) {
    const mxb_model *model = stages->model;
    size_t n_rows = stages->dataset->n_rows;
    MXB_TRY(mxb__texts_apply(stages->dataset, model->dictionaries, "the model", &stages->coded, error));
    stages->dataset = stages->coded != NULL ? stages->coded : stages->dataset;
    stages->n_projections = model->n_projections;
    MXB_TRY(
        mxb__alloc_zeroed(&stages->projections, stages->n_projections, sizeof *stages->projections, "stages", error));
    MXB_TRY(mxb__alloc(&stages->tree_sums, n_rows, sizeof *stages->tree_sums, "stages", error));
    for (size_t i = 0; i < n_rows; i++) {
        stages->tree_sums[i] = mxb__scores_begin(model);
    }
    return MXB_OK;
}

mxb_status mxb__stages_create(const mxb_model *model, const mxb_dataset *dataset, int n_threads, size_t cache_bytes,
                              mxb_stages **stages, mxb_error *error) {
    mxb_stages *made;
    MXB_TRY(mxb__pass_check(model, dataset, n_threads, error));
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "stages", error));
    made->model = model;
    made->dataset = dataset;
    made->n_threads = mxb__pass_n_threads(dataset->n_rows, MXB__PASS_ROWS, n_threads);
    made->n_cache_bytes = cache_bytes;
    mxb_status status = set_up(made, error);
    if (status != MXB_OK) {
        mxb_stages_free(made);
        return status;
    }
    *stages = made;
    return MXB_OK;
}

mxb_status mxb_stages_create(const mxb_model *model, const mxb_dataset *dataset, int n_threads, mxb_stages **stages,
                             mxb_error *error) {
    if (stages != NULL) {
        *stages = NULL;
    }
    if (stages == NULL || model == NULL || dataset == NULL) {
        const char *missing = stages == NULL ? "the place for the stages" : model == NULL ? "model" : "dataset";
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", missing);
    }
    return mxb__stages_create(model, dataset, n_threads, CACHE_BYTES, stages, error);
}

/* ---- a round more ---- */

static void add_tree_block(const struct row_pass *pass, const struct row_block *block, size_t first) {
    mxb_stages *stages = pass->context;
    mxb__block_add_tree(block, pass->term, stages->tree_sums + first);
}

static void project_block(const struct row_pass *pass, const struct row_block *block, size_t first) {
    mxb_stages *stages = pass->context;
    uint32_t p = pass->term->fourier.projection;
    const struct projection *projection = &pass->model->projections[p];
    const struct stage_projection *stage = &stages->projections[p];
    float *z = stage->z != NULL ? stage->z + first * projection->n_components : block->z;
    if (!pass->is_projected) {
        mxb__block_project(block, projection, z);
    }
    block->kernels->dot(z, block->n, projection->n_components, stage->weights, stage->dots + first);
}

static mxb_status begin_projection(mxb_stages *stages, struct stage_projection *stage, uint32_t n_components,
                                   mxb_error *error) {
    size_t n_rows = stages->dataset->n_rows;
    size_t n_bytes = n_rows * n_components * sizeof *stage->z;
    MXB_TRY(mxb__alloc_zeroed(&stage->weights, n_components, sizeof *stage->weights, "stages", error));
    MXB_TRY(mxb__alloc(&stage->dots, n_rows, sizeof *stage->dots, "stages", error));
    if (n_bytes <= stages->n_cache_bytes) {
        MXB_TRY(mxb__alloc(&stage->z, n_bytes, 1, "stages", error));
        stages->n_cache_bytes -= n_bytes;
    }
    return MXB_OK;
}

static mxb_status add_fourier(mxb_stages *stages, const struct term *term, struct pool *pool, mxb_error *error) {
    const struct fourier *fourier = &term->fourier;
    struct stage_projection *stage = &stages->projections[fourier->projection];
    uint32_t n_components = stages->model->projections[fourier->projection].n_components;
    struct row_pass pass = {.model = stages->model,
                            .dataset = stages->dataset,
                            .term = term,
                            .is_projected = stage->z != NULL,
                            .work = project_block,
                            .context = stages};
    if (stage->weights == NULL) {
        MXB_TRY(begin_projection(stages, stage, n_components, error));
    }
    mxb__fourier_collapse(stage->weights, fourier, n_components);
    stages->intercept = mxb__bounded(stages->intercept + fourier->intercept);
    return mxb__pass_run(&pass, pool, error);
}

static mxb_status add_term(mxb_stages *stages, const struct term *term, struct pool *pool, mxb_error *error) {
    size_t n_rows = stages->dataset->n_rows;
    if (term->kind == TERM_FOURIER) {
        return add_fourier(stages, term, pool, error);
    }
    if (mxb__term_is_tree(term)) {
        struct row_pass pass = {.model = stages->model,
                                .dataset = stages->dataset,
                                .term = term,
                                .work = add_tree_block,
                                .context = stages};
        return mxb__pass_run(&pass, pool, error);
    }
    if (stages->own_sums == NULL) {
        MXB_TRY(mxb__alloc_zeroed(&stages->own_sums, n_rows, sizeof *stages->own_sums, "stages", error));
    }
    return mxb__model_add_term_values(stages->model, term, stages->dataset, pool, stages->own_sums, error);
}

/* ---- the sum of the parts ---- */

struct gathering {
    const mxb_stages *stages;
    enum mxb_output output;
    double *out;
};

static void gather_block(void *context, size_t index, size_t thread) {
    const struct gathering *gathering = context;
    const mxb_stages *stages = gathering->stages;
    size_t first = index * GATHER_ROWS;
    size_t n = mxb__block_length(stages->dataset->n_rows, GATHER_ROWS, index);
    double *out = gathering->out + first;
    (void)thread;
    memcpy(out, stages->tree_sums + first, n * sizeof *out);
    for (uint32_t p = 0; p < stages->n_projections; p++) {
        if (stages->projections[p].weights != NULL) {
            mxb__scores_add(out, n, stages->projections[p].dots + first, 0);
        }
    }
    mxb__scores_add_constant(out, n, stages->intercept);
    mxb__scores_end(stages->model, out, n);
    if (stages->own_sums != NULL) {
        mxb__scores_add_own(stages->model, out, n, stages->own_sums + first);
    }
    mxb__link_apply(stages->model, gathering->output, n, out);
}

static mxb_status next_stage(mxb_stages *stages, enum mxb_output output, double *out, mxb_error *error) {
    size_t n_rows = stages->dataset->n_rows;
    struct gathering gathering = {stages, output, out};
    struct pool *pool = mxb__pool_open(stages->n_threads);
    mxb_status status = MXB_OK;
    for (uint32_t m = 0; m < stages->model->n_members && status == MXB_OK; m++) {
        status = add_term(stages, &stages->model->terms[stages->n_done++], pool, error);
    }
    if (status == MXB_OK) {
        mxb__pool_run(pool, mxb__n_blocks(n_rows, GATHER_ROWS), 5 * (double)n_rows, gather_block, &gathering);
    }
    mxb__pool_close(pool);
    if (status == MXB_OK && mxb__link_is_own(stages->model, output)) {
        status = mxb__link_apply_own(stages->model, stages->dataset, n_rows, out, error);
    }
    return status;
}

mxb_status mxb_stages_next(mxb_stages *stages, mxb_output output, double *out, mxb_error *error) {
    if (stages == NULL || out == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", stages == NULL ? "stages" : "out");
    }
    MXB_TRY(mxb__link_check(stages->model, output, error));
    if (stages->has_failed) {
        return mxb__fail(error, MXB_ERROR_PARAM, "these stages have failed before and can only be freed");
    }
    if (stages->n_done == stages->model->n_terms) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the model has no more than its %zu rounds",
                         mxb_model_n_rounds(stages->model));
    }
    mxb_status status = next_stage(stages, output, out, error);
    stages->has_failed = status != MXB_OK;
    return status;
}
