#include "model/utf8.h"

#include <stdint.h>

#include "check.h"

static size_t encode(uint32_t point, char out[4]) {
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)((0xF00u >> length & 0xFF) | point);
    return length;
}

static void every_character(void) {
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        char text[4];
        size_t length = encode(point, text);
        size_t expected = point >= 0xD800 && point < 0xE000 ? 0 : length;
        if (mxb__utf8_length(text, length) != expected || (length > 1 && mxb__utf8_length(text, length - 1) != 0)) {
            CHECK_INT(point, -1);
            return;
        }
        int printable = expected > 0 && point >= 0x20 && (point < 0x7F || point > 0x9F);
        if (mxb__utf8_printable(text, length) != printable) {
            CHECK_INT(point, -2);
            return;
        }
    }
}

static void not_characters(void) {
    static const char *const texts[] = {"\x80",
                                        "\xBF",
                                        "\xC0\x80",
                                        "\xC1\xBF",
                                        "\xC2",
                                        "\xC3",
                                        "\xC3(",
                                        "\xE0\x9F\xBF",
                                        "\xED\xA0\x80",
                                        "\xE2\x82",
                                        "\xE2\x28\xA1",
                                        "\xF0\x8F\xBF\xBF",
                                        "\xF4\x90\x80\x80",
                                        "\xF5\x80\x80\x80",
                                        "\xFE",
                                        "\xFF"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK_INT(mxb__utf8_length(texts[i], strlen(texts[i])), 0);
        CHECK_INT(mxb__utf8_printable(texts[i], strlen(texts[i])), 0);
    }
    CHECK_INT(mxb__utf8_length("", 0), 0);
}

static void whole_texts(void) {
    CHECK(mxb__utf8_printable("", 0));
    CHECK(mxb__utf8_printable("num_round = 3 \xC3\xA9\xE2\x82\xAC", 19));
    CHECK(!mxb__utf8_printable("a\nb", 3));
    CHECK(!mxb__utf8_printable("a\0b", 3));
    CHECK(!mxb__utf8_printable("a\x7F", 2));
}

int main(void) {
    RUN(every_character);
    RUN(not_characters);
    RUN(whole_texts);
    return check_report();
}
