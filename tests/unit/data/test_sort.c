#include "data/sort.h"

#include <float.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"

static const struct random_stream RANDOM = {0x736f7274};

static const double SPECIAL[] = {-INFINITY, -DBL_MAX, -1e300, -1, -DBL_MIN, -0x1p-1074, 0,
                                 0x1p-1074, DBL_MIN,  0.5,    1,  1e300,    DBL_MAX,    INFINITY};
enum { N_SPECIAL = sizeof SPECIAL / sizeof SPECIAL[0], MAX = 20000 };

static void keys_order_as_values(void) {
    for (size_t i = 0; i < N_SPECIAL; i++) {
        CHECK(mxb__sort_value(mxb__sort_key(SPECIAL[i])) == SPECIAL[i]);
        for (size_t j = 0; j < N_SPECIAL; j++) {
            CHECK((mxb__sort_key(SPECIAL[i]) < mxb__sort_key(SPECIAL[j])) == (SPECIAL[i] < SPECIAL[j]));
        }
    }
    CHECK(mxb__sort_key(-0.0) == mxb__sort_key(0.0));
    CHECK(mxb__sort_narrow_key(-0.0f) == mxb__sort_narrow_key(0.0f));
    CHECK(!signbit(mxb__sort_narrow_value(mxb__sort_narrow_key(-0.0f))));
    CHECK(mxb__sort_key(INFINITY) < UINT64_MAX && mxb__sort_narrow_key(INFINITY) < UINT32_MAX);
    CHECK(mxb__sort_key(NAN) == UINT64_MAX && mxb__sort_narrow_key(NAN) == UINT32_MAX);
    CHECK(mxb__sort_key(-NAN) == UINT64_MAX && mxb__sort_narrow_key(-NAN) == UINT32_MAX);
    CHECK(!signbit(mxb__sort_value(mxb__sort_key(-0.0))));
    for (uint64_t i = 0; i < 20000; i++) { /* any bits that are a number */
        uint64_t bits = mxb__random_bits(RANDOM, i);
        double x;
        memcpy(&x, &bits, sizeof x);
        CHECK(!isnan(x) || mxb__sort_key(x) == UINT64_MAX);
        if (!isnan(x)) {
            CHECK(mxb__sort_value(mxb__sort_key(x)) == x);
            CHECK(mxb__sort_key(nextafter(x, INFINITY)) > mxb__sort_key(x) || x == INFINITY);
        }
        float y;
        memcpy(&y, &bits, sizeof y);
        CHECK(!isnan(y) || mxb__sort_narrow_key(y) == UINT32_MAX);
        if (!isnan(y)) {
            CHECK(mxb__sort_narrow_value(mxb__sort_narrow_key(y)) == y);
            CHECK(mxb__sort_narrow_key(nextafterf(y, INFINITY)) > mxb__sort_narrow_key(y) || isinf(y));
        }
    }
}

struct pair {
    uint64_t key;
    uint32_t row;
    size_t place; /* in the input: makes qsort stable */
};

static int compare(const void *a, const void *b) {
    const struct pair *x = a;
    const struct pair *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->place < y->place ? -1 : x->place > y->place;
}

static uint64_t keys[MAX], spare_keys[MAX], keys_alone[MAX], upper_first[MAX];
static uint32_t narrow[MAX], spare_narrow[MAX];
static uint32_t rows[MAX], spare_rows[MAX];
static struct pair pairs[MAX];

/* Sorts keys[0 .. n) in every way, also their upper halves alone; returns what differs from qsort. */
static size_t n_wrong(size_t n) {
    for (size_t i = 0; i < n; i++) {
        rows[i] = (uint32_t)mxb__random_bits(RANDOM, i);
        pairs[i] = (struct pair){keys[i], rows[i], i};
        keys_alone[i] = upper_first[i] = keys[i];
        narrow[i] = (uint32_t)(keys[i] >> 32);
    }
    const uint64_t *wide_sorted = mxb__sort_wide(upper_first, spare_keys, n);
    memcpy(upper_first, wide_sorted, wide_sorted == upper_first ? 0 : n * sizeof *upper_first);
    const uint32_t *narrow_sorted = mxb__sort_narrow(narrow, spare_narrow, n);
    qsort(pairs, n, sizeof *pairs, compare);
    mxb__sort_keys(keys_alone, NULL, n, spare_keys, n % 2 == 0 ? NULL : spare_rows);
    mxb__sort_keys(keys, rows, n, spare_keys, spare_rows);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += keys[i] != pairs[i].key || rows[i] != pairs[i].row || keys_alone[i] != pairs[i].key;
        wrong += upper_first[i] != pairs[i].key || narrow_sorted[i] != (uint32_t)(pairs[i].key >> 32);
    }
    return wrong;
}

static void sorts_as_qsort(void) {
    static const size_t sizes[] = {0, 1, 2, 3, 10, 100, 2047, 2048, 2049, MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t n = sizes[s];
        for (int kind = 0; kind < 9; kind++) {
            for (size_t i = 0; i < n; i++) {
                double u = mxb__random_normal(RANDOM, 1000000 + i);
                switch (kind) {
                    case 0: /* many different */
                        keys[i] = mxb__sort_key(u);
                        break;
                    case 1: /* many ties, both zeros */
                        keys[i] = mxb__sort_key(rint(2 * u));
                        break;
                    case 2:
                        keys[i] = mxb__sort_key(SPECIAL[mxb__random_bits(RANDOM, i) % N_SPECIAL]);
                        break;
                    case 3: /* any bits: every digit moves */
                        keys[i] = mxb__random_bits(RANDOM, 2000000 + i);
                        break;
                    case 4: /* one digit at a time differs, an odd number of moves */
                        keys[i] = mxb__random_bits(RANDOM, 3000000 + i) % 2048 << 22;
                        break;
                    case 5: /* the same upper bits, in runs too long to insert */
                        keys[i] = mxb__random_bits(RANDOM, 4000000 + i) % 5 << 50 | mxb__random_bits(RANDOM, i) >> 33;
                        break;
                    case 6: /* and in short ones */
                        keys[i] =
                            mxb__random_bits(RANDOM, 5000000 + i) % 4096 << 40 | mxb__random_bits(RANDOM, i) >> 33;
                        break;
                    case 7: /* numbers close to one another */
                        keys[i] = mxb__sort_key(1e9 + 1e-6 * u);
                        break;
                    default: /* descending */
                        keys[i] = mxb__sort_key(-(double)i);
                        break;
                }
            }
            CHECK_INT(n_wrong(n), 0);
        }
    }
}

static void every_digit_alone(void) {
    for (unsigned bit = 0; bit < 64; bit++) {
        for (size_t i = 0; i < 100; i++) {
            keys[i] = (mxb__random_bits(RANDOM, 100 * bit + i) & 1) << bit;
        }
        CHECK_INT(n_wrong(100), 0);
    }
}

int main(void) {
    RUN(keys_order_as_values);
    RUN(sorts_as_qsort);
    RUN(every_digit_alone);
    return check_report();
}
