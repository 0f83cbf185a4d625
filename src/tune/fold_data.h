/* The rows that trials are trained and judged on: folds, the row fractions of the stages, each contained in the next,
 * and all of these prepared, once for all configurations that agree on how. */
#ifndef MXB_TUNE_FOLD_DATA_H
#define MXB_TUNE_FOLD_DATA_H

#include <pthread.h>
#include <stddef.h>

#include "base/status.h"
#include "mixboost/tune.h"
#include "tune/plan.h"
#include "tune/settings.h"

/* Prepared rows that a fold keeps; those that are not in use give way to others. */
enum { MXB__MAX_PREPARED = 6 };

/* The options that preparing depends on. */
enum { MXB__N_PREPARING_OPTIONS = 4 };
extern const char *const mxb__preparing_options[MXB__N_PREPARING_OPTIONS];

/* Rows prepared in one way, for some trials at a time. */
struct prepared_rows {
    char *key;    /* what preparing depends on */
    size_t stage; /* whose fraction of the rows it has */
    mxb_prepared *prepared;
    size_t n_users;
    size_t used_at; /* counts the uses of all, for whom to drop first */
};

struct fold {
    const mxb_dataset *train; /* in `parts`, `own_train` or the caller's */
    const mxb_dataset *valid;
    mxb_dataset *own_train; /* NULL: the caller's */
    mxb_dataset *own_valid;
    mxb_dataset *parts[MXB__MAX_STAGES]; /* [stage] NULL where the stage has all rows */
    size_t n_prepared;
    struct prepared_rows *prepared;
    int is_preparing; /* by a thread, which alone may change the list meanwhile */
};

struct fold_data {
    size_t n_folds;
    struct fold *folds;
    size_t n_stages;
    size_t n_uses;
    pthread_mutex_t lock;  /* over all that is prepared */
    pthread_cond_t change; /* a fold is no longer being prepared */
};

/** No folds yet. */
mxb_status mxb__fold_data_init(struct fold_data *data, mxb_error *error);
void mxb__fold_data_clear(struct fold_data *data);

/** Adds a fold. Datasets are `data`'s from now on where `is_owned`, also after a failure. */
mxb_status mxb__fold_data_add(struct fold_data *data, mxb_dataset *train, mxb_dataset *valid, int is_owned,
                              mxb_error *error);

/** Makes the folds that the settings ask for, of which there are none yet. */
mxb_status mxb__fold_data_make(struct fold_data *data, const mxb_dataset *dataset, const struct settings *settings,
                               int stratify, mxb_error *error);

/** Draws the row fractions of the stages, for the plan's resources. */
mxb_status mxb__fold_data_cut(struct fold_data *data, const struct plan *plan, const struct settings *settings,
                              int stratify, mxb_error *error);

/** The rows a fold trains on in a stage. */
const mxb_dataset *mxb__fold_data_rows(const struct fold_data *data, size_t fold, size_t stage);

/** These rows prepared as the options say, to be released. Safe to call from several threads. */
mxb_status mxb__fold_data_acquire(struct fold_data *data, size_t fold, size_t stage, const mxb_params *params,
                                  const mxb_prepared **prepared, mxb_error *error);
void mxb__fold_data_release(struct fold_data *data, size_t fold, const mxb_prepared *prepared);

#endif
