/* The numbers of texts, for step 3 of the data's path and for the model that keeps them. Order is that of the bytes,
 * whatever the locale. Knows nothing of columns or rows. */
#include "data/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct ranked_text {
    const char *text;
    size_t position;
};

static int compare(const void *a, const void *b) {
    return strcmp(((const struct ranked_text *)a)->text, ((const struct ranked_text *)b)->text);
}

mxb_status mxb__texts_rank(const char *const *texts, size_t n, double *ranks, mxb_error *error) {
    struct ranked_text *sorted;
    MXB_TRY(mxb__alloc(&sorted, n, sizeof *sorted, "sorting texts", error));
    for (size_t i = 0; i < n; i++) {
        sorted[i] = (struct ranked_text){texts[i], i};
    }
    qsort(sorted, n, sizeof *sorted, compare);
    double rank = 0.0;
    for (size_t i = 0; i < n; i++) {
        rank += i > 0 && compare(&sorted[i - 1], &sorted[i]) != 0;
        ranks[sorted[i].position] = rank;
    }
    mxb__free(sorted);
    return MXB_OK;
}

static void clear(struct dictionary *dictionary) {
    mxb__free(dictionary->texts);
    mxb__free(dictionary->bytes);
    *dictionary = (struct dictionary){0};
}

mxb_status mxb__dictionary_fill(struct dictionary *dictionary, const char *const *texts, size_t n, mxb_error *error) {
    size_t n_bytes = 0;
    for (size_t i = 0; i < n; i++) {
        n_bytes += strlen(texts[i]) + 1;
    }
    struct dictionary made = {.is_text = 1, .n_texts = (uint32_t)n};
    MXB_TRY(mxb__alloc(&made.texts, n, sizeof *made.texts, "texts", error));
    mxb_status status = mxb__alloc(&made.bytes, n_bytes, 1, "texts", error);
    if (status != MXB_OK) {
        clear(&made);
        return status;
    }
    char *next = made.bytes;
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(texts[i]) + 1;
        made.texts[i] = memcpy(next, texts[i], size);
        next += size;
    }
    *dictionary = made;
    return MXB_OK;
}

uint32_t mxb__dictionary_find(const struct dictionary *dictionary, const char *text) {
    uint32_t low = 0;
    uint32_t high = dictionary->n_texts;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(dictionary->texts[middle], text);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return MXB__NO_NUMBER;
}

mxb_status mxb__dictionaries_copy(struct dictionary **to, const struct dictionary *from, size_t n, mxb_error *error) {
    *to = NULL;
    if (from == NULL) {
        return MXB_OK;
    }
    struct dictionary *copies;
    MXB_TRY(mxb__alloc_zeroed(&copies, n, sizeof *copies, "texts", error));
    for (size_t i = 0; i < n; i++) {
        mxb_status status = from[i].is_text ? mxb__dictionary_fill(&copies[i], (const char *const *)from[i].texts,
                                                                   from[i].n_texts, error)
                                            : MXB_OK;
        if (status != MXB_OK) {
            mxb__dictionaries_free(copies, n);
            return status;
        }
    }
    *to = copies;
    return MXB_OK;
}

void mxb__dictionaries_free(struct dictionary *dictionaries, size_t n) {
    for (size_t i = 0; dictionaries != NULL && i < n; i++) {
        clear(&dictionaries[i]);
    }
    mxb__free(dictionaries);
}
