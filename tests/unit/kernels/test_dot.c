#include "base/random.h"
#include "check.h"
#include "kernels/kernels.h"

static const struct random_stream RANDOM = {0x72696467};

/* More than kernels take at a time. */
enum { MAX_ROWS = 131, MAX_COMPONENTS = 131 };

static float z[MAX_ROWS * MAX_COMPONENTS];

static void dot_bits(void) {
    double weights[MAX_COMPONENTS];
    double out[MAX_ROWS + 1];
    for (size_t j = 0; j < MAX_COMPONENTS; j++) {
        weights[j] = mxb__random_normal(RANDOM, 300000 + j);
    }
    for (size_t i = 0; i < MAX_ROWS * MAX_COMPONENTS; i++) {
        z[i] = (float)(mxb__random_uniform(RANDOM, i) - 0.5);
    }
    for (size_t c = 0; c <= MAX_COMPONENTS; c++) {
        for (size_t n = 0; n <= MAX_ROWS; n += 43) {
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
    RUN(dot_bits);
    return check_report();
}
