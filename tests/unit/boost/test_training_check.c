/* What is wrong with data, told before a training; and rows that cannot judge one. */
#include "base/memory.h"
#include "check.h"
#include "mixboost/tune.h"
#include "unit/boost/make_data.h"

/* What a training would complain of, without its work. */
static void data_can_be_checked_before_a_training(void) {
    struct made_data train =
        data_make((struct data_recipe){.n_rows = 60, .n_features = 3, .two_classes = 1, .seed = 2});
    struct made_data valid =
        data_make((struct data_recipe){.n_rows = 20, .n_features = 3, .two_classes = 1, .seed = 3});
    struct made_data narrow =
        data_make((struct data_recipe){.n_rows = 20, .n_features = 2, .two_classes = 1, .seed = 4});
    mxb_params *params = NULL;
    mxb_error error;
    OK(mxb_params_create(&params, &error), error);
    OK(mxb_params_set(params, "objective", "logloss", &error), error);
    OK(mxb_training_check(train.dataset, NULL, params, &error), error);
    OK(mxb_training_check(train.dataset, valid.dataset, params, &error), error);
    OK(mxb_training_check(train.dataset, valid.dataset, NULL, &error), error);
    FAILS(mxb_training_check(train.dataset, narrow.dataset, params, &error), error, MXB_ERROR_PARAM,
          "the dataset has 2 features, the training data has 3");
    valid.y[7] = 5.0;
    OK(mxb_training_check(train.dataset, valid.dataset, NULL, &error), error); /* a number like others */
    CHECK_INT(mxb_training_check(train.dataset, valid.dataset, params, &error), MXB_ERROR_DATA);
    CHECK(strstr(error.message, "the validation data") != NULL && strstr(error.message, "row 8") != NULL);
    for (size_t i = 0; i < train.n_rows; i++) {
        train.y[i] = 1.0;
    }
    CHECK_INT(mxb_training_check(train.dataset, NULL, params, &error), MXB_ERROR_DATA);
    FAILS(mxb_training_check(NULL, NULL, params, &error), error, MXB_ERROR_PARAM, "the training data is NULL");
    mxb_params_free(params);
    data_clear(&train);
    data_clear(&valid);
    data_clear(&narrow);
}

/* Twelve rows, of which those numbered 0 to 2 have label 7 and the others -1; the last four judge. */
static const double LABELS[12] = {7, 7, 7, -1, -1, -1, -1, -1, -1, -1, -1, -1};

static mxb_status judge(struct made_data *data, const char *objective, size_t *n_rarer, mxb_error *error) {
    static const size_t last[] = {8, 9, 10, 11};
    mxb_params *params = PARAMS("objective", objective);
    mxb_dataset *judging = NULL;
    CHECK_INT(mxb_dataset_select(data->dataset, last, 4, &judging, error), MXB_OK);
    mxb_status status = mxb_judging_check(data->dataset, judging, params, n_rarer, error);
    mxb_dataset_free(judging);
    mxb_params_free(params);
    return status;
}

static void rows_that_judge_have_both_classes(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 12, .n_features = 1, .seed = 1, .weighted = 1});
    mxb_error error;
    size_t n_rarer;
    memcpy(data.y, LABELS, sizeof LABELS);
    FAILS(judge(&data, "logloss", &n_rarer, &error), error, MXB_ERROR_DATA,
          "no row has label 7; of the 12 rows of the training data 3 do");
    CHECK_INT(n_rarer, 0);
    OK(judge(&data, "mse", &n_rarer, &error), error);
    CHECK(n_rarer == SIZE_MAX);
    data.weights[0] = data.weights[1] = data.weights[5] = 0.0;
    FAILS(judge(&data, "logloss", &n_rarer, &error), error, MXB_ERROR_DATA,
          "no row has label 7; of the 9 rows of the training data 1 does");
    data.y[10] = 7.0;
    OK(judge(&data, "logloss", &n_rarer, &error), error);
    CHECK_INT(n_rarer, 1);
    data.y[8] = data.y[9] = 7.0; /* now -1 is the rarer one */
    OK(judge(&data, "logloss", &n_rarer, &error), error);
    CHECK_INT(n_rarer, 1);
    data.y[8] = -1.0;
    OK(judge(&data, "logloss", &n_rarer, &error), error);
    CHECK_INT(n_rarer, 2);
    data.y[9] = -1.0;
    data.weights[10] = 0.0;
    FAILS(judge(&data, "logloss", &n_rarer, &error), error, MXB_ERROR_DATA,
          "no row has label 7; of the 8 rows of the training data 1 does");
    for (size_t i = 8; i < 12; i++) {
        data.y[i] = 7.0;
    }
    FAILS(judge(&data, "logloss", &n_rarer, &error), error, MXB_ERROR_DATA,
          "no row has label -1; of the 8 rows of the training data 4 do");
    data.y[9] = 5.0;
    CHECK_INT(judge(&data, "logloss", &n_rarer, &error), MXB_ERROR_DATA);
    CHECK(strstr(error.message, "more than two values (") != NULL);
    OK(mxb_judging_check(data.dataset, data.dataset, NULL, NULL, &error), error);
    FAILS(mxb_judging_check(NULL, data.dataset, NULL, NULL, &error), error, MXB_ERROR_PARAM, "train is NULL");
    FAILS(mxb_judging_check(data.dataset, NULL, NULL, NULL, &error), error, MXB_ERROR_PARAM, "judging is NULL");
    data_clear(&data);
}

static void every_allocation_may_fail(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 12, .n_features = 1, .seed = 1, .weighted = 1});
    mxb_params *params = PARAMS("objective", "logloss");
    mxb_error error;
    mxb_status status = MXB_ERROR_MEMORY;
    memcpy(data.y, LABELS, sizeof LABELS);
    for (uint64_t n = 1; status == MXB_ERROR_MEMORY && n < 100; n++) {
        mxb__memory_fail_at(n, 0);
        status = mxb_judging_check(data.dataset, data.dataset, params, NULL, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK ? n > 4 : status == MXB_ERROR_MEMORY);
    }
    OK(status, error);
    mxb_params_free(params);
    data_clear(&data);
}

int main(void) {
    RUN(data_can_be_checked_before_a_training);
    RUN(rows_that_judge_have_both_classes);
    RUN(every_allocation_may_fail);
    return check_report();
}
