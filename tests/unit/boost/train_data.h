/* Trainings of the tests: whole, with failures as failed checks. */
#ifndef TRAIN_DATA_H
#define TRAIN_DATA_H

#include "base/memory.h"
#include "check.h"
#include "unit/boost/make_data.h"

/* NULL, and a failed check, where the training fails. */
static inline mxb_model *train(const struct made_data *data, const mxb_params *params) {
    mxb_model *model = NULL;
    mxb_error error = {"no options"};
    if (params == NULL || mxb_train(data->dataset, NULL, params, NULL, NULL, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return model;
}

static inline struct model_bytes train_bytes(const struct made_data *data, const mxb_params *params) {
    mxb_model *model = train(data, params);
    struct model_bytes bytes = bytes_of(model);
    mxb_model_free(model);
    return bytes;
}

/* Raw predictions, to be freed. */
static inline double *predict(const mxb_model *model, const struct made_data *data) {
    double *raw = calloc(data->n_rows, sizeof *raw);
    mxb_error error;
    if (mxb_model_predict(model, data->dataset, MXB_PREDICT_RAW, 2, raw, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return raw;
}

/* A small training with a validation set, whose n-th allocation fails, or all from there on, until none is left to. */
static inline void check_failing_allocations(const mxb_params *params, int for_ever) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 60, .n_features = 3, .seed = 2, .weighted = 1});
    struct made_data valid = data_make((struct data_recipe){.n_rows = 30, .n_features = 3, .seed = 3});
    mxb_model *model = NULL;
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 1;
    REQUIRE(params != NULL);
    for (; n < 2000 && status == MXB_ERROR_MEMORY; n++) {
        mxb_error error = {""};
        mxb__memory_fail_at(n, for_ever);
        status = mxb_train(data.dataset, valid.dataset, params, NULL, NULL, &model, &error);
        mxb__memory_fail_at(0, 0);
        if (status == MXB_ERROR_MEMORY) {
            CHECK(model == NULL && strncmp(error.message, "out of memory", 13) == 0);
        }
    }
    CHECK_INT(status, MXB_OK);
    CHECK(n > 50);
    CHECK(mxb_model_n_rounds(model) > 0);
    mxb_model_free(model);
    data_clear(&data);
    data_clear(&valid);
}

#endif
