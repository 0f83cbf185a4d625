#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/kernels.h"

static const struct random_stream RANDOM = {0x6772616d};

enum { MAX_ROWS = 70, MAX_COMPONENTS = 33 };

static float z[MAX_ROWS * MAX_COMPONENTS];
static double h[MAX_ROWS];
static double v[MAX_ROWS];

static void make_rows(void) {
    for (size_t i = 0; i < MAX_ROWS * MAX_COMPONENTS; i++) {
        z[i] = (float)(mxb__random_uniform(RANDOM, i) - 0.5);
    }
    for (size_t i = 0; i < MAX_ROWS; i++) {
        h[i] = i % 7 == 0 ? 0 : exp(6 * mxb__random_normal(RANDOM, 100000 + i)); /* of very different sizes */
        v[i] = h[i] * mxb__random_normal(RANDOM, 200000 + i);
    }
}

/* One entry: rows in order, each operation on its own. */
static double naive_entry(double start, size_t n, size_t c, size_t j, size_t k, int rounded) {
    volatile double sum = start;
    for (size_t i = 0; i < n; i++) {
        volatile double weighted = h[i] * (double)z[i * c + j];
        if (rounded) {
            volatile float single = (float)weighted;
            weighted = (double)single;
        }
        volatile double product = weighted * (double)z[i * c + k];
        sum = sum + product;
    }
    return sum;
}

static void gram_bits(void) {
    static const size_t components[] = {1, 2, 3, 7, 8, 9, 16, 31, MAX_COMPONENTS};
    static const size_t rows[] = {0, 1, 2, 5, MAX_ROWS};
    double gram[MAX_COMPONENTS * MAX_COMPONENTS];
    for (size_t s = 0; s < sizeof components / sizeof components[0]; s++) {
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            for (int rounded = 0; rounded < 2; rounded++) {
                size_t c = components[s];
                size_t n_wrong = 0;
                for (size_t i = 0; i < c * c; i++) {
                    gram[i] = 0.125 * (double)i;
                }
                mxb__kernels()->gram(z, h, rows[r], c, rounded, gram);
                for (size_t j = 0; j < c; j++) {
                    for (size_t k = 0; k <= j; k++) {
                        double start = 0.125 * (double)(j * c + k);
                        n_wrong += gram[j * c + k] != naive_entry(start, rows[r], c, j, k, rounded);
                    }
                    for (size_t k = j + 1; k < c; k++) { /* above the diagonal nothing is touched */
                        n_wrong += gram[j * c + k] != 0.125 * (double)(j * c + k);
                    }
                }
                CHECK_INT(n_wrong, 0);
            }
        }
    }
}

/* Rounded or not, the sums are right to their precision. */
static void gram_is_accurate(void) {
    double gram[2][MAX_COMPONENTS * MAX_COMPONENTS] = {{0}};
    size_t c = MAX_COMPONENTS;
    mxb__kernels()->gram(z, h, MAX_ROWS, c, 0, gram[0]);
    mxb__kernels()->gram(z, h, MAX_ROWS, c, 1, gram[1]);
    for (size_t j = 0; j < c; j++) {
        for (size_t k = 0; k <= j; k++) {
            long double exact = 0;
            long double size = 0;
            for (size_t i = 0; i < MAX_ROWS; i++) {
                long double term = (long double)h[i] * (long double)z[i * c + j] * (long double)z[i * c + k];
                exact += term;
                size += fabsl(term);
            }
            CHECK(fabsl((long double)gram[0][j * c + k] - exact) <= 1e-14L * size);
            CHECK(fabsl((long double)gram[1][j * c + k] - exact) <= 6.1e-8L * size);
        }
    }
}

/* Calls on pieces of the rows, one after another, are one call on all. */
static void gram_in_pieces(void) {
    double whole[MAX_COMPONENTS * MAX_COMPONENTS] = {0};
    double pieces[MAX_COMPONENTS * MAX_COMPONENTS] = {0};
    size_t c = MAX_COMPONENTS;
    mxb__kernels()->gram(z, h, MAX_ROWS, c, 1, whole);
    mxb__kernels()->gram(z, h, 13, c, 1, pieces);
    mxb__kernels()->gram(z + 13 * c, h + 13, MAX_ROWS - 13, c, 1, pieces);
    CHECK_INT(memcmp(whole, pieces, sizeof whole), 0);
}

static void weighted_sum_bits(void) {
    for (size_t c = 1; c <= MAX_COMPONENTS; c++) {
        double sums[MAX_COMPONENTS];
        for (size_t j = 0; j < c; j++) {
            sums[j] = 0.3 * (double)j;
        }
        mxb__kernels()->weighted_sum(z, v, MAX_ROWS, c, sums);
        size_t n_wrong = 0;
        for (size_t j = 0; j < c; j++) {
            volatile double sum = 0.3 * (double)j;
            for (size_t i = 0; i < MAX_ROWS; i++) {
                volatile double product = v[i] * (double)z[i * c + j];
                sum = sum + product;
            }
            n_wrong += sums[j] != sum;
        }
        CHECK_INT(n_wrong, 0);
    }
}

static void dot_bits(void) {
    double weights[MAX_COMPONENTS];
    double out[MAX_ROWS + 1];
    for (size_t j = 0; j < MAX_COMPONENTS; j++) {
        weights[j] = mxb__random_normal(RANDOM, 300000 + j);
    }
    for (size_t c = 0; c <= MAX_COMPONENTS; c++) {
        for (size_t n = 0; n <= MAX_ROWS; n += 35) {
            out[n] = 77;
            mxb__kernels()->dot(z, n, c, weights, out);
            size_t n_wrong = out[n] != 77;
            for (size_t i = 0; i < n; i++) {
                volatile double lane[8] = {0};
                for (size_t first = 0; first < 8; first++) {
                    for (size_t j = first; j < c; j += 8) {
                        volatile double product = (double)z[i * c + j] * weights[j];
                        lane[first] = lane[first] + product;
                    }
                }
                volatile double even_low = lane[0] + lane[4];
                volatile double even_high = lane[2] + lane[6];
                volatile double odd_low = lane[1] + lane[5];
                volatile double odd_high = lane[3] + lane[7];
                volatile double even = even_low + even_high;
                volatile double odd = odd_low + odd_high;
                n_wrong += out[i] != even + odd;
            }
            CHECK_INT(n_wrong, 0);
        }
    }
}

int main(void) {
    make_rows();
    RUN(gram_bits);
    RUN(gram_is_accurate);
    RUN(gram_in_pieces);
    RUN(weighted_sum_bits);
    RUN(dot_bits);
    return check_report();
}
