/* Waits for the disk, for whatever step writes files. Knows nothing of what is in them. */
#define _XOPEN_SOURCE 700 /* POSIX of 2008, with realpath */
#include "base/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
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
    char folder[PATH_MAX];
    if (realpath(path, folder) == NULL) { /* links followed, so that it is the folder of the file itself */
        return 0;
    }
    char *slash = strrchr(folder, '/');
    slash[slash == folder] = '\0'; /* "/" stays */
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
