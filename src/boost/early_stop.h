/* Step 8 of the data's path: when to stop. */
#ifndef MXB_BOOST_EARLY_STOP_H
#define MXB_BOOST_EARLY_STOP_H

#include <stdint.h>

struct early_stop {
    uint32_t patience; /* rounds without improvement; 0 = never stop */
    uint32_t best_round;
    double best_loss;
};

/** `loss` is that of the model without any round. */
void mxb__early_stop_init(struct early_stop *stop, uint32_t patience, double loss);

/** Takes the validation loss after `round`; returns 1 when enough. Of equal losses the earlier round is the better. */
int mxb__early_stop_add(struct early_stop *stop, uint32_t round, double loss);

#endif
