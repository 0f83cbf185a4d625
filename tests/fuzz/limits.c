/* Around every fuzz target: what an input may take of memory and of time, and that the library gives all of it back.
 * Memory is what the library asks for, time what the processors work. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "counted_memory.h"

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const size_t MOST_BYTES = (size_t)64 << 20, A_BYTE = 4;
static const double MOST_SECONDS = 1;

static double seconds_worked(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The words in capitals are what tests/battery/fuzzing.py looks for. */
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t before = most_bytes = live_bytes;
    double began = seconds_worked();
    int result = __real_LLVMFuzzerTestOneInput(data, size);
    double seconds = seconds_worked() - began;
    if (live_bytes != before) {
        fprintf(stderr, "LEAK: %zu bytes before an input of %zu, %zu after it\n", before, size, live_bytes);
        abort();
    }
    if (most_bytes - before > MOST_BYTES + A_BYTE * size) {
        fprintf(stderr, "BLOW-UP: %zu bytes for an input of %zu\n", most_bytes - before, size);
        abort();
    }
    if (seconds > MOST_SECONDS) {
        fprintf(stderr, "HANG: %.3f seconds for an input of %zu bytes\n", seconds, size);
        abort();
    }
    return result;
}
