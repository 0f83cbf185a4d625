/* Values to codes: a node of the cuts' tree is one compare, or two. */
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

/* The depth is a constant where this is inlined. */
MXB__INLINE size_t search(const struct cut_tree *cuts, size_t depth, double value) {
    doubles x = all(value);
    size_t node = 0;
    for (size_t l = 0; l < depth; l++) {
        node = node * MXB__CUT_NODE + count_below(cuts->levels[l] + node * MXB__CUT_NODE, x);
    }
    return node;
}

MXB__INLINE void encode_all(const struct cut_tree *cuts, size_t depth, const double *values, size_t n,
                            uint8_t missing_code, uint8_t *codes) {
    struct cut_tree tree = *cuts;
    for (size_t i = 0; i < n; i++) {
        size_t below = search(&tree, depth, values[i]);
        codes[i] = values[i] == values[i] ? (uint8_t)below : missing_code;
    }
}

void MXB__KERNEL(encode)(const struct cut_tree *cuts, const double *values, size_t n, uint8_t missing_code,
                         uint8_t *codes) {
    switch (cuts->depth) {
        case 1:
            encode_all(cuts, 1, values, n, missing_code, codes);
            break;
        case 2:
            encode_all(cuts, 2, values, n, missing_code, codes);
            break;
        default:
            encode_all(cuts, MXB__CUT_LEVELS, values, n, missing_code, codes);
            break;
    }
}

void MXB__KERNEL(encode_row)(const struct cut_tree *cuts, const uint32_t *features, size_t n, const double *row,
                             uint8_t *codes) {
    for (size_t k = 0; k < n; k++) {
        double x = row[features[k]];
        codes[k] = (uint8_t)(cuts[k].depth == MXB__CUT_LEVELS ? search(&cuts[k], MXB__CUT_LEVELS, x)
                                                              : search(&cuts[k], cuts[k].depth, x));
    }
}
