#include <float.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/kernels.h"

static const struct random_stream RANDOM = {0x656e63};

enum { MAX_VALUES = 7 * 255 + 16 };

/* The number of cuts below x, one at a time. */
static uint8_t scan(double x, const double *cuts, size_t n_cuts, uint8_t missing_code) {
    unsigned below = 0;
    if (isnan(x)) {
        return missing_code;
    }
    for (size_t i = 0; i < n_cuts; i++) {
        below += cuts[i] < x;
    }
    return (uint8_t)below;
}

static void encode(const double *values, size_t n, const double *cuts, size_t n_cuts, uint8_t missing_code,
                   uint8_t *codes) {
    _Alignas(64) double slots[MXB__CUT_SLOTS];
    _Alignas(64) float halves[256];
    struct cut_tree tree;
    mxb__cut_tree_build(cuts, n_cuts, slots, &tree);
    mxb__cut_tree_add_halves(cuts, halves, &tree);
    mxb__kernels()->encode(&tree, values, n, missing_code, codes);
}

/* Values worth trying for these cuts: each, its neighbours, the ends, zeros and nothing. Returns their number. */
static size_t make_values(const double *cuts, size_t n_cuts, double *values) {
    static const double ends[] = {-INFINITY, -DBL_MAX, -0x1p-1074, -0.0, 0.0, 0x1p-1074, DBL_MAX, INFINITY, NAN, -NAN};
    size_t n = 0;
    for (size_t i = 0; i < n_cuts; i++) {
        values[n++] = cuts[i];
        values[n++] = nextafter(cuts[i], -INFINITY);
        values[n++] = nextafter(cuts[i], INFINITY);
        values[n++] = cuts[i] / 2 + cuts[i + 1 < n_cuts ? i + 1 : i] / 2;
    }
    for (size_t i = 0; i < n_cuts; i++) { /* sixteen floats side by side are searched as such */
        float nearest = (float)cuts[i];
        values[n++] = (double)nearest;
        values[n++] = (double)nextafterf(nearest, -INFINITY);
        values[n++] = (double)nextafterf(nearest, INFINITY);
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        values[n++] = ends[i];
    }
    return n;
}

static size_t n_wrong_of(const double *values, size_t n, const double *cuts, size_t n_cuts) {
    uint8_t codes[MAX_VALUES + 1];
    uint8_t missing_code = (uint8_t)(n_cuts + 7);
    /* The cuts in a block of their own size: reading beyond them is seen. */
    double *own = malloc((n_cuts == 0 ? 1 : n_cuts) * sizeof *own);
    if (own == NULL) {
        return 1;
    }
    memcpy(own, cuts, n_cuts * sizeof *own);
    codes[n] = 0xee;
    encode(values, n, own, n_cuts, missing_code, codes);
    free(own);
    size_t wrong = codes[n] != 0xee;
    for (size_t i = 0; i < n; i++) {
        wrong += codes[i] != scan(values[i], cuts, n_cuts, missing_code);
    }
    return wrong;
}

static size_t n_wrong(const double *cuts, size_t n_cuts) {
    double values[MAX_VALUES], floats[MAX_VALUES];
    size_t n = make_values(cuts, n_cuts, values), n_floats = 0;
    for (size_t i = 0; i < n; i++) {
        double nearest = (double)(float)values[i];
        if (!(fabs(nearest) < (double)FLT_MIN) || nearest == 0) {
            floats[n_floats++] = nearest;
        }
    }
    return n_wrong_of(values, n, cuts, n_cuts) + n_wrong_of(floats, n_floats, cuts, n_cuts);
}

static void codes_count_the_cuts_below(void) {
    for (size_t n_cuts = 0; n_cuts <= 255; n_cuts++) {
        double cuts[255] = {0};
        double x = -1e3;
        for (size_t i = 0; i < n_cuts; i++) {
            cuts[i] = x += 1e-3 + mxb__random_uniform(RANDOM, n_cuts * 255 + i) * 20;
        }
        CHECK_INT(n_wrong(cuts, n_cuts), 0);
        x = -1.0; /* as close as doubles are */
        for (size_t i = 0; i < n_cuts; i++) {
            cuts[i] = x = nextafter(x, INFINITY);
        }
        CHECK_INT(n_wrong(cuts, n_cuts), 0);
        x = 1.0; /* as close as floats are, and between them */
        for (size_t i = 0; i < n_cuts; i++) {
            cuts[i] = x + mxb__random_uniform(RANDOM, i) * 0x1p-24;
            x = (double)nextafterf((float)x, INFINITY);
        }
        CHECK_INT(n_wrong(cuts, n_cuts), 0);
    }
}

static void cuts_at_the_ends(void) {
    static const double cuts[] = {-INFINITY, -DBL_MAX, -1, -0x1p-1074, 0, 0x1p-1074, 1, DBL_MAX};
    for (size_t first = 0; first < 8; first++) {
        for (size_t n = 0; n <= 8 - first; n++) {
            CHECK_INT(n_wrong(cuts + first, n), 0);
        }
    }
    static const double values[] = {-INFINITY, -DBL_MAX, 0.0, INFINITY, NAN};
    uint8_t codes[5];
    encode(values, 5, cuts, 1, 2, codes); /* the cut -inf: only -inf is not above it */
    CHECK(codes[0] == 0 && codes[1] == 1 && codes[2] == 1 && codes[3] == 1 && codes[4] == 2);
}

static void nothing_to_encode(void) {
    uint8_t code = 77;
    double cut = 1;
    encode(&cut, 0, &cut, 1, 2, &code);
    CHECK_INT(code, 77);
}

int main(void) {
    RUN(codes_count_the_cuts_below);
    RUN(cuts_at_the_ends);
    RUN(nothing_to_encode);
    return check_report();
}
