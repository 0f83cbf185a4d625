/* Searches for tests: small ones from texts, and whether two of them came to the same. */
#ifndef MAKE_SEARCH_H
#define MAKE_SEARCH_H

#include "check.h"
#include "mixboost/tune.h"
#include "unit/boost/make_data.h"

/* Configurations of small trainings that differ in all that preparing depends on and in both learners. */
static const char SMALL_SPACE[] =
    "num_round 3 9 integer\n"
    "learning_rate 0.05 0.9 log10\n"
    "max_max_depth 1 4 integer\n"
    "subsample 0.5 1 linear\n"
    "tree_probability 0.3 1 linear\n"
    "hist_nbins 16 64 choice\n"
    "fourier_scaling rank standard choice\n"
    "n_components 1 5 integer\n";

/* A new search with settings, a list of names and values that ends with NULL; NULL, and a failed check, where one is
 * refused. */
static inline mxb_tuner *search_of(const mxb_dataset *train, const mxb_dataset *valid, const char *text,
                                   const mxb_params *params, const char *const *settings) {
    mxb_error error = {""};
    mxb_space *space = NULL;
    mxb_tuner *tuner = NULL;
    mxb_status status = mxb_space_create(text, &space, &error);
    if (status == MXB_OK) {
        status = mxb_tuner_create(train, valid, space, params, &tuner, &error);
    }
    for (; status == MXB_OK && *settings != NULL; settings += 2) {
        status = mxb_tuner_set(tuner, settings[0], settings[1], &error);
    }
    mxb_space_free(space);
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        mxb_tuner_free(tuner);
        return NULL;
    }
    return tuner;
}

#define SEARCH(train, valid, space, params, ...) \
    search_of(train, valid, space, params, (const char *const[]){__VA_ARGS__, NULL})

/* Runs it to its end; 0, and a failed check, where that fails. */
static inline int search_run(mxb_tuner *tuner) {
    mxb_error error = {"no tuner"};
    if (tuner == NULL || mxb_tuner_run(tuner, NULL, NULL, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        return 0;
    }
    return 1;
}

/* All but the seconds. */
static inline int same_result(const mxb_trial_result *a, const mxb_trial_result *b) {
    return a->status == b->status && memcmp(&a->loss, &b->loss, sizeof a->loss) == 0 && a->n_rounds == b->n_rounds &&
           strcmp(a->message, b->message) == 0;
}

/* Whether every trial of a stage is done in both or in none, with the same result. */
static inline int same_stage(const mxb_tuner *a, const mxb_tuner *b, size_t stage) {
    int same = mxb_tuner_stage_size(a, stage) == mxb_tuner_stage_size(b, stage) &&
               mxb_tuner_n_done(a, stage) == mxb_tuner_n_done(b, stage);
    for (size_t place = 0; same && place < mxb_tuner_stage_size(a, stage); place++) {
        mxb_trial trial = {.stage = stage, .config = mxb_tuner_stage_config(a, stage, place)};
        same = mxb_tuner_stage_config(b, stage, place) == trial.config;
        for (; same && trial.fold < mxb_tuner_n_folds(a); trial.fold++) {
            mxb_trial_result in_a = {0};
            mxb_trial_result in_b = {0};
            same =
                mxb_tuner_result(a, &trial, &in_a) == mxb_tuner_result(b, &trial, &in_b) && same_result(&in_a, &in_b);
        }
    }
    return same;
}

static inline int same_searches(const mxb_tuner *a, const mxb_tuner *b) {
    int same = mxb_tuner_n_stages(a) == mxb_tuner_n_stages(b) && mxb_tuner_stage(a) == mxb_tuner_stage(b) &&
               mxb_tuner_n_folds(a) == mxb_tuner_n_folds(b) && mxb_tuner_best(a) == mxb_tuner_best(b);
    for (size_t stage = 0; same && stage < mxb_tuner_n_stages(a); stage++) {
        same = same_stage(a, b, stage);
    }
    size_t n = mxb_tuner_stage_size(a, 0);
    size_t *rankings = calloc(2 * n + 1, sizeof *rankings);
    same = same && mxb_tuner_ranking(a, rankings, NULL) == MXB_OK &&
           mxb_tuner_ranking(b, rankings + n, NULL) == MXB_OK &&
           memcmp(rankings, rankings + n, n * sizeof *rankings) == 0;
    free(rankings);
    return same;
}

/* The bytes of the model that the search ends with, to be freed with mxb_bytes_free. */
static inline struct model_bytes refit_bytes(const mxb_tuner *tuner) {
    mxb_model *model = NULL;
    mxb_error error = {""};
    if (mxb_tuner_refit(tuner, NULL, NULL, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    struct model_bytes bytes = bytes_of(model);
    mxb_model_free(model);
    return bytes;
}

static inline int same_models(const mxb_model *a, const mxb_model *b) {
    struct model_bytes of_a = bytes_of(a);
    struct model_bytes of_b = bytes_of(b);
    int same = same_bytes(of_a, of_b);
    mxb_bytes_free(of_a.bytes);
    mxb_bytes_free(of_b.bytes);
    return same;
}

static inline int same_refits(const mxb_tuner *a, const mxb_tuner *b) {
    struct model_bytes of_a = refit_bytes(a);
    struct model_bytes of_b = refit_bytes(b);
    int same = same_bytes(of_a, of_b);
    mxb_bytes_free(of_a.bytes);
    mxb_bytes_free(of_b.bytes);
    return same;
}

#endif
