/* The sums of a ridge round with 100 components: the weighted Gram matrix, the right side, the step of every row. Rows
 * come in the blocks that training has. */
#include "micro.h"

enum { N_COMPONENTS = 100, BLOCK = 1024 };

static float *z;
static double *h;
static size_t n_rows;
static double weights[N_COMPONENTS];

static void add_gram(double *gram, const struct training_kernels *kernels, int rounded) {
    for (size_t first = 0; first < n_rows; first += BLOCK) {
        size_t n = n_rows - first < BLOCK ? n_rows - first : BLOCK;
        kernels->gram(z + first * N_COMPONENTS, h + first, n, N_COMPONENTS, rounded, gram);
    }
}

static void gram(struct micro_work *work, const struct training_kernels *kernels) {
    add_gram(work->result, kernels, 0);
}

static void gram_rounded(struct micro_work *work, const struct training_kernels *kernels) {
    add_gram(work->result, kernels, 1);
}

static void weighted_sum(struct micro_work *work, const struct training_kernels *kernels) {
    kernels->weighted_sum(z, h, n_rows, N_COMPONENTS, work->result);
}

static void dot(struct micro_work *work, const struct training_kernels *kernels) {
    kernels->shared->dot(z, n_rows, N_COMPONENTS, weights, work->result);
}

int main(int argc, char **argv) {
    n_rows = micro_n_rows(argc, argv, 20000);
    z = micro_memory(n_rows * N_COMPONENTS, sizeof *z);
    h = micro_memory(n_rows, sizeof *h);
    for (size_t i = 0; i < n_rows * N_COMPONENTS; i++) {
        z[i] = (float)(0.1 * micro_normal(i));
    }
    for (size_t i = 0; i < n_rows; i++) {
        h[i] = (double)(micro_random(i) % 1000) / 999;
    }
    for (size_t j = 0; j < N_COMPONENTS; j++) {
        weights[j] = micro_normal(j);
    }
    size_t n_entries = N_COMPONENTS * N_COMPONENTS;
    double *result = micro_memory(n_rows + n_entries, sizeof *result);
    struct micro_work works[] = {
        {"gram", "row and entry", N_COMPONENTS * (N_COMPONENTS + 1) / 2.0, .run = gram, .result_bytes = n_entries},
        {"gram, rounded", "row and entry", N_COMPONENTS * (N_COMPONENTS + 1) / 2.0, .run = gram_rounded,
         .result_bytes = n_entries},
        {"weighted_sum", "row and component", N_COMPONENTS, .run = weighted_sum, .result_bytes = N_COMPONENTS},
        {"dot", "row and component", N_COMPONENTS, .run = dot, .result_bytes = n_rows},
    };
    int n_failed = 0;
    for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) {
        works[w].n_units *= (double)n_rows;
        works[w].result_bytes *= sizeof *result;
        works[w].result = result;
        n_failed += micro_compare(&works[w]);
    }
    return n_failed != 0;
}
