/* Labels and weights, read once and checked row by row. Knows nothing of the losses beyond the number of classes. */
#include "data/labels.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* Beyond this, sums and products of labels and weights could leave the range of a double. */
static const double LARGEST = 1e300;
static const double LARGEST_WEIGHT_SUM = 1e290;

struct shown {
    char text[MXB__NUMBER_SIZE];
};

static struct shown show(double number) {
    struct shown shown;
    mxb__number_format(number, shown.text);
    return shown;
}

/* As the caller counts them. */
static size_t row_number(const mxb_dataset *dataset, size_t row) {
    return (size_t)mxb__dataset_array_row(dataset, row) + 1;
}

mxb_status mxb__weights_read(const mxb_dataset *dataset, const char *owner, double **weights, mxb_error *error) {
    *weights = NULL;
    if (dataset->weight.data == NULL) {
        return MXB_OK;
    }
    double *values;
    MXB_TRY(mxb__alloc(&values, dataset->n_rows, sizeof *values, "weights", error));
    mxb__column_read(dataset, &dataset->weight, 0, dataset->n_rows, values);
    double sum = 0.0;
    for (size_t i = 0; i < dataset->n_rows; i++) {
        if (!(values[i] >= 0.0 && isfinite(values[i]))) {
            mxb_status status = mxb__fail(error, MXB_ERROR_DATA,
                                          "the weight of row %zu of %s is %s; weights must be finite and not negative",
                                          row_number(dataset, i), owner, show(values[i]).text);
            mxb__free(values);
            return status;
        }
        sum += values[i];
    }
    if (!(sum >= 1 / LARGEST_WEIGHT_SUM && sum <= LARGEST_WEIGHT_SUM)) {
        mxb_status status =
            sum == 0.0
                ? mxb__fail(error, MXB_ERROR_DATA, "all weights of %s are zero; at least one row must count", owner)
                : mxb__fail(error, MXB_ERROR_DATA,
                            "the weights of %s sum to %s; the sum must be between 1e-290 and 1e290", owner,
                            show(sum).text);
        mxb__free(values);
        return status;
    }
    *weights = values;
    return MXB_OK;
}

static double weight_of(const struct labels *labels, size_t row) {
    return labels->weights == NULL ? 1.0 : labels->weights[row];
}

static mxb_status check_values(const mxb_dataset *dataset, struct labels *labels, const char *owner, mxb_error *error) {
    for (size_t i = 0; i < labels->n_rows; i++) {
        if (weight_of(labels, i) == 0.0) {
            labels->values[i] = 0.0; /* as if the row were absent, whatever its label */
            continue;
        }
        double size = fabs(labels->values[i]);
        if (!isfinite(size)) {
            return mxb__fail(error, MXB_ERROR_DATA, "the label of row %zu of %s is %s; labels must be finite numbers",
                             row_number(dataset, i), owner, show(labels->values[i]).text);
        }
        if (size > LARGEST || size * weight_of(labels, i) > LARGEST) {
            return mxb__fail(
                error, MXB_ERROR_DATA,
                "the label of row %zu of %s is %s; labels, also times their weights, must not exceed 1e300",
                row_number(dataset, i), owner, show(labels->values[i]).text);
        }
    }
    return MXB_OK;
}

/* The two label values of the rows that weigh anything, or an error. */
static mxb_status find_classes(struct labels *labels, const char *owner, mxb_error *error) {
    size_t n_classes = 0;
    double *classes = labels->classes;
    for (size_t i = 0; i < labels->n_rows; i++) {
        double value = labels->values[i];
        if (weight_of(labels, i) == 0.0 || (n_classes > 0 && value == classes[0]) ||
            (n_classes > 1 && value == classes[1])) {
            continue;
        }
        if (n_classes == 2) {
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the labels of %s have more than two values (%s, %s, %s, ...); logloss needs exactly two",
                             owner, show(classes[0]).text, show(classes[1]).text, show(value).text);
        }
        classes[n_classes++] = value + 0.0; /* -0 becomes 0 */
    }
    if (n_classes == 1) {
        return mxb__fail(error, MXB_ERROR_DATA, "all labels of %s are %s; logloss needs two different values", owner,
                         show(classes[0]).text);
    }
    if (classes[1] < classes[0]) {
        double larger = classes[0];
        classes[0] = classes[1];
        classes[1] = larger;
    }
    return MXB_OK;
}

static mxb_status code_classes(const mxb_dataset *dataset, struct labels *labels, const char *owner, mxb_error *error) {
    const double *classes = labels->classes;
    for (size_t i = 0; i < labels->n_rows; i++) {
        double value = labels->values[i];
        if (value != classes[0] && value != classes[1] && weight_of(labels, i) > 0.0) {
            return mxb__fail(
                error, MXB_ERROR_DATA, "the label of row %zu of %s is %s; the training labels are %s and %s",
                row_number(dataset, i), owner, show(value).text, show(classes[0]).text, show(classes[1]).text);
        }
        labels->values[i] = value == classes[1] ? 1.0 : 0.0;
    }
    return MXB_OK;
}

mxb_status mxb__labels_read(const mxb_dataset *dataset, int two_classes, const double known[2], const char *owner,
                            struct labels *labels, mxb_error *error) {
    *labels = (struct labels){.n_rows = dataset->n_rows};
    if (dataset->label.data == NULL) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has no label", owner);
    }
    mxb_status status = mxb__weights_read(dataset, owner, &labels->weights, error);
    if (status == MXB_OK) {
        status = mxb__alloc(&labels->values, dataset->n_rows, sizeof *labels->values, "labels", error);
    }
    if (status == MXB_OK) {
        mxb__column_read(dataset, &dataset->label, 0, dataset->n_rows, labels->values);
        status = check_values(dataset, labels, owner, error);
    }
    if (status == MXB_OK && two_classes) {
        if (known != NULL) {
            memcpy(labels->classes, known, sizeof labels->classes);
        } else {
            status = find_classes(labels, owner, error);
        }
        if (status == MXB_OK) {
            status = code_classes(dataset, labels, owner, error);
        }
    }
    if (status != MXB_OK) {
        mxb__labels_clear(labels);
        return status;
    }
    for (size_t i = 0; i < labels->n_rows; i++) {
        labels->sum += weight_of(labels, i);
    }
    return MXB_OK;
}

void mxb__labels_clear(struct labels *labels) {
    mxb__free(labels->values);
    mxb__free(labels->weights);
    *labels = (struct labels){0};
}
