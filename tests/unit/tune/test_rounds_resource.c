/* Stages of more and more rounds: configurations go on where they stopped, to the bytes of a training that never did,
 * with models kept or not, stopped early or not, in whatever order trials are asked for. */
#include "unit/tune/slow_search.h"

static mxb_error error;

static const struct {
    const char *early_stopping_rounds;
    int two_classes;
} CASES[] = {{"0", 0}, {"2", 0}, {"1", 1}, {"0", 1}, {"100", 1}};
enum { N_CASES = sizeof CASES / sizeof CASES[0] };

struct scene {
    struct made_data data;
    mxb_params *params;
};

static struct scene scene_open(size_t i) {
    struct scene scene = {
        .data = data_make((struct data_recipe){
            .n_rows = 150, .n_features = 3, .seed = 40 + i, .two_classes = CASES[i].two_classes, .weighted = 1})};
    scene.params = PARAMS("objective", CASES[i].two_classes ? "logloss" : "mse", "early_stopping_rounds",
                          CASES[i].early_stopping_rounds, "num_round", "16");
    return scene;
}

static void scene_close(struct scene *scene) {
    data_clear(&scene->data);
    mxb_params_free(scene->params);
}

static mxb_tuner *search(const struct scene *scene, const char *memory) {
    static const char space[] =
        "learning_rate 0.1 1 linear\nmax_max_depth 1 5 integer\ntree_probability 0.4 1 linear\nn_components 4\n";
    mxb_tuner *tuner = SEARCH(scene->data.dataset, NULL, space, scene->params, "resource", "rounds", "n_configs", "8",
                              "eta", "2", "min_resource", "1/4", "n_folds", "2", "n_threads", "1", "memory", memory);
    if (tuner != NULL && mxb_tuner_start(tuner, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return tuner;
}

/* The rounds that a trial trained. */
struct heard {
    size_t first;
    size_t last;
    size_t stop_at; /* 0: never */
};

static int hear(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    struct heard *heard = context;
    (void)train_loss;
    (void)valid_loss;
    (void)seconds;
    heard->first = heard->first == 0 ? round : heard->first;
    heard->last = round;
    return round != heard->stop_at;
}

/* Evaluates, and compares with the plain loop. */
static struct heard check_trial(mxb_tuner *tuner, const struct slow_search *slow, mxb_trial trial,
                                mxb_trial_result *result) {
    const struct slow_trial *wanted = &slow->trials[trial.stage][trial.config][trial.fold];
    mxb_model *model = NULL;
    struct heard heard = {0};
    CHECK_INT(mxb_tuner_evaluate(tuner, &trial, 1, hear, &heard, result, &model, &error), MXB_OK);
    struct model_bytes bytes = bytes_of(model);
    CHECK(result->status == MXB_OK && result->loss == wanted->loss);
    CHECK_INT(result->n_rounds, wanted->n_rounds);
    CHECK(same_bytes(bytes, wanted->model));
    mxb_bytes_free(bytes.bytes);
    mxb_model_free(model);
    return heard;
}

/* What was trained before is not trained again, unless nothing is kept. */
static void survivors_go_on_to_the_same_bytes(void) {
    for (size_t i = 0; i < N_CASES * 2; i++) {
        struct scene scene = scene_open(i / 2);
        int keeps = i % 2 == 0;
        mxb_tuner *tuner = search(&scene, keeps ? "64" : "0");
        REQUIRE(tuner != NULL);
        struct slow_search *slow = slow_run(tuner);
        mxb_trial trial;
        while (mxb_tuner_next(tuner, &trial)) {
            mxb_trial_result result;
            struct heard heard = check_trial(tuner, slow, trial, &result);
            size_t n_before = trial.stage == 0 ? 0 : slow->trials[trial.stage - 1][trial.config][trial.fold].n_rounds;
            CHECK(heard.first == 0 || heard.first == (keeps ? n_before + 1 : 1));
            CHECK(keeps || heard.first == 1);
            CHECK(heard.last <= (size_t)(4 << trial.stage));
            OK(mxb_tuner_tell(tuner, &trial, &result, &error), error);
        }
        slow_compare(slow, tuner);
        slow_free(slow);
        mxb_tuner_free(tuner);
        scene_close(&scene);
    }
}

/* Also twice, and a lower stage after a higher. */
static void trials_of_any_stage_in_any_order(void) {
    for (size_t i = 0; i < N_CASES; i++) {
        struct scene scene = scene_open(i);
        struct dice dice = {i};
        mxb_tuner *tuner = search(&scene, "64");
        REQUIRE(tuner != NULL);
        struct slow_search *slow = slow_run(tuner);
        for (size_t k = 0; k < 60; k++) {
            size_t stage = dice_below(&dice, slow->n_stages);
            mxb_trial trial = {.stage = stage,
                               .config = slow->configs[stage][dice_below(&dice, slow->sizes[stage])],
                               .fold = dice_below(&dice, slow->n_folds)};
            mxb_trial_result result;
            check_trial(tuner, slow, trial, &result);
        }
        slow_free(slow);
        mxb_tuner_free(tuner);
        scene_close(&scene);
    }
}

static void models_of_those_that_do_not_go_on_are_freed(void) {
    struct scene scene = scene_open(0);
    mxb_tuner *tuner = search(&scene, "64");
    mxb_trial trial;
    REQUIRE(tuner != NULL);
    while (mxb_tuner_next(tuner, &trial)) {
        mxb_trial_result result;
        size_t n_bytes = tuner->kept.n_bytes;
        OK(mxb_tuner_evaluate(tuner, &trial, 1, NULL, NULL, &result, NULL, &error), error);
        CHECK((tuner->kept.n_bytes > n_bytes) == (trial.stage < 2)); /* from the last stage nobody goes on */
        OK(mxb_tuner_tell(tuner, &trial, &result, &error), error);
        size_t stage = mxb_tuner_stage(tuner);
        size_t n_kept = 0;
        for (size_t i = 0; i < tuner->kept.n; i++) {
            n_kept += tuner->kept.models[i].bytes != NULL;
        }
        /* Those of this stage that wait, those that were done in it but for the last. */
        CHECK(stage == 0 ? n_kept == mxb_tuner_n_done(tuner, 0) : n_kept <= 2 * (size_t)(8 >> stage));
        CHECK(stage < 3 || n_kept == 0);
    }
    CHECK_INT(mxb_tuner_stage(tuner), 3);
    CHECK_INT(tuner->kept.n_bytes, 0);
    mxb_tuner_free(tuner);
    scene_close(&scene);
}

static void a_trial_that_was_stopped_leaves_what_was_kept(void) {
    struct scene scene = scene_open(0);
    mxb_tuner *tuner = search(&scene, "64");
    REQUIRE(tuner != NULL);
    struct slow_search *slow = slow_run(tuner);
    mxb_trial trial = {.stage = 0, .config = slow->configs[1][0]};
    mxb_trial_result result;
    check_trial(tuner, slow, trial, &result);
    CHECK_INT(check_trial(tuner, slow, trial, &result).last, 0); /* nothing is left to train */
    trial.stage = 1;
    struct heard heard = {.stop_at = slow->trials[0][trial.config][0].n_rounds + 1};
    mxb_model *model = NULL;
    FAILS(mxb_tuner_evaluate(tuner, &trial, 1, hear, &heard, &result, &model, &error), error, MXB_STOPPED,
          "the trial was stopped");
    CHECK(model == NULL);
    heard = check_trial(tuner, slow, trial, &result);
    CHECK_INT(heard.first, slow->trials[0][trial.config][0].n_rounds + 1);
    slow_free(slow);
    mxb_tuner_free(tuner);
    scene_close(&scene);
}

/* A share of few rounds is one at the least. */
static void every_stage_has_a_round(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 60, .n_features = 2, .seed = 1});
    mxb_tuner *tuner = SEARCH(data.dataset, NULL, "num_round 1 2 integer\nlearning_rate 0.1 1 linear\n", NULL,
                              "resource", "rounds", "n_configs", "9", "eta", "3", "min_resource", "1/9");
    REQUIRE(search_run(tuner));
    struct slow_search *slow = slow_run(tuner);
    slow_compare(slow, tuner);
    slow_free(slow);
    mxb_tuner_free(tuner);
    data_clear(&data);
}

/* Rounds that a stage cut off tell nothing of how many are needed. */
static void a_search_that_ends_early_does_not_cut_the_model(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 120, .n_features = 3, .seed = 8});
    for (int stops = 0; stops <= 1; stops++) {
        mxb_params *params = PARAMS("num_round", "40", "early_stopping_rounds", stops ? "2" : "30");
        mxb_tuner *tuner = SEARCH(data.dataset, NULL, "learning_rate 0.02 0.03 linear\n", params, "n_configs", "4",
                                  "resource", "rounds", "min_resource", "1/4");
        mxb_params *found;
        OK(mxb_tuner_start(tuner, &error), error);
        for (size_t config = 0; config < 3; config++) {
            mxb_trial_result result = {.loss = 1.0, .n_rounds = stops ? 6 : 10};
            OK(mxb_tuner_tell(tuner, &(mxb_trial){0, config, 0}, &result, &error), error);
        }
        OK(mxb_tuner_params(tuner, 1, &found, &error), error);
        CHECK_TEXT(mxb_params_get(found, "num_round"), stops ? "7" : "40"); /* 6 for four fifths of the rows */
        mxb_params_free(found);
        mxb_params_free(params);
        mxb_tuner_free(tuner);
    }
    data_clear(&data);
}

/* Who stops a search early gets the best of those that went on. */
static void the_better_ones_are_handed_out_first(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 120, .n_features = 3, .seed = 8});
    mxb_tuner *tuner =
        SEARCH(data.dataset, NULL, "learning_rate 0.02 0.03 linear\n", NULL, "n_configs", "16", "n_folds", "2");
    mxb_trial trial;
    OK(mxb_tuner_start(tuner, &error), error);
    while (mxb_tuner_stage(tuner) == 0 && mxb_tuner_next(tuner, &trial)) {
        mxb_trial_result result = {.loss = 100.0 - (double)trial.config};
        OK(mxb_tuner_tell(tuner, &trial, &result, &error), error);
    }
    for (size_t i = 0; i < 8; i++) {
        CHECK(mxb_tuner_next(tuner, &trial));
        CHECK(trial.stage == 1 && trial.config == 15 - i / 2 && trial.fold == i % 2);
    }
    CHECK(!mxb_tuner_next(tuner, &trial));
    mxb_tuner_take_back(tuner, &(mxb_trial){1, 14, 1});
    CHECK(mxb_tuner_next(tuner, &trial) && trial.config == 14 && trial.fold == 1);
    mxb_tuner_free(tuner);
    data_clear(&data);
}

int main(void) {
    RUN(survivors_go_on_to_the_same_bytes);
    RUN(trials_of_any_stage_in_any_order);
    RUN(models_of_those_that_do_not_go_on_are_freed);
    RUN(a_trial_that_was_stopped_leaves_what_was_kept);
    RUN(every_stage_has_a_round);
    RUN(a_search_that_ends_early_does_not_cut_the_model);
    RUN(the_better_ones_are_handed_out_first);
    return check_report();
}
