/* Any text as options, a line "name=value" each: taken and given back in one form that means the same, or refused with
 * a sentence and no effect. With what comes of it a tiny training runs, and its model must keep the options. */
#include <math.h>
#include <string.h>

#include "fuzz/fuzz_text.h"
#include "fuzz/must.h"
#include "mixboost/mixboost.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXT = 1000, N_ROWS = 12 };

static void set_option(mxb_params *params, const char *name, const char *value) {
    mxb_error error = {""};
    const char *text = mxb_params_get(params, name);
    char *before = text == NULL ? NULL : copy_text(text, strlen(text));
    mxb_status status = mxb_params_set(params, name, value, &error);
    text = mxb_params_get(params, name);
    if (status == MXB_OK) {
        MUST(before != NULL && text != NULL);
        char *kept = copy_text(text, strlen(text));
        MUST(mxb_params_set(params, name, kept, NULL) == MXB_OK);
        MUST(strcmp(mxb_params_get(params, name), kept) == 0);
        free(kept);
    } else {
        MUST(status == MXB_ERROR_PARAM);
        check_sentence(&error);
        MUST(before == NULL ? text == NULL : strcmp(text, before) == 0);
    }
    free(before);
}

static void set_line(mxb_params *params, const char *line, size_t n) {
    const char *equals = memchr(line, '=', n);
    size_t n_name = equals == NULL ? n : (size_t)(equals - line);
    size_t n_value = equals == NULL ? 0 : n - n_name - 1;
    char *name = copy_text(line, n_name < MAX_TEXT ? n_name : MAX_TEXT);
    char *value = copy_text(equals == NULL ? line : equals + 1, n_value < MAX_TEXT ? n_value : MAX_TEXT);
    set_option(params, name, value);
    free(name);
    free(value);
}

/* ---- Training ---- */

/* Also what is to be found: the choice of num_round takes a thousand rounds, and has tests of its own. */
static void limit(mxb_params *params, const char *name, const char *most) {
    const char *text = mxb_params_get(params, name);
    if (strcmp(text, "auto") == 0 || strtod(text, NULL) > strtod(most, NULL)) {
        MUST(mxb_params_set(params, name, most, NULL) == MXB_OK);
    }
}

static void check_model(const mxb_model *model, const mxb_params *params) {
    void *bytes;
    size_t n;
    mxb_model *loaded;
    for (size_t round = 0; round <= mxb_model_n_curve(model); round++) {
        MUST(isfinite(mxb_model_curve(model, round, 0)));
    }
    MUST(mxb_model_to_bytes(model, &bytes, &n, NULL) == MXB_OK);
    MUST(mxb_model_from_bytes(bytes, n, &loaded, NULL) == MXB_OK);
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *name = mxb_option_name(i);
        const char *kept = mxb_model_option(loaded, name);
        const char *given = mxb_params_get(params, name);
        int was_found = strcmp(given, "auto") == 0; /* the training may have found a value */
        MUST(kept == NULL ? strstr(name, "n_threads") != NULL : was_found || strcmp(kept, given) == 0);
    }
    mxb_bytes_free(bytes);
    mxb_model_free(loaded);
}

static void train(mxb_params *params) {
    static const double x[N_ROWS] = {1, 5, 2, 8, 3, 9, 4, 7, 6, 0, NAN, 2};
    static const double y[N_ROWS] = {0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0};
    mxb_dataset *dataset;
    mxb_model *model;
    mxb_error error = {""};
    limit(params, "num_round", "3");
    limit(params, "n_components", "8");
    limit(params, "n_members", "3");
    limit(params, "n_threads", "2");
    limit(params, "tree_n_threads", "2");
    limit(params, "ridge_n_threads", "2");
    limit(params, "kernel_n_threads", "2");
    MUST(mxb_dataset_create(N_ROWS, &dataset, NULL) == MXB_OK);
    MUST(mxb_dataset_add_column(dataset, NULL, x, sizeof *x, MXB_FLOAT64, NULL) == MXB_OK);
    MUST(mxb_dataset_add_column(dataset, NULL, y, sizeof *y, MXB_FLOAT64, NULL) == MXB_OK);
    MUST(mxb_dataset_set_label(dataset, y, sizeof *y, MXB_FLOAT64, NULL) == MXB_OK);
    mxb_status status = mxb_train(dataset, NULL, params, NULL, NULL, &model, &error);
    if (status == MXB_OK) {
        check_model(model, params);
    } else { /* options that contradict each other */
        MUST(status == MXB_ERROR_PARAM && model == NULL);
        check_sentence(&error);
    }
    mxb_model_free(model);
    mxb_dataset_free(dataset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mxb_params *params;
    MUST(mxb_params_create(&params, NULL) == MXB_OK);
    for (size_t first = 0; first < size;) {
        const uint8_t *end = memchr(data + first, '\n', size - first);
        size_t length = end == NULL ? size - first : (size_t)(end - data) - first;
        set_line(params, (const char *)data + first, length);
        first += length + 1;
    }
    train(params);
    mxb_params_free(params);
    return 0;
}
