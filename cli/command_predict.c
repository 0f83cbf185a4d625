/* mixboost predict: a model file and a CSV file become a CSV file of predictions. */
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "mixboost/mixboost.h"
#include "output.h"
#include "source.h"
#include "text.h"
#include "training_input.h"

static const struct flag flags[] = {
    {"proba", NULL, "The probability of the larger label (of texts the later one), for a model trained with logloss.",
     0},
    {"raw", NULL, "The sum of the ensemble before the link function.", 0},
    {"out", "FILE", "Where the predictions go; without it, or with -, to standard output.", 0},
    SOURCE_HEADER_FLAG,
    {"n_threads", "N", "Threads; 0 (the default): all processors.", 0},
    {"quiet", NULL, "Do not say what was written.", 0},
};

/* What a prediction needs. All NULL until made, all freed in the end. */
struct prediction {
    int n_threads;
    const char *path; /* NULL: standard output */
    mxb_output kind;
    const char *title; /* the first line of the output */
    mxb_model *model;
    mxb_table *table;
    mxb_dataset *dataset;
    double *values;
};

static void prediction_clear(struct prediction *prediction) {
    free(prediction->values);
    mxb_dataset_free(prediction->dataset);
    mxb_table_free(prediction->table);
    mxb_model_free(prediction->model);
}

/* Holds --n_threads to what the library allows for the option of that name. */
static int set_n_threads(struct prediction *prediction, const char *text) {
    mxb_params *params = NULL;
    mxb_error error;
    if (text == NULL) {
        return EXIT_DONE;
    }
    mxb_status status = mxb_params_create(&params, &error);
    if (status == MXB_OK) {
        status = mxb_params_set(params, "n_threads", text, &error);
    }
    if (status == MXB_OK) {
        prediction->n_threads = training_input_n_threads(params);
    }
    mxb_params_free(params);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

/* Everything that can be wrong before a file is read. */
static int check_arguments(struct prediction *prediction, const struct arguments *arguments) {
    int wants_probability = arguments_flag(arguments, "proba") != NULL;
    int wants_raw = arguments_flag(arguments, "raw") != NULL;
    if (wants_probability && wants_raw) {
        return fail_usage("--proba and --raw exclude each other");
    }
    prediction->kind = wants_probability ? MXB_PREDICT_PROBABILITY : wants_raw ? MXB_PREDICT_RAW : MXB_PREDICT_VALUE;
    prediction->title = wants_probability ? "probability\n" : wants_raw ? "raw\n" : "prediction\n";
    int code = source_check_header(arguments);
    if (code == EXIT_DONE) {
        code = set_n_threads(prediction, arguments_flag(arguments, "n_threads"));
    }
    const char *path = arguments_flag(arguments, "out");
    if (code != EXIT_DONE || path == NULL || strcmp(path, "-") == 0) {
        return code;
    }
    prediction->path = path;
    for (size_t i = 0; i < 2; i++) {
        if (output_is_same(path, arguments->operands[i])) {
            return fail_usage("--out \"%s\" would overwrite %s", path, i == 0 ? "the model" : "the data");
        }
    }
    return output_check(path, 1);
}

/* The data file, its columns found by the names they have in the model. */
static int read_data(struct prediction *prediction, const struct arguments *arguments) {
    mxb_error error;
    struct features features;
    int code = features_of_model(&features, prediction->model);
    if (code == EXIT_DONE) {
        code = source_read(arguments->operands[1], arguments, &features, prediction->n_threads, &prediction->table);
    }
    if (code == EXIT_DONE) {
        mxb_status status = mxb_dataset_from_table(prediction->table, NULL, NULL, features.names, features.n,
                                                   &prediction->dataset, &error);
        code = status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
    }
    features_clear(&features);
    return code;
}

static int predict(struct prediction *prediction) {
    mxb_error error;
    prediction->values = calloc(mxb_dataset_n_rows(prediction->dataset), sizeof *prediction->values);
    if (prediction->values == NULL) {
        return fail_data("out of memory");
    }
    mxb_status status = mxb_model_predict(prediction->model, prediction->dataset, prediction->kind,
                                          prediction->n_threads, prediction->values, &error);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

/* Writes a text as a field of a CSV file, in quotes where a reader would take it for something else. */
static int write_field(struct output *output, const char *text) {
    size_t length = strlen(text);
    int has_blank = length > 0 && (strchr(" \t", text[0]) != NULL || strchr(" \t", text[length - 1]) != NULL);
    if (length > 0 && !has_blank && strpbrk(text, ",\"\r\n") == NULL) {
        return output_write(output, text);
    }
    int go_on = output_write(output, "\"");
    for (; go_on && *text != '\0'; text++) {
        char character[3] = {*text, *text == '"' ? '"' : '\0', '\0'};
        go_on = output_write(output, character);
    }
    return go_on && output_write(output, "\"");
}

/* Where the labels are texts. */
static int write_labels(struct output *output, const mxb_model *model, const double *values, size_t n) {
    int go_on = 1;
    for (size_t i = 0; go_on && i < n; i++) {
        go_on = write_field(output, mxb_model_label_text(model, values[i] > 0)) && output_write(output, "\n");
    }
    return go_on;
}

enum { ROWS_AT_ONCE = 1 << 17 };

/* Ctrl-C while a file is being written removes it. */
static int write_values(const struct prediction *prediction, int quiet) {
    struct output output;
    size_t n_rows = mxb_dataset_n_rows(prediction->dataset);
    int code = output_open(&output, prediction->path);
    if (code != EXIT_DONE) {
        return code;
    }
    int are_texts = prediction->kind == MXB_PREDICT_VALUE && mxb_model_label_text(prediction->model, 0) != NULL;
    int go_on = output_write(&output, prediction->title);
    for (size_t first = 0; go_on && first < n_rows && !interrupt_caught(); first += ROWS_AT_ONCE) {
        const double *values = prediction->values + first;
        size_t n = n_rows - first < ROWS_AT_ONCE ? n_rows - first : ROWS_AT_ONCE;
        go_on = are_texts ? write_labels(&output, prediction->model, values, n)
                          : output_write_numbers(&output, values, n, prediction->n_threads);
    }
    if (interrupt_caught()) {
        output_discard(&output);
        return EXIT_DATA;
    }
    code = output_close(&output);
    if (code == EXIT_DONE && prediction->path != NULL && !quiet) {
        report("wrote %zu prediction%s to %s", n_rows, n_rows == 1 ? "" : "s", prediction->path);
    }
    return code;
}

static int run_predict(const struct arguments *arguments) {
    struct prediction prediction = {0};
    int code = check_arguments(&prediction, arguments);
    if (code == EXIT_DONE) {
        code = source_load_model(arguments->operands[0], &prediction.model);
    }
    if (code == EXIT_DONE) {
        code = read_data(&prediction, arguments);
    }
    if (code == EXIT_DONE) {
        code = predict(&prediction);
    }
    if (code == EXIT_DONE && prediction.path != NULL) {
        interrupt_catch();
    }
    if (code == EXIT_DONE) {
        code = write_values(&prediction, arguments_flag(arguments, "quiet") != NULL);
    }
    prediction_clear(&prediction);
    interrupt_release();
    return code;
}

const struct command command_predict = {
    .name = "predict",
    .summary = "predict the rows of a CSV file with a saved model",
    .usage = "MODEL DATA.csv [--proba | --raw] [--out FILE]",
    .operands = {{"MODEL", "The model file."},
                 {"DATA.csv",
                  "The rows to predict; - reads standard input. Columns are found by their names, others "
                  "are ignored; without a header they are taken in order."}},
    .n_operands = 2,
    .flags = flags,
    .n_flags = sizeof flags / sizeof *flags,
    .run = run_predict,
};
