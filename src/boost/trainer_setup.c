/* Makes a trainer: checks, describes the model, allocates, and brings the scores to where training begins. Knows
 * nothing of how a round is fitted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "boost/schedule.h"
#include "boost/trainer.h"
#include "data/text_coding.h"
#include "mixboost/tune.h"

/* ---- preparing ---- */

static const enum scaling_kind SCALINGS[] = {SCALING_NONE, SCALING_STANDARD, SCALING_RANK}; /* as the choices */

struct prepare_settings mxb__prepare_settings(const mxb_params *params) {
    int exact = mxb__param(params, OPTION_USE_HISTOGRAMS) == 0.0;
    struct objective objective = mxb__objective_find(&params->own.loss, params->texts[OPTION_OBJECTIVE]);
    struct prepare_settings settings = {
        .two_classes = mxb__objective_two_classes(&objective),
        .hist_nbins = exact ? 0 : mxb__param_count(params, OPTION_HIST_NBINS),
        .scaling = SCALINGS[(int)mxb__param(params, OPTION_FOURIER_SCALING)],
        .exact = exact,
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

/* A feature is prepared by one thread, in memory of its own: more threads than features would only take room. */
static struct pool *open_pool(const mxb_params *params, const mxb_dataset *dataset) {
    size_t n_threads = mxb__param_threads(params, OPTION_N_THREADS);
    return mxb__pool_open(n_threads < dataset->n_columns ? n_threads : dataset->n_columns);
}

mxb_status mxb_prepared_create(const mxb_dataset *train, const mxb_params *params, mxb_prepared **prepared,
                               mxb_error *error) {
    mxb_params own;
    if (prepared == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the prepared data is NULL");
    }
    *prepared = NULL;
    if (train == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the training data is NULL");
    }
    copy_params(&own, params);
    MXB_TRY(mxb__params_check(&own, error));
    struct prepare_settings settings = mxb__prepare_settings(&own);
    struct pool *pool = open_pool(&own, train);
    mxb_status status = mxb__prepared_create(train, &settings, pool, prepared, error);
    mxb__pool_close(pool);
    return status;
}

mxb_status mxb_prepared_create_part(const mxb_prepared *whole, const mxb_dataset *part, const mxb_params *params,
                                    mxb_prepared **prepared, mxb_error *error) {
    mxb_params own;
    *prepared = NULL;
    if (whole == NULL || part == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", whole == NULL ? "whole" : "part");
    }
    copy_params(&own, params);
    struct pool *pool = open_pool(&own, part);
    mxb_status status = mxb__prepared_create_part(whole, part, pool, prepared, error);
    mxb__pool_close(pool);
    return status;
}

/* ---- the model to be ---- */

static mxb_status describe_features(mxb_model *model, const mxb_prepared *prepared, mxb_error *error) {
    model->n_features = prepared->n_features;
    MXB_TRY(mxb__dictionaries_copy(&model->dictionaries, prepared->dictionaries, model->n_features, error));
    if (prepared->view->columns[0].name == NULL) {
        return MXB_OK;
    }
    MXB_TRY(mxb__alloc_zeroed(&model->feature_names, model->n_features, sizeof *model->feature_names, "names", error));
    for (uint32_t f = 0; f < model->n_features; f++) {
        MXB_TRY(mxb__copy_text(&model->feature_names[f], prepared->view->columns[f].name, error));
    }
    return MXB_OK;
}

/* As the model keeps it. */
static const char *option_text(const mxb_params *params, enum option option) {
    return option == OPTION_OBJECTIVE ? mxb__params_loss_name(params) : params->texts[option];
}

static void describe_loss(mxb_model *model, const struct objective *objective) {
    model->loss = mxb__objective_two_classes(objective) ? MODEL_LOGLOSS : MODEL_MSE;
    if (objective->own != NULL) {
        model->loss = MODEL_OWN_LOSS;
        model->own_loss = *objective->own;
        model->has_link = objective->own->link != NULL;
    }
}

static mxb_status describe_options(mxb_model *model, const mxb_params *params, mxb_error *error) {
    MXB_TRY(mxb__alloc_zeroed(&model->option_names, N_OPTIONS, sizeof *model->option_names, "options", error));
    MXB_TRY(mxb__alloc_zeroed(&model->option_values, N_OPTIONS, sizeof *model->option_values, "options", error));
    for (enum option option = 0; option < N_OPTIONS; option++) {
        if (mxb_option_is_kept(option)) {
            size_t i = model->n_options++;
            MXB_TRY(mxb__copy_text(&model->option_names[i], mxb_option_name(option), error));
            MXB_TRY(mxb__copy_text(&model->option_values[i], option_text(params, option), error));
        }
    }
    return MXB_OK;
}

/* All of it but the rounds. */
static mxb_status describe_model(mxb_trainer *trainer, mxb_error *error) {
    const struct training *training = &trainer->training;
    const mxb_prepared *prepared = training->prepared;
    mxb_model *model = trainer->model;
    size_t n_curve = (size_t)mxb__param_rounds(&training->params) + 1;
    model->n_members = mxb__param_count(&training->params, OPTION_N_MEMBERS);
    describe_loss(model, &training->objective);
    memcpy(model->labels, prepared->labels.classes, sizeof model->labels);
    for (size_t k = 0; k < 2 && prepared->labels.class_texts[0] != NULL; k++) {
        MXB_TRY(mxb__copy_text(&model->label_texts[k], prepared->labels.class_texts[k], error));
    }
    MXB_TRY(describe_features(model, prepared, error));
    MXB_TRY(describe_options(model, &training->params, error));
    MXB_TRY(mxb__alloc(&model->train_curve, n_curve, sizeof *model->train_curve, "the training curve", error));
    if (training->valid != NULL) {
        MXB_TRY(mxb__alloc(&model->valid_curve, n_curve, sizeof *model->valid_curve, "the training curve", error));
    }
    return MXB_OK;
}

/* ---- going on from a model ---- */

/* `before` is what a model counts as that was made before there was such an option; NULL: every model has it. */
static mxb_status check_same_option(const struct training *training, const mxb_model *from, enum option option,
                                    const char *before, mxb_error *error) {
    const char *kept = mxb_model_option(from, mxb_option_name(option));
    const char *had = kept != NULL ? kept : before;
    const char *wanted = option_text(&training->params, option);
    if (had == NULL || strcmp(had, wanted) != 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is %s; to go on from a model it must be as in its training, %s",
                         mxb_option_name(option), wanted, had == NULL ? "not known" : had);
    }
    return MXB_OK;
}

static mxb_status check_same_labels(const struct labels *labels, const mxb_model *from, mxb_error *error) {
    char texts[4][96];
    int are_same = 1;
    for (int k = 0; k < 2; k++) {
        const char *text = labels->class_texts[k];
        const char *known = from->label_texts[k];
        are_same &= text != NULL && known != NULL ? strcmp(text, known) == 0
                                                  : text == known && labels->classes[k] == from->labels[k];
        mxb__number_format(labels->classes[k], texts[k]);
        mxb__number_format(from->labels[k], texts[2 + k]);
        if (text != NULL) {
            mxb__quote(texts[k], sizeof texts[k], text, SIZE_MAX);
        }
        if (known != NULL) {
            mxb__quote(texts[2 + k], sizeof texts[2 + k], known, SIZE_MAX);
        }
    }
    return are_same ? MXB_OK
                    : mxb__fail(error, MXB_ERROR_DATA, "the labels are %s and %s; those of the model are %s and %s",
                                texts[0], texts[1], texts[2], texts[3]);
}

/* Old rounds know texts by their numbers, so these must be the same. */
static mxb_status check_same_texts(const mxb_prepared *prepared, const mxb_model *from, mxb_error *error) {
    MXB_TRY(mxb__texts_check(prepared->view, from->dictionaries, "the model", error));
    for (uint32_t f = 0; from->dictionaries != NULL && f < from->n_features; f++) {
        const struct dictionary *now = &prepared->dictionaries[f];
        const struct dictionary *then = &from->dictionaries[f];
        int are_same = now->n_texts == then->n_texts;
        for (uint32_t i = 0; are_same && i < then->n_texts; i++) {
            are_same = strcmp(now->texts[i], then->texts[i]) == 0;
        }
        if (!are_same) {
            char name[80];
            if (from->feature_names == NULL) {
                snprintf(name, sizeof name, "%u", f + 1);
            } else {
                mxb__quote(name, sizeof name, from->feature_names[f], strlen(from->feature_names[f]));
            }
            return mxb__fail(error, MXB_ERROR_DATA,
                             "feature \"%s\" does not have the texts that the model knows; to go on from it they must "
                             "be the same",
                             name);
        }
    }
    return MXB_OK;
}

/* What is auto by the rows or rounds becomes what it was for those of the model. */
static mxb_status follow_model(mxb_params *params, const mxb_model *from, mxb_error *error) {
    static const struct {
        enum option option;
        const char *before; /* as in check_same_option */
    } rows[] = {{OPTION_LEARNING_RATE, NULL},
                {OPTION_TREE_PROBABILITY, NULL},
                {OPTION_ALPHA, NULL},
                {OPTION_FOURIER_LINEAR, "false"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = mxb_option_name(rows[i].option);
        const char *kept = mxb_model_option(from, name);
        const char *had = kept != NULL ? kept : rows[i].before;
        if (isnan(mxb__param(params, rows[i].option)) && had != NULL) {
            MXB_TRY(mxb_params_set(params, name, had, error));
        }
    }
    return MXB_OK;
}

/* What shapes projections; those of the model go on in use. */
static mxb_status check_same_projections(const struct training *training, const mxb_model *from, mxb_error *error) {
    static const struct {
        enum option option;
        const char *before;
    } rows[] = {{OPTION_N_COMPONENTS, NULL},     {OPTION_GAMMA, NULL},        {OPTION_FOURIER_SCALING, NULL},
                {OPTION_N_PROJECTIONS, "1"},     {OPTION_RANDOM_STATE, NULL}, {OPTION_FOURIER_METRIC, "isotropic"},
                {OPTION_FOURIER_LINEAR, "false"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        MXB_TRY(check_same_option(training, from, rows[i].option, rows[i].before, error));
    }
    for (uint32_t p = 0; p < from->n_projections; p++) {
        if (from->projections[p].n_components != mxb__param_count(&training->params, OPTION_N_COMPONENTS)) {
            return mxb__fail(error, MXB_ERROR_PARAM, "projection %u of the model has %u components; its options say %s",
                             p + 1, from->projections[p].n_components, training->params.texts[OPTION_N_COMPONENTS]);
        }
    }
    return MXB_OK;
}

static mxb_status check_from(const struct training *training, const mxb_model *from, mxb_error *error) {
    uint32_t num_round = mxb__param_rounds(&training->params);
    uint32_t n_members = mxb__param_count(&training->params, OPTION_N_MEMBERS);
    MXB_TRY(mxb__dataset_check_features(training->prepared->view, from->feature_names, from->n_features, "the model",
                                        error));
    MXB_TRY(check_same_option(training, from, OPTION_OBJECTIVE, NULL, error));
    MXB_TRY(check_same_option(training, from, OPTION_BASE_SCORE, NULL, error));
    if (from->loss == MODEL_LOGLOSS) {
        MXB_TRY(check_same_labels(&training->prepared->labels, from, error));
    }
    MXB_TRY(check_same_texts(training->prepared, from, error));
    if (mxb_model_n_rounds(from) > num_round) {
        return mxb__fail(error, MXB_ERROR_PARAM, "num_round is %u; the model already has %zu rounds", num_round,
                         mxb_model_n_rounds(from));
    }
    if (from->n_members != n_members) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_members is %u; to go on from a model it must be as there, %u",
                         n_members, from->n_members);
    }
    return from->n_projections > 0 ? check_same_projections(training, from, error) : MXB_OK;
}

/* ---- members ---- */

/* How the inputs of projections are scaled: old rounds go on seeing them as they did. NULL: there are none. */
static const struct scaling *find_scaling(const struct training *training, const mxb_model *from) {
    if (from != NULL && from->n_projections > 0) {
        return &from->scaling;
    }
    int has_fourier = mxb__schedule_probability(&training->params, &mxb__fourier_learner) > 0.0;
    return has_fourier ? &training->prepared->scaling : NULL;
}

static mxb_status find_base_score(const struct training *training, const mxb_model *from, double *base_score,
                                  mxb_error *error) {
    *base_score = from != NULL ? from->base_score : mxb__param(&training->params, OPTION_BASE_SCORE);
    if (!isnan(*base_score)) {
        return MXB_OK;
    }
    struct loss_rows rows = mxb__member_rows(&training->prepared->labels, NULL);
    return mxb__objective_start(&training->objective, &rows, base_score, error);
}

static mxb_status make_members(mxb_trainer *trainer, const mxb_model *from, mxb_error *error) {
    const struct training *training = &trainer->training;
    const struct scaling *scaling = find_scaling(training, from);
    mxb_model *model = trainer->model;
    uint32_t n_members = model->n_members;
    MXB_TRY(find_base_score(training, from, &model->base_score, error));
    model->scaling.kind = scaling != NULL ? scaling->kind : SCALING_NONE;
    MXB_TRY(mxb__alloc_zeroed(&trainer->members, n_members, sizeof *trainer->members, "members", error));
    trainer->n_members = n_members;
    for (uint32_t m = 0; m < n_members; m++) {
        MXB_TRY(mxb__member_init(&trainer->members[m], training, m, from, scaling, model->base_score, error));
    }
    if (n_members > 1) {
        size_t n = training->prepared->n_rows;
        size_t n_valid = training->valid == NULL ? 0 : training->valid->n_rows;
        MXB_TRY(mxb__alloc(&trainer->means, n > n_valid ? n : n_valid, sizeof *trainer->means, "scores", error));
    }
    return MXB_OK;
}

/* The first losses and gradients without any round, then, one by one as in their training, with the rounds that are
 * already there. */
static mxb_status start(mxb_trainer *trainer, struct pool *pool, mxb_error *error) {
    const struct training *training = &trainer->training;
    uint32_t n_rounds = trainer->members[0].model->n_terms;
    for (uint32_t round = 0; round <= n_rounds; round++) {
        for (uint32_t m = 0; m < trainer->n_members; m++) {
            struct member *member = &trainer->members[m];
            if (round > 0) {
                MXB_TRY(mxb__member_add_old_round(member, training, round, pool, error));
            }
            MXB_TRY(mxb__member_measure(member, training, round, pool, error));
        }
        MXB_TRY(mxb__trainer_judge(trainer, round, pool, error));
    }
    return MXB_OK;
}

/* ---- all of it ---- */

/* Members that are trained side by side would wait for the slowest in every round, whose learners differ much in time.
 * So each goes some rounds on, if the scores of these, which are judged later, fit in here. */
static const size_t KEPT_BYTES = (size_t)64 << 20;
enum { MOST_AHEAD = 16, LEAST_AHEAD = 4 };

/* Large data, whose scores would not fit, keep all threads busy within a round: there members are trained one after the
 * other. So they are with a caller's functions, which run on the calling thread only. */
void mxb__plan_members(struct training *training) {
    const mxb_params *params = &training->params;
    uint32_t n_threads = mxb__param_threads(params, OPTION_N_THREADS);
    uint32_t n_members = mxb__param_count(params, OPTION_N_MEMBERS);
    size_t n_rows = training->prepared->n_rows + (training->valid == NULL ? 0 : training->valid->n_rows);
    size_t n_ahead = KEPT_BYTES / (n_members * n_rows * sizeof(double));
    int has_callbacks = training->objective.own != NULL || mxb__schedule_probability(params, &mxb__own_learner) > 0.0;
    int at_once = n_members > 1 && n_threads > 1 && n_ahead >= LEAST_AHEAD && !has_callbacks;
    training->n_at_once = !at_once ? 1 : n_threads < n_members ? n_threads : n_members;
    training->n_ahead = !at_once ? 1 : n_ahead < MOST_AHEAD ? (uint32_t)n_ahead : MOST_AHEAD;
}

static mxb_status read_valid(mxb_trainer *trainer, mxb_error *error) {
    const mxb_model *model = trainer->model;
    const mxb_dataset *valid = trainer->training.valid;
    int two_classes = mxb__objective_two_classes(&trainer->training.objective);
    MXB_TRY(mxb__dataset_check_features(valid, model->feature_names, model->n_features, "the training data", error));
    MXB_TRY(mxb__labels_read(valid, two_classes, model->labels, model->label_texts, "the validation data",
                             &trainer->valid_labels, error));
    MXB_TRY(mxb__texts_apply(valid, model->dictionaries, "the training data", &trainer->valid_view, error));
    trainer->training.valid = trainer->valid_view != NULL ? trainer->valid_view : valid;
    return MXB_OK;
}

static mxb_status set_up(mxb_trainer *trainer, const mxb_model *from, mxb_error *error) {
    struct training *training = &trainer->training;
    MXB_TRY(mxb__params_check(&training->params, error));
    if (training->valid == NULL && isnan(mxb__param(&training->params, OPTION_NUM_ROUND))) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "num_round is auto; without validation data it must be a number (mxb_choose_rounds finds it)");
    }
    if (from != NULL) {
        MXB_TRY(follow_model(&training->params, from, error));
    }
    mxb__params_resolve(&training->params, training->prepared->n_rows);
    struct prepare_settings wanted = mxb__prepare_settings(&training->params);
    const struct prepare_settings *had = &training->prepared->settings;
    if (wanted.two_classes != had->two_classes || wanted.hist_nbins != had->hist_nbins ||
        wanted.scaling != had->scaling || wanted.exact != had->exact) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "objective, use_histograms, hist_nbins or fourier_scaling differ from those the data was "
                         "prepared with");
    }
    if (from != NULL) {
        MXB_TRY(check_from(training, from, error));
    }
    training->objective = mxb__objective_find(&training->params.own.loss, training->params.texts[OPTION_OBJECTIVE]);
    training->kernels = mxb__training_kernels();
    mxb__plan_members(training);
    MXB_TRY(mxb__model_create(&trainer->model, error));
    MXB_TRY(describe_model(trainer, error));
    if (training->valid != NULL) {
        MXB_TRY(read_valid(trainer, error));
    }
    MXB_TRY(make_members(trainer, from, error));
    struct pool *pool = mxb__pool_open(mxb__param_threads(&training->params, OPTION_N_THREADS));
    mxb_status status = start(trainer, pool, error);
    mxb__pool_close(pool);
    return status;
}

static mxb_status create(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params,
                         const mxb_model *from, mxb_trainer **trainer, mxb_error *error) {
    *trainer = NULL;
    if (prepared == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the prepared data is NULL");
    }
    mxb_trainer *made;
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "a trainer", error));
    made->training.prepared = prepared;
    made->training.valid = valid;
    copy_params(&made->training.params, params);
    mxb_status status = set_up(made, from, error);
    if (status != MXB_OK) {
        mxb_trainer_free(made);
        return status;
    }
    *trainer = made;
    return MXB_OK;
}

mxb_status mxb_trainer_create(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params,
                              mxb_trainer **trainer, mxb_error *error) {
    if (trainer == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the trainer is NULL");
    }
    return create(prepared, valid, params, NULL, trainer, error);
}

mxb_status mxb_trainer_create_from(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params,
                                   const mxb_model *model, mxb_trainer **trainer, mxb_error *error) {
    if (trainer == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the trainer is NULL");
    }
    *trainer = NULL;
    if (model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the model to go on from is NULL");
    }
    return create(prepared, valid, params, model, trainer, error);
}

void mxb_trainer_free(mxb_trainer *trainer) {
    if (trainer == NULL) {
        return;
    }
    for (uint32_t m = 0; m < trainer->n_members; m++) {
        mxb__member_clear(&trainer->members[m]);
    }
    mxb__free(trainer->members);
    mxb__free(trainer->means);
    mxb_model_free(trainer->model);
    mxb__labels_clear(&trainer->valid_labels);
    mxb_dataset_free(trainer->valid_view);
    mxb__free(trainer);
}
