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

const struct learner_ops *const mxb__learners[N_LEARNERS] = {&mxb__tree_learner, &mxb__fourier_learner,
                                                             &mxb__own_learner};

/* ---- preparing ---- */

static struct prepare_settings prepare_settings_of(const mxb_params *params) {
    int exact = mxb__param(params, OPTION_USE_HISTOGRAMS) == 0.0;
    struct objective objective = mxb__objective_find(&params->own.loss, params->texts[OPTION_OBJECTIVE]);
    struct prepare_settings settings = {
        .two_classes = mxb__objective_two_classes(&objective),
        .hist_nbins = exact ? 0 : mxb__param_count(params, OPTION_HIST_NBINS),
        .scaling = (enum scaling_kind)mxb__param(params, OPTION_FOURIER_SCALING),
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
    /* A feature is prepared by one thread, in memory of its own: more threads than features would only take room. */
    size_t n_threads = mxb__param_threads(&own, OPTION_N_THREADS);
    struct pool *pool = mxb__pool_open(n_threads < train->n_columns ? n_threads : train->n_columns);
    mxb_status status = mxb__prepared_create(train, &settings, pool, prepared, error);
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
        if (mxb__option_is_kept(option)) {
            size_t i = model->n_options++;
            MXB_TRY(mxb__copy_text(&model->option_names[i], mxb_option_name(option), error));
            MXB_TRY(mxb__copy_text(&model->option_values[i], option_text(params, option), error));
        }
    }
    return MXB_OK;
}

static mxb_status copy_rounds(mxb_model *to, const mxb_model *from, mxb_error *error) {
    for (uint32_t p = 0; p < from->n_projections; p++) {
        struct projection projection;
        MXB_TRY(mxb__projection_copy(&projection, &from->projections[p], error));
        mxb_status status = mxb__model_add_projection(to, &projection, error);
        if (status != MXB_OK) {
            mxb__projection_clear(&projection);
            return status;
        }
    }
    for (uint32_t r = 0; r < from->n_rounds; r++) {
        struct term term;
        MXB_TRY(mxb__term_copy(&term, &from->terms[r], from->projections, error));
        mxb_status status = mxb__model_add_term(to, &term, error);
        if (status != MXB_OK) {
            mxb__term_clear(&term);
            return status;
        }
    }
    return MXB_OK;
}

/* `from` (NULL: none) is the model whose rounds are already done. */
static mxb_status describe_model(mxb_trainer *trainer, const mxb_model *from, mxb_error *error) {
    const mxb_prepared *prepared = trainer->prepared;
    mxb_model *model = trainer->model;
    size_t n_curve = (size_t)mxb__param_count(&trainer->params, OPTION_NUM_ROUND) + 1;
    describe_loss(model, &trainer->objective);
    memcpy(model->labels, prepared->labels.classes, sizeof model->labels);
    for (size_t k = 0; k < 2 && prepared->labels.class_texts[0] != NULL; k++) {
        MXB_TRY(mxb__copy_text(&model->label_texts[k], prepared->labels.class_texts[k], error));
    }
    MXB_TRY(describe_features(model, prepared, error));
    MXB_TRY(describe_options(model, &trainer->params, error));
    if (from != NULL) {
        MXB_TRY(copy_rounds(model, from, error));
    }
    if (model->n_projections > 0) { /* old rounds go on seeing their inputs as they did */
        MXB_TRY(mxb__scaling_copy(&model->scaling, &from->scaling, error));
    } else if (mxb__schedule_probability(&trainer->params, &mxb__fourier_learner) > 0.0) {
        MXB_TRY(mxb__scaling_copy(&model->scaling, &prepared->scaling, error));
    }
    MXB_TRY(mxb__alloc(&model->train_curve, n_curve, sizeof *model->train_curve, "the training curve", error));
    if (trainer->valid != NULL) {
        MXB_TRY(mxb__alloc(&model->valid_curve, n_curve, sizeof *model->valid_curve, "the training curve", error));
    }
    return MXB_OK;
}

/* ---- going on from a model ---- */

static mxb_status check_same_option(const mxb_trainer *trainer, const mxb_model *from, enum option option,
                                    mxb_error *error) {
    const char *had = mxb_model_option(from, mxb_option_name(option));
    const char *wanted = option_text(&trainer->params, option);
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

static mxb_status check_from(const mxb_trainer *trainer, const mxb_model *from, mxb_error *error) {
    static const enum option of_projections[] = {OPTION_N_COMPONENTS, OPTION_GAMMA, OPTION_FOURIER_SCALING,
                                                 OPTION_RANDOM_STATE};
    uint32_t num_round = mxb__param_count(&trainer->params, OPTION_NUM_ROUND);
    MXB_TRY(mxb__dataset_check_features(trainer->prepared->view, from->feature_names, from->n_features, "the model",
                                        error));
    MXB_TRY(check_same_option(trainer, from, OPTION_OBJECTIVE, error));
    MXB_TRY(check_same_option(trainer, from, OPTION_BASE_SCORE, error));
    if (from->loss == MODEL_LOGLOSS) {
        MXB_TRY(check_same_labels(&trainer->prepared->labels, from, error));
    }
    MXB_TRY(check_same_texts(trainer->prepared, from, error));
    if (from->n_rounds > num_round) {
        return mxb__fail(error, MXB_ERROR_PARAM, "num_round is %u; the model already has %u rounds", num_round,
                         from->n_rounds);
    }
    for (size_t i = 0; from->n_projections > 0 && i < sizeof of_projections / sizeof of_projections[0]; i++) {
        MXB_TRY(check_same_option(trainer, from, of_projections[i], error));
    }
    return MXB_OK;
}

/* ---- rows ---- */

static void read_options(mxb_trainer *trainer) {
    const mxb_params *params = &trainer->params;
    int has_symmetric = mxb__param(params, OPTION_SYMMETRIC_PROBABILITY) > 0.0;
    uint32_t symmetric_depth = has_symmetric ? mxb__param_count(params, OPTION_SYMMETRIC_DEPTH) : 0;
    uint32_t max_max_depth = mxb__param_count(params, OPTION_MAX_MAX_DEPTH);
    trainer->options = (struct learner_options){
        .seed = (uint64_t)mxb__param(params, OPTION_RANDOM_STATE),
        .learning_rate = mxb__param(params, OPTION_LEARNING_RATE),
        .subsample = mxb__param(params, OPTION_SUBSAMPLE),
        .colsample = mxb__param(params, OPTION_COLSAMPLE),
        .lambda_l2 = mxb__param(params, OPTION_LAMBDA_L2),
        .min_child_weight = mxb__param(params, OPTION_MIN_CHILD_WEIGHT),
        .max_max_depth = max_max_depth > symmetric_depth ? max_max_depth : symmetric_depth,
        .symmetric_depth = symmetric_depth,
        .split_noise = mxb__param(params, OPTION_SPLIT_NOISE),
        .leaves_from_all_rows = mxb__param(params, OPTION_LEAF_ROWS) != 0.0,
        .max_wide_rows = (size_t)1 << 16, /* part of the frozen arithmetic */
        .alpha = mxb__param(params, OPTION_ALPHA),
        .fit_intercept = mxb__param(params, OPTION_FIT_INTERCEPT) != 0.0,
        .gamma = mxb__param(params, OPTION_GAMMA),
        .n_components = mxb__param_count(params, OPTION_N_COMPONENTS),
        .n_projections = mxb__param_count(params, OPTION_N_PROJECTIONS),
        .learns_metric = mxb__param(params, OPTION_FOURIER_METRIC) != 0.0,
        .tree_n_threads = mxb__param_threads(params, OPTION_TREE_N_THREADS),
        .ridge_n_threads = mxb__param_threads(params, OPTION_RIDGE_N_THREADS),
        .kernel_n_threads = mxb__param_threads(params, OPTION_KERNEL_N_THREADS),
    };
}

/* Weights multiply hessians, and a caller's classes are shown them. */
static int stores_hessians(const mxb_trainer *trainer) {
    return mxb__objective_hessian(&trainer->objective) == HESSIAN_STORED || trainer->prepared->labels.weights != NULL ||
           mxb__schedule_probability(&trainer->params, &mxb__own_learner) > 0.0;
}

struct fit_input mxb__trainer_fit_input(const mxb_trainer *trainer) {
    struct fit_input input = {
        .prepared = trainer->prepared,
        .valid = trainer->valid,
        .kernels = trainer->kernels,
        .options = &trainer->options,
        .g = trainer->g,
        .h = trainer->h,
        .hessian = trainer->h == NULL ? mxb__objective_hessian(&trainer->objective) : HESSIAN_STORED,
        .sum_abs_g = trainer->range.sum_abs_g,
        .sum_h = trainer->range.sum_h,
        .max_abs_g = trainer->range.max_abs_g,
        .max_h = trainer->range.max_h,
        .constant_hessian = mxb__objective_constant_hessian(&trainer->objective),
        .model = trainer->model,
    };
    return input;
}

static mxb_status allocate_rows(mxb_trainer *trainer, mxb_error *error) {
    size_t n = trainer->prepared->n_rows;
    size_t n_valid = trainer->valid == NULL ? 0 : trainer->valid->n_rows;
    size_t n_scratch = mxb__objective_scratch(&trainer->objective, n > n_valid ? n : n_valid);
    MXB_TRY(mxb__alloc(&trainer->scores, n, sizeof *trainer->scores, "scores", error));
    MXB_TRY(mxb__alloc(&trainer->g, n, sizeof *trainer->g, "gradients", error));
    if (stores_hessians(trainer)) {
        MXB_TRY(mxb__alloc(&trainer->h, n, sizeof *trainer->h, "hessians", error));
    }
    MXB_TRY(mxb__alloc(&trainer->valid_scores, n_valid, sizeof *trainer->valid_scores, "scores", error));
    MXB_TRY(mxb__alloc(&trainer->scratch, n_scratch, sizeof *trainer->scratch, "sums of losses", error));

    struct fit_input input = mxb__trainer_fit_input(trainer);
    for (size_t i = 0; i < N_LEARNERS; i++) {
        if (mxb__schedule_probability(&trainer->params, mxb__learners[i]) > 0.0) {
            size_t n_bytes = mxb__learners[i]->workspace_bytes(&input);
            MXB_TRY(mxb__alloc(&trainer->workspaces[i], n_bytes, 1, "a learner's workspace", error));
            memset(trainer->workspaces[i], 0, 64);
        }
    }
    return MXB_OK;
}

static mxb_status add_old_round(mxb_trainer *trainer, uint32_t round, struct pool *pool, mxb_error *error) {
    const mxb_model *model = trainer->model;
    const struct term *term = &model->terms[round - 1];
    MXB_TRY(mxb__model_add_term_values(model, term, trainer->prepared->view, pool, trainer->scores, error));
    if (trainer->valid != NULL) {
        MXB_TRY(mxb__model_add_term_values(model, term, trainer->valid, pool, trainer->valid_scores, error));
    }
    return mxb__trainer_evaluate(trainer, round, pool, error);
}

/* The scores without any round, then, one by one as in their training, the rounds that are already there. */
static mxb_status start(mxb_trainer *trainer, const mxb_model *from, mxb_error *error) {
    mxb_model *model = trainer->model;
    double base_score = from != NULL ? from->base_score : mxb__param(&trainer->params, OPTION_BASE_SCORE);
    if (isnan(base_score)) {
        const struct labels *labels = &trainer->prepared->labels;
        struct loss_rows rows = {.n_rows = labels->n_rows,
                                 .labels = labels->values,
                                 .is_1 = labels->is_1,
                                 .weights = labels->weights,
                                 .weight_sum = labels->sum};
        MXB_TRY(mxb__objective_start(&trainer->objective, &rows, &base_score, error));
    }
    model->base_score = base_score;
    for (size_t i = 0; i < trainer->prepared->n_rows; i++) {
        trainer->scores[i] = base_score;
    }
    for (size_t i = 0; trainer->valid != NULL && i < trainer->valid->n_rows; i++) {
        trainer->valid_scores[i] = base_score;
    }
    struct pool *pool = mxb__pool_open(mxb__param_threads(&trainer->params, OPTION_N_THREADS));
    mxb_status status = mxb__trainer_evaluate(trainer, 0, pool, error);
    for (uint32_t round = 1; status == MXB_OK && round <= model->n_rounds; round++) {
        status = add_old_round(trainer, round, pool, error);
    }
    mxb__pool_close(pool);
    return status;
}

static mxb_status set_up(mxb_trainer *trainer, const mxb_model *from, mxb_error *error) {
    MXB_TRY(mxb__params_check(&trainer->params, error));
    struct prepare_settings wanted = prepare_settings_of(&trainer->params);
    const struct prepare_settings *had = &trainer->prepared->settings;
    if (wanted.two_classes != had->two_classes || wanted.hist_nbins != had->hist_nbins ||
        wanted.scaling != had->scaling || wanted.exact != had->exact) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "objective, use_histograms, hist_nbins or fourier_scaling differ from those the data was "
                         "prepared with");
    }
    if (from != NULL) {
        MXB_TRY(check_from(trainer, from, error));
    }
    trainer->objective = mxb__objective_find(&trainer->params.own.loss, trainer->params.texts[OPTION_OBJECTIVE]);
    trainer->kernels = mxb__kernels();
    read_options(trainer);
    MXB_TRY(mxb__model_create(&trainer->model, error));
    MXB_TRY(describe_model(trainer, from, error));
    if (trainer->valid != NULL) {
        MXB_TRY(mxb__dataset_check_features(trainer->valid, trainer->model->feature_names, trainer->model->n_features,
                                            "the training data", error));
        MXB_TRY(mxb__labels_read(trainer->valid, wanted.two_classes, trainer->model->labels,
                                 trainer->model->label_texts, "the validation data", &trainer->valid_labels, error));
        MXB_TRY(mxb__texts_apply(trainer->valid, trainer->model->dictionaries, "the training data",
                                 &trainer->valid_view, error));
        trainer->valid = trainer->valid_view != NULL ? trainer->valid_view : trainer->valid;
    }
    MXB_TRY(allocate_rows(trainer, error));
    return start(trainer, from, error);
}

static mxb_status create(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params,
                         const mxb_model *from, mxb_trainer **trainer, mxb_error *error) {
    *trainer = NULL;
    if (prepared == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the prepared data is NULL");
    }
    mxb_trainer *made;
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "a trainer", error));
    made->prepared = prepared;
    made->valid = valid;
    copy_params(&made->params, params);
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
    return create(prepared, valid, params, NULL, trainer, error);
}

mxb_status mxb_trainer_create_from(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params,
                                   const mxb_model *model, mxb_trainer **trainer, mxb_error *error) {
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
    mxb_model_free(trainer->model);
    mxb__labels_clear(&trainer->valid_labels);
    mxb_dataset_free(trainer->valid_view);
    mxb__free(trainer->scores);
    mxb__free(trainer->g);
    mxb__free(trainer->h);
    mxb__free(trainer->valid_scores);
    mxb__free(trainer->scratch);
    for (size_t i = 0; i < N_LEARNERS; i++) {
        mxb__free(trainer->workspaces[i]);
    }
    mxb__free(trainer);
}
