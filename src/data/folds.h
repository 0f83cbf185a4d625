/* Rows dealt into folds of equal size, at random. */
#ifndef MXB_DATA_FOLDS_H
#define MXB_DATA_FOLDS_H

#include <stddef.h>
#include <stdint.h>

#include "data/labels.h"

/** Writes for every row the fold it belongs to, 0 .. n_folds - 1, into `folds` ([n_rows]). The sizes of folds differ by
 *  at most one; so do their numbers of rows that weigh anything, of which there must be n_folds or more, and with
 *  `stratify` those of each label value among these. Which rows go together depends on (seed, repeat) and, beyond their
 *  order, on no row of weight 0. */
mxb_status mxb__folds_deal(const struct labels *labels, size_t n_folds, int stratify, uint64_t seed, uint64_t repeat,
                           uint32_t *folds, mxb_error *error);

/** The rows of a fold, or with `others` those of all other folds, in their order. */
mxb_status mxb__folds_select(const mxb_dataset *dataset, const uint32_t *folds, uint32_t fold, int others,
                             mxb_dataset **selected, mxb_error *error);

#endif
