/* Trials that fail are recorded, the last of their stage, and the same for any number of threads; where all fail, the
 * first reason is the search's. */
#include "base/memory.h"
#include "unit/tune/slow_search.h"

static mxb_error error;
static struct made_data data;

/* Depths from 1 to 3 or 4, with probabilities for three of them: half of the configurations contradict. */
static const char CONTRADICTING[] =
    "max_max_depth 3 4 integer\nlearning_rate 0.1 0.9 linear\ndepth_probabilities 0.5,0.3,0.2\n";

static mxb_params *deep(void) { return PARAMS("min_max_depth", "1", "num_round", "6", "early_stopping_rounds", "0"); }

/* A seed whose configuration 0 can be trained and several others cannot. */
static const char *find_seed(const mxb_params *params) {
    static char text[16];
    for (int seed = 0; seed < 1000; seed++) {
        snprintf(text, sizeof text, "%d", seed);
        mxb_tuner *tuner = SEARCH(data.dataset, NULL, CONTRADICTING, params, "random_state", text);
        mxb_params *first = slow_params(tuner, 0);
        int depth = atoi(mxb_params_get(first, "max_max_depth"));
        mxb_params_free(first);
        mxb_tuner_free(tuner);
        if (depth == 3) {
            break;
        }
    }
    return text;
}

static void failures_are_last_on_any_number_of_threads(void) {
    static const char *const n_threads[] = {"1", "2", "8"};
    static const char *const resources[] = {"rows", "rounds"};
    mxb_params *params = deep();
    for (size_t i = 0; i < 6; i++) {
        struct slow_search *slow;
        mxb_tuner *tuner = SEARCH(data.dataset, NULL, CONTRADICTING, params, "n_configs", "16", "eta", "2",
                                  "min_resource", "1/2", "n_folds", "2", "resource", resources[i % 2], "random_state",
                                  find_seed(params), "n_threads", n_threads[i / 2]);
        REQUIRE(search_run(tuner));
        slow = slow_run(tuner);
        slow_compare(slow, tuner);
        size_t n_failed = 0;
        for (mxb_trial trial = {0}; trial.config < 16; trial.config++) {
            mxb_trial_result result;
            CHECK(mxb_tuner_result(tuner, &trial, &result));
            if (result.status != MXB_OK) {
                n_failed++;
                CHECK_INT(result.status, MXB_ERROR_PARAM);
                CHECK(strncmp(result.message, "depth_probabilities has 3 numbers", 33) == 0);
                CHECK(result.loss == HUGE_VAL && isinf(mxb_tuner_loss(tuner, 0, trial.config)));
            }
        }
        CHECK(n_failed > 2 && n_failed < 12);
        slow_free(slow);
        mxb_tuner_free(tuner);
    }
    mxb_params_free(params);
}

static mxb_status never_fits(void *context, const mxb_round *round, void **term, double *values, mxb_error *said) {
    (void)context, (void)round, (void)term, (void)values;
    snprintf(said->message, sizeof said->message, "it never does");
    return MXB_ERROR_DATA;
}

static mxb_status never_predicts(void *context, const void *term, const mxb_dataset *rows, double *values,
                                 mxb_error *said) {
    (void)context, (void)term, (void)rows, (void)values, (void)said;
    return MXB_ERROR_DATA;
}

/* One that fails in every configuration. */
static void add_learner(mxb_params *params) {
    mxb_learner *learner = NULL;
    OK(mxb_learner_create("idle", never_fits, never_predicts, NULL, NULL, &learner, &error), error);
    OK(mxb_params_add_learner(params, learner, 1.0, &error), error);
    mxb_learner_free(learner);
}

static void where_all_fail_the_first_reason_is_the_error(void) {
    static const char sentence[] =
        "all configurations failed; the first: the learner \"idle\" failed in round 1: it never does";
    mxb_params *params = PARAMS("num_round", "4");
    add_learner(params);
    for (int resource = 0; resource <= 1; resource++) {
        mxb_tuner *tuner =
            SEARCH(data.dataset, NULL, "learning_rate 0.1 0.9 linear\n", params, "n_configs", "5", "eta", "2",
                   "min_resource", "1/2", "n_threads", "4", "resource", resource ? "rounds" : "rows");
        mxb_model *model = NULL;
        FAILS(mxb_tuner_run(tuner, NULL, NULL, &error), error, MXB_ERROR_DATA, sentence);
        CHECK_INT(mxb_tuner_n_done(tuner, 0), 5);
        CHECK_INT(mxb_tuner_stage(tuner), 0);
        CHECK(mxb_tuner_best(tuner) == SIZE_MAX);
        FAILS(mxb_tune(tuner, NULL, NULL, &model, &error), error, MXB_ERROR_DATA, sentence); /* not for ever */
        CHECK(model == NULL);
        mxb_tuner_free(tuner);
    }
    mxb_params_free(params);
}

/* Told by someone else: a failure on one fold of three is the configuration's. */
static void a_failure_on_one_fold_counts(void) {
    mxb_tuner *tuner = SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "n_configs", "4", "eta", "2", "min_resource",
                              "1/2", "n_folds", "3");
    mxb_trial trial;
    OK(mxb_tuner_start(tuner, &error), error);
    while (mxb_tuner_stage(tuner) == 0 && mxb_tuner_next(tuner, &trial)) {
        mxb_trial_result result = {.loss = (double)trial.config};
        if ((trial.config == 0 && trial.fold == 1) || (trial.config == 1 && trial.fold == 2)) {
            result = (mxb_trial_result){.status = MXB_ERROR_MEMORY, .loss = -5.0, .message = "no room"};
        }
        OK(mxb_tuner_tell(tuner, &trial, &result, &error), error);
    }
    CHECK_INT(mxb_tuner_stage(tuner), 1);
    CHECK_INT(mxb_tuner_stage_config(tuner, 1, 0), 2);
    CHECK_INT(mxb_tuner_stage_config(tuner, 1, 1), 3);
    CHECK(mxb_tuner_loss(tuner, 0, 0) == HUGE_VAL && mxb_tuner_loss(tuner, 0, 2) == 2.0);
    mxb_tuner_free(tuner);
}

/* Each allocation of a trial fails in turn: in the result, or the call's; then the same trial is as it should be. */
static void a_trial_without_memory_fails_alone(void) {
    for (int resource = 0; resource <= 1; resource++) {
        mxb_tuner *tuner = SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "n_configs", "4", "eta", "2", "min_resource",
                                  "1/2", "resource", resource ? "rounds" : "rows");
        mxb_trial trial = {.stage = 0, .config = 2};
        mxb_trial_result wanted;
        mxb_trial_result result;
        int failed = 1;
        OK(mxb_tuner_start(tuner, &error), error);
        OK(mxb_tuner_evaluate(tuner, &trial, 1, NULL, NULL, &wanted, NULL, &error), error);
        CHECK_INT(wanted.status, MXB_OK);
        for (uint64_t n = 1; failed; n++) {
            mxb__memory_fail_at(n, 0);
            mxb_status status = mxb_tuner_evaluate(tuner, &trial, 1, NULL, NULL, &result, NULL, &error);
            mxb__memory_fail_at(0, 0);
            failed = status != MXB_OK || result.status != MXB_OK;
            CHECK(status == MXB_OK || status == MXB_ERROR_MEMORY);
            CHECK(status != MXB_OK || result.status == MXB_OK || result.status == MXB_ERROR_MEMORY);
            CHECK(failed ? n < 2000 : n > 10);
            if (resource == 1 && !failed) { /* what could not be kept is not */
                CHECK(same_result(&result, &wanted));
            }
        }
        OK(mxb_tuner_evaluate(tuner, &trial, 1, NULL, NULL, &result, NULL, &error), error);
        CHECK(same_result(&result, &wanted));
        mxb_tuner_free(tuner);
    }
}

/* Without memory for the next stage the last result of this one is known all the same. */
static void a_stage_that_could_not_begin_begins_later(void) {
    for (int asks_next = 0; asks_next <= 1; asks_next++) {
        mxb_tuner *tuner =
            SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "n_configs", "4", "eta", "2", "min_resource", "1/2");
        mxb_trial trial;
        mxb_trial_result result;
        OK(mxb_tuner_start(tuner, &error), error);
        for (size_t i = 0; i < 4; i++) {
            CHECK(mxb_tuner_next(tuner, &trial));
            OK(mxb_tuner_evaluate(tuner, &trial, 1, NULL, NULL, &result, NULL, &error), error);
            mxb__memory_fail_at(i == 3, 1);
            CHECK_INT(mxb_tuner_tell(tuner, &trial, &result, &error), i == 3 ? MXB_ERROR_MEMORY : MXB_OK);
        }
        CHECK_INT(mxb_tuner_next(tuner, &trial), 0);
        CHECK_INT(mxb_tuner_run(tuner, NULL, NULL, &error), MXB_ERROR_MEMORY);
        mxb__memory_fail_at(0, 0);
        CHECK(mxb_tuner_n_done(tuner, 0) == 4 && mxb_tuner_stage(tuner) == 0);
        if (asks_next) {
            CHECK(mxb_tuner_next(tuner, &trial));
            CHECK_INT(trial.stage, 1);
            mxb_tuner_take_back(tuner, &trial);
        }
        REQUIRE(search_run(tuner));
        CHECK_INT(mxb_tuner_stage(tuner), 2);
        mxb_tuner_free(tuner);
    }
}

/* Nobody else can end them. */
static void trials_that_are_out_are_run(void) {
    mxb_tuner *tuner =
        SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "n_configs", "4", "eta", "2", "min_resource", "1/2");
    mxb_trial trial;
    OK(mxb_tuner_start(tuner, &error), error);
    CHECK(mxb_tuner_next(tuner, &trial));
    REQUIRE(search_run(tuner));
    CHECK_INT(mxb_tuner_stage(tuner), 2);
    mxb_tuner_free(tuner);
}

int main(void) {
    data = data_make((struct data_recipe){.n_rows = 140, .n_features = 3, .seed = 6});
    RUN(failures_are_last_on_any_number_of_threads);
    RUN(where_all_fail_the_first_reason_is_the_error);
    RUN(a_failure_on_one_fold_counts);
    RUN(a_trial_without_memory_fails_alone);
    RUN(a_stage_that_could_not_begin_begins_later);
    RUN(trials_that_are_out_are_run);
    data_clear(&data);
    return check_report();
}
