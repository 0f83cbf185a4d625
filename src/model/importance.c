/* Step 9 of the data's path: how much each feature matters to a model. */
#include "model/model.h"

mxb_status mxb_model_importance(const mxb_model *model, mxb_importance part, double *importances, mxb_error *error) {
    if (model == NULL || importances == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", model == NULL ? "model" : "importances");
    }
    if ((int)part != MXB_IMPORTANCE_TREE && (int)part != MXB_IMPORTANCE_FOURIER) {
        return mxb__fail(error, MXB_ERROR_PARAM, "part is %d; it must be 0 or 1 (tree or fourier)", (int)part);
    }
    for (uint32_t f = 0; f < model->n_features; f++) {
        importances[f] = part == MXB_IMPORTANCE_TREE ? (double)model->feature_splits[f] : 1;
    }
    return MXB_OK;
}
