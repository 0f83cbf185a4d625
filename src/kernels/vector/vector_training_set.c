/* The table of one set of training's kernels: its own, and portable ones where wide vectors bring nothing. */
#include "kernels/portable/portable_training.h"
#include "kernels/vector/vector_training.h"

#define MXB__TRAINING_TABLE_JOIN(set) mxb__training_kernels_##set
#define MXB__TRAINING_TABLE_NAME(set) MXB__TRAINING_TABLE_JOIN(set)

const struct training_kernels MXB__TRAINING_TABLE_NAME(MXB__KERNEL_SET) = {
    .shared = &MXB__TABLE,
    .histogram_packed = mxb__portable_histogram_packed,
    .histogram_wide = mxb__portable_histogram_wide,
    .best_cut_packed = MXB__KERNEL(best_cut_packed),
    .best_cut_wide = MXB__KERNEL(best_cut_wide),
    .add_gains_packed = MXB__KERNEL(add_gains_packed),
    .add_gains_wide = MXB__KERNEL(add_gains_wide),
    .quanta_packed = MXB__KERNEL(quanta_packed),
    .quanta_wide = MXB__KERNEL(quanta_wide),
    .sum_quanta = mxb__portable_sum_quanta,
    .partition = MXB__KERNEL(partition),
    .gram = MXB__KERNEL(gram),
    .weighted_sum = MXB__KERNEL(weighted_sum),
    .squared = MXB__KERNEL(squared),
    .logistic = MXB__KERNEL(logistic),
};
