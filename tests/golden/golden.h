/* The rows and predictions of tests/golden, read for whoever trains, predicts or goes on with the models there. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixboost/mixboost.h"

enum { GOLDEN_ROWS = 60, GOLDEN_FEATURES = 4, GOLDEN_COLUMNS = 8, GOLDEN_LINE = 1024 };

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

/** Reads a model's column of raw.csv; 0 on failure. */
static inline int golden_read_raw(const char *name, double raw[GOLDEN_ROWS]) {
    char line[GOLDEN_LINE], names[GOLDEN_LINE], *fields[64];
    size_t column = 0, n_columns = 1;
    FILE *file = golden_open("raw.csv", "r");
    int good = file != NULL && fgets(names, sizeof names, file) != NULL;
    for (size_t i = 0; good && names[i] != '\0'; i++) {
        n_columns += names[i] == ',';
    }
    good = good && n_columns < 64 && golden_fields(names, fields, n_columns);
    while (good && column < n_columns && strcmp(fields[column], name) != 0) {
        column++;
    }
    good = good && column < n_columns;
    for (size_t i = 0; good && i < GOLDEN_ROWS; i++) {
        good = fgets(line, sizeof line, file) != NULL && golden_fields(line, fields, n_columns);
        raw[i] = good ? golden_number(fields[column]) : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

/** A dataset of the features; NULL on failure. */
static inline mxb_dataset *golden_view(const struct golden_rows *rows, int with_names) {
    mxb_dataset *data = NULL;
    int good = mxb_dataset_create(GOLDEN_ROWS, &data, NULL) == MXB_OK;
    for (size_t f = 0; good && f < GOLDEN_FEATURES; f++) {
        const char *name = with_names ? GOLDEN_NAMES[f] : NULL;
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
