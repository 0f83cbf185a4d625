/* The boosting loop, the one there is: Algorithm 1 of the paper behind a trainer that can pause. Knows nothing of the
 * insides of a term. */
#include "boost/trainer.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/parallel.h"

enum { MEAN_ROWS = 4096 };

/* ---- losses ---- */

/* Rows that the metric is taken of. */
struct mean_rows {
    const mxb_trainer *trainer;
    const struct labels *labels;
    int is_valid;
    struct loss_place place;
};

static const double *scores_of(const struct mean_rows *rows, uint32_t member) {
    const mxb_trainer *trainer = rows->trainer;
    return mxb__member_scores(&trainer->members[member], &trainer->training, rows->place.round, rows->is_valid);
}

static void mean_block(void *context, size_t index, size_t thread) {
    const struct mean_rows *rows = context;
    const mxb_trainer *trainer = rows->trainer;
    size_t first = index * MEAN_ROWS;
    size_t n = mxb__block_length(rows->labels->n_rows, MEAN_ROWS, index);
    double *means = trainer->means + first;
    (void)thread;
    memcpy(means, scores_of(rows, 0) + first, n * sizeof *means);
    for (uint32_t m = 1; m < trainer->n_members; m++) {
        const double *scores = scores_of(rows, m) + first;
        for (size_t i = 0; i < n; i++) {
            means[i] += scores[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        means[i] /= (double)trainer->n_members;
    }
}

/* The metric of the mean of the members' scores. */
static mxb_status take_metric(const struct mean_rows *rows, struct pool *pool, double *metric, mxb_error *error) {
    const mxb_trainer *trainer = rows->trainer;
    const double *scores = scores_of(rows, 0);
    size_t n_rows = rows->labels->n_rows;
    struct measurement measured;
    if (trainer->n_members > 1) {
        double work = (double)n_rows * (double)trainer->n_members;
        mxb__pool_run(pool, mxb__n_blocks(n_rows, MEAN_ROWS), work, mean_block, (void *)rows);
        scores = trainer->means;
    }
    struct loss_rows loss_rows = mxb__member_rows(rows->labels, scores);
    MXB_TRY(mxb__objective_measure(&trainer->training.objective, &loss_rows, &rows->place, pool,
                                   trainer->members[0].scratch, &measured, error));
    *metric = measured.metric;
    return MXB_OK;
}

static mxb_status take_metrics(mxb_trainer *trainer, uint32_t round, struct pool *pool, mxb_error *error) {
    const struct training *training = &trainer->training;
    const mxb_prepared *prepared = training->prepared;
    mxb_model *model = trainer->model;
    if (trainer->n_members == 1) { /* it came with the gradients */
        model->train_curve[round] = trainer->members[0].measured.metric;
    } else {
        struct mean_rows rows = {trainer, &prepared->labels, 0, {"the training data", prepared->view->rows, round}};
        MXB_TRY(take_metric(&rows, pool, &model->train_curve[round], error));
    }
    if (training->valid == NULL) {
        return MXB_OK;
    }
    struct mean_rows rows = {trainer, &trainer->valid_labels, 1, {"the validation data", training->valid->rows, round}};
    return take_metric(&rows, pool, &model->valid_curve[round], error);
}

/* A member whose gradients are not finite has gone no further. */
static int is_finite_after(const mxb_trainer *trainer, uint32_t round) {
    const mxb_model *model = trainer->model;
    int is_finite =
        isfinite(model->train_curve[round]) && (trainer->training.valid == NULL || isfinite(model->valid_curve[round]));
    for (uint32_t m = 0; m < trainer->n_members; m++) {
        const struct member *member = &trainer->members[m];
        is_finite = is_finite && (member->n_measured > round || mxb__member_is_finite(member));
    }
    return is_finite;
}

mxb_status mxb__trainer_judge(mxb_trainer *trainer, uint32_t round, struct pool *pool, mxb_error *error) {
    const struct training *training = &trainer->training;
    mxb_model *model = trainer->model;
    MXB_TRY(take_metrics(trainer, round, pool, error));
    model->n_curve = round;
    if (!is_finite_after(trainer, round)) {
        return mxb__fail(error, MXB_ERROR_DATA,
                         "the loss or its gradient after round %u is not finite; labels, weights or base_score are too "
                         "large, or learning_rate is",
                         round);
    }
    trainer->is_done = round == mxb__param_rounds(&training->params);
    if (training->valid != NULL && round == 0) {
        mxb__early_stop_init(&trainer->stop, mxb__param_count(&training->params, OPTION_EARLY_STOPPING_ROUNDS),
                             model->valid_curve[0]);
    } else if (training->valid != NULL && mxb__early_stop_add(&trainer->stop, round, model->valid_curve[round])) {
        trainer->is_done = 1;
    }
    return MXB_OK;
}

/* ---- threads ---- */

/* Threads of one call: some members at once, each with pools of its own. */
struct crew {
    struct pool *members; /* its threads run a member each; NULL: one after the other */
    struct pools of_thread[MXB__MAX_MEMBERS];
};

static struct pools open_pools(const struct training *training) {
    uint32_t n_threads = mxb__member_threads(training, OPTION_N_THREADS);
    uint32_t n_tree = mxb__member_threads(training, OPTION_TREE_N_THREADS);
    uint32_t n_ridge = mxb__member_threads(training, OPTION_RIDGE_N_THREADS);
    uint32_t n_kernel = mxb__member_threads(training, OPTION_KERNEL_N_THREADS);
    struct pools pools;
    pools.all = mxb__pool_open(n_threads);
    pools.tree = n_tree == n_threads ? pools.all : mxb__pool_open(n_tree);
    pools.ridge = n_ridge == n_threads ? pools.all : mxb__pool_open(n_ridge);
    pools.kernel = n_kernel == n_threads ? pools.all : mxb__pool_open(n_kernel);
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

static void open_crew(struct crew *crew, const struct training *training) {
    crew->members = mxb__pool_open(training->n_at_once);
    for (uint32_t i = 0; i < training->n_at_once; i++) {
        crew->of_thread[i] = open_pools(training);
    }
}

static void close_crew(struct crew *crew, const struct training *training) {
    for (uint32_t i = 0; i < training->n_at_once; i++) {
        close_pools(&crew->of_thread[i]);
    }
    mxb__pool_close(crew->members);
}

/* ---- rounds ---- */

struct rounds_work {
    mxb_trainer *trainer;
    const struct crew *crew;
    uint32_t until_round;
    atomic_int has_failed; /* a member; no other then begins */
};

static void run_member(void *context, size_t index, size_t thread) {
    struct rounds_work *work = context;
    struct member *member = &work->trainer->members[index];
    member->status = MXB_OK;
    if (!atomic_load(&work->has_failed)) {
        member->status = mxb__member_run(member, &work->trainer->training, work->until_round,
                                         &work->crew->of_thread[thread], &member->error);
    }
    if (member->status != MXB_OK) {
        atomic_store(&work->has_failed, 1);
    }
}

static mxb_status run_members(mxb_trainer *trainer, const struct crew *crew, uint32_t until_round, mxb_error *error) {
    struct rounds_work work = {.trainer = trainer, .crew = crew, .until_round = until_round};
    double nanoseconds = 1e4 + 50.0 * (double)trainer->training.prepared->n_rows; /* a guess, of a round */
    mxb__pool_run(crew->members, trainer->n_members, trainer->n_members * nanoseconds, run_member, &work);
    for (uint32_t m = 0; m < trainer->n_members; m++) {
        const struct member *member = &trainer->members[m];
        if (member->status != MXB_OK) {
            return mxb__fail(error, member->status, "%s", member->error.message);
        }
    }
    return MXB_OK;
}

/* The curve has as many rounds as are done. */
static uint32_t rounds_done(const mxb_trainer *trainer) { return trainer->model->n_curve; }

static int all_have(const mxb_trainer *trainer, uint32_t round) {
    int all = 1;
    for (uint32_t m = 0; m < trainer->n_members; m++) {
        all = all && trainer->members[m].n_measured >= round;
    }
    return all;
}

/* Judges the next round, after the members have trained it and maybe some more, up to `until_round`. */
static mxb_status run_round(mxb_trainer *trainer, const struct crew *crew, size_t until_round, mxb_error *error) {
    uint32_t round = rounds_done(trainer) + 1;
    if (!all_have(trainer, round)) {
        uint32_t num_round = mxb__param_rounds(&trainer->training.params);
        uint32_t last = round - 1 + trainer->training.n_ahead;
        last = last < num_round ? last : num_round;
        MXB_TRY(run_members(trainer, crew, last < until_round ? last : (uint32_t)until_round, error));
    }
    struct pool *pool = crew->members != NULL ? crew->members : crew->of_thread[0].all;
    return mxb__trainer_judge(trainer, round, pool, error);
}

mxb_status mxb_trainer_run(mxb_trainer *trainer, size_t until_round, mxb_progress_fn progress, void *context,
                           mxb_error *error) {
    if (trainer == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "trainer is NULL");
    }
    if (trainer->has_failed) {
        return mxb__fail(error, MXB_ERROR_PARAM, "this training has failed before and can only be freed");
    }
    double began = mxb__seconds_now();
    mxb_status status = MXB_OK;
    mxb_model *model = trainer->model;
    struct crew crew;
    open_crew(&crew, &trainer->training);
    while (status == MXB_OK && !trainer->is_done && rounds_done(trainer) < until_round) {
        status = run_round(trainer, &crew, until_round, error);
        trainer->has_failed = status != MXB_OK && status != MXB_STOPPED;
        if (status == MXB_OK && progress != NULL) {
            uint32_t round = model->n_curve;
            double valid_loss = trainer->training.valid == NULL ? (double)NAN : model->valid_curve[round];
            if (!progress(context, round, model->train_curve[round], valid_loss, mxb__seconds_now() - began)) {
                status = mxb__fail(error, MXB_STOPPED, "training was stopped after round %u", round);
            }
        }
    }
    close_crew(&crew, &trainer->training);
    return status;
}

size_t mxb_trainer_n_rounds(const mxb_trainer *trainer) { return rounds_done(trainer); }

double mxb_trainer_curve(const mxb_trainer *trainer, size_t round, int valid) {
    return trainer == NULL ? (double)NAN : mxb_model_curve(trainer->model, round, valid);
}

int mxb_trainer_is_done(const mxb_trainer *trainer) { return trainer->is_done; }

static mxb_status join_members(const mxb_trainer *trainer, uint32_t n_rounds, mxb_model *model, mxb_error *error) {
    const mxb_model *members[MXB__MAX_MEMBERS];
    for (uint32_t m = 0; m < trainer->n_members; m++) {
        members[m] = trainer->members[m].model;
    }
    return mxb__members_join(model, members, n_rounds, error);
}

mxb_status mxb_trainer_model(const mxb_trainer *trainer, mxb_model **model, mxb_error *error) {
    if (model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the model is NULL");
    }
    *model = NULL;
    if (trainer == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "trainer is NULL");
    }
    if (trainer->has_failed) {
        return mxb__fail(error, MXB_ERROR_PARAM, "this training has failed before and can only be freed");
    }
    int stops_early = trainer->training.valid != NULL && trainer->stop.patience > 0;
    uint32_t n_rounds = stops_early ? trainer->stop.best_round : rounds_done(trainer);
    mxb_model *made;
    MXB_TRY(mxb__model_copy_empty(trainer->model, &made, error));
    made->stopped_early = stops_early ? 1 : 0;
    mxb_status status = join_members(trainer, n_rounds, made, error);
    if (status == MXB_OK) {
        status = mxb__model_build(made, error);
    }
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
    if (model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the model is NULL");
    }
    *model = NULL;
    mxb__params_init(&own);
    if (params != NULL) {
        own = *params;
    }
    MXB_TRY(mxb_choose_rounds(rows, valid, &own, progress, context, error));
    return train(rows, valid, &own, progress, context, model, error);
}
