/* Losses and learners as a caller makes them: names checked, functions kept. Calls none of them. */
#include <stdio.h>
#include <string.h>

#include "base/callbacks.h"
#include "base/memory.h"

/* The taken names, up to a NULL, are the library's own. */
static mxb_status check_name(const char *name, const char *what, const char *const *taken, mxb_error *error) {
    char quoted[2 * MXB__OWN_NAME_SIZE];
    if (name == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the name of the %s is NULL", what);
    }
    mxb__quote(quoted, sizeof quoted, name, strlen(name));
    if (!mxb__own_name_fits(name, strlen(name))) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "the name of the %s is \"%s\"; it must be 1 to 63 printable ASCII characters", what, quoted);
    }
    while (*taken != NULL && strcmp(name, *taken) != 0) {
        taken++;
    }
    if (*taken != NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the name of the %s is \"%s\", which the library has itself", what,
                         quoted);
    }
    return MXB_OK;
}

/* ---- Losses ---- */

mxb_status mxb_loss_create(const char *name, mxb_loss_value_fn value, mxb_loss_derivatives_fn derivatives,
                           void *context, mxb_loss **loss, mxb_error *error) {
    if (loss == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the loss is NULL");
    }
    static const char *const taken[] = {"mse", "logloss", NULL};
    *loss = NULL;
    MXB_TRY(check_name(name, "loss", taken, error));
    if (value == NULL || derivatives == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the function for the %s of the loss is NULL",
                         value == NULL ? "value" : "derivatives");
    }
    MXB_TRY(mxb__alloc_zeroed(loss, 1, sizeof **loss, "a loss", error));
    strcpy((*loss)->name, name);
    strcpy((*loss)->metric_name, name);
    (*loss)->value = value;
    (*loss)->derivatives = derivatives;
    (*loss)->context = context;
    return MXB_OK;
}

void mxb_loss_set_start(mxb_loss *loss, mxb_loss_start_fn start) {
    if (loss != NULL) {
        loss->start = start;
    }
}

void mxb_loss_set_metric(mxb_loss *loss, const char *name, mxb_loss_metric_fn metric) {
    if (loss == NULL) {
        return;
    }
    loss->metric = metric;
    snprintf(loss->metric_name, sizeof loss->metric_name, "%s",
             metric == NULL || name == NULL || *name == '\0' ? loss->name : name);
    for (char *byte = loss->metric_name; *byte != '\0'; byte++) {
        *byte = mxb__own_name_fits(byte, 1) ? *byte : '?';
    }
}

void mxb_loss_set_link(mxb_loss *loss, mxb_loss_link_fn link) {
    if (loss != NULL) {
        loss->link = link;
    }
}

void mxb_loss_free(mxb_loss *loss) { mxb__free(loss); }

/* ---- Learners ---- */

mxb_status mxb_learner_create(const char *name, mxb_learner_fit_fn fit, mxb_learner_predict_fn predict,
                              mxb_learner_free_fn free_term, void *context, mxb_learner **learner, mxb_error *error) {
    if (learner == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the learner is NULL");
    }
    static const char *const taken[] = {"tree", "symmetric", "fourier", NULL};
    *learner = NULL;
    MXB_TRY(check_name(name, "learner", taken, error));
    if (fit == NULL || predict == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the function %s of the learner is NULL",
                         fit == NULL ? "fit" : "predict");
    }
    MXB_TRY(mxb__alloc_zeroed(learner, 1, sizeof **learner, "a learner", error));
    strcpy((*learner)->name, name);
    (*learner)->fit = fit;
    (*learner)->predict = predict;
    (*learner)->free_term = free_term;
    (*learner)->context = context;
    return MXB_OK;
}

void mxb_learner_set_files(mxb_learner *learner, mxb_learner_write_fn write, mxb_learner_read_fn read) {
    int both = write != NULL && read != NULL; /* what cannot be read back is not written */
    if (learner != NULL) {
        learner->write = both ? write : NULL;
        learner->read = both ? read : NULL;
    }
}

void mxb_learner_free(mxb_learner *learner) { mxb__free(learner); }
