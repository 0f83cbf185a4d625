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

int mxb__weight_sum_is_fine(double sum) { return sum >= 1 / LARGEST_WEIGHT_SUM && sum <= LARGEST_WEIGHT_SUM; }

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
    if (!mxb__weight_sum_is_fine(sum)) {
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

/* ---- Blocks of rows ---- */

/* Labels are read some at a time, as often as they are looked at: with two classes a byte a row is all that is kept. */
enum { BLOCK_ROWS = 1024 };

struct reading {
    const mxb_dataset *dataset;
    struct labels *labels;
    const char *owner;
    size_t n_classes;     /* met so far */
    size_t class_rows[2]; /* where each was met first */
};

struct label_block {
    size_t first;
    size_t n;
    double *values; /* 0 in rows that weigh nothing: as if they were absent, whatever their label */
};

typedef mxb_status (*look_fn)(struct reading *reading, const struct label_block *block, mxb_error *error);

static void read_block(const struct reading *reading, const struct label_block *block) {
    const double *weights = reading->labels->weights;
    mxb__column_read(reading->dataset, &reading->dataset->label, block->first, block->n, block->values);
    for (size_t i = 0; weights != NULL && i < block->n; i++) {
        block->values[i] = weights[block->first + i] == 0.0 ? 0.0 : block->values[i];
    }
}

/* Shows all labels to `look`, block by block; afterwards they are in own_values, where there are any. */
static mxb_status look_at_labels(struct reading *reading, look_fn look, mxb_error *error) {
    struct labels *labels = reading->labels;
    double values[BLOCK_ROWS];
    for (size_t first = 0; first < labels->n_rows; first += BLOCK_ROWS) {
        size_t n = labels->n_rows - first < BLOCK_ROWS ? labels->n_rows - first : BLOCK_ROWS;
        struct label_block block = {first, n, labels->own_values != NULL ? labels->own_values + first : values};
        read_block(reading, &block);
        MXB_TRY(look(reading, &block, error));
    }
    return MXB_OK;
}

/* ---- Checks ---- */

static mxb_status check_numbers(struct reading *reading, const struct label_block *block, mxb_error *error) {
    const struct labels *labels = reading->labels;
    int are_fine = 1; /* without branches: this is nearly always so */
    for (size_t i = 0; i < block->n; i++) {
        double size = fabs(block->values[i]);
        are_fine &= size <= LARGEST && size * weight_of(labels, block->first + i) <= LARGEST;
    }
    for (size_t i = 0; !are_fine && i < block->n; i++) {
        double size = fabs(block->values[i]);
        size_t number = row_number(reading->dataset, block->first + i);
        if (!isfinite(size)) {
            return mxb__fail(error, MXB_ERROR_DATA, "the label of row %zu of %s is %s; labels must be finite numbers",
                             number, reading->owner, show(block->values[i]).text);
        }
        if (size > LARGEST || size * weight_of(labels, block->first + i) > LARGEST) {
            return mxb__fail(
                error, MXB_ERROR_DATA,
                "the label of row %zu of %s is %s; labels, also times their weights, must not exceed 1e300", number,
                reading->owner, show(block->values[i]).text);
        }
    }
    return MXB_OK;
}

static mxb_status check_present(struct reading *reading, const struct label_block *block, mxb_error *error) {
    for (size_t i = 0; i < block->n; i++) {
        if (isnan(block->values[i])) {
            return mxb__fail(error, MXB_ERROR_DATA, "the label of row %zu of %s is missing",
                             row_number(reading->dataset, block->first + i), reading->owner);
        }
    }
    return MXB_OK;
}

static mxb_status refuse_texts(const mxb_dataset *dataset, const char *owner, mxb_error *error) {
    char text[MXB__LABEL_SIZE];
    size_t row = mxb__column_find_text(dataset, &dataset->label);
    row = row == dataset->n_rows ? 0 : row;
    return mxb__fail(error, MXB_ERROR_DATA, "the label of row %zu of %s is the text %s; labels must be numbers",
                     row_number(dataset, row), owner, show_label(dataset, row, text));
}

/* ---- Two classes ---- */

/* Whether a row of the block that weighs anything has a label beside those met so far, two at the most. */
static int has_strangers(const struct reading *reading, const struct label_block *block) {
    const double *classes = reading->labels->classes;
    int n_strangers = 0; /* without branches: which of the two a row has cannot be guessed */
    for (size_t i = 0; i < block->n; i++) {
        double value = block->values[i];
        int counts = weight_of(reading->labels, block->first + i) > 0.0;
        n_strangers += counts & (value != classes[0]) & (value != classes[1]);
    }
    return n_strangers > 0;
}

static mxb_status meet_class(struct reading *reading, size_t row, double value, mxb_error *error) {
    const mxb_dataset *dataset = reading->dataset;
    const size_t *rows = reading->class_rows;
    double *classes = reading->labels->classes;
    if (reading->n_classes == 2) {
        char texts[3][MXB__LABEL_SIZE];
        return mxb__fail(error, MXB_ERROR_DATA,
                         "the labels of %s have more than two values (%s, %s, %s, ...); logloss needs exactly two",
                         reading->owner, show_label(dataset, rows[0], texts[0]), show_label(dataset, rows[1], texts[1]),
                         show_label(dataset, row, texts[2]));
    }
    classes[1] = value + 0.0; /* -0 becomes 0 */
    classes[0] = reading->n_classes == 0 ? classes[1] : classes[0];
    reading->class_rows[reading->n_classes++] = row;
    return MXB_OK;
}

static mxb_status meet_classes(struct reading *reading, const struct label_block *block, mxb_error *error) {
    const struct labels *labels = reading->labels;
    if (reading->n_classes > 0 && !has_strangers(reading, block)) {
        return MXB_OK;
    }
    for (size_t i = 0; i < block->n; i++) {
        double value = block->values[i];
        int is_known = reading->n_classes > 0 && (value == labels->classes[0] || value == labels->classes[1]);
        if (!is_known && weight_of(labels, block->first + i) > 0.0) {
            MXB_TRY(meet_class(reading, block->first + i, value, error));
        }
    }
    return MXB_OK;
}

/* The two label values of the rows that weigh anything, or an error. Of texts the values are ranks so far. */
static mxb_status find_classes(struct reading *reading, mxb_error *error) {
    const mxb_dataset *dataset = reading->dataset;
    double *classes = reading->labels->classes;
    size_t *rows = reading->class_rows;
    MXB_TRY(look_at_labels(reading, meet_classes, error));
    if (reading->n_classes == 1) {
        char text[MXB__LABEL_SIZE];
        return mxb__fail(error, MXB_ERROR_DATA, "all labels of %s are %s; logloss needs two different values",
                         reading->owner, show_label(dataset, rows[0], text));
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
        reading->labels->class_texts[k] = mxb__column_text(dataset, &dataset->label, rows[k]);
    }
    return MXB_OK;
}

/* The classes of a training, as values of this dataset: of texts their ranks, NaN where no row can have one. */
static mxb_status take_classes(struct reading *reading, const double known[2], char *const known_texts[2],
                               mxb_error *error) {
    const struct column *label = &reading->dataset->label;
    struct labels *labels = reading->labels;
    if ((label->numbers != NULL) != (known_texts[0] != NULL)) {
        return mxb__fail(error, MXB_ERROR_DATA, "the labels of %s are %s, the training labels are %s", reading->owner,
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

static mxb_status code_block(struct reading *reading, const struct label_block *block, mxb_error *error) {
    struct labels *labels = reading->labels;
    const double *classes = labels->classes;
    int strange = has_strangers(reading, block);
    for (size_t i = 0; i < block->n; i++) {
        double value = block->values[i];
        if (strange && value != classes[0] && value != classes[1] && weight_of(labels, block->first + i) > 0.0) {
            char texts[3][MXB__LABEL_SIZE];
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the label of row %zu of %s is %s; the training labels are %s and %s",
                             row_number(reading->dataset, block->first + i), reading->owner,
                             show_label(reading->dataset, block->first + i, texts[0]),
                             format_label(labels->class_texts[0], classes[0], texts[1]),
                             format_label(labels->class_texts[1], classes[1], texts[2]));
        }
        labels->is_1[block->first + i] = value == classes[1];
    }
    return MXB_OK;
}

/* A byte a row. */
static mxb_status code_classes(struct reading *reading, mxb_error *error) {
    struct labels *labels = reading->labels;
    MXB_TRY(mxb__alloc(&labels->is_1, labels->n_rows, sizeof *labels->is_1, "labels", error));
    MXB_TRY(look_at_labels(reading, code_block, error));
    if (labels->class_texts[0] != NULL) {
        labels->classes[0] = 0.0;
        labels->classes[1] = 1.0;
    }
    return MXB_OK;
}

/* ---- All of it ---- */

/* Whether the caller's labels are an array as the losses want it. Rows of weight 0 must not have labels of theirs. */
static int are_in_place(const struct reading *reading) {
    const mxb_dataset *dataset = reading->dataset;
    const struct column *label = &dataset->label;
    return label->type == MXB_FLOAT64 && label->stride == (ptrdiff_t)sizeof(double) &&
           (uintptr_t)label->data % sizeof(double) == 0 && dataset->rows == NULL && reading->labels->weights == NULL;
}

static mxb_status read_numbers(struct reading *reading, mxb_error *error) {
    struct labels *labels = reading->labels;
    if (reading->dataset->label.numbers != NULL) {
        return refuse_texts(reading->dataset, reading->owner, error);
    }
    if (are_in_place(reading)) {
        labels->values = reading->dataset->label.data;
    } else {
        MXB_TRY(mxb__alloc(&labels->own_values, labels->n_rows, sizeof *labels->own_values, "labels", error));
        labels->values = labels->own_values;
    }
    return look_at_labels(reading, check_numbers, error);
}

static mxb_status read_classes(struct reading *reading, const double known[2], char *const known_texts[2],
                               mxb_error *error) {
    int are_texts = reading->dataset->label.numbers != NULL;
    MXB_TRY(look_at_labels(reading, are_texts ? check_present : check_numbers, error));
    MXB_TRY(known != NULL ? take_classes(reading, known, known_texts, error) : find_classes(reading, error));
    return code_classes(reading, error);
}

static double sum_weights(const struct labels *labels) {
    double sum = labels->weights == NULL ? (double)labels->n_rows : 0.0;
    for (size_t i = 0; labels->weights != NULL && i < labels->n_rows; i++) {
        sum += labels->weights[i];
    }
    return sum;
}

mxb_status mxb__labels_read(const mxb_dataset *dataset, int two_classes, const double known[2],
                            char *const known_texts[2], const char *owner, struct labels *labels, mxb_error *error) {
    struct reading reading = {.dataset = dataset, .labels = labels, .owner = owner};
    *labels = (struct labels){.n_rows = dataset->n_rows};
    if (dataset->label.data == NULL) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s has no label", owner);
    }
    mxb_status status = mxb__weights_read(dataset, owner, &labels->weights, error);
    if (status == MXB_OK) {
        status = two_classes ? read_classes(&reading, known, known_texts, error) : read_numbers(&reading, error);
    }
    if (status != MXB_OK) {
        mxb__labels_clear(labels);
        return status;
    }
    labels->sum = sum_weights(labels);
    return MXB_OK;
}

const char *mxb__labels_show(const struct labels *labels, double value, char out[MXB__LABEL_SIZE]) {
    int are_classes = labels->classes[0] < labels->classes[1];
    size_t k = value > 0.0;
    return format_label(labels->class_texts[k], are_classes ? labels->classes[k] : value, out);
}

void mxb__labels_clear(struct labels *labels) {
    mxb__free(labels->own_values);
    mxb__free(labels->is_1);
    mxb__free(labels->weights);
    *labels = (struct labels){0};
}
