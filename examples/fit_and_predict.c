/* A tour of the library: data in memory, a training that stops early, a saved model, predictions.
 *
 *     cc fit_and_predict.c $(pkg-config --cflags --libs mixboost) -o fit_and_predict && ./fit_and_predict */
#include <stdio.h>
#include <stdlib.h>

#include "mixboost/mixboost.h"

enum { N_TRAIN = 4000, N_TEST = 1000, N_FEATURES = 4 };

static double train_x[N_TRAIN][N_FEATURES], train_y[N_TRAIN];
static double test_x[N_TEST][N_FEATURES], test_y[N_TEST], predicted[N_TEST];

/* Every call that can fail returns a status; the sentence is in the error. */
static mxb_error error;

static void check(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "fit_and_predict: %s\n", error.message);
        exit(1);
    }
}

/* A smooth part, which the fourier learner likes, and a step, which the trees like, with noise on top. */
static void make_rows(size_t n, double (*x)[N_FEATURES], double *y, unsigned long seed) {
    for (size_t i = 0; i < n; i++) {
        double uniform[N_FEATURES + 1];
        for (size_t j = 0; j <= N_FEATURES; j++) {
            seed = (seed * 1103515245ul + 12345ul) & 0x7FFFFFFFul;
            uniform[j] = (double)seed / 2147483648.0;
        }
        for (size_t j = 0; j < N_FEATURES; j++) {
            x[i][j] = uniform[j];
        }
        y[i] = 4 * uniform[0] * uniform[1] - uniform[2] * uniform[2] + (uniform[3] > 0.4 ? 1 : 0) +
               0.2 * (uniform[N_FEATURES] - 0.5);
    }
}

/* A dataset is a view: it copies nothing, so the arrays must outlive it. */
static mxb_dataset *view(size_t n, double (*x)[N_FEATURES], double *y) {
    mxb_dataset *data;
    check(mxb_dataset_create(n, &data, &error));
    check(mxb_dataset_add_matrix(data, x, MXB_FLOAT64, N_FEATURES, sizeof x[0], sizeof x[0][0], &error));
    if (y != NULL) {
        check(mxb_dataset_set_label(data, y, sizeof *y, MXB_FLOAT64, &error));
    }
    return data;
}

static mxb_model *train(const mxb_dataset *data) {
    mxb_dataset *fit, *valid;
    mxb_params *params;
    mxb_model *model;
    check(mxb_dataset_split(data, 0.2, 0, 1, &fit, &valid, &error));

    check(mxb_params_create(&params, &error));
    check(mxb_params_set(params, "num_round", "300", &error));
    check(mxb_params_set(params, "learning_rate", "0.1", &error));
    check(mxb_params_set(params, "tree_probability", "0.8", &error));
    check(mxb_params_set(params, "fourier_scaling", "standard", &error));
    check(mxb_params_set(params, "gamma", "0.1", &error));
    check(mxb_params_set(params, "early_stopping_rounds", "20", &error));

    check(mxb_train(fit, valid, params, NULL, NULL, &model, &error));
    mxb_params_free(params);
    mxb_dataset_free(valid);
    mxb_dataset_free(fit);
    return model;
}

static double mean_squared_error(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum / (double)n;
}

int main(void) {
    make_rows(N_TRAIN, train_x, train_y, 1);
    make_rows(N_TEST, test_x, test_y, 2);
    mxb_dataset *train_data = view(N_TRAIN, train_x, train_y);
    mxb_dataset *test_data = view(N_TEST, test_x, NULL);

    mxb_model *model = train(train_data);
    check(mxb_model_save(model, "example.mxb", &error));
    mxb_model_free(model);

    check(mxb_model_load("example.mxb", &model, &error));
    check(mxb_model_predict(model, test_data, MXB_PREDICT_VALUE, 0, predicted, &error));
    double mse = mean_squared_error(predicted, test_y, N_TEST);
    printf("mixboost %s: %zu rounds, the last a %s\n", mxb_version(), mxb_model_n_rounds(model),
           mxb_model_round_learner(model, mxb_model_n_rounds(model), 0));
    printf("mean squared error on %d new rows: %.4f\n", N_TEST, mse);

    mxb_model_free(model);
    mxb_dataset_free(test_data);
    mxb_dataset_free(train_data);
    return mse < 0.05 ? 0 : 1;
}
