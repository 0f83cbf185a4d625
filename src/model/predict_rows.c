/* Step 10 of the data's path, for a few rows of numbers: without a dataset, without threads, and for ordinary sizes
 * without the heap. */
#include <math.h>

#include "model/link.h"
#include "model/scoring.h"

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

/* ---- many rows: as of a dataset ---- */

struct number_rows {
    const mxb_model *model;
    const double *rows;
};

/* What is not the number of a text is missing. */
static inline double as_text(const struct dictionary *dictionary, double x) {
    return x >= 0 && x < dictionary->n_texts && x == floor(x) ? x : (double)NAN;
}

static void read_column(const void *source, size_t feature, size_t first, size_t n, double *values) {
    const struct number_rows *from = source;
    const struct dictionary *dictionaries = from->model->dictionaries;
    size_t n_features = from->model->n_features;
    for (size_t i = 0; i < n; i++) {
        values[i] = from->rows[(first + i) * n_features + feature];
    }
    for (size_t i = 0; dictionaries != NULL && dictionaries[feature].is_text && i < n; i++) {
        values[i] = as_text(&dictionaries[feature], values[i]);
    }
}

static mxb_status score_blocks(const mxb_model *model, const double *rows, size_t n_rows, double *scores,
                               mxb_error *error) {
    enum { BLOCK_ROWS = 2 * MXB__CODE_ROWS };
    struct number_rows source = {model, rows};
    struct workspace workspace = {.base = NULL, .used = 0};
    struct scoring scoring;
    char *memory;
    mxb__scoring_carve(&scoring, model, BLOCK_ROWS, &workspace);
    MXB_TRY(mxb__alloc(&memory, workspace.used, 1, "prediction", error));
    workspace = (struct workspace){.base = memory, .used = 0};
    mxb__scoring_carve(&scoring, model, BLOCK_ROWS, &workspace);
    for (size_t first = 0; first < n_rows; first += BLOCK_ROWS) {
        size_t n = n_rows - first < BLOCK_ROWS ? n_rows - first : BLOCK_ROWS;
        mxb__score_block(&scoring, read_column, &source, first, n, scores + first);
    }
    mxb__free(memory);
    return MXB_OK;
}

/* ---- a few rows ---- */

struct few_rows {
    size_t at_once;
    struct scoring scoring;
    double *texts; /* [at_once][n_features] the rows with what is no text missing, where the model has texts */
};

static void carve_few(struct few_rows *few, const mxb_model *model, struct workspace *workspace) {
    size_t n_texts = model->dictionaries != NULL ? few->at_once * model->n_features : 0;
    mxb__scoring_carve_few(&few->scoring, model, few->at_once, workspace);
    few->texts = mxb__carve(workspace, n_texts, sizeof *few->texts);
}

static void score_few(struct few_rows *few, const double *rows, size_t n, double *scores) {
    const mxb_model *model = few->scoring.model;
    const struct number_rows source = {model, rows};
    for (size_t i = 0; model->dictionaries != NULL && i < n; i++) {
        for (size_t f = 0; f < model->n_features; f++) {
            read_column(&source, f, i, 1, few->texts + i * model->n_features + f);
        }
    }
    mxb__score_few(&few->scoring, model->dictionaries != NULL ? few->texts : rows, n, scores);
}

/* As many at once as there is room for on the stack, and one where that is not enough. */
static mxb_status score_in_turn(const mxb_model *model, const double *rows, size_t n_rows, double *scores,
                                mxb_error *error) {
    _Alignas(64) char on_stack[STACK_BYTES];
    char *on_heap = NULL;
    struct few_rows few = {.at_once = 2 * n_rows};
    struct workspace workspace;
    do {
        few.at_once = (few.at_once + 1) / 2;
        workspace = (struct workspace){.base = NULL, .used = 0};
        carve_few(&few, model, &workspace);
    } while (workspace.used > sizeof on_stack && few.at_once > 1);
    if (workspace.used > sizeof on_stack) {
        MXB_TRY(mxb__alloc(&on_heap, workspace.used, 1, "a row", error));
    }
    workspace = (struct workspace){.base = on_heap != NULL ? on_heap : on_stack, .used = 0};
    carve_few(&few, model, &workspace);
    for (size_t first = 0; first < n_rows; first += few.at_once) {
        size_t n = n_rows - first < few.at_once ? n_rows - first : few.at_once;
        score_few(&few, rows + first * model->n_features, n, scores + first);
    }
    mxb__free(on_heap);
    return MXB_OK;
}

mxb_status mxb_model_predict_rows(const mxb_model *model, const double *rows, size_t n_rows, size_t n_values,
                                  mxb_output output, double *out, mxb_error *error) {
    MXB_TRY(check_rows(model, rows, n_values, output, out, error));
    MXB_TRY(n_rows <= MXB__FEW_ROWS ? score_in_turn(model, rows, n_rows, out, error)
                                    : score_blocks(model, rows, n_rows, out, error));
    if (mxb__link_is_own(model, output)) {
        return mxb__link_apply_own(model, NULL, n_rows, out, error);
    }
    mxb__link_apply(model, output, n_rows, out);
    return MXB_OK;
}
