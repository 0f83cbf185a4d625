/* Options that are auto: what they come to, by other options, by the rows and by the search for num_round. */
#include "boost/params.h"
#include "unit/boost/train_data.h"

static void check_resolved(size_t n_rows, const char *tree_probability, const char *alpha, const char *linear) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    OK(mxb_params_set(params, "tree_probability", "auto", &error), error);
    OK(mxb_params_set(params, "alpha", "auto", &error), error);
    mxb__params_resolve(params, n_rows);
    CHECK_TEXT(mxb_params_get(params, "tree_probability"), tree_probability);
    CHECK_TEXT(mxb_params_get(params, "alpha"), alpha);
    CHECK_TEXT(mxb_params_get(params, "fourier_linear"), linear);
    CHECK(mxb__param(params, OPTION_FOURIER_LINEAR) == (strcmp(linear, "true") == 0));
    CHECK(mxb__param(params, OPTION_TREE_PROBABILITY) == strtod(tree_probability, NULL));
    CHECK(mxb__param(params, OPTION_ALPHA) == strtod(alpha, NULL));
    mxb__params_resolve(params, 1); /* what is a number stays */
    CHECK_TEXT(mxb_params_get(params, "tree_probability"), tree_probability);
    mxb_params_free(params);
}

static void what_auto_stands_for(void) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    OK(mxb_params_set(params, "num_round", "auto", &error), error);
    CHECK_INT(mxb__param_rounds(params), 2000);
    mxb__params_resolve(params, 700); /* says nothing of rounds */
    CHECK_TEXT(mxb_params_get(params, "num_round"), "auto");
    OK(mxb_params_set(params, "num_round", "2001", &error), error);
    CHECK_INT(mxb__param_rounds(params), 2001);
    mxb_params_free(params);
    check_resolved(1, "0.3", "1", "true");
    check_resolved(316, "0.3", "1", "true");
    check_resolved(500, "0.3", "0.4", "true");
    check_resolved(680, "0.3", "0.2163", "true");
    check_resolved(800, "0.39", "0.1563", "true");
    check_resolved(1000, "0.5", "0.1", "true");
    check_resolved(1001, "0.5", "0.0998", "false");
    check_resolved(2000, "0.72", "0.025", "false");
    check_resolved(10000, "0.9", "0.001", "false");
    check_resolved(100000000, "0.9", "0.001", "false");
}

static void check_rate(size_t n_rows, const char *rate) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    mxb__params_resolve(params, n_rows);
    CHECK_TEXT(mxb_params_get(params, "learning_rate"), rate);
    mxb_params_free(params);
}

static void the_rate_follows_the_rows(void) {
    check_rate(1, "0.05");
    check_rate(20000, "0.05");
    check_rate(100000, "0.095");
    check_rate(1000000, "0.239");
    check_rate(100000000, "0.3");
}

static void depths_follow_the_largest(void) {
    static const char *const largest[] = {"1", "2", "10"}, *const least[] = {"1", "2", "2"};
    static const char *const symmetric[] = {"1", "2", "8"};
    for (size_t i = 0; i < 3; i++) {
        mxb_params *params;
        mxb_error error;
        OK(mxb_params_create(&params, &error), error);
        OK(mxb_params_set(params, "max_max_depth", largest[i], &error), error);
        OK(mxb__params_check(params, &error), error);
        mxb__params_resolve(params, 100);
        CHECK_TEXT(mxb_params_get(params, "min_max_depth"), least[i]);
        CHECK_INT(mxb__param_count(params, OPTION_MIN_MAX_DEPTH), atoi(least[i]));
        CHECK_TEXT(mxb_params_get(params, "symmetric_depth"), symmetric[i]);
        mxb_params_free(params);
    }
}

/* ---- the search ---- */

static int count_calls(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    (void)round;
    (void)train_loss;
    (void)valid_loss;
    (void)seconds;
    ++*(size_t *)context;
    return 1;
}

/* The number becomes an option; others stay as they are. */
static void the_number_is_kept(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 60, .n_features = 2, .seed = 1});
    mxb_params *params = PARAMS("alpha", "auto", "early_stopping_rounds", "5");
    mxb_model *model;
    mxb_error error;
    size_t n_calls = 0;
    REQUIRE(params != NULL);
    OK(mxb_train(data.dataset, NULL, params, NULL, NULL, &model, &error), error);
    OK(mxb_choose_rounds(data.dataset, NULL, params, count_calls, &n_calls, &error), error);
    CHECK(n_calls > 0 && atoi(mxb_params_get(params, "num_round")) > 0);
    CHECK_TEXT(mxb_model_option(model, "num_round"), mxb_params_get(params, "num_round"));
    CHECK_TEXT(mxb_params_get(params, "early_stopping_rounds"), "5");
    CHECK_TEXT(mxb_params_get(params, "alpha"), "auto");
    CHECK_TEXT(mxb_params_get(params, "learning_rate"), "auto");
    mxb_model_free(model);
    mxb_params_free(params);
    data_clear(&data);
}

/* A part of the rows that weighs next to nothing could not judge a training. */
static void rows_that_weigh_too_little_are_too_few(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 60, .n_features = 2, .seed = 1, .weighted = 1});
    mxb_params *params = PARAMS("num_round", "auto");
    mxb_error error;
    size_t n_calls = 0;
    REQUIRE(params != NULL);
    for (size_t i = 0; i < 60; i++) {
        data.weights[i] = i == 7 ? 1.0 : 1e-300;
    }
    OK(mxb_choose_rounds(data.dataset, NULL, params, count_calls, &n_calls, &error), error);
    CHECK_TEXT(mxb_params_get(params, "num_round"), "30");
    CHECK_INT(n_calls, 0);
    mxb_params_free(params);
    data_clear(&data);
}

static void nothing_is_tried_where_the_number_is_known(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 50, .n_features = 2, .seed = 1});
    mxb_params *judged = PARAMS("num_round", "auto"), *given = PARAMS("num_round", "7");
    mxb_error error;
    size_t n_calls = 0;
    REQUIRE(judged != NULL && given != NULL);
    OK(mxb_choose_rounds(data.dataset, data.dataset, judged, count_calls, &n_calls, &error), error);
    CHECK_TEXT(mxb_params_get(judged, "num_round"), "2000");
    OK(mxb_choose_rounds(data.dataset, NULL, given, count_calls, &n_calls, &error), error);
    CHECK_TEXT(mxb_params_get(given, "num_round"), "7");
    CHECK_INT(n_calls, 0);
    mxb_params_free(judged);
    mxb_params_free(given);
    data_clear(&data);
}

int main(void) {
    RUN(what_auto_stands_for);
    RUN(the_rate_follows_the_rows);
    RUN(depths_follow_the_largest);
    RUN(the_number_is_kept);
    RUN(rows_that_weigh_too_little_are_too_few);
    RUN(nothing_is_tried_where_the_number_is_known);
    return check_report();
}
