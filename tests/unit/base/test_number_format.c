/* Numbers as the shortest text: both ways to it against each other and against strtod, and in other locales. The source
 * is included for its two ways. */
#include "base/number_format.c"

#include <locale.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "unit/base/double_bits.h"

static int reads_back(const char *text, double expected) {
    double value = NAN;
    return mxb__number_parse(text, strlen(text), &value) && bits_of(value) == bits_of(expected);
}

static int formats_as(double x, const char *expected) {
    char text[MXB__NUMBER_SIZE];
    size_t length = mxb__number_format(x, text);
    if (strcmp(text, expected) != 0 || length != strlen(expected)) {
        fprintf(stderr, "%a is written \"%s\", not \"%s\"\n", x, text, expected);
        return 0;
    }
    return 1;
}

static void writes_plainly(void) {
    CHECK(formats_as(0.0, "0"));
    CHECK(formats_as(-0.0, "-0"));
    CHECK(formats_as(0.1, "0.1"));
    CHECK(formats_as(-12.5, "-12.5"));
    CHECK(formats_as(1.0, "1"));
    CHECK(formats_as(100.0, "100"));
    CHECK(formats_as(123456.0, "123456"));
    CHECK(formats_as(1e15, "1000000000000000"));
    CHECK(formats_as(1e16, "1e16"));
    CHECK(formats_as(1.5e16, "1.5e16"));
    CHECK(formats_as(0.0001, "0.0001"));
    CHECK(formats_as(0.00012345, "0.00012345"));
    CHECK(formats_as(0.00001, "1e-5"));
    CHECK(formats_as(1e-300, "1e-300"));
    CHECK(formats_as(-1.25e-7, "-1.25e-7"));
    CHECK(formats_as(1.0 / 3.0, "0.3333333333333333"));
    CHECK(formats_as(0.1 + 0.2, "0.30000000000000004"));
    CHECK(formats_as(9007199254740993.0, "9007199254740992"));
    CHECK(formats_as(DBL_MAX, "1.7976931348623157e308"));
    CHECK(formats_as(DBL_MIN, "2.2250738585072014e-308"));
    CHECK(formats_as(0x1p-1074, "5e-324"));
    CHECK(formats_as(0x1p-44, "5.684341886080802e-14")); /* the nearest 16 digits would read back as its neighbour */
    CHECK(formats_as(INFINITY, "inf"));
    CHECK(formats_as(-INFINITY, "-inf"));
    CHECK(formats_as(NAN, "nan"));
    CHECK(formats_as(-NAN, "nan"));
}

/* Every text reads back, by both readers, and no text of fewer digits would. */
static void writes_the_shortest(void) {
    struct random_stream stream = mxb__random_stream(3, RANDOM_ROWS, 0);
    size_t n_wrong = 0;
    for (uint64_t i = 0; i < 60000; i++) {
        uint64_t bits = mxb__random_bits(stream, i);
        double x = i % 4 == 0   ? (double)(int64_t)(bits % 2000001) / 1000.0 - 1000.0
                   : i % 4 == 1 ? from_bits(bits >> (12 + bits % 50))
                   : i % 4 == 2 ? from_bits((bits % 2047) << 52)
                                : from_bits(bits);
        char text[MXB__NUMBER_SIZE];
        if (isnan(x) || isinf(x)) {
            continue;
        }
        size_t length = mxb__number_format(x, text);
        n_wrong += length != strlen(text) || !reads_back(text, x) || bits_of(strtod(text, NULL)) != bits_of(x);
        int n_digits = 0;
        for (const char *p = text; *p != '\0' && *p != 'e'; p++) {
            n_digits += *p >= '0' && *p <= '9' && (n_digits > 0 || *p != '0');
        }
        while (strchr(text, '.') == NULL && strchr(text, 'e') == NULL && n_digits > 0 && text[length - 1] == '0') {
            text[--length] = '\0'; /* zeros that only fill up an integer */
            n_digits--;
        }
        if (n_digits > 1) {
            char shorter[64];
            snprintf(shorter, sizeof shorter, "%.*e", n_digits - 2, x);
            n_wrong += strtod(shorter, NULL) == x;
        }
    }
    CHECK_INT(n_wrong, 0);
}

/* The quick way gives the digits of the slow one, or none. */
static void the_quick_way_is_the_slow_way(void) {
    struct random_stream stream = mxb__random_stream(6, RANDOM_ROWS, 0);
    size_t n_wrong = 0, n_quick = 0, n_all = 0;
    for (uint64_t i = 0; i < 80000; i++) {
        uint64_t bits = mxb__random_bits(stream, i) >> 1;
        double x = i % 8 == 0   ? (double)(bits % 1000000007) / 1e6
                   : i % 8 == 1 ? (double)(bits % 10007) * 0.125
                   : i % 8 == 2 ? from_bits((bits % 2046 + 1) << 52) /* powers of two */
                   : i % 8 == 3 ? (double)(bits >> 11) * 0x1p-3      /* ties */
                   : i % 8 == 4 ? strtod("1e23", NULL) * (double)(int64_t)(1 + bits % 1000)
                   : i % 8 == 5 ? (double)(bits >> 11) * 0x1p-53
                                : from_bits(bits % (UINT64_C(0x7ff) << 52));
        struct digits quick, slow;
        if (x == 0) {
            continue;
        }
        n_all++;
        if (product_digits(x, &quick)) {
            n_quick++;
            try_digits(x, &slow);
            n_wrong += quick.n != slow.n || quick.exponent != slow.exponent || strcmp(quick.text, slow.text) != 0;
        }
    }
    CHECK_INT(n_wrong, 0);
    CHECK(n_quick > n_all / 2);
}

static void ignores_the_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL) { /* else it is not on this machine: nothing to check */
            CHECK(formats_as(1234567.25, "1234567.25"));
            CHECK(formats_as(-2.5e-9, "-2.5e-9"));
            CHECK(formats_as(0x1p-1074, "5e-324"));
        }
    }
    setlocale(LC_ALL, "C");
}

int main(void) {
    RUN(writes_plainly);
    RUN(writes_the_shortest);
    RUN(the_quick_way_is_the_slow_way);
    RUN(ignores_the_locale);
    return check_report();
}
