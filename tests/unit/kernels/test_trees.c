/* Trees on codes against a walk from node to node, row by row. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "kernels/kernels.h"

static const struct random_stream RANDOM = {0x74726565};

enum { STRIDE = 5 * MXB__CODE_ROWS, N_COLUMNS = 300, MAX_NODES = 1 << MXB__FULL_DEPTH };

static uint32_t draw(uint32_t n) {
    static uint64_t index;
    return (uint32_t)(mxb__random_uniform(RANDOM, index++) * (double)n);
}

static uint8_t codes[N_COLUMNS * STRIDE];
static uint32_t tests[MAX_NODES];

/* Few values, so that codes are often at a threshold, and the ends. */
static uint8_t draw_code(void) {
    static const uint8_t values[] = {0, 1, 2, 100, 101, 127, 128, 129, 200, 254, 255};
    return values[draw(sizeof values)];
}

static void draw_tests(uint32_t n_columns) {
    for (size_t k = 0; k < MAX_NODES; k++) {
        tests[k] = draw(n_columns) << 8 | draw_code();
    }
}

static unsigned goes_right(uint32_t test, size_t row, size_t stride) {
    return codes[(test >> 8) * stride + row] > (test & 255);
}

static size_t walk(unsigned depth, size_t row, size_t stride) {
    size_t at = 1;
    for (unsigned l = 0; l < depth; l++) {
        at = 2 * at + goes_right(tests[at], row, stride);
    }
    return at - ((size_t)1 << depth);
}

static size_t walk_levels(unsigned depth, size_t row) {
    size_t leaf = 0;
    for (unsigned l = 0; l < depth; l++) {
        leaf = 2 * leaf + goes_right(tests[l], row, STRIDE);
    }
    return leaf;
}

static void blocks_of_rows(void) {
    static const size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 129, 512, STRIDE};
    uint8_t leaves[STRIDE + 1];
    for (size_t i = 0; i < sizeof codes; i++) {
        codes[i] = draw_code();
    }
    for (unsigned depth = 1; depth <= MXB__FULL_DEPTH; depth++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            struct code_rows rows = {codes, STRIDE, sizes[s]};
            size_t end = (sizes[s] + MXB__CODE_ROWS - 1) / MXB__CODE_ROWS * MXB__CODE_ROWS, n_wrong = 0;
            draw_tests(N_COLUMNS);
            leaves[end] = 77;
            mxb__kernels()->full_tree(&rows, tests, depth, leaves);
            for (size_t i = 0; i < sizes[s]; i++) {
                n_wrong += leaves[i] != walk(depth, i, STRIDE);
            }
            mxb__kernels()->symmetric_tree(&rows, tests, depth, leaves);
            for (size_t i = 0; i < sizes[s]; i++) {
                n_wrong += leaves[i] != walk_levels(depth, i);
            }
            CHECK_INT(n_wrong, 0);
            CHECK_INT(leaves[end], 77);
        }
    }
}

static void leaves_to_scores(void) {
    static double values[MAX_NODES], scores[STRIDE + 1], expected[STRIDE + 1];
    uint8_t leaves[STRIDE];
    for (size_t n_values = 1; n_values <= MAX_NODES; n_values *= 2) {
        for (size_t n = 0; n <= STRIDE; n = 2 * n + 1) {
            for (size_t k = 0; k < n_values; k++) {
                values[k] = mxb__random_normal(RANDOM, 1000000 + k);
            }
            for (size_t i = 0; i <= STRIDE; i++) {
                scores[i] = expected[i] = mxb__random_normal(RANDOM, 2000000 + i);
            }
            for (size_t i = 0; i < n; i++) {
                leaves[i] = (uint8_t)draw((uint32_t)n_values);
                expected[i] += values[leaves[i]];
            }
            mxb__kernels()->add_leaves(leaves, n, values, n_values, scores);
            CHECK(memcmp(scores, expected, sizeof scores) == 0);
        }
    }
}

/* The tests as a tree of that depth, in a block of no more bytes than it must have: readers beyond it are noticed by a
 * sanitizer. */
static struct narrow_tree make_narrow_tree(uint32_t depth, uint8_t **block) {
    size_t n = (size_t)1 << depth;
    n = n > MXB__NARROW_NODES ? n : MXB__NARROW_NODES;
    *block = malloc(2 * n);
    for (size_t k = 0; k < n; k++) {
        (*block)[k] = (uint8_t)(tests[k] >> 8);
        (*block)[n + k] = (uint8_t)tests[k];
    }
    return (struct narrow_tree){depth, *block, *block + n};
}

/* One row, whose codes are the first of each column. Numbers of columns around those that fit into registers. */
static void full_trees_of_a_row(void) {
    enum { N_TREES = 70 };
    static const uint32_t columns[] = {1, 64, 65, 128, 129, MXB__NARROW_COLUMNS};
    struct narrow_tree trees[N_TREES];
    uint8_t *blocks[N_TREES];
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        for (size_t n = 0; n <= N_TREES; n += n < 20 ? 1 : 25) {
            uint8_t leaves[N_TREES + 1];
            size_t expected[N_TREES], n_wrong = 0;
            for (size_t i = 0; i < MXB__NARROW_COLUMNS; i++) {
                codes[i] = draw_code();
            }
            for (size_t t = 0; t < n; t++) {
                draw_tests(columns[c]);
                trees[t] = make_narrow_tree(draw(MXB__FULL_DEPTH + 1), &blocks[t]);
                expected[t] = walk(trees[t].depth, 0, 1);
            }
            leaves[n] = 77;
            mxb__kernels()->row_trees(trees, n, codes, columns[c], leaves);
            for (size_t t = 0; t < n; t++) {
                n_wrong += leaves[t] != expected[t];
                free(blocks[t]);
            }
            CHECK_INT(n_wrong, 0);
            CHECK_INT(leaves[n], 77);
        }
    }
}

static void symmetric_trees_of_a_row(void) {
    enum { N_TREES = 24 };
    static const uint32_t columns[] = {1, 64, 65, 128, 129, MXB__NARROW_COLUMNS};
    uint8_t tested[N_TREES * MXB__FULL_DEPTH], thresholds[N_TREES * MXB__FULL_DEPTH];
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        for (size_t n = 0; n <= N_TREES; n++) {
            uint8_t leaves[N_TREES];
            size_t n_wrong = 0;
            for (size_t i = 0; i < MXB__NARROW_COLUMNS; i++) {
                codes[i] = draw_code();
            }
            for (size_t k = 0; k < sizeof tested; k++) {
                tested[k] = (uint8_t)draw(columns[c]);
                thresholds[k] = draw_code();
            }
            mxb__kernels()->row_levels(tested, thresholds, n, codes, columns[c], leaves);
            for (size_t k = 0; k < n * MXB__FULL_DEPTH; k++) {
                n_wrong += (leaves[k / 8] >> k % 8 & 1) != (codes[tested[k]] > thresholds[k]);
            }
            CHECK_INT(n_wrong, 0);
        }
    }
}

int main(void) {
    RUN(blocks_of_rows);
    RUN(leaves_to_scores);
    RUN(full_trees_of_a_row);
    RUN(symmetric_trees_of_a_row);
    return check_report();
}
