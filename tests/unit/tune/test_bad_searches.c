/* Calls on spaces and tuners that cannot be, as a table: what is called, the status, and the sentence letter by letter.
 * The others are in boost/test_bad_calls.c. */
#include <stdlib.h>

#include "check.h"
#include "mixboost/tune.h"

static int n_calls;
static mxb_error error;
static const double numbers[6] = {1, 2, 3, 4, 5, 6};
static const size_t row_numbers[3] = {0, 2, 4};
static mxb_dataset *data;
static mxb_params *params;

/* One call that must fail. */
#define BAD_PARAM(call, sentence)                      \
    do {                                               \
        n_calls++;                                     \
        FAILS(call, error, MXB_ERROR_PARAM, sentence); \
    } while (0)

static void must(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(2);
    }
}

static void make_all(void) {
    must(mxb_dataset_create(6, &data, &error));
    must(mxb_dataset_add_matrix(data, numbers, MXB_FLOAT64, 1, 8, 48, &error));
    must(mxb_dataset_set_label(data, numbers, 8, MXB_FLOAT64, &error));
    must(mxb_params_create(&params, &error));
}

static void of_spaces(void) {
    mxb_space *space;
    BAD_PARAM(mxb_space_create("alpha 1", NULL, &error), "space is NULL");
    BAD_PARAM(mxb_space_create(NULL, &space, &error), "the text of a search space is NULL");
    BAD_PARAM(mxb_space_create("", &space, &error), "the search space has no option");
    BAD_PARAM(mxb_space_create("beta 1", &space, &error), "line 1 of the search space: there is no option \"beta\"");
    BAD_PARAM(mxb_space_create("alpha 2 1 linear", &space, &error),
              "line 1 of the search space: the lowest alpha, 2, is above the highest, 1");
    BAD_PARAM(mxb_space_fix(NULL, "alpha", "1", &error), "space, option or value is NULL");
    must(mxb_space_create("alpha 1 2 linear", &space, &error));
    BAD_PARAM(mxb_space_fix(space, NULL, "1", &error), "space, option or value is NULL");
    BAD_PARAM(mxb_space_fix(space, "alpha", NULL, &error), "space, option or value is NULL");
    BAD_PARAM(mxb_space_fix(space, "beta", "1", &error), "there is no option \"beta\"");
    BAD_PARAM(mxb_space_fix(space, "alpha", "-1", &error), "alpha is \"-1\"; it must be 0 to 1e300, or auto");
    BAD_PARAM(mxb_space_draw(NULL, 1, 0, params, &error), "space is NULL");
    BAD_PARAM(mxb_space_draw(space, 1, 0, NULL, &error), "params is NULL");
    mxb_space_free(space);
}

static void of_tuners(void) {
    mxb_tuner *tuner;
    mxb_trial trial = {0, 0, 0};
    mxb_trial_result result = {0};
    BAD_PARAM(mxb_tuner_create(NULL, NULL, NULL, params, &tuner, &error), "train is NULL");
    BAD_PARAM(mxb_tuner_create(data, NULL, NULL, params, NULL, &error), "tuner is NULL");
    must(mxb_tuner_create(data, NULL, NULL, params, &tuner, &error));
    BAD_PARAM(mxb_tuner_set(NULL, "eta", "2", &error), "tuner is NULL");
    BAD_PARAM(mxb_tuner_set(tuner, NULL, "2", &error), "a setting needs a name and a value; one of them is NULL");
    BAD_PARAM(mxb_tuner_set(tuner, "eta", NULL, &error), "a setting needs a name and a value; one of them is NULL");
    BAD_PARAM(mxb_tuner_set(tuner, "etta", "2", &error), "there is no setting \"etta\"");
    BAD_PARAM(mxb_tuner_set(tuner, "eta", "1", &error), "eta is \"1\"; it must be a whole number, 2 to 1000");
    BAD_PARAM(mxb_tuner_set(tuner, "n_configs", "0", &error),
              "n_configs is \"0\"; it must be a whole number, 1 to 1000000");
    BAD_PARAM(mxb_tuner_set(tuner, "scoring", "", &error),
              "scoring is \"\"; it must be a name of up to 63 printable characters");
    BAD_PARAM(mxb_tuner_set(tuner, "stratify", "yes", &error), "stratify is \"yes\"; it must be false | true | auto");
    BAD_PARAM(mxb_tuner_set(tuner, "n_folds", "1", &error),
              "n_folds is \"1\"; it must be a whole number, 2 to 1000, or 0");
    BAD_PARAM(mxb_tuner_set(tuner, "memory", "-1", &error),
              "memory is \"-1\"; it must be a whole number, 0 to 1000000000");
    BAD_PARAM(mxb_tuner_add_fold(NULL, row_numbers, 3, row_numbers, 3, &error), "tuner is NULL");
    BAD_PARAM(mxb_tuner_add_fold(tuner, NULL, 3, row_numbers, 3, &error), "rows is NULL");
    BAD_PARAM(mxb_tuner_add_fold(tuner, row_numbers, 3, NULL, 3, &error), "rows is NULL");
    BAD_PARAM(mxb_tuner_add_fold(tuner, (const size_t[]){6}, 1, row_numbers, 3, &error),
              "rows[0] is 6; the dataset has 6 rows, counted from 0");
    BAD_PARAM(mxb_tuner_set_journal(NULL, "j.mxj", 0, &error), "tuner is NULL");
    BAD_PARAM(mxb_tuner_set_journal(tuner, NULL, 0, &error), "the path of a journal is NULL");
    BAD_PARAM(mxb_tuner_check(NULL, &error), "tuner is NULL");
    BAD_PARAM(mxb_tuner_start(NULL, &error), "tuner is NULL");
    BAD_PARAM(mxb_tuner_run(NULL, NULL, NULL, &error), "tuner is NULL");
    BAD_PARAM(mxb_tuner_evaluate(NULL, &trial, 1, NULL, NULL, &result, NULL, &error), "tuner is NULL");
    BAD_PARAM(mxb_tuner_tell(tuner, &trial, &result, &error), "the search has not started");
    BAD_PARAM(mxb_tuner_ranking(tuner, NULL, &error), "the search has not started");
    BAD_PARAM(mxb_tuner_importance(tuner, NULL, &error), "the search has not started");
    BAD_PARAM(mxb_tuner_refit(tuner, NULL, NULL, NULL, &error), "model is NULL");
    mxb_tuner_free(tuner);
}

int main(void) {
    make_all();
    RUN(of_spaces);
    RUN(of_tuners);
    mxb_params_free(params);
    mxb_dataset_free(data);
    printf("%d bad calls\n", n_calls);
    return check_report();
}
