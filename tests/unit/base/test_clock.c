/* The clock: seconds, forwards only. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

#include "check.h"

static void counts_seconds(void) {
    double before = mxb__seconds_now();
    struct timespec pause = {0, 20000000};
    while (nanosleep(&pause, &pause) != 0) {
    }
    double passed = mxb__seconds_now() - before;
    CHECK(passed >= 0.0199 && passed < 10); /* a loaded machine may be late, never early */
}

static void never_goes_back(void) {
    double last = mxb__seconds_now();
    for (int i = 0; i < 10000; i++) {
        double now = mxb__seconds_now();
        REQUIRE(now >= last);
        last = now;
    }
}

int main(void) {
    RUN(counts_seconds);
    RUN(never_goes_back);
    return check_report();
}
