/* Texts in fuzz targets: what goes in, and the sentences that come out. */
#ifndef FUZZ_TEXT_H
#define FUZZ_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "fuzz/must.h"
#include "mixboost/mixboost.h"

/* A text of its own size, so that a sanitizer sees the first byte read beyond it. */
static inline char *copy_text(const void *bytes, size_t n) {
    char *text = malloc(n + 1);
    MUST(text != NULL);
    memcpy(text, bytes, n);
    text[n] = '\0';
    return text;
}

/* A sentence for a person: something, and no control characters whatever the value held. */
static inline void check_sentence(const mxb_error *error) {
    size_t n = strlen(error->message);
    MUST(n > 0 && n < sizeof error->message);
    for (size_t i = 0; i < n; i++) {
        MUST((unsigned char)error->message[i] >= 0x20 && error->message[i] != 0x7F);
    }
}

#endif
