/* Cholesky factorisation with counted repairs. Sums run in a fixed order in double. Knows nothing of what it solves. */
#include "learner/fourier/cholesky.h"

#include <math.h>

static const double LOST_PIVOT = 1e-14;
static const double FIRST_JITTER = 1e-12;
static const double LAST_JITTER = 1e12; /* makes any finite matrix positive; what is left is not finite */

/* Row by row; 0 if a pivot was lost. */
static int factor(double *a, size_t n, const double *diagonal) {
    for (size_t i = 0; i < n; i++) {
        double *row = a + i * n;
        for (size_t j = 0; j <= i; j++) {
            const double *other = a + j * n;
            double sum = row[j];
            for (size_t k = 0; k < j; k++) {
                sum -= row[k] * other[k];
            }
            if (j < i) {
                row[j] = sum / other[j];
            } else if (sum > LOST_PIVOT * diagonal[i]) {
                row[i] = sqrt(sum);
            } else {
                return 0;
            }
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
                a[i * n + j] = is_last ? 0.0 : a[j * n + i];
            }
        }
    }
    return n_repairs;
}

void mxb__cholesky_solve(const double *l, size_t n, double *b) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            b[i] -= l[i * n + k] * b[k];
        }
        b[i] /= l[i * n + i];
    }
    for (size_t i = n; i > 0; i--) {
        for (size_t k = i; k < n; k++) {
            b[i - 1] -= l[k * n + (i - 1)] * b[k];
        }
        b[i - 1] /= l[(i - 1) * n + (i - 1)];
    }
}
