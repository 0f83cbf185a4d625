/* The boosting loop, the one there is: Algorithm 1 of the paper behind a trainer that can pause. Knows nothing of the
 * insides of a term. */
#include "boost/trainer.h"

#include <math.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/parallel.h"
#include "boost/schedule.h"

/* ---- losses ---- */

static struct loss_rows rows_of(const struct labels *labels, const double *scores) {
    struct loss_rows rows = {.n_rows = labels->n_rows,
                             .labels = labels->values,
                             .is_1 = labels->is_1,
                             .weights = labels->weights,
                             .weight_sum = labels->sum,
                             .scores = scores};
    return rows;
}

/* Gradients at the present scores, and the losses for the curve: one pass over each set of rows. */
static mxb_status measure(mxb_trainer *trainer, uint32_t round, struct pool *pool, mxb_error *error) {
    const struct objective *objective = &trainer->objective;
    mxb_model *model = trainer->model;
    struct loss_rows rows = rows_of(&trainer->prepared->labels, trainer->scores);
    rows.g = trainer->g;
    rows.h = trainer->h;
    struct loss_place place = {"the training data", trainer->prepared->view->rows, round};
    struct measurement measured;
    MXB_TRY(mxb__objective_measure(objective, &rows, &place, pool, trainer->scratch, &measured, error));
    trainer->range = measured.range;
    model->train_curve[round] = measured.metric;
    if (trainer->valid == NULL) {
        return MXB_OK;
    }
    rows = rows_of(&trainer->valid_labels, trainer->valid_scores);
    place = (struct loss_place){"the validation data", trainer->valid->rows, round};
    MXB_TRY(mxb__objective_measure(objective, &rows, &place, pool, trainer->scratch, &measured, error));
    model->valid_curve[round] = measured.metric;
    return MXB_OK;
}

mxb_status mxb__trainer_evaluate(mxb_trainer *trainer, uint32_t round, struct pool *pool, mxb_error *error) {
    mxb_model *model = trainer->model;
    MXB_TRY(measure(trainer, round, pool, error));
    int is_finite = isfinite(model->train_curve[round]) && isfinite(trainer->range.max_abs_g) &&
                    isfinite(trainer->range.max_h) && (trainer->valid == NULL || isfinite(model->valid_curve[round]));
    model->n_curve = round;
    if (!is_finite) {
        return mxb__fail(error, MXB_ERROR_DATA,
                         "the loss or its gradient after round %u is not finite; labels, weights or base_score are too "
                         "large, or learning_rate is",
                         round);
    }
    trainer->is_done = round == mxb__param_rounds(&trainer->params);
    if (trainer->valid != NULL && round == 0) {
        mxb__early_stop_init(&trainer->stop, mxb__param_count(&trainer->params, OPTION_EARLY_STOPPING_ROUNDS),
                             model->valid_curve[0]);
    } else if (trainer->valid != NULL && mxb__early_stop_add(&trainer->stop, round, model->valid_curve[round])) {
        trainer->is_done = 1;
    }
    return MXB_OK;
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

/* The term goes to the scores last: until then a caller's learner may stop the round, and nothing has changed. */
static mxb_status add_round(mxb_trainer *trainer, const struct pools *pools, mxb_error *error) {
    mxb_model *model = trainer->model;
    struct draw draw;
    const struct learner_ops *learner = mxb__schedule_draw(&trainer->params, model->n_rounds + 1, &draw);
    struct fit_input input = mxb__trainer_fit_input(trainer);
    input.tree_pool = pools->tree;
    input.ridge_pool = pools->ridge;
    input.kernel_pool = pools->kernel;
    size_t which = 0;
    while (mxb__learners[which] != learner) {
        which++;
    }
    struct term term;
    MXB_TRY(learner->fit(&input, &draw, trainer->workspaces[which], &term, error));
    mxb_status status = MXB_OK;
    if (trainer->valid != NULL) {
        status = learner->add_valid(&input, &term, trainer->workspaces[which], trainer->valid_scores, error);
    }
    if (status == MXB_OK) {
        status = mxb__model_add_term(model, &term, error);
    }
    if (status != MXB_OK) {
        mxb__term_clear(&term);
        return status;
    }
    learner->add(&input, trainer->workspaces[which], trainer->scores);
    return MXB_OK;
}

/* Where a caller's loss stopped the training in the middle of a round, the rest of that round. */
static mxb_status run_round(mxb_trainer *trainer, const struct pools *pools, mxb_error *error) {
    if (!trainer->is_unjudged) {
        MXB_TRY(add_round(trainer, pools, error));
        trainer->is_unjudged = 1;
    }
    MXB_TRY(mxb__trainer_evaluate(trainer, trainer->model->n_rounds, pools->all, error));
    trainer->is_unjudged = 0;
    return MXB_OK;
}

static uint32_t rounds_done(const mxb_trainer *trainer) {
    return trainer->model->n_rounds - (trainer->is_unjudged ? 1 : 0);
}

mxb_status mxb_trainer_run(mxb_trainer *trainer, size_t until_round, mxb_progress_fn progress, void *context,
                           mxb_error *error) {
    if (trainer->has_failed) {
        return mxb__fail(error, MXB_ERROR_PARAM, "this training has failed before and can only be freed");
    }
    double began = mxb__seconds_now();
    mxb_status status = MXB_OK;
    mxb_model *model = trainer->model;
    struct pools pools = open_pools(trainer);
    while (status == MXB_OK && !trainer->is_done && rounds_done(trainer) < until_round) {
        status = run_round(trainer, &pools, error);
        trainer->has_failed = status != MXB_OK && status != MXB_STOPPED;
        if (status == MXB_OK && progress != NULL) {
            uint32_t round = model->n_rounds;
            double valid_loss = trainer->valid == NULL ? (double)NAN : model->valid_curve[round];
            if (!progress(context, round, model->train_curve[round], valid_loss, mxb__seconds_now() - began)) {
                status = mxb__fail(error, MXB_STOPPED, "training was stopped after round %u", round);
            }
        }
    }
    close_pools(&pools);
    return status;
}

size_t mxb_trainer_n_rounds(const mxb_trainer *trainer) { return rounds_done(trainer); }

double mxb_trainer_curve(const mxb_trainer *trainer, size_t round, int valid) {
    return trainer == NULL ? (double)NAN : mxb_model_curve(trainer->model, round, valid);
}

int mxb_trainer_is_done(const mxb_trainer *trainer) { return trainer->is_done; }

mxb_status mxb_trainer_model(const mxb_trainer *trainer, mxb_model **model, mxb_error *error) {
    *model = NULL;
    if (trainer->has_failed) {
        return mxb__fail(error, MXB_ERROR_PARAM, "this training has failed before and can only be freed");
    }
    int stops_early = trainer->valid != NULL && trainer->stop.patience > 0;
    uint32_t n_rounds = stops_early ? trainer->stop.best_round : rounds_done(trainer);
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

static mxb_status train(const mxb_dataset *train, const mxb_dataset *valid, const mxb_params *params,
                        mxb_progress_fn progress, void *context, mxb_model **model, mxb_error *error) {
    mxb_prepared *prepared = NULL;
    mxb_trainer *trainer = NULL;
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

mxb_status mxb_train(const mxb_dataset *rows, const mxb_dataset *valid, const mxb_params *params,
                     mxb_progress_fn progress, void *context, mxb_model **model, mxb_error *error) {
    mxb_params own;
    *model = NULL;
    mxb__params_init(&own);
    if (params != NULL) {
        own = *params;
    }
    size_t n_rounds;
    char text[MXB__NUMBER_SIZE];
    MXB_TRY(mxb_choose_rounds(rows, valid, &own, progress, context, &n_rounds, error));
    mxb__number_format((double)n_rounds, text);
    MXB_TRY(mxb_params_set(&own, "num_round", text, error));
    return train(rows, valid, &own, progress, context, model, error);
}
