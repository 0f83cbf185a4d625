/* Step 10 of the data's path: fourier terms made ready to predict, and what they say about a block of rows. */
#include "model/waves.h"

#include <string.h>

#include "model/row_block.h"

/* ---- build ---- */

static int is_used(const mxb_model *model, uint32_t p) { return model->collapsed_weights[p] != NULL; }

static int has_weight(const struct projection *projection, uint32_t feature) {
    const float *weights = projection->weights + (size_t)feature * projection->n_components;
    uint32_t j = 0;
    while (j < projection->n_components && weights[j] == 0.0f) {
        j++;
    }
    return j < projection->n_components;
}

/* Components of a row of a map. */
static size_t step_of(const struct projection *projection) {
    return ((size_t)projection->n_components + MXB__MAP_STEP - 1) / MXB__MAP_STEP * MXB__MAP_STEP;
}

/* What all maps together take. */
struct sizes {
    size_t n_inputs; /* of each map, added up */
    size_t n_floats; /* their weights and the phases */
    size_t n_dots;
};

/* Counts the inputs of a projection, which are marked by a 0. */
static size_t mark_inputs(const struct projection *projection, uint32_t *columns) {
    size_t n = 0;
    for (uint32_t f = 0; f < projection->n_features; f++) {
        if (has_weight(projection, f)) {
            columns[f] = 0;
            n++;
        }
    }
    return n;
}

static struct sizes number_inputs(const mxb_model *model, struct waves *waves) {
    struct sizes sizes = {0, 0, 0};
    memset(waves->columns, 0xff, model->n_features * sizeof *waves->columns);
    for (uint32_t p = 0; p < model->n_projections; p++) {
        if (is_used(model, p)) {
            size_t n = mark_inputs(&model->projections[p], waves->columns), step = step_of(&model->projections[p]);
            sizes.n_inputs += n;
            sizes.n_floats += (n + 1) * step;
            sizes.n_dots += step;
            waves->n_maps++;
        }
    }
    for (uint32_t f = 0; f < model->n_features; f++) {
        waves->columns[f] = waves->columns[f] == 0 ? waves->n_inputs++ : UINT32_MAX;
    }
    return sizes;
}

/* A map in arrays of zeros, which it takes what it needs of. */
static struct feature_map make_map(const struct waves *waves, const struct projection *projection,
                                   const double *collapsed, uint32_t *numbers, float *floats, double *dots) {
    size_t c = projection->n_components, step = step_of(projection);
    struct feature_map map = {.columns = numbers,
                              .n_components = c,
                              .step = step,
                              .phases = floats,
                              .weights = floats + step,
                              .dots = dots,
                              .amplitude = mxb__projection_amplitude(projection->n_components)};
    memcpy(floats, projection->phases, c * sizeof *floats);
    memcpy(dots, collapsed, c * sizeof *dots);
    for (uint32_t f = 0; f < projection->n_features; f++) {
        if (has_weight(projection, f)) {
            numbers[map.n_inputs] = waves->columns[f];
            memcpy(floats + ++map.n_inputs * step, projection->weights + f * c, c * sizeof *floats);
        }
    }
    return map;
}

static mxb_status make_maps(const mxb_model *model, struct waves *waves, mxb_error *error) {
    const char *purpose = "projections";
    struct sizes sizes = number_inputs(model, waves);
    MXB_TRY(mxb__alloc(&waves->maps, waves->n_maps, sizeof *waves->maps, purpose, error));
    MXB_TRY(mxb__alloc(&waves->numbers, sizes.n_inputs, sizeof *waves->numbers, purpose, error));
    MXB_TRY(mxb__alloc_zeroed(&waves->weights, sizes.n_floats, sizeof *waves->weights, purpose, error));
    MXB_TRY(mxb__alloc_zeroed(&waves->dots, sizes.n_dots, sizeof *waves->dots, purpose, error));
    uint32_t *numbers = waves->numbers;
    float *floats = waves->weights;
    double *dots = waves->dots;
    struct feature_map *map = waves->maps;
    for (uint32_t p = 0; p < model->n_projections; p++) {
        if (is_used(model, p)) {
            *map = make_map(waves, &model->projections[p], model->collapsed_weights[p], numbers, floats, dots);
            numbers += map->n_inputs;
            floats += (map->n_inputs + 1) * map->step;
            dots += map->step;
            map++;
        }
    }
    return MXB_OK;
}

static mxb_status make_tables(const mxb_model *model, struct waves *waves, mxb_error *error) {
    size_t n_slots = 0, n_halves = 0;
    int are_ranks = waves->n_inputs > 0 && model->scaling.kind == SCALING_RANK;
    for (uint32_t f = 0; are_ranks && f < model->n_features; f++) {
        if (mxb__waves_read(waves, f)) {
            n_slots += mxb__rank_table_slots(model->scaling.features[f].n_knots);
            n_halves += mxb__rank_table_n_halves(model->scaling.features[f].n_knots);
        }
    }
    MXB_TRY(
        mxb__alloc(&waves->tables, are_ranks ? waves->n_inputs : 0, sizeof *waves->tables, "scaling tables", error));
    MXB_TRY(mxb__alloc(&waves->slots, n_slots, sizeof *waves->slots, "scaling tables", error));
    MXB_TRY(mxb__alloc(&waves->halves, n_halves, sizeof *waves->halves, "scaling tables", error));
    double *slots = waves->slots;
    float *halves = waves->halves;
    for (uint32_t f = 0; are_ranks && f < model->n_features; f++) {
        if (mxb__waves_read(waves, f)) {
            struct rank_table *table = &waves->tables[waves->columns[f]];
            *table = mxb__scaling_table(&model->scaling.features[f]);
            mxb__rank_table_build(table, slots, halves);
            slots += mxb__rank_table_slots(table->n_knots);
            halves += mxb__rank_table_n_halves(table->n_knots);
        }
    }
    return MXB_OK;
}

static mxb_status build(const mxb_model *model, struct waves *waves, mxb_error *error) {
    waves->kernels = mxb__kernels();
    waves->scaling = &model->scaling;
    MXB_TRY(mxb__alloc(&waves->columns, model->n_features, sizeof *waves->columns, "projections", error));
    MXB_TRY(make_maps(model, waves, error));
    return make_tables(model, waves, error);
}

mxb_status mxb__waves_build(const mxb_model *model, struct waves **waves, mxb_error *error) {
    MXB_TRY(mxb__alloc_zeroed(waves, 1, sizeof **waves, "projections", error));
    mxb_status status = build(model, *waves, error);
    if (status != MXB_OK) {
        mxb__waves_free(*waves);
        *waves = NULL;
    }
    return status;
}

void mxb__waves_free(struct waves *waves) {
    if (waves == NULL) {
        return;
    }
    mxb__free(waves->columns);
    mxb__free(waves->tables);
    mxb__free(waves->maps);
    mxb__free(waves->slots);
    mxb__free(waves->halves);
    mxb__free(waves->numbers);
    mxb__free(waves->weights);
    mxb__free(waves->dots);
    mxb__free(waves);
}

/* ---- rows ---- */

int mxb__waves_read(const struct waves *waves, uint32_t feature) { return waves->columns[feature] != UINT32_MAX; }

/* Columns a power of two apart would share a few places of the caches. */
static size_t stride_of(size_t n) { return n % MXB__CODE_ROWS == 0 ? n + MXB__LANES : n; }

void mxb__waves_carve(struct wave_rows *rows, const struct waves *waves, size_t n, struct workspace *workspace) {
    rows->stride = stride_of(n);
    rows->inputs = mxb__carve(workspace, waves->n_inputs * rows->stride, sizeof *rows->inputs);
    rows->sums = mxb__carve(workspace, waves->n_maps > 0 ? n : 0, sizeof *rows->sums);
}

void mxb__waves_scale(const struct waves *waves, uint32_t feature, const double *values, size_t first, size_t n,
                      const struct wave_rows *rows) {
    uint32_t column = waves->columns[feature];
    float *inputs = rows->inputs + column * rows->stride + first;
    if (waves->scaling->kind == SCALING_RANK) {
        waves->kernels->scale_ranks(&waves->tables[column], values, n, inputs);
    } else {
        mxb__scale_values(waves->scaling->kind, &waves->scaling->features[feature], values, n, inputs);
    }
}

void mxb__waves_add(const struct waves *waves, const struct wave_rows *rows, size_t n, double *scores) {
    for (uint32_t m = 0; m < waves->n_maps; m++) {
        waves->kernels->project_dot(&waves->maps[m], rows->inputs, rows->stride, n, rows->sums);
        mxb__scores_add(scores, n, rows->sums, 0);
    }
}
