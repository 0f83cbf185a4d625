/* Bytes that may be a model: an error, or a model with which everything can be done, also with the learner and the loss
 * that the seeds name. What is not so ends the program (must.h). */
#ifndef USE_MODEL_H
#define USE_MODEL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "fuzz/must.h"
#include "mixboost/mixboost.h"
#include "model/model.h"

/* More rows than go one by one. */
enum { USE_ROWS = 20, USE_MOST_FEATURES = 4096, USE_SECTIONS = 6 };

/* ---- What it says of itself ---- */

static inline void use_features(const mxb_model *model) {
    size_t n_features = mxb_model_n_features(model);
    MUST(n_features >= 1);
    for (size_t f = 0; f <= n_features; f++) {
        const char *name = mxb_model_feature_name(model, f);
        MUST(name == NULL || strlen(name) <= 65536);
        MUST(f < n_features || mxb_model_feature_splits(model, f) == 0);
        size_t n_texts = mxb_model_feature_n_texts(model, f);
        for (size_t i = 1; i < n_texts; i++) {
            MUST(strcmp(mxb_model_feature_text(model, f, i - 1), mxb_model_feature_text(model, f, i)) < 0);
        }
        MUST(mxb_model_feature_text(model, f, n_texts) == NULL);
        MUST(n_texts == 0 || mxb_model_feature_is_text(model, f));
    }
}

static inline void use_rounds(const mxb_model *model) {
    size_t n_rounds = mxb_model_n_rounds(model), n_members = mxb_model_n_members(model);
    MUST(n_members >= 1 && n_members <= 256);
    for (size_t r = 0; r <= n_rounds + 1; r++) {
        for (size_t m = 0; m <= n_members; m++) {
            MUST((mxb_model_round_learner(model, r, m) != NULL) == (r >= 1 && r <= n_rounds && m < n_members));
            MUST(mxb_model_round_depth(model, r, m) <= 30);
            MUST(m < n_members || isnan(mxb_model_round_decrease(model, r, m)));
        }
    }
    for (size_t r = 0; r <= mxb_model_n_curve(model) + 1; r++) {
        MUST(!isinf(mxb_model_curve(model, r, 0)) && !isinf(mxb_model_curve(model, r, 1)));
    }
    MUST(mxb_model_n_repairs(model) <= UINT32_MAX);
}

static inline void use_words(const mxb_model *model) {
    char *json;
    size_t n;
    MUST(isnan(mxb_model_label(model, 0)) || mxb_model_label(model, 0) < mxb_model_label(model, 1));
    MUST((mxb_model_label_text(model, 0) == NULL) == (mxb_model_label_text(model, 1) == NULL));
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *value = mxb_model_option(model, mxb_option_name(i));
        MUST(value == NULL || strlen(value) <= 65536);
    }
    MUST(mxb_model_metric(model) != NULL && mxb_model_stopped_early(model) <= 1);
    MUST(mxb_model_to_json(model, &json, &n, NULL) == MXB_OK);
    MUST(strlen(json) == n && json[0] == '{');
    mxb_bytes_free(json);
}

static inline void use_importances(const mxb_model *model) {
    size_t n_features = mxb_model_n_features(model);
    double *importances = malloc(n_features * sizeof *importances);
    MUST(importances != NULL);
    for (int part = MXB_IMPORTANCE_TREE; part <= MXB_IMPORTANCE_SYMMETRIC; part++) {
        MUST(mxb_model_importance(model, (mxb_importance)part, importances, NULL) == MXB_OK);
        for (size_t f = 0; f < n_features; f++) {
            MUST(isfinite(importances[f]) && importances[f] >= 0);
        }
    }
    free(importances);
}

/* A model has one form: what loads is what is saved. Only sections unknown to this version are dropped. */
static inline void use_saved(const mxb_model *model, const uint8_t *data, size_t size) {
    void *bytes;
    size_t n;
    mxb_model *again;
    MUST(mxb_model_to_bytes(model, &bytes, &n, NULL) == MXB_OK);
    if (mxb__load_u32(data + 12) == USE_SECTIONS) {
        MUST(n == size && memcmp(bytes, data, n) == 0);
    } else {
        MUST(mxb_model_from_bytes(bytes, n, &again, NULL) == MXB_OK);
        mxb_model_free(again);
    }
    mxb_bytes_free(bytes);
}

/* ---- Rows for it ---- */

/* What rows have as texts: those that the model knows, as many as there are rows, and, where it is `unknown`, another.
 */
static inline size_t use_texts(const mxb_model *model, size_t feature, int unknown, const char *texts[USE_ROWS]) {
    size_t n_known = mxb_model_feature_n_texts(model, feature), n = 0;
    while (n < USE_ROWS && n < n_known) {
        texts[n] = mxb_model_feature_text(model, feature, n);
        n++;
    }
    if (n == 0 || unknown) {
        n -= n == USE_ROWS;
        texts[n++] = "no text of this model";
    }
    return n;
}

/* Every feature shares one array, each read at another offset. NULL for names that no caller could give. */
static inline mxb_dataset *use_dataset(const mxb_model *model, int unknown) {
    static const double values[USE_ROWS + 11] = {
        0,    1,  -1,  0.5,  NAN, INFINITY, -INFINITY, 1e308, -1e308, 0x1p-1074, -0.0, 2.5,   1e-3, -1e10, 7,  NAN,
        -0.5, -2, 1.5, 0.25, 3,   -3,       1e-300,    1e5,   -7,     2,         1.25, -1.75, 0.75, 1e16,  NAN};
    static const char *texts[USE_MOST_FEATURES][USE_ROWS];
    static int8_t codes[USE_ROWS + 1][USE_ROWS]; /* by the number of texts; row 2 has none */
    mxb_dataset *dataset;
    MUST(mxb_dataset_create(USE_ROWS, &dataset, NULL) == MXB_OK);
    for (size_t f = 0; f < mxb_model_n_features(model); f++) {
        const char *name = mxb_model_feature_name(model, f);
        mxb_status status;
        if (mxb_model_feature_is_text(model, f)) {
            size_t n_texts = use_texts(model, f, unknown, texts[f]);
            for (size_t i = 0; i < USE_ROWS; i++) {
                codes[n_texts][i] = (int8_t)(i == 2 && n_texts < USE_ROWS ? -1 : (int)(i % n_texts));
            }
            status = mxb_dataset_add_text_column(dataset, name, codes[n_texts], 1, MXB_INT8, texts[f], n_texts, NULL);
        } else {
            status = mxb_dataset_add_column(dataset, name, &values[f % 12], sizeof(double), MXB_FLOAT64, NULL);
        }
        if (status != MXB_OK) {
            mxb_dataset_free(dataset);
            return NULL;
        }
    }
    return dataset;
}

/* ---- Predictions ---- */

/* Whether the model has all that a prediction needs: rounds of callers' learners are there only with the learner. */
static inline int use_can_predict(const mxb_model *model, mxb_output output) {
    if (output == MXB_PREDICT_PROBABILITY && model->loss != MODEL_LOGLOSS) {
        return 0;
    }
    if (output == MXB_PREDICT_VALUE && model->loss == MODEL_OWN_LOSS && model->has_link &&
        model->own_loss.link == NULL) {
        return 0;
    }
    for (uint32_t r = 0; r < model->n_terms; r++) {
        if (model->terms[r].kind == TERM_OWN && !model->terms[r].own.box->has_term) {
            return 0;
        }
    }
    return 1;
}

/* What is predicted row by row, and round by round, is what is predicted at once. */
static inline void use_otherwise(const mxb_model *model, const mxb_dataset *dataset, const double *raw) {
    static double row[USE_MOST_FEATURES];
    size_t n_features = mxb_model_n_features(model), n_rounds = mxb_model_n_rounds(model);
    double out[USE_ROWS];
    mxb_stages *stages;
    mxb_status status = mxb_model_predict_rows(model, row, 1, n_features, MXB_PREDICT_RAW, out, NULL);
    MUST(status == (model->n_own_terms == 0 ? MXB_OK : MXB_ERROR_PARAM));
    for (size_t i = 0; status == MXB_OK && model->dictionaries == NULL && i < USE_ROWS; i++) {
        for (size_t f = 0; f < n_features; f++) {
            MUST(mxb_dataset_read(dataset, f, i, 1, &row[f], NULL) == MXB_OK);
        }
        MUST(mxb_model_predict_rows(model, row, 1, n_features, MXB_PREDICT_RAW, out, NULL) == MXB_OK);
        MUST(memcmp(out, &raw[i], sizeof *out) == 0);
    }
    MUST(mxb_stages_create(model, dataset, 1, &stages, NULL) == MXB_OK);
    for (size_t r = 0; r < n_rounds; r++) {
        MUST(mxb_stages_next(stages, MXB_PREDICT_RAW, out, NULL) == MXB_OK);
        MUST(isfinite(out[r % USE_ROWS]));
    }
    MUST(n_rounds == 0 || memcmp(out, raw, sizeof out) == 0);
    mxb_stages_free(stages);
}

/* `raw` takes the scores, where there are any. */
static inline void use_predictions(const mxb_model *model, const mxb_dataset *dataset, double raw[USE_ROWS]) {
    double out[USE_ROWS];
    for (int output = MXB_PREDICT_VALUE; output <= MXB_PREDICT_RAW; output++) {
        mxb_status status = mxb_model_predict(model, dataset, (mxb_output)output, 1, out, NULL);
        MUST(status == (use_can_predict(model, (mxb_output)output) ? MXB_OK : MXB_ERROR_PARAM));
        for (int i = 0; status == MXB_OK && i < USE_ROWS; i++) {
            MUST(isfinite(out[i]));
        }
    }
    if (use_can_predict(model, MXB_PREDICT_RAW)) {
        MUST(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 2, raw, NULL) == MXB_OK);
        MUST(memcmp(out, raw, sizeof out) == 0);
        use_otherwise(model, dataset, raw);
    }
}

/* ---- Labelled rows ---- */

/* A refusal of what a model says, with a sentence. */
static inline int use_is_said(mxb_status status, const mxb_error *error) {
    return (status == MXB_ERROR_PARAM || status == MXB_ERROR_DATA) && error->message[0] != '\0';
}

static inline void use_label(const mxb_model *model, mxb_dataset *dataset) {
    static const int8_t codes[USE_ROWS] = {0, 1, 1, 0, 1, 0, 0, 1};
    static double labels[USE_ROWS];
    static const char *texts[2];
    texts[0] = mxb_model_label_text(model, 0);
    texts[1] = mxb_model_label_text(model, 1);
    for (int i = 0; i < USE_ROWS; i++) {
        labels[i] = isnan(mxb_model_label(model, 0)) ? i % 7 : mxb_model_label(model, (size_t)codes[i]);
    }
    mxb_status status = texts[0] != NULL ? mxb_dataset_set_text_label(dataset, codes, 1, MXB_INT8, texts, 2, NULL)
                                         : mxb_dataset_set_label(dataset, labels, sizeof *labels, MXB_FLOAT64, NULL);
    MUST(status == MXB_OK);
}

/* The options that it keeps, on one thread. 0 where they are none, are too large for here, or name a caller's loss or
 * learners. */
static inline int use_options(const mxb_model *model, mxb_params *params) {
    char num_round[32];
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *name = mxb_option_name(i), *value = mxb_model_option(model, name);
        if (value != NULL && mxb_params_set(params, name, value, NULL) != MXB_OK) {
            return 0;
        }
    }
    MUST(mxb_params_set(params, "n_threads", "1", NULL) == MXB_OK);
    snprintf(num_round, sizeof num_round, "%zu", mxb_model_n_rounds(model) + 2);
    return mxb_params_set(params, "num_round", num_round, NULL) == MXB_OK && mxb_model_n_members(model) <= 8 &&
           strtod(mxb_params_get(params, "n_projections"), NULL) <= 8 &&
           strtod(mxb_params_get(params, "n_components"), NULL) <= 128;
}

/* A training that goes on from it: two rounds more, or a sentence. */
static inline void use_to_go_on(const mxb_model *model, const mxb_dataset *dataset) {
    mxb_params *params;
    mxb_prepared *prepared = NULL;
    mxb_trainer *trainer = NULL;
    mxb_model *longer = NULL;
    mxb_error error = {""};
    MUST(mxb_params_create(&params, NULL) == MXB_OK);
    if (use_options(model, params)) {
        mxb_status status = mxb_prepared_create(dataset, params, &prepared, &error);
        if (status == MXB_OK) {
            status = mxb_trainer_create_from(prepared, NULL, params, model, &trainer, &error);
        }
        if (status == MXB_OK) {
            status = mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error);
        }
        if (status == MXB_OK) {
            MUST(mxb_trainer_model(trainer, &longer, NULL) == MXB_OK);
            MUST(mxb_model_n_rounds(longer) == mxb_model_n_rounds(model) + 2);
        }
        MUST(status == MXB_OK || use_is_said(status, &error));
    }
    mxb_model_free(longer);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
}

static inline void use_rows(const mxb_model *model) {
    double metric;
    double raw[USE_ROWS];
    mxb_error error = {""};
    mxb_dataset *rows[2];
    for (int unknown = 0; unknown <= 1; unknown++) {
        rows[unknown] = mxb_model_n_features(model) <= USE_MOST_FEATURES ? use_dataset(model, unknown) : NULL;
    }
    if (rows[0] != NULL && rows[1] != NULL) {
        use_predictions(model, rows[1], raw);
        use_label(model, rows[0]);
        mxb_status status = mxb_model_evaluate(model, rows[0], 1, &metric, &error);
        MUST(status == MXB_OK ? isfinite(metric) && use_can_predict(model, MXB_PREDICT_RAW)
                              : use_is_said(status, &error));
        use_to_go_on(model, rows[0]);
    }
    mxb_dataset_free(rows[0]);
    mxb_dataset_free(rows[1]);
}

/* ---- A learner and a loss, as the seeds name them ---- */

struct use_term {
    size_t n;
    unsigned char bytes[];
};

/* A term is its first byte; any bytes but those that begin with 0xFF are one. */
static inline mxb_status use_read(void *context, const void *bytes, size_t n, void **term, mxb_error *error) {
    long *n_live = context;
    if (n > 0 && *(const unsigned char *)bytes == 0xFF) {
        snprintf(error->message, sizeof error->message, "no term");
        return MXB_ERROR_FORMAT;
    }
    struct use_term *made = malloc(sizeof *made + n);
    MUST(made != NULL);
    made->n = n;
    memcpy(made->bytes, bytes, n);
    ++*n_live;
    *term = made;
    return MXB_OK;
}

static inline size_t use_write(void *context, const void *term, void *bytes, size_t capacity) {
    const struct use_term *made = term;
    (void)context;
    if (capacity >= made->n && made->n > 0) {
        memcpy(bytes, made->bytes, made->n);
    }
    return made->n;
}

static inline void use_free(void *context, void *term) {
    long *n_live = context;
    --*n_live;
    free(term);
}

static inline mxb_status use_predict(void *context, const void *term, const mxb_dataset *data, double *values,
                                     mxb_error *error) {
    const struct use_term *made = term;
    (void)context;
    (void)error;
    for (size_t i = 0; i < mxb_dataset_n_rows(data); i++) {
        values[i] = made->n > 0 ? (double)made->bytes[0] - 128 : 0;
    }
    return MXB_OK;
}

static inline double use_link(void *context, double score) {
    (void)context;
    return score / 2;
}

/* ---- All of it ---- */

static inline void use_model(const mxb_model *model, const uint8_t *data, size_t size) {
    use_features(model);
    use_rounds(model);
    use_words(model);
    use_importances(model);
    use_rows(model);
    use_saved(model, data, size);
}

/* Whether they are a model, with the learner. */
static inline int use_bytes(const uint8_t *data, size_t size) {
    long n_live = 0;
    struct own_parts own = {.loss = {.name = "huber", .link = use_link}, .n_learners = 1};
    own.learners[0] = (mxb_learner){
        .name = "line", .predict = use_predict, .free_term = use_free, .write = use_write, .read = use_read};
    own.learners[0].context = &n_live;
    mxb_model *model;
    mxb_error error = {""};
    mxb_status status = mxb_model_from_bytes(data, size, &model, &error);
    if (status != MXB_OK) {
        MUST(status == MXB_ERROR_FORMAT && model == NULL && strncmp(error.message, "the model ", 10) == 0);
    } else {
        use_model(model, data, size);
    }
    mxb_model_free(model);
    mxb_status with = mxb__model_decode(data, size, "the model", &own, &model, &error);
    MUST(with == status || with == MXB_ERROR_FORMAT);
    if (with == MXB_OK) {
        use_model(model, data, size);
    }
    mxb_model_free(model);
    MUST(n_live == 0);
    return with == MXB_OK;
}

#endif
