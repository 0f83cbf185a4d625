/* The search in a tree of cuts: a node is one compare, or two. */
#ifndef MXB_KERNELS_VECTOR_SEARCH_H
#define MXB_KERNELS_VECTOR_SEARCH_H

#include "kernels/vector/vector.h"

static inline size_t count_below(const double *node, doubles x) {
#if defined(__AVX512F__)
    unsigned below = _mm512_cmp_pd_mask((__m512d)load(node), (__m512d)x, _CMP_LT_OQ);
#else
    unsigned low = (unsigned)_mm256_movemask_pd((__m256d)(load(node) < x));
    unsigned below = low | (unsigned)_mm256_movemask_pd((__m256d)(load(node + WIDTH) < x)) << WIDTH;
#endif
    return (size_t)__builtin_popcount(below);
}

/* The number of cuts below a value, 0 for NaN. The depth is a constant where this is inlined. */
MXB__INLINE size_t search(const struct cut_tree *cuts, size_t depth, double value) {
    doubles x = all(value);
    size_t node = 0;
    for (size_t l = 0; l < depth; l++) {
        node = node * MXB__CUT_NODE + count_below(cuts->levels[l] + node * MXB__CUT_NODE, x);
    }
    return node;
}

/** How many cuts are below each value, 0 for NaN. */
void MXB__KERNEL(count_cuts)(const struct cut_tree *cuts, const double *values, size_t n, uint32_t *below);

#endif
