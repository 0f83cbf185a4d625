/* Values to codes: without vectors, a branch-free binary search over the cuts is quicker than their tree. */
#include "kernels/portable/portable.h"

static inline size_t search(const struct cut_tree *tree, double x) {
    const double *cuts = tree->depth > 0 ? tree->levels[tree->depth - 1] : NULL;
    size_t below = 0; /* cuts[0 .. below) < x <= cuts[below + length ..] */
    size_t length = tree->n_cuts;
    while (length > 0) {
        size_t half = (length + 1) / 2;
        below += cuts[below + half - 1] < x ? half : 0;
        length -= half;
    }
    return below;
}

void mxb__portable_encode(const struct cut_tree *cuts, const double *values, size_t n, uint8_t missing_code,
                          uint8_t *codes) {
    for (size_t i = 0; i < n; i++) {
        codes[i] = values[i] == values[i] ? (uint8_t)search(cuts, values[i]) : missing_code;
    }
}

void mxb__portable_encode_row(const struct cut_tree *cuts, const uint32_t *features, size_t n, const double *row,
                              uint8_t *codes) {
    for (size_t k = 0; k < n; k++) {
        codes[k] = (uint8_t)search(&cuts[k], row[features[k]]);
    }
}
