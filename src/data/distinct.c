/* The distinct values of a column, by sorting it. Sums of weights run in row order, so k copies of a row count exactly
 * as one of weight k. */
#include "data/distinct.h"

#include <math.h>
#include <string.h>

#include "data/sort.h"

/* Key and row in one word, which is sorted in half the time of two. */
static size_t sort_floats(const double *values, size_t n, struct distinct_scratch *scratch) {
    size_t n_present = 0;
    for (size_t i = 0; i < n; i++) {
        scratch->keys[n_present] = (uint64_t)mxb__sort_narrow_key((float)values[i]) << 32 | (uint32_t)i;
        n_present += isnan(values[i]) ? 0 : 1;
    }
    const uint64_t *sorted = mxb__sort_upper(scratch->keys, scratch->spare_keys, n_present);
    for (size_t i = 0; i < n_present; i++) {
        uint64_t word = sorted[i];
        scratch->keys[i] = word >> 32;
        scratch->rows[i] = (uint32_t)word;
    }
    return n_present;
}

static size_t sort_doubles(const double *values, size_t n, struct distinct_scratch *scratch) {
    size_t n_present = 0;
    for (size_t i = 0; i < n; i++) {
        scratch->keys[n_present] = mxb__sort_key(values[i]);
        if (scratch->rows != NULL) {
            scratch->rows[n_present] = (uint32_t)i;
        }
        n_present += isnan(values[i]) ? 0 : 1;
    }
    mxb__sort_keys(scratch->keys, scratch->rows, n_present, scratch->spare_keys, scratch->spare_rows);
    return n_present;
}

struct distinct mxb__distinct_find(const double *values, const double *weights, size_t n,
                                   struct distinct_scratch *scratch) {
    int packed = scratch->narrow && scratch->rows != NULL;
    size_t n_present = packed ? sort_floats(values, n, scratch) : sort_doubles(values, n, scratch);

    /* The spare keys are free now; their room takes the values. */
    struct distinct found = {0, (double *)(void *)scratch->spare_keys, scratch->weights};
    for (size_t i = 0; i < n_present; i++) {
        uint64_t key = scratch->keys[i];
        if (i == 0 || key != scratch->keys[i - 1]) {
            found.values[found.n] = packed ? (double)mxb__sort_narrow_value((uint32_t)key) : mxb__sort_value(key);
            found.weights[found.n] = 0.0;
            found.n++;
        }
        found.weights[found.n - 1] += weights == NULL ? 1.0 : weights[scratch->rows[i]];
    }
    return found;
}
