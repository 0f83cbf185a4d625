/* The table of one set: its own kernels, and portable ones where wide vectors bring nothing. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector.h"

#define MXB__TEXT(name)      #name
#define MXB__NAME_OF(set)    MXB__TEXT(set)
#define MXB__TABLE_JOIN(set) mxb__kernels_##set
#define MXB__TABLE_NAME(set) MXB__TABLE_JOIN(set)

const struct kernels MXB__TABLE_NAME(MXB__KERNEL_SET) = {
    .name = MXB__NAME_OF(MXB__KERNEL_SET),
    .encode = MXB__KERNEL(encode),
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
    .project = MXB__KERNEL(project),
    .gram = MXB__KERNEL(gram),
    .weighted_sum = MXB__KERNEL(weighted_sum),
    .dot = MXB__KERNEL(dot),
    .squared = MXB__KERNEL(squared),
    .logistic = MXB__KERNEL(logistic),
};
