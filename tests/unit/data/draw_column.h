/* Columns of every kind for the tests of what is found in them, and the slow way to find it: list the distinct values
 * and walk over them. */
#ifndef DRAW_COLUMN_H
#define DRAW_COLUMN_H

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "data/distinct.h"
#include "data/sorted.h"

enum column_kind {
    COLUMN_NORMAL,
    COLUMN_TIES,
    COLUMN_MOSTLY_ZERO,
    COLUMN_SKEWED,
    COLUMN_HUGE,
    COLUMN_DENORMAL,
    COLUMN_ANY_BITS,
    COLUMN_CLOSE,          /* doubles that differ in their last bits */
    COLUMN_AROUND_A_BIN,   /* about as many different values as bins */
    COLUMN_AROUND_KNOTS,   /* about as many as knots */
    COLUMN_HEAVY_THEN_FEW, /* most of the weight first, then few values */
    COLUMN_INFINITE,
    COLUMN_ASCENDING,
    COLUMN_CONSTANT,
    COLUMN_MISSING,
    N_COLUMN_KINDS
};

enum { MAX_COLUMN = 30000 };

static inline double draw_value(enum column_kind kind, struct random_stream stream, size_t i) {
    uint64_t bits = mxb__random_bits(stream, 2 * i + 1);
    double x = mxb__random_normal(stream, 2 * i);
    double any;
    switch (kind) {
        case COLUMN_NORMAL:
            return x;
        case COLUMN_TIES:
            return rint(3 * x);
        case COLUMN_MOSTLY_ZERO:
            return bits % 10 != 0 ? (bits % 20 > 9 ? 0.0 : -0.0) : x;
        case COLUMN_SKEWED:
            return exp(5 * x);
        case COLUMN_HUGE:
            return x * 1e307;
        case COLUMN_DENORMAL:
            return x * 0x1p-1065;
        case COLUMN_ANY_BITS:
            memcpy(&any, &bits, sizeof any);
            return any;
        case COLUMN_CLOSE:
            return (bits % 5 == 0 ? -3.0 : 1.0) + (double)(bits >> 40) * 0x1p-50;
        case COLUMN_AROUND_A_BIN:
            return (double)(bits % 256) + (bits % 997 == 0 ? 0.5 : 0.0);
        case COLUMN_AROUND_KNOTS:
            return (double)(bits % 1025);
        case COLUMN_HEAVY_THEN_FEW:
            return bits % 1000 < 950 ? -1.0 : (double)(bits % 97);
        case COLUMN_INFINITE:
            return bits % 3 == 0 ? -INFINITY : bits % 3 == 1 ? INFINITY : rint(x);
        case COLUMN_ASCENDING:
            return (double)i;
        case COLUMN_CONSTANT:
            return 2.5;
        default:
            return NAN;
    }
}

/* With `missing`, about every fifth value is; with `narrow`, all are floats. */
static inline void draw_column(enum column_kind kind, uint64_t seed, size_t n, int missing, int narrow,
                               double *values) {
    struct random_stream stream = {0x636f6c ^ seed << 8 ^ (uint64_t)kind};
    for (size_t i = 0; i < n; i++) {
        double value = draw_value(kind, stream, i);
        values[i] = missing && mxb__random_bits(stream, i + MAX_COLUMN * 2) % 5 == 0 ? (double)NAN
                    : narrow                                                         ? (double)(float)value
                                                                                     : value;
    }
}

static inline struct distinct list_distinct(const double *values, size_t n) {
    static uint64_t keys[MAX_COLUMN], spare_keys[MAX_COLUMN];
    static double sums[MAX_COLUMN];
    struct distinct_scratch scratch = {keys, spare_keys, NULL, NULL, sums, 0};
    return mxb__distinct_find(values, NULL, n, &scratch);
}

static inline struct sorted sort_values(const double *values, size_t n, int narrow) {
    static uint64_t keys[MAX_COLUMN], spare[MAX_COLUMN];
    mxb__sorted_write(values, n / 3, narrow, keys, 0); /* in two pieces */
    mxb__sorted_write(values + n / 3, n - n / 3, narrow, keys, n / 3);
    return mxb__sorted_find(keys, spare, n, narrow);
}

/* Runs a check on columns of every kind and length, as floats and as doubles, with and without missing values. */
static inline void for_every_column(void (*check)(const double *values, size_t n, int narrow)) {
    static const size_t sizes[] = {0, 1, 2, 3, 24, 25, 255, 256, 257, 2000, MAX_COLUMN};
    static double values[MAX_COLUMN];
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int kind = 0; kind < N_COLUMN_KINDS; kind++) {
            for (int narrow = 0; narrow < 2; narrow++) {
                draw_column((enum column_kind)kind, s, sizes[s], (kind + narrow) % 2, narrow, values);
                check(values, sizes[s], narrow);
            }
        }
    }
}

#endif
