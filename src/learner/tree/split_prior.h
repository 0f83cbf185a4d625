/* A prior on the features of splits: before the feature of a split is chosen, each feature's gain is multiplied by a
 * power of its share of what all splits before have gained. Late in a training, what a feature that never helped seems
 * to gain is mostly chance. */
#ifndef MXB_LEARNER_SPLIT_PRIOR_H
#define MXB_LEARNER_SPLIT_PRIOR_H

#include <stdint.h>

/** factors[n] from the gains so far: 1 for the largest, down to at most 1 / 1001 to this power for one that is 0; all 1
 *  where nothing was gained. */
void mxb__split_prior(const double *gains, uint32_t n, double power, double *factors);

#endif
