/* What a round shows a caller's learner, and what becomes of its answer. */
#include "base/random.h"
#include "check.h"
#include "unit/boost/make_own.h"
#include "unit/learner/make_fit.h"

static int open_case(struct fit_case *fit, int weighted) {
    struct data_recipe recipe = {.n_rows = 60, .n_features = 3, .seed = 3, .missing = 0.1, .weighted = weighted};
    struct learner_options options = fit_options();
    options.learning_rate = 0.25;
    return fit_open(fit, data_make(recipe), options, 256, SCALING_RANK);
}

static mxb_status run(struct fit_case *fit, const mxb_learner *learner, uint32_t round, struct term *term,
                      mxb_error *error) {
    static double workspace[64]; /* 60 rows */
    struct draw draw = {.round = round, .own = learner};
    fit->input.options = &fit->options;
    CHECK_INT(mxb__own_learner.workspace_bytes(&fit->input), sizeof workspace);
    mxb_status status = mxb__own_learner.fit(&fit->input, &draw, workspace, term, error);
    if (status == MXB_OK) {
        memset(fit->step, 0, 60 * sizeof *fit->step);
        mxb__own_learner.add(&fit->input, workspace, fit->step);
    }
    return status;
}

/* ---- what a round shows ---- */

struct seen {
    const mxb_dataset *data;
    const double *g;
    const double *h;
    size_t number;
    uint64_t seed;
    double targets[60];
    double weights[60];
};

static mxb_status look(void *context, const mxb_round *round, void **term, double *values, mxb_error *error) {
    struct seen *seen = context;
    (void)error;
    seen->data = mxb_round_data(round);
    seen->g = mxb_round_gradients(round);
    seen->h = mxb_round_hessians(round);
    seen->number = mxb_round_number(round);
    seen->seed = mxb_round_seed(round);
    mxb_round_targets(round, seen->targets, seen->weights);
    memset(values, 0, mxb_dataset_n_rows(seen->data) * sizeof *values);
    *term = NULL; /* nothing to keep */
    return MXB_OK;
}

static mxb_status predict_nothing(void *context, const void *term, const mxb_dataset *data, double *values,
                                  mxb_error *error) {
    (void)context, (void)term, (void)error;
    memset(values, 0, mxb_dataset_n_rows(data) * sizeof *values);
    return MXB_OK;
}

static void a_round_shows_rows_and_gradients(void) {
    struct fit_case fit;
    struct seen seen;
    mxb_learner *learner;
    struct term term;
    mxb_error error;
    uint64_t seeds[3];
    REQUIRE(open_case(&fit, 1));
    OK(mxb_learner_create("look", look, predict_nothing, NULL, &seen, &learner, &error), error);
    for (uint32_t k = 0; k < 3; k++) {
        fit.options.seed = 1 + k / 2;
        OK(run(&fit, learner, 5 + k % 2, &term, &error), error);
        CHECK_INT(seen.number, 5 + k % 2);
        seeds[k] = seen.seed;
        CHECK(term.kind == TERM_OWN && term.n_outputs == 1 && term.own.rate == 0.25 && !term.repaired);
        mxb__term_clear(&term);
    }
    CHECK(seeds[0] != seeds[1] && seeds[0] != seeds[2] && seeds[1] != seeds[2]);
    CHECK(seeds[0] == mxb__random_bits(mxb__random_stream(1, RANDOM_OWN_LEARNER, 5), 0));
    CHECK(seen.data == fit.prepared->view && seen.g == fit.g && seen.h == fit.h);
    for (size_t i = 0; i < fit.prepared->n_rows; i++) {
        CHECK(seen.targets[i] == -fit.g[i] / fit.h[i] && seen.weights[i] == fit.h[i]);
    }
    mxb_learner_free(learner);
    fit_close(&fit);
}

/* Where a row says nothing about its curvature, or too little for a quotient, it weighs nothing. */
static void targets_are_safe_where_h_is_0(void) {
    struct fit_case fit;
    struct seen seen;
    mxb_learner *learner;
    struct term term;
    mxb_error error;
    REQUIRE(open_case(&fit, 0));
    OK(mxb_learner_create("look", look, predict_nothing, NULL, &seen, &learner, &error), error);
    fit.h[0] = 0, fit.g[0] = 2;
    fit.h[1] = 0, fit.g[1] = 0;
    fit.h[2] = 0x1p-1074, fit.g[2] = -1;
    fit.h[3] = 0x1p-1074, fit.g[3] = 0x1p-1074;
    fit.h[4] = -0.0, fit.g[4] = -1;
    OK(run(&fit, learner, 1, &term, &error), error);
    CHECK_INT(term.repaired, 1);
    for (size_t i = 0; i < fit.prepared->n_rows; i++) {
        CHECK(isfinite(seen.targets[i]) && isfinite(seen.weights[i]) && seen.weights[i] >= 0);
        if (i < 5 && i != 3) {
            CHECK(seen.targets[i] == 0 && seen.weights[i] == 0);
        }
    }
    CHECK(seen.targets[3] == -1 && seen.weights[3] == 0x1p-1074);
    mxb__term_clear(&term);
    mxb_learner_free(learner);
    fit_close(&fit);
}

/* ---- what becomes of the answer ---- */

static void steps_are_values_times_the_learning_rate(void) {
    struct fit_case fit;
    struct line_learner lines = {.feature = 1};
    mxb_learner *learner = line_learner_make(&lines, "line", 0);
    struct term term;
    mxb_error error;
    double values[60], scores[60] = {0};
    REQUIRE(open_case(&fit, 1));
    OK(run(&fit, learner, 2, &term, &error), error);
    OK(line_predict(&lines, term.own.box->term, fit.prepared->view, values, &error), error);
    for (size_t i = 0; i < fit.prepared->n_rows; i++) {
        CHECK(fit.step[i] == 0.25 * values[i]);
    }
    OK(mxb__model_add_term_values(fit.model, &term, fit.prepared->view, NULL, scores, &error), error);
    CHECK(memcmp(scores, fit.step, sizeof scores) == 0); /* what the learner interface promises */
    CHECK_INT(term.own.box->round, 2);
    mxb__term_clear(&term);
    CHECK_INT(lines.n_frees, 1);
    mxb_learner_free(learner);
    fit_close(&fit);
}

static mxb_status write_17_values(void *context, const mxb_round *round, void **term, double *values,
                                  mxb_error *error) {
    (void)context, (void)round, (void)error;
    memset(values, 0, 17 * sizeof *values);
    *term = NULL;
    return MXB_OK;
}

static void values_that_are_not_written_are_noticed(void) {
    struct fit_case fit;
    mxb_learner *learner;
    struct term term;
    mxb_error error;
    REQUIRE(open_case(&fit, 0));
    OK(mxb_learner_create("lazy", write_17_values, predict_nothing, NULL, NULL, &learner, &error), error);
    memset(fit.step, 0, fit.prepared->n_rows * sizeof *fit.step); /* of the round before */
    FAILS(run(&fit, learner, 4, &term, &error), error, MXB_ERROR_DATA,
          "the learner \"lazy\" gave nan in round 4 for row 18 of the training data; values must be finite");
    mxb_learner_free(learner);
    fit_close(&fit);
}

static void failures_leave_no_term(void) {
    struct fit_case fit;
    struct line_learner lines = {.fit_mischief = {1, MXB_ERROR_PARAM, 0, 0}};
    mxb_learner *learner = line_learner_make(&lines, "line", 0);
    struct term term;
    mxb_error error;
    REQUIRE(open_case(&fit, 0));
    FAILS(run(&fit, learner, 2, &term, &error), error, MXB_ERROR_PARAM,
          "the learner \"line\" failed in round 2: call 1 went wrong");
    CHECK_INT(lines.n_frees, 0);
    lines = (struct line_learner){.fit_mischief = {1, MXB_STOPPED, 0, 0}};
    FAILS(run(&fit, learner, 2, &term, &error), error, MXB_STOPPED,
          "the learner \"line\" stopped in round 2: call 1 went wrong");
    lines = (struct line_learner){.fit_mischief = {1, MXB_OK, (double)NAN, 17}};
    FAILS(run(&fit, learner, 4, &term, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" gave nan in round 4 for row 18 of the training data; values must be finite");
    CHECK_INT(lines.n_frees, 1); /* the term was there, the values were wrong */
    lines = (struct line_learner){0};
    mxb__memory_fail_at(1, 0);
    CHECK_INT(run(&fit, learner, 4, &term, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    CHECK_INT(lines.n_fits, 0);
    mxb_learner_free(learner);
    fit_close(&fit);
}

int main(void) {
    RUN(a_round_shows_rows_and_gradients);
    RUN(targets_are_safe_where_h_is_0);
    RUN(steps_are_values_times_the_learning_rate);
    RUN(values_that_are_not_written_are_noticed);
    RUN(failures_leave_no_term);
    return check_report();
}
