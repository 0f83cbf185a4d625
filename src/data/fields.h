/* Bytes of the row records. Features of few codes share a byte, so that one sum over rows serves all of them. */
#ifndef MXB_DATA_FIELDS_H
#define MXB_DATA_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "data/bins.h"

/* Features of more codes have a byte to themselves. */
enum { MXB__MAX_SHARED_CODES = 16 };

/* The byte is the sum of code times stride over its features. */
struct feature_place {
    uint32_t field;
    uint16_t stride;
    uint16_t n_codes;
};

struct fields {
    uint32_t n;
    uint32_t *first;              /* [n + 1] of each field in the list below */
    uint32_t *features;           /* [n_features] by field, then by stride */
    struct feature_place *places; /* [n_features] */
};

/** Room for the fields of so many features. */
mxb_status mxb__fields_allocate(struct fields *fields, size_t n_features, mxb_error *error);
void mxb__fields_clear(struct fields *fields);

/** Chooses the fields, in the order of the features. */
void mxb__fields_choose(struct fields *fields, const struct feature_bins *bins, uint32_t n_features);

static inline uint32_t mxb__field_size(const struct fields *fields, uint32_t field) {
    return fields->first[field + 1] - fields->first[field];
}

#endif
