/* Which random projection a fourier round works on. */
#ifndef MXB_LEARNER_FOURIER_PROJECTION_BANK_H
#define MXB_LEARNER_FOURIER_PROJECTION_BANK_H

#include <stdint.h>

#include "learner/learner.h"

/** The slot of the bank, 0 .. n_projections - 1, that a fourier round has if `round` is one: from (seed, round) alone.
 */
uint32_t mxb__bank_slot(const struct learner_options *options, uint32_t round);

/** The model's projection that `round`, the next one, works on: what the last fourier round of the same slot used, or a
 *  new one, which is drawn and added to the model. Everything follows from the model, the data and the seed. */
mxb_status mxb__bank_choose(const struct fit_input *input, uint32_t round, uint32_t *projection, mxb_error *error);

/** What alpha is multiplied by for a component. With `takes_inputs`, and at most half as many inputs as components, the
 *  first ones are the inputs themselves, each the sine of a small multiple: so they need large weights, which are
 *  penalised less. An input that a training row takes to the bound of standard ones is not among them. */
double mxb__bank_penalty(const struct projection *projection, uint32_t component);

#endif
