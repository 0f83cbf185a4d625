/* Times a model from C: how long it takes to load, and a call of mxb_model_predict_rows. Started by measure_rows.py
 * with a model file, a file of rows of doubles and the number of rows a call; with a number of calls as well it makes
 * just those and says nothing, for count_instructions.py. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mixboost/mixboost.h"

enum { N_TIMES = 9, N_LOADS = 9 };
static const double LEAST_SECONDS = 0.02; /* of a time that is looked at */

struct rows {
    double *values;
    size_t n_rows;
    size_t n_features;
    size_t n_a_call;
};

static void must(mxb_status status, const mxb_error *error) {
    if (status != MXB_OK) {
        fprintf(stderr, "time_model: %s\n", error->message);
        exit(1);
    }
}

static void fail(const char *sentence) {
    fprintf(stderr, "time_model: %s\n", sentence);
    exit(1);
}

/* All whole rows of the file. */
static struct rows read_rows(const char *path, size_t n_features, size_t n_a_call) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fail("cannot read the rows");
    }
    size_t n_rows = (size_t)ftell(file) / (n_features * sizeof(double));
    struct rows rows = {malloc(n_rows * n_features * sizeof(double)), n_rows, n_features, n_a_call};
    rewind(file);
    if (n_a_call == 0 || n_rows < n_a_call || rows.values == NULL ||
        fread(rows.values, n_features * sizeof(double), n_rows, file) != n_rows) {
        fail("there are not enough rows");
    }
    fclose(file);
    return rows;
}

/* Calls that take their rows in turn: with the same ones the processor would learn the way through the trees. */
static void predict(const mxb_model *model, const struct rows *rows, size_t n_calls, double *out) {
    mxb_error error;
    size_t n_batches = rows->n_rows / rows->n_a_call;
    for (size_t i = 0; i < n_calls; i++) {
        const double *first = rows->values + i % n_batches * rows->n_a_call * rows->n_features;
        must(mxb_model_predict_rows(model, first, rows->n_a_call, rows->n_features, MXB_PREDICT_RAW, out, &error),
             &error);
    }
}

static double seconds_of_a_call(const mxb_model *model, const struct rows *rows, double *out) {
    size_t n_calls = 1;
    double least = 0;
    for (int n_timed = 0; n_timed < N_TIMES;) {
        double begin = mxb__seconds_now();
        predict(model, rows, n_calls, out);
        double seconds = mxb__seconds_now() - begin;
        if (seconds < LEAST_SECONDS) {
            n_calls *= 2;
            continue;
        }
        least = n_timed == 0 || seconds / (double)n_calls < least ? seconds / (double)n_calls : least;
        n_timed++;
    }
    return least;
}

static double seconds_to_load(const char *path) {
    double least = 0;
    for (int i = 0; i < N_LOADS; i++) {
        mxb_error error;
        mxb_model *model;
        double begin = mxb__seconds_now();
        must(mxb_model_load(path, &model, &error), &error);
        double seconds = mxb__seconds_now() - begin;
        mxb_model_free(model);
        least = i == 0 || seconds < least ? seconds : least;
    }
    return least;
}

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: time_model MODEL ROWS ROWS_A_CALL [CALLS]\n");
        return 2;
    }
    mxb_error error;
    mxb_model *model;
    must(mxb_model_load(argv[1], &model, &error), &error);
    struct rows rows = read_rows(argv[2], mxb_model_n_features(model), strtoull(argv[3], NULL, 10));
    double *out = malloc(rows.n_a_call * sizeof *out);
    if (out == NULL) {
        fail("not enough memory");
    }
    if (argc == 5) {
        predict(model, &rows, strtoull(argv[4], NULL, 10), out);
    } else {
        double seconds = seconds_of_a_call(model, &rows, out);
        printf("{\"rows\": %.9g, \"load\": %.9g}\n", seconds, seconds_to_load(argv[1]));
    }
    free(out);
    free(rows.values);
    mxb_model_free(model);
    return 0;
}
