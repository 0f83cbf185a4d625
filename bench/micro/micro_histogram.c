/* Histograms of 28 features: all rows as at a root, and every second row through an index as below it. */
#include "micro.h"

enum { N_FEATURES = 28, N_CELLS = N_FEATURES * MXB__CELLS };

static struct histogram_rows rows;
static uint64_t *words;
static struct gradient_sum *sums;

static void packed(struct micro_work *work, const struct kernels *kernels) {
    kernels->histogram_packed(&rows, words, work->result);
}

static void wide(struct micro_work *work, const struct kernels *kernels) {
    kernels->histogram_wide(&rows, sums, work->result);
}

int main(int argc, char **argv) {
    static uint64_t packed_cells[N_CELLS];
    static struct gradient_sum wide_cells[N_CELLS];
    size_t n = micro_n_rows(argc, argv, 1000000);
    uint8_t *records = micro_memory(n, MXB__PANEL);
    uint32_t *half = micro_memory(n, sizeof *half);
    words = micro_memory(n, sizeof *words);
    sums = micro_memory(n, sizeof *sums);
    size_t n_half = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t f = 0; f < N_FEATURES; f++) {
            records[i * MXB__PANEL + f] = (uint8_t)micro_random(i * MXB__PANEL + f);
        }
        uint64_t bits = micro_random(n * MXB__PANEL + i);
        sums[i] = (struct gradient_sum){(int64_t)(bits % 2001) - 1000, (int64_t)(bits >> 32) % 1000};
        words[i] = ((uint64_t)sums[i].g << 32) + (uint64_t)sums[i].h;
        half[n_half] = (uint32_t)i;
        n_half += bits >> 63;
    }
    struct micro_work works[] = {
        {.name = "histogram_packed", .run = packed, .result = packed_cells, .result_bytes = sizeof packed_cells},
        {.name = "histogram_wide", .run = wide, .result = wide_cells, .result_bytes = sizeof wide_cells},
    };
    int n_failed = 0;
    for (size_t w = 0; w < 2; w++) {
        works[w].unit = "row and feature, all rows";
        works[w].n_units = (double)n * N_FEATURES;
        rows = (struct histogram_rows){records, NULL, 0, n, N_FEATURES};
        n_failed += micro_compare(&works[w]);
        works[w].unit = "row and feature, listed rows";
        works[w].n_units = (double)n_half * N_FEATURES;
        rows = (struct histogram_rows){records, half, 0, n_half, N_FEATURES};
        n_failed += micro_compare(&works[w]);
    }
    return n_failed != 0;
}
