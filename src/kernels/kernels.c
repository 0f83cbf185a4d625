/* Chooses the table of hot loops. One set so far: portable C, the oracle of every later one. */
#include "kernels/kernels.h"

#include "kernels/portable/portable.h"

const struct kernels mxb__kernels_portable = {
    .name = "portable",
    .encode = mxb__portable_encode,
    .histogram_packed = mxb__portable_histogram_packed,
    .histogram_wide = mxb__portable_histogram_wide,
    .partition = mxb__portable_partition,
    .project = mxb__portable_project,
    .gram = mxb__portable_gram,
    .weighted_sum = mxb__portable_weighted_sum,
    .dot = mxb__portable_dot,
};

const struct kernels *mxb__kernels(void) { return &mxb__kernels_portable; }
