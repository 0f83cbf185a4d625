#include "data/labels.h"

#include <stdlib.h>

#include "base/memory.h"
#include "check.h"

static const char OWNER[] = "the training data";
static char *const NUMBERS[2] = {NULL, NULL}; /* no texts */

/* Reads labels `y` and weights `w` (NULL: none) of n rows. */
static mxb_status read_rows(const double *y, const double *w, size_t n, int two_classes, const double *known,
                            struct labels *labels, mxb_error *error) {
    mxb_dataset *dataset;
    mxb_status status = mxb_dataset_create(n, &dataset, error);
    if (status == MXB_OK && y != NULL) {
        status = mxb_dataset_set_label(dataset, y, sizeof *y, MXB_FLOAT64, error);
    }
    if (status == MXB_OK && w != NULL) {
        status = mxb_dataset_set_weight(dataset, w, sizeof *w, MXB_FLOAT64, error);
    }
    if (status == MXB_OK) {
        status = mxb__labels_read(dataset, two_classes, known, NUMBERS, OWNER, labels, error);
    }
    mxb_dataset_free(dataset);
    return status;
}

/* A row of labels and weights that must be refused with this sentence. */
static void refused(const double *y, const double *w, size_t n, int two_classes, const double *known,
                    const char *sentence) {
    struct labels labels;
    mxb_error error;
    FAILS(read_rows(y, w, n, two_classes, known, &labels, &error), error, MXB_ERROR_DATA, sentence);
    CHECK(labels.values == NULL && labels.is_1 == NULL && labels.weights == NULL);
    mxb__labels_clear(&labels); /* harmless */
}

static void numbers(void) {
    double y[] = {1.5, -3, 0, 2};
    double w[] = {1, 0, 0.5, 2};
    struct labels labels;
    mxb_error error;
    OK(read_rows(y, NULL, 4, 0, NULL, &labels, &error), error);
    CHECK_INT(labels.n_rows, 4);
    CHECK_INT(memcmp(labels.values, y, sizeof y), 0);
    CHECK(labels.weights == NULL);
    CHECK(labels.sum == 4);
    mxb__labels_clear(&labels);
    CHECK(labels.values == NULL && labels.n_rows == 0);
    OK(read_rows(y, NULL, 4, 0, NULL, &labels, &error), error);
    CHECK(labels.values == y && labels.own_values == NULL); /* where they lie */
    mxb__labels_clear(&labels);
    char bytes[sizeof y + 1];
    mxb_dataset *dataset;
    OK(mxb_dataset_create(4, &dataset, &error), error);
    for (size_t at = 0; at < 2; at++) { /* one of them is no place for doubles */
        memcpy(bytes + at, y, sizeof y);
        OK(mxb_dataset_set_label(dataset, bytes + at, sizeof *y, MXB_FLOAT64, &error), error);
        OK(mxb__labels_read(dataset, 0, NULL, NUMBERS, OWNER, &labels, &error), error);
        CHECK_INT(memcmp(labels.values, y, sizeof y), 0);
        CHECK_INT((uintptr_t)labels.values % sizeof *y, 0);
        mxb__labels_clear(&labels);
    }
    mxb_dataset_free(dataset);
    OK(read_rows(y, w, 4, 0, NULL, &labels, &error), error);
    CHECK_INT(memcmp(labels.weights, w, sizeof w), 0);
    CHECK(labels.sum == 3.5);
    mxb__labels_clear(&labels);
    double absent[] = {1, NAN, 3}; /* the label of a row that weighs nothing stays with the caller */
    OK(read_rows(absent, (double[]){1, 0, 2}, 3, 0, NULL, &labels, &error), error);
    CHECK(labels.values[0] == 1 && labels.values[1] == 0 && labels.values[2] == 3);
    CHECK(isnan(absent[1]));
    mxb__labels_clear(&labels);
}

static void classes(void) {
    double y[] = {7, -2, -2, 7};
    struct labels labels;
    mxb_error error;
    OK(read_rows(y, NULL, 4, 1, NULL, &labels, &error), error);
    CHECK(labels.classes[0] == -2 && labels.classes[1] == 7);
    CHECK(mxb__label_of(&labels, 0) == 1 && mxb__label_of(&labels, 1) == 0 && mxb__label_of(&labels, 2) == 0 &&
          mxb__label_of(&labels, 3) == 1);
    mxb__labels_clear(&labels);
    double zeros[] = {-0.0, 0.0, 1, -0.0}; /* one zero, whichever comes first */
    OK(read_rows(zeros, NULL, 4, 1, NULL, &labels, &error), error);
    CHECK(labels.classes[0] == 0 && !signbit(labels.classes[0]) && labels.classes[1] == 1);
    CHECK(mxb__label_of(&labels, 0) == 0 && mxb__label_of(&labels, 1) == 0 && mxb__label_of(&labels, 2) == 1);
    mxb__labels_clear(&labels);
}

/* Rows of weight 0 are as if they were absent. */
static void rows_of_no_weight_have_no_class(void) {
    double y[] = {5, 0, 9, 1, 5};
    double w[] = {0, 1, 0, 2, 0};
    struct labels labels;
    mxb_error error;
    OK(read_rows(y, w, 5, 1, NULL, &labels, &error), error);
    CHECK(labels.classes[0] == 0 && labels.classes[1] == 1 && labels.sum == 3);
    CHECK(mxb__label_of(&labels, 1) == 0 && mxb__label_of(&labels, 3) == 1);
    mxb__labels_clear(&labels);
    double weightless[] = {1, 0, 0, 1, 0};
    refused(y, weightless, 2, 1, NULL, "all labels of the training data are 5; logloss needs two different values");
}

static void known_classes(void) {
    double known[] = {-1, 3};
    double y[] = {3, 3, -1};
    double w[] = {1, 1, 0};
    struct labels labels;
    mxb_error error;
    OK(read_rows(y, NULL, 3, 1, known, &labels, &error), error);
    CHECK(labels.classes[0] == -1 && labels.classes[1] == 3);
    CHECK(mxb__label_of(&labels, 0) == 1 && mxb__label_of(&labels, 2) == 0);
    mxb__labels_clear(&labels);
    OK(read_rows(y, NULL, 2, 1, known, &labels, &error), error); /* one of the two is enough */
    CHECK(mxb__label_of(&labels, 0) == 1 && mxb__label_of(&labels, 1) == 1);
    mxb__labels_clear(&labels);
    double other[] = {3, 3, 4};
    refused(other, NULL, 3, 1, known, "the label of row 3 of the training data is 4; the training labels are -1 and 3");
    OK(read_rows(other, w, 3, 1, known, &labels, &error), error); /* row 3 weighs nothing */
    mxb__labels_clear(&labels);
    other[2] = NAN; /* nor does it matter what its label is */
    OK(read_rows(other, w, 3, 1, known, &labels, &error), error);
    mxb__labels_clear(&labels);
}

/* Labels are read in blocks: what is rare is found wherever it is. */
static void many_rows(void) {
    enum { N = 3000 };
    static const size_t places[] = {0, 1023, 1024, 2047, 2048, N - 1};
    static double y[N], w[N];
    struct labels labels;
    mxb_error error;
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        char sentence[200];
        for (size_t i = 0; i < N; i++) {
            y[i] = 5;
            w[i] = 1;
        }
        refused(y, NULL, N, 1, NULL, "all labels of the training data are 5; logloss needs two different values");
        y[places[p]] = 3;
        OK(read_rows(y, NULL, N, 1, NULL, &labels, &error), error);
        CHECK(labels.classes[0] == 3 && labels.classes[1] == 5 && labels.sum == N && labels.values == NULL);
        for (size_t i = 0; i < N; i++) {
            CHECK_INT(labels.is_1[i], y[i] == 5);
        }
        mxb__labels_clear(&labels);
        y[500] = 4;
        snprintf(sentence, sizeof sentence,
                 "the labels of the training data have more than two values (%s, ...); logloss needs exactly two",
                 places[p] < 500 ? "3, 5, 4" : "5, 4, 3");
        refused(y, NULL, N, 1, NULL, sentence);
        w[500] = 0;
        OK(read_rows(y, w, N, 1, NULL, &labels, &error), error);
        CHECK(labels.classes[0] == 3 && labels.classes[1] == 5 && labels.sum == N - 1);
        mxb__labels_clear(&labels);
        y[places[p]] = NAN;
        snprintf(sentence, sizeof sentence,
                 "the label of row %zu of the training data is nan; labels must be finite numbers", places[p] + 1);
        refused(y, NULL, N, 1, NULL, sentence);
        refused(y, w, N, 0, NULL, sentence);
    }
}

static void label_sentences(void) {
    double y[] = {1, 2, NAN, 4};
    refused(NULL, NULL, 4, 0, NULL, "the training data has no label");
    refused(y, NULL, 4, 0, NULL, "the label of row 3 of the training data is nan; labels must be finite numbers");
    y[2] = INFINITY;
    refused(y, NULL, 4, 0, NULL, "the label of row 3 of the training data is inf; labels must be finite numbers");
    y[2] = -INFINITY;
    refused(y, NULL, 4, 1, NULL, "the label of row 3 of the training data is -inf; labels must be finite numbers");
    y[2] = -1.5e300;
    refused(y, NULL, 4, 0, NULL,
            "the label of row 3 of the training data is -1.5e300; labels, also times their weights, must not exceed "
            "1e300");
    y[2] = 3;
    refused(y, NULL, 4, 1, NULL,
            "the labels of the training data have more than two values (1, 2, 3, ...); logloss needs exactly two");
    double same[] = {0.1, 0.1};
    refused(same, NULL, 2, 1, NULL, "all labels of the training data are 0.1; logloss needs two different values");
    double large[] = {0, 1e200};
    double heavy[] = {1, 1e101};
    refused(large, heavy, 2, 0, NULL,
            "the label of row 2 of the training data is 1e200; labels, also times their weights, must not exceed "
            "1e300");
    double overflow[] = {1, 1e250};
    refused(large, overflow, 2, 0, NULL,
            "the label of row 2 of the training data is 1e200; labels, also times their weights, must not exceed "
            "1e300");
}

static void weight_sentences(void) {
    double y[] = {1, 0, 1};
    double w[] = {1, -0.5, 1};
    refused(y, w, 3, 0, NULL,
            "the weight of row 2 of the training data is -0.5; weights must be finite and not negative");
    w[1] = NAN;
    refused(y, w, 3, 0, NULL,
            "the weight of row 2 of the training data is nan; weights must be finite and not negative");
    w[1] = INFINITY;
    refused(y, w, 3, 0, NULL,
            "the weight of row 2 of the training data is inf; weights must be finite and not negative");
    double zero[] = {0, -0.0, 0};
    refused(y, zero, 3, 0, NULL, "all weights of the training data are zero; at least one row must count");
    double tiny[] = {1e-300, 0, 1e-300};
    refused(y, tiny, 3, 0, NULL,
            "the weights of the training data sum to 2e-300; the sum must be between 1e-290 and 1e290");
    double huge[] = {1e290, 0, 1e290};
    refused(y, huge, 3, 0, NULL,
            "the weights of the training data sum to 2e290; the sum must be between 1e-290 and 1e290");
    double endless[] = {1e308, 1e308, 1e308};
    refused(y, endless, 3, 0, NULL,
            "the weights of the training data sum to inf; the sum must be between 1e-290 and 1e290");
}

static void limits_are_allowed(void) {
    double y[] = {1e300, -1e300, 0};
    double w[] = {1e-290, 0, 0};
    struct labels labels;
    mxb_error error;
    OK(read_rows(y, NULL, 3, 0, NULL, &labels, &error), error);
    mxb__labels_clear(&labels);
    OK(read_rows(y, w, 3, 0, NULL, &labels, &error), error);
    mxb__labels_clear(&labels);
    double small[] = {1, 0, 1e10};
    double heavy[] = {1, 0, 1e290};
    OK(read_rows(small, heavy, 3, 0, NULL, &labels, &error), error);
    mxb__labels_clear(&labels);
}

static const char *const TEXTS[] = {"yes", "17", "maybe", "yes", "no"};

/* The same for labels that are texts: `codes` into TEXTS. */
static mxb_status read_texts(const int8_t *codes, const double *w, size_t n, int two_classes, char *const *known,
                             struct labels *labels, mxb_error *error) {
    static const double values[] = {0, 1};
    mxb_dataset *dataset;
    mxb_status status = mxb_dataset_create(n, &dataset, error);
    if (status == MXB_OK) {
        status = mxb_dataset_set_text_label(dataset, codes, 1, MXB_INT8, TEXTS, 5, error);
    }
    if (status == MXB_OK && w != NULL) {
        status = mxb_dataset_set_weight(dataset, w, sizeof *w, MXB_FLOAT64, error);
    }
    if (status == MXB_OK) {
        status =
            mxb__labels_read(dataset, two_classes, known != NULL ? values : NULL, known, "the data", labels, error);
    }
    mxb_dataset_free(dataset);
    return status;
}

static void text_classes(void) {
    int8_t codes[] = {0, 4, 3, 4, 2};
    double w[] = {1, 1, 1, 1, 0};
    struct labels labels;
    mxb_error error;
    OK(read_texts(codes, NULL, 4, 1, NULL, &labels, &error), error);
    CHECK_TEXT(labels.class_texts[0], "no");
    CHECK_TEXT(labels.class_texts[1], "yes");
    CHECK(labels.classes[0] == 0 && labels.classes[1] == 1);
    CHECK(mxb__label_of(&labels, 0) == 1 && mxb__label_of(&labels, 1) == 0 && mxb__label_of(&labels, 2) == 1 &&
          mxb__label_of(&labels, 3) == 0);
    mxb__labels_clear(&labels);
    OK(read_texts(codes, w, 5, 1, NULL, &labels, &error), error); /* "maybe" weighs nothing */
    CHECK(labels.classes[0] == 0 && labels.classes[1] == 1 && mxb__label_of(&labels, 0) == 1 &&
          mxb__label_of(&labels, 1) == 0);
    CHECK_TEXT(labels.class_texts[0], "no");
    mxb__labels_clear(&labels);
    codes[4] = -1;
    OK(read_texts(codes, w, 5, 1, NULL, &labels, &error), error); /* nor does a missing one */
    CHECK(mxb__label_of(&labels, 4) == 0);
    mxb__labels_clear(&labels);
}

static void known_text_classes(void) {
    char no[] = "no", yes[] = "yes", absent[] = "absent";
    char *const known[] = {no, yes};
    char *const unmet[] = {absent, yes};
    int8_t codes[] = {4, 3, 0, 2};
    struct labels labels;
    mxb_error error;
    OK(read_texts(codes, NULL, 3, 1, known, &labels, &error), error);
    CHECK(mxb__label_of(&labels, 0) == 0 && mxb__label_of(&labels, 1) == 1 && mxb__label_of(&labels, 2) == 1);
    CHECK(labels.classes[0] == 0 && labels.classes[1] == 1);
    mxb__labels_clear(&labels);
    OK(read_texts(codes + 1, NULL, 2, 1, unmet, &labels, &error), error);
    CHECK(mxb__label_of(&labels, 0) == 1 && mxb__label_of(&labels, 1) == 1);
    mxb__labels_clear(&labels);
    FAILS(read_texts(codes, NULL, 4, 1, known, &labels, &error), error, MXB_ERROR_DATA,
          "the label of row 4 of the data is \"maybe\"; the training labels are \"no\" and \"yes\"");
    FAILS(read_texts(codes, NULL, 3, 1, NUMBERS, &labels, &error), error, MXB_ERROR_DATA,
          "the labels of the data are texts, the training labels are numbers");
    mxb_dataset *dataset;
    double y[] = {0, 1};
    OK(mxb_dataset_create(2, &dataset, &error), error);
    CHECK_INT(mxb_dataset_set_text_label(dataset, codes, 1, MXB_INT8, TEXTS, 5, &error), MXB_OK);
    CHECK_INT(mxb_dataset_set_label(dataset, y, sizeof *y, MXB_FLOAT64, &error), MXB_OK); /* the last one counts */
    FAILS(mxb__labels_read(dataset, 1, y, known, "the data", &labels, &error), error, MXB_ERROR_DATA,
          "the labels of the data are numbers, the training labels are texts");
    mxb_dataset_free(dataset);
}

static void shows_labels(void) {
    double y[] = {7, -2, 7};
    int8_t codes[] = {0, 4};
    char out[MXB__LABEL_SIZE];
    struct labels labels;
    mxb_error error;
    OK(read_rows(y, NULL, 3, 0, NULL, &labels, &error), error);
    CHECK_TEXT(mxb__labels_show(&labels, 7, out), "7");
    mxb__labels_clear(&labels);
    OK(read_rows(y, NULL, 3, 1, NULL, &labels, &error), error);
    CHECK_TEXT(mxb__labels_show(&labels, mxb__label_of(&labels, 0), out), "7");
    CHECK_TEXT(mxb__labels_show(&labels, mxb__label_of(&labels, 1), out), "-2");
    mxb__labels_clear(&labels);
    OK(read_texts(codes, NULL, 2, 1, NULL, &labels, &error), error);
    CHECK_TEXT(mxb__labels_show(&labels, mxb__label_of(&labels, 0), out), "\"yes\"");
    CHECK_TEXT(mxb__labels_show(&labels, mxb__label_of(&labels, 1), out), "\"no\"");
    mxb__labels_clear(&labels);
}

static void text_sentences(void) {
    int8_t codes[] = {1, 4, 0, -1};
    struct labels labels;
    mxb_error error;
    FAILS(read_texts(codes, NULL, 3, 0, NULL, &labels, &error), error, MXB_ERROR_DATA,
          "the label of row 2 of the data is the text \"no\"; labels must be numbers");
    FAILS(read_texts(codes, NULL, 1, 0, NULL, &labels, &error), error, MXB_ERROR_DATA,
          "the label of row 1 of the data is the text \"17\"; labels must be numbers");
    FAILS(read_texts(codes, NULL, 3, 1, NULL, &labels, &error), error, MXB_ERROR_DATA,
          "the labels of the data have more than two values (\"17\", \"no\", \"yes\", ...); logloss needs exactly two");
    FAILS(read_texts(codes, NULL, 1, 1, NULL, &labels, &error), error, MXB_ERROR_DATA,
          "all labels of the data are \"17\"; logloss needs two different values");
    FAILS(read_texts(codes + 1, NULL, 3, 1, NULL, &labels, &error), error, MXB_ERROR_DATA,
          "the label of row 3 of the data is missing");
    CHECK(labels.values == NULL && labels.is_1 == NULL && labels.weights == NULL);
}

static void weights_alone(void) {
    double *weights;
    mxb_error error;
    mxb_dataset *dataset;
    int8_t w[] = {3, 0, 1};
    OK(mxb_dataset_create(3, &dataset, &error), error);
    CHECK_INT(mxb__weights_read(dataset, OWNER, &weights, &error), MXB_OK);
    CHECK(weights == NULL);
    CHECK_INT(mxb_dataset_set_weight(dataset, w, 1, MXB_INT8, &error), MXB_OK);
    CHECK_INT(mxb__weights_read(dataset, OWNER, &weights, &error), MXB_OK);
    CHECK(weights != NULL && weights[0] == 3 && weights[1] == 0 && weights[2] == 1);
    mxb__free(weights);
    w[2] = -1;
    FAILS(mxb__weights_read(dataset, OWNER, &weights, &error), error, MXB_ERROR_DATA,
          "the weight of row 3 of the training data is -1; weights must be finite and not negative");
    CHECK(weights == NULL);
    mxb_dataset_free(dataset);
}

static void failing_allocations(void) {
    double y[] = {1, 0, 1};
    double w[] = {1, 2, 3};
    struct labels labels;
    mxb_dataset *dataset;
    mxb_error error;
    OK(mxb_dataset_create(3, &dataset, &error), error);
    CHECK_INT(mxb_dataset_set_label(dataset, y, sizeof *y, MXB_FLOAT64, &error), MXB_OK);
    CHECK_INT(mxb_dataset_set_weight(dataset, w, sizeof *w, MXB_FLOAT64, &error), MXB_OK);
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY && n < 100) {
        mxb__memory_fail_at(++n, 0);
        status = mxb__labels_read(dataset, 1, NULL, NULL, OWNER, &labels, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || (labels.values == NULL && labels.is_1 == NULL && labels.weights == NULL));
    }
    CHECK_INT(status, MXB_OK);
    CHECK_INT(n, 3);
    mxb__labels_clear(&labels);
    mxb_dataset_free(dataset);
}

int main(void) {
    RUN(numbers);
    RUN(classes);
    RUN(rows_of_no_weight_have_no_class);
    RUN(known_classes);
    RUN(many_rows);
    RUN(label_sentences);
    RUN(weight_sentences);
    RUN(limits_are_allowed);
    RUN(text_classes);
    RUN(known_text_classes);
    RUN(shows_labels);
    RUN(text_sentences);
    RUN(weights_alone);
    RUN(failing_allocations);
    return check_report();
}
