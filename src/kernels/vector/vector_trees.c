/* Trees on codes: all nodes of a tree are compared for a vector of rows, and from the bottom up each takes the leaf of
 * its left or right half. No row waits for its way, and no compare is wasted on the memory of pointers. */
#include "kernels/portable/portable.h"
#include "kernels/vector/vector.h"

/* Rows of a vector, the most vectors at once, so that a node is taken apart once for several, levels that stay in
 * registers, and the most subtrees of so many levels at the bottom of a tree. */
enum { ROWS = WIDTH * 8, MOST_AT_ONCE = 4, LEVELS = 3, MAX_SUBTREES = 1 << (MXB__FULL_DEPTH - LEVELS) };

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

/* Of so many vectors of rows; the count is a constant wherever it is a parameter. */
struct leaves {
    bytes of[MOST_AT_ONCE];
};

/* What a node is for these rows: the choice between its halves. */
MXB__INLINE struct leaves choose(const struct code_rows *rows, size_t at_once, uint32_t node, struct leaves left,
                                 struct leaves right) {
    const uint8_t *column = rows->codes + (node >> 8) * rows->stride;
    bytes threshold = all_bytes(node);
    struct leaves chosen;
    for (size_t v = 0; v < at_once; v++) {
        chosen.of[v] = choose_bytes(load_bytes(column + v * ROWS), threshold, left.of[v], right.of[v]);
    }
    return chosen;
}

/* The subtree of one, two or three levels whose root is node `at`, from the leaves below it. */
MXB__INLINE struct leaves choose_1(const struct code_rows *rows, size_t at_once, const uint32_t *nodes, size_t at,
                                   const struct leaves *leaves) {
    return choose(rows, at_once, nodes[at], leaves[0], leaves[1]);
}

MXB__INLINE struct leaves choose_2(const struct code_rows *rows, size_t at_once, const uint32_t *nodes, size_t at,
                                   const struct leaves *leaves) {
    struct leaves left = choose_1(rows, at_once, nodes, 2 * at, leaves),
                  right = choose_1(rows, at_once, nodes, 2 * at + 1, leaves + 2);
    return choose(rows, at_once, nodes[at], left, right);
}

MXB__INLINE struct leaves choose_3(const struct code_rows *rows, size_t at_once, const uint32_t *nodes, size_t at,
                                   const struct leaves *leaves) {
    struct leaves left = choose_2(rows, at_once, nodes, 2 * at, leaves),
                  right = choose_2(rows, at_once, nodes, 2 * at + 1, leaves + 4);
    return choose(rows, at_once, nodes[at], left, right);
}

/* The next `levels` of `n` subtrees side by side, in place: from 2^levels leaves each to one. */
MXB__INLINE void choose_levels(const struct code_rows *rows, size_t at_once, const uint32_t *nodes, size_t n,
                               unsigned levels, struct leaves *leaves) {
    for (size_t i = 0; i < n; i++) {
        leaves[i] = levels == 1   ? choose_1(rows, at_once, nodes, n + i, leaves + 2 * i)
                    : levels == 2 ? choose_2(rows, at_once, nodes, n + i, leaves + 4 * i)
                                  : choose_3(rows, at_once, nodes, n + i, leaves + 8 * i);
    }
}

/* The lowest `levels`, below which the leaves are numbers. */
MXB__INLINE void choose_lowest(const struct code_rows *rows, size_t at_once, const uint32_t *nodes, size_t n,
                               unsigned levels, struct leaves *leaves) {
    struct leaves numbers[1 << LEVELS];
    for (uint32_t k = 0; k < 1u << levels; k++) {
        for (size_t v = 0; v < at_once; v++) {
            numbers[k].of[v] = all_bytes(k);
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct leaves chosen = levels == 1   ? choose_1(rows, at_once, nodes, n + i, numbers)
                               : levels == 2 ? choose_2(rows, at_once, nodes, n + i, numbers)
                                             : choose_3(rows, at_once, nodes, n + i, numbers);
        for (size_t v = 0; v < at_once; v++) {
            leaves[i].of[v] = add_bytes(chosen.of[v], all_bytes((uint32_t)i << levels));
        }
    }
}

MXB__INLINE struct leaves choose_leaves(const struct code_rows *rows, size_t at_once, const uint32_t *nodes,
                                        unsigned depth) {
    struct leaves leaves[MAX_SUBTREES];
    if (depth == 1) {
        choose_lowest(rows, at_once, nodes, 1, 1, leaves);
        return leaves[0];
    }
    if (depth == 2) {
        choose_lowest(rows, at_once, nodes, 1, 2, leaves);
        return leaves[0];
    }
    unsigned left = depth - LEVELS; /* levels above */
    choose_lowest(rows, at_once, nodes, (size_t)1 << left, LEVELS, leaves);
    if (left >= LEVELS) {
        left -= LEVELS;
        choose_levels(rows, at_once, nodes, (size_t)1 << left, LEVELS, leaves);
    }
    if (left == 2) {
        choose_levels(rows, at_once, nodes, 1, 2, leaves);
    } else if (left == 1) {
        choose_levels(rows, at_once, nodes, 1, 1, leaves);
    }
    return leaves[0];
}

MXB__INLINE void find_leaves(const struct code_rows *rows, size_t first, size_t at_once, const uint32_t *nodes,
                             unsigned depth, uint8_t *leaves) {
    struct code_rows from = {rows->codes + first, rows->stride, rows->n};
    struct leaves found = choose_leaves(&from, at_once, nodes, depth);
    for (size_t v = 0; v < at_once; v++) {
        store_bytes(leaves + first + v * ROWS, found.of[v]);
    }
}

void MXB__KERNEL(full_tree)(const struct code_rows *rows, const uint32_t *nodes, unsigned depth, uint8_t *leaves) {
    enum { LEAST_AT_ONCE = MXB__CODE_ROWS / ROWS };
    size_t i = 0;
    for (; i + MOST_AT_ONCE * ROWS <= rows->n; i += MOST_AT_ONCE * ROWS) {
        find_leaves(rows, i, MOST_AT_ONCE, nodes, depth, leaves);
    }
    for (; i < rows->n; i += LEAST_AT_ONCE * ROWS) {
        find_leaves(rows, i, LEAST_AT_ONCE, nodes, depth, leaves);
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
/* The halves of 32 or 64 values in registers: those of 16 rows are taken at once, from the first and from the second 32
 * values, and then from the right ones. The count of values is a constant where this is inlined. */
struct value_halves {
    __m512i of[2][4]; /* the lower and the upper halves, 16 each */
};

MXB__INLINE struct value_halves split_values(const double *values, size_t n_values) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    struct value_halves halves;
    for (size_t k = 0; k < n_values / 16; k++) {
        __m512i first = _mm512_loadu_si512(values + 16 * k), second = _mm512_loadu_si512(values + 16 * k + 8);
        halves.of[0][k] = _mm512_permutex2var_epi32(first, even, second);
        halves.of[1][k] = _mm512_permutex2var_epi32(first, odd, second);
    }
    return halves;
}

MXB__INLINE __m512i take_halves(const __m512i *halves, size_t n_values, __m512i leaves, __mmask16 in_second) {
    __m512i taken = _mm512_permutex2var_epi32(halves[0], leaves, halves[1]);
    return n_values == 32
               ? taken
               : _mm512_mask_blend_epi32(in_second, taken, _mm512_permutex2var_epi32(halves[2], leaves, halves[3]));
}

/* 16 values are two vectors, of which eight rows take theirs at once. */
static inline size_t add_of_16(const uint8_t *leaves, size_t n, const double *values, double *scores) {
    __m512d first = _mm512_loadu_pd(values), second = _mm512_loadu_pd(values + 8);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m512i rows = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(leaves + i)));
        __m512d taken = _mm512_permutex2var_pd(first, rows, second);
        _mm512_storeu_pd(scores + i, _mm512_add_pd(_mm512_loadu_pd(scores + i), taken));
    }
    return i;
}

MXB__INLINE size_t add_from_registers(const uint8_t *leaves, size_t n, const double *values, size_t n_values,
                                      double *scores) {
    /* Unpacking takes pairs of four from each quarter, so rows lie there as it will leave them. */
    const __m128i order = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    struct value_halves halves = split_values(values, n_values);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i bytes_of_rows = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(leaves + i)), order);
        __m512i rows = _mm512_cvtepu8_epi32(bytes_of_rows);
        __mmask16 in_second = _mm512_test_epi32_mask(rows, _mm512_set1_epi32(32));
        __m512i low = take_halves(halves.of[0], n_values, rows, in_second);
        __m512i high = take_halves(halves.of[1], n_values, rows, in_second);
        __m512d first = _mm512_castsi512_pd(_mm512_unpacklo_epi32(low, high));
        __m512d second = _mm512_castsi512_pd(_mm512_unpackhi_epi32(low, high));
        _mm512_storeu_pd(scores + i, _mm512_add_pd(_mm512_loadu_pd(scores + i), first));
        _mm512_storeu_pd(scores + i + 8, _mm512_add_pd(_mm512_loadu_pd(scores + i + 8), second));
    }
    return i;
}
#endif

void MXB__KERNEL(add_leaves)(const uint8_t *leaves, size_t n, const double *values, size_t n_values, double *scores) {
    size_t i = 0;
#if defined(__AVX512F__)
    i = n_values == 16   ? add_of_16(leaves, n, values, scores)
        : n_values == 32 ? add_from_registers(leaves, n, values, 32, scores)
        : n_values == 64 ? add_from_registers(leaves, n, values, 64, scores)
                         : 0;
#endif
    mxb__portable_add_leaves(leaves + i, n - i, values, n_values, scores + i);
}
