/* Factor and solution against Gaussian elimination in long double; singular matrices must be repaired and counted. */
#include "learner/fourier/cholesky.h"

#include "check.h"
#include "unit/boost/make_data.h"
#include "unit/learner/naive_solve.h"

enum { MAX_N = 40 };

/* A = B B' + ridge I with B of `rank` columns. */
static void make_matrix(struct dice *dice, size_t n, size_t rank, double ridge, double *a) {
    double b[MAX_N * MAX_N];
    for (size_t i = 0; i < n * rank; i++) {
        b[i] = dice_normal(dice);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = i == j ? ridge : 0.0;
            for (size_t k = 0; k < rank; k++) {
                sum += b[i * rank + k] * b[j * rank + k];
            }
            a[i * n + j] = sum;
        }
    }
}

static void hide_upper_triangle(double *a, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            a[i * n + j] = (double)NAN; /* only the lower one is given */
        }
    }
}

static void solutions_equal_elimination(void) {
    struct dice dice = {1};
    for (size_t n = 1; n <= MAX_N; n++) {
        double a[MAX_N * MAX_N];
        double u[MAX_N * MAX_N];
        double b[MAX_N];
        double x[MAX_N];
        double expected[MAX_N];
        double scratch[MAX_N];
        make_matrix(&dice, n, n, 0.1, a);
        for (size_t i = 0; i < n; i++) {
            x[i] = b[i] = dice_normal(&dice);
        }
        naive_solve(a, b, n, expected);
        memcpy(u, a, n * n * sizeof *u);
        hide_upper_triangle(u, n);
        CHECK_INT(mxb__cholesky_factor(u, n, scratch), 0);
        mxb__cholesky_solve(u, n, x);
        double largest = 0.0;
        for (size_t i = 0; i < n; i++) {
            largest = fmax(largest, fabs(expected[i]));
        }
        for (size_t i = 0; i < n; i++) {
            CHECK_NEAR(x[i], expected[i], 1e-11 * largest);
            for (size_t j = 0; j <= i; j++) { /* U'U = A */
                double sum = 0.0;
                for (size_t k = 0; k <= j; k++) {
                    sum += u[k * n + i] * u[k * n + j];
                }
                CHECK_NEAR(sum, a[i * n + j], 1e-13 * (double)n * sqrt(a[i * n + i] * a[j * n + j]));
            }
        }
    }
}

/* One element and one product after another, in the order that is part of the arithmetic. */
static double naive_element(const double *a, const double *u, size_t n, size_t i, size_t j) {
    volatile double left = a[j * n + i];
    for (size_t k = 0; k < i; k++) {
        volatile double product = u[k * n + i] * u[k * n + j];
        left = left - product;
    }
    return i == j ? sqrt(left) : left / u[i * n + i];
}

static void naive_solution(const double *u, size_t n, double *x) {
    for (size_t i = 0; i < n; i++) {
        volatile double left = x[i];
        for (size_t k = 0; k < i; k++) {
            volatile double product = u[k * n + i] * x[k];
            left = left - product;
        }
        x[i] = left / u[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        volatile double left = x[i];
        for (size_t k = i + 1; k < n; k++) {
            volatile double product = u[i * n + k] * x[k];
            left = left - product;
        }
        x[i] = left / u[i * n + i];
    }
}

static void bits_are_those_of_the_stated_order(void) {
    struct dice dice = {4};
    for (size_t n = 1; n <= MAX_N; n++) {
        double a[MAX_N * MAX_N], u[MAX_N * MAX_N], x[MAX_N], expected[MAX_N], scratch[MAX_N];
        size_t n_wrong = 0;
        make_matrix(&dice, n, n, 0.1, a);
        memcpy(u, a, n * n * sizeof *u);
        CHECK_INT(mxb__cholesky_factor(u, n, scratch), 0);
        for (size_t i = 0; i < n; i++) {
            x[i] = expected[i] = dice_normal(&dice);
            for (size_t j = i; j < n; j++) {
                n_wrong += u[i * n + j] != naive_element(a, u, n, i, j);
            }
        }
        mxb__cholesky_solve(u, n, x);
        naive_solution(u, n, expected);
        CHECK_INT(n_wrong, 0);
        CHECK_INT(memcmp(x, expected, n * sizeof *x), 0);
    }
}

static void scale_does_not_matter(void) {
    const double scales[] = {0x1p-900, 0x1p-60, 0x1p60, 0x1p900};
    struct dice dice = {2};
    double a[100];
    double plain[100];
    double scratch[10];
    make_matrix(&dice, 10, 10, 0.1, a);
    memcpy(plain, a, sizeof a);
    CHECK_INT(mxb__cholesky_factor(plain, 10, scratch), 0);
    for (size_t s = 0; s < 4; s++) {
        double scaled[100];
        for (size_t i = 0; i < 100; i++) {
            scaled[i] = a[i] * scales[s];
        }
        CHECK_INT(mxb__cholesky_factor(scaled, 10, scratch), 0);
        for (size_t i = 0; i < 10; i++) {
            for (size_t j = i; j < 10; j++) {
                CHECK(scaled[i * 10 + j] == plain[i * 10 + j] * sqrt(scales[s]));
            }
        }
    }
}

/* Repaired systems have finite solutions that still solve what can be solved: b in the range of A. */
static void singular_matrices_are_repaired(void) {
    struct dice dice = {3};
    for (size_t n = 2; n <= MAX_N; n++) {
        for (size_t rank = 1; rank < n; rank += 1 + n / 4) {
            double a[MAX_N * MAX_N];
            double u[MAX_N * MAX_N];
            double b[MAX_N] = {0};
            double x[MAX_N];
            double scratch[MAX_N];
            make_matrix(&dice, n, rank, 0.0, a);
            for (size_t i = 0; i < n; i++) {
                for (size_t j = 0; j < n; j++) {
                    b[i] += a[i * n + j] * (double)(j % 3);
                }
            }
            memcpy(u, a, n * n * sizeof *u);
            memcpy(x, b, n * sizeof *x);
            hide_upper_triangle(u, n);
            unsigned n_repairs = mxb__cholesky_factor(u, n, scratch);
            CHECK(n_repairs >= 1 && n_repairs <= 4);
            mxb__cholesky_solve(u, n, x);
            for (size_t i = 0; i < n; i++) {
                double sum = 0.0;
                double size = 0.0;
                for (size_t j = 0; j < n; j++) {
                    sum += a[i * n + j] * x[j];
                    size += fabs(a[i * n + j] * x[j]);
                }
                CHECK(isfinite(x[i]));
                CHECK_NEAR(sum, b[i], 1e-6 * (size + fabs(b[i])));
            }
        }
    }
}

static void duplicate_and_zero_columns_are_repaired(void) {
    double scratch[3];
    double same[9] = {1, 0, 0, 1, 1, 0, 0, 0, 1};
    double b[3] = {2, 2, 5};
    CHECK_INT(mxb__cholesky_factor(same, 3, scratch), 1);
    mxb__cholesky_solve(same, 3, b);
    CHECK_NEAR(b[0] + b[1], 2.0, 1e-9);
    CHECK_NEAR(b[0], b[1], 1e-3); /* shared evenly, as a ridge would */
    CHECK_NEAR(b[2], 5.0, 1e-9);
    double zero_column[9] = {4, 0, 0, 0, 0, 0, 2, 0, 9};
    double c[3] = {4, 0, 11};
    CHECK_INT(mxb__cholesky_factor(zero_column, 3, scratch), 1);
    mxb__cholesky_solve(zero_column, 3, c);
    CHECK_NEAR(c[0], (4.0 * 9 - 2.0 * 11) / 32.0, 1e-9);
    CHECK_NEAR(c[1], 0.0, 0.0);
    CHECK_NEAR(c[2], (4.0 * 11 - 2.0 * 4) / 32.0, 1e-9);
}

/* The lower triangle of Z'Z + alpha I and Z'g, of 20,000 rows of which 8 differ; features as a round has them. */
static void make_equations(double gamma, double alpha, size_t n, double *a, double *b) {
    enum { N_DISTINCT = 8, N_INPUTS = 5, N_EACH = 2500 };
    struct dice dice = {5};
    double inputs[N_DISTINCT][N_INPUTS], *z = malloc(N_DISTINCT * n * sizeof *z), g[N_DISTINCT];
    for (size_t i = 0; i < N_DISTINCT; i++) {
        g[i] = dice_normal(&dice);
        for (size_t f = 0; f < N_INPUTS; f++) {
            inputs[i][f] = dice_normal(&dice);
        }
    }
    for (size_t c = 0; c < n; c++) {
        double phase[N_DISTINCT] = {0};
        for (size_t f = 0; f < N_INPUTS; f++) {
            double frequency = sqrt(2.0 * gamma) * dice_normal(&dice);
            for (size_t i = 0; i < N_DISTINCT; i++) {
                phase[i] += frequency * inputs[i][f];
            }
        }
        double shift = 6.28 * dice_uniform(&dice);
        for (size_t i = 0; i < N_DISTINCT; i++) {
            z[i * n + c] = (double)(float)(sqrt(2.0 / (double)n) * cos(phase[i] + shift));
        }
    }
    for (size_t c = 0; c < n; c++) {
        b[c] = 0.0;
        for (size_t i = 0; i < N_DISTINCT; i++) {
            b[c] += N_EACH * z[i * n + c] * g[i];
        }
        for (size_t d = 0; d <= c; d++) {
            a[c * n + d] = c == d ? alpha : 0.0;
            for (size_t i = 0; i < N_DISTINCT; i++) {
                a[c * n + d] += N_EACH * z[i * n + c] * z[i * n + d];
            }
        }
    }
    free(z);
}

/* Largest element of A x - b over that of b. */
static double residual_of(const double *a, const double *b, const double *x, size_t n) {
    double largest = 0.0, unit = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = -b[i];
        for (size_t j = 0; j < n; j++) {
            sum += (j <= i ? a[i * n + j] : a[j * n + i]) * x[j];
        }
        largest = fmax(largest, fabs(sum));
        unit = fmax(unit, fabs(b[i]));
    }
    return largest / unit;
}

/* The penalties and kernel widths of the paper, with which sums of floats fail, need no repair. */
static void equations_of_few_distinct_rows_are_solved(void) {
    enum { N = 250 };
    static const double gammas[] = {1e-3, 1.0, 1e3}, alphas[] = {1e-6, 1e-5, 1e-4, 1e-3};
    double *a = malloc(2 * N * N * sizeof *a), *u = a + (size_t)N * N, b[N], x[N], scratch[N];
    for (int k = 0; k < 12; k++) {
        make_equations(gammas[k / 4], alphas[k % 4], N, a, b);
        memcpy(u, a, (size_t)N * N * sizeof *u);
        memcpy(x, b, sizeof x);
        CHECK_INT(mxb__cholesky_factor(u, N, scratch), 0);
        mxb__cholesky_solve(u, N, x);
        CHECK_NEAR(residual_of(a, b, x, N), 0.0, 1e-12);
    }
    free(a);
}

/* Rounding can leave a matrix that is not quite positive. */
static void slightly_negative_matrices_are_repaired(void) {
    double scratch[2];
    double a[4] = {1, 0, 1 + 1e-9, 1};
    double b[2] = {1, 1};
    CHECK(mxb__cholesky_factor(a, 2, scratch) >= 1);
    mxb__cholesky_solve(a, 2, b);
    CHECK(isfinite(b[0]) && isfinite(b[1]));
    double negative[4] = {-1e-3, 0, 0.5, -1};
    CHECK(mxb__cholesky_factor(negative, 2, scratch) >= 1);
    mxb__cholesky_solve(negative, 2, b);
    CHECK(isfinite(b[0]) && isfinite(b[1]));
}

static void zero_matrix_becomes_the_identity(void) {
    double scratch[3];
    double a[9] = {0};
    double b[3] = {1, -2, 3};
    CHECK_INT(mxb__cholesky_factor(a, 3, scratch), 1);
    mxb__cholesky_solve(a, 3, b);
    CHECK_NEAR(b[0], 1.0, 0.0);
    CHECK_NEAR(b[1], -2.0, 0.0);
    CHECK_NEAR(b[2], 3.0, 0.0);
}

static void what_is_not_finite_comes_to_an_end(void) {
    double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        double a[9] = {2, 0, 0, 1, 2, 0, 1, 1, 2}, scratch[3], b[3] = {1, 2, 3};
        a[3 + k % 2] = bad[k];
        CHECK(mxb__cholesky_factor(a, 3, scratch) > 0);
        mxb__cholesky_solve(a, 3, b);
        CHECK(b[0] == 1 && b[1] == 2 && b[2] == 3);
    }
}

int main(void) {
    RUN(what_is_not_finite_comes_to_an_end);
    RUN(solutions_equal_elimination);
    RUN(bits_are_those_of_the_stated_order);
    RUN(scale_does_not_matter);
    RUN(singular_matrices_are_repaired);
    RUN(duplicate_and_zero_columns_are_repaired);
    RUN(equations_of_few_distinct_rows_are_solved);
    RUN(slightly_negative_matrices_are_repaired);
    RUN(zero_matrix_becomes_the_identity);
    return check_report();
}
