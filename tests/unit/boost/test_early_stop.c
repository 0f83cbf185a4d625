/* When to stop, and which round is the best. */
#include "boost/early_stop.h"

#include "check.h"

static void stops_after_so_many_rounds_without_gain(void) {
    struct early_stop stop;
    mxb__early_stop_init(&stop, 3, 1.0);
    CHECK_INT(mxb__early_stop_add(&stop, 1, 0.9), 0);
    CHECK_INT(mxb__early_stop_add(&stop, 2, 0.95), 0);
    CHECK_INT(mxb__early_stop_add(&stop, 3, 0.85), 0);
    CHECK_INT(stop.best_round, 3);
    CHECK_INT(mxb__early_stop_add(&stop, 4, 0.9), 0);
    CHECK_INT(mxb__early_stop_add(&stop, 5, 0.9), 0);
    CHECK_INT(mxb__early_stop_add(&stop, 6, 0.9), 1);
    CHECK_INT(stop.best_round, 3);
    CHECK_NEAR(stop.best_loss, 0.85, 0.0);
}

static void earlier_of_equal_rounds_is_kept(void) {
    struct early_stop stop;
    mxb__early_stop_init(&stop, 2, 1.0);
    CHECK_INT(mxb__early_stop_add(&stop, 1, 0.5), 0);
    CHECK_INT(mxb__early_stop_add(&stop, 2, 0.5), 0);
    CHECK_INT(mxb__early_stop_add(&stop, 3, 0.5), 1);
    CHECK_INT(stop.best_round, 1);
}

static void no_round_may_be_the_best(void) {
    struct early_stop stop;
    mxb__early_stop_init(&stop, 1, 1.0);
    CHECK_INT(mxb__early_stop_add(&stop, 1, 1.0), 1);
    CHECK_INT(stop.best_round, 0);
    CHECK_NEAR(stop.best_loss, 1.0, 0.0);
}

static void patience_0_never_stops(void) {
    struct early_stop stop;
    mxb__early_stop_init(&stop, 0, 1.0);
    for (uint32_t round = 1; round <= 1000; round++) {
        CHECK_INT(mxb__early_stop_add(&stop, round, 2.0), 0);
    }
    CHECK_INT(stop.best_round, 0);
}

int main(void) {
    RUN(stops_after_so_many_rounds_without_gain);
    RUN(earlier_of_equal_rounds_is_kept);
    RUN(no_round_may_be_the_best);
    RUN(patience_0_never_stops);
    return check_report();
}
