/* Failures on request: the allocations and system calls of the library as linked into a test, each able to fail at its
 * n-th call. A program that includes this is linked with faults.c and -Wl,--wrap for every call (tests/CMakeLists.txt),
 * so nothing of the library needs to know. Calls made inside the C library itself are not seen. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>

enum fault_call {
    FAULT_ALLOCATE, /* aligned_alloc, malloc, calloc, realloc, strdup, strndup */
    FAULT_OPEN,     /* fopen, mkstemp, too */
    FAULT_FDOPEN,
    FAULT_READ,
    FAULT_WRITE, /* pwrite, fwrite, fputs, fflush, too */
    FAULT_FSYNC,
    FAULT_RENAME,
    FAULT_UNLINK,
    FAULT_CLOSE, /* fclose, too; closes all the same, as Linux does */
    FAULT_FSTAT,
    FAULT_STAT, /* lstat, access, too */
    FAULT_REALPATH,
    FAULT_FCHMOD,
    FAULT_FTRUNCATE,
    FAULT_FLOCK,
    FAULT_THREAD, /* pthread_create */
    FAULT_LOCK,   /* pthread_mutex_init, pthread_cond_init */
    FAULT_N_CALLS
};

enum {
    FAULT_FILES = 1 << FAULT_OPEN | 1 << FAULT_FDOPEN | 1 << FAULT_READ | 1 << FAULT_WRITE | 1 << FAULT_FSYNC |
                  1 << FAULT_RENAME | 1 << FAULT_UNLINK | 1 << FAULT_CLOSE | 1 << FAULT_FSTAT | 1 << FAULT_STAT |
                  1 << FAULT_REALPATH | 1 << FAULT_FCHMOD | 1 << FAULT_FTRUNCATE | 1 << FAULT_FLOCK,
    FAULT_SHORT = -1 /* in place of an errno: reads and writes move one byte, other calls are left alone */
};

struct fault_plan {
    unsigned calls;   /* 1 << enum fault_call of those that count and may fail, together */
    uint64_t n;       /* the n-th of them fails, from 1; 0: none, they are only counted */
    int for_ever;     /* and all after it */
    uint64_t second;  /* and this one; 0: no other */
    int number;       /* the errno it fails with, or FAULT_SHORT */
    const char *path; /* of calls on files only those on this one; NULL: all */
};

struct fault_report {
    uint64_t n_calls[FAULT_N_CALLS]; /* made since faults_begin, failed ones included */
    uint64_t n_counted;              /* those of them that the plan is about */
    uint64_t n_failed;
    uint64_t n_unlinks_failed; /* so many files were left behind */
    enum fault_call first;     /* the first that failed, if any */
};

/** Begins to count and to fail. */
void faults_begin(struct fault_plan plan);

/** Ends both; may be asked again. */
struct fault_report faults_end(void);

/** Blocks allocated and not freed yet, since the program began, and locks made and not destroyed. */
int64_t faults_n_live_blocks(void);

const char *fault_name(enum fault_call call);

/** Entries of a folder, for files that were left behind or open. */
int count_entries(const char *path);

#endif
