#include "data/sorted.h"

#include <stdlib.h>

#include "check.h"
#include "unit/data/draw_column.h"

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static size_t naive_sort(const double *values, size_t n, double *sorted) {
    size_t n_present = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i])) {
            sorted[n_present++] = values[i];
        }
    }
    qsort(sorted, n_present, sizeof *sorted, compare);
    return n_present;
}

static void check_order(const double *values, size_t n, int narrow) {
    static double expected[MAX_COLUMN];
    size_t n_present = naive_sort(values, n, expected);
    struct sorted sorted = sort_values(values, n, narrow);
    CHECK_INT(sorted.n, n_present);
    size_t n_wrong = 0;
    for (size_t i = 0; i < n_present; i++) {
        n_wrong += mxb__sorted_value(&sorted, i) != expected[i];
        n_wrong += mxb__sorted_value(&sorted, i) == 0 && signbit(mxb__sorted_value(&sorted, i));
    }
    size_t begin = 0;
    while (begin < n_present) {
        size_t end = begin + 1;
        while (end < n_present && expected[end] == expected[begin]) {
            end++;
        }
        for (size_t i = begin; i < end; i += 1 + (end - begin) / 50) {
            n_wrong += mxb__sorted_run_begin(&sorted, i) != begin || mxb__sorted_run_end(&sorted, i) != end;
        }
        begin = end;
    }
    CHECK_INT(n_wrong, 0);
}

static void in_order_and_runs(void) { for_every_column(check_order); }

static void a_part_knows_only_itself(void) {
    static const double values[] = {3, 1, 1, 1, 2, 3, 3};
    for (int narrow = 0; narrow < 2; narrow++) {
        struct sorted sorted = sort_values(values, 7, narrow); /* 1 1 1 2 3 3 3 */
        struct sorted part = mxb__sorted_part(&sorted, 1, 6);
        CHECK_INT(part.n, 5);
        CHECK(mxb__sorted_value(&part, 0) == 1 && mxb__sorted_value(&part, 4) == 3);
        CHECK_INT(mxb__sorted_run_begin(&part, 1), 0);
        CHECK_INT(mxb__sorted_run_end(&part, 3), 5);
        CHECK_INT(mxb__sorted_run_begin(&part, 4), 3);
    }
}

int main(void) {
    RUN(in_order_and_runs);
    RUN(a_part_knows_only_itself);
    return check_report();
}
