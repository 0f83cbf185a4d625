/* Step 9 of the data's path: the variance of a sum of cosines, feature by feature. Knows nothing of rounds and gains.
 *
 * With u_j = 2 pi W_j and b_j = 2 pi phase_j, a product of two components has the mean
 *
 *     E cos(u_j x + b_j) cos(u_k x + b_k) = (exp(-|u_j - u_k|^2 / 2) cos(b_j - b_k) +
 *                                            exp(-|u_j + u_k|^2 / 2) cos(b_j + b_k)) / 2,
 *
 * and where feature f is averaged out first, the exponents are less by u_jf u_kf and more by it. An index is what this
 * takes off the second moment of f. The exponents, added up first, are never positive, so nothing overflows. */
#include "model/sobol.h"

#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/memory.h"
#include "base/random.h"

/* Exponentials of the exact way, and rows of the estimate: some tenths of a second, an error of a few percent. With so
 * few components the exact way is the faster one, however many features there are. */
enum { MOST_EXPONENTIALS = 1 << 25, N_ROWS = 1024, FEW_COMPONENTS = N_ROWS / 2, ARRAYS = 6 };

static const double TURN = 6.283185307179586; /* 2 pi */

size_t mxb__sobol_scratch(const struct projection *projection) {
    return (size_t)projection->n_components * ARRAYS + projection->n_features;
}

static const float *frequencies(const struct projection *projection, uint32_t feature) {
    return projection->weights + (size_t)feature * projection->n_components;
}

/* ---- exactly ---- */

/* Of each component the weight times the cosine and the sine of its phase; of one component j with each k <= j the two
 * exponents and what stands before them. */
struct pairs {
    double *cosines, *sines;
    double *minus, *plus;
    double *before_minus, *before_plus;
};

static struct pairs open_pairs(const struct projection *projection, const double *weights, double *scratch) {
    size_t c = projection->n_components;
    struct pairs pairs = {scratch, scratch + c, scratch + 2 * c, scratch + 3 * c, scratch + 4 * c, scratch + 5 * c};
    for (size_t j = 0; j < c; j++) {
        double phase = (double)projection->phases[j];
        pairs.cosines[j] = weights[j] * (double)mxb__cos_turns((float)phase);
        pairs.sines[j] = weights[j] * (double)mxb__cos_turns((float)(phase - 0.25));
    }
    return pairs;
}

/* Half of each pair, and pairs of different components twice. */
static void pair_up(const struct pairs *pairs, const struct projection *projection, uint32_t j) {
    for (uint32_t k = 0; k <= j; k++) {
        double cosines = pairs->cosines[j] * pairs->cosines[k], sines = pairs->sines[j] * pairs->sines[k];
        double times = k < j ? 1 : 0.5;
        pairs->minus[k] = pairs->plus[k] = 0;
        pairs->before_minus[k] = times * (cosines + sines);
        pairs->before_plus[k] = times * (cosines - sines);
    }
    for (uint32_t f = 0; f < projection->n_features; f++) {
        const float *w = frequencies(projection, f);
        for (uint32_t k = 0; k <= j; k++) {
            double difference = TURN * ((double)w[j] - (double)w[k]), sum = TURN * ((double)w[j] + (double)w[k]);
            pairs->minus[k] -= difference * difference / 2;
            pairs->plus[k] -= sum * sum / 2;
        }
    }
}

/* What component j with those before it adds to the second moment, which where `w` is given is taken without the
 * feature of these frequencies. */
static double second_moment(const struct pairs *pairs, uint32_t j, const float *w) {
    double sum = 0;
    for (uint32_t k = 0; k <= j; k++) {
        double out = w != NULL ? TURN * (double)w[j] * (TURN * (double)w[k]) : 0;
        sum += pairs->before_minus[k] * mxb__exp(pairs->minus[k] - out) +
               pairs->before_plus[k] * mxb__exp(pairs->plus[k] + out);
    }
    return sum;
}

void mxb__sobol_from_pairs(const struct projection *projection, const double *weights, double *scratch,
                           double *indices) {
    struct pairs pairs = open_pairs(projection, weights, scratch);
    double whole = 0;
    memset(indices, 0, projection->n_features * sizeof *indices);
    for (uint32_t j = 0; j < projection->n_components; j++) {
        pair_up(&pairs, projection, j);
        whole += second_moment(&pairs, j, NULL);
        for (uint32_t f = 0; f < projection->n_features; f++) {
            indices[f] -= second_moment(&pairs, j, frequencies(projection, f));
        }
    }
    for (uint32_t f = 0; f < projection->n_features; f++) {
        indices[f] = fmax(indices[f] + whole, 0); /* rounding may make it negative */
    }
}

/* ---- from random rows ---- */

/* The function at a row given by its turns, but with one feature moved by `step`. */
static double evaluate(const struct projection *projection, const double *weights, const double *turns,
                       uint32_t feature, double step) {
    const float *w = frequencies(projection, feature);
    double sum = 0;
    for (uint32_t j = 0; j < projection->n_components; j++) {
        sum += weights[j] * (double)mxb__cos_turns((float)(turns[j] + step * (double)w[j]));
    }
    return sum;
}

static void find_turns(const struct projection *projection, const double *row, double *turns) {
    for (uint32_t j = 0; j < projection->n_components; j++) {
        turns[j] = (double)projection->phases[j];
    }
    for (uint32_t f = 0; f < projection->n_features; f++) {
        for (uint32_t j = 0; j < projection->n_components; j++) {
            turns[j] += row[f] * (double)frequencies(projection, f)[j];
        }
    }
}

/* Jansen's estimate: half the mean square of what drawing one feature anew does to the function. */
void mxb__sobol_from_rows(const struct projection *projection, const double *weights, double *scratch,
                          double *indices) {
    uint32_t d = projection->n_features;
    double *turns = scratch, *row = scratch + projection->n_components;
    struct random_stream random = mxb__random_stream(0, RANDOM_IMPORTANCE, 0);
    memset(indices, 0, d * sizeof *indices);
    for (uint64_t i = 0; i < N_ROWS; i++) {
        uint64_t first = 2 * i * d;
        for (uint32_t f = 0; f < d; f++) {
            row[f] = mxb__random_normal(random, first + f);
        }
        find_turns(projection, row, turns);
        double value = evaluate(projection, weights, turns, 0, 0);
        for (uint32_t f = 0; f < d; f++) {
            double anew = mxb__random_normal(random, first + d + f);
            double change = evaluate(projection, weights, turns, f, anew - row[f]) - value;
            indices[f] += change * change / (2 * N_ROWS);
        }
    }
}

/* ---- either ---- */

static void scale_weights(const double *from, uint32_t n, double *to) {
    double largest = 0;
    for (uint32_t j = 0; j < n; j++) {
        largest = fmax(largest, fabs(from[j]));
    }
    for (uint32_t j = 0; j < n; j++) {
        to[j] = largest > 0 ? from[j] / largest : 0;
    }
}

mxb_status mxb__sobol_indices(const struct projection *projection, const double *weights, double *indices,
                              mxb_error *error) {
    uint64_t c = projection->n_components, d = projection->n_features;
    double *memory;
    MXB_TRY(mxb__alloc(&memory, c + mxb__sobol_scratch(projection), sizeof *memory, "importances", error));
    scale_weights(weights, projection->n_components, memory);
    if (c <= FEW_COMPONENTS || c * (c + 1) * (d + 1) <= MOST_EXPONENTIALS) {
        mxb__sobol_from_pairs(projection, memory, memory + c, indices);
    } else {
        mxb__sobol_from_rows(projection, memory, memory + c, indices);
    }
    mxb__free(memory);
    return MXB_OK;
}
