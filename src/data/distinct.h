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

/* Room for one column of n rows at a time. Afterwards rows holds those present by ascending value, equal ones in row
 * order, and keys a number for each that is the same where values are. */
struct distinct_scratch {
    uint64_t *keys;
    uint64_t *spare_keys;
    uint32_t *rows;       /* may be NULL where all weights are 1 */
    uint32_t *spare_rows; /* likewise */
    double *weights;
    int narrow; /* all values are floats, which sorts faster */
};

/** The distinct values of `values` (NaN = missing) under `weights` (NULL = all 1). They lie in the scratch. */
struct distinct mxb__distinct_find(const double *values, const double *weights, size_t n,
                                   struct distinct_scratch *scratch);

#endif
