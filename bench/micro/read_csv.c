/* The reader of CSV files on a file of one's own: the least of some times, in seconds.
 *
 *     read_csv FILE THREADS [REPEATS]
 *
 * prints rows, columns and seconds. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mixboost/mixboost.h"

int main(int argc, char **argv) {
    int n_threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
    long n_repeats = argc > 3 ? strtol(argv[3], NULL, 10) : 5;
    double least = 0.0;
    size_t n_rows = 0, n_columns = 0;
    if (argc < 2 || n_repeats < 1) {
        fprintf(stderr, "read_csv FILE THREADS [REPEATS]\n");
        return 2;
    }
    for (long i = 0; i < n_repeats; i++) {
        mxb_table *table;
        mxb_error error;
        double begin = mxb__seconds_now();
        if (mxb_table_read_csv(argv[1], MXB_HEADER_AUTO, NULL, 0, n_threads, &table, &error) != MXB_OK) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        double seconds = mxb__seconds_now() - begin;
        least = i == 0 || seconds < least ? seconds : least;
        n_rows = mxb_table_n_rows(table);
        n_columns = mxb_table_n_columns(table);
        mxb_table_free(table);
    }
    printf("%zu %zu %.6f\n", n_rows, n_columns, least);
    return 0;
}
