/* Trainings of the tests: whole, with failures as failed checks. */
#ifndef TRAIN_DATA_H
#define TRAIN_DATA_H

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

#endif
