/* Data sets drawn at random from a seed, as odd as callers' can be: every type and stride, missing values, infinities,
 * duplicates, constants, weights of 0, labels of any size. */
#ifndef DRAW_DATA_H
#define DRAW_DATA_H

#include <float.h>
#include <stdio.h>

#include "unit/boost/make_data.h"

enum { DRAW_MAX_COLUMNS = 12 };

struct drawn_data {
    size_t n_rows;
    size_t n_columns;
    int two_classes;
    double *columns; /* [column][row] before they are stored as some type */
    double *labels;
    double *weights;                /* NULL: none */
    void *stored[DRAW_MAX_COLUMNS]; /* what the dataset points into */
    uint8_t *bitmaps[DRAW_MAX_COLUMNS];
    mxb_dataset *all;
    mxb_dataset *train; /* `all` or a selection of it */
    mxb_dataset *valid; /* NULL, `train`, or another selection */
};

static inline double drawn_weight(const struct drawn_data *data, size_t row) {
    return data->weights == NULL ? 1.0 : data->weights[row];
}

static inline int draw_one_in(struct dice *dice, size_t n) { return dice_below(dice, n) == 0; }

/* 10^u, u even between the two exponents. */
static inline double draw_power(struct dice *dice, double lowest, double highest) {
    return pow(10.0, lowest + (highest - lowest) * dice_uniform(dice));
}

static inline double draw_sign(struct dice *dice) { return draw_one_in(dice, 2) ? -1.0 : 1.0; }

/* ---- columns ---- */

static inline void draw_values(struct dice *dice, double *column, const double *previous, size_t n) {
    size_t kind = dice_below(dice, 12);
    size_t n_distinct = 1 + dice_below(dice, 8);
    double constant = dice_normal(dice);
    double missing = draw_one_in(dice, 3) ? dice_uniform(dice) : 0.0;
    double infinite = draw_one_in(dice, 5) ? dice_uniform(dice) : 0.0;
    for (size_t i = 0; i < n; i++) {
        double normal = dice_normal(dice);
        switch (kind) {
            case 0:
                column[i] = (double)dice_below(dice, n_distinct);
                break;
            case 1:
                column[i] = constant;
                break;
            case 2:
                column[i] = previous != NULL ? previous[i] : (double)i;
                break;
            case 3:
                column[i] = draw_sign(dice) * draw_power(dice, -307.0, 308.0);
                break;
            case 4:
                column[i] = 1.0 + (double)dice_below(dice, 500) * DBL_EPSILON; /* neighbours */
                break;
            case 5:
                column[i] = (double)dice_below(dice, 100) * 5e-324 * draw_sign(dice);
                break;
            case 6:
                column[i] = normal * DBL_MAX / 10.0;
                break;
            case 7:
                column[i] = 1000.0 * normal; /* for the types of whole numbers */
                break;
            default:
                column[i] = normal;
        }
        column[i] = dice_uniform(dice) < infinite ? draw_sign(dice) * HUGE_VAL : column[i];
        column[i] = dice_uniform(dice) < missing ? (double)NAN : column[i];
    }
}

static inline size_t type_size(mxb_type type) {
    static const size_t sizes[] = {0, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
    return sizes[type];
}

/* The nearest value the type has; 0 for NaN in types without it. */
static inline void store_value(mxb_type type, double value, char *to) {
    static const double limits[] = {0, 0, 0, 0x1p7, 0x1p15, 0x1p31, 0x1p63, 0x1p8, 0x1p16, 0x1p32, 0x1p64, 2};
    if (type == MXB_FLOAT64) {
        memcpy(to, &value, sizeof value);
    } else if (type == MXB_FLOAT32) {
        float narrow = isfinite(value) && fabs(value) > (double)FLT_MAX ? copysignf(FLT_MAX, (float)copysign(1, value))
                                                                        : (float)value;
        memcpy(to, &narrow, sizeof narrow);
    } else {
        int is_signed = type >= MXB_INT8 && type <= MXB_INT64;
        double limit = limits[type];
        double whole = isnan(value) ? 0.0 : fmax(is_signed ? -limit : 0.0, floor(value));
        uint64_t bits;
        if (whole >= limit) {
            bits = (uint64_t)(is_signed ? (limit == 0x1p63 ? INT64_MAX : (int64_t)limit - 1) : -1);
        } else {
            bits = whole < 0.0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
        }
        memcpy(to, &bits, type_size(type)); /* the low bytes, on the machines we know */
    }
}

/* Stores a column as some type with some stride and adds it; reads it back into `column` as the library should. */
static inline int add_drawn_column(struct dice *dice, struct drawn_data *data, size_t f, const char *name) {
    size_t n = data->n_rows;
    double *column = data->columns + f * n;
    mxb_type type = draw_one_in(dice, 2) ? MXB_FLOAT64 : (mxb_type)(1 + dice_below(dice, 11));
    ptrdiff_t size = (ptrdiff_t)type_size(type);
    const ptrdiff_t strides[] = {size, size, size, -size, 2 * size, size + 1, 0};
    ptrdiff_t stride = strides[dice_below(dice, 7)];
    char *block = malloc(n * (size_t)(2 * size + 1) + 16);
    data->stored[f] = block;
    char *start = stride < 0 ? block - stride * (ptrdiff_t)(n - 1) : block;
    for (size_t i = 0; i < n; i++) {
        store_value(type, column[i], start + (ptrdiff_t)i * stride);
    }
    int fine = mxb_dataset_add_column(data->all, name, start, stride, type, NULL) == MXB_OK;
    if (fine && draw_one_in(dice, 4)) {
        size_t offset = dice_below(dice, 20);
        uint8_t *bitmap = malloc((n + offset) / 8 + 1);
        data->bitmaps[f] = bitmap;
        for (size_t b = 0; b < (n + offset) / 8 + 1; b++) {
            bitmap[b] = (uint8_t)(dice_bits(dice) | dice_bits(dice));
        }
        fine = mxb_dataset_set_validity(data->all, f, bitmap, offset, NULL) == MXB_OK;
    }
    return fine;
}

/* ---- labels and weights ---- */

static inline double signal_of(const struct drawn_data *data, size_t row) {
    double signal = 0.0;
    for (size_t f = 0; f < data->n_columns && f < 4; f++) {
        double x = data->columns[f * data->n_rows + row];
        signal += x == x && fabs(x) < 1e6 ? sin((double)(f + 1) * x) : 0.4;
    }
    return signal;
}

static inline void draw_labels(struct dice *dice, struct drawn_data *data) {
    static const double pairs[][2] = {{0, 1}, {-1, 1}, {7, 3}, {0, 5e-324}, {-1e300, 1e300}, {1, 1 + DBL_EPSILON}};
    const double *pair = pairs[dice_below(dice, 6)];
    size_t kind = dice_below(dice, 8);
    double noise = draw_one_in(dice, 2) ? 0.3 : 0.0;
    double scale = kind == 0 ? draw_power(dice, -320.0, 298.0) : 1.0;
    for (size_t i = 0; i < data->n_rows; i++) {
        double y = signal_of(data, i) + noise * dice_normal(dice);
        if (data->two_classes) {
            y = i < 2 ? pair[i] : pair[y > 0.3];
        } else if (kind == 1) {
            y = scale; /* constant */
        } else if (kind == 2) {
            y = draw_sign(dice) * draw_power(dice, -300.0, 290.0);
        } else if (kind == 3) {
            y = exp(6.0 * dice_normal(dice));
        } else if (kind == 4) {
            y += 1e6;
        }
        data->labels[i] = y * (data->two_classes ? 1.0 : scale);
    }
}

/* Rows 0 and 1 always count, so that there is a training, and with two classes both. */
static inline void draw_weights(struct dice *dice, struct drawn_data *data) {
    size_t kind = dice_below(dice, 5);
    double scale = kind == 0 ? draw_power(dice, -200.0, 200.0) : 1.0;
    for (size_t i = 0; i < data->n_rows; i++) {
        double weight = kind == 1   ? (double)(i < 2) + (double)dice_below(dice, 3)
                        : kind == 2 ? draw_power(dice, -6.0, 6.0)
                        : kind == 3 ? draw_power(dice, -100.0, 100.0)
                                    : 1.0;
        data->weights[i] = scale * weight * (double)(i < 2 || !draw_one_in(dice, 6));
    }
    for (size_t i = 0; i < data->n_rows; i++) { /* what does not count need not be a label */
        if (data->weights[i] == 0.0 && draw_one_in(dice, 3)) {
            data->labels[i] = draw_one_in(dice, 2) ? (double)NAN : draw_sign(dice) * draw_power(dice, -300.0, 308.0);
        }
    }
    if (data->two_classes) {
        return;
    }
    for (size_t i = 0; i < data->n_rows; i++) { /* label times weight must not exceed 1e300, nor the sum of them */
        while (fabs(data->labels[i]) * data->weights[i] > 1e295) {
            data->labels[i] *= 1e-100;
        }
    }
}

/* ---- all of it ---- */

/* Some rows in any order, 0 and 1 among them. */
static inline mxb_dataset *draw_selection(struct dice *dice, const struct drawn_data *data) {
    size_t n = data->n_rows;
    size_t n_chosen = 2 + dice_below(dice, n);
    size_t *rows = malloc(n_chosen * sizeof *rows);
    for (size_t i = 0; i < n_chosen; i++) {
        rows[i] = i < 2 ? i % n : dice_below(dice, n);
    }
    size_t at = dice_below(dice, n_chosen);
    size_t swapped = rows[0];
    rows[0] = rows[at];
    rows[at] = swapped;
    mxb_dataset *selection = NULL;
    if (mxb_dataset_select(data->all, rows, n_chosen, &selection, NULL) != MXB_OK) {
        selection = NULL;
    }
    free(rows);
    return selection;
}

/* Everything in it may be NULL or odd where memory runs out; then `train` is NULL. */
static inline struct drawn_data draw_data(struct dice *dice, int many_rows) {
    struct drawn_data data = {.two_classes = draw_one_in(dice, 3)};
    size_t few = draw_one_in(dice, 2) ? 1 + dice_below(dice, 400) : (size_t)draw_power(dice, 0.0, 2.0);
    size_t n = many_rows ? 65537 + dice_below(dice, 3000) : few;
    int named = draw_one_in(dice, 3);
    data.n_rows = data.two_classes && n < 2 ? 2 : n;
    n = data.n_rows;
    data.n_columns = 1 + dice_below(dice, many_rows ? 3 : DRAW_MAX_COLUMNS);
    data.columns = malloc(n * data.n_columns * sizeof *data.columns);
    data.labels = malloc(n * sizeof *data.labels);
    data.weights = draw_one_in(dice, 2) ? malloc(n * sizeof *data.weights) : NULL;
    int fine = mxb_dataset_create(n, &data.all, NULL) == MXB_OK;
    for (size_t f = 0; fine && f < data.n_columns; f++) {
        char name[32];
        snprintf(name, sizeof name, "column %zu", f);
        double *column = data.columns + f * n;
        draw_values(dice, column, f > 0 ? column - n : NULL, n);
        fine = add_drawn_column(dice, &data, f, named ? name : NULL);
    }
    draw_labels(dice, &data);
    fine = fine && mxb_dataset_set_label(data.all, data.labels, sizeof(double), MXB_FLOAT64, NULL) == MXB_OK;
    if (data.weights != NULL) {
        draw_weights(dice, &data);
        fine = fine && mxb_dataset_set_weight(data.all, data.weights, sizeof(double), MXB_FLOAT64, NULL) == MXB_OK;
    }
    if (fine) {
        data.train = draw_one_in(dice, 2) || many_rows ? data.all : draw_selection(dice, &data);
        size_t kind = dice_below(dice, 3);
        data.valid = kind == 0 ? NULL : kind == 1 ? data.train : draw_selection(dice, &data);
    }
    return data;
}

static inline void drawn_clear(struct drawn_data *data) {
    if (data->valid != data->train) {
        mxb_dataset_free(data->valid);
    }
    if (data->train != data->all) {
        mxb_dataset_free(data->train);
    }
    mxb_dataset_free(data->all);
    for (size_t f = 0; f < DRAW_MAX_COLUMNS; f++) {
        free(data->stored[f]);
        free(data->bitmaps[f]);
    }
    free(data->columns);
    free(data->labels);
    free(data->weights);
}

#endif
