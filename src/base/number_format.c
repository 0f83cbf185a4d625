/* A double as the shortest decimal text that reads back as it, without the locale. Nearly always a product of integers
 * shows which digits these are; else more and more digits are tried. Knows nothing of files or fields. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/eight_bytes.h"
#include "base/number.h"
#include "base/power_of_ten.h"

enum { MAX_DIGITS = 17 /* that many always identify a double */ };

/* d.ddd times 10^exponent. */
struct digits {
    int n;
    int exponent;
    char text[MAX_DIGITS + 1];
};

static void drop_trailing_zeros(struct digits *digits) {
    while (digits->n > 1 && digits->text[digits->n - 1] == '0') {
        digits->n--;
    }
    digits->text[digits->n] = '\0';
}

/* ---- By a product ---- */

/* Fixed-point numbers of 64 bits before the point and 64 after it. */
static const wide ONE = (wide)1 << 64;

enum {
    /* Units by which such a number may be too small, and a comparison that they could turn is left to others. */
    FIXED_ERROR = 8
};

/* A double times a power of ten, such that the distance to its neighbours is from 1 to 10: the shortest decimal is the
 * multiple of ten between the neighbours, of which there is one at most, or else the nearest integer. */
struct scaled {
    int power;
    wide value;
    wide half_gap; /* half the distance on the same scale */
};

/* `mantissa` has 53 bits: it stands for a number from 1 to 2, times 2^binary_exponent. */
static void scale(struct scaled *scaled, uint64_t mantissa, int binary_exponent) {
    int power = -((binary_exponent - 52) * 78913 >> 18); /* 10^-power is the largest not above the distance */
    wide ten = mxb__power_of_ten(power);
    int order = binary_exponent + mxb__log2_of_power(power); /* 2^order <= value < 2^(order + 2) */
    scaled->power = power;
    scaled->value = mxb__wide_multiply(ten, mantissa << 11) >> (62 - order);
    scaled->half_gap = ten >> (116 - order);
}

static int is_surely_above(wide a, wide b) { return a > b + FIXED_ERROR; }

/* The nearest multiple of `unit`, if it reads back: 1. 0: it does not. -1: that is not certain. Digits are as good as
 * random, so nothing branches on them but the answer. */
static inline int round_to(const struct scaled *scaled, uint64_t unit, int is_power_of_two, uint64_t *rounded) {
    uint64_t whole = (uint64_t)(scaled->value >> 64);
    wide down = scaled->value - (whole - whole % unit) * ONE; /* the way to the multiple below */
    wide up = unit * ONE - down;
    wide most = is_power_of_two ? scaled->half_gap / 2 : scaled->half_gap;
    int goes_up = is_surely_above(down, up), goes_down = is_surely_above(up, down);
    wide distance = down + ((up - down) & -(wide)goes_up);
    int is_inside = is_surely_above(most, distance), is_outside = is_surely_above(distance, most);
    *rounded = whole - whole % unit + (unit & -(uint64_t)goes_up);
    if ((goes_up | goes_down) & is_inside) {
        return 1;
    }
    /* Below a power of two doubles lie closer: what is beyond half the gap is left to others. */
    return ((goes_up | goes_down) & is_outside & !is_power_of_two) ? 0 : -1;
}

/* The eight digits of a number below 10^8, all at once: halves, then pairs, then digits lie side by side in a word. */
static void put_eight(char *to, uint32_t number) {
    uint64_t halves = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t hundreds = (halves * 10486 >> 20) & 0x7f0000007f; /* halves / 100 */
    uint64_t pairs = hundreds + ((halves - hundreds * 100) << 16);
    uint64_t tens = (pairs * 103 >> 10) & 0xf000f000f000f; /* pairs / 10 */
    uint64_t digits = tens + ((pairs - tens * 10) << 8);
    mxb__store_eight(to, digits + 0x3030303030303030); /* '0' each */
}

/* The digits of a number that has MAX_DIGITS of them. */
static void put_whole(struct digits *digits, uint64_t whole) {
    uint32_t upper = (uint32_t)(whole / 100000000);
    digits->text[0] = (char)('0' + upper / 100000000);
    put_eight(digits->text + 1, upper % 100000000);
    put_eight(digits->text + 9, (uint32_t)(whole % 100000000));
    digits->n = MAX_DIGITS;
}

static int product_digits(double magnitude, struct digits *digits) {
    const uint64_t least = 10000000000000000; /* with MAX_DIGITS digits; what has fewer lacks one */
    struct scaled scaled;
    uint64_t bits, rounded;
    memcpy(&bits, &magnitude, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int biased = (int)(bits >> 52);
    if (biased == 0) {
        return 0;
    }
    scale(&scaled, fraction | (uint64_t)1 << 52, biased - 1023);
    int reads_back = round_to(&scaled, 10, fraction == 0, &rounded);
    if (reads_back == 0) {
        reads_back = round_to(&scaled, 1, fraction == 0, &rounded);
    }
    if (reads_back <= 0) {
        return 0;
    }
    int lacks_one = rounded < least;
    digits->exponent = MAX_DIGITS - 1 - scaled.power - lacks_one;
    put_whole(digits, rounded * (lacks_one ? 10 : 1));
    drop_trailing_zeros(digits);
    return 1;
}

/* ---- By trying ---- */

/* Rounds to n significant digits. */
static void round_to_digits(double magnitude, int n, struct digits *digits) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", n - 1, magnitude);
    const char *p = text;
    digits->n = 0;
    for (; *p != 'e'; p++) { /* the locale's decimal point, whatever it is, is no digit */
        if (*p >= '0' && *p <= '9' && digits->n < MAX_DIGITS) {
            digits->text[digits->n++] = *p;
        }
    }
    digits->text[digits->n] = '\0';
    int negative = p[1] == '-';
    digits->exponent = 0;
    for (p += 2; *p != '\0'; p++) {
        digits->exponent = digits->exponent * 10 + (*p - '0');
    }
    if (negative) {
        digits->exponent = -digits->exponent;
    }
}

/* The same digits with one more unit in the last place. */
static void increment(struct digits *digits) {
    int i = digits->n - 1;
    for (; i >= 0 && digits->text[i] == '9'; i--) {
        digits->text[i] = '0';
    }
    if (i >= 0) {
        digits->text[i]++;
    } else {
        digits->text[0] = '1';
        digits->exponent++;
    }
}

static int reads_back_as(const struct digits *digits, double magnitude) {
    char text[64];
    double value;
    int length = snprintf(text, sizeof text, "%se%d", digits->text, digits->exponent - (digits->n - 1));
    return mxb__number_parse(text, (size_t)length, &value) && value == magnitude;
}

static void try_digits(double magnitude, struct digits *digits) {
    int n = magnitude < DBL_MIN ? 1 : 15; /* a denormal keeps fewer */
    int binary_exponent;
    int is_power_of_two = frexp(magnitude, &binary_exponent) == 0.5;
    for (; n <= MAX_DIGITS; n++) {
        round_to_digits(magnitude, n, digits);
        if (reads_back_as(digits, magnitude)) {
            break;
        }
        /* Below a power of two doubles lie closer, so the decimal above may read back where the nearer one below does
         * not. */
        if (is_power_of_two) {
            increment(digits);
            if (reads_back_as(digits, magnitude)) {
                break;
            }
        }
    }
    assert(n <= MAX_DIGITS);
    drop_trailing_zeros(digits);
}

/* ---- Writing ---- */

static char *put(char *to, const char *text, int n) {
    memcpy(to, text, (size_t)n);
    return to + n;
}

/* Digits, a point after the first `n_before` of them. */
static char *put_with_point(char *to, const struct digits *digits, int n_before) {
    to = put(to, digits->text, n_before);
    if (digits->n > n_before) {
        *to++ = '.';
        to = put(to, digits->text + n_before, digits->n - n_before);
    }
    return to;
}

static char *put_digits(char *to, const struct digits *digits) {
    static const char zeros[] = "000000000000000";
    if (digits->exponent < -4 || digits->exponent >= 16) {
        to = put_with_point(to, digits, 1);
        return to + snprintf(to, 8, "e%d", digits->exponent);
    }
    if (digits->exponent < 0) {
        to = put(put(to, "0.", 2), zeros, -digits->exponent - 1);
        return put(to, digits->text, digits->n);
    }
    int n_before = digits->exponent + 1;
    if (n_before < digits->n) {
        return put_with_point(to, digits, n_before);
    }
    return put(put(to, digits->text, digits->n), zeros, n_before - digits->n);
}

size_t mxb__number_format(double number, char text[MXB__NUMBER_SIZE]) {
    struct digits digits;
    char *to = text;
    *to = '-';
    to += (signbit(number) != 0) & !isnan(number);
    if (isnan(number) || isinf(number)) {
        to = put(to, isnan(number) ? "nan" : "inf", 3);
    } else if (number == 0) {
        *to++ = '0';
    } else {
        if (!product_digits(fabs(number), &digits)) {
            try_digits(fabs(number), &digits);
        }
        to = put_digits(to, &digits);
    }
    *to = '\0';
    return (size_t)(to - text);
}
