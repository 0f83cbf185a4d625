/* The start of a search: the plan, folds and fractions, and what the journal has. Knows nothing of how trials are run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/processors.h"
#include "tune/tuner.h"

/* ---- The journal ---- */

static void put_line(struct byte_writer *out, const char *name, const char *value) {
    mxb__put_bytes(out, name, strlen(name));
    mxb__put_u8(out, ' ');
    mxb__put_bytes(out, value, strlen(value));
    mxb__put_u8(out, '\n');
}

static void put_number(struct byte_writer *out, const char *name, uint64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, number);
    put_line(out, name, text);
}

static mxb_status put_digest(struct byte_writer *out, const char *name, const mxb_dataset *dataset, mxb_error *error) {
    uint64_t digest = 0;
    if (dataset != NULL) {
        MXB_TRY(mxb_dataset_digest(dataset, &digest, error));
    }
    put_number(out, name, digest);
    return MXB_OK;
}

/* As they are in the first configuration, where the space's preset has changed those that were not given. */
static mxb_status put_options(struct byte_writer *out, const mxb_tuner *tuner, mxb_error *error) {
    mxb_params *params;
    MXB_TRY(mxb__tuner_draw(tuner, 0, &params, error));
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *name = mxb_option_name(i);
        if (mxb_option_is_kept(i)) {
            put_line(out, name, mxb_params_get(params, name));
        }
    }
    mxb_params_free(params);
    put_number(out, "loss and learners of one's own", mxb_params_own_digest(tuner->params));
    return MXB_OK;
}

/* All that results depend on, line by line; `out` is the caller's to free. */
static mxb_status describe(const mxb_tuner *tuner, struct byte_writer *out, mxb_error *error) {
    char value[SETTING_TEXT_SIZE];
    char *space;
    put_line(out, "mixboost", mxb_version());
    MXB_TRY(put_digest(out, "data of digest", tuner->train, error));
    MXB_TRY(put_digest(out, "validation data of digest", tuner->valid, error));
    put_number(out, "folds", tuner->folds_digest);
    for (enum setting setting = 0; setting < N_SETTINGS; setting++) {
        if (mxb__setting_is_kept(setting)) {
            put_line(out, mxb_setting_name(setting), mxb__setting_value(&tuner->settings, setting, value));
        }
    }
    MXB_TRY(mxb__space_format(tuner->space, &space, error));
    mxb__put_bytes(out, space, strlen(space));
    mxb__free(space);
    MXB_TRY(put_options(out, tuner, error));
    mxb__put_u8(out, 0);
    return out->status;
}

/* A number that is no error of ours, a caller's or nobody's, tells that the trial failed and not why. */
static mxb_trial_result known_result(const struct journal_record *record) {
    mxb_trial_result result = record->result;
    if ((int)result.status < MXB_OK || (int)result.status > MXB_ERROR_MEMORY) {
        result.status = MXB_ERROR_DATA;
    }
    return result;
}

/* Results of the stage being run until it is done, then those of the next, whatever order they came in. */
static mxb_status replay(mxb_tuner *tuner, const struct journal_contents *contents, mxb_error *error) {
    struct results *results = &tuner->results;
    size_t n_added = 0;
    for (size_t stage = 0; stage < results->n_stages && stage == results->stage; stage++) {
        for (size_t i = 0; i < contents->n_records; i++) {
            const struct journal_record *record = &contents->records[i];
            if (record->trial.stage == stage) {
                mxb_trial_result result = known_result(record);
                MXB_TRY(mxb__results_check(results, &record->trial, &result, error));
                mxb__results_add(results, &record->trial, &result);
                n_added++;
            }
        }
        MXB_TRY(mxb__results_advance(results, error));
    }
    return n_added == contents->n_records
               ? MXB_OK
               : mxb__fail(error, MXB_ERROR_FORMAT, "it has results of stages that were not reached");
}

static mxb_status open_journal(mxb_tuner *tuner, mxb_error *error) {
    struct byte_writer about = {.status = MXB_OK, .error = error};
    struct journal_contents contents = {0};
    mxb_error cause = {{0}};
    mxb_status status = describe(tuner, &about, error);
    if (status == MXB_OK) {
        status = mxb__journal_open(&tuner->journal, tuner->journal_path, tuner->resume, about.bytes, &contents, error);
    }
    mxb__free(about.bytes);
    MXB_TRY(status);
    size_t n = strlen(tuner->warning);
    snprintf(tuner->warning + n, sizeof tuner->warning - n, "%s%s", n > 0 && contents.warning[0] != '\0' ? "; " : "",
             contents.warning);
    status = replay(tuner, &contents, &cause);
    mxb__free(contents.records);
    if (status != MXB_OK && status != MXB_ERROR_MEMORY) {
        char quoted[256];
        return mxb__fail(error, status, "the journal \"%s\": %s",
                         mxb__quote(quoted, sizeof quoted, tuner->journal_path, SIZE_MAX), cause.message);
    }
    return status == MXB_OK ? MXB_OK : mxb__fail(error, status, "%s", cause.message);
}

/* ---- The rows ---- */

/* Rows that nothing can be trained or judged on are found now and not by every trial. Options that contradict each
 * other are left to these: another configuration's do not. */
static mxb_status check_fold(mxb_tuner *tuner, size_t fold, const mxb_params *params, mxb_error *error) {
    const mxb_dataset *valid = tuner->data.folds[fold].valid;
    int are_given = tuner->valid != NULL || tuner->folds_digest != 0; /* the rows that judge, by the caller */
    char which[32] = "";
    mxb_error cause = {{0}};
    if (tuner->data.n_folds > 1) {
        snprintf(which, sizeof which, ", fold %zu", fold + 1);
    }
    mxb_status status = mxb_training_check(mxb__fold_data_rows(&tuner->data, fold, 0), valid, params, &cause);
    if (status != MXB_OK) {
        return mxb__fail(error, status, "the rows of the first stage%s: %s", which, cause.message);
    }
    size_t n_rarer;
    status = mxb_judging_check(tuner->train, valid, params, &n_rarer, &cause);
    tuner->n_rarer = n_rarer == SIZE_MAX ? SIZE_MAX : tuner->n_rarer + n_rarer;
    if (status == MXB_ERROR_DATA && are_given) {
        if (tuner->warning[0] == '\0') {
            snprintf(tuner->warning, sizeof tuner->warning, "the rows that judge%s: %s", which, cause.message);
        }
        return MXB_OK;
    }
    return status == MXB_OK ? MXB_OK : mxb__fail(error, status, "the rows that judge%s: %s", which, cause.message);
}

static mxb_status make_folds(mxb_tuner *tuner, const mxb_params *params, mxb_error *error) {
    const char *asked = tuner->settings.texts[SETTING_STRATIFY];
    int is_logloss = strcmp(mxb_params_get(params, "objective"), "logloss") == 0;
    int stratify = strcmp(asked, "auto") == 0 ? is_logloss : strcmp(asked, "true") == 0;
    if (tuner->valid != NULL) {
        MXB_TRY(mxb__fold_data_add(&tuner->data, (mxb_dataset *)tuner->train, (mxb_dataset *)tuner->valid, 0, error));
    } else if (tuner->data.n_folds == 0) {
        MXB_TRY(mxb__fold_data_make(&tuner->data, tuner->train, &tuner->settings, stratify, error));
    }
    return mxb__fold_data_cut(&tuner->data, &tuner->plan, &tuner->settings, stratify, error);
}

/* What is wrong with the whole is said of it, and not of a part. */
static mxb_status make_rows(mxb_tuner *tuner, mxb_error *error) {
    mxb_params *params;
    MXB_TRY(mxb__tuner_draw(tuner, 0, &params, error));
    mxb_status status = mxb_training_check(tuner->train, tuner->valid, params, error);
    if (status == MXB_OK) {
        status = make_folds(tuner, params, error);
    }
    for (size_t fold = 0; status == MXB_OK && fold < tuner->data.n_folds; fold++) {
        status = check_fold(tuner, fold, params, error);
    }
    mxb_params_free(params);
    return status;
}

/* ---- All of it ---- */

static mxb_status make_plan(const mxb_tuner *tuner, struct plan *plan, mxb_error *error) {
    const struct settings *settings = &tuner->settings;
    size_t n_cores = mxb__setting_count(settings, SETTING_N_THREADS);
    MXB_TRY(mxb__plan_make(plan, mxb__setting_count(settings, SETTING_N_CONFIGS),
                           mxb__setting_count(settings, SETTING_ETA), settings->values[SETTING_MIN_RESOURCE],
                           n_cores == 0 ? mxb__n_processors() : n_cores, error));
    /* A caller's functions are called on the calling thread only. */
    for (size_t i = 0; mxb_params_own_digest(tuner->params) != 0 && i < plan->n_stages; i++) {
        plan->stages[i].n_threads *= plan->stages[i].n_workers;
        plan->stages[i].n_workers = 1;
    }
    return MXB_OK;
}

mxb_status mxb_tuner_check(const mxb_tuner *tuner, mxb_error *error) {
    struct plan plan;
    mxb_params *params;
    MXB_TRY(mxb__tuner_check_new(tuner, error));
    MXB_TRY(make_plan(tuner, &plan, error));
    MXB_TRY(mxb__tuner_draw_first(tuner, &params, error));
    mxb_params_free(params);
    return MXB_OK;
}

static mxb_status make_results(mxb_tuner *tuner, mxb_error *error) {
    size_t budget = mxb__setting_count(&tuner->settings, SETTING_MEMORY) << 20;
    int keeps = mxb__tuner_cuts_rounds(tuner);
    mxb_status status = mxb__kept_models_init(&tuner->kept, keeps ? tuner->plan.stages[0].n_configs : 0,
                                              tuner->data.n_folds, keeps ? budget : 0, error);
    MXB_TRY(status);
    status = mxb__results_init(&tuner->results, &tuner->plan, tuner->data.n_folds, error);
    if (status != MXB_OK) {
        mxb__results_clear(&tuner->results);
        mxb__kept_models_clear(&tuner->kept);
    }
    tuner->results.keeps_first = tuner->space->has_defaults;
    tuner->has_results = status == MXB_OK;
    return status;
}

static mxb_status start(mxb_tuner *tuner, mxb_error *error) {
    MXB_TRY(mxb_tuner_check(tuner, error));
    MXB_TRY(make_plan(tuner, &tuner->plan, error));
    MXB_TRY(make_rows(tuner, error));
    MXB_TRY(make_results(tuner, error));
    MXB_TRY(mxb__tuner_measure(tuner, error));
    return tuner->journal_path != NULL ? open_journal(tuner, error) : MXB_OK;
}

mxb_status mxb_tuner_start(mxb_tuner *tuner, mxb_error *error) {
    MXB_TRY(mxb__tuner_check_new(tuner, error));
    mxb_status status = start(tuner, error);
    tuner->state = status == MXB_OK ? TUNER_IS_STARTED : TUNER_HAS_FAILED;
    return status;
}
