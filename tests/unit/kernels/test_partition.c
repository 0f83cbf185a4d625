#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/training_kernels.h"

enum { N = 1000 };

static uint8_t column[N];

static int goes_left(const struct column_split *split, uint32_t row) {
    uint8_t code = split->column[row];
    return code == split->missing_code ? split->missing_left : code <= split->bin;
}

/* One row after another against the kernel; outputs of exactly n. Returns what is wrong. */
static int n_wrong(const struct column_split *split, const uint32_t *rows, size_t first, size_t n) {
    uint32_t *left = malloc((n == 0 ? 1 : n) * sizeof *left);
    uint32_t *right = malloc((n == 0 ? 1 : n) * sizeof *right);
    if (left == NULL || right == NULL) {
        free(left);
        free(right);
        return 1;
    }
    size_t n_left = mxb__training_kernels()->partition(split, rows, first, n, left, right);
    size_t l = 0;
    size_t r = 0;
    int wrong = n_left > n;
    for (size_t i = 0; i < n && !wrong; i++) {
        uint32_t row = rows == NULL ? (uint32_t)(first + i) : rows[i];
        if (goes_left(split, row)) {
            wrong += left[l++] != row;
        } else {
            wrong += right[r++] != row;
        }
    }
    wrong += l != n_left;
    if (rows != NULL) { /* once more, the left ones in place */
        uint32_t *moved = malloc((n == 0 ? 1 : n) * sizeof *moved);
        uint32_t *moved_right = malloc((n == 0 ? 1 : n) * sizeof *moved_right);
        if (moved != NULL) {
            memcpy(moved, rows, n * sizeof *moved);
        }
        wrong += moved == NULL || moved_right == NULL ||
                 mxb__training_kernels()->partition(split, moved, 0, n, moved, moved_right) != n_left ||
                 memcmp(moved, left, n_left * sizeof *moved) != 0 ||
                 memcmp(moved_right, right, (n - n_left) * sizeof *moved_right) != 0;
        free(moved_right);
        free(moved);
    }
    free(left);
    free(right);
    return wrong;
}

static void make_column(uint32_t rows[N]) {
    struct random_stream random = {0x70617274};
    for (uint32_t i = 0; i < N; i++) {
        column[i] = (uint8_t)mxb__random_bits(random, i);
        rows[i] = (uint32_t)(mxb__random_bits(random, N + i) % N); /* any order, repeats */
    }
}

static void check_lists(const struct column_split *split, const uint32_t *rows, size_t n) {
    CHECK_INT(n_wrong(split, rows, 0, n), 0);
    CHECK_INT(n_wrong(split, rows + (N - n), 0, n), 0);
    CHECK_INT(n_wrong(split, NULL, 0, n), 0);
    CHECK_INT(n_wrong(split, NULL, N - n, n), 0);
}

static void rows_keep_their_order(void) {
    uint32_t rows[N];
    make_column(rows);
    for (unsigned bin = 0; bin < 255; bin += 127) {
        struct column_split split = {column, (uint8_t)bin, 255, 0};
        for (size_t n = 0; n <= 200; n++) {
            check_lists(&split, rows, n);
        }
        check_lists(&split, rows, N);
    }
}

/* All left, all right, and the missing ones on either side of every cut. */
static void every_bin(void) {
    uint32_t rows[N];
    make_column(rows);
    for (unsigned bin = 0; bin < 256; bin++) {
        for (unsigned missing = bin % 64; missing < 256; missing += 85) {
            for (uint8_t side = 0; side < 2; side++) {
                struct column_split split = {column, (uint8_t)bin, (uint8_t)missing, side};
                check_lists(&split, rows, 500);
            }
        }
    }
    memset(column, 9, sizeof column);
    for (unsigned bin = 8; bin < 10; bin++) {
        struct column_split split = {column, (uint8_t)bin, 10, 1};
        check_lists(&split, rows, 333);
    }
}

int main(void) {
    RUN(rows_keep_their_order);
    RUN(every_bin);
    return check_report();
}
