/* What mattered: options that decide the loss, those that do not, kinds of ranges, few and equal results. */
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "mixboost/tune.h"
#include "unit/boost/make_data.h"

static mxb_error error;

enum { MOST_OPTIONS = 12 };

/* A search that is told losses made of the options. */
struct search {
    struct made_data data;
    mxb_tuner *tuner;
    size_t n_options;
};

static struct search open_seeded_search(const char *text, const char *n_configs, const char *min_resource, int seed) {
    char number[16];
    snprintf(number, sizeof number, "%d", seed);
    struct search search = {.data = data_make((struct data_recipe){.n_rows = 60, .n_features = 2})};
    mxb_space *space;
    if (mxb_space_create(text, &space, &error) != MXB_OK ||
        mxb_tuner_create(search.data.dataset, NULL, space, NULL, &search.tuner, &error) != MXB_OK ||
        mxb_tuner_set(search.tuner, "n_configs", n_configs, &error) != MXB_OK ||
        mxb_tuner_set(search.tuner, "min_resource", min_resource, &error) != MXB_OK ||
        mxb_tuner_set(search.tuner, "random_state", number, &error) != MXB_OK ||
        mxb_tuner_start(search.tuner, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        abort();
    }
    search.n_options = mxb_space_n_options(space);
    mxb_space_free(space);
    return search;
}

static struct search open_search(const char *text, const char *n_configs, const char *min_resource) {
    return open_seeded_search(text, n_configs, min_resource, 0);
}

static void close_search(struct search *search) {
    mxb_tuner_free(search->tuner);
    data_clear(&search->data);
}

/* An option of a configuration: a number, or for words the place of the first letter. */
static double value_of(const struct search *search, size_t config, const char *option) {
    mxb_params *params;
    if (mxb_tuner_params(search->tuner, config, &params, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        abort();
    }
    const char *text = mxb_params_get(params, option);
    double value = text[0] >= 'a' ? text[0] : strtod(text, NULL);
    mxb_params_free(params);
    return value;
}

typedef double (*loss_fn)(const struct search *search, size_t config);

/* Runs `most` trials at the most; the loss NaN is a failure. */
static void tell_losses(const struct search *search, loss_fn loss, size_t most) {
    mxb_trial trial;
    for (size_t i = 0; i < most && mxb_tuner_next(search->tuner, &trial); i++) {
        mxb_trial_result result = {.status = MXB_OK, .loss = loss(search, trial.config), .n_rounds = 1};
        result.status = isnan(result.loss) ? MXB_ERROR_DATA : MXB_OK;
        OK(mxb_tuner_tell(search->tuner, &trial, &result, &error), error);
    }
}

/* The importances of a whole search; the caller's array has MOST_OPTIONS. */
static void find_importances(const char *space, const char *n_configs, const char *min_resource, loss_fn loss,
                             double *importances) {
    struct search search = open_search(space, n_configs, min_resource);
    tell_losses(&search, loss, SIZE_MAX);
    for (size_t i = 0; i < MOST_OPTIONS; i++) {
        importances[i] = -1;
    }
    if (mxb_tuner_importance(search.tuner, importances, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    for (size_t i = 0; i < MOST_OPTIONS; i++) {
        double share = isnan(importances[i]) ? 0 : importances[i];
        CHECK(i < search.n_options ? share >= 0 && share <= 1 : share == -1);
    }
    close_search(&search);
}

/* ---- Losses ---- */

static double by_alpha(const struct search *search, size_t config) { return value_of(search, config, "alpha"); }
static double less_by_alpha(const struct search *search, size_t config) { return 1 / by_alpha(search, config); }
static double bent_by_alpha(const struct search *search, size_t config) { return exp(by_alpha(search, config) / 9); }
static double all_the_same(const struct search *search, size_t config) { return (void)search, (void)config, 0.5; }

/* Best in the middle. */
static double valley_of_alpha(const struct search *search, size_t config) {
    return fabs(log10(by_alpha(search, config)));
}

/* The option decides, and whatever it leaves is random. */
static double by_option(const struct search *search, size_t config, const char *option) {
    struct dice dice = {config + 1};
    return value_of(search, config, option) + 1e-6 * dice_uniform(&dice);
}

static double by_intercept(const struct search *search, size_t config) {
    return by_option(search, config, "fit_intercept");
}
static double by_depth(const struct search *search, size_t config) {
    return by_option(search, config, "max_max_depth");
}
static double by_gamma(const struct search *search, size_t config) { return by_option(search, config, "gamma"); }

static double by_two(const struct search *search, size_t config) {
    return value_of(search, config, "subsample") + value_of(search, config, "colsample");
}

static double fails_without_intercept(const struct search *search, size_t config) {
    struct dice dice = {config + 1};
    return value_of(search, config, "fit_intercept") == 'f' ? (double)NAN : dice_uniform(&dice);
}

/* ---- Who decides ---- */

static const char SPACE[] =
    "alpha 0.001 1000 log10\n"
    "subsample 0.5 1 linear\n"
    "fit_intercept false true choice\n"
    "max_max_depth 3 5 integer\n"
    "lambda_l2 0.5\n"
    "colsample 0.5 1 linear\n"
    "gamma 1e-3 1e-2 1e-1 1e0 choice\n";

enum { ALPHA, SUBSAMPLE, INTERCEPT, DEPTH, LAMBDA, COLSAMPLE, GAMMA, N_OPTIONS };

/* One option explains `share` of where configurations stand, the others next to nothing. */
static void check_decides(loss_fn loss, size_t option, double share) {
    double importances[MOST_OPTIONS];
    find_importances(SPACE, "512", "1", loss, importances);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        CHECK_NEAR(importances[i], i == option ? share : 0, i == option ? 0.02 : 0.05);
    }
    CHECK(importances[LAMBDA] == 0); /* always the same */
}

/* The shares of ranks' variance between groups of equal size: 1 - 1/n^2, of which eight have 63/64. */
static void the_option_that_decides_stands_out(void) {
    check_decides(by_alpha, ALPHA, 63.0 / 64);
    check_decides(less_by_alpha, ALPHA, 63.0 / 64);
    check_decides(by_intercept, INTERCEPT, 3.0 / 4);
    check_decides(by_depth, DEPTH, 8.0 / 9);
    check_decides(by_gamma, GAMMA, 15.0 / 16);
}

static void it_need_not_be_a_straight_line(void) {
    double importances[MOST_OPTIONS];
    find_importances(SPACE, "512", "1", valley_of_alpha, importances);
    CHECK(importances[ALPHA] > 0.85 && importances[SUBSAMPLE] < 0.05);
}

static void two_share(void) {
    double importances[MOST_OPTIONS];
    find_importances(SPACE, "512", "1", by_two, importances);
    CHECK_NEAR(importances[SUBSAMPLE], 0.5, 0.1);
    CHECK_NEAR(importances[COLSAMPLE], 0.5, 0.1);
    CHECK(importances[ALPHA] < 0.05);
}

/* Only ranks count. */
static void the_size_of_losses_does_not_matter(void) {
    double plain[MOST_OPTIONS], bent[MOST_OPTIONS];
    find_importances(SPACE, "100", "1", by_alpha, plain);
    find_importances(SPACE, "100", "1", bent_by_alpha, bent);
    CHECK(memcmp(plain, bent, sizeof plain) == 0);
}

static void over_several_stages(void) {
    double importances[MOST_OPTIONS];
    find_importances(SPACE, "512", "1/16", by_alpha, importances);
    CHECK_NEAR(importances[ALPHA], 63.0 / 64, 0.02);
    CHECK(importances[SUBSAMPLE] < 0.05 && importances[INTERCEPT] < 0.05);
}

/* A value that one configuration in twenty has. */
static void rare_values_count(void) {
    double importances[MOST_OPTIONS];
    find_importances(
        "fit_intercept false false false false false false false false false false false false false false "
        "false false false false false true choice\nalpha 1 2 linear\n",
        "512", "1", by_intercept, importances);
    CHECK(importances[0] > 0.05 && importances[0] < 0.25);
    CHECK(importances[1] < 0.05);
}

/* ---- Values that stand nowhere among the others ---- */

static double by_rate(const struct search *search, size_t config) {
    return value_of(search, config, "learning_rate") + 0.1 * value_of(search, config, "fourier_linear");
}

static double best_by_default(const struct search *search, size_t config) {
    return config == 0 ? -1 : by_rate(search, config);
}

static double worst_by_default(const struct search *search, size_t config) {
    return config == 0 ? 1e9 : by_rate(search, config);
}

/* auto is neither less than all numbers nor a choice after the others: what becomes of it changes nothing. */
static void a_configuration_with_auto_is_left_out(void) {
    static const char space[] = "defaults\nlearning_rate 0.01 1 linear\nfourier_linear false true choice\n";
    static const char *const n_configs[] = {"9", "40", "512"};
    for (size_t i = 0; i < 3; i++) {
        double best[MOST_OPTIONS], worst[MOST_OPTIONS];
        find_importances(space, n_configs[i], "1", best_by_default, best);
        find_importances(space, n_configs[i], "1", worst_by_default, worst);
        CHECK_NEAR(best[0], worst[0], 1e-12);
        CHECK_NEAR(best[1], worst[1], 1e-12);
        CHECK(best[0] + best[1] > 0.5);
    }
    double few[MOST_OPTIONS];
    find_importances(space, "8", "1", best_by_default, few);
    CHECK(isnan(few[0]) && isnan(few[1]));
}

/* ---- Little to go by ---- */

static void equal_losses_show_nothing(void) {
    double importances[MOST_OPTIONS];
    find_importances(SPACE, "512", "1", all_the_same, importances);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        CHECK(importances[i] < 0.05);
    }
}

/* Eight groups of four explain 7/31 of anything by chance; that is taken off. */
static void chance_is_taken_off(void) {
    double sum = 0;
    enum { N_SEARCHES = 50 };
    for (int seed = 0; seed < N_SEARCHES; seed++) {
        struct search search = open_seeded_search(SPACE, "32", "1", seed);
        double importances[MOST_OPTIONS];
        tell_losses(&search, by_alpha, SIZE_MAX);
        OK(mxb_tuner_importance(search.tuner, importances, &error), error);
        sum += (importances[SUBSAMPLE] + importances[COLSAMPLE]) / 2 / N_SEARCHES;
        CHECK(importances[ALPHA] > 0.95);
        close_search(&search);
    }
    CHECK(sum < 0.12);
}

/* Groups have four configurations at the least, so eight make two, and fewer tell nothing. */
static void few_configurations(void) {
    for (int n = 1; n <= 9; n++) {
        char text[16];
        double importances[MOST_OPTIONS];
        snprintf(text, sizeof text, "%d", n);
        find_importances(SPACE, text, "1", by_alpha, importances);
        for (size_t i = 0; n < 8 && i < N_OPTIONS; i++) {
            CHECK(isnan(importances[i]));
        }
        CHECK(n < 8 || importances[ALPHA] > 0.5);
    }
}

/* Those that were not tried have no say. */
static void halfway(void) {
    struct search search = open_search(SPACE, "512", "1");
    double importances[MOST_OPTIONS];
    OK(mxb_tuner_importance(search.tuner, importances, &error), error);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        CHECK(isnan(importances[i]));
    }
    tell_losses(&search, by_alpha, 128);
    OK(mxb_tuner_importance(search.tuner, importances, &error), error);
    double expected[MOST_OPTIONS];
    find_importances(SPACE, "128", "1", by_alpha, expected); /* the same configurations */
    CHECK(memcmp(importances, expected, N_OPTIONS * sizeof *importances) == 0 && importances[ALPHA] > 0.95);
    close_search(&search);
}

/* They stand last, so what makes them fail matters. */
static void failures_are_results(void) {
    double importances[MOST_OPTIONS];
    find_importances(SPACE, "512", "1", fails_without_intercept, importances);
    CHECK_NEAR(importances[INTERCEPT], 0.75, 0.02);
    CHECK(importances[ALPHA] < 0.05);
}

/* ---- Mistakes ---- */

static void says_what_is_wrong(void) {
    struct search search = open_search(SPACE, "4", "1");
    double importances[MOST_OPTIONS];
    mxb_tuner *tuner;
    FAILS(mxb_tuner_importance(NULL, importances, &error), error, MXB_ERROR_PARAM, "tuner is NULL");
    FAILS(mxb_tuner_importance(search.tuner, NULL, &error), error, MXB_ERROR_PARAM, "importances is NULL");
    OK(mxb_tuner_create(search.data.dataset, NULL, NULL, NULL, &tuner, &error), error);
    FAILS(mxb_tuner_importance(tuner, importances, &error), error, MXB_ERROR_PARAM, "the search has not started");
    mxb_tuner_free(tuner);
    close_search(&search);
}

static void every_allocation_may_fail(void) {
    struct search search = open_search(SPACE, "9", "1");
    double importances[MOST_OPTIONS];
    tell_losses(&search, by_alpha, SIZE_MAX);
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY && n < 1000) {
        mxb__memory_fail_at(++n, 0);
        status = mxb_tuner_importance(search.tuner, importances, &error);
        mxb__memory_fail_at(0, 0);
    }
    CHECK(status == MXB_OK && n > 10);
    close_search(&search);
}

int main(void) {
    RUN(the_option_that_decides_stands_out);
    RUN(it_need_not_be_a_straight_line);
    RUN(two_share);
    RUN(the_size_of_losses_does_not_matter);
    RUN(over_several_stages);
    RUN(rare_values_count);
    RUN(a_configuration_with_auto_is_left_out);
    RUN(equal_losses_show_nothing);
    RUN(chance_is_taken_off);
    RUN(few_configurations);
    RUN(halfway);
    RUN(failures_are_results);
    RUN(says_what_is_wrong);
    RUN(every_allocation_may_fail);
    return check_report();
}
