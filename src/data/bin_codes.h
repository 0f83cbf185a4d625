/* Step 3 of the data's path, its second half: the codes of the bins, as histograms, partitions and walks read them. */
#ifndef MXB_DATA_BIN_CODES_H
#define MXB_DATA_BIN_CODES_H

#include "data/prepared.h"

/** Fills columns and records of prepared data whose bins are known. */
void mxb__bin_codes_write(mxb_prepared *prepared, struct pool *pool);

/** The codes of other rows by the same bins, by column only: columns[feature][row]. */
void mxb__bin_codes_write_columns(const mxb_prepared *prepared, const mxb_dataset *rows, struct pool *pool,
                                  uint8_t *columns);

#endif
