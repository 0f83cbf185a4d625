/* Waits for the disk, for whatever step writes files. Knows nothing of what is in them. */
#define _POSIX_C_SOURCE 200809L
#include "base/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

int mxb__sync_file(int file) {
    while (fsync(file) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int mxb__sync_folder_of(const char *path) {
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    if (slash != NULL) {
        size_t length = (size_t)(slash - path) + 1; /* "/" stays */
        if (length >= sizeof folder) {
            return ENAMETOOLONG;
        }
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    int file;
    do {
        file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } while (file < 0 && errno == EINTR);
    if (file < 0) {
        return errno == EACCES ? 0 : errno; /* one may write into a folder that one may not read */
    }
    int problem = mxb__sync_file(file);
    close(file);
    return problem == EINVAL ? 0 : problem;
}
