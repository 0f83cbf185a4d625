/* The probability mass function over learner classes: tree_probability, spread over the depths min_max_depth ..
 * max_max_depth evenly or as depth_probabilities says, and the rest on the fourier learner. Knows nothing of data. */
#include "boost/schedule.h"

#include <math.h>

#include "base/random.h"

/* The depth that the share v of [0, 1) falls to. */
static uint32_t draw_depth(const mxb_params *params, double v) {
    uint32_t lowest = mxb__param_count(params, OPTION_MIN_MAX_DEPTH);
    uint32_t n_depths = mxb__param_count(params, OPTION_MAX_MAX_DEPTH) - lowest + 1;
    if (isnan(mxb__param(params, OPTION_DEPTH_PROBABILITIES))) {
        return lowest + (uint32_t)(v * (double)n_depths);
    }
    uint32_t drawn = 0;
    double below = 0.0; /* probability of the depths below i */
    for (uint32_t i = 0; i < n_depths && below <= v; i++) {
        double probability = params->depth_probabilities[i];
        drawn = probability > 0.0 ? i : drawn; /* the last that can be drawn takes what rounding leaves */
        below += probability;
    }
    return lowest + drawn;
}

const struct learner_ops *mxb__schedule_draw(const mxb_params *params, uint32_t round, struct draw *draw) {
    uint64_t seed = (uint64_t)mxb__param(params, OPTION_RANDOM_STATE);
    double u = mxb__random_uniform(mxb__random_stream(seed, RANDOM_LEARNER, round), 0);
    *draw = (struct draw){.round = round};
    if (!(u < mxb__param(params, OPTION_TREE_PROBABILITY))) {
        return &mxb__fourier_learner;
    }
    draw->max_depth = draw_depth(params, mxb__random_uniform(mxb__random_stream(seed, RANDOM_DEPTH, round), 0));
    return &mxb__tree_learner;
}
