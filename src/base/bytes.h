/* Bytes in and out of memory: a block that grows as it is written, and a reader that cannot leave its block. Numbers
 * are little-endian whatever the host. */
#ifndef MXB_BASE_BYTES_H
#define MXB_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

/* Failure sticks: after the first one nothing more is written, so a caller checks `status` once, at the end. */
struct byte_writer {
    char *bytes; /* the caller's to free */
    size_t n_bytes;
    size_t capacity;
    mxb_status status;
    mxb_error *error;
};

void mxb__put_bytes(struct byte_writer *out, const void *bytes, size_t n_bytes);
void mxb__put_u8(struct byte_writer *out, uint8_t value);
void mxb__put_u32(struct byte_writer *out, uint32_t value);
void mxb__put_f32(struct byte_writer *out, float value);
void mxb__put_f64(struct byte_writer *out, double value);

/** A number from bytes. Written out, so that compilers make one load of it. */
static inline uint32_t mxb__load_u32(const unsigned char bytes[4]) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint64_t mxb__load_u64(const unsigned char bytes[8]) {
    return mxb__load_u32(bytes) | (uint64_t)mxb__load_u32(bytes + 4) << 32;
}

/* Failure sticks here too: a read beyond the end gives 0, leaves nothing to read and sets `overrun`. */
struct byte_reader {
    const unsigned char *bytes; /* the next one */
    size_t n_left;
    int overrun;
};

/** The next n_bytes bytes, in place; NULL when there are fewer. Here and inline, like those below: a file is read
 * number by number. */
static inline const unsigned char *mxb__get_bytes(struct byte_reader *in, size_t n_bytes) {
    const unsigned char *bytes = in->bytes;
    if (n_bytes > in->n_left) {
        in->overrun = 1;
        in->n_left = 0;
        return NULL;
    }
    in->bytes += n_bytes;
    in->n_left -= n_bytes;
    return bytes;
}

static inline uint8_t mxb__get_u8(struct byte_reader *in) {
    const unsigned char *bytes = mxb__get_bytes(in, 1);
    return bytes == NULL ? 0 : *bytes;
}

static inline uint32_t mxb__get_u32(struct byte_reader *in) {
    const unsigned char *bytes = mxb__get_bytes(in, 4);
    return bytes == NULL ? 0 : mxb__load_u32(bytes);
}

static inline uint64_t mxb__get_u64(struct byte_reader *in) {
    const unsigned char *bytes = mxb__get_bytes(in, 8);
    return bytes == NULL ? 0 : mxb__load_u64(bytes);
}

static inline float mxb__get_f32(struct byte_reader *in) {
    uint32_t bits = mxb__get_u32(in);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double mxb__get_f64(struct byte_reader *in) {
    uint64_t bits = mxb__get_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/** Stores a number in bytes that are already there. */
void mxb__store_u32(unsigned char bytes[4], uint32_t value);
void mxb__store_u64(unsigned char bytes[8], uint64_t value);

/** CRC-64/XZ: reflected, polynomial 0x42F0E1EBA9EA3693. Any change within 64 consecutive bits changes it. */
uint64_t mxb__crc64(const void *bytes, size_t n_bytes);

#endif
