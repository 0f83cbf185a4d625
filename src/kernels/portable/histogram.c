/* Histograms over row records. One 64-bit load brings the codes of eight features; rows reached through an index are
 * prefetched, without which the walk over a deep node costs twice as much. */
#include <string.h>

#include "kernels/portable/portable.h"

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

enum { AHEAD = 24 }; /* rows; measured best between 16 and 32 */

static uint64_t load_codes(const uint8_t *record, uint32_t group) {
    uint64_t codes;
    memcpy(&codes, record + (size_t)group * MXB__GROUP, sizeof codes);
    return codes;
}

static unsigned code_of(uint64_t codes, unsigned feature) { /* the byte at address `feature`, on any byte order */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    feature = MXB__GROUP - 1 - feature;
#endif
    return (unsigned)(codes >> (8 * feature)) & 255u;
}

void mxb__portable_histogram_packed(const struct histogram_rows *rows, const uint64_t *words, uint64_t *cells) {
    for (size_t i = 0; i < rows->n; i++) {
        size_t row = rows->rows == NULL ? rows->first + i : rows->rows[i];
        if (rows->rows != NULL && i + AHEAD < rows->n) {
            size_t later = rows->rows[i + AHEAD];
            PREFETCH(rows->records + later * rows->record_bytes);
            PREFETCH(words + later);
        }
        const uint8_t *record = rows->records + row * rows->record_bytes;
        uint64_t word = words[row];
        for (size_t g = 0; g < rows->n_groups; g++) {
            uint32_t group = rows->groups[g];
            uint64_t codes = load_codes(record, group);
            uint64_t *cell = cells + (size_t)group * MXB__GROUP * MXB__CELLS;
            for (unsigned f = 0; f < MXB__GROUP; f++) {
                cell[f * MXB__CELLS + code_of(codes, f)] += word;
            }
        }
    }
}

void mxb__portable_histogram_wide(const struct histogram_rows *rows, const struct gradient_sum *sums,
                                  struct gradient_sum *cells) {
    for (size_t i = 0; i < rows->n; i++) {
        size_t row = rows->rows == NULL ? rows->first + i : rows->rows[i];
        if (rows->rows != NULL && i + AHEAD < rows->n) {
            size_t later = rows->rows[i + AHEAD];
            PREFETCH(rows->records + later * rows->record_bytes);
            PREFETCH(sums + later);
        }
        const uint8_t *record = rows->records + row * rows->record_bytes;
        struct gradient_sum sum = sums[row];
        for (size_t g = 0; g < rows->n_groups; g++) {
            uint32_t group = rows->groups[g];
            uint64_t codes = load_codes(record, group);
            struct gradient_sum *cell = cells + (size_t)group * MXB__GROUP * MXB__CELLS;
            for (unsigned f = 0; f < MXB__GROUP; f++) {
                struct gradient_sum *target = &cell[f * MXB__CELLS + code_of(codes, f)];
                target->g += sum.g;
                target->h += sum.h;
            }
        }
    }
}
