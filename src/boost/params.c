/* The option table and what is made of it. Knows nothing of how an option is used. */
#include "boost/params.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/choice.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/processors.h"
#include "base/random.h"
#include "mixboost/tune.h"
#include "model/model.h"

enum option_type { INTEGER, INTEGER_OR_AUTO, NUMBER, NUMBER_OR_AUTO, BOOLEAN, BOOLEAN_OR_AUTO, CHOICE, LIST_OR_AUTO };

static const char *const TYPE_NAMES[] = {"integer", "integer or auto", "number", "number or auto",
                                         "boolean", "boolean or auto", "choice", "list or auto"};

/* What auto is at the most. */
enum { MAX_AUTO_ROUNDS = 2000, MAX_AUTO_LEAST_DEPTH = 2, MAX_AUTO_SYMMETRIC_DEPTH = 8, MAX_LINEAR_ROWS = 1000 };

struct option_row {
    const char *name;
    enum option_type type;
    const char *initial;
    const char *range; /* in words; for a choice the choices, " | " between them */
    double lowest;     /* numbers: lowest <= value <= highest, or lowest < value where `open` */
    double highest;
    int open;
    const char *help;
};

/* Of what is no number. */
#define NO_BOUNDS 0, 0, 0

static const struct option_row TABLE[N_OPTIONS] = {
    [OPTION_PRESET] = {"preset", CHOICE, "default", "default | paper", NO_BOUNDS,
                       "What the options that are not given are: their defaults, or the learner of the paper."},
    [OPTION_NUM_ROUND] =
        {"num_round", INTEGER_OR_AUTO, "auto", "1 to 1000000, or auto", 1, 1e6, 0,
         "Number of boosting rounds; auto: at most 2000, and without a validation set as many as were best for rows "
         "kept aside, before the training on all rows."},
    [OPTION_OBJECTIVE] = {"objective", CHOICE, "mse", "mse | logloss", NO_BOUNDS,
                          "Loss: mse for regression, logloss for two classes."},
    [OPTION_LEARNING_RATE] = {"learning_rate", NUMBER_OR_AUTO, "auto", "over 0, up to 1, or auto", 0, 1, 1,
                              "Factor on every round's step; auto: by the rows, 0.05 up to 20000, 0.095 for 100000, "
                              "0.239 for a million, 0.3 at the most."},
    [OPTION_RANDOM_STATE] = {"random_state", INTEGER, "0", "0 to 4294967295", 0, 4294967295.0, 0,
                             "Seed of all random draws."},
    [OPTION_COLSAMPLE] = {"colsample", NUMBER, "1", "over 0, up to 1", 0, 1, 1,
                          "Fraction of the features that each tree may use."},
    [OPTION_SUBSAMPLE] =
        {"subsample", NUMBER, "0.8", "over 0, up to 1", 0, 1, 1,
         "Fraction of the rows that each tree is grown on, drawn row by row (of fewer than 500 rows, equal ones "
         "together); all of them where that leaves none."},
    [OPTION_LAMBDA_L2] = {"lambda_l2", NUMBER, "1", "0 to 1e300", 0, 1e300, 0, "L2 penalty on the leaf values."},
    [OPTION_MIN_CHILD_WEIGHT] = {"min_child_weight", NUMBER, "0.01", "0 to 1e300", 0, 1e300, 0,
                                 "Least sum of hessians in a leaf."},
    [OPTION_EARLY_STOPPING_ROUNDS] =
        {"early_stopping_rounds", INTEGER, "50", "0 to 1000000", 0, 1e6, 0,
         "With a validation set, or where num_round is searched for: stop when the loss of these rows has not improved "
         "for so many rounds and keep the best round; 0: never."},
    [OPTION_BASE_SCORE] =
        {"base_score", NUMBER_OR_AUTO, "auto", "-1e300 to 1e300, or auto", -1e300, 1e300, 0,
         "Score that the ensemble starts from (log-odds for logloss); auto: the constant of least loss."},
    [OPTION_N_MEMBERS] = {"n_members", INTEGER, "1", "1 to 256", 1, 256, 0,
                          "Ensembles of other seeds that are trained side by side and averaged."},
    [OPTION_TREE_PROBABILITY] =
        {"tree_probability", NUMBER_OR_AUTO, "auto", "0 to 1, or auto", 0, 1, 0,
         "Probability that a round draws a tree; the others draw the fourier learner. auto: by the rows, 0.3 for 680 "
         "and fewer, 0.5 for 1000, 0.9 for 10000 and more."},
    [OPTION_MIN_MAX_DEPTH] =
        {"min_max_depth", INTEGER_OR_AUTO, "auto", "1 to 30, or auto", 1, 30, 0,
         "Least maximal depth of a tree; each tree draws its own. auto: 2, or max_max_depth where that is less."},
    [OPTION_MAX_MAX_DEPTH] = {"max_max_depth", INTEGER, "10", "1 to 30", 1, 30, 0, "Largest maximal depth of a tree."},
    [OPTION_DEPTH_PROBABILITIES] =
        {"depth_probabilities", LIST_OR_AUTO, "auto", "numbers from 0 to 1 with commas between them, or auto", 0, 1, 0,
         "Probability of each maximal depth from min_max_depth to max_max_depth, summing to 1; "
         "auto: all the same."},
    [OPTION_USE_HISTOGRAMS] =
        {"use_histograms", BOOLEAN, "true", "true | false", NO_BOUNDS,
         "Grow trees on histograms of bins; false: exact trees, where every value may be a threshold."},
    [OPTION_HIST_NBINS] = {"hist_nbins", INTEGER, "256", "2 to 256", 2, 256, 0,
                           "Bins of a feature's values; of 256, one is for missing values. Not for exact trees."},
    [OPTION_SYMMETRIC_PROBABILITY] =
        {"symmetric_probability", NUMBER, "0.5", "0 to 1", 0, 1, 0,
         "Probability that a tree is symmetric: one split a level, the same in all its nodes."},
    [OPTION_SYMMETRIC_DEPTH] = {"symmetric_depth", INTEGER_OR_AUTO, "auto", "1 to 16, or auto", 1, 16, 0,
                                "Maximal depth of symmetric trees; auto: 8, or max_max_depth where that is less."},
    [OPTION_SPLIT_NOISE] =
        {"split_noise", NUMBER, "0", "0 to 10", 0, 10, 0,
         "Standard deviation of a random factor on each feature's gain in each node; it fades over the rounds."},
    [OPTION_SPLIT_PRIOR] = {"split_prior", NUMBER, "0", "0 to 1", 0, 1, 0,
                            "Power of a feature's share of all that splits gained so far, which its gains are "
                            "multiplied by where features "
                            "are compared. Over 0, trees keep to features that have helped; 0: all are alike."},
    [OPTION_LEAF_ROWS] = {"leaf_rows", CHOICE, "all", "sample | all", NO_BOUNDS,
                          "Rows that the leaf values are computed from: those the tree was grown on, or all."},
    [OPTION_TREE_N_THREADS] = {"tree_n_threads", INTEGER, "0", "0 to 4096", 0, 4096, 0,
                               "Threads that grow trees; 0: as n_threads."},
    [OPTION_ALPHA] = {"alpha", NUMBER_OR_AUTO, "auto", "0 to 1e300, or auto", 0, 1e300, 0,
                      "L2 penalty of the ridge regression; auto: by the rows, 1 for 316 and fewer, 0.1 for 1000, 0.001 "
                      "for 10000 and more."},
    [OPTION_FIT_INTERCEPT] = {"fit_intercept", BOOLEAN, "true", "true | false", NO_BOUNDS,
                              "Whether the ridge regression has an intercept (not penalised)."},
    [OPTION_RIDGE_N_THREADS] = {"ridge_n_threads", INTEGER, "0", "0 to 4096", 0, 4096, 0,
                                "Threads that fit the ridge regression; 0: as n_threads."},
    [OPTION_GAMMA] = {"gamma", NUMBER_OR_AUTO, "auto", "over 0, up to 1e70, or auto", 0, 1e70, 1,
                      "Width of the Gaussian kernel exp(-gamma |x - x'|^2); auto: drawn for each projection around 1 / "
                      "the median squared distance of two rows."},
    [OPTION_N_COMPONENTS] = {"n_components", INTEGER, "96", "1 to 10000", 1, 10000, 0,
                             "Number of random Fourier features."},
    [OPTION_N_PROJECTIONS] = {"n_projections", INTEGER, "4", "1 to 64", 1, 64, 0,
                              "Number of random projections that fourier rounds choose from."},
    [OPTION_FOURIER_SCALING] =
        {"fourier_scaling", CHOICE, "rank", "none | standard | rank", NO_BOUNDS,
         "Inputs of the kernel: as they are (the paper), standardised, or ranks as normal scores."},
    [OPTION_FOURIER_METRIC] =
        {"fourier_metric", CHOICE, "learned", "isotropic | learned", NO_BOUNDS,
         "Weights of the kernel's inputs: all the same, or learned from the rounds before a projection is drawn."},
    [OPTION_FOURIER_LINEAR] =
        {"fourier_linear", BOOLEAN_OR_AUTO, "auto", "true | false | auto", NO_BOUNDS,
         "Whether the first random features give way to the inputs themselves, where these are at most half as many; "
         "auto: up to 1000 rows."},
    [OPTION_KERNEL_N_THREADS] = {"kernel_n_threads", INTEGER, "0", "0 to 4096", 0, 4096, 0,
                                 "Threads that compute the random features; 0: as n_threads."},
    [OPTION_N_THREADS] = {"n_threads", INTEGER, "0", "0 to 4096", 0, 4096, 0, "Threads; 0: all processors."},
};

/* What `preset=paper` changes: whatever the paper's learner does not have does nothing, trees see all rows and columns,
 * and alpha and gamma, for which the paper has ranges but no defaults, are numbers in these. */
struct preset_row {
    enum option option;
    const char *initial;
};

static const struct preset_row PAPER[] = {
    {OPTION_COLSAMPLE, "1"},
    {OPTION_SUBSAMPLE, "1"},
    {OPTION_MIN_CHILD_WEIGHT, "0"},
    {OPTION_BASE_SCORE, "0"},
    {OPTION_N_MEMBERS, "1"},
    {OPTION_TREE_PROBABILITY, "0.9"},
    {OPTION_SYMMETRIC_PROBABILITY, "0"},
    {OPTION_SPLIT_NOISE, "0"},
    {OPTION_SPLIT_PRIOR, "0"},
    {OPTION_LEAF_ROWS, "sample"},
    {OPTION_ALPHA, "0.001"},
    {OPTION_GAMMA, "0.05"},
    {OPTION_N_COMPONENTS, "100"},
    {OPTION_N_PROJECTIONS, "1"},
    {OPTION_FOURIER_SCALING, "none"},
    {OPTION_FOURIER_METRIC, "isotropic"},
    {OPTION_FOURIER_LINEAR, "false"},
};

/* ---- the table, for readers ---- */

size_t mxb_option_count(void) { return N_OPTIONS; }
const char *mxb_option_name(size_t index) { return index < N_OPTIONS ? TABLE[index].name : NULL; }
const char *mxb_option_type(size_t index) { return index < N_OPTIONS ? TYPE_NAMES[TABLE[index].type] : NULL; }
const char *mxb_option_default(size_t index) { return index < N_OPTIONS ? TABLE[index].initial : NULL; }
const char *mxb_option_range(size_t index) { return index < N_OPTIONS ? TABLE[index].range : NULL; }
const char *mxb_option_help(size_t index) { return index < N_OPTIONS ? TABLE[index].help : NULL; }

int mxb_option_is_kept(size_t index) {
    return index < N_OPTIONS && index != OPTION_N_THREADS && index != OPTION_TREE_N_THREADS &&
           index != OPTION_RIDGE_N_THREADS && index != OPTION_KERNEL_N_THREADS;
}

static enum option find_option(const char *name) {
    enum option option = 0;
    while (option < N_OPTIONS && strcmp(TABLE[option].name, name) != 0) {
        option++;
    }
    return option;
}

/* ---- values ---- */

/* Reads "a, b, c" into numbers; their count, or 0 if one is not allowed or there are too many. */
static size_t read_list(const struct option_row *row, const char *text, double numbers[MAX_DEPTHS]) {
    size_t n = 0;
    for (;;) {
        const char *comma = strchr(text, ',');
        const char *end = comma == NULL ? text + strlen(text) : comma;
        while (text < end && *text == ' ') {
            text++;
        }
        double number;
        if (n == MAX_DEPTHS || !mxb__number_parse(text, (size_t)(end - text), &number) || number < row->lowest ||
            number > row->highest) {
            return 0;
        }
        numbers[n++] = number + 0.0;
        if (comma == NULL) {
            return n;
        }
        text = comma + 1;
    }
}

static int takes_auto(const struct option_row *row) {
    return row->type == INTEGER_OR_AUTO || row->type == NUMBER_OR_AUTO || row->type == BOOLEAN_OR_AUTO ||
           row->type == LIST_OR_AUTO;
}

static int is_boolean(const struct option_row *row) { return row->type == BOOLEAN || row->type == BOOLEAN_OR_AUTO; }

/* Reads a value; 0 if it is not allowed. `list` takes the numbers of a list. */
static int read_value(const struct option_row *row, const char *text, double *value, double list[MAX_DEPTHS]) {
    if (takes_auto(row) && strcmp(text, "auto") == 0) {
        *value = NAN;
        return 1;
    }
    if (row->type == CHOICE || is_boolean(row)) {
        int choice = mxb__choice_find(row->range, text);
        *value = is_boolean(row) ? choice == 0 : choice; /* "true | false" */
        return choice >= 0;
    }
    if (row->type == LIST_OR_AUTO) {
        *value = (double)read_list(row, text, list);
        return *value > 0.0;
    }
    if (!mxb__number_parse(text, strlen(text), value)) {
        return 0;
    }
    *value += 0.0; /* -0 is 0 */
    int is_whole = row->type != INTEGER && row->type != INTEGER_OR_AUTO ? 1 : *value == floor(*value);
    return *value >= row->lowest && *value <= row->highest && !(row->open && *value == row->lowest) && is_whole;
}

/* A value has one text, however it was written: "1e-1" and "0.1" are the same. */
static void store(mxb_params *params, enum option option, double value, const char *text,
                  const double list[MAX_DEPTHS]) {
    enum option_type type = TABLE[option].type;
    char *out = params->texts[option];
    params->values[option] = value;
    if (isnan(value) || type == CHOICE || is_boolean(&TABLE[option])) {
        snprintf(out, OPTION_TEXT_SIZE, "%s", text);
    } else if (type == LIST_OR_AUTO) {
        memcpy(params->depth_probabilities, list, sizeof params->depth_probabilities);
        for (size_t i = 0; i < (size_t)value; i++) {
            out += i == 0 ? 0 : snprintf(out, 2, ",");
            out += mxb__number_format(list[i], out);
        }
    } else {
        mxb__number_format(value, out);
    }
}

/* What an option is that is not given. */
static const char *initial_text(enum option option, int is_paper) {
    for (size_t i = 0; is_paper && i < sizeof PAPER / sizeof PAPER[0]; i++) {
        if (PAPER[i].option == option) {
            return PAPER[i].initial;
        }
    }
    return TABLE[option].initial;
}

static void follow_preset(mxb_params *params) {
    int is_paper = params->values[OPTION_PRESET] != 0.0;
    for (enum option option = 0; option < N_OPTIONS; option++) {
        if (!params->is_given[option]) {
            const char *text = initial_text(option, is_paper);
            double value = 0.0;
            double list[MAX_DEPTHS] = {0};
            read_value(&TABLE[option], text, &value, list);
            store(params, option, value, text, list);
        }
    }
}

void mxb__params_init(mxb_params *params) {
    memset(params, 0, sizeof *params);
    follow_preset(params);
}

mxb_status mxb_params_create(mxb_params **params, mxb_error *error) {
    if (params == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "params is NULL");
    }
    MXB_TRY(mxb__alloc(params, 1, sizeof **params, "options", error));
    mxb__params_init(*params);
    return MXB_OK;
}

mxb_status mxb_params_set(mxb_params *params, const char *name, const char *value, mxb_error *error) {
    char quoted[64];
    if (params == NULL || name == NULL || value == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "an option needs params, a name and a value; one of them is NULL");
    }
    enum option option = find_option(name);
    if (option == N_OPTIONS) {
        return mxb__fail(error, MXB_ERROR_PARAM, "there is no option \"%s\"",
                         mxb__quote(quoted, sizeof quoted, name, strlen(name)));
    }
    const struct option_row *row = &TABLE[option];
    double number;
    double list[MAX_DEPTHS] = {0};
    if (!read_value(row, value, &number, list)) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is \"%s\"; it must be %s%s", name,
                         mxb__quote(quoted, sizeof quoted, value, strlen(value)),
                         row->type == INTEGER || row->type == INTEGER_OR_AUTO ? "a whole number, " : "", row->range);
    }
    store(params, option, number, value, list);
    params->is_given[option] = 1;
    if (option == OPTION_PRESET) {
        follow_preset(params);
    }
    return MXB_OK;
}

mxb_status mxb_params_copy(const mxb_params *params, mxb_params **copy, mxb_error *error) {
    if (copy == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "copy is NULL");
    }
    *copy = NULL;
    if (params == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "params is NULL");
    }
    MXB_TRY(mxb__alloc(copy, 1, sizeof **copy, "options", error));
    **copy = *params;
    return MXB_OK;
}

const char *mxb_params_get(const mxb_params *params, const char *name) {
    enum option option = find_option(name);
    return option == N_OPTIONS ? NULL : params->texts[option];
}

void mxb_params_free(mxb_params *params) { mxb__free(params); }

static double least_depth(const mxb_params *params) {
    double least = params->values[OPTION_MIN_MAX_DEPTH];
    return isnan(least) ? fmin(MAX_AUTO_LEAST_DEPTH, params->values[OPTION_MAX_MAX_DEPTH]) : least;
}

static mxb_status check_depths(const mxb_params *params, mxb_error *error) {
    double n_depths = params->values[OPTION_MAX_MAX_DEPTH] - least_depth(params) + 1;
    double n = params->values[OPTION_DEPTH_PROBABILITIES];
    if (n_depths < 1) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "min_max_depth is %s and max_max_depth %s; the first must not be larger",
                         params->texts[OPTION_MIN_MAX_DEPTH], params->texts[OPTION_MAX_MAX_DEPTH]);
    }
    if (isnan(n)) {
        return MXB_OK;
    }
    if (n != n_depths) {
        return mxb__fail(
            error, MXB_ERROR_PARAM,
            "depth_probabilities has %.0f number%s; min_max_depth %.0f to max_max_depth %s %s %.0f depth%s", n,
            n == 1 ? "" : "s", least_depth(params), params->texts[OPTION_MAX_MAX_DEPTH], n_depths == 1 ? "is" : "are",
            n_depths, n_depths == 1 ? "" : "s");
    }
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)n; i++) {
        sum += params->depth_probabilities[i];
    }
    if (fabs(sum - 1.0) > 1e-9) {
        char text[MXB__NUMBER_SIZE];
        mxb__number_format(sum, text);
        return mxb__fail(error, MXB_ERROR_PARAM, "depth_probabilities sum to %s; the sum must be 1", text);
    }
    return MXB_OK;
}

/* A model file takes no more. */
static mxb_status check_terms(const mxb_params *params, mxb_error *error) {
    double n_terms = params->values[OPTION_NUM_ROUND] * params->values[OPTION_N_MEMBERS];
    if (n_terms > (double)MXB__MAX_TERMS) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "num_round is %s and n_members %s; together they may be %" PRIu32 " rounds at most",
                         params->texts[OPTION_NUM_ROUND], params->texts[OPTION_N_MEMBERS], MXB__MAX_TERMS);
    }
    return MXB_OK;
}

mxb_status mxb__params_check(const mxb_params *params, mxb_error *error) {
    MXB_TRY(check_depths(params, error));
    return check_terms(params, error);
}

mxb_status mxb_params_check(const mxb_params *params, mxb_error *error) {
    return params != NULL ? mxb__params_check(params, error) : mxb__fail(error, MXB_ERROR_PARAM, "params is NULL");
}

/* To so many steps in 1, so that a value has a short text. */
static double rounded(double value, double steps) { return floor(value * steps + 0.5) / steps; }

static double between(double least, double x, double most) { return fmin(fmax(least, x), most); }

static void resolve(mxb_params *params, enum option option, double value) {
    if (isnan(params->values[option])) {
        store(params, option, value, value != 0.0 ? "true" : "false", NULL);
    }
}

/* Of many rows a round may take more, and 2000 rounds must do. It does not follow num_round, so that a number of rounds
 * that was found is good for another training. */
static double learning_rate(double n_rows) {
    return between(0.05, rounded(0.05 * mxb__exp(0.4 * mxb__log(n_rows / 20000.0)), 1e3), 0.3);
}

void mxb__params_resolve(mxb_params *params, size_t n_rows) {
    double fewness = 1000.0 / (double)n_rows;
    resolve(params, OPTION_LEARNING_RATE, learning_rate((double)n_rows));
    resolve(params, OPTION_MIN_MAX_DEPTH, least_depth(params));
    resolve(params, OPTION_SYMMETRIC_DEPTH, fmin(MAX_AUTO_SYMMETRIC_DEPTH, params->values[OPTION_MAX_MAX_DEPTH]));
    resolve(params, OPTION_TREE_PROBABILITY, between(0.3, rounded(0.5 + 0.4 / 0.9 * (1.0 - fewness), 1e2), 0.9));
    resolve(params, OPTION_ALPHA, between(0.001, rounded(0.1 * fewness * fewness, 1e4), 1.0));
    resolve(params, OPTION_FOURIER_LINEAR, n_rows <= MAX_LINEAR_ROWS);
}

size_t mxb_params_max_rounds(const mxb_params *params) { return mxb__param_rounds(params); }

static uint64_t add_text(uint64_t digest, const char *text) {
    for (; *text != '\0'; text++) {
        digest = mxb__mix64(digest ^ (unsigned char)*text) + 1;
    }
    return mxb__mix64(digest) + 1;
}

uint64_t mxb_params_own_digest(const mxb_params *params) {
    uint64_t digest = 0;
    char probability[MXB__NUMBER_SIZE];
    if (params->own.loss.value != NULL) {
        digest = add_text(add_text(digest, params->own.loss.name), params->own.loss.metric_name);
    }
    for (uint32_t i = 0; i < params->own.n_learners; i++) {
        mxb__number_format(params->own_probabilities[i], probability);
        digest = add_text(add_text(digest + 1, params->own.learners[i].name), probability);
    }
    return digest;
}

uint32_t mxb__param_rounds(const mxb_params *params) {
    double n = params->values[OPTION_NUM_ROUND];
    return isnan(n) ? MAX_AUTO_ROUNDS : (uint32_t)n;
}

uint32_t mxb__param_threads(const mxb_params *params, enum option option) {
    double n = params->values[option];
    if (n == 0.0) {
        n = params->values[OPTION_N_THREADS];
    }
    return n == 0.0 ? (uint32_t)mxb__n_processors() : (uint32_t)n;
}
