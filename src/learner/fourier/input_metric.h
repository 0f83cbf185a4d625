/* What the rounds so far say about which inputs of the kernel matter. */
#ifndef MXB_LEARNER_FOURIER_INPUT_METRIC_H
#define MXB_LEARNER_FOURIER_INPUT_METRIC_H

#include "learner/fourier/row_sample.h"

/** Writes a weight for each input, their mean square 1: the root of its share of what the trees of the model gained and
 *  of the mean squared slope of its fourier terms, the mean of both shares, or the one there is; 1 where there is
 *  none. Inputs that scaling makes constant have weight 0, unless all have 1. */
mxb_status mxb__input_metric_learn(const struct fit_input *input, const struct row_sample *sample, double *weights,
                                   mxb_error *error);

#endif
