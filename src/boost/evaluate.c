/* A model judged: its metric over labelled rows, by the prediction and the loss that training uses too. It stands here
 * because prediction knows no loss. */
#include <math.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "data/labels.h"
#include "loss/loss.h"
#include "model/model.h"

static mxb_status take_metric(const mxb_model *model, const struct labels *labels, const double *scores, double *metric,
                              mxb_error *error) {
    const struct loss *loss = mxb__loss_find(model->loss == MODEL_LOGLOSS ? "logloss" : "mse");
    struct loss_rows rows = {labels->n_rows, labels->values, labels->weights, labels->sum, scores};
    double *scratch;
    MXB_TRY(mxb__alloc(&scratch, mxb__loss_scratch(labels->n_rows), sizeof *scratch, "sums of losses", error));
    /* One thread is enough: the prediction was the work. */
    *metric = mxb__loss_metric(loss, &rows, NULL, scratch);
    mxb__free(scratch);
    if (!isfinite(*metric)) {
        return mxb__fail(error, MXB_ERROR_DATA,
                         "the loss over the dataset is not finite; predictions or weights are too large");
    }
    return MXB_OK;
}

mxb_status mxb_model_evaluate(const mxb_model *model, const mxb_dataset *dataset, int n_threads, double *metric,
                              mxb_error *error) {
    struct labels labels;
    double *scores = NULL;
    if (model == NULL || dataset == NULL || metric == NULL) {
        const char *missing = model == NULL ? "model" : dataset == NULL ? "dataset" : "metric";
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", missing);
    }
    MXB_TRY(mxb__labels_read(dataset, model->loss == MODEL_LOGLOSS, model->labels, "the dataset", &labels, error));
    mxb_status status = mxb__alloc(&scores, dataset->n_rows, sizeof *scores, "scores", error);
    if (status == MXB_OK) {
        status = mxb_model_predict(model, dataset, MXB_PREDICT_RAW, n_threads, scores, error);
    }
    if (status == MXB_OK) {
        status = take_metric(model, &labels, scores, metric, error);
    }
    mxb__free(scores);
    mxb__labels_clear(&labels);
    return status;
}
