/* What a column holds: its distinct values with their weights. Bins and scaling are both made from this. */
#ifndef MXB_DATA_DISTINCT_H
#define MXB_DATA_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

struct distinct {
    size_t n;        /* distinct values, missing ones not counted */
    double *values;  /* ascending; may begin with -inf and end with inf */
    double *weights; /* sum of the rows' weights, each over 0 */
};

/* Room for one column of n rows at a time. Afterwards keys and rows hold those of the present rows, ascending, equal
 * keys in row order. */
struct distinct_scratch {
    uint64_t *keys;
    uint64_t *spare_keys;
    uint32_t *rows;       /* may be NULL where all weights are 1 */
    uint32_t *spare_rows; /* likewise */
    double *weights;
};

/** The distinct values of `values` (NaN = missing) under `weights` (NULL = all 1). They lie in the scratch. */
struct distinct mxb__distinct_find(const double *values, const double *weights, size_t n,
                                   struct distinct_scratch *scratch);

#endif
