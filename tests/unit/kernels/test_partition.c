#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/kernels.h"

enum { N = 1000 };

static uint8_t column[N];

/* Two plain loops, left ones and right ones, against the kernel; outputs of exactly n. Returns what is wrong. */
static int n_wrong(const uint8_t goes_left[256], const uint32_t *rows, size_t first, size_t n) {
    uint32_t *left = malloc((n == 0 ? 1 : n) * sizeof *left);
    uint32_t *right = malloc((n == 0 ? 1 : n) * sizeof *right);
    if (left == NULL || right == NULL) {
        free(left);
        free(right);
        return 1;
    }
    size_t n_left = mxb__kernels()->partition(column, goes_left, rows, first, n, left, right);
    size_t l = 0;
    size_t r = 0;
    int wrong = n_left > n;
    for (size_t i = 0; i < n && !wrong; i++) {
        uint32_t row = rows == NULL ? (uint32_t)(first + i) : rows[i];
        if (goes_left[column[row]]) {
            wrong += left[l++] != row;
        } else {
            wrong += right[r++] != row;
        }
    }
    wrong += l != n_left;
    if (rows != NULL) { /* once more, the left ones in place */
        uint32_t *moved = malloc((n == 0 ? 1 : n) * sizeof *moved);
        if (moved != NULL) {
            memcpy(moved, rows, n * sizeof *moved);
        }
        wrong += moved == NULL || mxb__kernels()->partition(column, goes_left, moved, 0, n, moved, right) != n_left ||
                 memcmp(moved, left, n_left * sizeof *moved) != 0;
        free(moved);
    }
    free(left);
    free(right);
    return wrong;
}

static void rows_keep_their_order(void) {
    struct random_stream random = {0x70617274};
    uint32_t rows[N];
    for (uint32_t i = 0; i < N; i++) {
        column[i] = (uint8_t)mxb__random_bits(random, i);
        rows[i] = (uint32_t)(mxb__random_bits(random, N + i) % N); /* any order, repeats */
    }
    for (unsigned threshold = 0; threshold <= 256; threshold += 16) { /* none left to all left */
        uint8_t goes_left[256];
        for (unsigned code = 0; code < 256; code++) {
            goes_left[code] = code < threshold;
        }
        for (size_t n = 0; n <= N; n = n * 2 + 1) {
            CHECK_INT(n_wrong(goes_left, rows, 0, n), 0);
            CHECK_INT(n_wrong(goes_left, NULL, 0, n), 0);
            CHECK_INT(n_wrong(goes_left, NULL, N - n, n), 0);
        }
    }
}

static void any_set_of_codes(void) {
    struct random_stream random = {0x736574};
    for (uint64_t trial = 0; trial < 50; trial++) {
        uint8_t goes_left[256];
        for (unsigned code = 0; code < 256; code++) { /* the missing code on either side */
            goes_left[code] = (uint8_t)(mxb__random_bits(random, trial * 256 + code) & 1);
        }
        CHECK_INT(n_wrong(goes_left, NULL, 100, 800), 0);
    }
}

int main(void) {
    RUN(rows_keep_their_order);
    RUN(any_set_of_codes);
    return check_report();
}
