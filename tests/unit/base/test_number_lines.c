/* Lines of numbers against numbers formatted one by one. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"
#include "check.h"
#include "mixboost/mixboost.h"

enum { MOST = 200000 };

static void lines_are_the_numbers(void) {
    static const size_t counts[] = {0, 1, 2, 1023, 1024, 1025, 65535, 65536, 65537, 131073, MOST};
    struct random_stream stream = mxb__random_stream(4, RANDOM_ROWS, 0);
    double *numbers = malloc(MOST * sizeof *numbers);
    char *expected = malloc((size_t)MOST * MXB__NUMBER_SIZE);
    for (size_t i = 0; i < MOST; i++) {
        numbers[i] = i % 7 == 0 ? (double)i : (mxb__random_uniform(stream, i) - 0.5) * (i % 3 == 0 ? 1e-9 : 1e3);
    }
    numbers[3] = (double)NAN;
    numbers[4] = -(double)INFINITY;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        size_t n = counts[c];
        char *end = expected;
        for (size_t i = 0; i < n; i++) {
            end += mxb__number_format(numbers[i], end);
            *end++ = '\n';
        }
        for (int n_threads = -1; n_threads <= 4; n_threads++) {
            char *text = malloc(n * MXB__NUMBER_SIZE + 1); /* of its own size: writing beyond it is seen */
            size_t length = mxb_numbers_format(numbers, n, n_threads, text);
            CHECK(length == (size_t)(end - expected) && memcmp(text, expected, length) == 0);
            free(text);
        }
    }
    free(numbers);
    free(expected);
}

static void one_line(void) {
    const double number = -1.5;
    char line[MXB__NUMBER_SIZE];
    CHECK_INT(mxb_numbers_format(&number, 1, 1, line), 5);
    CHECK(memcmp(line, "-1.5\n", 5) == 0);
}

int main(void) {
    RUN(lines_are_the_numbers);
    RUN(one_line);
    return check_report();
}
