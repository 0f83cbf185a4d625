/* The gradients of a tree's leaves summed up: 64 leaves whose rows lie all over the set, and one of few rows; with
 * hessians that g implies, and with stored ones. */
#include "micro.h"

enum { N_LEAVES = 64, FEW = 1000 };

static struct scaled_rows rows;
static uint32_t *indices;
static size_t n_rows;

static void sum_leaves(struct micro_work *work, const struct training_kernels *kernels) {
    struct gradient_sum *sums = work->result;
    for (size_t leaf = 0; leaf < N_LEAVES; leaf++) {
        size_t begin = n_rows * leaf / N_LEAVES;
        sums[leaf] = kernels->sum_quanta(&rows, indices + begin, n_rows * (leaf + 1) / N_LEAVES - begin);
    }
}

int main(int argc, char **argv) {
    size_t n = micro_n_rows(argc, argv, 1000000);
    double *g = micro_memory(n, sizeof *g);
    double *h = micro_memory(n, sizeof *h);
    indices = micro_memory(n, sizeof *indices);
    for (size_t i = 0; i < n; i++) {
        g[i] = (double)(micro_random(n + i) >> 11) * 0x1p-52 - 1.0;
        h[i] = mxb__logistic_hessian(g[i]);
    }
    size_t at = 0;
    for (uint64_t leaf = 0; leaf < N_LEAVES; leaf++) {
        for (size_t i = 0; i < n; i++) {
            indices[at] = (uint32_t)i;
            at += micro_random(i) % N_LEAVES == leaf && at + 1 < n;
        }
    }
    static struct gradient_sum sums[N_LEAVES];
    struct micro_work work = {.run = sum_leaves, .result = sums, .result_bytes = sizeof sums};
    int n_failed = 0;
    for (int stored = 0; stored < 2; stored++) {
        rows = (struct scaled_rows){g, stored ? h : NULL, stored ? HESSIAN_STORED : HESSIAN_LOGISTIC, 0x1p40, 0x1p41};
        work.name = stored ? "leaf sums, stored h" : "leaf sums, implied h";
        n_rows = n;
        work.unit = "row of many";
        work.n_units = (double)n_rows;
        n_failed += micro_compare(&work);
        n_rows = FEW < n ? FEW : n;
        work.unit = "row of few";
        work.n_units = (double)n_rows;
        n_failed += micro_compare(&work);
    }
    return n_failed != 0;
}
