/* What a caller adds to the options: a loss and learners, copied, and with these the loading of models that have them.
 * Calls none of their functions. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "boost/params.h"
#include "model/model.h"

/* Probabilities are decimal numbers, whose sum may miss 1 by rounding. */
static const double SLACK = 1e-9;

mxb_status mxb_params_set_loss(mxb_params *params, const mxb_loss *loss, mxb_error *error) {
    if (params == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "params is NULL");
    }
    if (loss == NULL) {
        memset(&params->own.loss, 0, sizeof params->own.loss);
    } else {
        params->own.loss = *loss;
    }
    return MXB_OK;
}

const char *mxb__params_loss_name(const mxb_params *params) {
    return params->own.loss.name[0] != '\0' ? params->own.loss.name : params->texts[OPTION_OBJECTIVE];
}

static double sum_probabilities(const mxb_params *params) {
    double sum = 0.0;
    for (uint32_t i = 0; i < params->own.n_learners; i++) {
        sum += params->own_probabilities[i];
    }
    return sum;
}

double mxb__params_built_in(const mxb_params *params) {
    double left = 1.0 - sum_probabilities(params);
    return left > SLACK ? left : 0.0;
}

mxb_status mxb_params_add_learner(mxb_params *params, const mxb_learner *learner, double probability,
                                  mxb_error *error) {
    char number[MXB__NUMBER_SIZE];
    if (params == NULL || learner == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", params == NULL ? "params" : "the learner");
    }
    mxb__number_format(probability, number);
    if (!(probability >= 0.0 && probability <= 1.0)) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the probability of the learner \"%s\" is %s; it must be 0 to 1",
                         learner->name, number);
    }
    if (mxb__own_learner_find(&params->own, learner->name) != NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "there is already a learner \"%s\"", learner->name);
    }
    if (params->own.n_learners == MXB__MAX_OWN_LEARNERS) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the learner \"%s\" is one too many; there may be %d", learner->name,
                         MXB__MAX_OWN_LEARNERS);
    }
    double sum = sum_probabilities(params) + probability;
    if (sum > 1.0 + SLACK) {
        mxb__number_format(sum, number);
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "with the learner \"%s\" the probabilities sum to %s; they must not exceed 1", learner->name,
                         number);
    }
    params->own.learners[params->own.n_learners] = *learner;
    params->own_probabilities[params->own.n_learners++] = probability;
    return MXB_OK;
}

mxb_status mxb_model_load_with(const char *path, const mxb_params *params, mxb_model **model, mxb_error *error) {
    return mxb__model_load(path, params == NULL ? NULL : &params->own, model, error);
}

mxb_status mxb_model_from_bytes_with(const void *bytes, size_t n_bytes, const mxb_params *params, mxb_model **model,
                                     mxb_error *error) {
    return mxb__model_from_bytes(bytes, n_bytes, params == NULL ? NULL : &params->own, model, error);
}
