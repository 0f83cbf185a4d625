/* Noise on splits: how large it is, that each factor is a draw of its own, and what it does to the choice. */
#include "learner/tree/tree_noise.h"

#include <math.h>

#include "check.h"
#include "learner/tree/tree_split.h"

static void noise_fades(void) {
    for (uint32_t round = 1; round <= 3000; round += 7) {
        double expected = 0.6 * exp(-((double)round - 1.0) / 200.0);
        struct split_noise noise = mxb__split_noise(1, round, 0.6);
        CHECK_NEAR(noise.deviation, expected < 0.001 ? 0.0 : expected, 1e-15);
    }
    CHECK(mxb__split_noise(1, 1, 0.6).deviation == 0.6);
    CHECK(mxb__split_noise(1, 1, 0.001).deviation == 0.001);
    CHECK(mxb__split_noise(1, 2, 0.001).deviation == 0.0);
    CHECK(mxb__split_noise(1, 1, 0.0).deviation == 0.0);
    CHECK(mxb__split_noise(1, UINT32_MAX, 10.0).deviation == 0.0);
}

/* Mean, deviation and tails of the four dice; the floor is out of reach. */
static void factors_are_nearly_normal(void) {
    enum { N = 1000000 };
    struct split_noise noise = mxb__split_noise(3, 1, 0.25);
    double sum = 0.0;
    double squares = 0.0;
    size_t n_beyond[3] = {0};
    for (uint32_t i = 0; i < N; i++) {
        double z = (mxb__split_noise_factor(&noise, 1 + i / 1000, i % 1000) - 1.0) / 0.25;
        sum += z;
        squares += z * z;
        CHECK(fabs(z) < 3.4642);
        for (int k = 0; k < 3; k++) {
            n_beyond[k] += fabs(z) > 1 + k;
        }
    }
    CHECK_NEAR(sum / N, 0.0, 0.005);
    CHECK_NEAR(squares / N, 1.0, 0.01);
    CHECK_NEAR((double)n_beyond[0] / N, 0.317, 0.02); /* as a normal has them */
    CHECK_NEAR((double)n_beyond[1] / N, 0.046, 0.01);
    CHECK_NEAR((double)n_beyond[2] / N, 0.003, 0.003);
}

static void no_factor_is_below_the_floor(void) {
    struct split_noise noise = mxb__split_noise(3, 1, 10.0);
    size_t n_floor = 0;
    for (uint32_t f = 0; f < 1000; f++) {
        double factor = mxb__split_noise_factor(&noise, 1, f);
        CHECK(factor >= 0.05);
        n_floor += factor == 0.05;
    }
    CHECK(n_floor > 400 && n_floor < 500); /* P(z < -0.095) */
}

/* Each of seed, round, place and feature has a say; so has which of two is the place. */
static void factors_are_independent(void) {
    enum { N = 10000 };
    const struct split_noise plain = mxb__split_noise(7, 5, 0.2);
    const struct split_noise other_seed = mxb__split_noise(8, 5, 0.2);
    const struct split_noise other_round = {plain.deviation, mxb__split_noise(7, 6, 0.2).random};
    double products[5] = {0};
    for (uint32_t i = 0; i < N; i++) {
        double z = mxb__split_noise_factor(&plain, 64, i) - 1.0;
        const double others[5] = {mxb__split_noise_factor(&other_seed, 64, i),
                                  mxb__split_noise_factor(&other_round, 64, i), mxb__split_noise_factor(&plain, 65, i),
                                  mxb__split_noise_factor(&plain, 64, i + 1), mxb__split_noise_factor(&plain, i, 64)};
        for (int k = 0; k < 5; k++) {
            products[k] += z * (others[k] - 1.0) / (plain.deviation * plain.deviation);
        }
        CHECK(z + 1.0 == mxb__split_noise_factor(&plain, 64, i));
    }
    for (int k = 0; k < 5; k++) {
        CHECK_NEAR(products[k] / N, 0.0, 0.04);
    }
}

/* The last places of the deepest tree are not those of shallow ones. */
static void deep_places_differ(void) {
    struct split_noise noise = mxb__split_noise(7, 1, 0.2);
    for (uint32_t depth = 1; depth < 31; depth++) {
        for (uint32_t place = (uint32_t)1 << depth; place < ((uint32_t)1 << depth) + 2; place++) {
            CHECK(mxb__split_noise_factor(&noise, place, 0) != mxb__split_noise_factor(&noise, place >> 1, 0));
        }
    }
}

/* The largest gain once noise is on it; features without gain have no part in it. */
static void noise_decides_between_features(void) {
    size_t n_others = 0;
    for (uint32_t place = 1; place <= 500; place++) {
        const struct split_factors factors = {.noise = mxb__split_noise(4, 1, 0.5)};
        double gains[6] = {1.0, 0.0, 1.5, 1.2, 0.0, 0.9};
        uint32_t expected = 0;
        double best = 0.0;
        for (uint32_t f = 0; f < 6; f++) {
            double noisy = gains[f] * mxb__split_noise_factor(&factors.noise, place, f);
            expected = noisy > best ? f : expected;
            best = noisy > best ? noisy : best;
        }
        CHECK_INT(mxb__split_choose(gains, 6, &factors, place), expected);
        n_others += expected != 2;
    }
    CHECK(n_others > 100 && n_others < 400);
    const struct split_factors loud = {.noise = mxb__split_noise(4, 1, 10.0)};
    const double none[2] = {0.0, 0.0};
    CHECK_INT(mxb__split_choose(none, 2, &loud, 1), 2);
}

/* Where noise leaves all of them at its floor, ties are as without it. */
static void lowest_feature_wins_a_tie_at_the_floor(void) {
    const struct split_factors loud = {.noise = mxb__split_noise(4, 1, 10.0)};
    size_t n_met = 0;
    for (uint32_t place = 1; place <= 200; place++) {
        double gains[3] = {1.0 - 0.5e-9, 0.0, 1.0};
        if (mxb__split_noise_factor(&loud.noise, place, 0) == 0.05 &&
            mxb__split_noise_factor(&loud.noise, place, 2) == 0.05) {
            CHECK_INT(mxb__split_choose(gains, 3, &loud, place), 0);
            gains[0] = 1.0 - 2e-9;
            CHECK_INT(mxb__split_choose(gains, 3, &loud, place), 2);
            n_met++;
        }
    }
    CHECK(n_met > 10);
}

int main(void) {
    RUN(noise_fades);
    RUN(factors_are_nearly_normal);
    RUN(no_factor_is_below_the_floor);
    RUN(factors_are_independent);
    RUN(deep_places_differ);
    RUN(noise_decides_between_features);
    RUN(lowest_feature_wins_a_tie_at_the_floor);
    return check_report();
}
