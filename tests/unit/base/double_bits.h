/* Doubles as their bits, for the tests of numbers as text. */
#ifndef DOUBLE_BITS_H
#define DOUBLE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
