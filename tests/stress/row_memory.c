/* Memory a row: by how many bytes the most that a training has asked for at a time grows with each row. A new array
 * with an entry for each row shows here. */
#include <stdint.h>

#include "check.h"
#include "counted_memory.h"
#include "mixboost/mixboost.h"

/* ---- trainings ---- */

/* Fewer than take shared histograms, and than a block in huge pages, which is rounded up, has room for. */
enum { FEW_ROWS = 8192, MANY_ROWS = 2 * FEW_ROWS, N_FEATURES = 28 };

static float x[MANY_ROWS * N_FEATURES];
static double y[MANY_ROWS];
static double weights[MANY_ROWS];

static void draw(void) {
    uint32_t state = 1;
    for (size_t i = 0; i < MANY_ROWS * N_FEATURES; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(state >> 8);
    }
    for (size_t i = 0; i < MANY_ROWS; i++) {
        y[i] = x[i * N_FEATURES] > 8e6f;
        weights[i] = 1.0 + (double)(i % 3);
    }
}

struct training {
    const char *options[4][2];
    int weighted;
    int only_prepared;
    double bytes_a_row;
};

/* The most bytes at a time during the training, over those before. */
static void find_peak(const struct training *training, size_t n_rows, size_t *peak) {
    static const char *const always[][2] = {
        {"num_round", "2"}, {"n_threads", "1"},     {"max_max_depth", "3"}, {"symmetric_probability", "0"},
        {"subsample", "1"}, {"n_projections", "1"}, {"gamma", "0.05"},      {"fourier_metric", "isotropic"}};
    mxb_error error;
    mxb_dataset *dataset;
    mxb_params *params;
    mxb_prepared *prepared;
    mxb_model *model = NULL;
    OK(mxb_dataset_create(n_rows, &dataset, &error), error);
    OK(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT32, N_FEATURES, N_FEATURES * sizeof *x, sizeof *x, &error), error);
    OK(mxb_dataset_set_label(dataset, y, sizeof *y, MXB_FLOAT64, &error), error);
    if (training->weighted) {
        OK(mxb_dataset_set_weight(dataset, weights, sizeof *weights, MXB_FLOAT64, &error), error);
    }
    OK(mxb_params_create(&params, &error), error);
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        OK(mxb_params_set(params, always[i][0], always[i][1], &error), error);
    }
    for (size_t i = 0; i < 4 && training->options[i][0] != NULL; i++) {
        OK(mxb_params_set(params, training->options[i][0], training->options[i][1], &error), error);
    }
    most_bytes = live_bytes;
    size_t before = live_bytes;
    if (training->only_prepared) {
        OK(mxb_prepared_create(dataset, params, &prepared, &error), error);
        mxb_prepared_free(prepared);
    } else {
        OK(mxb_train(dataset, NULL, params, NULL, NULL, &model, &error), error);
    }
    *peak = most_bytes - before;
    mxb_model_free(model);
    mxb_params_free(params);
    mxb_dataset_free(dataset);
}

/* Labels of two classes have a byte; those that are doubles stay in the caller's array. Codes of 28 features, a byte
 * each in columns and 32 in records; then scores and gradients, 8 each, which imply the hessians; then of trees the
 * gradients in quanta, 16, and row numbers twice, 4 each. With weights there are these and the hessians, 8 each. */
enum { OF_CODES = 28 + 32, OF_SCORES = 2 * 8, OF_TREES = 16 + 2 * 4, OF_WEIGHTS = 8, OF_HESSIANS = 8 };

static void memory_grows_by_few_bytes_a_row(void) {
    static const struct training trainings[] = {
        {{{"objective", "logloss"}}, 0, 1, OF_CODES + 1},
        {{{"objective", "logloss"}}, 1, 1, OF_CODES + 1 + OF_WEIGHTS}, /* sorted in the room of the codes */
        {{{"objective", "logloss"}, {"tree_probability", "1"}}, 0, 0, OF_CODES + 1 + OF_SCORES + OF_TREES},
        {{{"objective", "mse"}, {"tree_probability", "1"}}, 0, 0, OF_CODES + OF_SCORES + OF_TREES},
        {{{"objective", "logloss"}, {"tree_probability", "1"}},
         1,
         0,
         OF_CODES + 1 + OF_WEIGHTS + OF_SCORES + OF_HESSIANS + OF_TREES},
        /* Random features are floats. */
        {{{"objective", "logloss"}, {"tree_probability", "0"}, {"n_components", "10"}},
         0,
         0,
         OF_CODES + 1 + OF_SCORES + 10 * 4},
        {{{"objective", "logloss"}, {"tree_probability", "0.5"}, {"n_components", "10"}},
         0,
         0,
         OF_CODES + 1 + OF_SCORES + OF_TREES + 10 * 4},
        /* Those of every projection of a bank are kept, and the inputs they are made of. */
        {{{"objective", "logloss"}, {"tree_probability", "0"}, {"n_components", "4"}, {"n_projections", "3"}},
         0,
         0,
         OF_CODES + 1 + OF_SCORES + 3 * 4 * 4 + N_FEATURES * 4},
    };
    draw();
    for (size_t i = 0; i < sizeof trainings / sizeof trainings[0]; i++) {
        size_t few = 0, many = 0;
        find_peak(&trainings[i], FEW_ROWS, &few);
        find_peak(&trainings[i], MANY_ROWS, &many);
        CHECK_NEAR(((double)many - (double)few) / (MANY_ROWS - FEW_ROWS), trainings[i].bytes_a_row, 0.5);
    }
}

int main(void) {
    RUN(memory_grows_by_few_bytes_a_row);
    return check_report();
}
