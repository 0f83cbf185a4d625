/* Values to codes by the cuts' tree. */
#include "kernels/portable/portable.h"

static inline size_t search(const struct cut_tree *cuts, double x) {
    size_t at = 0;
    for (size_t l = 0; l < cuts->depth; l++) {
        const double *node = cuts->levels[l] + at * MXB__CUT_NODE;
        size_t below = 0;
        for (size_t k = 0; k < MXB__CUT_NODE; k++) {
            below += node[k] < x;
        }
        at = at * MXB__CUT_NODE + below;
    }
    return at;
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
