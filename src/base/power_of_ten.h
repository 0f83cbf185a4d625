/* Powers of ten of the size that doubles have, to 126 bits. */
#ifndef MXB_BASE_POWER_OF_TEN_H
#define MXB_BASE_POWER_OF_TEN_H

#include "base/wide.h"

enum { MXB__LEAST_POWER = -364, MXB__LARGEST_POWER = 335 };

/** 10^exponent / 2^mxb__log2_of_power(exponent), from 1 to 2, in units of 2^-127. What it is lies less than
 *  MXB__POWER_ERROR units above what is returned. */
wide mxb__power_of_ten(int exponent);
enum { MXB__POWER_ERROR = 4 };

/** The largest power of two that is not above 10^exponent. */
static inline int mxb__log2_of_power(int exponent) { return exponent * 217706 >> 16; }

#endif
