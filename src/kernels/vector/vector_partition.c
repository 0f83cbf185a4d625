/* Stable partition of a node's rows, 16 at a time: their codes to a mask of those that go left, then the rows closed up
 * to either side. Whole vectors are stored where fewer rows go: behind them is room that later rows will fill, and in
 * place only rows that were read already. */
#include "kernels/vector/vector_training.h"

enum { AT_ONCE = 16 };

struct sides {
    uint32_t *left; /* the next place of each */
    uint32_t *right;
};

/* As many row numbers as a vector holds; chosen ones, those whose bits are set, are stored in order and anything behind
 * them. */
#if defined(__AVX512F__)
enum { LANES = 16 };
typedef __m512i row_lanes;
static inline row_lanes listed_rows(const uint32_t *rows) { return _mm512_loadu_si512(rows); }
static inline row_lanes rows_from(uint32_t first) {
    const __m512i counted = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(_mm512_set1_epi32((int)first), counted);
}
/* Closed up in a register: the instruction that does it while storing is slow on some processors. */
static inline void store_chosen(uint32_t *to, row_lanes rows, unsigned chosen) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)chosen, rows));
}
#else
enum { LANES = 4 };
typedef __m128i row_lanes;
static inline row_lanes listed_rows(const uint32_t *rows) {
    return _mm_loadu_si128((const __m128i *)(const void *)rows);
}
static inline row_lanes rows_from(uint32_t first) {
    return _mm_add_epi32(_mm_set1_epi32((int)first), _mm_setr_epi32(0, 1, 2, 3));
}
static inline void store_chosen(uint32_t *to, row_lanes rows, unsigned chosen) {
    static const int32_t order[16][4] = {{0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
                                         {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    __m128i lanes = _mm_loadu_si128((const __m128i *)(const void *)order[chosen]);
    _mm_storeu_ps((float *)(void *)to, _mm_permutevar_ps(_mm_castsi128_ps(rows), lanes));
}
#endif

static inline void put_lanes(struct sides *sides, row_lanes rows, unsigned left) {
    unsigned n_left = (unsigned)__builtin_popcount(left);
    store_chosen(sides->left, rows, left);
    store_chosen(sides->right, rows, left ^ ((1u << LANES) - 1));
    sides->left += n_left;
    sides->right += LANES - n_left;
}

typedef uint8_t bytes __attribute__((vector_size(16)));

/* One insert a row: it beats gathers, which fetch four bytes each, and a buffer of bytes, which must be stored before
 * it is loaded. */
static inline __m128i codes_of(const uint8_t *column, const uint32_t *rows) {
    bytes codes = {0};
    for (int i = 0; i < 16; i++) {
        codes[i] = column[rows[i]];
    }
    return (__m128i)codes;
}

static inline unsigned left_mask(__m128i codes, const struct column_split *split) {
    __m128i up_to_bin = _mm_cmpeq_epi8(codes, _mm_min_epu8(codes, _mm_set1_epi8((char)split->bin)));
    __m128i missing = _mm_cmpeq_epi8(codes, _mm_set1_epi8((char)split->missing_code));
    __m128i left = split->missing_left ? _mm_or_si128(up_to_bin, missing) : _mm_andnot_si128(missing, up_to_bin);
    return (unsigned)_mm_movemask_epi8(left);
}

/* `rows` is NULL or not by a constant. */
MXB__INLINE size_t split_rows(struct column_split split, const uint32_t *rows, size_t first, size_t n,
                              struct sides sides) {
    const uint32_t *left = sides.left;
    size_t i = 0;
    for (; i + AT_ONCE <= n; i += AT_ONCE) {
        __m128i codes = rows == NULL ? _mm_loadu_si128((const __m128i *)(const void *)(split.column + first + i))
                                     : codes_of(split.column, rows + i);
        unsigned mask = left_mask(codes, &split);
        for (size_t lane = 0; lane < AT_ONCE; lane += LANES) {
            put_lanes(&sides, rows == NULL ? rows_from((uint32_t)(first + i + lane)) : listed_rows(rows + i + lane),
                      mask >> lane & ((1u << LANES) - 1));
        }
    }
    for (; i < n; i++) {
        uint32_t row = rows == NULL ? (uint32_t)(first + i) : rows[i];
        uint8_t code = split.column[row];
        size_t is_left = code == split.missing_code ? split.missing_left : code <= split.bin;
        *sides.left = row;
        *sides.right = row;
        sides.left += is_left;
        sides.right += 1 - is_left;
    }
    return (size_t)(sides.left - left);
}

size_t MXB__KERNEL(partition)(const struct column_split *split, const uint32_t *rows, size_t first, size_t n,
                              uint32_t *left, uint32_t *right) {
    struct sides sides = {left, right};
    return rows == NULL ? split_rows(*split, NULL, first, n, sides) : split_rows(*split, rows, 0, n, sides);
}
