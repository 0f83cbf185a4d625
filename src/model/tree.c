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

/* Without a branch, since the way is as good as random. A leaf leads to itself, whatever is in the row. */
static inline uint32_t next_node(const struct tree *tree, uint32_t at, const double *row) {
    const struct tree_node *node = &tree->nodes[at];
    double x = row[node->feature];
    uint32_t goes_left = x <= node->value;
    goes_left = x == x ? goes_left : node->missing_left;
    return node->split == SPLIT_NONE ? at : node->left + 1 - goes_left;
}

void mxb__tree_leaves(const struct tree *const trees[MXB__WALKS], const double *const rows[MXB__WALKS],
                      uint32_t leaves[MXB__WALKS]) {
    uint32_t moved;
    memset(leaves, 0, MXB__WALKS * sizeof *leaves);
    do {
        moved = 0;
        for (size_t k = 0; k < MXB__WALKS; k++) {
            uint32_t next = next_node(trees[k], leaves[k], rows[k]);
            moved |= next ^ leaves[k];
            leaves[k] = next;
        }
    } while (moved != 0);
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
