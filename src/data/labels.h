/* Labels and weights as the losses want them, checked. */
#ifndef MXB_DATA_LABELS_H
#define MXB_DATA_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "data/dataset.h"

struct labels {
    size_t n_rows;
    const double *values; /* [n_rows], in the caller's array or in own_values; NULL with two classes */
    double *own_values;   /* NULL where the caller's array serves */
    uint8_t *is_1;        /* [n_rows] with two classes: the label as 0 or 1; else NULL */
    double *weights;      /* [n_rows], each over 0 (or 0 in a validation set), or NULL: all 1 */
    double sum;           /* of the weights */
    double classes[2];    /* with two classes: the label values that 0 and 1 stand for; 0 and 1 if these are texts */
    const char *class_texts[2]; /* the texts, in the dataset's array; NULL: the labels are numbers */
};

/** Reads and checks label and weight of every row. With `two_classes` there must be exactly two label values among the
 *  rows that weigh anything; `known` (NULL: none) are those a training found, and `known_texts` (both NULL: numbers)
 * the texts they stand for. `owner` names the dataset in messages, which number rows as the caller's arrays do, from 1.
 */
mxb_status mxb__labels_read(const mxb_dataset *dataset, int two_classes, const double known[2],
                            char *const known_texts[2], const char *owner, struct labels *labels, mxb_error *error);

static inline double mxb__label_of(const struct labels *labels, size_t row) {
    return labels->is_1 == NULL ? labels->values[row] : (double)labels->is_1[row];
}

/** A label as the caller knows it: a number, or text in quotes. Returns `out`. */
enum { MXB__LABEL_SIZE = 80 };
const char *mxb__labels_show(const struct labels *labels, double value, char out[MXB__LABEL_SIZE]);

void mxb__labels_clear(struct labels *labels);

/** Whether a sum of weights is one that a dataset may have. */
int mxb__weight_sum_is_fine(double sum);

/** Reads and checks the weights alone: *weights is NULL where there are none. */
mxb_status mxb__weights_read(const mxb_dataset *dataset, const char *owner, double **weights, mxb_error *error);

#endif
