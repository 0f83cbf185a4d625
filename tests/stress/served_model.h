/* A model of both kinds of trees and of fourier rounds, and what it must predict, to the last bit. */
#ifndef SERVED_MODEL_H
#define SERVED_MODEL_H

#include "unit/boost/train_data.h"

enum { N_SERVED_ROWS = 300, N_SERVED_FEATURES = 6 };

struct served {
    struct made_data data;
    mxb_params *params;
    mxb_model *model;
    struct model_bytes bytes;
    double *rows;   /* [row][feature], what mxb_model_predict_rows takes */
    double *values; /* [row] */
};

/* 0 on failure. */
static inline int served_make(struct served *served) {
    served->data = data_make((struct data_recipe){
        .n_rows = N_SERVED_ROWS, .n_features = N_SERVED_FEATURES, .seed = 3, .missing = 0.1, .two_classes = 1});
    served->params = PARAMS("objective", "logloss", "num_round", "12", "tree_probability", "0.6",
                            "symmetric_probability", "0.4", "n_components", "16", "n_threads", "2");
    served->model = train(&served->data, served->params);
    served->bytes = bytes_of(served->model);
    served->rows = malloc(N_SERVED_ROWS * N_SERVED_FEATURES * sizeof *served->rows);
    served->values = malloc(N_SERVED_ROWS * sizeof *served->values);
    for (size_t i = 0; i < N_SERVED_ROWS; i++) {
        for (size_t f = 0; f < N_SERVED_FEATURES; f++) {
            served->rows[i * N_SERVED_FEATURES + f] = served->data.x[f * N_SERVED_ROWS + i];
        }
    }
    return served->bytes.bytes != NULL &&
           mxb_model_predict(served->model, served->data.dataset, MXB_PREDICT_RAW, 1, served->values, NULL) == MXB_OK;
}

/* Whether `n` rows from `first` on come out as they must without a dataset. */
static inline int served_rows_agree(const struct served *served, const mxb_model *model, size_t first, size_t n) {
    double out[N_SERVED_ROWS];
    return mxb_model_predict_rows(model, served->rows + first * N_SERVED_FEATURES, n, N_SERVED_FEATURES,
                                  MXB_PREDICT_RAW, out, NULL) == MXB_OK &&
           memcmp(out, served->values + first, n * sizeof *out) == 0;
}

/* Whether all rows do. */
static inline int served_batch_agrees(const struct served *served, const mxb_model *model, int n_threads) {
    double out[N_SERVED_ROWS];
    return mxb_model_predict(model, served->data.dataset, MXB_PREDICT_RAW, n_threads, out, NULL) == MXB_OK &&
           memcmp(out, served->values, sizeof out) == 0;
}

/* Whether a model of the same bytes predicts the same. */
static inline int served_load_agrees(const struct served *served) {
    mxb_model *model = NULL;
    int same = mxb_model_from_bytes(served->bytes.bytes, served->bytes.n_bytes, &model, NULL) == MXB_OK &&
               served_batch_agrees(served, model, 1);
    mxb_model_free(model);
    return same;
}

/* Whether the same training comes to the same bytes again. */
static inline int served_training_agrees(const struct served *served) {
    struct model_bytes again = train_bytes(&served->data, served->params);
    int same = same_bytes(again, served->bytes);
    mxb_bytes_free(again.bytes);
    return same;
}

static inline void served_clear(struct served *served) {
    free(served->rows);
    free(served->values);
    mxb_bytes_free(served->bytes.bytes);
    mxb_model_free(served->model);
    mxb_params_free(served->params);
    data_clear(&served->data);
}

#endif
