/* Step 7b of the data's path: a sample of the training rows and how far they lie apart. Knows nothing of gradients. */
#include "learner/fourier/row_sample.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "data/sort.h"

/* ---- the rows ---- */

static double weight_of(const struct labels *labels, size_t row) {
    return labels->weights == NULL ? 1.0 : labels->weights[row];
}

/* One row of each of as many parts of equal weight: one pass over the weights, and parts follow the rows' order. */
static void draw_rows(const struct labels *labels, uint64_t seed, size_t n_rows, size_t *rows) {
    struct random_stream stream = mxb__random_stream(seed, RANDOM_SAMPLE, 0);
    size_t row = 0;
    double reached = weight_of(labels, 0); /* weight of the rows up to this one */
    for (size_t k = 0; k < n_rows; k++) {
        double target = ((double)k + mxb__random_uniform(stream, k)) / (double)n_rows * labels->sum;
        while (reached <= target && row + 1 < labels->n_rows) {
            reached += weight_of(labels, ++row);
        }
        rows[k] = row;
    }
}

/* Near 1, by a power of two, so that products neither overflow nor lose that weights are whole numbers. */
static void scale_weights(double *weights, size_t n) {
    double largest = 0.0;
    int exponent = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, weights[i]);
    }
    frexp(largest, &exponent);
    for (size_t i = 0; i < n; i++) {
        weights[i] = ldexp(weights[i], -exponent);
    }
}

static void read_row(const struct fit_input *input, size_t row, float *inputs) {
    const mxb_dataset *view = input->prepared->view;
    const struct scaling *scaling = &input->model->scaling;
    for (size_t f = 0; f < view->n_columns; f++) {
        double value;
        mxb__column_read(view, &view->columns[f], row, 1, &value);
        inputs[f] = mxb__scale_value(scaling->kind, &scaling->features[f], value);
    }
}

mxb_status mxb__row_sample_init(struct row_sample *sample, const struct fit_input *input, mxb_error *error) {
    const struct labels *labels = &input->prepared->labels;
    size_t rows[MXB__SAMPLE_ROWS];
    int is_drawn = labels->n_rows > MXB__ALL_ROWS;
    size_t n = is_drawn ? MXB__SAMPLE_ROWS : labels->n_rows;
    size_t d = input->prepared->n_features;
    *sample = (struct row_sample){.n_rows = n, .n_features = d, .is_drawn = is_drawn};
    MXB_TRY(mxb__alloc(&sample->inputs, n * d, sizeof *sample->inputs, "a sample of rows", error));
    mxb_status status = mxb__alloc(&sample->weights, n, sizeof *sample->weights, "a sample of rows", error);
    if (status != MXB_OK) {
        mxb__row_sample_clear(sample);
        return status;
    }
    if (is_drawn) {
        draw_rows(labels, input->options->seed, n, rows);
    }
    for (size_t i = 0; i < n; i++) {
        read_row(input, is_drawn ? rows[i] : i, sample->inputs + i * d);
        sample->weights[i] = is_drawn ? 1.0 : weight_of(labels, i);
    }
    scale_weights(sample->weights, n);
    return MXB_OK;
}

void mxb__row_sample_clear(struct row_sample *sample) {
    mxb__free(sample->inputs);
    mxb__free(sample->weights);
    memset(sample, 0, sizeof *sample);
}

/* ---- distances ---- */

enum { MAX_PAIRS = MXB__ALL_ROWS * (MXB__ALL_ROWS - 1) / 2 };
_Static_assert((int)MXB__SAMPLE_PAIRS <= (int)MAX_PAIRS, "there is room for all pairs");

/* Pairs of rows that differ: keys of their distances and, in the same order at first, their weights. */
struct pairs {
    size_t n;
    uint64_t keys[MAX_PAIRS], spare_keys[MAX_PAIRS];
    uint32_t order[MAX_PAIRS], spare_order[MAX_PAIRS];
    double weights[MAX_PAIRS];
};

static void add_pair(struct pairs *pairs, const struct row_sample *sample, const double *metric, size_t a, size_t b) {
    const float *x = sample->inputs + a * sample->n_features;
    const float *y = sample->inputs + b * sample->n_features;
    double distance = 0.0;
    for (size_t f = 0; f < sample->n_features; f++) {
        double difference = metric[f] * ((double)x[f] - (double)y[f]);
        distance += difference * difference;
    }
    if (distance > 0.0) {
        pairs->keys[pairs->n] = mxb__sort_key(distance);
        pairs->order[pairs->n] = (uint32_t)pairs->n;
        pairs->weights[pairs->n] = sample->weights[a] * sample->weights[b];
        pairs->n++;
    }
}

static void find_pairs(struct pairs *pairs, const struct row_sample *sample, const double *metric, uint64_t seed) {
    struct random_stream stream = mxb__random_stream(seed, RANDOM_PAIRS, 0);
    double n = (double)sample->n_rows;
    for (uint64_t k = 0; sample->is_drawn && k < MXB__SAMPLE_PAIRS; k++) {
        size_t a = (size_t)(mxb__random_uniform(stream, 2 * k) * n);
        size_t b = (size_t)(mxb__random_uniform(stream, 2 * k + 1) * n);
        add_pair(pairs, sample, metric, a, b);
    }
    for (size_t a = 0; !sample->is_drawn && a < sample->n_rows; a++) {
        for (size_t b = 0; b < a; b++) {
            add_pair(pairs, sample, metric, a, b);
        }
    }
}

static double weighted_median(struct pairs *pairs) {
    double total = 0.0;
    double sum = 0.0;
    size_t i = 0;
    mxb__sort_keys(pairs->keys, pairs->order, pairs->n, pairs->spare_keys, pairs->spare_order);
    for (size_t k = 0; k < pairs->n; k++) {
        total += pairs->weights[pairs->order[k]];
    }
    for (; i + 1 < pairs->n; i++) {
        sum += pairs->weights[pairs->order[i]];
        if (sum >= total / 2) {
            break;
        }
    }
    return pairs->n > 0 ? mxb__sort_value(pairs->keys[i]) : 0.0;
}

mxb_status mxb__row_sample_median(const struct row_sample *sample, const double *metric, uint64_t seed, double *median,
                                  mxb_error *error) {
    struct pairs *pairs;
    MXB_TRY(mxb__alloc(&pairs, 1, sizeof *pairs, "distances of rows", error));
    pairs->n = 0;
    find_pairs(pairs, sample, metric, seed);
    *median = weighted_median(pairs);
    mxb__free(pairs);
    return MXB_OK;
}
