/* A journal is refused by every search whose results would be others, with the line that differs, and by no search
 * whose results would be the same. */
#define _XOPEN_SOURCE 700
#include "tune/tuner.h"
#include "unit/boost/make_own.h"
#include "unit/tune/make_journal.h"

enum { N_ROWS = 60 };

static char folder[] = "/tmp/mixboost-test-XXXXXX";
static mxb_error error;
static struct made_data data;
static struct made_data valid;

static const char SPACE[] = "learning_rate 0.1 0.5 linear\nmax_max_depth 1 3 integer\nn_components 2\n";

/* The search that made the journal; settings, options and folds may be changed before it starts. */
static mxb_tuner *search_with(const char *space, const mxb_params *params, int has_valid, int n_folds) {
    static const size_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    mxb_tuner *tuner = SEARCH(data.dataset, has_valid ? valid.dataset : NULL, space, params, "n_configs", "8", "eta",
                              "2", "min_resource", "1/2", "resource", "rounds");
    for (int i = 0; i < n_folds; i++) {
        CHECK_INT(mxb_tuner_add_fold(tuner, rows + i, 8, rows + 8 + i, 2, &error), MXB_OK);
    }
    return tuner;
}

static mxb_params *options(void) {
    return PARAMS("objective", "logloss", "num_round", "4", "early_stopping_rounds", "0");
}

static mxb_status start(mxb_tuner *tuner, int resume) {
    if (tuner == NULL || mxb_tuner_set_journal(tuner, "a.mxj", resume, &error) != MXB_OK) {
        return MXB_ERROR_PARAM;
    }
    return mxb_tuner_start(tuner, &error);
}

/* Starts and frees a search; it is refused for a line that begins with `name`, or taken where that is NULL. */
static void check_start(mxb_tuner *tuner, const char *name) {
    mxb_status status = start(tuner, 1);
    mxb_tuner_free(tuner);
    if (name == NULL) {
        CHECK_INT(status, MXB_OK);
        return;
    }
    char had[128];
    char has[128];
    snprintf(had, sizeof had, "the journal \"a.mxj\" is of another search: it has \"%s ", name);
    snprintf(has, sizeof has, "\", this one \"%s ", name);
    CHECK_INT(status, MXB_ERROR_PARAM);
    if (strncmp(error.message, had, strlen(had)) != 0 || strstr(error.message, has) == NULL) {
        CHECK_TEXT(error.message, had);
    }
}

static void begin(mxb_tuner *tuner) {
    unlink("a.mxj");
    OK(start(tuner, 0), error);
    mxb_tuner_free(tuner);
}

/* ---- data ---- */

static void other_data_are_refused(void) {
    mxb_params *params = options();
    begin(search_with(SPACE, params, 1, 0));
    check_start(search_with(SPACE, params, 1, 0), NULL);
    double *const places[] = {&data.x[0], &data.x[2 * N_ROWS - 1], &data.weights[17], &valid.x[3], &valid.weights[2]};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        double was = *places[i];
        *places[i] = nextafter(was, 1e300);
        check_start(search_with(SPACE, params, 1, 0), i < 3 ? "data" : "validation data");
        *places[i] = was;
        check_start(search_with(SPACE, params, 1, 0), NULL);
    }
    data.y[5] = 1.0 - data.y[5];
    check_start(search_with(SPACE, params, 1, 0), "data");
    data.y[5] = 1.0 - data.y[5];
    check_start(search_with(SPACE, params, 0, 0), "validation data");
    begin(search_with(SPACE, params, 0, 0));
    check_start(search_with(SPACE, params, 1, 0), "validation data");
    mxb_params_free(params);
}

static void other_folds_are_refused(void) {
    mxb_params *params = options();
    begin(search_with(SPACE, params, 0, 2));
    check_start(search_with(SPACE, params, 0, 2), NULL);
    check_start(search_with(SPACE, params, 0, 0), "folds");
    check_start(search_with(SPACE, params, 0, 1), "folds");
    check_start(search_with(SPACE, params, 0, 3), "folds");
    static const size_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const struct {
        size_t first;
        size_t n_train;
        size_t valid;
        size_t n_valid;
    } others[] = {{2, 7, 9, 2}, {1, 8, 10, 2}, {1, 8, 9, 3}, {1, 9, 9, 2}, {1, 7, 9, 3}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        mxb_tuner *tuner = search_with(SPACE, params, 0, 1);
        OK(mxb_tuner_add_fold(tuner, rows + others[i].first, others[i].n_train, rows + others[i].valid,
                              others[i].n_valid, &error),
           error);
        check_start(tuner, "folds");
    }
    mxb_params_free(params);
}

/* ---- settings and options ---- */

static void other_settings_are_refused(void) {
    static const struct {
        const char *name;
        const char *value;
        int is_taken;
    } others[] = {{"n_configs", "9", 0},    {"eta", "3", 0},          {"min_resource", "1/3", 0},
                  {"resource", "rows", 0},  {"n_folds", "2", 0},      {"valid_fraction", "0.3", 0},
                  {"stratify", "false", 0}, {"random_state", "1", 0}, {"scoring", "r2", 0},
                  {"time_limit", "1e6", 1}, {"n_threads", "3", 1},    {"memory", "7", 1}};
    mxb_params *params = options();
    begin(search_with(SPACE, params, 0, 0));
    CHECK_INT(sizeof others / sizeof others[0], mxb_setting_count());
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        mxb_tuner *tuner = search_with(SPACE, params, 0, 0);
        OK(mxb_tuner_set(tuner, others[i].name, others[i].value, &error), error);
        check_start(tuner, others[i].is_taken ? NULL : others[i].name);
    }
    mxb_params_free(params);
}

/* Sets an option to a value that it does not have; 0 where none is found. */
static int change(mxb_params *params, const char *name) {
    static const char *const values[] = {"3",     "1",       "0.5",       "0.25",    "true",
                                         "false", "mse",     "paper",     "rank",    "standard",
                                         "none",  "learned", "isotropic", "0.5,0.5", "sample"};
    char was[256];
    snprintf(was, sizeof was, "%s", mxb_params_get(params, name));
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (mxb_params_set(params, name, values[i], NULL) == MXB_OK && strcmp(mxb_params_get(params, name), was) != 0) {
            return 1;
        }
    }
    return 0;
}

static void every_other_option_of_the_trials_is_refused(void) {
    mxb_params *params = options();
    begin(search_with(SPACE, params, 0, 0));
    mxb_params_free(params);
    size_t n_taken = 0;
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *name = mxb_option_name(i);
        int is_taken =
            strstr(name, "n_threads") != NULL || strstr(SPACE, name) != NULL; /* the space has the last word */
        params = options();
        if (!change(params, name)) {
            check_failed(__FILE__, __LINE__, name);
        }
        n_taken += (size_t)is_taken;
        check_start(search_with(SPACE, params, 0, 0), is_taken ? NULL : name);
        mxb_params_free(params);
    }
    CHECK_INT(n_taken, 4 + 3);
}

static void callbacks_are_part_of_a_search(void) {
    mxb_params *params = options();
    struct own_loss own = {.two_classes = 1};
    struct line_learner lines = {0};
    begin(search_with(SPACE, params, 0, 0));
    REQUIRE(own_loss_set(params, &own, "mine", 0));
    check_start(search_with(SPACE, params, 0, 0), "loss and learners of one's own");
    begin(search_with(SPACE, params, 0, 0));
    check_start(search_with(SPACE, params, 0, 0), NULL);
    REQUIRE(own_loss_set(params, &own, "another", 0));
    check_start(search_with(SPACE, params, 0, 0), "loss and learners of one's own");
    mxb_params_free(params);
    params = options();
    check_start(search_with(SPACE, params, 0, 0), "loss and learners of one's own");
    begin(search_with(SPACE, params, 0, 0));
    REQUIRE(line_learner_add(params, &lines, "line", 0, 0.5));
    check_start(search_with(SPACE, params, 0, 0), "loss and learners of one's own");
    mxb_params_free(params);
}

/* A preset of the space changes options that are not given, whatever their texts. */
static void what_is_given_is_part_of_a_search(void) {
    static const char paper[] = "preset paper\nlearning_rate 0.1 0.5 linear\n";
    mxb_params *params = options();
    begin(search_with(paper, params, 0, 0));
    check_start(search_with(paper, params, 0, 0), NULL);
    OK(mxb_params_set(params, "n_components", "96", &error), error); /* its default */
    check_start(search_with(paper, params, 0, 0), "n_components");
    mxb_params_free(params);
}

/* ---- the space ---- */

static void other_spaces_are_refused(void) {
    static const struct {
        const char *text;
        const char *name; /* of the line that differs; NULL: none does */
    } others[] = {
        {"learning_rate 0.1 0.6 linear\nmax_max_depth 1 3 integer\nn_components 2\n", "learning_rate"},
        {"learning_rate 0.1 0.5 log10\nmax_max_depth 1 3 integer\nn_components 2\n", "learning_rate"},
        {"learning_rate 0.1 0.5 linear\nmax_max_depth 1 3 linear\nn_components 2\n", "max_max_depth"},
        {"learning_rate 0.1 0.5 linear\nmax_max_depth 1 3 integer\nn_components 3\n", "n_components"},
        {"# the same\n learning_rate  0.10 0.5 linear\n\nmax_max_depth 1 3 integer # so deep\nn_components 2", NULL},
    };
    mxb_params *params = options();
    begin(search_with(SPACE, params, 0, 0));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        check_start(search_with(others[i].text, params, 0, 0), others[i].name);
    }
    mxb_tuner *tuner = search_with("learning_rate 0.1 0.5 linear\nmax_max_depth 1 3 integer\n", params, 0, 0);
    CHECK_INT(start(tuner, 1), MXB_ERROR_PARAM);
    CHECK_TEXT(error.message,
               "the journal \"a.mxj\" is of another search: it has \"n_components 2\", this one \"n_components 96\"");
    mxb_tuner_free(tuner);
    mxb_params_free(params);
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    data =
        data_make((struct data_recipe){.n_rows = N_ROWS, .n_features = 2, .seed = 5, .two_classes = 1, .weighted = 1});
    valid = data_make((struct data_recipe){.n_rows = 20, .n_features = 2, .seed = 6, .two_classes = 1, .weighted = 1});
    RUN(other_data_are_refused);
    RUN(other_folds_are_refused);
    RUN(other_settings_are_refused);
    RUN(every_other_option_of_the_trials_is_refused);
    RUN(callbacks_are_part_of_a_search);
    RUN(what_is_given_is_part_of_a_search);
    RUN(other_spaces_are_refused);
    data_clear(&data);
    data_clear(&valid);
    unlink("a.mxj");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    return check_report();
}
