/* A search as a plain loop: every configuration of a stage trained from the beginning with public calls, the best of
 * them in the next. Of the tuner it takes only the rows. */
#ifndef SLOW_SEARCH_H
#define SLOW_SEARCH_H

#include <math.h>
#include <stdlib.h>

#include "tune/tuner.h"
#include "unit/tune/make_search.h"

enum { SLOW_STAGES = 4, SLOW_CONFIGS = 40, SLOW_FOLDS = 4 };

struct slow_trial {
    mxb_status status;
    double loss;
    size_t n_rounds;
    struct model_bytes model;
};

struct slow_search {
    size_t n_stages;
    size_t n_folds;
    size_t sizes[SLOW_STAGES];
    double resources[SLOW_STAGES];
    size_t configs[SLOW_STAGES][SLOW_CONFIGS]; /* of a stage, ascending */
    struct slow_trial trials[SLOW_STAGES][SLOW_CONFIGS][SLOW_FOLDS];
    double losses[SLOW_STAGES][SLOW_CONFIGS]; /* NaN: not in the stage */
    size_t ranking[SLOW_CONFIGS];
};

static inline double slow_setting(const mxb_tuner *tuner, const char *name) {
    const char *text = mxb_tuner_get(tuner, name);
    const char *slash = strchr(text, '/');
    return slash == NULL ? strtod(text, NULL) : strtod(text, NULL) / strtod(slash + 1, NULL);
}

/* Options of a configuration: those of the search, then those drawn. */
static inline mxb_params *slow_params(const mxb_tuner *tuner, size_t config) {
    mxb_params *params = NULL;
    uint64_t seed = (uint64_t)slow_setting(tuner, "random_state");
    if (mxb_params_copy(tuner->params, &params, NULL) != MXB_OK ||
        mxb_space_draw(mxb_tuner_space(tuner), seed, config, params, NULL) != MXB_OK ||
        mxb_params_set(params, "n_threads", "1", NULL) != MXB_OK) {
        check_failed(__FILE__, __LINE__, "no configuration");
    }
    return params;
}

static inline size_t slow_rounds(const mxb_tuner *tuner, const mxb_params *params, double resource) {
    double n = (double)mxb_params_max_rounds(params);
    if (strcmp(mxb_tuner_get(tuner, "resource"), "rounds") == 0) {
        n = floor(n * resource + 0.5);
    }
    return n < 1.0 ? 1 : (size_t)n;
}

/* One training on prepared rows, as a model that keeps its last or best round. */
static inline mxb_status slow_train(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params,
                                    size_t n_rounds, mxb_model **model) {
    mxb_trainer *trainer = NULL;
    mxb_status status = mxb_trainer_create(prepared, valid, params, &trainer, NULL);
    if (status == MXB_OK) {
        status = mxb_trainer_run(trainer, n_rounds, NULL, NULL, NULL);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_model(trainer, model, NULL);
    }
    mxb_trainer_free(trainer);
    return status;
}

static inline struct slow_trial slow_try(const mxb_tuner *tuner, size_t stage, double resource, size_t config,
                                         size_t fold) {
    const mxb_dataset *all = tuner->data.folds[fold].train;
    const mxb_dataset *rows = mxb__fold_data_rows(&tuner->data, fold, stage);
    const mxb_dataset *valid = tuner->data.folds[fold].valid;
    mxb_params *params = slow_params(tuner, config);
    mxb_prepared *whole = NULL;
    mxb_prepared *part = NULL;
    mxb_model *model = NULL;
    struct slow_trial trial = {.loss = HUGE_VAL};
    trial.status = mxb_prepared_create(all, params, &whole, NULL);
    if (trial.status == MXB_OK && rows != all) {
        trial.status = mxb_prepared_create_part(whole, rows, params, &part, NULL);
    }
    if (trial.status == MXB_OK) {
        size_t n_rounds = slow_rounds(tuner, params, resource);
        trial.status = slow_train(rows == all ? whole : part, valid, params, n_rounds, &model);
    }
    if (trial.status == MXB_OK) {
        trial.n_rounds = mxb_model_n_rounds(model);
        trial.loss = mxb_model_curve(model, trial.n_rounds, 1);
        trial.model = bytes_of(model);
    }
    mxb_model_free(model);
    mxb_prepared_free(part);
    mxb_prepared_free(whole);
    mxb_params_free(params);
    return trial;
}

/* The i-th best of a stage: fewer have a lower loss, or an equal one and a lower number. */
static inline size_t slow_place(const struct slow_search *slow, size_t stage, size_t config) {
    size_t n_before = 0;
    for (size_t i = 0; i < slow->sizes[stage]; i++) {
        size_t other = slow->configs[stage][i];
        double difference = slow->losses[stage][other] - slow->losses[stage][config];
        int is_equal = slow->losses[stage][other] == slow->losses[stage][config]; /* infinite ones are */
        n_before += is_equal ? other < config : difference < 0.0;
    }
    return n_before;
}

static inline void slow_run_stage(const mxb_tuner *tuner, struct slow_search *slow, size_t stage) {
    for (size_t i = 0; i < slow->sizes[stage]; i++) {
        size_t config = slow->configs[stage][i];
        double sum = 0.0;
        for (size_t fold = 0; fold < slow->n_folds; fold++) {
            slow->trials[stage][config][fold] = slow_try(tuner, stage, slow->resources[stage], config, fold);
            sum += slow->trials[stage][config][fold].loss;
        }
        slow->losses[stage][config] = sum / (double)slow->n_folds;
    }
    size_t n_next = stage + 1 < slow->n_stages ? slow->sizes[stage + 1] : 0;
    size_t n = 0;
    for (size_t i = 0; i < slow->sizes[stage]; i++) {
        size_t config = slow->configs[stage][i];
        size_t place = slow_place(slow, stage, config);
        slow->ranking[place] = config; /* those that go on are put in order by the next stage */
        if (place < n_next) {
            slow->configs[stage + 1][n++] = config;
        }
    }
}

/* Of a tuner that was started; to be freed with slow_free. */
static inline struct slow_search *slow_run(const mxb_tuner *tuner) {
    struct slow_search *slow = calloc(1, sizeof *slow);
    double eta = slow_setting(tuner, "eta");
    double least = slow_setting(tuner, "min_resource");
    size_t n = (size_t)slow_setting(tuner, "n_configs");
    slow->n_folds = tuner->data.n_folds;
    slow->n_stages = 1;
    for (double power = eta; 1.0 / power >= least; power *= eta) {
        slow->n_stages++;
    }
    for (size_t stage = 0; stage < slow->n_stages; stage++) {
        double shrink = pow(eta, (double)stage);
        slow->sizes[stage] = (double)n < shrink ? 1 : (size_t)floor((double)n / shrink);
        slow->resources[stage] = 1.0 / pow(eta, (double)(slow->n_stages - 1 - stage));
        for (size_t config = 0; config < SLOW_CONFIGS; config++) {
            slow->losses[stage][config] = (double)NAN;
        }
    }
    for (size_t config = 0; config < n; config++) {
        slow->configs[0][config] = config;
    }
    for (size_t stage = 0; stage < slow->n_stages; stage++) {
        slow_run_stage(tuner, slow, stage);
    }
    return slow;
}

static inline void slow_free(struct slow_search *slow) {
    for (size_t i = 0; slow != NULL && i < SLOW_STAGES * SLOW_CONFIGS * SLOW_FOLDS; i++) {
        mxb_bytes_free((&slow->trials[0][0][0])[i].model.bytes);
    }
    free(slow);
}

/* Rows that no trial uses any longer are nobody's. */
static inline void check_idle(const mxb_tuner *tuner) {
    for (size_t fold = 0; fold < tuner->data.n_folds; fold++) {
        for (size_t i = 0; i < tuner->data.folds[fold].n_prepared; i++) {
            CHECK_INT(tuner->data.folds[fold].prepared[i].n_users, 0);
        }
    }
}

/* Every trial, every mean, who went on, and the ranking. */
static inline void slow_compare(const struct slow_search *slow, const mxb_tuner *tuner) {
    size_t ranking[SLOW_CONFIGS];
    check_idle(tuner);
    CHECK_INT(mxb_tuner_n_stages(tuner), slow->n_stages);
    CHECK_INT(mxb_tuner_stage(tuner), slow->n_stages);
    CHECK_INT(mxb_tuner_n_folds(tuner), slow->n_folds);
    for (size_t stage = 0; stage < slow->n_stages; stage++) {
        CHECK_INT(mxb_tuner_stage_size(tuner, stage), slow->sizes[stage]);
        CHECK_INT(mxb_tuner_n_done(tuner, stage), slow->sizes[stage] * slow->n_folds);
        CHECK(mxb_tuner_stage_resource(tuner, stage) == slow->resources[stage]);
        for (size_t i = 0; i < slow->sizes[stage]; i++) {
            mxb_trial trial = {.stage = stage, .config = slow->configs[stage][i]};
            CHECK_INT(mxb_tuner_stage_config(tuner, stage, i), trial.config);
            CHECK(mxb_tuner_loss(tuner, stage, trial.config) == slow->losses[stage][trial.config]);
            for (; trial.fold < slow->n_folds; trial.fold++) {
                const struct slow_trial *wanted = &slow->trials[stage][trial.config][trial.fold];
                mxb_trial_result result = {0};
                CHECK(mxb_tuner_result(tuner, &trial, &result));
                CHECK(result.status == wanted->status && result.loss == wanted->loss);
                CHECK_INT(result.n_rounds, wanted->n_rounds);
                CHECK((result.message[0] != '\0') == (wanted->status != MXB_OK));
            }
        }
    }
    CHECK_INT(mxb_tuner_ranking(tuner, ranking, NULL), MXB_OK);
    CHECK(memcmp(ranking, slow->ranking, slow->sizes[0] * sizeof *ranking) == 0);
    CHECK_INT(mxb_tuner_best(tuner), slow->ranking[0]);
}

#endif
