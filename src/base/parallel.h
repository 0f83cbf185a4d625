/* A pool of threads that lives as long as one call of the library. */
#ifndef MXB_BASE_PARALLEL_H
#define MXB_BASE_PARALLEL_H

#include <stddef.h>

struct pool;

/** A task: `index` of 0 .. n_tasks - 1; `thread` of 0 .. mxb__pool_n_threads - 1, no two tasks at once with the same.
 */
typedef void (*task_fn)(void *context, size_t index, size_t thread);

/** Opens a pool of at most `n_threads` (0: all processors). Starts nothing and cannot fail: where threads or memory
 *  cannot be had, fewer work. NULL is a pool of one. */
struct pool *mxb__pool_open(size_t n_threads);
size_t mxb__pool_n_threads(const struct pool *pool);
void mxb__pool_close(struct pool *pool);

/** Runs the tasks, the calling thread among the workers, each pulling the next index; returns when all are done.
 * Threads are started the first time `nanoseconds`, a guess at the whole work, makes it worth while; below that the
 * caller does all. Which thread does what must not change results: sums over rows go into one place per index. */
void mxb__pool_run(struct pool *pool, size_t n_tasks, double nanoseconds, task_fn task, void *context);

/** ceil(n / block), for splitting n items into tasks of `block`. */
static inline size_t mxb__n_blocks(size_t n, size_t block) { return (n + block - 1) / block; }

/** Items in block `index` of n split by `block`. */
static inline size_t mxb__block_length(size_t n, size_t block, size_t index) {
    return n - index * block < block ? n - index * block : block;
}

#endif
