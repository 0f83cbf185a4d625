/* The largest gain of a split on each of 28 features with 255 bins, from the cells of nodes: packed or wide, with
 * missing values or without. */
#include "learner/tree/tree_split.h"
#include "micro.h"

/* Few nodes: a search follows the building of its cells, so they lie in a near cache. */
enum { N_FEATURES = 28, N_NODES = 4, N_BINS = 255, N_HISTOGRAMS = N_NODES * N_FEATURES };

static const struct feature_bins BINS = {.n_cuts = N_BINS - 1};

static int packed;
static uint64_t words[N_HISTOGRAMS][MXB__CELLS];
static struct gradient_sum sums[N_HISTOGRAMS][MXB__CELLS];
static struct gradient_sum totals[N_HISTOGRAMS];

static void find(struct micro_work *work, const struct training_kernels *kernels) {
    struct split_rules rules = mxb__split_rules(1.0, 1.0);
    double *gains = work->result;
    for (size_t i = 0; i < N_HISTOGRAMS; i++) {
        const void *cells = packed ? (const void *)words[i] : (const void *)sums[i];
        struct feature_cells of_feature = mxb__feature_cells(cells, packed, &BINS);
        gains[i] = mxb__split_gain(kernels, &of_feature, totals[i], &rules);
    }
}

static void fill(int with_missing) {
    for (size_t i = 0; i < N_HISTOGRAMS; i++) {
        totals[i] = (struct gradient_sum){0, 0};
        for (size_t b = 0; b <= N_BINS; b++) {
            uint64_t bits = micro_random(i * MXB__CELLS + b);
            struct gradient_sum cell = {(int64_t)(bits % 20001) - 10000, (int64_t)(bits >> 32) % 10000};
            cell = b < N_BINS || with_missing ? cell : (struct gradient_sum){0, 0};
            sums[i][b] = cell;
            words[i][b] = ((uint64_t)cell.g << 32) + (uint64_t)cell.h;
            totals[i].g += cell.g;
            totals[i].h += cell.h;
        }
    }
}

int main(void) {
    static double gains[N_HISTOGRAMS];
    static const char *const names[] = {"split, wide", "split, packed", "split, wide, with missing values",
                                        "split, packed, with missing values"};
    for (int variant = 0; variant < 4; variant++) {
        struct micro_work work = {.name = names[variant], .unit = "cell", .run = find};
        work.n_units = (double)N_HISTOGRAMS * N_BINS;
        work.result = gains;
        work.result_bytes = sizeof gains;
        packed = variant % 2;
        fill(variant / 2);
        if (micro_compare(&work) != 0) {
            return 1;
        }
    }
    return 0;
}
