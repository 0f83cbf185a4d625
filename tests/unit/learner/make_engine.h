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

/* `hist_nbins` 0: for exact trees. 0 on failure. */
static inline int bench_open(struct bench *bench, struct data_recipe recipe, struct learner_options options,
                             uint32_t hist_nbins) {
    bench->memory = NULL;
    if (!fit_open(&bench->fit, data_make(recipe), options, hist_nbins, SCALING_NONE)) {
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

/* A row's g and h in wide quanta. */
static inline struct gradient_sum naive_quanta(const struct fit_input *input, struct quanta quanta, size_t row) {
    struct gradient_sum sum = {llrint(input->g[row] * quanta.g_scale), llrint(input->h[row] * quanta.h_scale)};
    return sum;
}

static inline void bench_begin(struct bench *bench, uint32_t round) {
    struct draw draw = {.round = round, .max_depth = bench->fit.options.max_max_depth};
    mxb__engine_begin(&bench->engine, &bench->fit.input, &draw);
}

static inline void bench_close(struct bench *bench) {
    mxb__free(bench->memory);
    fit_close(&bench->fit);
}

#endif
