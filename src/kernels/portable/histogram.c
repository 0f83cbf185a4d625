/* Histograms over row records. One 64-bit load brings the codes of eight features, of which the last group may have
 * fewer; rows reached through an index are prefetched, without which the walk over a deep node costs twice as much. */
#include <string.h>

#include "kernels/portable/portable.h"

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

enum { AHEAD = 24 }; /* rows; measured best between 16 and 32 */

static uint64_t load_codes(const uint8_t *record, size_t feature) {
    uint64_t codes;
    memcpy(&codes, record + feature, sizeof codes);
    return codes;
}

static unsigned code_of(uint64_t codes, unsigned feature) { /* the byte at address `feature`, on any byte order */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    feature = MXB__GROUP - 1 - feature;
#endif
    return (unsigned)(codes >> (8 * feature)) & 255u;
}

static void add_packed(uint64_t codes, unsigned n, uint64_t word, uint64_t *cells) {
    for (unsigned f = 0; f < n; f++) {
        cells[f * MXB__CELLS + code_of(codes, f)] += word;
    }
}

void mxb__portable_histogram_packed(const struct histogram_rows *rows, const uint64_t *words, uint64_t *cells) {
    size_t whole = rows->n_features / MXB__GROUP * MXB__GROUP; /* features in whole groups */
    unsigned rest = (unsigned)(rows->n_features - whole);
    for (size_t i = 0; i < rows->n; i++) {
        size_t row = rows->rows == NULL ? rows->first + i : rows->rows[i];
        if (rows->rows != NULL && i + AHEAD < rows->n) {
            size_t later = rows->rows[i + AHEAD];
            PREFETCH(rows->records + later * MXB__PANEL);
            PREFETCH(words + later);
        }
        const uint8_t *record = rows->records + row * MXB__PANEL;
        for (size_t f = 0; f < whole; f += MXB__GROUP) {
            add_packed(load_codes(record, f), MXB__GROUP, words[row], cells + f * MXB__CELLS);
        }
        if (rest > 0) {
            add_packed(load_codes(record, whole), rest, words[row], cells + whole * MXB__CELLS);
        }
    }
}

static void add_wide(uint64_t codes, unsigned n, struct gradient_sum sum, struct gradient_sum *cells) {
    for (unsigned f = 0; f < n; f++) {
        struct gradient_sum *cell = &cells[f * MXB__CELLS + code_of(codes, f)];
        cell->g += sum.g;
        cell->h += sum.h;
    }
}

void mxb__portable_histogram_wide(const struct histogram_rows *rows, const struct gradient_sum *sums,
                                  struct gradient_sum *cells) {
    size_t whole = rows->n_features / MXB__GROUP * MXB__GROUP;
    unsigned rest = (unsigned)(rows->n_features - whole);
    for (size_t i = 0; i < rows->n; i++) {
        size_t row = rows->rows == NULL ? rows->first + i : rows->rows[i];
        if (rows->rows != NULL && i + AHEAD < rows->n) {
            size_t later = rows->rows[i + AHEAD];
            PREFETCH(rows->records + later * MXB__PANEL);
            PREFETCH(sums + later);
        }
        const uint8_t *record = rows->records + row * MXB__PANEL;
        for (size_t f = 0; f < whole; f += MXB__GROUP) {
            add_wide(load_codes(record, f), MXB__GROUP, sums[row], cells + f * MXB__CELLS);
        }
        if (rest > 0) {
            add_wide(load_codes(record, whole), rest, sums[row], cells + whole * MXB__CELLS);
        }
    }
}
