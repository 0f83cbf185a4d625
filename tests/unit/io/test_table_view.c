/* Datasets of a table's columns: which are label, weight and features, and each error's sentence. */
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "data/dataset.h"
#include "io/table.h"

static mxb_table *table_of(const char *text) {
    mxb_table *table;
    mxb_error error;
    if (mxb__table_parse(text, strlen(text), "data.csv", &(struct table_options){0}, &table, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return table;
}

/* The first row as text: features (with names), label after "->", weight after "*". On failure status and sentence. */
static const char *view(const char *text, const char *label, const char *weight, const char *const *features,
                        size_t n_features) {
    static char out[1400];
    mxb_table *table = table_of(text);
    mxb_dataset *dataset;
    mxb_error error;
    size_t used = 0;
    mxb_status status = mxb_dataset_from_table(table, label, weight, features, n_features, &dataset, &error);
    if (status != MXB_OK) {
        CHECK(dataset == NULL);
        snprintf(out, sizeof out, "%d: %s", (int)status, error.message);
        mxb_table_free(table);
        return out;
    }
    CHECK_INT(mxb_dataset_n_rows(dataset), mxb_table_n_rows(table));
    for (size_t j = 0; j < mxb_dataset_n_features(dataset); j++) {
        const char *name = mxb_dataset_feature_name(dataset, j);
        used += (size_t)snprintf(out + used, sizeof out - used, "%s=%g ", name == NULL ? "" : name,
                                 mxb__column_value(&dataset->columns[j], 0));
    }
    if (dataset->label.data != NULL) {
        used += (size_t)snprintf(out + used, sizeof out - used, "-> %g ", mxb__column_value(&dataset->label, 0));
    }
    if (dataset->weight.data != NULL) {
        used += (size_t)snprintf(out + used, sizeof out - used, "* %g ", mxb__column_value(&dataset->weight, 0));
    }
    mxb_dataset_free(dataset);
    mxb_table_free(table);
    return out;
}

static void chooses_label_and_weight(void) {
    static const char text[] = "a,b,c,d\n1,2,3,4\n5,6,7,8\n";
    CHECK_TEXT(view(text, NULL, NULL, NULL, 0), "a=1 b=2 c=3 d=4 ");
    CHECK_TEXT(view(text, "b", NULL, NULL, 0), "a=1 c=3 d=4 -> 2 ");
    CHECK_TEXT(view(text, "b", "d", NULL, 0), "a=1 c=3 -> 2 * 4 ");
    CHECK_TEXT(view(text, "4", "1", NULL, 0), "b=2 c=3 -> 4 * 1 ");
    CHECK_TEXT(view("1,2,3\n4,5,6\n", "3", "1", NULL, 0), "=2 -> 3 * 1 ");
    CHECK_TEXT(view("2,1,x\n10,20,30\n", "1", NULL, NULL, 0), "2=10 x=30 -> 20 "); /* the name wins */
    CHECK_TEXT(view("2,1,x\n10,20,30\n", "3", NULL, NULL, 0), "2=10 1=20 -> 30 ");
}

static void chooses_features_by_name(void) {
    static const char text[] = "a,b,c,d\n1,2,3,4\n5,6,7,8\n";
    static const char *const two[] = {"d", "a"};
    static const char *const bad[] = {"d", "price"};
    static const char *const twice[] = {"d", "d"};
    CHECK_TEXT(view(text, NULL, NULL, two, 2), "d=4 a=1 ");
    CHECK_TEXT(view(text, "b", NULL, two, 2), "d=4 a=1 -> 2 ");
    CHECK_TEXT(view(text, "b", NULL, bad, 2), "2: data.csv has no column \"price\"; its columns are a, b, c, d");
    CHECK_TEXT(view(text, "d", NULL, two, 2), "1: column \"d\" of data.csv cannot be a feature: it is the label");
    CHECK_TEXT(view(text, NULL, "a", two, 2), "1: column \"a\" of data.csv cannot be a feature: it is the weight");
    CHECK_TEXT(view(text, NULL, NULL, twice, 2), "1: features 1 and 2 have the same name \"d\"");
    CHECK_TEXT(view(text, NULL, NULL, two, 0), "1: n_features is 0; features must name at least one column");
}

static void chooses_features_by_position(void) {
    static const char *const names[] = {"d", "a"};
    static const char *const none[] = {NULL, NULL, NULL};
    CHECK_TEXT(view("1,2,3\n", "2", NULL, names, 2), "=1 =3 -> 2 ");
    CHECK_TEXT(view("x,y,z\n1,2,3\n", NULL, NULL, none, 3), "x=1 y=2 z=3 ");
    CHECK_TEXT(view("x,y,z\n1,2,3\n", "x", NULL, none, 2), "y=2 z=3 -> 1 ");
    CHECK_TEXT(view("1,2,3\n", NULL, NULL, names, 2), "2: data.csv has 3 feature columns; 2 are needed");
    CHECK_TEXT(view("1,2,3\n", "1", "2", names, 2), "2: data.csv has 1 feature column; 2 are needed");
    CHECK_TEXT(view("x,y,z\n1,2,3\n", NULL, NULL, none, 1), "2: data.csv has 3 feature columns; 1 is needed");
}

static void explains_missing_columns(void) {
    CHECK_TEXT(view("a,b,c\n1,2,3\n", "y", NULL, NULL, 0), "2: data.csv has no column \"y\"; its columns are a, b, c");
    CHECK_TEXT(view("a,b,c\n1,2,3\n", "a", "w\n", NULL, 0),
               "2: data.csv has no column \"w\\x0a\"; its columns are a, b, c");
    CHECK_TEXT(view("a,b,c\n1,2,3\n", "4", NULL, NULL, 0), "2: data.csv has no column \"4\"; its columns are a, b, c");
    CHECK_TEXT(view("a,b,c\n1,2,3\n", "0", NULL, NULL, 0), "2: data.csv has no column \"0\"; its columns are a, b, c");
    CHECK_TEXT(view("a,b,c\n1,2,3\n", "99999999999999999999999999", NULL, NULL, 0),
               "2: data.csv has no column \"99999999999999999999999999\"; its columns are a, b, c");
    CHECK_TEXT(view("a,b,c\n1,2,3\n", "+1", NULL, NULL, 0),
               "2: data.csv has no column \"+1\"; its columns are a, b, c");
    CHECK_TEXT(view("a,b,c\n1,2,3\n", "", NULL, NULL, 0), "2: data.csv has no column \"\"; its columns are a, b, c");
    CHECK_TEXT(view("1,2,3\n", "y", NULL, NULL, 0),
               "2: data.csv has no column \"y\"; it has no header, so its columns are known as 1 to 3");
}

/* However many and long the names, the list and the sentence stay whole. */
static void bounds_the_list_of_columns(void) {
    enum { COLUMNS = 3000 };
    mxb_error error;
    mxb_dataset *dataset;
    char *text = malloc(COLUMNS * 80);
    size_t used = 0;
    REQUIRE(text != NULL);
    for (int i = 0; i < COLUMNS; i++) {
        used += (size_t)snprintf(text + used, 80, "%sname_%d_with_some_more_text_that_makes_it_rather_long",
                                 i == 0 ? "" : ",", i);
    }
    text[used++] = '\n';
    for (int i = 0; i < COLUMNS; i++) {
        used += (size_t)snprintf(text + used, 80, i == 0 ? "1" : ",1");
    }
    mxb_table *table = table_of(text);
    CHECK_INT(mxb_dataset_from_table(table, "y", NULL, NULL, 0, &dataset, &error), MXB_ERROR_DATA);
    CHECK(strlen(error.message) < 500);
    CHECK_TEXT(error.message + strlen(error.message) - 23, "..., ... (3000 columns)");
    mxb_table_free(table);
    free(text);
}

static void explains_text_and_missing_labels(void) {
    CHECK_TEXT(view("price,y\n1,2\nabc,3\n", NULL, "price", NULL, 0),
               "2: data.csv: line 3, column \"price\": \"abc\" is not a number");
    CHECK_TEXT(view("1,2\n3,\"a b\"\n", "1", "2", NULL, 0), "2: data.csv: line 2, column 2: \"a b\" is not a number");
    CHECK_TEXT(view("price,y\n1,2\n3,\n", "y", NULL, NULL, 0), "2: data.csv: row 2 has no label (column \"y\")");
    CHECK_TEXT(view("price,y\n1,yes\n3,\n", "y", NULL, NULL, 0), "2: data.csv: row 2 has no label (column \"y\")");
    CHECK_TEXT(view("1,2,3\n3,NA,4\n", "3", "2", NULL, 0), "2: data.csv: row 2 has no weight (column 2)");
    static const char *const only[] = {"b"};
    CHECK_TEXT(view("a,b\nxyz,2\n", NULL, NULL, only, 1), "b=2 "); /* text nobody asked for */
}

static void explains_labels_and_weights_out_of_range(void) {
    CHECK_TEXT(view("a,y\n1,2\n3,-inf\n", "y", NULL, NULL, 0),
               "2: data.csv: row 2, column \"y\": the label is -inf; it must be finite");
    CHECK_TEXT(view("a,w\n1,2\n3,inf\n", NULL, "w", NULL, 0),
               "2: data.csv: row 2, column \"w\": the weight is inf; it must be finite and not negative");
    CHECK_TEXT(view("a,w\n1,2\n3,-1e-300\n", NULL, "w", NULL, 0),
               "2: data.csv: row 2, column \"w\": the weight is -1e-300; it must be finite and not negative");
    CHECK_TEXT(view("a,y,w\n1,2,3\n4,,0\n5,inf,0\n", "y", "w", NULL, 0),
               "a=1 -> 2 * 3 "); /* 0: of no row that counts */
}

/* Features and label of text are views of the table's codes and texts. */
static void views_text(void) {
    mxb_table *table = table_of("a,b,y\nred,1,no\n2,2,yes\n,3,no\n");
    mxb_dataset *dataset;
    mxb_error error;
    OK(mxb_dataset_from_table(table, "y", NULL, NULL, 0, &dataset, &error), error);
    CHECK_INT(mxb_dataset_feature_is_text(dataset, 0), 1);
    CHECK_INT(mxb_dataset_feature_is_text(dataset, 1), 0);
    CHECK_TEXT(mxb__column_text(dataset, &dataset->columns[0], 0), "red");
    CHECK_TEXT(mxb__column_text(dataset, &dataset->columns[0], 1), "2");
    CHECK(mxb__column_text(dataset, &dataset->columns[0], 2) == NULL);
    CHECK_TEXT(mxb__column_text(dataset, &dataset->label, 1), "yes");
    mxb_dataset_free(dataset);
    mxb_table_free(table);
}

static void explains_texts_it_cannot_use(void) {
    static const char text[] = "a,b,y\nx,1,2\n1\0002,3,4\n";
    static const char *const forced[] = {"b"};
    mxb_table *table;
    mxb_dataset *dataset;
    mxb_error error;
    OK(mxb__table_parse(text, sizeof text - 1, "data.csv", &(struct table_options){.text_columns = forced, .n_text = 1},
                        &table, &error),
       error);
    FAILS(mxb_dataset_from_table(table, "y", NULL, NULL, 0, &dataset, &error), error, MXB_ERROR_DATA,
          "data.csv: line 3, column \"a\": the text has a zero byte in it");
    FAILS(mxb_dataset_from_table(table, "a", NULL, NULL, 0, &dataset, &error), error, MXB_ERROR_DATA,
          "data.csv: line 3, column \"a\": the text has a zero byte in it");
    FAILS(mxb_dataset_from_table(table, "y", "b", NULL, 0, &dataset, &error), error, MXB_ERROR_DATA,
          "column \"b\" of data.csv is read as text and cannot be the weight");
    mxb_table_free(table);
}

static void explains_impossible_roles(void) {
    CHECK_TEXT(view("a,y\n1,2\n", "y", "2", NULL, 0), "1: label and weight are the same column \"y\" of data.csv");
    CHECK_TEXT(view("1,2\n", "1", "1", NULL, 0), "1: label and weight are the same column 1 of data.csv");
    CHECK_TEXT(view("y\n1\n", "y", NULL, NULL, 0), "2: data.csv has no feature columns: all are label or weight");
    CHECK_TEXT(view("y,w\n1,2\n", "y", "w", NULL, 0), "2: data.csv has no feature columns: all are label or weight");
    mxb_dataset *dataset;
    mxb_error error;
    FAILS(mxb_dataset_from_table(NULL, NULL, NULL, NULL, 0, &dataset, &error), error, MXB_ERROR_PARAM, "table is NULL");
    FAILS(mxb_dataset_from_table(NULL, NULL, NULL, NULL, 0, NULL, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
}

static void survives_every_failing_allocation(void) {
    mxb_table *table = table_of("a,b,c,d,e,f,g,h,i,j,k\nx,2,3,4,5,z,7,8,9,10,11\n");
    mxb_dataset *dataset;
    uint64_t n;
    for (n = 1; n < 1000; n++) {
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb_dataset_from_table(table, "a", "b", NULL, 0, &dataset, NULL);
        mxb__memory_fail_at(0, 0);
        if (status == MXB_OK) {
            break;
        }
        CHECK_INT(status, MXB_ERROR_MEMORY);
        CHECK(dataset == NULL);
    }
    CHECK(n > 10 && n < 1000);
    mxb_dataset_free(dataset);
    mxb_table_free(table);
}

int main(void) {
    RUN(chooses_label_and_weight);
    RUN(chooses_features_by_name);
    RUN(chooses_features_by_position);
    RUN(explains_missing_columns);
    RUN(bounds_the_list_of_columns);
    RUN(explains_text_and_missing_labels);
    RUN(explains_labels_and_weights_out_of_range);
    RUN(views_text);
    RUN(explains_texts_it_cannot_use);
    RUN(explains_impossible_roles);
    RUN(survives_every_failing_allocation);
    return check_report();
}
