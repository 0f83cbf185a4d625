/* Runs trials: one by one for who asks, or all of them by workers of a pool. Which worker runs what, and when it ends,
 * changes nothing but the order of the journal. Knows nothing of how ranks are made. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "tune/trial.h"
#include "tune/tuner.h"

/* ---- One trial ---- */

static mxb_status check_trial(const mxb_tuner *tuner, const mxb_trial *trial, mxb_error *error) {
    MXB_TRY(mxb__tuner_check_started(tuner, error));
    if (trial == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "trial is NULL");
    }
    if (trial->stage >= tuner->results.n_stages || trial->config >= tuner->results.n_all ||
        trial->fold >= tuner->results.n_folds) {
        return mxb__fail(error, MXB_ERROR_PARAM, "there is no trial of configuration %zu on fold %zu in stage %zu",
                         trial->config, trial->fold, trial->stage);
    }
    return MXB_OK;
}

mxb_status mxb__tuner_set_threads(mxb_params *params, int n_threads, mxb_error *error) {
    char text[16];
    for (size_t i = 0; i < mxb_option_count(); i++) {
        if (!mxb_option_is_kept(i)) { /* those of the learners are as n_threads */
            MXB_TRY(mxb_params_set(params, mxb_option_name(i), "0", error));
        }
    }
    snprintf(text, sizeof text, "%d", n_threads > 0 ? n_threads : 0);
    return mxb_params_set(params, "n_threads", text, error);
}

/* The trial itself; `input` is filled but for data and rounds. */
static mxb_status run_trial(mxb_tuner *tuner, const mxb_trial *trial, struct trial_input *input,
                            mxb_trial_result *result, mxb_model **model, mxb_error *error) {
    mxb_error said = {{0}};
    mxb_model *from = NULL;
    mxb_model *made = NULL;
    int keeps = mxb__tuner_cuts_rounds(tuner) && trial->stage + 1 < tuner->results.n_stages;
    mxb_status status =
        mxb__fold_data_acquire(&tuner->data, trial->fold, trial->stage, input->params, &input->prepared, &said);
    if (status == MXB_OK) {
        status = mxb__kept_models_get(&tuner->kept, trial, input->params, &from, &said);
    }
    if (status != MXB_OK) {
        mxb__fold_data_release(&tuner->data, trial->fold, input->prepared);
        *result = (mxb_trial_result){.status = status};
        mxb__trial_fail(result, status, &said);
        return MXB_OK;
    }
    input->valid = tuner->data.folds[trial->fold].valid;
    input->until_round = mxb__tuner_rounds(tuner, input->params, trial->stage);
    /* One that has more rounds is of a later stage. */
    input->from = from != NULL && mxb_model_n_rounds(from) <= input->until_round ? from : NULL;
    status = mxb__trial_run(input, result, model != NULL || keeps ? &made : NULL, error);
    mxb__fold_data_release(&tuner->data, trial->fold, input->prepared);
    mxb_model_free(from);
    if (made != NULL && keeps) {
        mxb__kept_models_put(&tuner->kept, trial, made);
    }
    if (model != NULL) {
        *model = made;
    } else {
        mxb_model_free(made);
    }
    return status;
}

mxb_status mxb_tuner_evaluate(mxb_tuner *tuner, const mxb_trial *trial, int n_threads, mxb_progress_fn progress,
                              void *context, mxb_trial_result *result, mxb_model **model, mxb_error *error) {
    mxb_params *params;
    if (model != NULL) {
        *model = NULL;
    }
    MXB_TRY(check_trial(tuner, trial, error));
    if (result == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "result is NULL");
    }
    MXB_TRY(mxb__tuner_draw(tuner, trial->config, &params, error));
    mxb_status status = mxb__tuner_set_threads(params, n_threads, error);
    if (status == MXB_OK) {
        struct trial_input input = {.params = params, .progress = progress, .context = context};
        status = run_trial(tuner, trial, &input, result, model, error);
    }
    mxb_params_free(params);
    return status;
}

/* Frees what waited for rounds that will not come: models of configurations that are not in the stage now begun. */
static void drop_models(mxb_tuner *tuner) {
    struct results *results = &tuner->results;
    for (size_t config = 0; mxb__tuner_cuts_rounds(tuner) && config < results->n_all; config++) {
        mxb_trial trial = {.stage = results->stage, .config = config};
        if (mxb__results_find(results, &trial) == NULL) {
            mxb__kept_models_drop(&tuner->kept, config);
        }
    }
}

/* Goes on to the next stage once all of this one is done, with the lock held. Again where it failed before. */
static mxb_status advance(mxb_tuner *tuner, mxb_error *error) {
    size_t stage = tuner->results.stage;
    MXB_TRY(mxb__results_advance(&tuner->results, error));
    if (tuner->results.stage > stage) {
        drop_models(tuner);
    }
    return MXB_OK;
}

int mxb_tuner_next(mxb_tuner *tuner, mxb_trial *trial) {
    if (mxb__tuner_check_started(tuner, NULL) != MXB_OK || trial == NULL) {
        return 0;
    }
    pthread_mutex_lock(&tuner->lock);
    int found = advance(tuner, NULL) == MXB_OK && mxb__results_take(&tuner->results, trial);
    pthread_mutex_unlock(&tuner->lock);
    return found;
}

void mxb_tuner_take_back(mxb_tuner *tuner, const mxb_trial *trial) {
    if (check_trial(tuner, trial, NULL) == MXB_OK) {
        pthread_mutex_lock(&tuner->lock);
        mxb__results_put_back(&tuner->results, trial);
        pthread_mutex_unlock(&tuner->lock);
    }
}

/* With the lock held. */
static mxb_status tell(mxb_tuner *tuner, const mxb_trial *trial, const mxb_trial_result *result, mxb_error *error) {
    struct results *results = &tuner->results;
    MXB_TRY(mxb__results_check(results, trial, result, error));
    if (tuner->journal.file >= 0) {
        MXB_TRY(mxb__journal_append(&tuner->journal, trial, result, error));
    }
    mxb__results_add(results, trial, result);
    MXB_TRY(advance(tuner, error));
    return results->stage < results->n_stages ? MXB_OK : mxb__journal_sync(&tuner->journal, error);
}

mxb_status mxb_tuner_tell(mxb_tuner *tuner, const mxb_trial *trial, const mxb_trial_result *result, mxb_error *error) {
    MXB_TRY(check_trial(tuner, trial, error));
    if (result == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "result is NULL");
    }
    pthread_mutex_lock(&tuner->lock);
    mxb_status status = tell(tuner, trial, result, error);
    pthread_mutex_unlock(&tuner->lock);
    return status;
}

/* ---- All trials ---- */

enum stop { GO_ON, TIME_IS_UP, CALLER_STOPPED, RUN_FAILED };

/* A run, shared by its workers. */
struct run {
    mxb_tuner *tuner;
    mxb_tune_progress_fn progress;
    void *context;
    double began;
    double until; /* 0: any time */
    _Atomic(enum stop) stop;
    size_t stage;          /* that is worked on */
    int n_threads;         /* of a worker */
    pthread_cond_t change; /* a trial has ended */
    size_t n_running;      /* trials; this and the rest with the tuner's lock held */
    double told_at;        /* when `progress` was called last */
    mxb_status status;
    mxb_error error;
};

/* A worker's view of it. */
struct worker {
    struct run *run;
    int is_caller; /* runs on the thread that called mxb_tuner_run */
};

static const double TELL_SECONDS = 0.1;

/* Calls `progress`, with the lock held. */
static void tell_caller(struct run *run) {
    run->told_at = mxb__seconds_now();
    if (run->progress != NULL && run->stop == GO_ON &&
        !run->progress(run->context, run->tuner, run->told_at - run->began)) {
        run->stop = CALLER_STOPPED;
    }
}

static void look_at_clock(struct run *run) {
    if (run->until > 0.0 && run->stop == GO_ON && mxb__seconds_now() >= run->until) {
        run->stop = TIME_IS_UP;
    }
}

/* After every round of every trial. */
static int on_round(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    struct worker *worker = context;
    struct run *run = worker->run;
    (void)round;
    (void)train_loss;
    (void)valid_loss;
    (void)seconds;
    look_at_clock(run);
    if (worker->is_caller && run->progress != NULL && mxb__seconds_now() - run->told_at >= TELL_SECONDS) {
        pthread_mutex_lock(&run->tuner->lock);
        tell_caller(run);
        pthread_mutex_unlock(&run->tuner->lock);
    }
    return run->stop == GO_ON;
}

/* Runs the next trial, with the lock held before and after; 0 if there is none to run. */
static int work(struct worker *worker) {
    struct run *run = worker->run;
    mxb_tuner *tuner = run->tuner;
    mxb_trial trial;
    mxb_trial_result result;
    mxb_error error = {{0}};
    look_at_clock(run);
    if (run->stop != GO_ON || !mxb__results_take(&tuner->results, &trial)) {
        return 0;
    }
    run->n_running++;
    pthread_mutex_unlock(&tuner->lock);
    mxb_status status = mxb_tuner_evaluate(tuner, &trial, run->n_threads, on_round, worker, &result, NULL, &error);
    pthread_mutex_lock(&tuner->lock);
    run->n_running--;
    if (status == MXB_OK) {
        status = tell(tuner, &trial, &result, &error);
    }
    if (status != MXB_OK) {
        mxb__results_put_back(&tuner->results, &trial);
    }
    if (status != MXB_OK && run->stop == GO_ON) { /* MXB_STOPPED comes from on_round, which has set it, or a callback */
        run->stop = status == MXB_STOPPED ? CALLER_STOPPED : RUN_FAILED;
        run->status = status;
        run->error = error;
    }
    pthread_cond_broadcast(&run->change);
    return 1;
}

/* While others still work, the caller goes on telling. */
static void wait_for_others(struct run *run) {
    while (run->n_running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)(TELL_SECONDS * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&run->change, &run->tuner->lock, &until);
        look_at_clock(run);
        tell_caller(run);
    }
}

/* A worker goes on with the stage at hand; the next has other workers. */
static void work_on_stage(void *context, size_t index, size_t thread) {
    struct worker worker = {.run = context, .is_caller = thread == 0};
    mxb_tuner *tuner = worker.run->tuner;
    (void)index;
    pthread_mutex_lock(&tuner->lock);
    while (tuner->results.stage == worker.run->stage && work(&worker)) {
        if (worker.is_caller) {
            tell_caller(worker.run);
        }
    }
    if (worker.is_caller) {
        wait_for_others(worker.run);
    }
    pthread_mutex_unlock(&tuner->lock);
}

static void run_stage(struct run *run) {
    const struct results *results = &run->tuner->results;
    const struct stage_plan *stage = &run->tuner->plan.stages[results->stage];
    struct pool *pool = mxb__pool_open(stage->n_workers);
    run->stage = results->stage;
    run->n_threads = (int)stage->n_threads;
    mxb__pool_run(pool, stage->n_workers, 1e12, work_on_stage, run);
    mxb__pool_close(pool);
}

/* Of a clock that is not set. */
static mxb_status init_signal(pthread_cond_t *signal, mxb_error *error) {
    pthread_condattr_t kind;
    int failed = pthread_condattr_init(&kind);
    if (!failed) {
        failed = pthread_condattr_setclock(&kind, CLOCK_MONOTONIC) || pthread_cond_init(signal, &kind);
        pthread_condattr_destroy(&kind);
    }
    return failed ? mxb__fail(error, MXB_ERROR_MEMORY, "out of memory for a signal of the tuner") : MXB_OK;
}

mxb_status mxb_tuner_run(mxb_tuner *tuner, mxb_tune_progress_fn progress, void *context, mxb_error *error) {
    double began = mxb__seconds_now();
    if (tuner != NULL && tuner->state == TUNER_IS_NEW) {
        MXB_TRY(mxb_tuner_start(tuner, error));
    }
    MXB_TRY(mxb__tuner_check_started(tuner, error));
    mxb__results_put_all_back(&tuner->results);
    MXB_TRY(advance(tuner, error));
    double limit = tuner->settings.values[SETTING_TIME_LIMIT];
    struct run run = {.tuner = tuner,
                      .progress = progress,
                      .context = context,
                      .began = began,
                      .until = limit > 0.0 ? began + limit : 0.0,
                      .status = MXB_OK};
    MXB_TRY(init_signal(&run.change, error));
    while (run.stop == GO_ON && tuner->results.stage < tuner->results.n_stages) {
        run_stage(&run);
    }
    pthread_cond_destroy(&run.change);
    if (run.stop == RUN_FAILED) {
        return mxb__fail(error, run.status, "%s", run.error.message);
    }
    if (run.stop == CALLER_STOPPED) {
        return mxb__fail(error, MXB_STOPPED, "the search was stopped");
    }
    return MXB_OK;
}
