/* Data looked at before anything is prepared: what a training would complain of, and whether rows can judge it. */
#include "base/memory.h"
#include "boost/trainer.h"
#include "mixboost/tune.h"

/* By default the loss is that of numbers. */
static int has_two_classes(const mxb_params *params) {
    return params != NULL && mxb__prepare_settings(params).two_classes;
}

static mxb_status check_valid(const mxb_dataset *view, const struct labels *labels, const mxb_dataset *valid,
                              mxb_error *error) {
    struct labels valid_labels = {0};
    char **names = NULL;
    if (view->columns[0].name != NULL) {
        MXB_TRY(mxb__alloc(&names, view->n_columns, sizeof *names, "names", error));
        for (size_t f = 0; f < view->n_columns; f++) {
            names[f] = view->columns[f].name;
        }
    }
    mxb_status status = mxb__dataset_check_features(valid, names, view->n_columns, "the training data", error);
    mxb__free(names);
    MXB_TRY(status);
    status = mxb__labels_read(valid, labels->is_1 != NULL, labels->is_1 != NULL ? labels->classes : NULL,
                              (char *const *)labels->class_texts, "the validation data", &valid_labels, error);
    mxb__labels_clear(&valid_labels);
    return status;
}

mxb_status mxb_training_check(const mxb_dataset *train, const mxb_dataset *valid, const mxb_params *params,
                              mxb_error *error) {
    mxb_dataset *view = NULL;
    struct labels labels = {0};
    if (train == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the training data is NULL");
    }
    if (train->n_columns == 0) {
        return mxb__fail(error, MXB_ERROR_DATA, "the training data has no feature columns");
    }
    mxb_status status = mxb__training_rows(train, has_two_classes(params), &view, &labels, error);
    if (status == MXB_OK && valid != NULL) {
        status = check_valid(view, &labels, valid, error);
    }
    mxb_dataset_free(view);
    mxb__labels_clear(&labels);
    return status;
}

/* Rows of class k, 0 or 1, that weigh anything. */
static size_t count_class(const struct labels *labels, int k) {
    size_t n = 0;
    for (size_t i = 0; i < labels->n_rows; i++) {
        n += labels->is_1[i] == k && (labels->weights == NULL || labels->weights[i] > 0.0);
    }
    return n;
}

static mxb_status check_classes(const struct labels *all, const struct labels *judging, size_t *n_rarer,
                                mxb_error *error) {
    char label[MXB__LABEL_SIZE];
    size_t n_rows = count_class(all, 0) + count_class(all, 1);
    for (int k = 0; k < 2; k++) {
        size_t n = count_class(all, k), n_judging = count_class(judging, k);
        *n_rarer = n_judging < *n_rarer ? n_judging : *n_rarer;
        if (n_judging == 0) {
            return mxb__fail(error, MXB_ERROR_DATA, "no row has label %s; of the %zu rows of the training data %zu %s",
                             mxb__labels_show(all, k, label), n_rows, n, n == 1 ? "does" : "do");
        }
    }
    return MXB_OK;
}

mxb_status mxb_judging_check(const mxb_dataset *train, const mxb_dataset *judging, const mxb_params *params,
                             size_t *n_rarer, mxb_error *error) {
    struct labels all = {0};
    struct labels some = {0};
    size_t unasked;
    n_rarer = n_rarer != NULL ? n_rarer : &unasked;
    *n_rarer = SIZE_MAX;
    if (train == NULL || judging == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", train == NULL ? "train" : "judging");
    }
    if (!has_two_classes(params)) {
        return MXB_OK;
    }
    MXB_TRY(mxb__labels_read(train, 1, NULL, NULL, "the training data", &all, error));
    mxb_status status =
        mxb__labels_read(judging, 1, all.classes, (char *const *)all.class_texts, "the validation data", &some, error);
    if (status == MXB_OK) {
        status = check_classes(&all, &some, n_rarer, error);
    }
    mxb__labels_clear(&all);
    mxb__labels_clear(&some);
    return status;
}
