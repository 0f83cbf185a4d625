/* Every system call of every operation on files fails, once and for ever after, with each errno that matters, and
 * transfers stop short: the result is the same, or MXB_ERROR_IO with the reason and nothing left behind. Threads and
 * locks that cannot be had cost time only. A new operation is one function and one row of OPERATIONS. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <unistd.h>

#include "stress/faults.h"
#include "stress/outcome.h"
#include "unit/boost/make_data.h"

static mxb_model *old_model;
static mxb_model *new_model;
static struct made_data data; /* large enough that training on it is worth threads */
static mxb_params *four_threads;
static uint64_t n_tried;

static char folder[] = "/tmp/mixboost-test-XXXXXX";

/* ---- operations ---- */

static mxb_status save_over(struct outcome *outcome, mxb_error *error) {
    (void)outcome;
    return mxb_model_save(new_model, "model.mxb", error);
}

static mxb_status save_new(struct outcome *outcome, mxb_error *error) {
    (void)outcome;
    return mxb_model_save(new_model, "other.mxb", error);
}

static mxb_status load(struct outcome *outcome, mxb_error *error) {
    return mxb_model_load("model.mxb", &outcome->model, error);
}

static mxb_status read_csv(struct outcome *outcome, const char *path, mxb_error *error) {
    mxb_status status = mxb_table_read_csv(path, MXB_HEADER_AUTO, NULL, 0, 0, &outcome->table, error);
    return status != MXB_OK ? status
                            : mxb_dataset_from_table(outcome->table, "y", NULL, NULL, 0, &outcome->dataset, error);
}

static mxb_status read_file(struct outcome *outcome, mxb_error *error) { return read_csv(outcome, "data.csv", error); }

/* From standard input, which prepare() has made a pipe. */
static mxb_status read_pipe(struct outcome *outcome, mxb_error *error) { return read_csv(outcome, "-", error); }

static const struct operation {
    const char *name;
    const char *verb; /* of its errors */
    mxb_status (*run)(struct outcome *outcome, mxb_error *error);
    unsigned calls; /* it makes at least these */
} OPERATIONS[] = {
    {"save over a model", "write", save_over,
     1 << FAULT_OPEN | 1 << FAULT_WRITE | 1 << FAULT_FSYNC | 1 << FAULT_RENAME | 1 << FAULT_CLOSE | 1 << FAULT_STAT |
         1 << FAULT_REALPATH | 1 << FAULT_FCHMOD},
    {"save a new file", "write", save_new,
     1 << FAULT_OPEN | 1 << FAULT_WRITE | 1 << FAULT_FSYNC | 1 << FAULT_RENAME | 1 << FAULT_CLOSE | 1 << FAULT_STAT |
         1 << FAULT_REALPATH},
    {"load", "read", load, 1 << FAULT_OPEN | 1 << FAULT_READ | 1 << FAULT_CLOSE | 1 << FAULT_FSTAT},
    {"read a CSV file", "read", read_file, 1 << FAULT_OPEN | 1 << FAULT_READ | 1 << FAULT_CLOSE | 1 << FAULT_FSTAT},
    {"read a CSV pipe", "read", read_pipe, 1 << FAULT_READ | 1 << FAULT_FSTAT},
};

/* ---- the world around each run ---- */

static int same_model_in(const char *path, const mxb_model *model) {
    mxb_model *loaded;
    if (mxb_model_load(path, &loaded, NULL) != MXB_OK) {
        return 0;
    }
    struct model_bytes a = bytes_of(loaded);
    struct model_bytes b = bytes_of(model);
    int same = same_bytes(a, b);
    mxb_bytes_free(a.bytes);
    mxb_bytes_free(b.bytes);
    mxb_model_free(loaded);
    return same;
}

/* Fewer bytes than a pipe holds, so nobody needs to wait. */
static size_t make_csv(char *text, size_t size) {
    size_t n = (size_t)snprintf(text, size, "a,b,y\n");
    for (int i = 0; i < 200; i++) {
        n += (size_t)snprintf(text + n, size - n, "%d,%s,%d.25\n", i % 17, i % 5 == 0 ? "NA" : "-1e10", i);
    }
    return n;
}

/* The old model in its place, the CSV text in a file and in standard input. */
static int prepare(void) {
    static char text[1 << 15];
    size_t n = make_csv(text, sizeof text);
    int ends[2];
    unlink("other.mxb");
    FILE *file = fopen("data.csv", "w");
    int fine = file != NULL && fwrite(text, 1, n, file) == n;
    fine = file != NULL && fclose(file) == 0 && fine;
    fine = fine && mxb_model_save(old_model, "model.mxb", NULL) == MXB_OK && pipe(ends) == 0;
    if (fine) {
        fine = write(ends[1], text, n) == (ssize_t)n && dup2(ends[0], STDIN_FILENO) >= 0;
        close(ends[0]);
        close(ends[1]);
    }
    return fine;
}

/* A save that failed left the file as it was, unless only making it last failed; no temporary file is left, unless it
 * cannot be removed. */
static void check_saved(const struct operation *operation, mxb_status status, const struct fault_report *report) {
    int over = operation->run == save_over;
    const char *path = over ? "model.mxb" : "other.mxb";
    int may_be_new = status == MXB_OK || report->first == FAULT_FSYNC || report->first == FAULT_OPEN; /* the folder's */
    int is_new = same_model_in(path, new_model);
    int is_old = over ? same_model_in(path, old_model) : access(path, F_OK) != 0;
    CHECK(status == MXB_OK ? is_new : is_old || (may_be_new && is_new));
    CHECK_INT(outcome_remove_temporary(path), report->n_unlinks_failed);
    CHECK_INT(count_entries("."), 2 + 2 + (!over && is_new)); /* ".", "..", data.csv, model.mxb */
}

static void check_message(const struct operation *operation, const mxb_error *error, int number) {
    char beginning[32];
    snprintf(beginning, sizeof beginning, "cannot %s ", operation->verb);
    CHECK(strncmp(error->message, beginning, strlen(beginning)) == 0);
    CHECK(strstr(error->message, strerror(number)) != NULL);
}

/* An interrupted call of these is made again or has done its work. */
static int survives_signals(enum fault_call call) {
    return call == FAULT_READ || call == FAULT_WRITE || call == FAULT_FSYNC || call == FAULT_CLOSE;
}

/* What a save may pass over; of closings only the folder's, at which nothing can be lost. */
static int may_be_silent(struct fault_plan plan, enum fault_call first) {
    return plan.n == 0 || plan.number == FAULT_SHORT || plan.number == EINTR || first == FAULT_CLOSE;
}

static uint64_t expected;

static int check_run(const struct operation *operation, struct fault_plan plan, struct fault_report *report) {
    struct outcome outcome = {0};
    mxb_error error = {""};
    int failed_before = check_n_failed;
    if (!prepare()) {
        check_failed(__FILE__, __LINE__, "cannot prepare the files");
        return 0;
    }
    int64_t live = faults_n_live_blocks();
    int n_open = count_entries("/proc/self/fd");
    faults_begin(plan);
    mxb_status status = operation->run(&outcome, &error);
    *report = faults_end();
    if (status == MXB_OK) {
        uint64_t hash = outcome_hash(&outcome);
        CHECK(plan.n == 0 || hash == expected);
        CHECK(strcmp(operation->verb, "write") != 0 || may_be_silent(plan, report->first));
        expected = hash;
    } else {
        CHECK(plan.n > 0 && plan.number != FAULT_SHORT);
        CHECK(!(plan.number == EINTR && survives_signals(report->first)));
        CHECK_INT(status, MXB_ERROR_IO);
        CHECK(outcome.model == NULL && outcome.table == NULL);
        check_message(operation, &error, plan.number);
    }
    CHECK((report->n_failed > 0) == (plan.n > 0));
    outcome_clear(&outcome);
    CHECK_INT(faults_n_live_blocks(), live);
    CHECK_INT(count_entries("/proc/self/fd"), n_open);
    if (strcmp(operation->verb, "write") == 0) {
        check_saved(operation, status, report);
    }
    n_tried++;
    if (check_n_failed > failed_before) {
        fprintf(stderr, "    (%s, call %llu%s, %s: %s)\n", operation->name, (unsigned long long)plan.n,
                plan.for_ever ? " and all after it" : "",
                report->first < FAULT_N_CALLS ? fault_name(report->first) : "none",
                plan.number == FAULT_SHORT ? "short" : strerror(plan.number));
    }
    return check_n_failed == failed_before;
}

static void every_file_call_may_fail(void) {
    static const struct {
        int number;
        int for_ever;
    } failures[] = {{EIO, 0},    {EIO, 1},    {ENOSPC, 0}, {ENOSPC, 1},      {EINTR, 0},
                    {EMFILE, 0}, {ENOMEM, 0}, {EDQUOT, 1}, {FAULT_SHORT, 0}, {FAULT_SHORT, 1}};
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof OPERATIONS[0]; i++) {
        const struct operation *operation = &OPERATIONS[i];
        struct fault_report clean;
        struct fault_report report;
        expected = 0;
        if (!check_run(operation, (struct fault_plan){.calls = FAULT_FILES}, &clean)) {
            continue;
        }
        for (int call = 0; call < FAULT_N_CALLS; call++) {
            if ((operation->calls >> call & 1u) != 0 && clean.n_calls[call] == 0) {
                check_failed(__FILE__, __LINE__, fault_name((enum fault_call)call)); /* never seen: is it wrapped? */
            }
        }
        if (strcmp(operation->verb, "write") == 0) {
            CHECK_INT(clean.n_calls[FAULT_FSYNC], 2); /* the bytes before their name, and the name */
        }
        for (size_t f = 0; f < sizeof failures / sizeof failures[0]; f++) {
            for (uint64_t n = 1; n <= clean.n_counted; n++) {
                struct fault_plan plan = {
                    .calls = FAULT_FILES, .n = n, .for_ever = failures[f].for_ever, .number = failures[f].number};
                check_run(operation, plan, &report);
            }
        }
        printf("%-20s %llu calls\n", operation->name, (unsigned long long)clean.n_counted);
    }
}

/* ---- threads ---- */

static mxb_status train_and_predict(struct outcome *outcome, mxb_error *error) {
    static double all[9000];
    mxb_status status = mxb_train(data.dataset, NULL, four_threads, NULL, NULL, &outcome->model, error);
    if (status == MXB_OK) {
        status = mxb_model_predict(outcome->model, data.dataset, MXB_PREDICT_RAW, 4, all, error);
    }
    for (size_t i = 0; i < data.n_rows; i++) { /* all of them, folded */
        outcome->values[i % 64] = 0.5 * outcome->values[i % 64] + all[i];
    }
    return status;
}

static void threads_that_cannot_be_had_change_nothing(void) {
    uint64_t n_calls = 0;
    uint64_t wanted = 0;
    for (uint64_t run = 0; run <= 2 * n_calls; run++) {
        struct outcome outcome = {0};
        mxb_error error = {""};
        struct fault_plan plan = {.calls = 1u << FAULT_THREAD | 1u << FAULT_LOCK,
                                  .n = (run + 1) / 2,
                                  .for_ever = (int)(run % 2),
                                  .number = EAGAIN};
        int64_t live = faults_n_live_blocks();
        faults_begin(plan);
        CHECK_INT(train_and_predict(&outcome, &error), MXB_OK);
        struct fault_report report = faults_end();
        if (run == 0) {
            n_calls = report.n_counted;
            CHECK(report.n_calls[FAULT_THREAD] >= 6); /* three helpers to train, three to predict */
            CHECK(report.n_calls[FAULT_LOCK] >= 6);   /* a lock and two signals to train, and to predict */
            wanted = outcome_hash(&outcome);
        }
        CHECK(outcome_hash(&outcome) == wanted);
        CHECK(report.n_failed > 0 || run == 0);
        outcome_clear(&outcome);
        CHECK_INT(faults_n_live_blocks(), live);
        n_tried++;
    }
    printf("%-20s %llu calls\n", "threads", (unsigned long long)n_calls);
}

static int make_world(void) {
    struct made_data small = data_make((struct data_recipe){.n_rows = 50, .n_features = 2, .seed = 1});
    mxb_params *few = PARAMS("num_round", "2", "n_components", "3", "tree_probability", "0.5");
    mxb_params *more = PARAMS("num_round", "5", "n_components", "3", "tree_probability", "0.5");
    data = data_make((struct data_recipe){.n_rows = 9000, .n_features = 8, .seed = 2});
    four_threads = PARAMS("num_round", "4", "n_components", "8", "tree_probability", "0.5", "n_threads", "4");
    int fine = few != NULL && more != NULL && four_threads != NULL &&
               mxb_train(small.dataset, NULL, few, NULL, NULL, &old_model, NULL) == MXB_OK &&
               mxb_train(small.dataset, NULL, more, NULL, NULL, &new_model, NULL) == MXB_OK;
    mxb_params_free(few);
    mxb_params_free(more);
    data_clear(&small);
    return fine;
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || !make_world()) {
        fprintf(stderr, "cannot make the data of the test\n");
        return 1;
    }
    RUN(every_file_call_may_fail);
    RUN(threads_that_cannot_be_had_change_nothing);
    mxb_model_free(old_model);
    mxb_model_free(new_model);
    mxb_params_free(four_threads);
    data_clear(&data);
    unlink("data.csv");
    unlink("model.mxb");
    unlink("other.mxb");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%llu runs\n", (unsigned long long)n_tried);
    return check_report();
}
