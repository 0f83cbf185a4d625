/* The probability mass function over learner classes: tree_probability, spread evenly over the depths min_max_depth ..
 * max_max_depth, and the rest on the fourier learner. Knows nothing of data. */
#include "boost/schedule.h"

#include "base/random.h"

const struct learner_ops *mxb__schedule_draw(const mxb_params *params, uint32_t round, struct draw *draw) {
    uint64_t seed = (uint64_t)mxb__param(params, OPTION_RANDOM_STATE);
    double u = mxb__random_uniform(mxb__random_stream(seed, RANDOM_LEARNER, round), 0);
    *draw = (struct draw){.round = round};
    if (!(u < mxb__param(params, OPTION_TREE_PROBABILITY))) {
        return &mxb__fourier_learner;
    }
    uint32_t lowest = mxb__param_count(params, OPTION_MIN_MAX_DEPTH);
    uint32_t n_depths = mxb__param_count(params, OPTION_MAX_MAX_DEPTH) - lowest + 1;
    double v = mxb__random_uniform(mxb__random_stream(seed, RANDOM_DEPTH, round), 0);
    draw->max_depth = lowest + (uint32_t)(v * (double)n_depths);
    return &mxb__tree_learner;
}
