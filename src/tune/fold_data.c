/* Folds, fractions and what is prepared of them. Everything that preparing learns comes from the fold's own training
 * rows; fractions share it. Knows nothing of configurations beyond the options that preparing depends on. */
#include "tune/fold_data.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"

/* Rows that the first stage has at least. */
enum { MIN_ROWS = 2 };

mxb_status mxb__fold_data_init(struct fold_data *data, mxb_error *error) {
    *data = (struct fold_data){0};
    if (pthread_mutex_init(&data->lock, NULL) != 0) {
        return mxb__fail(error, MXB_ERROR_MEMORY, "out of memory for a lock of the tuner");
    }
    if (pthread_cond_init(&data->change, NULL) != 0) {
        pthread_mutex_destroy(&data->lock);
        return mxb__fail(error, MXB_ERROR_MEMORY, "out of memory for a signal of the tuner");
    }
    return MXB_OK;
}

static void prepared_clear(struct prepared_rows *rows) {
    mxb__free(rows->key);
    mxb_prepared_free(rows->prepared);
}

static void fold_clear(struct fold *fold) {
    for (size_t i = 0; i < fold->n_prepared; i++) {
        prepared_clear(&fold->prepared[i]);
    }
    mxb__free(fold->prepared);
    for (size_t i = 0; i < MXB__MAX_STAGES; i++) {
        mxb_dataset_free(fold->parts[i]);
    }
    mxb_dataset_free(fold->own_train);
    mxb_dataset_free(fold->own_valid);
}

void mxb__fold_data_clear(struct fold_data *data) {
    for (size_t i = 0; i < data->n_folds; i++) {
        fold_clear(&data->folds[i]);
    }
    mxb__free(data->folds);
    pthread_cond_destroy(&data->change);
    pthread_mutex_destroy(&data->lock);
}

/* ---- Folds ---- */

mxb_status mxb__fold_data_add(struct fold_data *data, mxb_dataset *train, mxb_dataset *valid, int is_owned,
                              mxb_error *error) {
    size_t n = data->n_folds;
    mxb_status status = mxb__grow(&data->folds, n, n + 1, sizeof *data->folds, "folds", error);
    if (status != MXB_OK) {
        if (is_owned) {
            mxb_dataset_free(train);
            mxb_dataset_free(valid);
        }
        return status;
    }
    data->folds[n] = (struct fold){
        .train = train, .valid = valid, .own_train = is_owned ? train : NULL, .own_valid = is_owned ? valid : NULL};
    data->n_folds++;
    return MXB_OK;
}

mxb_status mxb__fold_data_make(struct fold_data *data, const mxb_dataset *dataset, const struct settings *settings,
                               int stratify, mxb_error *error) {
    mxb_dataset *train;
    mxb_dataset *valid;
    uint64_t seed = (uint64_t)settings->values[SETTING_RANDOM_STATE];
    size_t n_folds = mxb__setting_count(settings, SETTING_N_FOLDS);
    for (size_t fold = 0; fold < n_folds; fold++) {
        MXB_TRY(mxb_dataset_fold(dataset, n_folds, stratify, seed, 0, fold, &train, &valid, error));
        MXB_TRY(mxb__fold_data_add(data, train, valid, 1, error));
    }
    if (n_folds > 0) {
        return MXB_OK;
    }
    double fraction = settings->values[SETTING_VALID_FRACTION];
    MXB_TRY(mxb_dataset_split(dataset, fraction, stratify, seed, &train, &valid, error));
    return mxb__fold_data_add(data, train, valid, 1, error);
}

/* ---- Fractions ---- */

/* Each is cut from that of the stage after, so it is contained in it. */
static mxb_status cut_fold(struct fold *fold, size_t number, const struct plan *plan, uint64_t seed, int stratify,
                           mxb_error *error) {
    const mxb_dataset *larger = fold->train;
    for (size_t stage = plan->n_stages - 1; stage > 0; stage--) {
        double share = plan->stages[stage - 1].resource / plan->stages[stage].resource;
        struct random_stream stream = mxb__random_stream(seed, RANDOM_FRACTIONS, stage - 1);
        mxb_dataset *rest;
        MXB_TRY(mxb_dataset_split(larger, 1.0 - share, stratify, mxb__random_bits(stream, number),
                                  &fold->parts[stage - 1], &rest, error));
        mxb_dataset_free(rest);
        larger = fold->parts[stage - 1];
    }
    return MXB_OK;
}

mxb_status mxb__fold_data_cut(struct fold_data *data, const struct plan *plan, const struct settings *settings,
                              int stratify, mxb_error *error) {
    mxb_error cause = {{0}};
    data->n_stages = plan->n_stages;
    if ((int)settings->values[SETTING_RESOURCE] == RESOURCE_ROUNDS) {
        return MXB_OK;
    }
    uint64_t seed = (uint64_t)settings->values[SETTING_RANDOM_STATE];
    for (size_t fold = 0; fold < data->n_folds; fold++) {
        size_t n_rows = mxb_dataset_n_rows(data->folds[fold].train);
        if (n_rows < MIN_ROWS) {
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the rows to train on are too few, %zu; the first stage needs at least %d", n_rows,
                             (int)MIN_ROWS);
        }
        if ((double)n_rows * plan->stages[0].resource < MIN_ROWS) {
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the first stage has 1/%.0f of %zu rows, which are fewer than %d; min_resource must be "
                             "larger",
                             1.0 / plan->stages[0].resource, n_rows, (int)MIN_ROWS);
        }
        mxb_status status = cut_fold(&data->folds[fold], fold, plan, seed, stratify, &cause);
        if (status != MXB_OK) {
            return mxb__fail(error, status, "the fractions of the rows, 1/%.0f and more, cannot be had: %s",
                             1.0 / plan->stages[0].resource, cause.message);
        }
    }
    return MXB_OK;
}

const mxb_dataset *mxb__fold_data_rows(const struct fold_data *data, size_t fold, size_t stage) {
    const mxb_dataset *part = data->folds[fold].parts[stage];
    return part != NULL ? part : data->folds[fold].train;
}

/* ---- Prepared ---- */

const char *const mxb__preparing_options[MXB__N_PREPARING_OPTIONS] = {"objective", "use_histograms", "hist_nbins",
                                                                      "fourier_scaling"};

/* Their values as text. */
static mxb_status make_key(const mxb_params *params, char **key, mxb_error *error) {
    char text[256] = "";
    for (size_t i = 0; i < MXB__N_PREPARING_OPTIONS; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s ", mxb_params_get(params, mxb__preparing_options[i]));
    }
    return mxb__copy_text(key, text, error);
}

static struct prepared_rows *find_prepared(struct fold *fold, const char *key, size_t stage) {
    for (size_t i = 0; i < fold->n_prepared; i++) {
        if (fold->prepared[i].stage == stage && strcmp(fold->prepared[i].key, key) == 0) {
            return &fold->prepared[i];
        }
    }
    return NULL;
}

/* Of those that nobody uses the one not used for the longest time; n_prepared where all are in use. */
static size_t find_idle(const struct fold *fold) {
    size_t oldest = fold->n_prepared;
    for (size_t i = 0; i < fold->n_prepared; i++) {
        if (fold->prepared[i].n_users == 0 &&
            (oldest == fold->n_prepared || fold->prepared[i].used_at < fold->prepared[oldest].used_at)) {
            oldest = i;
        }
    }
    return oldest;
}

/* Makes room for one more where there are many. */
static void drop_idle(struct fold *fold) {
    for (size_t i = find_idle(fold); fold->n_prepared >= MXB__MAX_PREPARED && i < fold->n_prepared;
         i = find_idle(fold)) {
        prepared_clear(&fold->prepared[i]);
        fold->prepared[i] = fold->prepared[--fold->n_prepared];
    }
}

/* Prepares rows and lets go of the lock meanwhile: the fold's list is nobody else's to change. */
static mxb_status make_rows(struct fold_data *data, struct fold *at, const mxb_prepared *whole,
                            const mxb_params *params, struct prepared_rows *rows, mxb_error *error) {
    pthread_mutex_unlock(&data->lock);
    mxb_status status = whole != NULL
                            ? mxb_prepared_create_part(whole, at->parts[rows->stage], params, &rows->prepared, error)
                            : mxb_prepared_create(at->train, params, &rows->prepared, error);
    pthread_mutex_lock(&data->lock);
    return status;
}

/* Adds the rows of `stage` to the fold's list, by the thread that has set `is_preparing`; all rows are prepared before
 * a fraction of them. */
static mxb_status prepare(struct fold_data *data, struct fold *at, size_t stage, const mxb_params *params,
                          const char *key, mxb_error *error) {
    struct prepared_rows rows = {.stage = stage};
    struct prepared_rows *whole = NULL;
    size_t last = data->n_stages - 1;
    if (stage < last && find_prepared(at, key, last) == NULL) {
        MXB_TRY(prepare(data, at, last, params, key, error));
    }
    if (stage < last) {
        whole = find_prepared(at, key, last);
        whole->used_at = ++data->n_uses;
        whole->n_users++; /* stays while room is made */
    }
    drop_idle(at);
    whole = whole == NULL ? NULL : find_prepared(at, key, last);
    mxb_status status = mxb__copy_text(&rows.key, key, error);
    if (status == MXB_OK) {
        status = make_rows(data, at, whole == NULL ? NULL : whole->prepared, params, &rows, error);
    }
    if (whole != NULL) {
        whole->n_users--;
    }
    if (status == MXB_OK) {
        size_t n = at->n_prepared;
        status = mxb__grow(&at->prepared, n, n + 1, sizeof *at->prepared, "prepared rows", error);
    }
    if (status != MXB_OK) {
        prepared_clear(&rows);
        return status;
    }
    at->prepared[at->n_prepared++] = rows;
    return MXB_OK;
}

/* With the lock held. A fold's rows are prepared by one thread at a time, those of other folds meanwhile by others. */
static mxb_status find_or_prepare(struct fold_data *data, struct fold *at, size_t stage, const mxb_params *params,
                                  const char *key, struct prepared_rows **found, mxb_error *error) {
    mxb_status status = MXB_OK;
    while ((*found = find_prepared(at, key, stage)) == NULL && at->is_preparing) {
        pthread_cond_wait(&data->change, &data->lock);
    }
    if (*found == NULL) {
        at->is_preparing = 1;
        status = prepare(data, at, stage, params, key, error);
        at->is_preparing = 0;
        pthread_cond_broadcast(&data->change);
        *found = find_prepared(at, key, stage);
    }
    return status;
}

mxb_status mxb__fold_data_acquire(struct fold_data *data, size_t fold, size_t stage, const mxb_params *params,
                                  const mxb_prepared **prepared, mxb_error *error) {
    char *key;
    struct prepared_rows *rows;
    struct fold *at = &data->folds[fold];
    *prepared = NULL;
    /* Where stages differ in rounds only, all have the same rows. */
    size_t rows_stage = at->parts[stage] == NULL ? data->n_stages - 1 : stage;
    MXB_TRY(make_key(params, &key, error));
    pthread_mutex_lock(&data->lock);
    mxb_status status = find_or_prepare(data, at, rows_stage, params, key, &rows, error);
    if (status == MXB_OK) {
        rows->n_users++;
        rows->used_at = ++data->n_uses;
        *prepared = rows->prepared;
    }
    pthread_mutex_unlock(&data->lock);
    mxb__free(key);
    return status;
}

void mxb__fold_data_release(struct fold_data *data, size_t fold, const mxb_prepared *prepared) {
    struct fold *at = &data->folds[fold];
    pthread_mutex_lock(&data->lock);
    for (size_t i = 0; i < at->n_prepared; i++) {
        at->prepared[i].n_users -= at->prepared[i].prepared == prepared;
    }
    pthread_mutex_unlock(&data->lock);
}
