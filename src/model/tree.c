/* Step 9 of the data's path: a finished tree on raw values. Knows nothing of bins or how it was grown. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

uint32_t mxb__tree_leaf(const struct tree *tree, const double *row) {
    uint32_t at = 0;
    while (tree->nodes[at].split != SPLIT_NONE) {
        const struct tree_node *node = &tree->nodes[at];
        double x = row[node->feature];
        int goes_left = isnan(x) ? node->missing_left : x <= node->value;
        at = node->left + (goes_left ? 0 : 1);
    }
    return at;
}

mxb_status mxb__tree_copy(struct tree *to, const struct tree *from, mxb_error *error) {
    *to = *from;
    MXB_TRY(mxb__alloc(&to->nodes, from->n_nodes, sizeof *to->nodes, "a tree", error));
    memcpy(to->nodes, from->nodes, from->n_nodes * sizeof *to->nodes);
    return MXB_OK;
}

void mxb__tree_clear(struct tree *tree) {
    mxb__free(tree->nodes);
    memset(tree, 0, sizeof *tree);
}
