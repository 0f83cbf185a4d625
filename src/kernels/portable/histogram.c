/* Histograms over row records, in blocks of rows and passes over few features: cells of a pass and what is read of the
 * block stay in the L1 cache. The number of features is a constant in each loop, so that all its adds are unrolled; one
 * 64-bit load brings eight codes. Listed rows are first copied side by side, and fetched while the block before them is
 * added: without that the walk over a deep node costs twice as much. */
#include <string.h>

#include "base/prefetch.h"
#include "kernels/portable/portable_training.h"

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

enum { BLOCK_ROWS = 512, LARGEST_PASS = 16 };

/* Rows side by side. Gradients and cells are `size` 64-bit words each: one packed, or two wide. */
struct block {
    const uint8_t *records;
    const uint64_t *gradients;
    size_t n;
};

/* Rows of all, by their numbers. */
struct listed {
    const uint8_t *records;
    const uint64_t *gradients;
    const uint32_t *rows;
};

/* Where the cell of a code begins, in words; the code is the byte at address `feature` on any byte order. */
INLINE size_t code_offset(uint64_t codes, size_t feature, size_t size) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    feature = MXB__GROUP - 1 - feature;
#endif
    if (size == 1) {
        return (codes >> (8 * feature)) & 255;
    }
    return (feature == 0 ? codes << 1 : codes >> (8 * feature - 1)) & 510; /* one shift for both */
}

/* Adds a block and fetches as many rows for the next. Constants where this is inlined: n_features, size, and whether
 * there are next ones. */
INLINE void add_pass(const struct block *block, size_t n_features, size_t size, const struct listed *next,
                     uint64_t *cells) {
    for (size_t i = 0; i < block->n; i++) {
        if (next != NULL) {
            MXB__PREFETCH(next->records + (size_t)next->rows[i] * MXB__PANEL);
            MXB__PREFETCH(next->gradients + next->rows[i] * size);
        }
        uint64_t g = block->gradients[i * size], h = block->gradients[i * size + size - 1];
        for (size_t group = 0; group < n_features; group += MXB__GROUP) {
            uint64_t codes;
            memcpy(&codes, block->records + i * MXB__PANEL + group, sizeof codes);
            for (size_t f = 0; f < MXB__GROUP && group + f < n_features; f++) {
                uint64_t *cell = cells + (group + f) * MXB__CELLS * size + code_offset(codes, f, size);
                cell[0] += g;
                if (size == 2) {
                    cell[1] += h;
                }
            }
        }
    }
}

/* Features of a pass: their cells take 34 KB at the most, about an L1 cache. */
INLINE size_t features_of_pass(size_t size) { return LARGEST_PASS / size; }

#define PASS_OF(n)                                     \
    case n:                                            \
        if ((n) <= features_of_pass(size)) {           \
            if (next != NULL) {                        \
                add_pass(block, n, size, next, cells); \
            } else {                                   \
                add_pass(block, n, size, NULL, cells); \
            }                                          \
        }                                              \
        break;

INLINE void choose_pass(const struct block *block, size_t n_features, size_t size, const struct listed *next,
                        uint64_t *cells) {
    switch (n_features) {
        PASS_OF(1)
        PASS_OF(2)
        PASS_OF(3)
        PASS_OF(4)
        PASS_OF(5)
        PASS_OF(6)
        PASS_OF(7)
        PASS_OF(8)
        PASS_OF(9)
        PASS_OF(10)
        PASS_OF(11)
        PASS_OF(12)
        PASS_OF(13)
        PASS_OF(14)
        PASS_OF(15)
        PASS_OF(16)
    }
}

INLINE void add_block(struct block block, size_t n_features, size_t size, const struct listed *next, uint64_t *cells) {
    size_t most = features_of_pass(size);
    for (; n_features > most; n_features -= most) {
        choose_pass(&block, most, size, next, cells);
        block.records += most;
        cells += most * MXB__CELLS * size;
        next = NULL;
    }
    choose_pass(&block, n_features, size, next, cells);
}

INLINE void copy_rows(const struct listed *from, size_t n, size_t n_features, size_t size, uint8_t *records,
                      uint64_t *gradients) {
    for (size_t i = 0; i < n; i++) {
        size_t row = from->rows[i];
        for (size_t f = 0; f < n_features; f += MXB__GROUP) {
            memcpy(records + i * MXB__PANEL + f, from->records + row * MXB__PANEL + f, MXB__GROUP);
        }
        memcpy(gradients + i * size, from->gradients + row * size, size * sizeof *gradients);
    }
}

INLINE void add_listed(const struct histogram_rows *rows, const uint64_t *gradients, size_t size, uint64_t *cells) {
    uint8_t records[BLOCK_ROWS * MXB__PANEL];
    uint64_t copied[BLOCK_ROWS * 2];
    for (size_t begin = 0; begin < rows->n; begin += BLOCK_ROWS) {
        size_t left = rows->n - begin;
        struct block block = {records, copied, left < BLOCK_ROWS ? left : BLOCK_ROWS};
        struct listed listed = {rows->records, gradients, rows->rows + begin};
        if (rows->n_features > MXB__PANEL - MXB__GROUP) { /* whole records, by few instructions */
            copy_rows(&listed, block.n, MXB__PANEL, size, records, copied);
        } else {
            copy_rows(&listed, block.n, rows->n_features, size, records, copied);
        }
        listed.rows += BLOCK_ROWS;
        add_block(block, rows->n_features, size, left >= 2 * BLOCK_ROWS ? &listed : NULL, cells);
    }
}

INLINE void add_range(const struct histogram_rows *rows, const uint64_t *gradients, size_t size, uint64_t *cells) {
    for (size_t begin = 0; begin < rows->n; begin += BLOCK_ROWS) {
        size_t row = rows->first + begin, left = rows->n - begin;
        struct block block = {rows->records + row * MXB__PANEL, gradients + row * size,
                              left < BLOCK_ROWS ? left : BLOCK_ROWS};
        add_block(block, rows->n_features, size, NULL, cells);
    }
}

INLINE void add_rows(const struct histogram_rows *rows, const uint64_t *gradients, size_t size, uint64_t *cells) {
    if (rows->rows != NULL) {
        add_listed(rows, gradients, size, cells);
    } else {
        add_range(rows, gradients, size, cells);
    }
}

void mxb__portable_histogram_packed(const struct histogram_rows *rows, const uint64_t *words, uint64_t *cells) {
    add_rows(rows, words, 1, cells);
}

void mxb__portable_histogram_wide(const struct histogram_rows *rows, const struct gradient_sum *sums,
                                  struct gradient_sum *cells) {
    add_rows(rows, (const uint64_t *)(const void *)sums, 2, (uint64_t *)(void *)cells);
}
