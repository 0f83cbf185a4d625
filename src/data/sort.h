/* Sorting columns: stable, in linear time. */
#ifndef MXB_DATA_SORT_H
#define MXB_DATA_SORT_H

#include <stddef.h>
#include <stdint.h>

/** A key that orders as the double does (-inf first, +inf last); -0 and 0 share one. Not for NaN. */
uint64_t mxb__sort_key(double value);
double mxb__sort_value(uint64_t key);

/** Sorts n keys ascending, and with them, where not NULL, the rows they came from; equal keys keep their order. The
 *  spare arrays hold n elements each; the result is in `keys` and `rows`. */
void mxb__sort_keys(uint64_t *keys, uint32_t *rows, size_t n, uint64_t *spare_keys, uint32_t *spare_rows);

#endif
