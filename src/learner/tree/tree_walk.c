/* Steps 7a and 8 of the data's path: rows walk down a tree by their codes. Without a branch, since the way is as good
 * as random, and several rows side by side: while one waits for its next node the others go on. Knows nothing of how
 * the tree was grown. */
#include "learner/tree/tree_walk.h"

enum { WALKS = 8 };

struct walk_node mxb__walk_split(const struct code_columns *codes, const struct feature_bins *bins,
                                 const struct split *split, uint32_t left) {
    uint32_t first_right = split->bin + 1;
    uint32_t end_right = mxb__missing_code(&bins[split->feature]) + (split->missing_left ? 0 : 1);
    struct walk_node node = {split->feature * codes->n_rows, first_right, end_right - first_right, left};
    return node;
}

struct walk_node mxb__walk_leaf(uint32_t index) {
    struct walk_node node = {.left = index};
    return node;
}

/* `n`, at most WALKS, and `wide` are constants where this is called. */
static inline void walk_some(const struct walk *walk, int wide, const uint32_t *rows, size_t n, uint32_t *leaves) {
    uint32_t at[WALKS] = {0};
    for (uint32_t level = 0; level < walk->depth; level++) {
        for (size_t k = 0; k < n; k++) {
            const struct walk_node *node = &walk->nodes[at[k]];
            size_t place = node->column + rows[k];
            uint32_t code = wide ? walk->codes.words[place] : walk->codes.bytes[place];
            at[k] = node->left + (code - node->first_right < node->n_right); /* codes below the first wrap around */
        }
    }
    for (size_t k = 0; k < n; k++) {
        leaves[k] = at[k];
    }
}

static inline void walk_all(const struct walk *walk, int wide, struct walkers *walkers) {
    size_t i = 0;
    for (; i + WALKS <= walkers->n; i += WALKS) {
        walk_some(walk, wide, walkers->rows + i, WALKS, walkers->leaves + i);
    }
    for (; i < walkers->n; i++) {
        walk_some(walk, wide, walkers->rows + i, 1, walkers->leaves + i);
    }
}

void mxb__walk_find(const struct walk *walk, struct walkers *walkers) {
    if (walk->codes.words != NULL) {
        walk_all(walk, 1, walkers);
    } else {
        walk_all(walk, 0, walkers);
    }
}
