/* Gains and splits on features that share a byte, against cells of each feature's own. */
#include "learner/tree/tree_fields.h"

#include "check.h"
#include "unit/learner/make_engine.h"

enum { MAX_FEATURES = 40 };

/* The cells that the feature would have had to itself. */
static void own_cells(const struct tree_engine *engine, uint32_t feature, struct gradient_sum cells[MXB__CELLS]) {
    const mxb_prepared *prepared = engine->input->prepared;
    memset(cells, 0, MXB__CELLS * sizeof *cells);
    for (size_t row = 0; row < prepared->n_rows; row++) {
        struct gradient_sum sum = engine->packed ? mxb__unpacked(engine->words[row]) : engine->sums[row];
        struct gradient_sum *cell = &cells[prepared->columns[feature * prepared->n_rows + row]];
        cell->g += sum.g;
        cell->h += sum.h;
    }
}

static struct gradient_sum total_of(const struct tree_engine *engine) {
    struct gradient_sum cells[MXB__CELLS];
    struct gradient_sum total = {0, 0};
    own_cells(engine, 0, cells);
    for (size_t code = 0; code < MXB__CELLS; code++) {
        total.g += cells[code].g;
        total.h += cells[code].h;
    }
    return total;
}

/* The field's cells in the form of a histogram. */
static void make_cells(const struct tree_engine *engine, uint32_t field, uint64_t cells[2 * MXB__CELLS]) {
    memset(cells, 0, 2 * MXB__CELLS * sizeof *cells);
    for (size_t row = 0; row < engine->input->prepared->n_rows; row++) {
        uint8_t code = *(mxb__prepared_records(engine->input->prepared, field) + row * MXB__PANEL);
        if (engine->packed) {
            cells[code] += engine->words[row];
        } else {
            cells[2 * code] += (uint64_t)engine->sums[row].g;
            cells[2 * code + 1] += (uint64_t)engine->sums[row].h;
        }
    }
}

static void check_feature(const struct tree_engine *engine, uint32_t field, uint32_t feature, const uint64_t *cells,
                          double gain) {
    const struct feature_bins *bins = &engine->input->prepared->bins[feature];
    struct gradient_sum total = total_of(engine);
    struct gradient_sum own[MXB__CELLS];
    struct gradient_sum sums[MXB__MAX_BINS];
    own_cells(engine, feature, own);
    struct feature_cells expected = mxb__feature_cells(own, 0, bins);
    CHECK(gain == mxb__split_gain(engine->input->kernels, &expected, total, &engine->rules));
    if (gain > 0.0) {
        mxb__field_load(engine, field, cells, sums);
        struct split split = mxb__field_locate(engine, total, feature, sums, gain);
        struct split by_cells = mxb__split_locate(&expected, total, &engine->rules, gain);
        CHECK_INT(split.bin, by_cells.bin);
        CHECK_INT(split.missing_left, by_cells.missing_left);
        CHECK(split.gain == gain && split.left.g == by_cells.left.g && split.left.h == by_cells.left.h);
    }
}

/* Returns how many features share a byte. */
static uint32_t check_fields(const struct tree_engine *engine) {
    const mxb_prepared *prepared = engine->input->prepared;
    uint32_t n_shared = 0;
    for (uint32_t field = 0; field < prepared->fields.n; field++) {
        uint32_t first = prepared->fields.first[field];
        uint32_t size = mxb__field_size(&prepared->fields, field);
        CHECK_INT(mxb__field_feature(engine, field),
                  size == 1 ? prepared->fields.features[first] : prepared->n_features);
        if (size == 1) {
            continue;
        }
        uint64_t cells[2 * MXB__CELLS];
        struct gradient_sum sums[MXB__MAX_BINS];
        double gains[MAX_FEATURES];
        for (size_t f = 0; f < MAX_FEATURES; f++) {
            gains[f] = -1.0;
        }
        make_cells(engine, field, cells);
        mxb__field_load(engine, field, cells, sums);
        mxb__field_gains(engine, total_of(engine), field, sums, gains);
        for (uint32_t i = first; i < first + size; i++) {
            uint32_t feature = prepared->fields.features[i];
            CHECK_INT(gains[feature] == -1.0, !engine->is_column[feature]);
            if (engine->is_column[feature]) {
                check_feature(engine, field, feature, cells, gains[feature]);
            }
        }
        n_shared += size;
    }
    return n_shared;
}

static void check_data(struct data_recipe recipe, double colsample) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.colsample = colsample;
    REQUIRE(bench_open(&bench, recipe, options, 256));
    for (uint32_t round = 1; round <= 3; round++) {
        bench_begin(&bench, round);
        CHECK(check_fields(&bench.engine) > recipe.n_features / 2);
    }
    bench_close(&bench);
}

static void splits_are_those_of_the_features_alone(void) {
    for (size_t n_distinct = 1; n_distinct <= 14; n_distinct++) {
        struct data_recipe recipe = {.n_rows = 400, .n_features = MAX_FEATURES, .seed = n_distinct};
        recipe.n_distinct = n_distinct;
        recipe.missing = n_distinct % 2 == 0 ? 0.2 : 0.0;
        recipe.weighted = n_distinct % 3 == 0;
        check_data(recipe, n_distinct % 4 == 0 ? 0.5 : 1.0);
    }
}

static void packed_ones_too(void) {
    check_data((struct data_recipe){.n_rows = 66000, .n_features = 9, .seed = 1, .n_distinct = 3, .missing = 0.1}, 1.0);
}

int main(void) {
    RUN(splits_are_those_of_the_features_alone);
    RUN(packed_ones_too);
    return check_report();
}
