/* Waiting for the disk, with every system call failing in turn. The source is included so that its system calls can be
 * replaced by ones that fail on request. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static int open_errno;  /* 0: opening does not fail */
static int open_fails;  /* so many times */
static int fsync_errno; /* of the next call; 0: it does not fail */
static int n_syncs;
static ino_t synced; /* what was synchronised last */

static int faulty_open(const char *path, int flags) {
    errno = open_errno;
    return open_errno != 0 && open_fails-- > 0 ? -1 : open(path, flags);
}

static int faulty_fsync(int file) {
    struct stat about;
    synced = fstat(file, &about) == 0 ? about.st_ino : 0;
    n_syncs++;
    errno = fsync_errno;
    fsync_errno = 0;
    return errno != 0 ? -1 : fsync(file);
}

#define open  faulty_open
#define fsync faulty_fsync
#include "base/sync.c"
#undef open
#undef fsync

static char folder[] = "/tmp/mixboost-test-XXXXXX";

static ino_t inode_of(const char *path) {
    struct stat about = {0};
    CHECK(stat(path, &about) == 0);
    return about.st_ino;
}

static void put(const char *path) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fclose(file) == 0);
}

static void a_file_is_synchronised(void) {
    put("a");
    int file = open("a", O_RDWR);
    REQUIRE(file >= 0);
    CHECK_INT(mxb__sync_file(file), 0);
    CHECK(synced == inode_of("a"));
    fsync_errno = EIO;
    CHECK_INT(mxb__sync_file(file), EIO);
    n_syncs = 0;
    fsync_errno = EINTR;
    CHECK_INT(mxb__sync_file(file), 0);
    CHECK_INT(n_syncs, 2); /* an interrupted one again */
    close(file);
    CHECK_INT(mxb__sync_file(file), EBADF);
    unlink("a");
}

static void the_folder_is_that_of_the_name(void) {
    char whole[128];
    REQUIRE(mkdir("in", 0700) == 0 && symlink("in/a", "link") == 0);
    put("a");
    put("in/a");
    snprintf(whole, sizeof whole, "%s/in/a", folder);
    const struct {
        const char *path;
        const char *folder;
    } cases[] = {{"a", "."}, {"./a", "."}, {"in/a", "in"}, {"in/../a", "."}, {"link", "."}, {whole, "in"}, {"/", "/"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        synced = 0;
        CHECK_INT(mxb__sync_folder_of(cases[i].path), 0);
        CHECK(synced == inode_of(cases[i].folder));
    }
    synced = 0;
    CHECK_INT(mxb__sync_folder_of("/tmp"), 0);
    CHECK(synced == inode_of("/"));
    CHECK(unlink("a") == 0 && unlink("in/a") == 0 && unlink("link") == 0 && rmdir("in") == 0);
}

static void failures_are_told_where_there_is_a_way(void) {
    put("a");
    fsync_errno = EIO;
    CHECK_INT(mxb__sync_folder_of("a"), EIO);
    fsync_errno = EINVAL; /* some file systems have no such thing for folders */
    CHECK_INT(mxb__sync_folder_of("a"), 0);
    char long_path[PATH_MAX + 2];
    memset(long_path, '/', PATH_MAX);
    strcpy(long_path + PATH_MAX, "a");
    n_syncs = 0;
    CHECK_INT(mxb__sync_folder_of(long_path), ENAMETOOLONG);
    CHECK_INT(mxb__sync_folder_of(long_path + 1), 0);
    CHECK_INT(mxb__sync_folder_of("not there/a"), ENOENT);
    CHECK_INT(n_syncs, 1);
    n_syncs = 0;
    open_errno = EACCES; /* one may write into a folder that one may not read */
    open_fails = 1;
    CHECK_INT(mxb__sync_folder_of("a"), 0);
    open_errno = EMFILE;
    open_fails = 1;
    CHECK_INT(mxb__sync_folder_of("a"), EMFILE);
    CHECK_INT(n_syncs, 0);
    open_errno = EINTR;
    open_fails = 2;
    CHECK_INT(mxb__sync_folder_of("a"), 0);
    CHECK_INT(n_syncs, 1);
    open_errno = 0;
    unlink("a");
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    RUN(a_file_is_synchronised);
    RUN(the_folder_is_that_of_the_name);
    RUN(failures_are_told_where_there_is_a_way);
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    return check_report();
}
