#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/training_kernels.h"

enum { N_ROWS = 700, N_CELLS = MXB__PANEL * MXB__CELLS };

static uint8_t records[N_ROWS * MXB__PANEL];
static uint32_t some_rows[N_ROWS];
static size_t n_some;
static struct gradient_sum sums[N_ROWS];
static uint64_t words[N_ROWS];

/* Gradients of both signs, hessians of all sizes from 0; sums of all rows fit 32 bits. */
static void make_rows(void) {
    struct random_stream random = {0x68697374};
    for (size_t i = 0; i < N_ROWS; i++) {
        for (size_t f = 0; f < MXB__PANEL; f++) {
            uint64_t bits = mxb__random_bits(random, i * MXB__PANEL + f);
            records[i * MXB__PANEL + f] = (uint8_t)(f % 3 == 0 ? bits : f % 3 == 1 ? bits % 3 : 255 - bits % 2);
        }
        int64_t size = (int64_t)(mxb__random_bits(random, 1000000 + i) % 3000000);
        sums[i].g = i % 3 == 0 ? size : -size;
        sums[i].h = i % 5 == 0 ? 0 : (int64_t)(mxb__random_bits(random, 2000000 + i) % 6000000);
        words[i] = ((uint64_t)sums[i].g << 32) + (uint64_t)sums[i].h;
    }
    n_some = 0;
    for (uint32_t i = 0; i < N_ROWS; i++) {
        if (mxb__random_bits(random, 3000000 + i) % 3 != 0) {
            some_rows[n_some++] = N_ROWS - 1 - i;
        }
    }
}

/* One cell after another, looking at all rows for each. */
static struct gradient_sum naive_cell(const struct histogram_rows *rows, size_t feature, unsigned code) {
    struct gradient_sum sum = {0, 0};
    for (size_t i = 0; i < rows->n; i++) {
        size_t row = rows->rows == NULL ? rows->first + i : rows->rows[i];
        if (rows->records[row * MXB__PANEL + feature] == code) {
            sum.g += sums[row].g;
            sum.h += sums[row].h;
        }
    }
    return sum;
}

/* A packed cell back into its parts: the low half is not negative, so it borrows nothing. */
static struct gradient_sum unpack(uint64_t cell) {
    struct gradient_sum sum = {(int32_t)(uint32_t)(cell >> 32), (int64_t)(cell & 0xffffffffu)};
    return sum;
}

static void check_histograms(const struct histogram_rows *rows) {
    static struct gradient_sum wide[N_CELLS];
    static uint64_t packed[N_CELLS];
    for (size_t i = 0; i < N_CELLS; i++) { /* added to, not overwritten; other features untouched */
        wide[i] = (struct gradient_sum){-7, 11};
        packed[i] = ((uint64_t)-7 << 32) + 11;
    }
    mxb__training_kernels()->histogram_wide(rows, sums, wide);
    mxb__training_kernels()->histogram_packed(rows, words, packed);
    size_t n_wrong = 0;
    for (size_t f = 0; f < MXB__PANEL; f++) {
        for (unsigned code = 0; code < MXB__CELLS; code++) {
            struct gradient_sum expected = {0, 0};
            if (f < rows->n_features && code < 256) {
                expected = naive_cell(rows, f, code);
            }
            struct gradient_sum w = wide[f * MXB__CELLS + code];
            struct gradient_sum p = unpack(packed[f * MXB__CELLS + code]);
            n_wrong += w.g != expected.g - 7 || w.h != expected.h + 11;
            n_wrong += p.g != expected.g - 7 || p.h != expected.h + 11;
        }
    }
    CHECK_INT(n_wrong, 0);
}

static void every_number_of_features(void) {
    for (size_t first = 0; first < MXB__PANEL; first += MXB__GROUP) {
        for (size_t n_features = 1; first + n_features <= MXB__PANEL; n_features++) {
            struct histogram_rows all = {records + first, NULL, 0, 50, n_features};
            struct histogram_rows some = {records + first, some_rows, 0, 50, n_features};
            check_histograms(&all);
            check_histograms(&some);
        }
    }
}

static void a_range_of_rows(void) {
    struct histogram_rows rows = {records + 8, NULL, 0, N_ROWS, 11};
    check_histograms(&rows);
    rows.first = 313;
    rows.n = 101;
    check_histograms(&rows);
    rows.first = N_ROWS - 1;
    rows.n = 1;
    check_histograms(&rows);
}

static void listed_rows(void) {
    for (size_t n = 0; n <= 200; n += n < 70 ? 1 : 13) { /* fewer and more than are looked ahead */
        struct histogram_rows rows = {records, some_rows, 0, n, 3};
        check_histograms(&rows);
    }
    struct histogram_rows rows = {records, some_rows, 0, n_some, 28};
    check_histograms(&rows);
}

static void no_rows(void) {
    struct histogram_rows rows = {records, NULL, 0, 0, 9};
    check_histograms(&rows);
}

/* The largest sums the halves can hold: all rows in one cell. */
static void packed_at_the_limits(void) {
    static uint64_t cells[MXB__CELLS];
    uint8_t record[4 * MXB__PANEL] = {0};
    uint64_t extreme[4];
    for (size_t i = 0; i < 4; i++) {
        extreme[i] = ((uint64_t) - (int64_t)0x20000000 << 32) + 0x3fffffffu;
    }
    struct histogram_rows rows = {record, NULL, 0, 4, 1};
    mxb__training_kernels()->histogram_packed(&rows, extreme, cells);
    struct gradient_sum sum = unpack(cells[0]);
    CHECK_INT(sum.g, INT32_MIN);
    CHECK_INT(sum.h, 4294967292);
    CHECK_INT(cells[1], 0);
}

static void wide_at_the_limits(void) {
    static struct gradient_sum cells[MXB__CELLS];
    uint8_t record[2 * MXB__PANEL] = {0};
    struct gradient_sum extreme[2] = {{INT64_MIN / 2, INT64_MAX / 2}, {INT64_MIN / 2, INT64_MAX / 2}};
    struct histogram_rows rows = {record, NULL, 0, 2, 1};
    mxb__training_kernels()->histogram_wide(&rows, extreme, cells);
    CHECK(cells[0].g == INT64_MIN && cells[0].h == INT64_MAX - 1);
}

/* What the trees rely on: parent less one child is the other, in every cell, in both forms. */
static void right_is_parent_less_left(void) {
    static uint64_t parent[N_CELLS], left[N_CELLS], right[N_CELLS];
    uint32_t all[N_ROWS];
    for (uint32_t i = 0; i < N_ROWS; i++) {
        all[i] = i;
    }
    struct histogram_rows rows = {records, all, 0, N_ROWS, MXB__PANEL};
    mxb__training_kernels()->histogram_packed(&rows, words, parent);
    rows.n = 250;
    mxb__training_kernels()->histogram_packed(&rows, words, left);
    rows.rows = all + 250;
    rows.n = N_ROWS - 250;
    mxb__training_kernels()->histogram_packed(&rows, words, right);
    size_t n_wrong = 0;
    for (size_t i = 0; i < N_CELLS; i++) {
        n_wrong += parent[i] - left[i] != right[i];
    }
    CHECK_INT(n_wrong, 0);
}

int main(void) {
    make_rows();
    RUN(every_number_of_features);
    RUN(a_range_of_rows);
    RUN(listed_rows);
    RUN(no_rows);
    RUN(packed_at_the_limits);
    RUN(wide_at_the_limits);
    RUN(right_is_parent_less_left);
    return check_report();
}
