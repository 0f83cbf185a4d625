/* Reads what is trained on, so that the same columns are found in every file. Knows nothing of options. */
#include "training_data.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "source.h"

int training_data_check(const struct arguments *arguments) {
    const char *data = arguments->operands[0];
    const char *model = arguments_flag(arguments, "model");
    const char *valid = arguments_flag(arguments, "valid");
    if (valid != NULL && strcmp(valid, "-") == 0 && strcmp(data, "-") == 0) {
        return fail_usage("standard input can be DATA.csv or --valid, not both");
    }
    if (strcmp(model, "-") == 0) {
        return fail_usage("a model cannot go to standard output; give --model the name of a file");
    }
    if (output_is_same(model, data) || (valid != NULL && output_is_same(model, valid))) {
        return fail_usage("--model \"%s\" would overwrite the data", model);
    }
    return output_check(model, 0);
}

/* ---- Columns ---- */

/* The number, from 1, of the column that `text` names or numbers; 0: none, or it would take the table (NULL) to know.
 */
static size_t column_number(const mxb_table *table, const char *text) {
    size_t n_columns = table == NULL ? SIZE_MAX : mxb_table_n_columns(table);
    for (size_t i = 0; text != NULL && table != NULL && i < n_columns; i++) {
        const char *name = mxb_table_column_name(table, i);
        if (name != NULL && strcmp(name, text) == 0) {
            return i + 1;
        }
    }
    char *end;
    unsigned long long number = text == NULL ? 0 : strtoull(text, &end, 10);
    int is_number = text != NULL && *text >= '0' && *text <= '9' && *end == '\0';
    return is_number && number <= n_columns ? (size_t)number : 0;
}

/* The header's name of the column that `text` names or numbers, so that the same column is found in a file with another
 * order; `text` itself where there is no such name. */
static const char *column_name(const mxb_table *table, const char *text) {
    size_t number = table == NULL ? 0 : column_number(table, text);
    const char *name = number == 0 ? NULL : mxb_table_column_name(table, number - 1);
    return name != NULL ? name : text;
}

/* The column of feature `index`, from 0, in a file without header: the others are `label` and `weight`, 0 = none. */
static size_t feature_column(size_t index, size_t label, size_t weight) {
    size_t low = label < weight ? label : weight;
    size_t high = label < weight ? weight : label;
    size_t column = index + 1;
    column += low > 0 && low <= column;
    column += high > 0 && high <= column;
    return column;
}

/* What is known of a file's columns before it is read: the features of the model to go on from or of the training
 * rows. Nothing, where there is neither yet. */
static int list_features(const struct training_data *data, const struct arguments *arguments,
                         struct features *features) {
    const mxb_model *from = data->from;
    const mxb_table *table = data->table;
    size_t label = column_number(table, arguments_flag(arguments, "label"));
    size_t weight = column_number(table, arguments_flag(arguments, "weight"));
    size_t n_features = from != NULL ? mxb_model_n_features(from) : mxb_dataset_n_features(data->train);
    int code = features_init(features, n_features);
    for (size_t i = 0; i < features->n; i++) {
        const char *name = from != NULL ? mxb_model_feature_name(from, i) : mxb_dataset_feature_name(data->train, i);
        features->names[i] = name;
        if (from != NULL ? mxb_model_feature_is_text(from, i) : mxb_dataset_feature_is_text(data->train, i)) {
            features_add_text(features, name, feature_column(i, label, weight));
        }
    }
    int label_is_text = table != NULL  ? label > 0 && mxb_table_column_is_text(table, label - 1)
                        : from != NULL ? mxb_model_label_text(from, 0) != NULL
                                       : 0;
    if (code == EXIT_DONE && label_is_text) {
        features_add_text(features, column_name(table, arguments_flag(arguments, "label")), label);
    }
    return code;
}

/* ---- Files ---- */

/* Reads a file and makes the dataset of the given label, weight and features, or, where none are known yet, of all
 * columns that are left. */
static int read_file(const struct training_data *data, const struct arguments *arguments, const char *path,
                     mxb_table **table, mxb_dataset **dataset) {
    mxb_error error;
    struct features features;
    int code = list_features(data, arguments, &features);
    const char *label = column_name(data->table, arguments_flag(arguments, "label"));
    const char *weight = column_name(data->table, arguments_flag(arguments, "weight"));
    if (code == EXIT_DONE) {
        code = source_read(path, arguments, &features, data->n_threads, table);
    }
    if (code == EXIT_DONE) {
        mxb_status status = mxb_dataset_from_table(*table, label, weight, features.n == 0 ? NULL : features.names,
                                                   features.n, dataset, &error);
        code = status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
    }
    features_clear(&features);
    return code;
}

int training_data_read(struct training_data *data, const struct arguments *arguments) {
    const char *valid = arguments_flag(arguments, "valid");
    int code = read_file(data, arguments, arguments->operands[0], &data->table, &data->train);
    if (code == EXIT_DONE && valid != NULL) {
        code = read_file(data, arguments, valid, &data->valid_table, &data->valid);
    }
    return code;
}

void training_data_clear(struct training_data *data) {
    mxb_dataset_free(data->valid);
    mxb_dataset_free(data->train);
    mxb_table_free(data->valid_table);
    mxb_table_free(data->table);
}
