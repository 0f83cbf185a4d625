/* Searches in child processes that are killed at random moments, and gone on with from their journals, whose last bytes
 * are sometimes lost too. In the end results and model are those of a search that nobody disturbed.
 *
 *     killed_searches [KILLS] [SEED] */
#define _XOPEN_SOURCE 700
#include "base/bytes.h"
#include "base/clock.h"
#include "stress/journaled_search.h"
#include "stress/killing.h"
#include "tune/journal_format.h"

static const struct search_kind KINDS[] = {
    {"rows, two folds",
     400,
     "20",
     "0",
     0,
     {"n_configs", "16", "eta", "2", "min_resource", "1/8", "n_folds", "2", "n_threads", "1"}},
    {"rows, three threads",
     400,
     "20",
     "3",
     0,
     {"n_configs", "32", "eta", "4", "min_resource", "1/4", "n_threads", "3"}},
    {"rounds, three threads",
     400,
     "40",
     "0",
     1,
     {"n_configs", "27", "eta", "3", "min_resource", "1/9", "resource", "rounds", "n_threads", "3"}},
    {"rounds, two folds, nothing kept",
     400,
     "24",
     "4",
     0,
     {"n_configs", "16", "eta", "2", "min_resource", "1/4", "n_folds", "2", "resource", "rounds", "memory", "0"}},
};
enum { N_KINDS = sizeof KINDS / sizeof KINDS[0], RECORD = JOURNAL_RECORD_SIZE, SECTOR = 512 };

static char folder[] = "/tmp/mixboost-test-XXXXXX";
static size_t n_wanted = 300;
static size_t n_kills;
static size_t n_torn;
static size_t n_searches;
static struct dice dice = {1};

/* In the child: goes on with the search, to its end if it is let. */
static void run_child(const struct journaled_search *search) {
    mxb_error error = {""};
    mxb_status status;
    alarm(PATIENCE);
    mxb_tuner *tuner = disturbed_create(search, "a.mxj", 1, &status, &error);
    if (status == MXB_OK) {
        status = mxb_tuner_run(tuner, NULL, NULL, &error);
    }
    if (status != MXB_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    _exit(status == MXB_OK ? 0 : 1);
}

/* The bytes of the journal. */
struct journal_bytes {
    unsigned char bytes[1 << 16];
    size_t n;
};

static struct journal_bytes load(void) {
    struct journal_bytes journal = {.n = 0};
    FILE *file = fopen("a.mxj", "rb");
    if (file != NULL) {
        journal.n = fread(journal.bytes, 1, sizeof journal.bytes, file);
        fclose(file);
    }
    return journal;
}

/* The bytes up to the end of the last record that is whole, with those before it; 0 where the header is not. */
static size_t find_whole(const struct journal_bytes *journal, size_t n_header) {
    size_t n = journal->n < n_header ? 0 : n_header;
    while (n > 0 && n + RECORD <= journal->n &&
           mxb__load_u64(journal->bytes + n + RECORD - 8) == mxb__crc64(journal->bytes + n, RECORD - 8)) {
        n += RECORD;
    }
    return n;
}

/* Takes some of the last bytes away, or makes them or a sector of them 0, as if the machine had stopped too; none of
 * the first `n_safe`. */
static void tear(struct journal_bytes *journal, size_t n_safe) {
    if (journal->n <= n_safe || n_safe == 0 || dice_below(&dice, 2) == 0) {
        return;
    }
    size_t begin = n_safe + dice_below(&dice, journal->n - n_safe);
    size_t end = journal->n;
    size_t kind = dice_below(&dice, 3);
    if (kind == 0) {
        size_t sector = begin / SECTOR * SECTOR;
        begin = sector > n_safe ? sector : n_safe;
        end = sector + SECTOR < end ? sector + SECTOR : end;
    }
    memset(journal->bytes + begin, 0, end - begin);
    journal->n = kind == 1 ? begin : journal->n;
    FILE *file = fopen("a.mxj", "wb");
    REQUIRE(file != NULL && fwrite(journal->bytes, 1, journal->n, file) == journal->n && fclose(file) == 0);
    n_torn++;
}

/* One search from an empty journal to its end; `seconds`: what it takes undisturbed. */
static void kill_and_resume(const struct journaled_search *search, double seconds, size_t n_header) {
    static struct journal_bytes before;
    static struct journal_bytes now;
    before.n = 0;
    unlink("a.mxj");
    for (int is_done = 0; !is_done;) {
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            run_child(search);
        }
        if (n_kills < n_wanted) {
            sleep_for(seconds * dice_uniform(&dice));
            kill(child, SIGKILL);
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        is_done = WIFEXITED(status);
        REQUIRE(is_done ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
        n_kills += !is_done;
        now = load();
        CHECK(now.n >= before.n && memcmp(now.bytes, before.bytes, before.n) == 0); /* what was there is there */
        if (!is_done) {
            tear(&now, before.n);
        }
        before = now;
        before.n = find_whole(&now, n_header);
    }
    n_searches++;
}

/* The journal has it all, and it is as it should be. */
static void check_end(const struct journaled_search *search) {
    mxb_error error = {""};
    mxb_status status;
    mxb_model *model = NULL;
    size_t size = load().n;
    mxb_tuner *tuner = disturbed_create(search, "a.mxj", 1, &status, &error);
    REQUIRE(tuner != NULL);
    OK(mxb_tuner_start(tuner, &error), error);
    CHECK(mxb_tuner_warning(tuner) == NULL);
    CHECK(same_searches(tuner, search->undisturbed));
    OK(mxb_tune(tuner, NULL, NULL, &model, &error), error);
    CHECK_INT(load().n, size);
    struct model_bytes bytes = bytes_of(model);
    CHECK(same_bytes(bytes, search->model));
    mxb_bytes_free(bytes.bytes);
    mxb_model_free(model);
    mxb_tuner_free(tuner);
}

/* The bytes of a journal before its first record. */
static size_t find_header(const struct journaled_search *search) {
    mxb_error error;
    mxb_status status;
    unlink("a.mxj");
    mxb_tuner *tuner = disturbed_create(search, "a.mxj", 0, &status, &error);
    CHECK(tuner != NULL && mxb_tuner_start(tuner, &error) == MXB_OK);
    mxb_tuner_free(tuner);
    return load().n;
}

static void searches_survive_being_killed(void) {
    for (size_t i = 0; n_kills < n_wanted; i++) {
        struct journaled_search search;
        double began = mxb__seconds_now();
        alarm(PATIENCE); /* of what this process does itself */
        REQUIRE(journaled_open(&search, &KINDS[i % N_KINDS]));
        double seconds = mxb__seconds_now() - began;
        size_t n_header = find_header(&search);
        alarm(0);
        kill_and_resume(&search, seconds, n_header);
        REQUIRE(check_n_failed == 0);
        alarm(PATIENCE);
        check_end(&search);
        journaled_close(&search);
        REQUIRE(check_n_failed == 0);
    }
    alarm(0);
}

int main(int argc, char **argv) {
    n_wanted = argc > 1 ? (size_t)atoi(argv[1]) : n_wanted;
    dice.state = argc > 2 ? (uint64_t)atoi(argv[2]) : dice.state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    RUN(searches_survive_being_killed);
    unlink("a.mxj");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%zu kills in %zu searches, %zu torn journals\n", n_kills, n_searches, n_torn);
    return check_report();
}
