/* How much memory a search takes at the most: that of the largest configuration of the space, for as many workers as
 * train at once, and of all that is prepared for them. Knows nothing of what single options do. */
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/processors.h"
#include "tune/tuner.h"

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* ---- The largest configurations ---- */

enum part { OF_ROWS, OF_TRAINING, N_PARTS };

enum { VALUE_SIZE = 1024 }; /* of the longest text, a list of numbers */

/* Where in a range of numbers the largest may be: at an end, or next to it, where what is drawn with probability 0 or 1
 * has both. */
static const double PLACES[] = {0.0, 0.001, 0.999, 1.0};
enum { N_PLACES = sizeof PLACES / sizeof PLACES[0] };

static size_t n_candidates(const struct range *range) { return range->n_values > 0 ? range->n_values : N_PLACES; }

static const char *candidate(const struct range *range, size_t i, char number[MXB__NUMBER_SIZE]) {
    if (range->n_values > 0) {
        return range->values[i];
    }
    double value = range->lowest + PLACES[i] * (range->highest - range->lowest);
    mxb__number_format(range->is_whole ? floor(value) : value, number);
    return number;
}

/* What a part takes on all rows of a fold; 0 where options contradict each other. */
static mxb_status measure(const mxb_tuner *tuner, const mxb_params *params, enum part part, size_t *n_bytes,
                          mxb_error *error) {
    const struct fold *fold = &tuner->data.folds[0];
    size_t n_rounds = mxb_params_max_rounds(params);
    mxb_training_memory memory;
    mxb_status status = mxb_params_memory(params, fold->train, fold->valid, n_rounds, &memory, error);
    *n_bytes = part == OF_ROWS ? memory.preparing : memory.training + memory.model;
    return status == MXB_ERROR_PARAM ? MXB_OK : status;
}

/* Gives the option the value that takes most. */
static mxb_status enlarge_option(const mxb_tuner *tuner, const struct range *range, enum part part, mxb_params *params,
                                 mxb_error *error) {
    char number[MXB__NUMBER_SIZE];
    size_t best = n_candidates(range);
    size_t most = 0;
    size_t n_bytes;
    char before[VALUE_SIZE];
    snprintf(before, sizeof before, "%s", mxb_params_get(params, range->option));
    mxb_status status = measure(tuner, params, part, &most, error);
    for (size_t i = 0; status == MXB_OK && i < n_candidates(range); i++) {
        status = mxb_params_set(params, range->option, candidate(range, i, number), error);
        if (status == MXB_OK) {
            status = measure(tuner, params, part, &n_bytes, error);
        }
        if (status == MXB_OK && n_bytes >= most) {
            most = n_bytes;
            best = i;
        }
    }
    if (status == MXB_OK) {
        int is_better = best < n_candidates(range);
        status = mxb_params_set(params, range->option, is_better ? candidate(range, best, number) : before, error);
    }
    return status;
}

/* Option by option, and once more: what one of them takes may depend on another. */
static mxb_status enlarge(const mxb_tuner *tuner, enum part part, mxb_params *params, mxb_error *error) {
    for (size_t i = 0; i < 2 * tuner->space->n_ranges; i++) {
        const struct range *range = &tuner->space->ranges[i % tuner->space->n_ranges];
        if (range->scale != SCALE_FIXED) {
            MXB_TRY(enlarge_option(tuner, range, part, params, error));
        }
    }
    return MXB_OK;
}

/* A configuration for each part. */
static mxb_status make_largest(const mxb_tuner *tuner, mxb_params *largest[N_PARTS], mxb_error *error) {
    MXB_TRY(mxb__tuner_draw_first(tuner, &largest[OF_ROWS], error));
    MXB_TRY(mxb__tuner_set_threads(largest[OF_ROWS], 1, error));
    MXB_TRY(mxb_params_copy(largest[OF_ROWS], &largest[OF_TRAINING], error));
    MXB_TRY(enlarge(tuner, OF_ROWS, largest[OF_ROWS], error));
    return enlarge(tuner, OF_TRAINING, largest[OF_TRAINING], error);
}

/* ---- All of them ---- */

/* In how many ways rows may be prepared. */
static double n_ways(const mxb_tuner *tuner) {
    double n = 1.0;
    for (size_t i = 0; i < MXB__N_PREPARING_OPTIONS; i++) {
        const struct range *range = mxb__space_find(tuner->space, mxb__preparing_options[i]);
        if (range != NULL) {
            n *= range->n_values > 0 ? (double)range->n_values : range->highest - range->lowest + 1.0;
        }
    }
    return fmin(n, (double)tuner->plan.stages[0].n_configs);
}

/* What stays of a fold: all rows and the fractions, in as many ways as there are, or as are kept or used at once. */
static mxb_status add_fold(const mxb_tuner *tuner, const mxb_params *params, size_t fold, size_t *sum,
                           mxb_error *error) {
    const struct fold *at = &tuner->data.folds[fold];
    mxb_training_memory memory;
    size_t last = tuner->plan.n_stages - 1;
    size_t n_rows = mxb_dataset_n_rows(at->train) + mxb_dataset_n_rows(at->valid);
    MXB_TRY(mxb_params_memory(params, at->train, at->valid, 1, &memory, error));
    size_t of_all = memory.prepared;
    size_t of_one_way = memory.prepared;
    for (size_t stage = 0; stage < last && at->parts[stage] != NULL; stage++) {
        MXB_TRY(mxb_params_memory(params, at->parts[stage], at->valid, 1, &memory, error));
        of_one_way += memory.prepared;
        n_rows += mxb_dataset_n_rows(at->parts[stage]);
    }
    double n_used = (double)tuner->plan.stages[0].n_workers + 2.0; /* one more and all rows for it */
    double most = fmax(MXB__MAX_PREPARED, n_used) * (double)of_all;
    *sum += (size_t)fmin(n_ways(tuner) * (double)of_one_way, most) + n_rows * sizeof(uint32_t);
    return MXB_OK;
}

/* The largest parts of a training, on threads that are so many. */
static mxb_status measure_training(mxb_params *const largest[N_PARTS], const mxb_dataset *train,
                                   const mxb_dataset *valid, size_t n_threads, size_t n_rounds,
                                   mxb_training_memory *memory, mxb_error *error) {
    mxb_training_memory of_rows;
    MXB_TRY(mxb__tuner_set_threads(largest[OF_ROWS], (int)n_threads, error));
    MXB_TRY(mxb__tuner_set_threads(largest[OF_TRAINING], (int)n_threads, error));
    MXB_TRY(mxb_params_memory(largest[OF_ROWS], train, valid, 1, &of_rows, error));
    MXB_TRY(mxb_params_memory(largest[OF_TRAINING], train, valid, n_rounds, memory, error));
    memory->prepared = of_rows.prepared;
    memory->preparing = of_rows.preparing;
    return MXB_OK;
}

/* The workers of the stage that takes most, all of them on the fold that does. */
static mxb_status find_most_of_workers(const mxb_tuner *tuner, mxb_params *const largest[N_PARTS], size_t *most,
                                       mxb_error *error) {
    mxb_training_memory memory;
    for (size_t i = 0; i < tuner->plan.n_stages * tuner->data.n_folds; i++) {
        size_t stage = i / tuner->data.n_folds;
        size_t fold = i % tuner->data.n_folds;
        const struct stage_plan *plan = &tuner->plan.stages[stage];
        MXB_TRY(measure_training(largest, mxb__fold_data_rows(&tuner->data, fold, stage), tuner->data.folds[fold].valid,
                                 plan->n_threads, mxb__tuner_rounds(tuner, largest[OF_TRAINING], stage), &memory,
                                 error));
        /* With rounds there is a model to go on from, and one that is kept. */
        size_t n_bytes = memory.training + (mxb__tuner_cuts_rounds(tuner) ? 2 * memory.model : 0);
        *most = larger(*most, plan->n_workers * larger(n_bytes, memory.preparing));
    }
    return MXB_OK;
}

static mxb_status add_up(mxb_tuner *tuner, mxb_params *const largest[N_PARTS], mxb_error *error) {
    mxb_training_memory winner;
    size_t n_threads = mxb__setting_count(&tuner->settings, SETTING_N_THREADS);
    size_t most = 0;
    size_t sum = sizeof *tuner;
    for (size_t stage = 0; stage < tuner->plan.n_stages; stage++) {
        size_t n_trials = tuner->plan.stages[stage].n_configs * tuner->data.n_folds;
        sum += n_trials * (sizeof(struct trial_slot) + sizeof(struct kept_model) + 2 * sizeof(size_t));
    }
    for (size_t fold = 0; fold < tuner->data.n_folds; fold++) {
        MXB_TRY(add_fold(tuner, largest[OF_ROWS], fold, &sum, error));
    }
    MXB_TRY(find_most_of_workers(tuner, largest, &most, error));
    MXB_TRY(measure_training(largest, tuner->train, tuner->valid, n_threads == 0 ? mxb__n_processors() : n_threads,
                             mxb_params_max_rounds(largest[OF_TRAINING]), &winner, error));
    most = larger(most, larger(winner.preparing, winner.prepared + winner.training + winner.model));
    double waiting = (double)winner.model * (double)tuner->kept.n;
    tuner->memory = sum + most + (size_t)fmin(waiting, (double)tuner->kept.budget);
    return MXB_OK;
}

mxb_status mxb__tuner_measure(mxb_tuner *tuner, mxb_error *error) {
    mxb_params *largest[N_PARTS] = {NULL};
    mxb_status status = make_largest(tuner, largest, error);
    if (status == MXB_OK) {
        status = add_up(tuner, largest, error);
    }
    mxb_params_free(largest[OF_ROWS]);
    mxb_params_free(largest[OF_TRAINING]);
    return status;
}

size_t mxb_tuner_memory(const mxb_tuner *tuner) { return tuner->state == TUNER_IS_STARTED ? tuner->memory : 0; }
