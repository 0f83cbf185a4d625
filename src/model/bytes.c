/* Bytes in and out of memory, for the model file and the JSON text. Knows nothing of what they mean. */
#include "model/bytes.h"

#include <string.h>

#include "base/memory.h"

/* ---- Out ---- */

void mxb__put_bytes(struct byte_writer *out, const void *bytes, size_t n_bytes) {
    if (out->status != MXB_OK || n_bytes == 0) {
        return;
    }
    if (n_bytes > out->capacity - out->n_bytes) {
        size_t needed = n_bytes > SIZE_MAX - out->n_bytes ? SIZE_MAX : out->n_bytes + n_bytes;
        size_t doubled = out->capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * out->capacity;
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

/* ---- In ---- */

const unsigned char *mxb__get_bytes(struct byte_reader *in, size_t n_bytes) {
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

static uint64_t get_number(struct byte_reader *in, size_t n_bytes) {
    const unsigned char *bytes = mxb__get_bytes(in, n_bytes);
    uint64_t value = 0;
    for (size_t i = 0; bytes != NULL && i < n_bytes; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

uint8_t mxb__get_u8(struct byte_reader *in) { return (uint8_t)get_number(in, 1); }

uint32_t mxb__get_u32(struct byte_reader *in) { return (uint32_t)get_number(in, 4); }

uint64_t mxb__get_u64(struct byte_reader *in) { return get_number(in, 8); }

float mxb__get_f32(struct byte_reader *in) {
    uint32_t bits = mxb__get_u32(in);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double mxb__get_f64(struct byte_reader *in) {
    uint64_t bits = mxb__get_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- Checksum ---- */

uint64_t mxb__crc64(const void *bytes, size_t n_bytes) {
    /* What four bits contribute: entry i is i divided by the reflected polynomial, four steps. */
    static const uint64_t table[16] = {
        0x0000000000000000u, 0x7D9BA13851336649u, 0xFB374270A266CC92u, 0x86ACE348F355AADBu,
        0x64B62BCAEBC387A1u, 0x192D8AF2BAF0E1E8u, 0x9F8169BA49A54B33u, 0xE21AC88218962D7Au,
        0xC96C5795D7870F42u, 0xB4F7F6AD86B4690Bu, 0x325B15E575E1C3D0u, 0x4FC0B4DD24D2A599u,
        0xADDA7C5F3C4488E3u, 0xD041DD676D77EEAAu, 0x56ED3E2F9E224471u, 0x2B769F17CF112238u,
    };
    const unsigned char *at = bytes;
    uint64_t crc = ~(uint64_t)0;
    for (size_t i = 0; i < n_bytes; i++) {
        crc ^= at[i];
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}
