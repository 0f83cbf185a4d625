/* A small search with a journal, for tests that disturb it, and what it comes to when nobody does. */
#ifndef JOURNALED_SEARCH_H
#define JOURNALED_SEARCH_H

#include "unit/tune/make_search.h"

struct search_kind {
    const char *name;
    size_t n_rows;
    const char *max_rounds; /* of the largest configurations */
    const char *early_stopping_rounds;
    int has_valid;
    const char *settings[15];
};

struct journaled_search {
    const struct search_kind *kind;
    struct made_data train;
    struct made_data valid;
    mxb_tuner *undisturbed; /* run to its end, without a journal */
    struct model_bytes model;
};

/* A new search of the kind; NULL, with `error` set, without memory or where the journal is refused. */
static inline mxb_tuner *disturbed_create(const struct journaled_search *search, const char *journal, int resume,
                                          mxb_status *status, mxb_error *error) {
    const struct search_kind *kind = search->kind;
    char text[256];
    mxb_space *space = NULL;
    mxb_params *params = NULL;
    mxb_tuner *tuner = NULL;
    snprintf(text, sizeof text,
             "num_round 4 %s integer\nlearning_rate 0.05 0.9 log10\nmax_max_depth 1 4 integer\n"
             "tree_probability 0.4 1 linear\nn_components 4\nfourier_scaling rank standard choice\n",
             kind->max_rounds);
    *status = mxb_space_create(text, &space, error);
    if (*status == MXB_OK) {
        *status = mxb_params_create(&params, error);
    }
    if (*status == MXB_OK) {
        *status = mxb_params_set(params, "early_stopping_rounds", kind->early_stopping_rounds, error);
    }
    if (*status == MXB_OK) {
        *status = mxb_tuner_create(search->train.dataset, kind->has_valid ? search->valid.dataset : NULL, space, params,
                                   &tuner, error);
    }
    for (const char *const *at = kind->settings; *status == MXB_OK && *at != NULL; at += 2) {
        *status = mxb_tuner_set(tuner, at[0], at[1], error);
    }
    if (*status == MXB_OK && journal != NULL) {
        *status = mxb_tuner_set_journal(tuner, journal, resume, error);
    }
    mxb_params_free(params);
    mxb_space_free(space);
    if (*status != MXB_OK) {
        mxb_tuner_free(tuner);
        return NULL;
    }
    return tuner;
}

/* Makes the data and runs the search; 0 on failure. */
static inline int journaled_open(struct journaled_search *search, const struct search_kind *kind) {
    mxb_error error = {""};
    mxb_status status;
    mxb_model *model = NULL;
    *search = (struct journaled_search){.kind = kind};
    search->train = data_make((struct data_recipe){.n_rows = kind->n_rows, .n_features = 4, .seed = 5, .weighted = 1});
    search->valid = data_make((struct data_recipe){.n_rows = kind->n_rows / 3, .n_features = 4, .seed = 6});
    search->undisturbed = disturbed_create(search, NULL, 0, &status, &error);
    if (status == MXB_OK) {
        status = mxb_tune(search->undisturbed, NULL, NULL, &model, &error);
    }
    if (status != MXB_OK) {
        fprintf(stderr, "%s: %s\n", kind->name, error.message);
    }
    search->model = bytes_of(model);
    mxb_model_free(model);
    return status == MXB_OK;
}

static inline void journaled_close(struct journaled_search *search) {
    mxb_tuner_free(search->undisturbed);
    mxb_bytes_free(search->model.bytes);
    data_clear(&search->train);
    data_clear(&search->valid);
}

#endif
