/* Cross-validation: a training and a measurement a fold, each through the public calls, so that a fold is nothing but a
 * training on a selection of rows. Knows nothing of rounds. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "boost/params.h"
#include "data/dataset.h"
#include "data/folds.h"
#include "data/labels.h"
#include "loss/objective.h"
#include "mixboost/tune.h"

enum { MAX_FOLDS = 1000 };

struct validation {
    const mxb_dataset *dataset;
    const mxb_params *params;
    size_t n_folds;
    size_t n_repeats;
    uint32_t *folds; /* [n_rows] the fold that holds the row out, in the present repeat */

    mxb_progress_fn progress; /* NULL: none */
    void *context;
    double began;
    size_t fold; /* being trained or measured, counted from 1 through all repeats */
};

static int tell(const struct validation *validation, double train_loss, double held_out_loss) {
    return validation->progress == NULL || validation->progress(validation->context, validation->fold, train_loss,
                                                                held_out_loss, mxb__seconds_now() - validation->began);
}

/* What a fold's training, and the choice of its num_round, report after a round. */
static int tell_round(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    (void)round;
    (void)valid_loss; /* of rows that the choice keeps aside */
    (void)seconds;
    return tell(context, train_loss, NAN);
}

static mxb_status validate_fold(const struct validation *validation, size_t fold, double *loss, mxb_error *error) {
    mxb_dataset *train = NULL;
    mxb_dataset *held_out = NULL;
    mxb_model *model = NULL;
    mxb_status status = mxb__folds_select(validation->dataset, validation->folds, (uint32_t)fold, 1, &train, error);
    if (status == MXB_OK) {
        status = mxb__folds_select(validation->dataset, validation->folds, (uint32_t)fold, 0, &held_out, error);
    }
    if (status == MXB_OK) {
        status = mxb_train(train, NULL, validation->params, tell_round, (void *)validation, &model, error);
    }
    if (status == MXB_OK) {
        int n_threads = (int)mxb__param_threads(validation->params, OPTION_N_THREADS);
        status = mxb_model_evaluate(model, held_out, n_threads, loss, error);
    }
    if (status == MXB_OK && !tell(validation, mxb_model_curve(model, mxb_model_n_rounds(model), 0), *loss)) {
        status = mxb__fail(error, MXB_STOPPED, "cross-validation was stopped");
    }
    mxb_model_free(model);
    mxb_dataset_free(held_out);
    mxb_dataset_free(train);
    return status;
}

static mxb_status validate_repeat(struct validation *validation, size_t repeat, double *losses, mxb_error *error) {
    mxb_error cause;
    char which[64] = "";
    if (validation->n_repeats > 1) {
        snprintf(which, sizeof which, "repeat %zu, ", repeat + 1);
    }
    for (size_t fold = 0; fold < validation->n_folds; fold++) {
        validation->fold++;
        mxb_status status = validate_fold(validation, fold, &losses[fold], &cause);
        if (status != MXB_OK) {
            return mxb__fail(error, status, "%sfold %zu: %s", which, fold + 1, cause.message);
        }
    }
    return MXB_OK;
}

static mxb_status check_n_folds(size_t n_folds, mxb_error *error) {
    if (n_folds < 2 || n_folds > MAX_FOLDS) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_folds is %zu; it must be 2 to %d", n_folds, (int)MAX_FOLDS);
    }
    return MXB_OK;
}

static mxb_status check_arguments(const mxb_dataset *dataset, const mxb_params *params, size_t n_folds,
                                  size_t n_repeats, const double *losses, mxb_error *error) {
    if (dataset == NULL || losses == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", dataset == NULL ? "dataset" : "losses");
    }
    MXB_TRY(check_n_folds(n_folds, error));
    if (n_repeats == 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_repeats is 0; it must be at least 1");
    }
    return mxb__params_check(params, error);
}

mxb_status mxb_dataset_fold(const mxb_dataset *dataset, size_t n_folds, int stratify, uint64_t seed, size_t repeat,
                            size_t fold, mxb_dataset **train, mxb_dataset **held_out, mxb_error *error) {
    struct labels labels;
    uint32_t *folds = NULL;
    if (dataset == NULL || train == NULL || held_out == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "dataset, train or held_out is NULL");
    }
    *train = NULL;
    *held_out = NULL;
    MXB_TRY(check_n_folds(n_folds, error));
    if (fold >= n_folds) {
        return mxb__fail(error, MXB_ERROR_PARAM, "fold is %zu; it must be below n_folds, %zu", fold, n_folds);
    }
    int two_classes = dataset->label.numbers != NULL; /* texts are labels of two classes only */
    MXB_TRY(mxb__labels_read(dataset, two_classes, NULL, NULL, "the dataset", &labels, error));
    mxb_status status = mxb__alloc(&folds, labels.n_rows, sizeof *folds, "folds", error);
    if (status == MXB_OK) {
        status = mxb__folds_deal(&labels, n_folds, stratify, seed, repeat, folds, error);
    }
    if (status == MXB_OK) {
        status = mxb__folds_select(dataset, folds, (uint32_t)fold, 1, train, error);
    }
    if (status == MXB_OK) {
        status = mxb__folds_select(dataset, folds, (uint32_t)fold, 0, held_out, error);
    }
    if (status != MXB_OK) {
        mxb_dataset_free(*train);
        *train = NULL;
    }
    mxb__free(folds);
    mxb__labels_clear(&labels);
    return status;
}

mxb_status mxb_cross_validate(const mxb_dataset *dataset, const mxb_params *params, size_t n_folds, size_t n_repeats,
                              int stratify, uint64_t seed, mxb_progress_fn progress, void *context, double *losses,
                              mxb_error *error) {
    mxb_params defaults;
    mxb__params_init(&defaults);
    struct validation validation = {.dataset = dataset,
                                    .params = params == NULL ? &defaults : params,
                                    .n_folds = n_folds,
                                    .n_repeats = n_repeats,
                                    .progress = progress,
                                    .context = context,
                                    .began = mxb__seconds_now()};
    struct labels labels;
    MXB_TRY(check_arguments(dataset, validation.params, n_folds, n_repeats, losses, error));
    params = validation.params;
    struct objective objective = mxb__objective_find(&params->own.loss, params->texts[OPTION_OBJECTIVE]);
    int two_classes = mxb__objective_two_classes(&objective);
    MXB_TRY(mxb__labels_read(dataset, two_classes, NULL, NULL, "the dataset", &labels, error));
    mxb_status status = mxb__alloc(&validation.folds, labels.n_rows, sizeof *validation.folds, "folds", error);
    for (size_t repeat = 0; status == MXB_OK && repeat < n_repeats; repeat++) {
        status = mxb__folds_deal(&labels, n_folds, stratify, seed, repeat, validation.folds, error);
        if (status == MXB_OK) {
            status = validate_repeat(&validation, repeat, losses + repeat * n_folds, error);
        }
    }
    mxb__free(validation.folds);
    mxb__labels_clear(&labels);
    return status;
}
