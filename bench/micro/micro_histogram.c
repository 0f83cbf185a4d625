/* Histograms of one panel: all rows as at a root, and about every second row through an index as below it. Rows of many
 * more bytes than the caches, rows that fit L2, and a panel of wide data. */
#include <stdio.h>

#include "micro.h"

static const struct {
    size_t n_rows;
    size_t n_features;
} SHAPES[] = {{1000000, 28}, {10000, 30}, {50000, 32}};

static struct histogram_rows rows;
static uint64_t *words;
static struct gradient_sum *sums;

static void packed(struct micro_work *work, const struct training_kernels *kernels) {
    kernels->histogram_packed(&rows, words, work->result);
}

static void wide(struct micro_work *work, const struct training_kernels *kernels) {
    kernels->histogram_wide(&rows, sums, work->result);
}

static int compare(struct micro_work *work) {
    char unit[80];
    snprintf(unit, sizeof unit, "row and feature, %zu %s x %zu", rows.n, rows.rows == NULL ? "in order" : "listed",
             rows.n_features);
    work->unit = unit;
    work->n_units = (double)rows.n * (double)rows.n_features;
    return micro_compare(work);
}

int main(int argc, char **argv) {
    static uint64_t packed_cells[MXB__PANEL * MXB__CELLS];
    static struct gradient_sum wide_cells[MXB__PANEL * MXB__CELLS];
    struct micro_work works[] = {
        {.name = "histogram_packed", .run = packed, .result = packed_cells, .result_bytes = sizeof packed_cells},
        {.name = "histogram_wide", .run = wide, .result = wide_cells, .result_bytes = sizeof wide_cells},
    };
    size_t n = micro_n_rows(argc, argv, SHAPES[0].n_rows);
    uint8_t *records = micro_memory(n, MXB__PANEL);
    uint32_t *half = micro_memory(n + 1, sizeof *half);
    words = micro_memory(n, sizeof *words);
    sums = micro_memory(n, sizeof *sums);
    for (size_t i = 0; i < n * MXB__PANEL; i++) {
        records[i] = (uint8_t)micro_random(i);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = micro_random(n * MXB__PANEL + i);
        sums[i] = (struct gradient_sum){(int64_t)(bits % 2001) - 1000, (int64_t)(bits >> 32) % 1000};
        words[i] = ((uint64_t)sums[i].g << 32) + (uint64_t)sums[i].h;
    }
    int n_failed = 0;
    for (size_t s = 0; s < sizeof SHAPES / sizeof SHAPES[0]; s++) {
        size_t n_rows = SHAPES[s].n_rows < n ? SHAPES[s].n_rows : n, n_half = 0;
        for (size_t i = 0; i < n_rows; i++) {
            half[n_half] = (uint32_t)i;
            n_half += micro_random(i) >> 63;
        }
        for (size_t w = 0; w < 2; w++) {
            rows = (struct histogram_rows){records, NULL, 0, n_rows, SHAPES[s].n_features};
            n_failed += compare(&works[w]);
            rows = (struct histogram_rows){records, half, 0, n_half, SHAPES[s].n_features};
            n_failed += compare(&works[w]);
        }
    }
    return n_failed != 0;
}
