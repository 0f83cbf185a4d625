/* Numbers to the shortest text and back: of float32, of float64 and with six digits after the point. No set of kernels
 * plays a part. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "micro.h"

static size_t n_numbers;
static double *numbers;
static char (*texts)[MXB__NUMBER_SIZE];
static size_t *lengths;

static void format(struct micro_work *work, const struct training_kernels *kernels) {
    char(*out)[MXB__NUMBER_SIZE] = work->result;
    (void)kernels;
    for (size_t i = 0; i < n_numbers; i++) {
        mxb__number_format(numbers[i], out[i]);
    }
}

static void parse(struct micro_work *work, const struct training_kernels *kernels) {
    double *out = work->result;
    (void)kernels;
    for (size_t i = 0; i < n_numbers; i++) {
        mxb__number_parse(texts[i], lengths[i], &out[i]);
    }
}

static double number_of_kind(size_t kind, uint64_t index) {
    double x = micro_normal(index);
    return kind == 0 ? x : kind == 1 ? (double)(float)x : nearbyint(x * 1e6) / 1e6;
}

int main(int argc, char **argv) {
    static const char *const names[][2] = {{"write float64", "read float64"},
                                           {"write float32 as float64", "read float32 as float64"},
                                           {"write six decimals", "read six decimals"}};
    int n_failed = 0;
    n_numbers = micro_n_rows(argc, argv, 300000);
    numbers = micro_memory(n_numbers, sizeof *numbers);
    texts = micro_memory(n_numbers, sizeof *texts);
    lengths = micro_memory(n_numbers, sizeof *lengths);
    void *result = micro_memory(n_numbers, sizeof *texts);
    for (size_t kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < n_numbers; i++) {
            numbers[i] = number_of_kind(kind, i);
            lengths[i] = mxb__number_format(numbers[i], texts[i]);
        }
        struct micro_work work = {.unit = "number", .n_units = (double)n_numbers, .result = result};
        work.name = names[kind][0];
        work.run = format;
        work.result_bytes = n_numbers * sizeof *texts;
        n_failed += micro_compare(&work);
        work.name = names[kind][1];
        work.run = parse;
        work.result_bytes = n_numbers * sizeof *numbers;
        n_failed += micro_compare(&work) || memcmp(result, numbers, work.result_bytes) != 0;
    }
    return n_failed != 0;
}
