/* Results of trials and the ranking they give. Knows nothing of how a trial is run or kept. */
#include "tune/results.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Stages ---- */

static mxb_status stage_open(struct stage_results *stage, size_t n_folds, mxb_error *error) {
    size_t *configs;
    MXB_TRY(mxb__alloc(&configs, stage->n_configs, 2 * sizeof *configs, "results of trials", error));
    mxb_status status =
        mxb__alloc_zeroed(&stage->slots, stage->n_configs * n_folds, sizeof *stage->slots, "results of trials", error);
    if (status != MXB_OK) {
        mxb__free(configs);
        return status;
    }
    stage->configs = configs;
    stage->order = configs + stage->n_configs;
    return MXB_OK;
}

mxb_status mxb__results_init(struct results *results, const struct plan *plan, size_t n_folds, mxb_error *error) {
    *results = (struct results){.n_folds = n_folds, .n_all = plan->stages[0].n_configs};
    MXB_TRY(mxb__alloc_zeroed(&results->stages, plan->n_stages, sizeof *results->stages, "results of trials", error));
    results->n_stages = plan->n_stages;
    for (size_t i = 0; i < plan->n_stages; i++) {
        results->stages[i].n_configs = plan->stages[i].n_configs;
    }
    MXB_TRY(stage_open(&results->stages[0], n_folds, error));
    for (size_t i = 0; i < results->n_all; i++) {
        results->stages[0].configs[i] = i;
        results->stages[0].order[i] = i;
    }
    return MXB_OK;
}

void mxb__results_clear(struct results *results) {
    for (size_t i = 0; i < results->n_stages; i++) {
        mxb__free(results->stages[i].configs);
        mxb__free(results->stages[i].slots);
    }
    mxb__free(results->stages);
    *results = (struct results){0};
}

/* The place of a configuration in a stage that is reached, or n_configs. */
static size_t find_place(const struct stage_results *stage, size_t config) {
    size_t low = 0;
    size_t high = stage->n_configs;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (stage->configs[middle] < config) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < stage->n_configs && stage->configs[low] == config ? low : stage->n_configs;
}

struct trial_slot *mxb__results_find(const struct results *results, const mxb_trial *trial) {
    if (trial->stage >= results->n_stages || trial->fold >= results->n_folds ||
        results->stages[trial->stage].slots == NULL) {
        return NULL;
    }
    const struct stage_results *stage = &results->stages[trial->stage];
    size_t place = find_place(stage, trial->config);
    return place < stage->n_configs ? &stage->slots[place * results->n_folds + trial->fold] : NULL;
}

/* ---- Trials ---- */

int mxb__results_take(struct results *results, mxb_trial *trial) {
    if (results->stage == results->n_stages) {
        return 0;
    }
    struct stage_results *stage = &results->stages[results->stage];
    for (; stage->next < stage->n_configs * results->n_folds; stage->next++) {
        *trial = (mxb_trial){.stage = results->stage,
                             .config = stage->order[stage->next / results->n_folds],
                             .fold = stage->next % results->n_folds};
        struct trial_slot *slot = mxb__results_find(results, trial);
        if (slot->state == TRIAL_WAITS) {
            slot->state = TRIAL_IS_OUT;
            stage->next++;
            return 1;
        }
    }
    return 0;
}

void mxb__results_put_back(struct results *results, const mxb_trial *trial) {
    struct trial_slot *slot = mxb__results_find(results, trial);
    if (slot != NULL && slot->state == TRIAL_IS_OUT) {
        slot->state = TRIAL_WAITS;
        results->stages[trial->stage].next = 0;
    }
}

void mxb__results_put_all_back(struct results *results) {
    if (results->stage == results->n_stages) {
        return;
    }
    struct stage_results *stage = &results->stages[results->stage];
    for (size_t i = 0; i < stage->n_configs * results->n_folds; i++) {
        stage->slots[i].state = stage->slots[i].state == TRIAL_IS_OUT ? TRIAL_WAITS : stage->slots[i].state;
    }
    stage->next = 0;
}

mxb_status mxb__results_check(const struct results *results, const mxb_trial *trial, const mxb_trial_result *result,
                              mxb_error *error) {
    const struct trial_slot *slot = mxb__results_find(results, trial);
    if (slot == NULL || trial->stage > results->stage) {
        return mxb__fail(error, MXB_ERROR_PARAM, "stage %zu has no trial of configuration %zu on fold %zu",
                         trial->stage, trial->config, trial->fold);
    }
    if (slot->state == TRIAL_IS_DONE) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the trial of configuration %zu on fold %zu in stage %zu is done",
                         trial->config, trial->fold, trial->stage);
    }
    if (result->status == MXB_OK && !isfinite(result->loss)) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the loss of a trial that did not fail must be a finite number");
    }
    return MXB_OK;
}

/* Journals and scorers say what they like: blanks for what could steer a terminal, which is ASCII's control characters
 * and U+0080 to U+009F. */
static void make_printable(char *text, size_t size) {
    for (size_t i = 0; i < size && text[i] != '\0'; i++) {
        unsigned char byte = (unsigned char)text[i];
        unsigned char next = i + 1 < size ? (unsigned char)text[i + 1] : 0;
        if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
            text[i++] = ' ';
            text[i] = ' ';
        } else if (byte < 0x20 || byte == 0x7f) {
            text[i] = ' ';
        }
    }
}

void mxb__results_add(struct results *results, const mxb_trial *trial, const mxb_trial_result *result) {
    struct trial_slot *slot = mxb__results_find(results, trial);
    slot->state = TRIAL_IS_DONE;
    slot->result = *result;
    make_printable(slot->result.message, sizeof slot->result.message);
    results->stages[trial->stage].n_done++;
}

/* ---- Ranking ---- */

static double loss_of_place(const struct results *results, const struct stage_results *stage, size_t place) {
    double n = (double)results->n_folds;
    double sum = 0.0;
    double mean = 0.0; /* where the sum is beyond what a double holds */
    int has_failed = 0;
    for (size_t fold = 0; fold < results->n_folds; fold++) {
        const struct trial_slot *slot = &stage->slots[place * results->n_folds + fold];
        if (slot->state != TRIAL_IS_DONE) {
            return (double)NAN;
        }
        has_failed |= slot->result.status != MXB_OK;
        sum += slot->result.loss;
        mean += slot->result.loss / n;
    }
    if (has_failed) {
        return HUGE_VAL;
    }
    return isfinite(sum) ? sum / n : fmax(fmin(mean, DBL_MAX), -DBL_MAX);
}

double mxb__results_loss(const struct results *results, size_t stage, size_t config) {
    if (stage >= results->n_stages || results->stages[stage].slots == NULL) {
        return (double)NAN;
    }
    size_t place = find_place(&results->stages[stage], config);
    return place < results->stages[stage].n_configs ? loss_of_place(results, &results->stages[stage], place)
                                                    : (double)NAN;
}

/* Where a configuration stands. */
struct standing {
    size_t config;
    size_t n_stages; /* done, one after the other, on all folds */
    double loss;     /* in the last of these */
};

static int compare_standings(const void *a, const void *b) {
    const struct standing *left = a;
    const struct standing *right = b;
    if (left->n_stages != right->n_stages) {
        return left->n_stages > right->n_stages ? -1 : 1;
    }
    if (left->loss != right->loss) {
        return left->loss < right->loss ? -1 : 1;
    }
    return left->config < right->config ? -1 : left->config > right->config;
}

static void find_standings(const struct results *results, struct standing *standings) {
    for (size_t config = 0; config < results->n_all; config++) {
        standings[config] = (struct standing){.config = config};
    }
    for (size_t i = 0; i < results->n_stages && results->stages[i].slots != NULL; i++) {
        const struct stage_results *stage = &results->stages[i];
        for (size_t place = 0; place < stage->n_configs; place++) {
            double loss = loss_of_place(results, stage, place);
            if (!isnan(loss)) {
                standings[stage->configs[place]] =
                    (struct standing){.config = stage->configs[place], .n_stages = i + 1, .loss = loss};
            }
        }
    }
}

static mxb_status rank(const struct results *results, struct standing **standings, mxb_error *error) {
    MXB_TRY(mxb__alloc(standings, results->n_all, sizeof **standings, "a ranking", error));
    find_standings(results, *standings);
    qsort(*standings, results->n_all, sizeof **standings, compare_standings);
    return MXB_OK;
}

mxb_status mxb__results_rank(const struct results *results, size_t *configs, mxb_error *error) {
    struct standing *standings;
    MXB_TRY(rank(results, &standings, error));
    for (size_t i = 0; i < results->n_all; i++) {
        configs[i] = standings[i].config;
    }
    mxb__free(standings);
    return MXB_OK;
}

size_t mxb__results_best(const struct results *results, size_t *stage) {
    for (size_t i = results->n_stages; i > 0; i--) {
        const struct stage_results *at = &results->stages[i - 1];
        double least = HUGE_VAL;
        size_t best = SIZE_MAX;
        for (size_t place = 0; at->slots != NULL && place < at->n_configs; place++) {
            double loss = loss_of_place(results, at, place);
            /* Who is done in the stage after this one failed there. */
            if (loss < least && isnan(mxb__results_loss(results, i, at->configs[place]))) {
                least = loss;
                best = at->configs[place];
            }
        }
        if (best != SIZE_MAX) {
            *stage = i - 1;
            return best;
        }
    }
    return SIZE_MAX;
}

/* ---- Going on ---- */

static mxb_status fail_all(const struct results *results, const struct stage_results *stage, mxb_error *error) {
    for (size_t i = 0; i < stage->n_configs * results->n_folds; i++) {
        const mxb_trial_result *result = &stage->slots[i].result;
        if (result->status != MXB_OK) {
            return mxb__fail(error, result->status, "all configurations failed; the first: %.*s",
                             (int)sizeof result->message, result->message);
        }
    }
    return MXB_OK;
}

static int compare_numbers(const void *a, const void *b) {
    size_t left = *(const size_t *)a;
    size_t right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

/* The best of the stage before, the first configuration in place of the last of them where that is wanted. */
static void choose_configs(const struct results *results, const struct standing *standings,
                           struct stage_results *stage) {
    int has_first = stage->n_configs < 2 || !isfinite(mxb__results_loss(results, results->stage, 0));
    for (size_t i = 0; i < stage->n_configs; i++) {
        stage->order[i] = standings[i].config;
        has_first |= standings[i].config == 0;
    }
    if (results->keeps_first && !has_first) {
        stage->order[stage->n_configs - 1] = 0;
    }
    memcpy(stage->configs, stage->order, stage->n_configs * sizeof *stage->configs);
    qsort(stage->configs, stage->n_configs, sizeof *stage->configs, compare_numbers);
}

static mxb_status fill_stage(struct results *results, struct stage_results *stage, mxb_error *error) {
    struct standing *standings;
    MXB_TRY(rank(results, &standings, error));
    mxb_status status = stage_open(stage, results->n_folds, error);
    if (status == MXB_OK) {
        choose_configs(results, standings, stage);
    }
    mxb__free(standings);
    return status;
}

mxb_status mxb__results_advance(struct results *results, mxb_error *error) {
    while (results->stage < results->n_stages) {
        struct stage_results *stage = &results->stages[results->stage];
        size_t best_stage;
        if (stage->n_done < stage->n_configs * results->n_folds) {
            return MXB_OK;
        }
        if (mxb__results_best(results, &best_stage) == SIZE_MAX || best_stage < results->stage) {
            return fail_all(results, stage, error);
        }
        if (results->stage + 1 < results->n_stages) {
            MXB_TRY(fill_stage(results, stage + 1, error));
        }
        results->stage++;
    }
    return MXB_OK;
}
