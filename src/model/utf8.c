/* Which bytes are a character: for texts that come from files and go into JSON. Knows nothing of either. */
#include "model/utf8.h"

#include <stdint.h>

size_t mxb__utf8_length(const char *text, size_t n_bytes) {
    const unsigned char *bytes = (const unsigned char *)text;
    if (n_bytes == 0) {
        return 0;
    }
    if (bytes[0] < 0x80) {
        return 1;
    }
    size_t length = bytes[0] < 0xC2 ? 0 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : bytes[0] < 0xF5 ? 4 : 0;
    if (length == 0 || length > n_bytes) {
        return 0;
    }
    uint32_t point = bytes[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
        point = point << 6 | (bytes[i] & 0x3Fu);
    }
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    int surrogate = point >= 0xD800 && point < 0xE000;
    return point < smallest[length] || surrogate || point > 0x10FFFF ? 0 : length;
}

int mxb__utf8_printable(const char *text, size_t n_bytes) {
    for (size_t i = 0; i < n_bytes;) {
        size_t length = mxb__utf8_length(text + i, n_bytes - i);
        unsigned char first = (unsigned char)text[i];
        int control =
            first < 0x20 || first == 0x7F || (first == 0xC2 && length == 2 && (unsigned char)text[i + 1] < 0xA0);
        if (length == 0 || control) {
            return 0;
        }
        i += length;
    }
    return 1;
}
