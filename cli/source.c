/* Opens what the command line names, and says so when that fails. */
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "text.h"

static const struct {
    const char *word;
    mxb_header header;
} headers[] = {{"auto", MXB_HEADER_AUTO}, {"yes", MXB_HEADER_YES}, {"no", MXB_HEADER_NO}};

enum { N_HEADERS = sizeof headers / sizeof *headers };

/* What --header says, or N_HEADERS when it is none of the words. */
static size_t header_index(const struct arguments *arguments) {
    const char *word = arguments_flag(arguments, "header");
    size_t i = 0;
    while (word != NULL && i < N_HEADERS && strcmp(word, headers[i].word) != 0) {
        i++;
    }
    return i;
}

int source_check_header(const struct arguments *arguments) {
    if (header_index(arguments) == N_HEADERS) {
        return fail_usage("--header must be auto, yes or no, not \"%s\"", arguments_flag(arguments, "header"));
    }
    return EXIT_DONE;
}

/* ---- Features ---- */

int features_init(struct features *features, size_t n) {
    *features = (struct features){.n = n};
    features->names = calloc(n + 1, sizeof *features->names);
    features->text_names = calloc(n + 1, sizeof *features->text_names);
    features->text_numbers = calloc(n + 1, sizeof *features->text_numbers);
    features->numbers = calloc(n + 1, sizeof *features->numbers);
    if (features->names == NULL || features->text_names == NULL || features->text_numbers == NULL ||
        features->numbers == NULL) {
        features_clear(features);
        return fail_data("out of memory");
    }
    return EXIT_DONE;
}

void features_add_text(struct features *features, const char *name, size_t number) {
    size_t i = features->n_text++;
    snprintf(features->numbers[i], sizeof features->numbers[i], "%zu", number);
    features->text_names[i] = name;
    features->text_numbers[i] = number == 0 ? name : features->numbers[i];
}

int features_of_model(struct features *features, const mxb_model *model) {
    int code = features_init(features, mxb_model_n_features(model));
    for (size_t i = 0; i < features->n; i++) {
        features->names[i] = mxb_model_feature_name(model, i);
        if (mxb_model_feature_is_text(model, i)) {
            features_add_text(features, features->names[i], i + 1);
        }
    }
    return code;
}

void features_clear(struct features *features) {
    free(features->numbers);
    free(features->names);
    free(features->text_names);
    free(features->text_numbers);
    *features = (struct features){0};
}

/* ---- Files ---- */

/* Columns of text are known by their names where there are any, and by their numbers in a file without header. Whether
 * it has one shows only when it is read: if the names are not there, the file is tried without. */
int source_read(const char *path, const struct arguments *arguments, const struct features *features, int n_threads,
                mxb_table **table) {
    static const struct features unknown = {0};
    mxb_error error, unused;
    mxb_header header = headers[header_index(arguments)].header;
    if (features == NULL) {
        features = &unknown;
    }
    const char *const *numbers = features->text_numbers;
    int has_names = features->n_text > 0 && features->text_names[0] != NULL;
    int by_name = has_names && header != MXB_HEADER_NO;
    mxb_status status = mxb_table_read_csv(path, header, by_name ? features->text_names : numbers, features->n_text,
                                           n_threads, table, &error);
    if (status == MXB_ERROR_DATA && by_name && header == MXB_HEADER_AUTO && strcmp(path, "-") != 0 &&
        mxb_table_read_csv(path, header, numbers, features->n_text, n_threads, table, &unused) == MXB_OK) {
        if (mxb_table_column_name(*table, 0) == NULL) {
            return EXIT_DONE;
        }
        mxb_table_free(*table);
        *table = NULL;
    }
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

void source_report_oddities(const mxb_table *table, const struct arguments *arguments) {
    const char *path = arguments->operands[0];
    char shown[80];
    int looks_like_data = 0;
    for (size_t i = 0; i < mxb_table_n_columns(table); i++) {
        const char *name = mxb_table_column_name(table, i);
        const char *oddity = mxb_table_column_oddity(table, i);
        looks_like_data |= name != NULL && text_is_number(name);
        if (oddity != NULL) {
            snprintf(shown, sizeof shown, "%zu", i + 1);
            report("column %s of %s is text, since not all of it is numbers: \"%s\"",
                   name != NULL ? text_printable(shown, sizeof shown, name) : shown, path, oddity);
        }
    }
    if (looks_like_data && headers[header_index(arguments)].header == MXB_HEADER_AUTO) {
        report("the first line of %s is taken for column names; --header no if it is data", path);
    }
}

int source_load_model(const char *path, mxb_model **model) {
    mxb_error error;
    if (strcmp(path, "-") == 0) {
        return fail_usage("a model cannot be read from standard input; name its file");
    }
    mxb_status status = mxb_model_load(path, model, &error);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}
