#include <stdlib.h>

#include "base/math.h"
#include "base/random.h"
#include "check.h"
#include "kernels/kernels.h"

static const struct random_stream RANDOM = {0x70726f6a};

enum { MAX_ROWS = 14, MAX_FEATURES = 40, MAX_COMPONENTS = 100 };

struct problem {
    float inputs[MAX_ROWS * MAX_FEATURES];
    float weights[MAX_FEATURES * MAX_COMPONENTS];
    float phases[MAX_COMPONENTS];
    float z[MAX_ROWS * MAX_COMPONENTS + 1];
};

static struct problem *make_problem(double input_size, double weight_size) {
    static struct problem problem;
    for (size_t i = 0; i < MAX_ROWS * MAX_FEATURES; i++) {
        problem.inputs[i] = mxb__factor(input_size * mxb__random_normal(RANDOM, i));
    }
    for (size_t i = 0; i < MAX_FEATURES * MAX_COMPONENTS; i++) {
        problem.weights[i] = mxb__factor(weight_size * mxb__random_normal(RANDOM, 100000 + i));
    }
    for (size_t i = 0; i < MAX_COMPONENTS; i++) {
        problem.phases[i] = (float)mxb__random_uniform(RANDOM, 200000 + i);
    }
    return &problem;
}

/* The same operations one at a time: from the phase, one exact product after another. */
static float naive(const struct problem *problem, size_t row, size_t j, size_t d, size_t c, float amplitude) {
    volatile float turns = problem->phases[j];
    for (size_t f = 0; f < d; f++) {
        volatile float product = problem->inputs[row * d + f] * problem->weights[f * c + j];
        turns = turns + product;
    }
    return amplitude * mxb__cos_turns(turns);
}

static void bits_are_those_of_the_stated_order(void) {
    static const size_t features[] = {0, 1, 2, 7, 28, MAX_FEATURES};
    static const size_t components[] = {1, 2, 7, 8, 31, 32, 33, 64, 65, MAX_COMPONENTS};
    struct problem *problem = make_problem(1, 0.3);
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        for (size_t k = 0; k < sizeof components / sizeof components[0]; k++) {
            size_t d = features[i];
            size_t c = components[k];
            for (size_t n = 0; n <= MAX_ROWS; n++) {
                problem->z[n * c] = 77;
                mxb__kernels()->project(problem->inputs, n, problem->weights, problem->phases, d, c, 0.25f, problem->z);
                size_t n_wrong = problem->z[n * c] != 77;
                for (size_t row = 0; row < n; row++) {
                    for (size_t j = 0; j < c; j++) {
                        n_wrong += problem->z[row * c + j] != naive(problem, row, j, d, c, 0.25f);
                    }
                }
                CHECK_INT(n_wrong, 0);
            }
        }
    }
}

/* Against cosl of the sum in long double: 2e-7 from the cosine, the sum's rounding, and one rounding by the amplitude.
 */
static void values_are_accurate(void) {
    static const long double TWO_PI = 6.283185307179586476925286766559L;
    static const double sizes[] = {1e-6, 1e-3, 0.1, 1};
    const float amplitude = 0.35f;
    size_t d = MAX_FEATURES;
    size_t c = MAX_COMPONENTS;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct problem *problem = make_problem(sizes[s], 1);
        mxb__kernels()->project(problem->inputs, MAX_ROWS, problem->weights, problem->phases, d, c, amplitude,
                                problem->z);
        size_t n_wrong = 0;
        for (size_t row = 0; row < MAX_ROWS; row++) {
            for (size_t j = 0; j < c; j++) {
                long double turns = (long double)problem->phases[j];
                long double size = fabsl(turns);
                for (size_t f = 0; f < d; f++) {
                    long double product =
                        (long double)problem->inputs[row * d + f] * (long double)problem->weights[f * c + j];
                    turns += product;
                    size += fabsl(product);
                }
                long double exact = (long double)amplitude * cosl(TWO_PI * fmodl(turns, 1.0L));
                long double allowed =
                    (long double)amplitude * (2.7e-7L + TWO_PI * size * (long double)(d + 1) * 0x1p-24L);
                n_wrong += !(fabsl((long double)problem->z[row * c + j] - exact) <= allowed);
            }
        }
        CHECK_INT(n_wrong, 0);
    }
}

/* Where a fraction of a turn has few digits left, and none. */
static void bits_of_many_turns(void) {
    size_t d = 3, c = 40;
    for (double size = 0x1p10; size < 0x1p50; size *= 2) {
        struct problem *problem = make_problem(size, 1.5);
        size_t n_wrong = 0;
        mxb__kernels()->project(problem->inputs, MAX_ROWS, problem->weights, problem->phases, d, c, 1, problem->z);
        for (size_t k = 0; k < MAX_ROWS * c; k++) {
            n_wrong += problem->z[k] != naive(problem, k / c, k % c, d, c, 1);
        }
        CHECK_INT(n_wrong, 0);
    }
}

/* The largest factors: finite, within the amplitude. */
static void huge_inputs_stay_finite(void) {
    struct problem *problem = make_problem(1, 1);
    for (size_t i = 0; i < MAX_ROWS * MAX_FEATURES; i++) {
        problem->inputs[i] = i % 2 == 0 ? 0x1p50f : -0x1p50f;
    }
    for (size_t i = 0; i < MAX_FEATURES * MAX_COMPONENTS; i++) {
        problem->weights[i] = mxb__factor(1e37 * (double)problem->weights[i]);
    }
    mxb__kernels()->project(problem->inputs, MAX_ROWS, problem->weights, problem->phases, MAX_FEATURES, MAX_COMPONENTS,
                            0.5f, problem->z);
    size_t n_out = 0;
    for (size_t i = 0; i < MAX_ROWS * MAX_COMPONENTS; i++) {
        n_out += !(fabsf(problem->z[i]) <= 0.5000001f);
    }
    CHECK_INT(n_out, 0);
}

/* A row's values depend on that row alone. */
static void rows_alone_and_together(void) {
    struct problem *problem = make_problem(2, 0.5);
    float alone[MAX_COMPONENTS];
    size_t d = 13;
    size_t c = 77;
    mxb__kernels()->project(problem->inputs, MAX_ROWS, problem->weights, problem->phases, d, c, 0.1f, problem->z);
    for (size_t row = 0; row < MAX_ROWS; row++) {
        mxb__kernels()->project(problem->inputs + row * d, 1, problem->weights, problem->phases, d, c, 0.1f, alone);
        CHECK_INT(memcmp(alone, problem->z + row * c, c * sizeof *alone), 0);
    }
}

/* A block of no more bytes than a map has, so that a sanitizer notices who reads behind them: rows of c numbers, each
 * with zeros up to the next step. */
static float *copy_of(const float *from, size_t n_rows, size_t c, size_t step) {
    float *copy = calloc(n_rows * step, sizeof *copy);
    for (size_t i = 0; i < n_rows; i++) {
        memcpy(copy + i * step, from + i * c, c * sizeof *copy);
    }
    return copy;
}

/* What is only added up has the bits of features that were kept and added up then: inputs in columns of any order, with
 * others between them. */
static void check_sums(struct problem *problem, size_t d, size_t c, size_t n, size_t stride) {
    size_t step = (c + MXB__MAP_STEP - 1) / MXB__MAP_STEP * MXB__MAP_STEP;
    uint32_t *columns = malloc(d * sizeof *columns);
    float *weights = copy_of(problem->weights, d, c, step), *phases = copy_of(problem->phases, 1, c, step);
    float *inputs = malloc(2 * d * stride * sizeof *inputs);
    double *dots = calloc(step, sizeof *dots);
    double expected[MAX_ROWS], out[MAX_ROWS + 1];
    for (size_t k = 0; k < 2 * d * stride; k++) {
        inputs[k] = (float)NAN;
    }
    for (size_t k = 0; k < d; k++) {
        columns[k] = (uint32_t)(2 * (d - 1 - k));
        for (size_t i = 0; i < n; i++) {
            inputs[columns[k] * stride + i] = problem->inputs[i * d + k];
        }
    }
    for (size_t j = 0; j < c; j++) {
        dots[j] = mxb__random_normal(RANDOM, 300000 + j);
    }
    struct feature_map map = {d, columns, c, step, weights, phases, dots, 0.25f};
    out[n] = 77;
    mxb__kernels()->project(problem->inputs, n, problem->weights, problem->phases, d, c, 0.25f, problem->z);
    mxb__kernels()->dot(problem->z, n, c, dots, expected);
    mxb__kernels()->project_dot(&map, inputs, stride, n, out);
    CHECK(memcmp(out, expected, n * sizeof *out) == 0);
    CHECK(out[n] == 77);
    free(columns);
    free(weights);
    free(phases);
    free(inputs);
    free(dots);
}

static void kept_or_not(void) {
    struct problem *problem = make_problem(1, 0.3);
    for (size_t c = 1; c <= MAX_COMPONENTS; c++) {
        for (size_t n = 0; n <= MAX_ROWS; n++) {
            check_sums(problem, 13, c, n, n + c % 3);
        }
    }
    for (size_t d = 0; d <= MAX_FEATURES; d++) {
        check_sums(problem, d, 60, 1, 1);
        check_sums(problem, d, 60, MAX_ROWS, MAX_ROWS);
    }
}

int main(void) {
    RUN(bits_are_those_of_the_stated_order);
    RUN(values_are_accurate);
    RUN(bits_of_many_turns);
    RUN(huge_inputs_stay_finite);
    RUN(rows_alone_and_together);
    RUN(kept_or_not);
    return check_report();
}
