/* The draws of learner classes and depths: as often as the probabilities say, and from seed and round alone. */
#include "boost/schedule.h"

#include "base/random.h"
#include "check.h"
#include "unit/boost/make_data.h"
#include "unit/boost/make_own.h"

/* Chi-square of counts against expected shares, over its degrees of freedom in standard deviations. */
static double surprise(const double *counts, const double *shares, size_t n) {
    double total = 0.0;
    double chi_square = 0.0;
    double freedom = -1.0;
    for (size_t i = 0; i < n; i++) {
        total += counts[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (shares[i] > 0.0) {
            double expected = shares[i] * total;
            chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
            freedom += 1.0;
        } else if (counts[i] > 0.0) {
            return HUGE_VAL;
        }
    }
    return freedom == 0.0 ? 0.0 : (chi_square - freedom) / sqrt(2.0 * freedom);
}

static void frequencies_match(void) {
    const char *const probabilities[] = {"0.9", "0.5", "0.05", "1", "0"};
    const uint32_t depths[][2] = {{1, 8}, {3, 3}, {5, 19}, {1, 30}};
    for (uint32_t k = 0; k < 20; k++) {
        char low[8];
        char high[8];
        char seed[16];
        double counts[32] = {0};
        double shares[32] = {0};
        uint32_t lowest = depths[k % 4][0];
        uint32_t highest = depths[k % 4][1];
        snprintf(low, sizeof low, "%u", lowest);
        snprintf(high, sizeof high, "%u", highest);
        snprintf(seed, sizeof seed, "%u", 17 * k);
        mxb_params *params = PARAMS("tree_probability", probabilities[k / 4], "min_max_depth", low, "max_max_depth",
                                    high, "symmetric_probability", "0", "random_state", seed);
        REQUIRE(params != NULL);
        double p = mxb__param(params, OPTION_TREE_PROBABILITY);
        shares[0] = 1.0 - p;
        for (uint32_t depth = lowest; depth <= highest; depth++) {
            shares[depth] = p / (double)(highest - lowest + 1);
        }
        for (uint32_t round = 1; round <= 20000; round++) {
            struct draw draw;
            const struct learner_ops *learner = mxb__schedule_draw(params, mxb__schedule_seed(params, 0), round, &draw);
            CHECK_INT(draw.round, round);
            CHECK(learner == &mxb__tree_learner || learner == &mxb__fourier_learner);
            if (learner == &mxb__tree_learner) {
                REQUIRE(draw.max_depth >= lowest && draw.max_depth <= highest);
                counts[draw.max_depth]++;
            } else {
                CHECK_INT(draw.max_depth, 0);
                counts[0]++;
            }
        }
        CHECK(surprise(counts, shares, 32) < 4.0);
        mxb_params_free(params);
    }
}

/* Of the trees, and of them alone; the others draw their depths as before. */
static void symmetric_trees_have_their_share(void) {
    static const char *const probabilities[] = {"0", "0.25", "0.5", "1"};
    for (uint32_t k = 0; k < 4; k++) {
        mxb_params *without = PARAMS("tree_probability", "0.7", "symmetric_probability", "0");
        mxb_params *with =
            PARAMS("tree_probability", "0.7", "symmetric_probability", probabilities[k], "symmetric_depth", "13");
        REQUIRE(without != NULL && with != NULL);
        double p = mxb__param(with, OPTION_SYMMETRIC_PROBABILITY);
        double shares[3] = {0.3, 0.7 * (1.0 - p), 0.7 * p}, counts[3] = {0};
        for (uint32_t round = 1; round <= 20000; round++) {
            struct draw draw, other;
            const struct learner_ops *learner = mxb__schedule_draw(with, 3, round, &draw);
            CHECK(learner == mxb__schedule_draw(without, 3, round, &other));
            CHECK(!other.is_symmetric && (learner == &mxb__tree_learner || !draw.is_symmetric));
            CHECK_INT(draw.max_depth, draw.is_symmetric ? 13 : other.max_depth);
            counts[learner != &mxb__tree_learner ? 0 : draw.is_symmetric ? 2 : 1]++;
        }
        CHECK(surprise(counts, shares, 3) < 4.0);
        mxb_params_free(without);
        mxb_params_free(with);
    }
}

static void depths_follow_their_probabilities(void) {
    const double shares[32] = {[2] = 0.25, [4] = 0.125, [5] = 0.625};
    double counts[32] = {0};
    mxb_params *params = PARAMS("tree_probability", "1", "symmetric_probability", "0", "min_max_depth", "2",
                                "max_max_depth", "6", "depth_probabilities", "0.25, 0,0.125,0.625,0");
    REQUIRE(params != NULL);
    for (uint32_t round = 1; round <= 20000; round++) {
        struct draw draw;
        CHECK(mxb__schedule_draw(params, mxb__schedule_seed(params, 0), round, &draw) == &mxb__tree_learner);
        REQUIRE(draw.max_depth < 32);
        counts[draw.max_depth]++;
    }
    CHECK(surprise(counts, shares, 32) < 4.0);
    mxb_params_free(params);
}

/* Other options, and what was drawn before, change nothing; nearby seeds have little to do with each other. */
static void only_seed_and_round_count(void) {
    mxb_params *a = PARAMS("random_state", "7", "tree_probability", "0.5");
    mxb_params *b = PARAMS("random_state", "7", "tree_probability", "0.5", "num_round", "3", "learning_rate", "1",
                           "subsample", "0.1", "n_threads", "3", "objective", "logloss");
    mxb_params *c = PARAMS("random_state", "8", "tree_probability", "0.5");
    REQUIRE(a != NULL && b != NULL && c != NULL);
    double n_same = 0.0;
    for (uint32_t round = 10000; round > 0; round--) {
        struct draw draws[3];
        const struct learner_ops *first = mxb__schedule_draw(a, mxb__schedule_seed(a, 0), round, &draws[0]);
        CHECK(mxb__schedule_draw(b, mxb__schedule_seed(b, 0), round, &draws[1]) == first);
        CHECK_INT(draws[1].max_depth, draws[0].max_depth);
        n_same += mxb__schedule_draw(c, mxb__schedule_seed(c, 0), round, &draws[2]) == first;
    }
    CHECK_NEAR(n_same / 10000.0, 0.5, 0.025);
    mxb_params_free(a);
    mxb_params_free(b);
    mxb_params_free(c);
}

/* A larger tree_probability only turns fourier rounds into trees. */
static void classes_are_drawn_by_one_threshold(void) {
    mxb_params *few = PARAMS("tree_probability", "0.3");
    mxb_params *many = PARAMS("tree_probability", "0.6");
    REQUIRE(few != NULL && many != NULL);
    for (uint32_t round = 1; round <= 1000; round++) {
        struct draw draws[2];
        if (mxb__schedule_draw(few, mxb__schedule_seed(few, 0), round, &draws[0]) == &mxb__tree_learner) {
            CHECK(mxb__schedule_draw(many, mxb__schedule_seed(many, 0), round, &draws[1]) == &mxb__tree_learner);
            CHECK_INT(draws[1].max_depth, draws[0].max_depth);
        }
    }
    mxb_params_free(few);
    mxb_params_free(many);
}

/* The caller's learners first, in order, and of the rest tree_probability to trees. */
static void the_callers_learners_have_their_share(void) {
    static const double own[][3] = {{0.2, 0.5, 0.1}, {0.3, 0, 0.7}, {0, 0, 0}, {0.1, 0.2, 0.7}};
    static const char *const names[] = {"a", "b", "c"};
    for (uint32_t k = 0; k < 8; k++) {
        struct line_learner lines = {0};
        mxb_params *params = PARAMS("tree_probability", k < 4 ? "0.25" : "1", "random_state", k % 2 ? "5" : "6");
        double counts[5] = {0}, shares[5];
        double tree = k < 4 ? 0.25 : 1, left = 1;
        REQUIRE(params != NULL);
        for (int i = 0; i < 3; i++) {
            shares[i] = own[k % 4][i];
            left -= shares[i];
            REQUIRE(line_learner_add(params, &lines, names[i], 0, shares[i]));
        }
        left = left > 1e-9 ? left : 0;
        shares[3] = left * tree;
        shares[4] = left * (1 - tree);
        CHECK_NEAR(mxb__schedule_probability(params, &mxb__own_learner), 1 - left, 1e-9);
        CHECK_NEAR(mxb__schedule_probability(params, &mxb__tree_learner), shares[3], 1e-15);
        CHECK_NEAR(mxb__schedule_probability(params, &mxb__fourier_learner), shares[4], 1e-15);
        for (uint32_t round = 1; round <= 20000; round++) {
            struct draw draw;
            const struct learner_ops *learner = mxb__schedule_draw(params, mxb__schedule_seed(params, 0), round, &draw);
            CHECK((learner == &mxb__own_learner) == (draw.own != NULL));
            counts[draw.own != NULL ? draw.own - params->own.learners : learner == &mxb__tree_learner ? 3 : 4]++;
        }
        CHECK(surprise(counts, shares, 5) < 4.0);
        mxb_params_free(params);
    }
}

/* Where they leave no more than rounding, the last of them that can be drawn has that, too. */
static void rounding_is_the_last_learners(void) {
    enum { ROUND = 312104395 }; /* of seed 0: its number is above 1 - 1e-10 */
    struct line_learner lines = {0};
    struct draw draw;
    mxb_params *params = PARAMS("tree_probability", "0.5");
    REQUIRE(params != NULL);
    REQUIRE(line_learner_add(params, &lines, "a", 0, 0.5) && line_learner_add(params, &lines, "b", 0, 0.5 - 5e-10) &&
            line_learner_add(params, &lines, "never", 0, 0));
    CHECK(mxb__random_uniform(mxb__random_stream(0, RANDOM_LEARNER, ROUND), 0) > 1 - 1e-10);
    CHECK(mxb__schedule_draw(params, 0, ROUND, &draw) == &mxb__own_learner);
    CHECK(draw.own == &params->own.learners[1]);
    mxb_params_free(params);
}

/* Learners that are never drawn change no draw, to the last round. */
static void learners_of_probability_0_change_nothing(void) {
    struct line_learner lines = {0};
    mxb_params *without = PARAMS("tree_probability", "0.37");
    mxb_params *with = PARAMS("tree_probability", "0.37");
    REQUIRE(without != NULL && with != NULL && line_learner_add(with, &lines, "never", 0, 0));
    CHECK(mxb__schedule_probability(without, &mxb__tree_learner) == 0.37);
    for (uint32_t round = 1; round <= 10000; round++) {
        struct draw draws[2];
        CHECK(mxb__schedule_draw(without, mxb__schedule_seed(without, 0), round, &draws[0]) ==
              mxb__schedule_draw(with, mxb__schedule_seed(with, 0), round, &draws[1]));
        CHECK_INT(draws[0].max_depth, draws[1].max_depth);
    }
    mxb_params_free(without);
    mxb_params_free(with);
}

int main(void) {
    RUN(frequencies_match);
    RUN(symmetric_trees_have_their_share);
    RUN(depths_follow_their_probabilities);
    RUN(only_seed_and_round_count);
    RUN(classes_are_drawn_by_one_threshold);
    RUN(the_callers_learners_have_their_share);
    RUN(rounding_is_the_last_learners);
    RUN(learners_of_probability_0_change_nothing);
    return check_report();
}
