/* Predictions with the small library, which can load and predict and nothing else. A row is its values with commas
 * between them, in the order of the model's features; an empty one is missing. Rows come from the arguments or, without
 * any, from the lines of standard input.
 *
 *     cc predict_only.c $(pkg-config --cflags --libs mixboost-predict) -o predict_only
 *     ./predict_only model.mxb 1.5,,red */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixboost/mixboost.h"

enum { MAX_LINE = 1 << 16 };

static int fail(const char *message) {
    fprintf(stderr, "predict_only: %s\n", message);
    return 0;
}

/* What a text of a feature counts as. The model has its texts in the order of their bytes. */
static double number_of_text(const mxb_model *model, size_t feature, const char *text) {
    size_t first = 0, end = mxb_model_feature_n_texts(model, feature);
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        int order = strcmp(text, mxb_model_feature_text(model, feature, middle));
        if (order == 0) {
            return (double)middle;
        }
        if (order < 0) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    return (double)NAN; /* a text that the training did not meet is missing */
}

/* The fields of a line, which is cut up, as the model's numbers. Returns 0 where they are not that. */
static int read_row(const mxb_model *model, char *line, double *row) {
    size_t n_features = mxb_model_n_features(model);
    char *field = line;
    for (size_t f = 0; f < n_features; f++) {
        size_t length = strcspn(field, ",");
        if ((field[length] == ',') != (f + 1 < n_features)) {
            return fail("a row has not as many values as the model has features");
        }
        field[length] = '\0';
        char *end = field + length;
        if (length == 0) {
            row[f] = (double)NAN;
        } else if (mxb_model_feature_is_text(model, f)) {
            row[f] = number_of_text(model, f, field);
        } else {
            row[f] = strtod(field, &end);
        }
        if (end != field + length) {
            return fail("a value is no number");
        }
        field += length + 1;
    }
    return 1;
}

/* Prints the number or the more likely label. */
static int predict_line(const mxb_model *model, char *line, double *row) {
    mxb_error error;
    double value;
    if (!read_row(model, line, row)) {
        return 0;
    }
    if (mxb_model_predict_rows(model, row, 1, mxb_model_n_features(model), MXB_PREDICT_VALUE, &value, &error) !=
        MXB_OK) {
        return fail(error.message);
    }
    const char *label = mxb_model_label_text(model, value == 1);
    if (label != NULL) {
        printf("%s\n", label);
    } else {
        printf("%.17g\n", value);
    }
    return 1;
}

static int predict_arguments(const mxb_model *model, char **lines, double *row) {
    int good = 1;
    for (; good && *lines != NULL; lines++) {
        good = predict_line(model, *lines, row);
    }
    return good;
}

static int predict_input(const mxb_model *model, double *row) {
    static char line[MAX_LINE];
    int good = 1;
    while (good && fgets(line, sizeof line, stdin) != NULL) {
        if (strchr(line, '\n') == NULL && !feof(stdin)) {
            return fail("a line is too long");
        }
        line[strcspn(line, "\r\n")] = '\0';
        good = predict_line(model, line, row);
    }
    return good;
}

int main(int argc, char **argv) {
    mxb_model *model;
    mxb_error error;
    if (argc < 2) {
        fprintf(stderr, "usage: predict_only MODEL [ROW ...]\n");
        return 2;
    }
    if (mxb_model_load(argv[1], &model, &error) != MXB_OK) {
        fail(error.message);
        return 1;
    }
    double *row = malloc(mxb_model_n_features(model) * sizeof *row);
    int good = row != NULL || fail("out of memory");
    if (good) {
        good = argc > 2 ? predict_arguments(model, argv + 2, row) : predict_input(model, row);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        good = fail("cannot write the predictions");
    }
    free(row);
    mxb_model_free(model);
    return good ? 0 : 1;
}
