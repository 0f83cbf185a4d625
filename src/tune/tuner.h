/* The tuner: what was asked for, and how far it has come. */
#ifndef MXB_TUNE_TUNER_H
#define MXB_TUNE_TUNER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "mixboost/tune.h"
#include "tune/fold_data.h"
#include "tune/journal.h"
#include "tune/kept_models.h"
#include "tune/plan.h"
#include "tune/results.h"
#include "tune/settings.h"
#include "tune/space.h"

struct mxb_tuner {
    const mxb_dataset *train;
    const mxb_dataset *valid; /* NULL: none */
    mxb_space *space;
    mxb_params *params; /* what the space does not set */
    struct settings settings;
    uint64_t folds_digest; /* of the rows of folds that were added; 0: none */
    char *journal_path;    /* NULL: none */
    int resume;

    enum { TUNER_IS_NEW, TUNER_IS_STARTED, TUNER_HAS_FAILED } state;
    int has_results; /* results and kept models are to be cleared */
    struct fold_data data;
    struct plan plan; /* from here on after the start */
    struct results results;
    struct kept_models kept;
    size_t memory;  /* bytes that the search takes at the most */
    size_t n_rarer; /* rows that judge, of the class that has fewer; SIZE_MAX: without two classes */
    struct journal journal;
    char warning[sizeof(mxb_error) + sizeof((struct journal_contents *)0)->warning];
    pthread_mutex_t lock; /* over results and journal while a run goes on */
};

/** The options of a configuration's trials. To be freed with mxb_params_free. */
mxb_status mxb__tuner_draw(const mxb_tuner *tuner, size_t config, mxb_params **params, mxb_error *error);

/** Those of the first configuration whose options go together; PARAM, and why those of configuration 0 do not, where
 *  there is none. To be freed likewise. */
mxb_status mxb__tuner_draw_first(const mxb_tuner *tuner, mxb_params **params, mxb_error *error);

/** Gives a training so many threads, 0: all processors, and its learners no others. */
mxb_status mxb__tuner_set_threads(mxb_params *params, int n_threads, mxb_error *error);

/** How many rounds a stage lets a configuration of these options have. */
size_t mxb__tuner_rounds(const mxb_tuner *tuner, const mxb_params *params, size_t stage);

/** Whether stages are cut by rounds and not by rows. */
int mxb__tuner_cuts_rounds(const mxb_tuner *tuner);

/** Finds how much memory the search takes; the plan and the rows are made. */
mxb_status mxb__tuner_measure(mxb_tuner *tuner, mxb_error *error);

/** PARAM once the tuner is started. */
mxb_status mxb__tuner_check_new(const mxb_tuner *tuner, mxb_error *error);

/** PARAM until it is. */
mxb_status mxb__tuner_check_started(const mxb_tuner *tuner, mxb_error *error);

#endif
