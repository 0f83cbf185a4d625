/* Sorting columns: radix sort on the bits of a double, least significant digit first. Knows nothing of bins. */
#include "data/sort.h"

#include <string.h>

enum { DIGIT_BITS = 11, N_DIGITS = 6, RADIX = 1 << DIGIT_BITS };

static const uint64_t SIGN = (uint64_t)1 << 63;

uint64_t mxb__sort_key(double value) {
    uint64_t bits;
    value += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

double mxb__sort_value(uint64_t key) {
    uint64_t bits = key & SIGN ? key & ~SIGN : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t digit_of(uint64_t key, int digit) { return (size_t)(key >> (digit * DIGIT_BITS)) & (RADIX - 1); }

static int sort_digit(const uint64_t *keys, const uint32_t *rows, size_t n, int digit, uint64_t *out_keys,
                      uint32_t *out_rows) {
    size_t position[RADIX] = {0};
    for (size_t i = 0; i < n; i++) {
        position[digit_of(keys[i], digit)]++;
    }
    if (n == 0 || position[digit_of(keys[0], digit)] == n) {
        return 0; /* one value in all keys: nothing to move */
    }
    size_t sum = 0;
    for (size_t d = 0; d < RADIX; d++) {
        size_t count = position[d];
        position[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        size_t to = position[digit_of(keys[i], digit)]++;
        out_keys[to] = keys[i];
        if (rows != NULL) {
            out_rows[to] = rows[i];
        }
    }
    return 1;
}

void mxb__sort_keys(uint64_t *keys, uint32_t *rows, size_t n, uint64_t *spare_keys, uint32_t *spare_rows) {
    uint64_t *from_keys = keys;
    uint32_t *from_rows = rows;
    uint64_t *to_keys = spare_keys;
    uint32_t *to_rows = rows != NULL ? spare_rows : NULL;
    for (int digit = 0; digit < N_DIGITS; digit++) {
        if (sort_digit(from_keys, from_rows, n, digit, to_keys, to_rows)) {
            uint64_t *k = from_keys;
            uint32_t *r = from_rows;
            from_keys = to_keys;
            from_rows = to_rows;
            to_keys = k;
            to_rows = r;
        }
    }
    if (from_keys != keys) {
        memcpy(keys, from_keys, n * sizeof *keys);
        if (rows != NULL) {
            memcpy(rows, from_rows, n * sizeof *rows);
        }
    }
}
