/* The journal's file: begun, gone on from, refused; and with every system call failing in turn. The source is
 * included so that its system calls can be replaced by ones that fail on request. */
#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "tune/journal_format.h"

/* The n-th call from now fails with fault_errno (0 = off), or a transfer moves nothing where that is 0; with
 * fault_for_ever so do all after it; with fault_short, transfers move a few bytes at a time. */
static int fault_in;
static int fault_errno;
static int fault_for_ever;
static int fault_short;
static const char *fault_call; /* the name of the call that failed */
static int n_syncs;
static ino_t synced_folder;

static int fails(const char *call) {
    if (fault_in == 0 || (fault_in > 1 && --fault_in > 0)) {
        return 0;
    }
    if (fault_call == NULL) {
        fault_call = call;
    }
    fault_in = fault_for_ever;
    errno = fault_errno;
    return 1;
}

static int faulty_open(const char *path, int flags, mode_t mode) {
    return fails("open") ? -1 : open(path, flags, mode);
}
static int faulty_flock(int file, int operation) { return fails("flock") ? -1 : flock(file, operation); }
static int faulty_ftruncate(int file, off_t n) { return fails("ftruncate") ? -1 : ftruncate(file, n); }

/* Is never interrupted. */
static int faulty_fstat(int file, struct stat *about) {
    return fault_errno != EINTR && fails("fstat") ? -1 : fstat(file, about);
}

static int faulty_fsync(int file) {
    struct stat about;
    n_syncs++;
    synced_folder = fstat(file, &about) == 0 && S_ISDIR(about.st_mode) ? about.st_ino : synced_folder;
    return fails("fsync") ? -1 : fsync(file);
}

static ssize_t faulty_read(int file, void *to, size_t n) {
    return fails("read") ? (fault_errno == 0 ? 0 : -1) : read(file, to, fault_short && n > 7 ? 7 : n);
}

static ssize_t faulty_pwrite(int file, const void *from, size_t n, off_t at) {
    if (fails("pwrite")) { /* not without having begun */
        int number = errno;
        CHECK(pwrite(file, from, n / 2, at) >= 0);
        errno = number;
        return number == 0 ? 0 : -1;
    }
    return pwrite(file, from, fault_short && n > 7 ? 7 : n, at);
}

#undef _DEFAULT_SOURCE /* the source defines it */
#define OPEN_2(path, flags)       faulty_open(path, flags, 0)
#define OPEN_3(path, flags, mode) faulty_open(path, flags, mode)
#define PICK(a, b, c, name, ...)  name
#define open(...)                 PICK(__VA_ARGS__, OPEN_3, OPEN_2, OPEN_2)(__VA_ARGS__)
#define read                      faulty_read
#define pwrite                    faulty_pwrite
#define fsync                     faulty_fsync
#define flock                     faulty_flock
#define fstat                     faulty_fstat
#define ftruncate                 faulty_ftruncate
#include "base/sync.c"
#include "tune/journal_file.c"
#undef open
#undef read
#undef pwrite
#undef fsync
#undef flock
#undef fstat
#undef ftruncate

static const char ABOUT[] = "data 1\neta 4\n";
enum { N_HEADER = JOURNAL_MAGIC_SIZE + 4 + sizeof ABOUT - 1 + 8 };

static char folder[] = "/tmp/mixboost-test-XXXXXX";
static mxb_error error;

static mxb_trial trial_of(size_t i) { return (mxb_trial){.stage = 1, .config = i, .fold = i % 2}; }
static mxb_trial_result result_of(size_t i) { return (mxb_trial_result){.loss = 0.5 + (double)i, .n_rounds = i}; }

static mxb_status add(struct journal *journal, size_t i) {
    mxb_trial trial = trial_of(i);
    mxb_trial_result result = result_of(i);
    return mxb__journal_append(journal, &trial, &result, &error);
}

/* How many records the file has if they are numbers 0, 1, 2 ...; -1 if they are not, -2 where it cannot be read, and
 * -3 where its end is damaged. The file is as it was. */
static int count(const char *path) {
    struct journal_contents contents;
    unsigned char bytes[1 << 14];
    size_t n_good;
    FILE *file = fopen(path, "rb");
    size_t n = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file != NULL) {
        fclose(file);
    }
    if (file == NULL || mxb__journal_parse(bytes, n, path, ABOUT, &contents, &n_good, &error) != MXB_OK) {
        return -2;
    }
    int n_records = contents.warning[0] != '\0' ? -3 : (int)contents.n_records;
    for (size_t i = 0; i < contents.n_records; i++) {
        const struct journal_record *record = &contents.records[i];
        if (record->trial.stage != 1 || record->trial.config != i || record->result.loss != 0.5 + (double)i) {
            n_records = -1;
        }
    }
    mxb__free(contents.records);
    return n_records;
}

static size_t size_of(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? (size_t)about.st_size : SIZE_MAX;
}

static mxb_status open_new(struct journal *journal, const char *path, int resume) {
    struct journal_contents contents;
    mxb_status status = mxb__journal_open(journal, path, resume, ABOUT, &contents, &error);
    CHECK(status != MXB_OK || contents.n_records == 0);
    CHECK(status == MXB_OK || (contents.records == NULL && journal->file == -1 && journal->path == NULL));
    mxb__free(contents.records);
    return status;
}

/* A journal with so many records, closed. */
static void make(const char *path, size_t n) {
    struct journal journal;
    unlink(path);
    OK(open_new(&journal, path, 0), error);
    for (size_t i = 0; i < n; i++) {
        OK(add(&journal, i), error);
    }
    mxb__journal_close(&journal);
}

/* ---- opening ---- */

static void begins_and_goes_on(void) {
    struct journal journal;
    struct journal_contents contents;
    struct stat about;
    mode_t mask = umask(027);
    make("a.mxj", 1);
    CHECK(stat("a.mxj", &about) == 0 && (about.st_mode & 0777) == 0640);
    umask(mask);
    for (int i = 0; i < 4; i++) { /* one that is missing or empty is begun either way */
        REQUIRE(i < 2 ? unlink("a.mxj") == 0 : truncate("a.mxj", 0) == 0);
        OK(open_new(&journal, "a.mxj", i % 2), error);
        CHECK_INT(size_of("a.mxj"), N_HEADER);
        for (size_t k = 0; k < 5; k++) {
            OK(add(&journal, k), error);
            CHECK_INT(count("a.mxj"), k + 1); /* before it is closed */
        }
        mxb__journal_close(&journal);
        CHECK(journal.file == -1 && mxb__journal_sync(&journal, &error) == MXB_OK);
    }
    FAILS(mxb__journal_open(&journal, "a.mxj", 0, ABOUT, &contents, &error), error, MXB_ERROR_IO,
          "cannot begin the journal \"a.mxj\": it is there already; resume to go on from it, or remove it");
    CHECK_INT(count("a.mxj"), 5);
    OK(mxb__journal_open(&journal, "a.mxj", 1, ABOUT, &contents, &error), error);
    CHECK_INT(contents.n_records, 5);
    CHECK_INT(contents.records[4].trial.config, 4);
    CHECK_TEXT(contents.warning, "");
    mxb__free(contents.records);
    OK(add(&journal, 5), error);
    mxb__journal_close(&journal);
    CHECK_INT(count("a.mxj"), 6);
    CHECK(truncate("a.mxj", 1) == 0 && open_new(&journal, "a.mxj", 0) == MXB_ERROR_IO && size_of("a.mxj") == 1);
    CHECK(strstr(error.message, "it is there already") != NULL);
}

/* Cut to every length: what is whole stays, the rest goes, and what follows is where it belongs. */
static void a_damaged_end_is_cut_off_the_file(void) {
    struct journal journal;
    struct journal_contents contents;
    for (size_t n = 1; n < N_HEADER + 3 * JOURNAL_RECORD_SIZE; n += n < 2 * N_HEADER ? 1 : 29) {
        make("a.mxj", 3);
        REQUIRE(truncate("a.mxj", (off_t)n) == 0);
        size_t n_whole = n < N_HEADER ? 0 : (n - N_HEADER) / JOURNAL_RECORD_SIZE;
        OK(mxb__journal_open(&journal, "a.mxj", 1, ABOUT, &contents, &error), error);
        CHECK_INT(contents.n_records, n_whole);
        CHECK_INT(size_of("a.mxj"), N_HEADER + n_whole * JOURNAL_RECORD_SIZE);
        CHECK((contents.warning[0] == '\0') == (n >= N_HEADER && (n - N_HEADER) % JOURNAL_RECORD_SIZE == 0));
        mxb__free(contents.records);
        for (size_t i = n_whole; i < 4; i++) {
            OK(add(&journal, i), error);
        }
        mxb__journal_close(&journal);
        CHECK_INT(count("a.mxj"), 4);
    }
}

static void other_journals_stay_as_they_are(void) {
    static const char other[] = "data 2\neta 4\n";
    struct journal journal;
    struct journal_contents contents;
    make("a.mxj", 2);
    FAILS(mxb__journal_open(&journal, "a.mxj", 1, other, &contents, &error), error, MXB_ERROR_PARAM,
          "the journal \"a.mxj\" is of another search: it has \"data 1\", this one \"data 2\"");
    CHECK(contents.records == NULL && journal.file == -1);
    CHECK_INT(count("a.mxj"), 2);
    FILE *file = fopen("notes.txt", "w");
    REQUIRE(file != NULL && fputs("what I did today\n", file) >= 0 && fclose(file) == 0);
    FAILS(mxb__journal_open(&journal, "notes.txt", 1, ABOUT, &contents, &error), error, MXB_ERROR_FORMAT,
          "the journal \"notes.txt\" is no journal of this version");
    CHECK_INT(size_of("notes.txt"), 17);
    unlink("notes.txt");
}

static void what_is_no_file_is_refused(void) {
    static const struct {
        const char *path;
        const char *sentence;
    } cases[] = {
        {".", "cannot open the journal \".\": Is a directory"},
        {"/dev/null", "cannot use the journal \"/dev/null\": it is not a file"},
        {"pipe", "cannot use the journal \"pipe\": it is not a file"},
        {"no/a.mxj", "cannot open the journal \"no/a.mxj\": No such file or directory"},
        {"a.mxj/b", "cannot open the journal \"a.mxj/b\": Not a directory"},
        {"", "cannot open the journal \"\": No such file or directory"},
        {"loop", "cannot open the journal \"loop\": Too many levels of symbolic links"},
    };
    struct journal journal;
    make("a.mxj", 1);
    REQUIRE(mkfifo("pipe", 0600) == 0 && symlink("loop", "loop") == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int resume = 0; resume <= 1; resume++) {
            FAILS(open_new(&journal, cases[i].path, resume), error, MXB_ERROR_IO, cases[i].sentence);
        }
    }
    unlink("pipe");
    unlink("loop");
}

/* Of a process that has closed its standard input. */
static void its_descriptor_may_be_0(void) {
    struct journal journal;
    int standard_input = dup(STDIN_FILENO);
    REQUIRE(standard_input > 0 && close(STDIN_FILENO) == 0);
    unlink("a.mxj");
    CHECK_INT(open_new(&journal, "a.mxj", 0), MXB_OK);
    CHECK_INT(journal.file, 0);
    CHECK_INT(add(&journal, 0), MXB_OK);
    CHECK_INT(mxb__journal_sync(&journal, &error), MXB_OK);
    mxb__journal_close(&journal);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) < 0 && count("a.mxj") == 1);
    CHECK(dup2(standard_input, STDIN_FILENO) == STDIN_FILENO && close(standard_input) == 0);
}

/* ---- failing calls ---- */

static void fail_at(int n, int number, int for_ever) {
    fault_in = n;
    fault_errno = number;
    fault_for_ever = for_ever;
    fault_call = NULL;
}

/* `n`: the how many-th call failed. Of those to open, all but the first are for the folder. */
static void check_refused(const char *call, int n, int number) {
    static const char *const verbs[][2] = {{"open", "open"}, {"flock", "lock"}, {"fstat", "read"}, {"read", "read"}};
    const char *verb = "write";
    char sentence[128];
    REQUIRE(call != NULL && number != EINTR);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        int is_it = strcmp(verbs[i][0], call) == 0 && (i > 0 || n == 1);
        verb = is_it ? verbs[i][1] : verb;
    }
    snprintf(sentence, sizeof sentence, "cannot %s the journal \"a.mxj\": %s", verb, strerror(number));
    CHECK_TEXT(error.message, sentence);
}

/* Opens a new journal, or one with a damaged end, with each call failing in turn: the next one to try has it all. */
static void fail_openings(int is_new, int number, int for_ever) {
    for (int n = 1;; n++) {
        struct journal journal;
        struct journal_contents contents;
        make("a.mxj", 2);
        REQUIRE(is_new ? unlink("a.mxj") == 0 : truncate("a.mxj", N_HEADER + JOURNAL_RECORD_SIZE + 50) == 0);
        fail_at(n, number, for_ever);
        mxb_status status = mxb__journal_open(&journal, "a.mxj", 1, ABOUT, &contents, &error);
        const char *call = fault_call;
        fail_at(0, 0, 0);
        mxb__free(contents.records);
        if (status == MXB_OK) {
            CHECK(call == NULL || number == EINTR);
            mxb__journal_close(&journal);
            CHECK_INT(count("a.mxj"), is_new ? 0 : 1);
        } else {
            CHECK(contents.records == NULL && contents.n_records == 0);
            check_refused(call, n, number);
        }
        if (call == NULL) {
            CHECK(n > (number == EINTR ? 4 : 5));
            return;
        }
        OK(mxb__journal_open(&journal, "a.mxj", 1, ABOUT, &contents, &error), error);
        CHECK_INT(contents.n_records, is_new ? 0 : 1);
        mxb__free(contents.records);
        mxb__journal_close(&journal);
    }
}

static void every_call_of_an_opening_may_fail(void) {
    static const int numbers[] = {EIO, ENOSPC, EINTR};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        for (int is_new = 0; is_new <= 1; is_new++) {
            fail_openings(is_new, numbers[i], 0);
            if (numbers[i] != EINTR) {
                fail_openings(is_new, numbers[i], 1);
            }
        }
    }
}

/* A write, and the cut after it, that fail are made good by the next that do not; what failed never counts. */
static void an_append_that_fails_leaves_the_journal_as_it_was(void) {
    static const struct {
        int number;
        int n_failures; /* calls one after the other */
        int syncs;
    } cases[] = {{ENOSPC, 1, 0}, {EIO, 1, 0}, {ENOSPC, 2, 0}, {EDQUOT, 2, 0}, {EIO, 1, 1}, {EIO, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct journal journal;
        char sentence[128];
        unlink("a.mxj");
        OK(open_new(&journal, "a.mxj", 0), error);
        OK(add(&journal, 0), error);
        if (cases[i].syncs) { /* long ago */
            journal.synced_at = -1e6;
        }
        fail_at(cases[i].syncs ? 2 : 1, cases[i].number, cases[i].n_failures > 1);
        snprintf(sentence, sizeof sentence, "cannot write the journal \"a.mxj\": %s", strerror(cases[i].number));
        FAILS(add(&journal, 1), error, MXB_ERROR_IO, sentence);
        CHECK_TEXT(fault_call, cases[i].syncs ? "fsync" : "pwrite");
        fail_at(0, 0, 0);
        if (cases[i].n_failures == 1) {
            CHECK_INT(count("a.mxj"), 1);
        }
        OK(add(&journal, 1), error); /* with room again */
        CHECK_INT(count("a.mxj"), 2);
        OK(add(&journal, 2), error);
        mxb__journal_close(&journal);
        CHECK_INT(count("a.mxj"), 3);
    }
}

static void a_transfer_of_nothing_is_a_failure(void) {
    struct journal journal;
    make("a.mxj", 2);
    fail_at(5, 0, 0); /* the read */
    FAILS(open_new(&journal, "a.mxj", 1), error, MXB_ERROR_IO, "cannot read the journal \"a.mxj\": it became shorter");
    unlink("a.mxj");
    fail_at(0, 0, 0);
    OK(open_new(&journal, "a.mxj", 0), error);
    fail_at(1, 0, 0);
    FAILS(add(&journal, 0), error, MXB_ERROR_IO, "cannot write the journal \"a.mxj\": Input/output error");
    fail_at(0, 0, 0);
    OK(add(&journal, 0), error);
    mxb__journal_close(&journal);
    CHECK_INT(count("a.mxj"), 1);
}

static void an_unknown_reason_is_told_by_its_number(void) {
    struct journal journal;
    fail_at(1, 12345, 0);
    FAILS(open_new(&journal, "a.mxj", 1), error, MXB_ERROR_IO, "cannot open the journal \"a.mxj\": error 12345");
    fail_at(0, 0, 0);
}

static void interruptions_and_short_transfers_change_nothing(void) {
    struct journal journal;
    struct journal_contents contents;
    unlink("a.mxj");
    fault_short = 1;
    OK(open_new(&journal, "a.mxj", 0), error);
    for (size_t i = 0; i < 4; i++) {
        fail_at((int)i + 1, EINTR, 0);
        journal.synced_at = i % 2 == 0 ? -1e6 : journal.synced_at;
        OK(add(&journal, i), error);
    }
    fail_at(0, 0, 0);
    mxb__journal_close(&journal);
    CHECK_INT(count("a.mxj"), 4);
    OK(mxb__journal_open(&journal, "a.mxj", 1, ABOUT, &contents, &error), error);
    CHECK_INT(contents.n_records, 4);
    mxb__free(contents.records);
    mxb__journal_close(&journal);
    fault_short = 0;
}

static void the_disk_is_waited_for_once_a_second(void) {
    struct journal journal;
    unlink("a.mxj");
    n_syncs = 0;
    OK(open_new(&journal, "a.mxj", 0), error);
    CHECK_INT(n_syncs, 2);    /* the file and its folder */
    journal.synced_at += 1e6; /* not for a long time */
    OK(add(&journal, 0), error);
    CHECK_INT(n_syncs, 2);
    journal.synced_at = mxb__seconds_now() - 1e6;
    OK(add(&journal, 1), error);
    CHECK_INT(n_syncs, 3);
    CHECK(mxb__seconds_now() - journal.synced_at < 1e5);
    journal.synced_at = mxb__seconds_now() - 1.01;
    OK(add(&journal, 2), error);
    CHECK_INT(n_syncs, 4);
    OK(mxb__journal_sync(&journal, &error), error);
    CHECK_INT(n_syncs, 5);
    fail_at(1, EIO, 0);
    FAILS(mxb__journal_sync(&journal, &error), error, MXB_ERROR_IO,
          "cannot write the journal \"a.mxj\": Input/output error");
    fail_at(0, 0, 0);
    mxb__journal_close(&journal);
    CHECK_INT(count("a.mxj"), 3);
}

/* So that a power cut does not take the file's name. */
static void the_folder_is_waited_for(void) {
    struct journal journal;
    struct stat here;
    struct stat there;
    REQUIRE(mkdir("there", 0700) == 0 && symlink("there/a.mxj", "link") == 0);
    REQUIRE(stat(".", &here) == 0 && stat("there", &there) == 0);
    const struct {
        const char *path;
        ino_t folder;
    } cases[] = {{"b.mxj", here.st_ino}, {"there/a.mxj", there.st_ino}, {"link", there.st_ino}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        synced_folder = 0;
        OK(open_new(&journal, cases[i].path, 1), error);
        CHECK(synced_folder == cases[i].folder);
        mxb__journal_close(&journal);
    }
    CHECK(unlink("b.mxj") == 0 && unlink("there/a.mxj") == 0 && unlink("link") == 0 && rmdir("there") == 0);
}

static void out_of_memory(void) {
    make("a.mxj", 2);
    for (uint64_t n = 1;; n++) {
        struct journal journal;
        struct journal_contents contents;
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb__journal_open(&journal, "a.mxj", 1, ABOUT, &contents, &error);
        mxb__memory_fail_at(0, 0);
        if (status == MXB_OK) {
            CHECK(n >= 3);
            mxb__free(contents.records);
            mxb__journal_close(&journal);
            break;
        }
        CHECK_INT(status, MXB_ERROR_MEMORY);
        CHECK_INT(count("a.mxj"), 2);
    }
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    RUN(begins_and_goes_on);
    RUN(a_damaged_end_is_cut_off_the_file);
    RUN(other_journals_stay_as_they_are);
    RUN(what_is_no_file_is_refused);
    RUN(its_descriptor_may_be_0);
    RUN(every_call_of_an_opening_may_fail);
    RUN(an_append_that_fails_leaves_the_journal_as_it_was);
    RUN(a_transfer_of_nothing_is_a_failure);
    RUN(an_unknown_reason_is_told_by_its_number);
    RUN(interruptions_and_short_transfers_change_nothing);
    RUN(the_disk_is_waited_for_once_a_second);
    RUN(the_folder_is_waited_for);
    RUN(out_of_memory);
    unlink("a.mxj");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    return check_report();
}
