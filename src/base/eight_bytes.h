/* Eight bytes of a text as one number, for looking at all of them at once. */
#ifndef MXB_BASE_EIGHT_BYTES_H
#define MXB_BASE_EIGHT_BYTES_H

#include <stdint.h>
#include <string.h>

/** text[0 .. 8), the first byte the lowest. */
static inline uint64_t mxb__load_eight(const char *text) {
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/** The same the other way round. */
static inline void mxb__store_eight(char *text, uint64_t bytes) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    memcpy(text, &bytes, sizeof bytes);
}

/** The place of the first byte whose highest bit is set; there must be one. */
static inline int mxb__first_marked(uint64_t bytes) { return __builtin_ctzll(bytes) / 8; }

#endif
