#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/training_kernels.h"

static const struct random_stream RANDOM = {0x6772616d};

/* More than kernels take at a time. */
enum { MAX_ROWS = 131, MAX_COMPONENTS = 131 };

static float z[MAX_ROWS * MAX_COMPONENTS];
static double h[MAX_ROWS];

static void make_rows(void) {
    for (size_t i = 0; i < MAX_ROWS * MAX_COMPONENTS; i++) {
        z[i] = (float)(mxb__random_uniform(RANDOM, i) - 0.5);
    }
    for (size_t i = 0; i < MAX_ROWS; i++) {
        h[i] = i % 7 == 0 ? 0 : exp(6 * mxb__random_normal(RANDOM, 100000 + i)); /* of very different sizes */
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
    static const size_t components[] = {1, 2, 3, 7, 8, 9, 16, 31, 33, 100, 104, 109, MAX_COMPONENTS};
    static const size_t rows[] = {0, 1, 2, 65, MAX_ROWS};
    static double gram[MAX_COMPONENTS * MAX_COMPONENTS + 16];
    for (size_t s = 0; s < sizeof components / sizeof components[0]; s++) {
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            for (int rounded = 0; rounded < 2; rounded++) {
                size_t c = components[s];
                size_t n_wrong = 0;
                for (size_t i = 0; i < c * c + 16; i++) {
                    gram[i] = 0.125 * (double)i;
                }
                mxb__training_kernels()->gram(z, h, rows[r], c, rounded, gram);
                for (size_t j = 0; j < c; j++) {
                    for (size_t k = 0; k <= j; k++) {
                        double start = 0.125 * (double)(j * c + k);
                        n_wrong += gram[j * c + k] != naive_entry(start, rows[r], c, j, k, rounded);
                    }
                    for (size_t k = j + 1; k < c; k++) { /* above the diagonal nothing is touched */
                        n_wrong += gram[j * c + k] != 0.125 * (double)(j * c + k);
                    }
                }
                for (size_t i = c * c; i < c * c + 16; i++) { /* nor behind */
                    n_wrong += gram[i] != 0.125 * (double)i;
                }
                CHECK_INT(n_wrong, 0);
            }
        }
    }
}

/* Rounded or not, the sums are right to their precision. */
static void gram_is_accurate(void) {
    static double gram[2][MAX_COMPONENTS * MAX_COMPONENTS];
    size_t c = MAX_COMPONENTS;
    mxb__training_kernels()->gram(z, h, MAX_ROWS, c, 0, gram[0]);
    mxb__training_kernels()->gram(z, h, MAX_ROWS, c, 1, gram[1]);
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
    static double whole[MAX_COMPONENTS * MAX_COMPONENTS];
    static double pieces[MAX_COMPONENTS * MAX_COMPONENTS];
    size_t c = MAX_COMPONENTS;
    mxb__training_kernels()->gram(z, h, MAX_ROWS, c, 1, whole);
    mxb__training_kernels()->gram(z, h, 13, c, 1, pieces);
    mxb__training_kernels()->gram(z + 13 * c, h + 13, MAX_ROWS - 13, c, 1, pieces);
    CHECK_INT(memcmp(whole, pieces, sizeof whole), 0);
}

int main(void) {
    make_rows();
    RUN(gram_bits);
    RUN(gram_is_accurate);
    RUN(gram_in_pieces);
    return check_report();
}
