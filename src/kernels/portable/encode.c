/* Values to bin codes: a branch-free binary search over the cuts. */
#include <math.h>

#include "kernels/portable/portable.h"

void mxb__portable_encode(const double *values, size_t n, const double *cuts, size_t n_cuts, uint8_t missing_code,
                          uint8_t *codes) {
    for (size_t i = 0; i < n; i++) {
        double x = values[i];
        size_t below = 0; /* cuts[0 .. below) < x <= cuts[below + length ..] */
        size_t length = n_cuts;
        while (length > 0) {
            size_t half = (length + 1) / 2;
            below += cuts[below + half - 1] < x ? half : 0;
            length -= half;
        }
        codes[i] = isnan(x) ? missing_code : (uint8_t)below;
    }
}
