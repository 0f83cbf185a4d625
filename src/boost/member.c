/* Steps 5 to 8 of the data's path for one member of a training: its gradients, the learner its round draws, the term
 * added. Knows nothing of the other members or the insides of a term. */
#include "boost/member.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "boost/schedule.h"
#include "data/dataset.h"

const struct learner_ops *const mxb__learners[N_LEARNERS] = {&mxb__tree_learner, &mxb__fourier_learner,
                                                             &mxb__own_learner};

/* ---- making ---- */

uint32_t mxb__member_threads(const struct training *training, enum option option) {
    uint32_t share = mxb__param_threads(&training->params, option) / training->n_at_once;
    return share > 0 ? share : 1;
}

static struct learner_options read_options(const struct training *training, uint32_t which) {
    const mxb_params *params = &training->params;
    int has_symmetric = mxb__param(params, OPTION_SYMMETRIC_PROBABILITY) > 0.0;
    uint32_t symmetric_depth = has_symmetric ? mxb__param_count(params, OPTION_SYMMETRIC_DEPTH) : 0;
    uint32_t max_max_depth = mxb__param_count(params, OPTION_MAX_MAX_DEPTH);
    struct learner_options options = {
        .seed = mxb__schedule_seed(params, which),
        .learning_rate = mxb__param(params, OPTION_LEARNING_RATE),
        .subsample = mxb__param(params, OPTION_SUBSAMPLE),
        .colsample = mxb__param(params, OPTION_COLSAMPLE),
        .lambda_l2 = mxb__param(params, OPTION_LAMBDA_L2),
        .min_child_weight = mxb__param(params, OPTION_MIN_CHILD_WEIGHT),
        .max_max_depth = max_max_depth > symmetric_depth ? max_max_depth : symmetric_depth,
        .symmetric_depth = symmetric_depth,
        .split_noise = mxb__param(params, OPTION_SPLIT_NOISE),
        .split_prior = mxb__param(params, OPTION_SPLIT_PRIOR),
        .leaves_from_all_rows = mxb__param(params, OPTION_LEAF_ROWS) != 0.0,
        .max_wide_rows = (size_t)1 << 16, /* part of the frozen arithmetic */
        .alpha = mxb__param(params, OPTION_ALPHA),
        .fit_intercept = mxb__param(params, OPTION_FIT_INTERCEPT) != 0.0,
        .gamma = mxb__param(params, OPTION_GAMMA),
        .n_components = mxb__param_count(params, OPTION_N_COMPONENTS),
        .n_projections = mxb__param_count(params, OPTION_N_PROJECTIONS),
        .learns_metric = mxb__param(params, OPTION_FOURIER_METRIC) != 0.0,
        .takes_inputs = mxb__param(params, OPTION_FOURIER_LINEAR) != 0.0,
        .fourier_bytes = ((size_t)512 << 20) / mxb__param_count(params, OPTION_N_MEMBERS),
        .tree_n_threads = mxb__member_threads(training, OPTION_TREE_N_THREADS),
        .ridge_n_threads = mxb__member_threads(training, OPTION_RIDGE_N_THREADS),
        .kernel_n_threads = mxb__member_threads(training, OPTION_KERNEL_N_THREADS),
    };
    return options;
}

struct fit_input mxb__member_fit_input(const struct member *member, const struct training *training) {
    const struct gradient_range *range = &member->measured.range;
    struct fit_input input = {
        .prepared = training->prepared,
        .valid = training->valid,
        .kernels = training->kernels,
        .options = &member->options,
        .g = member->g,
        .h = member->h,
        .hessian = member->h == NULL ? mxb__objective_hessian(&training->objective) : HESSIAN_STORED,
        .sum_abs_g = range->sum_abs_g,
        .sum_h = range->sum_h,
        .max_abs_g = range->max_abs_g,
        .max_h = range->max_h,
        .constant_hessian = mxb__objective_constant_hessian(&training->objective),
        .model = member->model,
    };
    return input;
}

/* Weights multiply hessians, and a caller's classes are shown them. */
static int stores_hessians(const struct training *training) {
    return mxb__objective_hessian(&training->objective) == HESSIAN_STORED ||
           training->prepared->labels.weights != NULL ||
           mxb__schedule_probability(&training->params, &mxb__own_learner) > 0.0;
}

static mxb_status make_model(struct member *member, const struct training *training, uint32_t which,
                             const mxb_model *from, const struct scaling *scaling, mxb_error *error) {
    MXB_TRY(mxb__model_create(&member->model, error));
    member->model->n_features = training->prepared->n_features;
    if (scaling != NULL) {
        MXB_TRY(mxb__scaling_copy(&member->model->scaling, scaling, error));
    }
    return from == NULL ? MXB_OK : mxb__members_part(member->model, from, which, error);
}

static mxb_status make_rows(struct member *member, const struct training *training, mxb_error *error) {
    size_t n = training->prepared->n_rows;
    size_t n_valid = training->valid == NULL ? 0 : training->valid->n_rows;
    size_t n_scratch = mxb__objective_scratch(&training->objective, n > n_valid ? n : n_valid);
    MXB_TRY(mxb__alloc(&member->scores, n, sizeof *member->scores, "scores", error));
    MXB_TRY(mxb__alloc(&member->g, n, sizeof *member->g, "gradients", error));
    if (stores_hessians(training)) {
        MXB_TRY(mxb__alloc(&member->h, n, sizeof *member->h, "hessians", error));
    }
    MXB_TRY(mxb__alloc(&member->valid_scores, n_valid, sizeof *member->valid_scores, "scores", error));
    if (training->n_ahead > 1) {
        size_t n_kept = training->n_ahead * (n + n_valid);
        MXB_TRY(mxb__alloc(&member->kept, n_kept, sizeof *member->kept, "scores", error));
    }
    return mxb__alloc(&member->scratch, n_scratch, sizeof *member->scratch, "sums of losses", error);
}

static mxb_status make_workspaces(struct member *member, const struct training *training, mxb_error *error) {
    struct fit_input input = mxb__member_fit_input(member, training);
    for (size_t i = 0; i < N_LEARNERS; i++) {
        if (mxb__schedule_probability(&training->params, mxb__learners[i]) > 0.0) {
            size_t n_bytes = mxb__learners[i]->workspace_bytes(&input);
            MXB_TRY(mxb__alloc(&member->workspaces[i], n_bytes, 1, "a learner's workspace", error));
            memset(member->workspaces[i], 0, 64);
        }
    }
    return MXB_OK;
}

size_t mxb__member_bytes(const struct training *training) {
    struct member member = {.options = read_options(training, 0)};
    struct fit_input input = mxb__member_fit_input(&member, training);
    size_t n = training->prepared->n_rows;
    size_t n_valid = training->valid == NULL ? 0 : training->valid->n_rows;
    size_t n_scratch = mxb__objective_scratch(&training->objective, n > n_valid ? n : n_valid);
    size_t n_kept = training->n_ahead > 1 ? training->n_ahead * (n + n_valid) : 0;
    size_t n_bytes = sizeof member + (stores_hessians(training) ? 3 : 2) * mxb__block_bytes(n * sizeof(double)) +
                     mxb__block_bytes(n_valid * sizeof(double)) + mxb__block_bytes(n_kept * sizeof(double)) +
                     mxb__block_bytes(n_scratch * sizeof(double));
    for (size_t i = 0; i < N_LEARNERS; i++) {
        if (mxb__schedule_probability(&training->params, mxb__learners[i]) > 0.0) {
            n_bytes += mxb__block_bytes(mxb__learners[i]->workspace_bytes(&input));
        }
    }
    return n_bytes;
}

mxb_status mxb__member_init(struct member *member, const struct training *training, uint32_t which,
                            const mxb_model *from, const struct scaling *scaling, double base_score, mxb_error *error) {
    memset(member, 0, sizeof *member);
    member->options = read_options(training, which);
    MXB_TRY(make_model(member, training, which, from, scaling, error));
    MXB_TRY(make_rows(member, training, error));
    MXB_TRY(make_workspaces(member, training, error));
    for (size_t i = 0; i < training->prepared->n_rows; i++) {
        member->scores[i] = base_score;
    }
    for (size_t i = 0; training->valid != NULL && i < training->valid->n_rows; i++) {
        member->valid_scores[i] = base_score;
    }
    return MXB_OK;
}

void mxb__member_clear(struct member *member) {
    mxb_model_free(member->model);
    mxb__free(member->scores);
    mxb__free(member->g);
    mxb__free(member->h);
    mxb__free(member->valid_scores);
    mxb__free(member->scratch);
    mxb__free(member->kept);
    for (size_t i = 0; i < N_LEARNERS; i++) {
        mxb__free(member->workspaces[i]);
    }
    memset(member, 0, sizeof *member);
}

/* ---- gradients ---- */

struct loss_rows mxb__member_rows(const struct labels *labels, const double *scores) {
    struct loss_rows rows = {.n_rows = labels->n_rows,
                             .labels = labels->values,
                             .is_1 = labels->is_1,
                             .weights = labels->weights,
                             .weight_sum = labels->sum,
                             .scores = scores};
    return rows;
}

static double *kept_scores(const struct member *member, const struct training *training, uint32_t round, int is_valid) {
    size_t n = training->prepared->n_rows;
    size_t n_valid = training->valid == NULL ? 0 : training->valid->n_rows;
    return member->kept + round % training->n_ahead * (n + n_valid) + (is_valid ? n : 0);
}

static void keep_scores(struct member *member, const struct training *training, uint32_t round) {
    size_t n = training->prepared->n_rows;
    memcpy(kept_scores(member, training, round, 0), member->scores, n * sizeof *member->kept);
    if (training->valid != NULL) {
        size_t n_valid = training->valid->n_rows;
        memcpy(kept_scores(member, training, round, 1), member->valid_scores, n_valid * sizeof *member->kept);
    }
}

const double *mxb__member_scores(const struct member *member, const struct training *training, uint32_t round,
                                 int is_valid) {
    if (member->kept != NULL) {
        return kept_scores(member, training, round, is_valid);
    }
    return is_valid ? member->valid_scores : member->scores;
}

mxb_status mxb__member_measure(struct member *member, const struct training *training, uint32_t round,
                               struct pool *pool, mxb_error *error) {
    const mxb_prepared *prepared = training->prepared;
    struct loss_place place = {"the training data", prepared->view->rows, round};
    struct loss_rows rows = mxb__member_rows(&prepared->labels, member->scores);
    rows.g = member->g;
    rows.h = member->h;
    rows.only_derivatives = mxb__param_count(&training->params, OPTION_N_MEMBERS) > 1;
    MXB_TRY(
        mxb__objective_measure(&training->objective, &rows, &place, pool, member->scratch, &member->measured, error));
    member->n_measured = round;
    if (member->kept != NULL) {
        keep_scores(member, training, round);
    }
    return MXB_OK;
}

int mxb__member_is_finite(const struct member *member) {
    return isfinite(member->measured.range.max_abs_g) && isfinite(member->measured.range.max_h);
}

/* ---- rounds ---- */

/* The term goes to the scores last: until then a caller's learner may stop the round, and nothing has changed. */
static mxb_status add_round(struct member *member, const struct training *training, const struct pools *pools,
                            mxb_error *error) {
    mxb_model *model = member->model;
    struct draw draw;
    const struct learner_ops *learner =
        mxb__schedule_draw(&training->params, member->options.seed, model->n_terms + 1, &draw);
    struct fit_input input = mxb__member_fit_input(member, training);
    input.tree_pool = pools->tree;
    input.ridge_pool = pools->ridge;
    input.kernel_pool = pools->kernel;
    size_t which = 0;
    while (mxb__learners[which] != learner) {
        which++;
    }
    struct term term;
    MXB_TRY(learner->fit(&input, &draw, member->workspaces[which], &term, error));
    mxb_status status = MXB_OK;
    if (training->valid != NULL) {
        status = learner->add_valid(&input, &term, member->workspaces[which], member->valid_scores, error);
    }
    if (status == MXB_OK) {
        status = mxb__model_add_term(model, &term, error);
    }
    if (status != MXB_OK) {
        mxb__term_clear(&term);
        return status;
    }
    learner->add(&input, member->workspaces[which], member->scores);
    return MXB_OK;
}

mxb_status mxb__member_run(struct member *member, const struct training *training, uint32_t until_round,
                           const struct pools *pools, mxb_error *error) {
    while (member->n_measured < until_round && mxb__member_is_finite(member)) {
        if (member->model->n_terms == member->n_measured) {
            MXB_TRY(add_round(member, training, pools, error));
        }
        MXB_TRY(mxb__member_measure(member, training, member->model->n_terms, pools->all, error));
    }
    return MXB_OK;
}

mxb_status mxb__member_add_old_round(struct member *member, const struct training *training, uint32_t round,
                                     struct pool *pool, mxb_error *error) {
    const mxb_model *model = member->model;
    const struct term *term = &model->terms[round - 1];
    MXB_TRY(mxb__model_add_term_values(model, term, training->prepared->view, pool, member->scores, error));
    if (training->valid != NULL) {
        MXB_TRY(mxb__model_add_term_values(model, term, training->valid, pool, member->valid_scores, error));
    }
    return MXB_OK;
}
