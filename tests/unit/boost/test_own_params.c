/* What a caller adds to the options, and models that need it. */
#include "base/memory.h"
#include "boost/params.h"
#include "check.h"
#include "mixboost/tune.h"
#include "unit/boost/make_data.h"
#include "unit/boost/make_own.h"

static void a_loss_takes_the_place_of_the_objective(void) {
    mxb_params *params = PARAMS("objective", "logloss");
    struct own_loss own = {0};
    mxb_error error;
    REQUIRE(params != NULL);
    CHECK_TEXT(mxb__params_loss_name(params), "logloss");
    CHECK(own_loss_set(params, &own, "mine", 1));
    CHECK_TEXT(mxb__params_loss_name(params), "mine");
    CHECK_TEXT(mxb_params_get(params, "objective"), "logloss");
    CHECK(params->own.loss.value == own_value && params->own.loss.context == &own);
    OK(mxb_params_set_loss(params, NULL, &error), error);
    CHECK_TEXT(mxb__params_loss_name(params), "logloss");
    FAILS(mxb_params_set_loss(NULL, NULL, &error), error, MXB_ERROR_PARAM, "params is NULL");
    mxb_params_free(params);
}

static void learners_share_probability_1(void) {
    mxb_params *params = PARAMS("num_round", "3");
    struct line_learner lines = {0};
    mxb_learner *learner = line_learner_make(&lines, "three", 0);
    mxb_error error;
    REQUIRE(params != NULL && learner != NULL);
    CHECK(mxb__params_built_in(params) == 1.0);
    CHECK(line_learner_add(params, &lines, "one", 0, 0.7));
    CHECK_NEAR(mxb__params_built_in(params), 0.3, 1e-15);
    CHECK(line_learner_add(params, &lines, "two", 0, 0.2));
    CHECK_NEAR(mxb__params_built_in(params), 0.1, 1e-15);
    FAILS(mxb_params_add_learner(params, learner, 0.2, &error), error, MXB_ERROR_PARAM,
          "with the learner \"three\" the probabilities sum to 1.0999999999999999; they must not exceed 1");
    OK(mxb_params_add_learner(params, learner, 0.1, &error), error); /* 0.7 + 0.2 + 0.1 is 0.99...9 */
    CHECK(mxb__params_built_in(params) == 0.0);
    CHECK_INT(params->own.n_learners, 3);
    mxb_learner_free(learner);
    mxb_params_free(params);
}

/* They go with a copy, and whoever has it knows that callbacks are in it. */
static void copies_have_the_callers_parts(void) {
    mxb_params *params = PARAMS("num_round", "3");
    mxb_params *copy;
    struct own_loss own = {0};
    struct line_learner lines = {0};
    mxb_error error;
    REQUIRE(params != NULL);
    CHECK(mxb_params_own_digest(params) == 0);
    CHECK(line_learner_add(params, &lines, "line", 0, 0.5));
    CHECK(mxb_params_own_digest(params) != 0);
    OK(mxb_params_copy(params, &copy, &error), error);
    CHECK(mxb_params_own_digest(copy) != 0);
    CHECK_NEAR(mxb__params_built_in(copy), 0.5, 0.0);
    mxb_params_free(copy);
    mxb_params_free(params);
    params = PARAMS("num_round", "3");
    CHECK(own_loss_set(params, &own, "mine", 1));
    CHECK(mxb_params_own_digest(params) != 0);
    OK(mxb_params_copy(params, &copy, &error), error);
    OK(mxb_params_set_loss(params, NULL, &error), error);
    CHECK(mxb_params_own_digest(params) == 0);
    CHECK(mxb_params_own_digest(copy) != 0);
    CHECK_TEXT(mxb__params_loss_name(copy), "mine");
    mxb_params_free(copy);
    mxb_params_free(params);
}

/* Though both say the same two words. */
static void a_loss_is_not_taken_for_a_learner(void) {
    mxb_params *with_loss = PARAMS("num_round", "3"), *with_learner = PARAMS("num_round", "3");
    struct own_loss own = {0};
    struct line_learner lines = {0};
    REQUIRE(with_loss != NULL && with_learner != NULL);
    CHECK(own_loss_set(with_loss, &own, "mine", 1) && line_learner_add(with_learner, &lines, "mine", 0, 0.5));
    strcpy(with_loss->own.loss.metric_name, "0.5");
    CHECK(mxb_params_own_digest(with_loss) != mxb_params_own_digest(with_learner));
    mxb_params_free(with_loss);
    mxb_params_free(with_learner);
}

static void wrong_learners_are_refused(void) {
    mxb_params *params = PARAMS("num_round", "3");
    struct line_learner lines = {0};
    mxb_learner *learner = line_learner_make(&lines, "line", 0);
    mxb_error error;
    char name[16];
    REQUIRE(params != NULL && learner != NULL);
    FAILS(mxb_params_add_learner(NULL, learner, 0.5, &error), error, MXB_ERROR_PARAM, "params is NULL");
    FAILS(mxb_params_add_learner(params, NULL, 0.5, &error), error, MXB_ERROR_PARAM, "the learner is NULL");
    FAILS(mxb_params_add_learner(params, learner, -0.5, &error), error, MXB_ERROR_PARAM,
          "the probability of the learner \"line\" is -0.5; it must be 0 to 1");
    FAILS(mxb_params_add_learner(params, learner, (double)NAN, &error), error, MXB_ERROR_PARAM,
          "the probability of the learner \"line\" is nan; it must be 0 to 1");
    CHECK_INT(mxb_params_add_learner(params, learner, 1.5, &error), MXB_ERROR_PARAM);
    OK(mxb_params_add_learner(params, learner, 0, &error), error);
    FAILS(mxb_params_add_learner(params, learner, 0.5, &error), error, MXB_ERROR_PARAM,
          "there is already a learner \"line\"");
    for (int i = 1; i < 64; i++) {
        snprintf(name, sizeof name, "l%d", i);
        CHECK(line_learner_add(params, &lines, name, 0, 1.0 / 128));
    }
    mxb_learner *extra = line_learner_make(&lines, "extra", 0);
    FAILS(mxb_params_add_learner(params, extra, 0, &error), error, MXB_ERROR_PARAM,
          "the learner \"extra\" is one too many; there may be 64");
    mxb_learner_free(extra);
    mxb_learner_free(learner);
    mxb_params_free(params);
}

/* ---- loading ---- */

static const char PATH[] = "test_own_params.mxb";

/* A model of lines, trees and ridge rounds with a loss that has a link. */
static mxb_model *train_mixed(struct line_learner *lines, struct own_loss *own, const struct made_data *data,
                              mxb_params **params) {
    mxb_model *model = NULL;
    mxb_error error;
    *params = PARAMS("num_round", "12", "n_components", "6", "max_max_depth", "3", "tree_probability", "0.6");
    if (*params == NULL || !line_learner_add(*params, lines, "line", 1, 0.4) ||
        !own_loss_set(*params, own, "mine", 1)) {
        return NULL;
    }
    if (mxb_train(data->dataset, NULL, *params, NULL, NULL, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return model;
}

static void a_model_is_loaded_with_what_it_needs(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 80, .n_features = 3, .seed = 2});
    struct line_learner lines = {0};
    struct own_loss own = {0};
    mxb_params *params;
    mxb_model *model = train_mixed(&lines, &own, &data, &params), *loaded;
    mxb_error error;
    double predicted[2][80], raw[80];
    REQUIRE(model != NULL);
    OK(mxb_model_save(model, PATH, &error), error);
    OK(mxb_model_load_with(PATH, params, &loaded, &error), error);
    CHECK(lines.n_reads > 0 && lines.n_reads < 12);
    CHECK_TEXT(mxb_model_metric(loaded), "my rmse");
    CHECK_TEXT(mxb_model_option(loaded, "objective"), "mine");
    for (int output = MXB_PREDICT_VALUE; output <= MXB_PREDICT_RAW; output += 2) {
        OK(mxb_model_predict(model, data.dataset, (mxb_output)output, 1, predicted[0], &error), error);
        OK(mxb_model_predict(loaded, data.dataset, (mxb_output)output, 2, predicted[1], &error), error);
        CHECK(memcmp(predicted[0], predicted[1], sizeof predicted[0]) == 0);
    }
    memcpy(raw, predicted[0], sizeof raw);
    OK(mxb_model_predict(loaded, data.dataset, MXB_PREDICT_VALUE, 1, predicted[0], &error), error);
    for (size_t i = 0; i < 80; i++) {
        CHECK(predicted[0][i] == 2 * raw[i]); /* the link */
    }
    struct model_bytes bytes = bytes_of(model), again = bytes_of(loaded);
    CHECK(same_bytes(bytes, again));
    mxb_model *from_bytes;
    OK(mxb_model_from_bytes_with(bytes.bytes, bytes.n_bytes, params, &from_bytes, &error), error);
    OK(mxb_model_predict(from_bytes, data.dataset, MXB_PREDICT_VALUE, 1, predicted[1], &error), error);
    CHECK(memcmp(predicted[0], predicted[1], sizeof predicted[0]) == 0);
    mxb_model_free(from_bytes);
    OK(mxb_model_from_bytes_with(bytes.bytes, bytes.n_bytes, NULL, &from_bytes, &error), error);
    struct model_bytes kept = bytes_of(from_bytes); /* although nobody here knows the learner */
    CHECK(same_bytes(bytes, kept));
    mxb_bytes_free(kept.bytes);
    mxb_model_free(from_bytes);
    FAILS(mxb_model_from_bytes_with(NULL, 0, params, &from_bytes, &error), error, MXB_ERROR_PARAM, "bytes is NULL");
    mxb_bytes_free(bytes.bytes);
    mxb_bytes_free(again.bytes);
    mxb_model_free(loaded);
    mxb_model_free(model);
    CHECK_INT(lines.n_live, 0);
    mxb_params_free(params);
    data_clear(&data);
    remove(PATH);
}

/* The metric of a model on other rows is that of its loss, which must be there. */
static void a_model_is_judged_by_its_own_loss(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 80, .n_features = 3, .seed = 2});
    struct line_learner lines = {0};
    struct own_loss own = {0};
    mxb_params *params;
    mxb_model *model = train_mixed(&lines, &own, &data, &params), *loaded;
    mxb_error error;
    double metric, losses[3];
    REQUIRE(model != NULL);
    OK(mxb_model_evaluate(model, data.dataset, 1, &metric, &error), error);
    CHECK_NEAR(metric, mxb_model_curve(model, 12, 0), 1e-12);
    own.metric_mischief = (struct mischief){own.n_metrics + 1, MXB_OK, (double)NAN, 0};
    FAILS(mxb_model_evaluate(model, data.dataset, 1, &metric, &error), error, MXB_ERROR_DATA,
          "the loss \"mine\" gave a metric of nan after round 12 on the dataset");
    OK(mxb_model_save(model, PATH, &error), error);
    OK(mxb_model_load(PATH, &loaded, &error), error);
    FAILS(mxb_model_evaluate(loaded, data.dataset, 1, &metric, &error), error, MXB_ERROR_PARAM,
          "the loss \"mine\" is not here; load the model by mxb_model_load_with and params with that loss");
    own.metric_mischief = (struct mischief){0};
    CHECK_INT(mxb_params_set(params, "objective", "logloss", NULL), MXB_OK); /* the loss counts, not this */
    OK(mxb_cross_validate(data.dataset, params, 3, 1, 0, 1, NULL, NULL, losses, &error), error);
    CHECK(losses[0] > 0 && losses[1] > 0 && losses[2] > 0);
    mxb_model_free(loaded);
    mxb_model_free(model);
    CHECK_INT(lines.n_live, 0);
    mxb_params_free(params);
    data_clear(&data);
    remove(PATH);
}

/* Without its learner or its loss a model can be looked at and saved, and says what predictions miss. */
static void what_is_not_brought_is_missed_late(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 80, .n_features = 3, .seed = 2});
    struct line_learner lines = {0};
    struct own_loss own = {0};
    mxb_params *params, *only_learner = PARAMS("num_round", "3");
    mxb_model *model = train_mixed(&lines, &own, &data, &params), *loaded;
    mxb_error error;
    double out[80];
    REQUIRE(model != NULL && only_learner != NULL);
    OK(mxb_model_save(model, PATH, &error), error);
    struct model_bytes bytes = bytes_of(model);
    for (int k = 0; k < 3; k++) { /* nothing, params without learners, a learner that cannot read */
        struct line_learner mute = {0};
        CHECK(k < 2 || line_learner_add(only_learner, &mute, "line", 0, 0));
        OK(k == 0 ? mxb_model_load(PATH, &loaded, &error)
                  : mxb_model_load_with(PATH, k == 1 ? NULL : only_learner, &loaded, &error),
           error);
        struct model_bytes again = bytes_of(loaded);
        CHECK(same_bytes(bytes, again));
        FAILS(mxb_model_predict(loaded, data.dataset, MXB_PREDICT_RAW, 1, out, &error), error, MXB_ERROR_PARAM,
              "the model has rounds of the learner \"line\", which is not here; load it by mxb_model_load_with and "
              "params with that learner");
        FAILS(mxb_model_predict(loaded, data.dataset, MXB_PREDICT_VALUE, 1, out, &error), error, MXB_ERROR_PARAM,
              "predictions of the loss \"mine\" go through its link, which is not here; load the model by "
              "mxb_model_load_with and params with that loss, or ask for raw predictions");
        mxb_bytes_free(again.bytes);
        mxb_model_free(loaded);
    }
    mxb_params_free(only_learner);
    only_learner = PARAMS("num_round", "3");
    CHECK(line_learner_add(only_learner, &lines, "line", 1, 0));
    OK(mxb_model_load_with(PATH, only_learner, &loaded, &error), error);
    OK(mxb_model_predict(loaded, data.dataset, MXB_PREDICT_RAW, 1, out, &error), error);
    CHECK_INT(mxb_model_predict(loaded, data.dataset, MXB_PREDICT_VALUE, 1, out, &error), MXB_ERROR_PARAM);
    mxb_model_free(loaded);
    mxb_bytes_free(bytes.bytes);
    mxb_model_free(model);
    CHECK_INT(lines.n_live, 0);
    mxb_params_free(params);
    mxb_params_free(only_learner);
    data_clear(&data);
    remove(PATH);
}

static void a_failing_read_frees_what_was_read(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 80, .n_features = 3, .seed = 2});
    struct line_learner lines = {.read_mischief = {2, MXB_ERROR_FORMAT, 0, 0}};
    struct own_loss own = {0};
    mxb_params *params;
    mxb_model *model = train_mixed(&lines, &own, &data, &params), *loaded;
    mxb_error error;
    REQUIRE(model != NULL);
    OK(mxb_model_save(model, PATH, &error), error);
    mxb_model_free(model);
    CHECK_INT(lines.n_live, 0);
    CHECK_INT(mxb_model_load_with(PATH, params, &loaded, &error), MXB_ERROR_FORMAT);
    CHECK(strncmp(error.message, "\"test_own_params.mxb\": the learner \"line\" failed in reading its term of round ",
                  78) == 0);
    CHECK(loaded == NULL);
    CHECK_INT(lines.n_live, 0);
    mxb_params_free(params);
    data_clear(&data);
    remove(PATH);
}

static void memory_may_run_out(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 80, .n_features = 3, .seed = 2});
    struct line_learner lines = {0};
    struct own_loss own = {0};
    mxb_params *params;
    mxb_model *model = train_mixed(&lines, &own, &data, &params), *loaded;
    mxb_error error;
    uint64_t n = 0;
    REQUIRE(model != NULL);
    OK(mxb_model_save(model, PATH, &error), error);
    mxb_model_free(model);
    mxb_status status = MXB_ERROR_MEMORY;
    while (status == MXB_ERROR_MEMORY && ++n < 10000) {
        mxb__memory_fail_at(n, n % 2 == 0);
        status = mxb_model_load_with(PATH, params, &loaded, &error);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (loaded != NULL));
        CHECK(status == MXB_OK || lines.n_live == 0);
    }
    CHECK_INT(status, MXB_OK);
    CHECK(n > 40);
    mxb_model_free(loaded);
    CHECK_INT(lines.n_live, 0);
    mxb_params_free(params);
    data_clear(&data);
    remove(PATH);
}

int main(void) {
    RUN(a_loss_takes_the_place_of_the_objective);
    RUN(learners_share_probability_1);
    RUN(copies_have_the_callers_parts);
    RUN(a_loss_is_not_taken_for_a_learner);
    RUN(wrong_learners_are_refused);
    RUN(a_model_is_loaded_with_what_it_needs);
    RUN(a_model_is_judged_by_its_own_loss);
    RUN(what_is_not_brought_is_missed_late);
    RUN(a_failing_read_frees_what_was_read);
    RUN(memory_may_run_out);
    return check_report();
}
