/* Step 6 of the data's path: what each round draws, from (seed, round) alone. */
#ifndef MXB_BOOST_SCHEDULE_H
#define MXB_BOOST_SCHEDULE_H

#include <stdint.h>

#include "boost/params.h"
#include "learner/learner.h"

/** How likely a round is of a class; all the caller's learners together are one. */
double mxb__schedule_probability(const mxb_params *params, const struct learner_ops *learner);

/** The seed of member `member`, from 0, which has `random_state` itself: one that random_state could be. */
uint64_t mxb__schedule_seed(const mxb_params *params, uint32_t member);

/** The learner class of a round (counted from 1) and its drawn settings. */
const struct learner_ops *mxb__schedule_draw(const mxb_params *params, uint64_t seed, uint32_t round,
                                             struct draw *draw);

#endif
