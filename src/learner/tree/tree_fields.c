/* The engine of histogram trees: features that share a byte. Their codes are the digits of the byte's
 * value, and the sums of one digit are found by adding over the others: from the highest digit down, each is read and
 * then added away, so that all together take little more than a look at every cell. */
#include "learner/tree/tree_fields.h"

#include <string.h>

uint32_t mxb__field_feature(const struct tree_engine *engine, uint32_t field) {
    const mxb_prepared *prepared = engine->input->prepared;
    const struct fields *fields = &prepared->fields;
    return mxb__field_size(fields, field) == 1 ? fields->features[fields->first[field]] : prepared->n_features;
}

void mxb__field_load(const struct tree_engine *engine, uint32_t field, const void *cells,
                     struct gradient_sum sums[MXB__MAX_BINS]) {
    const struct fields *fields = &engine->input->prepared->fields;
    const struct feature_place *highest = &fields->places[fields->features[fields->first[field + 1] - 1]];
    size_t n = (size_t)highest->stride * highest->n_codes;
    if (!engine->packed) {
        memcpy(sums, cells, n * sizeof *sums);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        sums[i] = mxb__unpacked(((const uint64_t *)cells)[i]);
    }
}

static void add(struct gradient_sum *to, const struct gradient_sum *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to[i].g += from[i].g;
        to[i].h += from[i].h;
    }
}

struct feature_cells mxb__field_read(const struct tree_engine *engine, uint32_t feature,
                                     const struct gradient_sum *sums, struct digit_sums *digit) {
    const mxb_prepared *prepared = engine->input->prepared;
    const struct feature_place *place = &prepared->fields.places[feature];
    memset(digit, 0, sizeof *digit);
    for (size_t code = 0; code < place->n_codes; code++) {
        for (size_t i = 0; i < place->stride; i++) {
            add(&digit->of_code[code], &sums[code * place->stride + i], 1);
        }
    }
    return mxb__feature_cells(digit->of_code, 0, &prepared->bins[feature]);
}

void mxb__field_drop(const struct tree_engine *engine, uint32_t feature, struct gradient_sum *sums) {
    const struct feature_place *place = &engine->input->prepared->fields.places[feature];
    for (size_t code = 1; code < place->n_codes; code++) {
        add(sums, sums + code * place->stride, place->stride);
    }
}

struct feature_cells mxb__field_find(const struct tree_engine *engine, uint32_t feature, struct gradient_sum *sums,
                                     struct digit_sums *digit) {
    const struct fields *fields = &engine->input->prepared->fields;
    uint32_t i = fields->first[fields->places[feature].field + 1] - 1;
    for (; fields->features[i] != feature; i--) {
        mxb__field_drop(engine, fields->features[i], sums);
    }
    return mxb__field_read(engine, feature, sums, digit);
}

void mxb__field_gains(const struct tree_engine *engine, struct gradient_sum total, uint32_t field,
                      struct gradient_sum *sums, double *gains) {
    const struct fields *fields = &engine->input->prepared->fields;
    for (uint32_t i = fields->first[field + 1]; i > fields->first[field]; i--) {
        uint32_t feature = fields->features[i - 1];
        if (engine->is_column[feature]) {
            struct digit_sums digit;
            struct feature_cells cells = mxb__field_read(engine, feature, sums, &digit);
            gains[feature] = mxb__split_gain(engine->input->kernels, &cells, total, &engine->rules);
        }
        mxb__field_drop(engine, feature, sums);
    }
}

struct split mxb__field_locate(const struct tree_engine *engine, struct gradient_sum total, uint32_t feature,
                               struct gradient_sum *sums, double gain) {
    struct digit_sums digit;
    struct feature_cells cells = mxb__field_find(engine, feature, sums, &digit);
    return mxb__split_locate(&cells, total, &engine->rules, gain);
}
