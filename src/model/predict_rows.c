/* Step 10 of the data's path, for a few rows of numbers: without a dataset, without threads, and for ordinary sizes
 * without the heap. */
#include <math.h>

#include "model/link.h"
#include "model/scoring.h"

/* Up to NO_HEAP_ROWS rows need no more than the stack, unless one alone does. 1,000 features and as many projections as
 * there are fit. */
enum { STACK_BYTES = 24 << 10, NO_HEAP_ROWS = 32, BLOCK_ROWS = 2 * MXB__CODE_ROWS };

static mxb_status check_rows(const mxb_model *model, const double *rows, size_t n_rows, size_t n_values,
                             mxb_output output, const double *out, mxb_error *error) {
    if (model == NULL || rows == NULL || out == NULL) {
        const char *missing = model == NULL ? "model" : rows == NULL ? "rows" : "out";
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", missing);
    }
    if (n_rows == 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_rows is 0; it must be at least 1");
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

/* How rows are taken: in blocks, or a few at a time and these one by one. */
struct turns {
    int is_by_block;
    size_t at_once;
    struct scoring scoring;
    double *texts; /* [at_once][n_features] a few rows with what is no text missing, where the model has texts */
};

static size_t carve_turns(struct turns *turns, const mxb_model *model, char *base) {
    struct workspace workspace = {.base = base, .used = 0};
    size_t n_texts = model->dictionaries != NULL && !turns->is_by_block ? turns->at_once * model->n_features : 0;
    if (turns->is_by_block) {
        mxb__scoring_carve(&turns->scoring, model, turns->at_once, &workspace);
    } else {
        mxb__scoring_carve_few(&turns->scoring, model, turns->at_once, &workspace);
    }
    turns->texts = mxb__carve(&workspace, n_texts, sizeof *turns->texts);
    return workspace.used;
}

/* The quickest way that needs no heap, or for many rows the quickest; returns the bytes that it needs. */
static size_t choose_turns(struct turns *turns, const mxb_model *model, size_t n_rows) {
    turns->is_by_block = n_rows > MXB__FEW_ROWS;
    turns->at_once = n_rows < BLOCK_ROWS ? n_rows : BLOCK_ROWS;
    size_t n_bytes = carve_turns(turns, model, NULL);
    if (n_bytes <= STACK_BYTES || n_rows > NO_HEAP_ROWS) {
        return n_bytes;
    }
    turns->is_by_block = 0;
    for (;; turns->at_once = (turns->at_once + 1) / 2) {
        n_bytes = carve_turns(turns, model, NULL);
        if (n_bytes <= STACK_BYTES || turns->at_once <= 1) {
            return n_bytes;
        }
    }
}

static void score_turn(struct turns *turns, const struct number_rows *source, size_t first, size_t n, double *scores) {
    const mxb_model *model = source->model;
    const double *rows = source->rows + first * model->n_features;
    if (turns->is_by_block) {
        mxb__score_block(&turns->scoring, read_column, source, first, n, scores);
        return;
    }
    for (size_t i = 0; model->dictionaries != NULL && i < n; i++) {
        for (size_t f = 0; f < model->n_features; f++) {
            read_column(source, f, first + i, 1, turns->texts + i * model->n_features + f);
        }
    }
    mxb__score_few(&turns->scoring, model->dictionaries != NULL ? turns->texts : rows, n, scores);
}

static mxb_status score_rows(const mxb_model *model, const double *rows, size_t n_rows, double *scores,
                             mxb_error *error) {
    _Alignas(64) char on_stack[STACK_BYTES];
    char *on_heap = NULL;
    struct number_rows source = {model, rows};
    struct turns turns;
    size_t n_bytes = choose_turns(&turns, model, n_rows);
    if (n_bytes > sizeof on_stack) {
        MXB_TRY(mxb__alloc(&on_heap, n_bytes, 1, "prediction", error));
    }
    carve_turns(&turns, model, on_heap != NULL ? on_heap : on_stack);
    for (size_t first = 0; first < n_rows; first += turns.at_once) {
        size_t n = n_rows - first < turns.at_once ? n_rows - first : turns.at_once;
        score_turn(&turns, &source, first, n, scores + first);
    }
    mxb__free(on_heap);
    return MXB_OK;
}

mxb_status mxb_model_predict_rows(const mxb_model *model, const double *rows, size_t n_rows, size_t n_values,
                                  mxb_output output, double *out, mxb_error *error) {
    MXB_TRY(check_rows(model, rows, n_rows, n_values, output, out, error));
    MXB_TRY(score_rows(model, rows, n_rows, out, error));
    if (mxb__link_is_own(model, output)) {
        return mxb__link_apply_own(model, NULL, n_rows, out, error);
    }
    mxb__link_apply(model, output, n_rows, out);
    return MXB_OK;
}
