/* Values to bin codes by a search tree whose nodes are vectors of cuts: the number of a node's cuts below the value is
 * the child to go on with. Two or three compares replace eight steps of a binary search, and no gather is needed. */
#include <immintrin.h>
#include <math.h>

#include "kernels/vector/vector.h"

enum { MAX_CUTS = 255, MAX_DEPTH = WIDTH == 8 ? 3 : 4, MAX_PIVOTS = WIDTH == 8 ? 64 : 64 + 16 };

/* The cuts are the lowest level. A slot of a level above it holds the last cut below the slot, or inf where there is
 * none; so the last slot of a node is never below a value that came there. */
struct search_tree {
    size_t depth;
    const double *levels[MAX_DEPTH];            /* from the root on */
    _Alignas(64) double cuts[MAX_CUTS + WIDTH]; /* a node in one cache line */
    _Alignas(64) double pivots[MAX_PIVOTS + WIDTH];
};

static void build_tree(struct search_tree *tree, const double *cuts, size_t n_cuts) {
    size_t n_slots = (n_cuts / WIDTH + 1) * WIDTH;
    memcpy(tree->cuts, cuts, n_cuts * sizeof *cuts);
    for (size_t i = n_cuts; i < n_slots; i++) {
        tree->cuts[i] = HUGE_VAL;
    }
    size_t reach = WIDTH; /* cuts below a node of the lowest level */
    for (tree->depth = 1; reach <= n_cuts; tree->depth++) {
        reach *= WIDTH;
    }
    double *level = tree->pivots;
    for (size_t l = 0; l + 1 < tree->depth; l++) {
        tree->levels[l] = level;
        reach /= WIDTH; /* cuts below a slot of this level */
        for (size_t end = reach; end <= reach * WIDTH * (n_cuts / (reach * WIDTH) + 1); end += reach) {
            *level++ = end <= n_cuts ? cuts[end - 1] : HUGE_VAL;
        }
    }
    tree->levels[tree->depth - 1] = tree->cuts;
}

static inline size_t count_below(doubles cuts, doubles x) {
#if defined(__AVX512F__)
    unsigned below = _mm512_cmp_pd_mask((__m512d)cuts, (__m512d)x, _CMP_LT_OQ);
#else
    unsigned below = (unsigned)_mm256_movemask_pd((__m256d)(cuts < x));
#endif
    return (size_t)__builtin_popcount(below);
}

/* The depth is a constant where this is inlined. */
static inline void search(const struct search_tree *tree, size_t depth, const double *values, size_t n,
                          uint8_t missing_code, uint8_t *codes) {
    doubles root = load(tree->levels[0]);
    for (size_t i = 0; i < n; i++) {
        doubles x = all(values[i]); /* makes 0 of -0, which no cut tells apart */
        size_t node = count_below(root, x);
        for (size_t l = 1; l < depth; l++) {
            node = node * WIDTH + count_below(load(tree->levels[l] + node * WIDTH), x);
        }
        codes[i] = values[i] == values[i] ? (uint8_t)node : missing_code;
    }
}

void MXB__KERNEL(encode)(const double *values, size_t n, const double *cuts, size_t n_cuts, uint8_t missing_code,
                         uint8_t *codes) {
    struct search_tree tree;
    build_tree(&tree, cuts, n_cuts);
    switch (tree.depth) {
        case 1:
            search(&tree, 1, values, n, missing_code, codes);
            break;
        case 2:
            search(&tree, 2, values, n, missing_code, codes);
            break;
        case 3:
            search(&tree, 3, values, n, missing_code, codes);
            break;
        default:
            search(&tree, MAX_DEPTH, values, n, missing_code, codes);
            break;
    }
}
