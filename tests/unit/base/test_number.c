/* Text as numbers: against strtod, against the definition of rounding, and in other locales. */
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "unit/base/double_bits.h"

static int parses_to(const char *text, double expected) {
    double value = NAN;
    int is_number = mxb__number_parse(text, strlen(text), &value);
    if (!is_number || bits_of(value) != bits_of(expected)) {
        fprintf(stderr, "\"%.60s\" reads as %d, %a, not %a\n", text, is_number, value, expected);
        return 0;
    }
    return 1;
}

static void reads_simple_numbers(void) {
    CHECK(parses_to("0", 0.0));
    CHECK(parses_to("-0", -0.0));
    CHECK(parses_to("+5", 5.0));
    CHECK(parses_to("5.", 5.0));
    CHECK(parses_to(".5", 0.5));
    CHECK(parses_to("-12.5", -12.5));
    CHECK(parses_to("1e3", 1000.0));
    CHECK(parses_to("1E+3", 1000.0));
    CHECK(parses_to("1e-3", 0.001));
    CHECK(parses_to("000.1000", 0.1));
    CHECK(parses_to("0e999999999999999999999999", 0.0));
    CHECK(parses_to("inf", INFINITY));
    CHECK(parses_to("-INF", -INFINITY));
    CHECK(parses_to("+Infinity", INFINITY));
}

static void refuses_everything_else(void) {
    static const char *const texts[] = {
        "",    " ",   " 1",   "1 ",    "+",   "-",   ".",     "-.",    "e5",    "1e",    "1e+",       "1e5.", "1.2.3",
        "--1", "1,5", "0x10", "0x1p3", "nan", "NaN", "-nan",  "1_000", "1e5e5", "infin", "in",        "1f",   "١",
        "1\n", "+-1", "inf ", "1e 5",  "e",   ".e1", "1e--5", "NA",    "true",  "1d5",   "infinityx", "- 1",  "٫5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value = 77;
        CHECK_INT(mxb__number_parse(texts[i], strlen(texts[i]), &value), 0);
        CHECK(value == 77);
    }
    double value;
    CHECK_INT(mxb__number_parse("1\0002", 3, &value), 0);
}

/* Reads no further than it is told, whatever follows. */
static void stops_at_the_end(void) {
    double value;
    CHECK_INT(mxb__number_parse("12345", 2, &value), 1);
    CHECK(value == 12);
    CHECK_INT(mxb__number_parse("1e55", 3, &value), 1);
    CHECK(value == 1e5);
    CHECK_INT(mxb__number_parse("infinity", 3, &value), 1);
    CHECK(value == INFINITY);
}

static void reads_hard_cases(void) {
    CHECK(parses_to("9007199254740993", 9007199254740992.0)); /* 2^53 + 1: tie to even */
    CHECK(parses_to("9007199254740995", 9007199254740996.0));
    CHECK(parses_to("9007199254740993.00000000000000000000000000000000000000000001", 9007199254740994.0));
    CHECK(parses_to("2.2250738585072011e-308", 0x0.fffffffffffffp-1022)); /* once hung other readers */
    CHECK(parses_to("2.2250738585072012e-308", DBL_MIN));
    CHECK(parses_to("4.9406564584124654e-324", 0x1p-1074));
    CHECK(parses_to("2.4703282292062327e-324", 0.0)); /* just below half the smallest */
    CHECK(parses_to("2.4703282292062328e-324", 0x1p-1074));
    CHECK(parses_to("1.7976931348623157e308", DBL_MAX));
    CHECK(parses_to("1.7976931348623158e308", DBL_MAX));
    CHECK(parses_to("1.7976931348623159e308", INFINITY));
    CHECK(parses_to("-1e309", -INFINITY));
    CHECK(parses_to("1e99999999999999999999", INFINITY));
    CHECK(parses_to("-1e-99999999999999999999", -0.0));
    CHECK(parses_to("1e-324", 0.0));
    CHECK(parses_to("8.5e22", 8.5e22));
    CHECK(parses_to("1e23", 1e23));
    CHECK(parses_to("6.631236846766476e-316", 6.631236846766476e-316));
    CHECK(parses_to("3.237883913302901e-319", 3.237883913302901e-319));
    CHECK(parses_to("1448997445238699", 1448997445238699.0));
    CHECK(parses_to("10000000000000000000000000000000000000000e-40", 1.0));
    CHECK(parses_to("0.0000000000000000000000000000000000000001e40", 1.0));
}

/* Zeros and exponents that cancel, longer than any buffer. */
static void reads_very_long_text(void) {
    enum { LONG = 200000 };
    char *text = malloc(LONG + 64);
    REQUIRE(text != NULL);
    memset(text, '0', LONG);
    text[1] = '.';
    snprintf(text + LONG, 64, "15e%d", LONG - 1);
    CHECK(parses_to(text, 1.5));
    memset(text, '0', LONG);
    text[0] = '7';
    snprintf(text + LONG, 64, "e-%d", LONG - 1);
    CHECK(parses_to(text, 7.0));
    memset(text, '9', LONG);
    text[LONG] = '\0';
    CHECK(parses_to(text, INFINITY));
    /* exactly 2^53 + 1, then zeros, then a one: above the tie */
    memset(text, '0', LONG);
    memcpy(text, "9007199254740993.", 17);
    text[LONG] = '\0';
    CHECK(parses_to(text, 9007199254740992.0));
    text[LONG - 1] = '1';
    CHECK(parses_to(text, 9007199254740994.0));
    free(text);
}

/* The exact decimal expansion of the midpoint above x must go to the even neighbour, and a digit more or less to the
 * proper side. printf is exact, and a long double holds a midpoint of doubles. */
static void rounds_midpoints_to_even(void) {
    struct random_stream stream = mxb__random_stream(11, RANDOM_ROWS, 0);
    size_t n_wrong = 0;
    if (LDBL_MANT_DIG < 64) {
        return;
    }
    for (uint64_t i = 0; i < 4000; i++) {
        uint64_t bits = mxb__random_bits(stream, i) >> 1;
        if (i % 4 == 0) {
            bits >>= 12; /* denormal */
        } else if (i % 4 == 1) {
            bits &= ~((UINT64_C(1) << 50) - 1); /* few bits */
        }
        if (bits >= bits_of(INFINITY)) {
            continue;
        }
        double low = from_bits(bits);
        double high = from_bits(bits + 1);
        long double middle = high == INFINITY ? 0x1.fffffffffffff8p1023L : ((long double)low + (long double)high) / 2;
        char text[1600];
        int length = snprintf(text, sizeof text, "%.1100Le", middle);
        REQUIRE(length > 0 && (size_t)length < sizeof text);
        n_wrong += !parses_to(text, bits % 2 == 0 ? low : high);
        char *last = strchr(text, 'e') - 1; /* a zero far behind the last digit */
        *last = '1';
        n_wrong += !parses_to(text, high);
        *last = '0';
        /* one unit less in some non-zero digit is below the midpoint */
        while (*last == '0') {
            last--;
        }
        REQUIRE(*last != '.');
        --*last;
        n_wrong += !parses_to(text, low);
    }
    CHECK_INT(n_wrong, 0);
}

static void agrees_with_strtod_on_random_bits(void) {
    struct random_stream stream = mxb__random_stream(1, RANDOM_ROWS, 0);
    static const char *const formats[] = {"%.17g", "%.16g", "%.20e", "%.10f", "%.5e", "%.40g"};
    size_t n_wrong = 0;
    for (uint64_t i = 0; i < 240000; i++) {
        uint64_t bits = mxb__random_bits(stream, i);
        if (i % 3 == 1) { /* of ordinary size */
            bits = (bits & ~(UINT64_C(0x7ff) << 52)) | ((1023 - 40 + bits % 80) << 52);
        }
        double x = from_bits(bits);
        char text[512];
        if (isnan(x) || isinf(x)) {
            continue;
        }
        int length = snprintf(text, sizeof text, formats[i % 6], x);
        n_wrong += length > 0 && (size_t)length < sizeof text && !parses_to(text, strtod(text, NULL));
    }
    CHECK_INT(n_wrong, 0);
}

static void agrees_with_strtod_on_random_decimals(void) {
    struct random_stream stream = mxb__random_stream(2, RANDOM_ROWS, 0);
    size_t n_wrong = 0;
    uint64_t next = 0;
    for (int i = 0; i < 200000; i++) {
        char text[1200];
        int used = 0;
        int n_digits = 1 + (int)(mxb__random_bits(stream, next++) % (i % 100 == 0 ? 1000 : i % 2 == 0 ? 21 : 40));
        int point = (int)(mxb__random_bits(stream, next++) % (uint64_t)(n_digits + 1));
        for (int j = 0; j < n_digits; j++) {
            if (j == point) {
                text[used++] = '.';
            }
            text[used++] = (char)('0' + mxb__random_bits(stream, next++) % 10);
        }
        int exponent = (int)(mxb__random_bits(stream, next++) % 700) - 370;
        snprintf(text + used, sizeof text - (size_t)used, "e%d", i % 3 == 0 ? exponent / 15 : exponent);
        n_wrong += !parses_to(text, strtod(text, NULL));
    }
    CHECK_INT(n_wrong, 0);
}

/* The number that a text begins with, and how long it is; -1 where there is none. */
static long begins_with(const char *text, double expected) {
    double value = NAN;
    const char *end = mxb__number_begin(text, text + strlen(text), &value);
    CHECK(end == NULL || bits_of(value) == bits_of(expected));
    return end == NULL ? -1 : (long)(end - text);
}

static void reads_what_a_text_begins_with(void) {
    CHECK_INT(begins_with("1.5,2", 1.5), 3);
    CHECK_INT(begins_with("-12\n", -12), 3);
    CHECK_INT(begins_with("1.2.3", 1.2), 3);
    CHECK_INT(begins_with("1e5e5", 1e5), 3);
    CHECK_INT(begins_with("7", 7), 1);
    CHECK_INT(begins_with("7 ", 7), 1);
    CHECK_INT(begins_with("0x10", 0), 1);
    CHECK_INT(begins_with("1e,", 0), -1);
    CHECK_INT(begins_with("", 0), -1);
    CHECK_INT(begins_with(",1", 0), -1);
    CHECK_INT(begins_with("-,", 0), -1);
    CHECK_INT(begins_with("inf", 0), -1);
}

/* Every number of digits before and after the point, with every other byte behind them, in a block of just the size. */
static void counts_digits_and_not_their_neighbours(void) {
    size_t n_wrong = 0;
    for (int length = 0; length < 40; length++) {
        for (int point = 0; point <= length; point++) {
            for (int byte = 0; byte < 256; byte += length % 8 == 3 ? 1 : 37) {
                char *text = malloc((size_t)length + 2);
                REQUIRE(text != NULL);
                for (int i = 0; i < length; i++) {
                    text[i] = (char)(i == point ? '.' : '1' + i % 9);
                }
                text[length] = (char)byte;
                text[length + 1] = '7';
                double value = 77;
                int n_digits = length - (point < length);
                const char *end = mxb__number_begin(text, text + length, &value);
                n_wrong += n_digits == 0 ? end != NULL : end != text + length;
                int goes_on = (byte >= '0' && byte <= '9') || byte == 'e' || byte == 'E' || byte == '.';
                end = mxb__number_begin(text, text + length + 2, &value);
                n_wrong += n_digits > 0 && !goes_on && end != text + length;
                free(text);
            }
        }
    }
    CHECK_INT(n_wrong, 0);
}

static void ignores_the_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) == NULL) {
            continue; /* not on this machine: nothing to check */
        }
        CHECK(parses_to("1234.5", 1234.5));
        CHECK(parses_to("0.1000000000000000055511151231257827", 0.1));
        double value;
        CHECK_INT(mxb__number_parse("1,5", 3, &value), 0);
    }
    setlocale(LC_ALL, "C");
}

int main(void) {
    RUN(reads_simple_numbers);
    RUN(refuses_everything_else);
    RUN(stops_at_the_end);
    RUN(reads_hard_cases);
    RUN(reads_very_long_text);
    RUN(rounds_midpoints_to_even);
    RUN(agrees_with_strtod_on_random_bits);
    RUN(agrees_with_strtod_on_random_decimals);
    RUN(reads_what_a_text_begins_with);
    RUN(counts_digits_and_not_their_neighbours);
    RUN(ignores_the_locale);
    return check_report();
}
