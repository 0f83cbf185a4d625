/* All heap of the library: 64-byte aligned, large blocks in huge pages, sizes checked for overflow, able to fail on
 * request for the tests. */
#ifndef MXB_BASE_MEMORY_H
#define MXB_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Sizes of workspaces are products of 32-bit counts. */
_Static_assert(sizeof(size_t) >= 8, "mixboost needs a 64-bit machine");

/** How many bytes a block of so many really has: large ones are made of whole huge pages. */
size_t mxb__block_bytes(size_t n_bytes);

/** `count * size` bytes, not initialised; at least one byte, so NULL only on failure. On failure the sentence names
 *  `purpose` ("bin codes"). */
mxb_status mxb__alloc(void *pointer_to_pointer, size_t count, size_t size, const char *purpose, mxb_error *error);

/** The same, zeroed. */
mxb_status mxb__alloc_zeroed(void *pointer_to_pointer, size_t count, size_t size, const char *purpose,
                             mxb_error *error);

/** Grows `*pointer_to_pointer` (old_count elements, may be NULL with 0) to new_count, keeping its contents. On failure
 *  the old block stays. */
mxb_status mxb__grow(void *pointer_to_pointer, size_t old_count, size_t new_count, size_t size, const char *purpose,
                     mxb_error *error);

/** A copy of a NUL-terminated text. */
mxb_status mxb__copy_text(char **copy, const char *text, mxb_error *error);

void mxb__free(void *pointer);

/** A wish for a large part of a block: no huge pages, since it will seldom be used. Until it is it costs nothing, not
 *  even at its ends, where a huge page would be of it and of its neighbour. */
void mxb__memory_seldom_used(void *part, size_t n_bytes);

/** For tests: the n-th allocation from now (1 = the next) fails, and with `for_ever` all after it; 0 switches it off.
 */
void mxb__memory_fail_at(uint64_t n, int for_ever);

/* One block that a learner carves its arrays from. Run the same carving code on a workspace with base NULL to learn how
 * many bytes it takes, then on the real one. */
struct workspace {
    char *base;  /* NULL while measuring */
    size_t used; /* bytes carved so far, a multiple of 64 */
};

/** The next `count * size` bytes, 64-byte aligned; NULL while measuring. The caller has bounded the product. */
void *mxb__carve(struct workspace *workspace, size_t count, size_t size);

#endif
