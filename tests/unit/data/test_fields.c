#include "data/fields.h"

#include "base/random.h"
#include "check.h"

enum { MAX_FEATURES = 300 };

static struct feature_bins bins[MAX_FEATURES];

static void make_bins(const uint32_t *n_cuts, uint32_t n) {
    for (uint32_t f = 0; f < n; f++) {
        bins[f] = (struct feature_bins){.n_cuts = n_cuts[f]};
    }
}

/* Chosen fields, each of which is checked: its features ascend, and their codes are digits of a byte. */
static struct fields choose(uint32_t n_features) {
    struct fields fields = {0};
    CHECK(mxb__fields_allocate(&fields, n_features, NULL) == MXB_OK);
    mxb__fields_choose(&fields, bins, n_features);
    CHECK_INT(fields.first[0], 0);
    CHECK_INT(fields.first[fields.n], n_features);
    for (uint32_t field = 0; field < fields.n; field++) {
        uint32_t stride = 1;
        CHECK(mxb__field_size(&fields, field) >= 1);
        for (uint32_t i = fields.first[field]; i < fields.first[field + 1]; i++) {
            uint32_t f = fields.features[i];
            CHECK(i == fields.first[field] || fields.features[i - 1] < f);
            CHECK_INT(fields.places[f].field, field);
            CHECK_INT(fields.places[f].stride, stride);
            CHECK_INT(fields.places[f].n_codes, bins[f].n_cuts + 1 + (bins[f].has_missing ? 1 : 0));
            CHECK(mxb__field_size(&fields, field) == 1 || fields.places[f].n_codes <= MXB__MAX_SHARED_CODES);
            stride *= fields.places[f].n_codes;
        }
        CHECK(stride <= 256);
    }
    return fields;
}

static void features_of_many_codes_are_alone(void) {
    make_bins((uint32_t[]){254, 16, 100, 254}, 4);
    struct fields fields = choose(4);
    CHECK_INT(fields.n, 4);
    for (uint32_t f = 0; f < 4; f++) {
        CHECK_INT(fields.places[f].field, f);
    }
    mxb__fields_clear(&fields);
}

static void eight_yes_or_no_features_fill_a_byte(void) {
    uint32_t n_cuts[17];
    for (size_t f = 0; f < 17; f++) {
        n_cuts[f] = 1;
    }
    make_bins(n_cuts, 17);
    struct fields fields = choose(17);
    CHECK_INT(fields.n, 3);
    CHECK_INT(mxb__field_size(&fields, 0), 8);
    CHECK_INT(mxb__field_size(&fields, 1), 8);
    CHECK_INT(fields.places[7].stride, 128);
    mxb__fields_clear(&fields);
    for (size_t f = 0; f < 17; f++) {
        bins[f].has_missing = 1; /* three codes: five to a byte */
    }
    fields = choose(17);
    CHECK_INT(fields.n, 4);
    CHECK_INT(mxb__field_size(&fields, 0), 5);
    mxb__fields_clear(&fields);
}

/* The features between them do not matter, and constants fit anywhere but alone. */
static void few_codes_meet_over_others(void) {
    make_bins((uint32_t[]){0, 200, 15, 200, 15, 0, 200, 1, 0}, 9);
    struct fields fields = choose(9);
    CHECK_INT(fields.n, 5);
    CHECK_INT(fields.places[2].field, 0); /* with the constant before it */
    CHECK_INT(fields.places[4].field, 0);
    CHECK_INT(fields.places[4].stride, 16);
    CHECK_INT(fields.places[5].field, 0); /* of a byte that is full */
    CHECK_INT(fields.places[7].field, 4);
    CHECK_INT(fields.places[8].field, 4);
    mxb__fields_clear(&fields);
}

static void any_features(void) {
    static const struct random_stream random = {0x6669656c};
    for (uint32_t round = 0; round < 500; round++) {
        uint32_t n = 1 + (uint32_t)(mxb__random_bits(random, round) % MAX_FEATURES);
        for (uint32_t f = 0; f < n; f++) {
            uint64_t bits = mxb__random_bits(random, 1000 * (uint64_t)(round + 1) + f);
            uint32_t limit = bits % 3 == 0 ? 255 : bits % 3 == 1 ? 20 : 3;
            bins[f] = (struct feature_bins){.n_cuts = (uint32_t)(bits >> 8) % limit, .has_missing = (int)(bits >> 63)};
        }
        struct fields fields = choose(n);
        mxb__fields_clear(&fields);
    }
}

int main(void) {
    RUN(features_of_many_codes_are_alone);
    RUN(eight_yes_or_no_features_fill_a_byte);
    RUN(few_codes_meet_over_others);
    RUN(any_features);
    return check_report();
}
