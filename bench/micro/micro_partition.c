/* The rows of a node split by one feature's codes: all rows, and about every second one through an index, of many rows
 * and of few. */
#include <stdio.h>
#include <string.h>

#include "micro.h"

static struct column_split split = {.bin = 99, .missing_code = 255, .missing_left = 1};
static const uint32_t *rows; /* NULL: all */
static size_t n_rows;
static uint32_t *sides; /* left ones, then from n_rows on right ones */
static size_t n_left;

static void partition(struct micro_work *work, const struct training_kernels *kernels) {
    (void)work;
    n_left = kernels->partition(&split, rows, 0, n_rows, sides, sides + n_rows);
}

/* What lies behind the ends of the sides may be anything. */
static void clear_ends(struct micro_work *work) {
    (void)work;
    memset(sides + n_left, 0, (n_rows - n_left) * sizeof *sides);
    memset(sides + n_rows + (n_rows - n_left), 0, n_left * sizeof *sides);
}

static int compare(struct micro_work *work) {
    char unit[80];
    snprintf(unit, sizeof unit, "row, %zu %s", n_rows, rows == NULL ? "in order" : "listed");
    work->unit = unit;
    work->n_units = (double)n_rows;
    work->result_bytes = 2 * n_rows * sizeof *sides;
    return micro_compare(work);
}

int main(int argc, char **argv) {
    static const size_t sizes[] = {1000000, 10000};
    size_t n = micro_n_rows(argc, argv, sizes[0]);
    uint8_t *codes = micro_memory(n, 1);
    uint32_t *half = micro_memory(n + 1, sizeof *half);
    for (size_t i = 0; i < n; i++) {
        codes[i] = (uint8_t)micro_random(i);
    }
    split.column = codes;
    sides = micro_memory(2 * n, sizeof *sides);
    struct micro_work work = {.name = "partition", .run = partition, .finish = clear_ends, .result = sides};
    int n_failed = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t n_all = sizes[s] < n ? sizes[s] : n, n_half = 0;
        for (size_t i = 0; i < n_all; i++) {
            half[n_half] = (uint32_t)i;
            n_half += micro_random(n + i) >> 63;
        }
        rows = NULL;
        n_rows = n_all;
        n_failed += compare(&work);
        rows = half;
        n_rows = n_half;
        n_failed += compare(&work);
    }
    return n_failed != 0;
}
