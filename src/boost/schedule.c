/* The probability mass function over learner classes: the caller's learners in the order they were added; of what they
 * leave, tree_probability on trees, and the rest on the fourier learner. Of the trees, symmetric_probability on
 * symmetric ones, and the others spread over the depths min_max_depth .. max_max_depth evenly or as depth_probabilities
 * says. Knows nothing of data. */
#include "boost/schedule.h"

#include <math.h>

#include "base/random.h"

double mxb__schedule_probability(const mxb_params *params, const struct learner_ops *learner) {
    double built_in = mxb__params_built_in(params);
    double tree = mxb__param(params, OPTION_TREE_PROBABILITY);
    return learner == &mxb__own_learner    ? 1.0 - built_in
           : learner == &mxb__tree_learner ? built_in * tree
                                           : built_in * (1.0 - tree);
}

/* The caller's learner that u in [0, 1) stands for, or NULL; what it exceeds their probabilities by is left in u. */
static const mxb_learner *draw_own(const mxb_params *params, double *u) {
    const mxb_learner *last = NULL;
    double sum = 0.0;
    for (uint32_t i = 0; i < params->own.n_learners; i++) {
        if (params->own_probabilities[i] > 0.0) {
            last = &params->own.learners[i];
            sum += params->own_probabilities[i];
            if (*u < sum) {
                return last;
            }
        }
    }
    *u -= sum;
    return mxb__params_built_in(params) > 0.0 ? NULL : last;
}

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

uint64_t mxb__schedule_seed(const mxb_params *params, uint32_t member) {
    uint64_t seed = (uint64_t)mxb__param(params, OPTION_RANDOM_STATE);
    return member == 0 ? seed : mxb__random_bits(mxb__random_stream(seed, RANDOM_MEMBERS, member), 0) & UINT32_MAX;
}

const struct learner_ops *mxb__schedule_draw(const mxb_params *params, uint64_t seed, uint32_t round,
                                             struct draw *draw) {
    double u = mxb__random_uniform(mxb__random_stream(seed, RANDOM_LEARNER, round), 0);
    *draw = (struct draw){.round = round};
    draw->own = draw_own(params, &u);
    if (draw->own != NULL) {
        return &mxb__own_learner;
    }
    int beyond_trees = !(u < mxb__schedule_probability(params, &mxb__tree_learner));
    if (beyond_trees && mxb__schedule_probability(params, &mxb__fourier_learner) > 0.0) { /* never by rounding alone */
        return &mxb__fourier_learner;
    }
    struct random_stream shape = mxb__random_stream(seed, RANDOM_SHAPE, round);
    draw->is_symmetric = mxb__random_uniform(shape, 1) < mxb__param(params, OPTION_SYMMETRIC_PROBABILITY);
    draw->max_depth = draw->is_symmetric ? mxb__param_count(params, OPTION_SYMMETRIC_DEPTH)
                                         : draw_depth(params, mxb__random_uniform(shape, 0));
    return &mxb__tree_learner;
}
