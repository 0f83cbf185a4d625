/* Powers of ten against long multiplication and division. */
#include "base/power_of_ten.h"

#include "check.h"

enum { WORDS = 48, BITS = 32 * WORDS };

/* The first 128 bits of a number of WORDS 32-bit words, the lowest first; *order: it is from 2^order to 2^(order + 1).
 */
static wide leading_bits(const uint32_t words[WORDS], int *order) {
    wide bits = 0;
    int n = 0;
    for (int i = BITS - 1; i >= 0 && n < 128; i--) {
        uint32_t bit = words[i / 32] >> i % 32 & 1;
        if (bit != 0 && n == 0) {
            *order = i;
        }
        if (bit != 0 || n > 0) {
            bits = bits << 1 | bit;
            n++;
        }
    }
    return bits << (128 - n);
}

static void times_ten(uint32_t words[WORDS]) {
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        carry += (uint64_t)words[i] * 10;
        words[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void divide_by_ten(uint32_t words[WORDS]) {
    uint64_t rest = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        rest = rest << 32 | words[i];
        words[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
}

static int is_power(int exponent, const uint32_t words[WORDS], int shift) {
    int order = 0;
    wide exact = leading_bits(words, &order);
    wide found = mxb__power_of_ten(exponent);
    return found <= exact && exact - found < MXB__POWER_ERROR && mxb__log2_of_power(exponent) == order - shift;
}

static void powers_are_as_exact_as_they_say(void) {
    uint32_t words[WORDS] = {1};
    size_t n_wrong = 0;
    for (int exponent = 0; exponent <= MXB__LARGEST_POWER; exponent++) {
        n_wrong += !is_power(exponent, words, 0);
        times_ten(words);
    }
    memset(words, 0, sizeof words);
    words[WORDS - 1] = (uint32_t)1 << 31;
    for (int exponent = 0; exponent >= MXB__LEAST_POWER; exponent--) {
        n_wrong += !is_power(exponent, words, BITS - 1);
        divide_by_ten(words);
    }
    CHECK_INT(n_wrong, 0);
}

static void products_are_whole(void) {
    CHECK(mxb__wide_multiply(mxb__wide(UINT64_MAX, UINT64_MAX), UINT64_MAX) == mxb__wide(UINT64_MAX - 1, UINT64_MAX));
    CHECK(mxb__wide_multiply(mxb__wide(0, UINT64_MAX), UINT64_MAX) == mxb__wide(0, UINT64_MAX - 1));
    CHECK(mxb__wide_multiply(mxb__wide(3, 0), 5) == 15);
}

int main(void) {
    RUN(powers_are_as_exact_as_they_say);
    RUN(products_are_whole);
    return check_report();
}
