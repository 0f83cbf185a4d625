#define _POSIX_C_SOURCE 200809L /* fork */
#include "base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/processors.h"
#include "check.h"

enum { MAX_TASKS = 2000, MAX_THREADS = 256 };

/* Counts how often each index ran, and what no task may see. */
struct record {
    atomic_int seen[MAX_TASKS];
    atomic_int inside[MAX_THREADS]; /* tasks running under this thread number now */
    atomic_int used[MAX_THREADS];   /* whether any task ran under this thread number */
    size_t n_tasks;
    size_t n_threads;
    atomic_int n_wrong;
    long long pause_ns;
};

static void record_task(void *context, size_t index, size_t thread) {
    struct record *record = context;
    if (index >= record->n_tasks || thread >= record->n_threads) {
        atomic_fetch_add(&record->n_wrong, 1);
        return;
    }
    if (atomic_fetch_add(&record->inside[thread], 1) != 0) {
        atomic_fetch_add(&record->n_wrong, 1);
    }
    atomic_store(&record->used[thread], 1);
    atomic_fetch_add(&record->seen[index], 1);
    if (record->pause_ns > 0) {
        struct timespec pause = {0, (long)record->pause_ns};
        nanosleep(&pause, NULL);
    }
    atomic_fetch_sub(&record->inside[thread], 1);
}

/* Runs n_tasks and returns the number of things wrong with the run. */
static int run_and_count(struct pool *pool, size_t n_tasks, double nanoseconds, long long pause_ns) {
    static struct record record;
    memset(&record, 0, sizeof record);
    record.n_tasks = n_tasks;
    record.n_threads = mxb__pool_n_threads(pool);
    record.pause_ns = pause_ns;
    mxb__pool_run(pool, n_tasks, nanoseconds, record_task, &record);
    int n_wrong = atomic_load(&record.n_wrong);
    for (size_t i = 0; i < MAX_TASKS; i++) {
        n_wrong += atomic_load(&record.seen[i]) != (i < n_tasks);
    }
    return n_wrong;
}

static void every_index_once(void) {
    static const size_t threads[] = {1, 2, 3, 8, 33};
    static const size_t tasks[] = {0, 1, 2, 3, 7, 8, 9, 64, 1000, MAX_TASKS};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct pool *pool = mxb__pool_open(threads[t]);
        CHECK_INT(mxb__pool_n_threads(pool), threads[t]);
        for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
            CHECK_INT(run_and_count(pool, tasks[i], 1e9, 0), 0);
            CHECK_INT(run_and_count(pool, tasks[i], 0, 0), 0);
            CHECK_INT(run_and_count(pool, tasks[i], INFINITY, 0), 0);
        }
        CHECK_INT(run_and_count(pool, 40, 1e9, 100000), 0);
        mxb__pool_close(pool);
    }
}

static void no_pool_is_a_pool_of_one(void) {
    CHECK_INT(mxb__pool_n_threads(NULL), 1);
    CHECK_INT(run_and_count(NULL, 100, 1e9, 0), 0);
    CHECK_INT(run_and_count(NULL, 0, 1e9, 0), 0);
    mxb__pool_close(NULL);
    struct pool *one = mxb__pool_open(1);
    CHECK_INT(mxb__pool_n_threads(one), 1);
    CHECK_INT(run_and_count(one, 100, 1e9, 0), 0);
    mxb__pool_close(one);
}

static void all_processors(void) {
    CHECK(mxb__n_processors() >= 1);
    struct pool *pool = mxb__pool_open(0);
    CHECK_INT(mxb__pool_n_threads(pool), mxb__n_processors());
    CHECK_INT(run_and_count(pool, 500, 1e9, 0), 0);
    mxb__pool_close(pool);
}

/* Sleeping tasks let every thread have its turn; the machine may have one processor. */
static void work_is_shared(void) {
    static struct record record;
    memset(&record, 0, sizeof record);
    record.n_tasks = 20;
    record.n_threads = 4;
    record.pause_ns = 5000000;
    struct pool *pool = mxb__pool_open(4);
    mxb__pool_run(pool, record.n_tasks, 1e8, record_task, &record);
    mxb__pool_close(pool);
    int n_used = 0;
    for (size_t thread = 0; thread < 4; thread++) {
        n_used += atomic_load(&record.used[thread]);
    }
    CHECK(n_used > 1);
    CHECK_INT(atomic_load(&record.n_wrong), 0);
}

static void small_work_stays_with_the_caller(void) {
    static struct record record;
    memset(&record, 0, sizeof record);
    record.n_tasks = 1000;
    record.n_threads = 1; /* any other thread number is counted as wrong */
    struct pool *pool = mxb__pool_open(8);
    mxb__pool_run(pool, 1000, 1e3, record_task, &record);
    CHECK_INT(atomic_load(&record.n_wrong), 0);
    mxb__pool_run(pool, 1, 1e9, record_task, &record);
    CHECK_INT(atomic_load(&record.n_wrong), 0);
    mxb__pool_close(pool);
}

static void far_more_threads_than_processors(void) {
    struct pool *pool = mxb__pool_open(200);
    for (int i = 0; i < 5; i++) {
        CHECK_INT(run_and_count(pool, MAX_TASKS, 1e9, 0), 0);
        CHECK_INT(run_and_count(pool, 3, 1e9, 0), 0);
    }
    mxb__pool_close(pool);
}

static void many_short_runs(void) {
    int n_wrong = 0;
    struct pool *pool = mxb__pool_open(3);
    for (size_t i = 0; i < 3000; i++) {
        n_wrong += run_and_count(pool, i % 5, i % 3 == 0 ? 0 : 1e9, 0);
    }
    mxb__pool_close(pool);
    for (size_t i = 0; i < 100; i++) { /* opened, used once or not at all, closed */
        pool = mxb__pool_open(1 + i % 4);
        n_wrong += i % 2 == 0 ? 0 : run_and_count(pool, 10, 1e9, 0);
        mxb__pool_close(pool);
    }
    CHECK_INT(n_wrong, 0);
}

/* Threads look out for the next run for a moment, then sleep: runs follow at once, within that moment, about its end,
 * and long after it, by pools that have a processor for each thread and by one that has not. */
static void runs_at_any_distance(void) {
    static const long pauses_us[] = {0, 1, 10, 19, 20, 21, 60, 2000};
    const size_t threads[] = {1, 2, 5, mxb__n_processors(), mxb__n_processors() + 1};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct pool *pool = mxb__pool_open(threads[t]);
        int n_wrong = 0;
        for (size_t i = 0; i < 400; i++) {
            struct timespec pause = {0, 1000 * pauses_us[i % 8]};
            n_wrong += run_and_count(pool, 2 + i % 7, 1e9, i % 16 == 3 ? 40000 : 0);
            if (pause.tv_nsec > 0) {
                nanosleep(&pause, NULL);
            }
        }
        CHECK_INT(n_wrong, 0);
        mxb__pool_close(pool);
    }
}

/* The caller is done with its own tasks long before the others. */
static void slow_unless_caller(void *context, size_t index, size_t thread) {
    struct timespec pause = {0, thread == 0 ? 20000 : 400000};
    nanosleep(&pause, NULL);
    ((int *)context)[index]++;
}

static void the_caller_waits_for_slow_threads(void) {
    for (size_t threads = 2; threads <= 5; threads += 3) {
        struct pool *pool = mxb__pool_open(threads);
        int n_wrong = 0;
        for (int round = 0; round < 50; round++) {
            int n_times[6] = {0};
            mxb__pool_run(pool, 6, 1e9, slow_unless_caller, n_times);
            for (int i = 0; i < 6; i++) {
                n_wrong += n_times[i] != 1;
            }
        }
        CHECK_INT(n_wrong, 0);
        mxb__pool_close(pool);
    }
}

/* Closed while its threads still look out, and after they have fallen asleep. */
static void closed_awake_or_asleep(void) {
    static const long pauses_us[] = {0, 5, 20, 1000};
    int n_wrong = 0;
    for (size_t i = 0; i < 200; i++) {
        struct timespec pause = {0, 1000 * pauses_us[i % 4]};
        struct pool *pool = mxb__pool_open(2 + i % 3);
        n_wrong += run_and_count(pool, 5, 1e9, 0);
        nanosleep(&pause, NULL);
        mxb__pool_close(pool);
    }
    CHECK_INT(n_wrong, 0);
}

/* What tasks write without atomics is there when the run returns, and the next run's tasks see it. */
static void add_to_cell(void *context, size_t index, size_t thread) {
    (void)thread;
    ((uint64_t *)context)[index] += index;
}

static void writes_are_seen(void) {
    for (size_t threads = 2; threads <= 4; threads += 2) {
        uint64_t cells[1000] = {0};
        struct pool *pool = mxb__pool_open(threads);
        for (int round = 0; round < 50; round++) {
            mxb__pool_run(pool, 1000, 1e9, add_to_cell, cells);
        }
        int n_wrong = 0;
        for (uint64_t i = 0; i < 1000; i++) { /* while the threads look out */
            n_wrong += cells[i] != 50 * i;
        }
        mxb__pool_close(pool);
        CHECK_INT(n_wrong, 0);
    }
}

/* A task that has small work of its own. */
static void nested_task(void *context, size_t index, size_t thread) {
    (void)thread;
    uint64_t cells[8] = {0};
    struct pool *inner = index % 2 == 0 ? NULL : mxb__pool_open(2);
    mxb__pool_run(inner, 8, index % 4 == 1 ? 1e9 : 0, add_to_cell, cells);
    mxb__pool_close(inner);
    uint64_t sum = 0;
    for (size_t i = 0; i < 8; i++) {
        sum += cells[i];
    }
    ((uint64_t *)context)[index] = sum;
}

static void work_within_work(void) {
    uint64_t sums[64] = {0};
    struct pool *pool = mxb__pool_open(3);
    mxb__pool_run(pool, 64, 1e9, nested_task, sums);
    mxb__pool_close(pool);
    for (size_t i = 0; i < 64; i++) {
        CHECK_INT(sums[i], 28);
    }
}

static void without_memory_the_caller_works_alone(void) {
    for (uint64_t n = 1; n <= 2; n++) {
        mxb__memory_fail_at(n, 0);
        struct pool *pool = mxb__pool_open(4);
        mxb__memory_fail_at(0, 0);
        CHECK(pool == NULL);
        CHECK_INT(run_and_count(pool, 100, 1e9, 0), 0);
        mxb__pool_close(pool);
    }
}

static int child_is_fine(void) {
    pid_t child = fork();
    if (child == 0) {
        struct pool *pool = mxb__pool_open(3);
        int n_wrong = run_and_count(pool, 500, 1e9, 0);
        mxb__pool_close(pool);
        _exit(n_wrong == 0 ? 0 : 1);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void forks_before_and_after_use(void) {
    CHECK(child_is_fine());
    struct pool *pool = mxb__pool_open(4);
    CHECK(child_is_fine()); /* open, nothing started */
    CHECK_INT(run_and_count(pool, 500, 1e9, 0), 0);
    pid_t child = fork(); /* threads waiting; the parent's pool works on */
    if (child == 0) {
        _exit(0);
    }
    waitpid(child, NULL, 0);
    CHECK_INT(run_and_count(pool, 500, 1e9, 0), 0);
    mxb__pool_close(pool);
    CHECK(child_is_fine());
}

static void blocks_cover_everything(void) {
    for (size_t n = 0; n < 70; n++) {
        for (size_t block = 1; block < 20; block++) {
            size_t sum = 0;
            for (size_t i = 0; i < mxb__n_blocks(n, block); i++) {
                size_t length = mxb__block_length(n, block, i);
                CHECK(length >= 1 && length <= block);
                sum += length;
            }
            CHECK_INT(sum, n);
        }
    }
}

int main(void) {
    RUN(forks_before_and_after_use);
    RUN(every_index_once);
    RUN(no_pool_is_a_pool_of_one);
    RUN(all_processors);
    RUN(work_is_shared);
    RUN(small_work_stays_with_the_caller);
    RUN(far_more_threads_than_processors);
    RUN(many_short_runs);
    RUN(runs_at_any_distance);
    RUN(the_caller_waits_for_slow_threads);
    RUN(closed_awake_or_asleep);
    RUN(writes_are_seen);
    RUN(work_within_work);
    RUN(without_memory_the_caller_works_alone);
    RUN(forks_before_and_after_use);
    RUN(blocks_cover_everything);
    return check_report();
}
