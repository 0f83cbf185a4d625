/* Whole files in and out: step 1 of the data's path reads them, saving a model replaces them. Knows nothing of what the
 * bytes mean. */
#define _XOPEN_SOURCE 700 /* POSIX of 2008, with realpath */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sync.h"

enum {
    FIRST_READ = 1 << 16,       /* bytes, where the file's size is not known */
    LARGEST_TRANSFER = 1 << 30, /* bytes a call; some systems refuse more than 2^31 */
    TEMPORARY_NAMES = 1000,     /* tried before giving up; each is left from a crash or in use by another thread */
    QUOTED_PATH = 512
};

/* `verb` is "read" or "write". */
static mxb_status fail_with(mxb_error *error, const char *verb, const char *path, const char *reason) {
    char quoted[QUOTED_PATH];
    if (strcmp(path, "-") == 0 && strcmp(verb, "read") == 0) {
        return mxb__fail(error, MXB_ERROR_IO, "cannot read standard input: %s", reason);
    }
    return mxb__fail(error, MXB_ERROR_IO, "cannot %s \"%s\": %s", verb,
                     mxb__quote(quoted, sizeof quoted, path, SIZE_MAX), reason);
}

static mxb_status fail_errno(mxb_error *error, const char *verb, const char *path, int number) {
    char reason[128];
    if (strerror_r(number, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", number);
    }
    return fail_with(error, verb, path, reason);
}

/* ---- Reading ---- */

/* One read(2), continued after signals: > 0 bytes, 0 at the end, < 0 on failure. */
static ssize_t read_some(int file, char *to, size_t room) {
    ssize_t n;
    do {
        n = read(file, to, room < LARGEST_TRANSFER ? room : LARGEST_TRANSFER);
    } while (n < 0 && errno == EINTR);
    return n;
}

static mxb_status read_all(int file, const char *path, char **bytes, size_t *n_bytes, mxb_error *error) {
    struct stat about;
    if (fstat(file, &about) != 0) {
        return fail_errno(error, "read", path, errno);
    }
    if (S_ISDIR(about.st_mode)) {
        return fail_errno(error, "read", path, EISDIR);
    }
    size_t capacity = FIRST_READ;
    if (S_ISREG(about.st_mode) && about.st_size > 0) {
        capacity = (size_t)about.st_size + 1; /* one more, to see the end without growing */
    }
    MXB_TRY(mxb__alloc(bytes, capacity, 1, "a file's bytes", error));
    for (;;) {
        if (*n_bytes == capacity) {
            MXB_TRY(mxb__grow(bytes, capacity, 2 * capacity, 1, "a file's bytes", error));
            capacity *= 2;
        }
        ssize_t n = read_some(file, *bytes + *n_bytes, capacity - *n_bytes);
        if (n < 0) {
            return fail_errno(error, "read", path, errno);
        }
        if (n == 0) {
            return MXB_OK;
        }
        *n_bytes += (size_t)n;
    }
}

mxb_status mxb__file_read(const char *path, char **bytes, size_t *n_bytes, mxb_error *error) {
    int is_standard_input = strcmp(path, "-") == 0;
    *bytes = NULL;
    *n_bytes = 0;
    int file = is_standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return fail_errno(error, "read", path, errno);
    }
    mxb_status status = read_all(file, path, bytes, n_bytes, error);
    if (!is_standard_input) {
        close(file);
    }
    if (status != MXB_OK) {
        mxb__free(*bytes);
        *bytes = NULL;
        *n_bytes = 0;
    }
    return status;
}

/* ---- Replacing ---- */

/* The steps of a replacement return 0 or an errno. */

/* `path` with links followed, so that a link stays one and its target is replaced. A file that does not exist yet
 * is itself, and so is a link that leads nowhere. */
static int resolve(const char *path, char target[PATH_MAX]) {
    if (realpath(path, target) != NULL) {
        return 0;
    }
    if (errno != ENOENT) {
        return errno;
    }
    size_t length = strlen(path);
    if (length >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    memcpy(target, path, length + 1);
    return 0;
}

/* A new file beside `target`, with its permissions where it exists (`mode` not 0). */
static int open_temporary(const char *target, mode_t mode, char temporary[PATH_MAX], int *file) {
    for (int i = 0; i < TEMPORARY_NAMES; i++) {
        if (snprintf(temporary, PATH_MAX, "%s.tmp%ld-%d", target, (long)getpid(), i) >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        *file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode != 0 ? S_IRUSR | S_IWUSR : 0666);
        if (*file >= 0) {
            return mode != 0 && fchmod(*file, mode & 0777) != 0 ? errno : 0;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return errno;
}

static int write_all(int file, const char *bytes, size_t n_bytes) {
    while (n_bytes > 0) {
        ssize_t n = write(file, bytes, n_bytes < LARGEST_TRANSFER ? n_bytes : LARGEST_TRANSFER);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? errno : EIO;
        }
        bytes += n;
        n_bytes -= (size_t)n;
    }
    return 0;
}

static int replace(const char *target, mode_t mode, const void *bytes, size_t n_bytes) {
    char temporary[PATH_MAX];
    int file = -1;
    int problem = open_temporary(target, mode, temporary, &file);
    if (file < 0) {
        return problem;
    }
    if (problem == 0) {
        problem = write_all(file, bytes, n_bytes);
    }
    if (problem == 0) {
        problem = mxb__sync_file(file);
    }
    /* An interrupted close has closed, and the bytes are safe already. */
    if (close(file) != 0 && errno != EINTR && problem == 0) {
        problem = errno;
    }
    if (problem == 0 && rename(temporary, target) != 0) {
        problem = errno;
    }
    if (problem != 0) {
        unlink(temporary);
        return problem;
    }
    return mxb__sync_folder_of(target);
}

mxb_status mxb__file_replace(const char *path, const void *bytes, size_t n_bytes, mxb_error *error) {
    char target[PATH_MAX];
    struct stat about;
    mode_t mode = 0;
    int problem = resolve(path, target);
    if (problem == 0 && stat(target, &about) == 0) {
        mode = about.st_mode;
        if (S_ISDIR(mode)) {
            problem = EISDIR;
        } else if (!S_ISREG(mode)) {
            return fail_with(error, "write", path, "it is a device or a pipe, not a file");
        }
    } else if (problem == 0 && errno != ENOENT) {
        problem = errno;
    }
    if (problem == 0) {
        problem = replace(target, mode, bytes, n_bytes);
    }
    return problem == 0 ? MXB_OK : fail_errno(error, "write", path, problem);
}
