/* Errors: the one place that formats a message. Knows nothing of what went wrong. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

mxb_status mxb__fail(mxb_error *error, mxb_status status, const char *format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

mxb_status mxb__fail_memory(mxb_error *error, size_t n_bytes, const char *purpose) {
    return mxb__fail(error, MXB_ERROR_MEMORY, "out of memory: %zu bytes for %s", n_bytes, purpose);
}

char *mxb__quote(char *out, size_t out_size, const char *text, size_t n_bytes) {
    static const char cut[] = "...";
    size_t used = 0;
    size_t i = 0;
    for (; i < n_bytes && text[i] != '\0'; i++) {
        unsigned char byte = (unsigned char)text[i];
        int plain = byte >= 0x20 && byte < 0x7f;
        size_t width = plain ? 1 : 4;
        if (used + width + sizeof cut > out_size) {
            break;
        }
        if (plain) {
            out[used] = (char)byte;
        } else {
            snprintf(out + used, 5, "\\x%02x", byte);
        }
        used += width;
    }
    if (i < n_bytes && text[i] != '\0') {
        memcpy(out + used, cut, sizeof cut);
    } else {
        out[used] = '\0';
    }
    return out;
}

const char *mxb_version(void) {
#define TEXT(x)                      #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
    return VERSION(MXB_VERSION_MAJOR, MXB_VERSION_MINOR, MXB_VERSION_PATCH);
}
