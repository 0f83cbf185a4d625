/* A tuner before its start: what it takes and what it refuses, configurations, memory that fails. */
#include "tune/tuner.h"

#include "base/memory.h"
#include "unit/boost/make_own.h"
#include "unit/tune/make_search.h"

static mxb_error error;
static struct made_data data;

static void makes_and_frees(void) {
    mxb_tuner *tuner = (mxb_tuner *)&data;
    mxb_space *fixed;
    OK(mxb_tuner_create(data.dataset, NULL, NULL, NULL, &tuner, &error), error);
    for (size_t i = 0; i < mxb_setting_count(); i++) {
        CHECK_TEXT(mxb_tuner_get(tuner, mxb_setting_name(i)), mxb_setting_default(i));
    }
    CHECK(mxb_tuner_get(tuner, "depth") == NULL);
    CHECK(mxb_tuner_warning(tuner) == NULL);
    OK(mxb_space_create(mxb_space_built_in("default"), &fixed, &error), error);
    CHECK_INT(mxb_space_n_options(mxb_tuner_space(tuner)), mxb_space_n_options(fixed));
    for (size_t i = 0; i < mxb_space_n_options(fixed); i++) {
        CHECK_TEXT(mxb_space_option(mxb_tuner_space(tuner), i), mxb_space_option(fixed, i));
    }
    mxb_space_free(fixed);
    mxb_tuner_free(tuner);
    mxb_tuner_free(NULL);
    tuner = (mxb_tuner *)&data;
    FAILS(mxb_tuner_create(NULL, NULL, NULL, NULL, &tuner, &error), error, MXB_ERROR_PARAM, "train is NULL");
    FAILS(mxb_tuner_create(data.dataset, NULL, NULL, NULL, NULL, &error), error, MXB_ERROR_PARAM, "tuner is NULL");
}

static void settings_are_set_until_the_start(void) {
    static const char late[] = "the search has started: it is too late for that";
    const size_t rows[] = {0, 1, 2, 3};
    mxb_tuner *tuner = SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "n_configs", "4", "min_resource", "1");
    CHECK_TEXT(mxb_tuner_get(tuner, "n_configs"), "4");
    FAILS(mxb_tuner_set(tuner, "eta", "1", &error), error, MXB_ERROR_PARAM,
          "eta is \"1\"; it must be a whole number, 2 to 1000");
    CHECK_TEXT(mxb_tuner_get(tuner, "eta"), "4");
    FAILS(mxb_tuner_set(tuner, NULL, "1", &error), error, MXB_ERROR_PARAM,
          "a setting needs a name and a value; one of them is NULL");
    FAILS(mxb_tuner_set(tuner, "eta", NULL, &error), error, MXB_ERROR_PARAM,
          "a setting needs a name and a value; one of them is NULL");
    FAILS(mxb_tuner_set(NULL, "eta", "2", &error), error, MXB_ERROR_PARAM, "tuner is NULL");
    FAILS(mxb_tuner_set_journal(NULL, "a", 0, &error), error, MXB_ERROR_PARAM, "tuner is NULL");
    FAILS(mxb_tuner_set_journal(tuner, NULL, 0, &error), error, MXB_ERROR_PARAM, "the path of a journal is NULL");
    OK(mxb_tuner_start(tuner, &error), error);
    FAILS(mxb_tuner_set(tuner, "eta", "3", &error), error, MXB_ERROR_PARAM, late);
    FAILS(mxb_tuner_set_journal(tuner, "a", 0, &error), error, MXB_ERROR_PARAM, late);
    FAILS(mxb_tuner_add_fold(tuner, rows, 2, rows + 2, 2, &error), error, MXB_ERROR_PARAM, late);
    FAILS(mxb_tuner_start(tuner, &error), error, MXB_ERROR_PARAM, late);
    CHECK_TEXT(mxb_tuner_get(tuner, "eta"), "4");
    mxb_tuner_free(tuner);
}

/* Later changes of what was handed in change nothing. */
static void space_and_options_are_copied(void) {
    mxb_space *space;
    mxb_tuner *tuner;
    mxb_params *params = PARAMS("num_round", "7", "learning_rate", "0.5");
    mxb_params *drawn;
    OK(mxb_space_create("learning_rate 0.1 0.4 linear\n", &space, &error), error);
    OK(mxb_tuner_create(data.dataset, NULL, space, params, &tuner, &error), error);
    OK(mxb_params_set(params, "num_round", "9", &error), error);
    OK(mxb_space_fix(space, "learning_rate", "0.9", &error), error);
    mxb_space_free(space);
    OK(mxb__tuner_draw(tuner, 3, &drawn, &error), error);
    CHECK_TEXT(mxb_params_get(drawn, "num_round"), "7");
    CHECK(strtod(mxb_params_get(drawn, "learning_rate"), NULL) <= 0.4);
    mxb_params_free(drawn);
    mxb_params_free(params);
    mxb_tuner_free(tuner);
}

/* The options of a configuration: those of the search under those drawn, by the search's seed. */
static void configurations_are_drawn_from_the_space(void) {
    struct own_loss own = {.two_classes = 0};
    for (size_t config = 0; config < 20; config++) {
        mxb_params *params = PARAMS("alpha", "0.7", "learning_rate", "0.01", "random_state", "4");
        mxb_params *drawn;
        REQUIRE(own_loss_set(params, &own, "mine", 0));
        mxb_tuner *tuner = SEARCH(data.dataset, NULL, SMALL_SPACE, params, "random_state", config < 10 ? "0" : "77");
        OK(mxb__tuner_draw(tuner, config, &drawn, &error), error);
        OK(mxb_space_draw(mxb_tuner_space(tuner), config < 10 ? 0 : 77, config, params, &error), error);
        for (size_t i = 0; i < mxb_option_count(); i++) {
            CHECK_TEXT(mxb_params_get(drawn, mxb_option_name(i)), mxb_params_get(params, mxb_option_name(i)));
        }
        CHECK_TEXT(mxb_params_get(drawn, "alpha"), "0.7");
        CHECK(strcmp(mxb_params_get(drawn, "learning_rate"), "0.01") != 0);
        CHECK(mxb_params_own_digest(drawn) != 0);
        mxb_params_free(drawn);
        mxb_params_free(params);
        mxb_tuner_free(tuner);
    }
}

/* ---- folds of the caller's ---- */

static void folds_are_the_rows_that_were_given(void) {
    const size_t rows[] = {50, 3, 3, 17, 20, 21, 22, 23, 0, 1};
    mxb_tuner *tuner = SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "n_folds", "7", "min_resource", "1");
    OK(mxb_tuner_add_fold(tuner, rows, 8, rows + 8, 2, &error), error);
    OK(mxb_tuner_add_fold(tuner, rows + 2, 6, rows, 2, &error), error);
    OK(mxb_tuner_start(tuner, &error), error);
    CHECK_INT(mxb_tuner_n_folds(tuner), 2); /* and none of the settings' */
    for (size_t fold = 0; fold < 2; fold++) {
        double values[8];
        size_t n = fold == 0 ? 8 : 6;
        CHECK_INT(mxb_dataset_n_rows(tuner->data.folds[fold].train), n);
        CHECK_INT(mxb_dataset_n_rows(tuner->data.folds[fold].valid), 2);
        OK(mxb_dataset_read(tuner->data.folds[fold].train, 1, 0, n, values, &error), error);
        for (size_t i = 0; i < n; i++) {
            CHECK(values[i] == data.x[data.n_rows + rows[i + 2 * fold]]);
        }
        OK(mxb_dataset_read(tuner->data.folds[fold].valid, 1, 0, 2, values, &error), error);
        CHECK(values[0] == data.x[data.n_rows + rows[fold == 0 ? 8 : 0]]);
    }
    mxb_tuner_free(tuner);
}

static void folds_that_cannot_be_are_refused(void) {
    const size_t rows[] = {0, 1, 2, 1000};
    mxb_tuner *tuner = SEARCH(data.dataset, data.dataset, SMALL_SPACE, NULL, "eta", "2");
    FAILS(mxb_tuner_add_fold(tuner, rows, 2, rows + 2, 1, &error), error, MXB_ERROR_PARAM,
          "there is a validation set already, so there can be no folds");
    mxb_tuner_free(tuner);
    tuner = SEARCH(data.dataset, NULL, SMALL_SPACE, NULL, "eta", "2");
    CHECK_INT(mxb_tuner_add_fold(tuner, rows, 4, rows, 2, &error), MXB_ERROR_PARAM);
    CHECK(strstr(error.message, "1000") != NULL); /* a row that is not there, on either side */
    CHECK_INT(mxb_tuner_add_fold(tuner, rows, 2, rows, 4, &error), MXB_ERROR_PARAM);
    CHECK(strstr(error.message, "1000") != NULL);
    CHECK_INT(mxb_tuner_add_fold(tuner, NULL, 2, rows, 2, &error), MXB_ERROR_PARAM);
    CHECK_INT(tuner->data.n_folds, 0);
    CHECK_INT(tuner->folds_digest, 0);
    mxb_tuner_free(tuner);
}

/* ---- memory ---- */

static mxb_status make_all(mxb_tuner **tuner) {
    const size_t rows[] = {0, 1, 2, 3};
    mxb_status status = mxb_tuner_create(data.dataset, NULL, NULL, NULL, tuner, &error);
    if (status == MXB_OK) {
        status = mxb_tuner_add_fold(*tuner, rows, 2, rows + 2, 2, &error);
    }
    if (status == MXB_OK) {
        status = mxb_tuner_set_journal(*tuner, "a.mxj", 0, &error);
    }
    if (status == MXB_OK) {
        status = mxb_tuner_set_journal(*tuner, "b.mxj", 0, &error);
    }
    return status;
}

static void every_allocation_may_fail(void) {
    mxb_status status = MXB_ERROR_MEMORY;
    for (uint64_t n = 1; status != MXB_OK; n++) {
        mxb_tuner *tuner = NULL;
        mxb__memory_fail_at(n, 0);
        status = make_all(&tuner);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK ? n > 20 : status == MXB_ERROR_MEMORY);
        mxb_tuner_free(tuner);
    }
}

int main(void) {
    data = data_make((struct data_recipe){.n_rows = 80, .n_features = 2, .seed = 5});
    RUN(makes_and_frees);
    RUN(settings_are_set_until_the_start);
    RUN(space_and_options_are_copied);
    RUN(configurations_are_drawn_from_the_space);
    RUN(folds_are_the_rows_that_were_given);
    RUN(folds_that_cannot_be_are_refused);
    RUN(every_allocation_may_fail);
    data_clear(&data);
    return check_report();
}
