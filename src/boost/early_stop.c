/* Early stopping: the best round so far and how long ago it was. Knows nothing of models. */
#include "boost/early_stop.h"

void mxb__early_stop_init(struct early_stop *stop, uint32_t patience, double loss) {
    *stop = (struct early_stop){.patience = patience, .best_round = 0, .best_loss = loss};
}

int mxb__early_stop_add(struct early_stop *stop, uint32_t round, double loss) {
    if (loss < stop->best_loss) {
        stop->best_loss = loss;
        stop->best_round = round;
    }
    return stop->patience > 0 && round - stop->best_round >= stop->patience;
}
