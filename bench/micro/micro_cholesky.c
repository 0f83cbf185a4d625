/* The solution of a ridge system with 100 components and an intercept. */
#include <string.h>

#include "learner/fourier/cholesky.h"
#include "micro.h"

enum { N = 101 };

static double matrix[N * N];
static double factor[N * N];
static double side[N];

static void start(struct micro_work *work) {
    memcpy(factor, matrix, sizeof factor);
    memcpy(work->result, side, sizeof side);
}

static void solve(struct micro_work *work, const struct training_kernels *kernels) {
    double diagonal[N];
    (void)kernels;
    mxb__cholesky_factor(factor, N, diagonal);
    mxb__cholesky_solve(factor, N, work->result);
}

int main(void) {
    static double solution[N];
    for (size_t i = 0; i < N; i++) {
        side[i] = micro_normal(i);
        for (size_t j = 0; j <= i; j++) {
            matrix[i * N + j] = i == j ? 2.0 * N : micro_normal(N + i * N + j);
        }
    }
    struct micro_work work = {.name = "cholesky, 101 x 101", .unit = "number of the factor", .run = solve};
    work.start = start;
    work.n_units = N * (N + 1) / 2.0;
    work.result = solution;
    work.result_bytes = sizeof solution;
    return micro_compare(&work);
}
