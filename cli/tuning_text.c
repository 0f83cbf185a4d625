/* Asks a tuner and puts the answers into words. */
#include "tuning_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "text.h"

int tuning_is_drawn(const mxb_space *space, size_t index) {
    return strcmp(mxb_space_scale(space, index), "fixed") != 0;
}

char *tuning_settings(char out[TUNING_SETTINGS_SIZE], const mxb_space *space, const mxb_params *params) {
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < mxb_space_n_options(space); i++) {
        const char *option = mxb_space_option(space, i);
        if (!tuning_is_drawn(space, i)) {
            continue;
        }
        int n = snprintf(out + used, TUNING_SETTINGS_SIZE - used, "%s%s=%s", used == 0 ? "" : " ", option,
                         mxb_params_get(params, option));
        if (n < 0 || (size_t)n >= TUNING_SETTINGS_SIZE - used) {
            out[used] = '\0';
            break;
        }
        used += (size_t)n;
    }
    return out;
}

static int is_of_rounds(const mxb_tuner *tuner) { return strcmp(mxb_tuner_get(tuner, "resource"), "rounds") == 0; }

char *tuning_resource(char out[TUNING_TEXT_SIZE], const mxb_tuner *tuner, size_t stage) {
    const char *what = is_of_rounds(tuner) ? "rounds" : "rows";
    const char *by = is_of_rounds(tuner) ? "with" : "on";
    double resource = mxb_tuner_stage_resource(tuner, stage);
    if (resource >= 1) {
        snprintf(out, TUNING_TEXT_SIZE, "%s all %s", by, what);
    } else {
        snprintf(out, TUNING_TEXT_SIZE, "%s 1/%.0f of the %s", by, 1 / resource, what);
    }
    return out;
}

/* What a trial of a stage takes, in trials with everything. With more rounds it goes on from the stage before. */
static double cost(const mxb_tuner *tuner, size_t stage) {
    double done_before = is_of_rounds(tuner) && stage > 0 ? mxb_tuner_stage_resource(tuner, stage - 1) : 0;
    return mxb_tuner_stage_resource(tuner, stage) - done_before;
}

static size_t stage_trials(const mxb_tuner *tuner, size_t stage) {
    return mxb_tuner_stage_size(tuner, stage) * mxb_tuner_n_folds(tuner);
}

double tuning_share(const mxb_tuner *tuner) {
    double all = 0;
    double done = 0;
    for (size_t stage = 0; stage < mxb_tuner_n_stages(tuner); stage++) {
        all += cost(tuner, stage) * (double)stage_trials(tuner, stage);
        done += cost(tuner, stage) * (double)mxb_tuner_n_done(tuner, stage);
    }
    return done < all ? done / all : 1;
}

size_t tuning_n_trials(const mxb_tuner *tuner) {
    size_t n = 0;
    for (size_t stage = 0; stage < mxb_tuner_n_stages(tuner); stage++) {
        n += stage_trials(tuner, stage);
    }
    return n;
}

size_t tuning_n_done(const mxb_tuner *tuner) {
    size_t n = 0;
    for (size_t stage = 0; stage < mxb_tuner_n_stages(tuner); stage++) {
        n += mxb_tuner_n_done(tuner, stage);
    }
    return n;
}

size_t tuning_last_stage(const mxb_tuner *tuner, size_t config) {
    for (size_t stage = mxb_tuner_n_stages(tuner); stage > 0; stage--) {
        if (!isnan(mxb_tuner_loss(tuner, stage - 1, config))) {
            return stage - 1;
        }
    }
    return SIZE_MAX;
}

void tuning_report_plan(const mxb_tuner *tuner) {
    char stages[1024] = "";
    char resource[TUNING_TEXT_SIZE];
    char folds[TUNING_TEXT_SIZE] = "";
    char memory[TEXT_NUMBER_SIZE];
    size_t used = 0;
    for (size_t stage = 0; stage < mxb_tuner_n_stages(tuner) && used < sizeof stages; stage++) {
        size_t n_configs = mxb_tuner_stage_size(tuner, stage);
        const char *unit = n_configs == 1 ? " configuration" : " configurations";
        int n = snprintf(stages + used, sizeof stages - used, "%s%zu%s %s", stage == 0 ? "" : ", ", n_configs,
                         stage == 0 ? unit : "", tuning_resource(resource, tuner, stage));
        used += (size_t)n;
    }
    if (mxb_tuner_n_folds(tuner) > 1) {
        snprintf(folds, sizeof folds, "; %zu folds each", mxb_tuner_n_folds(tuner));
    }
    report("stages: %s%s; at most %s of memory", stages, folds, text_size(memory, (double)mxb_tuner_memory(tuner)));
}

void tuning_report_failures(const mxb_tuner *tuner, const char *where) {
    mxb_trial_result result;
    char first[sizeof result.message] = "";
    size_t n_failed = 0;
    mxb_trial trial;
    for (trial.stage = 0; trial.stage < mxb_tuner_n_stages(tuner); trial.stage++) {
        for (size_t place = 0; place < mxb_tuner_stage_size(tuner, trial.stage); place++) {
            trial.config = mxb_tuner_stage_config(tuner, trial.stage, place);
            for (trial.fold = 0; trial.config != SIZE_MAX && trial.fold < mxb_tuner_n_folds(tuner); trial.fold++) {
                if (mxb_tuner_result(tuner, &trial, &result) && result.status != MXB_OK && n_failed++ == 0) {
                    memcpy(first, result.message, sizeof first);
                }
            }
        }
    }
    if (n_failed > 0) {
        report("%s%zu trial%s failed; the first: %s", where, n_failed, n_failed == 1 ? "" : "s", first);
    }
}
