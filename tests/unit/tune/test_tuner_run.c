/* Whole searches: against a plain loop trial by trial, the same for any number of threads; stopped and gone on with;
 * one by one in any order; trials that fail. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tune/journal_format.h"
#include "unit/tune/slow_search.h"

enum { N_ROWS = 160 };

static mxb_error error;

/* ---- against a plain loop ---- */

static const struct search_case {
    const char *settings[13]; /* names and values, up to NULL */
    const char *early_stopping_rounds;
    int two_classes;
    int weighted;
    int has_valid;
} CASES[] = {
    {{"n_configs", "9", "eta", "3", "min_resource", "1/3"}, "0", 0, 0, 0},
    {{"n_configs", "11", "eta", "2", "min_resource", "1/4", "valid_fraction", "0.4"}, "2", 0, 1, 0},
    {{"n_configs", "8", "eta", "2", "min_resource", "1/8"}, "0", 1, 0, 1},
    {{"n_configs", "7", "eta", "2", "min_resource", "1/2", "n_folds", "3"}, "0", 1, 1, 0},
    {{"n_configs", "5", "min_resource", "1", "n_folds", "2", "random_state", "5"}, "3", 0, 0, 0},
    {{"n_configs", "9", "eta", "3", "min_resource", "1/9", "resource", "rounds"}, "0", 0, 0, 1},
    {{"n_configs", "8", "eta", "2", "min_resource", "1/4", "resource", "rounds", "n_folds", "3"}, "2", 0, 1, 0},
    {{"n_configs", "8", "eta", "2", "min_resource", "1/8", "resource", "rounds"}, "1", 1, 1, 0},
};
enum { N_CASES = sizeof CASES / sizeof CASES[0] };

struct scene {
    const struct search_case *of;
    struct made_data train;
    struct made_data valid;
    mxb_params *params;
};

static struct scene scene_open(size_t i) {
    struct scene scene = {.of = &CASES[i]};
    struct data_recipe recipe = {.n_rows = N_ROWS,
                                 .n_features = 4,
                                 .seed = 20 + i,
                                 .missing = 0.05,
                                 .two_classes = CASES[i].two_classes,
                                 .weighted = CASES[i].weighted};
    scene.train = data_make(recipe);
    recipe.seed += 100;
    recipe.n_rows = 70;
    scene.valid = data_make(recipe);
    scene.params = PARAMS("objective", CASES[i].two_classes ? "logloss" : "mse", "early_stopping_rounds",
                          CASES[i].early_stopping_rounds, "alpha", "0.3", "random_state", "12");
    return scene;
}

static void scene_close(struct scene *scene) {
    data_clear(&scene->train);
    data_clear(&scene->valid);
    mxb_params_free(scene->params);
}

/* A new search of the scene; `memory` NULL: as it comes. */
static mxb_tuner *search(const struct scene *scene, const char *n_threads, const char *memory) {
    mxb_tuner *tuner = search_of(scene->train.dataset, scene->of->has_valid ? scene->valid.dataset : NULL, SMALL_SPACE,
                                 scene->params, scene->of->settings);
    if (tuner != NULL && (mxb_tuner_set(tuner, "n_threads", n_threads, &error) != MXB_OK ||
                          (memory != NULL && mxb_tuner_set(tuner, "memory", memory, &error) != MXB_OK))) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return tuner;
}

static void equals_a_plain_loop_on_any_number_of_threads(void) {
    static const char *const n_threads[] = {"1", "2", "8", "3"};
    for (size_t i = 0; i < N_CASES; i++) {
        struct scene scene = scene_open(i);
        struct slow_search *slow = NULL;
        struct model_bytes first = {NULL, 0};
        for (size_t k = 0; k < 4; k++) {
            mxb_tuner *tuner = search(&scene, n_threads[k], k == 3 ? "0" : NULL); /* the last keeps no models */
            REQUIRE(search_run(tuner));
            slow = slow == NULL ? slow_run(tuner) : slow;
            slow_compare(slow, tuner);
            struct model_bytes bytes = refit_bytes(tuner);
            if (k == 0) {
                first = bytes;
            } else {
                CHECK(same_bytes(first, bytes));
                mxb_bytes_free(bytes.bytes);
            }
            CHECK(search_run(tuner)); /* there is nothing left to do */
            slow_compare(slow, tuner);
            mxb_tuner_free(tuner);
        }
        mxb_bytes_free(first.bytes);
        slow_free(slow);
        scene_close(&scene);
        if (check_n_failed > 0) {
            fprintf(stderr, "    (case %zu)\n", i);
            return;
        }
    }
}

/* ---- stopping ---- */

struct listener {
    mxb_tuner *tuner; /* that it must be told of */
    pthread_t thread;
    size_t n_calls;
    size_t stop_at; /* 0: never */
    size_t n_done;  /* in all stages, at the last call */
    double seconds;
    const char *journal; /* NULL: none */
    size_t n_header;     /* its bytes before the first result */
};

static size_t count_done(const mxb_tuner *tuner) {
    size_t n = 0;
    for (size_t stage = 0; stage < mxb_tuner_n_stages(tuner); stage++) {
        n += mxb_tuner_n_done(tuner, stage);
    }
    return n;
}

/* May ask for anything. */
static int listen(void *context, const mxb_tuner *tuner, double seconds) {
    struct listener *listener = context;
    size_t ranking[SLOW_CONFIGS];
    size_t n_done = count_done(tuner);
    CHECK(tuner == listener->tuner && pthread_equal(pthread_self(), listener->thread));
    CHECK(n_done >= listener->n_done && seconds >= listener->seconds);
    CHECK_INT(mxb_tuner_ranking(tuner, ranking, NULL), MXB_OK);
    CHECK(mxb_tuner_best(tuner) == SIZE_MAX || mxb_tuner_best(tuner) == ranking[0]);
    if (listener->journal != NULL) { /* a result is there before it counts */
        struct stat about;
        CHECK_INT(stat(listener->journal, &about), 0);
        CHECK_INT(about.st_size, listener->n_header + JOURNAL_RECORD_SIZE * n_done);
    }
    listener->n_done = n_done;
    listener->seconds = seconds;
    return ++listener->n_calls != listener->stop_at;
}

static void every_trial_is_told_of(void) {
    for (size_t i = 0; i < N_CASES; i++) {
        struct scene scene = scene_open(i);
        mxb_tuner *tuner = search(&scene, "1", NULL);
        struct listener listener = {.tuner = tuner, .thread = pthread_self()};
        REQUIRE(tuner != NULL);
        OK(mxb_tuner_run(tuner, listen, &listener, &error), error);
        CHECK(listener.n_calls >= count_done(tuner));
        CHECK_INT(listener.n_done, count_done(tuner));
        mxb_tuner_free(tuner);
        scene_close(&scene);
    }
}

/* Stopped after every call in turn, again and again, and gone on with. */
static void a_search_that_was_stopped_goes_on(void) {
    static const char *const n_threads[] = {"1", "4"};
    for (size_t i = 0; i < N_CASES; i++) {
        struct scene scene = scene_open(i);
        mxb_tuner *whole = search(&scene, "1", NULL);
        REQUIRE(search_run(whole));
        for (size_t k = 0; k < 2; k++) {
            mxb_tuner *tuner = search(&scene, n_threads[k], NULL);
            struct listener listener = {.tuner = tuner, .thread = pthread_self(), .stop_at = 1};
            mxb_status status = MXB_STOPPED;
            size_t n_stops = 0;
            while (status == MXB_STOPPED) {
                listener.n_calls = 0;
                listener.seconds = 0.0;
                listener.stop_at = 1 + n_stops++ % 3;
                error.message[0] = '\0';
                status = mxb_tuner_run(tuner, listen, &listener, &error);
                CHECK(status == MXB_OK || strcmp(error.message, "the search was stopped") == 0);
            }
            CHECK_INT(status, MXB_OK);
            CHECK(k > 0 || n_stops > 2);
            CHECK(same_searches(tuner, whole) && same_refits(tuner, whole));
            mxb_tuner_free(tuner);
        }
        mxb_tuner_free(whole);
        scene_close(&scene);
    }
}

/* While the last trial goes on elsewhere, and while it goes on here: it is told of, and stopped between two rounds. */
static void a_trial_that_would_never_end_is_stopped(void) {
    struct scene scene = scene_open(0);
    static const char space[] = "num_round 400 1000000 choice\nlearning_rate 1e-6\n";
    for (int has_limit = 0; has_limit <= 1; has_limit++) {
        int seed = 0;
        char text[16];
        mxb_tuner *tuner = NULL;
        for (int found = 0; !found; seed++) { /* the first configuration is short, the second long */
            mxb_tuner_free(tuner);
            snprintf(text, sizeof text, "%d", seed);
            tuner = SEARCH(scene.train.dataset, NULL, space, scene.params, "n_configs", "2", "min_resource", "1",
                           "n_threads", "2", "time_limit", has_limit ? "1" : "0", "random_state", text);
            mxb_params *first = slow_params(tuner, 0);
            mxb_params *second = slow_params(tuner, 1);
            found = mxb_params_max_rounds(first) == 400 && mxb_params_max_rounds(second) == 1000000;
            mxb_params_free(first);
            mxb_params_free(second);
        }
        struct listener listener = {.tuner = tuner, .thread = pthread_self(), .stop_at = has_limit ? 0 : 4};
        CHECK_INT(mxb_tuner_run(tuner, listen, &listener, &error), has_limit ? MXB_OK : MXB_STOPPED);
        CHECK(count_done(tuner) < 2 && listener.n_calls > 1);
        check_idle(tuner);
        mxb_tuner_free(tuner);
    }
    scene_close(&scene);
}

static void a_time_limit_ends_the_run_and_not_the_search(void) {
    struct scene scene = scene_open(3);
    mxb_tuner *whole = search(&scene, "1", NULL);
    mxb_model *model = NULL;
    REQUIRE(search_run(whole));
    mxb_tuner *tuner = search(&scene, "2", NULL);
    OK(mxb_tuner_set(tuner, "time_limit", "1e-9", &error), error);
    REQUIRE(search_run(tuner)); /* over before the first trial */
    CHECK_INT(count_done(tuner), 0);
    FAILS(mxb_tune(tuner, NULL, NULL, &model, &error), error, MXB_ERROR_PARAM,
          "no configuration has been tried on all folds yet");
    CHECK(model == NULL);
    mxb_tuner_free(tuner);
    tuner = search(&scene, "2", NULL);
    OK(mxb_tuner_set(tuner, "time_limit", "0.02", &error), error);
    for (size_t i = 0; i < 10000 && (i == 0 || mxb_tuner_stage(tuner) < mxb_tuner_n_stages(tuner)); i++) {
        REQUIRE(search_run(tuner));
    }
    CHECK(same_searches(tuner, whole) && same_refits(tuner, whole));
    mxb_tuner_free(tuner);
    mxb_tuner_free(whole);
    scene_close(&scene);
}

static void results_are_in_the_journal_before_they_count(void) {
    char path[] = "/tmp/mixboost-test-XXXXXX";
    struct scene scene = scene_open(3);
    int file = mkstemp(path);
    REQUIRE(file >= 0 && close(file) == 0);
    for (size_t k = 0; k < 2; k++) {
        mxb_tuner *tuner = search(&scene, k == 0 ? "1" : "4", NULL);
        struct listener listener = {.tuner = tuner, .thread = pthread_self(), .journal = path};
        REQUIRE(truncate(path, 0) == 0);
        OK(mxb_tuner_set_journal(tuner, path, 0, &error), error);
        OK(mxb_tuner_start(tuner, &error), error);
        struct stat about;
        REQUIRE(stat(path, &about) == 0);
        listener.n_header = (size_t)about.st_size;
        OK(mxb_tuner_run(tuner, listen, &listener, &error), error);
        CHECK(listener.n_calls > 0);
        mxb_tuner_free(tuner);
    }
    unlink(path);
    scene_close(&scene);
}

/* ---- one by one ---- */

/* Handed out in a fixed order; done in any, some by a tuner that knows of no stage before; some given back. */
static void run_at_random(mxb_tuner *tuner, mxb_tuner *other, uint64_t seed) {
    enum { MAX_OUT = 6 };
    struct dice dice = {seed};
    mxb_trial out[MAX_OUT];
    size_t n_out = 0;
    while (mxb_tuner_stage(tuner) < mxb_tuner_n_stages(tuner)) {
        mxb_trial_result result;
        while (n_out < MAX_OUT && dice_below(&dice, 4) > 0 && mxb_tuner_next(tuner, &out[n_out])) {
            n_out++;
        }
        if (n_out == 0) {
            continue;
        }
        size_t i = dice_below(&dice, n_out);
        mxb_trial trial = out[i];
        out[i] = out[--n_out];
        if (dice_below(&dice, 5) == 0) {
            mxb_tuner_take_back(tuner, &trial);
            continue;
        }
        mxb_tuner *by = dice_below(&dice, 2) == 0 ? tuner : other;
        OK(mxb_tuner_evaluate(by, &trial, 1 + (int)dice_below(&dice, 3), NULL, NULL, &result, NULL, &error), error);
        OK(mxb_tuner_tell(tuner, &trial, &result, &error), error);
    }
    CHECK_INT(n_out, 0);
}

static void trials_in_any_order_come_to_the_same(void) {
    for (size_t i = 0; i < N_CASES; i++) {
        struct scene scene = scene_open(i);
        mxb_tuner *whole = search(&scene, "2", NULL);
        mxb_tuner *tuner = search(&scene, "1", NULL);
        mxb_tuner *other = search(&scene, "1", NULL);
        REQUIRE(search_run(whole));
        OK(mxb_tuner_start(tuner, &error), error);
        OK(mxb_tuner_start(other, &error), error);
        run_at_random(tuner, other, i);
        CHECK(same_searches(tuner, whole) && same_refits(tuner, whole));
        mxb_tuner_free(tuner);
        mxb_tuner_free(other);
        mxb_tuner_free(whole);
        scene_close(&scene);
    }
}

static void trials_are_handed_out_in_order(void) {
    struct scene scene = scene_open(3); /* 7 configurations on 3 folds */
    mxb_tuner *tuner = search(&scene, "1", NULL);
    mxb_trial trial = {0};
    CHECK_INT(mxb_tuner_next(tuner, &trial), 0); /* not before the start */
    OK(mxb_tuner_start(tuner, &error), error);
    for (size_t i = 0; i < 21; i++) {
        CHECK(mxb_tuner_next(tuner, &trial));
        CHECK(trial.stage == 0 && trial.config == i / 3 && trial.fold == i % 3);
    }
    CHECK_INT(mxb_tuner_next(tuner, &trial), 0);
    mxb_tuner_take_back(tuner, &(mxb_trial){.config = 4, .fold = 2});
    mxb_tuner_take_back(tuner, &(mxb_trial){.config = 2, .fold = 0});
    mxb_tuner_take_back(tuner, &(mxb_trial){.config = 2, .fold = 0});
    mxb_tuner_take_back(tuner, &(mxb_trial){.stage = 1, .config = 2, .fold = 0}); /* not reached */
    mxb_tuner_take_back(tuner, &(mxb_trial){.config = 200});
    CHECK(mxb_tuner_next(tuner, &trial) && trial.config == 2 && trial.fold == 0);
    CHECK(mxb_tuner_next(tuner, &trial) && trial.config == 4 && trial.fold == 2);
    CHECK_INT(mxb_tuner_next(tuner, &trial), 0);
    CHECK_INT(mxb_tuner_next(tuner, NULL), 0);
    mxb_tuner_free(tuner);
    scene_close(&scene);
}

static void wrong_arguments_are_refused(void) {
    struct scene scene = scene_open(3);
    mxb_tuner *tuner = search(&scene, "1", NULL);
    mxb_trial trial = {.stage = 0, .config = 0, .fold = 0};
    mxb_trial_result result = {.status = MXB_OK, .loss = 1.0};
    FAILS(mxb_tuner_tell(tuner, &trial, &result, &error), error, MXB_ERROR_PARAM, "the search has not started");
    FAILS(mxb_tuner_evaluate(NULL, &trial, 1, NULL, NULL, &result, NULL, &error), error, MXB_ERROR_PARAM,
          "tuner is NULL");
    OK(mxb_tuner_start(tuner, &error), error);
    FAILS(mxb_tuner_tell(tuner, NULL, &result, &error), error, MXB_ERROR_PARAM, "trial is NULL");
    FAILS(mxb_tuner_tell(tuner, &trial, NULL, &error), error, MXB_ERROR_PARAM, "result is NULL");
    FAILS(mxb_tuner_evaluate(tuner, &trial, 1, NULL, NULL, NULL, NULL, &error), error, MXB_ERROR_PARAM,
          "result is NULL");
    for (size_t i = 0; i < 3; i++) {
        char sentence[128];
        mxb_trial none = {.stage = i == 0 ? 2 : 0, .config = i == 1 ? 7 : 0, .fold = i == 2 ? 3 : 0};
        snprintf(sentence, sizeof sentence, "there is no trial of configuration %zu on fold %zu in stage %zu",
                 none.config, none.fold, none.stage);
        FAILS(mxb_tuner_tell(tuner, &none, &result, &error), error, MXB_ERROR_PARAM, sentence);
        FAILS(mxb_tuner_evaluate(tuner, &none, 1, NULL, NULL, &result, NULL, &error), error, MXB_ERROR_PARAM, sentence);
    }
    trial.stage = 1;
    FAILS(mxb_tuner_tell(tuner, &trial, &result, &error), error, MXB_ERROR_PARAM,
          "stage 1 has no trial of configuration 0 on fold 0");
    trial.stage = 0;
    result.loss = (double)NAN;
    FAILS(mxb_tuner_tell(tuner, &trial, &result, &error), error, MXB_ERROR_PARAM,
          "the loss of a trial that did not fail must be a finite number");
    result.loss = 1.0;
    OK(mxb_tuner_tell(tuner, &trial, &result, &error), error);
    FAILS(mxb_tuner_tell(tuner, &trial, &result, &error), error, MXB_ERROR_PARAM,
          "the trial of configuration 0 on fold 0 in stage 0 is done");
    CHECK_INT(mxb_tuner_n_done(tuner, 0), 1);
    mxb_tuner_free(tuner);
    scene_close(&scene);
}

/* ---- several threads of the caller's ---- */

struct crew {
    mxb_tuner *tuner;
    pthread_mutex_t lock; /* over what the tuner knows */
    size_t n_wrong;
};

static void *work_on(void *argument) {
    struct crew *crew = argument;
    for (int done = 0; !done;) {
        mxb_trial trial;
        mxb_trial_result result;
        mxb_error said;
        pthread_mutex_lock(&crew->lock);
        int has_one = mxb_tuner_next(crew->tuner, &trial);
        done = mxb_tuner_stage(crew->tuner) == mxb_tuner_n_stages(crew->tuner);
        pthread_mutex_unlock(&crew->lock);
        if (!has_one) {
            usleep(1000); /* others are told first */
            continue;
        }
        mxb_status status = mxb_tuner_evaluate(crew->tuner, &trial, 1, NULL, NULL, &result, NULL, &said);
        pthread_mutex_lock(&crew->lock);
        crew->n_wrong += status != MXB_OK || mxb_tuner_tell(crew->tuner, &trial, &result, &said) != MXB_OK;
        pthread_mutex_unlock(&crew->lock);
    }
    return NULL;
}

static void threads_of_the_callers_come_to_the_same(void) {
    for (size_t i = 2; i < N_CASES; i += 2) {
        enum { N_THREADS = 4 };
        struct scene scene = scene_open(i);
        struct crew crew = {.tuner = search(&scene, "1", NULL)};
        pthread_t threads[N_THREADS];
        mxb_tuner *whole = search(&scene, "1", NULL);
        REQUIRE(search_run(whole) && pthread_mutex_init(&crew.lock, NULL) == 0);
        OK(mxb_tuner_start(crew.tuner, &error), error);
        for (size_t k = 0; k < N_THREADS; k++) {
            REQUIRE(pthread_create(&threads[k], NULL, work_on, &crew) == 0);
        }
        for (size_t k = 0; k < N_THREADS; k++) {
            pthread_join(threads[k], NULL);
        }
        CHECK_INT(crew.n_wrong, 0);
        CHECK(same_searches(crew.tuner, whole) && same_refits(crew.tuner, whole));
        pthread_mutex_destroy(&crew.lock);
        mxb_tuner_free(crew.tuner);
        mxb_tuner_free(whole);
        scene_close(&scene);
    }
}

int main(void) {
    RUN(equals_a_plain_loop_on_any_number_of_threads);
    RUN(every_trial_is_told_of);
    RUN(a_search_that_was_stopped_goes_on);
    RUN(a_trial_that_would_never_end_is_stopped);
    RUN(a_time_limit_ends_the_run_and_not_the_search);
    RUN(results_are_in_the_journal_before_they_count);
    RUN(trials_in_any_order_come_to_the_same);
    RUN(trials_are_handed_out_in_order);
    RUN(wrong_arguments_are_refused);
    RUN(threads_of_the_callers_come_to_the_same);
    return check_report();
}
