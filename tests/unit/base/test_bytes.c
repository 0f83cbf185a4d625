#include "base/bytes.h"

#include <float.h>

#include "base/memory.h"
#include "check.h"

static void little_endian(void) {
    struct byte_writer out = {0};
    mxb__put_u8(&out, 0xAB);
    mxb__put_u32(&out, 0x01020304);
    mxb__put_f32(&out, 1.0f);
    mxb__put_f64(&out, -2.0);
    mxb__put_bytes(&out, "xyz", 3);
    static const unsigned char expected[] = {0xAB, 4, 3, 2, 1, 0, 0,    0x80, 0x3F, 0,
                                             0,    0, 0, 0, 0, 0, 0xC0, 'x',  'y',  'z'};
    REQUIRE(out.status == MXB_OK);
    CHECK_INT(out.n_bytes, sizeof expected);
    CHECK(memcmp(out.bytes, expected, sizeof expected) == 0);
    mxb__free(out.bytes);
}

static void reads_what_was_written(void) {
    static const double numbers[] = {0, -0.0, 1.5, -DBL_MAX, DBL_MIN, 0x1p-1074, INFINITY, NAN};
    struct byte_writer out = {0};
    for (size_t i = 0; i < 8; i++) {
        mxb__put_f64(&out, numbers[i]);
        mxb__put_f32(&out, (float)i);
        mxb__put_u32(&out, UINT32_MAX - (uint32_t)i);
        mxb__put_u8(&out, (uint8_t)(255 - i));
    }
    REQUIRE(out.status == MXB_OK);
    struct byte_reader in = {.bytes = (unsigned char *)out.bytes, .n_left = out.n_bytes};
    for (size_t i = 0; i < 8; i++) {
        double number = mxb__get_f64(&in);
        CHECK(memcmp(&number, &numbers[i], sizeof number) == 0);
        CHECK(mxb__get_f32(&in) == (float)i);
        CHECK_INT(mxb__get_u32(&in), UINT32_MAX - (uint32_t)i);
        CHECK_INT(mxb__get_u8(&in), 255 - i);
    }
    CHECK(in.n_left == 0 && !in.overrun);
    mxb__free(out.bytes);
}

static void reader_stays_inside(void) {
    static const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    struct byte_reader in = {.bytes = bytes, .n_left = sizeof bytes};
    CHECK(mxb__get_u64(&in) == 0x0807060504030201u);
    CHECK_INT(mxb__get_u32(&in), 0);
    CHECK(in.overrun && in.n_left == 0);
    CHECK_INT(mxb__get_u8(&in), 0); /* although three bytes were left: a failure sticks */
    CHECK(mxb__get_bytes(&in, SIZE_MAX) == NULL);
}

static void store_in_place(void) {
    unsigned char bytes[12] = {0};
    mxb__store_u32(bytes, 0x89ABCDEFu);
    mxb__store_u64(bytes + 4, 0x0123456789ABCDEFu);
    static const unsigned char expected[] = {0xEF, 0xCD, 0xAB, 0x89, 0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01};
    CHECK(memcmp(bytes, expected, 12) == 0);
}

static void writer_failure_sticks(void) {
    mxb_error error;
    struct byte_writer out = {.error = &error};
    mxb__put_u32(&out, 1);
    mxb__memory_fail_at(1, 0);
    for (int i = 0; i < 100; i++) {
        mxb__put_u32(&out, 2);
    }
    mxb__memory_fail_at(0, 0);
    CHECK_INT(out.status, MXB_ERROR_MEMORY);
    CHECK_TEXT(error.message, "out of memory: 8 bytes for the model's bytes");
    CHECK(out.n_bytes == 4 && out.bytes[0] == 1);
    mxb__free(out.bytes);
}

static void checksum(void) {
    char text[] = "123456789";
    CHECK(mxb__crc64(text, 9) == 0x995DC9BBDF1939FAu); /* the published check value of CRC-64/XZ */
    CHECK(mxb__crc64(text, 0) == 0);
    for (size_t i = 0; i < 9; i++) {
        for (int change = 1; change < 256; change++) {
            text[i] = (char)(text[i] ^ change);
            CHECK(mxb__crc64(text, 9) != 0x995DC9BBDF1939FAu);
            text[i] = (char)(text[i] ^ change);
        }
    }
}

/* The definition, bit by bit. */
static uint64_t naive_crc64(const unsigned char *bytes, size_t n_bytes) {
    uint64_t crc = ~(uint64_t)0;
    for (size_t i = 0; i < 8 * n_bytes; i++) {
        uint64_t bit = (crc ^ (uint64_t)(bytes[i / 8] >> (i % 8))) & 1;
        crc = (crc >> 1) ^ (bit ? 0xC96C5795D7870F42u : 0);
    }
    return ~crc;
}

static void checksums_of_every_length(void) {
    unsigned char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(i * i * 31 + 7 * i);
    }
    for (size_t first = 0; first < 9; first++) {
        for (size_t n = 0; n + first <= sizeof bytes; n++) {
            CHECK(mxb__crc64(bytes + first, n) == naive_crc64(bytes + first, n));
        }
    }
}

int main(void) {
    RUN(little_endian);
    RUN(reads_what_was_written);
    RUN(reader_stays_inside);
    RUN(store_in_place);
    RUN(writer_failure_sticks);
    RUN(checksum);
    RUN(checksums_of_every_length);
    return check_report();
}
