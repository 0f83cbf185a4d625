/* The prior on features of splits: its factors by the formula, and at its ends. */
#include "learner/tree/split_prior.h"

#include <float.h>
#include <math.h>

#include "check.h"

static void factors_are_powers_of_shares(void) {
    const double gains[5] = {3.0, 0.0, 6.0, 1e-9, 1.0};
    const double powers[3] = {0.1, 0.25, 1.0};
    for (size_t p = 0; p < 3; p++) {
        double factors[5];
        mxb__split_prior(gains, 5, powers[p], factors);
        for (size_t f = 0; f < 5; f++) {
            double sum = 10.0 + 1e-9;
            double expected = pow((gains[f] / sum + 0.001) / (6.0 / sum + 0.001), powers[p]);
            CHECK_NEAR(factors[f], expected, 1e-14);
        }
    }
}

static void without_gains_all_features_are_alike(void) {
    const double none[3] = {0.0, 0.0, 0.0};
    const double some[3] = {1.0, 0.0, 7.0};
    double factors[3];
    mxb__split_prior(none, 3, 0.5, factors);
    for (size_t f = 0; f < 3; f++) {
        CHECK(factors[f] == 1.0);
    }
    mxb__split_prior(some, 3, 0.0, factors);
    for (size_t f = 0; f < 3; f++) {
        CHECK(factors[f] == 1.0);
    }
}

/* One feature that gained all leaves the others the least factor there is. */
static void least_factor(void) {
    const double gains[2] = {0.0, 5e-324};
    double factors[2];
    mxb__split_prior(gains, 2, 1.0, factors);
    CHECK_NEAR(factors[0], 1.0 / 1001.0, 1e-16);
    CHECK(factors[1] == 1.0);
}

static void gains_without_a_finite_sum(void) {
    const double gains[4] = {DBL_MAX, DBL_MAX, DBL_MAX / 2.0, 0.0};
    double factors[4];
    mxb__split_prior(gains, 4, 1.0, factors);
    CHECK(factors[0] == 1.0 && factors[1] == 1.0);
    CHECK_NEAR(factors[2], (0.2 + 0.001) / (0.4 + 0.001), 1e-15);
    CHECK_NEAR(factors[3], 0.001 / (0.4 + 0.001), 1e-15);
}

int main(void) {
    RUN(factors_are_powers_of_shares);
    RUN(without_gains_all_features_are_alike);
    RUN(least_factor);
    RUN(gains_without_a_finite_sum);
    return check_report();
}
