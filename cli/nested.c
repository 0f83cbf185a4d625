/* Runs a search for each fold. A search sees the rows of its fold's training part and no others. */
#define _POSIX_C_SOURCE 200809L
#include "nested.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interrupt.h"
#include "message.h"
#include "training_input.h"
#include "tuning_text.h"

/* One fold of one repeat. All NULL until made, all freed in the end. */
struct outer_fold {
    size_t number;  /* from 0, through all repeats */
    char where[32]; /* "fold 1: ", for messages */
    struct progress *progress;
    double first_second; /* of the clock, when the first fold began */
    mxb_dataset *train;
    mxb_dataset *held_out;
    mxb_tuner *tuner;
    mxb_model *model;
};

static void outer_fold_clear(struct outer_fold *fold) {
    mxb_model_free(fold->model);
    mxb_tuner_free(fold->tuner);
    mxb_dataset_free(fold->held_out);
    mxb_dataset_free(fold->train);
}

static double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The path of a fold's journal, to be freed: "FILE.1" for number 0. `*path` is NULL where none is kept. */
static int journal_path(const struct tuning *tuning, size_t number, char **path) {
    const char *journal = arguments_flag(tuning->arguments, "journal");
    size_t size = journal == NULL ? 0 : strlen(journal) + 24;
    *path = journal == NULL ? NULL : malloc(size);
    if (journal == NULL) {
        return EXIT_DONE;
    }
    if (*path == NULL) {
        return fail_data("out of memory");
    }
    snprintf(*path, size, "%s.%zu", journal, number + 1);
    return EXIT_DONE;
}

int nested_check_journals(const struct nested *nested) {
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < nested->n_folds * nested->n_repeats; i++) {
        char *path;
        code = journal_path(nested->tuning, i, &path);
        if (code == EXIT_DONE && path != NULL) {
            code = tuning_check_journal(nested->tuning, path);
        }
        free(path);
    }
    return code;
}

/* An mxb_tune_progress_fn with a struct outer_fold as context. */
static int watch_search(void *context, const mxb_tuner *tuner, double seconds) {
    (void)seconds;
    struct outer_fold *fold = context;
    return progress_advance(fold->progress, tuning_share(tuner), clock_seconds() - fold->first_second);
}

/* An mxb_progress_fn with a struct outer_fold as context. */
static int watch_refit(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    (void)round, (void)train_loss, (void)valid_loss;
    return watch_search(context, ((struct outer_fold *)context)->tuner, seconds);
}

/* Reports what a search was kept from. */
static void report_fold(const struct outer_fold *fold) {
    if (mxb_tuner_stage(fold->tuner) < mxb_tuner_n_stages(fold->tuner)) {
        report("%sthe time is up after %zu of %zu trials; the best configuration so far is taken", fold->where,
               tuning_n_done(fold->tuner), tuning_n_trials(fold->tuner));
    }
    tuning_report_failures(fold->tuner, fold->where);
}

/* Searches in the rows that the fold trains on. */
static int tune_fold(const struct nested *nested, struct outer_fold *fold) {
    mxb_error error;
    char *journal;
    int is_quiet = arguments_flag(nested->tuning->arguments, "quiet") != NULL;
    int code = journal_path(nested->tuning, fold->number, &journal);
    if (code == EXIT_DONE) {
        code = tuning_start(nested->tuning, fold->train, NULL, journal, fold->where, &fold->tuner);
    }
    free(journal);
    if (code != EXIT_DONE) {
        return code;
    }
    if (fold->number == 0 && !is_quiet) {
        tuning_report_plan(fold->tuner); /* others are as large */
    }
    mxb_status status = mxb_tuner_run(fold->tuner, watch_search, fold, &error);
    if (status != MXB_OK) {
        return interrupt_caught() ? EXIT_DONE : fail_status_in(fold->where, status, &error);
    }
    if (mxb_tuner_best(fold->tuner) == SIZE_MAX) {
        return fail_data("%sno configuration could be judged within %s", fold->where,
                         arguments_flag(nested->tuning->arguments, "time-limit"));
    }
    if (!is_quiet) {
        report_fold(fold);
    }
    return EXIT_DONE;
}

/* Trains what was found and measures it on the rows left out. */
static int judge_fold(const struct nested *nested, struct outer_fold *fold, double *loss, mxb_params **found) {
    mxb_error error;
    char n_rounds[32];
    int n_threads = training_input_n_threads(nested->tuning->params);
    mxb_status status = mxb_tuner_refit(fold->tuner, watch_refit, fold, &fold->model, &error);
    if (status == MXB_OK) {
        status = mxb_model_evaluate(fold->model, fold->held_out, n_threads, loss, &error);
    }
    if (status == MXB_OK) {
        status = mxb_tuner_params(fold->tuner, mxb_tuner_best(fold->tuner), found, &error);
    }
    if (status == MXB_OK) { /* may be auto until a model is trained */
        snprintf(n_rounds, sizeof n_rounds, "%zu", mxb_model_n_rounds(fold->model));
        status = mxb_params_set(*found, "num_round", n_rounds, &error);
    }
    if (status != MXB_OK) {
        return interrupt_caught() ? EXIT_DONE : fail_status_in(fold->where, status, &error);
    }
    progress_update(fold->progress, fold->number + 1, mxb_model_curve(fold->model, mxb_model_n_rounds(fold->model), 0),
                    *loss, clock_seconds() - fold->first_second);
    return EXIT_DONE;
}

int nested_validate(const struct nested *nested, struct progress *progress, double *losses, mxb_params **found) {
    mxb_error error;
    double first_second = clock_seconds();
    /* What is wrong with the whole is said of it, and not of a fold. */
    mxb_status status = mxb_training_check(nested->dataset, NULL, nested->tuning->params, &error);
    int code = status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
    for (size_t i = 0; code == EXIT_DONE && !interrupt_caught() && i < nested->n_folds * nested->n_repeats; i++) {
        struct outer_fold fold = {.number = i, .progress = progress, .first_second = first_second};
        snprintf(fold.where, sizeof fold.where, "fold %zu: ", i + 1);
        status = mxb_dataset_fold(nested->dataset, nested->n_folds, nested->stratified, nested->seed,
                                  i / nested->n_folds, i % nested->n_folds, &fold.train, &fold.held_out, &error);
        code = status == MXB_OK ? tune_fold(nested, &fold) : fail_status(status, &error);
        if (code == EXIT_DONE && !interrupt_caught()) {
            code = judge_fold(nested, &fold, &losses[i], &found[i]);
        }
        outer_fold_clear(&fold);
    }
    return code;
}
