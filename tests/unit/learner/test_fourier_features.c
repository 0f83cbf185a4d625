/* Features of rows, kept or not, against those computed all at once. */
#include "learner/fourier/fourier_features.h"

#include "base/math.h"
#include "base/memory.h"
#include "check.h"
#include "unit/learner/make_features.h"

enum { N_ROWS = 2500, N_VALID = 1100, N_FEATURES = 3, N_COMPONENTS = 7, N_SLOTS = 4 };

/* Adds random projections to the model. */
static int add_projections(mxb_model *model, size_t n) {
    struct dice dice = {n};
    for (size_t p = 0; p < n; p++) {
        struct projection projection = {.n_components = N_COMPONENTS, .n_features = N_FEATURES};
        if (mxb__alloc(&projection.weights, N_FEATURES * N_COMPONENTS, sizeof(float), "a test", NULL) != MXB_OK ||
            mxb__alloc(&projection.phases, N_COMPONENTS, sizeof(float), "a test", NULL) != MXB_OK) {
            return 0;
        }
        for (size_t i = 0; i < N_FEATURES * N_COMPONENTS; i++) {
            projection.weights[i] = mxb__factor(dice_normal(&dice));
        }
        for (size_t j = 0; j < N_COMPONENTS; j++) {
            projection.phases[j] = (float)dice_uniform(&dice);
        }
        if (mxb__model_add_projection(model, &projection, NULL) != MXB_OK) {
            return 0;
        }
    }
    return 1;
}

static size_t measure(const struct fit_input *input) {
    struct fourier_features features;
    struct workspace workspace = {NULL, 0};
    mxb__features_carve(&features, input, input->options->kernel_n_threads, &workspace);
    return workspace.used;
}

/* All blocks of the rows, on two of the threads' scratch, against the projection of all inputs. */
static void check_rows(const struct fit_case *fit, struct fourier_features *features, const struct feature_rows *rows) {
    size_t n = rows->dataset->n_rows;
    const struct projection *projection = &fit->model->projections[features->projection];
    float *inputs = naive_inputs(fit, rows->dataset);
    float *expected = calloc(n * N_COMPONENTS, sizeof *expected);
    fit->input.kernels->shared->project(inputs, n, projection->weights, projection->phases, N_FEATURES, N_COMPONENTS,
                                        mxb__projection_amplitude(N_COMPONENTS), expected);
    mxb__features_take(features, rows);
    for (size_t block = 0; block < mxb__n_blocks(n, MXB__FOURIER_BLOCK); block++) {
        const float *z = mxb__features_of_block(features, block, block % 2);
        size_t n_floats = mxb__block_length(n, MXB__FOURIER_BLOCK, block) * N_COMPONENTS;
        CHECK(memcmp(z, expected + block * MXB__FOURIER_BLOCK * N_COMPONENTS, n_floats * sizeof *z) == 0);
    }
    free(inputs);
    free(expected);
}

/* Rounds on the slots in turn, with a new projection in one of them now and then. */
static void check_room(size_t n_bytes, size_t n_places, size_t n_valid_places, int keeps_inputs, int with_valid) {
    struct fit_case fit;
    struct learner_options options = fit_options();
    struct data_recipe recipe = {.n_rows = N_ROWS, .n_features = N_FEATURES, .seed = 1, .missing = 0.1};
    options.n_components = N_COMPONENTS;
    options.n_projections = N_SLOTS;
    options.fourier_bytes = n_bytes;
    options.tree_n_threads = options.ridge_n_threads = options.kernel_n_threads = 2;
    REQUIRE(fit_open(&fit, data_make(recipe), options, 256, SCALING_RANK));
    recipe.n_rows = N_VALID;
    recipe.seed = 2;
    struct made_data valid = data_make(recipe);
    fit.input.options = &options;
    fit.input.valid = with_valid ? valid.dataset : NULL;
    REQUIRE(add_projections(fit.model, 30));
    size_t n_measured = measure(&fit.input);
    REQUIRE(mxb__alloc(&fit.workspace, n_measured, 1, "a test", NULL) == MXB_OK);
    memset(fit.workspace, 0x5a, n_measured);
    uint32_t held[N_SLOTS] = {0, 1, 2, 3};
    for (uint32_t round = 0; round < 30; round++) {
        struct fourier_features features;
        struct workspace workspace = {fit.workspace, 0};
        mxb__features_carve(&features, &fit.input, 2, &workspace);
        CHECK_INT(workspace.used, n_measured);
        CHECK_INT(features.train.n_places, n_places);
        CHECK_INT(features.valid.n_places, with_valid ? n_valid_places : 0);
        CHECK_INT(features.train.inputs != NULL, keeps_inputs);
        if (round == 0) {
            mxb__features_reset(&features);
        }
        features.slot = round * 7 % N_SLOTS;
        if (round % 3 == 2) {
            held[features.slot] = round;
        }
        features.projection = held[features.slot];
        check_rows(&fit, &features, &features.train);
        if (with_valid) {
            check_rows(&fit, &features, &features.valid);
            check_rows(&fit, &features, &features.train);
        }
    }
    data_clear(&valid);
    fit_close(&fit);
}

/* Values that change behind the library's back show whether they are read again. */
static void what_is_kept_is_not_computed_again(void) {
    struct fit_case fit;
    struct learner_options options = fit_options();
    struct fourier_features features;
    float kept[N_SLOTS + 1];
    options.n_components = N_COMPONENTS;
    options.n_projections = N_SLOTS;
    REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = N_ROWS, .n_features = N_FEATURES, .seed = 1}),
                     options, 256, SCALING_RANK));
    fit.input.options = &options;
    REQUIRE(add_projections(fit.model, N_SLOTS + 1));
    REQUIRE(mxb__alloc(&fit.workspace, measure(&fit.input), 1, "a test", NULL) == MXB_OK);
    struct workspace workspace = {fit.workspace, 0};
    mxb__features_carve(&features, &fit.input, 1, &workspace);
    mxb__features_reset(&features);
    float *inputs = naive_inputs(&fit, fit.prepared->view);
    for (int is_changed = 0; is_changed < 2; is_changed++) {
        for (uint32_t p = 0; p < N_SLOTS + (uint32_t)is_changed; p++) {
            features.slot = p % N_SLOTS;
            features.projection = p;
            mxb__features_take(&features, &features.train);
            float first = mxb__features_of_block(&features, 0, 0)[0];
            CHECK(p == N_SLOTS || !is_changed || first == kept[p]);
            kept[p] = first;
        }
        memset(fit.data.x, 0, N_ROWS * N_FEATURES * sizeof *fit.data.x);
        memset(fit.model->projections[0].weights, 0, sizeof(float));
    }
    const struct projection *last = &fit.model->projections[N_SLOTS];
    float z[N_COMPONENTS];
    fit.input.kernels->shared->project(inputs, 1, last->weights, last->phases, N_FEATURES, N_COMPONENTS,
                                       mxb__projection_amplitude(N_COMPONENTS), z);
    CHECK(kept[N_SLOTS] == z[0]); /* drawn later, from the inputs of before */
    free(inputs);
    fit_close(&fit);
}

static void room_changes_nothing(void) {
    size_t one = N_ROWS * N_COMPONENTS * sizeof(float);
    size_t one_valid = N_VALID * N_COMPONENTS * sizeof(float);
    for (int with_valid = 0; with_valid < 2; with_valid++) {
        check_room((size_t)512 << 20, N_SLOTS, N_SLOTS, 1, with_valid);
        check_room(0, 0, 0, 0, with_valid);
        check_room(one, 1, 0, !with_valid, with_valid);
        check_room(4 * one + one_valid, 4, 1, 1, with_valid);
        check_room(3 * one + 3 * one_valid, 4, 0, 1, with_valid); /* training rows first */
        check_room(2 * one + 2 * one_valid, 2, 2, 1, with_valid);
    }
}

/* One projection for good, and its features kept: then nothing is scaled twice, and inputs are not kept. */
static void inputs_are_kept_where_they_are_used_again(void) {
    struct fit_case fit;
    struct learner_options options = fit_options();
    struct fourier_features features;
    REQUIRE(fit_open(&fit, data_make((struct data_recipe){.n_rows = 100, .n_features = 3, .seed = 1}), options, 256,
                     SCALING_RANK));
    for (int k = 0; k < 4; k++) {
        struct workspace workspace = {NULL, 0};
        char *memory;
        options.n_projections = k == 1 ? 2 : 1;
        options.learns_metric = k == 2;
        options.fourier_bytes = k == 3 ? 100 * 3 * sizeof(float) * 2 : 1 << 20;
        fit.input.options = &options;
        mxb__features_carve(&features, &fit.input, 1, &workspace);
        REQUIRE(mxb__alloc(&memory, workspace.used, 1, "a test", NULL) == MXB_OK);
        workspace = (struct workspace){memory, 0};
        mxb__features_carve(&features, &fit.input, 1, &workspace);
        CHECK_INT(features.train.inputs != NULL, k > 0);
        CHECK_INT(features.train.n_places, k == 3 ? 0 : options.n_projections);
        mxb__free(memory);
    }
    fit_close(&fit);
}

int main(void) {
    RUN(room_changes_nothing);
    RUN(what_is_kept_is_not_computed_again);
    RUN(inputs_are_kept_where_they_are_used_again);
    return check_report();
}
