/* What a search has found, for who asks, and the model of its best configuration. Knows nothing of how trials are run.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "tune/tuner.h"

size_t mxb_tuner_n_stages(const mxb_tuner *tuner) { return tuner->results.n_stages; }
size_t mxb_tuner_stage(const mxb_tuner *tuner) { return tuner->results.stage; }
size_t mxb_tuner_n_folds(const mxb_tuner *tuner) { return tuner->results.n_folds; }

/* A row of the plan; all 0 where there is no such stage. */
static struct stage_plan plan_of(const mxb_tuner *tuner, size_t stage) {
    struct stage_plan none = {0};
    return stage < tuner->results.n_stages ? tuner->plan.stages[stage] : none;
}

size_t mxb_tuner_stage_size(const mxb_tuner *tuner, size_t stage) { return plan_of(tuner, stage).n_configs; }
double mxb_tuner_stage_resource(const mxb_tuner *tuner, size_t stage) { return plan_of(tuner, stage).resource; }
size_t mxb_tuner_stage_workers(const mxb_tuner *tuner, size_t stage) { return plan_of(tuner, stage).n_workers; }
size_t mxb_tuner_stage_threads(const mxb_tuner *tuner, size_t stage) { return plan_of(tuner, stage).n_threads; }

size_t mxb_tuner_n_done(const mxb_tuner *tuner, size_t stage) {
    return stage < tuner->results.n_stages ? tuner->results.stages[stage].n_done : 0;
}

size_t mxb_tuner_stage_config(const mxb_tuner *tuner, size_t stage, size_t place) {
    if (stage >= tuner->results.n_stages || tuner->results.stages[stage].configs == NULL ||
        place >= tuner->results.stages[stage].n_configs) {
        return SIZE_MAX;
    }
    return tuner->results.stages[stage].configs[place];
}

double mxb_tuner_loss(const mxb_tuner *tuner, size_t stage, size_t config) {
    return mxb__results_loss(&tuner->results, stage, config);
}

int mxb_tuner_result(const mxb_tuner *tuner, const mxb_trial *trial, mxb_trial_result *result) {
    const struct trial_slot *slot = mxb__results_find(&tuner->results, trial);
    if (slot == NULL || slot->state != TRIAL_IS_DONE) {
        return 0;
    }
    *result = slot->result;
    return 1;
}

size_t mxb_tuner_best(const mxb_tuner *tuner) {
    size_t stage;
    return mxb__results_best(&tuner->results, &stage);
}

mxb_status mxb_tuner_ranking(const mxb_tuner *tuner, size_t *configs, mxb_error *error) {
    MXB_TRY(mxb__tuner_check_started(tuner, error));
    if (configs == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "configs is NULL");
    }
    return mxb__results_rank(&tuner->results, configs, error);
}

/* ---- The best configuration ---- */

/* The last stage in which a configuration is done on all folds, or n_stages. */
static size_t last_stage_of(const mxb_tuner *tuner, size_t config) {
    for (size_t stage = tuner->results.n_stages; stage > 0; stage--) {
        if (!isnan(mxb_tuner_loss(tuner, stage - 1, config))) {
            return stage - 1;
        }
    }
    return tuner->results.n_stages;
}

/* Whether the rounds that a configuration kept in a stage tell how many it needs: it had all that it may have, or could
 * have gone on and stopped. */
static int knows_rounds(const mxb_tuner *tuner, size_t stage, size_t config, const mxb_params *params) {
    double patience = 0.0;
    const char *text = mxb_params_get(params, "early_stopping_rounds");
    size_t most = mxb__tuner_rounds(tuner, params, stage);
    mxb__number_parse(text, strlen(text), &patience);
    for (size_t fold = 0; most < mxb_params_max_rounds(params) && fold < tuner->results.n_folds; fold++) {
        mxb_trial trial = {.stage = stage, .config = config, .fold = fold};
        size_t n_rounds = mxb__results_find(&tuner->results, &trial)->result.n_rounds;
        if (patience == 0.0 || (double)n_rounds + patience > (double)most) {
            return 0;
        }
    }
    return 1;
}

/* For all rows: the mean of the rounds that the configuration's trials kept, times the root of how many times as many
 * rows there are (docs/tuning.md), 1 to `most`. */
static size_t rounds_for_all(const mxb_tuner *tuner, size_t stage, size_t config, size_t most) {
    double n_folds = (double)tuner->results.n_folds;
    double rounds = 0.0;
    double rows = 0.0;
    for (size_t fold = 0; fold < tuner->results.n_folds; fold++) {
        mxb_trial trial = {.stage = stage, .config = config, .fold = fold};
        rounds += (double)mxb__results_find(&tuner->results, &trial)->result.n_rounds;
        rows += (double)mxb_dataset_n_rows(mxb__fold_data_rows(&tuner->data, fold, stage));
    }
    double growth = sqrt((double)mxb_dataset_n_rows(tuner->train) * n_folds / rows);
    return (size_t)fmin(fmax(floor(rounds / n_folds * growth + 0.5), 1.0), (double)most);
}

/* Of so few rows of a class that judge, the best rounds are mostly chance; a training without them has other means
 * (docs/rounds.md). */
enum { FEW_OF_CLASS = 100 };

/* Sets `num_round` where the trials have found it. */
static mxb_status set_rounds(const mxb_tuner *tuner, size_t config, mxb_params *params, mxb_error *error) {
    char text[32];
    size_t stage = last_stage_of(tuner, config);
    int keeps_best = strcmp(mxb_params_get(params, "early_stopping_rounds"), "0") != 0;
    int is_auto = strcmp(mxb_params_get(params, "num_round"), "auto") == 0;
    int is_chance = is_auto && tuner->n_rarer < FEW_OF_CLASS;
    if ((!keeps_best && !is_auto) || is_chance || stage == tuner->results.n_stages ||
        !isfinite(mxb_tuner_loss(tuner, stage, config)) || !knows_rounds(tuner, stage, config, params)) {
        return MXB_OK;
    }
    snprintf(text, sizeof text, "%zu", rounds_for_all(tuner, stage, config, mxb_params_max_rounds(params)));
    return mxb_params_set(params, "num_round", text, error);
}

mxb_status mxb_tuner_params(const mxb_tuner *tuner, size_t config, mxb_params **params, mxb_error *error) {
    if (params == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "params is NULL");
    }
    *params = NULL;
    MXB_TRY(mxb__tuner_check_started(tuner, error));
    if (config >= tuner->results.n_all) {
        return mxb__fail(error, MXB_ERROR_PARAM, "there is no configuration %zu; there are %zu", config,
                         tuner->results.n_all);
    }
    MXB_TRY(mxb__tuner_draw(tuner, config, params, error));
    mxb_status status = set_rounds(tuner, config, *params, error);
    if (status != MXB_OK) {
        mxb_params_free(*params);
        *params = NULL;
    }
    return status;
}

mxb_status mxb_tuner_refit(const mxb_tuner *tuner, mxb_progress_fn progress, void *context, mxb_model **model,
                           mxb_error *error) {
    mxb_params *params;
    if (model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "model is NULL");
    }
    *model = NULL;
    MXB_TRY(mxb__tuner_check_started(tuner, error));
    size_t best = mxb_tuner_best(tuner);
    if (best == SIZE_MAX) {
        return mxb__fail(error, MXB_ERROR_PARAM, "no configuration has been tried on all folds yet");
    }
    if (tuner->valid != NULL) {
        MXB_TRY(mxb__tuner_draw(tuner, best, &params, error));
    } else {
        MXB_TRY(mxb_tuner_params(tuner, best, &params, error));
    }
    mxb_status status = mxb_params_set(params, "n_threads", tuner->settings.texts[SETTING_N_THREADS], error);
    if (status == MXB_OK) {
        status = mxb_train(tuner->train, tuner->valid, params, progress, context, model, error);
    }
    mxb_params_free(params);
    return status;
}

mxb_status mxb_tune(mxb_tuner *tuner, mxb_tune_progress_fn progress, void *context, mxb_model **model,
                    mxb_error *error) {
    if (model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "model is NULL");
    }
    *model = NULL;
    mxb_status status = mxb_tuner_run(tuner, progress, context, error);
    if (status != MXB_OK && (status != MXB_STOPPED || mxb_tuner_best(tuner) == SIZE_MAX)) {
        return status;
    }
    return mxb_tuner_refit(tuner, NULL, NULL, model, error);
}
