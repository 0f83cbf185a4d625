/* A double as the shortest decimal text that reads back as it, without the locale. Nearly always a product of integers
 * shows which digits these are; else more and more digits are tried. Knows nothing of files or fields. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/power_of_ten.h"
#include "mixboost/mixboost.h"

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

/* A double times a power of ten, such that it has MAX_DIGITS digits before the point, and half the distance to its
 * neighbours on the same scale. */
struct scaled {
    int power;
    wide value;
    wide half_gap;
};

static const uint64_t LEAST_SCALED = 10000000000000000;

static void scale_by(struct scaled *scaled, uint64_t mantissa, int binary_exponent, int power) {
    wide ten = mxb__power_of_ten(power);
    int order = binary_exponent + mxb__log2_of_power(power); /* 2^order <= value < 2^(order + 2) */
    scaled->power = power;
    scaled->value = mxb__wide_multiply(ten, mantissa << 11) >> (62 - order);
    scaled->half_gap = ten >> (116 - order);
}

/* `mantissa` has 53 bits: it stands for a number from 1 to 2, times 2^binary_exponent. */
static void scale(struct scaled *scaled, uint64_t mantissa, int binary_exponent) {
    int decimal_exponent = binary_exponent * 78913 >> 18; /* the largest power of ten not above 2^binary_exponent */
    scale_by(scaled, mantissa, binary_exponent, MAX_DIGITS - 1 - decimal_exponent);
    if (scaled->value >> 64 >= 10 * LEAST_SCALED) {
        scale_by(scaled, mantissa, binary_exponent, MAX_DIGITS - 2 - decimal_exponent);
    }
}

/* Whether a is above b: 1, 0, or -1 where that is not certain. */
static int is_above(wide a, wide b) {
    if (a > b + FIXED_ERROR) {
        return 1;
    }
    return b > a + FIXED_ERROR ? 0 : -1;
}

/* The nearest multiple of `unit`, if it reads back: 1. 0: it does not. -1: that is not certain. */
static inline int round_to(const struct scaled *scaled, uint64_t unit, int is_power_of_two, uint64_t *rounded) {
    uint64_t whole = (uint64_t)(scaled->value >> 64);
    wide down = scaled->value - (whole - whole % unit) * ONE; /* the way to the multiple below */
    wide up = unit * ONE - down;
    int goes_up = is_above(down, up);
    if (goes_up < 0) {
        return -1;
    }
    *rounded = whole - whole % unit + (goes_up ? unit : 0);
    int is_outside = is_above(goes_up ? up : down, is_power_of_two ? scaled->half_gap / 2 : scaled->half_gap);
    if (is_outside == 0) {
        return 1;
    }
    /* Below a power of two doubles lie closer: what is beyond half the gap is left to others. */
    return is_outside < 0 || is_power_of_two ? -1 : 0;
}

/* The digits of a number that has MAX_DIGITS of them: the first, and two times eight, which need not wait for each
 * other. */
static void put_whole(struct digits *digits, uint64_t whole) {
    uint32_t upper = (uint32_t)(whole / 100000000);
    uint32_t lower = (uint32_t)(whole % 100000000);
    for (int i = 8; i > 0; i--, upper /= 10, lower /= 10) {
        digits->text[i] = (char)('0' + upper % 10);
        digits->text[8 + i] = (char)('0' + lower % 10);
    }
    digits->text[0] = (char)('0' + upper);
    digits->n = MAX_DIGITS;
}

static int product_digits(double magnitude, struct digits *digits) {
    struct scaled scaled;
    uint64_t bits;
    uint64_t rounded = 0;
    memcpy(&bits, &magnitude, sizeof bits);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    int biased = (int)(bits >> 52);
    if (biased == 0) {
        return 0;
    }
    scale(&scaled, fraction | (uint64_t)1 << 52, biased - 1023);
    /* A normal double keeps any 15 digits, so with 15 nothing shorter is missed. */
    int reads_back = round_to(&scaled, 100, fraction == 0, &rounded);
    if (reads_back == 0) {
        reads_back = round_to(&scaled, 10, fraction == 0, &rounded);
    }
    if (reads_back == 0) {
        reads_back = round_to(&scaled, 1, fraction == 0, &rounded);
    }
    if (reads_back <= 0) {
        return 0;
    }
    digits->exponent = MAX_DIGITS - 1 - scaled.power;
    if (rounded == 10 * LEAST_SCALED) {
        rounded /= 10;
        digits->exponent++;
    }
    put_whole(digits, rounded);
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
    if (signbit(number) && !isnan(number)) {
        *to++ = '-';
    }
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

size_t mxb_number_format(double number, char *text) { return mxb__number_format(number, text); }
