/* Stable partition of a node's rows, branch-free: every row is written to both sides and one side's end moves. */
#include <string.h>

#include "kernels/portable/portable_training.h"

size_t mxb__portable_partition(const struct column_split *split, const uint32_t *rows, size_t first, size_t n,
                               uint32_t *left, uint32_t *right) {
    uint8_t goes_left[256] = {0}; /* by code */
    memset(goes_left, 1, split->bin + 1u);
    goes_left[split->missing_code] = split->missing_left;
    const uint8_t *column = split->column;
    size_t n_left = 0;
    size_t n_right = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t row = rows == NULL ? (uint32_t)(first + i) : rows[i];
        size_t is_left = goes_left[column[row]];
        left[n_left] = row;
        right[n_right] = row;
        n_left += is_left;
        n_right += 1 - is_left;
    }
    return n_left;
}
