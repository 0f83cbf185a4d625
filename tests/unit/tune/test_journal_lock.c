/* A journal is one run's at a time: locked against other runs of this and of other processes, until it is closed or its
 * process is gone, whatever processes were forked meanwhile. Also files that are nobody's to use. */
#define _DEFAULT_SOURCE /* flock */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "tune/journal.h"

static const char IN_USE[] = "cannot use the journal \"a.mxj\": another run is using it";

static char folder[] = "/tmp/mixboost-test-XXXXXX";
static mxb_error error;

static mxb_status open_it(struct journal *journal) {
    struct journal_contents contents;
    mxb_status status = mxb__journal_open(journal, "a.mxj", 1, "data 1\n", &contents, &error);
    mxb__free(contents.records);
    return status;
}

/* Whether a child's checks held. */
static int is_fine(pid_t child) {
    int status = 1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void one_run_at_a_time_uses_it(void) {
    struct journal journal;
    struct journal second;
    OK(open_it(&journal), error);
    FAILS(open_it(&second), error, MXB_ERROR_IO, IN_USE);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        FAILS(open_it(&second), error, MXB_ERROR_IO, IN_USE);
        _exit(check_n_failed > 0);
    }
    CHECK(is_fine(child));
    mxb__journal_close(&journal);
    OK(open_it(&second), error);
    mxb__journal_close(&second);
    mxb__journal_close(&second); /* again does no harm */
}

static void a_lock_dies_with_its_process(void) {
    struct journal journal;
    int ends[2];
    char ready;
    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ready = open_it(&journal) == MXB_OK ? 'y' : 'n';
        if (write(ends[1], &ready, 1) == 1) {
            pause();
        }
        _exit(1);
    }
    CHECK(read(ends[0], &ready, 1) == 1 && ready == 'y');
    FAILS(open_it(&journal), error, MXB_ERROR_IO, IN_USE);
    kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
    OK(open_it(&journal), error);
    mxb__journal_close(&journal);
    close(ends[0]);
    close(ends[1]);
}

/* It has the file open, and does nothing with it. */
static void a_forked_process_keeps_no_lock(void) {
    struct journal journal;
    OK(open_it(&journal), error);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        pause();
        _exit(1);
    }
    FAILS(open_it(&(struct journal){0}), error, MXB_ERROR_IO, IN_USE);
    mxb__journal_close(&journal);
    OK(open_it(&journal), error);
    mxb__journal_close(&journal);
    kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
}

/* It closes its own copy, as when it frees all it has, and the lock stays. */
static void a_forked_process_takes_no_lock_away(void) {
    struct journal journal;
    OK(open_it(&journal), error);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        mxb__journal_close(&journal);
        exit(0); /* and not at once, so that what it came to is counted */
    }
    CHECK(is_fine(child));
    FAILS(open_it(&(struct journal){0}), error, MXB_ERROR_IO, IN_USE);
    mxb__journal_close(&journal);
}

/* A device is refused as such, whoever has locked it. */
static void a_device_is_not_locked(void) {
    struct journal journal;
    struct journal_contents contents;
    int device = open("/dev/null", O_RDWR);
    REQUIRE(device >= 0);
    flock(device, LOCK_EX | LOCK_NB); /* which another program may have done */
    FAILS(mxb__journal_open(&journal, "/dev/null", 1, "data 1\n", &contents, &error), error, MXB_ERROR_IO,
          "cannot use the journal \"/dev/null\": it is not a file");
    CHECK_INT(close(device), 0);
}

/* In a child that nothing is allowed to, also where the test runs as root. */
static void without_permission_it_is_refused(void) {
    struct journal journal;
    OK(open_it(&journal), error);
    mxb__journal_close(&journal);
    REQUIRE(chmod("a.mxj", 0) == 0 && chmod(".", 0755) == 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) {
            _exit(2);
        }
        FAILS(open_it(&journal), error, MXB_ERROR_IO, "cannot open the journal \"a.mxj\": Permission denied");
        _exit(check_n_failed > 0);
    }
    CHECK(is_fine(child));
    CHECK(chmod("a.mxj", 0600) == 0);
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    RUN(one_run_at_a_time_uses_it);
    RUN(a_lock_dies_with_its_process);
    RUN(a_forked_process_keeps_no_lock);
    RUN(a_forked_process_takes_no_lock_away);
    RUN(a_device_is_not_locked);
    RUN(without_permission_it_is_refused);
    unlink("a.mxj");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    return check_report();
}
