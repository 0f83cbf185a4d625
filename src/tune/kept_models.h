/* Models that wait for their next rounds, as bytes, within a budget. One that is not kept is trained again from the
 * beginning, to the same bits. */
#ifndef MXB_TUNE_KEPT_MODELS_H
#define MXB_TUNE_KEPT_MODELS_H

#include <pthread.h>
#include <stddef.h>

#include "base/status.h"
#include "mixboost/tune.h"

struct kept_model {
    void *bytes; /* NULL: none */
    size_t n_bytes;
};

struct kept_models {
    size_t n_folds;
    size_t n; /* models, of all configurations and folds */
    struct kept_model *models;
    size_t n_bytes;
    size_t budget;
    pthread_mutex_t lock;
};

mxb_status mxb__kept_models_init(struct kept_models *kept, size_t n_configs, size_t n_folds, size_t budget,
                                 mxb_error *error);
void mxb__kept_models_clear(struct kept_models *kept);

/** Keeps a model in the place of the one before, if there is room. A model that has no bytes is not kept. */
void mxb__kept_models_put(struct kept_models *kept, const mxb_trial *trial, const mxb_model *model);

/** Makes a new model of what is kept of the trial's configuration and fold; *model is NULL where that is nothing. */
mxb_status mxb__kept_models_get(struct kept_models *kept, const mxb_trial *trial, const mxb_params *params,
                                mxb_model **model, mxb_error *error);

/** Frees the models of a configuration that does not go on. */
void mxb__kept_models_drop(struct kept_models *kept, size_t config);

#endif
