/* The sets of kernels for processors with wide vectors: one source, compiled once for each set with its instructions
 * (CMakeLists.txt), in which vectors are as wide as the registers. Operations are those of portable C on each element,
 * so the bits are the same; kernels.h says what each kernel does. */
#ifndef MXB_KERNELS_VECTOR_H
#define MXB_KERNELS_VECTOR_H

#include <string.h>

#include "kernels/kernels.h"

/* mxb__avx2_project, mxb__avx512_project */
#define MXB__JOIN(set, name)   mxb__##set##_##name
#define MXB__EXPAND(set, name) MXB__JOIN(set, name)
#define MXB__KERNEL(name)      MXB__EXPAND(MXB__KERNEL_SET, name)

#if defined(__AVX512F__)
enum { WIDTH = 8 };
#else
enum { WIDTH = 4 };
#endif

typedef double doubles __attribute__((vector_size(WIDTH * sizeof(double))));
typedef float floats __attribute__((vector_size(WIDTH * sizeof(float))));
typedef int64_t integers __attribute__((vector_size(WIDTH * sizeof(int64_t))));

static inline doubles load(const double *from) {
    doubles x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline floats load_floats(const float *from) {
    floats x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline doubles widened(floats x) { return __builtin_convertvector(x, doubles); }

/* Adding a number makes a vector of it, and the compiler a broadcast of that. */
static inline doubles all(double x) { return (doubles){0} + x; }

static inline doubles where(integers condition, doubles yes, doubles no) {
    return (doubles)((condition & (integers)yes) | (~condition & (integers)no));
}

static inline doubles magnitude(doubles x) { return (doubles)((integers)x & INT64_MAX); }

void MXB__KERNEL(encode)(const double *values, size_t n, const double *cuts, size_t n_cuts, uint8_t missing_code,
                         uint8_t *codes);
void MXB__KERNEL(project)(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                          size_t n_components, float amplitude, float *z);

#endif
