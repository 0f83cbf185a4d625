/* Step 3 of the data's path, its second half: the codes of the bins, as histograms and partitions read them. */
#ifndef MXB_DATA_BIN_CODES_H
#define MXB_DATA_BIN_CODES_H

#include "data/prepared.h"

/** Fills columns and records of prepared data whose bins are known. */
void mxb__bin_codes_write(mxb_prepared *prepared, struct pool *pool);

#endif
