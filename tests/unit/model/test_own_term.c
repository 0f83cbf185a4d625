/* A round of a caller's learner: shared by copies, freed once, added or not at all, and its bytes. */
#include "base/memory.h"
#include "check.h"
#include "data/dataset.h"
#include "unit/boost/make_own.h"
#include "unit/model/make_model.h"

static const double X[4] = {0, 1, 2, 3};

static mxb_dataset *view_x(void) {
    mxb_dataset *dataset = NULL;
    make_sure(mxb_dataset_create(4, &dataset, NULL));
    make_sure(mxb_dataset_add_column(dataset, NULL, X, sizeof *X, MXB_FLOAT64, NULL));
    return dataset;
}

/* 1 + 2 x at a rate of 0.5, in round 3. */
static struct term make_own_term(struct line_learner *lines, int with_files) {
    struct term term = {.kind = TERM_OWN, .n_outputs = 1};
    mxb_learner *learner = line_learner_make(lines, "line", with_files);
    struct line *line = malloc(sizeof *line);
    *line = (struct line){2, 1};
    make_sure(mxb__own_term_create(&term.own, learner, 3, 0.5, NULL));
    term.own.box->term = line;
    term.own.box->has_term = 1;
    lines->n_live++;
    mxb_learner_free(learner);
    return term;
}

static void copies_share_and_the_last_one_frees(void) {
    struct line_learner lines = {0};
    struct term term = make_own_term(&lines, 0), copies[3];
    CHECK_TEXT(mxb__term_name(&term), "line");
    mxb__memory_fail_at(1, 1); /* sharing asks for no memory */
    CHECK_INT(mxb__term_copy(&copies[0], &term, NULL, NULL), MXB_OK);
    CHECK_INT(mxb__term_copy(&copies[1], &copies[0], NULL, NULL), MXB_OK);
    CHECK_INT(mxb__term_copy(&copies[2], &term, NULL, NULL), MXB_OK);
    mxb__memory_fail_at(0, 0);
    CHECK(copies[1].own.box == term.own.box && copies[1].own.rate == 0.5);
    mxb__term_clear(&term);
    mxb__term_clear(&copies[1]);
    mxb__term_clear(&copies[2]);
    mxb__term_clear(&copies[2]); /* cleared already */
    CHECK_INT(lines.n_frees, 0);
    mxb__term_clear(&copies[0]);
    CHECK_INT(lines.n_frees, 1);
    CHECK_INT(lines.n_live, 0);
}

static void without_a_free_nothing_is_freed(void) {
    struct line_learner lines = {0};
    struct term term = make_own_term(&lines, 0);
    void *line = term.own.box->term;
    term.own.box->learner.free_term = NULL;
    mxb__term_clear(&term);
    CHECK_INT(lines.n_frees, 0);
    free(line);
}

static void values_are_added_times_the_rate(void) {
    struct line_learner lines = {0};
    struct term term = make_own_term(&lines, 0);
    mxb_dataset *dataset = view_x();
    double values[4], scores[4] = {10, 20, 30, 1.7976931348623157e308};
    mxb_error error;
    OK(mxb__own_term_add_values(&term.own, dataset, values, scores, &error), error);
    CHECK(scores[0] == 10.5 && scores[1] == 21.5 && scores[2] == 32.5);
    CHECK(isfinite(scores[3]));
    mxb_dataset_free(dataset);
    mxb__term_clear(&term);
}

static mxb_status predict_first_row(void *context, const void *term, const mxb_dataset *data, double *values,
                                    mxb_error *error) {
    (void)context, (void)term, (void)data, (void)error;
    values[0] = 1;
    return MXB_OK;
}

static void values_that_are_not_written_are_noticed(void) {
    struct line_learner lines = {0};
    struct term term = make_own_term(&lines, 0);
    mxb_dataset *dataset = view_x();
    double values[4] = {1, 2, 3, 4}, scores[4] = {1, 2, 3, 4};
    mxb_error error;
    term.own.box->learner.predict = predict_first_row;
    FAILS(mxb__own_term_add_values(&term.own, dataset, values, scores, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" gave nan in round 3 for row 2 of the dataset; values must be finite");
    CHECK(scores[0] == 1 && scores[1] == 2 && scores[2] == 3 && scores[3] == 4);
    mxb_dataset_free(dataset);
    mxb__term_clear(&term);
}

static void wrong_values_are_added_to_no_row(void) {
    static const size_t order[3] = {3, 1, 0};
    struct line_learner lines = {.predict_mischief = {1, MXB_OK, (double)NAN, 1}};
    struct term term = make_own_term(&lines, 0);
    mxb_dataset *dataset = view_x(), *subset;
    double values[4], scores[4] = {1, 2, 3, 4};
    mxb_error error;
    OK(mxb_dataset_select(dataset, order, 3, &subset, &error), error);
    FAILS(mxb__own_term_add_values(&term.own, dataset, values, scores, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" gave nan in round 3 for row 2 of the dataset; values must be finite");
    lines = (struct line_learner){.n_live = 1, .predict_mischief = {1, MXB_OK, HUGE_VAL, 0}};
    FAILS(mxb__own_term_add_values(&term.own, subset, values, scores, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" gave inf in round 3 for row 4 of the dataset; values must be finite");
    lines = (struct line_learner){.n_live = 1, .predict_mischief = {1, MXB_ERROR_DATA, 0, 0}};
    FAILS(mxb__own_term_add_values(&term.own, dataset, values, scores, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" failed in predicting round 3: call 1 went wrong");
    lines = (struct line_learner){.n_live = 1, .predict_mischief = {1, MXB_STOPPED, 0, 0}};
    FAILS(mxb__own_term_add_values(&term.own, dataset, values, scores, &error), error, MXB_STOPPED,
          "the learner \"line\" stopped in predicting round 3: call 1 went wrong");
    CHECK(scores[0] == 1 && scores[1] == 2 && scores[2] == 3 && scores[3] == 4);
    mxb_dataset_free(subset);
    mxb_dataset_free(dataset);
    mxb__term_clear(&term);
}

/* ---- bytes ---- */

static void bytes_are_the_learners(void) {
    struct line_learner lines = {0};
    struct term term = make_own_term(&lines, 1), again = {.kind = TERM_OWN};
    char *bytes;
    uint32_t n_bytes;
    mxb_error error;
    CHECK(mxb__own_term_is_writable(&term.own));
    OK(mxb__own_term_write(&term.own, &bytes, &n_bytes, &error), error);
    CHECK_INT(n_bytes, sizeof(struct line));
    CHECK(memcmp(bytes, term.own.box->term, n_bytes) == 0);
    OK(mxb__own_term_create(&again.own, &term.own.box->learner, 9, 0.25, &error), error);
    OK(mxb__own_term_read(&again.own, bytes, n_bytes, &error), error);
    CHECK(again.own.box->has_term && again.own.box->bytes == NULL);
    CHECK(memcmp(again.own.box->term, term.own.box->term, sizeof(struct line)) == 0);
    mxb__free(bytes);
    mxb__term_clear(&again);
    mxb__term_clear(&term);
    CHECK_INT(lines.n_live, 0);
}

static void a_learner_that_miscounts_is_told_so(void) {
    struct line_learner lines = {.lie = 3};
    struct term term = make_own_term(&lines, 1);
    char *bytes;
    uint32_t n_bytes;
    mxb_error error;
    FAILS(mxb__own_term_write(&term.own, &bytes, &n_bytes, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" made 16 bytes of its term of round 3, having announced 19");
    CHECK(bytes == NULL);
    lines.lie = (size_t)UINT32_MAX;
    FAILS(mxb__own_term_write(&term.own, &bytes, &n_bytes, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" makes 4294967311 bytes of its term of round 3; a model file takes up to 4294967295");
    lines.lie = 0;
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__own_term_write(&term.own, &bytes, &n_bytes, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    mxb__term_clear(&term);
}

static void bad_bytes_are_the_learners_to_refuse(void) {
    struct line_learner lines = {0};
    mxb_learner *learner = line_learner_make(&lines, "line", 1);
    struct term term = {.kind = TERM_OWN};
    mxb_error error;
    OK(mxb__own_term_create(&term.own, learner, 4, 1, &error), error);
    FAILS(mxb__own_term_read(&term.own, "abc", 3, &error), error, MXB_ERROR_FORMAT,
          "the learner \"line\" failed in reading its term of round 4: 3 bytes are no line");
    mxb__term_clear(&term);
    CHECK_INT(lines.n_frees, 0);
    mxb_learner_free(learner);
}

/* A model loaded without its learner keeps the bytes and says what it misses. */
static void without_the_learner_the_bytes_are_kept(void) {
    mxb_learner unknown = {.name = "line"};
    struct term term = {.kind = TERM_OWN};
    mxb_dataset *dataset = view_x();
    double values[4], scores[4] = {1, 2, 3, 4};
    char *bytes;
    uint32_t n_bytes;
    mxb_error error;
    OK(mxb__own_term_create(&term.own, &unknown, 1, 1, &error), error);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__own_term_read(&term.own, "a\0c", 3, &error), MXB_ERROR_MEMORY);
    OK(mxb__own_term_read(&term.own, "a\0c", 3, &error), error);
    CHECK(mxb__own_term_is_writable(&term.own));
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__own_term_write(&term.own, &bytes, &n_bytes, &error), MXB_ERROR_MEMORY);
    CHECK(bytes == NULL);
    mxb__memory_fail_at(0, 0);
    OK(mxb__own_term_write(&term.own, &bytes, &n_bytes, &error), error);
    CHECK(n_bytes == 3 && memcmp(bytes, "a\0c", 3) == 0);
    FAILS(mxb__own_term_add_values(&term.own, dataset, values, scores, &error), error, MXB_ERROR_PARAM,
          "the model has rounds of the learner \"line\", which is not here; load it by mxb_model_load_with and params "
          "with that learner");
    mxb__free(bytes);
    mxb__term_clear(&term);
    mxb_dataset_free(dataset);
}

int main(void) {
    RUN(copies_share_and_the_last_one_frees);
    RUN(without_a_free_nothing_is_freed);
    RUN(values_are_added_times_the_rate);
    RUN(values_that_are_not_written_are_noticed);
    RUN(wrong_values_are_added_to_no_row);
    RUN(bytes_are_the_learners);
    RUN(a_learner_that_miscounts_is_told_so);
    RUN(bad_bytes_are_the_learners_to_refuse);
    RUN(without_the_learner_the_bytes_are_kept);
    return check_report();
}
