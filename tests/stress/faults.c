/* What the linker puts in place of the calls in faults.h. */
#define _DEFAULT_SOURCE /* flock */
#include "stress/faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fault_plan plan;
static _Atomic int is_active;
static _Atomic uint64_t n_calls[FAULT_N_CALLS];
static _Atomic uint64_t n_counted;
static _Atomic uint64_t n_failed;
static _Atomic uint64_t n_unlinks_failed;
static _Atomic int first;
static _Atomic int64_t n_live;
static _Atomic int open_file = -1; /* that the plan's path was opened as */

const char *fault_name(enum fault_call call) {
    static const char *const names[FAULT_N_CALLS] = {
        "allocate", "open", "fdopen",   "read",   "write",     "fsync", "rename",         "unlink",      "close",
        "fstat",    "stat", "realpath", "fchmod", "ftruncate", "flock", "pthread_create", "pthread_init"};
    return names[call];
}

void faults_begin(struct fault_plan wanted) {
    for (int i = 0; i < FAULT_N_CALLS; i++) {
        n_calls[i] = 0;
    }
    n_counted = n_failed = n_unlinks_failed = 0;
    first = FAULT_N_CALLS;
    plan = wanted;
    is_active = 1;
}

struct fault_report faults_end(void) {
    is_active = 0;
    struct fault_report report = {.n_counted = n_counted,
                                  .n_failed = n_failed,
                                  .n_unlinks_failed = n_unlinks_failed,
                                  .first = (enum fault_call)first};
    for (int i = 0; i < FAULT_N_CALLS; i++) {
        report.n_calls[i] = n_calls[i];
    }
    return report;
}

int64_t faults_n_live_blocks(void) { return n_live; }

/* Counts a call; whether it is one that the plan is about. */
static int is_hit(enum fault_call call) {
    if (!is_active) {
        return 0;
    }
    n_calls[call]++;
    if ((plan.calls >> call & 1u) == 0) {
        return 0;
    }
    uint64_t index = ++n_counted;
    if (plan.n == 0 || (index != plan.n && index != plan.second && !(plan.for_ever && index > plan.n))) {
        return 0;
    }
    int none = FAULT_N_CALLS;
    n_failed++;
    atomic_compare_exchange_strong(&first, &none, (int)call);
    return 1;
}

static int fails(enum fault_call call) {
    if (!is_hit(call) || plan.number == FAULT_SHORT) {
        return 0;
    }
    errno = plan.number;
    return 1;
}

/* ---- memory ---- */

void *__real_aligned_alloc(size_t alignment, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
char *__wrap_strndup(const char *text, size_t n);
void __real_free(void *block);
void __wrap_free(void *block);

static void *count_block(void *block) {
    n_live += block != NULL;
    return block;
}

static int lacks_memory(void) {
    int fails_now = fails(FAULT_ALLOCATE);
    errno = fails_now ? ENOMEM : errno;
    return fails_now;
}

void *__wrap_aligned_alloc(size_t alignment, size_t n) {
    return lacks_memory() ? NULL : count_block(__real_aligned_alloc(alignment, n));
}

void *__wrap_malloc(size_t n) { return lacks_memory() ? NULL : count_block(__real_malloc(n)); }

void *__wrap_calloc(size_t count, size_t size) {
    return lacks_memory() ? NULL : count_block(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t n) {
    if (lacks_memory()) {
        return NULL;
    }
    return old == NULL ? count_block(__real_realloc(old, n)) : __real_realloc(old, n);
}

char *__wrap_strdup(const char *text) { return lacks_memory() ? NULL : count_block(__real_strdup(text)); }

char *__wrap_strndup(const char *text, size_t n) {
    return lacks_memory() ? NULL : count_block(__real_strndup(text, n));
}

void __wrap_free(void *block) {
    n_live -= block != NULL;
    __real_free(block);
}

/* ---- files ---- */

/* Whether the plan is about this file. */
static int is_meant(int file) { return !is_active || plan.path == NULL || file == open_file; }

static int fails_on(enum fault_call call, int file) { return is_meant(file) && fails(call); }

static int is_path_meant(const char *path) { return !is_active || plan.path == NULL || strcmp(path, plan.path) == 0; }

static int fails_at(enum fault_call call, const char *path) { return is_path_meant(path) && fails(call); }

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_read(int file, void *to, size_t n);
ssize_t __wrap_read(int file, void *to, size_t n);
ssize_t __real_write(int file, const void *from, size_t n);
ssize_t __wrap_write(int file, const void *from, size_t n);
ssize_t __real_pwrite(int file, const void *from, size_t n, off_t at);
ssize_t __wrap_pwrite(int file, const void *from, size_t n, off_t at);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __real_close(int file);
int __wrap_close(int file);
int __real_fstat(int file, struct stat *about);
int __wrap_fstat(int file, struct stat *about);
int __real_stat(const char *path, struct stat *about);
int __wrap_stat(const char *path, struct stat *about);
int __real_lstat(const char *path, struct stat *about);
int __wrap_lstat(const char *path, struct stat *about);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
char *__real_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved);
char *__wrap___realpath_chk(const char *path, char *resolved, size_t room);
int __real_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode);
int __real_ftruncate(int file, off_t n);
int __wrap_ftruncate(int file, off_t n);
int __real_flock(int file, int operation);
int __wrap_flock(int file, int operation);

int __wrap_open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    if (fails_at(FAULT_OPEN, path)) {
        return -1;
    }
    int file = __real_open(path, flags, mode);
    open_file = is_path_meant(path) ? file : open_file;
    return file;
}

/* How many bytes to move; 0: fail. */
static size_t transfer(enum fault_call call, int file, size_t n) {
    if (!is_meant(file) || !is_hit(call)) {
        return n;
    }
    if (plan.number == FAULT_SHORT) {
        return n < 1 ? n : 1;
    }
    errno = plan.number;
    return 0;
}

ssize_t __wrap_read(int file, void *to, size_t n) {
    size_t some = transfer(FAULT_READ, file, n);
    return some == 0 && n > 0 ? -1 : __real_read(file, to, some);
}

ssize_t __wrap_write(int file, const void *from, size_t n) {
    size_t some = transfer(FAULT_WRITE, file, n);
    return some == 0 && n > 0 ? -1 : __real_write(file, from, some);
}

ssize_t __wrap_pwrite(int file, const void *from, size_t n, off_t at) {
    size_t some = transfer(FAULT_WRITE, file, n);
    return some == 0 && n > 0 ? -1 : __real_pwrite(file, from, some, at);
}

int __wrap_fsync(int file) { return fails_on(FAULT_FSYNC, file) ? -1 : __real_fsync(file); }

int __wrap_rename(const char *from, const char *to) { return fails(FAULT_RENAME) ? -1 : __real_rename(from, to); }

int __wrap_unlink(const char *path) {
    if (fails_at(FAULT_UNLINK, path)) {
        n_unlinks_failed++;
        return -1;
    }
    return __real_unlink(path);
}

int __wrap_close(int file) {
    int result = __real_close(file);
    return fails_on(FAULT_CLOSE, file) ? -1 : result;
}

int __wrap_fstat(int file, struct stat *about) { return fails_on(FAULT_FSTAT, file) ? -1 : __real_fstat(file, about); }

int __wrap_stat(const char *path, struct stat *about) {
    return fails_at(FAULT_STAT, path) ? -1 : __real_stat(path, about);
}

int __wrap_lstat(const char *path, struct stat *about) {
    return fails_at(FAULT_STAT, path) ? -1 : __real_lstat(path, about);
}

int __wrap_access(const char *path, int mode) { return fails_at(FAULT_STAT, path) ? -1 : __real_access(path, mode); }

char *__wrap_realpath(const char *path, char *resolved) {
    if (fails_at(FAULT_REALPATH, path)) {
        return NULL;
    }
    return resolved == NULL ? count_block(__real_realpath(path, NULL)) : __real_realpath(path, resolved);
}

/* What FORTIFY makes of it. */
char *__wrap___realpath_chk(const char *path, char *resolved, size_t room) {
    (void)room;
    return __wrap_realpath(path, resolved);
}

int __wrap_fchmod(int file, mode_t mode) { return fails_on(FAULT_FCHMOD, file) ? -1 : __real_fchmod(file, mode); }

int __wrap_ftruncate(int file, off_t n) { return fails_on(FAULT_FTRUNCATE, file) ? -1 : __real_ftruncate(file, n); }

int __wrap_flock(int file, int operation) { return fails_on(FAULT_FLOCK, file) ? -1 : __real_flock(file, operation); }

/* ---- streams ---- */

int __real_mkstemp(char *path);
int __wrap_mkstemp(char *path);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__real_fdopen(int file, const char *mode);
FILE *__wrap_fdopen(int file, const char *mode);
size_t __real_fwrite(const void *from, size_t size, size_t n, FILE *stream);
size_t __wrap_fwrite(const void *from, size_t size, size_t n, FILE *stream);
int __real_fputs(const char *text, FILE *stream);
int __wrap_fputs(const char *text, FILE *stream);
int __real_fflush(FILE *stream);
int __wrap_fflush(FILE *stream);
int __real_fclose(FILE *stream);
int __wrap_fclose(FILE *stream);

int __wrap_mkstemp(char *path) { return fails_at(FAULT_OPEN, path) ? -1 : __real_mkstemp(path); }

FILE *__wrap_fopen(const char *path, const char *mode) {
    return fails_at(FAULT_OPEN, path) ? NULL : __real_fopen(path, mode);
}

FILE *__wrap_fdopen(int file, const char *mode) {
    return fails_on(FAULT_FDOPEN, file) ? NULL : __real_fdopen(file, mode);
}

static int fails_in(enum fault_call call, FILE *stream) { return is_active && fails_on(call, fileno(stream)); }

size_t __wrap_fwrite(const void *from, size_t size, size_t n, FILE *stream) {
    return fails_in(FAULT_WRITE, stream) ? 0 : __real_fwrite(from, size, n, stream);
}

int __wrap_fputs(const char *text, FILE *stream) {
    return fails_in(FAULT_WRITE, stream) ? EOF : __real_fputs(text, stream);
}

int __wrap_fflush(FILE *stream) { return fails_in(FAULT_WRITE, stream) ? EOF : __real_fflush(stream); }

int __wrap_fclose(FILE *stream) {
    int fails_then = fails_in(FAULT_CLOSE, stream), number = errno;
    int result = __real_fclose(stream);
    errno = fails_then ? number : errno;
    return fails_then ? EOF : result;
}

/* ---- threads ---- */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    return fails(FAULT_THREAD) ? plan.number : __real_pthread_create(thread, attributes, start, argument);
}

int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __real_pthread_cond_init(pthread_cond_t *signal, const pthread_condattr_t *attributes);
int __wrap_pthread_cond_init(pthread_cond_t *signal, const pthread_condattr_t *attributes);
int __real_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex);
int __real_pthread_cond_destroy(pthread_cond_t *signal);
int __wrap_pthread_cond_destroy(pthread_cond_t *signal);

static int count_lock(int problem) {
    n_live += problem == 0;
    return problem;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    return fails(FAULT_LOCK) ? plan.number : count_lock(__real_pthread_mutex_init(mutex, attributes));
}

int __wrap_pthread_cond_init(pthread_cond_t *signal, const pthread_condattr_t *attributes) {
    return fails(FAULT_LOCK) ? plan.number : count_lock(__real_pthread_cond_init(signal, attributes));
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *mutex) {
    n_live--;
    return __real_pthread_mutex_destroy(mutex);
}

int __wrap_pthread_cond_destroy(pthread_cond_t *signal) {
    n_live--;
    return __real_pthread_cond_destroy(signal);
}

int count_entries(const char *path) {
    DIR *list = opendir(path);
    int n = 0;
    while (list != NULL && readdir(list) != NULL) {
        n++;
    }
    if (list != NULL) {
        closedir(list);
    }
    return n;
}
