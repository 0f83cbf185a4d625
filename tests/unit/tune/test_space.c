/* Spaces in memory: what is drawn, against the random numbers themselves and as a distribution; fixing and copies. */
#include "tune/space.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

static mxb_error error;

enum { N_DRAWS = 4000, SEED = 5 };

static mxb_space *space_of(const char *text) {
    mxb_space *space = NULL;
    if (mxb_space_create(text, &space, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        abort();
    }
    return space;
}

/* The text of an option in a configuration. */
static const char *draw(const mxb_space *space, uint64_t seed, size_t config, const char *option) {
    static char text[1024];
    mxb_params *params;
    if (mxb_params_create(&params, &error) != MXB_OK || mxb_space_draw(space, seed, config, params, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        abort();
    }
    snprintf(text, sizeof text, "%s", mxb_params_get(params, option));
    mxb_params_free(params);
    return text;
}

static double draw_value(const mxb_space *space, uint64_t seed, size_t config, const char *option) {
    return strtod(draw(space, seed, config, option), NULL);
}

/* The number that configuration `config` has at a place of the space. */
static double uniform(uint64_t seed, size_t config, size_t place) {
    return mxb__random_uniform(mxb__random_stream(seed, RANDOM_OPTIONS, config), place);
}

/* How many digits a number is written with, from the first that is not 0 to the last. */
static size_t n_digits(const char *text) {
    size_t n = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0')) {
            n++;
            zeros = *text == '0' ? zeros + 1 : 0;
        }
    }
    return n - zeros;
}

/* ---- What is drawn ---- */

static const char EVERY_SCALE[] =
    "subsample 0.25 0.75 linear\n"
    "gamma 0.001 1000 log10\n"
    "n_components 3 12 integer\n"
    "leaf_rows sample all choice\n"
    "lambda_l2 0.125\n"
    "base_score -3 5 linear\n"
    "num_round 10 100000 log10\n"
    "max_max_depth 2 5 linear\n"
    "alpha 3 9 integer\n"
    "early_stopping_rounds 7 8 9 10 11 choice\n";

/* To half a unit of the sixth digit. */
static int is_rounded(double drawn, double exact) { return fabs(drawn - exact) <= 0.500001e-5 * fabs(exact); }

static void numbers_are_those_of_the_stream(void) {
    mxb_space *space = space_of(EVERY_SCALE);
    for (uint64_t seed = 0; seed < 3; seed++) {
        for (size_t i = 0; i < 300; i++) {
            CHECK(is_rounded(draw_value(space, seed, i, "subsample"), 0.25 + 0.5 * uniform(seed, i, 0)));
            CHECK(is_rounded(draw_value(space, seed, i, "gamma"), pow(10, -3 + 6 * uniform(seed, i, 1))));
            CHECK_INT(draw_value(space, seed, i, "n_components"), 3 + floor(10 * uniform(seed, i, 2)));
            CHECK_TEXT(draw(space, seed, i, "leaf_rows"), uniform(seed, i, 3) < 0.5 ? "sample" : "all");
            CHECK_TEXT(draw(space, seed, i, "lambda_l2"), "0.125");
            CHECK(is_rounded(draw_value(space, seed, i, "base_score"), -3 + 8 * uniform(seed, i, 5)));
            CHECK_INT(draw_value(space, seed, i, "num_round"), lround(pow(10, 1 + 4 * uniform(seed, i, 6))));
            CHECK_INT(draw_value(space, seed, i, "max_max_depth"), 2 + floor(4 * uniform(seed, i, 7)));
            CHECK_INT(draw_value(space, seed, i, "alpha"), 3 + floor(7 * uniform(seed, i, 8)));
            CHECK_INT(draw_value(space, seed, i, "early_stopping_rounds"), 7 + floor(5 * uniform(seed, i, 9)));
            CHECK_TEXT(draw(space, seed, i, "hist_nbins"), "256"); /* what a space does not have stays */
        }
    }
    mxb_space_free(space);
}

/* Any size of number; ends with more digits are not passed. */
static void numbers_have_six_digits(void) {
    static const char *const ranges[] = {
        "alpha 0 1 linear",       "alpha 1e-9 1e-3 log10",   "alpha 1e-30 1e-20 log10", "alpha 1e-300 1 log10",
        "alpha 90000 2e5 linear", "alpha 3 4 linear",        "alpha 1e4 1e6 log10",     "alpha 0.99999 1.00001 linear",
        "alpha 0 1e-25 linear",   "alpha 7e-13 8e-13 log10", "alpha 1e9 1e300 log10",   "alpha 1e-300 1e300 log10"};
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
        mxb_space *space = space_of(ranges[r]);
        const struct range *range = &space->ranges[0];
        int is_log = range->scale == SCALE_LOG10;
        size_t most = 0;
        for (size_t i = 0; i < 500; i++) {
            double part = uniform(SEED, i, 0);
            double exact = is_log ? pow(10, (1 - part) * log10(range->lowest) + part * log10(range->highest))
                                  : range->lowest + part * (range->highest - range->lowest);
            size_t n = n_digits(draw(space, SEED, i, "alpha"));
            CHECK(is_rounded(draw_value(space, SEED, i, "alpha"), exact));
            most = n > most ? n : most;
        }
        CHECK_INT(most, 6);
        mxb_space_free(space);
    }
}

static void values_stay_between_the_ends(void) {
    static const char *const ranges[] = {
        "subsample 0.123456789 0.123456791 linear",   "subsample 0.12345678 0.23456789 log10",
        "subsample 0.3333333333 0.3333333333 linear", "subsample 0.9999999 1 log10",
        "num_round 1000000 1000000 integer",          "num_round 3 4 log10",
        "random_state 0 4294967295 integer",          "base_score -1e300 1e300 linear"};
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
        mxb_space *space = space_of(ranges[r]);
        for (size_t i = 0; i < 1000; i++) {
            double value = draw_value(space, SEED, i, mxb_space_option(space, 0));
            CHECK(value >= space->ranges[0].lowest && value <= space->ranges[0].highest);
        }
        mxb_space_free(space);
    }
}

/* ---- Distributions ---- */

/* Counts of draws in equal parts: the statistic of Pearson's test, over its expectation with as many parts. */
static double unevenness(const size_t *counts, size_t n_parts) {
    double mean = (double)N_DRAWS / (double)n_parts, sum = 0;
    for (size_t i = 0; i < n_parts; i++) {
        sum += ((double)counts[i] - mean) * ((double)counts[i] - mean) / mean;
    }
    return sum / (double)(n_parts - 1);
}

static void all_parts_of_a_range_are_as_likely(void) {
    enum { PARTS = 20 };
    mxb_space *space = space_of(EVERY_SCALE);
    size_t linear[PARTS] = {0}, logs[PARTS] = {0}, whole[10] = {0}, words[2] = {0}, choices[5] = {0};
    for (size_t i = 0; i < N_DRAWS; i++) {
        linear[(size_t)((draw_value(space, SEED, i, "subsample") - 0.25) / 0.500001 * PARTS)]++;
        logs[(size_t)((log10(draw_value(space, SEED, i, "gamma")) + 3) / 6.00001 * PARTS)]++;
        whole[(size_t)draw_value(space, SEED, i, "n_components") - 3]++; /* both ends among them */
        words[strcmp(draw(space, SEED, i, "leaf_rows"), "all") == 0]++;
        choices[(size_t)draw_value(space, SEED, i, "early_stopping_rounds") - 7]++;
    }
    CHECK(unevenness(linear, PARTS) < 2);
    CHECK(unevenness(logs, PARTS) < 2);
    CHECK(unevenness(whole, 10) < 2.5);
    CHECK(unevenness(words, 2) < 6);
    CHECK(unevenness(choices, 5) < 3);
    mxb_space_free(space);
}

static double correlation(const double *a, const double *b) {
    double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < N_DRAWS; i++) {
        mean_a += a[i] / N_DRAWS;
        mean_b += b[i] / N_DRAWS;
    }
    for (size_t i = 0; i < N_DRAWS; i++) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

/* Options of a configuration, configurations and seeds have nothing to do with each other. */
static void draws_are_independent(void) {
    static double drawn[4][N_DRAWS + 1];
    mxb_space *space = space_of("subsample 0.1 1 linear\ncolsample 0.1 1 linear\n");
    for (size_t i = 0; i <= N_DRAWS; i++) {
        drawn[0][i] = draw_value(space, SEED, i, "subsample");
        drawn[1][i] = draw_value(space, SEED, i, "colsample");
        drawn[2][i] = draw_value(space, SEED + 1, i, "subsample");
    }
    CHECK_NEAR(correlation(drawn[0], drawn[1]), 0, 0.05);
    CHECK_NEAR(correlation(drawn[0], drawn[0] + 1), 0, 0.05);
    CHECK_NEAR(correlation(drawn[0], drawn[2]), 0, 0.05);
    mxb_space_free(space);
}

/* ---- Depths ---- */

/* Other options at the same places show what was drawn before the depths are put in order. */
static void depths_change_places(void) {
    mxb_space *depths = space_of("min_max_depth 1 19 integer\nmax_max_depth 1 19 integer\n");
    mxb_space *others = space_of("n_components 1 19 integer\nn_members 1 19 integer\n");
    size_t n_changed = 0, n_equal = 0;
    for (size_t i = 0; i < 1000; i++) {
        double first = draw_value(others, SEED, i, "n_components"), second = draw_value(others, SEED, i, "n_members");
        CHECK_INT(draw_value(depths, SEED, i, "min_max_depth"), fmin(first, second));
        CHECK_INT(draw_value(depths, SEED, i, "max_max_depth"), fmax(first, second));
        n_changed += first > second;
        n_equal += first == second;
    }
    CHECK(n_changed > 400 && n_equal > 20 && n_changed < 550);
    mxb_space_free(depths);
    mxb_space_free(others);
}

static void a_depth_that_is_drawn_becomes_the_other_at_the_most(void) {
    mxb_space *least = space_of("min_max_depth 9\nmax_max_depth 3 19 integer\n");
    mxb_space *most = space_of("max_max_depth 4\nmin_max_depth 2 12 integer\n");
    mxb_space *both = space_of("min_max_depth 9\nmax_max_depth 4\n");
    mxb_space *choice = space_of("min_max_depth auto 6 choice\nmax_max_depth 3 8 choice\n");
    mxb_space *least_alone = space_of("n_members 1\nn_components 3 19 integer\n");
    mxb_space *most_alone = space_of("n_members 1\nn_components 2 12 integer\n");
    size_t n_below = 0, n_above = 0;
    for (size_t i = 0; i < 200; i++) {
        double deep = draw_value(least_alone, SEED, i, "n_components");
        double shallow = draw_value(most_alone, SEED, i, "n_components");
        CHECK_TEXT(draw(least, SEED, i, "min_max_depth"), "9");
        CHECK_INT(draw_value(least, SEED, i, "max_max_depth"), fmax(deep, 9));
        n_below += deep < 9;
        CHECK_TEXT(draw(most, SEED, i, "max_max_depth"), "4");
        CHECK_INT(draw_value(most, SEED, i, "min_max_depth"), fmin(shallow, 4));
        n_above += shallow > 4;
        CHECK_TEXT(draw(both, SEED, i, "min_max_depth"), "9");
        CHECK_TEXT(draw(both, SEED, i, "max_max_depth"), "4");
        int is_auto = uniform(SEED, i, 0) < 0.5, is_low = uniform(SEED, i, 1) < 0.5;
        CHECK_TEXT(draw(choice, SEED, i, "min_max_depth"), is_auto ? "auto" : is_low ? "3" : "6");
        CHECK_TEXT(draw(choice, SEED, i, "max_max_depth"), is_auto ? (is_low ? "3" : "8") : (is_low ? "6" : "8"));
    }
    CHECK(n_below > 20 && n_above > 20);
    mxb_space_free(least);
    mxb_space_free(most);
    mxb_space_free(least_alone);
    mxb_space_free(most_alone);
    mxb_space_free(both);
    mxb_space_free(choice);
}

/* ---- Fixing, copies, what a space tells of itself ---- */

static void fixing_one_keeps_the_draws_of_the_others(void) {
    static const char *const names[] = {"subsample", "gamma", "n_components", "leaf_rows", "num_round"};
    mxb_space *space = space_of(EVERY_SCALE), *fixed = space_of(EVERY_SCALE);
    OK(mxb_space_fix(fixed, "gamma", "1e-1", &error), error);
    OK(mxb_space_fix(fixed, "leaf_rows", "all", &error), error);
    OK(mxb_space_fix(fixed, "objective", "logloss", &error), error); /* one that the space does not have */
    OK(mxb_space_fix(fixed, "gamma", "0.25", &error), error);        /* the last word */
    CHECK_INT(mxb_space_n_options(fixed), mxb_space_n_options(space) + 1);
    CHECK_TEXT(mxb_space_option(fixed, 10), "objective");
    CHECK_TEXT(mxb_space_option(fixed, 1), "gamma");
    CHECK_TEXT(mxb_space_scale(fixed, 1), "fixed");
    for (size_t i = 0; i < 100; i++) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            char text[1024];
            snprintf(text, sizeof text, "%s", draw(space, SEED, i, names[k]));
            const char *expected = k == 1 ? "0.25" : k == 3 ? "all" : text;
            CHECK_TEXT(draw(fixed, SEED, i, names[k]), expected);
        }
        CHECK_TEXT(draw(fixed, SEED, i, "objective"), "logloss");
    }
    mxb_space_free(space);
    mxb_space_free(fixed);
}

/* Also one that points into the space. */
static void what_is_fixed_is_copied(void) {
    char value[] = "0.5";
    mxb_space *space = space_of("gamma 1 2 linear\nalpha 0.75\n");
    OK(mxb_space_fix(space, mxb_space_option(space, 0), value, &error), error);
    OK(mxb_space_fix(space, mxb_space_option(space, 1), space->ranges[1].values[0], &error), error);
    value[0] = '9';
    CHECK_TEXT(draw(space, 0, 0, "gamma"), "0.5");
    CHECK_TEXT(draw(space, 0, 0, "alpha"), "0.75");
    mxb_space_free(space);
}

static void a_copy_is_its_own(void) {
    mxb_space *space = space_of(EVERY_SCALE), *copy;
    char *text, *copied, *after;
    OK(mxb__space_format(space, &text, &error), error);
    OK(mxb__space_copy(&copy, space, &error), error);
    OK(mxb_space_fix(space, "gamma", "3", &error), error);
    OK(mxb__space_format(copy, &copied, &error), error);
    CHECK_TEXT(copied, text);
    mxb_space_free(space);
    OK(mxb__space_format(copy, &after, &error), error);
    CHECK_TEXT(after, text);
    mxb__free(text);
    mxb__free(copied);
    mxb__free(after);
    mxb_space_free(copy);
}

static void names_and_scales(void) {
    static const char *const scales[] = {"linear", "log10", "integer", "choice", "fixed"};
    mxb_space *space = space_of(EVERY_SCALE);
    CHECK_INT(mxb_space_n_options(space), 10);
    CHECK_TEXT(mxb_space_option(space, 0), "subsample");
    CHECK_TEXT(mxb_space_option(space, 9), "early_stopping_rounds");
    for (size_t i = 0; i < 5; i++) {
        CHECK_TEXT(mxb_space_scale(space, i), scales[i]);
        CHECK_TEXT(mxb__scale_name((enum scale)i), scales[i]);
    }
    CHECK(mxb_space_option(space, 10) == NULL && mxb_space_option(space, SIZE_MAX) == NULL);
    CHECK(mxb_space_scale(space, 10) == NULL && mxb_space_scale(space, SIZE_MAX) == NULL);
    mxb_space_free(space);
    mxb_space_free(NULL);
}

/* ---- Mistakes ---- */

static void says_what_is_wrong(void) {
    mxb_space *space = space_of("gamma 1 2 linear\n"), *none = (mxb_space *)1;
    mxb_params *params;
    OK(mxb_params_create(&params, &error), error);
    FAILS(mxb_space_create("alpha 1", NULL, &error), error, MXB_ERROR_PARAM, "space is NULL");
    FAILS(mxb_space_create(NULL, &none, &error), error, MXB_ERROR_PARAM, "the text of a search space is NULL");
    CHECK(none == NULL);
    none = (mxb_space *)1;
    FAILS(mxb_space_create("alpha", &none, &error), error, MXB_ERROR_PARAM,
          "line 1 of the search space: alpha has no value");
    CHECK(none == NULL);
    FAILS(mxb_space_draw(NULL, 0, 0, params, &error), error, MXB_ERROR_PARAM, "space is NULL");
    FAILS(mxb_space_draw(space, 0, 0, NULL, &error), error, MXB_ERROR_PARAM, "params is NULL");
    FAILS(mxb_space_fix(NULL, "gamma", "1", &error), error, MXB_ERROR_PARAM, "space, option or value is NULL");
    FAILS(mxb_space_fix(space, NULL, "1", &error), error, MXB_ERROR_PARAM, "space, option or value is NULL");
    FAILS(mxb_space_fix(space, "gamma", NULL, &error), error, MXB_ERROR_PARAM, "space, option or value is NULL");
    FAILS(mxb_space_fix(space, "gama", "1", &error), error, MXB_ERROR_PARAM, "there is no option \"gama\"");
    FAILS(mxb_space_fix(space, "gamma", "0", &error), error, MXB_ERROR_PARAM,
          "gamma is \"0\"; it must be over 0, up to 1e70, or auto");
    CHECK_INT(mxb_space_n_options(space), 1);
    CHECK_TEXT(mxb_space_scale(space, 0), "linear"); /* as before */
    mxb_params_free(params);
    mxb_space_free(space);
}

/* Each of them, until one call gets through. */
static void every_allocation_may_fail(void) {
    mxb_space *space = NULL, *copy = NULL;
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY && n < 1000) {
        mxb__memory_fail_at(++n, 0);
        status = mxb_space_create(EVERY_SCALE, &space, &error);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (space != NULL));
    }
    REQUIRE(status == MXB_OK && n > 40);
    status = MXB_ERROR_MEMORY;
    for (n = 0; status == MXB_ERROR_MEMORY && n < 1000;) {
        mxb__memory_fail_at(++n, 0);
        status = mxb__space_copy(&copy, space, &error);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (copy != NULL));
    }
    REQUIRE(status == MXB_OK && n > 20);
    for (int is_new = 0; is_new < 2; is_new++) {
        size_t n_before = mxb_space_n_options(copy);
        status = MXB_ERROR_MEMORY;
        for (n = 0; status == MXB_ERROR_MEMORY && n < 1000;) {
            CHECK_TEXT(mxb_space_scale(copy, 1), is_new ? "fixed" : "log10");
            CHECK_INT(mxb_space_n_options(copy), n_before);
            mxb__memory_fail_at(++n, 0);
            status = mxb_space_fix(copy, is_new ? "colsample" : "gamma", "1", &error);
            mxb__memory_fail_at(0, 0);
        }
        CHECK(status == MXB_OK && n > 3);
    }
    mxb_space_free(space);
    mxb_space_free(copy);
}

int main(void) {
    RUN(numbers_are_those_of_the_stream);
    RUN(numbers_have_six_digits);
    RUN(values_stay_between_the_ends);
    RUN(all_parts_of_a_range_are_as_likely);
    RUN(draws_are_independent);
    RUN(depths_change_places);
    RUN(a_depth_that_is_drawn_becomes_the_other_at_the_most);
    RUN(fixing_one_keeps_the_draws_of_the_others);
    RUN(what_is_fixed_is_copied);
    RUN(a_copy_is_its_own);
    RUN(names_and_scales);
    RUN(says_what_is_wrong);
    RUN(every_allocation_may_fail);
    return check_report();
}
