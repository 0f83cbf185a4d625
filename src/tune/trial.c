/* A training and its loss, through the public calls. Knows nothing of stages. */
#include "tune/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* The round that a model of the training would keep: the first best one where it may stop early, else the last. */
static size_t find_kept_round(const mxb_trainer *trainer, const mxb_params *params) {
    size_t n = mxb_trainer_n_rounds(trainer);
    if (strcmp(mxb_params_get(params, "early_stopping_rounds"), "0") == 0) {
        return n;
    }
    size_t best = 0;
    for (size_t round = 1; round <= n; round++) {
        if (mxb_trainer_curve(trainer, round, 1) < mxb_trainer_curve(trainer, best, 1)) {
            best = round;
        }
    }
    return best;
}

static mxb_status train(const struct trial_input *input, mxb_trial_result *result, mxb_model **model,
                        mxb_error *error) {
    mxb_trainer *trainer;
    if (input->from == NULL) {
        MXB_TRY(mxb_trainer_create(input->prepared, input->valid, input->params, &trainer, error));
    } else {
        MXB_TRY(mxb_trainer_create_from(input->prepared, input->valid, input->params, input->from, &trainer, error));
    }
    mxb_status status = mxb_trainer_run(trainer, input->until_round, input->progress, input->context, error);
    if (status == MXB_OK) {
        result->n_rounds = find_kept_round(trainer, input->params);
        result->loss = mxb_trainer_curve(trainer, result->n_rounds, 1);
        if (!isfinite(result->loss)) {
            status = mxb__fail(error, MXB_ERROR_DATA, "the loss is not a finite number");
        }
    }
    if (status == MXB_OK && model != NULL) {
        status = mxb_trainer_model(trainer, model, error);
    }
    mxb_trainer_free(trainer);
    return status;
}

void mxb__trial_fail(mxb_trial_result *result, mxb_status status, const mxb_error *said) {
    result->status = status;
    result->loss = HUGE_VAL;
    result->n_rounds = 0;
    snprintf(result->message, sizeof result->message, "%.*s", (int)sizeof result->message - 1, said->message);
}

mxb_status mxb__trial_run(const struct trial_input *input, mxb_trial_result *result, mxb_model **model,
                          mxb_error *error) {
    mxb_error said = {{0}};
    double began = mxb__seconds_now();
    *result = (mxb_trial_result){.status = MXB_OK};
    if (model != NULL) {
        *model = NULL;
    }
    mxb_status status = train(input, result, model, &said);
    if (status == MXB_STOPPED) {
        return mxb__fail(error, MXB_STOPPED, "the trial was stopped");
    }
    if (status != MXB_OK) {
        mxb__trial_fail(result, status, &said);
    }
    result->seconds = mxb__seconds_now() - began;
    return MXB_OK;
}
