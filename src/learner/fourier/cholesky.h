/* Solving the ridge systems. */
#ifndef MXB_LEARNER_FOURIER_CHOLESKY_H
#define MXB_LEARNER_FOURIER_CHOLESKY_H

#include <stddef.h>

/** Factors the symmetric matrix in the lower triangle of a[n][n] in place: a = L L'. Where a pivot is lost in rounding
 *  (at most 1e-14 of its diagonal element), starts again with a multiple of the largest diagonal element added to the
 *  diagonal, from 1e-12 of it in steps of ten. `diagonal` holds n doubles of scratch; the upper triangle keeps the
 * matrix meanwhile. Returns the number of such repairs. An all-zero matrix, and one with an
 *  element that is not finite, becomes the identity. */
unsigned mxb__cholesky_factor(double *a, size_t n, double *diagonal);

/** Solves L L' x = b in place of b. */
void mxb__cholesky_solve(const double *l, size_t n, double *b);

#endif
