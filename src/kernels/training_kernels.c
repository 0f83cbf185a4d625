/* The table of training's hot loops that goes with the one which kernels.c chooses. */
#include "kernels/training_kernels.h"

#include "kernels/portable/portable_training.h"

const struct training_kernels mxb__training_kernels_portable = {
    .shared = &mxb__kernels_portable,
    .histogram_packed = mxb__portable_histogram_packed,
    .histogram_wide = mxb__portable_histogram_wide,
    .best_cut_packed = mxb__portable_best_cut_packed,
    .best_cut_wide = mxb__portable_best_cut_wide,
    .add_gains_packed = mxb__portable_add_gains_packed,
    .add_gains_wide = mxb__portable_add_gains_wide,
    .quanta_packed = mxb__portable_quanta_packed,
    .quanta_wide = mxb__portable_quanta_wide,
    .sum_quanta = mxb__portable_sum_quanta,
    .partition = mxb__portable_partition,
    .gram = mxb__portable_gram,
    .weighted_sum = mxb__portable_weighted_sum,
    .squared = mxb__portable_squared,
    .logistic = mxb__portable_logistic,
};

#if defined(MXB__HAS_AVX)
extern const struct training_kernels mxb__training_kernels_avx2;
extern const struct training_kernels mxb__training_kernels_avx512;
#endif

static const struct training_kernels *const SETS[] = {
#if defined(MXB__HAS_AVX)
    &mxb__training_kernels_avx512,
    &mxb__training_kernels_avx2,
#endif
    &mxb__training_kernels_portable,
};

enum { N_SETS = sizeof SETS / sizeof SETS[0] };

static const struct training_kernels *beside(const struct kernels *shared) {
    for (size_t i = 0; i < N_SETS; i++) {
        if (SETS[i]->shared == shared) {
            return SETS[i];
        }
    }
    return NULL;
}

const struct training_kernels *mxb__training_kernels_named(const char *name) {
    return beside(mxb__kernels_named(name));
}

const struct training_kernels *mxb__training_kernels(void) { return beside(mxb__kernels()); }
