/* The exact way from decimals to doubles, which others are held against, against strtod. */
#include "base/decimal.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"

/* The decimal of some digits, the first not zero, with a point after `point` of them. */
static struct decimal decimal_of(const char *digits, int n, int64_t exponent) {
    struct decimal decimal = {.digits = digits, .n_digits = n, .exponent = exponent};
    for (int i = 0; i < n && i < MXB__MANTISSA_DIGITS; i++) {
        decimal.mantissa = decimal.mantissa * 10 + (uint64_t)(digits[i] - '0');
    }
    return decimal;
}

static int reads_as_strtod(const char *digits, int n, int exponent) {
    char text[1200];
    struct decimal decimal = decimal_of(digits, n, exponent);
    snprintf(text, sizeof text, "%.*se%d", n, digits, exponent);
    double expected = strtod(text, NULL);
    double found = mxb__decimal_nearest(&decimal);
    return memcmp(&expected, &found, sizeof found) == 0;
}

static void agrees_with_strtod(void) {
    struct random_stream stream = mxb__random_stream(4, RANDOM_ROWS, 0);
    size_t n_wrong = 0;
    uint64_t next = 0;
    for (int i = 0; i < 40000; i++) {
        char digits[1000];
        int n = 1 + (int)(mxb__random_bits(stream, next++) % (i % 100 == 0 ? 1000 : 25));
        for (int j = 0; j < n; j++) {
            digits[j] = (char)('0' + (j == 0) + (int)(mxb__random_bits(stream, next++) % (j == 0 ? 9 : 10)));
        }
        int order = (int)(mxb__random_bits(stream, next++) % 633) - 323;
        n_wrong += !reads_as_strtod(digits, n, order - n);
    }
    CHECK_INT(n_wrong, 0);
}

static void ties_go_to_even(void) {
    CHECK(reads_as_strtod("9007199254740993", 16, 0));
    CHECK(reads_as_strtod("9007199254740995", 16, 0));
    CHECK(reads_as_strtod("90071992547409930000000000000000000000000000", 44, -28));
    CHECK(reads_as_strtod("90071992547409930000000000000000000000000001", 44, -28));
}

static void knows_the_ends_of_the_range(void) {
    CHECK(reads_as_strtod("17976931348623158", 17, 292));
    CHECK(reads_as_strtod("17976931348623159", 17, 292));
    CHECK(reads_as_strtod("24703282292062327", 17, -340));
    CHECK(reads_as_strtod("24703282292062328", 17, -340));
    CHECK(reads_as_strtod("22250738585072011", 17, -324));
}

int main(void) {
    RUN(agrees_with_strtod);
    RUN(ties_go_to_even);
    RUN(knows_the_ends_of_the_range);
    return check_report();
}
