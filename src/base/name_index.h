/* Finds the position of a name among many: a hash table of texts that others own. */
#ifndef MXB_BASE_NAME_INDEX_H
#define MXB_BASE_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct name_slot {
    const char *name; /* NULL = free */
    size_t position;
};

/* All zero is an empty index. */
struct name_index {
    struct name_slot *slots;
    size_t n_slots; /* 0 or a power of two, more than half of it free */
    size_t n_names;
};

/** What mxb__name_index_find says of a name that is not there. */
#define MXB__NO_POSITION SIZE_MAX

/** Adds a name that is not there yet. The text is not copied and must stay. */
mxb_status mxb__name_index_add(struct name_index *index, const char *name, size_t position, mxb_error *error);
size_t mxb__name_index_find(const struct name_index *index, const char *name);
void mxb__name_index_clear(struct name_index *index);

#endif
