/* Step 10 of the data's path, for one row of numbers. */
#include "base/memory.h"
#include "model/model.h"

static mxb_status add_feature(mxb_dataset *dataset, const mxb_model *model, uint32_t f, const double *value,
                              int32_t *code, mxb_error *error) {
    const char *name = mxb_model_feature_name(model, f);
    if (!mxb_model_feature_is_text(model, f)) {
        return mxb_dataset_add_column(dataset, name, value, sizeof *value, MXB_FLOAT64, error);
    }
    const struct dictionary *dictionary = &model->dictionaries[f];
    int known = *value >= 0 && *value < dictionary->n_texts && *value == (double)(int32_t)*value;
    *code = known ? (int32_t)*value : -1;
    return mxb_dataset_add_text_column(dataset, name, code, sizeof *code, MXB_INT32,
                                       (const char *const *)dictionary->texts, dictionary->n_texts, error);
}

mxb_status mxb_model_predict_row(const mxb_model *model, const double *values, size_t n_values, mxb_output output,
                                 double *out, mxb_error *error) {
    mxb_dataset *dataset;
    int32_t *codes;
    if (model == NULL || values == NULL || out == NULL) {
        const char *missing = model == NULL ? "model" : values == NULL ? "values" : "out";
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", missing);
    }
    if (n_values != model->n_features) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%zu values were given; the model has %u features", n_values,
                         model->n_features);
    }
    if (model->n_own_rounds > 0) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "the model has rounds of a caller's learner, which predicts datasets only; use "
                         "mxb_model_predict");
    }
    MXB_TRY(mxb__alloc(&codes, n_values, sizeof *codes, "a row", error));
    mxb_status status = mxb_dataset_create(1, &dataset, error);
    for (uint32_t f = 0; f < n_values && status == MXB_OK; f++) {
        status = add_feature(dataset, model, f, &values[f], &codes[f], error);
    }
    if (status == MXB_OK) {
        status = mxb_model_predict(model, dataset, output, 1, out, error);
    }
    mxb_dataset_free(dataset);
    mxb__free(codes);
    return status;
}
