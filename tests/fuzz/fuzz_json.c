/* The JSON of any model is JSON. Bytes that load as a model, as they are or with lengths and checksums put right, are
 * one; any others are taken as names of features, a line each, of a model trained on the spot, and must come back out
 * of its JSON. */
#include "fuzz/json_check.h"
#include "fuzz/must.h"
#include "fuzz/mutate_model.h"
#include "mixboost/mixboost.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_NAMES = 8, MAX_NAME = 300, N_ROWS = 6 };

/* Must be valid; the caller frees it. */
static char *json_of(const mxb_model *model) {
    char *json;
    size_t n;
    MUST(mxb_model_to_json(model, &json, &n, NULL) == MXB_OK);
    MUST(strlen(json) == n && json_is_valid(json, n));
    return json;
}

static int try_model(const uint8_t *data, size_t size) {
    mxb_model *model;
    if (mxb_model_from_bytes(data, size, &model, NULL) != MXB_OK) {
        return 0;
    }
    mxb_bytes_free(json_of(model));
    mxb_model_free(model);
    return 1;
}

/* ---- Names ---- */

/* Reads the JSON string at `*at` back into `name` and moves beyond it. Escapes of single bytes and of U+FFFD are all
 * that a name can need. */
static void read_back(const char **at, char name[3 * MAX_NAME + 1]) {
    size_t n = 0;
    MUST(*(*at)++ == '"');
    while (**at != '"') {
        unsigned code = (unsigned char)*(*at)++;
        if (code == '\\') {
            code = (unsigned char)*(*at)++;
            if (code == 'u') {
                MUST(sscanf(*at, "%4x", &code) == 1 && (code == 0xFFFD || code < 0x80));
                *at += 4;
            } else {
                MUST(code == '"' || code == '\\');
            }
        }
        MUST(n + 3 <= 3 * MAX_NAME);
        if (code == 0xFFFD) {
            memcpy(name + n, "\xEF\xBF\xBD", 3);
            n += 3;
        } else {
            name[n++] = (char)code;
        }
    }
    name[n] = '\0';
    (*at)++;
}

/* The name with every byte that is no part of a character replaced by U+FFFD. */
static void make_readable(const char *name, char readable[3 * MAX_NAME + 1]) {
    size_t n = 0;
    size_t left = strlen(name);
    while (left > 0) {
        size_t length = json_character((const unsigned char *)name, left);
        memcpy(readable + n, length > 0 ? name : "\xEF\xBF\xBD", length > 0 ? length : 3);
        n += length > 0 ? length : 3;
        name += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    readable[n] = '\0';
}

/* Adds a column for each line that is allowed as a name. */
static mxb_dataset *name_columns(const uint8_t *data, size_t size) {
    static const double values[N_ROWS] = {3, 1, 2, 6, 5, 4};
    mxb_dataset *dataset;
    MUST(mxb_dataset_create(N_ROWS, &dataset, NULL) == MXB_OK);
    for (size_t first = 0; first < size && mxb_dataset_n_features(dataset) < MAX_NAMES;) {
        const uint8_t *end = memchr(data + first, '\n', size - first);
        size_t length = end == NULL ? size - first : (size_t)(end - data) - first;
        char name[MAX_NAME + 1];
        mxb_error error = {""};
        size_t kept = length < MAX_NAME ? length : MAX_NAME;
        memcpy(name, data + first, kept);
        name[kept] = '\0';
        mxb_status status = mxb_dataset_add_column(dataset, name, values, sizeof *values, MXB_FLOAT64, &error);
        MUST(status == MXB_OK || (status == MXB_ERROR_PARAM && error.message[0] != '\0'));
        first += length + 1;
    }
    MUST(mxb_dataset_set_label(dataset, values, sizeof *values, MXB_FLOAT64, NULL) == MXB_OK);
    return dataset;
}

static void try_names(const uint8_t *data, size_t size) {
    mxb_dataset *dataset = name_columns(data, size);
    mxb_params *params;
    mxb_model *model;
    MUST(mxb_params_create(&params, NULL) == MXB_OK && mxb_params_set(params, "num_round", "1", NULL) == MXB_OK &&
         mxb_params_set(params, "tree_probability", "1", NULL) == MXB_OK);
    if (mxb_dataset_n_features(dataset) > 0) {
        MUST(mxb_train(dataset, NULL, params, NULL, NULL, &model, NULL) == MXB_OK);
        char *json = json_of(model);
        const char *at = strstr(json, "\"features\": ");
        for (size_t f = 0; f < mxb_dataset_n_features(dataset); f++) {
            char expected[3 * MAX_NAME + 1];
            char found[3 * MAX_NAME + 1];
            at = at == NULL ? NULL : strstr(at, "{\"name\": ");
            MUST(at != NULL);
            at += strlen("{\"name\": ");
            read_back(&at, found);
            make_readable(mxb_dataset_feature_name(dataset, f), expected);
            MUST(strcmp(found, expected) == 0);
        }
        mxb_bytes_free(json);
        mxb_model_free(model);
    }
    mxb_params_free(params);
    mxb_dataset_free(dataset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + 1);
    MUST(copy != NULL);
    memcpy(copy, data, size);
    if (!try_model(data, size) && !(repair(copy, size) && try_model(copy, size))) {
        try_names(data, size);
    }
    free(copy);
    return 0;
}
