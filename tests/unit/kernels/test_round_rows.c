/* Gradients as integers: every bit that of floor and llrint, row by row. */
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/training_kernels.h"

static const struct random_stream RANDOM = {0x71756e74};
static const struct random_stream NOISE = {0x6e6f697365};

enum { MAX_ROWS = 1000 };

static double g[MAX_ROWS], h[MAX_ROWS];
static uint64_t words[MAX_ROWS + 1];
static struct gradient_sum sums[MAX_ROWS + 1];

/* Numbers of all sizes up to 2^bits times the scale's inverse, among them integers, halves and zeros. */
static struct scaled_rows make_rows(int bits, int exponent) {
    struct scaled_rows rows = {g, h, HESSIAN_STORED, ldexp(1, exponent), ldexp(1, exponent + 3)};
    for (size_t i = 0; i < MAX_ROWS; i++) {
        double size = ldexp(1, (int)(i % (size_t)(bits + 6)) - 5); /* 2^-5 .. 2^bits */
        double x = size * (2 * mxb__random_uniform(RANDOM, i) - 1);
        double y = size * mxb__random_uniform(RANDOM, 10000 + i);
        x = i % 5 == 1 ? round(x) : i % 5 == 2 && size < 0x1p40 ? floor(x) + 0.5 : i % 11 == 3 ? 0 : x;
        y = i % 7 == 1 ? round(y) : i % 7 == 2 && size < 0x1p40 ? floor(y) + 0.5 : i % 13 == 3 ? 0 : y;
        x = i % 97 == 50 ? -ldexp(1, bits) : i % 97 == 51 ? ldexp(1, bits) : i % 97 == 52 ? nextafter(8, 0) : x;
        y = i % 89 == 50 ? ldexp(1, bits) : i % 89 == 51 ? 0x1p-1074 : i % 89 == 52 ? 8 : y;
        g[i] = x / rows.g_scale;
        h[i] = y / rows.h_scale;
    }
    return rows;
}

/* |g| up to 1, and no array of hessians: those in h are what g implies. */
static struct scaled_rows make_implied(enum hessian hessian, int bits) {
    struct scaled_rows rows = make_rows(bits, bits);
    rows.h = NULL;
    rows.hessian = hessian;
    rows.h_scale = rows.g_scale;
    for (size_t i = 0; i < MAX_ROWS; i++) {
        h[i] = hessian == HESSIAN_ONE ? 1 : fmax(fabs(g[i]) * (1 - fabs(g[i])), 1e-16);
    }
    return rows;
}

static int below_8(double quanta) { return quanta != 0 && fabs(quanta) < 8; }

static void check_packed(const struct scaled_rows *rows, size_t first, size_t n) {
    memset(words, 77, sizeof words);
    uint64_t outside = words[MAX_ROWS];
    size_t n_coarse = mxb__training_kernels()->quanta_packed(rows, NOISE, first, n, words);
    size_t n_wrong = 0;
    size_t expected_coarse = 0;
    for (size_t i = 0; i < MAX_ROWS + 1; i++) {
        if (i < first || i >= first + n) {
            n_wrong += words[i] != outside;
            continue;
        }
        uint64_t bits = mxb__random_bits(NOISE, i);
        double x = g[i] * rows->g_scale;
        double y = h[i] * rows->h_scale;
        int64_t high = (int64_t)floor(x + ldexp((double)(bits >> 32), -32));
        int64_t low = (int64_t)floor(y + ldexp((double)(uint32_t)bits, -32));
        n_wrong += words[i] != ((uint64_t)high << 32) + (uint64_t)low;
        expected_coarse += below_8(x) || below_8(y);
    }
    CHECK_INT(n_wrong, 0);
    CHECK_INT(n_coarse, expected_coarse);
}

static void check_wide(const struct scaled_rows *rows, size_t first, size_t n) {
    memset(sums, 77, sizeof sums);
    struct gradient_sum outside = sums[MAX_ROWS];
    mxb__training_kernels()->quanta_wide(rows, first, n, sums);
    size_t n_wrong = 0;
    for (size_t i = 0; i < MAX_ROWS + 1; i++) {
        struct gradient_sum expected = outside;
        if (i >= first && i < first + n) {
            expected = (struct gradient_sum){llrint(g[i] * rows->g_scale), llrint(h[i] * rows->h_scale)};
        }
        n_wrong += sums[i].g != expected.g || sums[i].h != expected.h;
    }
    CHECK_INT(n_wrong, 0);
}

static void every_row_is_rounded_as_by_itself(void) {
    static const int exponents[] = {0, 30, -40, 900, -900};
    for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
        for (size_t first = 0; first < 10; first += 3) {
            for (size_t n = 0; first + n <= MAX_ROWS; n = n < 40 ? n + 1 : n + 157) {
                struct scaled_rows rows = make_rows(30, exponents[e]);
                check_packed(&rows, first, n);
                rows = make_rows(61, exponents[e]);
                check_wide(&rows, first, n);
            }
        }
    }
}

static void implied_hessians_are_those_of_an_array(void) {
    for (int k = 0; k < 2; k++) {
        enum hessian hessian = k == 0 ? HESSIAN_ONE : HESSIAN_LOGISTIC;
        for (size_t first = 0; first < 10; first += 3) {
            for (size_t n = 0; first + n <= MAX_ROWS; n = n < 40 ? n + 1 : n + 157) {
                struct scaled_rows rows = make_implied(hessian, 30);
                check_packed(&rows, first, n);
                rows = make_implied(hessian, 61);
                check_wide(&rows, first, n);
            }
        }
    }
}

static void check_sums(struct scaled_rows rows) {
    uint32_t indices[200];
    for (size_t n = 0; n <= 200; n++) {
        struct gradient_sum expected = {0, 0};
        for (size_t i = 0; i < n; i++) {
            indices[i] = (uint32_t)(i * i * 7 % MAX_ROWS);
            expected.g += llrint(g[indices[i]] * rows.g_scale);
            expected.h += llrint(h[indices[i]] * rows.h_scale);
        }
        struct gradient_sum sum = mxb__training_kernels()->sum_quanta(&rows, indices, n);
        CHECK(sum.g == expected.g && sum.h == expected.h);
    }
}

static void sums_are_those_of_the_rows(void) {
    check_sums(make_rows(52, 10));
    check_sums(make_implied(HESSIAN_ONE, 52));
    check_sums(make_implied(HESSIAN_LOGISTIC, 52));
}

int main(void) {
    RUN(every_row_is_rounded_as_by_itself);
    RUN(implied_hessians_are_those_of_an_array);
    RUN(sums_are_those_of_the_rows);
    return check_report();
}
