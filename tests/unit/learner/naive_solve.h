/* The oracle of linear systems: Gaussian elimination with pivoting in long double. */
#ifndef NAIVE_SOLVE_H
#define NAIVE_SOLVE_H

#include <math.h>
#include <stdlib.h>

/* Solves a x = b for the full matrix a[n][n]. */
static inline void naive_solve(const double *a, const double *b, size_t n, double *x) {
    size_t width = n + 1;
    long double *m = calloc(n * width, sizeof *m);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            m[i * width + j] = (long double)a[i * n + j];
        }
        m[i * width + n] = (long double)b[i];
    }
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++) {
            pivot = fabsl(m[i * width + k]) > fabsl(m[pivot * width + k]) ? i : pivot;
        }
        for (size_t j = 0; j < width; j++) {
            long double swapped = m[k * width + j];
            m[k * width + j] = m[pivot * width + j];
            m[pivot * width + j] = swapped;
        }
        for (size_t i = k + 1; i < n; i++) {
            long double factor = m[i * width + k] / m[k * width + k];
            for (size_t j = k; j < width; j++) {
                m[i * width + j] -= factor * m[k * width + j];
            }
        }
    }
    for (size_t i = n; i > 0; i--) {
        long double sum = m[(i - 1) * width + n];
        for (size_t j = i; j < n; j++) {
            sum -= m[(i - 1) * width + j] * (long double)x[j];
        }
        x[i - 1] = (double)(sum / m[(i - 1) * width + i - 1]);
    }
    free(m);
}

#endif
