/* The journal's file: locked, appended to, cut where an append failed. Knows nothing of what records say. */
#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sync.h"
#include "tune/journal.h"
#include "tune/journal_format.h"

enum { QUOTED_SIZE = 512 };
static const double SYNC_SECONDS = 1.0;

static mxb_status fail(const struct journal *journal, const char *verb, const char *reason, mxb_error *error) {
    char quoted[QUOTED_SIZE];
    return mxb__fail(error, MXB_ERROR_IO, "cannot %s the journal \"%s\": %s", verb,
                     mxb__quote(quoted, sizeof quoted, journal->path, SIZE_MAX), reason);
}

static mxb_status fail_errno(const struct journal *journal, const char *verb, int number, mxb_error *error) {
    char reason[128];
    if (strerror_r(number, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", number);
    }
    return fail(journal, verb, reason, error);
}

/* ---- Bytes in and out ---- */

static mxb_status find_size(const struct journal *journal, size_t *size, mxb_error *error) {
    struct stat about;
    if (fstat(journal->file, &about) != 0) {
        return fail_errno(journal, "read", errno, error);
    }
    if (!S_ISREG(about.st_mode)) {
        return fail(journal, "use", "it is not a file", error);
    }
    *size = (size_t)about.st_size;
    return MXB_OK;
}

static mxb_status read_all(const struct journal *journal, unsigned char **bytes, size_t *n_bytes, mxb_error *error) {
    size_t size;
    MXB_TRY(find_size(journal, &size, error));
    MXB_TRY(mxb__alloc(bytes, size, 1, "a journal", error));
    for (*n_bytes = 0; *n_bytes < size;) {
        ssize_t n = read(journal->file, *bytes + *n_bytes, size - *n_bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? fail_errno(journal, "read", errno, error)
                         : fail(journal, "read", "it became shorter", error);
        }
        *n_bytes += (size_t)n;
    }
    return MXB_OK;
}

/* 0, or an errno. Where the whole records end, whatever a write that failed has left there. */
static int write_all(const struct journal *journal, const char *bytes, size_t n_bytes) {
    for (size_t n_done = 0; n_done < n_bytes;) {
        ssize_t n = pwrite(journal->file, bytes + n_done, n_bytes - n_done, (off_t)(journal->n_bytes + n_done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? errno : EIO;
        }
        n_done += (size_t)n;
    }
    return 0;
}

/* Cuts what is behind the whole records: 0, or an errno. */
static int cut(const struct journal *journal) {
    int problem;
    do {
        problem = ftruncate(journal->file, (off_t)journal->n_bytes) == 0 ? 0 : errno;
    } while (problem == EINTR);
    return problem;
}

static mxb_status append(struct journal *journal, const void *bytes, size_t n_bytes, mxb_error *error) {
    int problem = write_all(journal, bytes, n_bytes);
    if (problem != 0) {
        cut(journal); /* if that fails too, the next write goes over it, or the next reader cuts */
        return fail_errno(journal, "write", problem, error);
    }
    journal->n_bytes += n_bytes;
    return MXB_OK;
}

mxb_status mxb__journal_sync(struct journal *journal, mxb_error *error) {
    int problem = journal->file < 0 ? 0 : mxb__sync_file(journal->file);
    if (problem != 0) {
        return fail_errno(journal, "write", problem, error);
    }
    journal->synced_at = mxb__seconds_now();
    return MXB_OK;
}

mxb_status mxb__journal_append(struct journal *journal, const mxb_trial *trial, const mxb_trial_result *result,
                               mxb_error *error) {
    unsigned char bytes[JOURNAL_RECORD_SIZE];
    mxb__journal_encode_record(trial, result, bytes);
    MXB_TRY(append(journal, bytes, sizeof bytes, error));
    if (mxb__seconds_now() - journal->synced_at < SYNC_SECONDS) {
        return MXB_OK;
    }
    mxb_status status = mxb__journal_sync(journal, error);
    if (status != MXB_OK) { /* it does not count, so it may not stay */
        journal->n_bytes -= sizeof bytes;
        cut(journal);
    }
    return status;
}

/* ---- Opening ---- */

/* Its name, also of one begun before, by a run that did not come so far: 0, or an errno. */
static int sync_name(const struct journal *journal) {
    char target[PATH_MAX]; /* links followed, so that it is the folder of the file itself */
    return realpath(journal->path, target) == NULL ? errno : mxb__sync_folder_of(target);
}

static mxb_status lock(const struct journal *journal, mxb_error *error) {
    size_t size;
    MXB_TRY(find_size(journal, &size, error)); /* a device may be locked, too, by whom it concerns */
    while (flock(journal->file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            return fail(journal, "use", "another run is using it", error);
        }
        if (errno != EINTR) {
            return fail_errno(journal, "lock", errno, error);
        }
    }
    return MXB_OK;
}

static mxb_status begin(struct journal *journal, const char *about, mxb_error *error) {
    char *header;
    size_t n_header;
    MXB_TRY(mxb__journal_encode_header(about, &header, &n_header, error));
    mxb_status status = append(journal, header, n_header, error);
    mxb__free(header);
    return status;
}

static mxb_status open_locked(struct journal *journal, int resume, const char *about, struct journal_contents *contents,
                              mxb_error *error) {
    unsigned char *bytes = NULL;
    size_t n_bytes = 0;
    size_t n_good = 0;
    mxb_status status = read_all(journal, &bytes, &n_bytes, error);
    if (status == MXB_OK && n_bytes > 0 && !resume) {
        status = fail(journal, "begin", "it is there already; resume to go on from it, or remove it", error);
    }
    if (status == MXB_OK && n_bytes > 0) {
        status = mxb__journal_parse(bytes, n_bytes, journal->path, about, contents, &n_good, error);
    }
    mxb__free(bytes);
    MXB_TRY(status);
    journal->n_bytes = n_good;
    int problem = cut(journal);
    if (problem != 0) {
        return fail_errno(journal, "write", problem, error);
    }
    if (n_good == 0) {
        MXB_TRY(begin(journal, about, error));
    }
    MXB_TRY(mxb__journal_sync(journal, error));
    problem = sync_name(journal);
    return problem == 0 ? MXB_OK : fail_errno(journal, "write", problem, error);
}

mxb_status mxb__journal_open(struct journal *journal, const char *path, int resume, const char *about,
                             struct journal_contents *contents, mxb_error *error) {
    *journal = (struct journal){.file = -1, .owner = getpid()};
    *contents = (struct journal_contents){0};
    MXB_TRY(mxb__copy_text(&journal->path, path, error));
    mxb_status status = MXB_OK;
    do {
        journal->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    } while (journal->file < 0 && errno == EINTR);
    if (journal->file < 0) {
        status = fail_errno(journal, "open", errno, error);
    }
    if (status == MXB_OK) {
        status = lock(journal, error);
    }
    if (status == MXB_OK) {
        status = open_locked(journal, resume, about, contents, error);
    }
    if (status != MXB_OK) {
        mxb__free(contents->records);
        *contents = (struct journal_contents){0};
        mxb__journal_close(journal);
    }
    return status;
}

void mxb__journal_close(struct journal *journal) {
    /* Processes forked meanwhile, such as Python's workers, have the file open too, and the lock would last as long. */
    if (journal->file >= 0 && journal->owner == getpid()) {
        flock(journal->file, LOCK_UN);
    }
    if (journal->file >= 0) {
        close(journal->file);
    }
    mxb__free(journal->path);
    *journal = (struct journal){.file = -1};
}
