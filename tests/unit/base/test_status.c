/* Errors: sentences, their limits, and quoting of what files say. */
#include "base/status.h"

#include "base/memory.h"
#include "check.h"

static void fail_returns_status_and_writes_sentence(void) {
    mxb_error error;
    FAILS(mxb__fail(&error, MXB_ERROR_DATA, "row %d of \"%s\"", 7, "x.csv"), error, MXB_ERROR_DATA,
          "row 7 of \"x.csv\"");
    CHECK_INT(mxb__fail(NULL, MXB_ERROR_IO, "nobody reads %s", "this"), MXB_ERROR_IO);
}

static void fail_cuts_long_text(void) {
    mxb_error error;
    char text[3000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK_INT(mxb__fail(&error, MXB_ERROR_PARAM, "%s", text), MXB_ERROR_PARAM);
    CHECK_INT(strlen(error.message), sizeof error.message - 1);
}

static void fail_memory_names_purpose(void) {
    mxb_error error;
    FAILS(mxb__fail_memory(&error, 64, "bin codes"), error, MXB_ERROR_MEMORY, "out of memory: 64 bytes for bin codes");
}

static void quote_makes_one_printable_line(void) {
    char out[64];
    CHECK_TEXT(mxb__quote(out, sizeof out, "a b~", 4), "a b~");
    CHECK_TEXT(mxb__quote(out, sizeof out, "a\nb\t\x7f\xc3\xa9", 7), "a\\x0ab\\x09\\x7f\\xc3\\xa9");
    CHECK_TEXT(mxb__quote(out, sizeof out, "abcdef", 3), "abc");
    CHECK_TEXT(mxb__quote(out, sizeof out, "abc", SIZE_MAX), "abc");
    CHECK_TEXT(mxb__quote(out, sizeof out, "", 0), "");
    CHECK(mxb__quote(out, sizeof out, "x", 1) == out);
}

/* Any length into any size: never over the end, always a NUL, and cut text says so. */
static void quote_stays_in_bounds(void) {
    char text[40];
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = i % 3 == 0 ? '\x01' : 'k';
    }
    for (size_t size = 4; size < 100; size++) {
        for (size_t n = 0; n <= sizeof text; n++) {
            char out[101];
            memset(out, '#', sizeof out);
            mxb__quote(out, size, text, n);
            size_t length = strlen(out);
            CHECK(length < size);
            CHECK(out[size] == '#');
            size_t whole = n + 3 * ((n + 2) / 3);
            int is_cut = length >= 3 && strcmp(out + length - 3, "...") == 0;
            CHECK(is_cut == (length != whole));
        }
    }
}

static mxb_status forward(mxb_status status) {
    MXB_TRY(status);
    return MXB_STOPPED;
}

static void try_forwards_failures_only(void) {
    CHECK_INT(forward(MXB_OK), MXB_STOPPED);
    CHECK_INT(forward(MXB_ERROR_FORMAT), MXB_ERROR_FORMAT);
}

static void version_is_the_headers(void) {
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", MXB_VERSION_MAJOR, MXB_VERSION_MINOR, MXB_VERSION_PATCH);
    CHECK_TEXT(mxb_version(), expected);
}

int main(void) {
    RUN(fail_returns_status_and_writes_sentence);
    RUN(fail_cuts_long_text);
    RUN(fail_memory_names_purpose);
    RUN(quote_makes_one_printable_line);
    RUN(quote_stays_in_bounds);
    RUN(try_forwards_failures_only);
    RUN(version_is_the_headers);
    return check_report();
}
