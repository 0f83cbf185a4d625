/* Step 7b of the data's path: ridge regression on random Fourier features. Solves (Z'HZ + alpha I) w = -Z'g for the
 * rows' features Z, block by block; -g/h is never formed. Knows nothing of losses or trees. */
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/reduce.h"
#include "learner/fourier/cholesky.h"
#include "learner/learner.h"
#include "model/row_block.h"

/* Rows of a block; sums run over blocks in order, so it is part of the frozen arithmetic. */
enum { BLOCK = 1024 };

/* Up to this many rows h z stays a double; above, it is rounded to float32 so that every product is exact. */
static const size_t MAX_UNROUNDED_ROWS = (size_t)1 << 15;

/* Features of all rows are kept between rounds where they fit in here, and computed again where not. */
static const size_t CACHE_BYTES = (size_t)512 << 20;

/* Blocks are summed so many at a time that threads seldom wait for each other, where their sums fit in here. */
enum { BLOCKS_PER_THREAD = 8 };
static const size_t PARTIALS_BYTES = (size_t)64 << 20;

/* Sums that one task adds up over blocks. */
enum { SUMS_PIECE = 1024 };

/* In the units of scaled hessians. Weights are as good as 0 there, and the system stays finite. */
static const double MAX_PENALTY = 1e300;

/* What stays from round to round, at the head of the workspace. */
struct fourier_memory {
    int is_cached;       /* the cache holds the features of all training rows */
    int valid_is_cached; /* and those of the rows that are only scored */
    int is_factored;     /* the factor serves all rounds (constant hessian) */
    int h_exponent;      /* of that factor */
    int is_repaired;     /* that factor needed jitter */
};

_Static_assert(sizeof(struct fourier_memory) <= 64, "only the first 64 bytes of a workspace begin as zero");

/* Rows whose features are wanted. */
struct fourier_rows {
    const mxb_dataset *dataset;
    float *cache; /* [row][component], or NULL */
};

struct fourier_state {
    struct fourier_memory *memory;
    const struct fit_input *input;
    const struct projection *projection;
    size_t n_components;
    size_t n_unknowns; /* components, and the intercept last */
    size_t n_threads;
    size_t n_partials; /* blocks summed at the same time */

    struct fourier_rows train;
    struct fourier_rows valid;       /* only scored */
    const struct fourier_rows *rows; /* of the tasks that run */
    float *z;                        /* [thread][BLOCK][component], unless all rows have a cache */
    float *inputs;                   /* [thread][BLOCK][feature] */
    double *values;                  /* [thread][3 BLOCK] */
    double *partials;                /* [n_partials][sums] */
    double *sums;                    /* n_sums of them, see add_block */
    double *factor;                  /* [n_unknowns][n_unknowns] */
    double *diagonal;                /* [n_unknowns] */
    double *solution;                /* [n_unknowns] */

    double g_scale; /* powers of two that bring the largest |g| and h near 1 */
    double h_scale;
    int only_right_side;
    double gain;        /* of the round */
    size_t first_block; /* of the blocks being summed */
    size_t n_blocks;    /* of them */
    size_t n_summed;    /* sums of each */
    double *scores;
};

/* Sums over rows, in this order: Z'g [c], sum g, then Z'h [c], sum h, then Z'HZ [c][c]. */
static size_t n_right_sums(size_t c) { return c + 1; }
static size_t n_sums(size_t c) { return 2 * (c + 1) + c * c; }

static size_t carve(struct fourier_state *state, const struct fit_input *input, void *base) {
    const struct learner_options *options = input->options;
    struct workspace workspace = {base, 0};
    size_t n = input->prepared->n_rows;
    size_t d = input->prepared->n_features;
    size_t c = options->n_components;
    size_t threads =
        options->ridge_n_threads > options->kernel_n_threads ? options->ridge_n_threads : options->kernel_n_threads;
    state->input = input;
    state->n_components = c;
    state->n_unknowns = c + (options->fit_intercept ? 1 : 0);
    state->n_threads = threads;
    size_t n_blocks = mxb__n_blocks(n, BLOCK);
    size_t affordable = PARTIALS_BYTES / (n_sums(c) * sizeof *state->partials);
    size_t enough = BLOCKS_PER_THREAD * threads < n_blocks ? BLOCKS_PER_THREAD * threads : n_blocks;
    state->n_partials = affordable < 1 ? 1 : affordable < enough ? affordable : enough;
    size_t n_valid = input->valid == NULL ? 0 : input->valid->n_rows;
    size_t n_kept = CACHE_BYTES / sizeof *state->z / c;
    int keep = n <= n_kept;
    int keep_valid = keep && n_valid <= n_kept - n;

    state->memory = mxb__carve(&workspace, 1, sizeof *state->memory);
    state->train.dataset = input->prepared->view;
    state->train.cache = keep ? mxb__carve(&workspace, n * c, sizeof *state->train.cache) : NULL;
    state->valid.dataset = input->valid;
    state->valid.cache = keep_valid ? mxb__carve(&workspace, n_valid * c, sizeof *state->valid.cache) : NULL;
    state->z = keep_valid ? NULL : mxb__carve(&workspace, threads * BLOCK * c, sizeof *state->z);
    state->inputs = mxb__carve(&workspace, threads * BLOCK * d, sizeof *state->inputs);
    state->values = mxb__carve(&workspace, threads * BLOCK * 3, sizeof *state->values);
    state->partials = mxb__carve(&workspace, state->n_partials * n_sums(c), sizeof *state->partials);
    state->sums = mxb__carve(&workspace, n_sums(c), sizeof *state->sums);
    state->factor = mxb__carve(&workspace, state->n_unknowns * state->n_unknowns, sizeof *state->factor);
    state->diagonal = mxb__carve(&workspace, state->n_unknowns, sizeof *state->diagonal);
    state->solution = mxb__carve(&workspace, c + 1, sizeof *state->solution);
    return workspace.used;
}

static size_t workspace_bytes(const struct fit_input *input) {
    struct fourier_state state;
    return carve(&state, input, NULL);
}

/* ---- the projection, drawn once per training ---- */

static mxb_status draw_projection(const struct fit_input *input, mxb_error *error) {
    const struct learner_options *options = input->options;
    uint32_t c = options->n_components;
    uint32_t d = input->prepared->n_features;
    struct projection projection = {.n_components = c, .n_features = d};
    mxb_status status =
        mxb__alloc(&projection.weights, (size_t)d * c, sizeof *projection.weights, "a projection", error);
    if (status == MXB_OK) {
        status = mxb__alloc(&projection.phases, c, sizeof *projection.phases, "a projection", error);
    }
    if (status == MXB_OK) {
        uint32_t which = input->model->n_projections;
        struct random_stream normal = mxb__random_stream(options->seed, RANDOM_FREQUENCIES, which);
        struct random_stream uniform = mxb__random_stream(options->seed, RANDOM_PHASES, which);
        double turns = sqrt(2.0 * options->gamma) / 6.283185307179586; /* frequencies have variance 2 gamma */
        for (uint32_t f = 0; f < d; f++) {
            for (uint32_t j = 0; j < c; j++) {
                uint64_t index = (uint64_t)f << 32 | j; /* a component's draws do not depend on how many there are */
                projection.weights[(size_t)f * c + j] = (float)(turns * mxb__random_normal(normal, index));
            }
        }
        for (uint32_t j = 0; j < c; j++) {
            projection.phases[j] = (float)mxb__random_uniform(uniform, j);
        }
        status = mxb__model_add_projection(input->model, &projection, error);
    }
    if (status != MXB_OK) {
        mxb__projection_clear(&projection);
    }
    return status;
}

/* ---- features of a block of rows ---- */

static void compute_features(struct fourier_state *state, size_t first, size_t n, size_t thread, float *z) {
    const mxb_dataset *dataset = state->rows->dataset;
    size_t d = state->input->prepared->n_features;
    float *inputs = state->inputs + thread * BLOCK * d;
    double *column = state->values + thread * BLOCK * 3;
    const struct scaling *scaling = &state->input->model->scaling;
    for (size_t f = 0; f < d; f++) {
        mxb__column_read(dataset, &dataset->columns[f], first, n, column);
        mxb__scale_column(scaling->kind, &scaling->features[f], column, n, inputs + f, d);
    }
    state->input->kernels->project(inputs, n, state->projection->weights, state->projection->phases, d,
                                   state->n_components, mxb__projection_amplitude((uint32_t)state->n_components), z);
}

static void fill_cache(void *context, size_t block, size_t thread) {
    struct fourier_state *state = context;
    size_t n = mxb__block_length(state->rows->dataset->n_rows, BLOCK, block);
    compute_features(state, block * BLOCK, n, thread, state->rows->cache + block * BLOCK * state->n_components);
}

/* From now on the tasks are about these rows, whose features are kept if there is room. */
static void take_rows(struct fourier_state *state, const struct fourier_rows *rows, int *is_cached) {
    size_t n = rows->dataset->n_rows;
    state->rows = rows;
    if (rows->cache != NULL && !*is_cached) {
        double work = (double)n * (double)state->n_components * (2.0 + (double)state->input->prepared->n_features);
        mxb__pool_run(state->input->kernel_pool, mxb__n_blocks(n, BLOCK), work, fill_cache, state);
        *is_cached = 1;
    }
}

static const float *features_of_block(struct fourier_state *state, size_t block, size_t thread) {
    if (state->rows->cache != NULL) {
        return state->rows->cache + block * BLOCK * state->n_components;
    }
    float *z = state->z + thread * BLOCK * state->n_components;
    size_t n = mxb__block_length(state->rows->dataset->n_rows, BLOCK, block);
    compute_features(state, block * BLOCK, n, thread, z);
    return z;
}

/* ---- sums over rows ---- */

static void scale_rows(const double *from, size_t n, double scale, double *to, double *sum) {
    double total = 0.0;
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i] * scale;
        total += to[i];
    }
    *sum = total;
}

/* Those of a block; implied ones are written to `room`. */
static const double *hessians_of_block(const struct fit_input *input, size_t first, size_t n, double *room) {
    if (input->hessian == HESSIAN_STORED) {
        return input->h + first;
    }
    for (size_t i = 0; i < n; i++) {
        room[i] = mxb__implied_hessian(input->hessian, input->g[first + i]);
    }
    return room;
}

static void add_block(void *context, size_t index, size_t thread) {
    struct fourier_state *state = context;
    const struct fit_input *input = state->input;
    size_t c = state->n_components;
    size_t block = state->first_block + index;
    size_t first = block * BLOCK;
    size_t n = mxb__block_length(input->prepared->n_rows, BLOCK, block);
    const float *z = features_of_block(state, block, thread);
    double *sums = state->partials + index * n_sums(c);
    double *g = state->values + (thread * 3 + 1) * BLOCK;
    double *h = state->values + (thread * 3 + 2) * BLOCK;

    memset(sums, 0, (state->only_right_side ? n_right_sums(c) : n_sums(c)) * sizeof *sums);
    if (!state->only_right_side) {
        double *h_sums = sums + n_right_sums(c);
        scale_rows(hessians_of_block(input, first, n, h), n, state->h_scale, h, &h_sums[c]);
        int rounded = input->prepared->n_rows > MAX_UNROUNDED_ROWS;
        input->kernels->gram(z, h, n, c, rounded, h_sums + c + 1); /* first, since it hides the way from memory */
        input->kernels->weighted_sum(z, h, n, c, h_sums);
    }
    scale_rows(input->g + first, n, state->g_scale, g, &sums[c]);
    input->kernels->weighted_sum(z, g, n, c, sums);
}

/* A piece of the sums: that of each block that was just summed, in their order. */
static void add_partials(void *context, size_t index, size_t thread) {
    struct fourier_state *state = context;
    size_t n = mxb__block_length(state->n_summed, SUMS_PIECE, index);
    double *sums = state->sums + index * SUMS_PIECE;
    (void)thread;
    for (size_t b = 0; b < state->n_blocks; b++) {
        const double *partial = state->partials + b * n_sums(state->n_components) + index * SUMS_PIECE;
        for (size_t i = 0; i < n; i++) {
            sums[i] += partial[i];
        }
    }
}

static void sum_blocks(struct fourier_state *state) {
    const struct fit_input *input = state->input;
    size_t c = state->n_components;
    size_t n_blocks = mxb__n_blocks(input->prepared->n_rows, BLOCK);
    double block_work = BLOCK * (double)c * (state->only_right_side ? 0.2 : 0.03 * (double)c);
    state->n_summed = state->only_right_side ? n_right_sums(c) : n_sums(c);
    memset(state->sums, 0, state->n_summed * sizeof *state->sums);
    for (size_t first = 0; first < n_blocks; first += state->n_partials) {
        size_t n = mxb__block_length(n_blocks, state->n_partials, first / state->n_partials);
        state->first_block = first;
        state->n_blocks = n;
        mxb__pool_run(input->ridge_pool, n, (double)n * block_work, add_block, state);
        mxb__pool_run(input->ridge_pool, mxb__n_blocks(state->n_summed, SUMS_PIECE),
                      0.2 * (double)(n * state->n_summed), add_partials, state);
    }
    mxb__reduce_doubles(state->sums, state->n_summed);
}

/* ---- the system ---- */

static void factor_system(struct fourier_state *state) {
    size_t c = state->n_components;
    size_t m = state->n_unknowns;
    const double *h_sums = state->sums + n_right_sums(c);
    const double *gram = h_sums + c + 1;
    double alpha = fmin(state->input->options->alpha * state->h_scale, MAX_PENALTY);
    for (size_t i = 0; i < c; i++) {
        memcpy(state->factor + i * m, gram + i * c, (i + 1) * sizeof *gram);
        state->factor[i * m + i] += alpha;
    }
    if (m > c) { /* the intercept is a feature that is always 1 and not penalised */
        memcpy(state->factor + c * m, h_sums, (c + 1) * sizeof *h_sums);
    }
    state->memory->is_repaired = mxb__cholesky_factor(state->factor, m, state->diagonal) > 0;
    state->memory->is_factored = 1;
}

static int scale_exponent(double largest) {
    int exponent = 0;
    if (largest > 0.0) {
        frexp(largest, &exponent);
    }
    return exponent > -1000 ? exponent : -1000; /* 2^-exponent must be a double */
}

/* What the round takes off the quadratic approximation, times 2, in scaled units: b'w with b = -Z'g, or where there is
 * an intercept what is beyond the best constant, which takes the weighted mean of the features out of b. */
static double scaled_gain(const struct fourier_state *state) {
    size_t c = state->n_components;
    const double *h_sums = state->sums + n_right_sums(c);
    double constant = state->n_unknowns > c ? state->sums[c] / h_sums[c] : 0.0;
    double gain = 0.0;
    for (size_t j = 0; j < c; j++) {
        gain += (constant * h_sums[j] - state->sums[j]) * state->solution[j];
    }
    return gain > 0.0 ? gain : 0.0; /* what is below is rounding */
}

/* The weights, and the intercept after them (0 where none is fitted), times the learning rate. */
static void solve(struct fourier_state *state) {
    const struct fit_input *input = state->input;
    size_t c = state->n_components;
    int g_exponent = scale_exponent(input->max_abs_g);
    state->only_right_side = input->constant_hessian && state->memory->is_factored;
    if (!state->only_right_side) {
        state->memory->h_exponent = scale_exponent(input->max_h);
    }
    int h_exponent = state->memory->h_exponent;
    state->g_scale = ldexp(1.0, -g_exponent);
    state->h_scale = ldexp(1.0, -h_exponent);
    sum_blocks(state);
    if (!state->only_right_side) {
        factor_system(state);
    }
    state->solution[c] = 0.0;
    for (size_t j = 0; j < state->n_unknowns; j++) {
        state->solution[j] = -state->sums[j];
    }
    mxb__cholesky_solve(state->factor, state->n_unknowns, state->solution);
    state->gain = mxb__bounded(ldexp(scaled_gain(state), 2 * g_exponent - h_exponent));
    for (size_t j = 0; j <= c; j++) {
        double weight = ldexp(state->solution[j], g_exponent - h_exponent);
        state->solution[j] = isfinite(weight) ? input->options->learning_rate * weight : 0.0;
    }
}

static mxb_status make_term(const struct fourier_state *state, struct term *term, mxb_error *error) {
    size_t c = state->n_components;
    *term = (struct term){.kind = TERM_FOURIER, .n_outputs = 1};
    MXB_TRY(mxb__alloc(&term->fourier.weights, c, sizeof *term->fourier.weights, "a ridge round", error));
    memcpy(term->fourier.weights, state->solution, c * sizeof *term->fourier.weights);
    term->fourier.intercept = state->solution[c];
    term->fourier.gain = state->gain;
    term->fourier.repaired = state->memory->is_repaired ? 1 : 0;
    return MXB_OK;
}

static mxb_status fit(const struct fit_input *input, const struct draw *draw, void *workspace, struct term *term,
                      mxb_error *error) {
    struct fourier_state state;
    (void)draw;
    carve(&state, input, workspace);
    if (input->model->n_projections == 0) {
        MXB_TRY(draw_projection(input, error));
    }
    state.projection = &input->model->projections[0];
    take_rows(&state, &state.train, &state.memory->is_cached);
    solve(&state);
    return make_term(&state, term, error);
}

/* ---- scores ---- */

static void add_block_values(void *context, size_t block, size_t thread) {
    struct fourier_state *state = context;
    size_t n = mxb__block_length(state->rows->dataset->n_rows, BLOCK, block);
    double *scores = state->scores + block * BLOCK;
    const float *z = features_of_block(state, block, thread);
    double *values = state->values + thread * BLOCK * 3;
    double intercept = state->solution[state->n_components];
    state->input->kernels->dot(z, n, state->n_components, state->solution, values);
    if (state->rows == &state->valid) {
        mxb__scores_add(scores, n, values, intercept);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        scores[i] += values[i] + intercept;
    }
}

static void add_values(struct fourier_state *state, double *scores) {
    size_t n = state->rows->dataset->n_rows;
    state->scores = scores;
    mxb__pool_run(state->input->ridge_pool, mxb__n_blocks(n, BLOCK), (double)n * (double)state->n_components,
                  add_block_values, state);
}

static void add(const struct fit_input *input, void *workspace, double *scores) {
    struct fourier_state state;
    carve(&state, input, workspace);
    state.projection = &input->model->projections[0];
    take_rows(&state, &state.train, &state.memory->is_cached);
    add_values(&state, scores);
}

static mxb_status add_valid(const struct fit_input *input, const struct term *term, void *workspace, double *scores,
                            mxb_error *error) {
    struct fourier_state state;
    (void)term;
    (void)error;
    carve(&state, input, workspace);
    state.projection = &input->model->projections[0];
    take_rows(&state, &state.valid, &state.memory->valid_is_cached);
    add_values(&state, scores);
    return MXB_OK;
}

const struct learner_ops mxb__fourier_learner = {"fourier", workspace_bytes, fit, add, add_valid};
