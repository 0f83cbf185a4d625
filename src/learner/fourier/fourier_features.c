/* Step 7b of the data's path: columns to scaled inputs to random features. Knows nothing of gradients and of what is
 * fitted. */
#include "learner/fourier/fourier_features.h"

#include <string.h>

#include "base/parallel.h"

enum { BLOCK = MXB__FOURIER_BLOCK };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Room for features, training rows first. */
static void share_places(struct fourier_features *features, size_t n, size_t n_valid) {
    size_t n_kept = features->input->options->fourier_bytes / sizeof *features->z / features->n_components; /* rows */
    features->train.n_places = smaller(features->n_slots, n_kept / n);
    n_kept -= features->train.n_places * n;
    features->valid.n_places = n_valid == 0 ? 0 : smaller(features->train.n_places, n_kept / n_valid);
}

static void carve_rows(struct feature_rows *rows, size_t n, size_t n_components, size_t n_inputs,
                       struct workspace *workspace) {
    rows->has_inputs = mxb__carve(workspace, 1, sizeof *rows->has_inputs);
    rows->owners = mxb__carve(workspace, rows->n_places, sizeof *rows->owners);
    rows->features = mxb__carve(workspace, rows->n_places * n * n_components, sizeof *rows->features);
    rows->inputs = n_inputs > 0 ? mxb__carve(workspace, n * n_inputs, sizeof *rows->inputs) : NULL;
}

void mxb__features_carve(struct fourier_features *features, const struct fit_input *input, size_t n_threads,
                         struct workspace *workspace) {
    size_t n = input->prepared->n_rows;
    size_t n_valid = input->valid == NULL ? 0 : input->valid->n_rows;
    size_t c = input->options->n_components;
    size_t d = input->prepared->n_features;
    features->input = input;
    features->n_slots = input->options->n_projections;
    features->n_components = c;
    share_places(features, n, n_valid);
    int all_kept = features->train.n_places > 0 && (n_valid == 0 || features->valid.n_places > 0);
    /* With one projection for good whose features are kept, no input is scaled twice. Else inputs have half as much
     * room as features. */
    int scales_again = !all_kept || features->n_slots > 1 || input->options->learns_metric;
    int keep_inputs = scales_again && n + n_valid <= input->options->fourier_bytes / 2 / sizeof *features->inputs / d;

    features->train.dataset = input->prepared->view;
    features->valid.dataset = input->valid;
    carve_rows(&features->train, n, c, keep_inputs ? d : 0, workspace);
    carve_rows(&features->valid, n_valid, c, keep_inputs ? d : 0, workspace);
    features->z = mxb__carve(workspace, all_kept ? 0 : n_threads * BLOCK * c, sizeof *features->z);
    features->inputs = mxb__carve(workspace, keep_inputs ? 0 : n_threads * BLOCK * d, sizeof *features->inputs);
    features->columns = mxb__carve(workspace, n_threads * BLOCK, sizeof *features->columns);
}

void mxb__features_reset(const struct fourier_features *features) {
    const struct feature_rows *both[] = {&features->train, &features->valid};
    for (size_t i = 0; i < 2; i++) {
        *both[i]->has_inputs = 0;
        memset(both[i]->owners, 0, both[i]->n_places * sizeof *both[i]->owners);
    }
}

/* ---- a block ---- */

static void scale_rows(const struct fourier_features *features, size_t first, size_t n, size_t thread, float *inputs) {
    const mxb_dataset *dataset = features->rows->dataset;
    const struct scaling *scaling = &features->input->model->scaling;
    double *column = features->columns + thread * BLOCK;
    for (size_t f = 0; f < dataset->n_columns; f++) {
        mxb__column_read(dataset, &dataset->columns[f], first, n, column);
        mxb__scale_column(scaling->kind, &scaling->features[f], column, n, inputs + f, dataset->n_columns);
    }
}

static void compute_features(const struct fourier_features *features, size_t block, size_t thread, float *z) {
    const struct projection *projection = &features->input->model->projections[features->projection];
    size_t d = projection->n_features;
    size_t n = mxb__block_length(features->rows->dataset->n_rows, BLOCK, block);
    float *inputs = features->inputs + thread * BLOCK * d;
    if (features->rows->inputs != NULL) {
        inputs = features->rows->inputs + block * BLOCK * d;
    } else {
        scale_rows(features, block * BLOCK, n, thread, inputs);
    }
    features->input->kernels->shared->project(inputs, n, projection->weights, projection->phases, d,
                                              projection->n_components,
                                              mxb__projection_amplitude(projection->n_components), z);
}

const float *mxb__features_of_block(const struct fourier_features *features, size_t block, size_t thread) {
    size_t c = features->n_components;
    if (features->kept != NULL) {
        return features->kept + block * BLOCK * c;
    }
    float *z = features->z + thread * BLOCK * c;
    compute_features(features, block, thread, z);
    return z;
}

/* ---- all rows ---- */

static void keep_inputs_of_block(void *context, size_t block, size_t thread) {
    const struct fourier_features *features = context;
    const struct feature_rows *rows = features->rows;
    size_t n = mxb__block_length(rows->dataset->n_rows, BLOCK, block);
    scale_rows(features, block * BLOCK, n, thread, rows->inputs + block * BLOCK * rows->dataset->n_columns);
}

static void keep_features_of_block(void *context, size_t block, size_t thread) {
    const struct fourier_features *features = context;
    compute_features(features, block, thread, features->kept + block * BLOCK * features->n_components);
}

void mxb__features_take(struct fourier_features *features, const struct feature_rows *rows) {
    struct pool *pool = features->input->kernel_pool;
    size_t n = rows->dataset->n_rows;
    size_t c = features->n_components;
    size_t d = rows->dataset->n_columns;
    features->rows = rows;
    features->kept = NULL;
    if (rows->inputs != NULL && !*rows->has_inputs) {
        mxb__pool_run(pool, mxb__n_blocks(n, BLOCK), 10.0 * (double)(n * d), keep_inputs_of_block, features);
        *rows->has_inputs = 1;
    }
    if (rows->n_places == 0) {
        return;
    }
    size_t place = features->slot % rows->n_places;
    features->kept = rows->features + place * n * c;
    if (rows->owners[place] != features->projection + 1) {
        double work = (double)n * (double)c * (2.0 + (double)d);
        mxb__pool_run(pool, mxb__n_blocks(n, BLOCK), work, keep_features_of_block, features);
        rows->owners[place] = features->projection + 1;
    }
}
