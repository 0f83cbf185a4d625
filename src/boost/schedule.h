/* Step 6 of the data's path: what each round draws, from (seed, round) alone. */
#ifndef MXB_BOOST_SCHEDULE_H
#define MXB_BOOST_SCHEDULE_H

#include <stdint.h>

#include "boost/params.h"
#include "learner/learner.h"

/** The learner class of a round (counted from 1) and its drawn settings. */
const struct learner_ops *mxb__schedule_draw(const mxb_params *params, uint32_t round, struct draw *draw);

#endif
