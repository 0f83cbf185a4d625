/* THE option table: every option once. The setter, the help, the parameter page and the model file all read it. */
#ifndef MXB_BOOST_PARAMS_H
#define MXB_BOOST_PARAMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/callbacks.h"
#include "base/status.h"
#include "data/scaling.h"

enum option {
    OPTION_PRESET,
    OPTION_NUM_ROUND,
    OPTION_OBJECTIVE,
    OPTION_LEARNING_RATE,
    OPTION_RANDOM_STATE,
    OPTION_COLSAMPLE,
    OPTION_SUBSAMPLE,
    OPTION_LAMBDA_L2,
    OPTION_MIN_CHILD_WEIGHT,
    OPTION_EARLY_STOPPING_ROUNDS,
    OPTION_BASE_SCORE,
    OPTION_N_MEMBERS,
    OPTION_TREE_PROBABILITY,
    OPTION_MIN_MAX_DEPTH,
    OPTION_MAX_MAX_DEPTH,
    OPTION_DEPTH_PROBABILITIES,
    OPTION_USE_HISTOGRAMS,
    OPTION_HIST_NBINS,
    OPTION_SYMMETRIC_PROBABILITY,
    OPTION_SYMMETRIC_DEPTH,
    OPTION_SPLIT_NOISE,
    OPTION_SPLIT_PRIOR,
    OPTION_LEAF_ROWS,
    OPTION_TREE_N_THREADS,
    OPTION_ALPHA,
    OPTION_FIT_INTERCEPT,
    OPTION_RIDGE_N_THREADS,
    OPTION_GAMMA,
    OPTION_N_COMPONENTS,
    OPTION_N_PROJECTIONS,
    OPTION_FOURIER_SCALING,
    OPTION_FOURIER_METRIC,
    OPTION_FOURIER_LINEAR,
    OPTION_KERNEL_N_THREADS,
    OPTION_N_THREADS,
    N_OPTIONS
};

enum { MAX_DEPTHS = 30, OPTION_TEXT_SIZE = 26 * MAX_DEPTHS };

struct mxb_params {
    double values[N_OPTIONS]; /* numbers; 0 or 1; the index of a choice; NaN = auto; how many a list has */
    char texts[N_OPTIONS][OPTION_TEXT_SIZE];
    uint8_t is_given[N_OPTIONS];            /* set by the caller, so that no preset changes it */
    double depth_probabilities[MAX_DEPTHS]; /* the list of that option */
    struct own_parts own;                   /* the caller's loss and learners */
    double own_probabilities[MXB__MAX_OWN_LEARNERS];
};

/** Every option at its default. */
void mxb__params_init(mxb_params *params);

/** What no single value can tell: options that contradict each other. */
mxb_status mxb__params_check(const mxb_params *params, mxb_error *error);

/* Typed access. */
static inline double mxb__param(const mxb_params *params, enum option option) { return params->values[option]; }
static inline uint32_t mxb__param_count(const mxb_params *params, enum option option) {
    return (uint32_t)params->values[option];
}

/** What the caller's learners leave of probability 1 to the built-in ones; exactly 1 without any. */
double mxb__params_built_in(const mxb_params *params);

/** The loss by its name: the caller's, else the option `objective`. */
const char *mxb__params_loss_name(const mxb_params *params);

/** Gives the options that are auto and depend on others or on the number of training rows their values. */
void mxb__params_resolve(mxb_params *params, size_t n_rows);

/** The rounds of a training at the most. */
uint32_t mxb__param_rounds(const mxb_params *params);

/** A thread option with what it follows resolved: itself, else n_threads, else all processors. */
uint32_t mxb__param_threads(const mxb_params *params, enum option option);

#endif
