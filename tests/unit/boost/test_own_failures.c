/* Callbacks that stop a training, fail, or give what cannot be used; and memory that runs out beside them. */
#include "base/memory.h"
#include "check.h"
#include "unit/boost/own_case.h"

/* ---- stopping ---- */

/* Each callback in turn stops the training at a few of its calls; going on leads to the same model. */
static void a_training_stopped_by_a_callback_may_go_on(void) {
    for (int which = 0; which < 5; which++) {
        for (size_t at = 2; at <= 6; at++) {
            struct mixed mixed;
            mxb_error error;
            mxb_prepared *prepared;
            mxb_trainer *trainer;
            mxb_model *whole;
            REQUIRE(mixed_open(&mixed, "20", 0.5) && own_loss_set(mixed.params, &mixed.own, "mine", 0));
            if (which == 2) { /* the mean of the values instead of a metric */
                mxb_loss *loss;
                OK(mxb_loss_create("mine", own_value, own_derivatives, &mixed.own, &loss, &error), error);
                OK(mxb_params_set_loss(mixed.params, loss, &error), error);
                mxb_loss_free(loss);
            }
            OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &whole, &error), error);
            struct model_bytes expected = bytes_of(whole);
            mxb_model_free(whole);
            mixed.lines = (struct line_learner){0};
            mixed.own = (struct own_loss){0};
            struct mischief stop = {at, MXB_STOPPED, 0, 0};
            *(which == 0   ? &mixed.own.derivatives_mischief
              : which == 1 ? &mixed.own.metric_mischief
              : which == 2 ? &mixed.own.value_mischief
              : which == 3 ? &mixed.lines.fit_mischief
                           : &mixed.lines.predict_mischief) = stop;
            OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
            mxb_status status = mxb_trainer_create(prepared, mixed.valid.dataset, mixed.params, &trainer, &error);
            if (status == MXB_STOPPED) { /* metric or values on the validation rows before the first round */
                CHECK((which == 1 || which == 2) && at == 2 && trainer == NULL);
                OK(mxb_trainer_create(prepared, mixed.valid.dataset, mixed.params, &trainer, &error), error);
            } else {
                CHECK_INT(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), MXB_STOPPED);
                size_t n_rounds = mxb_trainer_n_rounds(trainer);
                whole = trainer_model(trainer);
                CHECK(mxb_model_n_curve(whole) == n_rounds && mxb_model_n_rounds(whole) <= n_rounds);
                mxb_model_free(whole);
                CHECK(which != 0 || n_rounds == at - 2);
            }
            OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
            whole = trainer_model(trainer);
            struct model_bytes stopped = bytes_of(whole);
            CHECK(same_bytes(expected, stopped));
            mxb_bytes_free(expected.bytes);
            mxb_bytes_free(stopped.bytes);
            mxb_model_free(whole);
            mxb_trainer_free(trainer);
            mxb_prepared_free(prepared);
            mixed_close(&mixed);
        }
    }
}

static void a_training_stopped_leaves_nothing(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    REQUIRE(mixed_open(&mixed, "20", 1.0));
    mixed.lines.fit_mischief = (struct mischief){4, MXB_STOPPED, 0, 0};
    FAILS(mxb_train(mixed.train.dataset, NULL, mixed.params, NULL, NULL, &model, &error), error, MXB_STOPPED,
          "the learner \"line\" stopped in round 4: call 4 went wrong");
    CHECK(model == NULL);
    CHECK_INT(mixed.lines.n_frees, 3);
    mixed_close(&mixed);
}

/* ---- failing ---- */

static void every_failure_has_its_sentence(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    REQUIRE(mixed_open(&mixed, "20", 1.0) && own_loss_set(mixed.params, &mixed.own, "mine", 0));
    const mxb_dataset *train = mixed.train.dataset, *valid = mixed.valid.dataset;
    mixed.lines.fit_mischief = (struct mischief){3, MXB_OK, HUGE_VAL, 8};
    FAILS(mxb_train(train, valid, mixed.params, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" gave inf in round 3 for row 9 of the training data; values must be finite");
    mixed.lines = (struct line_learner){.predict_mischief = {3, MXB_OK, (double)NAN, 8}};
    FAILS(mxb_train(train, valid, mixed.params, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" gave nan in round 3 for row 9 of the dataset; values must be finite");
    mixed.lines = (struct line_learner){0};
    mixed.own = (struct own_loss){.derivatives_mischief = {4, MXB_OK, (double)NAN, 16}};
    FAILS(mxb_train(train, valid, mixed.params, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "the loss \"mine\" gave a first derivative of nan after round 3 in row 17 of the training data; it must be "
          "finite");
    mixed.own = (struct own_loss){.metric_mischief = {8, MXB_ERROR_IO, 0, 0}};
    FAILS(mxb_train(train, valid, mixed.params, NULL, NULL, &model, &error), error, MXB_ERROR_IO,
          "the loss \"mine\" failed after round 3 on the validation data: call 8 went wrong");
    mixed.own = (struct own_loss){.start_mischief = {1, MXB_ERROR_DATA, 0, 0}};
    FAILS(mxb_train(train, valid, mixed.params, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "the loss \"mine\" failed in giving a start value: call 1 went wrong");
    CHECK_INT(mxb_params_set(mixed.params, "base_score", "1.5", &error), MXB_OK); /* then it is not asked */
    mixed.own = (struct own_loss){.start_mischief = {1, MXB_ERROR_DATA, 0, 0}};
    OK(mxb_train(train, valid, mixed.params, NULL, NULL, &model, &error), error);
    mxb_model_free(model);
    CHECK_INT(mixed.own.n_starts, 0);
    mixed_close(&mixed);
}

/* From the start, and in the first and a later round: no comparison with the best round is made with such a number. */
static void a_metric_that_is_no_number_ends_the_training(void) {
    static const double numbers[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    static const size_t rounds[] = {0, 1, 3};
    for (size_t k = 0; k < 9; k++) {
        struct mixed mixed;
        char sentence[200];
        mxb_model *model = (mxb_model *)&mixed;
        mxb_error error;
        REQUIRE(mixed_open(&mixed, "20", 0.4) && own_loss_set(mixed.params, &mixed.own, "mine", 0));
        mixed.own.metric_mischief = (struct mischief){2 * rounds[k / 3] + 2, MXB_OK, numbers[k % 3], 0};
        snprintf(sentence, sizeof sentence,
                 "the loss \"mine\" gave a metric of %g after round %zu on the validation data", numbers[k % 3],
                 rounds[k / 3]);
        FAILS(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error), error,
              MXB_ERROR_DATA, sentence);
        CHECK(model == NULL);
        mixed_close(&mixed);
    }
}

static void a_failed_training_can_only_be_freed(void) {
    struct mixed mixed;
    mxb_error error;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    REQUIRE(mixed_open(&mixed, "20", 1.0));
    mixed.lines.fit_mischief = (struct mischief){3, MXB_ERROR_DATA, 0, 0};
    OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
    OK(mxb_trainer_create(prepared, NULL, mixed.params, &trainer, &error), error);
    CHECK_INT(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), MXB_ERROR_DATA);
    CHECK_INT(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), MXB_ERROR_PARAM);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mixed_close(&mixed);
}

static void predictions_pass_failures_on(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    double out[N_TRAIN];
    REQUIRE(mixed_open(&mixed, "6", 1.0) && own_loss_set(mixed.params, &mixed.own, "mine", 1));
    mixed.own.bad_link = (double)NAN;
    OK(mxb_train(mixed.train.dataset, NULL, mixed.params, NULL, NULL, &model, &error), error);
    mixed.lines.predict_mischief = (struct mischief){5, MXB_ERROR_IO, 0, 0};
    FAILS(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_VALUE, 1, out, &error), error, MXB_ERROR_IO,
          "the learner \"line\" failed in predicting round 5: call 5 went wrong");
    mixed.lines.predict_mischief = (struct mischief){7, MXB_OK, 1e300, 2}; /* the second round of the next prediction */
    FAILS(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_VALUE, 1, out, &error), error, MXB_ERROR_DATA,
          "the link of the loss \"mine\" gave nan for row 3 of the dataset; it must be finite");
    FAILS(mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_PROBABILITY, 1, out, &error), error,
          MXB_ERROR_PARAM, "probabilities need a model of objective logloss; this one is of objective mine");
    mxb_model_free(model);
    mixed_close(&mixed);
}

static void a_model_that_cannot_be_saved_says_so(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    void *bytes;
    char *json;
    size_t n;
    REQUIRE(mixed_open(&mixed, "6", 0.0));
    CHECK(line_learner_add(mixed.params, &mixed.lines, "mute", 0, 1.0));
    OK(mxb_train(mixed.train.dataset, NULL, mixed.params, NULL, NULL, &model, &error), error);
    FAILS(mxb_model_save(model, "test_own_training.mxb", &error), error, MXB_ERROR_PARAM,
          "the model has rounds of the learner \"mute\", which cannot be written; give it mxb_learner_set_files");
    CHECK_INT(mxb_model_to_bytes(model, &bytes, &n, &error), MXB_ERROR_PARAM);
    CHECK(fopen("test_own_training.mxb", "rb") == NULL);
    OK(mxb_model_to_json(model, &json, &n, &error), error);
    CHECK(strstr(json, "{\"learner\": \"mute\", \"decrease\": ") != NULL);
    CHECK(strstr(json, ", \"rate\": 0.5, \"bytes\": null}") != NULL);
    mxb_bytes_free(json);
    mxb_model_free(model);
    mixed_close(&mixed);
}

/* ---- memory ---- */

/* A pool goes without what it does not get, so a failure may pass unnoticed: only many successes in a row are the end.
 */
static void memory_may_run_out_anywhere(void) {
    struct mixed mixed;
    mxb_error error;
    REQUIRE(mixed_open(&mixed, "5", 0.5) && own_loss_set(mixed.params, &mixed.own, "mine", 1));
    uint64_t n_failed = 0;
    for (uint64_t n = 1, n_fine = 0; n_fine < 30 && n < 5000; n++) {
        mxb_model *model = NULL;
        double out[N_TRAIN];
        mxb__memory_fail_at(n, n % 2 == 0);
        mxb_status status =
            mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &model, &error);
        if (status == MXB_OK) {
            status = mxb_model_predict(model, mixed.train.dataset, MXB_PREDICT_VALUE, 1, out, &error);
        }
        struct model_bytes bytes = {NULL, 0};
        if (status == MXB_OK) {
            status = mxb_model_to_bytes(model, &bytes.bytes, &bytes.n_bytes, &error);
        }
        mxb__memory_fail_at(0, 0);
        mxb_bytes_free(bytes.bytes);
        mxb_model_free(model);
        CHECK(status == MXB_OK || status == MXB_ERROR_MEMORY);
        CHECK_INT(mixed.lines.n_live, 0);
        n_fine = status == MXB_OK ? n_fine + 1 : 0;
        n_failed += status != MXB_OK;
    }
    CHECK(n_failed > 100);
    mixed_close(&mixed);
}

int main(void) {
    RUN(a_training_stopped_by_a_callback_may_go_on);
    RUN(a_training_stopped_leaves_nothing);
    RUN(every_failure_has_its_sentence);
    RUN(a_metric_that_is_no_number_ends_the_training);
    RUN(a_failed_training_can_only_be_freed);
    RUN(predictions_pass_failures_on);
    RUN(a_model_that_cannot_be_saved_says_so);
    RUN(memory_may_run_out_anywhere);
    return check_report();
}
