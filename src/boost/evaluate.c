/* A model judged: its metric over labelled rows, by the prediction and the loss that training uses too. It stands here
 * because prediction knows no loss. */
#include <math.h>

#include "base/memory.h"
#include "data/dataset.h"
#include "data/labels.h"
#include "loss/objective.h"
#include "model/model.h"

static mxb_status take_metric(const mxb_model *model, const mxb_dataset *dataset, const struct labels *labels,
                              const double *scores, double *metric, mxb_error *error) {
    struct objective objective = mxb__objective_find(model->loss == MODEL_OWN_LOSS ? &model->own_loss : NULL,
                                                     model->loss == MODEL_LOGLOSS ? "logloss" : "mse");
    struct loss_place place = {"the dataset", dataset->rows, (uint32_t)mxb_model_n_rounds(model)};
    struct loss_rows rows = {.n_rows = labels->n_rows,
                             .labels = labels->values,
                             .is_1 = labels->is_1,
                             .weights = labels->weights,
                             .weight_sum = labels->sum,
                             .scores = scores};
    struct measurement measured = {0};
    double *scratch;
    MXB_TRY(mxb__alloc(&scratch, mxb__objective_scratch(&objective, labels->n_rows), sizeof *scratch, "sums of losses",
                       error));
    /* One thread is enough: the prediction was the work. */
    mxb_status status = mxb__objective_measure(&objective, &rows, &place, NULL, scratch, &measured, error);
    mxb__free(scratch);
    MXB_TRY(status);
    *metric = measured.metric;
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
    if (model->loss == MODEL_OWN_LOSS && model->own_loss.value == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "the loss \"%s\" is not here; load the model by mxb_model_load_with and params with that loss",
                         model->own_loss.name);
    }
    MXB_TRY(mxb__labels_read(dataset, model->loss == MODEL_LOGLOSS, model->labels, model->label_texts, "the dataset",
                             &labels, error));
    mxb_status status = mxb__alloc(&scores, dataset->n_rows, sizeof *scores, "scores", error);
    if (status == MXB_OK) {
        status = mxb_model_predict(model, dataset, MXB_PREDICT_RAW, n_threads, scores, error);
    }
    if (status == MXB_OK) {
        status = take_metric(model, dataset, &labels, scores, metric, error);
    }
    mxb__free(scores);
    mxb__labels_clear(&labels);
    return status;
}
