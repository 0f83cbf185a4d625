/* Keys of rows, by which copies of a row are found: what is drawn by them is the same for a row of weight k and for k
 * copies of it. */
#ifndef MXB_DATA_ROW_KEYS_H
#define MXB_DATA_ROW_KEYS_H

#include <stdint.h>

#include "data/dataset.h"
#include "data/labels.h"

/** A key for each row of the dataset ([n_rows]), from its features and its label: equal rows have equal keys, whatever
 *  their place and weight, and others almost surely do not. */
void mxb__row_keys(const mxb_dataset *dataset, const struct labels *labels, uint64_t *keys);

#endif
