/* Data at the ends of what numbers can be: a table of what columns, labels and weights hold. */
#ifndef EXTREME_DATA_H
#define EXTREME_DATA_H

#include <float.h>
#include <stdio.h>

#include "stress/draw_data.h"

/* Value of column f of a row, those before it given. */
typedef double (*value_fn)(struct dice *dice, const double *row, size_t f);

static inline double value_normal(struct dice *dice, const double *row, size_t f) {
    (void)row, (void)f;
    return dice_normal(dice);
}

static inline double value_constant(struct dice *dice, const double *row, size_t f) {
    (void)dice, (void)row;
    return (double)f - 1.0;
}

static inline double value_duplicate(struct dice *dice, const double *row, size_t f) {
    return f == 0 ? dice_normal(dice) : row[0];
}

static inline double value_collinear(struct dice *dice, const double *row, size_t f) {
    return f < 2 ? dice_normal(dice) : row[f - 1] * (double)f - 2.0 * row[f - 2] + 1.0;
}

/* Few different rows, so that fewer equations than unknowns are independent. */
static inline double value_repeated(struct dice *dice, const double *row, size_t f) {
    return f == 0 ? (double)dice_below(dice, 3) : row[0];
}

static inline double value_infinite(struct dice *dice, const double *row, size_t f) {
    size_t kind = dice_below(dice, 4);
    (void)row, (void)f;
    return kind == 0 ? HUGE_VAL : kind == 1 ? -HUGE_VAL : kind == 2 ? (double)NAN : dice_normal(dice);
}

static inline double value_denormal(struct dice *dice, const double *row, size_t f) {
    (void)row, (void)f;
    return draw_sign(dice) * (double)dice_below(dice, 100) * 5e-324;
}

static inline double value_huge(struct dice *dice, const double *row, size_t f) {
    (void)row, (void)f;
    return draw_sign(dice) * DBL_MAX * (draw_one_in(dice, 3) ? 1.0 : dice_uniform(dice));
}

static inline double value_wide(struct dice *dice, const double *row, size_t f) {
    (void)row, (void)f;
    return draw_sign(dice) * draw_power(dice, -307.0, 308.0);
}

static inline double value_neighbour(struct dice *dice, const double *row, size_t f) {
    (void)row, (void)f;
    return 1.0 + (double)dice_below(dice, 50) * DBL_EPSILON;
}

struct example {
    const char *name;
    size_t n_rows;
    size_t n_columns;
    value_fn value;
    double label;        /* the largest; 0: of every size */
    double least_weight; /* powers of ten; both 0: no weights */
    double largest_weight;
};

enum { MANY_COLUMNS = 65536, MANY_DISTINCT = 1 << 24 };

static const struct example EXAMPLES[] = {
    {"plain", 60, 3, value_normal, 1.0, 0, 0},
    {"labels to 1e300", 60, 3, value_normal, 1e300, 0, 0},
    {"labels to 1e150", 60, 3, value_normal, 1e150, 0, 0},
    {"labels to 1e-150", 60, 3, value_normal, 1e-150, 0, 0},
    {"labels to 1e-300", 60, 3, value_normal, 1e-300, 0, 0},
    {"denormal labels", 60, 3, value_normal, 1e-320, 0, 0},
    {"labels of every size", 60, 3, value_normal, 0.0, 0, 0},
    {"weights of every size", 60, 3, value_normal, 1.0, -300, 288},
    {"small weights", 60, 3, value_normal, 1.0, -300, -288},
    {"large weights", 60, 3, value_normal, 1.0, 270, 288},
    {"large labels of small weights", 60, 3, value_normal, 1e300, -300, -280},
    {"small labels of large weights", 60, 3, value_normal, 1e-300, 270, 288},
    {"constant columns", 60, 3, value_constant, 1.0, 0, 0},
    {"duplicate columns", 60, 5, value_duplicate, 1.0, 0, 0},
    {"collinear columns", 60, 5, value_collinear, 1.0, 0, 0},
    {"repeated rows", 60, 3, value_repeated, 1.0, 0, 0},
    {"infinite values", 60, 3, value_infinite, 1.0, 0, 0},
    {"denormal values", 60, 3, value_denormal, 1.0, 0, 0},
    {"huge values", 60, 3, value_huge, 1.0, 0, 0},
    {"values of every size", 60, 3, value_wide, 1.0, 0, 0},
    {"neighbouring values", 60, 3, value_neighbour, 1.0, 0, 0},
    {"one row", 1, 3, value_normal, 1.0, 0, 0},
    {"one column", 60, 1, value_normal, 1.0, 0, 0},
    {"one row and column, as large as can be", 1, 1, value_huge, 1e300, 0, 0},
    {"65,536 columns", 12, MANY_COLUMNS, value_normal, 1.0, 0, 0},
};

static const struct example MANY_VALUES = {"2^24 distinct values", MANY_DISTINCT, 1, value_normal, 1.0, 0, 0};

static inline double extreme_label(struct dice *dice, const struct example *example, double x) {
    double signal = fabs(x) < 10.0 ? x : isnan(x) ? 0.3 : copysign(0.5, x);
    double label = fmax(-1.0, fmin(1.0, 0.4 * signal + 0.2 * dice_normal(dice)));
    return example->label > 0.0 ? label * example->label : label * draw_power(dice, -300.0, 300.0);
}

/* A dataset of an example; `two_classes` cuts its labels at 0. */
static inline struct made_data extreme_data(const struct example *example, int two_classes) {
    size_t n = example->n_rows;
    int weighted = example->least_weight < example->largest_weight;
    struct made_data data = data_allocate(n, example->n_columns, weighted);
    double *row = malloc(example->n_columns * sizeof *row);
    struct dice dice = {7};
    for (size_t i = 0; i < n; i++) {
        for (size_t f = 0; f < example->n_columns; f++) {
            row[f] = example->value(&dice, row, f);
            if (n == MANY_DISTINCT) { /* a permutation of the rows' numbers */
                row[f] = (double)((i * 0x9E3779B1u) % n);
            }
            data.x[f * n + i] = row[f];
        }
        double label = extreme_label(&dice, example, n == MANY_DISTINCT ? row[0] / (double)n : row[0]);
        data.y[i] = !two_classes ? label : i < 2 ? (double)i : label > 0.0;
        if (weighted) {
            data.weights[i] = draw_power(&dice, example->least_weight, example->largest_weight);
        }
    }
    free(row);
    data_view(&data);
    return data;
}

#endif
