/* Texts and the numbers they stand for: sorted by their bytes, so that the number of a text is its rank. */
#ifndef MXB_DATA_DICTIONARY_H
#define MXB_DATA_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** The most texts a column may have, so that their numbers are exact in float32 too. */
#define MXB__MAX_TEXTS ((size_t)1 << 24)

/** The longest text, in bytes. */
enum { MXB__MAX_TEXT_BYTES = 1 << 20 };

/* All zero: a feature of numbers. */
struct dictionary {
    uint8_t is_text;  /* 1 = the feature holds text, though perhaps none was met */
    uint32_t n_texts; /* at most MXB__MAX_TEXTS */
    char **texts;     /* [n_texts] strictly ascending; number i stands for texts[i] */
    char *bytes;      /* what they point into */
};

/** For each of n texts how many different ones of them come before it. */
mxb_status mxb__texts_rank(const char *const *texts, size_t n, double *ranks, mxb_error *error);

/** Makes an empty dictionary one of the given texts, which are copied and ascend strictly. */
mxb_status mxb__dictionary_fill(struct dictionary *dictionary, const char *const *texts, size_t n, mxb_error *error);

/** The number of a text, or MXB__NO_NUMBER. */
#define MXB__NO_NUMBER UINT32_MAX
uint32_t mxb__dictionary_find(const struct dictionary *dictionary, const char *text);

/** Deep copies of n dictionaries; NULL of NULL. */
mxb_status mxb__dictionaries_copy(struct dictionary **to, const struct dictionary *from, size_t n, mxb_error *error);

/** Frees n dictionaries and the array of them; NULL is fine. */
void mxb__dictionaries_free(struct dictionary *dictionaries, size_t n);

#endif
