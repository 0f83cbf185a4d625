/* A loss of one's own: the Huber loss, which forgives outliers, with a metric and a link.
 *
 *     cc own_loss.c $(pkg-config --cflags --libs mixboost) -lm -o own_loss && ./own_loss */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mixboost/mixboost.h"

enum { N_TRAIN = 3000, N_TEST = 1000, N_FEATURES = 2 };

static double train_x[N_TRAIN][N_FEATURES], train_y[N_TRAIN];
static double test_x[N_TEST][N_FEATURES], test_y[N_TEST], predicted[N_TEST];
static mxb_error error;

static void check(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "own_loss: %s\n", error.message);
        exit(1);
    }
}

/* ---- The loss ---- */

/* Quadratic up to a distance of `delta`, linear beyond. The context of all callbacks below. */
struct huber {
    double delta;
    double largest; /* predictions never exceed this */
};

/* The loss of each row. The library multiplies by the weights. */
static mxb_status huber_value(void *context, size_t n, const double *labels, const double *scores, double *values,
                              mxb_error *e) {
    const struct huber *huber = context;
    (void)e;
    for (size_t i = 0; i < n; i++) {
        double distance = fabs(scores[i] - labels[i]);
        values[i] = distance <= huber->delta ? distance * distance / 2 : huber->delta * (distance - huber->delta / 2);
    }
    return MXB_OK;
}

/* Its first and second derivative by the score. Beyond delta the second would be 0, which is allowed; the slope of the
 * parabola that touches the loss there makes better steps. */
static mxb_status huber_derivatives(void *context, size_t n, const double *labels, const double *scores, double *first,
                                    double *second, mxb_error *e) {
    const struct huber *huber = context;
    (void)e;
    for (size_t i = 0; i < n; i++) {
        double residual = scores[i] - labels[i];
        int near = fabs(residual) <= huber->delta;
        first[i] = near ? residual : residual > 0 ? huber->delta : -huber->delta;
        second[i] = near ? 1 : huber->delta / fabs(residual);
    }
    return MXB_OK;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where to start: the median, which outliers hardly move. There are no weights here. */
static mxb_status huber_start(void *context, size_t n, const double *labels, const double *weights, double *start,
                              mxb_error *e) {
    double *sorted = malloc(n * sizeof *sorted);
    (void)context;
    (void)weights;
    (void)e;
    if (sorted == NULL) {
        return MXB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        sorted[i] = labels[i];
    }
    qsort(sorted, n, sizeof *sorted, compare);
    *start = sorted[n / 2];
    free(sorted);
    return MXB_OK;
}

/* What the training curve shows and early stopping watches: the mean distance. */
static mxb_status mean_distance(void *context, size_t n, const double *labels, const double *weights,
                                const double *scores, double *metric, mxb_error *e) {
    double sum = 0, total = 0;
    (void)context;
    (void)e;
    for (size_t i = 0; i < n; i++) {
        double weight = weights == NULL ? 1 : weights[i];
        sum += weight * fabs(scores[i] - labels[i]);
        total += weight;
    }
    *metric = sum / total;
    return MXB_OK;
}

/* What a score stands for: here itself, kept to what is possible. */
static double huber_link(void *context, double score) {
    const struct huber *huber = context;
    return fmin(score, huber->largest);
}

static void set_huber(mxb_params *params, struct huber *huber) {
    mxb_loss *loss;
    check(mxb_loss_create("huber", huber_value, huber_derivatives, huber, &loss, &error));
    mxb_loss_set_start(loss, huber_start);
    mxb_loss_set_metric(loss, "mean distance", mean_distance);
    mxb_loss_set_link(loss, huber_link);
    check(mxb_params_set_loss(params, loss, &error));
    mxb_loss_free(loss); /* params has a copy */
}

/* ---- Data in which one training label of twenty is nonsense ---- */

static void make_rows(size_t n, double (*x)[N_FEATURES], double *y, int spoiled, unsigned long seed) {
    for (size_t i = 0; i < n; i++) {
        double uniform[N_FEATURES + 1];
        for (size_t j = 0; j <= N_FEATURES; j++) {
            seed = (seed * 1103515245ul + 12345ul) & 0x7FFFFFFFul;
            uniform[j] = (double)seed / 2147483648.0;
        }
        x[i][0] = uniform[0];
        x[i][1] = uniform[1];
        y[i] = sin(6 * uniform[0]) + (uniform[1] > 0.5 ? 1 : 0) + 0.2 * (uniform[2] - 0.5);
        y[i] += spoiled && i % 20 == 0 ? 30 * uniform[2] : 0;
    }
}

static mxb_dataset *view(size_t n, double (*x)[N_FEATURES], double *y) {
    mxb_dataset *data;
    check(mxb_dataset_create(n, &data, &error));
    check(mxb_dataset_add_matrix(data, x, MXB_FLOAT64, N_FEATURES, sizeof x[0], sizeof x[0][0], &error));
    check(mxb_dataset_set_label(data, y, sizeof *y, MXB_FLOAT64, &error));
    return data;
}

/* The mean distance from clean test labels, trained with the squared error or, with `huber`, with that loss. */
static double try_loss(const mxb_dataset *train, const mxb_dataset *test, struct huber *huber) {
    mxb_params *params;
    mxb_model *model;
    check(mxb_params_create(&params, &error));
    check(mxb_params_set(params, "num_round", "150", &error));
    if (huber != NULL) {
        set_huber(params, huber);
    }
    check(mxb_train(train, NULL, params, NULL, NULL, &model, &error));
    check(mxb_model_save(model, "own_loss.mxb", &error));
    mxb_model_free(model);

    check(mxb_model_load_with("own_loss.mxb", params, &model, &error)); /* params brings the link */
    check(mxb_model_predict(model, test, MXB_PREDICT_VALUE, 0, predicted, &error));
    double sum = 0;
    for (size_t i = 0; i < N_TEST; i++) {
        sum += fabs(predicted[i] - test_y[i]);
    }
    printf("%-5s trained to a %s of %.4f; mean distance on clean rows %.4f\n", mxb_model_option(model, "objective"),
           mxb_model_metric(model), mxb_model_curve(model, mxb_model_n_curve(model), 0), sum / N_TEST);
    mxb_model_free(model);
    mxb_params_free(params);
    return sum / N_TEST;
}

int main(void) {
    struct huber huber = {.delta = 0.3, .largest = 2.1};
    make_rows(N_TRAIN, train_x, train_y, 1, 1);
    make_rows(N_TEST, test_x, test_y, 0, 2);
    mxb_dataset *train = view(N_TRAIN, train_x, train_y);
    mxb_dataset *test = view(N_TEST, test_x, test_y);
    double squared = try_loss(train, test, NULL);
    double forgiving = try_loss(train, test, &huber);
    mxb_dataset_free(test);
    mxb_dataset_free(train);
    return forgiving < 0.5 * squared ? 0 : 1;
}
