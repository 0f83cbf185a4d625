/* The program's own results, every call of whose writing fails, once and for ever after: the exit code says so after
 * one sentence, nothing is left open or behind, and the file is the old one with its permissions or the new one, whole.
 */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/output.h"
#include "stress/faults.h"

enum { N_NUMBERS = 3000, CALLS = FAULT_FILES | 1 << FAULT_ALLOCATE };

static const char OLD[] = "the old one\n", HEADER[] = "prediction\n";
static double numbers[N_NUMBERS];
static char folder[] = "/tmp/mixboost-test-XXXXXX";
static char sentence[512];
static int n_sentences;
static uint64_t n_tried;

/* In place of cli/message.c. */
int fail_data(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    n_sentences++;
    return EXIT_DATA;
}

/* ---- operations ---- */

static int begin(struct output *output, const char *path) {
    int code = output_open(output, path);
    if (code == EXIT_DONE && output_write(output, HEADER)) {
        output_write_numbers(output, numbers, N_NUMBERS, 1);
    }
    return code;
}

static int write_results(const char *path) {
    struct output output;
    int code = begin(&output, path);
    return code == EXIT_DONE ? output_close(&output) : code;
}

static int discard(const char *path) {
    struct output output;
    int code = begin(&output, path);
    if (code == EXIT_DONE) {
        output_discard(&output);
    }
    return code;
}

static int look(const char *path) { return output_check(path, 0); }

static const struct operation {
    const char *name;
    int (*run)(const char *path);
    const char *path;
    const char *file; /* what is replaced; NULL: a pipe */
    int exists;
    unsigned may_fail; /* calls that may fail and nothing be told, as nothing is lost */
    unsigned calls;    /* it makes at least these */
} OPERATIONS[] = {
    {"write over a file", write_results, "out.txt", "out.txt", 1, 0,
     1 << FAULT_ALLOCATE | 1 << FAULT_OPEN | 1 << FAULT_FDOPEN | 1 << FAULT_WRITE | 1 << FAULT_FSYNC |
         1 << FAULT_RENAME | 1 << FAULT_CLOSE | 1 << FAULT_STAT | 1 << FAULT_REALPATH | 1 << FAULT_FCHMOD},
    {"write a new file", write_results, "new.txt", "new.txt", 0, 0, 1 << FAULT_RENAME | 1 << FAULT_STAT},
    {"write through a link", write_results, "link", "in/out.txt", 1, 0, 1 << FAULT_RENAME | 1 << FAULT_REALPATH},
    {"write to a pipe", write_results, "pipe", NULL, 1, 0, 1 << FAULT_OPEN | 1 << FAULT_WRITE | 1 << FAULT_CLOSE},
    {"discard", discard, "out.txt", "out.txt", 1,
     1 << FAULT_WRITE | 1 << FAULT_CLOSE | 1 << FAULT_UNLINK | 1 << FAULT_ALLOCATE, 1 << FAULT_UNLINK},
    {"look before writing", look, "out.txt", "out.txt", 1, 1 << FAULT_STAT, 1 << FAULT_STAT | 1 << FAULT_ALLOCATE},
};

/* ---- the world around each run ---- */

static void empty(const char *path) {
    char name[512];
    DIR *list = opendir(path);
    for (const struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        unlink(name);
    }
    closedir(list);
}

static int put_old(const char *path) {
    FILE *file = fopen(path, "w");
    return file != NULL && fputs(OLD, file) >= 0 && fclose(file) == 0 && chmod(path, 0600) == 0;
}

/* A pipe that somebody reads, so that nobody waits, and the old file twice. */
static int prepare(int *reader) {
    empty("in");
    empty(".");
    int fine = put_old("out.txt") && put_old("in/out.txt") && symlink("in/out.txt", "link") == 0;
    fine = fine && mkfifo("pipe", 0600) == 0;
    *reader = fine ? open("pipe", O_RDWR | O_NONBLOCK) : -1;
    return *reader >= 0;
}

static size_t make_wanted(char *text) {
    size_t n = strlen(HEADER);
    memcpy(text, HEADER, n);
    return n + mxb_numbers_format(numbers, N_NUMBERS, 1, text + n);
}

static int holds(const char *path, const char *text, size_t n) {
    static char found[N_NUMBERS * 32];
    FILE *file = fopen(path, "r");
    size_t n_found = file == NULL ? 0 : fread(found, 1, sizeof found, file);
    return file != NULL && fclose(file) == 0 && n_found == n && memcmp(found, text, n) == 0;
}

static void check_file(const struct operation *operation, int is_new) {
    static char wanted[N_NUMBERS * 32 + sizeof HEADER];
    struct stat about;
    size_t n_wanted = make_wanted(wanted);
    if (operation->file == NULL) {
        CHECK(stat("pipe", &about) == 0 && S_ISFIFO(about.st_mode));
    } else if (is_new || operation->exists) {
        CHECK(is_new ? holds(operation->file, wanted, n_wanted) : holds(operation->file, OLD, strlen(OLD)));
        CHECK(!operation->exists || (stat(operation->file, &about) == 0 && (about.st_mode & 0777) == 0600));
    }
    CHECK(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
}

static void check_sentence(const struct operation *operation, int number) {
    char beginning[64];
    snprintf(beginning, sizeof beginning, "cannot write \"%s\": ", operation->path);
    CHECK_INT(n_sentences, 1);
    CHECK(strcmp(sentence, "out of memory") == 0 ||
          (strncmp(sentence, beginning, strlen(beginning)) == 0 && strstr(sentence, strerror(number)) != NULL));
}

/* 0 when a check failed. */
static int check_run(const struct operation *operation, struct fault_plan plan, struct fault_report *report) {
    int reader;
    int failed_before = check_n_failed;
    if (!prepare(&reader)) {
        check_failed(__FILE__, __LINE__, "cannot prepare the files");
        return 0;
    }
    int n_files = count_entries(".") + count_entries("in"), n_open = count_entries("/proc/self/fd");
    int64_t live = faults_n_live_blocks();
    n_sentences = 0;
    faults_begin(plan);
    int code = operation->run(operation->path);
    *report = faults_end();
    if (code == EXIT_DONE) {
        CHECK_INT(n_sentences, 0);
        CHECK(plan.n == 0 || (operation->may_fail >> report->first & 1u) != 0);
    } else {
        CHECK_INT(code, EXIT_DATA);
        CHECK(plan.n > 0);
        check_sentence(operation, report->first == FAULT_ALLOCATE ? ENOMEM : plan.number);
    }
    CHECK((report->n_failed > 0) == (plan.n > 0));
    CHECK_INT(faults_n_live_blocks(), live);
    CHECK_INT(count_entries("/proc/self/fd"), n_open);
    int is_new = operation->run == write_results && code == EXIT_DONE;
    check_file(operation, is_new);
    n_files += (is_new && !operation->exists) + (int)report->n_unlinks_failed;
    CHECK_INT(count_entries(".") + count_entries("in"), n_files);
    close(reader);
    n_tried++;
    if (check_n_failed > failed_before) {
        fprintf(stderr, "    (%s, call %llu%s, %s: %s)\n", operation->name, (unsigned long long)plan.n,
                plan.for_ever ? " and all after it" : "",
                report->first < FAULT_N_CALLS ? fault_name(report->first) : "none", strerror(plan.number));
    }
    return check_n_failed == failed_before;
}

static void every_call_may_fail(void) {
    static const int reasons[] = {EIO, ENOSPC, ENOMEM};
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof OPERATIONS[0]; i++) {
        const struct operation *operation = &OPERATIONS[i];
        struct fault_report clean;
        struct fault_report report;
        struct fault_plan plan = {.calls = CALLS};
        if (!check_run(operation, plan, &clean)) {
            continue;
        }
        for (int call = 0; call < FAULT_N_CALLS; call++) {
            if ((operation->calls >> call & 1u) != 0 && clean.n_calls[call] == 0) {
                check_failed(__FILE__, __LINE__, fault_name((enum fault_call)call)); /* never seen: is it wrapped? */
            }
        }
        for (size_t r = 0; r < sizeof reasons / sizeof reasons[0]; r++) {
            plan.number = reasons[r];
            for (plan.n = 1; plan.n <= clean.n_counted; plan.n++) {
                for (plan.for_ever = 0; plan.for_ever <= 1; plan.for_ever++) {
                    check_run(operation, plan, &report);
                }
            }
        }
        printf("%-20s %llu calls\n", operation->name, (unsigned long long)clean.n_counted);
    }
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("in", 0700) != 0) {
        perror(folder);
        return 1;
    }
    for (int i = 0; i < N_NUMBERS; i++) {
        numbers[i] = i / 7.0;
    }
    RUN(every_call_may_fail);
    empty("in");
    empty(".");
    if (rmdir("in") != 0 || chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%llu runs\n", (unsigned long long)n_tried);
    return check_report();
}
