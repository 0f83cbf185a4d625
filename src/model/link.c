/* Step 10 of the data's path: the last step, scores to values, labels and probabilities. Knows nothing of how a score
 * was added up. */
#include "model/link.h"

#include <math.h>

#include "base/math.h"
#include "base/number.h"
#include "data/dataset.h"

int mxb__link_is_own(const mxb_model *model, enum mxb_output output) {
    return model->loss == MODEL_OWN_LOSS && model->has_link && output == MXB_PREDICT_VALUE;
}

mxb_status mxb__link_check(const mxb_model *model, enum mxb_output output, mxb_error *error) {
    if ((int)output < MXB_PREDICT_VALUE || (int)output > MXB_PREDICT_RAW) {
        return mxb__fail(error, MXB_ERROR_PARAM, "output is %d; it must be 0, 1 or 2 (value, probability or raw)",
                         (int)output);
    }
    if (output == MXB_PREDICT_PROBABILITY && model->loss != MODEL_LOGLOSS) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "probabilities need a model of objective logloss; this one is of objective %s",
                         model->loss == MODEL_MSE ? "mse" : model->own_loss.name);
    }
    if (mxb__link_is_own(model, output) && model->own_loss.link == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "predictions of the loss \"%s\" go through its link, which is not here; load the model by "
                         "mxb_model_load_with and params with that loss, or ask for raw predictions",
                         model->own_loss.name);
    }
    return MXB_OK;
}

static double probability(double score) {
    double e = mxb__exp(-fabs(score)); /* at most 1, so nothing overflows */
    return score >= 0 ? 1 / (1 + e) : e / (1 + e);
}

void mxb__link_apply(const mxb_model *model, enum mxb_output output, size_t n, double *scores) {
    if (output == MXB_PREDICT_RAW || model->loss != MODEL_LOGLOSS) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        scores[i] = output == MXB_PREDICT_VALUE ? model->labels[scores[i] > 0] : probability(scores[i]);
    }
}

mxb_status mxb__link_apply_own(const mxb_model *model, const struct mxb_dataset *dataset, size_t n, double *scores,
                               mxb_error *error) {
    const mxb_loss *loss = &model->own_loss;
    for (size_t i = 0; i < n; i++) {
        scores[i] = loss->link(loss->context, scores[i]);
        if (!isfinite(scores[i])) {
            char number[MXB__NUMBER_SIZE];
            mxb__number_format(scores[i], number);
            size_t row = dataset != NULL ? (size_t)mxb__dataset_array_row(dataset, i) : i;
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the link of the loss \"%s\" gave %s for row %zu%s; it must be finite", loss->name, number,
                             row + 1, dataset != NULL ? " of the dataset" : "");
        }
    }
    return MXB_OK;
}
