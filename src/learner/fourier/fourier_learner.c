/* Step 7b of the data's path: ridge regression on random Fourier features. Solves (Z'HZ + alpha I) w = -Z'g for the
 * rows' features Z, block by block; -g/h is never formed. Knows nothing of losses or trees. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/reduce.h"
#include "learner/fourier/cholesky.h"
#include "learner/fourier/fourier_features.h"
#include "learner/fourier/projection_bank.h"
#include "learner/learner.h"
#include "model/row_block.h"

enum { BLOCK = MXB__FOURIER_BLOCK };

/* Up to this many rows h z stays a double; above, it is rounded to float32 so that every product is exact. */
static const size_t MAX_UNROUNDED_ROWS = (size_t)1 << 15;

/* Blocks are summed so many at a time that threads seldom wait for each other, where their sums fit in here. */
enum { BLOCKS_PER_THREAD = 8 };
static const size_t PARTIALS_BYTES = (size_t)64 << 20;

/* Sums that one task adds up over blocks. */
enum { SUMS_PIECE = 1024 };

/* In the units of scaled hessians. Weights are as good as 0 there, and the system stays finite. */
static const double MAX_PENALTY = 1e300;

/* What stays from round to round, at the head of the workspace. */
struct fourier_memory {
    int is_open;         /* whatever else stays has been set once */
    uint32_t slot;       /* of the last round */
    uint32_t projection; /* likewise */
};

_Static_assert(sizeof(struct fourier_memory) <= 64, "only the first 64 bytes of a workspace begin as zero");

/* A system that is factored. Slots of the bank share places for them as they do those for features. */
struct factored {
    uint32_t owner;  /* the projection, counted from 1, that the factor serves in all rounds; 0: none */
    int h_exponent;  /* of the scale of its hessians */
    int is_repaired; /* it needed jitter */
};

struct fourier_state {
    struct fourier_memory *memory;
    const struct fit_input *input;
    struct fourier_features features;
    size_t n_components;
    size_t n_unknowns; /* components, and the intercept last */
    size_t n_partials; /* blocks summed at the same time */
    double *values;    /* [thread][2 BLOCK] */
    double *partials;  /* [n_partials][sums] */
    double *sums;      /* n_sums of them, see add_block */
    double *diagonal;  /* [n_unknowns] */
    double *solution;  /* [n_unknowns] */
    int is_cut;        /* some of the solution was no finite double and is left out */

    size_t n_factors;
    struct factored *factored; /* [n_factors] */
    double *factors;           /* [n_factors][n_unknowns][n_unknowns] */
    double *h_sums;            /* [n_factors][n_components + 1] Z'h and sum h of their systems */
    size_t place;              /* of the round among these */

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

static size_t between(size_t least, size_t x, size_t most) { return x < least ? least : x > most ? most : x; }

static size_t carve(struct fourier_state *state, const struct fit_input *input, void *base) {
    const struct learner_options *options = input->options;
    struct workspace workspace = {base, 0};
    size_t c = options->n_components;
    size_t threads =
        options->ridge_n_threads > options->kernel_n_threads ? options->ridge_n_threads : options->kernel_n_threads;
    size_t m = c + (options->fit_intercept ? 1 : 0);
    size_t n_blocks = mxb__n_blocks(input->prepared->n_rows, BLOCK);
    size_t enough = between(1, BLOCKS_PER_THREAD * threads, n_blocks);
    state->input = input;
    state->n_components = c;
    state->n_unknowns = m;
    state->n_partials = between(1, PARTIALS_BYTES / (n_sums(c) * sizeof *state->partials), enough);
    state->n_factors = 1;
    if (input->constant_hessian) { /* a factor serves later rounds; an eighth of what features have is room for them */
        size_t affordable = options->fourier_bytes / 8 / (m * m * sizeof *state->factors);
        state->n_factors = between(1, affordable, options->n_projections);
    }

    state->memory = mxb__carve(&workspace, 1, sizeof *state->memory);
    mxb__features_carve(&state->features, input, threads, &workspace);
    state->values = mxb__carve(&workspace, threads * BLOCK * 2, sizeof *state->values);
    state->partials = mxb__carve(&workspace, state->n_partials * n_sums(c), sizeof *state->partials);
    state->sums = mxb__carve(&workspace, n_sums(c), sizeof *state->sums);
    state->diagonal = mxb__carve(&workspace, m, sizeof *state->diagonal);
    state->solution = mxb__carve(&workspace, c + 1, sizeof *state->solution);
    state->factored = mxb__carve(&workspace, state->n_factors, sizeof *state->factored);
    state->factors = mxb__carve(&workspace, state->n_factors * m * m, sizeof *state->factors);
    state->h_sums = mxb__carve(&workspace, state->n_factors * (c + 1), sizeof *state->h_sums);
    return workspace.used;
}

static size_t workspace_bytes(const struct fit_input *input) {
    struct fourier_state state;
    return carve(&state, input, NULL);
}

/* The state as the last round left it. */
static void open_state(struct fourier_state *state, const struct fit_input *input, void *workspace) {
    carve(state, input, workspace);
    struct fourier_memory *memory = state->memory;
    if (!memory->is_open) {
        mxb__features_reset(&state->features);
        memset(state->factored, 0, state->n_factors * sizeof *state->factored);
        memory->is_open = 1;
    }
    state->features.slot = memory->slot;
    state->features.projection = memory->projection;
    state->place = memory->slot % state->n_factors;
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
    const float *z = mxb__features_of_block(&state->features, block, thread);
    double *sums = state->partials + index * n_sums(c);
    double *g = state->values + thread * 2 * BLOCK;
    double *h = g + BLOCK;

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
    double *factor = state->factors + state->place * m * m;
    struct factored *factored = &state->factored[state->place];
    const struct projection *projection = &state->input->model->projections[state->features.projection];
    double alpha = fmin(state->input->options->alpha * state->h_scale, MAX_PENALTY);
    for (size_t i = 0; i < c; i++) {
        memcpy(factor + i * m, gram + i * c, (i + 1) * sizeof *gram);
        factor[i * m + i] += alpha * mxb__bank_penalty(projection, (uint32_t)i);
    }
    if (m > c) { /* the intercept is a feature that is always 1 and not penalised */
        memcpy(factor + c * m, h_sums, (c + 1) * sizeof *h_sums);
    }
    memcpy(state->h_sums + state->place * (c + 1), h_sums, (c + 1) * sizeof *h_sums);
    factored->is_repaired = mxb__cholesky_factor(factor, m, state->diagonal) > 0;
    factored->owner = state->features.projection + 1;
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
    const double *h_sums = state->h_sums + state->place * (c + 1);
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
    size_t m = state->n_unknowns;
    struct factored *factored = &state->factored[state->place];
    int g_exponent = scale_exponent(input->max_abs_g);
    state->only_right_side = input->constant_hessian && factored->owner == state->features.projection + 1;
    if (!state->only_right_side) {
        factored->h_exponent = scale_exponent(input->max_h);
    }
    int h_exponent = factored->h_exponent;
    state->g_scale = ldexp(1.0, -g_exponent);
    state->h_scale = ldexp(1.0, -h_exponent);
    sum_blocks(state);
    if (!state->only_right_side) {
        factor_system(state);
    }
    state->solution[c] = 0.0;
    for (size_t j = 0; j < m; j++) {
        state->solution[j] = -state->sums[j];
    }
    mxb__cholesky_solve(state->factors + state->place * m * m, m, state->solution);
    state->gain = mxb__bounded(ldexp(scaled_gain(state), 2 * g_exponent - h_exponent));
    state->is_cut = 0;
    for (size_t j = 0; j <= c; j++) {
        double weight = ldexp(state->solution[j], g_exponent - h_exponent);
        state->is_cut |= !isfinite(weight);
        state->solution[j] = isfinite(weight) ? input->options->learning_rate * weight : 0.0;
    }
}

static mxb_status make_term(const struct fourier_state *state, struct term *term, mxb_error *error) {
    size_t c = state->n_components;
    *term = (struct term){.kind = TERM_FOURIER, .n_outputs = 1};
    MXB_TRY(mxb__alloc(&term->fourier.weights, c, sizeof *term->fourier.weights, "a ridge round", error));
    memcpy(term->fourier.weights, state->solution, c * sizeof *term->fourier.weights);
    term->fourier.projection = state->features.projection;
    term->fourier.intercept = state->solution[c];
    term->fourier.gain = state->gain;
    term->repaired = state->factored[state->place].is_repaired || state->is_cut;
    return MXB_OK;
}

static mxb_status fit(const struct fit_input *input, const struct draw *draw, void *workspace, struct term *term,
                      mxb_error *error) {
    struct fourier_state state;
    struct fourier_memory *memory = workspace;
    memory->slot = mxb__bank_slot(input->options, draw->round);
    MXB_TRY(mxb__bank_choose(input, draw->round, &memory->projection, error));
    open_state(&state, input, workspace);
    mxb__features_take(&state.features, &state.features.train);
    solve(&state);
    return make_term(&state, term, error);
}

/* ---- scores ---- */

static void add_block_values(void *context, size_t block, size_t thread) {
    struct fourier_state *state = context;
    const struct fourier_features *features = &state->features;
    size_t n = mxb__block_length(features->rows->dataset->n_rows, BLOCK, block);
    double *scores = state->scores + block * BLOCK;
    const float *z = mxb__features_of_block(features, block, thread);
    double *values = state->values + thread * 2 * BLOCK;
    double intercept = state->solution[state->n_components];
    state->input->kernels->shared->dot(z, n, state->n_components, state->solution, values);
    if (features->rows == &features->valid) {
        mxb__scores_add(scores, n, values, intercept);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        scores[i] += values[i] + intercept;
    }
}

static void add_values(struct fourier_state *state, const struct feature_rows *rows, double *scores) {
    size_t n = rows->dataset->n_rows;
    mxb__features_take(&state->features, rows);
    state->scores = scores;
    mxb__pool_run(state->input->ridge_pool, mxb__n_blocks(n, BLOCK), (double)n * (double)state->n_components,
                  add_block_values, state);
}

static void add(const struct fit_input *input, void *workspace, double *scores) {
    struct fourier_state state;
    open_state(&state, input, workspace);
    add_values(&state, &state.features.train, scores);
}

static mxb_status add_valid(const struct fit_input *input, const struct term *term, void *workspace, double *scores,
                            mxb_error *error) {
    struct fourier_state state;
    (void)term;
    (void)error;
    open_state(&state, input, workspace);
    add_values(&state, &state.features.valid, scores);
    return MXB_OK;
}

const struct learner_ops mxb__fourier_learner = {"fourier", workspace_bytes, fit, add, add_valid};
