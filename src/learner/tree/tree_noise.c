/* Noise on splits: its size and its draws. Part of the frozen arithmetic. Knows nothing of gains. */
#include "learner/tree/tree_noise.h"

#include "base/math.h"

static const double FADING_ROUNDS = 200.0; /* after so many, the deviation is 1/e of what it was */
static const double LEAST_DEVIATION = 0.001;
static const double LEAST_FACTOR = 0.05;

struct split_noise mxb__split_noise(uint64_t seed, uint32_t round, double deviation) {
    double faded = deviation * mxb__exp(-(double)(round - 1) / FADING_ROUNDS);
    struct split_noise noise = {faded < LEAST_DEVIATION ? 0.0 : faded,
                                mxb__random_stream(seed, RANDOM_SPLIT_NOISE, round)};
    return noise;
}

/* The sum of four dice of 2^16 sides is as good as normal here, and takes a quarter of the time. */
double mxb__split_noise_factor(const struct split_noise *noise, uint32_t place, uint32_t feature) {
    static const double mean = 2.0 * 65535.0;
    static const double to_deviations = 0x1.bb67ae8584caap+0 / 65536.0; /* sqrt(3) / 2^16 */
    uint64_t bits = mxb__random_bits(noise->random, (uint64_t)place << 32 | feature);
    uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    double factor = 1.0 + noise->deviation * (((double)sum - mean) * to_deviations);
    return factor < LEAST_FACTOR ? LEAST_FACTOR : factor;
}
