/* Step 7b of the data's path: weights of the kernel's inputs, learned from the model so far. The fourier terms of a
 * projection are together f(x) = sum_j w_j cos(2 pi (u_j x + b_j)), whose slope along input k is
 * -2 pi sum_j w_j u_jk sin(2 pi (u_j x + b_j)): the dot product of features a quarter of a turn back with the weights
 * w_j u_jk, so the kernels that fit and predict compute it. Knows nothing of losses or of how trees are grown. */
#include "learner/fourier/input_metric.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

/* Rows of a task. Sums run over blocks in order, so it is part of the frozen arithmetic. */
enum { BLOCK = 16 };

/* ---- shares ---- */

/* Makes the values of inputs that can vary sum to 1, and others 0; whether any is over 0. */
static int make_shares(const struct scaling *scaling, double *values, size_t n) {
    double largest = 0.0;
    double sum = 0.0;
    for (size_t f = 0; f < n; f++) {
        values[f] = mxb__scaling_is_constant(scaling->kind, &scaling->features[f]) ? 0.0 : values[f];
        largest = fmax(largest, values[f]);
    }
    for (size_t f = 0; f < n && largest > 0.0; f++) {
        values[f] /= largest; /* values may be so large that their sum is not finite */
        sum += values[f];
    }
    for (size_t f = 0; f < n && largest > 0.0; f++) {
        values[f] /= sum;
    }
    return largest > 0.0;
}

/* ---- slopes of the fourier terms ---- */

struct slopes {
    const struct fit_input *input;
    const struct row_sample *sample;
    size_t n_components; /* of every projection */
    size_t n_blocks;
    double *collapsed; /* [projection][component] weights of all their rounds, the largest of them 1 in size */
    float *phases;     /* [projection][component], a quarter of a turn back */
    float *z;          /* [block][BLOCK][component] */
    double *weights;   /* [block][component] */
    double *slopes;    /* [block][feature][BLOCK] */
    double *squares;   /* [block][feature] sums over the rows, weighted */
};

/* Carves the arrays; measures when `base` is NULL. */
static size_t carve_slopes(struct slopes *slopes, void *base) {
    struct workspace workspace = {base, 0};
    size_t n_all = slopes->input->model->n_projections * slopes->n_components;
    size_t d = slopes->sample->n_features;
    slopes->collapsed = mxb__carve(&workspace, n_all, sizeof *slopes->collapsed);
    slopes->phases = mxb__carve(&workspace, n_all, sizeof *slopes->phases);
    slopes->z = mxb__carve(&workspace, slopes->n_blocks * BLOCK * slopes->n_components, sizeof *slopes->z);
    slopes->weights = mxb__carve(&workspace, slopes->n_blocks * slopes->n_components, sizeof *slopes->weights);
    slopes->slopes = mxb__carve(&workspace, slopes->n_blocks * d * BLOCK, sizeof *slopes->slopes);
    slopes->squares = mxb__carve(&workspace, slopes->n_blocks * d, sizeof *slopes->squares);
    return workspace.used;
}

/* The model as the sum of projections; slopes are wanted in proportion only. */
static void collapse_rounds(struct slopes *slopes) {
    const mxb_model *model = slopes->input->model;
    size_t c = slopes->n_components;
    size_t n_all = model->n_projections * c;
    double largest = 0.0;
    memset(slopes->collapsed, 0, n_all * sizeof *slopes->collapsed);
    for (uint32_t r = 0; r < model->n_terms; r++) {
        if (model->terms[r].kind == TERM_FOURIER) {
            const struct fourier *fourier = &model->terms[r].fourier;
            mxb__fourier_collapse(slopes->collapsed + fourier->projection * c, fourier, (uint32_t)c);
        }
    }
    for (size_t i = 0; i < n_all; i++) {
        largest = fmax(largest, fabs(slopes->collapsed[i]));
        slopes->phases[i] = model->projections[i / c].phases[i % c] - 0.25f;
    }
    for (size_t i = 0; i < n_all && largest > 0.0; i++) {
        slopes->collapsed[i] /= largest;
    }
}

/* Adds the slopes of projection p at the rows of a block. */
static void add_slopes(const struct slopes *slopes, size_t block, size_t n, uint32_t p) {
    const struct kernels *kernels = slopes->input->kernels->shared;
    const struct projection *projection = &slopes->input->model->projections[p];
    size_t c = slopes->n_components;
    size_t d = slopes->sample->n_features;
    const double *collapsed = slopes->collapsed + p * c;
    float *z = slopes->z + block * BLOCK * c;
    double *weights = slopes->weights + block * c;
    kernels->project(slopes->sample->inputs + block * BLOCK * d, n, projection->weights, slopes->phases + p * c, d, c,
                     mxb__projection_amplitude((uint32_t)c), z);
    for (size_t f = 0; f < d; f++) {
        double *sums = slopes->slopes + (block * d + f) * BLOCK;
        double values[BLOCK];
        for (size_t j = 0; j < c; j++) {
            weights[j] = collapsed[j] * (double)projection->weights[f * c + j];
        }
        kernels->dot(z, n, c, weights, values);
        for (size_t i = 0; i < n; i++) {
            sums[i] += values[i];
        }
    }
}

static void square_slopes(void *context, size_t block, size_t thread) {
    const struct slopes *slopes = context;
    const struct row_sample *sample = slopes->sample;
    size_t d = sample->n_features;
    size_t n = mxb__block_length(sample->n_rows, BLOCK, block);
    (void)thread;
    memset(slopes->slopes + block * d * BLOCK, 0, d * BLOCK * sizeof *slopes->slopes);
    for (uint32_t p = 0; p < slopes->input->model->n_projections; p++) {
        add_slopes(slopes, block, n, p);
    }
    for (size_t f = 0; f < d; f++) {
        const double *values = slopes->slopes + (block * d + f) * BLOCK;
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            sum += sample->weights[block * BLOCK + i] * (values[i] * values[i]);
        }
        slopes->squares[block * d + f] = sum;
    }
}

/* In proportion to the mean squared slope along each input; 0 without fourier terms. */
static mxb_status find_slopes(const struct fit_input *input, const struct row_sample *sample, double *squares,
                              mxb_error *error) {
    struct slopes slopes = {.input = input,
                            .sample = sample,
                            .n_components = input->options->n_components,
                            .n_blocks = mxb__n_blocks(sample->n_rows, BLOCK)};
    size_t d = sample->n_features;
    char *memory;
    MXB_TRY(mxb__alloc(&memory, carve_slopes(&slopes, NULL), 1, "slopes", error));
    carve_slopes(&slopes, memory);
    collapse_rounds(&slopes);
    double work = 2.0 * (double)(sample->n_rows * d * slopes.n_components * input->model->n_projections);
    mxb__pool_run(input->kernel_pool, slopes.n_blocks, work, square_slopes, &slopes);
    memset(squares, 0, d * sizeof *squares);
    for (size_t b = 0; b < slopes.n_blocks; b++) {
        for (size_t f = 0; f < d; f++) {
            squares[f] += slopes.squares[b * d + f];
        }
    }
    mxb__free(memory);
    return MXB_OK;
}

/* ---- both ---- */

mxb_status mxb__input_metric_learn(const struct fit_input *input, const struct row_sample *sample, double *weights,
                                   mxb_error *error) {
    size_t d = sample->n_features;
    const struct scaling *scaling = &input->model->scaling;
    double *squares;
    memset(weights, 0, d * sizeof *weights);
    for (uint32_t i = 0; i < input->model->n_terms; i++) {
        mxb__term_add_split_gains(&input->model->terms[i], input->model->n_members, weights);
    }
    MXB_TRY(mxb__alloc(&squares, d, sizeof *squares, "slopes", error));
    mxb_status status = find_slopes(input, sample, squares, error);
    if (status == MXB_OK) {
        int n_kinds = make_shares(scaling, weights, d) + make_shares(scaling, squares, d);
        for (size_t f = 0; f < d; f++) {
            weights[f] = n_kinds == 0 ? 1.0 : sqrt((weights[f] + squares[f]) / (double)n_kinds * (double)d);
        }
    }
    mxb__free(squares);
    return status;
}
