/* Folds and fractions of the rows: against the public calls, nested, stratified. */
#include "base/memory.h"
#include "unit/tune/make_folds.h"

enum { MOST_ROWS = 1000 };

static mxb_error error;

/* Marks the numbers of a dataset's rows, and counts them. */
static size_t mark(const mxb_dataset *dataset, char marks[MOST_ROWS]) {
    double values[MOST_ROWS];
    size_t n = mxb_dataset_n_rows(dataset);
    memset(marks, 0, MOST_ROWS);
    CHECK_INT(mxb_dataset_read(dataset, 0, 0, n, values, &error), MXB_OK);
    for (size_t i = 0; i < n; i++) {
        CHECK(marks[(size_t)values[i]] == 0);
        marks[(size_t)values[i]] = 1;
    }
    return n;
}

static int same_rows(const mxb_dataset *a, const mxb_dataset *b) {
    uint64_t digests[2] = {0, 1};
    CHECK_INT(mxb_dataset_digest(a, &digests[0], &error), MXB_OK);
    CHECK_INT(mxb_dataset_digest(b, &digests[1], &error), MXB_OK);
    return digests[0] == digests[1];
}

/* ---- folds ---- */

static void folds_are_those_of_cross_validation(void) {
    struct made_data data = numbered(N_ROWS, 1);
    static const char *const seeds[] = {"0", "7"};
    for (int run = 0; run < 4; run++) {
        struct fold_data folds;
        int stratify = run / 2;
        struct settings settings = SETTINGS("n_folds", run == 0 ? "2" : "5", "random_state", seeds[run % 2]);
        size_t n_folds = run == 0 ? 2 : 5;
        OK(mxb__fold_data_init(&folds, &error), error);
        OK(mxb__fold_data_make(&folds, data.dataset, &settings, stratify, &error), error);
        CHECK_INT(folds.n_folds, n_folds);
        for (size_t fold = 0; fold < n_folds; fold++) {
            mxb_dataset *train;
            mxb_dataset *held_out;
            OK(mxb_dataset_fold(data.dataset, n_folds, stratify, (uint64_t)atoi(seeds[run % 2]), 0, fold, &train,
                                &held_out, &error),
               error);
            CHECK(same_rows(folds.folds[fold].train, train) && same_rows(folds.folds[fold].valid, held_out));
            mxb_dataset_free(train);
            mxb_dataset_free(held_out);
        }
        mxb__fold_data_clear(&folds);
    }
    data_clear(&data);
}

static void without_folds_a_fraction_judges(void) {
    struct made_data data = numbered(N_ROWS, 1);
    for (int stratify = 0; stratify <= 1; stratify++) {
        struct fold_data folds;
        mxb_dataset *train;
        mxb_dataset *valid;
        struct settings settings = SETTINGS("valid_fraction", "0.3", "random_state", "9");
        OK(mxb__fold_data_init(&folds, &error), error);
        OK(mxb__fold_data_make(&folds, data.dataset, &settings, stratify, &error), error);
        OK(mxb_dataset_split(data.dataset, 0.3, stratify, 9, &train, &valid, &error), error);
        CHECK_INT(folds.n_folds, 1);
        CHECK(same_rows(folds.folds[0].train, train) && same_rows(folds.folds[0].valid, valid));
        mxb_dataset_free(train);
        mxb_dataset_free(valid);
        mxb__fold_data_clear(&folds);
    }
    data_clear(&data);
}

/* ---- fractions ---- */

static size_t count_class(const struct made_data *data, const char marks[MOST_ROWS], double label) {
    size_t n = 0;
    for (size_t i = 0; i < data->n_rows; i++) {
        n += marks[i] && data->y[i] == label;
    }
    return n;
}

/* Each stage's rows are in the next's, as many as its resource says, with as large a share of each class. */
static void check_fractions(const struct made_data *data, const struct fold_data *folds, const struct plan *plan,
                            int stratify) {
    static char marks[2][MOST_ROWS];
    for (size_t fold = 0; fold < folds->n_folds; fold++) {
        size_t n_all = mark(folds->folds[fold].train, marks[1]);
        size_t of_class[2] = {count_class(data, marks[1], 0.0), count_class(data, marks[1], 1.0)};
        CHECK(mxb__fold_data_rows(folds, fold, plan->n_stages - 1) == folds->folds[fold].train);
        for (size_t stage = plan->n_stages - 1; stage > 0; stage--) {
            double resource = plan->stages[stage - 1].resource;
            size_t n = mark(mxb__fold_data_rows(folds, fold, stage - 1), marks[0]);
            CHECK(fabs((double)n - resource * (double)n_all) <= (stratify ? 2.0 : 1.0));
            for (size_t i = 0; i < MOST_ROWS; i++) {
                CHECK(!marks[0][i] || marks[1][i]);
            }
            for (int label = 0; stratify && label <= 1; label++) {
                double wanted = resource * (double)of_class[label];
                CHECK(fabs((double)count_class(data, marks[0], label) - wanted) <= 1.5);
            }
            memcpy(marks[1], marks[0], MOST_ROWS);
        }
    }
}

static void fractions_are_nested_and_stratified(void) {
    static const struct {
        const char *eta;
        const char *min_resource;
        size_t n_stages;
    } cases[] = {{"2", "1/2", 2}, {"2", "1/16", 5}, {"3", "1/9", 3}, {"4", "1/20", 3}, {"10", "0.1", 2}, {"4", "1", 1}};
    struct made_data data = numbered(970, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int stratify = 0; stratify <= 1; stratify++) {
            struct fold_data folds;
            struct settings settings =
                SETTINGS("n_folds", i % 2 == 0 ? "3" : "0", "eta", cases[i].eta, "min_resource", cases[i].min_resource);
            struct plan plan = plan_of(&settings);
            CHECK_INT(plan.n_stages, cases[i].n_stages);
            OK(mxb__fold_data_init(&folds, &error), error);
            OK(mxb__fold_data_make(&folds, data.dataset, &settings, stratify, &error), error);
            OK(mxb__fold_data_cut(&folds, &plan, &settings, stratify, &error), error);
            check_fractions(&data, &folds, &plan, stratify);
            mxb__fold_data_clear(&folds);
        }
    }
    data_clear(&data);
}

/* The rows of the first stage, as a digest. */
static uint64_t digest_fraction(const struct made_data *data, const char *seed, size_t fold, size_t stage) {
    struct fold_data folds;
    uint64_t digest = 0;
    struct settings settings = SETTINGS("eta", "2", "min_resource", "1/4", "random_state", seed);
    struct plan plan = plan_of(&settings);
    CHECK_INT(mxb__fold_data_init(&folds, &error), MXB_OK);
    for (int i = 0; i < 2; i++) { /* the same rows twice */
        CHECK_INT(mxb__fold_data_add(&folds, data->dataset, data->dataset, 0, &error), MXB_OK);
    }
    CHECK_INT(mxb__fold_data_cut(&folds, &plan, &settings, 0, &error), MXB_OK);
    CHECK_INT(mxb_dataset_digest(mxb__fold_data_rows(&folds, fold, stage), &digest, &error), MXB_OK);
    mxb__fold_data_clear(&folds);
    return digest;
}

static void fractions_follow_from_seed_and_fold(void) {
    struct made_data data = numbered(N_ROWS, 0);
    uint64_t first = digest_fraction(&data, "1", 0, 0);
    CHECK(first == digest_fraction(&data, "1", 0, 0));
    CHECK(first != digest_fraction(&data, "2", 0, 0));
    CHECK(first != digest_fraction(&data, "1", 1, 0));
    CHECK(digest_fraction(&data, "1", 0, 1) != digest_fraction(&data, "2", 0, 1));
    data_clear(&data);
}

static void stages_of_rounds_have_all_rows(void) {
    struct made_data data = numbered(N_ROWS, 0);
    struct fold_data folds;
    struct settings settings = SETTINGS("resource", "rounds", "min_resource", "1/16");
    struct plan plan = plan_of(&settings);
    OK(mxb__fold_data_init(&folds, &error), error);
    OK(mxb__fold_data_make(&folds, data.dataset, &settings, 0, &error), error);
    OK(mxb__fold_data_cut(&folds, &plan, &settings, 0, &error), error);
    for (size_t stage = 0; stage < plan.n_stages; stage++) {
        CHECK(mxb__fold_data_rows(&folds, 0, stage) == folds.folds[0].train);
    }
    mxb__fold_data_clear(&folds);
    data_clear(&data);
}

static void too_few_rows_are_refused(void) {
    for (size_t n_rows = 10; n_rows <= 80; n_rows += 7) {
        struct made_data data = numbered(n_rows, 1);
        struct fold_data folds;
        struct settings settings = SETTINGS("eta", "2", "min_resource", "1/16", "valid_fraction", "0.5");
        struct plan plan = plan_of(&settings);
        OK(mxb__fold_data_init(&folds, &error), error);
        OK(mxb__fold_data_make(&folds, data.dataset, &settings, 0, &error), error);
        size_t n_train = mxb_dataset_n_rows(folds.folds[0].train);
        mxb_status status = mxb__fold_data_cut(&folds, &plan, &settings, 0, &error);
        CHECK_INT(status, n_train < 32 ? MXB_ERROR_DATA : MXB_OK);
        if (status != MXB_OK) {
            char sentence[256];
            snprintf(sentence, sizeof sentence,
                     "the first stage has 1/16 of %zu rows, which are fewer than 2; min_resource must be larger",
                     n_train);
            CHECK_TEXT(error.message, sentence);
        }
        mxb__fold_data_clear(&folds);
        data_clear(&data);
    }
}

/* Labels that are all different cannot be stratified. */
static void fractions_that_cannot_be_had_are_refused(void) {
    struct made_data data = numbered(N_ROWS, 0);
    struct fold_data folds;
    struct settings settings = SETTINGS("eta", "4", "min_resource", "1/4");
    struct plan plan = plan_of(&settings);
    OK(mxb__fold_data_init(&folds, &error), error);
    OK(mxb__fold_data_add(&folds, data.dataset, data.dataset, 0, &error), error);
    CHECK_INT(mxb__fold_data_cut(&folds, &plan, &settings, 1, &error), MXB_ERROR_DATA);
    CHECK(strncmp(error.message, "the fractions of the rows, 1/4 and more, cannot be had: ", 56) == 0);
    CHECK(strlen(error.message) > 70);
    mxb__fold_data_clear(&folds);
    data_clear(&data);
}

static void datasets_of_a_fold_that_is_not_added_are_freed(void) {
    struct made_data data = numbered(N_ROWS, 1);
    for (uint64_t n = 1; n < 100; n++) {
        struct fold_data folds;
        struct settings settings = SETTINGS("n_folds", "3");
        OK(mxb__fold_data_init(&folds, &error), error);
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb__fold_data_make(&folds, data.dataset, &settings, 0, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == (folds.n_folds == 3 ? MXB_OK : MXB_ERROR_MEMORY));
        mxb__fold_data_clear(&folds); /* the sanitizer looks for leaks */
    }
    data_clear(&data);
}

int main(void) {
    RUN(folds_are_those_of_cross_validation);
    RUN(without_folds_a_fraction_judges);
    RUN(fractions_are_nested_and_stratified);
    RUN(fractions_follow_from_seed_and_fold);
    RUN(stages_of_rounds_have_all_rows);
    RUN(too_few_rows_are_refused);
    RUN(fractions_that_cannot_be_had_are_refused);
    RUN(datasets_of_a_fold_that_is_not_added_are_freed);
    return check_report();
}
