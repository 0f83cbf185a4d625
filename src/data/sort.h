/* Sorting columns: stable, in linear time. */
#ifndef MXB_DATA_SORT_H
#define MXB_DATA_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Keys that order as the numbers do (-inf first, +inf last); -0 and 0 share one; NaN has the largest of all. Negative
 * numbers count down from 0, so that zeros at the end of a number stay zeros in its key, and the digits that all keys
 * of a column have in common are many. Without branches, for the compiler's vectors. */

static inline uint64_t mxb__sort_key(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int64_t size = (int64_t)(bits & INT64_MAX);
    int64_t sign = -(int64_t)(bits >> 63);
    uint64_t key = (uint64_t)((size ^ sign) - sign) + ((uint64_t)1 << 63);
    return size > 0x7ff0000000000000 ? UINT64_MAX : key;
}

static inline double mxb__sort_value(uint64_t key) {
    const uint64_t zero = (uint64_t)1 << 63;
    uint64_t bits = key < zero ? zero + (zero - key) : key - zero;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The same for floats. */

static inline uint32_t mxb__sort_narrow_key(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    int32_t size = (int32_t)(bits & INT32_MAX);
    int32_t sign = -(int32_t)(bits >> 31);
    uint32_t key = (uint32_t)((size ^ sign) - sign) + ((uint32_t)1 << 31);
    return size > 0x7f800000 ? UINT32_MAX : key;
}

static inline float mxb__sort_narrow_value(uint32_t key) {
    const uint32_t zero = (uint32_t)1 << 31;
    uint32_t bits = key < zero ? zero + (zero - key) : key - zero;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/** Sorts n keys ascending, and with them, where not NULL, the rows they came from; equal keys keep their order. The
 *  spare arrays hold n elements each; the result is in `keys` and `rows`. */
void mxb__sort_keys(uint64_t *keys, uint32_t *rows, size_t n, uint64_t *spare_keys, uint32_t *spare_rows);

/** Sorts n keys ascending and returns which of the two arrays has them; both are written to. Faster where the upper
 *  33 bits tell most keys apart, as those of measurements do. */
uint64_t *mxb__sort_wide(uint64_t *keys, uint64_t *spare, size_t n);
uint32_t *mxb__sort_narrow(uint32_t *keys, uint32_t *spare, size_t n);

/** The same by the upper 33 bits alone, words that agree in these in their old order. */
uint64_t *mxb__sort_upper(uint64_t *words, uint64_t *spare, size_t n);

#endif
