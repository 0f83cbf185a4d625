/* One trial: against plain trainings of the same rows and options; in pieces; failing; stopped. */
#include "tune/trial.h"

#include "base/memory.h"
#include "unit/tune/make_search.h"

enum { N_ROWS = 140, N_VALID = 60 };

static mxb_error error;

/* Training and validation rows, prepared, and options. */
struct scene {
    struct made_data train;
    struct made_data valid;
    mxb_params *params;
    mxb_prepared *prepared;
};

static int scene_open(struct scene *scene, int two_classes, int weighted, mxb_params *params) {
    struct data_recipe recipe = {
        .n_rows = N_ROWS, .n_features = 3, .seed = 11, .missing = 0.1, .two_classes = two_classes};
    *scene = (struct scene){.params = params};
    recipe.weighted = weighted;
    scene->train = data_make(recipe);
    recipe.n_rows = N_VALID;
    recipe.seed = 12;
    scene->valid = data_make(recipe);
    int fine = params != NULL && mxb_prepared_create(scene->train.dataset, params, &scene->prepared, &error) == MXB_OK;
    CHECK(fine);
    return fine;
}

static void scene_close(struct scene *scene) {
    mxb_prepared_free(scene->prepared);
    mxb_params_free(scene->params);
    data_clear(&scene->train);
    data_clear(&scene->valid);
}

static struct trial_input input_of(const struct scene *scene, size_t until_round, const mxb_model *from) {
    return (struct trial_input){.prepared = scene->prepared,
                                .valid = scene->valid.dataset,
                                .params = scene->params,
                                .until_round = until_round,
                                .from = from};
}

/* Options of trainings that are at their best before the last round, or go on beyond it. */
static mxb_params *options(const char *objective, const char *early_stopping_rounds, const char *n_members) {
    return PARAMS("objective", objective, "num_round", "24", "early_stopping_rounds", early_stopping_rounds,
                  "learning_rate", "0.6", "max_max_depth", "4", "n_components", "6", "tree_probability", "0.7",
                  "n_members", n_members, "n_threads", "1");
}

static const struct trial_case {
    const char *objective;
    const char *early_stopping_rounds;
    const char *n_members;
    int weighted;
} CASES[] = {
    {"mse", "0", "1", 0},     {"mse", "3", "1", 0},      {"mse", "1000", "1", 1},  {"logloss", "0", "1", 1},
    {"logloss", "1", "1", 0}, {"logloss", "10", "1", 1}, {"logloss", "4", "3", 0}, {"mse", "0", "2", 1},
};
enum { N_CASES = sizeof CASES / sizeof CASES[0] };

static int case_open(struct scene *scene, size_t i) {
    return scene_open(scene, strcmp(CASES[i].objective, "logloss") == 0, CASES[i].weighted,
                      options(CASES[i].objective, CASES[i].early_stopping_rounds, CASES[i].n_members));
}

static void loss_and_rounds_are_those_of_a_training(void) {
    size_t n_stopped = 0;
    for (size_t i = 0; i < N_CASES; i++) {
        struct scene scene;
        mxb_model *trained;
        mxb_model *tried;
        mxb_trial_result result;
        REQUIRE(case_open(&scene, i));
        OK(mxb_train(scene.train.dataset, scene.valid.dataset, scene.params, NULL, NULL, &trained, &error), error);
        struct trial_input input = input_of(&scene, mxb_params_max_rounds(scene.params), NULL);
        OK(mxb__trial_run(&input, &result, &tried, &error), error);
        CHECK_INT(result.status, MXB_OK);
        CHECK_INT(result.n_rounds, mxb_model_n_rounds(trained));
        CHECK(result.loss == mxb_model_curve(trained, mxb_model_n_rounds(trained), 1));
        CHECK(result.seconds >= 0.0);
        CHECK_TEXT(result.message, "");
        CHECK(same_models(trained, tried));
        n_stopped += result.n_rounds < 24;
        mxb_model_free(tried);
        OK(mxb__trial_run(&input, &result, NULL, &error), error); /* also without a model */
        CHECK(result.loss == mxb_model_curve(trained, mxb_model_n_rounds(trained), 1));
        mxb_model_free(trained);
        scene_close(&scene);
    }
    CHECK(n_stopped >= 2 && n_stopped <= N_CASES - 3);
}

/* What a trial of so many rounds must say, from the curve of a training with all of them. */
static size_t kept_round(const mxb_model *all, size_t n_rounds, size_t patience) {
    size_t best = 0;
    for (size_t round = 1; round <= n_rounds && patience > 0 && round - best <= patience; round++) {
        best = mxb_model_curve(all, round, 1) < mxb_model_curve(all, best, 1) ? round : best;
    }
    return patience > 0 ? best : n_rounds;
}

/* All rounds, never stopped; only its curve is used. */
static mxb_model *train_all(struct scene *scene, size_t i) {
    mxb_model *all = NULL;
    mxb_params *params = options(CASES[i].objective, "0", CASES[i].n_members);
    CHECK_INT(mxb_train(scene->train.dataset, scene->valid.dataset, params, NULL, NULL, &all, &error), MXB_OK);
    mxb_params_free(params);
    return all;
}

static void fewer_rounds_are_judged_after_the_last_or_best_of_them(void) {
    for (size_t i = 0; i < N_CASES; i++) {
        struct scene scene;
        mxb_trial_result result;
        REQUIRE(case_open(&scene, i));
        mxb_model *all = train_all(&scene, i);
        REQUIRE(all != NULL);
        for (size_t until = 1; until <= 24; until += until < 8 ? 1 : 4) {
            struct trial_input input = input_of(&scene, until, NULL);
            OK(mxb__trial_run(&input, &result, NULL, &error), error);
            size_t wanted = kept_round(all, until, (size_t)atoi(CASES[i].early_stopping_rounds));
            CHECK_INT(result.n_rounds, wanted);
            CHECK(result.loss == mxb_model_curve(all, wanted, 1));
        }
        mxb_model_free(all);
        scene_close(&scene);
    }
}

static int note_first(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    size_t *first = context;
    (void)train_loss;
    (void)valid_loss;
    (void)seconds;
    *first = *first == 0 ? round : *first;
    return 1;
}

/* From no rounds to `first`, from there to `second`, from there to all: as one training each time. */
static void go_on(const struct scene *scene, size_t first, size_t second) {
    const size_t steps[] = {first, second, 24};
    mxb_model *from = NULL;
    for (size_t i = 0; i < 3; i++) {
        mxb_model *in_pieces;
        mxb_model *at_once;
        mxb_trial_result result;
        mxb_trial_result wanted;
        size_t first_round = 0;
        struct trial_input input = input_of(scene, steps[i], from);
        input.progress = note_first;
        input.context = &first_round;
        OK(mxb__trial_run(&input, &result, &in_pieces, &error), error);
        CHECK(first_round == 0 || first_round == (from == NULL ? 1 : mxb_model_n_rounds(from) + 1));
        input.from = NULL;
        OK(mxb__trial_run(&input, &wanted, &at_once, &error), error);
        CHECK_INT(wanted.status, MXB_OK);
        CHECK(same_result(&result, &wanted));
        CHECK(same_models(in_pieces, at_once));
        mxb_model_free(from);
        mxb_model_free(at_once);
        from = in_pieces;
    }
    mxb_model_free(from);
}

static void going_on_gives_the_bytes_of_one_training(void) {
    for (size_t i = 0; i < N_CASES; i++) {
        struct scene scene;
        REQUIRE(case_open(&scene, i));
        go_on(&scene, 1, 2);
        go_on(&scene, 1, 23);
        go_on(&scene, 5, 14);
        go_on(&scene, 9, 9);
        go_on(&scene, 24, 24);
        scene_close(&scene);
    }
}

static void a_failure_is_in_the_result(void) {
    struct scene scene;
    mxb_trial_result result = {.n_rounds = 7, .loss = 1.0};
    mxb_model *model = (mxb_model *)&scene; /* must not be looked at */
    struct made_data other = data_make((struct data_recipe){.n_rows = 9, .n_features = 2, .seed = 1});
    REQUIRE(scene_open(&scene, 0, 0, options("mse", "0", "1")));
    struct trial_input input = input_of(&scene, 24, NULL);
    input.valid = other.dataset;
    CHECK_INT(mxb__trial_run(&input, &result, &model, &error), MXB_OK);
    CHECK_INT(result.status, MXB_ERROR_PARAM);
    CHECK(result.loss == HUGE_VAL && result.n_rounds == 0 && result.seconds >= 0.0 && model == NULL);
    CHECK_TEXT(result.message, "the dataset has 2 features, the training data has 3");
    input.valid = scene.valid.dataset;
    for (uint64_t n = 1, failed = 1; failed; n++) {
        mxb__memory_fail_at(n, 0);
        model = (mxb_model *)&scene;
        CHECK_INT(mxb__trial_run(&input, &result, &model, &error), MXB_OK);
        mxb__memory_fail_at(0, 0);
        failed = result.status != MXB_OK;
        CHECK(failed || n > 10);
        CHECK(!failed || (result.status == MXB_ERROR_MEMORY && result.loss == HUGE_VAL && result.n_rounds == 0));
        CHECK(!failed || (model == NULL && strncmp(result.message, "out of memory", 13) == 0));
        mxb_model_free(model);
    }
    scene_close(&scene);
    data_clear(&other);
}

static void a_long_reason_is_cut(void) {
    mxb_trial_result result = {.status = MXB_OK};
    mxb_error said;
    memset(said.message, 'x', sizeof said.message);
    said.message[sizeof said.message - 1] = '\0';
    said.message[126] = 'y';
    mxb__trial_fail(&result, MXB_ERROR_MEMORY, &said);
    CHECK_INT(result.status, MXB_ERROR_MEMORY);
    CHECK_INT(strlen(result.message), 127);
    CHECK_INT(result.message[126], 'y');
    CHECK(result.loss == HUGE_VAL && result.n_rounds == 0);
}

struct listener {
    size_t n_calls;
    size_t stop_at; /* 0: never */
    double last_loss;
};

static int listen(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    struct listener *listener = context;
    (void)train_loss;
    (void)seconds;
    CHECK_INT(round, ++listener->n_calls);
    listener->last_loss = valid_loss;
    return round != listener->stop_at;
}

static void progress_hears_of_every_round_and_may_stop(void) {
    struct scene scene;
    mxb_trial_result result;
    mxb_model *model = NULL;
    struct listener listener = {0};
    REQUIRE(scene_open(&scene, 1, 0, options("logloss", "0", "1")));
    struct trial_input input = input_of(&scene, 10, NULL);
    input.progress = listen;
    input.context = &listener;
    OK(mxb__trial_run(&input, &result, &model, &error), error);
    CHECK_INT(listener.n_calls, 10);
    CHECK(listener.last_loss == result.loss);
    mxb_model_free(model);
    listener = (struct listener){.stop_at = 4};
    model = (mxb_model *)&scene;
    FAILS(mxb__trial_run(&input, &result, &model, &error), error, MXB_STOPPED, "the trial was stopped");
    CHECK_INT(listener.n_calls, 4);
    CHECK(model == NULL);
    scene_close(&scene);
}

int main(void) {
    RUN(loss_and_rounds_are_those_of_a_training);
    RUN(fewer_rounds_are_judged_after_the_last_or_best_of_them);
    RUN(going_on_gives_the_bytes_of_one_training);
    RUN(a_failure_is_in_the_result);
    RUN(a_long_reason_is_cut);
    RUN(progress_hears_of_every_round_and_may_stop);
    return check_report();
}
