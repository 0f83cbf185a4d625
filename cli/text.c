/* Turns values into text. Prints nothing. The program never calls setlocale, so the decimal point is a point. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mixboost/mixboost.h"

char *text_number(char out[TEXT_NUMBER_SIZE], double number) {
    size_t length = mxb_numbers_format(&number, 1, 1, out);
    out[length - 1] = '\0'; /* where the line ends */
    return out;
}

char *text_size(char out[TEXT_NUMBER_SIZE], double n_bytes) {
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    if (n_bytes < 1000) {
        snprintf(out, TEXT_NUMBER_SIZE, "%.0f byte%s", n_bytes, n_bytes == 1 ? "" : "s");
        return out;
    }
    size_t unit = 0;
    double scaled = n_bytes / 1000;
    for (; scaled >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++) {
        scaled /= 1000;
    }
    snprintf(out, TEXT_NUMBER_SIZE, "%.*f %s", scaled < 99.5 ? 1 : 0, scaled, units[unit]);
    return out;
}

char *text_duration(char out[TEXT_NUMBER_SIZE], double seconds) {
    if (seconds < 9.5) {
        snprintf(out, TEXT_NUMBER_SIZE, "%.*f s", seconds < 0.995 ? 2 : 1, seconds);
    } else if (seconds < 99.5) {
        snprintf(out, TEXT_NUMBER_SIZE, "%.0f s", seconds);
    } else if (seconds < 99.5 * 60) {
        snprintf(out, TEXT_NUMBER_SIZE, "%.0f min", seconds / 60);
    } else {
        snprintf(out, TEXT_NUMBER_SIZE, "%.1f h", seconds / 3600);
    }
    return out;
}

int text_is_number(const char *text) {
    char *end;
    const char *digits = text + (*text == '-' || *text == '+');
    int is_decimal = (*digits >= '0' && *digits <= '9') || *digits == '.';
    strtod(text, &end);
    return is_decimal && strpbrk(text, "xX") == NULL && *end == '\0';
}

static int is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

/* Bytes of the printable UTF-8 character that begins at `byte`, or 0: a control character (ASCII or U+0080..9F), or not
 * UTF-8. */
static size_t character_length(const unsigned char *byte) {
    if (byte[0] < 0x80) {
        return byte[0] >= 0x20 && byte[0] != 0x7f;
    }
    if (byte[0] >= 0xc2 && byte[0] < 0xe0) {
        int control = byte[0] == 0xc2 && byte[1] < 0xa0;
        return is_continuation(byte[1]) && !control ? 2 : 0;
    }
    if (byte[0] >= 0xe0 && byte[0] < 0xf0) {
        return is_continuation(byte[1]) && is_continuation(byte[2]) ? 3 : 0;
    }
    if (byte[0] >= 0xf0 && byte[0] < 0xf5) {
        return is_continuation(byte[1]) && is_continuation(byte[2]) && is_continuation(byte[3]) ? 4 : 0;
    }
    return 0;
}

char *text_printable(char *out, size_t out_size, const char *text) {
    static const char cut[] = "...";
    size_t used = 0;
    while (*text != '\0') {
        size_t length = character_length((const unsigned char *)text);
        size_t width = length > 0 ? length : 4;
        if (used + width + sizeof cut > out_size) {
            memcpy(out + used, cut, sizeof cut);
            return out;
        }
        if (length > 0) {
            memcpy(out + used, text, length);
            text += length;
        } else {
            snprintf(out + used, 5, "\\x%02x", (unsigned)(unsigned char)*text);
            text++;
        }
        used += width;
    }
    out[used] = '\0';
    return out;
}
