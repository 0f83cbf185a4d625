/* The rows, models and predictions of tests/golden, read for whoever trains, predicts or goes on with them. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixboost/mixboost.h"

enum { GOLDEN_ROWS = 60, GOLDEN_FEATURES = 4, GOLDEN_COLUMNS = 8, GOLDEN_LINE = 1024, GOLDEN_MOST = 64 };

static const char *const GOLDEN_NAMES[GOLDEN_FEATURES] = {"height", "width", "count", "town"};
static const char *const GOLDEN_TOWNS[] = {"Oslo", "Paris", "Rome", "\xC3\x85rhus"}; /* all that rows.csv has */
static const char *const GOLDEN_WORDS[] = {"no", "yes"};
enum { GOLDEN_N_TOWNS = 4, GOLDEN_N_WORDS = 2 };

struct golden_rows {
    double numbers[GOLDEN_FEATURES - 1][GOLDEN_ROWS];
    int8_t towns[GOLDEN_ROWS]; /* -1: missing */
    double weight[GOLDEN_ROWS];
    double number[GOLDEN_ROWS]; /* labels */
    double sign[GOLDEN_ROWS];
    int8_t word[GOLDEN_ROWS];
};

/** Of a model: raw scores, and what follows from them: numbers, or probabilities of the larger label. */
struct golden_predictions {
    double raw[GOLDEN_ROWS];
    double linked[GOLDEN_ROWS];
};

/** The models that SHA256SUMS lists. */
struct golden_list {
    size_t n;
    char names[GOLDEN_MOST][32];
};

static inline FILE *golden_open(const char *file, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", GOLDEN_FOLDER, file);
    return fopen(path, mode);
}

/* Cuts a line at its commas; the fields are as many as are asked for, or 0 is returned. */
static inline int golden_fields(char *line, char **fields, size_t n_fields) {
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next = line; next != NULL && n < n_fields; n++) {
        fields[n] = next;
        next = strchr(next, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
    }
    return n == n_fields;
}

static inline double golden_number(const char *field) { return *field == '\0' ? (double)NAN : strtod(field, NULL); }

static inline int8_t golden_code(const char *field, const char *const *texts, int n_texts) {
    for (int i = 0; i < n_texts; i++) {
        if (strcmp(field, texts[i]) == 0) {
            return (int8_t)i;
        }
    }
    return -1;
}

/** Reads rows.csv; 0 on failure. */
static inline int golden_read_rows(struct golden_rows *rows) {
    char line[GOLDEN_LINE], *fields[GOLDEN_COLUMNS];
    FILE *file = golden_open("rows.csv", "r");
    int good = file != NULL && fgets(line, sizeof line, file) != NULL;
    for (size_t i = 0; good && i < GOLDEN_ROWS; i++) {
        good = fgets(line, sizeof line, file) != NULL && golden_fields(line, fields, GOLDEN_COLUMNS);
        for (size_t f = 0; good && f < GOLDEN_FEATURES - 1; f++) {
            rows->numbers[f][i] = golden_number(fields[f]);
        }
        if (good) {
            rows->towns[i] = golden_code(fields[3], GOLDEN_TOWNS, GOLDEN_N_TOWNS);
            rows->weight[i] = golden_number(fields[4]);
            rows->number[i] = golden_number(fields[5]);
            rows->sign[i] = golden_number(fields[6]);
            rows->word[i] = golden_code(fields[7], GOLDEN_WORDS, GOLDEN_N_WORDS);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

/** Reads NAME.csv; 0 on failure, as of a model that nobody can predict with. */
static inline int golden_read_predictions(const char *name, struct golden_predictions *predictions) {
    char line[GOLDEN_LINE], *fields[2];
    snprintf(line, sizeof line, "%s.csv", name);
    FILE *file = golden_open(line, "r");
    int good = file != NULL && fgets(line, sizeof line, file) != NULL;
    for (size_t i = 0; good && i < GOLDEN_ROWS; i++) {
        good = fgets(line, sizeof line, file) != NULL && golden_fields(line, fields, 2);
        predictions->raw[i] = good ? golden_number(fields[0]) : 0;
        predictions->linked[i] = good ? golden_number(fields[1]) : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

/** Reads the names of the models; 0 on failure. */
static inline int golden_read_list(struct golden_list *list) {
    char line[GOLDEN_LINE];
    FILE *file = golden_open("SHA256SUMS", "r");
    list->n = 0;
    while (file != NULL && list->n < GOLDEN_MOST && fgets(line, sizeof line, file) != NULL) {
        char *name = line + strspn(line, "0123456789abcdef"), *end = strstr(line, ".mxb");
        name += strspn(name, " ");
        if (end != NULL) {
            snprintf(list->names[list->n++], sizeof *list->names, "%.*s", (int)(end - name), name);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return list->n > 0 && list->n < GOLDEN_MOST;
}

/** A dataset of the first features, with names or NULL; NULL on failure. */
static inline mxb_dataset *golden_view(const struct golden_rows *rows, size_t n_features, const char *const *names) {
    mxb_dataset *data = NULL;
    int good = mxb_dataset_create(GOLDEN_ROWS, &data, NULL) == MXB_OK;
    for (size_t f = 0; good && f < n_features; f++) {
        const char *name = names == NULL ? NULL : names[f];
        good = (f < GOLDEN_FEATURES - 1
                    ? mxb_dataset_add_column(data, name, rows->numbers[f], sizeof(double), MXB_FLOAT64, NULL)
                    : mxb_dataset_add_text_column(data, name, rows->towns, 1, MXB_INT8, GOLDEN_TOWNS, GOLDEN_N_TOWNS,
                                                  NULL)) == MXB_OK;
    }
    if (!good) {
        mxb_dataset_free(data);
        data = NULL;
    }
    return data;
}

/** The same of the features that a model has. */
static inline mxb_dataset *golden_view_for(const struct golden_rows *rows, const mxb_model *model) {
    const char *names[GOLDEN_FEATURES] = {NULL};
    size_t n_features = mxb_model_n_features(model);
    for (size_t f = 0; f < n_features && f < GOLDEN_FEATURES; f++) {
        names[f] = mxb_model_feature_name(model, f);
    }
    return n_features > GOLDEN_FEATURES ? NULL : golden_view(rows, n_features, names);
}

/** Predicts the rows with one of the model's outputs after the other. */
static inline mxb_status golden_predict(const mxb_model *model, const mxb_dataset *data, int n_threads,
                                        struct golden_predictions *predictions, mxb_error *error) {
    mxb_output output = isnan(mxb_model_label(model, 0)) ? MXB_PREDICT_VALUE : MXB_PREDICT_PROBABILITY;
    mxb_status status = mxb_model_predict(model, data, MXB_PREDICT_RAW, n_threads, predictions->raw, error);
    return status != MXB_OK ? status : mxb_model_predict(model, data, output, n_threads, predictions->linked, error);
}

/** Loads a model; NULL on failure, which is printed. */
static inline mxb_model *golden_load(const char *name) {
    char path[4096];
    mxb_model *model;
    mxb_error error;
    snprintf(path, sizeof path, "%s/%s.mxb", GOLDEN_FOLDER, name);
    if (mxb_model_load(path, &model, &error) != MXB_OK) {
        printf("%s\n", error.message);
    }
    return model;
}

#endif
