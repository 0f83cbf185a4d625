/* A decimal number in a text, and the double nearest to it. */
#ifndef MXB_BASE_DECIMAL_H
#define MXB_BASE_DECIMAL_H

#include <stdint.h>

enum { MXB__MANTISSA_DIGITS = 19 /* as many as always fit 64 bits */ };

/* The digits without sign, point and leading zeros, read as an integer, times 10^exponent. */
struct decimal {
    uint64_t mantissa;  /* the first MXB__MANTISSA_DIGITS of them */
    const char *digits; /* the first of them in the text; a point may stand between */
    int64_t n_digits;
    int64_t exponent;
};

/** The nearest double (ties to even), infinite on overflow. 10^-325 < value < 10^310, and not 0. */
double mxb__decimal_nearest(const struct decimal *decimal);

#endif
