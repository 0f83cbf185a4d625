/* The unit tests' harness: a test is a function, a file lists its tests, every check names what it saw.
 *
 *     static void adds(void) { CHECK_INT(1 + 1, 2); }
 *     int main(void) { RUN(adds); return check_report(); }
 */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mixboost/mixboost.h"

static int check_n_failed;
static int check_n_tests;
static const char *check_test;

static inline void check_failed(const char *file, int line, const char *what) {
    check_n_failed++;
    fprintf(stderr, "%s:%d: in %s: %s\n", file, line, check_test, what);
}

#define RUN(test)           \
    do {                    \
        check_test = #test; \
        check_n_tests++;    \
        test();             \
    } while (0)

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

/* Stops the test, for checks without which the rest makes no sense. */
#define REQUIRE(condition)                                \
    do {                                                  \
        if (!(condition)) {                               \
            check_failed(__FILE__, __LINE__, #condition); \
            return;                                       \
        }                                                 \
    } while (0)

#define CHECK_INT(actual, expected)                                                                     \
    do {                                                                                                \
        long long check_a = (long long)(actual), check_e = (long long)(expected);                       \
        if (check_a != check_e) {                                                                       \
            char check_text[256];                                                                       \
            snprintf(check_text, sizeof check_text, "%s is %lld, not %lld", #actual, check_a, check_e); \
            check_failed(__FILE__, __LINE__, check_text);                                               \
        }                                                                                               \
    } while (0)

#define CHECK_NEAR(actual, expected, tolerance)                                                           \
    do {                                                                                                  \
        double check_a = (actual), check_e = (expected);                                                  \
        if (!(fabs(check_a - check_e) <= (tolerance))) {                                                  \
            char check_text[256];                                                                         \
            snprintf(check_text, sizeof check_text, "%s is %.17g, not %.17g", #actual, check_a, check_e); \
            check_failed(__FILE__, __LINE__, check_text);                                                 \
        }                                                                                                 \
    } while (0)

#define CHECK_TEXT(actual, expected)                                                           \
    do {                                                                                       \
        const char *check_a = (actual), *check_e = (expected);                                 \
        if (check_a == NULL || strcmp(check_a, check_e) != 0) {                                \
            char check_text[2600];                                                             \
            snprintf(check_text, sizeof check_text, "%s is\n  \"%s\", not\n  \"%s\"", #actual, \
                     check_a == NULL ? "(NULL)" : check_a, check_e);                           \
            check_failed(__FILE__, __LINE__, check_text);                                      \
        }                                                                                      \
    } while (0)

/* A call that must succeed; `error` is the mxb_error it was given. Stops the test otherwise. */
#define OK(call, error)                                        \
    do {                                                       \
        if ((call) != MXB_OK) {                                \
            check_failed(__FILE__, __LINE__, (error).message); \
            return;                                            \
        }                                                      \
    } while (0)

/* A call that must fail with exactly this status and sentence. */
#define FAILS(call, error, status, sentence)     \
    do {                                         \
        (error).message[0] = '\0';               \
        CHECK_INT((call), (status));             \
        CHECK_TEXT((error).message, (sentence)); \
    } while (0)

static inline int check_report(void) {
    printf("%d tests, %d failed checks\n", check_n_tests, check_n_failed);
    return check_n_failed == 0 ? 0 : 1;
}

#endif
