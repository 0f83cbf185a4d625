/* The spaces that have names: the paper's against its tables, ours, and whether all they draw can be trained. */
#include <stdlib.h>

#include "check.h"
#include "tune/space.h"
#include "unit/boost/make_data.h"

static mxb_error error;

static const char *const NAMES[] = {"default", "paper", "paper-node"};

static mxb_space *open_space(const char *name) {
    mxb_space *space = NULL;
    if (mxb_space_create(mxb_space_built_in(name), &space, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        abort();
    }
    return space;
}

/* A line of the paper's tables: numbers, or exponents of ten where the scale is Log10. */
struct table_line {
    const char *option;
    double lowest;
    double highest;
    enum { LINEAR, LOG10 } scale;
    int is_whole;
};

enum { N_LINES = 12 };

/* "SnapBoost hyper-parameter ranges", for OpenML and Kaggle data. */
static const struct table_line PAPER[N_LINES] = {
    {"num_round", 10, 1000, LINEAR, 1},  {"min_max_depth", 1, 19, LINEAR, 1},
    {"max_max_depth", 1, 19, LINEAR, 1}, {"learning_rate", -2.5, -1, LOG10, 0},
    {"subsample", 0.5, 1.0, LINEAR, 0},  {"colsample", 0.5, 1.0, LINEAR, 0},
    {"lambda_l2", -2, -2, LOG10, 0},     {"tree_probability", 0.9, 1.0, LINEAR, 0},
    {"fit_intercept", 0, 1, LINEAR, 1},  {"alpha", -6, -3, LOG10, 0},
    {"gamma", -3, 3, LOG10, 0},          {"n_components", 1, 100, LINEAR, 1}};

/* Those for the comparison with NODE. */
static const struct table_line PAPER_NODE[N_LINES] = {
    {"num_round", 64, 2048, LINEAR, 1}, {"min_max_depth", 1, 8, LINEAR, 1},
    {"max_max_depth", 1, 8, LINEAR, 1}, {"learning_rate", -3, 0, LOG10, 0},
    {"subsample", 0.5, 1.0, LINEAR, 0}, {"colsample", 0.5, 1.0, LINEAR, 0},
    {"lambda_l2", -2, -2, LOG10, 0},    {"tree_probability", 0.9, 1.0, LINEAR, 0},
    {"fit_intercept", 0, 1, LINEAR, 1}, {"alpha", -6, 3, LOG10, 0},
    {"gamma", -3, 3, LOG10, 0},         {"n_components", 1, 100, LINEAR, 1}};

static void check_line(const struct range *range, const struct table_line *line) {
    double lowest = line->scale == LOG10 ? pow(10, line->lowest) : line->lowest;
    double highest = line->scale == LOG10 ? pow(10, line->highest) : line->highest;
    CHECK_TEXT(range->option, line->option);
    if (strcmp(line->option, "fit_intercept") == 0) { /* 0 (False), 1 (True) */
        REQUIRE(range->scale == SCALE_CHOICE && range->n_values == 2);
        CHECK_TEXT(range->values[0], "false");
        CHECK_TEXT(range->values[1], "true");
    } else if (line->lowest == line->highest) {
        REQUIRE(range->scale == SCALE_FIXED && range->n_values == 1);
        CHECK_NEAR(strtod(range->values[0], NULL), lowest, 1e-15 * lowest);
    } else {
        CHECK_INT(range->scale, line->scale == LOG10 ? SCALE_LOG10 : line->is_whole ? SCALE_INTEGER : SCALE_LINEAR);
        CHECK_INT(range->is_whole, line->is_whole);
        CHECK_NEAR(range->lowest, lowest, 1e-15 * lowest);
        CHECK_NEAR(range->highest, highest, 1e-15 * highest);
    }
}

/* The paper's learner, the lines of its table in their order, 256 bins, and no stopping. */
static void the_papers_are_its_tables(void) {
    for (int is_node = 0; is_node < 2; is_node++) {
        mxb_space *space = open_space(is_node ? "paper-node" : "paper");
        REQUIRE(mxb_space_n_options(space) == N_LINES + 3);
        CHECK_TEXT(space->ranges[0].option, "preset");
        CHECK_TEXT(space->ranges[0].values[0], "paper");
        for (size_t i = 0; i < N_LINES; i++) {
            check_line(&space->ranges[1 + i], is_node ? &PAPER_NODE[i] : &PAPER[i]);
        }
        CHECK_TEXT(space->ranges[1 + N_LINES].option, "hist_nbins");
        CHECK_TEXT(mxb_space_scale(space, 1 + N_LINES), "fixed");
        CHECK_TEXT(space->ranges[1 + N_LINES].values[0], "256");
        CHECK_TEXT(space->ranges[2 + N_LINES].option, "early_stopping_rounds");
        CHECK_TEXT(space->ranges[2 + N_LINES].values[0], "0");
        mxb_space_free(space);
    }
}

/* What is not in its tables is as in the paper. */
static void the_papers_draw_the_papers_learner(void) {
    mxb_params *paper = PARAMS("preset", "paper"), *params;
    for (int is_node = 0; is_node < 2; is_node++) {
        mxb_space *space = open_space(is_node ? "paper-node" : "paper");
        OK(mxb_params_create(&params, &error), error);
        OK(mxb_space_draw(space, 1, 2, params, &error), error);
        for (size_t i = 0; i < mxb_option_count(); i++) {
            const char *name = mxb_option_name(i);
            size_t at = 0;
            while (at < mxb_space_n_options(space) && strcmp(mxb_space_option(space, at), name) != 0) {
                at++;
            }
            if (at == mxb_space_n_options(space)) {
                CHECK_TEXT(mxb_params_get(params, name), mxb_params_get(paper, name));
            }
        }
        CHECK_TEXT(mxb_params_get(params, "fourier_scaling"), "none");
        mxb_params_free(params);
        mxb_space_free(space);
    }
    mxb_params_free(paper);
}

/* Each drawn option has the default in or beside its range: the space is a neighbourhood of what comes of itself. */
static void the_default_space_has_a_range_for_each_option(void) {
    mxb_space *space = open_space("default");
    CHECK(mxb_space_n_options(space) >= 8);
    for (size_t i = 0; i < mxb_space_n_options(space); i++) {
        const struct range *range = &space->ranges[i];
        CHECK(range->scale != SCALE_FIXED);
        CHECK(range->n_values == 0 ? range->lowest < range->highest : range->n_values > 1);
        CHECK(strcmp(range->option, "preset") != 0);
    }
    mxb_space_free(space);
}

/* Three rounds with a configuration. */
static mxb_status train(const struct made_data *data, const mxb_params *params) {
    mxb_prepared *prepared;
    mxb_trainer *trainer = NULL;
    mxb_status status = mxb_prepared_create(data->dataset, params, &prepared, &error);
    if (status == MXB_OK) {
        status = mxb_trainer_create(prepared, data->dataset, params, &trainer, &error);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_run(trainer, 3, NULL, NULL, &error);
        CHECK(mxb_trainer_n_rounds(trainer) == 3 && isfinite(mxb_trainer_curve(trainer, 3, 0)));
    }
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    return status;
}

static void all_that_is_drawn_can_be_trained(void) {
    for (size_t s = 0; s < 3; s++) {
        mxb_space *space = open_space(NAMES[s]);
        for (int two_classes = 0; two_classes < 2; two_classes++) {
            struct made_data data = data_make((struct data_recipe){
                .n_rows = 40, .n_features = 3, .seed = 4, .missing = 0.1, .two_classes = two_classes});
            for (size_t config = 0; config < 200; config++) {
                mxb_params *params = PARAMS("objective", two_classes ? "logloss" : "mse", "n_threads", "1");
                OK(mxb_space_draw(space, 9, config, params, &error), error);
                OK(train(&data, params), error);
                mxb_params_free(params);
            }
            data_clear(&data);
        }
        mxb_space_free(space);
    }
}

static void other_names_are_no_spaces(void) {
    CHECK(mxb_space_built_in("Paper") == NULL && mxb_space_built_in("") == NULL && mxb_space_built_in(NULL) == NULL);
    CHECK(mxb_space_built_in("paper-nod") == NULL && mxb_space_built_in("papers") == NULL);
    for (size_t i = 0; i < 3; i++) {
        CHECK(mxb_space_built_in(NAMES[i]) != NULL);
    }
}

int main(void) {
    RUN(the_papers_are_its_tables);
    RUN(the_papers_draw_the_papers_learner);
    RUN(the_default_space_has_a_range_for_each_option);
    RUN(all_that_is_drawn_can_be_trained);
    RUN(other_names_are_no_spaces);
    return check_report();
}
