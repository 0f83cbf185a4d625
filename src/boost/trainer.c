/* The boosting loop, the one there is: Algorithm 1 of the paper behind a trainer that can pause. Knows nothing of the
 * insides of a term. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "boost/early_stop.h"
#include "boost/params.h"
#include "boost/schedule.h"
#include "data/dataset.h"
#include "data/prepared.h"
#include "learner/learner.h"
#include "loss/loss.h"
#include "model/model.h"

enum { N_LEARNERS = 2, UPDATE_ROWS = 8192 };

static const struct learner_ops *const LEARNERS[N_LEARNERS] = {&mxb__tree_learner, &mxb__fourier_learner};

struct mxb_trainer {
    const mxb_prepared *prepared;
    const mxb_dataset *valid; /* NULL: none */
    mxb_params params;
    const struct loss *loss;
    const struct kernels *kernels;
    struct learner_options options;
    char *workspaces[N_LEARNERS]; /* NULL for a class that is never drawn */

    mxb_model *model; /* all rounds so far */
    double *scores;   /* [n_rows] of the training rows */
    double *g;        /* [n_rows] at these scores */
    double *h;
    double *step; /* [n_rows] what the round's term adds, before the learning rate */
    struct gradient_range range;
    struct labels valid_labels;
    double *valid_scores;
    double *scratch; /* of the loss */

    struct early_stop stop;
    int is_done;
    int has_failed;
};

/* ---- preparing ---- */

static struct prepare_settings prepare_settings_of(const mxb_params *params) {
    struct prepare_settings settings = {
        .two_classes = mxb__loss_find(params->texts[OPTION_OBJECTIVE])->two_classes,
        .hist_nbins = mxb__param_count(params, OPTION_HIST_NBINS),
        .scaling = (enum scaling_kind)mxb__param(params, OPTION_FOURIER_SCALING),
    };
    return settings;
}

static void copy_params(mxb_params *to, const mxb_params *from) {
    if (from == NULL) {
        mxb__params_init(to);
    } else {
        *to = *from;
    }
}

mxb_status mxb_prepared_create(const mxb_dataset *train, const mxb_params *params, mxb_prepared **prepared,
                               mxb_error *error) {
    mxb_params own;
    *prepared = NULL;
    if (train == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the training data is NULL");
    }
    copy_params(&own, params);
    MXB_TRY(mxb__params_check(&own, error));
    struct prepare_settings settings = prepare_settings_of(&own);
    struct pool *pool = mxb__pool_open(mxb__param_threads(&own, OPTION_N_THREADS));
    mxb_status status = mxb__prepared_create(train, &settings, pool, prepared, error);
    mxb__pool_close(pool);
    return status;
}

/* ---- creating a trainer ---- */

static mxb_status describe_model(mxb_trainer *trainer, mxb_error *error) {
    const mxb_prepared *prepared = trainer->prepared;
    mxb_model *model = trainer->model;
    size_t n_curve = (size_t)mxb__param_count(&trainer->params, OPTION_NUM_ROUND) + 1;
    model->n_features = prepared->n_features;
    model->loss = trainer->loss->two_classes ? MODEL_LOGLOSS : MODEL_MSE;
    memcpy(model->labels, prepared->labels.classes, sizeof model->labels);
    if (prepared->view->columns[0].name != NULL) {
        MXB_TRY(
            mxb__alloc_zeroed(&model->feature_names, model->n_features, sizeof *model->feature_names, "names", error));
        for (uint32_t f = 0; f < model->n_features; f++) {
            MXB_TRY(mxb__copy_text(&model->feature_names[f], prepared->view->columns[f].name, error));
        }
    }
    MXB_TRY(mxb__alloc_zeroed(&model->option_names, N_OPTIONS, sizeof *model->option_names, "options", error));
    MXB_TRY(mxb__alloc_zeroed(&model->option_values, N_OPTIONS, sizeof *model->option_values, "options", error));
    for (enum option option = 0; option < N_OPTIONS; option++) {
        if (mxb__option_is_kept(option)) {
            size_t i = model->n_options++;
            MXB_TRY(mxb__copy_text(&model->option_names[i], mxb_option_name(option), error));
            MXB_TRY(mxb__copy_text(&model->option_values[i], trainer->params.texts[option], error));
        }
    }
    if (mxb__param(&trainer->params, OPTION_TREE_PROBABILITY) < 1.0) {
        MXB_TRY(mxb__scaling_copy(&model->scaling, &prepared->scaling, error));
    }
    MXB_TRY(mxb__alloc(&model->train_curve, n_curve, sizeof *model->train_curve, "the training curve", error));
    if (trainer->valid != NULL) {
        MXB_TRY(mxb__alloc(&model->valid_curve, n_curve, sizeof *model->valid_curve, "the training curve", error));
    }
    return MXB_OK;
}

static void read_options(mxb_trainer *trainer) {
    const mxb_params *params = &trainer->params;
    trainer->options = (struct learner_options){
        .seed = (uint64_t)mxb__param(params, OPTION_RANDOM_STATE),
        .subsample = mxb__param(params, OPTION_SUBSAMPLE),
        .colsample = mxb__param(params, OPTION_COLSAMPLE),
        .lambda_l2 = mxb__param(params, OPTION_LAMBDA_L2),
        .min_child_weight = mxb__param(params, OPTION_MIN_CHILD_WEIGHT),
        .max_max_depth = mxb__param_count(params, OPTION_MAX_MAX_DEPTH),
        .alpha = mxb__param(params, OPTION_ALPHA),
        .fit_intercept = mxb__param(params, OPTION_FIT_INTERCEPT) != 0.0,
        .gamma = mxb__param(params, OPTION_GAMMA),
        .n_components = mxb__param_count(params, OPTION_N_COMPONENTS),
        .tree_n_threads = mxb__param_threads(params, OPTION_TREE_N_THREADS),
        .ridge_n_threads = mxb__param_threads(params, OPTION_RIDGE_N_THREADS),
        .kernel_n_threads = mxb__param_threads(params, OPTION_KERNEL_N_THREADS),
    };
}

static struct fit_input make_fit_input(const mxb_trainer *trainer) {
    struct fit_input input = {
        .prepared = trainer->prepared,
        .kernels = trainer->kernels,
        .options = &trainer->options,
        .g = trainer->g,
        .h = trainer->h,
        .sum_abs_g = trainer->range.sum_abs_g,
        .sum_h = trainer->range.sum_h,
        .max_abs_g = trainer->range.max_abs_g,
        .max_h = trainer->range.max_h,
        .constant_hessian = trainer->loss->constant_hessian,
        .model = trainer->model,
    };
    return input;
}

static mxb_status allocate_rows(mxb_trainer *trainer, mxb_error *error) {
    size_t n = trainer->prepared->n_rows;
    size_t n_valid = trainer->valid == NULL ? 0 : trainer->valid->n_rows;
    size_t n_scratch = mxb__loss_scratch(n > n_valid ? n : n_valid);
    MXB_TRY(mxb__alloc(&trainer->scores, n, sizeof *trainer->scores, "scores", error));
    MXB_TRY(mxb__alloc(&trainer->g, n, sizeof *trainer->g, "gradients", error));
    MXB_TRY(mxb__alloc(&trainer->h, n, sizeof *trainer->h, "hessians", error));
    MXB_TRY(mxb__alloc(&trainer->step, n, sizeof *trainer->step, "steps", error));
    MXB_TRY(mxb__alloc(&trainer->valid_scores, n_valid, sizeof *trainer->valid_scores, "scores", error));
    MXB_TRY(mxb__alloc(&trainer->scratch, n_scratch, sizeof *trainer->scratch, "sums of losses", error));

    struct fit_input input = make_fit_input(trainer);
    double tree_probability = mxb__param(&trainer->params, OPTION_TREE_PROBABILITY);
    for (size_t i = 0; i < N_LEARNERS; i++) {
        double probability = LEARNERS[i] == &mxb__tree_learner ? tree_probability : 1.0 - tree_probability;
        if (probability > 0.0) {
            size_t n_bytes = LEARNERS[i]->workspace_bytes(&input);
            MXB_TRY(mxb__alloc(&trainer->workspaces[i], n_bytes, 1, "a learner's workspace", error));
            memset(trainer->workspaces[i], 0, 64);
        }
    }
    return MXB_OK;
}

/* ---- scores and losses ---- */

static struct loss_rows training_rows(const mxb_trainer *trainer) {
    const struct labels *labels = &trainer->prepared->labels;
    struct loss_rows rows = {trainer->prepared->n_rows, labels->values, labels->weights, labels->sum,
                             labels->largest,           trainer->scores};
    return rows;
}

static struct loss_rows validation_rows(const mxb_trainer *trainer) {
    const struct labels *labels = &trainer->valid_labels;
    struct loss_rows rows = {trainer->valid->n_rows, labels->values,       labels->weights, labels->sum,
                             labels->largest,        trainer->valid_scores};
    return rows;
}

/* Gradients at the present scores and the losses for the curve. */
static mxb_status evaluate(mxb_trainer *trainer, struct pool *pool, mxb_error *error) {
    mxb_model *model = trainer->model;
    uint32_t round = model->n_rounds;
    struct loss_rows rows = training_rows(trainer);
    trainer->range = mxb__loss_gradients(trainer->loss, &rows, pool, trainer->scratch, trainer->g, trainer->h);
    model->train_curve[round] = mxb__loss_metric(trainer->loss, &rows, pool, trainer->scratch);
    double worst = model->train_curve[round];
    if (trainer->valid != NULL) {
        rows = validation_rows(trainer);
        model->valid_curve[round] = mxb__loss_metric(trainer->loss, &rows, pool, trainer->scratch);
        worst = fmax(worst, model->valid_curve[round]);
    }
    model->n_curve = round;
    if (!isfinite(worst) || isnan(model->train_curve[round]) || !isfinite(trainer->range.max_abs_g)) {
        return mxb__fail(error, MXB_ERROR_DATA,
                         "the loss or its gradient after round %u is not finite; labels, weights or base_score are too "
                         "large, or learning_rate is",
                         round);
    }
    return MXB_OK;
}

static mxb_status start(mxb_trainer *trainer, mxb_error *error) {
    struct loss_rows rows = training_rows(trainer);
    double base_score = mxb__param(&trainer->params, OPTION_BASE_SCORE);
    if (isnan(base_score)) {
        base_score = mxb__loss_start(trainer->loss, &rows);
    }
    trainer->model->base_score = base_score;
    for (size_t i = 0; i < trainer->prepared->n_rows; i++) {
        trainer->scores[i] = base_score;
    }
    for (size_t i = 0; trainer->valid != NULL && i < trainer->valid->n_rows; i++) {
        trainer->valid_scores[i] = base_score;
    }
    struct pool *pool = mxb__pool_open(mxb__param_threads(&trainer->params, OPTION_N_THREADS));
    mxb_status status = evaluate(trainer, pool, error);
    mxb__pool_close(pool);
    if (status == MXB_OK && trainer->valid != NULL) {
        mxb__early_stop_init(&trainer->stop, mxb__param_count(&trainer->params, OPTION_EARLY_STOPPING_ROUNDS),
                             trainer->model->valid_curve[0]);
    }
    return status;
}

static mxb_status set_up(mxb_trainer *trainer, mxb_error *error) {
    MXB_TRY(mxb__params_check(&trainer->params, error));
    struct prepare_settings wanted = prepare_settings_of(&trainer->params);
    const struct prepare_settings *had = &trainer->prepared->settings;
    if (wanted.two_classes != had->two_classes || wanted.hist_nbins != had->hist_nbins ||
        wanted.scaling != had->scaling) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "objective, hist_nbins or fourier_scaling differ from those the data was prepared with");
    }
    trainer->loss = mxb__loss_find(trainer->params.texts[OPTION_OBJECTIVE]);
    trainer->kernels = mxb__kernels();
    read_options(trainer);
    MXB_TRY(mxb__model_create(&trainer->model, error));
    MXB_TRY(describe_model(trainer, error));
    if (trainer->valid != NULL) {
        MXB_TRY(mxb__dataset_check_features(trainer->valid, trainer->model->feature_names, trainer->model->n_features,
                                            "the training data", error));
        MXB_TRY(mxb__labels_read(trainer->valid, trainer->loss->two_classes, trainer->model->labels,
                                 "the validation data", &trainer->valid_labels, error));
    }
    MXB_TRY(allocate_rows(trainer, error));
    return start(trainer, error);
}

mxb_status mxb_trainer_create(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params,
                              mxb_trainer **trainer, mxb_error *error) {
    *trainer = NULL;
    if (prepared == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the prepared data is NULL");
    }
    mxb_trainer *made;
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "a trainer", error));
    made->prepared = prepared;
    made->valid = valid;
    copy_params(&made->params, params);
    mxb_status status = set_up(made, error);
    if (status != MXB_OK) {
        mxb_trainer_free(made);
        return status;
    }
    *trainer = made;
    return MXB_OK;
}

void mxb_trainer_free(mxb_trainer *trainer) {
    if (trainer == NULL) {
        return;
    }
    mxb_model_free(trainer->model);
    mxb__labels_clear(&trainer->valid_labels);
    mxb__free(trainer->scores);
    mxb__free(trainer->g);
    mxb__free(trainer->h);
    mxb__free(trainer->step);
    mxb__free(trainer->valid_scores);
    mxb__free(trainer->scratch);
    for (size_t i = 0; i < N_LEARNERS; i++) {
        mxb__free(trainer->workspaces[i]);
    }
    mxb__free(trainer);
}

/* ---- rounds ---- */

/* Pools of one call; equal thread counts share one. */
struct pools {
    struct pool *all;
    struct pool *tree;
    struct pool *ridge;
    struct pool *kernel;
};

static struct pools open_pools(const mxb_trainer *trainer) {
    uint32_t n_threads = mxb__param_threads(&trainer->params, OPTION_N_THREADS);
    const struct learner_options *options = &trainer->options;
    struct pools pools;
    pools.all = mxb__pool_open(n_threads);
    pools.tree = options->tree_n_threads == n_threads ? pools.all : mxb__pool_open(options->tree_n_threads);
    pools.ridge = options->ridge_n_threads == n_threads ? pools.all : mxb__pool_open(options->ridge_n_threads);
    pools.kernel = options->kernel_n_threads == n_threads ? pools.all : mxb__pool_open(options->kernel_n_threads);
    return pools;
}

static void close_pools(struct pools *pools) {
    struct pool *others[] = {pools->tree, pools->ridge, pools->kernel};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i] != pools->all) {
            mxb__pool_close(others[i]);
        }
    }
    mxb__pool_close(pools->all);
}

struct update_task {
    mxb_trainer *trainer;
    double rate;
};

static void add_step(void *context, size_t block, size_t thread) {
    struct update_task *task = context;
    mxb_trainer *trainer = task->trainer;
    (void)thread;
    size_t end = block * UPDATE_ROWS + mxb__block_length(trainer->prepared->n_rows, UPDATE_ROWS, block);
    for (size_t i = block * UPDATE_ROWS; i < end; i++) {
        trainer->scores[i] += task->rate * trainer->step[i];
    }
}

static mxb_status fit_term(mxb_trainer *trainer, const struct pools *pools, struct term *term, mxb_error *error) {
    struct draw draw;
    const struct learner_ops *learner = mxb__schedule_draw(&trainer->params, trainer->model->n_rounds + 1, &draw);
    struct fit_input input = make_fit_input(trainer);
    input.tree_pool = pools->tree;
    input.ridge_pool = pools->ridge;
    input.kernel_pool = pools->kernel;
    size_t which = 0;
    while (LEARNERS[which] != learner) {
        which++;
    }
    return learner->fit(&input, &draw, trainer->workspaces[which], term, trainer->step, error);
}

static mxb_status run_round(mxb_trainer *trainer, const struct pools *pools, mxb_error *error) {
    size_t n = trainer->prepared->n_rows;
    mxb_model *model = trainer->model;
    struct update_task update = {trainer, mxb__param(&trainer->params, OPTION_LEARNING_RATE)};
    struct term term;
    MXB_TRY(fit_term(trainer, pools, &term, error));
    mxb__term_scale(&term, update.rate, model->projections);
    mxb_status status = MXB_OK;
    if (trainer->valid != NULL) {
        status = mxb__model_add_term_values(model, &term, trainer->valid, pools->all, trainer->valid_scores, error);
    }
    if (status == MXB_OK) {
        status = mxb__model_add_term(model, &term, error);
    }
    if (status != MXB_OK) {
        mxb__term_clear(&term);
        return status;
    }
    mxb__pool_run(pools->all, mxb__n_blocks(n, UPDATE_ROWS), (double)n, add_step, &update);
    MXB_TRY(evaluate(trainer, pools->all, error));
    trainer->is_done = model->n_rounds == mxb__param_count(&trainer->params, OPTION_NUM_ROUND);
    if (trainer->valid != NULL &&
        mxb__early_stop_add(&trainer->stop, model->n_rounds, model->valid_curve[model->n_rounds])) {
        trainer->is_done = 1;
    }
    return MXB_OK;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

mxb_status mxb_trainer_run(mxb_trainer *trainer, size_t until_round, mxb_progress_fn progress, void *context,
                           mxb_error *error) {
    if (trainer->has_failed) {
        return mxb__fail(error, MXB_ERROR_PARAM, "this training has failed before and can only be freed");
    }
    double began = seconds_now();
    mxb_status status = MXB_OK;
    mxb_model *model = trainer->model;
    struct pools pools = open_pools(trainer);
    while (status == MXB_OK && !trainer->is_done && model->n_rounds < until_round) {
        status = run_round(trainer, &pools, error);
        trainer->has_failed = status != MXB_OK;
        if (status == MXB_OK && progress != NULL) {
            uint32_t round = model->n_rounds;
            double valid_loss = trainer->valid == NULL ? (double)NAN : model->valid_curve[round];
            if (!progress(context, round, model->train_curve[round], valid_loss, seconds_now() - began)) {
                status = mxb__fail(error, MXB_STOPPED, "training was stopped after round %u", round);
            }
        }
    }
    close_pools(&pools);
    return status;
}

size_t mxb_trainer_n_rounds(const mxb_trainer *trainer) { return trainer->model->n_rounds; }

int mxb_trainer_is_done(const mxb_trainer *trainer) { return trainer->is_done; }

mxb_status mxb_trainer_model(const mxb_trainer *trainer, mxb_model **model, mxb_error *error) {
    *model = NULL;
    if (trainer->has_failed) {
        return mxb__fail(error, MXB_ERROR_PARAM, "this training has failed before and can only be freed");
    }
    int stops_early = trainer->valid != NULL && trainer->stop.patience > 0;
    uint32_t n_rounds = stops_early ? trainer->stop.best_round : trainer->model->n_rounds;
    mxb_model *made;
    MXB_TRY(mxb__model_copy(trainer->model, n_rounds, &made, error));
    made->stopped_early = stops_early ? 1 : 0;
    mxb_status status = mxb__model_build(made, error);
    if (status != MXB_OK) {
        mxb_model_free(made);
        return status;
    }
    *model = made;
    return MXB_OK;
}

mxb_status mxb_train(const mxb_dataset *train, const mxb_dataset *valid, const mxb_params *params,
                     mxb_progress_fn progress, void *context, mxb_model **model, mxb_error *error) {
    mxb_prepared *prepared = NULL;
    mxb_trainer *trainer = NULL;
    *model = NULL;
    mxb_status status = mxb_prepared_create(train, params, &prepared, error);
    if (status == MXB_OK) {
        status = mxb_trainer_create(prepared, valid, params, &trainer, error);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_run(trainer, SIZE_MAX, progress, context, error);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_model(trainer, model, error);
    }
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    return status;
}
