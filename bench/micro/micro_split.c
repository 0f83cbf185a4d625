/* The best split of each of 28 features with 255 bins and missing values, from the cells of nodes. */
#include "learner/tree/tree_split.h"
#include "micro.h"

enum { N_FEATURES = 28, N_NODES = 32, N_BINS = 255, N_HISTOGRAMS = N_NODES * N_FEATURES };

struct found {
    double gain;
    uint32_t bin;
    uint32_t missing_left;
};

static struct gradient_sum cells[N_HISTOGRAMS][MXB__CELLS];
static struct gradient_sum totals[N_HISTOGRAMS];

static void find(struct micro_work *work, const struct kernels *kernels) {
    static const struct split_rules rules = {1.0, 1.0};
    static const struct feature_bins bins = {.n_cuts = N_BINS - 1};
    struct found *found = work->result;
    (void)kernels;
    for (size_t i = 0; i < N_HISTOGRAMS; i++) {
        struct split split = mxb__split_find(cells[i], &bins, totals[i], &rules);
        found[i] = (struct found){split.gain, split.bin, split.missing_left};
    }
}

int main(void) {
    static struct found found[N_HISTOGRAMS];
    for (size_t i = 0; i < N_HISTOGRAMS; i++) {
        for (size_t b = 0; b <= N_BINS; b++) {
            uint64_t bits = micro_random(i * MXB__CELLS + b);
            struct gradient_sum cell = {(int64_t)(bits % 20001) - 10000, (int64_t)(bits >> 32) % 10000};
            cells[i][b] = cell;
            totals[i].g += cell.g;
            totals[i].h += cell.h;
        }
    }
    struct micro_work work = {.name = "split", .unit = "cell", .run = find, .result = found};
    work.n_units = (double)N_HISTOGRAMS * N_BINS;
    work.result_bytes = sizeof found;
    return micro_compare(&work);
}
