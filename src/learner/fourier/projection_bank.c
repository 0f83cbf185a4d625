/* Step 7b of the data's path: the bank of random projections, each with a kernel of its own, drawn when first used and
 * now and then anew. The bank has no memory but the model: a slot holds the projection of its last round. Knows
 * nothing of what is fitted. */
#include "learner/fourier/projection_bank.h"

#include <math.h>

#include "base/math.h"
#include "base/memory.h"
#include "base/random.h"
#include "learner/fourier/input_metric.h"
#include "learner/fourier/row_sample.h"

/* A slot whose round comes again is drawn anew with this probability, as long as the model then has at most so many
 * projections a slot, and weights in all: each one makes predictions longer and the model larger. */
static const double REDRAW_PROBABILITY = 0.2;
enum { MAX_PROJECTIONS_PER_SLOT = 4, MAX_REDRAWN_WEIGHTS = 1 << 20 };

/* gamma=auto: ten to an even number between these, over the median squared distance. */
static const double LEAST_EXPONENT = -1.5;
static const double LARGEST_EXPONENT = 0.5;
static const double LOG_10 = 2.302585092994046;

/* fourier_linear: radians of the sine for an input of 1, and the size that all inputs together are to have among
 * features whose size is 1 or so. */
static const double SLOW = 0.1;
static const double LINEAR_SIZE = 3.0;
static const float LINEAR_PHASE = 0.75f; /* turns that make a sine of a cosine */
enum { AT_ONCE = 64 };

static const double TURN = 6.283185307179586; /* 2 pi */

/* Frequencies are factors, which end at 2^50. */
static const double MAX_GAMMA = 1e70;

uint32_t mxb__bank_slot(const struct learner_options *options, uint32_t round) {
    struct random_stream stream = mxb__random_stream(options->seed, RANDOM_SLOT, round);
    return (uint32_t)(mxb__random_uniform(stream, 0) * (double)options->n_projections);
}

/* ---- a new projection ---- */

static double draw_gamma(uint64_t seed, uint32_t which, double median) {
    double even = mxb__random_uniform(mxb__random_stream(seed, RANDOM_GAMMA, which), 0);
    double exponent = LEAST_EXPONENT + (LARGEST_EXPONENT - LEAST_EXPONENT) * even;
    return median > 0.0 ? fmin(mxb__exp(LOG_10 * exponent) / median, MAX_GAMMA) : 1.0;
}

/* The kernel of projection `which`: gamma, and what its inputs are multiplied by. */
static mxb_status choose_kernel(const struct fit_input *input, uint32_t which, double *metric, double *gamma,
                                mxb_error *error) {
    const struct learner_options *options = input->options;
    struct row_sample sample;
    mxb_status status = MXB_OK;
    *gamma = options->gamma;
    for (uint32_t f = 0; f < input->prepared->n_features; f++) {
        metric[f] = 1.0;
    }
    if (!options->learns_metric && !isnan(*gamma)) {
        return MXB_OK;
    }
    MXB_TRY(mxb__row_sample_init(&sample, input, error));
    if (options->learns_metric) {
        status = mxb__input_metric_learn(input, &sample, metric, error);
    }
    if (status == MXB_OK && isnan(*gamma)) {
        double median;
        status = mxb__row_sample_median(&sample, metric, options->seed, &median, error);
        *gamma = status == MXB_OK ? draw_gamma(options->seed, which, median) : 1.0;
    }
    mxb__row_sample_clear(&sample);
    return status;
}

/* ---- components that are inputs ---- */

/* Whether all training rows scale to numbers short of the bound of standard ones. A value far from all others would
 * have a feature to itself, and its row alone would say what other such values predict. Not so ranks. */
static int is_within_bounds(const struct fit_input *input, uint32_t feature) {
    const struct scaling *scaling = &input->model->scaling;
    const mxb_dataset *view = input->prepared->view;
    double values[AT_ONCE];
    float scaled[AT_ONCE];
    int is_within = 1;
    for (size_t first = 0; scaling->kind != SCALING_RANK && is_within && first < view->n_rows; first += AT_ONCE) {
        size_t n = view->n_rows - first < AT_ONCE ? view->n_rows - first : AT_ONCE;
        mxb__column_read(view, &view->columns[feature], first, n, values);
        mxb__scale_column(scaling->kind, &scaling->features[feature], values, n, scaled, 1);
        for (size_t i = 0; i < n; i++) {
            is_within &= fabs((double)scaled[i]) < STANDARD_BOUND;
        }
    }
    return is_within;
}

/* Component j becomes the sine of input j, slow enough to be nearly the input itself. */
static void set_linear(struct projection *projection, uint32_t j) {
    for (uint32_t f = 0; f < projection->n_features; f++) {
        projection->weights[(size_t)f * projection->n_components + j] = f == j ? mxb__factor(SLOW / TURN) : 0.0f;
    }
    projection->phases[j] = LINEAR_PHASE;
}

static void take_inputs(const struct fit_input *input, struct projection *projection) {
    const struct learner_options *options = input->options;
    if (!options->takes_inputs || projection->n_features > options->n_components / 2) {
        return;
    }
    for (uint32_t j = 0; j < projection->n_features; j++) {
        if (is_within_bounds(input, j)) {
            set_linear(projection, j);
        }
    }
}

static int is_linear(const struct projection *projection, uint32_t component) {
    int is_it = component < projection->n_features && projection->phases[component] == LINEAR_PHASE;
    for (uint32_t f = 0; is_it && f < projection->n_features; f++) {
        float weight = projection->weights[(size_t)f * projection->n_components + component];
        is_it = weight == (f == component ? mxb__factor(SLOW / TURN) : 0.0f);
    }
    return is_it;
}

/* A feature is as good as a larger one that is penalised more. */
double mxb__bank_penalty(const struct projection *projection, uint32_t component) {
    double size = SLOW * (double)mxb__projection_amplitude(projection->n_components); /* for an input of 1 */
    double wanted = LINEAR_SIZE / sqrt((double)projection->n_features);
    return is_linear(projection, component) ? size * size / (wanted * wanted) : 1.0;
}

/* ---- the random ones ---- */

static void draw_weights(struct projection *projection, uint64_t seed, uint32_t which, const double *metric,
                         double gamma) {
    uint32_t c = projection->n_components;
    struct random_stream normal = mxb__random_stream(seed, RANDOM_FREQUENCIES, which);
    struct random_stream uniform = mxb__random_stream(seed, RANDOM_PHASES, which);
    double turns = sqrt(2.0 * gamma) / TURN; /* frequencies have variance 2 gamma */
    for (uint32_t f = 0; f < projection->n_features; f++) {
        for (uint32_t j = 0; j < c; j++) {
            uint64_t index = (uint64_t)f << 32 | j; /* a component's draws do not depend on how many there are */
            projection->weights[(size_t)f * c + j] = mxb__factor(turns * metric[f] * mxb__random_normal(normal, index));
        }
    }
    for (uint32_t j = 0; j < c; j++) {
        projection->phases[j] = (float)mxb__random_uniform(uniform, j);
    }
}

static mxb_status make_projection(const struct fit_input *input, struct projection *projection, double *metric,
                                  mxb_error *error) {
    const struct learner_options *options = input->options;
    uint32_t which = input->model->n_projections;
    double gamma;
    size_t n_weights = (size_t)projection->n_features * projection->n_components;
    MXB_TRY(choose_kernel(input, which, metric, &gamma, error));
    MXB_TRY(mxb__alloc(&projection->weights, n_weights, sizeof *projection->weights, "a projection", error));
    MXB_TRY(
        mxb__alloc(&projection->phases, projection->n_components, sizeof *projection->phases, "a projection", error));
    draw_weights(projection, options->seed, which, metric, gamma);
    take_inputs(input, projection);
    return mxb__model_add_projection(input->model, projection, error);
}

static mxb_status draw_projection(const struct fit_input *input, mxb_error *error) {
    struct projection projection = {.n_components = input->options->n_components,
                                    .n_features = input->prepared->n_features};
    double *metric;
    MXB_TRY(mxb__alloc(&metric, projection.n_features, sizeof *metric, "a projection", error));
    mxb_status status = make_projection(input, &projection, metric, error);
    if (status != MXB_OK) {
        mxb__projection_clear(&projection);
    }
    mxb__free(metric);
    return status;
}

/* ---- the bank ---- */

/* Whether the projection of the slot, which has had rounds before, gives way to a new one. Without a metric to learn
 * nothing would be gained. */
static int is_redrawn(const struct fit_input *input, uint32_t round) {
    const struct learner_options *options = input->options;
    double even = mxb__random_uniform(mxb__random_stream(options->seed, RANDOM_REDRAW, round), 0);
    uint64_t n_after = (uint64_t)input->model->n_projections + 1;
    return options->learns_metric && even < REDRAW_PROBABILITY &&
           n_after <= (uint64_t)MAX_PROJECTIONS_PER_SLOT * options->n_projections &&
           n_after * input->prepared->n_features * options->n_components <= MAX_REDRAWN_WEIGHTS;
}

mxb_status mxb__bank_choose(const struct fit_input *input, uint32_t round, uint32_t *projection, mxb_error *error) {
    const mxb_model *model = input->model;
    uint32_t slot = mxb__bank_slot(input->options, round);
    uint32_t before = model->n_terms; /* the last round of the slot; 0: none yet */
    while (before > 0 &&
           (model->terms[before - 1].kind != TERM_FOURIER || mxb__bank_slot(input->options, before) != slot)) {
        before--;
    }
    if (before > 0 && !is_redrawn(input, round)) {
        *projection = model->terms[before - 1].fourier.projection;
        return MXB_OK;
    }
    *projection = model->n_projections;
    return draw_projection(input, error);
}
