/* Counter-based random numbers: the part that needs elementary functions. */
#include "base/random.h"

#include "base/math.h"

double mxb__random_normal(struct random_stream stream, uint64_t index) {
    /* Odd multiples of 2^-53: exact, symmetric about 1/2, and neither 0 nor 1. */
    double middle_of_cell = (double)(mxb__random_bits(stream, index) >> 11 | 1) * 0x1p-53;
    return mxb__normal_quantile(middle_of_cell);
}
