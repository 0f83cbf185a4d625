/* The table of one set. */
#include "kernels/vector/vector.h"

#define MXB__TEXT(name)   #name
#define MXB__NAME_OF(set) MXB__TEXT(set)

const struct kernels MXB__TABLE = {
    .name = MXB__NAME_OF(MXB__KERNEL_SET),
    .encode = MXB__KERNEL(encode),
    .project = MXB__KERNEL(project),
    .dot = MXB__KERNEL(dot),
};
