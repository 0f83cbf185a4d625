/* How much memory a search takes at the most, from rows, features, stages and the ranges of options. Knows nothing of
 * allocations. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "tune/tuner.h"

/* Bytes of a row's bin codes lie in two layouts, one of them padded to panels; exact trees have two numbers a value. */
enum { PANEL = 32, EXACT_BYTES = 8 };
/* A row of a fold or a fraction is its number; where it is prepared this number once more, its label and its weight. */
enum { VIEW_BYTES = 4, LABEL_BYTES = VIEW_BYTES + 8 + 8 };
/* Of a training: for each row labels, weights, scores, gradients, hessians, quanta and row numbers; besides it
 * histograms, sums and samples, for each of its threads a part more. */
static const double ROW_BYTES = 64;
static const double TRAINING_BYTES = 160 << 20;
static const double THREAD_BYTES = 4 << 20;
/* Random features, floats like the inputs they are made of, are kept up to so many bytes a training. */
static const double COSINE_BYTES = 512 << 20;

/* The largest number that an option may have. */
static double largest(const mxb_tuner *tuner, const char *option) {
    const struct range *range = mxb__space_find(tuner->space, option);
    const char *text = mxb_params_get(tuner->params, option);
    double most = 0.0;
    if (range == NULL) {
        return mxb__number_parse(text, strlen(text), &most) ? most : 0.0;
    }
    for (size_t i = 0; i < range->n_values; i++) {
        double value;
        if (mxb__number_parse(range->values[i], strlen(range->values[i]), &value)) {
            most = fmax(most, value);
        }
    }
    return range->n_values > 0 ? most : range->highest;
}

/* How many values an option may have. */
static double n_values(const mxb_tuner *tuner, const char *option) {
    const struct range *range = mxb__space_find(tuner->space, option);
    if (range == NULL) {
        return 1.0;
    }
    return range->n_values > 0 ? (double)range->n_values : range->highest - range->lowest + 1.0;
}

/* Whether an option may have this value. */
static int may_be(const mxb_tuner *tuner, const char *option, const char *value) {
    const struct range *range = mxb__space_find(tuner->space, option);
    int is_there = range == NULL && strcmp(mxb_params_get(tuner->params, option), value) == 0;
    for (size_t i = 0; range != NULL && i < range->n_values; i++) {
        is_there = is_there || strcmp(range->values[i], value) == 0;
    }
    return is_there;
}

static double n_rows_of(const mxb_tuner *tuner, size_t fold, size_t stage) {
    return (double)mxb_dataset_n_rows(mxb__fold_data_rows(&tuner->data, fold, stage));
}

/* Rows of a fold in all stages that have rows of their own. */
static double n_rows_of_all(const mxb_tuner *tuner, size_t fold) {
    double n_rows = n_rows_of(tuner, fold, tuner->plan.n_stages - 1);
    for (size_t stage = 0; stage + 1 < tuner->plan.n_stages; stage++) {
        n_rows += tuner->data.folds[fold].parts[stage] != NULL ? n_rows_of(tuner, fold, stage) : 0.0;
    }
    return n_rows;
}

/* Of one fold: numbers of rows, and the rows prepared in as many ways as there are, or as are kept or used at once. */
static double fold_bytes(const mxb_tuner *tuner, size_t fold) {
    static const char *const options[] = {"objective", "use_histograms", "hist_nbins", "fourier_scaling"};
    double d = (double)mxb_dataset_n_features(tuner->train);
    double codes = d + ceil(d / PANEL) * PANEL;
    codes = may_be(tuner, "use_histograms", "false") ? fmax(codes, EXACT_BYTES * d) : codes;
    double n_ways = 1.0;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        n_ways *= n_values(tuner, options[i]);
    }
    double n_used = (double)tuner->plan.stages[0].n_workers + 2.0; /* one more and all rows for it */
    double n_rows = n_rows_of_all(tuner, fold);
    double most = fmax(MXB__MAX_PREPARED, n_used) * n_rows_of(tuner, fold, tuner->plan.n_stages - 1);
    double n_valid = (double)mxb_dataset_n_rows(tuner->data.folds[fold].valid);
    return (n_rows + n_valid) * VIEW_BYTES + fmin(n_ways * n_rows, most) * (codes + LABEL_BYTES);
}

static double training_bytes(const mxb_tuner *tuner, size_t fold, size_t stage) {
    double d = (double)mxb_dataset_n_features(tuner->train);
    double n_members = fmax(1.0, largest(tuner, "n_members"));
    double n_rows = n_rows_of(tuner, fold, stage) + (double)mxb_dataset_n_rows(tuner->data.folds[fold].valid);
    double features = n_rows * 4.0 * (largest(tuner, "n_projections") * largest(tuner, "n_components") + d);
    return n_members * (n_rows * ROW_BYTES + TRAINING_BYTES) + fmin(n_members * features, COSINE_BYTES) +
           (double)tuner->plan.stages[stage].n_threads * THREAD_BYTES;
}

size_t mxb_tuner_memory(const mxb_tuner *tuner) {
    double most = 0.0;
    double sum = (double)tuner->kept.budget;
    if (tuner->state != TUNER_IS_STARTED) {
        return 0;
    }
    for (size_t stage = 0; stage < tuner->results.n_stages; stage++) {
        double n_trials = (double)(tuner->plan.stages[stage].n_configs * tuner->results.n_folds);
        sum += n_trials * (double)(sizeof(struct trial_slot) + sizeof(struct kept_model) + 2 * sizeof(size_t));
        for (size_t fold = 0; fold < tuner->data.n_folds; fold++) {
            most = fmax(most, (double)tuner->plan.stages[stage].n_workers * training_bytes(tuner, fold, stage));
        }
    }
    for (size_t fold = 0; fold < tuner->data.n_folds; fold++) {
        sum += fold_bytes(tuner, fold);
    }
    return (size_t)(sum + most);
}
