/* Prepares a training set: drops rows of weight 0, checks labels, numbers texts, has bins and scaling found and codes
 * written: for histograms as bytes in both layouts, for exact trees by column with the order of the rows. Knows nothing
 * of gradients. */
#include "data/prepared.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "data/bin_codes.h"
#include "data/edges.h"
#include "data/row_keys.h"
#include "data/text_coding.h"

/* From so many on rows have no keys. */
enum { MANY_ROWS = 500 };

/* Whether some rows weigh nothing. */
static int has_idle_rows(const struct labels *labels) {
    size_t row = 0;
    while (labels->weights != NULL && row < labels->n_rows && labels->weights[row] > 0.0) {
        row++;
    }
    return labels->weights != NULL && row < labels->n_rows;
}

/* A view of the rows that weigh anything. */
static mxb_status select_rows(const mxb_dataset *dataset, const double *weights, mxb_dataset **view, mxb_error *error) {
    size_t *rows;
    MXB_TRY(mxb__alloc(&rows, dataset->n_rows, sizeof *rows, "row numbers", error));
    size_t n_rows = 0;
    for (size_t i = 0; i < dataset->n_rows; i++) {
        if (weights[i] > 0.0) {
            rows[n_rows++] = i;
        }
    }
    mxb_status status = mxb_dataset_select(dataset, rows, n_rows, view, error);
    mxb__free(rows);
    return status;
}

/* All rows are read first, so that messages number them as the caller does. */
mxb_status mxb__training_rows(const mxb_dataset *dataset, int two_classes, mxb_dataset **view, struct labels *labels,
                              mxb_error *error) {
    const char *owner = "the training data";
    MXB_TRY(mxb__labels_read(dataset, two_classes, NULL, NULL, owner, labels, error));
    if (!has_idle_rows(labels)) {
        return mxb__dataset_create_view(dataset, view, error);
    }
    mxb_status status = select_rows(dataset, labels->weights, view, error);
    mxb__labels_clear(labels);
    MXB_TRY(status);
    return mxb__labels_read(*view, two_classes, NULL, NULL, owner, labels, error);
}

static size_t knots_of_feature(const mxb_prepared *prepared) {
    if (prepared->settings.scaling != SCALING_RANK) {
        return 1;
    }
    return prepared->n_rows < MXB__MAX_KNOTS ? prepared->n_rows : MXB__MAX_KNOTS;
}

static mxb_status allocate(mxb_prepared *prepared, size_t n_knots, mxb_error *error) {
    size_t n = prepared->n_rows;
    size_t d = prepared->n_features;
    prepared->knot_room = n_knots;
    prepared->scaling.kind = prepared->settings.scaling;
    prepared->scaling.n_features = prepared->n_features;
    MXB_TRY(mxb__alloc(&prepared->bins, d, sizeof *prepared->bins, "bins", error));
    if (prepared->settings.exact) {
        MXB_TRY(mxb__alloc(&prepared->codes, d, n * sizeof *prepared->codes, "codes of values", error));
        MXB_TRY(mxb__alloc(&prepared->order, d, n * sizeof *prepared->order, "the order of rows", error));
    } else {
        size_t record_bytes = mxb__n_blocks(d, MXB__PANEL) * MXB__PANEL; /* where no features share a byte */
        prepared->code_bytes = n * (record_bytes + d);
        MXB_TRY(mxb__alloc(&prepared->cuts, d, MXB__MAX_CUTS * sizeof *prepared->cuts, "bin edges", error));
        MXB_TRY(mxb__fields_allocate(&prepared->fields, d, error));
        MXB_TRY(mxb__alloc(&prepared->records, n, record_bytes + d, "bin codes", error));
    }
    MXB_TRY(mxb__alloc(&prepared->knots, d, n_knots * sizeof *prepared->knots, "scaling tables", error));
    MXB_TRY(mxb__alloc(&prepared->knot_scores, d, n_knots * sizeof *prepared->knot_scores, "scaling tables", error));
    return mxb__alloc(&prepared->scaling.features, d, sizeof *prepared->scaling.features, "scaling tables", error);
}

/* With few rows it shows whether copies of one are drawn together. */
static mxb_status find_row_keys(mxb_prepared *prepared, mxb_error *error) {
    if (prepared->n_rows >= MANY_ROWS) {
        return MXB_OK;
    }
    MXB_TRY(mxb__alloc(&prepared->row_keys, prepared->n_rows, sizeof *prepared->row_keys, "keys of rows", error));
    mxb__row_keys(prepared->view, &prepared->labels, prepared->row_keys);
    return MXB_OK;
}

/* Bins and scaling of another's features. */
static void copy_edges(mxb_prepared *prepared, const mxb_prepared *like) {
    for (size_t f = 0; f < prepared->n_features; f++) {
        double *cuts = prepared->cuts + f * MXB__MAX_CUTS;
        struct scaling_feature *scaling = &prepared->scaling.features[f];
        prepared->bins[f] = like->bins[f];
        prepared->bins[f].cuts = cuts;
        memcpy(cuts, like->bins[f].cuts, like->bins[f].n_cuts * sizeof *cuts);
        *scaling = like->scaling.features[f];
        scaling->knots = prepared->knots + f * prepared->knot_room;
        scaling->knot_scores = prepared->knot_scores + f * prepared->knot_room;
        memcpy(scaling->knots, like->scaling.features[f].knots, scaling->n_knots * sizeof *scaling->knots);
        memcpy(scaling->knot_scores, like->scaling.features[f].knot_scores,
               scaling->n_knots * sizeof *scaling->knot_scores);
    }
}

/* Where no row of the whole misses a value there is no bin for it: such a code would be one of the next field's. */
static mxb_status check_missing(const mxb_prepared *prepared, mxb_error *error) {
    for (size_t f = 0; f < prepared->n_features; f++) {
        const struct feature_bins *bins = &prepared->bins[f];
        const uint8_t *codes = prepared->columns + f * prepared->n_rows;
        if (!bins->has_missing && memchr(codes, (int)mxb__missing_code(bins), prepared->n_rows) != NULL) {
            return mxb__fail(error, MXB_ERROR_DATA,
                             "feature %zu of the part has values that are missing; that of the whole has none", f + 1);
        }
    }
    return MXB_OK;
}

static mxb_status prepare_features(mxb_prepared *prepared, const mxb_prepared *like, struct pool *pool,
                                   mxb_error *error) {
    MXB_TRY(allocate(prepared, like != NULL ? like->knot_room : knots_of_feature(prepared), error));
    if (like != NULL) {
        copy_edges(prepared, like);
    } else {
        MXB_TRY(mxb__edges_find(prepared, pool, error));
    }
    if (!prepared->settings.exact) {
        mxb__fields_choose(&prepared->fields, prepared->bins, prepared->n_features);
        size_t n_panels = mxb__n_blocks(prepared->fields.n, MXB__PANEL);
        prepared->columns = prepared->records + n_panels * prepared->n_rows * MXB__PANEL;
        mxb__bin_codes_write(prepared, pool);
    }
    return like != NULL ? check_missing(prepared, error) : MXB_OK;
}

static mxb_status code_texts(mxb_prepared *prepared, const mxb_prepared *like, mxb_error *error) {
    if (like == NULL) {
        return mxb__texts_learn(prepared->view, &prepared->dictionaries, error);
    }
    MXB_TRY(mxb__texts_check(prepared->view, like->dictionaries, "the whole", error));
    MXB_TRY(mxb__dictionaries_copy(&prepared->dictionaries, like->dictionaries, like->n_features, error));
    for (size_t f = 0; prepared->dictionaries != NULL && f < like->n_features; f++) {
        if (prepared->dictionaries[f].is_text) {
            mxb__column_code(&prepared->view->columns[f], &prepared->dictionaries[f]);
        }
    }
    return MXB_OK;
}

/* `like` NULL: bins, scaling and texts are found. */
static mxb_status create(const mxb_dataset *dataset, const struct prepare_settings *settings, const mxb_prepared *like,
                         struct pool *pool, mxb_prepared **prepared, mxb_error *error) {
    *prepared = NULL;
    if (dataset->n_columns == 0) {
        return mxb__fail(error, MXB_ERROR_DATA, "the training data has no feature columns");
    }
    mxb_prepared *made;
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "prepared data", error));
    made->settings = *settings;
    made->n_features = (uint32_t)dataset->n_columns;
    mxb_status status = mxb__training_rows(dataset, settings->two_classes, &made->view, &made->labels, error);
    if (status == MXB_OK) {
        made->n_rows = made->view->n_rows;
        status = code_texts(made, like, error);
    }
    if (status == MXB_OK) {
        status = find_row_keys(made, error);
    }
    if (status == MXB_OK) {
        status = prepare_features(made, like, pool, error);
    }
    if (status != MXB_OK) {
        mxb_prepared_free(made);
        return status;
    }
    *prepared = made;
    return MXB_OK;
}

mxb_status mxb__prepared_create(const mxb_dataset *dataset, const struct prepare_settings *settings, struct pool *pool,
                                mxb_prepared **prepared, mxb_error *error) {
    return create(dataset, settings, NULL, pool, prepared, error);
}

mxb_status mxb__prepared_create_part(const mxb_prepared *whole, const mxb_dataset *part, struct pool *pool,
                                     mxb_prepared **prepared, mxb_error *error) {
    *prepared = NULL;
    if (part->n_columns != whole->n_features) {
        return mxb__fail(error, MXB_ERROR_DATA, "the part has %zu features; the whole has %u", part->n_columns,
                         whole->n_features);
    }
    return create(part, &whole->settings, whole->settings.exact ? NULL : whole, pool, prepared, error);
}

void mxb_prepared_free(mxb_prepared *prepared) {
    if (prepared == NULL) {
        return;
    }
    mxb_dataset_free(prepared->view);
    mxb__labels_clear(&prepared->labels);
    mxb__dictionaries_free(prepared->dictionaries, prepared->n_features);
    mxb__free(prepared->row_keys);
    mxb__free(prepared->bins);
    mxb__free(prepared->cuts);
    mxb__fields_clear(&prepared->fields);
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
