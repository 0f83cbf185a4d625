/* The harness of the programs that time single kernels. */
#define _POSIX_C_SOURCE 200809L
#include "micro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"

enum { N_TIMES = 9, MAX_BLOCKS = 32 };

static const char *const SETS[] = {"portable", "avx2", "avx512"}; /* the first is everybody's twin */
enum { N_SETS = sizeof SETS / sizeof SETS[0] };

static const struct random_stream RANDOM = {0x6d6963726f};

/* Seconds of one run. */
static double run_once(struct micro_work *work, const struct training_kernels *kernels) {
    if (work->start != NULL) {
        work->start(work);
    } else if (work->result != NULL) {
        memset(work->result, 0, work->result_bytes);
    }
    setenv("MIXBOOST_KERNELS", kernels->shared->name, 1);
    double begin = mxb__seconds_now();
    work->run(work, kernels);
    double seconds = mxb__seconds_now() - begin;
    if (work->finish != NULL) {
        work->finish(work);
    }
    return seconds;
}

/* Whether every set gives the bytes of the portable one. */
static int sets_agree(struct micro_work *work) {
    run_once(work, &mxb__training_kernels_portable);
    void *expected = micro_memory(work->result_bytes, 1);
    memcpy(expected, work->result, work->result_bytes);
    int agree = 1;
    for (size_t s = 1; s < N_SETS; s++) {
        const struct training_kernels *kernels = mxb__training_kernels_named(SETS[s]);
        if (kernels != NULL) {
            run_once(work, kernels);
            if (memcmp(expected, work->result, work->result_bytes) != 0) {
                fprintf(stderr, "%s: %s does not give what portable gives\n", work->name, SETS[s]);
                agree = 0;
            }
        }
    }
    return agree;
}

int micro_compare(struct micro_work *work) {
    if (!sets_agree(work)) {
        return 1;
    }
    double least[N_SETS] = {0};
    for (int time = 0; time < N_TIMES; time++) {
        for (size_t s = 0; s < N_SETS; s++) {
            const struct training_kernels *kernels = mxb__training_kernels_named(SETS[s]);
            if (kernels != NULL) {
                double seconds = run_once(work, kernels);
                least[s] = time == 0 || seconds < least[s] ? seconds : least[s];
            }
        }
    }
    printf("%-34s", work->name);
    for (size_t s = 0; s < N_SETS; s++) {
        if (mxb__training_kernels_named(SETS[s]) != NULL) {
            printf("  %s %8.3f", SETS[s], 1e9 * least[s] / work->n_units);
        }
    }
    printf("  ns a %s\n", work->unit);
    return 0;
}

size_t micro_n_rows(int argc, char **argv, size_t usual) {
    if (argc < 2) {
        return usual;
    }
    char *end;
    unsigned long long n = strtoull(argv[1], &end, 10);
    if (argc > 2 || *end != '\0' || n < 1000 || n > 100000000) {
        fprintf(stderr, "usage: %s [ROWS], from 1000 to 100000000\n", argv[0]);
        exit(2);
    }
    return (size_t)n;
}

static void *blocks[MAX_BLOCKS];
static size_t n_blocks;

static void free_blocks(void) {
    while (n_blocks > 0) {
        free(blocks[--n_blocks]);
    }
}

void *micro_memory(size_t count, size_t size) {
    void *memory = n_blocks < MAX_BLOCKS ? calloc(count, size) : NULL;
    if (memory == NULL) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    if (n_blocks == 0) {
        atexit(free_blocks);
    }
    blocks[n_blocks++] = memory;
    return memory;
}

uint64_t micro_random(uint64_t index) { return mxb__random_bits(RANDOM, index); }

double micro_normal(uint64_t index) { return mxb__random_normal(RANDOM, index); }
