/* Step 9 of the data's path: how much of a fourier function's variance goes through each of its inputs. */
#ifndef MXB_MODEL_SOBOL_H
#define MXB_MODEL_SOBOL_H

#include "model/model.h"

/** The total Sobol indices of f(x) = sum_j weights[j] cos(2 pi (x . W_j + phase_j)) where the inputs are independent
 *  standard normal numbers: for each feature the part of the variance that goes when it is averaged out. All times one
 *  positive number, so that weights of any size do; 0 where there is no variance. Exact as far as that takes some
 *  tenths of a second or is the faster way, and estimated from random rows beyond. */
mxb_status mxb__sobol_indices(const struct projection *projection, const double *weights, double *indices,
                              mxb_error *error);

/** Doubles of scratch that either way needs. */
size_t mxb__sobol_scratch(const struct projection *projection);

/** The exact way, a sum over pairs of components. Weights are at most 1 in size, here and below. */
void mxb__sobol_from_pairs(const struct projection *projection, const double *weights, double *scratch,
                           double *indices);

/** The estimate, a sum over random rows that are always the same: right to some percent of each index. */
void mxb__sobol_from_rows(const struct projection *projection, const double *weights, double *scratch, double *indices);

#endif
