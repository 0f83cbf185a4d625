/* The seam for several machines. Every sum over rows that reaches the model (start value, gradient sums, histograms,
 * Gram matrices, leaf sums, losses) passes through here after its blocks were added in order; those of tiny nodes
 * (tree_tiny.h) do not, so there must be none where rows lie on several machines. On one machine the sum is already
 * whole, and nothing is left to do. */
#ifndef MXB_BASE_REDUCE_H
#define MXB_BASE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

static inline void mxb__reduce_integers(int64_t *values, size_t n) {
    (void)values;
    (void)n;
}

static inline void mxb__reduce_doubles(double *values, size_t n) {
    (void)values;
    (void)n;
}

static inline void mxb__reduce_maxima(double *values, size_t n) {
    (void)values;
    (void)n;
}

#endif
