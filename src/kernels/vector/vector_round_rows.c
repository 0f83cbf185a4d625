/* Gradients as integers, some rows at a time. Adding a large number rounds to an integer and leaves it in the lowest
 * bits of the sum, which needs no conversion of 64-bit integers: AVX2 has none. */
#include "kernels/portable/portable_training.h"
#include "kernels/vector/vector_training.h"

/* Adding it rounds |x| < 2^51 to the nearest integer, halves to even. */
static const double ROUNDER = 0x1.8p52;

/* The integer x in x + ROUNDER. */
static inline integers low_bits(doubles x_and_rounder) { return (integers)x_and_rounder - (integers)all(ROUNDER); }

static inline doubles hessians_of_rows(const struct scaled_rows *rows, size_t first, doubles g) {
    return rows->hessian == HESSIAN_STORED ? load(rows->h + first) : implied_hessians(rows->hessian, g);
}

/* ---- packed ---- */

static inline naturals mix64(naturals x) { /* as mxb__mix64 */
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* Integers below 2^32 as parts of it: they become the lowest bits of a double between 2^52 and 2^53. */
static inline doubles part_of_32_bits(naturals x) { return ((doubles)(x | (naturals)all(0x1p52)) - 0x1p52) * 0x1p-32; }

static inline integers floor_of(doubles x) { /* |x| < 2^51 */
    doubles rounded = x + ROUNDER;
    return low_bits(rounded) + (rounded - ROUNDER > x); /* true is -1 */
}

static inline integers is_coarse(doubles quanta) { return (quanta > 0.0) & (quanta < (double)MXB__COARSE_QUANTA); }

size_t MXB__KERNEL(quanta_packed)(const struct scaled_rows *rows, struct random_stream noise, size_t first, size_t n,
                                  uint64_t *words) {
    const uint64_t step = 0x9E3779B97F4A7C15u; /* of mxb__random_bits */
    naturals counter;
    for (size_t k = 0; k < WIDTH; k++) {
        counter[k] = noise.key + (first + k) * step;
    }
    integers n_coarse = {0};
    size_t i = first;
    for (; i + WIDTH <= first + n; i += WIDTH, counter += WIDTH * step) {
        naturals bits = mix64(mix64(counter) ^ noise.key);
        doubles unscaled_g = load(rows->g + i);
        doubles g = unscaled_g * rows->g_scale;
        doubles h = hessians_of_rows(rows, i, unscaled_g) * rows->h_scale;
        n_coarse -= is_coarse(magnitude(g)) | is_coarse(h);
        integers g_quanta = floor_of(g + part_of_32_bits(bits >> 32));
        integers h_quanta = floor_of(h + part_of_32_bits(bits & 0xffffffffu));
        naturals word = ((naturals)g_quanta << 32) + (naturals)h_quanta;
        memcpy(words + i, &word, sizeof word);
    }
    size_t total = mxb__portable_quanta_packed(rows, noise, i, first + n - i, words);
    for (size_t k = 0; k < WIDTH; k++) {
        total += (size_t)n_coarse[k];
    }
    return total;
}

/* ---- wide ---- */

/* |x| < 2^62. The high part is rounded to multiples of 2^32, which are even, so that the rest decides alone; both
 * parts are exact. */
static inline integers nearest_of(doubles x) {
    doubles high = x * 0x1p-32 + ROUNDER;
    doubles low = (x - (high - ROUNDER) * 0x1p32) + ROUNDER;
    return (integers)((naturals)low_bits(high) << 32) + low_bits(low);
}

void MXB__KERNEL(quanta_wide)(const struct scaled_rows *rows, size_t first, size_t n, struct gradient_sum *sums) {
    size_t i = first;
    for (; i + WIDTH <= first + n; i += WIDTH) {
        doubles unscaled_g = load(rows->g + i);
        integers g = nearest_of(unscaled_g * rows->g_scale);
        integers h = nearest_of(hessians_of_rows(rows, i, unscaled_g) * rows->h_scale);
        for (size_t k = 0; k < WIDTH; k++) {
            sums[i + k] = (struct gradient_sum){g[k], h[k]};
        }
    }
    mxb__portable_quanta_wide(rows, i, first + n - i, sums);
}
