/* A tree engine on made data, for the tests of its parts. */
#ifndef MAKE_ENGINE_H
#define MAKE_ENGINE_H

#include "learner/tree/tree_engine.h"
#include "unit/learner/make_fit.h"

struct bench {
    struct fit_case fit;
    struct tree_engine engine;
    char *memory;
};

/* Takes over `data`. `hist_nbins` 0: for exact trees. 0 on failure. */
static inline int bench_open_on(struct bench *bench, struct made_data data, struct learner_options options,
                                uint32_t hist_nbins) {
    bench->memory = NULL;
    if (!fit_open(&bench->fit, data, options, hist_nbins, SCALING_NONE)) {
        return 0;
    }
    bench->fit.input.options = &bench->fit.options;
    struct workspace measure = {NULL, 0};
    mxb__engine_carve(&bench->engine, &bench->fit.input, &measure);
    if (mxb__alloc(&bench->memory, measure.used, 1, "a test", NULL) != MXB_OK) {
        return 0;
    }
    memset(bench->memory, 0x5a, measure.used);
    struct workspace workspace = {bench->memory, 0};
    mxb__engine_carve(&bench->engine, &bench->fit.input, &workspace);
    return workspace.used == measure.used;
}

static inline int bench_open(struct bench *bench, struct data_recipe recipe, struct learner_options options,
                             uint32_t hist_nbins) {
    return bench_open_on(bench, data_make(recipe), options, hist_nbins);
}

static inline void bench_begin(struct bench *bench, uint32_t round) {
    struct draw draw = {.round = round, .max_depth = bench->fit.options.max_max_depth};
    mxb__engine_begin(&bench->engine, &bench->fit.input, &draw, NULL);
}

static inline void bench_close(struct bench *bench) {
    mxb__free(bench->memory);
    fit_close(&bench->fit);
}

/* ---- what the engine should know, row by row ---- */

/* A row's g and h in wide quanta. */
static inline struct gradient_sum naive_quanta(const struct fit_input *input, struct quanta quanta, size_t row) {
    struct gradient_sum sum = {llrint(input->g[row] * quanta.g_scale), llrint(input->h[row] * quanta.h_scale)};
    return sum;
}

/* The same as the split search sees them. */
static inline struct gradient_sum naive_row(const struct tree_engine *engine, size_t row) {
    if (!engine->packed) {
        return naive_quanta(engine->input, engine->quanta, row);
    }
    int64_t h = (int64_t)(engine->words[row] & 0xffffffffu);
    return (struct gradient_sum){(int64_t)(engine->words[row] - (uint64_t)h) / ((int64_t)1 << 32), h};
}

static inline uint32_t naive_code(const mxb_prepared *prepared, uint32_t feature, uint32_t row) {
    size_t at = feature * prepared->n_rows + row;
    return prepared->settings.exact ? prepared->codes[at] : prepared->columns[at];
}

static inline int naive_side(const mxb_prepared *prepared, const struct split *split, uint32_t row) {
    uint32_t code = naive_code(prepared, split->feature, row);
    int is_missing = code == prepared->bins[split->feature].n_cuts + 1;
    return is_missing ? split->missing_left : code <= split->bin;
}

static inline struct gradient_sum naive_total_of(const struct tree_engine *engine, struct row_span span) {
    struct gradient_sum total = {0, 0};
    for (uint32_t i = span.begin; i < span.end; i++) {
        struct gradient_sum sum = naive_row(engine, engine->rows[i]);
        total.g += sum.g;
        total.h += sum.h;
    }
    return total;
}

/* For features with no more bins than a histogram has. */
static inline void naive_cells(const struct tree_engine *engine, struct row_span span, uint32_t feature,
                               struct gradient_sum cells[MXB__CELLS]) {
    memset(cells, 0, MXB__CELLS * sizeof *cells);
    for (uint32_t i = span.begin; i < span.end; i++) {
        struct gradient_sum sum = naive_row(engine, engine->rows[i]);
        struct gradient_sum *cell = &cells[naive_code(engine->input->prepared, feature, engine->rows[i])];
        cell->g += sum.g;
        cell->h += sum.h;
    }
}

/* The split of such cells that the node should have. */
static inline struct split naive_split_of(const struct tree_engine *engine, const struct engine_node *node) {
    const mxb_prepared *prepared = engine->input->prepared;
    struct gradient_sum(*cells)[MXB__CELLS] = calloc(prepared->n_features, sizeof *cells);
    double *gains = calloc(prepared->n_features, sizeof *gains);
    struct split split = {0};
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        if (engine->is_column[f]) {
            naive_cells(engine, node->rows, f, cells[f]);
            struct feature_cells of_feature = mxb__feature_cells(cells[f], 0, &prepared->bins[f]);
            gains[f] = mxb__split_gain(&mxb__training_kernels_portable, &of_feature, node->total, &engine->rules);
        }
    }
    uint32_t best = mxb__split_choose(gains, prepared->n_features, &engine->factors, node->path);
    if (best < prepared->n_features) {
        struct feature_cells of_best = mxb__feature_cells(cells[best], 0, &prepared->bins[best]);
        split = mxb__split_locate(&of_best, node->total, &engine->rules, gains[best]);
        split.feature = best;
    }
    free(cells);
    free(gains);
    return split;
}

/* A split that the test wants, whatever it gains. */
static inline struct split forced_split(const struct tree_engine *engine, struct row_span span, uint32_t feature,
                                        uint32_t bin, uint8_t missing_left) {
    struct split split = {.gain = 1.0, .feature = feature, .bin = bin, .missing_left = missing_left};
    for (uint32_t i = span.begin; i < span.end; i++) {
        if (naive_side(engine->input->prepared, &split, engine->rows[i])) {
            struct gradient_sum sum = naive_row(engine, engine->rows[i]);
            split.left.g += sum.g;
            split.left.h += sum.h;
        }
    }
    return split;
}

static inline int same_sum(struct gradient_sum a, struct gradient_sum b) { return a.g == b.g && a.h == b.h; }

static inline int same_split(const struct split *a, const struct split *b) {
    return a->gain == b->gain && a->feature == b->feature && a->bin == b->bin && a->missing_left == b->missing_left &&
           same_sum(a->left, b->left);
}

#endif
