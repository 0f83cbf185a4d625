/* Gradients rounded to integers, as packed words and as pairs; with hessians that g implies, and with stored ones. */
#include "micro.h"

static struct scaled_rows rows;
static size_t n_rows;

static void write_words(struct micro_work *work, const struct training_kernels *kernels) {
    struct random_stream noise = {12345};
    uint64_t *words = work->result;
    words[n_rows] = kernels->quanta_packed(&rows, noise, 0, n_rows, words);
}

static void write_pairs(struct micro_work *work, const struct training_kernels *kernels) {
    kernels->quanta_wide(&rows, 0, n_rows, work->result);
}

int main(int argc, char **argv) {
    n_rows = micro_n_rows(argc, argv, 300000);
    double *g = micro_memory(n_rows, sizeof *g);
    double *h = micro_memory(n_rows, sizeof *h);
    for (size_t i = 0; i < n_rows; i++) {
        g[i] = (double)(micro_random(i) >> 11) * 0x1p-52 - 1.0;
        h[i] = mxb__logistic_hessian(g[i]);
    }
    struct gradient_sum *result = micro_memory(n_rows + 1, sizeof *result);
    const char *const names[] = {"packed, implied h", "packed, stored h", "wide, implied h", "wide, stored h"};
    int n_failed = 0;
    for (size_t w = 0; w < sizeof names / sizeof names[0]; w++) {
        int is_packed = w < 2, is_stored = w % 2 == 1;
        double scale = is_packed ? 0x1p13 : 0x1p40;
        rows =
            (struct scaled_rows){g, is_stored ? h : NULL, is_stored ? HESSIAN_STORED : HESSIAN_LOGISTIC, scale, scale};
        struct micro_work work = {.name = names[w],
                                  .unit = "row",
                                  .n_units = (double)n_rows,
                                  .run = is_packed ? write_words : write_pairs,
                                  .result = result,
                                  .result_bytes = (n_rows + 1) * sizeof *result};
        n_failed += micro_compare(&work);
    }
    return n_failed != 0;
}
