/* Presets: what the options are that are not given, in whatever order the others are, and the paper's learner. */
#include "base/random.h"
#include "boost/params.h"
#include "unit/boost/train_data.h"

/* What the preset must be, whatever the defaults become. */
static const char *const PAPER[][2] = {
    {"colsample", "1"},
    {"subsample", "1"},
    {"min_child_weight", "0"},
    {"base_score", "0"},
    {"n_members", "1"},
    {"tree_probability", "0.9"},
    {"symmetric_probability", "0"},
    {"split_noise", "0"},
    {"split_prior", "0"},
    {"leaf_rows", "sample"},
    {"alpha", "0.001"},
    {"gamma", "0.05"},
    {"n_components", "100"},
    {"n_projections", "1"},
    {"fourier_scaling", "none"},
    {"fourier_metric", "isotropic"},
    {"fourier_linear", "false"},
};

enum { N_PAPER = sizeof PAPER / sizeof PAPER[0] };

/* The option's value in the preset, or NULL where it is the default. */
static const char *of_paper(const char *name) {
    size_t i = 0;
    while (i < N_PAPER && strcmp(PAPER[i][0], name) != 0) {
        i++;
    }
    return i < N_PAPER ? PAPER[i][1] : NULL;
}

static void check_paper(const mxb_params *params) {
    CHECK_TEXT(mxb_params_get(params, "preset"), "paper");
    for (size_t i = 1; i < mxb_option_count(); i++) {
        const char *name = mxb_option_name(i);
        CHECK_TEXT(mxb_params_get(params, name), of_paper(name) != NULL ? of_paper(name) : mxb_option_default(i));
    }
}

static void a_preset_changes_what_is_not_given(void) {
    mxb_params *params = PARAMS("preset", "paper");
    REQUIRE(params != NULL);
    CHECK_TEXT(mxb_option_name(0), "preset");
    check_paper(params);
    CHECK(mxb__param(params, OPTION_BASE_SCORE) == 0.0);
    CHECK(mxb__param(params, OPTION_FOURIER_SCALING) == SCALING_NONE);
    CHECK_INT(mxb_params_set(params, "preset", "paper", NULL), MXB_OK);
    check_paper(params);
    CHECK_INT(mxb_params_set(params, "preset", "Paper", NULL), MXB_ERROR_PARAM); /* and nothing happens */
    check_paper(params);
    CHECK_INT(mxb_params_set(params, "preset", "default", NULL), MXB_OK);
    for (size_t i = 0; i < mxb_option_count(); i++) {
        CHECK_TEXT(mxb_params_get(params, mxb_option_name(i)), mxb_option_default(i));
    }
    mxb_params_free(params);
}

/* Also those that are given the default's value, or the preset's. */
static void what_is_given_wins_in_any_order(void) {
    static const char *const given[][2] = {
        {"base_score", "auto"}, {"fourier_scaling", "rank"},        {"gamma", "3"},         {"leaf_rows", "all"},
        {"subsample", "0.5"},   {"depth_probabilities", "0.5,0.5"}, {"max_max_depth", "2"}, {"min_child_weight", "0"},
    };
    enum { N_GIVEN = sizeof given / sizeof given[0] };
    for (uint32_t seed = 0; seed < 200; seed++) {
        struct random_stream random = mxb__random_stream(seed, RANDOM_ROWS, 0);
        mxb_params *params;
        REQUIRE(mxb_params_create(&params, NULL) == MXB_OK);
        const char *last_preset = "default";
        uint32_t is_given = 0;
        for (uint64_t k = 0; k < 12; k++) {
            size_t pick = (size_t)(mxb__random_uniform(random, k) * (N_GIVEN + 3));
            if (pick < N_GIVEN) {
                CHECK_INT(mxb_params_set(params, given[pick][0], given[pick][1], NULL), MXB_OK);
                is_given |= 1u << pick;
            } else {
                last_preset = pick == N_GIVEN ? "default" : "paper";
                CHECK_INT(mxb_params_set(params, "preset", last_preset, NULL), MXB_OK);
            }
        }
        for (size_t i = 1; i < mxb_option_count(); i++) {
            const char *name = mxb_option_name(i);
            int by_paper = strcmp(last_preset, "paper") == 0 && of_paper(name) != NULL;
            const char *expected = by_paper ? of_paper(name) : mxb_option_default(i);
            for (size_t k = 0; k < N_GIVEN; k++) {
                expected = is_given >> k & 1 && strcmp(given[k][0], name) == 0 ? given[k][1] : expected;
            }
            CHECK_TEXT(mxb_params_get(params, name), expected);
        }
        mxb_params_free(params);
    }
}

/* But for the preset's name the two models are the same. */
static void the_papers_learner_is_what_its_options_make(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct made_data data = data_make((struct data_recipe){
            .n_rows = 300, .n_features = 4, .seed = 6, .missing = 0.1, .two_classes = two_classes});
        const char *objective = two_classes ? "logloss" : "mse";
        mxb_params *preset =
            PARAMS("preset", "paper", "num_round", "20", "tree_probability", "0.7", "objective", objective);
        mxb_params *options = PARAMS("num_round", "20", "objective", objective);
        for (size_t i = 0; i < N_PAPER; i++) {
            CHECK_INT(mxb_params_set(options, PAPER[i][0], PAPER[i][1], NULL), MXB_OK);
        }
        CHECK_INT(mxb_params_set(options, "tree_probability", "0.7", NULL), MXB_OK);
        mxb_model *a = train(&data, preset);
        mxb_model *b = train(&data, options);
        REQUIRE(a != NULL && b != NULL);
        CHECK_TEXT(mxb_model_option(a, "preset"), "paper");
        CHECK_TEXT(mxb_model_option(b, "preset"), "default");
        for (size_t i = 1; i < mxb_option_count(); i++) {
            const char *kept = mxb_model_option(a, mxb_option_name(i));
            CHECK(kept == NULL || strcmp(kept, mxb_model_option(b, mxb_option_name(i))) == 0);
        }
        CHECK_TEXT(mxb_model_option(a, "fourier_scaling"), "none");
        double *x = predict(a, &data);
        double *y = predict(b, &data);
        for (size_t i = 0; i < data.n_rows; i++) {
            CHECK(x[i] == y[i]);
        }
        for (size_t round = 0; round <= 20; round++) {
            CHECK(mxb_model_curve(a, round, 0) == mxb_model_curve(b, round, 0));
        }
        free(x);
        free(y);
        mxb_model_free(a);
        mxb_model_free(b);
        mxb_params_free(preset);
        mxb_params_free(options);
        data_clear(&data);
    }
}

int main(void) {
    RUN(a_preset_changes_what_is_not_given);
    RUN(what_is_given_wins_in_any_order);
    RUN(the_papers_learner_is_what_its_options_make);
    return check_report();
}
