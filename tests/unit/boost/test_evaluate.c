/* The metric of a model: against sums by hand and the curve of the training; weights, messages, failing memory. */
#include "base/memory.h"
#include "model/model.h"
#include "unit/boost/train_data.h"

static mxb_error error;

static struct made_data two_classes(size_t n_rows, uint64_t seed, int weighted) {
    return data_make((struct data_recipe){
        .n_rows = n_rows, .n_features = 4, .seed = seed, .missing = 0.1, .two_classes = 1, .weighted = weighted});
}

static double by_hand(const mxb_model *model, const struct made_data *data, int two_classes_) {
    double *raw = predict(model, data);
    double sum = 0;
    double sum_weights = 0;
    for (size_t i = 0; i < data->n_rows; i++) {
        double weight = data->weights == NULL ? 1 : data->weights[i];
        double loss = two_classes_ ? log(1 + exp(data->y[i] > 0.5 ? -raw[i] : raw[i]))
                                   : (raw[i] - data->y[i]) * (raw[i] - data->y[i]);
        sum += weight * loss;
        sum_weights += weight;
    }
    free(raw);
    return two_classes_ ? sum / sum_weights : sqrt(sum / sum_weights);
}

static void is_the_weighted_mean_by_hand(void) {
    for (int classes = 0; classes <= 1; classes++) {
        for (int weighted = 0; weighted <= 1; weighted++) {
            mxb_params *params = PARAMS("num_round", "20", "objective", classes ? "logloss" : "mse");
            struct data_recipe recipe = {
                .n_rows = 5000, .n_features = 4, .seed = 3, .two_classes = classes, .weighted = weighted};
            struct made_data data = data_make(recipe);
            recipe.seed = 4;
            struct made_data test = data_make(recipe);
            mxb_model *model = train(&data, params);
            double metrics[3];
            for (int i = 0; i < 3; i++) { /* 0: all processors */
                OK(mxb_model_evaluate(model, test.dataset, i, &metrics[i], &error), error);
            }
            CHECK_NEAR(metrics[0] / by_hand(model, &test, classes), 1, 1e-12);
            CHECK(metrics[1] == metrics[0] && metrics[2] == metrics[0]);
            mxb_model_free(model);
            mxb_params_free(params);
            data_clear(&data);
            data_clear(&test);
        }
    }
}

/* To the last bit where the prediction is: sums of trees. */
static void agrees_with_the_curve(void) {
    static const char *const probabilities[] = {"1", "0.5"};
    struct made_data data = two_classes(3000, 1, 1);
    struct made_data valid = two_classes(2000, 2, 1);
    for (int i = 0; i < 2; i++) {
        mxb_params *params = PARAMS("num_round", "30", "objective", "logloss", "tree_probability", probabilities[i]);
        mxb_model *model;
        double metric[2];
        OK(mxb_train(data.dataset, valid.dataset, params, NULL, NULL, &model, &error), error);
        OK(mxb_model_evaluate(model, data.dataset, 1, &metric[0], &error), error);
        OK(mxb_model_evaluate(model, valid.dataset, 1, &metric[1], &error), error);
        for (int v = 0; v < 2; v++) {
            CHECK_NEAR(metric[v], mxb_model_curve(model, mxb_model_n_rounds(model), v), i == 0 ? 0 : 1e-12);
        }
        mxb_model_free(model);
        mxb_params_free(params);
    }
    data_clear(&data);
    data_clear(&valid);
}

static void weight_0_is_a_row_absent(void) {
    mxb_params *params = PARAMS("num_round", "10");
    struct made_data data = data_make((struct data_recipe){.n_rows = 900, .n_features = 3, .seed = 5, .weighted = 1});
    mxb_model *model = train(&data, params);
    size_t rows[900];
    size_t n = 0;
    mxb_dataset *rest;
    double all;
    double some;
    for (size_t i = 0; i < 900; i++) {
        if (i % 4 == 2) {
            data.weights[i] = 0;
        } else {
            rows[n++] = i;
        }
    }
    OK(mxb_dataset_select(data.dataset, rows, n, &rest, &error), error);
    OK(mxb_model_evaluate(model, data.dataset, 1, &all, &error), error);
    OK(mxb_model_evaluate(model, rest, 1, &some, &error), error);
    CHECK_NEAR(all / some, 1.0, 1e-14); /* sums are in another order */
    mxb_dataset_free(rest);
    mxb_model_free(model);
    mxb_params_free(params);
    data_clear(&data);
}

static void says_what_is_wrong(void) {
    mxb_params *params = PARAMS("num_round", "3", "objective", "logloss");
    struct made_data data = two_classes(50, 6, 0);
    struct made_data wide = data_make((struct data_recipe){.n_rows = 20, .n_features = 5, .two_classes = 1});
    mxb_model *model = train(&data, params);
    mxb_dataset *bare;
    double metric;
    FAILS(mxb_model_evaluate(NULL, data.dataset, 0, &metric, &error), error, MXB_ERROR_PARAM, "model is NULL");
    FAILS(mxb_model_evaluate(model, NULL, 0, &metric, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    FAILS(mxb_model_evaluate(model, data.dataset, 0, NULL, &error), error, MXB_ERROR_PARAM, "metric is NULL");
    FAILS(mxb_model_evaluate(model, data.dataset, -1, &metric, &error), error, MXB_ERROR_PARAM,
          "n_threads is -1; it must be 0 (all processors) or more");
    FAILS(mxb_model_evaluate(model, wide.dataset, 0, &metric, &error), error, MXB_ERROR_PARAM,
          "the dataset has 5 features, the model has 4");
    OK(mxb_dataset_create(50, &bare, &error), error);
    FAILS(mxb_model_evaluate(model, bare, 0, &metric, &error), error, MXB_ERROR_DATA, "the dataset has no label");
    data.y[7] = 2;
    FAILS(mxb_model_evaluate(model, data.dataset, 0, &metric, &error), error, MXB_ERROR_DATA,
          "the label of row 8 of the dataset is 2; the training labels are 0 and 1");
    data.y[7] = NAN;
    FAILS(mxb_model_evaluate(model, data.dataset, 0, &metric, &error), error, MXB_ERROR_DATA,
          "the label of row 8 of the dataset is nan; labels must be finite numbers");
    mxb_dataset_free(bare);
    mxb_model_free(model);
    mxb_params_free(params);
    data_clear(&data);
    data_clear(&wide);
}

/* A file can hold any finite leaf or start value. */
static void a_loss_too_large_for_a_double_is_told(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 50, .n_features = 2});
    mxb_params *params = PARAMS("num_round", "1");
    mxb_model *model = train(&data, params);
    double metric;
    model->base_score = DBL_MAX;
    data.y[5] = -1e300;
    FAILS(mxb_model_evaluate(model, data.dataset, 1, &metric, &error), error, MXB_ERROR_DATA,
          "the loss over the dataset is not finite; predictions or weights are too large");
    mxb_model_free(model);
    mxb_params_free(params);
    data_clear(&data);
}

static void survives_every_failing_allocation(void) {
    mxb_params *params = PARAMS("num_round", "5", "objective", "logloss", "tree_probability", "0.5");
    struct made_data data = two_classes(600, 7, 1);
    mxb_model *model = train(&data, params);
    uint64_t n;
    for (n = 1; n < 100; n++) {
        double metric;
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb_model_evaluate(model, data.dataset, 1, &metric, NULL);
        mxb__memory_fail_at(0, 0);
        if (status == MXB_OK) {
            break;
        }
        CHECK_INT(status, MXB_ERROR_MEMORY);
    }
    CHECK(n > 6 && n < 100);
    mxb_model_free(model);
    mxb_params_free(params);
    data_clear(&data);
}

int main(void) {
    RUN(is_the_weighted_mean_by_hand);
    RUN(agrees_with_the_curve);
    RUN(weight_0_is_a_row_absent);
    RUN(says_what_is_wrong);
    RUN(a_loss_too_large_for_a_double_is_told);
    RUN(survives_every_failing_allocation);
    return check_report();
}
