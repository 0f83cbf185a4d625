/* Fourier terms made ready, against every feature scaled, projected and added up: bit for bit. */
#include "model/waves.h"

#include "check.h"
#include "unit/model/naive_predict.h"

enum { N_ROWS = 140 };

/* Some projections without some features, and one without any. */
static mxb_model *make_sparse_model(uint32_t n_features, uint32_t n_components, enum scaling_kind scaling) {
    struct model_shape shape = {.seed = n_features,
                                .loss = MODEL_MSE,
                                .n_features = n_features,
                                .n_trees = 2,
                                .max_depth = 2,
                                .n_projections = 4,
                                .n_components = n_components,
                                .n_fourier = 7,
                                .scaling = scaling};
    mxb_model *model = make_model(&shape);
    for (uint32_t p = 0; p < model->n_projections; p++) {
        float *weights = model->projections[p].weights;
        for (uint32_t f = 0; f < n_features; f++) {
            int is_gone = p == 3 || f % 5 == 4 || (f + p) % 3 == 0;
            for (uint32_t j = 0; is_gone && j < n_components; j++) {
                weights[(size_t)f * n_components + j] = j % 2 == 0 ? 0.0f : -0.0f;
            }
            if (!is_gone) { /* one weight alone counts, too */
                memset(weights + (size_t)f * n_components, 0, (n_components - 1) * sizeof *weights);
            }
        }
    }
    make_sure(mxb__model_build(model, NULL));
    return model;
}

/* Adds what all projections say about one row. */
static double naive_sum(const mxb_model *model, const double *row, double sum) {
    float *inputs = make_block(model->n_features, sizeof *inputs), *z = make_block(model->n_components, sizeof *z);
    for (uint32_t f = 0; f < model->n_features; f++) {
        inputs[f] = mxb__scale_value(model->scaling.kind, &model->scaling.features[f], row[f]);
    }
    for (uint32_t p = 0; p < model->n_projections; p++) {
        const struct projection *projection = &model->projections[p];
        double dot;
        mxb__kernels_portable.project(inputs, 1, projection->weights, projection->phases, model->n_features,
                                      projection->n_components, mxb__projection_amplitude(projection->n_components), z);
        mxb__kernels_portable.dot(z, 1, projection->n_components, model->collapsed_weights[p], &dot);
        sum += dot;
    }
    mxb__free(inputs);
    mxb__free(z);
    return sum;
}

static void check_rows(const mxb_model *model, const double *rows, size_t n) {
    struct workspace workspace = {.base = NULL, .used = 0};
    struct wave_rows room;
    char *memory;
    double column[N_ROWS], scores[N_ROWS + 1], expected[N_ROWS];
    mxb__waves_carve(&room, model->waves, n, &workspace);
    make_sure(mxb__alloc(&memory, workspace.used, 1, "a test", NULL));
    workspace = (struct workspace){.base = memory, .used = 0};
    mxb__waves_carve(&room, model->waves, n, &workspace);
    for (uint32_t f = 0; f < model->n_features; f++) {
        for (size_t i = 0; i < n; i++) {
            column[i] = rows[i * model->n_features + f];
        }
        if (mxb__waves_read(model->waves, f)) { /* in two parts */
            mxb__waves_scale(model->waves, f, column + n / 3, n / 3, n - n / 3, &room);
            mxb__waves_scale(model->waves, f, column, 0, n / 3, &room);
        }
    }
    for (size_t i = 0; i <= n; i++) {
        scores[i] = 0.1 * (double)i;
    }
    for (size_t i = 0; i < n; i++) {
        expected[i] = naive_sum(model, rows + i * model->n_features, scores[i]);
    }
    mxb__waves_add(model->waves, &room, n, scores);
    CHECK(same_bits(scores, expected, n));
    CHECK(scores[n] == 0.1 * (double)n);
    mxb__free(memory);
}

static void check_model(mxb_model *model) {
    double *rows = make_rows(N_ROWS, model->n_features);
    static const size_t counts[] = {1, 2, 5, 6, 7, 32, 127, 128, 129, N_ROWS};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        check_rows(model, rows, counts[k]);
    }
    free(rows);
    mxb_model_free(model);
}

static void sums_of_all_projections(void) {
    static const enum scaling_kind kinds[] = {SCALING_NONE, SCALING_UNBOUNDED, SCALING_RANK, SCALING_STANDARD};
    for (uint32_t d = 1; d <= 12; d++) {
        for (uint32_t k = 0; k < 3; k++) {
            check_model(make_sparse_model(d, 2 + 3 * d + k, kinds[k]));
        }
    }
    struct model_shape dense = {.seed = 3,
                                .loss = MODEL_MSE,
                                .n_features = 9,
                                .n_projections = 2,
                                .n_components = 100,
                                .n_fourier = 4,
                                .scaling = SCALING_RANK};
    check_model(make_model(&dense));
}

static void what_counts(void) {
    mxb_model *model = make_sparse_model(10, 7, SCALING_RANK);
    const struct waves *waves = model->waves;
    CHECK_INT(waves->n_maps, 4);
    CHECK_INT(waves->n_inputs, 8);
    CHECK_INT(waves->maps[3].n_inputs, 0);
    for (uint32_t f = 0; f < 10; f++) {
        CHECK_INT(mxb__waves_read(waves, f), f % 5 != 4);
    }
    mxb_model_free(model);
    struct model_shape trees = {.seed = 12, .loss = MODEL_MSE, .n_features = 6, .n_trees = 1, .max_depth = 2};
    model = make_model(&trees);
    CHECK(model->waves->n_maps == 0 && model->waves->n_inputs == 0 && !mxb__waves_read(model->waves, 0));
    mxb_model_free(model);
    struct model_shape unused = {
        .seed = 4, .loss = MODEL_MSE, .n_features = 2, .n_projections = 3, .n_components = 5, .n_fourier = 2};
    model = make_model(&unused); /* the last projection has no term */
    CHECK_INT(model->waves->n_maps, 2);
    mxb_model_free(model);
}

int main(void) {
    RUN(sums_of_all_projections);
    RUN(what_counts);
    return check_report();
}
