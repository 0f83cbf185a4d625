/* A pool of threads that lives as long as one call. Waiting is passive but for the first moment, so a loaded machine
 * costs little more than its load, and nothing is left behind for fork to break. Knows nothing of the work. */
#define _POSIX_C_SOURCE 200809L
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/processors.h"

/* Waking a thread and waiting for it costs some 10 us on a busy machine. */
static const double WORTH_SHARING_NS = 50e3;

/* A thread that waits looks out for so long before it sleeps: the next run often begins within it. */
static const double SPIN_SECONDS = 20e-6;

struct worker {
    struct pool *pool;
    pthread_t handle;
    size_t thread; /* 1 .. n_started; the calling thread is 0 */
};

struct pool {
    size_t n_threads; /* wanted, the caller included */
    size_t n_started; /* helpers running */
    int tried_to_start;
    int spins; /* there is a processor for every thread */
    struct worker *workers;

    pthread_mutex_t mutex;
    pthread_cond_t work_ready;
    pthread_cond_t work_done;
    _Atomic uint64_t generation; /* counts the runs; a change wakes the helpers */
    _Atomic size_t n_busy;       /* helpers still in this run */
    int closing;

    task_fn task;
    void *context;
    size_t n_tasks;
    _Atomic size_t next_task;
};

/* 0 where one of the three cannot be had; then there is none of them. */
static int init_signals(struct pool *pool) {
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
        return 0;
    }
    if (pthread_cond_init(&pool->work_ready, NULL) == 0) {
        if (pthread_cond_init(&pool->work_done, NULL) == 0) {
            return 1;
        }
        pthread_cond_destroy(&pool->work_ready);
    }
    pthread_mutex_destroy(&pool->mutex);
    return 0;
}

struct pool *mxb__pool_open(size_t n_threads) {
    struct pool *pool;
    if (n_threads == 0) {
        n_threads = mxb__n_processors();
    }
    if (n_threads == 1 || mxb__alloc_zeroed(&pool, 1, sizeof *pool, "threads", NULL) != MXB_OK) {
        return NULL;
    }
    if (mxb__alloc(&pool->workers, n_threads - 1, sizeof *pool->workers, "threads", NULL) != MXB_OK) {
        mxb__free(pool);
        return NULL;
    }
    pool->n_threads = n_threads;
    pool->spins = n_threads <= mxb__n_processors();
    if (!init_signals(pool)) {
        mxb__free(pool->workers);
        mxb__free(pool);
        return NULL;
    }
    return pool;
}

size_t mxb__pool_n_threads(const struct pool *pool) { return pool == NULL ? 1 : pool->n_threads; }

static void pull_tasks(struct pool *pool, size_t thread) {
    for (;;) {
        size_t index = atomic_fetch_add_explicit(&pool->next_task, 1, memory_order_relaxed);
        if (index >= pool->n_tasks) {
            return;
        }
        pool->task(pool->context, index, thread);
    }
}

/* ---- waiting ---- */

static int has_new_run(struct pool *pool, uint64_t seen) { return pool->generation != seen; }
static int is_idle(struct pool *pool, uint64_t unused) {
    (void)unused;
    return pool->n_busy == 0;
}

/* Looks out for a condition, for a short while. */
static void spin(struct pool *pool, int (*holds)(struct pool *pool, uint64_t seen), uint64_t seen) {
    enum { LOOKS = 32 }; /* for each at the clock */
    double until = pool->spins ? mxb__seconds_now() + SPIN_SECONDS : 0.0;
    while (pool->spins && mxb__seconds_now() < until) {
        for (int i = 0; i < LOOKS; i++) {
            if (holds(pool, seen)) {
                return;
            }
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    }
}

static void *helper_main(void *argument) {
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    uint64_t seen = 0;
    for (;;) {
        spin(pool, has_new_run, seen);
        pthread_mutex_lock(&pool->mutex);
        while (pool->generation == seen && !pool->closing) {
            pthread_cond_wait(&pool->work_ready, &pool->mutex);
        }
        int closing = pool->closing;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->mutex);
        if (closing) {
            return NULL;
        }
        pull_tasks(pool, worker->thread);
        if (--pool->n_busy == 0) {
            pthread_mutex_lock(&pool->mutex); /* not between the caller's last look and its sleep */
            pthread_cond_signal(&pool->work_done);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static void start_helpers(struct pool *pool) {
    pool->tried_to_start = 1;
    for (size_t i = 0; i + 1 < pool->n_threads; i++) {
        struct worker *worker = &pool->workers[i];
        worker->pool = pool;
        worker->thread = i + 1;
        if (pthread_create(&worker->handle, NULL, helper_main, worker) != 0) {
            return;
        }
        pool->n_started++;
    }
}

void mxb__pool_run(struct pool *pool, size_t n_tasks, double nanoseconds, task_fn task, void *context) {
    int worth_sharing = pool != NULL && n_tasks > 1 && nanoseconds >= WORTH_SHARING_NS;
    if (worth_sharing && !pool->tried_to_start) {
        start_helpers(pool);
    }
    if (!worth_sharing || pool->n_started == 0) {
        for (size_t i = 0; i < n_tasks; i++) {
            task(context, i, 0);
        }
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->context = context;
    pool->n_tasks = n_tasks;
    atomic_store_explicit(&pool->next_task, 0, memory_order_relaxed);
    pool->n_busy = pool->n_started;
    pool->generation++;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);

    pull_tasks(pool, 0);

    spin(pool, is_idle, 0);
    if (pool->n_busy == 0) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    while (pool->n_busy > 0) {
        pthread_cond_wait(&pool->work_done, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}

void mxb__pool_close(struct pool *pool) {
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->closing = 1;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
    for (size_t i = 0; i < pool->n_started; i++) {
        pthread_join(pool->workers[i].handle, NULL);
    }
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->work_ready);
    pthread_cond_destroy(&pool->work_done);
    mxb__free(pool->workers);
    mxb__free(pool);
}
