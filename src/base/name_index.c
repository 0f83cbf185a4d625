/* Positions by name, for columns that are looked up by what a caller or a file calls them. Knows nothing of columns. */
#include "base/name_index.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"

/* The hash is keyed by the table's own address, which no file can know, so none can be made of names that all collide.
 * Only the place in the table depends on it, never an answer. */
static size_t first_slot(const struct name_index *index, const char *name) {
    uint64_t hash = mxb__mix64((uint64_t)(uintptr_t)index->slots);
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return (size_t)mxb__mix64(hash) & (index->n_slots - 1);
}

/* The slot that holds `name`, or the free one where it belongs. */
static struct name_slot *find_slot(const struct name_index *index, const char *name) {
    size_t slot = first_slot(index, name);
    while (index->slots[slot].name != NULL && strcmp(index->slots[slot].name, name) != 0) {
        slot = (slot + 1) & (index->n_slots - 1);
    }
    return &index->slots[slot];
}

static mxb_status grow(struct name_index *index, mxb_error *error) {
    struct name_index larger = {.n_slots = index->n_slots == 0 ? 16 : index->n_slots * 2, .n_names = index->n_names};
    MXB_TRY(mxb__alloc_zeroed(&larger.slots, larger.n_slots, sizeof *larger.slots, "an index of names", error));
    for (size_t i = 0; i < index->n_slots; i++) {
        if (index->slots[i].name != NULL) {
            *find_slot(&larger, index->slots[i].name) = index->slots[i];
        }
    }
    mxb__free(index->slots);
    *index = larger;
    return MXB_OK;
}

mxb_status mxb__name_index_add(struct name_index *index, const char *name, size_t position, mxb_error *error) {
    if (2 * (index->n_names + 1) > index->n_slots) {
        MXB_TRY(grow(index, error));
    }
    *find_slot(index, name) = (struct name_slot){name, position};
    index->n_names++;
    return MXB_OK;
}

size_t mxb__name_index_find(const struct name_index *index, const char *name) {
    if (index->n_slots == 0) {
        return MXB__NO_POSITION;
    }
    const struct name_slot *slot = find_slot(index, name);
    return slot->name != NULL ? slot->position : MXB__NO_POSITION;
}

void mxb__name_index_clear(struct name_index *index) {
    mxb__free(index->slots);
    memset(index, 0, sizeof *index);
}
