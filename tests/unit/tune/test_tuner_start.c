/* The start of a search: what a journal may be gone on from, from wherever it was cut and in whatever order; which it
 * refuses; what else is found before the first trial. */
#define _XOPEN_SOURCE 700
#include "base/memory.h"
#include "tune/tuner.h"
#include "unit/boost/make_own.h"
#include "unit/tune/make_journal.h"

static char folder[] = "/tmp/mixboost-test-XXXXXX";
static mxb_error error;
static struct made_data data;
static struct made_data valid;
static struct journal_bytes bytes;

/* ---- going on ---- */

static const struct {
    const char *settings[13];
    int has_valid;
} CASES[] = {
    {{"n_configs", "6", "eta", "2", "min_resource", "1/4", "n_folds", "2"}, 0},
    {{"n_configs", "8", "eta", "2", "min_resource", "1/4", "resource", "rounds"}, 1},
    {{"n_configs", "4", "eta", "2", "min_resource", "1/2", "resource", "rounds", "n_folds", "3"}, 0},
};
enum { N_CASES = sizeof CASES / sizeof CASES[0] };

static mxb_tuner *search(size_t i, const char *n_threads) {
    mxb_params *params = PARAMS("objective", "logloss", "early_stopping_rounds", i == 2 ? "2" : "0");
    mxb_tuner *tuner =
        search_of(data.dataset, CASES[i].has_valid ? valid.dataset : NULL, SMALL_SPACE, params, CASES[i].settings);
    mxb_params_free(params);
    CHECK(tuner != NULL && mxb_tuner_set(tuner, "n_threads", n_threads, &error) == MXB_OK);
    return tuner;
}

/* A whole search with a journal, whose bytes are loaded. */
static mxb_tuner *run_whole(size_t i) {
    unlink("whole.mxj");
    mxb_tuner *whole = journal_start(search(i, "1"), "whole.mxj", 0);
    if (!search_run(whole) || !journal_load("whole.mxj", &bytes)) {
        check_failed(__FILE__, __LINE__, "no journal");
    }
    CHECK(mxb_tuner_warning(whole) == NULL);
    return whole;
}

/* Resumes what is in the file; the search is then as the whole one. */
static void check_resumed(size_t i, const mxb_tuner *whole, const char *n_threads, const char *warning) {
    static struct journal_bytes after;
    mxb_tuner *tuner = journal_start(search(i, n_threads), "a.mxj", 1);
    REQUIRE(tuner != NULL);
    CHECK((mxb_tuner_warning(tuner) == NULL) == (warning == NULL));
    if (warning != NULL) {
        CHECK_TEXT(mxb_tuner_warning(tuner), warning);
    }
    REQUIRE(search_run(tuner));
    CHECK(same_searches(tuner, whole) && same_refits(tuner, whole));
    mxb_tuner_free(tuner);
    REQUIRE(journal_load("a.mxj", &after));
    CHECK(after.n_bytes == bytes.n_bytes && memcmp(after.bytes, bytes.bytes, bytes.n_header) == 0);
}

static void goes_on_from_wherever_it_was_cut(void) {
    for (size_t i = 0; i < N_CASES; i++) {
        mxb_tuner *whole = run_whole(i);
        for (size_t k = 0; k <= bytes.n_records; k++) {
            char warning[128];
            size_t n = bytes.n_header + k * JOURNAL_RECORD_SIZE;
            REQUIRE(journal_store("a.mxj", bytes.bytes, n));
            check_resumed(i, whole, k % 2 == 0 ? "1" : "4", NULL);
            if (k < bytes.n_records && k % 3 == 0) {
                REQUIRE(journal_store("a.mxj", bytes.bytes, n + 1 + k));
                snprintf(warning, sizeof warning,
                         "the last %zu bytes of the journal \"a.mxj\" are damaged and were cut off", k + 1);
                check_resumed(i, whole, "2", warning);
            }
        }
        mxb_tuner_free(whole);
    }
}

/* Nor does it matter that records of a stage come before some of the stage before. */
static void the_order_of_records_does_not_matter(void) {
    struct dice dice = {3};
    for (size_t i = 0; i < N_CASES; i++) {
        mxb_tuner *whole = run_whole(i);
        for (size_t k = 0; k < 5; k++) {
            for (size_t a = 0; a < bytes.n_records; a++) {
                unsigned char record[JOURNAL_RECORD_SIZE];
                unsigned char *other = journal_record_at(&bytes, dice_below(&dice, bytes.n_records));
                memcpy(record, other, sizeof record);
                memcpy(other, journal_record_at(&bytes, a), sizeof record);
                memcpy(journal_record_at(&bytes, a), record, sizeof record);
            }
            REQUIRE(journal_store("a.mxj", bytes.bytes, bytes.n_bytes));
            check_resumed(i, whole, "1", NULL);
        }
        mxb_tuner_free(whole);
    }
}

static int must_not_be_called(void *context, const mxb_tuner *tuner, double seconds) {
    (void)context;
    (void)tuner;
    (void)seconds;
    check_failed(__FILE__, __LINE__, "a trial was run");
    return 1;
}

static void a_search_that_is_done_runs_nothing(void) {
    for (size_t i = 0; i < N_CASES; i++) {
        static struct journal_bytes after;
        mxb_tuner *whole = run_whole(i);
        REQUIRE(journal_store("a.mxj", bytes.bytes, bytes.n_bytes));
        mxb_tuner *tuner = journal_start(search(i, "1"), "a.mxj", 1);
        mxb_trial trial;
        REQUIRE(tuner != NULL);
        CHECK_INT(mxb_tuner_next(tuner, &trial), 0);
        OK(mxb_tuner_run(tuner, must_not_be_called, NULL, &error), error);
        CHECK(same_searches(tuner, whole) && same_refits(tuner, whole));
        REQUIRE(journal_load("a.mxj", &after));
        CHECK(after.n_bytes == bytes.n_bytes && memcmp(after.bytes, bytes.bytes, bytes.n_bytes) == 0);
        mxb_tuner_free(tuner);
        mxb_tuner_free(whole);
    }
}

static void one_search_at_a_time_has_the_journal(void) {
    unlink("a.mxj");
    mxb_tuner *first = journal_start(search(0, "1"), "a.mxj", 0);
    mxb_tuner *second = search(0, "1");
    OK(mxb_tuner_set_journal(second, "a.mxj", 1, &error), error);
    FAILS(mxb_tuner_start(second, &error), error, MXB_ERROR_IO,
          "cannot use the journal \"a.mxj\": another run is using it");
    mxb_tuner_free(second);
    second = search(0, "1");
    mxb_tuner_free(first);
    OK(mxb_tuner_set_journal(second, "a.mxj", 0, &error), error);
    FAILS(mxb_tuner_start(second, &error), error, MXB_ERROR_IO,
          "cannot begin the journal \"a.mxj\": it is there already; resume to go on from it, or remove it");
    mxb_tuner_free(second);
}

/* ---- journals that cannot be gone on from ---- */

/* The same search with the bytes in the file. */
static void check_refused(mxb_status status, const char *sentence) {
    mxb_tuner *tuner = search(0, "1");
    REQUIRE(journal_store("a.mxj", bytes.bytes, bytes.n_bytes));
    OK(mxb_tuner_set_journal(tuner, "a.mxj", 1, &error), error);
    FAILS(mxb_tuner_start(tuner, &error), error, status, sentence);
    FAILS(mxb_tuner_run(tuner, NULL, NULL, &error), error, MXB_ERROR_PARAM, "the search has not started");
    mxb_tuner_free(tuner);
}

/* Puts another record in the place of the last. */
static void change_last(mxb_trial trial, mxb_trial_result result) {
    mxb__journal_encode_record(&trial, &result, journal_record_at(&bytes, bytes.n_records - 1));
}

static void results_that_cannot_be_are_refused(void) {
    mxb_trial_result fine = {.status = MXB_OK, .loss = 0.5, .n_rounds = 3};
    mxb_tuner *whole = run_whole(0); /* 6, 3 and 1 configurations on 2 folds */
    size_t winner = mxb_tuner_best(whole);
    mxb_tuner_free(whole);
    CHECK_INT(bytes.n_records, 20);
    change_last((mxb_trial){.stage = 0, .config = 3, .fold = 1}, fine);
    check_refused(MXB_ERROR_PARAM, "the journal \"a.mxj\": the trial of configuration 3 on fold 1 in stage 0 is done");
    change_last((mxb_trial){.stage = 3, .config = 0, .fold = 0}, fine);
    check_refused(MXB_ERROR_FORMAT, "the journal \"a.mxj\": it has results of stages that were not reached");
    change_last((mxb_trial){.stage = 2, .config = 6, .fold = 0}, fine);
    check_refused(MXB_ERROR_PARAM, "the journal \"a.mxj\": stage 2 has no trial of configuration 6 on fold 0");
    change_last((mxb_trial){.stage = 0, .config = 0, .fold = 2}, fine);
    check_refused(MXB_ERROR_PARAM, "the journal \"a.mxj\": stage 0 has no trial of configuration 0 on fold 2");
    fine.loss = (double)NAN;
    change_last((mxb_trial){.stage = 2, .config = winner, .fold = 1}, fine);
    check_refused(MXB_ERROR_PARAM,
                  "the journal \"a.mxj\": the loss of a trial that did not fail must be a finite number");
    /* Stage 1 cannot have been reached with one of stage 0 missing. */
    bytes.n_bytes = bytes.n_header + 12 * JOURNAL_RECORD_SIZE;
    memmove(journal_record_at(&bytes, 4), journal_record_at(&bytes, 5), 8 * JOURNAL_RECORD_SIZE);
    check_refused(MXB_ERROR_FORMAT, "the journal \"a.mxj\": it has results of stages that were not reached");
}

/* A stage whose every trial failed ends the search again. */
static void check_failures(mxb_status written, const char *message, mxb_status status, const char *sentence) {
    mxb_tuner_free(run_whole(0));
    mxb_trial_result failed = {.status = written, .loss = HUGE_VAL};
    snprintf(failed.message, sizeof failed.message, "%s", message);
    for (size_t i = 0; i < 12; i++) {
        mxb_trial trial = {.stage = 0, .config = i / 2, .fold = i % 2};
        mxb__journal_encode_record(&trial, &failed, journal_record_at(&bytes, i));
    }
    bytes.n_bytes = bytes.n_header + 12 * JOURNAL_RECORD_SIZE;
    mxb_tuner *tuner = search(0, "1");
    REQUIRE(journal_store("a.mxj", bytes.bytes, bytes.n_bytes));
    OK(mxb_tuner_set_journal(tuner, "a.mxj", 1, &error), error);
    CHECK_INT(mxb_tuner_start(tuner, &error), status);
    CHECK(strstr(error.message, sentence) != NULL);
    mxb_tuner_free(tuner);
}

static void a_journal_of_failures_says_so(void) {
    check_failures(MXB_ERROR_MEMORY, "no room", MXB_ERROR_MEMORY, "all configurations failed; the first: no room");
    check_failures((mxb_status)77, "", MXB_ERROR_DATA, "all configurations failed; the first: ");
    check_failures(MXB_STOPPED, "", MXB_ERROR_DATA, "the first: "); /* nobody stopped this search */
}

/* A journal is a file of anyone's, and its text reaches terminals by way of errors. */
static void a_journal_steers_no_terminal(void) {
    check_failures(MXB_ERROR_DATA, "\x1b[31m\n\x7f \xc2\x9b[2J gr\xc3\xbc\xc3\x9f \xc2\xa0", MXB_ERROR_DATA,
                   "the first:  [31m     [2J gr\xc3\xbc\xc3\x9f \xc2\xa0");
}

/* ---- before the first trial ---- */

static void check_start(mxb_tuner *tuner, mxb_status status, const char *sentence) {
    REQUIRE(tuner != NULL);
    FAILS(mxb_tuner_start(tuner, &error), error, status, sentence);
    FAILS(mxb_tuner_start(tuner, &error), error, MXB_ERROR_PARAM, "the search has started: it is too late for that");
    FAILS(mxb_tuner_run(tuner, NULL, NULL, &error), error, MXB_ERROR_PARAM, "the search has not started");
    mxb_tuner_free(tuner);
}

static void what_cannot_be_is_found_at_the_start(void) {
    mxb_params *classes = PARAMS("objective", "logloss");
    size_t ones[40], rows[40];
    size_t n_ones = 0;
    check_start(SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "n_configs", "15", "eta", "2", "min_resource", "1/16"),
                MXB_ERROR_PARAM,
                "15 configurations cannot go through 5 stages, each with one in 2 of the stage before: there "
                "must be at least 16, or min_resource must be larger");
    check_start(SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "n_configs", "1000", "min_resource", "1/200"),
                MXB_ERROR_DATA,
                "the first stage has 1/64 of 96 rows, which are fewer than 2; min_resource must be larger");
    for (size_t i = 0; i < data.n_rows && n_ones < 40; i++) {
        if (data.y[i] == 1.0) {
            ones[n_ones++] = i;
        }
        rows[i < 40 ? i : 39] = i;
    }
    REQUIRE(n_ones == 40);
    mxb_tuner *tuner = SEARCH(data.dataset, NULL, SMALL_SPACE, classes, "n_configs", "4", "min_resource", "1");
    OK(mxb_tuner_add_fold(tuner, rows, 40, ones, 40, &error), error);
    OK(mxb_tuner_add_fold(tuner, ones, 40, rows, 40, &error), error); /* learns of one class only */
    CHECK_INT(mxb_tuner_start(tuner, &error), MXB_ERROR_DATA);
    CHECK(strstr(error.message, "the rows of the first stage, fold 2: ") == error.message);
    mxb_tuner_free(tuner);
    mxb_params_free(classes);
}

/* Forty rows of class 0 but for the first `n_ones`. */
static struct made_data make_rare(size_t n_ones) {
    struct made_data rare = data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .seed = 3});
    for (size_t i = 0; i < rare.n_rows; i++) {
        rare.y[i] = i < n_ones;
    }
    return rare;
}

static void rows_that_are_dealt_to_judge_have_both_classes(void) {
    struct made_data rare = make_rare(2);
    mxb_params *classes = PARAMS("objective", "logloss");
    check_start(SEARCH(rare.dataset, NULL, SMALL_SPACE, classes, "n_configs", "4", "min_resource", "1"), MXB_ERROR_DATA,
                "the rows that judge: no row has label 1; of the 40 rows of the training data 2 do");
    mxb_tuner *tuner = SEARCH(rare.dataset, NULL, SMALL_SPACE, classes, "n_configs", "4", "min_resource", "1",
                              "n_folds", "20", "stratify", "false");
    CHECK_INT(mxb_tuner_start(tuner, &error), MXB_ERROR_DATA);
    CHECK(strstr(error.message, "the rows that judge, fold ") == error.message);
    mxb_tuner_free(tuner);
    mxb_params_free(classes);
    data_clear(&rare);
}

/* They may be of one class, and that is said, once. */
static void rows_that_are_given_to_judge_are_taken(void) {
    struct made_data rare = make_rare(8);
    struct made_data zeros = make_rare(0);
    mxb_params *classes = PARAMS("objective", "logloss");
    size_t rows[40];
    for (size_t i = 0; i < 40; i++) {
        rows[i] = i;
    }
    mxb_tuner *tuner = SEARCH(rare.dataset, zeros.dataset, SMALL_SPACE, classes, "n_configs", "4", "min_resource", "1");
    REQUIRE(search_run(tuner));
    CHECK_TEXT(mxb_tuner_warning(tuner),
               "the rows that judge: no row has label 1; of the 40 rows of the training data 8 do");
    mxb_tuner_free(tuner);
    for (int resume = 0; resume <= 1; resume++) {
        tuner = SEARCH(rare.dataset, NULL, SMALL_SPACE, classes, "n_configs", "4", "min_resource", "1");
        OK(mxb_tuner_add_fold(tuner, rows, 30, rows, 30, &error), error);
        OK(mxb_tuner_add_fold(tuner, rows, 30, rows + 30, 10, &error), error);
        OK(mxb_tuner_add_fold(tuner, rows + 4, 36, rows, 4, &error), error);
        unlink(resume ? "none" : "a.mxj");
        OK(mxb_tuner_set_journal(tuner, "a.mxj", resume, &error), error);
        REQUIRE(search_run(tuner));
        CHECK_TEXT(mxb_tuner_warning(tuner),
                   resume
                       ? "the rows that judge, fold 2: no row has label 1; of the 40 rows of the training data 8 do; "
                         "the last 1 bytes of the journal \"a.mxj\" are damaged and were cut off"
                       : "the rows that judge, fold 2: no row has label 1; of the 40 rows of the training data 8 do");
        mxb_tuner_free(tuner);
        REQUIRE(journal_load("a.mxj", &bytes) && journal_store("a.mxj", bytes.bytes, bytes.n_bytes + 1));
    }
    mxb_params_free(classes);
    data_clear(&zeros);
    data_clear(&rare);
}

/* Not a fold that was dealt of them, nor the dealing. */
static void what_is_wrong_with_all_rows_is_said_of_them(void) {
    static const char *const judges[] = {"n_folds", "valid_fraction"};
    static const char *const values[] = {"2", "0.3"};
    struct made_data rows = data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .seed = 3});
    mxb_params *classes = PARAMS("objective", "logloss");
    for (size_t i = 0; i < 2; i++) {
        mxb_tuner *tuner = SEARCH(rows.dataset, NULL, SMALL_SPACE, classes, judges[i], values[i]);
        CHECK_INT(mxb_tuner_start(tuner, &error), MXB_ERROR_DATA);
        CHECK(strstr(error.message, "the labels of the training data have more than two values (") == error.message);
        mxb_tuner_free(tuner);
    }
    mxb_params_free(classes);
    data_clear(&rows);
}

static void too_few_rows_are_told_apart_from_too_small_a_part(void) {
    struct made_data two = data_make((struct data_recipe){.n_rows = 2, .n_features = 2, .seed = 3});
    check_start(SEARCH(two.dataset, NULL, SMALL_SPACE, NULL, "n_configs", "4", "n_folds", "2", "min_resource", "1"),
                MXB_ERROR_DATA, "the rows to train on are too few, 1; the first stage needs at least 2");
    data_clear(&two);
}

/* Configuration 0 has a depth that the others need not have. */
static void contradictions_are_left_to_the_trials(void) {
    mxb_params *deep = PARAMS("depth_probabilities", "0.5,0.5", "min_max_depth", "2");
    mxb_tuner *tuner = SEARCH(data.dataset, NULL, "max_max_depth 2 4 integer\n", deep, "n_configs", "8");
    mxb_trial_result first;
    for (int seed = 0; seed < 50; seed++) {
        char text[16];
        mxb_params *drawn;
        snprintf(text, sizeof text, "%d", seed);
        OK(mxb_tuner_set(tuner, "random_state", text, &error), error);
        OK(mxb__tuner_draw(tuner, 0, &drawn, &error), error);
        int contradicts = strcmp(mxb_params_get(drawn, "max_max_depth"), "2") == 0;
        mxb_params_free(drawn);
        if (contradicts) {
            break;
        }
    }
    OK(mxb_tuner_run(tuner, NULL, NULL, &error), error);
    CHECK(mxb_tuner_result(tuner, &(mxb_trial){0, 0, 0}, &first));
    CHECK_INT(first.status, MXB_ERROR_PARAM);
    CHECK_TEXT(first.message, "depth_probabilities has 2 numbers; min_max_depth 2 to max_max_depth 2 is 1 depth");
    CHECK(mxb_tuner_best(tuner) != SIZE_MAX);
    mxb_tuner_free(tuner);
    mxb_params_free(deep);
}

/* Where no configuration can be trained, the reason of the first is the error, before anything else is looked at. */
static void contradictions_of_all_are_found_at_once(void) {
    static const char sentence[] = "min_max_depth is 5 and max_max_depth 3; the first must not be larger";
    mxb_params *given = PARAMS("min_max_depth", "5", "max_max_depth", "3");
    mxb_dataset *row;
    OK(mxb_dataset_create(1, &row, &error), error);
    mxb_tuner *tuner = SEARCH(row, NULL, "learning_rate 0.1 0.2 linear\n", given, "n_configs", "8");
    FAILS(mxb_tuner_check(tuner, &error), error, MXB_ERROR_PARAM, sentence);
    OK(mxb_tuner_set(tuner, "min_resource", "1/1024", &error), error);
    FAILS(mxb_tuner_check(tuner, &error), error, MXB_ERROR_PARAM,
          "8 configurations cannot go through 6 stages, each with one in 4 of the stage before: there "
          "must be at least 1024, or min_resource must be larger");
    mxb_tuner_free(tuner);
    mxb_dataset_free(row);
    check_start(SEARCH(data.dataset, NULL, "learning_rate 0.1 0.2 linear\n", given, "n_configs", "8"), MXB_ERROR_PARAM,
                sentence);
    tuner = SEARCH(data.dataset, NULL, "max_max_depth 6 7 integer\n", given, "n_configs",
                   "8"); /* wins over the one that is given */
    OK(mxb_tuner_check(tuner, &error), error);
    OK(mxb_tuner_start(tuner, &error), error);
    CHECK(mxb_tuner_memory(tuner) > 0);
    FAILS(mxb_tuner_check(tuner, &error), error, MXB_ERROR_PARAM, "the search has started: it is too late for that");
    mxb_tuner_free(tuner);
    mxb_params_free(given);
}

static void rows_are_stratified_as_asked(void) {
    static const struct {
        const char *objective;
        const char *stratify;
        int is_stratified;
    } cases[] = {{"logloss", "auto", 1}, {"mse", "auto", 0}, {"mse", "true", 1}, {"logloss", "false", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mxb_params *params = PARAMS("objective", cases[i].objective);
        mxb_tuner *tuner = SEARCH(data.dataset, NULL, SMALL_SPACE, params, "n_folds", "3", "min_resource", "1/2", "eta",
                                  "2", "stratify", cases[i].stratify, "random_state", "8");
        mxb_dataset *parts[2];
        uint64_t digests[2];
        OK(mxb_tuner_start(tuner, &error), error);
        OK(mxb_dataset_fold(data.dataset, 3, cases[i].is_stratified, 8, 0, 1, &parts[0], &parts[1], &error), error);
        OK(mxb_dataset_digest(parts[0], &digests[0], &error), error);
        OK(mxb_dataset_digest(tuner->data.folds[1].train, &digests[1], &error), error);
        CHECK(digests[0] == digests[1]);
        mxb_dataset_free(parts[0]);
        mxb_dataset_free(parts[1]);
        mxb_tuner_free(tuner);
        mxb_params_free(params);
    }
}

static void every_allocation_of_a_start_may_fail(void) {
    for (int resume = 0; resume <= 1; resume++) {
        mxb_status status = MXB_ERROR_MEMORY;
        mxb_tuner_free(run_whole(0));
        for (uint64_t n = 1; status != MXB_OK; n++) {
            mxb_tuner *tuner = search(0, "1");
            if (resume) {
                REQUIRE(journal_store("a.mxj", bytes.bytes, bytes.n_bytes - 5 * JOURNAL_RECORD_SIZE));
            } else {
                unlink("a.mxj");
            }
            OK(mxb_tuner_set_journal(tuner, "a.mxj", resume, &error), error);
            mxb__memory_fail_at(n, 0);
            status = mxb_tuner_start(tuner, &error);
            mxb__memory_fail_at(0, 0);
            CHECK(status == MXB_OK ? n > 50 : status == MXB_ERROR_MEMORY);
            CHECK(status == MXB_OK || strncmp(error.message, "out of memory", 13) == 0 ||
                  strstr(error.message, ": out of memory") != NULL);
            mxb_tuner_free(tuner);
        }
    }
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    data = data_make((struct data_recipe){.n_rows = 120, .n_features = 3, .seed = 5, .two_classes = 1, .weighted = 1});
    valid = data_make((struct data_recipe){.n_rows = 50, .n_features = 3, .seed = 6, .two_classes = 1});
    RUN(goes_on_from_wherever_it_was_cut);
    RUN(the_order_of_records_does_not_matter);
    RUN(a_search_that_is_done_runs_nothing);
    RUN(one_search_at_a_time_has_the_journal);
    RUN(results_that_cannot_be_are_refused);
    RUN(a_journal_of_failures_says_so);
    RUN(a_journal_steers_no_terminal);
    RUN(what_cannot_be_is_found_at_the_start);
    RUN(rows_that_are_dealt_to_judge_have_both_classes);
    RUN(rows_that_are_given_to_judge_are_taken);
    RUN(what_is_wrong_with_all_rows_is_said_of_them);
    RUN(too_few_rows_are_told_apart_from_too_small_a_part);
    RUN(contradictions_are_left_to_the_trials);
    RUN(contradictions_of_all_are_found_at_once);
    RUN(rows_are_stratified_as_asked);
    RUN(every_allocation_of_a_start_may_fail);
    data_clear(&data);
    data_clear(&valid);
    unlink("a.mxj");
    unlink("whole.mxj");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    return check_report();
}
