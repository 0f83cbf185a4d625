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
    CHECK(!signbit(mxb__sort_value(mxb__sort_key(-0.0))));
    for (uint64_t i = 0; i < 20000; i++) { /* any bits that are a number */
        uint64_t bits = mxb__random_bits(RANDOM, i);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isnan(x)) {
            CHECK(mxb__sort_value(mxb__sort_key(x)) == x);
            CHECK(mxb__sort_key(nextafter(x, INFINITY)) > mxb__sort_key(x) || x == INFINITY);
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

static uint64_t keys[MAX], spare_keys[MAX], keys_alone[MAX];
static uint32_t rows[MAX], spare_rows[MAX];
static struct pair pairs[MAX];

/* Sorts keys[0 .. n) with rows and without; returns what differs from qsort. */
static size_t n_wrong(size_t n) {
    for (size_t i = 0; i < n; i++) {
        rows[i] = (uint32_t)mxb__random_bits(RANDOM, i);
        pairs[i] = (struct pair){keys[i], rows[i], i};
        keys_alone[i] = keys[i];
    }
    qsort(pairs, n, sizeof *pairs, compare);
    mxb__sort_keys(keys_alone, NULL, n, spare_keys, n % 2 == 0 ? NULL : spare_rows);
    mxb__sort_keys(keys, rows, n, spare_keys, spare_rows);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += keys[i] != pairs[i].key || rows[i] != pairs[i].row || keys_alone[i] != pairs[i].key;
    }
    return wrong;
}

static void sorts_as_qsort(void) {
    static const size_t sizes[] = {0, 1, 2, 3, 10, 100, 2047, 2048, 2049, MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t n = sizes[s];
        for (int kind = 0; kind < 6; kind++) {
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
