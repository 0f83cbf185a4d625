/* A search whose losses are all known before, and plain halving of it. */
#ifndef KNOWN_LOSSES_H
#define KNOWN_LOSSES_H

#include <stdlib.h>

#include "check.h"
#include "mixboost/tune.h"
#include "tune/plan.h"
#include "unit/boost/make_data.h"

enum { MOST_CONFIGS = 300, MOST_STAGES = 8, MOST_FOLDS = 5 };

struct world {
    struct plan plan;
    size_t n_folds;
    int keeps_first;
    mxb_trial_result results[MOST_STAGES][MOST_CONFIGS][MOST_FOLDS];
};

static struct world world;

static inline void make_plan(size_t n_configs, size_t eta, double min_resource, size_t n_folds) {
    mxb_error error;
    if (mxb__plan_make(&world.plan, n_configs, eta, min_resource, 2, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        abort();
    }
    world.n_folds = n_folds;
}

/* Losses of few values, so that many are the same; a part of the trials fails. */
static inline void make_losses(struct dice *dice, size_t n_values, double failing) {
    for (size_t s = 0; s < world.plan.n_stages; s++) {
        for (size_t c = 0; c < world.plan.stages[0].n_configs; c++) {
            for (size_t f = 0; f < world.n_folds; f++) {
                mxb_trial_result *result = &world.results[s][c][f];
                int fails = dice_uniform(dice) < failing;
                *result = (mxb_trial_result){.status = fails ? MXB_ERROR_DATA : MXB_OK, .n_rounds = c + f};
                result->loss = (double)dice_below(dice, n_values) / 7.0 - 1.0;
                snprintf(result->message, sizeof result->message, "stage %zu, %zu, %zu", s, c, f);
            }
        }
    }
}

/* The mean over the folds, infinite where one failed. */
static inline double mean_loss(size_t stage, size_t config) {
    double sum = 0;
    for (size_t f = 0; f < world.n_folds; f++) {
        if (world.results[stage][config][f].status != MXB_OK) {
            return HUGE_VAL;
        }
        sum += world.results[stage][config][f].loss;
    }
    return sum / (double)world.n_folds;
}

/* Plain halving: of the configurations of a stage, those with the least losses, of equal ones the first; where the
 * first of all is to be kept, it takes the place of the last of several. */
static inline size_t halve(size_t stage, const size_t *configs, size_t n, size_t n_kept, size_t *kept) {
    int is_kept[MOST_CONFIGS] = {0};
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < n_kept; k++) {
        best = SIZE_MAX;
        for (size_t i = 0; i < n; i++) {
            if (!is_kept[configs[i]] && (best == SIZE_MAX || mean_loss(stage, configs[i]) < mean_loss(stage, best))) {
                best = configs[i];
            }
        }
        is_kept[best] = 1;
    }
    if (world.keeps_first && n_kept > 1 && configs[0] == 0 && !is_kept[0] && isfinite(mean_loss(stage, 0))) {
        is_kept[best] = 0;
        is_kept[0] = 1;
    }
    n_kept = 0;
    for (size_t config = 0; config < MOST_CONFIGS; config++) {
        if (is_kept[config]) {
            kept[n_kept++] = config;
        }
    }
    return n_kept;
}

#endif
