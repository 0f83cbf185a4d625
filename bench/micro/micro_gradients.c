/* A pass over the rows for their losses: with gradients as in training, which imply the hessians unless there are
 * weights, and without as for validation. */
#include "micro.h"

static struct loss_block block;
static int is_logistic;

static void measure(struct micro_work *work, const struct training_kernels *kernels) {
    struct loss_sums sums = is_logistic ? kernels->logistic(&block) : kernels->squared(&block);
    ((double *)work->result)[block.n] = sums.mean;
}

int main(int argc, char **argv) {
    size_t n = micro_n_rows(argc, argv, 300000);
    double *labels = micro_memory(n, sizeof *labels);
    uint8_t *is_1 = micro_memory(n, sizeof *is_1);
    double *scores = micro_memory(n, sizeof *scores);
    for (size_t i = 0; i < n; i++) {
        is_1[i] = (uint8_t)(micro_random(i) & 1);
        labels[i] = (double)is_1[i];
        scores[i] = micro_normal(n + i);
    }
    double *result = micro_memory(n + 1, sizeof *result); /* g and the mean */
    const char *const names[] = {"logloss with gradients", "logloss alone", "mse with gradients", "mse alone"};
    int n_failed = 0;
    for (size_t w = 0; w < sizeof names / sizeof names[0]; w++) {
        int has_gradients = w % 2 == 0;
        is_logistic = w < 2;
        block = (struct loss_block){.n = n,
                                    .labels = labels,
                                    .is_1 = is_1,
                                    .scores = scores,
                                    .weight_sum = (double)n,
                                    .unit = 1.0,
                                    .g = has_gradients ? result : NULL};
        struct micro_work work = {.name = names[w],
                                  .unit = "row",
                                  .n_units = (double)n,
                                  .run = measure,
                                  .result = result,
                                  .result_bytes = (n + 1) * sizeof *result};
        n_failed += micro_compare(&work);
    }
    return n_failed != 0;
}
