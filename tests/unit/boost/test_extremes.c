/* Trainings on odd data and at the ends of the options: they come to an end, finite, and no worse than they began. */
#include <math.h>
#include <stdlib.h>

#include "unit/boost/train_data.h"

/* Trains, and wants finite losses and predictions. */
static mxb_model *train_finite(const struct made_data *data, const mxb_params *params) {
    mxb_model *model = train(data, params);
    if (model != NULL) {
        for (size_t round = 0; round <= mxb_model_n_curve(model); round++) {
            CHECK(isfinite(mxb_model_curve(model, round, 0)));
        }
        double *raw = predict(model, data);
        for (size_t i = 0; i < data->n_rows; i++) {
            CHECK(isfinite(raw[i]));
        }
        free(raw);
    }
    return model;
}

static void constant_targets_are_met_exactly(void) {
    const double values[] = {0.0, 3.5, -1e300, 1e300, 5e-324};
    for (size_t k = 0; k < 5; k++) {
        struct made_data data = data_make((struct data_recipe){.n_rows = 64, .n_features = 2, .seed = 1});
        for (size_t i = 0; i < 64; i++) {
            data.y[i] = values[k];
        }
        mxb_params *params = PARAMS("num_round", "10", "tree_probability", "0.5", "n_components", "5");
        mxb_model *model = train_finite(&data, params);
        double *raw = predict(model, &data);
        for (size_t i = 0; i < 64; i++) {
            CHECK_NEAR(raw[i], values[k], 1e-13 * fabs(values[k]) + 5e-324);
        }
        free(raw);
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

static void one_row_is_enough(void) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct made_data data = data_make((struct data_recipe){.n_rows = 1, .n_features = seed, .seed = seed});
        mxb_params *params = PARAMS("num_round", "6", "tree_probability", "0.5", "n_components", "5", "subsample",
                                    "0.01", "colsample", "0.01", "alpha", seed % 2 == 0 ? "0" : "1");
        mxb_model *model = train_finite(&data, params);
        double *raw = predict(model, &data);
        CHECK_NEAR(raw[0], data.y[0], 1e-12 * fabs(data.y[0]));
        free(raw);
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

/* Duplicates: the first of equal columns is used, never the others. Constants and all-missing ones are never split. */
static void useless_columns_are_not_used(void) {
    struct made_data data = data_allocate(300, 6, 0);
    struct dice dice = {12};
    for (size_t i = 0; i < 300; i++) {
        double x = dice_normal(&dice);
        double z = dice_normal(&dice);
        data.x[i] = 7.0;
        data.x[300 + i] = (double)NAN;
        data.x[600 + i] = data.x[900 + i] = x;
        data.x[1200 + i] = data.x[1500 + i] = z;
        data.y[i] = sin(2.0 * x) + z * x;
    }
    REQUIRE(data_view(&data));
    mxb_params *params = PARAMS("num_round", "20", "tree_probability", "0.8", "n_components", "5");
    mxb_model *model = train_finite(&data, params);
    CHECK_INT(mxb_model_feature_splits(model, 0), 0);
    CHECK_INT(mxb_model_feature_splits(model, 1), 0);
    CHECK(mxb_model_feature_splits(model, 2) > 0);
    CHECK_INT(mxb_model_feature_splits(model, 3), 0);
    CHECK(mxb_model_feature_splits(model, 4) > 0);
    CHECK_INT(mxb_model_feature_splits(model, 5), 0);
    mxb_model_free(model);
    data_clear(&data);
    mxb_params_free(params);
}

static void only_constant_columns_are_fine(void) {
    for (int missing = 0; missing < 2; missing++) {
        struct made_data data = data_allocate(50, 2, 0);
        for (size_t i = 0; i < 50; i++) {
            data.x[i] = missing ? (double)NAN : 1.0;
            data.x[50 + i] = missing ? HUGE_VAL : -HUGE_VAL;
            data.y[i] = (double)(i % 7);
        }
        REQUIRE(data_view(&data));
        mxb_params *params = PARAMS("num_round", "10", "tree_probability", "0.5", "n_components", "5");
        mxb_model *model = train_finite(&data, params);
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

static void huge_and_tiny_labels_stay_finite(void) {
    const double sizes[] = {1e300, 1e200, 1e-200, 1e-300, 1e-310, 5e-324};
    const char *const scalings[] = {"none", "standard", "rank"};
    for (size_t k = 0; k < 18; k++) {
        struct data_recipe recipe = {.n_rows = 80, .n_features = 3, .seed = k + 1, .missing = 0.1};
        struct made_data data = data_make(recipe);
        for (size_t i = 0; i < 80; i++) {
            data.y[i] = fmax(-1.0, fmin(1.0, data.y[i])) * sizes[k / 3];
            data.x[i] *= k % 2 == 0 ? 1e300 : 1e-300;
        }
        mxb_params *params =
            PARAMS("num_round", "15", "tree_probability", "0.6", "n_components", "5", "learning_rate", "1", "lambda_l2",
                   "0", "alpha", k % 2 == 0 ? "0" : "0.1", "fourier_scaling", scalings[k % 3]);
        mxb_model *model = train_finite(&data, params);
        if (sizes[k / 3] > 1e-305) { /* below, steps of half the smallest double round up */
            CHECK(mxb_model_curve(model, 15, 0) <= mxb_model_curve(model, 0, 0));
            CHECK(mxb_model_curve(model, 0, 0) > 0.1 * sizes[k / 3]);
        }
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

/* A step of 1 is learnt wherever labels lie, as well at 1e9, where a float does not show it, as at 0. */
static void labels_far_from_0_are_learnt(void) {
    const char *const probabilities[] = {"1", "0.5", "0"};
    const char *const histograms[] = {"true", "false"};
    for (size_t k = 0; k < 6; k++) {
        struct made_data data = data_make((struct data_recipe){.n_rows = 300, .n_features = 2, .seed = k + 1});
        mxb_params *params = PARAMS("num_round", "100", "tree_probability", probabilities[k % 3], "use_histograms",
                                    histograms[k / 3], "learning_rate", "0.3", "n_components", "50");
        double errors[2];
        for (int is_far = 0; is_far < 2; is_far++) {
            double start = is_far ? 1e9 : 0.0;
            for (size_t i = 0; i < 300; i++) {
                data.y[i] = start + (data.x[i] > 0.0);
            }
            mxb_model *model = train_finite(&data, params);
            double *raw = predict(model, &data);
            size_t n_wrong = 0;
            for (size_t i = 0; i < 300; i++) {
                n_wrong += (raw[i] - start > 0.5) != (data.x[i] > 0.0);
            }
            CHECK(n_wrong <= (k % 3 == 2 ? 6 : 0)); /* waves alone round the step off */
            errors[is_far] = mxb_model_curve(model, 100, 0);
            free(raw);
            mxb_model_free(model);
        }
        CHECK(errors[1] <= 1.01 * errors[0] + 1e-6);
        data_clear(&data);
        mxb_params_free(params);
    }
}

static void base_score_is_where_it_starts(void) {
    const char *const scores[] = {"0", "-3.25", "1e6"};
    for (size_t k = 0; k < 6; k++) {
        struct made_data data =
            data_make((struct data_recipe){.n_rows = 80, .n_features = 2, .seed = 1, .two_classes = k >= 3});
        mxb_params *params = PARAMS("num_round", "1", "tree_probability", "1", "learning_rate", "5e-324", "base_score",
                                    scores[k % 3], "objective", k >= 3 ? "logloss" : "mse");
        mxb_model *model = train_finite(&data, params);
        double *raw = predict(model, &data);
        for (size_t i = 0; i < 80; i++) {
            CHECK_NEAR(raw[i], strtod(scores[k % 3], NULL), 1e-300);
        }
        free(raw);
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

/* Two classes that can be told apart: hessians go to nothing, and nothing holds the leaves back. */
static void separable_classes_stay_finite(void) {
    const char *const probabilities[] = {"1", "0.5", "0"};
    const char *const weights[] = {"plain", "tiny"};
    for (size_t k = 0; k < 6; k++) {
        int tiny = strcmp(weights[k / 3], "tiny") == 0;
        struct made_data data = data_allocate(120, 2, tiny);
        struct dice dice = {k};
        for (size_t i = 0; i < 120; i++) {
            data.x[i] = dice_normal(&dice);
            data.x[120 + i] = dice_normal(&dice);
            data.y[i] = data.x[i] > 0.0;
            if (tiny) {
                data.weights[i] = 2e-292;
            }
        }
        REQUIRE(data_view(&data));
        mxb_params *params = PARAMS("objective", "logloss", "num_round", "200", "learning_rate", "1", "lambda_l2", "0",
                                    "min_child_weight", "0", "alpha", "0", "tree_probability", probabilities[k % 3],
                                    "n_components", "10", "max_max_depth", "4");
        mxb_model *model = train_finite(&data, params);
        CHECK(k % 3 == 2 || mxb_model_curve(model, 200, 0) < 1e-6);
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

/* One row of a class in a thousand has hessians of nearly nothing. The penalties that are the defaults keep steps
 * short, so that the loss never rises above its start; without them it may, and stays finite. */
static void a_rare_class_is_not_overshot(void) {
    const char *const probabilities[] = {"1", "0.5", "0"};
    for (size_t k = 0; k < 6; k++) {
        struct made_data data = data_make((struct data_recipe){.n_rows = 2000, .n_features = 3, .seed = k + 1});
        for (size_t i = 0; i < 2000; i++) {
            data.y[i] = i < 2;
            data.x[i] += i == 0 ? 4.0 : 0.0; /* the other one is like all the rest */
        }
        mxb_params *params = PARAMS("objective", "logloss", "num_round", "60", "tree_probability", probabilities[k % 3],
                                    "n_components", "20", "alpha", k < 3 ? "auto" : "0", "lambda_l2", k < 3 ? "1" : "0",
                                    "learning_rate", k < 3 ? "auto" : "1", "min_child_weight", k < 3 ? "0.01" : "0");
        mxb_model *model = train_finite(&data, params);
        for (size_t round = 1; k < 3 && round <= mxb_model_n_curve(model); round++) {
            CHECK(mxb_model_curve(model, round, 0) <= mxb_model_curve(model, 0, 0) * (1.0 + 1e-12));
        }
        CHECK(k >= 3 || mxb_model_curve(model, 60, 0) < 0.9 * mxb_model_curve(model, 0, 0));
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

/* The largest penalties and the smallest weights together must not keep a training busy for ever. */
static void extreme_options_come_to_an_end(void) {
    const char *const alphas[] = {"0", "1e300"};
    const double weights[] = {1e-280, 1.0, 1e280};
    for (size_t k = 0; k < 12; k++) {
        struct made_data data = data_make(
            (struct data_recipe){.n_rows = 60, .n_features = 2, .seed = k, .two_classes = k / 6 == 1, .weighted = 1});
        for (size_t i = 0; i < 60; i++) {
            data.weights[i] = weights[k / 2 % 3];
        }
        mxb_params *params =
            PARAMS("objective", k / 6 == 1 ? "logloss" : "mse", "num_round", "10", "lambda_l2", alphas[k % 2], "alpha",
                   alphas[k % 2], "min_child_weight", alphas[k % 2], "tree_probability", "0.5", "n_components", "80",
                   "gamma", k % 3 == 0 ? "1e70" : "5e-324");
        mxb_model *model = train_finite(&data, params);
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

/* ---- squared loss never rises without sampling ---- */

static void squared_loss_never_rises(void) {
    const char *const rates[] = {"0.05", "0.5", "1"};
    const char *const penalties[] = {"0", "0.001", "10"};
    for (size_t k = 0; k < 27; k++) {
        struct data_recipe recipe = {.n_rows = k % 4 == 0 ? 40 : 300,
                                     .n_features = 3,
                                     .seed = k,
                                     .missing = k % 2 == 0 ? 0.1 : 0.0,
                                     .weighted = k % 5 == 1,
                                     .wild = k % 5 == 2};
        struct made_data data = data_make(recipe);
        mxb_params *params =
            PARAMS("num_round", "40", "learning_rate", rates[k % 3], "lambda_l2", penalties[k / 3 % 3], "alpha",
                   penalties[k / 3 % 3], "min_child_weight", "0", "tree_probability",
                   k / 9 == 0   ? "1"
                   : k / 9 == 1 ? "0"
                                : "0.5",
                   "n_components", k % 2 == 0 ? "60" : "15", "fit_intercept", k % 7 == 0 ? "false" : "true");
        mxb_model *model = train_finite(&data, params);
        REQUIRE(model != NULL);
        int before = check_n_failed;
        for (size_t round = 1; round <= 40; round++) {
            double last = mxb_model_curve(model, round - 1, 0);
            double now = mxb_model_curve(model, round, 0);
            if (now > last * (1.0 + 1e-12) + 1e-14 * mxb_model_curve(model, 0, 0)) {
                CHECK_NEAR(now, last, 0.0);
            }
        }
        if (check_n_failed > before) {
            fprintf(stderr, "    (case %zu)\n", k);
        }
        mxb_model_free(model);
        data_clear(&data);
        mxb_params_free(params);
    }
}

int main(void) {
    RUN(constant_targets_are_met_exactly);
    RUN(one_row_is_enough);
    RUN(useless_columns_are_not_used);
    RUN(only_constant_columns_are_fine);
    RUN(huge_and_tiny_labels_stay_finite);
    RUN(labels_far_from_0_are_learnt);
    RUN(base_score_is_where_it_starts);
    RUN(separable_classes_stay_finite);
    RUN(a_rare_class_is_not_overshot);
    RUN(extreme_options_come_to_an_end);
    RUN(squared_loss_never_rises);
    return check_report();
}
