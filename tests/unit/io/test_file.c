/* Whole files: what reads and replaces them, with every system call failing in turn. The source is included so that its
 * system calls can be replaced by ones that fail on request. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* The n-th call from now fails with fault_errno (0 = off), or a transfer moves nothing where that is 0; with
 * fault_short, transfers move one byte at a time. */
static int fault_in;
static int fault_errno;
static int fault_short;
static const char *fault_call; /* the name of the call that failed */
static size_t largest_transfer;

static int fails(const char *call) {
    if (fault_in == 0 || --fault_in != 0) {
        return 0;
    }
    fault_call = call;
    errno = fault_errno;
    return 1;
}

static int faulty_open(const char *path, int flags, mode_t mode) {
    return fails("open") ? -1 : open(path, flags, mode);
}
static int faulty_fsync(int file) { return fails("fsync") ? -1 : fsync(file); }
static int faulty_fchmod(int file, mode_t mode) { return fails("fchmod") ? -1 : fchmod(file, mode); }
static int faulty_rename(const char *from, const char *to) { return fails("rename") ? -1 : rename(from, to); }

static int faulty_close(int file) {
    int result = close(file);
    return fails("close") ? -1 : result;
}

static size_t transfer(size_t n) {
    largest_transfer = n > largest_transfer ? n : largest_transfer;
    return fault_short && n > 1 ? 1 : n;
}

static ssize_t faulty_read(int file, void *to, size_t n) { return fails("read") ? -1 : read(file, to, transfer(n)); }

static ssize_t faulty_write(int file, const void *from, size_t n) {
    return fails("write") ? (fault_errno == 0 ? 0 : -1) : write(file, from, transfer(n));
}

#define OPEN_2(path, flags)       faulty_open(path, flags, 0)
#define OPEN_3(path, flags, mode) faulty_open(path, flags, mode)
#define PICK(a, b, c, name, ...)  name
#define open(...)                 PICK(__VA_ARGS__, OPEN_3, OPEN_2, OPEN_2)(__VA_ARGS__)
#define read                      faulty_read
#define write                     faulty_write
#define fsync                     faulty_fsync
#define fchmod                    faulty_fchmod
#define close                     faulty_close
#define rename                    faulty_rename
#include "base/sync.c"
#include "io/file.c"
#undef open
#undef read
#undef write
#undef fsync
#undef fchmod
#undef close
#undef rename

static char folder[] = "/tmp/mixboost-test-XXXXXX";

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fputs(text, file) == EOF || fclose(file) != 0) {
        check_failed(__FILE__, __LINE__, path);
    }
}

/* Whether the file holds exactly this. */
static int holds(const char *path, const char *text) {
    char *bytes;
    size_t n_bytes;
    mxb_error error;
    if (mxb__file_read(path, &bytes, &n_bytes, &error) != MXB_OK) {
        return 0;
    }
    int same = n_bytes == strlen(text) && memcmp(bytes, text, n_bytes) == 0;
    mxb__free(bytes);
    return same;
}

static int n_files_here(void) {
    FILE *list = popen("ls -A | wc -l", "r");
    int n = -1;
    if (list == NULL || fscanf(list, "%d", &n) != 1) {
        n = -1;
    }
    if (list != NULL) {
        pclose(list);
    }
    return n;
}

static void reads_files_of_any_size(void) {
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t n = sizes[i];
        char *content = malloc(n + 1);
        REQUIRE(content != NULL);
        for (size_t j = 0; j < n; j++) {
            content[j] = (char)(1 + j % 255);
        }
        content[n] = '\0';
        put("sized", content);
        CHECK(holds("sized", content));
        free(content);
    }
    unlink("sized");
}

enum { LINES = 30000 };

/* Reads lines that a child writes. A pipe has no size, gives short reads, and here stands in for standard input. */
static mxb_status read_pipe(char **bytes, size_t *n_bytes, mxb_error *error) {
    int ends[2];
    if (pipe(ends) != 0) {
        return MXB_ERROR_IO;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        FILE *out = fdopen(ends[1], "w");
        for (int i = 0; i < LINES; i++) {
            fprintf(out, "%07d\n", i);
        }
        fclose(out);
        _exit(0);
    }
    close(ends[1]);
    int saved = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    mxb_status status = mxb__file_read("-", bytes, n_bytes, error);
    dup2(saved, STDIN_FILENO); /* and the child writes for nobody */
    close(saved);
    waitpid(child, NULL, 0);
    return status;
}

static void reads_pipes_and_standard_input(void) {
    char *bytes;
    size_t n_bytes;
    mxb_error error;
    OK(read_pipe(&bytes, &n_bytes, &error), error);
    CHECK_INT(n_bytes, LINES * 8);
    CHECK(memcmp(bytes + n_bytes - 8, "0029999\n", 8) == 0);
    mxb__free(bytes);
    for (uint64_t n = 1; n <= 3; n++) { /* 64, 128 and 256 KiB */
        mxb__memory_fail_at(n, 0);
        CHECK_INT(read_pipe(&bytes, &n_bytes, &error), MXB_ERROR_MEMORY);
        mxb__memory_fail_at(0, 0);
        CHECK(bytes == NULL && n_bytes == 0);
    }
}

/* From and to no file, so that nothing is moved. */
static void no_transfer_is_too_large_for_a_system(void) {
    char *volatile bytes = folder;
    size_t n_bytes = (size_t)LARGEST_TRANSFER + 5;
    largest_transfer = 0;
    CHECK_INT(write_all(-1, bytes, n_bytes), EBADF);
    CHECK_INT(largest_transfer, LARGEST_TRANSFER);
    largest_transfer = 0;
    CHECK_INT(read_some(-1, bytes, n_bytes), -1);
    CHECK_INT(largest_transfer, LARGEST_TRANSFER);
}

static void explains_what_cannot_be_read(void) {
    char *bytes;
    size_t n_bytes;
    mxb_error error;
    FAILS(mxb__file_read("x.csv", &bytes, &n_bytes, &error), error, MXB_ERROR_IO,
          "cannot read \"x.csv\": No such file or directory");
    CHECK(bytes == NULL && n_bytes == 0);
    FAILS(mxb__file_read("", &bytes, &n_bytes, &error), error, MXB_ERROR_IO,
          "cannot read \"\": No such file or directory");
    FAILS(mxb__file_read(".", &bytes, &n_bytes, &error), error, MXB_ERROR_IO, "cannot read \".\": Is a directory");
    CHECK(bytes == NULL && n_bytes == 0);
    FAILS(mxb__file_read("a\nb", &bytes, &n_bytes, &error), error, MXB_ERROR_IO,
          "cannot read \"a\\x0ab\": No such file or directory");
    CHECK_INT(mxb__file_read("x.csv", &bytes, &n_bytes, NULL), MXB_ERROR_IO);
    fault_in = 1;
    fault_errno = EIO;
    FAILS(mxb__file_read("-", &bytes, &n_bytes, &error), error, MXB_ERROR_IO,
          "cannot read standard input: Input/output error");
    fault_in = 1;
    fault_errno = 12345; /* which no system has */
    FAILS(mxb__file_read("x.csv", &bytes, &n_bytes, &error), error, MXB_ERROR_IO, "cannot read \"x.csv\": error 12345");
}

/* Root may do anything, so the checks run as another user. */
static void explains_missing_permission(void) {
    mkdir("locked", 0755);
    put("locked/secret", "1");
    chmod("locked/secret", 0);
    chmod("locked", 0555);
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        char *bytes;
        size_t n_bytes;
        mxb_error error;
        check_n_failed = 0;
        if (geteuid() == 0 && seteuid(65534) != 0) {
            _exit(0);
        }
        FAILS(mxb__file_read("locked/secret", &bytes, &n_bytes, &error), error, MXB_ERROR_IO,
              "cannot read \"locked/secret\": Permission denied");
        FAILS(mxb__file_replace("locked/new", "1", 1, &error), error, MXB_ERROR_IO,
              "cannot write \"locked/new\": Permission denied");
        _exit(check_n_failed);
    }
    int result = -1;
    waitpid(child, &result, 0);
    CHECK_INT(result, 0);
    chmod("locked", 0755);
    unlink("locked/secret");
    rmdir("locked");
}

static void read_survives_signals_and_short_reads(void) {
    put("data", "hello");
    fault_short = 1;
    CHECK(holds("data", "hello"));
    fault_short = 0;
    fault_in = 2; /* open, then the first read */
    fault_errno = EINTR;
    CHECK(holds("data", "hello"));
    CHECK_TEXT(fault_call, "read");
    fault_in = 2;
    fault_errno = EIO;
    char *bytes;
    size_t n_bytes;
    mxb_error error;
    FAILS(mxb__file_read("data", &bytes, &n_bytes, &error), error, MXB_ERROR_IO,
          "cannot read \"data\": Input/output error");
    unlink("data");
}

static void read_reports_lack_of_memory(void) {
    char *bytes;
    size_t n_bytes;
    int n;
    put("data", "hello");
    for (n = 1; n < 10; n++) {
        mxb__memory_fail_at((uint64_t)n, 0);
        mxb_status status = mxb__file_read("data", &bytes, &n_bytes, NULL);
        mxb__memory_fail_at(0, 0);
        if (status == MXB_OK) {
            break;
        }
        CHECK_INT(status, MXB_ERROR_MEMORY);
        CHECK(bytes == NULL);
    }
    CHECK_INT(n, 2);
    mxb__free(bytes);
    unlink("data");
}

static void replaces_and_creates(void) {
    mxb_error error;
    struct stat about;
    mode_t mask = umask(027);
    OK(mxb__file_replace("m.mxb", "one", 3, &error), error);
    CHECK(holds("m.mxb", "one"));
    stat("m.mxb", &about);
    CHECK_INT(about.st_mode & 0777, 0640);
    chmod("m.mxb", 0604);
    OK(mxb__file_replace("m.mxb", "second", 6, &error), error);
    CHECK(holds("m.mxb", "second"));
    stat("m.mxb", &about);
    CHECK_INT(about.st_mode & 0777, 0604);
    OK(mxb__file_replace("m.mxb", "", 0, &error), error);
    CHECK(holds("m.mxb", ""));
    fault_short = 1;
    OK(mxb__file_replace("m.mxb", "byte by byte", 12, &error), error);
    fault_short = 0;
    CHECK(holds("m.mxb", "byte by byte"));
    CHECK_INT(n_files_here(), 1);
    unlink("m.mxb");
    umask(mask);
}

static void replaces_the_target_of_a_link(void) {
    mxb_error error;
    struct stat about;
    mkdir("deep", 0755);
    put("deep/real", "old");
    REQUIRE(symlink("deep/real", "link") == 0);
    OK(mxb__file_replace("link", "new", 3, &error), error);
    CHECK(holds("deep/real", "new"));
    CHECK(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
    unlink("link");
    unlink("deep/real");
    CHECK_INT(rmdir("deep"), 0); /* nothing left in it */
}

static void steps_over_a_temporary_file_of_a_crash(void) {
    char stale[64];
    mxb_error error;
    snprintf(stale, sizeof stale, "m.mxb.tmp%ld-0", (long)getpid());
    put(stale, "half");
    OK(mxb__file_replace("m.mxb", "whole", 5, &error), error);
    CHECK(holds("m.mxb", "whole"));
    CHECK(holds(stale, "half"));
    unlink(stale);
    unlink("m.mxb");
}

static void gives_up_where_all_temporary_names_are_taken(void) {
    char stale[64];
    mxb_error error;
    for (int i = 0; i < TEMPORARY_NAMES; i++) {
        snprintf(stale, sizeof stale, "m.mxb.tmp%ld-%d", (long)getpid(), i);
        put(stale, "half");
    }
    FAILS(mxb__file_replace("m.mxb", "whole", 5, &error), error, MXB_ERROR_IO, "cannot write \"m.mxb\": File exists");
    unlink(stale);
    OK(mxb__file_replace("m.mxb", "whole", 5, &error), error);
    CHECK(holds("m.mxb", "whole"));
    for (int i = 0; i < TEMPORARY_NAMES - 1; i++) {
        snprintf(stale, sizeof stale, "m.mxb.tmp%ld-%d", (long)getpid(), i);
        CHECK_INT(unlink(stale), 0);
    }
    unlink("m.mxb");
}

/* A file here, by a name of so many bytes. */
static void check_too_long(size_t n_bytes) {
    char text[PATH_MAX + 10];
    mxb_error error;
    for (size_t i = 0; i < n_bytes; i++) {
        text[i] = i % 2 == 0 ? '.' : '/';
    }
    memcpy(text + n_bytes - 2, "/m", 3);
    CHECK_INT(mxb__file_replace(text, "x", 1, &error), MXB_ERROR_IO);
    CHECK(strstr(error.message, "...\": File name too long") != NULL);
    CHECK_INT(n_files_here(), 0);
}

static void explains_what_cannot_be_written(void) {
    mxb_error error;
    FAILS(mxb__file_replace("nowhere/m.mxb", "x", 1, &error), error, MXB_ERROR_IO,
          "cannot write \"nowhere/m.mxb\": No such file or directory");
    FAILS(mxb__file_replace("", "x", 1, &error), error, MXB_ERROR_IO, "cannot write \"\": No such file or directory");
    FAILS(mxb__file_replace(".", "x", 1, &error), error, MXB_ERROR_IO, "cannot write \".\": Is a directory");
    FAILS(mxb__file_replace("/dev/null", "x", 1, &error), error, MXB_ERROR_IO,
          "cannot write \"/dev/null\": it is a device or a pipe, not a file");
    put("plain", "x");
    FAILS(mxb__file_replace("plain/m.mxb", "x", 1, &error), error, MXB_ERROR_IO,
          "cannot write \"plain/m.mxb\": Not a directory");
    unlink("plain");
    mkdir("-", 0755);
    FAILS(mxb__file_replace("-", "x", 1, &error), error, MXB_ERROR_IO, "cannot write \"-\": Is a directory");
    rmdir("-");
    check_too_long(PATH_MAX - 4); /* without room for the end of a temporary file's name */
    check_too_long(PATH_MAX + 2);
    char text[PATH_MAX + 10];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK_INT(mxb__file_replace(text, "x", 1, &error), MXB_ERROR_IO);
    CHECK(strstr(error.message, "...\": File name too long") != NULL);
    CHECK_INT(n_files_here(), 0);
}

static void a_write_of_nothing_is_a_failure(void) {
    mxb_error error;
    fault_in = 2;
    fault_errno = 0;
    FAILS(mxb__file_replace("m.mxb", "x", 1, &error), error, MXB_ERROR_IO,
          "cannot write \"m.mxb\": Input/output error");
    CHECK_TEXT(fault_call, "write");
    CHECK_INT(n_files_here(), 0);
}

/* Whatever call fails, the old file is whole or the new one is, the sentence is right and no temporary file stays. */
static void every_failing_call_leaves_a_whole_file(void) {
    static const int numbers[] = {ENOSPC, EIO, EINTR};
    static const char *const reasons[] = {"No space left on device", "Input/output error", "Interrupted system call"};
    for (int e = 0; e < 3; e++) {
        int n_calls = 0;
        for (int n = 1;; n++) {
            char expected[128];
            mxb_error error;
            put("m.mxb", "the old one");
            fault_call = NULL;
            fault_errno = numbers[e];
            fault_in = n;
            mxb_status status = mxb__file_replace("m.mxb", "the new one", 11, &error);
            fault_in = 0;
            int may_be_new = status == MXB_OK || strcmp(fault_call, "fsync") == 0 ||
                             (strcmp(fault_call, "open") == 0 && n > 1); /* the folder's */
            CHECK((status != MXB_OK && holds("m.mxb", "the old one")) || (may_be_new && holds("m.mxb", "the new one")));
            CHECK_INT(n_files_here(), 1);
            if (status != MXB_OK) {
                snprintf(expected, sizeof expected, "cannot write \"m.mxb\": %s", reasons[e]);
                CHECK_INT(status, MXB_ERROR_IO);
                CHECK_TEXT(error.message, expected);
            }
            if (fault_call == NULL) {
                CHECK_INT(status, MXB_OK);
                break;
            }
            n_calls++;
            CHECK(numbers[e] == EINTR || status != MXB_OK || n == 9); /* the folder's close says nothing new */
            if (numbers[e] == EINTR && strcmp(fault_call, "open") != 0 && strcmp(fault_call, "fchmod") != 0 &&
                strcmp(fault_call, "rename") != 0) {
                CHECK_INT(status, MXB_OK); /* a signal is no failure */
            }
        }
        /* open fchmod write fsync close rename, open fsync close of the folder; interrupted ones once more */
        CHECK_INT(n_calls, 9);
    }
    unlink("m.mxb");
}

int main(void) {
    if (mkdtemp(folder) == NULL || chmod(folder, 0755) != 0 || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    RUN(reads_files_of_any_size);
    RUN(reads_pipes_and_standard_input);
    RUN(no_transfer_is_too_large_for_a_system);
    RUN(explains_what_cannot_be_read);
    RUN(explains_missing_permission);
    RUN(read_survives_signals_and_short_reads);
    RUN(read_reports_lack_of_memory);
    RUN(replaces_and_creates);
    RUN(replaces_the_target_of_a_link);
    RUN(steps_over_a_temporary_file_of_a_crash);
    RUN(gives_up_where_all_temporary_names_are_taken);
    RUN(explains_what_cannot_be_written);
    RUN(a_write_of_nothing_is_a_failure);
    RUN(every_failing_call_leaves_a_whole_file);
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    return check_report();
}
