/* The table of one set. */
#include "kernels/vector/vector.h"

#define MXB__TEXT(name)   #name
#define MXB__NAME_OF(set) MXB__TEXT(set)

const struct kernels MXB__TABLE = {
    .name = MXB__NAME_OF(MXB__KERNEL_SET),
    .encode = MXB__KERNEL(encode),
    .encode_row = MXB__KERNEL(encode_row),
    .scale_ranks = MXB__KERNEL(scale_ranks),
    .project = MXB__KERNEL(project),
    .dot = MXB__KERNEL(dot),
    .project_dot = MXB__KERNEL(project_dot),
    .full_tree = MXB__KERNEL(full_tree),
    .symmetric_tree = MXB__KERNEL(symmetric_tree),
    .row_trees = MXB__KERNEL(row_trees),
    .row_levels = MXB__KERNEL(row_levels),
    .add_leaves = MXB__KERNEL(add_leaves),
};
