/* What a search has found: before, during and after it; the best configuration's options and model, against trainings
 * by hand. */
#include "base/memory.h"
#include "tune/tuner.h"
#include "unit/tune/make_search.h"

static mxb_error error;
static struct made_data data;
static struct made_data valid;

static mxb_tuner *search(const char *early_stopping_rounds, const char *num_round, const mxb_dataset *judge,
                         const char *n_folds) {
    static const char space[] = "learning_rate 0.05 0.9 log10\nmax_max_depth 1 5 integer\ntree_probability 0.5\n";
    mxb_params *params = PARAMS("objective", "logloss", "early_stopping_rounds", early_stopping_rounds, "num_round",
                                num_round, "n_components", "3", "n_threads", "1");
    mxb_tuner *tuner = SEARCH(data.dataset, judge, space, params, "n_configs", "8", "eta", "2", "min_resource", "1/4",
                              "n_folds", n_folds, "n_threads", "2", "random_state", "3");
    mxb_params_free(params);
    return tuner;
}

/* ---- what is known ---- */

static void nothing_is_known_before_the_start(void) {
    mxb_tuner *tuner = search("0", "5", NULL, "3");
    mxb_trial trial = {0};
    mxb_trial_result result;
    size_t ranking[8];
    double importances[3];
    mxb_params *params = NULL;
    mxb_model *model = NULL;
    const size_t rows[] = {0, 1, 2, 3};
    OK(mxb_tuner_add_fold(tuner, rows, 2, rows + 2, 2, &error), error);
    CHECK(mxb_tuner_n_stages(tuner) == 0 && mxb_tuner_stage(tuner) == 0 && mxb_tuner_n_folds(tuner) == 0);
    CHECK(mxb_tuner_stage_size(tuner, 0) == 0 && mxb_tuner_stage_resource(tuner, 0) == 0.0);
    CHECK(mxb_tuner_stage_workers(tuner, 0) == 0 && mxb_tuner_stage_threads(tuner, 0) == 0);
    CHECK(mxb_tuner_n_done(tuner, 0) == 0 && mxb_tuner_stage_config(tuner, 0, 0) == SIZE_MAX);
    CHECK(isnan(mxb_tuner_loss(tuner, 0, 0)) && !mxb_tuner_result(tuner, &trial, &result));
    CHECK(mxb_tuner_best(tuner) == SIZE_MAX);
    CHECK_INT(mxb_tuner_memory(tuner), 0);
    FAILS(mxb_tuner_ranking(tuner, ranking, &error), error, MXB_ERROR_PARAM, "the search has not started");
    FAILS(mxb_tuner_params(tuner, 0, &params, &error), error, MXB_ERROR_PARAM, "the search has not started");
    FAILS(mxb_tuner_refit(tuner, NULL, NULL, &model, &error), error, MXB_ERROR_PARAM, "the search has not started");
    FAILS(mxb_tuner_importance(tuner, importances, &error), error, MXB_ERROR_PARAM, "the search has not started");
    mxb_tuner_free(tuner);
}

static void little_is_known_after_the_start(void) {
    mxb_tuner *tuner = search("0", "5", NULL, "3");
    mxb_model *model = NULL;
    mxb_trial_result result;
    OK(mxb_tuner_start(tuner, &error), error);
    CHECK(mxb_tuner_n_stages(tuner) == 3 && mxb_tuner_stage(tuner) == 0 && mxb_tuner_n_folds(tuner) == 3);
    for (size_t stage = 0; stage < 3; stage++) {
        size_t n_configs = (size_t)8 >> stage;
        CHECK_INT(mxb_tuner_stage_size(tuner, stage), n_configs);
        CHECK(mxb_tuner_stage_resource(tuner, stage) == 0.25 * (double)(1 << stage));
        CHECK_INT(mxb_tuner_stage_workers(tuner, stage), n_configs < 2 ? n_configs : 2);
        CHECK_INT(mxb_tuner_stage_threads(tuner, stage), n_configs < 2 ? 2 : 1);
        CHECK_INT(mxb_tuner_n_done(tuner, stage), 0);
        CHECK(mxb_tuner_stage_config(tuner, stage, 1) == (stage == 0 ? 1 : SIZE_MAX));
        CHECK(isnan(mxb_tuner_loss(tuner, stage, 0)));
    }
    CHECK(mxb_tuner_stage_config(tuner, 0, 8) == SIZE_MAX && mxb_tuner_stage_config(tuner, 3, 0) == SIZE_MAX);
    CHECK(mxb_tuner_stage_size(tuner, 3) == 0 && mxb_tuner_stage_resource(tuner, 3) == 0.0);
    CHECK(mxb_tuner_stage_workers(tuner, 3) == 0 && mxb_tuner_stage_threads(tuner, 3) == 0);
    CHECK(mxb_tuner_n_done(tuner, 3) == 0 && isnan(mxb_tuner_loss(tuner, 3, 0)) && isnan(mxb_tuner_loss(tuner, 0, 8)));
    CHECK(!mxb_tuner_result(tuner, &(mxb_trial){0}, &result));
    CHECK(mxb_tuner_best(tuner) == SIZE_MAX);
    FAILS(mxb_tuner_refit(tuner, NULL, NULL, &model, &error), error, MXB_ERROR_PARAM,
          "no configuration has been tried on all folds yet");
    CHECK(model == NULL);
    mxb_tuner_free(tuner);
}

/* By results that are told: the best is of the latest stage that has one on all folds. */
static void the_best_so_far(void) {
    static const double losses[] = {0.5, 0.3, 0.7, 0.2, 0.6, 0.9, 0.8, 0.4};
    static const size_t wanted[] = {3, 1, 7, 0, 4, 2, 6, 5};
    mxb_tuner *tuner = search("0", "5", NULL, "2");
    size_t ranking[8];
    double least = HUGE_VAL;
    size_t best = SIZE_MAX;
    mxb_trial trial;
    OK(mxb_tuner_start(tuner, &error), error);
    while (mxb_tuner_stage(tuner) == 0 && mxb_tuner_next(tuner, &trial)) {
        mxb_trial_result result = {.loss = losses[trial.config] + (trial.fold == 0 ? 0.125 : -0.125), .n_rounds = 5};
        mxb_trial_result found;
        OK(mxb_tuner_tell(tuner, &trial, &result, &error), error);
        CHECK(mxb_tuner_result(tuner, &trial, &found) && same_result(&result, &found));
        if (trial.fold == 1 && losses[trial.config] < least) {
            least = losses[trial.config];
            best = trial.config;
        }
        CHECK(mxb_tuner_best(tuner) == best);
        CHECK(trial.fold == 1 ? fabs(mxb_tuner_loss(tuner, 0, trial.config) - losses[trial.config]) < 1e-15
                              : isnan(mxb_tuner_loss(tuner, 0, trial.config)));
    }
    OK(mxb_tuner_ranking(tuner, ranking, &error), error);
    CHECK(memcmp(ranking, wanted, sizeof wanted) == 0);
    CHECK_INT(mxb_tuner_stage(tuner), 1);
    CHECK_INT(mxb_tuner_stage_config(tuner, 1, 0), 0);
    CHECK_INT(mxb_tuner_stage_config(tuner, 1, 3), 7);
    for (size_t fold = 0; fold < 2; fold++) { /* the worst of the four comes first and is the best so far */
        mxb_trial next = {.stage = 1, .config = 0, .fold = fold};
        OK(mxb_tuner_tell(tuner, &next, &(mxb_trial_result){.loss = 5.0}, &error), error);
        CHECK_INT(mxb_tuner_best(tuner), fold == 0 ? 3 : 0);
    }
    OK(mxb_tuner_ranking(tuner, ranking, &error), error);
    CHECK(ranking[0] == 0 && ranking[1] == 3 && ranking[2] == 1 && ranking[3] == 7 && ranking[7] == 5);
    mxb_tuner_free(tuner);
}

/* ---- options and models ---- */

/* A training of all rows by hand. */
static mxb_model *train(const mxb_params *params, const mxb_dataset *judge) {
    mxb_model *model = NULL;
    if (mxb_train(data.dataset, judge, params, NULL, NULL, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return model;
}

/* The mean of the rounds that a configuration kept in its last stage, more for as many more rows as all are. */
static size_t rounds_for_all(const mxb_tuner *tuner, size_t stage, size_t config, size_t most) {
    double n_rounds = 0.0;
    double n_rows = 0.0;
    size_t n_folds = mxb_tuner_n_folds(tuner);
    for (size_t fold = 0; fold < n_folds; fold++) {
        mxb_trial_result result = {0};
        CHECK(mxb_tuner_result(tuner, &(mxb_trial){stage, config, fold}, &result));
        n_rounds += (double)result.n_rounds / (double)n_folds;
        n_rows += (double)mxb_dataset_n_rows(mxb__fold_data_rows(&tuner->data, fold, stage)) / (double)n_folds;
    }
    double wanted = floor(n_rounds * sqrt((double)data.n_rows / n_rows) + 0.5);
    return wanted < 1.0 ? 1 : wanted > (double)most ? most : (size_t)wanted;
}

static size_t last_stage(const mxb_tuner *tuner, size_t config) {
    size_t last = 0;
    for (size_t stage = 0; stage < mxb_tuner_n_stages(tuner); stage++) {
        last = isnan(mxb_tuner_loss(tuner, stage, config)) ? last : stage;
    }
    return last;
}

/* Whatever they are worth on few rows, where the space has them as its first configuration. */
static void defaults_come_to_the_last_stage(void) {
    static const char *const spaces[] = {"learning_rate 0.1 0.5 linear\n", "defaults\nlearning_rate 0.1 0.5 linear\n"};
    struct made_data made = data_make((struct data_recipe){.n_rows = 200, .n_features = 3, .seed = 31});
    mxb_params *params = PARAMS("num_round", "5", "learning_rate", "0.000001");
    for (size_t i = 0; i < 2; i++) {
        mxb_tuner *tuner =
            SEARCH(made.dataset, NULL, spaces[i], params, "n_configs", "8", "eta", "2", "min_resource", "1/4");
        REQUIRE(search_run(tuner));
        CHECK_INT(mxb_tuner_stage_size(tuner, 2), 2);
        CHECK((mxb_tuner_stage_config(tuner, 2, 0) == 0) == (i == 1));
        CHECK(mxb_tuner_best(tuner) != 0);
        mxb_tuner_free(tuner);
    }
    mxb_params_free(params);
    data_clear(&made);
}

static void options_have_the_rounds_that_trials_kept(void) {
    static const char *const cases[][2] = {{"0", "9"}, {"3", "40"}, {"2", "auto"}, {"100", "8"}};
    size_t n_fewer = 0;
    for (size_t i = 0; i < 4; i++) {
        mxb_tuner *tuner = search(cases[i][0], cases[i][1], NULL, i == 1 ? "0" : "3");
        REQUIRE(search_run(tuner));
        for (size_t config = 0; config < 8; config++) {
            mxb_params *params;
            mxb_params *drawn;
            char text[32];
            OK(mxb_tuner_params(tuner, config, &params, &error), error);
            OK(mxb__tuner_draw(tuner, config, &drawn, &error), error);
            if (i > 0) {
                size_t most = mxb_params_max_rounds(drawn);
                snprintf(text, sizeof text, "%zu", rounds_for_all(tuner, last_stage(tuner, config), config, most));
                n_fewer += strcmp(text, cases[i][1]) != 0;
                OK(mxb_params_set(drawn, "num_round", text, &error), error);
            }
            for (size_t k = 0; k < mxb_option_count(); k++) {
                CHECK_TEXT(mxb_params_get(params, mxb_option_name(k)), mxb_params_get(drawn, mxb_option_name(k)));
            }
            mxb_params_free(params);
            mxb_params_free(drawn);
        }
        mxb_params *none = (mxb_params *)&data;
        FAILS(mxb_tuner_params(tuner, 8, &none, &error), error, MXB_ERROR_PARAM,
              "there is no configuration 8; there are 8");
        CHECK(none == NULL);
        FAILS(mxb_tuner_params(tuner, 0, NULL, &error), error, MXB_ERROR_PARAM, "params is NULL");
        mxb_tuner_free(tuner);
    }
    CHECK(n_fewer > 16);
}

/* A fold has 150 rows, half of all, and the first stage 37 or 38 of them, which are an eighth: 2.8 times the mean,
 * but from 1 to num_round. */
static void rounds_are_rounded(void) {
    static const struct {
        size_t rounds[2];
        const char *for_all;
        const char *options[2]; /* early_stopping_rounds, num_round */
    } cases[] = {{{3, 4}, "10", {"5", "50"}},    {{4, 4}, "11", {"5", "50"}},  {{0, 0}, "1", {"5", "50"}},
                 {{0, 1}, "1", {"5", "auto"}},   {{7, 12}, "27", {"5", "50"}}, {{7, 12}, "50", {"0", "50"}},
                 {{7, 12}, "27", {"0", "auto"}}, {{30, 40}, "50", {"5", "50"}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mxb_tuner *tuner = search(cases[i].options[0], cases[i].options[1], NULL, "2");
        mxb_params *params;
        OK(mxb_tuner_start(tuner, &error), error);
        for (size_t fold = 0; fold < 2; fold++) {
            mxb_trial_result result = {.loss = 1.0, .n_rounds = cases[i].rounds[fold]};
            OK(mxb_tuner_tell(tuner, &(mxb_trial){0, 2, fold}, &result, &error), error);
        }
        OK(mxb_tuner_params(tuner, 2, &params, &error), error);
        CHECK_TEXT(mxb_params_get(params, "num_round"), cases[i].for_all);
        mxb_params_free(params);
        OK(mxb_tuner_params(tuner, 1, &params, &error), error); /* not tried yet */
        CHECK_TEXT(mxb_params_get(params, "num_round"), cases[i].options[1]);
        mxb_params_free(params);
        mxb_tuner_free(tuner);
    }
}

/* The rows of three folds judge, all there are. */
static void rounds_of_few_of_a_class_are_left_to_the_training(void) {
    static const struct {
        const char *objective, *num_round;
        size_t n_rarer;
        int is_left;
    } cases[] = {
        {"logloss", "auto", 99, 1}, {"logloss", "auto", 100, 0}, {"logloss", "40", 99, 0}, {"mse", "auto", 99, 0}};
    struct made_data made = data_make((struct data_recipe){.n_rows = 300, .n_features = 2, .seed = 8});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mxb_params *params =
            PARAMS("objective", cases[i].objective, "num_round", cases[i].num_round, "early_stopping_rounds", "3");
        mxb_params *found;
        for (size_t row = 0; row < 300; row++) {
            made.y[row] = row < cases[i].n_rarer ? 1.0 : 0.0;
        }
        mxb_tuner *tuner = SEARCH(made.dataset, NULL, "learning_rate 0.1 0.5 linear\n", params, "n_configs", "2", "eta",
                                  "2", "min_resource", "1/2", "n_folds", "3");
        REQUIRE(search_run(tuner));
        OK(mxb_tuner_params(tuner, mxb_tuner_best(tuner), &found, &error), error);
        CHECK((strcmp(mxb_params_get(found, "num_round"), "auto") == 0) == cases[i].is_left);
        mxb_model *by_hand = NULL;
        mxb_model *model = NULL;
        OK(mxb_train(made.dataset, NULL, found, NULL, NULL, &by_hand, &error), error);
        OK(mxb_tuner_refit(tuner, NULL, NULL, &model, &error), error);
        CHECK(same_models(model, by_hand));
        mxb_model_free(model);
        mxb_model_free(by_hand);
        mxb_params_free(found);
        mxb_params_free(params);
        mxb_tuner_free(tuner);
    }
    data_clear(&made);
}

static void the_model_is_that_of_a_training_by_hand(void) {
    for (size_t i = 0; i < 6; i++) {
        const mxb_dataset *judge = i % 2 == 0 ? NULL : valid.dataset;
        mxb_tuner *tuner = search(i < 2 ? "0" : "3", i < 4 ? "12" : "auto", judge, i == 0 ? "2" : "0");
        mxb_params *params;
        mxb_model *model;
        REQUIRE(search_run(tuner));
        if (judge == NULL) {
            OK(mxb_tuner_params(tuner, mxb_tuner_best(tuner), &params, &error), error);
        } else { /* as in its last trial, with all rows */
            OK(mxb__tuner_draw(tuner, mxb_tuner_best(tuner), &params, &error), error);
        }
        mxb_model *by_hand = train(params, judge);
        OK(mxb_tuner_refit(tuner, NULL, NULL, &model, &error), error);
        CHECK(same_models(model, by_hand));
        if (judge != NULL) {
            mxb_trial_result result;
            CHECK(mxb_tuner_result(tuner, &(mxb_trial){2, mxb_tuner_best(tuner), 0}, &result));
            CHECK_INT(mxb_model_n_rounds(model), result.n_rounds);
            CHECK(mxb_model_curve(model, result.n_rounds, 1) == result.loss);
        }
        mxb_model_free(model);
        OK(mxb_tune(tuner, NULL, NULL, &model, &error), error); /* runs nothing more */
        CHECK(same_models(model, by_hand));
        mxb_model_free(model);
        mxb_model_free(by_hand);
        mxb_params_free(params);
        mxb_tuner_free(tuner);
    }
}

/* ---- stopped ---- */

static int stop_later(void *context, const mxb_tuner *tuner, double seconds) {
    size_t *n_left = context;
    (void)tuner;
    (void)seconds;
    return *n_left > 0 ? (--*n_left, 1) : 0;
}

static int stop_training(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    (void)train_loss;
    (void)valid_loss;
    (void)seconds;
    return round < *(size_t *)context;
}

static void a_stop_ends_with_the_best_so_far(void) {
    mxb_tuner *tuner = search("0", "6", NULL, "2");
    mxb_model *model = (mxb_model *)&data;
    mxb_model *refit;
    size_t n_left = 0;
    OK(mxb_tuner_set(tuner, "n_threads", "1", &error), error);
    FAILS(mxb_tune(tuner, stop_later, &n_left, &model, &error), error, MXB_STOPPED, "the search was stopped");
    CHECK(model == NULL); /* the first trial is one fold of a configuration */
    n_left = 10;
    OK(mxb_tune(tuner, stop_later, &n_left, &model, &error), error);
    CHECK(mxb_tuner_stage(tuner) == 0 && n_left == 0);
    OK(mxb_tuner_refit(tuner, NULL, NULL, &refit, &error), error);
    CHECK(same_models(model, refit));
    mxb_model_free(model);
    mxb_model_free(refit);
    refit = (mxb_model *)&data;
    size_t last = 3;
    CHECK_INT(mxb_tuner_refit(tuner, stop_training, &last, &refit, &error), MXB_STOPPED);
    CHECK(refit == NULL);
    mxb_tuner_free(tuner);
}

static void wrong_arguments_and_no_memory(void) {
    mxb_tuner *tuner = search("3", "6", NULL, "2");
    mxb_model *model = NULL;
    mxb_params *params;
    size_t ranking[8];
    REQUIRE(search_run(tuner));
    FAILS(mxb_tuner_refit(tuner, NULL, NULL, NULL, &error), error, MXB_ERROR_PARAM, "model is NULL");
    FAILS(mxb_tuner_refit(NULL, NULL, NULL, &model, &error), error, MXB_ERROR_PARAM, "tuner is NULL");
    FAILS(mxb_tune(tuner, NULL, NULL, NULL, &error), error, MXB_ERROR_PARAM, "model is NULL");
    FAILS(mxb_tune(NULL, NULL, NULL, &model, &error), error, MXB_ERROR_PARAM, "tuner is NULL");
    mxb__memory_fail_at(1, 1);
    CHECK_INT(mxb_tuner_refit(tuner, NULL, NULL, &model, &error), MXB_ERROR_MEMORY);
    CHECK_INT(mxb_tuner_params(tuner, 0, &params, &error), MXB_ERROR_MEMORY);
    CHECK_INT(mxb_tuner_ranking(tuner, ranking, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    CHECK(model == NULL && params == NULL);
    mxb_tuner_free(tuner);
}

int main(void) {
    data = data_make((struct data_recipe){.n_rows = 300, .n_features = 3, .seed = 5, .two_classes = 1, .weighted = 1});
    valid = data_make((struct data_recipe){.n_rows = 60, .n_features = 3, .seed = 6, .two_classes = 1});
    RUN(nothing_is_known_before_the_start);
    RUN(little_is_known_after_the_start);
    RUN(the_best_so_far);
    RUN(defaults_come_to_the_last_stage);
    RUN(options_have_the_rounds_that_trials_kept);
    RUN(rounds_are_rounded);
    RUN(rounds_of_few_of_a_class_are_left_to_the_training);
    RUN(the_model_is_that_of_a_training_by_hand);
    RUN(a_stop_ends_with_the_best_so_far);
    RUN(wrong_arguments_and_no_memory);
    data_clear(&data);
    data_clear(&valid);
    return check_report();
}
