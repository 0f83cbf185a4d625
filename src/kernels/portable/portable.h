/* The portable set of kernels; kernels.h says what each does. */
#ifndef MXB_KERNELS_PORTABLE_H
#define MXB_KERNELS_PORTABLE_H

#include "kernels/kernels.h"

void mxb__portable_encode(const double *values, size_t n, const double *cuts, size_t n_cuts, uint8_t missing_code,
                          uint8_t *codes);
void mxb__portable_project(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                           size_t n_components, float amplitude, float *z);
void mxb__portable_dot(const float *z, size_t n, size_t n_components, const double *weights, double *out);

#endif
