/* Model files that were changed at random, half of them in some bytes, half of them in their structure with checksums
 * put right: each is loaded and, if it is taken for a model, used for everything. None with other bytes alone is taken.
 * The work is done in a child process, so that one that does not survive a file is counted and the next one goes on.
 *
 *     mutated_models COUNT FIRST_SEED FOLDER...
 *
 * A failure names its seed; `mutated_models 1 SEED FOLDER...` repeats it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted_memory.h"
#include "fuzz/use_model.h"
#include "stress/change_model.h"

enum {
    MOST_FILES = 256,
    SECONDS_WORKED = 1, /* that the processors may take for a file */
    SECONDS = 20        /* by the clock, of one that waits */
};

/* What loading and using a file may take of memory: the 4 times are for what is read, the rest for the threads, rows
 * and rounds that it is used with. */
static const size_t BYTES_AT_LEAST = (size_t)8 << 20, A_BYTE = 4;

static struct model_file *files;
static size_t n_files;

/* Shared with the child. */
static struct tally {
    size_t next;          /* the mutant that is being tried */
    size_t n[2];          /* changed in bytes, in structure */
    size_t n_accepted[2]; /* of those changed in bytes none may be */
    size_t n_leaks;
    size_t n_too_large;
    size_t most_bytes; /* that any has taken */
    size_t n_crashes;
    size_t n_hangs;
} * tally;

/* ---- models to change ---- */

static void read_model(const char *path) {
    static struct model_file file;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return;
    }
    file.n = fread(file.bytes, 1, sizeof file.bytes, stream);
    fclose(stream);
    if (n_files + 1 < MOST_FILES && use_bytes(file.bytes, file.n) && edit_possible(file.bytes, file.n)) {
        MUST(file.n <= CHANGE_LARGEST);
        files[n_files++] = file;
    }
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* In the order of their names, so that a seed means the same everywhere. */
static void read_folder(const char *path) {
    static char names[MOST_FILES][256];
    size_t n = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL && n < MOST_FILES;) {
        if (entry->d_name[0] != '.' && strlen(entry->d_name) < sizeof names[0]) {
            strcpy(names[n++], entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    qsort(names, n, sizeof names[0], by_name);
    for (size_t i = 0; i < n; i++) {
        char whole[4096 + sizeof names[0]];
        snprintf(whole, sizeof whole, "%s/%.*s", path, (int)sizeof names[0], names[i]);
        read_model(whole);
    }
}

/* ---- mutants ---- */

/* The file that the seed stands for, and whether its structure was changed. */
static struct model_file *make_mutant(uint64_t seed, int *is_structural) {
    static struct model_file mutant;
    struct dice dice = {seed * 0xD1342543DE82EF95u};
    *is_structural = (int)(seed % 2);
    const struct model_file *origin = &files[dice_below(&dice, n_files)];
    struct model_file *other = &files[dice_below(&dice, n_files)];
    do {
        mutant = *origin;
        if (*is_structural) {
            change_structure(&dice, &mutant, other);
        } else {
            change_bytes(&dice, mutant.bytes, mutant.n);
        }
    } while (mutant.n == origin->n && memcmp(mutant.bytes, origin->bytes, mutant.n) == 0);
    return &mutant;
}

static void try_mutant(uint64_t seed) {
    int is_structural;
    const struct model_file *mutant = make_mutant(seed, &is_structural);
    uint8_t *bytes = malloc(mutant->n); /* of their own size, so that a sanitizer sees the first one read beyond */
    MUST(bytes != NULL);
    memcpy(bytes, mutant->bytes, mutant->n);
    size_t before = most_bytes = live_bytes;
    int is_accepted = use_bytes(bytes, mutant->n);
    free(bytes);
    int is_damaged = is_accepted && !is_structural;
    int leaks = live_bytes != before, is_too_large = most_bytes - before > BYTES_AT_LEAST + A_BYTE * mutant->n;
    tally->n_accepted[is_structural] += (size_t)is_accepted;
    tally->n_leaks += (size_t)leaks;
    tally->n_too_large += (size_t)is_too_large;
    tally->most_bytes = most_bytes - before > tally->most_bytes ? most_bytes - before : tally->most_bytes;
    if (is_damaged || leaks || is_too_large) {
        fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed,
                is_damaged ? "accepted, with wrong checksums"
                : leaks    ? "memory is lost"
                           : "too much memory");
    }
}

/* ---- processes ---- */

/* Of the next file; a process that goes beyond ends by a signal. */
static void limit_time(void) {
    struct itimerval worked = {.it_value = {.tv_sec = SECONDS_WORKED}};
    setitimer(ITIMER_PROF, &worked, NULL);
    alarm(SECONDS);
}

static void run_child(size_t count, uint64_t first) {
    for (; tally->next < count; tally->next++) {
        limit_time();
        try_mutant(first + tally->next);
    }
    _exit(0);
}

static void run(size_t count, uint64_t first) {
    while (tally->next < count) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            run_child(count, first);
        }
        if (child < 0 || waitpid(child, &status, 0) != child) {
            fprintf(stderr, "cannot run a child process\n");
            exit(1);
        }
        if (tally->next < count) {
            int hangs = WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF);
            tally->n_hangs += (size_t)hangs;
            tally->n_crashes += (size_t)!hangs;
            fprintf(stderr, "seed %llu: %s\n", (unsigned long long)(first + tally->next), hangs ? "hangs" : "crashes");
            tally->next++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        tally->n[(first + i) % 2]++;
    }
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: mutated_models COUNT FIRST_SEED FOLDER...\n");
        return 2;
    }
    files = malloc(MOST_FILES * sizeof *files);
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(files != NULL && tally != MAP_FAILED);
    for (int i = 3; i < argc; i++) {
        read_folder(argv[i]);
    }
    MUST(n_files > 0);
    run((size_t)strtoull(argv[1], NULL, 10), (uint64_t)strtoull(argv[2], NULL, 10));
    printf("%zu models; %zu mutants of bytes, %zu accepted; %zu of structure, %zu accepted; at most %zu bytes\n",
           n_files, tally->n[0], tally->n_accepted[0], tally->n[1], tally->n_accepted[1], tally->most_bytes);
    printf("%zu crashes, %zu hangs, %zu leaks, %zu too large\n", tally->n_crashes, tally->n_hangs, tally->n_leaks,
           tally->n_too_large);
    free(files);
    return tally->n_crashes + tally->n_hangs + tally->n_leaks + tally->n_too_large + tally->n_accepted[0] > 0;
}
