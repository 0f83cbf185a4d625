/* Decimal text to the nearest double and back, exactly and without the locale. Short numbers take one floating-point
 * operation that cannot round twice; the rest are settled by comparing big integers. Knows nothing of files or fields.
 */
#include "base/number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- Scanning ---- */

enum {
    MANTISSA_DIGITS = 19, /* as many as always fit 64 bits */
    /* A midpoint between two doubles has at most 767 significant digits, so of the digits after this many it only
     * matters whether one of them is not zero. */
    EXACT_DIGITS = 800
};

/* The digits without sign, point and leading zeros, read as an integer, times 10^exponent. */
struct decimal {
    uint64_t mantissa;  /* the first MANTISSA_DIGITS of them */
    const char *digits; /* the first of them in the text; a point may stand between */
    int64_t n_digits;
    int64_t exponent;
};

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static int equals_ignoring_case(const char *text, size_t n_bytes, const char *word) {
    size_t i = 0;
    while (i < n_bytes && word[i] != '\0' && lower(text[i]) == word[i]) {
        i++;
    }
    return i == n_bytes && word[i] == '\0';
}

/* "e", a sign perhaps, digits up to `end`. Far beyond any double's range, but also beyond the length of any text, the
 * exponent stays where it is. */
static int scan_exponent(const char *p, const char *end, int64_t *exponent) {
    const int64_t limit = (int64_t)1 << 60;
    int64_t value = 0;
    p++;
    int negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end) {
        return 0;
    }
    for (; p < end; p++) {
        if (*p < '0' || *p > '9') {
            return 0;
        }
        value = value < limit / 10 ? value * 10 + (*p - '0') : limit;
    }
    *exponent += negative ? -value : value;
    return 1;
}

static int scan(const char *p, const char *end, struct decimal *decimal) {
    int any = 0;
    int after_point = 0;
    memset(decimal, 0, sizeof *decimal);
    for (; p < end; p++) {
        unsigned digit = (unsigned)(unsigned char)*p - '0';
        if (digit > 9) {
            if (*p != '.' || after_point) {
                break;
            }
            after_point = 1;
            continue;
        }
        any = 1;
        decimal->exponent -= after_point;
        if (decimal->n_digits == 0) {
            if (digit == 0) {
                continue;
            }
            decimal->digits = p;
        }
        if (decimal->n_digits < MANTISSA_DIGITS) {
            decimal->mantissa = decimal->mantissa * 10 + digit;
        }
        decimal->n_digits++;
    }
    if (any && p < end && (*p == 'e' || *p == 'E')) {
        return scan_exponent(p, end, &decimal->exponent);
    }
    return any && p == end;
}

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
    if (decimal->n_digits <= MANTISSA_DIGITS) {
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

/* Powers of ten that are doubles exactly. */
static const double POWERS_OF_TEN[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A finite double a few units in the last place from the decimal. */
static double guess(const struct decimal *decimal) {
    static const double large_powers[] = {1e16, 1e32, 1e64, 1e128, 1e256};
    int64_t used = decimal->n_digits < MANTISSA_DIGITS ? decimal->n_digits : MANTISSA_DIGITS;
    int64_t exponent = decimal->exponent + decimal->n_digits - used;
    int64_t left = exponent >= 0 ? exponent : -exponent;
    double value = (double)decimal->mantissa;
    value = exponent >= 0 ? value * POWERS_OF_TEN[left % 16] : value / POWERS_OF_TEN[left % 16];
    left /= 16;
    for (int i = 0; left != 0; i++, left /= 2) {
        if (left % 2 != 0) {
            value = exponent >= 0 ? value * large_powers[i] : value / large_powers[i];
        }
    }
    return value > DBL_MAX ? DBL_MAX : value;
}

static double nearest(const struct decimal *decimal) {
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

static double decimal_value(const struct decimal *decimal) {
    int64_t order = decimal->n_digits + decimal->exponent; /* 10^(order - 1) <= value < 10^order */
    if (decimal->n_digits == 0 || order <= -324) {
        return 0.0;
    }
    if (order >= 310) {
        return INFINITY;
    }
    if (decimal->n_digits <= MANTISSA_DIGITS && decimal->mantissa <= (uint64_t)1 << 53) {
        /* Both operands are exact, so the one operation rounds correctly. */
        if (decimal->exponent >= 0 && decimal->exponent <= 22) {
            return (double)decimal->mantissa * POWERS_OF_TEN[decimal->exponent];
        }
        if (decimal->exponent < 0 && decimal->exponent >= -22) {
            return (double)decimal->mantissa / POWERS_OF_TEN[-decimal->exponent];
        }
    }
    return nearest(decimal);
}

int mxb__number_parse(const char *text, size_t n_bytes, double *number) {
    struct decimal decimal;
    const char *end = text + n_bytes;
    int negative = n_bytes > 0 && *text == '-';
    if (n_bytes > 0 && (*text == '-' || *text == '+')) {
        text++;
        n_bytes--;
    }
    double value;
    if (scan(text, end, &decimal)) {
        value = decimal_value(&decimal);
    } else if (equals_ignoring_case(text, n_bytes, "inf") || equals_ignoring_case(text, n_bytes, "infinity")) {
        value = INFINITY;
    } else {
        return 0;
    }
    *number = negative ? -value : value;
    return 1;
}

/* ---- Formatting ---- */

enum { MAX_DIGITS = 17 /* that many always identify a double */ };

/* Rounds to n significant digits: d.ddd times 10^*exponent. */
static void round_to_digits(double magnitude, int n, char digits[MAX_DIGITS + 1], int *exponent) {
    char text[64];
    int used = 0;
    snprintf(text, sizeof text, "%.*e", n - 1, magnitude);
    const char *p = text;
    for (; *p != 'e'; p++) { /* the locale's decimal point, whatever it is, is no digit */
        if (*p >= '0' && *p <= '9' && used < MAX_DIGITS) {
            digits[used++] = *p;
        }
    }
    digits[used] = '\0';
    int negative = p[1] == '-';
    *exponent = 0;
    for (p += 2; *p != '\0'; p++) {
        *exponent = *exponent * 10 + (*p - '0');
    }
    if (negative) {
        *exponent = -*exponent;
    }
}

/* The same digits with one more unit in the last place. */
static void increment(char *digits, int n, int *exponent) {
    int i = n - 1;
    for (; i >= 0 && digits[i] == '9'; i--) {
        digits[i] = '0';
    }
    if (i >= 0) {
        digits[i]++;
    } else {
        digits[0] = '1';
        ++*exponent;
    }
}

static int reads_back(const char *digits, int n, int exponent, double magnitude) {
    char text[64];
    double value;
    int length = snprintf(text, sizeof text, "%se%d", digits, exponent - (n - 1));
    return mxb__number_parse(text, (size_t)length, &value) && value == magnitude;
}

/* The fewest digits that read back as `magnitude`; returns how many, trailing zeros removed. */
static int shortest_digits(double magnitude, char digits[MAX_DIGITS + 1], int *exponent) {
    /* A normal double keeps any 15 digits, so with 15 nothing shorter is missed; a denormal keeps fewer. */
    int n = magnitude < DBL_MIN ? 1 : 15;
    int binary_exponent;
    int is_power_of_two = frexp(magnitude, &binary_exponent) == 0.5;
    for (; n <= MAX_DIGITS; n++) {
        round_to_digits(magnitude, n, digits, exponent);
        if (reads_back(digits, n, *exponent, magnitude)) {
            break;
        }
        /* Below a power of two doubles lie closer, so the decimal above may read back where the nearer one below does
         * not. */
        if (is_power_of_two) {
            increment(digits, n, exponent);
            if (reads_back(digits, n, *exponent, magnitude)) {
                break;
            }
        }
    }
    assert(n <= MAX_DIGITS);
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    digits[n] = '\0';
    return n;
}

static size_t write_digits(const char *digits, int n, int exponent, char *text, size_t size) {
    int length;
    if (exponent < -4 || exponent >= 16) {
        length = n == 1 ? snprintf(text, size, "%se%d", digits, exponent)
                        : snprintf(text, size, "%c.%se%d", digits[0], digits + 1, exponent);
    } else if (exponent < 0) {
        length = snprintf(text, size, "0.%.*s%s", -exponent - 1, "000", digits);
    } else if (exponent >= n - 1) {
        length = snprintf(text, size, "%s%.*s", digits, exponent - (n - 1), "000000000000000");
    } else {
        length = snprintf(text, size, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    }
    return (size_t)length;
}

size_t mxb__number_format(double number, char text[MXB__NUMBER_SIZE]) {
    char digits[MAX_DIGITS + 1];
    int exponent;
    size_t sign = signbit(number) && !isnan(number) ? 1 : 0;
    double magnitude = fabs(number);
    text[0] = '-';
    if (isnan(number) || isinf(number) || number == 0) {
        const char *word = isnan(number) ? "nan" : isinf(number) ? "inf" : "0";
        return sign + (size_t)snprintf(text + sign, MXB__NUMBER_SIZE - sign, "%s", word);
    }
    int n = shortest_digits(magnitude, digits, &exponent);
    return sign + write_digits(digits, n, exponent, text + sign, MXB__NUMBER_SIZE - sign);
}
