/* Searches with a journal whose every allocation and system call fails, once and for ever after: a status that says so,
 * or trials recorded as failed, nothing left behind; and a journal that is gone on from, by the same tuner and by a new
 * one, to what it would have come to.
 *
 *     failing_searches [EVERY]     of the allocations every so many-th fails in turn */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <unistd.h>

#include "stress/faults.h"
#include "stress/journaled_search.h"

static const struct search_kind KINDS[] = {
    {"rows", 60, "6", "0", 0, {"n_configs", "4", "eta", "2", "min_resource", "1/2", "n_folds", "2", "n_threads", "1"}},
    {"rounds",
     60,
     "8",
     "2",
     1,
     {"n_configs", "4", "eta", "2", "min_resource", "1/4", "resource", "rounds", "n_threads", "1"}},
    {"rows, three workers", 60, "6", "0", 0, {"n_configs", "6", "eta", "2", "min_resource", "1/2", "n_threads", "3"}},
};
enum { N_KINDS = sizeof KINDS / sizeof KINDS[0] };

static char folder[] = "/tmp/mixboost-test-XXXXXX";
static uint64_t n_tried;
static uint64_t every = 1;

/* ---- what came of a search ---- */

/* Trials that are done but failed, all of them for want of memory. */
static size_t count_failed(const mxb_tuner *tuner) {
    size_t n_failed = 0;
    for (size_t stage = 0; stage < mxb_tuner_n_stages(tuner); stage++) {
        for (size_t i = 0; i < mxb_tuner_stage_size(tuner, stage) * mxb_tuner_n_folds(tuner); i++) {
            mxb_trial trial = {.stage = stage,
                               .config = mxb_tuner_stage_config(tuner, stage, i / mxb_tuner_n_folds(tuner)),
                               .fold = i % mxb_tuner_n_folds(tuner)};
            mxb_trial_result result;
            if (trial.config != SIZE_MAX && mxb_tuner_result(tuner, &trial, &result) && result.status != MXB_OK) {
                CHECK_INT(result.status, MXB_ERROR_MEMORY);
                CHECK(strstr(result.message, "out of memory") != NULL);
                n_failed++;
            }
        }
    }
    return n_failed;
}

/* Every trial of the first stage that did not fail is as it should be. */
static void check_first_stage(const mxb_tuner *tuner, const mxb_tuner *undisturbed) {
    for (size_t i = 0; i < mxb_tuner_stage_size(tuner, 0) * mxb_tuner_n_folds(tuner); i++) {
        mxb_trial trial = {.config = i / mxb_tuner_n_folds(tuner), .fold = i % mxb_tuner_n_folds(tuner)};
        mxb_trial_result result;
        mxb_trial_result wanted;
        CHECK(mxb_tuner_result(undisturbed, &trial, &wanted));
        if (mxb_tuner_result(tuner, &trial, &result) && result.status == MXB_OK) {
            CHECK(same_result(&result, &wanted));
        }
    }
}

/* A search that is done, with its model. */
static void check_done(const mxb_tuner *tuner, const struct journaled_search *search) {
    check_first_stage(tuner, search->undisturbed);
    if (count_failed(tuner) == 0) {
        struct model_bytes bytes = refit_bytes(tuner);
        CHECK(same_searches(tuner, search->undisturbed));
        CHECK(same_bytes(bytes, search->model));
        mxb_bytes_free(bytes.bytes);
    }
}

/* Where all failed that stays so: it is in the journal. */
static int is_hopeless(mxb_status status, const mxb_error *error) {
    return status == MXB_ERROR_MEMORY && strstr(error->message, "all configurations failed; the first: ") != NULL;
}

/* A new tuner, with what the journal has, which is all where `is_done`. */
static void resume(const struct journaled_search *search, int is_done) {
    mxb_error error = {""};
    mxb_status status;
    mxb_tuner *tuner = disturbed_create(search, "a.mxj", 1, &status, &error);
    REQUIRE(tuner != NULL);
    status = mxb_tuner_start(tuner, &error);
    if (status == MXB_OK) {
        CHECK(!is_done || mxb_tuner_stage(tuner) == mxb_tuner_n_stages(tuner));
        CHECK(!is_done || mxb_tuner_warning(tuner) == NULL);
        status = mxb_tuner_run(tuner, NULL, NULL, &error);
    }
    if (status == MXB_OK) {
        check_done(tuner, search);
    } else {
        CHECK(is_hopeless(status, &error));
    }
    mxb_tuner_free(tuner);
}

/* ---- memory ---- */

static mxb_tuner *run_with(const struct journaled_search *search, struct fault_plan plan, int resumes,
                           mxb_status *status, mxb_error *error, struct fault_report *report) {
    faults_begin(plan);
    mxb_tuner *tuner = disturbed_create(search, "a.mxj", resumes, status, error);
    if (*status == MXB_OK) {
        *status = mxb_tuner_run(tuner, NULL, NULL, error);
    }
    *report = faults_end();
    return tuner;
}

/* The same tuner once more, without faults: 1 if it comes to its end. */
static int go_on(mxb_tuner *tuner, const struct journaled_search *search) {
    mxb_error error = {""};
    mxb_status status = mxb_tuner_run(tuner, NULL, NULL, &error);
    if (status == MXB_OK) {
        check_done(tuner, search);
    } else if (strcmp(error.message, "the search has not started") != 0) {
        CHECK(is_hopeless(status, &error));
    }
    return status == MXB_OK;
}

static void explain(const struct journaled_search *search, struct fault_plan plan, const struct fault_report *report,
                    const mxb_error *error) {
    fprintf(stderr, "    (%s, call %llu%s, %s, %s: \"%s\")\n", search->kind->name, (unsigned long long)plan.n,
            plan.for_ever ? " and all after it" : "",
            report->first < FAULT_N_CALLS ? fault_name(report->first) : "none",
            plan.number == FAULT_SHORT ? "short" : strerror(plan.number), error->message);
}

/* 0 when a check failed. */
static int lack_memory(const struct journaled_search *search, struct fault_plan plan, uint64_t *n_calls) {
    mxb_error error = {""};
    mxb_status status;
    struct fault_report report;
    int failed_before = check_n_failed;
    int64_t live = faults_n_live_blocks();
    int n_files = count_entries("/proc/self/fd");
    unlink("a.mxj");
    mxb_tuner *tuner = run_with(search, plan, 1, &status, &error, &report);
    *n_calls = report.n_counted;
    if (status != MXB_OK) {
        CHECK(plan.n > 0);
        CHECK_INT(status, MXB_ERROR_MEMORY);
        CHECK(strstr(error.message, "out of memory") != NULL);
    } else {
        check_done(tuner, search);
        CHECK(plan.for_ever || count_failed(tuner) <= 1);
    }
    int is_done = tuner != NULL && go_on(tuner, search);
    mxb_tuner_free(tuner);
    resume(search, is_done);
    CHECK_INT(faults_n_live_blocks(), live);
    CHECK_INT(count_entries("/proc/self/fd"), n_files);
    n_tried++;
    if (check_n_failed > failed_before) {
        explain(search, plan, &report, &error);
    }
    return check_n_failed == failed_before;
}

/* Every `step`-th of the calls fails in turn; returns how many there are. */
static uint64_t lack_each(const struct journaled_search *search, enum fault_call call, uint64_t step) {
    uint64_t n_calls = 0;
    uint64_t n_seen;
    struct fault_plan plan = {.calls = 1u << call, .number = ENOMEM};
    int fine = lack_memory(search, plan, &n_calls);
    for (plan.n = 1; fine && plan.n <= n_calls; plan.n += step) {
        for (plan.for_ever = 0; fine && plan.for_ever <= 1; plan.for_ever++) {
            fine = lack_memory(search, plan, &n_seen);
        }
    }
    return n_calls;
}

static void every_allocation_and_lock_may_fail(void) {
    for (size_t i = 0; i < N_KINDS; i++) {
        struct journaled_search search;
        REQUIRE(journaled_open(&search, &KINDS[i]));
        /* Which is the n-th is chance where several workers allocate. */
        int is_alone = strcmp(mxb_tuner_get(search.undisturbed, "n_threads"), "1") == 0;
        uint64_t n_allocations = lack_each(&search, FAULT_ALLOCATE, is_alone ? every : 5 * every);
        uint64_t n_locks = lack_each(&search, FAULT_LOCK, 1);
        CHECK(n_locks >= (is_alone ? 5 : 8)); /* two of the folds, tuner, models, run; three of the workers */
        printf("%-30s %llu allocations, %llu locks\n", search.kind->name, (unsigned long long)n_allocations,
               (unsigned long long)n_locks);
        journaled_close(&search);
    }
}

/* ---- files ---- */

/* What a call that fails for good leaves undone. */
static void check_refused(const mxb_error *error, enum fault_call first, int number) {
    static const struct {
        enum fault_call call;
        const char *verb;
    } verbs[] = {{FAULT_OPEN, "open"},   {FAULT_READ, "read"},       {FAULT_FSTAT, "read"}, {FAULT_WRITE, "write"},
                 {FAULT_FSYNC, "write"}, {FAULT_FTRUNCATE, "write"}, {FAULT_FLOCK, "lock"}, {FAULT_REALPATH, "write"}};
    char sentence[128] = "";
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (verbs[i].call == first) {
            snprintf(sentence, sizeof sentence, "cannot %s the journal \"a.mxj\": %s", verbs[i].verb, strerror(number));
        }
    }
    CHECK_TEXT(error->message, sentence);
}

/* From a new journal, or from one whose end is damaged. */
static void prepare(const struct journaled_search *search, int is_new) {
    mxb_error error = {""};
    mxb_status status;
    mxb_trial trial;
    mxb_trial_result result;
    unlink("a.mxj");
    if (is_new) {
        return;
    }
    mxb_tuner *tuner = disturbed_create(search, "a.mxj", 0, &status, &error);
    OK(mxb_tuner_start(tuner, &error), error);
    for (int i = 0; i < 2; i++) {
        CHECK(mxb_tuner_next(tuner, &trial));
        OK(mxb_tuner_evaluate(tuner, &trial, 1, NULL, NULL, &result, NULL, &error), error);
        OK(mxb_tuner_tell(tuner, &trial, &result, &error), error);
    }
    mxb_tuner_free(tuner);
    FILE *file = fopen("a.mxj", "ab");
    REQUIRE(file != NULL && fputs("half a record", file) >= 0 && fclose(file) == 0);
}

static int disturb_files(const struct journaled_search *search, int is_new, struct fault_plan plan,
                         struct fault_report *report) {
    mxb_error error = {""};
    mxb_status status;
    int failed_before = check_n_failed;
    prepare(search, is_new);
    int64_t live = faults_n_live_blocks();
    int n_files = count_entries("/proc/self/fd");
    mxb_tuner *tuner = run_with(search, plan, 1, &status, &error, report);
    if (status != MXB_OK) {
        CHECK_INT(status, MXB_ERROR_IO);
        CHECK(plan.n > 0 && plan.number != FAULT_SHORT && plan.number != EINTR);
        check_refused(&error, report->first, plan.number);
    } else {
        int is_harmless = plan.number == FAULT_SHORT || plan.number == EINTR || plan.calls == 1u << FAULT_CLOSE;
        CHECK(plan.n == 0 || is_harmless);
        check_done(tuner, search);
    }
    int is_done = tuner != NULL && go_on(tuner, search);
    CHECK(tuner == NULL || count_failed(tuner) == 0);
    mxb_tuner_free(tuner);
    resume(search, is_done);
    CHECK_INT(faults_n_live_blocks(), live);
    CHECK_INT(count_entries("/proc/self/fd"), n_files);
    n_tried++;
    if (check_n_failed > failed_before) {
        explain(search, plan, report, &error);
    }
    return check_n_failed == failed_before;
}

/* Nothing is lost where closing fails that a call before it has not reported. */
static void closing_may_fail(const struct journaled_search *search, int is_new) {
    struct fault_report report = {0};
    struct fault_plan plan = {.calls = 1u << FAULT_CLOSE, .number = EIO};
    disturb_files(search, is_new, plan, &report);
    uint64_t n_calls = report.n_counted;
    CHECK(n_calls > 0);
    for (plan.n = 1; plan.n <= n_calls; plan.n++) {
        for (plan.for_ever = 0; plan.for_ever <= 1; plan.for_ever++) {
            disturb_files(search, is_new, plan, &report);
            CHECK(report.n_failed > 0);
        }
    }
}

/* The size of a file and its path are left out where calls are interrupted: asking for these never is. */
static void every_file_call_may_fail(void) {
    static const struct {
        int number;
        int for_ever;
    } failures[] = {{EIO, 0}, {EIO, 1}, {ENOSPC, 0}, {ENOSPC, 1}, {EINTR, 0}, {FAULT_SHORT, 0}, {FAULT_SHORT, 1}};
    static const unsigned expected = 1u << FAULT_OPEN | 1u << FAULT_WRITE | 1u << FAULT_FSYNC | 1u << FAULT_FSTAT |
                                     1u << FAULT_REALPATH | 1u << FAULT_FTRUNCATE | 1u << FAULT_FLOCK;
    static const unsigned uninterrupted = 1u << FAULT_FSTAT | 1u << FAULT_REALPATH;
    for (size_t i = 0; i < 2 * N_KINDS; i++) {
        struct journaled_search search;
        struct fault_report clean;
        struct fault_report report;
        int is_new = i % 2 == 0;
        unsigned calls = FAULT_FILES & ~(1u << FAULT_CLOSE);
        REQUIRE(journaled_open(&search, &KINDS[i / 2]));
        disturb_files(&search, is_new, (struct fault_plan){.calls = calls, .path = "a.mxj"}, &clean);
        for (int call = 0; call < FAULT_N_CALLS; call++) {
            if ((expected >> call & 1u) != 0 && clean.n_calls[call] == 0) {
                check_failed(__FILE__, __LINE__, fault_name((enum fault_call)call)); /* never seen: is it wrapped? */
            }
        }
        CHECK((clean.n_calls[FAULT_READ] > 0) == !is_new);
        for (size_t f = 0; f < sizeof failures / sizeof failures[0]; f++) {
            struct fault_plan plan = {.for_ever = failures[f].for_ever, .number = failures[f].number, .path = "a.mxj"};
            int interrupts = failures[f].number == EINTR;
            uint64_t n_asked = clean.n_calls[FAULT_FSTAT] + clean.n_calls[FAULT_REALPATH];
            uint64_t n_calls = clean.n_counted - (interrupts ? n_asked : 0);
            plan.calls = interrupts ? calls & ~uninterrupted : calls;
            for (plan.n = 1; plan.n <= n_calls; plan.n++) {
                disturb_files(&search, is_new, plan, &report);
                CHECK(report.n_failed > 0);
            }
        }
        closing_may_fail(&search, is_new);
        printf("%-30s %llu calls\n", search.kind->name, (unsigned long long)clean.n_counted);
        journaled_close(&search);
    }
}

/* ---- threads ---- */

/* Large enough that the one configuration of the last stage is worth threads. */
static const struct search_kind THREADED = {
    "threads", 6000, "6", "0", 0, {"n_configs", "4", "eta", "4", "min_resource", "1/4", "n_threads", "3"}};

static void threads_that_cannot_start_change_nothing(void) {
    struct journaled_search search;
    uint64_t n_threads = 0;
    REQUIRE(journaled_open(&search, &THREADED));
    for (uint64_t run = 0; run <= 2 * n_threads; run++) {
        struct fault_plan plan = {
            .calls = 1u << FAULT_THREAD, .n = (run + 1) / 2, .for_ever = (int)(run % 2), .number = EAGAIN};
        mxb_error error = {""};
        mxb_status status;
        struct fault_report report;
        int64_t live = faults_n_live_blocks();
        unlink("a.mxj");
        mxb_tuner *tuner = run_with(&search, plan, 0, &status, &error, &report);
        CHECK_INT(status, MXB_OK);
        check_done(tuner, &search);
        mxb_tuner_free(tuner);
        CHECK(report.n_failed > 0 || run == 0);
        n_threads = run == 0 ? report.n_counted : n_threads;
        /* The next stage has workers and threads of its own all the same. */
        CHECK(plan.for_ever || report.n_counted + 1 >= n_threads);
        CHECK_INT(faults_n_live_blocks(), live);
        n_tried++;
    }
    CHECK(n_threads >= 4); /* two helpers in each stage */
    printf("%-30s %llu starts\n", search.kind->name, (unsigned long long)n_threads);
    journaled_close(&search);
}

static void one_thread_starts_no_other(void) {
    static const struct search_kind alone = {
        "one thread", 6000, "6", "0", 0, {"n_configs", "2", "eta", "2", "min_resource", "1/2", "n_threads", "1"}};
    struct journaled_search search;
    mxb_error error = {""};
    mxb_status status;
    struct fault_report report;
    REQUIRE(journaled_open(&search, &alone));
    unlink("a.mxj");
    mxb_tuner *tuner = run_with(&search, (struct fault_plan){.n = 0}, 0, &status, &error, &report);
    CHECK_INT(status, MXB_OK);
    CHECK_INT(report.n_calls[FAULT_THREAD], 0);
    mxb_tuner_free(tuner);
    journaled_close(&search);
}

int main(int argc, char **argv) {
    every = argc > 1 ? (uint64_t)atoi(argv[1]) : every;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    RUN(every_allocation_and_lock_may_fail);
    RUN(every_file_call_may_fail);
    RUN(threads_that_cannot_start_change_nothing);
    RUN(one_thread_starts_no_other);
    unlink("a.mxj");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%llu runs\n", (unsigned long long)n_tried);
    return check_report();
}
