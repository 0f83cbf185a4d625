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

#endif
