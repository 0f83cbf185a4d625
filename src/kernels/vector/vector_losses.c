/* Losses of eight rows at a time, a row a lane: two vectors of AVX2 or one of AVX-512. The last rows of a block that
 * are not eight are filled up with rows of weight 0, which add nothing. */
#include "kernels/vector/vector_training.h"

enum { VECTORS = MXB__LANES / WIDTH };

/* As mxb__exp for x <= 0 and NaN. */
static inline doubles exp_of_negative(doubles x) {
    static const double c[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                               1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                               1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    const double rounder = 0x1.8p52;
    doubles rounded = x * 0x1.71547652b82fep+0 + rounder;
    doubles k = rounded - rounder;
    doubles r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
    doubles p = all(c[11]);
    for (int i = 10; i >= 0; i--) {
        p = p * r + c[i];
    }
    doubles y = 1.0 + (r + r * r * p);
    /* The difference of the bits is that of the numbers, or anything where x is far below. */
    naturals minus_k = (naturals)all(rounder) - (naturals)rounded;
    naturals half = minus_k >> 1;
    doubles power = (doubles)((1023 - half) << 52);
    doubles other = (doubles)((1023 - (minus_k - half)) << 52);
    return where(x < -746.0, all(0.0), y * power * other);
}

/* As mxb__log1p for x in [0, 1]. */
static inline doubles log1p_of_share(doubles x) {
    static const double c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                               2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
    const int64_t sqrt_half = 0x3fe6a09e667f3bcd;
    const int64_t mantissa = 0x000fffffffffffff;
    doubles u = 1.0 + x;
    integers shifted = (integers)u - sqrt_half;
    doubles f = (doubles)((shifted & mantissa) + sqrt_half) - 1.0;
    doubles k = where(shifted > mantissa, all(1.0), all(0.0)); /* u <= 2: the exponent is 0 or 1 */
    doubles s = f / (2.0 + f);
    doubles z = s * s;
    doubles p = all(c[10]);
    for (int i = 9; i >= 0; i--) {
        p = p * z + c[i];
    }
    doubles small = s * (z * p - f) + k * 0x1.a39ef35793c76p-33;
    return (k * 0x1.62e42fee00000p-1 + (f + small)) + (x - (u - 1.0)) / u;
}

/* ---- the loss of some rows ---- */

/* Bytes of 0 or 1: all are loaded into every element, which keeps its own. */
static inline integers load_truths(const uint8_t *from) {
    static const uint64_t places[] = {0, 8, 16, 24, 32, 40, 48, 56};
    naturals place;
    uint64_t bytes = 0;
    memcpy(&place, places, sizeof place);
    memcpy(&bytes, from, WIDTH);
    return -(integers)((((naturals){0} + bytes) >> place) & 1);
}

struct rows_loss {
    doubles value;
    doubles g;
};

static inline struct rows_loss squared_of_rows(const struct loss_block *block, size_t first) {
    doubles residual = load(block->scores + first) - load(block->labels + first);
    doubles in_units = residual / block->unit;
    struct rows_loss loss = {in_units * in_units, residual};
    return loss;
}

static inline struct rows_loss logistic_of_rows(const struct loss_block *block, size_t first) {
    doubles score = load(block->scores + first);
    integers is_1 = load_truths(block->is_1 + first);
    doubles e = exp_of_negative(-magnitude(score));
    doubles likely = 1.0 / (1.0 + e);
    doubles unlikely = e * likely;
    integers is_positive = score >= 0.0;
    doubles p_of_1 = where(is_positive, likely, unlikely);
    doubles p_of_0 = where(is_positive, unlikely, likely);
    struct rows_loss loss = {log1p_of_share(e) + larger(where(is_1, -score, score), all(0.0)),
                             where(is_1, -p_of_0, p_of_1)};
    return loss;
}

/* ---- blocks ---- */

struct lanes {
    doubles abs_g[VECTORS];
    doubles h[VECTORS];
    doubles max_abs_g[VECTORS];
    doubles max_h[VECTORS];
    doubles mean[VECTORS];
};

/* n is a multiple of eight. The last three arguments are constants where this is inlined. */
static inline void take_rows(struct lanes *lanes, const struct loss_block *block, size_t n, int is_logistic,
                             int is_weighted, int with_derivatives) {
    for (size_t i = 0; i < n; i += MXB__LANES) {
        for (size_t v = 0; v < VECTORS; v++) {
            size_t at = i + v * WIDTH;
            struct rows_loss loss = is_logistic ? logistic_of_rows(block, at) : squared_of_rows(block, at);
            doubles weight = is_weighted ? load(block->weights + at) : all(1.0);
            doubles share = weight / block->weight_sum;
            lanes->mean[v] += where(share > 0.0, share * loss.value, all(0.0));
            if (with_derivatives) {
                doubles g = loss.g * weight;
                doubles h = implied_hessians(is_logistic ? HESSIAN_LOGISTIC : HESSIAN_ONE, loss.g) * weight;
                store(block->g + at, g);
                if (block->h != NULL) {
                    store(block->h + at, h);
                }
                lanes->abs_g[v] += magnitude(g);
                lanes->h[v] += h;
                lanes->max_abs_g[v] = larger(magnitude(g), lanes->max_abs_g[v]);
                lanes->max_h[v] = larger(h, lanes->max_h[v]);
            }
        }
    }
}

static inline void take_some(struct lanes *lanes, const struct loss_block *block, size_t n, int is_logistic) {
    struct lanes taken = *lanes; /* of its own, so that it can live in registers */
    if (block->weights == NULL && block->g != NULL) {
        take_rows(&taken, block, n, is_logistic, 0, 1);
    } else if (block->weights == NULL) {
        take_rows(&taken, block, n, is_logistic, 0, 0);
    } else if (block->g != NULL) {
        take_rows(&taken, block, n, is_logistic, 1, 1);
    } else {
        take_rows(&taken, block, n, is_logistic, 1, 0);
    }
    *lanes = taken;
}

static inline void take_rest(struct lanes *lanes, const struct loss_block *block, size_t first, int is_logistic) {
    double labels[MXB__LANES] = {0};
    uint8_t is_1[MXB__LANES] = {0};
    double scores[MXB__LANES] = {0};
    double weights[MXB__LANES] = {0};
    double g[MXB__LANES];
    double h[MXB__LANES];
    struct loss_block rest = *block;
    rest.n = block->n - first;
    for (size_t i = 0; i < rest.n; i++) {
        labels[i] = is_logistic ? 0.0 : block->labels[first + i];
        is_1[i] = is_logistic ? block->is_1[first + i] : 0;
        scores[i] = block->scores[first + i];
        weights[i] = block->weights == NULL ? 1.0 : block->weights[first + i];
    }
    rest.labels = labels;
    rest.is_1 = is_1;
    rest.scores = scores;
    rest.weights = weights;
    rest.g = block->g == NULL ? NULL : g;
    rest.h = block->h == NULL ? NULL : h;
    take_some(lanes, &rest, MXB__LANES, is_logistic);
    if (block->g != NULL) {
        memcpy(block->g + first, g, rest.n * sizeof *g);
    }
    if (block->h != NULL) {
        memcpy(block->h + first, h, rest.n * sizeof *h);
    }
}

static double sum_of(const doubles *lanes) {
    double lane[MXB__LANES];
    memcpy(lane, lanes, sizeof lane);
    return mxb__add_lanes(lane);
}

static double largest_of(const doubles *lanes) {
    double lane[MXB__LANES];
    memcpy(lane, lanes, sizeof lane);
    double largest = 0.0;
    for (size_t i = 0; i < MXB__LANES; i++) {
        largest = lane[i] > largest ? lane[i] : largest;
    }
    return largest;
}

static inline struct loss_sums take_block(const struct loss_block *block, int is_logistic) {
    struct lanes lanes = {0};
    size_t n_whole = block->n - block->n % MXB__LANES;
    take_some(&lanes, block, n_whole, is_logistic);
    if (n_whole < block->n) {
        take_rest(&lanes, block, n_whole, is_logistic);
    }
    struct loss_sums sums = {sum_of(lanes.abs_g), sum_of(lanes.h), largest_of(lanes.max_abs_g), largest_of(lanes.max_h),
                             sum_of(lanes.mean)};
    return sums;
}

struct loss_sums MXB__KERNEL(squared)(const struct loss_block *block) {
    return take_block(block, 0);
}

struct loss_sums MXB__KERNEL(logistic)(const struct loss_block *block) {
    return take_block(block, 1);
}
