/* Trainings with checkpoints, resumes from them, saves and loads where allocations and system calls of files fail
 * together: one of them, all from one on, and two of them, so that the second fails while the first is dealt with. A
 * checkpoint that was saved is there, and a training that is gone on with comes to the bytes of one left alone.
 *
 *     failing_checkpoints [EVERY]     of the calls of a training every so many-th fails in turn */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <unistd.h>

#include "stress/faults.h"
#include "stress/outcome.h"
#include "unit/boost/make_data.h"

enum { BOTH = FAULT_FILES | 1 << FAULT_ALLOCATE, N_ROUNDS = 6, CHECKPOINT = 2 };

static struct made_data data;
static struct made_data valid;
static mxb_model *whole; /* of all rounds */
static mxb_model *half;
static struct model_bytes wanted;
static size_t n_saved; /* rounds of the last checkpoint that was saved */
static uint64_t n_tried;
static uint64_t every = 1;
static char folder[] = "/tmp/mixboost-test-XXXXXX";

/* ---- operations ---- */

static mxb_status train_from(const mxb_model *from, mxb_model **model, mxb_error *error) {
    mxb_params *params = NULL;
    mxb_prepared *prepared = NULL;
    mxb_trainer *trainer = NULL;
    static const char *const options[][2] = {{"num_round", "6"},          {"n_components", "4"}, {"max_max_depth", "3"},
                                             {"tree_probability", "0.5"}, {"n_threads", "1"},    {"random_state", "3"}};
    mxb_status status = mxb_params_create(&params, error);
    for (size_t i = 0; i < sizeof options / sizeof options[0] && status == MXB_OK; i++) {
        status = mxb_params_set(params, options[i][0], options[i][1], error);
    }
    if (status == MXB_OK) {
        status = mxb_prepared_create(data.dataset, params, &prepared, error);
    }
    if (status == MXB_OK) {
        status = from == NULL ? mxb_trainer_create(prepared, valid.dataset, params, &trainer, error)
                              : mxb_trainer_create_from(prepared, valid.dataset, params, from, &trainer, error);
    }
    while (status == MXB_OK && *model == NULL) {
        mxb_model *so_far = NULL;
        status = mxb_trainer_run(trainer, mxb_trainer_n_rounds(trainer) + CHECKPOINT, NULL, NULL, error);
        if (status == MXB_OK) {
            status = mxb_trainer_model(trainer, &so_far, error);
        }
        if (status == MXB_OK) {
            status = mxb_model_save(so_far, "model.mxb", error);
        }
        if (status == MXB_OK) {
            n_saved = mxb_model_n_rounds(so_far);
        }
        if (status == MXB_OK && mxb_trainer_is_done(trainer)) {
            *model = so_far;
        } else {
            mxb_model_free(so_far);
        }
    }
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
    return status;
}

static mxb_status train(struct outcome *outcome, mxb_error *error) { return train_from(NULL, &outcome->model, error); }

static mxb_status resume(struct outcome *outcome, mxb_error *error) {
    mxb_model *from;
    mxb_status status = mxb_model_load("half.mxb", &from, error);
    if (status == MXB_OK) {
        status = train_from(from, &outcome->model, error);
    }
    mxb_model_free(from);
    return status;
}

static mxb_status save(struct outcome *outcome, mxb_error *error) {
    (void)outcome;
    return mxb_model_save(whole, "model.mxb", error);
}

static mxb_status load(struct outcome *outcome, mxb_error *error) {
    return mxb_model_load("half.mxb", &outcome->model, error);
}

static mxb_status read_csv(struct outcome *outcome, mxb_error *error) {
    mxb_status status = mxb_table_read_csv("data.csv", MXB_HEADER_AUTO, NULL, 0, 1, &outcome->table, error);
    return status != MXB_OK ? status
                            : mxb_dataset_from_table(outcome->table, "y", NULL, NULL, 0, &outcome->dataset, error);
}

static const struct operation {
    const char *name;
    mxb_status (*run)(struct outcome *outcome, mxb_error *error);
    int is_long; /* a training: pairs of failures are of calls close to each other */
} OPERATIONS[] = {
    {"train with checkpoints", train, 1}, {"resume from a checkpoint", resume, 1}, {"save", save, 0}, {"load", load, 0},
    {"read a CSV file", read_csv, 0},
};

/* ---- the world around each run ---- */

static int prepare(void) {
    n_saved = mxb_model_n_rounds(half);
    return mxb_model_save(half, "model.mxb", NULL) == MXB_OK && mxb_model_save(half, "half.mxb", NULL) == MXB_OK;
}

/* The model that was saved last is in the file, or the one after it where only making it last failed; going on from it
 * comes to the same. */
static void check_file(const struct operation *operation, mxb_status status) {
    struct outcome outcome = {0};
    mxb_error error = {""};
    mxb_model *model = NULL;
    if (mxb_model_load("model.mxb", &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        return;
    }
    CHECK(mxb_model_n_rounds(model) >= n_saved);
    if (operation->is_long && status != MXB_OK) {
        CHECK_INT(train_from(model, &outcome.model, &error), MXB_OK);
        struct model_bytes bytes = bytes_of(outcome.model);
        CHECK(same_bytes(bytes, wanted));
        mxb_bytes_free(bytes.bytes);
    }
    mxb_model_free(model);
    outcome_clear(&outcome);
}

static uint64_t expected;

/* 0 when a check failed. */
static int check_run(const struct operation *operation, struct fault_plan plan, struct fault_report *report) {
    struct outcome outcome = {0};
    mxb_error error = {""};
    int failed_before = check_n_failed;
    CHECK(prepare());
    int64_t live = faults_n_live_blocks();
    int n_open = count_entries("/proc/self/fd");
    faults_begin(plan);
    mxb_status status = operation->run(&outcome, &error);
    *report = faults_end();
    if (status == MXB_OK) {
        uint64_t hash = outcome_hash(&outcome);
        CHECK(plan.n == 0 || hash == expected);
        expected = hash;
    } else if (report->first == FAULT_CLOSE) { /* where nothing is lost by it, it is another one that is told */
        CHECK(status == MXB_ERROR_MEMORY || status == MXB_ERROR_IO);
    } else {
        int is_memory = report->first == FAULT_ALLOCATE;
        CHECK_INT(status, is_memory ? MXB_ERROR_MEMORY : MXB_ERROR_IO);
        CHECK(strstr(error.message, is_memory ? "out of memory" : strerror(plan.number)) != NULL);
    }
    if (status != MXB_OK) {
        CHECK(outcome.model == NULL && outcome.dataset == NULL);
    }
    outcome_clear(&outcome);
    CHECK_INT(faults_n_live_blocks(), live);
    CHECK_INT(count_entries("/proc/self/fd"), n_open);
    CHECK_INT(outcome_remove_temporary("model.mxb"), report->n_unlinks_failed);
    CHECK_INT(count_entries("."), 2 + 3); /* ".", "..", two models and data.csv */
    check_file(operation, status);
    n_tried++;
    if (check_n_failed > failed_before) {
        fprintf(stderr, "    (%s, call %llu, then %s%llu: %s)\n", operation->name, (unsigned long long)plan.n,
                plan.for_ever ? "all after it, not " : "", (unsigned long long)plan.second, error.message);
    }
    return check_n_failed == failed_before;
}

static void fail_two(const struct operation *operation, struct fault_plan plan, uint64_t n_calls) {
    struct fault_report report;
    uint64_t n_apart = operation->is_long ? 8 : 40;
    for (plan.second = plan.n + 1; plan.second <= plan.n + n_apart && plan.second <= n_calls + 4; plan.second++) {
        if (!check_run(operation, plan, &report) || report.n_failed < 2) {
            return; /* nothing is called after the first */
        }
    }
}

static void calls_may_fail_together(void) {
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof OPERATIONS[0]; i++) {
        const struct operation *operation = &OPERATIONS[i];
        struct fault_report clean;
        struct fault_report report;
        uint64_t before = n_tried;
        expected = 0;
        if (!check_run(operation, (struct fault_plan){.calls = BOTH}, &clean)) {
            continue;
        }
        uint64_t step = operation->is_long ? every : 1;
        for (uint64_t n = 1; n <= clean.n_counted; n += step) {
            struct fault_plan plan = {.calls = BOTH, .n = n, .number = ENOSPC};
            int fine = check_run(operation, plan, &report);
            fail_two(operation, plan, clean.n_counted);
            plan.for_ever = 1;
            if (!check_run(operation, plan, &report) || !fine) {
                break;
            }
        }
        printf("%-26s %llu calls, %llu runs\n", operation->name, (unsigned long long)clean.n_counted,
               (unsigned long long)(n_tried - before));
    }
}

static int write_csv(void) {
    FILE *file = fopen("data.csv", "w");
    if (file == NULL) {
        return 0;
    }
    fprintf(file, "a,y\n");
    for (int i = 0; i < 100; i++) {
        fprintf(file, "%d.5,%d\n", i, i % 2);
    }
    return fclose(file) == 0;
}

static int make_world(void) {
    mxb_error error = {""};
    struct outcome first = {0};
    data = data_make((struct data_recipe){.n_rows = 40, .n_features = 3, .seed = 2, .missing = 0.1, .weighted = 1});
    valid = data_make((struct data_recipe){.n_rows = 20, .n_features = 3, .seed = 3});
    if (!write_csv() || train(&first, &error) != MXB_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 0;
    }
    whole = first.model;
    wanted = bytes_of(whole);
    mxb_params *params = PARAMS("num_round", "2", "n_components", "4", "max_max_depth", "3", "tree_probability", "0.5",
                                "n_threads", "1", "random_state", "3", "early_stopping_rounds", "0");
    int fine = params != NULL && mxb_train(data.dataset, valid.dataset, params, NULL, NULL, &half, NULL) == MXB_OK;
    mxb_params_free(params);
    return fine;
}

int main(int argc, char **argv) {
    every = argc > 1 ? (uint64_t)atoi(argv[1]) : every;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || !make_world()) {
        fprintf(stderr, "cannot make the data of the test\n");
        return 1;
    }
    RUN(calls_may_fail_together);
    mxb_model_free(whole);
    mxb_model_free(half);
    mxb_bytes_free(wanted.bytes);
    data_clear(&data);
    data_clear(&valid);
    unlink("data.csv");
    unlink("half.mxb");
    unlink("model.mxb");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%llu runs\n", (unsigned long long)n_tried);
    return check_report();
}
