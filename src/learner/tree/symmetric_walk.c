/* Step 8 of the data's path, for symmetric trees: a row's leaf is a number with a bit a level, made of its codes. Level
 * by level for all rows, so that none waits for its way. Knows nothing of how the tree was grown. */
#include "learner/tree/symmetric_walk.h"

#include <string.h>

/* The next bit of the leaves; codes below the first that goes right wrap around. */
static void add_bytes(struct walk_node level, const uint8_t *column, size_t n, uint32_t *restrict leaves) {
    for (size_t i = 0; i < n; i++) {
        leaves[i] = 2 * leaves[i] + (column[i] - level.first_right < level.n_right);
    }
}

static void add_words(struct walk_node level, const uint32_t *column, size_t n, uint32_t *restrict leaves) {
    for (size_t i = 0; i < n; i++) {
        leaves[i] = 2 * leaves[i] + (column[i] - level.first_right < level.n_right);
    }
}

void mxb__symmetric_walk_find(const struct symmetric_walk *walk, size_t first, size_t n, uint32_t *leaves) {
    memset(leaves, 0, n * sizeof *leaves);
    for (uint32_t l = 0; l < walk->depth; l++) {
        struct walk_node level = walk->levels[l];
        if (walk->codes.words != NULL) {
            add_words(level, walk->codes.words + level.column + first, n, leaves);
        } else {
            add_bytes(level, walk->codes.bytes + level.column + first, n, leaves);
        }
    }
}
