/* All that happens to features before the first round: cuts, codes, both layouts. 28 features of float32, rows in order
 * of memory. */
#include <stdio.h>
#include <stdlib.h>

#include "data/prepared.h"
#include "micro.h"

enum { N_FEATURES = 28 };

static mxb_dataset *dataset;
static mxb_params *params;
static mxb_prepared *prepared;
static mxb_error error;

static void must(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
}

static void forget(struct micro_work *work) {
    work->result = NULL;
    mxb_prepared_free(prepared);
}

static void prepare(struct micro_work *work, const struct training_kernels *kernels) {
    (void)kernels;
    must(mxb_prepared_create(dataset, params, &prepared, &error));
    work->result = prepared->records;
}

int main(int argc, char **argv) {
    size_t n = micro_n_rows(argc, argv, 300000);
    float *x = micro_memory(n * N_FEATURES, sizeof *x);
    double *y = micro_memory(n, sizeof *y);
    for (size_t i = 0; i < n * N_FEATURES; i++) {
        x[i] = (float)micro_normal(i);
    }
    must(mxb_dataset_create(n, &dataset, &error));
    must(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT32, N_FEATURES, N_FEATURES * sizeof *x, sizeof *x, &error));
    must(mxb_dataset_set_label(dataset, y, sizeof *y, MXB_FLOAT64, &error));
    must(mxb_params_create(&params, &error));
    must(mxb_params_set(params, "n_threads", "1", &error));
    must(mxb_params_set(params, "tree_probability", "1", &error));
    struct micro_work work = {.name = "binning", .unit = "value", .run = prepare, .start = forget};
    work.n_units = (double)(n * N_FEATURES);
    prepare(&work, NULL);
    work.result_bytes = (size_t)(prepared->columns - prepared->records);
    int failed = micro_compare(&work);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
    mxb_dataset_free(dataset);
    return failed;
}
