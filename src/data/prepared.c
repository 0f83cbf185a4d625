/* Prepares a training set: drops rows of weight 0, checks labels, numbers texts, finds bins and scaling feature by
 * feature, and writes the bin codes: for histograms as bytes in both layouts, for exact trees by column with the order
 * of the rows. Knows nothing of gradients. */
#include "data/prepared.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "data/text_coding.h"
#include "kernels/kernels.h"

enum { RECORD_ALIGNMENT = 32, TRANSPOSE_ROWS = 1024 };

/* A view of the rows that weigh anything. */
static mxb_status select_rows(const mxb_dataset *dataset, mxb_dataset **view, mxb_error *error) {
    double *weights;
    size_t *rows;
    MXB_TRY(mxb__weights_read(dataset, "the training data", &weights, error));
    mxb_status status = mxb__alloc(&rows, dataset->n_rows, sizeof *rows, "row numbers", error);
    if (status == MXB_OK) {
        size_t n_rows = 0;
        for (size_t i = 0; i < dataset->n_rows; i++) {
            if (weights == NULL || weights[i] > 0.0) {
                rows[n_rows++] = i;
            }
        }
        status = mxb_dataset_select(dataset, rows, n_rows, view, error);
    }
    mxb__free(rows);
    mxb__free(weights);
    return status;
}

/* One feature at a time and thread: values, their distinct ones, then cuts, scaling and codes. */
struct feature_task {
    mxb_prepared *prepared;
    const struct kernels *kernels;
    size_t n_knots; /* room a feature has */
    char *scratch;  /* [thread][scratch_bytes] */
    size_t scratch_bytes;
};

static double *carve_scratch(struct workspace *workspace, const mxb_prepared *prepared,
                             struct distinct_scratch *scratch) {
    size_t n = prepared->n_rows;
    int with_rows = prepared->labels.weights != NULL || prepared->settings.exact;
    double *values = mxb__carve(workspace, n, sizeof *values);
    scratch->keys = mxb__carve(workspace, n, sizeof *scratch->keys);
    scratch->spare_keys = mxb__carve(workspace, n, sizeof *scratch->spare_keys);
    scratch->weights = mxb__carve(workspace, n, sizeof *scratch->weights);
    scratch->rows = with_rows ? mxb__carve(workspace, n, sizeof *scratch->rows) : NULL;
    scratch->spare_rows = with_rows ? mxb__carve(workspace, n, sizeof *scratch->spare_rows) : NULL;
    return values;
}

/* At most 255 bins, their cuts, and a byte a row. */
static void write_bins(const struct feature_task *task, size_t feature, const double *values,
                       const struct distinct *distinct) {
    mxb_prepared *prepared = task->prepared;
    size_t n = prepared->n_rows;
    double *cuts = prepared->cuts + feature * MXB__MAX_CUTS;
    struct feature_bins *bins = &prepared->bins[feature];
    bins->cuts = cuts;
    bins->n_cuts = mxb__bins_find_cuts(distinct, prepared->settings.hist_nbins, cuts);
    task->kernels->encode(values, n, cuts, bins->n_cuts, (uint8_t)mxb__missing_code(bins),
                          prepared->columns + feature * n);
}

/* A bin for every distinct value. Its cuts are not written down: with as many as rows they would take as much room
 * as codes and order together, and a tree asks for few. */
static void write_order(mxb_prepared *prepared, size_t feature, const double *values, const struct distinct *distinct,
                        const struct distinct_scratch *scratch) {
    size_t n = prepared->n_rows;
    struct feature_bins *bins = &prepared->bins[feature];
    bins->cuts = NULL;
    bins->n_cuts = distinct->n > 0 ? (uint32_t)(distinct->n - 1) : 0;
    uint32_t *order = prepared->order + feature * n;
    uint32_t *codes = prepared->codes + feature * n;
    size_t n_missing = 0;
    for (size_t i = n; i > 0; i--) {
        if (isnan(values[i - 1])) {
            order[n - ++n_missing] = (uint32_t)(i - 1);
            codes[i - 1] = mxb__missing_code(bins);
        }
    }
    uint32_t code = 0;
    for (size_t i = 0; i < n - n_missing; i++) {
        code += i > 0 && scratch->keys[i] != scratch->keys[i - 1];
        order[i] = scratch->rows[i];
        codes[order[i]] = code;
    }
}

static void prepare_feature(void *context, size_t feature, size_t thread) {
    struct feature_task *task = context;
    mxb_prepared *prepared = task->prepared;
    size_t n = prepared->n_rows;
    struct distinct_scratch scratch;
    struct workspace workspace = {task->scratch + thread * task->scratch_bytes, 0};
    double *values = carve_scratch(&workspace, prepared, &scratch);

    mxb__column_read(prepared->view, &prepared->view->columns[feature], 0, n, values);
    struct distinct distinct = mxb__distinct_find(values, prepared->labels.weights, n, &scratch);

    if (prepared->settings.exact) {
        write_order(prepared, feature, values, &distinct, &scratch);
    } else {
        write_bins(task, feature, values, &distinct);
    }
    mxb__scaling_fit(prepared->settings.scaling, &distinct, prepared->knots + feature * task->n_knots,
                     prepared->knot_scores + feature * task->n_knots, &prepared->scaling.features[feature]);
}

static void write_records(void *context, size_t block, size_t thread) {
    mxb_prepared *prepared = context;
    (void)thread;
    size_t first = block * TRANSPOSE_ROWS;
    size_t n = mxb__block_length(prepared->n_rows, TRANSPOSE_ROWS, block);
    uint8_t *records = prepared->records + first * prepared->record_bytes;
    memset(records, 0, n * prepared->record_bytes);
    for (size_t f = 0; f < prepared->n_features; f++) {
        const uint8_t *column = prepared->columns + f * prepared->n_rows + first;
        for (size_t i = 0; i < n; i++) {
            records[i * prepared->record_bytes + f] = column[i];
        }
    }
}

static mxb_status allocate(mxb_prepared *prepared, size_t n_knots, mxb_error *error) {
    size_t n = prepared->n_rows;
    size_t d = prepared->n_features;
    prepared->scaling.kind = prepared->settings.scaling;
    prepared->scaling.n_features = prepared->n_features;
    MXB_TRY(mxb__alloc(&prepared->bins, d, sizeof *prepared->bins, "bins", error));
    if (prepared->settings.exact) {
        MXB_TRY(mxb__alloc(&prepared->codes, d, n * sizeof *prepared->codes, "codes of values", error));
        MXB_TRY(mxb__alloc(&prepared->order, d, n * sizeof *prepared->order, "the order of rows", error));
    } else {
        prepared->record_bytes = mxb__n_blocks(d, RECORD_ALIGNMENT) * RECORD_ALIGNMENT;
        MXB_TRY(mxb__alloc(&prepared->cuts, d, MXB__MAX_CUTS * sizeof *prepared->cuts, "bin edges", error));
        MXB_TRY(mxb__alloc(&prepared->columns, d, n, "bin codes", error));
        MXB_TRY(mxb__alloc(&prepared->records, n, prepared->record_bytes, "bin codes", error));
    }
    MXB_TRY(mxb__alloc(&prepared->knots, d, n_knots * sizeof *prepared->knots, "scaling tables", error));
    MXB_TRY(mxb__alloc(&prepared->knot_scores, d, n_knots * sizeof *prepared->knot_scores, "scaling tables", error));
    return mxb__alloc(&prepared->scaling.features, d, sizeof *prepared->scaling.features, "scaling tables", error);
}

static mxb_status prepare_features(mxb_prepared *prepared, struct pool *pool, mxb_error *error) {
    size_t n = prepared->n_rows;
    size_t d = prepared->n_features;
    struct feature_task task = {.prepared = prepared, .kernels = mxb__kernels()};
    task.n_knots = prepared->settings.scaling != SCALING_RANK ? 1 : n < MXB__MAX_KNOTS ? n : MXB__MAX_KNOTS;
    MXB_TRY(allocate(prepared, task.n_knots, error));

    struct distinct_scratch unused;
    struct workspace measure = {NULL, 0};
    carve_scratch(&measure, prepared, &unused);
    task.scratch_bytes = measure.used;
    MXB_TRY(mxb__alloc(&task.scratch, mxb__pool_n_threads(pool), task.scratch_bytes, "sorting columns", error));
    mxb__pool_run(pool, d, (double)n * (double)d * 30.0, prepare_feature, &task);
    mxb__free(task.scratch);
    if (!prepared->settings.exact) {
        mxb__pool_run(pool, mxb__n_blocks(n, TRANSPOSE_ROWS), (double)n * (double)d, write_records, prepared);
    }
    return MXB_OK;
}

mxb_status mxb__prepared_create(const mxb_dataset *dataset, const struct prepare_settings *settings, struct pool *pool,
                                mxb_prepared **prepared, mxb_error *error) {
    *prepared = NULL;
    if (dataset->n_columns == 0) {
        return mxb__fail(error, MXB_ERROR_DATA, "the training data has no feature columns");
    }
    mxb_prepared *made;
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "prepared data", error));
    made->settings = *settings;
    made->n_features = (uint32_t)dataset->n_columns;
    /* All rows first, so that messages number them as the caller does. */
    mxb_status status =
        mxb__labels_read(dataset, settings->two_classes, NULL, NULL, "the training data", &made->labels, error);
    mxb__labels_clear(&made->labels);
    if (status == MXB_OK) {
        status = select_rows(dataset, &made->view, error);
    }
    if (status == MXB_OK) {
        made->n_rows = made->view->n_rows;
        status =
            mxb__labels_read(made->view, settings->two_classes, NULL, NULL, "the training data", &made->labels, error);
    }
    if (status == MXB_OK) {
        status = mxb__texts_learn(made->view, &made->dictionaries, error);
    }
    if (status == MXB_OK) {
        status = prepare_features(made, pool, error);
    }
    if (status != MXB_OK) {
        mxb_prepared_free(made);
        return status;
    }
    *prepared = made;
    return MXB_OK;
}

void mxb_prepared_free(mxb_prepared *prepared) {
    if (prepared == NULL) {
        return;
    }
    mxb_dataset_free(prepared->view);
    mxb__labels_clear(&prepared->labels);
    mxb__dictionaries_free(prepared->dictionaries, prepared->n_features);
    mxb__free(prepared->bins);
    mxb__free(prepared->cuts);
    mxb__free(prepared->columns);
    mxb__free(prepared->records);
    mxb__free(prepared->codes);
    mxb__free(prepared->order);
    mxb__free(prepared->knots);
    mxb__free(prepared->knot_scores);
    mxb__free(prepared->scaling.features);
    mxb__free(prepared);
}

/* ---- thresholds ---- */

uint32_t mxb__order_find_above(const uint32_t *order, const uint32_t *codes, uint32_t begin, uint32_t end,
                               uint32_t code) {
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (codes[order[middle]] <= code) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

static double value_of_row(const mxb_prepared *prepared, uint32_t feature, uint32_t row) {
    double value;
    mxb__column_read(prepared->view, &prepared->view->columns[feature], row, 1, &value);
    return value + 0.0; /* -0 becomes 0 */
}

double mxb__prepared_threshold(const mxb_prepared *prepared, uint32_t feature, uint32_t bin) {
    const struct feature_bins *bins = &prepared->bins[feature];
    if (bin >= bins->n_cuts) {
        return HUGE_VAL;
    }
    if (!prepared->settings.exact) {
        return bins->cuts[bin];
    }
    size_t n = prepared->n_rows;
    const uint32_t *order = prepared->order + feature * n;
    uint32_t next = mxb__order_find_above(order, prepared->codes + feature * n, 0, (uint32_t)n, bin);
    return mxb__bins_cut(value_of_row(prepared, feature, order[next - 1]),
                         value_of_row(prepared, feature, order[next]));
}
