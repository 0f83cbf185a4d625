/* Digests of datasets: every single thing that a dataset holds changes it, and nothing of how or where it lies. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "check.h"
#include "mixboost/tune.h"

static mxb_error error;

enum { N = 1300 }; /* more than a block of rows */

/* All of a dataset's arrays: three features, the last of texts, a label and a weight. */
struct content {
    double a[N];
    float b[N];
    int32_t codes[N];
    const char *texts[5];
    const char *names[3];
    double label[N];
    double weight[N];
    int32_t label_codes[N];
    const char *label_texts[2];
    int has_text_label;
    int has_label;
    int has_weight;
};

static void fill(struct content *content) {
    memset(content, 0, sizeof *content);
    for (size_t i = 0; i < N; i++) {
        content->a[i] = i % 17 == 0 ? (double)NAN : (double)i / 8;
        content->b[i] = (float)(i % 5) + 0.25f;
        content->codes[i] = i % 13 == 0 ? -1 : (int32_t)(i % 4);
        content->label[i] = (double)(i % 2);
        content->weight[i] = (double)(i % 3 + 1);
        content->label_codes[i] = (int32_t)(i % 2);
    }
    memcpy(content->texts, (const char *[]){"Rome", "Oslo", "", "K\xC3\xB6ln", "unused"}, sizeof content->texts);
    memcpy(content->names, (const char *[]){"a", "b", "city"}, sizeof content->names);
    content->label_texts[0] = "no";
    content->label_texts[1] = "yes";
    content->has_label = 1;
    content->has_weight = 1;
}

static mxb_dataset *view(const struct content *content) {
    mxb_dataset *dataset = NULL;
    mxb_status status = mxb_dataset_create(N, &dataset, &error);
    status = status != MXB_OK ? status
                              : mxb_dataset_add_column(dataset, content->names[0], content->a, sizeof *content->a,
                                                       MXB_FLOAT64, &error);
    status = status != MXB_OK ? status
                              : mxb_dataset_add_column(dataset, content->names[1], content->b, sizeof *content->b,
                                                       MXB_FLOAT32, &error);
    status = status != MXB_OK
                 ? status
                 : mxb_dataset_add_text_column(dataset, content->names[2], content->codes, sizeof *content->codes,
                                               MXB_INT32, content->texts, 5, &error);
    if (status == MXB_OK && content->has_text_label) {
        status = mxb_dataset_set_text_label(dataset, content->label_codes, sizeof *content->label_codes, MXB_INT32,
                                            content->label_texts, 2, &error);
    } else if (status == MXB_OK && content->has_label) {
        status = mxb_dataset_set_label(dataset, content->label, sizeof *content->label, MXB_FLOAT64, &error);
    }
    if (status == MXB_OK && content->has_weight) {
        status = mxb_dataset_set_weight(dataset, content->weight, sizeof *content->weight, MXB_FLOAT64, &error);
    }
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        abort();
    }
    return dataset;
}

static uint64_t digest_of(const mxb_dataset *dataset) {
    uint64_t digest = 0;
    if (mxb_dataset_digest(dataset, &digest, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return digest;
}

static uint64_t digest(const struct content *content) {
    mxb_dataset *dataset = view(content);
    uint64_t value = digest_of(dataset);
    mxb_dataset_free(dataset);
    return value;
}

static struct content content;

/* One change to what a dataset holds. */
static void change(size_t what, size_t row) {
    switch (what) {
        case 0:
            content.a[row] = isnan(content.a[row]) ? 1 : nextafter(content.a[row], 1e9);
            break;
        case 1:
            content.a[row] = isnan(content.a[row]) ? 0 : (double)NAN;
            break;
        case 2:
            content.b[row] += 0.5f;
            break;
        case 3:
            content.codes[row] = content.codes[row] < 0 ? 0 : (content.codes[row] + 1) % 4;
            break;
        case 4:
            content.codes[row] = content.codes[row] < 0 ? 2 : -1;
            break; /* 2: the empty text */
        case 5:
            content.label[row] = 1 - content.label[row];
            break;
        case 6:
            content.weight[row] *= 2;
            break;
        case 7:
            content.texts[row % 4] = "Bonn";
            break;
        case 8:
            content.names[row % 3] = "z";
            break;
        case 9:
            memset(content.names, 0, sizeof content.names);
            break;
        case 10:
            content.has_label = 0;
            break;
        case 11:
            content.has_weight = 0;
            break;
        case 12:
            content.has_text_label = 1;
            break;
        case 13:
            content.label_texts[row % 2] = "maybe", content.has_text_label = 1;
            break;
        case 14:
            content.label_codes[row] = 1 - content.label_codes[row], content.has_text_label = 1;
            break;
        default:
            content.a[row] = content.a[(row + 1) % N], content.a[(row + 1) % N] = (double)row / 8;
    }
}

/* Every change at several rows, also at the ends and at a block's edge: no two digests are the same. */
static void every_change_is_seen(void) {
    static const size_t rows[] = {0, 1, 2, 17, 1023, 1024, 1025, N - 1};
    enum { N_CHANGES = 16, N_PLACES = 8 };
    uint64_t digests[N_CHANGES * N_PLACES + 1];
    size_t n = 0;
    fill(&content);
    digests[n++] = digest(&content);
    for (size_t what = 0; what < N_CHANGES; what++) {
        int is_one = what >= 9 && what <= 12; /* has no place */
        size_t n_places = is_one ? 1 : what == 7 || what == 8 ? 3 : what == 13 ? 2 : N_PLACES;
        for (size_t k = 0; k < n_places; k++) {
            fill(&content);
            change(what, rows[k]);
            digests[n++] = digest(&content);
        }
    }
    size_t n_equal = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            n_equal += digests[i] == digests[k];
        }
    }
    CHECK_INT(n_equal, 0);
    CHECK(n > 80);
}

/* ---- What does not change it ---- */

/* A row of the same content in another layout: apart, in other types, upside down. */
struct row {
    char odd;
    double b;
    float label;
    uint8_t code;
    int16_t weight;
    double a;
};

static void layout_and_types_are_not_seen(void) {
    static struct row rows[N];
    mxb_dataset *dataset;
    fill(&content);
    for (size_t i = 0; i < N; i++) {
        struct row *row = &rows[N - 1 - i];
        row->a = content.a[i];
        row->b = (double)content.b[i];
        row->label = (float)content.label[i];
        row->weight = (int16_t)content.weight[i];
        row->code = content.codes[i] < 0 ? 255 : (uint8_t)content.codes[i];
    }
    const struct row *first = &rows[N - 1];
    ptrdiff_t step = -(ptrdiff_t)sizeof *rows;
    OK(mxb_dataset_create(N, &dataset, &error), error);
    OK(mxb_dataset_add_column(dataset, "a", &first->a, step, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_column(dataset, "b", &first->b, step, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_text_column(dataset, "city", &first->code, step, MXB_UINT8, content.texts, 5, &error), error);
    OK(mxb_dataset_set_label(dataset, &first->label, step, MXB_FLOAT32, &error), error);
    OK(mxb_dataset_set_weight(dataset, &first->weight, step, MXB_INT16, &error), error);
    CHECK(digest_of(dataset) == digest(&content));
    mxb_dataset_free(dataset);
}

/* Other numbers for the same texts, a text that no row has, and one twice. */
static void numbers_of_texts_are_not_seen(void) {
    fill(&content);
    uint64_t expected = digest(&content);
    memcpy(content.texts, (const char *[]){"K\xC3\xB6ln", "Rome", "Oslo", "Rome", ""}, sizeof content.texts);
    for (size_t i = 0; i < N; i++) {
        static const int32_t now[] = {1, 2, 4, 0};
        int32_t code = content.codes[i];
        content.codes[i] = code < 0 ? 77 : code == 0 && i % 8 == 0 ? 3 : now[code]; /* missing is any that is none */
    }
    CHECK(digest(&content) == expected);
}

static void signs_of_zero_and_kinds_of_nan_are_not_seen(void) {
    fill(&content);
    content.a[3] = 0;
    content.label[4] = 0;
    uint64_t expected = digest(&content);
    content.a[3] = -0.0;
    content.label[4] = -0.0;
    content.a[17] = -content.a[17];
    CHECK(digest(&content) == expected);
}

/* Values that a validity map hides are missing, whatever lies there. */
static void hidden_values_are_missing(void) {
    uint8_t valid[N / 8 + 1];
    fill(&content);
    memset(valid, 0xFF, sizeof valid);
    valid[1] = 0xFB; /* not row 10 */
    mxb_dataset *dataset = view(&content);
    OK(mxb_dataset_set_validity(dataset, 0, valid, 0, &error), error);
    uint64_t hidden = digest_of(dataset);
    mxb_dataset_free(dataset);
    CHECK(hidden != digest(&content));
    content.a[10] = NAN;
    CHECK(hidden == digest(&content));
}

/* Rows that are chosen, and the same ones in arrays of their own. */
static void selections_are_what_they_hold(void) {
    static struct content chosen;
    static size_t rows[N];
    mxb_dataset *selected;
    fill(&content);
    fill(&chosen);
    for (size_t i = 0; i < N; i++) {
        rows[i] = i * 7 % N;
        chosen.a[i] = content.a[rows[i]];
        chosen.b[i] = content.b[rows[i]];
        chosen.codes[i] = content.codes[rows[i]];
        chosen.label[i] = content.label[rows[i]];
        chosen.weight[i] = content.weight[rows[i]];
    }
    mxb_dataset *whole = view(&content);
    OK(mxb_dataset_select(whole, rows, N, &selected, &error), error);
    CHECK(digest_of(selected) == digest(&chosen));
    CHECK(digest_of(selected) != digest_of(whole)); /* the order of rows is seen */
    mxb_dataset_free(selected);
    OK(mxb_dataset_select(whole, rows, N - 1, &selected, &error), error);
    CHECK(digest_of(selected) != digest(&chosen));
    mxb_dataset_free(selected);
    mxb_dataset_free(whole);
}

/* ---- Shapes ---- */

/* A dataset of unnamed columns of the given length, one after the other in an array. */
static uint64_t digest_of_columns(const double *values, size_t n_rows, size_t n_columns) {
    mxb_dataset *dataset = NULL;
    CHECK_INT(mxb_dataset_create(n_rows, &dataset, NULL), MXB_OK);
    for (size_t f = 0; f < n_columns; f++) {
        CHECK_INT(mxb_dataset_add_column(dataset, NULL, values + f * n_rows, sizeof *values, MXB_FLOAT64, NULL),
                  MXB_OK);
    }
    uint64_t value = digest_of(dataset);
    mxb_dataset_free(dataset);
    return value;
}

static void shapes_are_told_apart(void) {
    double values[] = {1, 2, 3, 4}, pair[] = {1, 2}, like_a_pair[] = {1, NAN, 0, 2}; /* as if a column began inside */
    CHECK(digest_of_columns(values, 4, 1) != digest_of_columns(values, 2, 2));
    CHECK(digest_of_columns(values, 2, 2) != digest_of_columns(values, 1, 4));
    CHECK(digest_of_columns(like_a_pair, 4, 1) != digest_of_columns(pair, 1, 2));
}

static void kinds_of_columns_are_told_apart(void) {
    uint64_t digests[4], bits = mxb__crc64("Rome", 4);
    double number, values[] = {1, 2};
    int8_t code = 0;
    const char *const text = "Rome";
    memcpy(&number, &bits, sizeof number); /* what stands for the text */
    REQUIRE(!isnan(number));
    for (size_t k = 0; k < 4; k++) { /* a text, that number, a label, a weight */
        mxb_dataset *dataset;
        OK(mxb_dataset_create(k < 2 ? 1 : 2, &dataset, &error), error);
        OK(k == 0   ? mxb_dataset_add_text_column(dataset, NULL, &code, 1, MXB_INT8, &text, 1, &error)
           : k == 1 ? mxb_dataset_add_column(dataset, NULL, &number, sizeof number, MXB_FLOAT64, &error)
           : k == 2 ? mxb_dataset_set_label(dataset, values, sizeof *values, MXB_FLOAT64, &error)
                    : mxb_dataset_set_weight(dataset, values, sizeof *values, MXB_FLOAT64, &error),
           error);
        digests[k] = digest_of(dataset);
        mxb_dataset_free(dataset);
    }
    CHECK(digests[0] != digests[1]);
    CHECK(digests[2] != digests[3]);
}

static void says_what_is_wrong(void) {
    uint64_t value;
    fill(&content);
    mxb_dataset *dataset = view(&content);
    FAILS(mxb_dataset_digest(NULL, &value, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    FAILS(mxb_dataset_digest(dataset, NULL, &error), error, MXB_ERROR_PARAM, "digest is NULL");
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb_dataset_digest(dataset, &value, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    mxb_dataset_free(dataset);
}

int main(void) {
    RUN(every_change_is_seen);
    RUN(layout_and_types_are_not_seen);
    RUN(numbers_of_texts_are_not_seen);
    RUN(signs_of_zero_and_kinds_of_nan_are_not_seen);
    RUN(hidden_values_are_missing);
    RUN(selections_are_what_they_hold);
    RUN(shapes_are_told_apart);
    RUN(kinds_of_columns_are_told_apart);
    RUN(says_what_is_wrong);
    return check_report();
}
