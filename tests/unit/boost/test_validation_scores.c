/* Scores of validation rows: after every round bit for bit those that predictions of the new term come to, and no round
 * allocates more for them. */
#include <float.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "boost/trainer.h"
#include "check.h"
#include "unit/boost/make_data.h"
#include "unit/boost/make_own.h"
#include "unit/learner/make_fit.h"

enum { N_NUMBERS = 4, N_TEXTS = 7, MAX_ROWS = 9000 };

/* Numbers, a column of them float32, and texts; every second row of what is there. */
struct rows {
    double x[N_NUMBERS - 1][2 * MAX_ROWS];
    float narrow[2 * MAX_ROWS];
    int16_t text[2 * MAX_ROWS];
    double y[2 * MAX_ROWS];
    mxb_dataset *all;
    mxb_dataset *dataset;
};

static const char *const TEXTS[N_TEXTS] = {"pear", "fig", "", "apple", "plum", "quince", "lime"};

/* Training rows lie in [-1, 1] and have 4 of the texts and few odd values; the others have all there is. */
static double draw_number(struct dice *dice, int is_train) {
    static const double odd[] = {-HUGE_VAL, HUGE_VAL, -0.0, 0.0, NAN, 5e-324, -5e-324, 1e308, -1e308};
    size_t one_in = is_train ? 40 : 4;
    double spread = is_train ? 1.0 : 3.0;
    return dice_below(dice, one_in) == 0 ? odd[dice_below(dice, is_train ? 6 : 9)]
                                         : spread * (2.0 * dice_uniform(dice) - 1.0);
}

static int rows_open(struct rows *rows, size_t n, uint64_t seed, int is_train) {
    struct dice dice = {seed};
    size_t *chosen = calloc(n, sizeof *chosen);
    for (size_t i = 0; i < 2 * n; i++) {
        for (size_t f = 0; f < N_NUMBERS - 1; f++) {
            rows->x[f][i] = draw_number(&dice, is_train);
        }
        rows->narrow[i] = (float)rint(4.0 * dice_normal(&dice));
        rows->text[i] = (int16_t)((int)dice_below(&dice, is_train ? 5 : N_TEXTS + 2) - 1);
        rows->y[i] = dice_normal(&dice) + (rows->x[0][i] > 0.1) + 0.5 * (rows->text[i] == 2);
        chosen[i / 2] = i;
    }
    int fine = mxb_dataset_create(2 * n, &rows->all, NULL) == MXB_OK;
    fine = fine && mxb_dataset_set_label(rows->all, rows->y, sizeof(double), MXB_FLOAT64, NULL) == MXB_OK;
    for (size_t f = 0; fine && f < N_NUMBERS - 1; f++) {
        fine = mxb_dataset_add_column(rows->all, NULL, rows->x[f], sizeof(double), MXB_FLOAT64, NULL) == MXB_OK;
    }
    fine = fine && mxb_dataset_add_column(rows->all, NULL, rows->narrow, sizeof(float), MXB_FLOAT32, NULL) == MXB_OK &&
           mxb_dataset_add_text_column(rows->all, NULL, rows->text, sizeof(int16_t), MXB_INT16, TEXTS, N_TEXTS, NULL) ==
               MXB_OK &&
           mxb_dataset_select(rows->all, chosen, n, &rows->dataset, NULL) == MXB_OK;
    free(chosen);
    return fine;
}

static void rows_close(struct rows *rows) {
    mxb_dataset_free(rows->dataset);
    mxb_dataset_free(rows->all);
}

static struct rows train;
static struct rows valid;
static struct line_learner lines;

static mxb_trainer *open_trainer(const mxb_prepared *prepared, const mxb_dataset *scored, const mxb_params *params) {
    mxb_trainer *trainer = NULL;
    mxb_error error;
    if (mxb_trainer_create(prepared, scored, params, &trainer, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return trainer;
}

/* ---- the same bits as predictions ---- */

static void check_rounds(mxb_trainer *trainer, size_t n_rounds) {
    size_t n = trainer->training.valid->n_rows;
    double *scores = malloc(n * sizeof *scores);
    memcpy(scores, trainer->members[0].valid_scores, n * sizeof *scores);
    mxb_error error;
    for (size_t round = 1; round <= n_rounds; round++) {
        OK(mxb_trainer_run(trainer, round, NULL, NULL, &error), error);
        const struct term *term = &trainer->members[0].model->terms[round - 1];
        OK(mxb__model_add_term_values(trainer->members[0].model, term, trainer->training.valid, NULL, scores, &error),
           error);
        CHECK_INT(memcmp(scores, trainer->members[0].valid_scores, n * sizeof *scores), 0);
    }
    free(scores);
}

static void check_training(const char *const *options, size_t n_valid) {
    mxb_prepared *prepared = NULL;
    mxb_error error;
    mxb_params *params = params_of(options);
    REQUIRE(params != NULL && line_learner_add(params, &lines, "line", 1, 0.2) &&
            rows_open(&train, 700, 1 + n_valid, 1) && rows_open(&valid, n_valid, 2 + n_valid, 0));
    OK(mxb_prepared_create(train.dataset, params, &prepared, &error), error);
    mxb_trainer *trainer = open_trainer(prepared, valid.dataset, params);
    check_rounds(trainer, 12);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
    rows_close(&train);
    rows_close(&valid);
}

static void scores_are_those_of_predictions(void) {
    static const char *const trainings[][12] = {
        {"tree_probability", "1", "n_threads", "1"},
        {"tree_probability", "1", "n_threads", "3", "max_max_depth", "12", "lambda_l2", "0"},
        {"tree_probability", "1", "n_threads", "1", "hist_nbins", "7", "subsample", "0.5"},
        {"tree_probability", "1", "n_threads", "2", "subsample", "0.5", "leaf_rows", "all", "split_noise", "1",
         "split_prior", "0.5"},
        {"tree_probability", "1", "n_threads", "2", "use_histograms", "false"},
        {"tree_probability", "1", "n_threads", "1", "use_histograms", "false", "subsample", "0.6"},
        {"tree_probability", "1", "use_histograms", "false", "subsample", "0.6", "leaf_rows", "all"},
        {"tree_probability", "1", "n_threads", "3", "symmetric_probability", "1", "symmetric_depth", "9"},
        {"tree_probability", "1", "n_threads", "1", "symmetric_probability", "0.5", "subsample", "0.5"},
        {"tree_probability", "1", "n_threads", "2", "symmetric_probability", "1", "use_histograms", "false"},
        {"tree_probability", "0", "n_threads", "1", "n_components", "13"},
        {"tree_probability", "0", "n_threads", "3", "n_components", "13", "fourier_scaling", "rank"},
        {"tree_probability", "0.5", "n_threads", "2", "n_components", "8", "fourier_scaling", "standard"},
        {"tree_probability", "0", "n_threads", "1", "n_components", "8", "gamma", "auto", "n_projections", "3"},
        {"tree_probability", "0.4", "n_threads", "2", "gamma", "auto", "n_projections", "2", "fourier_metric",
         "learned"},
    };
    for (size_t k = 0; k < sizeof trainings / sizeof trainings[0]; k++) {
        check_training(trainings[k], k % 2 == 0 ? 1 + 2 * k : MAX_ROWS);
    }
}

/* ---- scores that leave the range of a double ---- */

static int adds_as_predicted(const struct fit_case *fit, const struct learner_ops *learner, const struct term *term) {
    static const double starts[] = {DBL_MAX, -DBL_MAX, -0.0, 0.0, 1.5};
    size_t n = fit->input.valid->n_rows;
    double *scores = calloc(2 * n, sizeof *scores);
    double *predicted = scores + n;
    for (size_t i = 0; i < n; i++) {
        scores[i] = predicted[i] = starts[i % 5];
    }
    int same = learner->add_valid(&fit->input, term, fit->workspace, scores, NULL) == MXB_OK &&
               mxb__model_add_term_values(fit->model, term, fit->input.valid, NULL, predicted, NULL) == MXB_OK &&
               memcmp(scores, predicted, n * sizeof *scores) == 0;
    free(scores);
    return same;
}

static void check_overflow(const struct learner_ops *learner) {
    struct data_recipe recipe = {.n_rows = 200, .n_features = 3, .seed = 7, .missing = 0.1};
    struct fit_case fit;
    REQUIRE(fit_open(&fit, data_make(recipe), fit_options(), 256, SCALING_RANK));
    recipe.n_rows = 2500;
    struct made_data others = data_make(recipe);
    fit.input.valid = others.dataset;
    for (uint32_t round = 1; round <= 3; round++) {
        struct term term;
        for (size_t i = 0; round == 3 && i < fit.prepared->n_rows; i++) {
            fit.g[i] = ldexp(fit.g[i], 1015);
        }
        fit_measure(&fit);
        REQUIRE(fit_run(&fit, learner, round, 6, &term) == MXB_OK);
        CHECK(adds_as_predicted(&fit, learner, &term));
        mxb__term_clear(&term);
    }
    fit_close(&fit);
    data_clear(&others);
}

static void they_stay_finite_as_predictions_do(void) {
    check_overflow(&mxb__tree_learner);
    check_overflow(&mxb__fourier_learner);
}

/* ---- no allocation ---- */

/* How many allocations the fifth round makes. */
static uint64_t count_allocations(const mxb_prepared *prepared, const mxb_dataset *scored, const mxb_params *params) {
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY && n < 100) {
        mxb_trainer *trainer = open_trainer(prepared, scored, params);
        CHECK_INT(mxb_trainer_run(trainer, 4, NULL, NULL, NULL), MXB_OK);
        mxb__memory_fail_at(++n, 0);
        status = mxb_trainer_run(trainer, 5, NULL, NULL, NULL);
        mxb__memory_fail_at(0, 0);
        mxb_trainer_free(trainer);
    }
    CHECK_INT(status, MXB_OK);
    return n - 1;
}

static void rounds_allocate_nothing_for_them(void) {
    REQUIRE(rows_open(&train, 300, 5, 1) && rows_open(&valid, 2000, 6, 0));
    for (int kind = 0; kind < 3; kind++) {
        mxb_prepared *prepared = NULL;
        mxb_params *params = PARAMS("tree_probability", kind == 0 ? "1" : "0", "n_components", "5", "n_threads", "1",
                                    "num_round", "5", "early_stopping_rounds", "0");
        REQUIRE(params != NULL && (kind < 2 || line_learner_add(params, &lines, "line", 1, 1.0)) &&
                mxb_prepared_create(train.dataset, params, &prepared, NULL) == MXB_OK);
        uint64_t without = count_allocations(prepared, NULL, params);
        CHECK(without > 0); /* the term */
        CHECK_INT(count_allocations(prepared, valid.dataset, params), without);
        mxb_prepared_free(prepared);
        mxb_params_free(params);
    }
    rows_close(&train);
    rows_close(&valid);
}

int main(void) {
    RUN(scores_are_those_of_predictions);
    RUN(they_stay_finite_as_predictions_do);
    RUN(rounds_allocate_nothing_for_them);
    return check_report();
}
