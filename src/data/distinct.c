/* The distinct values of a column, by sorting it. Sums of weights run in row order, so k copies of a row count exactly
 * as one of weight k. */
#include "data/distinct.h"

#include <math.h>
#include <string.h>

#include "data/sort.h"

struct distinct mxb__distinct_find(const double *values, const double *weights, size_t n,
                                   struct distinct_scratch *scratch) {
    size_t n_present = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i])) {
            scratch->keys[n_present] = mxb__sort_key(values[i]);
            if (scratch->rows != NULL) {
                scratch->rows[n_present] = (uint32_t)i;
            }
            n_present++;
        }
    }
    mxb__sort_keys(scratch->keys, scratch->rows, n_present, scratch->spare_keys, scratch->spare_rows);

    /* The spare keys are free now; their room takes the values. */
    struct distinct found = {0, (double *)(void *)scratch->spare_keys, scratch->weights};
    for (size_t i = 0; i < n_present; i++) {
        if (i == 0 || scratch->keys[i] != scratch->keys[i - 1]) {
            found.values[found.n] = mxb__sort_value(scratch->keys[i]);
            found.weights[found.n] = 0.0;
            found.n++;
        }
        found.weights[found.n - 1] += weights == NULL ? 1.0 : weights[scratch->rows[i]];
    }
    return found;
}
