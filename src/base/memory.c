/* All heap of the library. Knows nothing of what is stored. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>
#endif
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, LARGEST_PAGE = 1 << 16, HUGE_PAGE = 1 << 21 };

/* From this size on a block is asked to lie in huge pages, where the system has them for those who ask: it is had four
 * times sooner, and read at random with fewer misses. */
static const size_t WORTH_HUGE_PAGES = 2 * (size_t)HUGE_PAGE;

/* Allocations left until the failing one; 0 = off. Only tests set it. */
static _Atomic uint64_t fail_countdown;
static atomic_int fail_for_ever;

void mxb__memory_fail_at(uint64_t n, int for_ever) {
    atomic_store(&fail_for_ever, for_ever);
    atomic_store(&fail_countdown, n);
}

static int must_fail(void) {
    uint64_t left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);
    if (left == 0) {
        return 0;
    }
    if (left == 1) {
        if (!atomic_load(&fail_for_ever)) {
            atomic_store(&fail_countdown, 0);
        }
        return 1;
    }
    atomic_fetch_sub(&fail_countdown, 1);
    return 0;
}

static int product_overflows(size_t count, size_t size) { return size != 0 && count > (SIZE_MAX - HUGE_PAGE) / size; }

static size_t alignment_of(size_t n_bytes) { return n_bytes < WORTH_HUGE_PAGES ? ALIGNMENT : HUGE_PAGE; }

size_t mxb__block_bytes(size_t n_bytes) {
    size_t alignment = alignment_of(n_bytes);
    return (n_bytes + alignment - 1) / alignment * alignment;
}

static void *get_block(size_t n_bytes) {
    size_t alignment = alignment_of(n_bytes);
    void *block = aligned_alloc(alignment, mxb__block_bytes(n_bytes));
#if defined(MADV_HUGEPAGE)
    if (block != NULL && alignment == HUGE_PAGE) {
        (void)madvise(block, n_bytes, MADV_HUGEPAGE); /* a wish: nothing is lost where it is not granted */
    }
#endif
    return block;
}

mxb_status mxb__alloc(void *pointer_to_pointer, size_t count, size_t size, const char *purpose, mxb_error *error) {
    void *block = NULL;
    size_t n_bytes = SIZE_MAX;
    if (!product_overflows(count, size)) {
        n_bytes = count * size;
        block = must_fail() ? NULL : get_block(n_bytes == 0 ? 1 : n_bytes);
    }
    memcpy(pointer_to_pointer, &block, sizeof block);
    return block != NULL ? MXB_OK : mxb__fail_memory(error, n_bytes, purpose);
}

mxb_status mxb__alloc_zeroed(void *pointer_to_pointer, size_t count, size_t size, const char *purpose,
                             mxb_error *error) {
    MXB_TRY(mxb__alloc(pointer_to_pointer, count, size, purpose, error));
    void *block;
    memcpy(&block, pointer_to_pointer, sizeof block);
    memset(block, 0, count * size);
    return MXB_OK;
}

mxb_status mxb__grow(void *pointer_to_pointer, size_t old_count, size_t new_count, size_t size, const char *purpose,
                     mxb_error *error) {
    void *old;
    void *block;
    memcpy(&old, pointer_to_pointer, sizeof old);
    MXB_TRY(mxb__alloc(&block, new_count, size, purpose, error));
    if (old != NULL) {
        memcpy(block, old, (old_count < new_count ? old_count : new_count) * size);
    }
    mxb__free(old);
    memcpy(pointer_to_pointer, &block, sizeof block);
    return MXB_OK;
}

mxb_status mxb__copy_text(char **copy, const char *text, mxb_error *error) {
    size_t n_bytes = strlen(text) + 1;
    MXB_TRY(mxb__alloc(copy, n_bytes, 1, "a name", error));
    memcpy(*copy, text, n_bytes);
    return MXB_OK;
}

void mxb__free(void *pointer) { free(pointer); }

void mxb__memory_seldom_used(void *part, size_t n_bytes) {
#if defined(MADV_NOHUGEPAGE)
    size_t before = (LARGEST_PAGE - (uintptr_t)part % LARGEST_PAGE) % LARGEST_PAGE; /* whole pages, wherever we run */
    if (n_bytes >= HUGE_PAGE) {
        (void)madvise((char *)part + before, (n_bytes - before) / LARGEST_PAGE * LARGEST_PAGE, MADV_NOHUGEPAGE);
    }
#else
    (void)part;
    (void)n_bytes;
#endif
}

void *mxb__carve(struct workspace *workspace, size_t count, size_t size) {
    char *block = workspace->base == NULL ? NULL : workspace->base + workspace->used;
    workspace->used += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return block;
}
