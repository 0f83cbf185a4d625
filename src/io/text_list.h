/* The different texts of a column, in the order they are met. */
#ifndef MXB_IO_TEXT_LIST_H
#define MXB_IO_TEXT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* All zero is an empty list. */
struct text_list {
    size_t n_texts;
    size_t *starts;  /* [capacity] of each text in `bytes`; a NUL ends it */
    size_t capacity; /* of starts */
    char *bytes;
    size_t n_bytes;
    size_t n_reserved; /* bytes */
    uint32_t *slots;   /* [n_slots] a hash table of codes + 1; 0 = free */
    size_t n_slots;    /* 0 or a power of two, more than half of it free */
};

/** The code of text[0 .. n_bytes), which has no NUL, added if it is new. At most 2^31 texts. */
mxb_status mxb__text_list_add(struct text_list *list, const char *text, size_t n_bytes, uint32_t *code,
                              mxb_error *error);

/** Moves the texts out: *texts has the list's n_texts entries, which point into *bytes; both are the caller's. The list
 *  is empty afterwards, also on failure. */
mxb_status mxb__text_list_take(struct text_list *list, const char ***texts, char **bytes, mxb_error *error);
void mxb__text_list_clear(struct text_list *list);

#endif
