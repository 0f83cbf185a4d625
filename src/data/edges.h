/* Step 3 of the data's path, its first half: where the bins of each feature end, and how it is scaled. */
#ifndef MXB_DATA_EDGES_H
#define MXB_DATA_EDGES_H

#include "data/prepared.h"

/** Fills bins, cuts and scaling of prepared data whose arrays are there, for exact trees codes and order too. */
mxb_status mxb__edges_find(mxb_prepared *prepared, struct pool *pool, mxb_error *error);

#endif
