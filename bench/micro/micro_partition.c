/* The rows of a node split by one feature's codes: all rows, and every second one through an index. */
#include <string.h>

#include "micro.h"

static const uint8_t *column;
static uint8_t goes_left[256];
static const uint32_t *rows; /* NULL: all */
static size_t n_rows;
static uint32_t *sides; /* left ones, then from n_rows on right ones */
static size_t n_left;

static void partition(struct micro_work *work, const struct kernels *kernels) {
    (void)work;
    n_left = kernels->partition(column, goes_left, rows, 0, n_rows, sides, sides + n_rows);
}

/* What lies behind the ends of the sides may be anything. */
static void clear_ends(struct micro_work *work) {
    (void)work;
    memset(sides + n_left, 0, (n_rows - n_left) * sizeof *sides);
    memset(sides + n_rows + (n_rows - n_left), 0, n_left * sizeof *sides);
}

int main(int argc, char **argv) {
    size_t n = micro_n_rows(argc, argv, 1000000);
    uint8_t *codes = micro_memory(n, 1);
    uint32_t *half = micro_memory(n, sizeof *half);
    size_t n_half = 0;
    for (size_t i = 0; i < n; i++) {
        codes[i] = (uint8_t)micro_random(i);
        half[n_half] = (uint32_t)i;
        n_half += micro_random(n + i) >> 63;
    }
    for (unsigned code = 0; code < 256; code++) {
        goes_left[code] = code < 100;
    }
    column = codes;
    sides = micro_memory(2 * n, sizeof *sides);
    struct micro_work work = {.name = "partition", .run = partition, .finish = clear_ends, .result = sides};
    struct {
        const char *unit;
        const uint32_t *rows;
        size_t n;
    } ways[] = {{"row, all rows", NULL, n}, {"row, listed rows", half, n_half}};
    int n_failed = 0;
    for (size_t w = 0; w < 2; w++) {
        rows = ways[w].rows;
        n_rows = ways[w].n;
        work.unit = ways[w].unit;
        work.n_units = (double)n_rows;
        work.result_bytes = 2 * n_rows * sizeof *sides;
        n_failed += micro_compare(&work);
    }
    return n_failed != 0;
}
