/* The double nearest to a decimal number, settled by comparing big integers. Slow and always right: base/number.c comes
 * here where it cannot be sure of a quicker way. Knows nothing of how numbers are written. */
#include "base/decimal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* A midpoint between two doubles has at most 767 significant digits, so of the digits after this many it only matters
 * whether one of them is not zero. */
enum { EXACT_DIGITS = 800 };

/* ---- Big integers: just large enough for the digits above against the smallest midpoint ---- */

enum { LIMBS = 96 };

struct big {
    int n; /* limbs in use, least significant first, the last not zero */
    uint32_t limbs[LIMBS];
};

static void big_push(struct big *big, uint32_t limb) {
    assert(big->n < LIMBS);
    big->limbs[big->n++] = limb;
}

static void big_set(struct big *big, uint64_t value) {
    big->n = 0;
    for (; value != 0; value >>= 32) {
        big_push(big, (uint32_t)value);
    }
}

/* big = big * factor + addend */
static void big_multiply_add(struct big *big, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (int i = 0; i < big->n; i++) {
        carry += (uint64_t)big->limbs[i] * factor;
        big->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        big_push(big, (uint32_t)carry);
    }
}

static void big_multiply_power_of_5(struct big *big, int64_t power) {
    for (; power >= 13; power -= 13) {
        big_multiply_add(big, 1220703125u, 0); /* 5^13, the largest in 32 bits */
    }
    for (; power > 0; power--) {
        big_multiply_add(big, 5, 0);
    }
}

/* big = a * b; big is neither of them. */
static void big_product(struct big *big, const struct big *a, const struct big *b) {
    assert(a->n + b->n <= LIMBS);
    memset(big->limbs, 0, (size_t)(a->n + b->n) * sizeof big->limbs[0]);
    for (int i = 0; i < a->n; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->n; j++) {
            carry += (uint64_t)a->limbs[i] * b->limbs[j] + big->limbs[i + j];
            big->limbs[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        big->limbs[i + b->n] = (uint32_t)carry;
    }
    big->n = a->n + b->n;
    while (big->n > 0 && big->limbs[big->n - 1] == 0) {
        big->n--;
    }
}

static void big_shift_left(struct big *big, int64_t bits) {
    int whole = (int)(bits / 32);
    if (big->n == 0) {
        return;
    }
    assert(big->n + whole <= LIMBS);
    memmove(big->limbs + whole, big->limbs, (size_t)big->n * sizeof big->limbs[0]);
    memset(big->limbs, 0, (size_t)whole * sizeof big->limbs[0]);
    big->n += whole;
    big_multiply_add(big, (uint32_t)1 << (bits % 32), 0);
}

static int big_compare(const struct big *a, const struct big *b) {
    if (a->n != b->n) {
        return a->n < b->n ? -1 : 1;
    }
    for (int i = a->n - 1; i >= 0; i--) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

/* ---- The nearest double ---- */

/* A decimal as an exact fraction: numerator / denominator * 2^exponent. */
struct fraction {
    struct big numerator;
    struct big denominator;
    int64_t exponent;
};

static void fraction_build(struct fraction *fraction, const struct decimal *decimal) {
    int64_t exponent = decimal->exponent;
    big_set(&fraction->numerator, 0);
    big_set(&fraction->denominator, 1);
    if (decimal->n_digits <= MXB__MANTISSA_DIGITS) {
        big_set(&fraction->numerator, decimal->mantissa);
    } else {
        int64_t kept = 0;
        const char *p = decimal->digits;
        for (int64_t i = 0; i < decimal->n_digits; p++) {
            if (*p == '.') {
                continue;
            }
            i++;
            if (i <= EXACT_DIGITS) {
                big_multiply_add(&fraction->numerator, 10, (uint32_t)(*p - '0'));
                kept++;
            } else if (*p != '0') {
                big_multiply_add(&fraction->numerator, 10, 1);
                kept++;
                break;
            }
        }
        exponent += decimal->n_digits - kept;
    }
    big_multiply_power_of_5(exponent >= 0 ? &fraction->numerator : &fraction->denominator,
                            exponent >= 0 ? exponent : -exponent);
    fraction->exponent = exponent;
}

/* The sign of the fraction minus the midpoint between the double with these bits and the next larger one. */
static int compare_with_midpoint(const struct fraction *fraction, uint64_t bits) {
    struct big left = fraction->numerator;
    struct big right;
    struct big midpoint;
    uint64_t mantissa = bits & (((uint64_t)1 << 52) - 1);
    int64_t biased = (int64_t)(bits >> 52);
    if (biased > 0) {
        mantissa |= (uint64_t)1 << 52;
    } else {
        biased = 1;
    }
    big_set(&midpoint, 2 * mantissa + 1); /* times 2^(biased - 1076) */
    big_product(&right, &fraction->denominator, &midpoint);
    int64_t shift = fraction->exponent - (biased - 1076);
    big_shift_left(shift >= 0 ? &left : &right, shift >= 0 ? shift : -shift);
    return big_compare(&left, &right);
}

/* A finite double a few units in the last place from the decimal. */
static double guess(const struct decimal *decimal) {
    static const double small_powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    static const double large_powers[] = {1e16, 1e32, 1e64, 1e128, 1e256};
    int64_t used = decimal->n_digits < MXB__MANTISSA_DIGITS ? decimal->n_digits : MXB__MANTISSA_DIGITS;
    int64_t exponent = decimal->exponent + decimal->n_digits - used;
    int64_t left = exponent >= 0 ? exponent : -exponent;
    double value = (double)decimal->mantissa;
    value = exponent >= 0 ? value * small_powers[left % 16] : value / small_powers[left % 16];
    left /= 16;
    for (int i = 0; left != 0; i++, left /= 2) {
        if (left % 2 != 0) {
            value = exponent >= 0 ? value * large_powers[i] : value / large_powers[i];
        }
    }
    return value > DBL_MAX ? DBL_MAX : value;
}

double mxb__decimal_nearest(const struct decimal *decimal) {
    struct fraction fraction;
    uint64_t bits; /* of positive doubles: in the same order as the doubles, and one apart for neighbours */
    double value = guess(decimal);
    memcpy(&bits, &value, sizeof bits);
    fraction_build(&fraction, decimal);
    for (;;) {
        int above = compare_with_midpoint(&fraction, bits);
        if (above > 0 || (above == 0 && bits % 2 != 0)) {
            bits++;
            if (bits >> 52 == 0x7ff) {
                return INFINITY;
            }
            continue;
        }
        int below = bits == 0 ? 1 : compare_with_midpoint(&fraction, bits - 1);
        if (below > 0 || (below == 0 && bits % 2 == 0)) {
            break;
        }
        bits--;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}
