/* What the programs that time single kernels share: a piece of work is done with every set of kernels that this
 * processor can run, compared byte for byte with what the portable set gives, and timed, the sets in turn. */
#ifndef MICRO_H
#define MICRO_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/training_kernels.h"

struct micro_work {
    const char *name;
    const char *unit; /* what run does n_units of */
    double n_units;

    /* The work, on one thread. MIXBOOST_KERNELS names the set as well, for functions that choose it themselves. */
    void (*run)(struct micro_work *work, const struct training_kernels *kernels);
    void (*start)(struct micro_work *work);  /* not timed, before each run; NULL: the result is zeroed */
    void (*finish)(struct micro_work *work); /* not timed, after each run; may be NULL */

    void *result; /* what must not depend on the set; run may set it */
    size_t result_bytes;
};

/** Prints the least time of each set as one line. Returns 0, or 1 where a result differs from the portable one. */
int micro_compare(struct micro_work *work);

/** The program's argument, a number of rows, or what there is without. Ends the program if it is no number. */
size_t micro_n_rows(int argc, char **argv, size_t usual);

/** Zeroed memory that lives as long as the program. Ends the program where there is none. */
void *micro_memory(size_t count, size_t size);

/** Random bits, the same in every run. */
uint64_t micro_random(uint64_t index);

/** Standard normal numbers, the same in every run. */
double micro_normal(uint64_t index);

#endif
