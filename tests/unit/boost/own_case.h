/* A training with a caller's learner, and a caller's loss where a test wants one. */
#ifndef OWN_CASE_H
#define OWN_CASE_H

#include "check.h"
#include "unit/boost/make_data.h"
#include "unit/boost/make_own.h"

enum { N_TRAIN = 160, N_VALID = 90 };

/* Training and validation rows, and options with a learner that has probability 0.4. */
struct mixed {
    struct made_data train;
    struct made_data valid;
    struct line_learner lines;
    struct own_loss own;
    mxb_params *params;
};

static inline int mixed_open(struct mixed *mixed, const char *num_round, double probability) {
    struct data_recipe recipe = {.n_rows = N_TRAIN, .n_features = 3, .seed = 4, .missing = 0.1};
    *mixed = (struct mixed){.train = data_make(recipe)};
    recipe.seed = 5;
    recipe.n_rows = N_VALID;
    mixed->valid = data_make(recipe);
    mixed->params = PARAMS("num_round", num_round, "tree_probability", "0.7", "max_max_depth", "4", "n_components", "9",
                           "learning_rate", "0.5", "early_stopping_rounds", "8", "n_threads", "2");
    return mixed->params != NULL && line_learner_add(mixed->params, &mixed->lines, "line", 1, probability);
}

static inline void mixed_close(struct mixed *mixed) {
    CHECK_INT(mixed->lines.n_live, 0);
    data_clear(&mixed->train);
    data_clear(&mixed->valid);
    mxb_params_free(mixed->params);
}

static inline mxb_model *trainer_model(const mxb_trainer *trainer) {
    mxb_model *model = NULL;
    if (mxb_trainer_model(trainer, &model, NULL) != MXB_OK) {
        check_failed(__FILE__, __LINE__, "no model");
    }
    return model;
}

#endif
