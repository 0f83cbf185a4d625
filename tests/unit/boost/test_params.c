/* Every option: its default, the ends of its range, what lies just beyond, and the sentence that says so. */
#include "boost/params.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/processors.h"
#include "check.h"
#include "mixboost/tune.h"

struct expected_option {
    const char *name;
    const char *type;
    const char *initial;
    const char *range;
    const char *inside[4]; /* ends of the range and some more */
    const char *kept[4];   /* as these are given back */
    const char *outside[5];
};

/* The 21 of the paper's appendix, and ours. */
static const struct expected_option EXPECTED[] = {
    {"preset",
     "choice",
     "default",
     "default | paper",
     {"paper", "default"},
     {"paper", "default"},
     {"", "Paper", "none", "|", "default | paper"}},
    {"num_round",
     "integer or auto",
     "auto",
     "1 to 1000000, or auto",
     {"1", "1000000", "1e3", "auto"},
     {"1", "1000000", "1000", "auto"},
     {"0", "1000001", "-1", "1.5", "0.999"}},
    {"objective",
     "choice",
     "mse",
     "mse | logloss",
     {"mse", "logloss"},
     {"mse", "logloss"},
     {"", "MSE", "mse ", "mse | logloss", "log"}},
    {"learning_rate",
     "number or auto",
     "auto",
     "over 0, up to 1, or auto",
     {"1", "5e-324", "1e-1", "auto"},
     {"1", "5e-324", "0.1", "auto"},
     {"0", "-0", "1.0000000000000002", "-0.1", "nan"}},
    {"random_state",
     "integer",
     "0",
     "0 to 4294967295",
     {"0", "4294967295", "007"},
     {"0", "4294967295", "7"},
     {"-1", "4294967296", "0.5", "1e-3", "abc"}},
    {"colsample", "number", "1", "over 0, up to 1", {"1", "0.25"}, {"1", "0.25"}, {"0", "1.1", "inf", "-inf", " 1"}},
    {"subsample", "number", "0.8", "over 0, up to 1", {"1", "1e-300"}, {"1", "1e-300"}, {"0", "2", "0x1", "1,0", "1 "}},
    {"lambda_l2",
     "number",
     "1",
     "0 to 1e300",
     {"0", "1e300", "-0"},
     {"0", "1e300", "0"},
     {"-5e-324", "1.0000000000000002e300", "inf", "nan", "one"}},
    {"min_child_weight",
     "number",
     "0.01",
     "0 to 1e300",
     {"0", "1e300", "+0.5"},
     {"0", "1e300", "0.5"},
     {"-1", "1e301", "inf", "", "."}},
    {"early_stopping_rounds",
     "integer",
     "50",
     "0 to 1000000",
     {"0", "1000000", "-0"},
     {"0", "1000000", "0"},
     {"-1", "1000001", "0.1", "auto", "true"}},
    {"base_score",
     "number or auto",
     "auto",
     "-1e300 to 1e300, or auto",
     {"auto", "-1e300", "1e300", "0.0"},
     {"auto", "-1e300", "1e300", "0"},
     {"-1e301", "inf", "Auto", "nan", "none"}},
    {"n_members", "integer", "1", "1 to 256", {"1", "256"}, {"1", "256"}, {"0", "257", "1.5", "auto", "-1"}},
    {"tree_probability",
     "number or auto",
     "auto",
     "0 to 1, or auto",
     {"0", "1", "0.123456789012345678", "auto"},
     {"0", "1", "0.12345678901234568", "auto"},
     {"-1e-300", "1.0000000000000002", "50%", "nan", "1/2"}},
    {"min_max_depth",
     "integer or auto",
     "auto",
     "1 to 30, or auto",
     {"1", "30", "auto"},
     {"1", "30", "auto"},
     {"0", "31", "2.5", "-1", "deep"}},
    {"max_max_depth", "integer", "10", "1 to 30", {"1", "30"}, {"1", "30"}, {"0", "31", "2.5", "-1", "none"}},
    {"depth_probabilities",
     "list or auto",
     "auto",
     "numbers from 0 to 1 with commas between them, or auto",
     {"auto", "1", "0.5, 0.50"},
     {"auto", "1", "0.5,0.5"},
     {"1.5", "0.5,", "none", "-1", ""}},
    {"use_histograms",
     "boolean",
     "true",
     "true | false",
     {"true", "false"},
     {"true", "false"},
     {"1", "0", "True", "yes", ""}},
    {"hist_nbins", "integer", "256", "2 to 256", {"2", "256"}, {"2", "256"}, {"1", "257", "2.5", "-2", "auto"}},
    {"symmetric_probability",
     "number",
     "0.5",
     "0 to 1",
     {"0", "1", "5e-1"},
     {"0", "1", "0.5"},
     {"-0.1", "1.1", "half", "nan", ""}},
    {"symmetric_depth",
     "integer or auto",
     "auto",
     "1 to 16, or auto",
     {"1", "16", "auto"},
     {"1", "16", "auto"},
     {"0", "17", "2.5", "-1", "deep"}},
    {"split_noise",
     "number",
     "0",
     "0 to 10",
     {"0", "10", "0.30"},
     {"0", "10", "0.3"},
     {"-1", "10.1", "inf", "nan", ""}},
    {"split_prior", "number", "0", "0 to 1", {"0", "1", "0.10"}, {"0", "1", "0.1"}, {"-0.1", "1.1", "inf", "nan", ""}},
    {"leaf_rows",
     "choice",
     "all",
     "sample | all",
     {"sample", "all"},
     {"sample", "all"},
     {"", "All", "none", "|", "true"}},
    {"tree_n_threads", "integer", "0", "0 to 4096", {"0", "4096"}, {"0", "4096"}, {"-1", "4097", "1.5", "all", "nan"}},
    {"alpha",
     "number or auto",
     "auto",
     "0 to 1e300, or auto",
     {"0", "1e300", "1E-3", "auto"},
     {"0", "1e300", "0.001", "auto"},
     {"-1", "1e301", "inf", "nan", "1e"}},
    {"fit_intercept",
     "boolean",
     "true",
     "true | false",
     {"true", "false"},
     {"true", "false"},
     {"TRUE", "no", "t", "false ", "2"}},
    {"ridge_n_threads", "integer", "0", "0 to 4096", {"0", "4096"}, {"0", "4096"}, {"-1", "4097", "0.5", "x", ""}},
    {"gamma",
     "number or auto",
     "auto",
     "over 0, up to 1e70, or auto",
     {"5e-324", "1e70", "auto"},
     {"5e-324", "1e70", "auto"},
     {"0", "-1", "1.0000000000000002e70", "inf", "scale"}},
    {"n_components", "integer", "96", "1 to 10000", {"1", "10000"}, {"1", "10000"}, {"0", "10001", "10.5", "-5", "c"}},
    {"n_projections", "integer", "4", "1 to 64", {"1", "64"}, {"1", "64"}, {"0", "65", "1.5", "-5", "auto"}},
    {"fourier_scaling",
     "choice",
     "rank",
     "none | standard | rank",
     {"none", "standard", "rank"},
     {"none", "standard", "rank"},
     {"", "Rank", "ran", "|", "none | standard"}},
    {"fourier_metric",
     "choice",
     "learned",
     "isotropic | learned",
     {"isotropic", "learned"},
     {"isotropic", "learned"},
     {"", "Learned", "auto", "|", "isotropic | learned"}},
    {"fourier_linear",
     "boolean or auto",
     "auto",
     "true | false | auto",
     {"true", "false", "auto"},
     {"true", "false", "auto"},
     {"", "yes", "1", "|", "Auto"}},
    {"kernel_n_threads", "integer", "0", "0 to 4096", {"0", "4096"}, {"0", "4096"}, {"-1", "4097", "0.5", "x", ""}},
    {"n_threads", "integer", "0", "0 to 4096", {"0", "4096"}, {"0", "4096"}, {"-1", "4097", "0.5", "x", ""}},
};

enum { N_EXPECTED = sizeof EXPECTED / sizeof EXPECTED[0] };

static void table_is_as_documented(void) {
    CHECK_INT(mxb_option_count(), N_EXPECTED);
    CHECK_INT(N_OPTIONS, N_EXPECTED);
    for (size_t i = 0; i < N_EXPECTED; i++) {
        size_t at = 0;
        while (at < N_EXPECTED && strcmp(mxb_option_name(at), EXPECTED[i].name) != 0) {
            at++;
        }
        REQUIRE(at < N_EXPECTED);
        CHECK_TEXT(mxb_option_type(at), EXPECTED[i].type);
        CHECK_TEXT(mxb_option_default(at), EXPECTED[i].initial);
        CHECK_TEXT(mxb_option_range(at), EXPECTED[i].range);
        const char *help = mxb_option_help(at);
        CHECK(help != NULL && strlen(help) > 5 && help[0] >= 'A' && help[0] <= 'Z');
    }
    for (size_t beyond = N_EXPECTED; beyond < N_EXPECTED + 3; beyond++) {
        CHECK(mxb_option_name(beyond) == NULL && mxb_option_type(beyond) == NULL);
        CHECK(mxb_option_default(beyond) == NULL && mxb_option_range(beyond) == NULL);
        CHECK(mxb_option_help(beyond) == NULL);
    }
    CHECK(mxb_option_name(SIZE_MAX) == NULL);
}

static void defaults_are_those_of_the_table(void) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    for (size_t i = 0; i < N_EXPECTED; i++) {
        CHECK_TEXT(mxb_params_get(params, EXPECTED[i].name), EXPECTED[i].initial);
    }
    CHECK_INT(mxb__params_check(params, &error), MXB_OK);
    mxb_params_free(params);
}

static void ranges_hold_at_both_ends(void) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    for (size_t i = 0; i < N_EXPECTED; i++) {
        const struct expected_option *option = &EXPECTED[i];
        for (size_t k = 0; k < 4 && option->inside[k] != NULL; k++) {
            CHECK_INT(mxb_params_set(params, option->name, option->inside[k], &error), MXB_OK);
            CHECK_TEXT(mxb_params_get(params, option->name), option->kept[k]);
        }
        const char *last = mxb_params_get(params, option->name);
        char before[OPTION_TEXT_SIZE];
        snprintf(before, sizeof before, "%s", last);
        for (size_t k = 0; k < 5; k++) {
            char sentence[200];
            const char *whole = strncmp(option->type, "integer", 7) == 0 ? "a whole number, " : "";
            snprintf(sentence, sizeof sentence, "%s is \"%s\"; it must be %s%s", option->name, option->outside[k],
                     whole, option->range);
            FAILS(mxb_params_set(params, option->name, option->outside[k], &error), error, MXB_ERROR_PARAM, sentence);
            CHECK_TEXT(mxb_params_get(params, option->name), before); /* a refused value changes nothing */
        }
    }
    mxb_params_free(params);
}

static void unknown_options_are_refused(void) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    FAILS(mxb_params_set(params, "num_rounds", "5", &error), error, MXB_ERROR_PARAM,
          "there is no option \"num_rounds\"");
    FAILS(mxb_params_set(params, NULL, "5", &error), error, MXB_ERROR_PARAM,
          "an option needs params, a name and a value; one of them is NULL");
    FAILS(mxb_params_set(params, "num_round", NULL, &error), error, MXB_ERROR_PARAM,
          "an option needs params, a name and a value; one of them is NULL");
    FAILS(mxb_params_set(params, "", "5", &error), error, MXB_ERROR_PARAM, "there is no option \"\"");
    FAILS(mxb_params_set(params, "NUM_ROUND", "5", &error), error, MXB_ERROR_PARAM, "there is no option \"NUM_ROUND\"");
    CHECK(mxb_params_get(params, "num_rounds") == NULL);
    CHECK_INT(mxb_params_set(params, "nothing", "5", NULL), MXB_ERROR_PARAM);
    mxb_params_free(params);
}

/* Long or unprintable text is cut and quoted, never copied whole. */
static void hostile_text_is_quoted(void) {
    mxb_params *params;
    mxb_error error;
    char longest[5000];
    memset(longest, '7', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    OK(mxb_params_create(&params, &error), error);
    CHECK_INT(mxb_params_set(params, "num_round", longest, &error), MXB_ERROR_PARAM);
    CHECK(strlen(error.message) < 200);
    CHECK_INT(mxb_params_set(params, longest, "1", &error), MXB_ERROR_PARAM);
    CHECK(strlen(error.message) < 200);
    CHECK_INT(mxb_params_set(params, "alpha", "1\n\x1b[2J", &error), MXB_ERROR_PARAM);
    CHECK(strchr(error.message, '\n') == NULL && strchr(error.message, '\x1b') == NULL);
    /* Thousands of digits that mean an allowed number are fine. */
    memset(longest, '0', sizeof longest - 1);
    longest[sizeof longest - 2] = '9';
    CHECK_INT(mxb_params_set(params, "num_round", longest, &error), MXB_OK);
    CHECK_TEXT(mxb_params_get(params, "num_round"), "9");
    mxb_params_free(params);
}

static void options_that_contradict_each_other(void) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    CHECK_INT(mxb_params_set(params, "min_max_depth", "9", &error), MXB_OK);
    CHECK_INT(mxb_params_set(params, "max_max_depth", "8", &error), MXB_OK);
    FAILS(mxb_params_check(params, &error), error, MXB_ERROR_PARAM,
          "min_max_depth is 9 and max_max_depth 8; the first must not be larger");
    FAILS(mxb_params_check(NULL, &error), error, MXB_ERROR_PARAM, "params is NULL");
    CHECK_INT(mxb_params_set(params, "max_max_depth", "9", &error), MXB_OK);
    CHECK_INT(mxb__params_check(params, &error), MXB_OK);
    mxb_params_free(params);
}

/* Every public call that trains says so. */
static void depth_probabilities_are_a_list(void) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    OK(mxb_params_set(params, "min_max_depth", "3", &error), error);
    OK(mxb_params_set(params, "max_max_depth", "5", &error), error);
    OK(mxb_params_set(params, "depth_probabilities", "2.5e-1, 0.5,-0", &error), error);
    CHECK_TEXT(mxb_params_get(params, "depth_probabilities"), "0.25,0.5,0");
    FAILS(mxb__params_check(params, &error), error, MXB_ERROR_PARAM,
          "depth_probabilities sum to 0.75; the sum must be 1");
    OK(mxb_params_set(params, "depth_probabilities", "0.5,0.5", &error), error);
    FAILS(mxb__params_check(params, &error), error, MXB_ERROR_PARAM,
          "depth_probabilities has 2 numbers; min_max_depth 3 to max_max_depth 5 are 3 depths");
    OK(mxb_params_set(params, "depth_probabilities", "1", &error), error);
    FAILS(mxb__params_check(params, &error), error, MXB_ERROR_PARAM,
          "depth_probabilities has 1 number; min_max_depth 3 to max_max_depth 5 are 3 depths");
    OK(mxb_params_set(params, "depth_probabilities", "0.1,0.7,0.2", &error), error);
    OK(mxb__params_check(params, &error), error);
    CHECK(params->depth_probabilities[1] == 0.7);
    static const char *const wrong[] = {"",     ",", "0.5,", "1,nan", "0.5;0.5", "-0.1,1.1", "0.5 0.5",
                                        "AUTO", "x", "1,1x", "0x1",   "2",       "1,,0",     "inf,0,0"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char sentence[200];
        snprintf(sentence, sizeof sentence,
                 "depth_probabilities is \"%s\"; it must be numbers from 0 to 1 with commas between them, or auto",
                 wrong[i]);
        FAILS(mxb_params_set(params, "depth_probabilities", wrong[i], &error), error, MXB_ERROR_PARAM, sentence);
    }
    CHECK_TEXT(mxb_params_get(params, "depth_probabilities"), "0.1,0.7,0.2");
    char many[200] = "1";
    for (int i = 1; i < 31; i++) {
        if (i == 30) {
            OK(mxb_params_set(params, "depth_probabilities", many, &error), error);
        }
        strcat(many, ",0");
    }
    CHECK_INT(mxb_params_set(params, "depth_probabilities", many, &error), MXB_ERROR_PARAM);
    char longest[30 * 25 + 1] = "";
    for (int i = 0; i < 30; i++) {
        strcat(longest, i == 0 ? "1.2345678901234567e-100" : ",1.2345678901234567e-100");
    }
    OK(mxb_params_set(params, "depth_probabilities", longest, &error), error);
    CHECK_TEXT(mxb_params_get(params, "depth_probabilities"), longest);
    OK(mxb_params_set(params, "depth_probabilities", "auto", &error), error);
    OK(mxb__params_check(params, &error), error);
    mxb_params_free(params);
}

static void trainings_check_the_options(void) {
    mxb_params *params;
    mxb_error error;
    mxb_dataset *data;
    mxb_prepared *prepared;
    mxb_model *model;
    const double x[4] = {1, 2, 3, 4};
    OK(mxb_params_create(&params, &error), error);
    OK(mxb_dataset_create(4, &data, &error), error);
    OK(mxb_dataset_add_column(data, NULL, x, sizeof *x, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_set_label(data, x, sizeof *x, MXB_FLOAT64, &error), error);
    OK(mxb_params_set(params, "min_max_depth", "20", &error), error);
    OK(mxb_params_set(params, "max_max_depth", "8", &error), error);
    FAILS(mxb_prepared_create(data, params, &prepared, &error), error, MXB_ERROR_PARAM,
          "min_max_depth is 20 and max_max_depth 8; the first must not be larger");
    CHECK(prepared == NULL);
    FAILS(mxb_train(data, NULL, params, NULL, NULL, &model, &error), error, MXB_ERROR_PARAM,
          "min_max_depth is 20 and max_max_depth 8; the first must not be larger");
    CHECK(model == NULL);
    mxb_dataset_free(data);
    mxb_params_free(params);
}

static void values_are_typed(void) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    CHECK(isnan(mxb__param(params, OPTION_BASE_SCORE)));
    OK(mxb_params_set(params, "base_score", "-2.5", &error), error);
    CHECK_NEAR(mxb__param(params, OPTION_BASE_SCORE), -2.5, 0.0);
    OK(mxb_params_set(params, "base_score", "auto", &error), error);
    CHECK(isnan(mxb__param(params, OPTION_BASE_SCORE)));
    CHECK_NEAR(mxb__param(params, OPTION_FIT_INTERCEPT), 1.0, 0.0);
    OK(mxb_params_set(params, "fit_intercept", "false", &error), error);
    CHECK_NEAR(mxb__param(params, OPTION_FIT_INTERCEPT), 0.0, 0.0);
    CHECK_NEAR(mxb__param(params, OPTION_FOURIER_SCALING), 2, 0.0);
    OK(mxb_params_set(params, "fourier_scaling", "standard", &error), error);
    CHECK_NEAR(mxb__param(params, OPTION_FOURIER_SCALING), 1, 0.0);
    CHECK_INT(mxb__param_count(params, OPTION_EARLY_STOPPING_ROUNDS), 50);
    mxb_params_free(params);
}

static void thread_options_follow_n_threads(void) {
    const enum option followers[] = {OPTION_TREE_N_THREADS, OPTION_RIDGE_N_THREADS, OPTION_KERNEL_N_THREADS};
    const char *const names[] = {"tree_n_threads", "ridge_n_threads", "kernel_n_threads"};
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(mxb__param_threads(params, followers[i]), mxb__n_processors());
        OK(mxb_params_set(params, "n_threads", "5", &error), error);
        CHECK_INT(mxb__param_threads(params, followers[i]), 5);
        CHECK_INT(mxb__param_threads(params, OPTION_N_THREADS), 5);
        OK(mxb_params_set(params, names[i], "3", &error), error);
        CHECK_INT(mxb__param_threads(params, followers[i]), 3);
        OK(mxb_params_set(params, "n_threads", "0", &error), error);
        CHECK_INT(mxb__param_threads(params, followers[i]), 3);
    }
    for (enum option option = 0; option < N_OPTIONS; option++) {
        CHECK_INT(mxb_option_is_kept(option), strstr(mxb_option_name(option), "n_threads") == NULL);
    }
    CHECK_INT(mxb_option_is_kept(N_OPTIONS), 0);
    mxb_params_free(params);
}

/* What was given stays given: a preset set on the copy leaves it alone. */
static void a_copy_is_its_own(void) {
    mxb_params *params;
    mxb_params *copy;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    OK(mxb_params_set(params, "subsample", "0.25", &error), error);
    OK(mxb_params_set(params, "max_max_depth", "3", &error), error);
    OK(mxb_params_set(params, "depth_probabilities", "0.5,0.25,0.25", &error), error);
    OK(mxb_params_copy(params, &copy, &error), error);
    for (size_t i = 0; i < mxb_option_count(); i++) {
        CHECK_TEXT(mxb_params_get(copy, mxb_option_name(i)), mxb_params_get(params, mxb_option_name(i)));
    }
    OK(mxb_params_set(params, "gamma", "7", &error), error);
    CHECK_TEXT(mxb_params_get(copy, "gamma"), "auto");
    mxb_params_free(params);
    OK(mxb_params_set(copy, "preset", "paper", &error), error);
    CHECK_TEXT(mxb_params_get(copy, "subsample"), "0.25");
    CHECK_TEXT(mxb_params_get(copy, "gamma"), "0.05");
    CHECK_NEAR(copy->depth_probabilities[1], 0.25, 0.0);
    mxb_params_free(copy);
    FAILS(mxb_params_copy(NULL, &copy, &error), error, MXB_ERROR_PARAM, "params is NULL");
    CHECK(copy == NULL);
}

static void rounds_at_the_most(void) {
    mxb_params *params;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    CHECK_INT(mxb_params_max_rounds(params), 2000); /* auto */
    OK(mxb_params_set(params, "num_round", "1000000", &error), error);
    CHECK_INT(mxb_params_max_rounds(params), 1000000);
    OK(mxb_params_set(params, "num_round", "7", &error), error);
    CHECK_INT(mxb_params_max_rounds(params), 7);
    mxb_params_free(params);
}

static void out_of_memory(void) {
    mxb_error error;
    mxb_params *params;
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb_params_create(&params, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    CHECK(params == NULL);
    mxb_params_free(NULL);
    mxb_params *copy;
    OK(mxb_params_create(&params, &error), error);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb_params_copy(params, &copy, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    CHECK(copy == NULL);
    mxb_params_free(params);
}

int main(void) {
    RUN(table_is_as_documented);
    RUN(defaults_are_those_of_the_table);
    RUN(ranges_hold_at_both_ends);
    RUN(unknown_options_are_refused);
    RUN(hostile_text_is_quoted);
    RUN(options_that_contradict_each_other);
    RUN(depth_probabilities_are_a_list);
    RUN(trainings_check_the_options);
    RUN(values_are_typed);
    RUN(thread_options_follow_n_threads);
    RUN(a_copy_is_its_own);
    RUN(rounds_at_the_most);
    RUN(out_of_memory);
    return check_report();
}
