/* A learner class of one's own: linear regression beside the library's trees and ridge regressions. It is fitted to
 * each round's Newton targets, drawn with a probability of its own, and saved and loaded with the model.
 *
 *     cc own_learner.c $(pkg-config --cflags --libs mixboost) -lm -o own_learner && ./own_learner */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixboost/mixboost.h"

enum { N_TRAIN = 3000, N_TEST = 1000, N_FEATURES = 3 };

static double train_x[N_TRAIN][N_FEATURES], train_y[N_TRAIN];
static double test_x[N_TEST][N_FEATURES], test_y[N_TEST], predicted[N_TEST];
static mxb_error error;

static void check(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "own_learner: %s\n", error.message);
        exit(1);
    }
}

/* ---- The learner ---- */

/* What a round keeps: a weight for each feature, and the intercept last. The library only ever sees a pointer. */
enum { N_WEIGHTS = N_FEATURES + 1 };
struct linear_term {
    double weights[N_WEIGHTS];
};

/* The data as the regression sees it: [weight][row], missing values as 0, and a column of ones for the intercept. */
static mxb_status read_columns(const mxb_dataset *data, double **columns, mxb_error *e) {
    size_t n = mxb_dataset_n_rows(data);
    *columns = malloc(N_WEIGHTS * n * sizeof **columns);
    if (*columns == NULL) {
        return MXB_ERROR_MEMORY;
    }
    for (size_t j = 0; j < N_FEATURES; j++) {
        mxb_status status = mxb_dataset_read(data, j, 0, n, *columns + j * n, e);
        if (status != MXB_OK) {
            free(*columns);
            return status;
        }
    }
    for (size_t i = 0; i < N_WEIGHTS * n; i++) {
        double *value = *columns + i;
        *value = i >= N_FEATURES * n ? 1 : isnan(*value) ? 0 : *value;
    }
    return MXB_OK;
}

static void evaluate(const struct linear_term *linear, const double *columns, size_t n, double *values) {
    for (size_t i = 0; i < n; i++) {
        values[i] = 0;
        for (size_t j = 0; j < N_WEIGHTS; j++) {
            values[i] += linear->weights[j] * columns[j * n + i];
        }
    }
}

/* Solves a x = b for a symmetric positive definite matrix, by elimination; x takes the place of b. */
static void solve(double a[N_WEIGHTS][N_WEIGHTS], double *b) {
    for (size_t k = 0; k < N_WEIGHTS; k++) {
        for (size_t i = k + 1; i < N_WEIGHTS; i++) {
            double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < N_WEIGHTS; j++) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = N_WEIGHTS; k-- > 0;) {
        for (size_t j = k + 1; j < N_WEIGHTS; j++) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}

/* Least squares with the round's weights: the normal equations (Z'WZ + a little) w = Z'Wt. */
static void fit_weights(const double *columns, size_t n, const double *targets, const double *weights,
                        struct linear_term *linear) {
    double a[N_WEIGHTS][N_WEIGHTS] = {{0}};
    for (size_t j = 0; j < N_WEIGHTS; j++) {
        linear->weights[j] = 0;
        for (size_t i = 0; i < n; i++) {
            linear->weights[j] += weights[i] * columns[j * n + i] * targets[i];
            for (size_t k = 0; k < N_WEIGHTS; k++) {
                a[j][k] += weights[i] * columns[j * n + i] * columns[k * n + i];
            }
        }
        a[j][j] += 1e-6; /* a feature that never changes must not make the matrix singular */
    }
    solve(a, linear->weights);
}

/* The library's call in a round that drew this class. mxb_round_targets gives t = -g/h and W = h, safe where h is 0. */
static mxb_status linear_fit(void *context, const mxb_round *round, void **term, double *values, mxb_error *e) {
    const mxb_dataset *data = mxb_round_data(round);
    size_t n = mxb_dataset_n_rows(data);
    double *columns = NULL;
    double *targets = malloc(2 * n * sizeof *targets);
    struct linear_term *linear = malloc(sizeof *linear);
    (void)context;
    mxb_status status = targets == NULL || linear == NULL ? MXB_ERROR_MEMORY : read_columns(data, &columns, e);
    if (status != MXB_OK) {
        free(linear);
    } else {
        mxb_round_targets(round, targets, targets + n);
        fit_weights(columns, n, targets, targets + n, linear);
        evaluate(linear, columns, n, values); /* the term's value in every training row, before the learning rate */
        *term = linear;
        free(columns);
    }
    free(targets);
    return status;
}

/* The term's value in every row of any other data. */
static mxb_status linear_predict(void *context, const void *term, const mxb_dataset *data, double *values,
                                 mxb_error *e) {
    double *columns;
    (void)context;
    mxb_status status = read_columns(data, &columns, e);
    if (status == MXB_OK) {
        evaluate(term, columns, mxb_dataset_n_rows(data), values);
        free(columns);
    }
    return status;
}

static void linear_free(void *context, void *term) {
    (void)context;
    free(term);
}

/* For files: the weights as they lie in memory, so for machines of one byte order. */
static size_t linear_write(void *context, const void *term, void *bytes, size_t capacity) {
    (void)context;
    if (capacity >= sizeof(struct linear_term)) {
        memcpy(bytes, term, sizeof(struct linear_term));
    }
    return sizeof(struct linear_term);
}

static mxb_status linear_read(void *context, const void *bytes, size_t n_bytes, void **term, mxb_error *e) {
    (void)context;
    if (n_bytes != sizeof(struct linear_term)) {
        snprintf(e->message, sizeof e->message, "%zu bytes where %zu belong", n_bytes, sizeof(struct linear_term));
        return MXB_ERROR_FORMAT;
    }
    *term = malloc(n_bytes);
    if (*term == NULL) {
        return MXB_ERROR_MEMORY;
    }
    memcpy(*term, bytes, n_bytes);
    return MXB_OK;
}

static void add_linear(mxb_params *params, double probability) {
    mxb_learner *learner;
    check(mxb_learner_create("linear", linear_fit, linear_predict, linear_free, NULL, &learner, &error));
    mxb_learner_set_files(learner, linear_write, linear_read);
    check(mxb_params_add_learner(params, learner, probability, &error));
    mxb_learner_free(learner); /* params has a copy */
}

/* ---- Data with a trend, which new rows follow beyond the old ones, and a step ---- */

static void make_rows(size_t n, double (*x)[N_FEATURES], double *y, double widest, unsigned long seed) {
    for (size_t i = 0; i < n; i++) {
        double uniform[N_FEATURES + 1];
        for (size_t j = 0; j <= N_FEATURES; j++) {
            seed = (seed * 1103515245ul + 12345ul) & 0x7FFFFFFFul;
            uniform[j] = (double)seed / 2147483648.0;
        }
        x[i][0] = widest * uniform[0];
        x[i][1] = uniform[1];
        x[i][2] = uniform[2];
        y[i] = 3 * x[i][0] - 2 * x[i][1] + (x[i][2] > 0.5 ? 1 : 0) + 0.2 * (uniform[N_FEATURES] - 0.5);
    }
}

static mxb_dataset *view(size_t n, double (*x)[N_FEATURES], double *y) {
    mxb_dataset *data;
    check(mxb_dataset_create(n, &data, &error));
    check(mxb_dataset_add_matrix(data, x, MXB_FLOAT64, N_FEATURES, sizeof x[0], sizeof x[0][0], &error));
    check(mxb_dataset_set_label(data, y, sizeof *y, MXB_FLOAT64, &error));
    return data;
}

/* The root mean squared error on the test rows of a model with the learner at a probability, saved and loaded. */
static double try_probability(const mxb_dataset *train, const mxb_dataset *test, double probability) {
    mxb_params *params;
    mxb_model *model;
    check(mxb_params_create(&params, &error));
    check(mxb_params_set(params, "num_round", "200", &error));
    add_linear(params, probability);
    check(mxb_train(train, NULL, params, NULL, NULL, &model, &error));
    check(mxb_model_save(model, "own_learner.mxb", &error));
    mxb_model_free(model);

    check(mxb_model_load_with("own_learner.mxb", params, &model, &error)); /* params brings the learner */
    check(mxb_model_predict(model, test, MXB_PREDICT_VALUE, 0, predicted, &error));
    double sum = 0;
    size_t n_linear = 0;
    for (size_t i = 0; i < N_TEST; i++) {
        sum += (predicted[i] - test_y[i]) * (predicted[i] - test_y[i]);
    }
    for (size_t round = 1; round <= mxb_model_n_rounds(model); round++) {
        n_linear += strcmp(mxb_model_round_learner(model, round, 0), "linear") == 0;
    }
    double rmse = sqrt(sum / N_TEST);
    printf("%3zu of %zu rounds linear: root mean squared error %.4f\n", n_linear, mxb_model_n_rounds(model), rmse);
    mxb_model_free(model);
    mxb_params_free(params);
    return rmse;
}

int main(void) {
    make_rows(N_TRAIN, train_x, train_y, 1.0, 1);
    make_rows(N_TEST, test_x, test_y, 1.5, 2);
    mxb_dataset *train = view(N_TRAIN, train_x, train_y);
    mxb_dataset *test = view(N_TEST, test_x, test_y);
    double without = try_probability(train, test, 0.0);
    double with = try_probability(train, test, 0.5);
    mxb_dataset_free(test);
    mxb_dataset_free(train);
    return with < 0.7 * without ? 0 : 1;
}
