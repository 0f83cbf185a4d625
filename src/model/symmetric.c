/* Step 9 of the data's path: a finished symmetric tree on raw values. Knows nothing of bins or how it was grown. */
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

/* A comparison with a missing value is false, so the one to take says where that goes. */
static inline uint32_t goes_right(const struct symmetric_level *level, double x) {
    return level->missing_left ? x > level->threshold : !(x <= level->threshold);
}

void mxb__symmetric_leaves(const struct symmetric *tree, const double *rows, size_t stride, size_t n,
                           uint32_t *leaves) {
    memset(leaves, 0, n * sizeof *leaves);
    for (uint32_t l = 0; l < tree->depth; l++) {
        struct symmetric_level level = tree->levels[l];
        const double *column = rows + level.feature;
        for (size_t i = 0; i < n; i++) {
            leaves[i] = 2 * leaves[i] + goes_right(&level, column[i * stride]);
        }
    }
}

mxb_status mxb__symmetric_allocate(struct symmetric *tree, mxb_error *error) {
    tree->levels = NULL;
    tree->values = NULL;
    mxb_status status = mxb__alloc_zeroed(&tree->levels, tree->depth, sizeof *tree->levels, "a tree", error);
    if (status == MXB_OK) {
        status = mxb__alloc(&tree->values, mxb__symmetric_n_leaves(tree), sizeof *tree->values, "a tree", error);
    }
    if (status != MXB_OK) {
        mxb__symmetric_clear(tree);
    }
    return status;
}

mxb_status mxb__symmetric_copy(struct symmetric *to, const struct symmetric *from, mxb_error *error) {
    *to = *from;
    MXB_TRY(mxb__symmetric_allocate(to, error));
    memcpy(to->levels, from->levels, from->depth * sizeof *to->levels);
    memcpy(to->values, from->values, mxb__symmetric_n_leaves(from) * sizeof *to->values);
    return MXB_OK;
}

void mxb__symmetric_clear(struct symmetric *tree) {
    mxb__free(tree->levels);
    mxb__free(tree->values);
    memset(tree, 0, sizeof *tree);
}
