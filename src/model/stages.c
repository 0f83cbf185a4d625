/* Step 10 of the data's path, round by round. */
#include "base/memory.h"
#include "model/model.h"

struct mxb_stages {
    const mxb_model *model;
    const mxb_dataset *dataset;
    int n_threads;
    uint32_t n_done;
};

mxb_status mxb_stages_create(const mxb_model *model, const mxb_dataset *dataset, int n_threads, mxb_stages **stages,
                             mxb_error *error) {
    if (stages == NULL || model == NULL || dataset == NULL) {
        const char *missing = stages == NULL ? "stages" : model == NULL ? "model" : "dataset";
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", missing);
    }
    MXB_TRY(mxb__alloc_zeroed(stages, 1, sizeof **stages, "stages", error));
    **stages = (mxb_stages){.model = model, .dataset = dataset, .n_threads = n_threads};
    return MXB_OK;
}

mxb_status mxb_stages_next(mxb_stages *stages, mxb_output output, double *out, mxb_error *error) {
    mxb_model *model;
    if (stages->n_done == stages->model->n_rounds) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the model has no round after %u", stages->n_done);
    }
    MXB_TRY(mxb__model_copy(stages->model, stages->n_done + 1, &model, error));
    mxb_status status = mxb__model_build(model, error);
    if (status == MXB_OK) {
        status = mxb_model_predict(model, stages->dataset, output, stages->n_threads, out, error);
    }
    stages->n_done += status == MXB_OK ? 1 : 0;
    mxb_model_free(model);
    return status;
}

void mxb_stages_free(mxb_stages *stages) { mxb__free(stages); }
