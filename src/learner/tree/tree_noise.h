/* Noise on splits: before the feature of a split is chosen, each feature's gain is multiplied by a random factor, so
 * that trees differ more than their gains do. The noise fades over the rounds. */
#ifndef MXB_LEARNER_TREE_NOISE_H
#define MXB_LEARNER_TREE_NOISE_H

#include <stdint.h>

#include "base/random.h"

struct split_noise {
    double deviation; /* of the factors; 0: no noise */
    struct random_stream random;
};

/** The noise of a round, counted from 1; `deviation` is that of the first. */
struct split_noise mxb__split_noise(uint64_t seed, uint32_t round, double deviation);

/** The factor on a feature's gain, at least 0.05. It is drawn by `place`: the node's path from the root (1; below k, 2k
 * to the left and 2k + 1 to the right), or the level where one split serves a level; never by the order of the search.
 */
double mxb__split_noise_factor(const struct split_noise *noise, uint32_t place, uint32_t feature);

#endif
