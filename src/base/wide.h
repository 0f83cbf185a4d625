/* Products of 64-bit numbers, whole. */
#ifndef MXB_BASE_WIDE_H
#define MXB_BASE_WIDE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 wide;

static inline wide mxb__wide(uint64_t high, uint64_t low) { return (wide)high << 64 | low; }

/** The upper 128 of the 192 bits of a product. */
static inline wide mxb__wide_multiply(wide a, uint64_t b) {
    return (wide)(uint64_t)(a >> 64) * b + ((wide)(uint64_t)a * b >> 64);
}

#endif
