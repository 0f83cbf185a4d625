/* Damage with a purpose: changes inside one section of a model file, with lengths, offsets and checksums put right
 * again, so that the change reaches the code behind them. Serves the tests of the loader and the fuzzer. */
#ifndef EDIT_MODEL_H
#define EDIT_MODEL_H

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

enum { EDIT_START = 24, EDIT_ENTRY = 32, EDIT_MAX_SECTIONS = 64 };

static inline uint64_t edit_number(const unsigned char *bytes, size_t n_bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static inline size_t edit_header_bytes(const unsigned char *file) {
    return EDIT_START + (size_t)edit_number(file + 12, 4) * EDIT_ENTRY + 8;
}

/** 1 if the bytes have a header whose sections follow one another to the end, so that the functions below may be used.
 */
static inline int edit_possible(const unsigned char *file, size_t n) {
    if (n < EDIT_START + 8 || edit_number(file + 12, 4) > EDIT_MAX_SECTIONS || n < edit_header_bytes(file)) {
        return 0;
    }
    uint64_t at = edit_header_bytes(file);
    for (size_t i = 0; i < edit_number(file + 12, 4); i++) {
        const unsigned char *entry = file + EDIT_START + i * EDIT_ENTRY;
        if (edit_number(entry + 8, 8) != at || edit_number(entry + 16, 8) > n - at) {
            return 0;
        }
        at += edit_number(entry + 16, 8);
    }
    return at == n;
}

/** Puts the header's checksum right. */
static inline void edit_repair_header(unsigned char *file) {
    size_t n_header = edit_header_bytes(file);
    mxb__store_u64(file + n_header - 8, mxb__crc64(file, n_header - 8));
}

/** Puts all checksums right. */
static inline void edit_repair(unsigned char *file) {
    for (size_t i = 0; i < edit_number(file + 12, 4); i++) {
        unsigned char *entry = file + EDIT_START + i * EDIT_ENTRY;
        size_t at = (size_t)edit_number(entry + 8, 8), length = (size_t)edit_number(entry + 16, 8);
        mxb__store_u64(entry + 24, mxb__crc64(file + at, length));
    }
    edit_repair_header(file);
}

/** Makes section `index` (from 0) `length` bytes long, cutting its end or adding zeros, in a buffer with room for it;
 *  returns the new length of the file. Checksums are left to edit_repair. */
static inline size_t edit_resize(unsigned char *file, size_t n, size_t index, size_t length) {
    unsigned char *entry = file + EDIT_START + index * EDIT_ENTRY;
    size_t at = (size_t)edit_number(entry + 8, 8), old = (size_t)edit_number(entry + 16, 8);
    memmove(file + at + length, file + at + old, n - at - old);
    if (length > old) {
        memset(file + at + old, 0, length - old);
    }
    mxb__store_u64(entry + 16, length);
    for (size_t i = index + 1; i < edit_number(file + 12, 4); i++) {
        unsigned char *later = file + EDIT_START + i * EDIT_ENTRY;
        mxb__store_u64(later + 8, edit_number(later + 8, 8) - old + length);
    }
    mxb__store_u64(file + 16, n - old + length);
    return n - old + length;
}

static inline unsigned char *edit_section(unsigned char *file, size_t index, size_t *length) {
    const unsigned char *entry = file + EDIT_START + index * EDIT_ENTRY;
    *length = (size_t)edit_number(entry + 16, 8);
    return file + edit_number(entry + 8, 8);
}

#endif
