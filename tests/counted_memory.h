/* Counts what the library has asked for, by functions that a program's allocations are linked to (--wrap in
 * tests/CMakeLists.txt): bytes, not the pages behind them, so that the answer is the same on every machine. What it did
 * not get counts, too. */
#ifndef COUNTED_MEMORY_H
#define COUNTED_MEMORY_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

void *__real_aligned_alloc(size_t alignment, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
void __real_free(void *block);
void __wrap_free(void *block);

enum { COUNTED_BITS = 18, COUNTED_PLACES = 1 << COUNTED_BITS };
static pthread_mutex_t counted_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    void *address; /* NULL: a free place */
    size_t n;
} counted[COUNTED_PLACES]; /* a hash table: a block stands in its place, or in the next free one behind it */
static size_t n_counted;
static size_t live_bytes;
static size_t most_bytes;

static size_t counted_home(const void *address) {
    return (size_t)((uintptr_t)address * 0x9E3779B97F4A7C15u >> (64 - COUNTED_BITS));
}

/* Where the block stands, or would. */
static size_t counted_place(const void *address) {
    size_t place = counted_home(address);
    while (counted[place].address != NULL && counted[place].address != address) {
        place = (place + 1) % COUNTED_PLACES;
    }
    return place;
}

/* Blocks behind it that could stand here move up. */
static void counted_remove(size_t place) {
    live_bytes -= counted[place].n;
    n_counted--;
    for (size_t i = (place + 1) % COUNTED_PLACES; counted[i].address != NULL; i = (i + 1) % COUNTED_PLACES) {
        size_t home = counted_home(counted[i].address);
        if ((i - home) % COUNTED_PLACES >= (i - place) % COUNTED_PLACES) {
            counted[place] = counted[i];
            place = i;
        }
    }
    counted[place].address = NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t n) {
    void *block = __real_aligned_alloc(alignment, n);
    pthread_mutex_lock(&counted_lock);
    most_bytes = live_bytes + n > most_bytes ? live_bytes + n : most_bytes;
    if (block != NULL) {
        size_t place = counted_place(block);
        if (++n_counted > COUNTED_PLACES / 2 || counted[place].address != NULL) {
            abort();
        }
        counted[place].address = block;
        counted[place].n = n;
        live_bytes += n;
    }
    pthread_mutex_unlock(&counted_lock);
    return block;
}

/* Also of blocks of others, which are not known here. */
void __wrap_free(void *block) {
    pthread_mutex_lock(&counted_lock);
    size_t place = counted_place(block);
    if (block != NULL && counted[place].address == block) {
        counted_remove(place);
    }
    pthread_mutex_unlock(&counted_lock);
    __real_free(block);
}

#endif
