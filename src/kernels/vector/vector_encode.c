/* Values to codes, by the cuts' tree. */
#include "kernels/vector/vector_search.h"

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
