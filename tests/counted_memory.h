/* Counts what the library has asked for, by functions that a program's allocations are linked to (--wrap in
 * tests/CMakeLists.txt): bytes, not the pages behind them, so that the answer is the same on every machine. */
#ifndef COUNTED_MEMORY_H
#define COUNTED_MEMORY_H

#include <pthread.h>
#include <stdlib.h>

void *__real_aligned_alloc(size_t alignment, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
void __real_free(void *block);
void __wrap_free(void *block);

enum { MAX_BLOCKS = 1 << 15 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    void *address;
    size_t n_bytes;
} blocks[MAX_BLOCKS];
static size_t n_blocks;
static size_t n_bytes;
static size_t most_bytes;

void *__wrap_aligned_alloc(size_t alignment, size_t n) {
    void *block = __real_aligned_alloc(alignment, n);
    pthread_mutex_lock(&lock);
    if (block == NULL || n_blocks == MAX_BLOCKS) {
        abort();
    }
    blocks[n_blocks].address = block;
    blocks[n_blocks++].n_bytes = n;
    n_bytes += n;
    most_bytes = n_bytes > most_bytes ? n_bytes : most_bytes;
    pthread_mutex_unlock(&lock);
    return block;
}

void __wrap_free(void *block) {
    pthread_mutex_lock(&lock);
    for (size_t i = n_blocks; i > 0; i--) {
        if (blocks[i - 1].address == block) {
            n_bytes -= blocks[i - 1].n_bytes;
            blocks[i - 1] = blocks[--n_blocks];
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    __real_free(block);
}

#endif
