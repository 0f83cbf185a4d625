/* The hot loops of predictions, which training uses too, as a table of functions on plain arrays. Portable C is always
 * there and is the oracle of every other set; all sets give the same bits. A model takes the table once and keeps it.
 * What only training needs is in training_kernels.h. */
#ifndef MXB_KERNELS_KERNELS_H
#define MXB_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Sums of doubles, over the rows of a block or the components of a row, run in lanes: the i-th in lane i mod 8, each
 * lane in order. */
enum { MXB__LANES = 8 };

static inline double mxb__add_lanes(const double lane[MXB__LANES]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

struct kernels {
    const char *name;

    /* Codes of n values: the number of cuts below the value; `missing_code` for NaN. Cuts ascend. */
    void (*encode)(const double *values, size_t n, const double *cuts, size_t n_cuts, uint8_t missing_code,
                   uint8_t *codes);

    /* z[row][j] = amplitude cos(2 pi (sum_f inputs[row][f] weights[f][j] + phases[j])). Products of two floats are
     * exact in double; the sum begins with the phase and runs over f in order. */
    void (*project)(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                    size_t n_components, float amplitude, float *z);

    /* out[i] = sum_j z_ij weights[j], in double and in lanes. */
    void (*dot)(const float *z, size_t n, size_t n_components, const double *weights, double *out);
};

/** The table for this processor: "avx512", "avx2" or "portable", the first that it can run; or the one that the
 *  environment variable MIXBOOST_KERNELS names, if it can run that. */
const struct kernels *mxb__kernels(void);

/** The set of that name if this processor can run it, else NULL; NULL: the first that it can. */
const struct kernels *mxb__kernels_named(const char *name);

extern const struct kernels mxb__kernels_portable;

#endif
