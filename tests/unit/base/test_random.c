#include "base/random.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

/* Bits are a promise: every model and split ever made depends on these. */
static void bits_stay(void) {
    struct random_stream stream = mxb__random_stream(0, RANDOM_LEARNER, 0);
    struct random_stream other = mxb__random_stream(42, RANDOM_FREQUENCIES, 7);
    struct random_stream last = mxb__random_stream(UINT64_MAX, RANDOM_SPLIT_ROWS, UINT64_MAX);
    CHECK(mxb__mix64(1) == 0x5692161D100B05E5u);
    CHECK(stream.key == 0xBADE51B6C6FA8247u);
    CHECK(mxb__random_bits(stream, 0) == 0xC7C4338994C2B7E2u);
    CHECK(mxb__random_bits(stream, 1) == 0x0AB9D946C55210F4u);
    CHECK(mxb__random_bits(other, 0) == 0xCFCD547FC91E9C01u);
    CHECK(mxb__random_bits(other, 1000000007) == 0xE4CB21AFA25DB900u);
    CHECK(mxb__random_bits(last, UINT64_MAX) == 0x15395BD4B61E147Du);
    CHECK(mxb__random_uniform(other, 3) == 0x1.07bde51885b8bp-1);
    CHECK(mxb__random_normal(other, 3) == 0x1.3691057d682bfp-5);
    CHECK(mxb__random_normal(last, 0) == 0x1.aae2c4aabcc5ep+0);
}

/* Chi-square of n draws over `cells` cells, less its mean, in standard deviations. */
static double chi_square(const unsigned *counts, unsigned cells, double n) {
    double sum = 0;
    for (unsigned i = 0; i < cells; i++) {
        double expected = n / cells;
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return (sum - (cells - 1)) / sqrt(2.0 * (cells - 1));
}

enum { N = 200000, CELLS = 256 };

/* Each byte of the bits, by index, by round, by seed and by purpose: whichever counter runs, the draws look uniform. */
static uint64_t draw(int which, uint64_t i) {
    switch (which) {
        case 0:
            return mxb__random_bits(mxb__random_stream(1, RANDOM_ROWS, 2), i);
        case 1:
            return mxb__random_bits(mxb__random_stream(1, RANDOM_ROWS, i), 3);
        case 2:
            return mxb__random_bits(mxb__random_stream(i, RANDOM_ROWS, 0), 0);
        case 3: /* high bits only */
            return mxb__random_bits(mxb__random_stream(1, RANDOM_ROWS, 2), i << 40);
        default: /* purpose, round and index at once */
            return mxb__random_bits(mxb__random_stream(0, (enum random_purpose)(1 + i % 8), i / 8 % 50), i / 400);
    }
}

static void every_byte_is_uniform(void) {
    for (int which = 0; which < 5; which++) {
        for (unsigned byte = 0; byte < 8; byte++) {
            unsigned counts[CELLS] = {0};
            for (uint64_t i = 0; i < N; i++) {
                counts[draw(which, i) >> (8 * byte) & 255]++;
            }
            CHECK(fabs(chi_square(counts, CELLS, N)) < 4.5);
        }
    }
}

/* Pairs of neighbours in index, round and seed are independent. */
static void neighbours_are_independent(void) {
    for (int which = 0; which < 5; which++) {
        unsigned counts[CELLS] = {0};
        unsigned n_equal_bits = 0;
        for (uint64_t i = 0; i < N; i++) {
            uint64_t a = draw(which, i);
            uint64_t b = draw(which, i + 1);
            counts[(a >> 60) << 4 | b >> 60]++;
            for (uint64_t same = ~(a ^ b); same != 0; same &= same - 1) {
                n_equal_bits++;
            }
        }
        CHECK(fabs(chi_square(counts, CELLS, N)) < 4.5);
        CHECK(fabs(n_equal_bits - 32.0 * N) < 4.5 * sqrt(16.0 * N)); /* 64 coins a pair */
    }
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Among so few of 2^64 no two are the same: streams of other seeds, purposes and rounds do not meet. */
static void streams_do_not_meet(void) {
    enum { SEEDS = 6, PURPOSES = 8, ROUNDS = 30, INDICES = 100, ALL = SEEDS * PURPOSES * ROUNDS * INDICES };
    static const uint64_t seeds[SEEDS] = {0, 1, 2, 0x9E3779B97F4A7C15u, UINT64_MAX, (uint64_t)1 << 63};
    uint64_t *bits = malloc(ALL * sizeof *bits);
    REQUIRE(bits != NULL);
    size_t n = 0;
    for (size_t s = 0; s < SEEDS; s++) {
        for (int purpose = 1; purpose <= PURPOSES; purpose++) {
            for (uint64_t round = 0; round < ROUNDS; round++) {
                struct random_stream stream = mxb__random_stream(seeds[s], (enum random_purpose)purpose, round);
                for (uint64_t i = 0; i < INDICES; i++) {
                    bits[n++] = mxb__random_bits(stream, i);
                }
            }
        }
    }
    qsort(bits, n, sizeof *bits, compare);
    size_t n_same = 0;
    for (size_t i = 1; i < n; i++) {
        n_same += bits[i] == bits[i - 1];
    }
    CHECK_INT(n, ALL);
    CHECK_INT(n_same, 0);
    free(bits);
}

static void uniform_has_its_moments(void) {
    struct random_stream stream = mxb__random_stream(5, RANDOM_PHASES, 0);
    double sum = 0;
    double sum_squares = 0;
    double product = 0;
    int n_out = 0;
    for (uint64_t i = 0; i < N; i++) {
        double u = mxb__random_uniform(stream, i);
        n_out += !(u >= 0 && u < 1) || u * 0x1p53 != floor(u * 0x1p53);
        sum += u;
        sum_squares += u * u;
        product += u * mxb__random_uniform(stream, i + 1);
    }
    CHECK_INT(n_out, 0);
    CHECK_NEAR(sum / N, 0.5, 4 * 0.2887 / sqrt(N));
    CHECK_NEAR(sum_squares / N, 1.0 / 3, 4 * 0.2981 / sqrt(N));
    CHECK_NEAR(product / N, 0.25, 4 * 0.25 / sqrt(N));
}

static void normal_has_its_moments(void) {
    struct random_stream stream = mxb__random_stream(6, RANDOM_FREQUENCIES, 0);
    double moments[5] = {0};
    int n_beyond[4] = {0};
    for (uint64_t i = 0; i < N; i++) {
        double x = mxb__random_normal(stream, i);
        double power = x;
        for (int m = 1; m <= 4; m++, power *= x) {
            moments[m] += power / N;
        }
        for (int k = 1; k <= 3; k++) {
            n_beyond[k] += fabs(x) > k;
        }
    }
    CHECK_NEAR(moments[1], 0, 4 / sqrt(N));
    CHECK_NEAR(moments[2], 1, 4 * sqrt(2.0 / N));
    CHECK_NEAR(moments[3], 0, 4 * sqrt(15.0 / N));
    CHECK_NEAR(moments[4], 3, 4 * sqrt(96.0 / N));
    static const double tails[4] = {0, 0.31731050786, 0.04550026390, 0.00269979606};
    for (int k = 1; k <= 3; k++) {
        CHECK_NEAR(n_beyond[k], N * tails[k], 4 * sqrt(N * tails[k]));
    }
}

/* ---- The ends: the index at which a stream gives chosen bits, by undoing the mixing ---- */

static uint64_t inverse(uint64_t odd) { /* modulo 2^64, by Newton's iteration */
    uint64_t x = odd;
    for (int i = 0; i < 6; i++) {
        x *= 2 - odd * x;
    }
    return x;
}

static uint64_t unshift(uint64_t y, unsigned shift) { /* the x with y = x ^ (x >> shift) */
    uint64_t x = y;
    for (unsigned done = shift; done < 64; done += shift) {
        x = y ^ (x >> shift);
    }
    return x;
}

static uint64_t unmix(uint64_t y) {
    y = unshift(y, 31) * inverse(0x94D049BB133111EBu);
    y = unshift(y, 27) * inverse(0xBF58476D1CE4E5B9u);
    return unshift(y, 30);
}

static uint64_t index_of(struct random_stream stream, uint64_t bits) {
    return (unmix(unmix(bits) ^ stream.key) - stream.key) * inverse(0x9E3779B97F4A7C15u);
}

static void ends_are_inside(void) {
    struct random_stream stream = mxb__random_stream(3, RANDOM_FREQUENCIES, 1);
    uint64_t lowest = index_of(stream, 0);
    uint64_t highest = index_of(stream, UINT64_MAX);
    CHECK(mxb__random_bits(stream, lowest) == 0);
    CHECK(mxb__random_bits(stream, highest) == UINT64_MAX);
    CHECK(mxb__random_uniform(stream, lowest) == 0);
    CHECK(mxb__random_uniform(stream, highest) == 1 - 0x1p-53);
    CHECK_NEAR(mxb__random_normal(stream, lowest), -8.2095, 0.2);
    CHECK_NEAR(mxb__random_normal(stream, highest), 8.2095, 0.2);
    CHECK(mxb__random_normal(stream, lowest) == -mxb__random_normal(stream, highest));
    uint64_t below_half = index_of(stream, UINT64_MAX >> 1);
    uint64_t above_half = index_of(stream, (uint64_t)1 << 63);
    CHECK(mxb__random_normal(stream, below_half) == -mxb__random_normal(stream, above_half));
    CHECK_NEAR(mxb__random_normal(stream, above_half), 0, 1e-15);
}

int main(void) {
    RUN(bits_stay);
    RUN(every_byte_is_uniform);
    RUN(neighbours_are_independent);
    RUN(streams_do_not_meet);
    RUN(uniform_has_its_moments);
    RUN(normal_has_its_moments);
    RUN(ends_are_inside);
    return check_report();
}
