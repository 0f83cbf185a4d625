/* Searches with a loss and a learner of one's own: called on the calling thread alone, the same results for any number
 * of threads, models kept between stages if they can be written. */
#include <pthread.h>

#include "unit/boost/make_own.h"
#include "unit/tune/slow_search.h"

static mxb_error error;

/* A loss and a learner that look at the thread they are called on. */
struct watched {
    struct own_loss loss;
    struct line_learner lines;
    pthread_t thread;
    size_t n_calls;
    size_t n_elsewhere;
};

static void watch(struct watched *watched) {
    watched->n_calls++;
    watched->n_elsewhere += !pthread_equal(watched->thread, pthread_self());
}

static mxb_status watched_value(void *context, size_t n, const double *labels, const double *scores, double *values,
                                mxb_error *said) {
    struct watched *watched = context;
    watch(watched);
    return own_value(&watched->loss, n, labels, scores, values, said);
}

static mxb_status watched_derivatives(void *context, size_t n, const double *labels, const double *scores,
                                      double *first, double *second, mxb_error *said) {
    struct watched *watched = context;
    watch(watched);
    return own_derivatives(&watched->loss, n, labels, scores, first, second, said);
}

static mxb_status watched_fit(void *context, const mxb_round *round, void **term, double *values, mxb_error *said) {
    struct watched *watched = context;
    watch(watched);
    return line_fit(&watched->lines, round, term, values, said);
}

static mxb_status watched_predict(void *context, const void *term, const mxb_dataset *data, double *values,
                                  mxb_error *said) {
    struct watched *watched = context;
    watch(watched);
    return line_predict(&watched->lines, term, data, values, said);
}

static void watched_free(void *context, void *term) { line_free(&((struct watched *)context)->lines, term); }

static size_t watched_write(void *context, const void *term, void *bytes, size_t capacity) {
    return line_write(&((struct watched *)context)->lines, term, bytes, capacity);
}

static mxb_status watched_read(void *context, const void *bytes, size_t n_bytes, void **term, mxb_error *said) {
    return line_read(&((struct watched *)context)->lines, bytes, n_bytes, term, said);
}

/* 0 on failure. */
static int watched_add(struct watched *watched, int with_loss, int with_learner, int with_files, mxb_params *params) {
    mxb_loss *loss = NULL;
    mxb_learner *learner = NULL;
    int fine = params != NULL;
    watched->thread = pthread_self();
    if (with_loss) {
        fine = fine &&
               mxb_loss_create("watched", watched_value, watched_derivatives, watched, &loss, &error) == MXB_OK &&
               mxb_params_set_loss(params, loss, &error) == MXB_OK;
    }
    if (with_learner) {
        fine = fine && mxb_learner_create("line", watched_fit, watched_predict, watched_free, watched, &learner,
                                          &error) == MXB_OK;
        if (fine && with_files) {
            mxb_learner_set_files(learner, watched_write, watched_read);
        }
        fine = fine && mxb_params_add_learner(params, learner, 0.5, &error) == MXB_OK;
    }
    mxb_loss_free(loss);
    mxb_learner_free(learner);
    return fine;
}

static const struct own_case {
    int with_loss;
    int with_learner;
    int with_files;
    const char *resource;
} CASES[] = {{1, 0, 0, "rows"},   {0, 1, 1, "rows"},   {1, 1, 0, "rows"},
             {1, 0, 0, "rounds"}, {1, 1, 1, "rounds"}, {0, 1, 0, "rounds"}};
enum { N_CASES = sizeof CASES / sizeof CASES[0] };

static mxb_tuner *search(const struct made_data *data, const mxb_params *params, const char *resource,
                         const char *n_threads) {
    return SEARCH(data->dataset, NULL, SMALL_SPACE, params, "n_configs", "6", "eta", "2", "min_resource", "1/4",
                  "n_folds", "2", "resource", resource, "n_threads", n_threads);
}

static void callbacks_are_called_on_the_calling_thread(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 150, .n_features = 3, .seed = 9, .missing = 0.1});
    for (size_t i = 0; i < N_CASES; i++) {
        struct watched watched = {0};
        mxb_params *params = PARAMS("early_stopping_rounds", "0");
        REQUIRE(watched_add(&watched, CASES[i].with_loss, CASES[i].with_learner, CASES[i].with_files, params));
        mxb_tuner *one = search(&data, params, CASES[i].resource, "1");
        mxb_tuner *many = search(&data, params, CASES[i].resource, "8");
        REQUIRE(search_run(one) && search_run(many));
        for (size_t stage = 0; stage < 3; stage++) {
            CHECK_INT(mxb_tuner_stage_workers(many, stage), 1);
            CHECK(mxb_tuner_stage_threads(many, stage) >= 6);
        }
        struct slow_search *slow = slow_run(one);
        slow_compare(slow, one);
        slow_compare(slow, many);
        slow_free(slow);
        if (!CASES[i].with_learner || CASES[i].with_files) { /* has bytes to compare */
            CHECK(same_refits(one, many));
        }
        CHECK(watched.n_calls > 100);
        CHECK_INT(watched.n_elsewhere, 0);
        mxb_tuner_free(one);
        mxb_tuner_free(many);
        mxb_params_free(params);
        CHECK_INT(watched.lines.n_live, 0);
    }
    data_clear(&data);
}

/* Terms are read back where a stage goes on from a model that could be written. */
static void learners_that_can_be_written_go_on(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 150, .n_features = 3, .seed = 9});
    size_t n_fits[2];
    for (int with_files = 0; with_files <= 1; with_files++) {
        struct watched watched = {0};
        mxb_params *params = PARAMS("early_stopping_rounds", "0");
        REQUIRE(watched_add(&watched, 0, 1, with_files, params));
        mxb_tuner *tuner = search(&data, params, "rounds", "1");
        REQUIRE(search_run(tuner));
        CHECK((watched.lines.n_reads > 0) == with_files);
        n_fits[with_files] = watched.lines.n_fits;
        mxb_tuner_free(tuner);
        mxb_params_free(params);
        CHECK_INT(watched.lines.n_live, 0);
    }
    CHECK(n_fits[1] < n_fits[0]);
    data_clear(&data);
}

/* A callback that fails once is the failure of one trial; one that fails always is that of the search. */
static void a_callback_that_fails_is_a_trial_that_fails(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 150, .n_features = 3, .seed = 9});
    struct watched watched = {.lines = {.fit_mischief = {.at = 3, .status = MXB_ERROR_DATA}}};
    mxb_params *params = PARAMS("early_stopping_rounds", "0");
    REQUIRE(watched_add(&watched, 0, 1, 0, params));
    mxb_tuner *tuner = search(&data, params, "rows", "4");
    REQUIRE(search_run(tuner));
    size_t n_failed = 0;
    for (mxb_trial trial = {0}; trial.config < 6; trial.config++) {
        for (trial.fold = 0; trial.fold < 2; trial.fold++) {
            mxb_trial_result result;
            CHECK(mxb_tuner_result(tuner, &trial, &result));
            if (result.status != MXB_OK) {
                n_failed++;
                CHECK_INT(result.status, MXB_ERROR_DATA);
                CHECK(strstr(result.message, "call 3 went wrong") != NULL);
                CHECK(isinf(mxb_tuner_loss(tuner, 0, trial.config)));
            }
        }
    }
    CHECK_INT(n_failed, 1);
    mxb_tuner_free(tuner);
    mxb_params_free(params);
    data_clear(&data);
}

int main(void) {
    RUN(callbacks_are_called_on_the_calling_thread);
    RUN(learners_that_can_be_written_go_on);
    RUN(a_callback_that_fails_is_a_trial_that_fails);
    return check_report();
}
