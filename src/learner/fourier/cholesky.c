/* Cholesky factorisation with counted repairs. Sums run in a fixed order in double. Knows nothing of what it solves. */
#include "learner/fourier/cholesky.h"

#include <math.h>

static const double LOST_PIVOT = 1e-14;
static const double FIRST_JITTER = 1e-12;
static const double LAST_JITTER = 1e12; /* makes any finite matrix positive; what is left is not finite */

/* Row by row of U in the upper triangle, where it starts as the matrix; 0 if a pivot was lost. An element is what is
 * left of the matrix's after the products of one row of U after another: loops run along rows, so that SIMD may. */
static int factor(double *a, size_t n, const double *diagonal) {
    for (size_t i = 0; i < n; i++) {
        double *row = a + i * n;
        for (size_t k = 0; k < i; k++) {
            const double *above = a + k * n;
            double multiple = above[i];
            for (size_t j = i; j < n; j++) {
                row[j] -= multiple * above[j];
            }
        }
        if (!(row[i] > LOST_PIVOT * diagonal[i])) {
            return 0;
        }
        row[i] = sqrt(row[i]);
        for (size_t j = i + 1; j < n; j++) {
            row[j] /= row[i];
        }
    }
    return 1;
}

unsigned mxb__cholesky_factor(double *a, size_t n, double *diagonal) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        diagonal[i] = a[i * n + i];
        largest = fmax(largest, diagonal[i]);
        for (size_t j = 0; j < i; j++) {
            a[j * n + i] = a[i * n + j];
        }
    }
    if (largest <= 0.0) {
        largest = 1.0 / FIRST_JITTER;
    }
    unsigned n_repairs = 0;
    for (double jitter = FIRST_JITTER; !factor(a, n, diagonal); jitter *= 10.0) {
        int is_last = jitter > LAST_JITTER; /* some element is not finite: give up on the matrix */
        n_repairs++;
        for (size_t i = 0; i < n; i++) {
            diagonal[i] = is_last ? 0.0 : diagonal[i];
            a[i * n + i] = is_last ? 1.0 : diagonal[i] + jitter * largest;
            for (size_t j = 0; j < i; j++) {
                a[j * n + i] = is_last ? 0.0 : a[i * n + j];
            }
        }
    }
    return n_repairs;
}

void mxb__cholesky_solve(const double *u, size_t n, double *b) {
    for (size_t k = 0; k < n; k++) {
        b[k] /= u[k * n + k];
        for (size_t i = k + 1; i < n; i++) {
            b[i] -= u[k * n + i] * b[k];
        }
    }
    for (size_t i = n; i > 0; i--) {
        const double *row = u + (i - 1) * n;
        for (size_t k = i; k < n; k++) {
            b[i - 1] -= row[k] * b[k];
        }
        b[i - 1] /= row[i - 1];
    }
}
