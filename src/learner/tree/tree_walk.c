/* Step 8 of the data's path, for trees: rows walk down by their codes. Without a branch, since the way is as good as
 * random, and several rows side by side: while one waits for its next node the others go on. Knows nothing of how the
 * tree was grown. */
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
static inline void walk_rows(const struct walk *walk, int wide, size_t first, size_t n, double *scores) {
    uint32_t at[WALKS] = {0};
    for (uint32_t level = 0; level < walk->depth; level++) {
        for (size_t k = 0; k < n; k++) {
            const struct walk_node *node = &walk->nodes[at[k]];
            size_t place = node->column + first + k;
            uint32_t code = wide ? walk->codes.words[place] : walk->codes.bytes[place];
            at[k] = node->left + (code - node->first_right < node->n_right); /* codes below the first wrap around */
        }
    }
    for (size_t k = 0; k < n; k++) {
        scores[first + k] += walk->values[at[k]];
    }
}

static inline void walk_block(const struct walk *walk, int wide, size_t first, size_t n, double *scores) {
    size_t end = first + n;
    for (; first + WALKS <= end; first += WALKS) {
        walk_rows(walk, wide, first, WALKS, scores);
    }
    for (; first < end; first++) {
        walk_rows(walk, wide, first, 1, scores);
    }
}

void mxb__walk_add(const struct walk *walk, size_t first, size_t n, double *scores) {
    if (walk->codes.words != NULL) {
        walk_block(walk, 1, first, n, scores);
    } else {
        walk_block(walk, 0, first, n, scores);
    }
}
