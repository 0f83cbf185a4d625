/* Step 10 of the data's path, for a few rows of numbers: without a dataset, without threads, and for ordinary sizes
 * without the heap. */
#include <math.h>
#include <string.h>

#include "model/link.h"
#include "model/row_block.h"

/* On the stack; rows or projections that need more go to the heap. 500 features and 1,000 components fit. */
enum { STACK_BYTES = 12 << 10 };

static mxb_status check_rows(const mxb_model *model, const double *rows, size_t n_values, mxb_output output,
                             const double *out, mxb_error *error) {
    if (model == NULL || rows == NULL || out == NULL) {
        const char *missing = model == NULL ? "model" : rows == NULL ? "rows" : "out";
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", missing);
    }
    if (n_values != model->n_features) {
        return mxb__fail(error, MXB_ERROR_PARAM, "a row has %zu values, the model has %u features", n_values,
                         model->n_features);
    }
    if (model->n_own_terms > 0) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "the model has rounds of a caller's learner, which predict datasets only; use "
                         "mxb_model_predict");
    }
    return mxb__link_check(model, output, error);
}

/* The values as trees and scaling take them: what is not the number of a text is missing. */
static void fill_row(const mxb_model *model, const double *values, double *row) {
    memcpy(row, values, model->n_features * sizeof *row);
    for (uint32_t f = 0; model->dictionaries != NULL && f < model->n_features; f++) {
        const struct dictionary *dictionary = &model->dictionaries[f];
        if (dictionary->is_text && !(row[f] >= 0 && row[f] < dictionary->n_texts && row[f] == floor(row[f]))) {
            row[f] = (double)NAN;
        }
    }
}

mxb_status mxb_model_predict_rows(const mxb_model *model, const double *rows, size_t n_rows, size_t n_values,
                                  mxb_output output, double *out, mxb_error *error) {
    _Alignas(64) char on_stack[STACK_BYTES];
    char *on_heap = NULL;
    struct row_block block;
    struct workspace workspace = {.base = NULL, .used = 0};
    MXB_TRY(check_rows(model, rows, n_values, output, out, error));
    uint32_t n_components = mxb__model_n_components(model);
    mxb__block_carve(&block, model, 1, n_components, &workspace);
    if (workspace.used > sizeof on_stack) {
        MXB_TRY(mxb__alloc(&on_heap, workspace.used, 1, "a row", error));
    }
    workspace = (struct workspace){.base = on_heap != NULL ? on_heap : on_stack, .used = 0};
    mxb__block_carve(&block, model, 1, n_components, &workspace);
    for (size_t i = 0; i < n_rows; i++) {
        fill_row(model, rows + i * n_values, block.rows);
        if (n_components > 0) {
            mxb__block_scale(&block, &model->scaling);
        }
        mxb__block_predict(&block, model, out + i);
    }
    mxb__free(on_heap);
    if (mxb__link_is_own(model, output)) {
        return mxb__link_apply_own(model, NULL, n_rows, out, error);
    }
    mxb__link_apply(model, output, n_rows, out);
    return MXB_OK;
}
