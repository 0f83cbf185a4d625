/* Any bytes as a model: an error, or a model on which everything works. Each input is tried as it is and once more with
 * lengths and checksums put right, so that changes get past them whoever made them; under libFuzzer the mutator also
 * changes one section at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/must.h"
#include "fuzz/mutate_model.h"
#include "mixboost/mixboost.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More rows than go one by one. */
enum { N_ROWS = 20, MAX_FEATURES = 4096, N_SECTIONS = 6 };

/* What the learner's callbacks make. */
struct term_memory {
    long n_live;
};

struct made_term {
    size_t n_bytes;
    unsigned char bytes[];
};

/* ---- Use of a loaded model ---- */

static void ask_everything(const mxb_model *model) {
    size_t n_features = mxb_model_n_features(model), n_rounds = mxb_model_n_rounds(model);
    MUST(n_features >= 1);
    for (size_t f = 0; f <= n_features; f++) {
        const char *name = mxb_model_feature_name(model, f);
        MUST(name == NULL || strlen(name) <= 65536);
        MUST(f < n_features || mxb_model_feature_splits(model, f) == 0);
        size_t n_texts = mxb_model_feature_n_texts(model, f);
        for (size_t i = 0; i < n_texts; i++) {
            MUST(i == 0 || strcmp(mxb_model_feature_text(model, f, i - 1), mxb_model_feature_text(model, f, i)) < 0);
        }
        MUST(mxb_model_feature_text(model, f, n_texts) == NULL);
        MUST(n_texts == 0 || mxb_model_feature_is_text(model, f));
    }
    MUST(isnan(mxb_model_label(model, 0)) || mxb_model_label(model, 0) < mxb_model_label(model, 1));
    MUST((mxb_model_label_text(model, 0) == NULL) == (mxb_model_label_text(model, 1) == NULL));
    size_t n_members = mxb_model_n_members(model);
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
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *value = mxb_model_option(model, mxb_option_name(i));
        MUST(value == NULL || strlen(value) <= 65536);
    }
    MUST(mxb_model_metric(model) != NULL && mxb_model_stopped_early(model) <= 1);
    MUST(mxb_model_n_repairs(model) <= UINT32_MAX);
}

static void ask_importances(const mxb_model *model) {
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

static void show(const mxb_model *model) {
    char *json;
    size_t n;
    MUST(mxb_model_to_json(model, &json, &n, NULL) == MXB_OK);
    MUST(strlen(json) == n && json[0] == '{');
    mxb_bytes_free(json);
}

/* Whether the model has all that a prediction needs: rounds of callers' learners are there only with the learner. */
static int can_predict(const mxb_model *model, mxb_output output) {
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
static void predict_otherwise(const mxb_model *model, const mxb_dataset *dataset, const double *raw) {
    static double row[MAX_FEATURES];
    size_t n_features = mxb_model_n_features(model), n_rounds = mxb_model_n_rounds(model);
    double out[N_ROWS];
    mxb_stages *stages;
    mxb_status status = mxb_model_predict_rows(model, row, 1, n_features, MXB_PREDICT_RAW, out, NULL);
    MUST(status == (model->n_own_terms == 0 ? MXB_OK : MXB_ERROR_PARAM));
    for (size_t i = 0; status == MXB_OK && model->dictionaries == NULL && i < N_ROWS; i++) {
        for (size_t f = 0; f < n_features; f++) {
            MUST(mxb_dataset_read(dataset, f, i, 1, &row[f], NULL) == MXB_OK);
        }
        MUST(mxb_model_predict_rows(model, row, 1, n_features, MXB_PREDICT_RAW, out, NULL) == MXB_OK);
        MUST(memcmp(out, &raw[i], sizeof *out) == 0);
    }
    MUST(mxb_stages_create(model, dataset, 1, &stages, NULL) == MXB_OK);
    for (size_t r = 0; r < n_rounds; r++) {
        MUST(mxb_stages_next(stages, MXB_PREDICT_RAW, out, NULL) == MXB_OK);
        MUST(isfinite(out[r % N_ROWS]));
    }
    MUST(n_rounds == 0 || memcmp(out, raw, sizeof out) == 0);
    mxb_stages_free(stages);
}

/* Every feature shares one array, each read at another offset. */
static void predict(const mxb_model *model) {
    static const double values[N_ROWS + 11] = {
        0,    1,  -1,  0.5,  NAN, INFINITY, -INFINITY, 1e308, -1e308, 0x1p-1074, -0.0, 2.5,   1e-3, -1e10, 7,  NAN,
        -0.5, -2, 1.5, 0.25, 3,   -3,       1e-300,    1e5,   -7,     2,         1.25, -1.75, 0.75, 1e16,  NAN};
    static const int8_t codes[N_ROWS] = {0, 1, -1, 1, 2, 1};
    static const char *texts[MAX_FEATURES][2];
    size_t n_features = mxb_model_n_features(model);
    double out[N_ROWS], again[N_ROWS];
    mxb_dataset *dataset;
    if (n_features > MAX_FEATURES) {
        return;
    }
    MUST(mxb_dataset_create(N_ROWS, &dataset, NULL) == MXB_OK);
    for (size_t f = 0; f < n_features; f++) {
        const double *column = &values[f % 12];
        size_t n_texts = mxb_model_feature_n_texts(model, f) > 0 ? 2 : 1;
        texts[f][0] = "no text of this model";
        texts[f][1] = mxb_model_feature_text(model, f, 0);
        mxb_status status =
            mxb_model_feature_is_text(model, f)
                ? mxb_dataset_add_text_column(dataset, NULL, codes, 1, MXB_INT8, texts[f], n_texts, NULL)
                : mxb_dataset_add_column(dataset, NULL, column, sizeof(double), MXB_FLOAT64, NULL);
        MUST(status == MXB_OK);
    }
    for (int output = MXB_PREDICT_VALUE; output <= MXB_PREDICT_RAW; output++) {
        mxb_status status = mxb_model_predict(model, dataset, (mxb_output)output, 1, out, NULL);
        MUST(status == (can_predict(model, (mxb_output)output) ? MXB_OK : MXB_ERROR_PARAM));
        for (int i = 0; status == MXB_OK && i < N_ROWS; i++) {
            MUST(isfinite(out[i]));
        }
    }
    if (can_predict(model, MXB_PREDICT_RAW)) {
        MUST(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 2, again, NULL) == MXB_OK);
        MUST(memcmp(out, again, sizeof out) == 0);
        predict_otherwise(model, dataset, out);
    }
    mxb_dataset_free(dataset);
}

/* A model has one form: what loads is what is saved. Only sections unknown to this version are dropped. */
static void save(const mxb_model *model, const uint8_t *data, size_t size) {
    void *bytes;
    size_t n;
    mxb_model *again;
    MUST(mxb_model_to_bytes(model, &bytes, &n, NULL) == MXB_OK);
    if (edit_number(data + 12, 4) == N_SECTIONS) {
        MUST(n == size && memcmp(bytes, data, n) == 0);
    } else {
        MUST(mxb_model_from_bytes(bytes, n, &again, NULL) == MXB_OK);
        mxb_model_free(again);
    }
    mxb_bytes_free(bytes);
}

/* ---- A learner and a loss, as the seeds name them ---- */

/* A term is its first byte; any bytes but those that begin with 0xFF are one. */
static mxb_status read_term(void *context, const void *bytes, size_t n_bytes, void **term, mxb_error *error) {
    struct term_memory *memory = context;
    if (n_bytes > 0 && *(const unsigned char *)bytes == 0xFF) {
        snprintf(error->message, sizeof error->message, "no term");
        return MXB_ERROR_FORMAT;
    }
    struct made_term *made = malloc(sizeof *made + n_bytes);
    MUST(made != NULL);
    made->n_bytes = n_bytes;
    memcpy(made->bytes, bytes, n_bytes);
    memory->n_live++;
    *term = made;
    return MXB_OK;
}

static size_t write_term(void *context, const void *term, void *bytes, size_t capacity) {
    const struct made_term *made = term;
    (void)context;
    if (capacity >= made->n_bytes && made->n_bytes > 0) {
        memcpy(bytes, made->bytes, made->n_bytes);
    }
    return made->n_bytes;
}

static void free_term(void *context, void *term) {
    struct term_memory *memory = context;
    memory->n_live--;
    free(term);
}

static mxb_status predict_term(void *context, const void *term, const mxb_dataset *data, double *values,
                               mxb_error *error) {
    const struct made_term *made = term;
    (void)context;
    (void)error;
    for (size_t i = 0; i < mxb_dataset_n_rows(data); i++) {
        values[i] = made->n_bytes > 0 ? (double)made->bytes[0] - 128 : 0;
    }
    return MXB_OK;
}

static double link_half(void *context, double score) {
    (void)context;
    return score / 2;
}

static void use(const mxb_model *model, const uint8_t *data, size_t size) {
    ask_everything(model);
    ask_importances(model);
    show(model);
    predict(model);
    save(model, data, size);
}

static void try_bytes(const uint8_t *data, size_t size) {
    struct term_memory memory = {0};
    struct own_parts own = {.loss = {.name = "huber", .link = link_half}, .n_learners = 1};
    own.learners[0] = (mxb_learner){.name = "line",
                                    .predict = predict_term,
                                    .free_term = free_term,
                                    .write = write_term,
                                    .read = read_term,
                                    .context = &memory};
    mxb_model *model;
    mxb_error error = {""};
    mxb_status status = mxb_model_from_bytes(data, size, &model, &error);
    if (status != MXB_OK) {
        MUST(status == MXB_ERROR_FORMAT && model == NULL && strncmp(error.message, "the model ", 10) == 0);
    } else {
        use(model, data, size);
    }
    mxb_model_free(model);
    mxb_status with = mxb__model_decode(data, size, "the model", &own, &model, &error);
    MUST(with == status || with == MXB_ERROR_FORMAT);
    if (with == MXB_OK) {
        use(model, data, size);
    }
    mxb_model_free(model);
    MUST(memory.n_live == 0);
}

/* ---- The target ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try_bytes(data, size);
    uint8_t *copy = malloc(size + 1);
    MUST(copy != NULL);
    memcpy(copy, data, size);
    if (repair(copy, size)) {
        try_bytes(copy, size);
    }
    free(copy);
    return 0;
}
