/* Random Fourier features of 28 inputs: projection and cosine, as many components as usual and an odd number. */
#include "base/math.h"
#include "micro.h"

enum { N_FEATURES = 28, MAX_COMPONENTS = 101 };

static float *inputs;
static float weights[N_FEATURES * MAX_COMPONENTS];
static float phases[MAX_COMPONENTS];
static size_t n_rows;
static size_t n_components;

static void project(struct micro_work *work, const struct training_kernels *kernels) {
    kernels->shared->project(inputs, n_rows, weights, phases, N_FEATURES, n_components, 0.14f, work->result);
}

int main(int argc, char **argv) {
    n_rows = micro_n_rows(argc, argv, 20000);
    inputs = micro_memory(n_rows * N_FEATURES, sizeof *inputs);
    for (size_t i = 0; i < n_rows * N_FEATURES; i++) {
        inputs[i] = mxb__factor(micro_normal(i));
    }
    for (size_t i = 0; i < N_FEATURES * MAX_COMPONENTS; i++) {
        weights[i] = mxb__factor(micro_normal(i));
        phases[i % MAX_COMPONENTS] = (float)micro_normal(i);
    }
    struct micro_work works[] = {{.name = "project, 100 components"}, {.name = "project, 101 components"}};
    float *z = micro_memory(n_rows * MAX_COMPONENTS, sizeof *z);
    int n_failed = 0;
    for (size_t w = 0; w < 2; w++) {
        n_components = 100 + w;
        works[w].run = project;
        works[w].unit = "row and component";
        works[w].n_units = (double)(n_rows * n_components);
        works[w].result = z;
        works[w].result_bytes = n_rows * n_components * sizeof *z;
        n_failed += micro_compare(&works[w]);
    }
    return n_failed != 0;
}
