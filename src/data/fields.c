/* Chooses which features share a byte of the row records. Knows nothing of rows. */
#include "data/fields.h"

#include "base/memory.h"

mxb_status mxb__fields_allocate(struct fields *fields, size_t n_features, mxb_error *error) {
    MXB_TRY(mxb__alloc(&fields->first, n_features + 1, sizeof *fields->first, "row records", error));
    MXB_TRY(mxb__alloc(&fields->features, n_features, sizeof *fields->features, "row records", error));
    return mxb__alloc(&fields->places, n_features, sizeof *fields->places, "row records", error);
}

void mxb__fields_clear(struct fields *fields) {
    mxb__free(fields->first);
    mxb__free(fields->features);
    mxb__free(fields->places);
}

/* Codes of training rows: a number for missing values is kept only where there are any. */
static uint32_t n_codes_of(const struct feature_bins *bins) { return bins->n_cuts + (bins->has_missing ? 2 : 1); }

/* One field at a time is open for features of few codes; one that does not fit opens the next. */
static void place_features(struct fields *fields, const struct feature_bins *bins, uint32_t n_features) {
    uint32_t open_field = 0;
    uint32_t open_codes = MXB__MAX_BINS + 1; /* of the open field; none is open yet */
    fields->n = 0;
    for (uint32_t f = 0; f < n_features; f++) {
        uint32_t n_codes = n_codes_of(&bins[f]);
        struct feature_place *place = &fields->places[f];
        if (n_codes <= MXB__MAX_SHARED_CODES && open_codes * n_codes <= MXB__MAX_BINS) {
            *place = (struct feature_place){open_field, (uint16_t)open_codes, (uint16_t)n_codes};
            open_codes *= n_codes;
            continue;
        }
        *place = (struct feature_place){fields->n, 1, (uint16_t)n_codes};
        if (n_codes <= MXB__MAX_SHARED_CODES) {
            open_field = fields->n;
            open_codes = n_codes;
        }
        fields->n++;
    }
}

void mxb__fields_choose(struct fields *fields, const struct feature_bins *bins, uint32_t n_features) {
    place_features(fields, bins, n_features);
    for (uint32_t field = 0; field <= fields->n; field++) {
        fields->first[field] = 0;
    }
    for (uint32_t f = 0; f < n_features; f++) {
        fields->first[fields->places[f].field + 1]++;
    }
    for (uint32_t field = 0; field < fields->n; field++) {
        fields->first[field + 1] += fields->first[field];
    }
    for (uint32_t f = n_features; f > 0; f--) { /* each from the end of its field, which begins there in the end */
        uint32_t field = fields->places[f - 1].field;
        fields->features[--fields->first[field + 1]] = f - 1;
    }
    for (uint32_t field = 0; field < fields->n; field++) {
        fields->first[field] = fields->first[field + 1];
    }
    fields->first[fields->n] = n_features;
}
