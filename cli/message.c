/* The one place that writes sentences to standard error. What they quote may come from files: it is made printable. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#include "command.h"
#include "text.h"

static void say(const char *format, va_list arguments) {
    char sentence[2048];
    char printable[2 * sizeof sentence];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    fprintf(stderr, "mixboost: %s\n", text_printable(printable, sizeof printable, sentence));
}

int fail_usage(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

int fail_data(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return EXIT_DATA;
}

int fail_status(mxb_status status, const mxb_error *error) { return fail_status_in("", status, error); }

int fail_status_in(const char *where, mxb_status status, const mxb_error *error) {
    return status == MXB_ERROR_PARAM ? fail_usage("%s%s", where, error->message)
                                     : fail_data("%s%s", where, error->message);
}

void report(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}
