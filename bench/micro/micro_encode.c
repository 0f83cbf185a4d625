/* Values to bin codes, with the 254 cuts that 256 bins have and with few. */
#include "micro.h"

enum { MAX_CUTS = 254 };

static double *values;
static size_t n_rows;
static struct cut_tree tree;

static void encode(struct micro_work *work, const struct training_kernels *kernels) {
    kernels->shared->encode(&tree, values, n_rows, 255, work->result);
}

static _Alignas(64) double slots[MXB__CUT_SLOTS];
static _Alignas(64) float halves[256];

int main(int argc, char **argv) {
    n_rows = micro_n_rows(argc, argv, 1000000);
    values = micro_memory(n_rows, sizeof *values);
    for (size_t i = 0; i < n_rows; i++) {
        values[i] = micro_normal(i);
    }
    struct micro_work work = {.run = encode, .unit = "value", .n_units = (double)n_rows, .result_bytes = n_rows};
    work.result = micro_memory(n_rows, 1);
    static const struct {
        const char *name;
        size_t n_cuts;
    } ways[] = {{"encode, 254 cuts", MAX_CUTS}, {"encode, 9 cuts", 9}};
    int n_failed = 0;
    for (size_t w = 0; w < 2; w++) {
        work.name = ways[w].name;
        double cuts[MAX_CUTS];
        for (size_t c = 0; c < ways[w].n_cuts; c++) {
            cuts[c] = -3.0 + 6.0 * (double)c / (double)ways[w].n_cuts;
        }
        mxb__cut_tree_build(cuts, ways[w].n_cuts, slots, &tree);
        mxb__cut_tree_add_halves(cuts, halves, &tree);
        n_failed += micro_compare(&work);
    }
    return n_failed != 0;
}
