/* Data sets for the tests of learners and of the boosting loop: random, and the same in every run. */
#ifndef MAKE_DATA_H
#define MAKE_DATA_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mixboost/mixboost.h"

/* A generator of its own, so that tests do not lean on the library's. */
struct dice {
    uint64_t state;
};

static inline uint64_t dice_bits(struct dice *dice) {
    uint64_t x = dice->state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* In (0, 1). */
static inline double dice_uniform(struct dice *dice) { return ((double)(dice_bits(dice) >> 12) + 0.5) * 0x1p-52; }

static inline double dice_normal(struct dice *dice) {
    double radius = sqrt(-2.0 * log(dice_uniform(dice)));
    return radius * cos(6.283185307179586 * dice_uniform(dice));
}

/* 0 .. n - 1. */
static inline size_t dice_below(struct dice *dice, size_t n) { return (size_t)(dice_bits(dice) % n); }

struct data_recipe {
    size_t n_rows;
    size_t n_features;
    uint64_t seed;
    double missing;    /* fraction of the values that are NaN */
    size_t n_distinct; /* values a feature takes; 0: continuous */
    int two_classes;
    int weighted; /* weights 10^-6 .. 10^6 */
    int wild;     /* labels exp(6 N(0, 1)) */
};

struct made_data {
    size_t n_rows;
    size_t n_features;
    double *x; /* [feature][row] */
    double *y;
    double *weights; /* NULL: none */
    mxb_dataset *dataset;
};

/* Views the arrays; 0 on failure. */
static inline int data_view(struct made_data *data) {
    size_t n = data->n_rows;
    data->dataset = NULL;
    return mxb_dataset_create(n, &data->dataset, NULL) == MXB_OK &&
           mxb_dataset_add_matrix(data->dataset, data->x, MXB_FLOAT64, data->n_features, sizeof(double),
                                  (ptrdiff_t)(n * sizeof(double)), NULL) == MXB_OK &&
           mxb_dataset_set_label(data->dataset, data->y, sizeof(double), MXB_FLOAT64, NULL) == MXB_OK &&
           (data->weights == NULL ||
            mxb_dataset_set_weight(data->dataset, data->weights, sizeof(double), MXB_FLOAT64, NULL) == MXB_OK);
}

static inline struct made_data data_allocate(size_t n_rows, size_t n_features, int weighted) {
    struct made_data data = {.n_rows = n_rows, .n_features = n_features};
    data.x = calloc(n_rows * n_features, sizeof *data.x);
    data.y = calloc(n_rows, sizeof *data.y);
    data.weights = weighted ? calloc(n_rows, sizeof *data.weights) : NULL;
    return data;
}

static inline struct made_data data_make(struct data_recipe recipe) {
    size_t n = recipe.n_rows;
    struct made_data data = data_allocate(n, recipe.n_features, recipe.weighted);
    struct dice dice = {recipe.seed * 7919 + 1};
    for (size_t i = 0; i < n; i++) {
        double signal = 0.0;
        for (size_t f = 0; f < recipe.n_features; f++) {
            double value =
                recipe.n_distinct > 0 ? (double)dice_below(&dice, recipe.n_distinct) - 1.5 : dice_normal(&dice);
            signal += f < 4 ? sin((double)(f + 1) * value) : 0.0;
            data.x[f * n + i] = dice_uniform(&dice) < recipe.missing ? (double)NAN : value;
        }
        double noisy = signal + 0.3 * dice_normal(&dice);
        data.y[i] = recipe.two_classes ? noisy > 0.2 : recipe.wild ? exp(6.0 * dice_normal(&dice)) : noisy;
        if (recipe.weighted) {
            data.weights[i] = pow(10.0, 12.0 * dice_uniform(&dice) - 6.0);
        }
    }
    if (recipe.two_classes && n > 1) { /* never one class alone */
        data.y[0] = 0.0;
        data.y[1] = 1.0;
    }
    data_view(&data);
    return data;
}

static inline void data_clear(struct made_data *data) {
    mxb_dataset_free(data->dataset);
    free(data->x);
    free(data->y);
    free(data->weights);
}

/* Options as a list of names and values that ends with NULL; NULL when one is refused. */
static inline mxb_params *params_of(const char *const *pairs) {
    mxb_params *params = NULL;
    int fine = mxb_params_create(&params, NULL) == MXB_OK;
    for (; fine && *pairs != NULL; pairs += 2) {
        fine = mxb_params_set(params, pairs[0], pairs[1], NULL) == MXB_OK;
    }
    if (!fine) {
        mxb_params_free(params);
        params = NULL;
    }
    return params;
}

#define PARAMS(...) params_of((const char *const[]){__VA_ARGS__, NULL})

/* The bytes a model would be saved as. */
struct model_bytes {
    void *bytes;
    size_t n_bytes;
};

static inline struct model_bytes bytes_of(const mxb_model *model) {
    struct model_bytes bytes = {NULL, 0};
    if (model == NULL || mxb_model_to_bytes(model, &bytes.bytes, &bytes.n_bytes, NULL) != MXB_OK) {
        bytes = (struct model_bytes){NULL, 0};
    }
    return bytes;
}

static inline int same_bytes(struct model_bytes a, struct model_bytes b) {
    return a.bytes != NULL && b.bytes != NULL && a.n_bytes == b.n_bytes && memcmp(a.bytes, b.bytes, a.n_bytes) == 0;
}

#endif
