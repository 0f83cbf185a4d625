/* Calls that cannot be, as a table: what is called, the status, and the sentence letter by letter. Many of them are
 * tested beside what they call, too; here they are all in one place. */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "mixboost/tune.h"

enum { N = 6 };

static int n_calls;
static mxb_error error;
static const double numbers[2 * N] = {1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1};
static const double labels[N] = {1, 0, 1, 0, 1, 1};
static const int8_t codes[N] = {0, 1, 0, 1, 0, 1};
static const char *const texts[2] = {"no", "yes"};
static const size_t row_numbers[3] = {0, 2, 4};
static double out[64];

static mxb_dataset *empty; /* no columns */
static mxb_dataset *named; /* features a and b */
static mxb_dataset *data;  /* two features and a label */
static mxb_dataset *part;  /* rows of it */
static mxb_params *params;
static mxb_model *model; /* of data */
static mxb_table *table; /* columns a, b and y */

/* One call that must fail. */
#define BAD(call, status, sentence)           \
    do {                                      \
        n_calls++;                            \
        FAILS(call, error, status, sentence); \
    } while (0)
#define BAD_PARAM(call, sentence)  BAD(call, MXB_ERROR_PARAM, sentence)
#define BAD_DATA(call, sentence)   BAD(call, MXB_ERROR_DATA, sentence)
#define BAD_IO(call, sentence)     BAD(call, MXB_ERROR_IO, sentence)
#define BAD_FORMAT(call, sentence) BAD(call, MXB_ERROR_FORMAT, sentence)

static void must(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(2);
    }
}

static mxb_dataset *dataset_of(const double *label) {
    mxb_dataset *made;
    must(mxb_dataset_create(N, &made, &error));
    must(mxb_dataset_add_matrix(made, numbers, MXB_FLOAT64, 2, 8, 8 * N, &error));
    if (label != NULL) {
        must(mxb_dataset_set_label(made, label, 8, MXB_FLOAT64, &error));
    }
    return made;
}

/* A dataset of two features with this label and weight (may be NULL) as row 2. */
static mxb_dataset *dataset_with(double label, const double *weight) {
    static double changed[N];
    static double weights[N];
    memcpy(changed, labels, sizeof changed);
    changed[1] = label;
    mxb_dataset *made = dataset_of(changed);
    if (weight != NULL) {
        for (size_t i = 0; i < N; i++) {
            weights[i] = i == 1 ? *weight : 1.0;
        }
        must(mxb_dataset_set_weight(made, weights, 8, MXB_FLOAT64, &error));
    }
    return made;
}

static void make_all(void) {
    static const char csv[] = "a,b,y\n1,2,3\n4,5,6\n7,8,9\n";
    FILE *file = fopen("bad_calls.csv", "w");
    if (file == NULL || fwrite(csv, 1, sizeof csv - 1, file) != sizeof csv - 1 || fclose(file) != 0) {
        exit(2);
    }
    must(mxb_table_read_csv("bad_calls.csv", MXB_HEADER_AUTO, NULL, 0, 1, &table, &error));
    remove("bad_calls.csv");
    must(mxb_dataset_create(N, &empty, &error));
    must(mxb_dataset_create(N, &named, &error));
    must(mxb_dataset_add_column(named, "a", numbers, 8, MXB_FLOAT64, &error));
    must(mxb_dataset_add_column(named, "b", numbers + N, 8, MXB_FLOAT64, &error));
    data = dataset_of(labels);
    must(mxb_dataset_select(data, row_numbers, 3, &part, &error));
    must(mxb_params_create(&params, &error));
    must(mxb_params_set(params, "num_round", "2", &error));
    must(mxb_params_set(params, "n_threads", "1", &error));
    must(mxb_train(data, NULL, params, NULL, NULL, &model, &error));
}

static void free_all(void) {
    mxb_model_free(model);
    mxb_params_free(params);
    mxb_dataset_free(part);
    mxb_dataset_free(data);
    mxb_dataset_free(named);
    mxb_dataset_free(empty);
    mxb_table_free(table);
}

/* ---- Datasets ---- */

static void of_datasets(void) {
    mxb_dataset *made;
    BAD_PARAM(mxb_dataset_create(N, NULL, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_create(0, &made, &error), "n_rows is 0; it must be 1 to 4294967295");
    BAD_PARAM(mxb_dataset_create(SIZE_MAX, &made, &error),
              "n_rows is 18446744073709551615; it must be 1 to 4294967295");
    BAD_PARAM(mxb_dataset_add_column(NULL, "a", numbers, 8, MXB_FLOAT64, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_add_column(named, "c", NULL, 8, MXB_FLOAT64, &error), "data is NULL");
    BAD_PARAM(mxb_dataset_add_column(named, "c", numbers, 8, (mxb_type)0, &error),
              "type is 0; it must be one of mxb_type, 1 to 11");
    BAD_PARAM(mxb_dataset_add_column(named, "c", numbers, 8, (mxb_type)12, &error),
              "type is 12; it must be one of mxb_type, 1 to 11");
    BAD_PARAM(mxb_dataset_add_column(named, "c", numbers, PTRDIFF_MAX, MXB_FLOAT64, &error),
              "a stride of 9223372036854775807 bytes is too large for 6 rows");
    BAD_PARAM(mxb_dataset_add_column(named, NULL, numbers, 8, MXB_FLOAT64, &error),
              "feature 3 has no name, but the features before it have");
    BAD_PARAM(mxb_dataset_add_column(data, "c", numbers, 8, MXB_FLOAT64, &error),
              "feature 3 has the name \"c\", but the features before it have none");
    BAD_PARAM(mxb_dataset_add_column(named, "b", numbers, 8, MXB_FLOAT64, &error),
              "features 2 and 3 have the same name \"b\"");
    BAD_PARAM(mxb_dataset_add_column(part, NULL, numbers, 8, MXB_FLOAT64, &error),
              "the dataset is a selection of another one's rows and cannot be added to");
    BAD_PARAM(mxb_dataset_add_text_column(NULL, "t", codes, 1, MXB_INT8, texts, 2, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_add_text_column(named, "t", NULL, 1, MXB_INT8, texts, 2, &error), "data is NULL");
    BAD_PARAM(mxb_dataset_add_text_column(named, "t", codes, 1, MXB_FLOAT64, texts, 2, &error),
              "type is 2; the codes of texts must be integers, 3 to 11");
    BAD_PARAM(mxb_dataset_add_text_column(named, "t", codes, 1, MXB_INT8, NULL, 2, &error), "texts is NULL");
    BAD_PARAM(mxb_dataset_add_text_column(named, "t", codes, 1, MXB_INT8, texts, SIZE_MAX, &error),
              "n_texts is 18446744073709551615; a column has at most 16777216 texts");
    BAD_PARAM(mxb_dataset_add_text_column(named, "t", codes, 1, MXB_INT8, (const char *[]){"a", NULL}, 2, &error),
              "texts[1] is NULL");
    BAD_PARAM(mxb_dataset_set_validity(NULL, 0, (const uint8_t *)"\1", 0, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_set_validity(named, 2, (const uint8_t *)"\1", 0, &error),
              "column is 2; the dataset has 2 features, counted from 0");
    BAD_PARAM(mxb_dataset_set_validity(named, 0, (const uint8_t *)"\1", SIZE_MAX, &error),
              "bit_offset is 18446744073709551615; that is too large for 6 rows");
    BAD_PARAM(mxb_dataset_set_validity(part, 0, (const uint8_t *)"\1", 0, &error),
              "the dataset is a selection of another one's rows and cannot be added to");
}

static void of_matrices_and_roles(void) {
    BAD_PARAM(mxb_dataset_add_matrix(NULL, numbers, MXB_FLOAT64, 2, 8, 48, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_add_matrix(data, NULL, MXB_FLOAT64, 2, 8, 48, &error), "data is NULL");
    BAD_PARAM(mxb_dataset_add_matrix(data, numbers, (mxb_type)99, 2, 8, 48, &error),
              "type is 99; it must be one of mxb_type, 1 to 11");
    BAD_PARAM(mxb_dataset_add_matrix(data, numbers, MXB_FLOAT64, 0, 8, 48, &error),
              "n_columns is 0; it must be at least 1");
    BAD_PARAM(mxb_dataset_add_matrix(data, numbers, MXB_FLOAT64, SIZE_MAX, 8, 48, &error),
              "a dataset has at most 1048576 features; 2 and 18446744073709551615 more are too many");
    BAD_PARAM(mxb_dataset_add_matrix(data, numbers, MXB_FLOAT64, 2, PTRDIFF_MAX, 48, &error),
              "a stride of 9223372036854775807 bytes is too large for 6 rows");
    BAD_PARAM(mxb_dataset_add_matrix(data, numbers, MXB_FLOAT64, 4, 8, PTRDIFF_MAX, &error),
              "a column stride of 9223372036854775807 bytes is too large for 4 columns");
    BAD_PARAM(mxb_dataset_add_matrix(named, numbers, MXB_FLOAT64, 2, 8, 48, &error),
              "feature 3 has no name, but the features before it have");
    BAD_PARAM(mxb_dataset_set_label(NULL, labels, 8, MXB_FLOAT64, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_set_label(data, NULL, 8, MXB_FLOAT64, &error), "data is NULL");
    BAD_PARAM(mxb_dataset_set_label(data, labels, 8, (mxb_type)-1, &error),
              "type is -1; it must be one of mxb_type, 1 to 11");
    BAD_PARAM(mxb_dataset_set_label(part, labels, 8, MXB_FLOAT64, &error),
              "the dataset is a selection of another one's rows and cannot be added to");
    BAD_PARAM(mxb_dataset_set_text_label(data, codes, 1, MXB_FLOAT32, texts, 2, &error),
              "type is 1; the codes of texts must be integers, 3 to 11");
    BAD_PARAM(mxb_dataset_set_text_label(data, codes, 1, MXB_INT8, NULL, 2, &error), "texts is NULL");
    BAD_PARAM(mxb_dataset_set_weight(NULL, labels, 8, MXB_FLOAT64, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_set_weight(data, NULL, 8, MXB_FLOAT64, &error), "data is NULL");
    BAD_PARAM(mxb_dataset_set_weight(data, labels, 8, (mxb_type)12, &error),
              "type is 12; it must be one of mxb_type, 1 to 11");
    BAD_PARAM(mxb_dataset_set_weight(part, labels, 8, MXB_FLOAT64, &error),
              "the dataset is a selection of another one's rows and cannot be added to");
}

static void of_rows(void) {
    mxb_dataset *first;
    mxb_dataset *second;
    uint64_t digest;
    BAD_PARAM(mxb_dataset_select(data, row_numbers, 3, NULL, &error), "subset is NULL");
    BAD_PARAM(mxb_dataset_select(NULL, row_numbers, 3, &first, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_select(data, NULL, 3, &first, &error), "rows is NULL");
    BAD_PARAM(mxb_dataset_select(data, row_numbers, 0, &first, &error), "n_rows is 0; it must be 1 to 4294967295");
    BAD_PARAM(mxb_dataset_select(part, row_numbers, 3, &first, &error),
              "rows[2] is 4; the dataset has 3 rows, counted from 0");
    BAD_PARAM(mxb_dataset_read(NULL, 0, 0, 1, out, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_read(data, 0, 0, 1, NULL, &error), "values is NULL");
    BAD_PARAM(mxb_dataset_read(data, 2, 0, 1, out, &error), "column is 2; the dataset has 2 features, counted from 0");
    BAD_PARAM(mxb_dataset_read(data, 0, 0, 7, out, &error), "7 rows from 0 on; the dataset has 6 rows, counted from 0");
    BAD_PARAM(mxb_dataset_read(data, 0, SIZE_MAX, 2, out, &error),
              "2 rows from 18446744073709551615 on; the dataset has 6 rows, counted from 0");
    BAD_PARAM(mxb_dataset_split(NULL, 0.5, 0, 1, &first, &second, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_split(data, 0.5, 0, 1, NULL, &second, &error), "first is NULL");
    BAD_PARAM(mxb_dataset_split(data, 0.5, 0, 1, &first, NULL, &error), "second is NULL");
    BAD_PARAM(mxb_dataset_split(data, 0.0, 0, 1, &first, &second, &error),
              "fraction is 0; it must be over 0 and below 1");
    BAD_PARAM(mxb_dataset_split(data, 1.0, 0, 1, &first, &second, &error),
              "fraction is 1; it must be over 0 and below 1");
    BAD_PARAM(mxb_dataset_split(data, NAN, 0, 1, &first, &second, &error),
              "fraction is nan; it must be over 0 and below 1");
    BAD_PARAM(mxb_dataset_split(named, 0.5, 1, 1, &first, &second, &error),
              "the dataset has no label, which a stratified split needs");
    BAD_PARAM(mxb_dataset_fold(NULL, 2, 0, 1, 0, 0, &first, &second, &error), "dataset, train or held_out is NULL");
    BAD_PARAM(mxb_dataset_fold(data, 2, 0, 1, 0, 0, NULL, &second, &error), "dataset, train or held_out is NULL");
    BAD_PARAM(mxb_dataset_fold(data, 2, 0, 1, 0, 2, &first, &second, &error), "fold is 2; it must be below n_folds, 2");
    BAD_DATA(mxb_dataset_fold(data, 7, 0, 1, 0, 0, &first, &second, &error),
             "7 folds need at least as many rows; the data has 6");
    BAD_DATA(mxb_dataset_fold(data, 3, 1, 1, 0, 0, &first, &second, &error),
             "label 0 has 2 rows; 3 stratified folds need at least 3 of each label");
    BAD_PARAM(mxb_dataset_digest(NULL, &digest, &error), "dataset is NULL");
    BAD_PARAM(mxb_dataset_digest(data, NULL, &error), "digest is NULL");
}

/* ---- Tables ---- */

static void of_tables(void) {
    mxb_table *made;
    mxb_dataset *found;
    BAD_PARAM(mxb_table_read_csv(NULL, MXB_HEADER_AUTO, NULL, 0, 1, &made, &error), "path is NULL");
    BAD_PARAM(mxb_table_read_csv("none.csv", MXB_HEADER_AUTO, NULL, 0, 1, NULL, &error), "table is NULL");
    BAD_PARAM(mxb_table_read_csv("none.csv", (mxb_header)3, NULL, 0, 1, &made, &error),
              "header is 3; it must be 0 (auto), 1 (yes) or 2 (no)");
    BAD_PARAM(mxb_table_read_csv("none.csv", MXB_HEADER_AUTO, NULL, 2, 1, &made, &error),
              "text_columns is NULL, n_text is 2");
    BAD_PARAM(mxb_table_read_csv("none.csv", MXB_HEADER_AUTO, (const char *[]){NULL}, 1, 1, &made, &error),
              "text_columns[0] is NULL");
    BAD_PARAM(mxb_table_read_csv("none.csv", MXB_HEADER_AUTO, NULL, 0, -1, &made, &error),
              "n_threads is -1; it must be 0 (all processors) or more");
    BAD_IO(mxb_table_read_csv("none.csv", MXB_HEADER_AUTO, NULL, 0, 1, &made, &error),
           "cannot read \"none.csv\": No such file or directory");
    BAD_IO(mxb_table_read_csv(".", MXB_HEADER_AUTO, NULL, 0, 1, &made, &error), "cannot read \".\": Is a directory");
    BAD_PARAM(mxb_dataset_from_table(NULL, "y", NULL, NULL, 0, &found, &error), "table is NULL");
    BAD_PARAM(mxb_dataset_from_table(table, "y", NULL, NULL, 0, NULL, &error), "dataset is NULL");
    BAD_DATA(mxb_dataset_from_table(table, "z", NULL, NULL, 0, &found, &error),
             "bad_calls.csv has no column \"z\"; its columns are a, b, y");
    BAD_DATA(mxb_dataset_from_table(table, "y", "w", NULL, 0, &found, &error),
             "bad_calls.csv has no column \"w\"; its columns are a, b, y");
    BAD_PARAM(mxb_dataset_from_table(table, "y", "y", NULL, 0, &found, &error),
              "label and weight are the same column \"y\" of bad_calls.csv");
    BAD_PARAM(mxb_dataset_from_table(table, "y", NULL, (const char *[]){"a"}, 0, &found, &error),
              "n_features is 0; features must name at least one column");
    BAD_DATA(mxb_dataset_from_table(table, "y", NULL, (const char *[]){"c"}, 1, &found, &error),
             "bad_calls.csv has no column \"c\"; its columns are a, b, y");
    BAD_PARAM(mxb_dataset_from_table(table, "y", NULL, (const char *[]){"y"}, 1, &found, &error),
              "column \"y\" of bad_calls.csv cannot be a feature: it is the label");
    BAD_DATA(mxb_dataset_from_table(table, "y", NULL, (const char *[]){NULL}, 1, &found, &error),
             "bad_calls.csv has 2 feature columns; 1 is needed");
    BAD_PARAM(mxb_dataset_from_table(table, "y", NULL, (const char *[]){"a", "a"}, 2, &found, &error),
              "features 1 and 2 have the same name \"a\"");
}

/* ---- Options, losses and learners ---- */

static mxb_status no_values(void *context, size_t n, const double *y, const double *f, double *v, mxb_error *e) {
    (void)context, (void)n, (void)y, (void)f, (void)v, (void)e;
    return MXB_OK;
}

static mxb_status no_derivatives(void *context, size_t n, const double *y, const double *f, double *g, double *h,
                                 mxb_error *e) {
    (void)context, (void)n, (void)y, (void)f, (void)g, (void)h, (void)e;
    return MXB_OK;
}

static mxb_status no_fit(void *context, const mxb_round *round, void **term, double *values, mxb_error *e) {
    (void)context, (void)round, (void)term, (void)values, (void)e;
    return MXB_OK;
}

static mxb_status no_predict(void *context, const void *term, const mxb_dataset *rows, double *values, mxb_error *e) {
    (void)context, (void)term, (void)rows, (void)values, (void)e;
    return MXB_OK;
}

static void of_options(void) {
    mxb_params *made;
    mxb_training_memory memory;
    BAD_PARAM(mxb_params_create(NULL, &error), "params is NULL");
    BAD_PARAM(mxb_params_set(NULL, "gamma", "1", &error),
              "an option needs params, a name and a value; one of them is NULL");
    BAD_PARAM(mxb_params_set(params, NULL, "1", &error),
              "an option needs params, a name and a value; one of them is NULL");
    BAD_PARAM(mxb_params_set(params, "gamma", NULL, &error),
              "an option needs params, a name and a value; one of them is NULL");
    BAD_PARAM(mxb_params_set(params, "gama", "1", &error), "there is no option \"gama\"");
    BAD_PARAM(mxb_params_set(params, "", "1", &error), "there is no option \"\"");
    BAD_PARAM(mxb_params_set(params, "gamma", "", &error), "gamma is \"\"; it must be over 0, up to 1e70, or auto");
    BAD_PARAM(mxb_params_set(params, "gamma", "0", &error), "gamma is \"0\"; it must be over 0, up to 1e70, or auto");
    BAD_PARAM(mxb_params_set(params, "hist_nbins", "300", &error),
              "hist_nbins is \"300\"; it must be a whole number, 2 to 256");
    BAD_PARAM(mxb_params_set(params, "preset", "best", &error), "preset is \"best\"; it must be default | paper");
    BAD_PARAM(mxb_params_copy(NULL, &made, &error), "params is NULL");
    BAD_PARAM(mxb_params_copy(params, NULL, &error), "copy is NULL");
    BAD_PARAM(mxb_params_memory(NULL, data, NULL, 2, &memory, &error), "params is NULL");
    BAD_PARAM(mxb_params_memory(params, NULL, NULL, 2, &memory, &error), "train is NULL");
    BAD_PARAM(mxb_params_memory(params, data, NULL, 2, NULL, &error), "memory is NULL");
    BAD_PARAM(mxb_params_check(NULL, &error), "params is NULL");
}

static void of_losses_and_learners(void) {
    mxb_loss *loss;
    mxb_learner *learner;
    char long_name[80];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    BAD_PARAM(mxb_loss_create("l", no_values, no_derivatives, NULL, NULL, &error), "the place for the loss is NULL");
    BAD_PARAM(mxb_loss_create(NULL, no_values, no_derivatives, NULL, &loss, &error), "the name of the loss is NULL");
    BAD_PARAM(mxb_loss_create("", no_values, no_derivatives, NULL, &loss, &error),
              "the name of the loss is \"\"; it must be 1 to 63 printable ASCII characters");
    BAD_PARAM(mxb_loss_create("a\n", no_values, no_derivatives, NULL, &loss, &error),
              "the name of the loss is \"a\\x0a\"; it must be 1 to 63 printable ASCII characters");
    BAD_PARAM(
        mxb_loss_create(long_name, no_values, no_derivatives, NULL, &loss, &error),
        "the name of the loss is \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"; "
        "it must be 1 to 63 printable ASCII characters");
    BAD_PARAM(mxb_loss_create("mse", no_values, no_derivatives, NULL, &loss, &error),
              "the name of the loss is \"mse\", which the library has itself");
    BAD_PARAM(mxb_loss_create("l", NULL, no_derivatives, NULL, &loss, &error),
              "the function for the value of the loss is NULL");
    BAD_PARAM(mxb_loss_create("l", no_values, NULL, NULL, &loss, &error),
              "the function for the derivatives of the loss is NULL");
    BAD_PARAM(mxb_params_set_loss(NULL, NULL, &error), "params is NULL");
    BAD_PARAM(mxb_learner_create("l", no_fit, no_predict, NULL, NULL, NULL, &error),
              "the place for the learner is NULL");
    BAD_PARAM(mxb_learner_create(NULL, no_fit, no_predict, NULL, NULL, &learner, &error),
              "the name of the learner is NULL");
    BAD_PARAM(mxb_learner_create("tree", no_fit, no_predict, NULL, NULL, &learner, &error),
              "the name of the learner is \"tree\", which the library has itself");
    BAD_PARAM(mxb_learner_create("l", NULL, no_predict, NULL, NULL, &learner, &error),
              "the function fit of the learner is NULL");
    BAD_PARAM(mxb_learner_create("l", no_fit, NULL, NULL, NULL, &learner, &error),
              "the function predict of the learner is NULL");
    must(mxb_learner_create("l", no_fit, no_predict, NULL, NULL, &learner, &error));
    BAD_PARAM(mxb_params_add_learner(NULL, learner, 0.5, &error), "params is NULL");
    BAD_PARAM(mxb_params_add_learner(params, NULL, 0.5, &error), "the learner is NULL");
    BAD_PARAM(mxb_params_add_learner(params, learner, -0.5, &error),
              "the probability of the learner \"l\" is -0.5; it must be 0 to 1");
    BAD_PARAM(mxb_params_add_learner(params, learner, 1.5, &error),
              "the probability of the learner \"l\" is 1.5; it must be 0 to 1");
    BAD_PARAM(mxb_params_add_learner(params, learner, NAN, &error),
              "the probability of the learner \"l\" is nan; it must be 0 to 1");
    mxb_learner_free(learner);
}

/* ---- Trainings ---- */

static void of_trainings(void) {
    mxb_model *made;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    BAD_PARAM(mxb_train(data, NULL, params, NULL, NULL, NULL, &error), "the place for the model is NULL");
    BAD_PARAM(mxb_train(NULL, NULL, params, NULL, NULL, &made, &error), "the training data is NULL");
    BAD_DATA(mxb_train(empty, NULL, params, NULL, NULL, &made, &error), "the training data has no feature columns");
    BAD_DATA(mxb_train(named, NULL, params, NULL, NULL, &made, &error), "the training data has no label");
    BAD_DATA(mxb_train(data, named, params, NULL, NULL, &made, &error), "the validation data has no label");
    BAD_PARAM(mxb_train(data, empty, params, NULL, NULL, &made, &error),
              "the dataset has 0 features, the training data has 2");
    BAD_PARAM(mxb_choose_rounds(NULL, NULL, params, NULL, NULL, &error), "the training data is NULL");
    BAD_PARAM(mxb_choose_rounds(data, NULL, NULL, NULL, NULL, &error), "the options are NULL");
    BAD_PARAM(mxb_prepared_create(NULL, params, &prepared, &error), "the training data is NULL");
    BAD_PARAM(mxb_prepared_create(data, params, NULL, &error), "the place for the prepared data is NULL");
    BAD_DATA(mxb_prepared_create(named, params, &prepared, &error), "the training data has no label");
    BAD_PARAM(mxb_trainer_create(NULL, NULL, params, &trainer, &error), "the prepared data is NULL");
    must(mxb_prepared_create(data, params, &prepared, &error));
    BAD_PARAM(mxb_trainer_create(prepared, NULL, NULL, &trainer, &error),
              "num_round is auto; without validation data it must be a number (mxb_choose_rounds finds it)");
    BAD_PARAM(mxb_trainer_create(prepared, NULL, params, NULL, &error), "the place for the trainer is NULL");
    BAD_PARAM(mxb_trainer_create_from(prepared, NULL, params, model, NULL, &error),
              "the place for the trainer is NULL");
    BAD_PARAM(mxb_trainer_create_from(prepared, NULL, params, NULL, &trainer, &error),
              "the model to go on from is NULL");
    must(mxb_trainer_create(prepared, NULL, params, &trainer, &error));
    BAD_PARAM(mxb_trainer_model(trainer, NULL, &error), "the place for the model is NULL");
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    BAD_PARAM(mxb_trainer_run(NULL, 1, NULL, NULL, &error), "trainer is NULL");
    BAD_PARAM(mxb_trainer_model(NULL, &made, &error), "trainer is NULL");
    BAD_PARAM(mxb_cross_validate(NULL, params, 2, 1, 0, 1, NULL, NULL, out, &error), "dataset is NULL");
    BAD_PARAM(mxb_cross_validate(data, params, 2, 1, 0, 1, NULL, NULL, NULL, &error), "losses is NULL");
    BAD_PARAM(mxb_cross_validate(data, params, 1, 1, 0, 1, NULL, NULL, out, &error),
              "n_folds is 1; it must be 2 to 1000");
    BAD_PARAM(mxb_cross_validate(data, params, 1001, 1, 0, 1, NULL, NULL, out, &error),
              "n_folds is 1001; it must be 2 to 1000");
    BAD_PARAM(mxb_cross_validate(data, params, 2, 0, 0, 1, NULL, NULL, out, &error),
              "n_repeats is 0; it must be at least 1");
    BAD_DATA(mxb_cross_validate(data, params, 7, 1, 0, 1, NULL, NULL, out, &error),
             "7 folds need at least as many rows; the data has 6");
    BAD_DATA(mxb_cross_validate(data, params, 3, 1, 1, 1, NULL, NULL, out, &error),
             "label 0 has 2 rows; 3 stratified folds need at least 3 of each label");
    BAD_DATA(mxb_cross_validate(named, params, 2, 1, 0, 1, NULL, NULL, out, &error), "the dataset has no label");
}

/* Labels and weights of row 2. */
static void of_values(void) {
    static const struct {
        double label;
        double weight;
        const char *sentence;
    } rows[] = {
        {NAN, 1, "the label of row 2 of the training data is nan; labels must be finite numbers"},
        {INFINITY, 1, "the label of row 2 of the training data is inf; labels must be finite numbers"},
        {-INFINITY, 1, "the label of row 2 of the training data is -inf; labels must be finite numbers"},
        {2e300, 1,
         "the label of row 2 of the training data is 2e300; labels, also times their weights, must not exceed 1e300"},
        {1e200, 1e150,
         "the label of row 2 of the training data is 1e200; labels, also times their weights, must not exceed 1e300"},
        {0, -1, "the weight of row 2 of the training data is -1; weights must be finite and not negative"},
        {0, NAN, "the weight of row 2 of the training data is nan; weights must be finite and not negative"},
        {0, INFINITY, "the weight of row 2 of the training data is inf; weights must be finite and not negative"},
        {0, 1e291, "the weights of the training data sum to 1e291; the sum must be between 1e-290 and 1e290"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mxb_model *made;
        mxb_dataset *bad = dataset_with(rows[i].label, &rows[i].weight);
        BAD_DATA(mxb_train(bad, NULL, params, NULL, NULL, &made, &error), rows[i].sentence);
        mxb_dataset_free(bad);
    }
}

/* ---- Models ---- */

static void of_models(void) {
    mxb_model *made;
    void *bytes;
    char *json;
    size_t n_bytes;
    mxb_stages *stages;
    BAD_PARAM(mxb_model_load(NULL, &made, &error), "path is NULL");
    BAD_PARAM(mxb_model_load("m.mxb", NULL, &error), "the place for the model is NULL");
    BAD_IO(mxb_model_load("none/m.mxb", &made, &error), "cannot read \"none/m.mxb\": No such file or directory");
    BAD_IO(mxb_model_load(".", &made, &error), "cannot read \".\": Is a directory");
    BAD_PARAM(mxb_model_from_bytes(NULL, 8, &made, &error), "bytes is NULL");
    BAD_PARAM(mxb_model_from_bytes("12345678", 8, NULL, &error), "the place for the model is NULL");
    BAD_FORMAT(mxb_model_from_bytes("", 0, &made, &error), "the model is not a mixboost model");
    BAD_FORMAT(mxb_model_from_bytes("12345678", 8, &made, &error), "the model is not a mixboost model");
    BAD_FORMAT(mxb_model_from_bytes("\x89MXB\r\n\x1a\n", 8, &made, &error),
               "the model is truncated: 8 bytes of a header of 32");
    BAD_PARAM(mxb_model_save(NULL, "m.mxb", &error), "model is NULL");
    BAD_PARAM(mxb_model_save(model, NULL, &error), "path is NULL");
    BAD_IO(mxb_model_save(model, "none/m.mxb", &error), "cannot write \"none/m.mxb\": No such file or directory");
    BAD_IO(mxb_model_save(model, ".", &error), "cannot write \".\": Is a directory");
    BAD_IO(mxb_model_save(model, "", &error), "cannot write \"\": No such file or directory");
    BAD_PARAM(mxb_model_to_bytes(NULL, &bytes, &n_bytes, &error), "model is NULL");
    BAD_PARAM(mxb_model_to_bytes(model, NULL, &n_bytes, &error), "the place for the bytes is NULL");
    BAD_PARAM(mxb_model_to_bytes(model, &bytes, NULL, &error), "the place for the bytes is NULL");
    BAD_PARAM(mxb_model_to_json(NULL, &json, &n_bytes, &error), "model is NULL");
    BAD_PARAM(mxb_model_to_json(model, NULL, &n_bytes, &error), "the place for the text is NULL");
    BAD_PARAM(mxb_model_predict(NULL, data, MXB_PREDICT_VALUE, 1, out, &error), "model is NULL");
    BAD_PARAM(mxb_model_predict(model, NULL, MXB_PREDICT_VALUE, 1, out, &error), "dataset is NULL");
    BAD_PARAM(mxb_model_predict(model, data, MXB_PREDICT_VALUE, 1, NULL, &error), "out is NULL");
    BAD_PARAM(mxb_model_predict(model, data, (mxb_output)3, 1, out, &error),
              "output is 3; it must be 0, 1 or 2 (value, probability or raw)");
    BAD_PARAM(mxb_model_predict(model, data, MXB_PREDICT_PROBABILITY, 1, out, &error),
              "probabilities need a model of objective logloss; this one is of objective mse");
    BAD_PARAM(mxb_model_predict(model, data, MXB_PREDICT_VALUE, -1, out, &error),
              "n_threads is -1; it must be 0 (all processors) or more");
    BAD_PARAM(mxb_model_predict(model, empty, MXB_PREDICT_VALUE, 1, out, &error),
              "the dataset has 0 features, the model has 2");
    BAD_PARAM(mxb_model_predict_rows(NULL, numbers, 1, 2, MXB_PREDICT_VALUE, out, &error), "model is NULL");
    BAD_PARAM(mxb_model_predict_rows(model, NULL, 1, 2, MXB_PREDICT_VALUE, out, &error), "rows is NULL");
    BAD_PARAM(mxb_model_predict_rows(model, numbers, 0, 2, MXB_PREDICT_VALUE, out, &error),
              "n_rows is 0; it must be at least 1");
    BAD_PARAM(mxb_model_predict_rows(model, numbers, 1, 3, MXB_PREDICT_VALUE, out, &error),
              "a row has 3 values, the model has 2 features");
    BAD_PARAM(mxb_model_predict_rows(model, numbers, 1, 2, (mxb_output)-1, out, &error),
              "output is -1; it must be 0, 1 or 2 (value, probability or raw)");
    BAD_PARAM(mxb_stages_create(NULL, data, 1, &stages, &error), "model is NULL");
    BAD_PARAM(mxb_stages_create(model, NULL, 1, &stages, &error), "dataset is NULL");
    BAD_PARAM(mxb_stages_create(model, data, 1, NULL, &error), "the place for the stages is NULL");
    BAD_PARAM(mxb_stages_create(model, empty, 1, &stages, &error), "the dataset has 0 features, the model has 2");
    BAD_PARAM(mxb_stages_next(NULL, MXB_PREDICT_VALUE, out, &error), "stages is NULL");
    BAD_PARAM(mxb_model_evaluate(NULL, data, 1, out, &error), "model is NULL");
    BAD_PARAM(mxb_model_evaluate(model, NULL, 1, out, &error), "dataset is NULL");
    BAD_DATA(mxb_model_evaluate(model, named, 1, out, &error), "the dataset has no label");
    BAD_PARAM(mxb_model_importance(NULL, MXB_IMPORTANCE_TREE, out, &error), "model is NULL");
    BAD_PARAM(mxb_model_importance(model, MXB_IMPORTANCE_TREE, NULL, &error), "importances is NULL");
    BAD_PARAM(mxb_model_importance(model, (mxb_importance)3, out, &error),
              "part is 3; it must be 0, 1 or 2 (tree, fourier or symmetric)");
}

int main(void) {
    make_all();
    RUN(of_datasets);
    RUN(of_matrices_and_roles);
    RUN(of_rows);
    RUN(of_tables);
    RUN(of_options);
    RUN(of_losses_and_learners);
    RUN(of_trainings);
    RUN(of_values);
    RUN(of_models);
    free_all();
    printf("%d bad calls\n", n_calls);
    return check_report();
}
