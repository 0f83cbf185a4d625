/* Writes results so that a failure is noticed and leaves nothing half-written. Knows nothing of what it writes. */
#define _XOPEN_SOURCE 700 /* POSIX of 2008, with realpath */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "message.h"
#include "mixboost/mixboost.h"

static int fail_write(const char *path, const char *reason) {
    if (path == NULL) {
        return fail_data("cannot write to standard output: %s", reason);
    }
    return fail_data("cannot write \"%s\": %s", path, reason);
}

/* A copy of the folder part of `path`, "." where it has none; NULL without memory. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return strdup(".");
    }
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static int check_folder(const char *path) {
    struct stat found;
    char *folder = folder_of(path);
    if (folder == NULL) {
        return fail_data("out of memory");
    }
    int code = EXIT_DONE;
    if (stat(folder, &found) != 0 && errno == ENOENT) {
        code = fail_data("cannot write \"%s\": there is no folder \"%s\"", path, folder);
    } else if (stat(folder, &found) == 0 && !S_ISDIR(found.st_mode)) {
        code = fail_data("cannot write \"%s\": \"%s\" is not a folder", path, folder);
    } else if (access(folder, W_OK | X_OK) != 0) {
        code = fail_data("cannot write \"%s\": folder \"%s\": %s", path, folder, strerror(errno));
    }
    free(folder);
    return code;
}

static int is_link(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

int output_check(const char *path, int may_be_special) {
    struct stat found;
    size_t n = strlen(path);
    if (n == 0 || path[n - 1] == '/') {
        return fail_write(path, "it is not the name of a file");
    }
    int exists = stat(path, &found) == 0;
    if (!exists && is_link(path)) {
        return fail_write(path, "it is a link that leads nowhere");
    }
    if (!exists || S_ISREG(found.st_mode)) {
        return check_folder(path);
    }
    if (S_ISDIR(found.st_mode)) {
        return fail_write(path, "it is a folder");
    }
    if (!may_be_special) {
        return fail_write(path, "it is a device or a pipe, not a file");
    }
    return access(path, W_OK) == 0 ? EXIT_DONE : fail_write(path, strerror(errno));
}

int output_is_same(const char *path, const char *other) {
    struct stat a;
    struct stat b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The permissions that a new file gets. */
static mode_t new_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Opens a new file beside the target. */
static int open_temporary(struct output *output, mode_t mode) {
    static const char suffix[] = ".XXXXXX";
    int descriptor = -1;
    output->target = realpath(output->path, NULL);
    if (output->target == NULL && errno == ENOENT) {
        output->target = strdup(output->path);
    }
    size_t size = output->target == NULL ? 0 : strlen(output->target) + sizeof suffix;
    output->temporary = size == 0 ? NULL : malloc(size);
    if (output->temporary != NULL) {
        snprintf(output->temporary, size, "%s%s", output->target, suffix);
        descriptor = mkstemp(output->temporary);
    }
    if (descriptor >= 0 && fchmod(descriptor, mode) == 0) {
        output->file = fdopen(descriptor, "w");
    }
    if (output->file != NULL) {
        return EXIT_DONE;
    }
    int code = fail_write(output->path, strerror(errno));
    if (descriptor >= 0) {
        close(descriptor);
        unlink(output->temporary);
    }
    free(output->temporary);
    free(output->target);
    return code;
}

int output_open(struct output *output, const char *path) {
    struct stat found;
    memset(output, 0, sizeof *output);
    output->path = path;
    if (path == NULL) {
        output->file = stdout;
        return EXIT_DONE;
    }
    int exists = stat(path, &found) == 0;
    if (!exists && errno != ENOENT) {
        return fail_write(path, strerror(errno));
    }
    if (!exists || S_ISREG(found.st_mode)) {
        return open_temporary(output, exists ? found.st_mode & 0777 : new_mode());
    }
    output->file = fopen(path, "w");
    return output->file != NULL ? EXIT_DONE : fail_write(path, strerror(errno));
}

int output_write(struct output *output, const char *text) {
    if (output->error == 0 && fputs(text, output->file) == EOF) {
        output->error = errno;
    }
    return output->error == 0;
}

int output_write_numbers(struct output *output, const double *numbers, size_t n, int n_threads) {
    enum { NUMBER_SIZE = 32 };
    char *lines = output->error == 0 ? malloc(n * NUMBER_SIZE) : NULL;
    if (lines == NULL) {
        output->error = output->error == 0 ? ENOMEM : output->error;
        return 0;
    }
    size_t length = mxb_numbers_format(numbers, n, n_threads, lines);
    if (fwrite(lines, 1, length, output->file) != length) {
        output->error = errno;
    }
    free(lines);
    return output->error == 0;
}

int output_close(struct output *output) {
    if (output->error == 0 && fflush(output->file) == EOF) {
        output->error = errno;
    }
    if (output->error == 0 && output->temporary != NULL && fsync(fileno(output->file)) != 0) {
        output->error = errno;
    }
    if (output->path != NULL && fclose(output->file) == EOF && output->error == 0) {
        output->error = errno;
    }
    if (output->error == 0 && output->temporary != NULL && rename(output->temporary, output->target) != 0) {
        output->error = errno;
    }
    if (output->error != 0 && output->temporary != NULL) {
        unlink(output->temporary);
    }
    free(output->temporary);
    free(output->target);
    return output->error == 0 ? EXIT_DONE : fail_write(output->path, strerror(output->error));
}

void output_discard(struct output *output) {
    if (output->path != NULL) {
        fclose(output->file);
    }
    if (output->temporary != NULL) {
        unlink(output->temporary);
    }
    free(output->temporary);
    free(output->target);
}

int output_finish_stdout(void) {
    errno = 0;
    if (fflush(stdout) == EOF || ferror(stdout)) {
        return fail_write(NULL, strerror(errno != 0 ? errno : EIO));
    }
    return EXIT_DONE;
}
