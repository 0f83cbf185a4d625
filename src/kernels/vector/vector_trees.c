/* Trees on codes: all nodes of a tree are compared for a vector of rows, and from the bottom up each takes the leaf of
 * its left or right half. No row waits for its way, and no compare is wasted on the memory of pointers. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector.h"

/* Rows of a vector, vectors at once so that a node is taken apart once for several, levels that stay in registers, and
 * the most subtrees of so many levels at the bottom of a tree. */
enum { ROWS = WIDTH * 8, AT_ONCE = 2, LEVELS = 3, MAX_SUBTREES = 1 << (MXB__FULL_DEPTH - LEVELS) };

#if defined(__AVX512F__)
typedef __m512i bytes;
static inline bytes all_bytes(uint32_t x) { return _mm512_set1_epi8((char)x); }
static inline bytes load_bytes(const void *from) { return _mm512_loadu_si512(from); }
static inline void store_bytes(void *to, bytes x) { _mm512_storeu_si512(to, x); }
static inline bytes add_bytes(bytes x, bytes y) { return _mm512_add_epi8(x, y); }
static inline bytes choose_bytes(bytes codes, bytes threshold, bytes left, bytes right) {
    return _mm512_mask_blend_epi8(_mm512_cmpgt_epu8_mask(codes, threshold), left, right);
}
#else
typedef __m256i bytes;
static inline bytes all_bytes(uint32_t x) { return _mm256_set1_epi8((char)x); }
static inline bytes load_bytes(const void *from) { return _mm256_loadu_si256(from); }
static inline void store_bytes(void *to, bytes x) { _mm256_storeu_si256(to, x); }
static inline bytes add_bytes(bytes x, bytes y) { return _mm256_add_epi8(x, y); }
static inline bytes choose_bytes(bytes codes, bytes threshold, bytes left, bytes right) {
    return _mm256_blendv_epi8(right, left, _mm256_cmpeq_epi8(_mm256_max_epu8(codes, threshold), threshold));
}
#endif

struct leaves {
    bytes of[AT_ONCE];
};

/* What a node is for these rows: the choice between its halves. */
MXB__INLINE struct leaves choose(const struct code_rows *rows, uint32_t node, struct leaves left, struct leaves right) {
    const uint8_t *column = rows->codes + (node >> 8) * rows->stride;
    bytes threshold = all_bytes(node);
    struct leaves chosen;
    for (size_t v = 0; v < AT_ONCE; v++) {
        chosen.of[v] = choose_bytes(load_bytes(column + v * ROWS), threshold, left.of[v], right.of[v]);
    }
    return chosen;
}

/* The subtree of one, two or three levels whose root is node `at`, from the leaves below it. */
MXB__INLINE struct leaves choose_1(const struct code_rows *rows, const uint32_t *nodes, size_t at,
                                   const struct leaves *leaves) {
    return choose(rows, nodes[at], leaves[0], leaves[1]);
}

MXB__INLINE struct leaves choose_2(const struct code_rows *rows, const uint32_t *nodes, size_t at,
                                   const struct leaves *leaves) {
    struct leaves left = choose_1(rows, nodes, 2 * at, leaves), right = choose_1(rows, nodes, 2 * at + 1, leaves + 2);
    return choose(rows, nodes[at], left, right);
}

MXB__INLINE struct leaves choose_3(const struct code_rows *rows, const uint32_t *nodes, size_t at,
                                   const struct leaves *leaves) {
    struct leaves left = choose_2(rows, nodes, 2 * at, leaves), right = choose_2(rows, nodes, 2 * at + 1, leaves + 4);
    return choose(rows, nodes[at], left, right);
}

/* The next `levels` of `n` subtrees side by side, in place: from 2^levels leaves each to one. */
MXB__INLINE void choose_levels(const struct code_rows *rows, const uint32_t *nodes, size_t n, unsigned levels,
                               struct leaves *leaves) {
    for (size_t i = 0; i < n; i++) {
        leaves[i] = levels == 1   ? choose_1(rows, nodes, n + i, leaves + 2 * i)
                    : levels == 2 ? choose_2(rows, nodes, n + i, leaves + 4 * i)
                                  : choose_3(rows, nodes, n + i, leaves + 8 * i);
    }
}

/* The lowest `levels`, below which the leaves are numbers. */
MXB__INLINE void choose_lowest(const struct code_rows *rows, const uint32_t *nodes, size_t n, unsigned levels,
                               struct leaves *leaves) {
    struct leaves numbers[1 << LEVELS];
    for (uint32_t k = 0; k < 1u << levels; k++) {
        for (size_t v = 0; v < AT_ONCE; v++) {
            numbers[k].of[v] = all_bytes(k);
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct leaves chosen = levels == 1   ? choose_1(rows, nodes, n + i, numbers)
                               : levels == 2 ? choose_2(rows, nodes, n + i, numbers)
                                             : choose_3(rows, nodes, n + i, numbers);
        for (size_t v = 0; v < AT_ONCE; v++) {
            leaves[i].of[v] = add_bytes(chosen.of[v], all_bytes((uint32_t)i << levels));
        }
    }
}

static inline struct leaves choose_leaves(const struct code_rows *rows, const uint32_t *nodes, unsigned depth) {
    struct leaves leaves[MAX_SUBTREES];
    if (depth == 1) {
        choose_lowest(rows, nodes, 1, 1, leaves);
        return leaves[0];
    }
    if (depth == 2) {
        choose_lowest(rows, nodes, 1, 2, leaves);
        return leaves[0];
    }
    unsigned left = depth - LEVELS; /* levels above */
    choose_lowest(rows, nodes, (size_t)1 << left, LEVELS, leaves);
    if (left >= LEVELS) {
        left -= LEVELS;
        choose_levels(rows, nodes, (size_t)1 << left, LEVELS, leaves);
    }
    if (left == 2) {
        choose_levels(rows, nodes, 1, 2, leaves);
    } else if (left == 1) {
        choose_levels(rows, nodes, 1, 1, leaves);
    }
    return leaves[0];
}

void MXB__KERNEL(full_tree)(const struct code_rows *rows, const uint32_t *nodes, unsigned depth, uint8_t *leaves) {
    struct code_rows at = *rows;
    for (size_t i = 0; i < rows->n; i += AT_ONCE * ROWS) {
        at.codes = rows->codes + i;
        struct leaves found = choose_leaves(&at, nodes, depth);
        for (size_t v = 0; v < AT_ONCE; v++) {
            store_bytes(leaves + i + v * ROWS, found.of[v]);
        }
    }
}

void MXB__KERNEL(symmetric_tree)(const struct code_rows *rows, const uint32_t *levels, unsigned depth,
                                 uint8_t *leaves) {
    for (size_t i = 0; i < rows->n; i += ROWS) {
        bytes leaf = all_bytes(0);
        for (unsigned l = 0; l < depth; l++) {
            bytes codes = load_bytes(rows->codes + (levels[l] >> 8) * rows->stride + i);
            bytes right = all_bytes(1u << (depth - 1 - l));
            leaf = choose_bytes(codes, all_bytes(levels[l]), leaf, add_bytes(leaf, right));
        }
        store_bytes(leaves + i, leaf);
    }
}

/* ---- one row ---- */

#if defined(__AVX512F__)
#define MXB__VBMI __attribute__((target("avx512vbmi")))

enum { TESTS = 64, CODES = 128 }; /* tests of a vector; columns whose codes two vectors hold */

struct row_codes {
    __m512i low;
    __m512i high;
};

/* Bit k: whether the row goes right in test k. */
MXB__VBMI static inline uint64_t test_row(struct row_codes codes, const uint8_t *columns, const uint8_t *thresholds) {
    __m512i tested = _mm512_permutex2var_epi8(codes.low, load_bytes(columns), codes.high);
    return _mm512_cmpgt_epu8_mask(tested, load_bytes(thresholds));
}

static inline size_t next_node(size_t at, uint64_t rights) { return 2 * at + (rights >> at % TESTS & 1); }

/* All tests of a tree at once, and then the way through their bits. Always six levels of them: steps beyond a leaf only
 * add digits behind its number. */
MXB__VBMI static inline size_t row_leaf(const struct narrow_tree *tree, struct row_codes codes) {
    const uint8_t *columns = tree->columns, *thresholds = tree->thresholds;
    uint64_t rights = test_row(codes, columns, thresholds);
    size_t at = 1;
    for (int l = 0; l < 6; l++) {
        at = next_node(at, rights);
    }
    if (tree->depth <= 6) {
        return (at >> (6 - tree->depth)) - ((size_t)1 << tree->depth);
    }
    at = next_node(at, test_row(codes, columns + TESTS, thresholds + TESTS));
    if (tree->depth > 7) {
        size_t first = at / TESTS * TESTS;
        at = next_node(at, test_row(codes, columns + first, thresholds + first));
    }
    return at - ((size_t)1 << tree->depth);
}

MXB__VBMI static void row_trees_vbmi(const struct narrow_tree *trees, size_t n, const uint8_t *codes, uint8_t *leaves) {
    struct row_codes row = {load_bytes(codes), load_bytes(codes + TESTS)};
    for (size_t t = 0; t < n; t++) {
        leaves[t] = (uint8_t)row_leaf(&trees[t], row);
    }
}

/* Eight trees at once: the bits of their tests are their leaves. */
MXB__VBMI static void row_levels_vbmi(const uint8_t *columns, const uint8_t *thresholds, size_t n, const uint8_t *codes,
                                      uint8_t *leaves) {
    struct row_codes row = {load_bytes(codes), load_bytes(codes + TESTS)};
    for (size_t t = 0; t < n; t += TESTS / MXB__FULL_DEPTH) {
        uint64_t found = test_row(row, columns + t * MXB__FULL_DEPTH, thresholds + t * MXB__FULL_DEPTH);
        memcpy(leaves + t, &found, sizeof found);
    }
}

static int has_vbmi(void) { return __builtin_cpu_supports("avx512vbmi") != 0; }
#endif

void MXB__KERNEL(row_trees)(const struct narrow_tree *trees, size_t n, const uint8_t *codes, size_t n_columns,
                            uint8_t *leaves) {
#if defined(__AVX512F__)
    if (n_columns <= CODES && has_vbmi()) {
        row_trees_vbmi(trees, n, codes, leaves);
        return;
    }
#endif
    mxb__portable_row_trees(trees, n, codes, n_columns, leaves);
}

void MXB__KERNEL(row_levels)(const uint8_t *columns, const uint8_t *thresholds, size_t n, const uint8_t *codes,
                             size_t n_columns, uint8_t *leaves) {
#if defined(__AVX512F__)
    if (n_columns <= CODES && has_vbmi()) {
        row_levels_vbmi(columns, thresholds, n, codes, leaves);
        return;
    }
#endif
    mxb__portable_row_levels(columns, thresholds, n, codes, n_columns, leaves);
}

/* ---- leaves to scores ---- */

#if defined(__AVX512F__)
/* Up to 64 values in registers, of which eight rows take theirs at once: first each from every pair of vectors, then
 * from the right pair. The count of vectors, 2, 4 or 8, is a constant where this is inlined. */
MXB__INLINE size_t add_from_registers(const uint8_t *leaves, size_t n, const double *values, size_t n_vectors,
                                      double *scores) {
    __m512d table[8], found[4];
    size_t i = 0;
    for (size_t k = 0; k < n_vectors; k++) {
        table[k] = _mm512_loadu_pd(values + 8 * k);
    }
    for (; i + 8 <= n; i += 8) {
        __m512i leaf = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(leaves + i)));
        for (size_t k = 0; k < n_vectors / 2; k++) {
            found[k] = _mm512_permutex2var_pd(table[2 * k], leaf, table[2 * k + 1]);
        }
        for (size_t bit = 16, k = n_vectors / 4; k > 0; bit *= 2, k /= 2) {
            __mmask8 is_set = _mm512_test_epi64_mask(leaf, _mm512_set1_epi64((long long)bit));
            for (size_t j = 0; j < k; j++) {
                found[j] = _mm512_mask_blend_pd(is_set, found[2 * j], found[2 * j + 1]);
            }
        }
        _mm512_storeu_pd(scores + i, _mm512_add_pd(_mm512_loadu_pd(scores + i), found[0]));
    }
    return i;
}
#endif

void MXB__KERNEL(add_leaves)(const uint8_t *leaves, size_t n, const double *values, size_t n_values, double *scores) {
    size_t i = 0;
#if defined(__AVX512F__)
    i = n_values == 16   ? add_from_registers(leaves, n, values, 2, scores)
        : n_values == 32 ? add_from_registers(leaves, n, values, 4, scores)
        : n_values == 64 ? add_from_registers(leaves, n, values, 8, scores)
                         : 0;
#endif
    mxb__portable_add_leaves(leaves + i, n - i, values, n_values, scores + i);
}
