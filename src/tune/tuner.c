/* A tuner before its start: what was asked for. Knows nothing of how trials are run. */
#include "tune/tuner.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"

/* ---- Making ---- */

static mxb_status fill(mxb_tuner *tuner, const mxb_space *space, const mxb_params *params, mxb_error *error) {
    mxb__settings_init(&tuner->settings);
    MXB_TRY(space == NULL ? mxb_space_create(mxb_space_built_in("default"), &tuner->space, error)
                          : mxb__space_copy(&tuner->space, space, error));
    return params == NULL ? mxb_params_create(&tuner->params, error) : mxb_params_copy(params, &tuner->params, error);
}

mxb_status mxb_tuner_create(const mxb_dataset *train, const mxb_dataset *valid, const mxb_space *space,
                            const mxb_params *params, mxb_tuner **tuner, mxb_error *error) {
    mxb_tuner *made;
    if (train == NULL || tuner == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", train == NULL ? "train" : "tuner");
    }
    *tuner = NULL;
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "a tuner", error));
    made->train = train;
    made->valid = valid;
    made->journal.file = -1;
    mxb_status status = mxb__fold_data_init(&made->data, error);
    if (status == MXB_OK && pthread_mutex_init(&made->lock, NULL) != 0) {
        mxb__fold_data_clear(&made->data);
        status = mxb__fail(error, MXB_ERROR_MEMORY, "out of memory for a lock of the tuner");
    }
    if (status != MXB_OK) {
        mxb__free(made);
        return status;
    }
    status = fill(made, space, params, error);
    if (status != MXB_OK) {
        mxb_tuner_free(made);
        return status;
    }
    *tuner = made;
    return MXB_OK;
}

void mxb_tuner_free(mxb_tuner *tuner) {
    if (tuner == NULL) {
        return;
    }
    if (tuner->has_results) {
        mxb__kept_models_clear(&tuner->kept);
        mxb__results_clear(&tuner->results);
    }
    mxb__journal_close(&tuner->journal);
    mxb__fold_data_clear(&tuner->data);
    mxb_space_free(tuner->space);
    mxb_params_free(tuner->params);
    mxb__free(tuner->journal_path);
    pthread_mutex_destroy(&tuner->lock);
    mxb__free(tuner);
}

mxb_status mxb__tuner_check_new(const mxb_tuner *tuner, mxb_error *error) {
    if (tuner == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "tuner is NULL");
    }
    return tuner->state == TUNER_IS_NEW
               ? MXB_OK
               : mxb__fail(error, MXB_ERROR_PARAM, "the search has started: it is too late for that");
}

mxb_status mxb__tuner_check_started(const mxb_tuner *tuner, mxb_error *error) {
    if (tuner == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "tuner is NULL");
    }
    return tuner->state == TUNER_IS_STARTED ? MXB_OK : mxb__fail(error, MXB_ERROR_PARAM, "the search has not started");
}

mxb_status mxb_tuner_set(mxb_tuner *tuner, const char *name, const char *value, mxb_error *error) {
    MXB_TRY(mxb__tuner_check_new(tuner, error));
    if (name == NULL || value == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "a setting needs a name and a value; one of them is NULL");
    }
    return mxb__settings_set(&tuner->settings, name, value, error);
}

const char *mxb_tuner_get(const mxb_tuner *tuner, const char *name) {
    return mxb__settings_get(&tuner->settings, name);
}

static void digest_rows(mxb_tuner *tuner, const size_t *rows, size_t n) {
    tuner->folds_digest = mxb__mix64(tuner->folds_digest + n + 1);
    for (size_t i = 0; i < n; i++) {
        tuner->folds_digest = mxb__mix64(tuner->folds_digest ^ (rows[i] + 1));
    }
}

mxb_status mxb_tuner_add_fold(mxb_tuner *tuner, const size_t *train_rows, size_t n_train, const size_t *valid_rows,
                              size_t n_valid, mxb_error *error) {
    mxb_dataset *train;
    mxb_dataset *valid;
    MXB_TRY(mxb__tuner_check_new(tuner, error));
    if (tuner->valid != NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "there is a validation set already, so there can be no folds");
    }
    MXB_TRY(mxb_dataset_select(tuner->train, train_rows, n_train, &train, error));
    mxb_status status = mxb_dataset_select(tuner->train, valid_rows, n_valid, &valid, error);
    if (status != MXB_OK) {
        mxb_dataset_free(train);
        return status;
    }
    MXB_TRY(mxb__fold_data_add(&tuner->data, train, valid, 1, error));
    digest_rows(tuner, train_rows, n_train);
    digest_rows(tuner, valid_rows, n_valid);
    return MXB_OK;
}

mxb_status mxb_tuner_set_journal(mxb_tuner *tuner, const char *path, int resume, mxb_error *error) {
    char *copy;
    MXB_TRY(mxb__tuner_check_new(tuner, error));
    if (path == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the path of a journal is NULL");
    }
    MXB_TRY(mxb__copy_text(&copy, path, error));
    mxb__free(tuner->journal_path);
    tuner->journal_path = copy;
    tuner->resume = resume;
    return MXB_OK;
}

const char *mxb_tuner_warning(const mxb_tuner *tuner) { return tuner->warning[0] == '\0' ? NULL : tuner->warning; }

const mxb_space *mxb_tuner_space(const mxb_tuner *tuner) { return tuner->space; }

/* ---- Configurations ---- */

mxb_status mxb__tuner_draw(const mxb_tuner *tuner, size_t config, mxb_params **params, mxb_error *error) {
    uint64_t seed = (uint64_t)tuner->settings.values[SETTING_RANDOM_STATE];
    MXB_TRY(mxb_params_copy(tuner->params, params, error));
    mxb_status status = mxb_space_draw(tuner->space, seed, config, *params, error);
    if (status != MXB_OK) {
        mxb_params_free(*params);
        *params = NULL;
    }
    return status;
}

mxb_status mxb__tuner_draw_first(const mxb_tuner *tuner, mxb_params **params, mxb_error *error) {
    mxb_status status = MXB_ERROR_PARAM;
    size_t n_configs = mxb__setting_count(&tuner->settings, SETTING_N_CONFIGS);
    for (size_t config = 0; status == MXB_ERROR_PARAM && config < n_configs; config++) {
        MXB_TRY(mxb__tuner_draw(tuner, config, params, error));
        status = mxb_params_check(*params, config == 0 ? error : NULL);
        if (status != MXB_OK) {
            mxb_params_free(*params);
            *params = NULL;
        }
    }
    return status;
}

size_t mxb__tuner_rounds(const mxb_tuner *tuner, const mxb_params *params, size_t stage) {
    size_t n = mxb_params_max_rounds(params);
    if (!mxb__tuner_cuts_rounds(tuner)) {
        return n;
    }
    size_t share = (size_t)((double)n * tuner->plan.stages[stage].resource + 0.5);
    return share < 1 ? 1 : share;
}

int mxb__tuner_cuts_rounds(const mxb_tuner *tuner) {
    return (int)tuner->settings.values[SETTING_RESOURCE] == RESOURCE_ROUNDS;
}
