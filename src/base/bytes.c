/* Bytes in and out of memory, for the model file and the JSON text. Knows nothing of what they mean. */
#include "base/bytes.h"

#include <string.h>

#include "base/memory.h"

/* ---- Out ---- */

void mxb__put_bytes(struct byte_writer *out, const void *bytes, size_t n_bytes) {
    if (out->status != MXB_OK || n_bytes == 0) {
        return;
    }
    if (n_bytes > out->capacity - out->n_bytes) {
        size_t needed = out->n_bytes + n_bytes; /* no block has more than half of what a size_t counts */
        size_t doubled = 2 * out->capacity;
        size_t capacity = needed > doubled ? needed : doubled;
        out->status = mxb__grow(&out->bytes, out->n_bytes, capacity, 1, "the model's bytes", out->error);
        if (out->status != MXB_OK) {
            return;
        }
        out->capacity = capacity;
    }
    memcpy(out->bytes + out->n_bytes, bytes, n_bytes);
    out->n_bytes += n_bytes;
}

void mxb__put_u8(struct byte_writer *out, uint8_t value) { mxb__put_bytes(out, &value, 1); }

void mxb__put_u32(struct byte_writer *out, uint32_t value) {
    unsigned char bytes[4];
    mxb__store_u32(bytes, value);
    mxb__put_bytes(out, bytes, sizeof bytes);
}

void mxb__put_f32(struct byte_writer *out, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    mxb__put_u32(out, bits);
}

void mxb__put_f64(struct byte_writer *out, double value) {
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &value, sizeof bits);
    mxb__store_u64(bytes, bits);
    mxb__put_bytes(out, bytes, sizeof bytes);
}

void mxb__store_u32(unsigned char bytes[4], uint32_t value) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

void mxb__store_u64(unsigned char bytes[8], uint64_t value) {
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

/* ---- Checksum ---- */

/* The polynomial, its bits from the lowest power to the highest. */
static const uint64_t POLYNOMIAL = 0xC96C5795D7870F42u;

enum { SLICES = 8 };

/* Entry [k][b] is what the byte b contributes with k bytes behind it. */
static void build_slices(uint64_t slices[SLICES][256]) {
    for (size_t b = 0; b < 256; b++) {
        uint64_t rest = b;
        for (int bit = 0; bit < 8; bit++) {
            rest = (rest >> 1) ^ (rest & 1 ? POLYNOMIAL : 0);
        }
        slices[0][b] = rest;
    }
    for (size_t k = 1; k < SLICES; k++) {
        for (size_t b = 0; b < 256; b++) {
            slices[k][b] = slices[0][slices[k - 1][b] & 255] ^ (slices[k - 1][b] >> 8);
        }
    }
}

uint64_t mxb__crc64(const void *bytes, size_t n_bytes) {
    uint64_t slices[SLICES][256]; /* made anew each time, as quickly as some thousand bytes are summed: no state */
    const unsigned char *at = bytes;
    uint64_t crc = ~(uint64_t)0;
    build_slices(slices);
    for (; n_bytes >= SLICES; n_bytes -= SLICES, at += SLICES) {
        uint64_t word = crc ^ mxb__load_u64(at);
        crc = 0;
        for (size_t k = 0; k < SLICES; k++) {
            crc ^= slices[SLICES - 1 - k][word >> (8 * k) & 255];
        }
    }
    for (; n_bytes > 0; n_bytes--, at++) {
        crc = slices[0][(crc ^ *at) & 255] ^ (crc >> 8);
    }
    return ~crc;
}
