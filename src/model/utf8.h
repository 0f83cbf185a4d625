/* Which bytes are a character. */
#ifndef MXB_MODEL_UTF8_H
#define MXB_MODEL_UTF8_H

#include <stddef.h>

/** How many bytes the UTF-8 character at text[0 .. n_bytes) takes, 1 to 4; 0 if it is none: a stray or missing
 *  continuation byte, an overlong form, a surrogate, or above U+10FFFF. */
size_t mxb__utf8_length(const char *text, size_t n_bytes);

/** 1 if all of the text is UTF-8 without control characters, else 0. */
int mxb__utf8_printable(const char *text, size_t n_bytes);

#endif
