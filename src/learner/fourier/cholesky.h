/* Solving the ridge systems. */
#ifndef MXB_LEARNER_FOURIER_CHOLESKY_H
#define MXB_LEARNER_FOURIER_CHOLESKY_H

#include <stddef.h>

/** Factors the symmetric matrix in the lower triangle of a[n][n] as U'U, with U in the upper triangle and the diagonal.
 *  Where a pivot is lost in rounding (at most 1e-14 of its diagonal element), starts again with a multiple of the
 * largest diagonal element added to the diagonal, from 1e-12 of it in steps of ten. `diagonal` holds n doubles of
 * scratch. Returns the number of such repairs. U of an all-zero matrix, and of one with an element that is not finite,
 * becomes the identity. */
unsigned mxb__cholesky_factor(double *a, size_t n, double *diagonal);

/** Solves U'U x = b in place of b. */
void mxb__cholesky_solve(const double *u, size_t n, double *b);

#endif
