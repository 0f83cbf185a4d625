/* Gradients and hessians of a round, and the metric of its scores. */
#include "loss/loss.h"
#include "micro.h"

static const struct loss *loss;
static struct loss_rows rows;
static double *scratch;

static void gradients(struct micro_work *work, const struct kernels *kernels) {
    (void)kernels;
    double *g = work->result;
    mxb__loss_gradients(loss, &rows, NULL, scratch, g, g + rows.n_rows);
}

static void metric(struct micro_work *work, const struct kernels *kernels) {
    (void)kernels;
    *(double *)work->result = mxb__loss_metric(loss, &rows, NULL, scratch);
}

int main(int argc, char **argv) {
    size_t n = micro_n_rows(argc, argv, 300000);
    double *labels = micro_memory(n, sizeof *labels);
    double *scores = micro_memory(n, sizeof *scores);
    scratch = micro_memory(mxb__loss_scratch(n), sizeof *scratch);
    for (size_t i = 0; i < n; i++) {
        labels[i] = (double)(micro_random(i) & 1);
        scores[i] = micro_normal(n + i);
    }
    rows = (struct loss_rows){.n_rows = n, .labels = labels, .weight_sum = (double)n, .scores = scores};
    double *result = micro_memory(2 * n, sizeof *result);
    struct micro_work works[] = {
        {.name = "gradients, logloss", .run = gradients, .result_bytes = 2 * n * sizeof *result},
        {.name = "metric, logloss", .run = metric, .result_bytes = sizeof *result},
        {.name = "gradients, mse", .run = gradients, .result_bytes = 2 * n * sizeof *result},
        {.name = "metric, mse", .run = metric, .result_bytes = sizeof *result},
    };
    int n_failed = 0;
    for (size_t w = 0; w < sizeof works / sizeof works[0]; w++) {
        loss = mxb__loss_find(w < 2 ? "logloss" : "mse");
        works[w].unit = "row";
        works[w].n_units = (double)n;
        works[w].result = result;
        n_failed += micro_compare(&works[w]);
    }
    return n_failed != 0;
}
