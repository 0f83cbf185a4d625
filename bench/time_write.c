/* Times how predictions are written: a file of doubles becomes a CSV file by the functions of `mixboost predict`, and
 * the seconds are printed. Started by measure_csv.py with both files and the number of threads. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "command.h"
#include "output.h"

static double *read_doubles(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    *n = (size_t)ftell(file) / sizeof(double);
    double *values = malloc(*n * sizeof *values);
    rewind(file);
    size_t n_read = values != NULL ? fread(values, sizeof *values, *n, file) : 0;
    fclose(file);
    *n = n_read;
    return values;
}

enum { ROWS_AT_ONCE = 1 << 17 }; /* as predict */

static int write_predictions(const char *path, const double *values, size_t n, int n_threads) {
    struct output output;
    int code = output_open(&output, path);
    if (code != EXIT_DONE) {
        return code;
    }
    output_write(&output, "prediction\n");
    for (size_t first = 0; first < n; first += ROWS_AT_ONCE) {
        output_write_numbers(&output, values + first, n - first < ROWS_AT_ONCE ? n - first : ROWS_AT_ONCE, n_threads);
    }
    return output_close(&output);
}

int main(int argc, char **argv) {
    size_t n;
    double *values = argc == 4 ? read_doubles(argv[1], &n) : NULL;
    if (values == NULL) {
        fprintf(stderr, "usage: time_write DOUBLES CSV THREADS\n");
        return 2;
    }
    double begin = mxb__seconds_now();
    int code = write_predictions(argv[2], values, n, (int)strtol(argv[3], NULL, 10));
    printf("%.9g\n", mxb__seconds_now() - begin);
    free(values);
    return code;
}
