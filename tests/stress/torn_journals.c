/* Journals cut by a power cut at every call, on a disk that forgets what was not synchronised: whatever it has, the
 * journal opens with records that were written, without a gap, and with all that were synchronised. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "stress/crash_disk.h"
#include "tune/journal.h"
#include "tune/journal_format.h"

enum { N_RECORDS = 16, SYNCED = 7 };

static char folder[] = "/tmp/mixboost-test-XXXXXX";
static char about[700]; /* longer than a sector */
static unsigned char records[N_RECORDS][JOURNAL_RECORD_SIZE];
static uint64_t n_states;

struct check {
    uint64_t n_refused; /* where nothing was promised yet */
    uint64_t n_broken;
    int is_to_break;
};

static mxb_trial trial_of(size_t i) { return (mxb_trial){.stage = i / 5, .config = 3 * i + 1, .fold = i % 2}; }

static mxb_trial_result result_of(size_t i) {
    mxb_trial_result result = {.status = MXB_OK, .loss = 1.0 / (double)(i + 1), .seconds = 0.25, .n_rounds = i};
    if (i % 3 == 0) {
        result.status = MXB_ERROR_MEMORY;
        snprintf(result.message, sizeof result.message, "out of memory: %zu bytes", i);
    }
    return result;
}

/* Promise 0: the journal is not open yet; 1 + n: n records are on the disk. */
static void check_state(const struct crash_state *state, void *context) {
    struct check *check = context;
    struct journal_contents contents = {0};
    mxb_error error = {""};
    size_t n_good = 0;
    if (!state->exists) {
        check->n_broken += state->promise > 0;
        return;
    }
    mxb_status status = mxb__journal_parse(state->bytes, state->n_bytes, "a.mxj", about, &contents, &n_good, &error);
    if (status != MXB_OK && state->promise == 0) {
        check->n_refused++;
        return;
    }
    int fine = status == MXB_OK && contents.n_records + 1 >= state->promise && contents.n_records <= N_RECORDS;
    for (size_t i = 0; fine && i < contents.n_records; i++) {
        unsigned char bytes[JOURNAL_RECORD_SIZE];
        mxb__journal_encode_record(&contents.records[i].trial, &contents.records[i].result, bytes);
        fine = memcmp(bytes, records[i], sizeof bytes) == 0;
    }
    if (!fine && !check->is_to_break && check->n_broken == 0) {
        fprintf(stderr, "%zu bytes, %zu records of %llu promised: %s\n", state->n_bytes, contents.n_records,
                (unsigned long long)state->promise, error.message);
    }
    check->n_broken += !fine;
    mxb__free(contents.records);
}

static void append_from(struct journal *journal, size_t first, size_t end) {
    mxb_error error = {""};
    for (size_t i = first; i < end; i++) {
        mxb_trial trial = trial_of(i);
        mxb_trial_result result = result_of(i);
        OK(mxb__journal_append(journal, &trial, &result, &error), error);
    }
    OK(mxb__journal_sync(journal, &error), error);
    crash_promise(1 + end);
}

/* A journal of all records, synchronised in the middle and at the end. */
static void write_journal(struct crash_plan plan) {
    struct journal journal;
    struct journal_contents contents;
    mxb_error error = {""};
    unlink("a.mxj");
    crash_begin(plan, NULL);
    OK(mxb__journal_open(&journal, "a.mxj", 0, about, &contents, &error), error);
    crash_promise(1);
    append_from(&journal, 0, SYNCED);
    append_from(&journal, SYNCED, N_RECORDS);
    mxb__journal_close(&journal);
    crash_end();
}

/* One that ends in the middle of a record, gone on with. */
static void resume_journal(struct crash_plan plan) {
    struct journal journal;
    struct journal_contents contents;
    mxb_error error = {""};
    write_journal(plan);
    int fine =
        truncate("a.mxj", (off_t)(JOURNAL_MAGIC_SIZE + 4 + strlen(about) + 8 + 5 * JOURNAL_RECORD_SIZE + 99)) == 0;
    REQUIRE(fine);
    crash_begin(plan, "a.mxj");
    OK(mxb__journal_open(&journal, "a.mxj", 1, about, &contents, &error), error);
    CHECK_INT(contents.n_records, 5);
    mxb__free(contents.records);
    crash_promise(1 + 5);
    append_from(&journal, 5, N_RECORDS);
    mxb__journal_close(&journal);
    crash_end();
}

static struct check tear(void (*write)(struct crash_plan plan), struct crash_plan plan) {
    struct check check = {.is_to_break = plan.drops_file_sync || plan.drops_folder_sync};
    write(plan);
    n_states += crash_visit("a.mxj", check_state, &check);
    return check;
}

static uint64_t n_broken;
static uint64_t n_refused;

static void every_cut_leaves_a_journal_to_go_on_from(void) {
    static void (*const writers[])(struct crash_plan) = {write_journal, resume_journal};
    for (size_t i = 0; i < 2; i++) {
        for (size_t largest = 0; largest <= 100; largest += 100) {
            struct check check = tear(writers[i], (struct crash_plan){.largest_write = largest});
            CHECK_INT(check.n_broken, 0);
            n_broken += check.n_broken;
            n_refused += check.n_refused;
        }
    }
}

/* The checks see what they are there for. */
static void a_missing_sync_is_seen(void) {
    uint64_t before = n_states;
    CHECK(tear(write_journal, (struct crash_plan){.drops_file_sync = 1}).n_broken > 0);
    CHECK(tear(write_journal, (struct crash_plan){.drops_folder_sync = 1}).n_broken > 0);
    n_states = before;
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    for (size_t i = 0; i + 1 < sizeof about; i++) {
        about[i] = i % 40 == 39 ? '\n' : (char)('a' + i % 26);
    }
    for (size_t i = 0; i < N_RECORDS; i++) {
        mxb_trial trial = trial_of(i);
        mxb_trial_result result = result_of(i);
        mxb__journal_encode_record(&trial, &result, records[i]);
    }
    RUN(every_cut_leaves_a_journal_to_go_on_from);
    RUN(a_missing_sync_is_seen);
    crash_begin((struct crash_plan){.n = 0}, NULL); /* frees what was recorded */
    crash_end();
    unlink("a.mxj");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%llu states, %llu broken, %llu without a journal yet\n", (unsigned long long)n_states,
           (unsigned long long)n_broken, (unsigned long long)n_refused);
    return check_report();
}
