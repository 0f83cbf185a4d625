/* The engine of histogram trees: nodes with few rows. A group of fields is added up in cells that are
 * cleared behind, and only the bins that rows fell into are looked at. The gains are those of a histogram: an empty bin
 * offers no cut that the bin before does not. */
#include "learner/tree/tree_tiny.h"

#include <string.h>

#include "learner/tree/tree_fields.h"

/* Cells of occupied bins, ascending, and bin 0. */
struct bin_list {
    struct gradient_sum sums[MXB__TINY_ROWS + 1];
    uint8_t bins[MXB__TINY_ROWS + 1];
};

static unsigned lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(bits);
#else
    unsigned n = 0;
    while (!(bits >> n & 1)) {
        n++;
    }
    return n;
#endif
}

static struct gradient_sum sum_of_row(const struct tree_engine *engine, uint32_t row) {
    return engine->packed ? mxb__unpacked(engine->words[row]) : engine->sums[row];
}

static void add_rows(const struct tree_engine *engine, const struct engine_node *node, uint32_t first, uint32_t n,
                     struct tiny_cells *cells) {
    const uint8_t *records = mxb__prepared_records(engine->input->prepared, first);
    for (uint32_t i = node->rows.begin; i < node->rows.end; i++) {
        uint32_t row = engine->rows[i];
        const uint8_t *codes = records + (size_t)row * MXB__PANEL;
        struct gradient_sum sum = sum_of_row(engine, row);
        for (uint32_t f = 0; f < n; f++) {
            cells->sums[f][codes[f]].g += sum.g;
            cells->sums[f][codes[f]].h += sum.h;
            cells->is_seen[f][codes[f] / 64] |= (uint64_t)1 << codes[f] % 64;
        }
    }
}

/* The list of a feature that has its field to itself; the cells are cleared. */
static struct feature_cells take_cells(struct gradient_sum sums[MXB__CELLS], uint64_t is_seen[MXB__MAX_BINS / 64],
                                       const struct feature_bins *bins, struct bin_list *list) {
    struct feature_cells cells = {.sums = list->sums, .bin_of = list->bins};
    uint32_t missing = mxb__missing_code(bins);
    is_seen[0] |= 1;
    for (uint32_t part = 0; part < MXB__MAX_BINS / 64; part++) {
        for (uint64_t bits = is_seen[part]; bits != 0; bits &= bits - 1) {
            uint32_t bin = 64 * part + lowest_bit(bits);
            if (bin == missing) {
                cells.missing = sums[bin];
            } else {
                list->sums[cells.n] = sums[bin];
                list->bins[cells.n++] = (uint8_t)bin;
            }
            sums[bin] = (struct gradient_sum){0, 0};
        }
        is_seen[part] = 0;
    }
    return cells;
}

static void clear_cells(struct gradient_sum sums[MXB__CELLS], uint64_t is_seen[MXB__MAX_BINS / 64]) {
    memset(sums, 0, MXB__MAX_BINS * sizeof *sums);
    memset(is_seen, 0, MXB__MAX_BINS / 64 * sizeof *is_seen);
}

static void field_gains(const struct tree_engine *engine, struct gradient_sum total, uint32_t field,
                        struct gradient_sum sums[MXB__CELLS], uint64_t is_seen[MXB__MAX_BINS / 64], double *gains) {
    const mxb_prepared *prepared = engine->input->prepared;
    uint32_t feature = mxb__field_feature(engine, field);
    if (feature == prepared->n_features) {
        mxb__field_gains(engine, total, field, sums, gains);
        clear_cells(sums, is_seen);
        return;
    }
    struct bin_list list;
    struct feature_cells cells = take_cells(sums, is_seen, &prepared->bins[feature], &list);
    if (engine->is_column[feature]) {
        gains[feature] = mxb__split_gain(engine->input->kernels, &cells, total, &engine->rules);
    }
}

void mxb__tiny_gains(const struct tree_engine *engine, const struct engine_node *node, struct field_run run,
                     struct tiny_cells *cells, double *gains) {
    uint32_t end = run.first + run.n;
    for (uint32_t first = run.first; first < end; first += MXB__GROUP) {
        uint32_t n = end - first < MXB__GROUP ? end - first : MXB__GROUP;
        add_rows(engine, node, first, n, cells);
        for (uint32_t f = 0; f < n; f++) {
            field_gains(engine, node->total, first + f, cells->sums[f], cells->is_seen[f], gains);
        }
    }
}

struct split mxb__tiny_locate(const struct tree_engine *engine, const struct engine_node *node, uint32_t feature,
                              struct tiny_cells *cells, double gain) {
    const mxb_prepared *prepared = engine->input->prepared;
    uint32_t field = prepared->fields.places[feature].field;
    struct gradient_sum *sums = cells->sums[0];
    add_rows(engine, node, field, 1, cells);
    struct split split;
    if (mxb__field_feature(engine, field) == feature) {
        struct bin_list list;
        struct feature_cells of_feature = take_cells(sums, cells->is_seen[0], &prepared->bins[feature], &list);
        split = mxb__split_locate(&of_feature, node->total, &engine->rules, gain);
    } else {
        split = mxb__field_locate(engine, node->total, feature, sums, gain);
        clear_cells(sums, cells->is_seen[0]);
    }
    return split;
}

struct gradient_sum mxb__tiny_total(const struct tree_engine *engine, const struct engine_node *node) {
    struct gradient_sum total = {0, 0};
    for (uint32_t i = node->rows.begin; i < node->rows.end; i++) {
        struct gradient_sum sum = sum_of_row(engine, engine->rows[i]);
        total.g += sum.g;
        total.h += sum.h;
    }
    return total;
}

void mxb__tiny_subtract(const struct tree_engine *engine, const struct engine_node *node, struct field_run run,
                        void *cells) {
    const uint8_t *records = mxb__prepared_records(engine->input->prepared, run.first);
    for (uint32_t i = node->rows.begin; i < node->rows.end; i++) {
        uint32_t row = engine->rows[i];
        const uint8_t *codes = records + (size_t)row * MXB__PANEL;
        for (uint32_t f = 0; f < run.n; f++) {
            size_t at = f * MXB__CELLS + codes[f];
            if (engine->packed) {
                ((uint64_t *)cells)[at] -= engine->words[row];
            } else {
                struct gradient_sum *cell = &((struct gradient_sum *)cells)[at];
                cell->g -= engine->sums[row].g;
                cell->h -= engine->sums[row].h;
            }
        }
    }
}
