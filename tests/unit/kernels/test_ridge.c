#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/training_kernels.h"

static const struct random_stream RANDOM = {0x72696467};

/* More than kernels take at a time. */
enum { MAX_ROWS = 131, MAX_COMPONENTS = 131 };

static float z[MAX_ROWS * MAX_COMPONENTS];
static double v[MAX_ROWS];

static void make_rows(void) {
    for (size_t i = 0; i < MAX_ROWS * MAX_COMPONENTS; i++) {
        z[i] = (float)(mxb__random_uniform(RANDOM, i) - 0.5);
    }
    for (size_t i = 0; i < MAX_ROWS; i++) { /* of very different sizes */
        v[i] = exp(6 * mxb__random_normal(RANDOM, 100000 + i)) * mxb__random_normal(RANDOM, 200000 + i);
    }
}

static void weighted_sum_bits(void) {
    for (size_t c = 1; c <= MAX_COMPONENTS; c++) {
        double sums[MAX_COMPONENTS + 1];
        for (size_t j = 0; j < c; j++) {
            sums[j] = 0.3 * (double)j;
        }
        sums[c] = 77;
        mxb__training_kernels()->weighted_sum(z, v, MAX_ROWS, c, sums);
        size_t n_wrong = sums[c] != 77;
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

int main(void) {
    make_rows();
    RUN(weighted_sum_bits);
    return check_report();
}
