/* Losses and learners as objects: what is asked of names and functions. */
#include "base/callbacks.h"

#include "base/memory.h"
#include "check.h"

static mxb_status value(void *context, size_t n, const double *labels, const double *scores, double *values,
                        mxb_error *error) {
    (void)context, (void)n, (void)labels, (void)scores, (void)values, (void)error;
    return MXB_OK;
}

static mxb_status derivatives(void *context, size_t n, const double *labels, const double *scores, double *first,
                              double *second, mxb_error *error) {
    (void)context, (void)n, (void)labels, (void)scores, (void)first, (void)second, (void)error;
    return MXB_OK;
}

static mxb_status start(void *context, size_t n, const double *labels, const double *weights, double *result,
                        mxb_error *error) {
    (void)context, (void)n, (void)labels, (void)weights, (void)result, (void)error;
    return MXB_OK;
}

static mxb_status metric(void *context, size_t n, const double *labels, const double *weights, const double *scores,
                         double *result, mxb_error *error) {
    (void)context, (void)n, (void)labels, (void)weights, (void)scores, (void)result, (void)error;
    return MXB_OK;
}

static double link_double(void *context, double score) {
    (void)context;
    return 2 * score;
}

static mxb_status fit(void *context, const mxb_round *round, void **term, double *values, mxb_error *error) {
    (void)context, (void)round, (void)term, (void)values, (void)error;
    return MXB_OK;
}

static mxb_status predict(void *context, const void *term, const mxb_dataset *data, double *values, mxb_error *error) {
    (void)context, (void)term, (void)data, (void)values, (void)error;
    return MXB_OK;
}

static void free_term(void *context, void *term) { (void)context, (void)term; }

static size_t write_term(void *context, const void *term, void *bytes, size_t capacity) {
    (void)context, (void)term, (void)bytes, (void)capacity;
    return 0;
}

static mxb_status read_term(void *context, const void *bytes, size_t n_bytes, void **term, mxb_error *error) {
    (void)context, (void)bytes, (void)n_bytes, (void)term, (void)error;
    return MXB_OK;
}

#define LETTERS_63 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"

static void losses_keep_what_they_are_given(void) {
    mxb_loss *loss;
    mxb_error error;
    int context;
    OK(mxb_loss_create(LETTERS_63, value, derivatives, &context, &loss, &error), error);
    CHECK_TEXT(loss->name, LETTERS_63);
    CHECK_TEXT(loss->metric_name, LETTERS_63);
    CHECK(loss->value == value && loss->derivatives == derivatives && loss->context == &context);
    CHECK(loss->start == NULL && loss->metric == NULL && loss->link == NULL);
    mxb_loss_set_start(loss, start);
    mxb_loss_set_link(loss, link_double);
    CHECK(loss->start == start && loss->link == link_double);
    mxb_loss_set_metric(loss, "mean error", metric);
    CHECK(loss->metric == metric);
    CHECK_TEXT(loss->metric_name, "mean error");
    mxb_loss_set_metric(loss, "\xC3\xA9\n" LETTERS_63, metric);
    CHECK_TEXT(loss->metric_name, "???abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh");
    mxb_loss_set_metric(loss, NULL, metric);
    CHECK_TEXT(loss->metric_name, LETTERS_63);
    mxb_loss_set_metric(loss, "gone", NULL); /* the mean again, named as the loss */
    CHECK(loss->metric == NULL);
    CHECK_TEXT(loss->metric_name, LETTERS_63);
    mxb_loss_free(loss);
    mxb_loss_free(NULL);
    mxb_loss_set_start(NULL, start);
    mxb_loss_set_metric(NULL, "x", metric);
    mxb_loss_set_link(NULL, link_double);
}

static void learners_keep_what_they_are_given(void) {
    mxb_learner *learner;
    mxb_error error;
    int context;
    OK(mxb_learner_create("linear", fit, predict, free_term, &context, &learner, &error), error);
    CHECK_TEXT(learner->name, "linear");
    CHECK(learner->fit == fit && learner->predict == predict && learner->free_term == free_term);
    CHECK(learner->context == &context && learner->write == NULL && learner->read == NULL);
    mxb_learner_set_files(learner, write_term, NULL); /* one alone is none */
    CHECK(learner->write == NULL && learner->read == NULL);
    mxb_learner_set_files(learner, write_term, read_term);
    CHECK(learner->write == write_term && learner->read == read_term);
    mxb_learner_set_files(NULL, write_term, read_term);
    mxb_learner_free(learner);
    mxb_learner_free(NULL);
}

static void wrong_names_are_refused(void) {
    mxb_loss *loss;
    mxb_learner *learner;
    mxb_error error;
    FAILS(mxb_loss_create(NULL, value, derivatives, NULL, &loss, &error), error, MXB_ERROR_PARAM,
          "the name of the loss is NULL");
    CHECK(loss == NULL);
    FAILS(mxb_loss_create("", value, derivatives, NULL, &loss, &error), error, MXB_ERROR_PARAM,
          "the name of the loss is \"\"; it must be 1 to 63 printable ASCII characters");
    FAILS(mxb_loss_create("a\nb", value, derivatives, NULL, &loss, &error), error, MXB_ERROR_PARAM,
          "the name of the loss is \"a\\x0ab\"; it must be 1 to 63 printable ASCII characters");
    CHECK_INT(mxb_loss_create("h\xC3\xBC"
                              "ber",
                              value, derivatives, NULL, &loss, &error),
              MXB_ERROR_PARAM);
    CHECK_INT(mxb_loss_create(LETTERS_63 "l", value, derivatives, NULL, &loss, &error), MXB_ERROR_PARAM);
    FAILS(mxb_loss_create("mse", value, derivatives, NULL, &loss, &error), error, MXB_ERROR_PARAM,
          "the name of the loss is \"mse\", which the library has itself");
    CHECK_INT(mxb_loss_create("logloss", value, derivatives, NULL, &loss, &error), MXB_ERROR_PARAM);
    FAILS(mxb_learner_create("tree", fit, predict, NULL, NULL, &learner, &error), error, MXB_ERROR_PARAM,
          "the name of the learner is \"tree\", which the library has itself");
    CHECK(learner == NULL);
    CHECK_INT(mxb_learner_create("symmetric", fit, predict, NULL, NULL, &learner, &error), MXB_ERROR_PARAM);
    CHECK_INT(mxb_learner_create("fourier", fit, predict, NULL, NULL, &learner, &error), MXB_ERROR_PARAM);
    CHECK_INT(mxb_learner_create("", fit, predict, NULL, NULL, &learner, &error), MXB_ERROR_PARAM);
    CHECK_INT(mxb_learner_create(NULL, fit, predict, NULL, NULL, &learner, NULL), MXB_ERROR_PARAM);
}

static void missing_functions_are_refused(void) {
    mxb_loss *loss;
    mxb_learner *learner;
    mxb_error error;
    FAILS(mxb_loss_create("a", NULL, derivatives, NULL, &loss, &error), error, MXB_ERROR_PARAM,
          "the function for the value of the loss is NULL");
    FAILS(mxb_loss_create("a", value, NULL, NULL, &loss, &error), error, MXB_ERROR_PARAM,
          "the function for the derivatives of the loss is NULL");
    FAILS(mxb_loss_create("a", value, derivatives, NULL, NULL, &error), error, MXB_ERROR_PARAM,
          "the place for the loss is NULL");
    FAILS(mxb_learner_create("a", NULL, predict, NULL, NULL, &learner, &error), error, MXB_ERROR_PARAM,
          "the function fit of the learner is NULL");
    FAILS(mxb_learner_create("a", fit, NULL, NULL, NULL, &learner, &error), error, MXB_ERROR_PARAM,
          "the function predict of the learner is NULL");
    FAILS(mxb_learner_create("a", fit, predict, NULL, NULL, NULL, &error), error, MXB_ERROR_PARAM,
          "the place for the learner is NULL");
}

static void memory_may_run_out(void) {
    mxb_loss *loss;
    mxb_learner *learner;
    mxb_error error;
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb_loss_create("a", value, derivatives, NULL, &loss, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb_learner_create("a", fit, predict, NULL, NULL, &learner, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    CHECK(loss == NULL && learner == NULL);
}

int main(void) {
    RUN(losses_keep_what_they_are_given);
    RUN(learners_keep_what_they_are_given);
    RUN(wrong_names_are_refused);
    RUN(missing_functions_are_refused);
    RUN(memory_may_run_out);
    return check_report();
}
