/* Labels and weights, read once and checked row by row. Knows nothing of the losses beyond the number of classes. */
#include "data/labels.h"

#include <math.h>
#include <stdio.h>
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

/* A label as the caller knows it: text in quotes, or where that is NULL the number. */
static const char *format_label(const char *text, double number, char out[MXB__LABEL_SIZE]) {
    char quoted[MXB__LABEL_SIZE - 2];
    if (text == NULL) {
        mxb__number_format(number, out);
    } else {
        snprintf(out, MXB__LABEL_SIZE, "\"%s\"", mxb__quote(quoted, sizeof quoted, text, SIZE_MAX));
    }
    return out;
}

static const char *show_label(const mxb_dataset *dataset, size_t row, char out[MXB__LABEL_SIZE]) {
    const struct column *label = &dataset->label;
    double number = mxb__column_value(label, mxb__dataset_array_row(dataset, row));
    return format_label(label->numbers == NULL ? NULL : mxb__column_text(dataset, label, row), number, out);
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

/* Text is for two classes, and every row that counts has one. */
static mxb_status check_texts(const mxb_dataset *dataset, struct labels *labels, int two_classes, const char *owner,
                              mxb_error *error) {
    char text[MXB__LABEL_SIZE];
    size_t row = mxb__column_find_text(dataset, &dataset->label);
    if (!two_classes) {
        row = row == dataset->n_rows ? 0 : row;
        return mxb__fail(error, MXB_ERROR_DATA, "the label of row %zu of %s is the text %s; labels must be numbers",
                         row_number(dataset, row), owner, show_label(dataset, row, text));
    }
    for (size_t i = 0; i < labels->n_rows; i++) {
        if (weight_of(labels, i) == 0.0) {
            labels->values[i] = 0.0; /* as if the row were absent */
        } else if (isnan(labels->values[i])) {
            return mxb__fail(error, MXB_ERROR_DATA, "the label of row %zu of %s is missing", row_number(dataset, i),
                             owner);
        }
    }
    return MXB_OK;
}

/* The two label values of the rows that weigh anything, or an error. Of texts the values are ranks so far. */
static mxb_status find_classes(const mxb_dataset *dataset, struct labels *labels, const char *owner, mxb_error *error) {
    size_t n_classes = 0;
    size_t rows[2] = {0, 0}; /* where each class was met first */
    double *classes = labels->classes;
    char texts[3][MXB__LABEL_SIZE];
    for (size_t i = 0; i < labels->n_rows; i++) {
        double value = labels->values[i];
        /* Without branches: which of the two a row has cannot be guessed. */
        int is_known = ((n_classes > 0) & (value == classes[0])) | ((n_classes > 1) & (value == classes[1]));
        if (is_known || weight_of(labels, i) == 0.0) {
            continue;
        }
        if (n_classes == 2) {
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the labels of %s have more than two values (%s, %s, %s, ...); logloss needs exactly two",
                             owner, show_label(dataset, rows[0], texts[0]), show_label(dataset, rows[1], texts[1]),
                             show_label(dataset, i, texts[2]));
        }
        rows[n_classes] = i;
        classes[n_classes++] = value + 0.0; /* -0 becomes 0 */
    }
    if (n_classes == 1) {
        return mxb__fail(error, MXB_ERROR_DATA, "all labels of %s are %s; logloss needs two different values", owner,
                         show_label(dataset, rows[0], texts[0]));
    }
    if (classes[1] < classes[0]) {
        double larger = classes[0];
        classes[0] = classes[1];
        classes[1] = larger;
        size_t row = rows[0];
        rows[0] = rows[1];
        rows[1] = row;
    }
    for (size_t k = 0; k < 2 && dataset->label.numbers != NULL; k++) {
        labels->class_texts[k] = mxb__column_text(dataset, &dataset->label, rows[k]);
    }
    return MXB_OK;
}

/* The classes of a training, as values of this dataset: of texts their ranks, NaN where no row can have one. */
static mxb_status take_classes(const mxb_dataset *dataset, struct labels *labels, const double known[2],
                               char *const known_texts[2], const char *owner, mxb_error *error) {
    const struct column *label = &dataset->label;
    if ((label->numbers != NULL) != (known_texts[0] != NULL)) {
        return mxb__fail(error, MXB_ERROR_DATA, "the labels of %s are %s, the training labels are %s", owner,
                         label->numbers != NULL ? "texts" : "numbers", known_texts[0] != NULL ? "texts" : "numbers");
    }
    for (size_t k = 0; k < 2; k++) {
        labels->classes[k] = known_texts[0] == NULL ? known[k] : (double)NAN;
        for (size_t code = 0; code < label->n_texts; code++) {
            if (strcmp(label->texts[code], known_texts[k]) == 0) {
                labels->classes[k] = label->numbers[code];
            }
        }
        labels->class_texts[k] = known_texts[k];
    }
    return MXB_OK;
}

/* A byte a row in place of a double. */
static mxb_status code_classes(const mxb_dataset *dataset, struct labels *labels, const char *owner, mxb_error *error) {
    double *classes = labels->classes;
    MXB_TRY(mxb__alloc(&labels->is_1, labels->n_rows, sizeof *labels->is_1, "labels", error));
    for (size_t i = 0; i < labels->n_rows; i++) {
        double value = labels->values[i];
        if (((value != classes[0]) & (value != classes[1])) && weight_of(labels, i) > 0.0) {
            char texts[3][MXB__LABEL_SIZE];
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the label of row %zu of %s is %s; the training labels are %s and %s",
                             row_number(dataset, i), owner, show_label(dataset, i, texts[0]),
                             format_label(labels->class_texts[0], classes[0], texts[1]),
                             format_label(labels->class_texts[1], classes[1], texts[2]));
        }
        labels->is_1[i] = value == classes[1];
    }
    mxb__free(labels->values);
    labels->values = NULL;
    if (labels->class_texts[0] != NULL) {
        classes[0] = 0.0;
        classes[1] = 1.0;
    }
    return MXB_OK;
}

mxb_status mxb__labels_read(const mxb_dataset *dataset, int two_classes, const double known[2],
                            char *const known_texts[2], const char *owner, struct labels *labels, mxb_error *error) {
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
        status = dataset->label.numbers == NULL ? check_values(dataset, labels, owner, error)
                                                : check_texts(dataset, labels, two_classes, owner, error);
    }
    if (status == MXB_OK && two_classes) {
        status = known != NULL ? take_classes(dataset, labels, known, known_texts, owner, error)
                               : find_classes(dataset, labels, owner, error);
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

const char *mxb__labels_show(const struct labels *labels, double value, char out[MXB__LABEL_SIZE]) {
    int are_classes = labels->classes[0] < labels->classes[1];
    size_t k = value > 0.0;
    return format_label(labels->class_texts[k], are_classes ? labels->classes[k] : value, out);
}

void mxb__labels_clear(struct labels *labels) {
    mxb__free(labels->values);
    mxb__free(labels->is_1);
    mxb__free(labels->weights);
    *labels = (struct labels){0};
}
