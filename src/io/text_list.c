/* Step 1 of the data's path: cells of text to codes. Few bytes a text, since a file may have millions. Knows nothing of
 * columns or rows. */
#include "io/text_list.h"

#include <string.h>

#include "base/eight_bytes.h"
#include "base/memory.h"
#include "base/random.h"

enum { FIRST_BYTES = 64, FIRST_TEXTS = 8, FIRST_SLOTS = 16 };

/* Keyed by an address that no file can know, so none can be made of texts that all collide. Only the place in the table
 * depends on it, never a code. */
static size_t first_slot(const uint32_t *slots, size_t n_slots, const char *text, size_t n_bytes) {
    uint64_t hash = mxb__mix64((uint64_t)(uintptr_t)slots);
    for (; n_bytes >= 8; text += 8, n_bytes -= 8) {
        hash = mxb__mix64(hash ^ mxb__load_eight(text));
    }
    for (size_t i = 0; i < n_bytes; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return (size_t)mxb__mix64(hash) & (n_slots - 1);
}

static mxb_status grow_slots(struct text_list *list, mxb_error *error) {
    size_t n_slots = list->n_slots == 0 ? FIRST_SLOTS : 2 * list->n_slots;
    uint32_t *slots;
    MXB_TRY(mxb__alloc_zeroed(&slots, n_slots, sizeof *slots, "an index of texts", error));
    for (size_t code = 0; code < list->n_texts; code++) {
        const char *text = list->bytes + list->starts[code];
        size_t slot = first_slot(slots, n_slots, text, strlen(text));
        while (slots[slot] != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = (uint32_t)code + 1;
    }
    mxb__free(list->slots);
    list->slots = slots;
    list->n_slots = n_slots;
    return MXB_OK;
}

static mxb_status reserve(struct text_list *list, size_t n_bytes, mxb_error *error) {
    if (2 * (list->n_texts + 1) > list->n_slots) {
        MXB_TRY(grow_slots(list, error));
    }
    if (list->n_texts == list->capacity) {
        size_t capacity = list->capacity == 0 ? FIRST_TEXTS : 2 * list->capacity;
        MXB_TRY(mxb__grow(&list->starts, list->n_texts, capacity, sizeof *list->starts, "texts", error));
        list->capacity = capacity;
    }
    size_t needed = list->n_bytes + n_bytes + 1;
    if (needed > list->n_reserved) {
        size_t n_reserved = needed + needed / 2 + FIRST_BYTES;
        MXB_TRY(mxb__grow(&list->bytes, list->n_bytes, n_reserved, 1, "texts", error));
        list->n_reserved = n_reserved;
    }
    return MXB_OK;
}

mxb_status mxb__text_list_add(struct text_list *list, const char *text, size_t n_bytes, uint32_t *code,
                              mxb_error *error) {
    MXB_TRY(reserve(list, n_bytes, error));
    size_t slot = first_slot(list->slots, list->n_slots, text, n_bytes);
    for (; list->slots[slot] != 0; slot = (slot + 1) & (list->n_slots - 1)) {
        const char *known = list->bytes + list->starts[list->slots[slot] - 1];
        if (strncmp(known, text, n_bytes) == 0 && known[n_bytes] == '\0') {
            *code = list->slots[slot] - 1;
            return MXB_OK;
        }
    }
    *code = (uint32_t)list->n_texts;
    list->starts[list->n_texts++] = list->n_bytes;
    list->slots[slot] = (uint32_t)list->n_texts;
    memcpy(list->bytes + list->n_bytes, text, n_bytes);
    list->bytes[list->n_bytes + n_bytes] = '\0';
    list->n_bytes += n_bytes + 1;
    return MXB_OK;
}

mxb_status mxb__text_list_take(struct text_list *list, const char ***texts, char **bytes, mxb_error *error) {
    *bytes = NULL;
    mxb_status status = mxb__alloc(texts, list->n_texts, sizeof **texts, "texts", error);
    if (status == MXB_OK) {
        for (size_t code = 0; code < list->n_texts; code++) {
            (*texts)[code] = list->bytes + list->starts[code];
        }
        *bytes = list->bytes;
        list->bytes = NULL;
    }
    mxb__text_list_clear(list);
    return status;
}

void mxb__text_list_clear(struct text_list *list) {
    mxb__free(list->starts);
    mxb__free(list->bytes);
    mxb__free(list->slots);
    *list = (struct text_list){0};
}
