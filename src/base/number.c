/* Decimal text to the nearest double, without the locale. Short numbers take one floating-point operation that cannot
 * round twice, nearly all others a product of integers that shows how they round; base/decimal.h settles the rest.
 * Knows nothing of files or fields. */
#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"
#include "base/eight_bytes.h"
#include "base/power_of_ten.h"

/* ---- Scanning ---- */

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static int equals_ignoring_case(const char *text, size_t n_bytes, const char *word) {
    size_t i = 0;
    while (i < n_bytes && word[i] != '\0' && lower(text[i]) == word[i]) {
        i++;
    }
    return i == n_bytes && word[i] == '\0';
}

static unsigned digit_of(char c) { return (unsigned)(unsigned char)c - '0'; }

/* The number that eight digits make, a byte each, the first the lowest. */
static uint64_t join_eight(uint64_t digits) {
    digits = digits * 10 + (digits >> 8); /* pairs, in every other byte */
    const uint64_t pair = 0x000000ff000000ff;
    const uint64_t outer = 1000000 * (UINT64_C(1) << 32) + 100;
    const uint64_t inner = 10000 * (UINT64_C(1) << 32) + 1;
    return ((digits & pair) * outer + (digits >> 16 & pair) * inner) >> 32 & 0xffffffff;
}

/* Goes over digits, and appends them to the mantissa; if they are too many it is of no use. */
static const char *scan_digits(const char *p, const char *end, uint64_t *mantissa) {
    static const uint64_t powers[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t value = *mantissa;
    while (end - p >= 8) {
        uint64_t digits = mxb__load_eight(p) ^ 0x3030303030303030;
        /* The highest bit of each byte above 9; beyond the first such byte it may be wrong. */
        uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
        if (others == 0) {
            value = value * 100000000 + join_eight(digits);
            p += 8;
            continue;
        }
        int n = mxb__first_marked(others);
        digits = digits << 8 * (7 - n) << 8; /* zeros before them instead of what follows */
        *mantissa = value * powers[n] + join_eight(digits);
        return p + n;
    }
    for (; p < end && digit_of(*p) <= 9; p++) {
        value = value * 10 + digit_of(*p);
    }
    *mantissa = value;
    return p;
}

/* "e", a sign perhaps, digits. Far beyond any double's range, but also beyond the length of any text, the exponent
 * stays where it is. */
static const char *scan_exponent(const char *p, const char *end, int64_t *exponent) {
    const int64_t limit = (int64_t)1 << 60;
    int64_t value = 0;
    p++;
    int negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    const char *first = p;
    for (; p < end && digit_of(*p) <= 9; p++) {
        value = value < limit / 10 ? value * 10 + (*p - '0') : limit;
    }
    *exponent += negative ? -value : value;
    return p == first ? NULL : p;
}

/* Forgets the zeros that the digits from `first` on begin with. */
static void drop_leading_zeros(struct decimal *decimal, const char *first) {
    for (; decimal->n_digits > 0 && (*first == '0' || *first == '.'); first++) {
        decimal->n_digits -= *first == '0';
    }
    decimal->digits = first;
}

/* The mantissa of a decimal with more digits than it holds. */
static uint64_t first_digits(const struct decimal *decimal) {
    uint64_t mantissa = 0;
    const char *p = decimal->digits;
    for (int n = 0; n < MXB__MANTISSA_DIGITS; p++) {
        if (*p != '.') {
            mantissa = mantissa * 10 + digit_of(*p);
            n++;
        }
    }
    return mantissa;
}

/* Where the number ends, or NULL. */
static const char *scan(const char *first, const char *end, struct decimal *decimal) {
    const char *p = first;
    decimal->mantissa = 0;
    decimal->exponent = 0;
    if (end - p > 1 && digit_of(p[0]) <= 9 && p[1] == '.') {
        decimal->mantissa = digit_of(*p++); /* as many numbers begin */
    } else {
        p = scan_digits(p, end, &decimal->mantissa);
    }
    decimal->n_digits = p - first;
    if (p < end && *p == '.') {
        const char *fraction = p + 1;
        p = scan_digits(fraction, end, &decimal->mantissa);
        decimal->exponent = fraction - p;
        decimal->n_digits += p - fraction;
    }
    if (decimal->n_digits == 0) {
        return NULL;
    }
    if (decimal->n_digits > MXB__MANTISSA_DIGITS) {
        drop_leading_zeros(decimal, first);
        if (decimal->n_digits > MXB__MANTISSA_DIGITS) {
            decimal->mantissa = first_digits(decimal);
        }
    }
    return p < end && (*p == 'e' || *p == 'E') ? scan_exponent(p, end, &decimal->exponent) : p;
}

/* ---- The nearest double ---- */

/* Powers of ten that are doubles exactly. */
static const double POWERS_OF_TEN[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* mantissa * 10^exponent from the first 128 bits of the product, of which 53 are the double's. 0 where the others leave
 * open how it rounds, or the result is no ordinary double. */
static int round_product(uint64_t mantissa, int exponent, double *value) {
    int shift = __builtin_clzll(mantissa);
    wide product = mxb__wide_multiply(mxb__power_of_ten(exponent), mantissa << shift);
    int is_large = (int)(product >> 127);
    product <<= 1 - is_large;
    int binary_exponent = 63 - shift + mxb__log2_of_power(exponent) + is_large;
    /* The product is less than 2 * (MXB__POWER_ERROR + 1) units too small: that is less than one of these bits. */
    uint64_t next_bits = (uint64_t)(product >> 11);
    const uint64_t half = (uint64_t)1 << 63;
    if (next_bits == half - 1 || next_bits == half || binary_exponent < -1022 || binary_exponent >= 1023) {
        return 0;
    }
    /* The leading bit adds one to the exponent; where rounding carries it adds one more, as it should. */
    uint64_t bits = ((uint64_t)(binary_exponent + 1022) << 52) + (uint64_t)(product >> 75) + (next_bits >> 63);
    memcpy(value, &bits, sizeof *value);
    return 1;
}

_Static_assert(2 * (MXB__POWER_ERROR + 1) < 1 << 11, "the bits below those looked at make up for the error");

static double decimal_value(const struct decimal *decimal) {
    double value;
    if (decimal->n_digits <= MXB__MANTISSA_DIGITS) {
        if (decimal->mantissa <= (uint64_t)1 << 53 && decimal->exponent >= -22 && decimal->exponent <= 22) {
            /* Both operands are exact, so the one operation rounds correctly. */
            return decimal->exponent < 0 ? (double)decimal->mantissa / POWERS_OF_TEN[-decimal->exponent]
                                         : (double)decimal->mantissa * POWERS_OF_TEN[decimal->exponent];
        }
        if (decimal->mantissa != 0 && decimal->exponent >= MXB__LEAST_POWER &&
            decimal->exponent <= MXB__LARGEST_POWER &&
            round_product(decimal->mantissa, (int)decimal->exponent, &value)) {
            return value;
        }
    }
    int64_t order = decimal->n_digits + decimal->exponent; /* value < 10^order */
    if (decimal->mantissa == 0 || order <= -324) {
        return 0.0;
    }
    if (decimal->exponent >= 310 || (order >= 310 && decimal->n_digits > MXB__MANTISSA_DIGITS)) {
        return INFINITY;
    }
    return mxb__decimal_nearest(decimal);
}

const char *mxb__number_begin(const char *text, const char *end, double *number) {
    struct decimal decimal;
    int negative = text < end && *text == '-';
    const char *p = scan(text + (text < end && (*text == '-' || *text == '+')), end, &decimal);
    if (p != NULL) {
        double value = decimal_value(&decimal);
        *number = negative ? -value : value;
    }
    return p;
}

int mxb__number_parse(const char *text, size_t n_bytes, double *number) {
    double value;
    const char *end = text + n_bytes;
    const char *p = mxb__number_begin(text, end, &value);
    if (p != NULL && p == end) {
        *number = value;
        return 1;
    }
    int negative = n_bytes > 0 && *text == '-';
    size_t sign = n_bytes > 0 && (*text == '-' || *text == '+');
    if (equals_ignoring_case(text + sign, n_bytes - sign, "inf") ||
        equals_ignoring_case(text + sign, n_bytes - sign, "infinity")) {
        *number = negative ? -INFINITY : INFINITY;
        return 1;
    }
    return 0;
}
