/* The estimate of a search's memory against what the library asks for: never less at its peak, near to it, and no
 * slower in growth with rows. */
#include "counted_memory.h"
#include "tune/tuner.h"
#include "unit/tune/make_search.h"

/* ---- searches ---- */

/* More than the blocks of rows that workspaces are made for; fewer than a block in huge pages, which is rounded up, has
 * room for. */
enum { FEW_ROWS = 8000, MANY_ROWS = 2 * FEW_ROWS };

static mxb_error error;

struct memory_case {
    const char *space; /* besides what all have */
    size_t n_features;
    int two_classes;
    int weighted;
    const char *settings[13];
};

static const struct memory_case CASES[] = {
    {"tree_probability 1\n", 10, 1, 0, {"min_resource", "1"}},
    {"tree_probability 1\n", 10, 0, 1, {"min_resource", "1"}},
    {"tree_probability 1\n", 2, 1, 1, {"min_resource", "1", "n_folds", "6"}},
    {"tree_probability 1\n", 40, 1, 0, {"min_resource", "1/4", "eta", "2", "n_folds", "4"}},
    {"tree_probability 1\n", 1, 0, 1, {"min_resource", "1/4", "eta", "2", "n_folds", "12"}},
    {"tree_probability 1\nhist_nbins 16 200 integer\n", 10, 1, 1, {"min_resource", "1/4", "eta", "2"}},
    {"tree_probability 1\nuse_histograms false\n", 40, 1, 1, {"min_resource", "1"}},
    {"tree_probability 1\nuse_histograms false true choice\n", 40, 1, 1, {"min_resource", "1/2", "eta", "2"}},
    {"tree_probability 0.5\n", 10, 1, 1, {"min_resource", "1"}},
    {"tree_probability 0\nn_components 8 20 integer\n", 4, 0, 1, {"min_resource", "1/2", "eta", "2"}},
    {"tree_probability 1\nn_members 1 3 integer\n", 10, 1, 1, {"min_resource", "1"}},
    {"tree_probability 0.5\n", 10, 0, 1, {"min_resource", "1/2", "eta", "2", "n_folds", "3", "resource", "rounds"}},
};
enum { N_CASES = sizeof CASES / sizeof CASES[0] };

/* A search of few rounds. */
static mxb_tuner *search(const struct memory_case *of, const struct made_data *data, const char *n_threads) {
    char space[512];
    mxb_params *params = PARAMS("objective", of->two_classes ? "logloss" : "mse", "num_round", "1", "n_projections",
                                "1", "n_components", "1", "max_max_depth", "3", "early_stopping_rounds", "0");
    snprintf(space, sizeof space, "learning_rate 0.1 0.5 linear\n%s", of->space);
    mxb_tuner *tuner = search_of(data->dataset, NULL, space, params, of->settings);
    mxb_params_free(params);
    if (tuner != NULL && (mxb_tuner_set(tuner, "n_configs", "4", &error) != MXB_OK ||
                          mxb_tuner_set(tuner, "n_threads", n_threads, &error) != MXB_OK)) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return tuner;
}

static struct made_data make_data(const struct memory_case *of, size_t n_rows) {
    return data_make((struct data_recipe){.n_rows = n_rows,
                                          .n_features = of->n_features,
                                          .seed = 3,
                                          .two_classes = of->two_classes,
                                          .weighted = of->weighted});
}

/* The most bytes at a time during the search, over those before, and what was foretold. */
static void measure(const struct memory_case *of, size_t n_rows, const char *n_threads, double *peak,
                    double *estimate) {
    struct made_data data = make_data(of, n_rows);
    size_t before = most_bytes = live_bytes;
    mxb_tuner *tuner = search(of, &data, n_threads);
    if (search_run(tuner)) {
        *peak = (double)(most_bytes - before);
        *estimate = (double)mxb_tuner_memory(tuner);
    }
    mxb_tuner_free(tuner);
    data_clear(&data);
}

static void searches_take_no_more_than_estimated(void) {
    for (size_t i = 0; i < N_CASES; i++) {
        double few[2] = {0}, many[2] = {0};
        measure(&CASES[i], FEW_ROWS, "1", &few[0], &few[1]);
        measure(&CASES[i], MANY_ROWS, "1", &many[0], &many[1]);
        double taken = (many[0] - few[0]) / (MANY_ROWS - FEW_ROWS);
        double foretold = (many[1] - few[1]) / (MANY_ROWS - FEW_ROWS);
        CHECK(many[0] <= many[1] && few[0] <= few[1]);
        CHECK(taken <= foretold && foretold <= 4.0 * taken);
        if (!(taken <= foretold && foretold <= 4.0 * taken)) {
            fprintf(stderr, "    (case %zu: %.1f bytes a row, %.1f foretold)\n", i, taken, foretold);
        }
    }
}

/* All configurations are as large as they may be, to their last round. */
static const struct memory_case LARGE_CASES[] = {
    {"num_round 10\ntree_probability 1\nmax_max_depth 6\nsymmetric_probability 0\nmin_max_depth 6\n",
     10,
     1,
     0,
     {"min_resource", "1/4"}},
    {"num_round 10\ntree_probability 1\nsymmetric_probability 1\nsymmetric_depth 9\n", 3, 0, 1, {"min_resource", "1"}},
    {"num_round 10\ntree_probability 0.5\nn_components 96\nn_projections 4\n",
     10,
     0,
     0,
     {"min_resource", "1/4", "n_folds", "3"}},
    {"num_round 10\ntree_probability 0\nn_components 60\nn_projections 3\n", 30, 0, 1, {"min_resource", "1/4"}},
    {"num_round 10\ntree_probability 0.6\nn_components 50\nmax_max_depth 8\n",
     10,
     1,
     1,
     {"min_resource", "1/4", "resource", "rounds", "n_folds", "2"}},
    {"num_round 10\ntree_probability 1\nuse_histograms false\nmax_max_depth 8\n",
     10,
     1,
     0,
     {"min_resource", "1/4", "n_folds", "2"}},
    {"num_round 10\ntree_probability 1\nn_members 4\nmax_max_depth 5\n", 10, 1, 0, {"min_resource", "1/4"}},
    {"num_round 10\ntree_probability 1\nuse_histograms false true choice\n", 20, 1, 0, {"min_resource", "1/4"}},
};

static void estimates_are_near(void) {
    static const size_t n_rows[] = {100, 1000, 8000};
    for (size_t i = 0; i < 3 * sizeof LARGE_CASES / sizeof LARGE_CASES[0]; i++) {
        const struct memory_case *of = &LARGE_CASES[i / 3];
        double alone[2] = {0}, side_by_side[2] = {0};
        measure(of, n_rows[i % 3], "1", &alone[0], &alone[1]);
        measure(of, n_rows[i % 3], "4", &side_by_side[0], &side_by_side[1]);
        int is_near = alone[0] <= alone[1] && alone[1] <= 3.0 * alone[0] + 2e6;
        CHECK(is_near);
        CHECK(side_by_side[0] <= side_by_side[1]); /* how much of it is there at once is chance */
        if (!(is_near && side_by_side[0] <= side_by_side[1])) {
            fprintf(stderr, "    (case %zu, %zu rows: %.2f MB, %.2f foretold; side by side %.2f, %.2f)\n", i / 3,
                    n_rows[i % 3], alone[0] / 1e6, alone[1] / 1e6, side_by_side[0] / 1e6, side_by_side[1] / 1e6);
        }
    }
}

/* The whole of it, from the start to the model. */
static void refits_take_no_more_than_estimated(void) {
    for (size_t i = 0; i < sizeof LARGE_CASES / sizeof LARGE_CASES[0]; i++) {
        struct made_data data = make_data(&LARGE_CASES[i], 2000);
        size_t before = most_bytes = live_bytes;
        mxb_tuner *tuner = search(&LARGE_CASES[i], &data, "2");
        mxb_model *model = NULL;
        CHECK(tuner != NULL && mxb_tune(tuner, NULL, NULL, &model, &error) == MXB_OK);
        CHECK(most_bytes - before <= mxb_tuner_memory(tuner));
        mxb_model_free(model);
        mxb_tuner_free(tuner);
        data_clear(&data);
    }
}

static void workers_take_no_more_than_estimated(void) {
    for (size_t i = 0; i < N_CASES; i += 3) {
        double many[2] = {0};
        measure(&CASES[i], FEW_ROWS, "8", &many[0], &many[1]);
        CHECK(many[0] <= many[1]);
    }
}

/* The estimate of a search that is only started. */
static double estimate_of(const struct memory_case *of, size_t n_rows, const char *n_threads, const char *memory) {
    struct made_data data = make_data(of, n_rows);
    mxb_tuner *tuner = search(of, &data, n_threads);
    double estimate = 0.0;
    if (tuner == NULL || mxb_tuner_set(tuner, "memory", memory, &error) != MXB_OK || mxb_tuner_memory(tuner) != 0 ||
        mxb_tuner_start(tuner, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    } else {
        estimate = (double)mxb_tuner_memory(tuner);
    }
    mxb_tuner_free(tuner);
    data_clear(&data);
    return estimate;
}

/* Among what is drawn, and where some of it contradicts itself. */
static void the_largest_configuration_counts(void) {
    static const char *const pairs[][2] = {
        {"n_components 2 50 integer\n", "n_components 50\n"},
        {"n_components 2 50 integer\nn_projections 1 3 integer\n", "n_components 50\nn_projections 3\n"},
        {"symmetric_depth 1 9 integer\nsymmetric_probability 0 1 choice\n",
         "symmetric_depth 9\nsymmetric_probability 1\n"},
        {"min_max_depth 2 12 integer\nmax_max_depth 2 12 integer\n", "min_max_depth 12\nmax_max_depth 12\n"},
        {"use_histograms true false choice\n", "use_histograms true\n"},
        {"use_histograms true false choice\n", "use_histograms false\n"},
        {"num_round 1 500 log10\n", "num_round 500\n"},
        {"tree_probability 0 1 linear\n", "tree_probability 0.5\n"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct memory_case of = {pairs[i][0], 10, 1, 1, {"min_resource", "1"}};
        double drawn = estimate_of(&of, 1000, "1", "1");
        of.space = pairs[i][1];
        CHECK(drawn > 0.0 && drawn >= estimate_of(&of, 1000, "1", "1"));
    }
}

static void grows_with_what_takes_memory(void) {
    struct memory_case of = {"tree_probability 1\n", 10, 1, 1, {"min_resource", "1", "n_folds", "2"}};
    double least = estimate_of(&of, 1000, "1", "1");
    CHECK(estimate_of(&of, 2000, "1", "1") > least + 1000.0 * 2 * (10 + 32) / 2);
    CHECK(estimate_of(&of, 1000, "2", "1") > least + 1000.0 * 32);
    CHECK(estimate_of(&of, 1000, "1", "500") == least); /* no models wait where rows are the resource */
    of.settings[3] = "4";
    CHECK(estimate_of(&of, 1000, "1", "1") > least + 1000.0 * (10 + 32));
    of.settings[3] = "2";
    of.space = "tree_probability 1\nfourier_scaling rank standard choice\n";
    CHECK(estimate_of(&of, 1000, "1", "1") >= least + 1000.0 * (10 + 32));
    of.space = "tree_probability 0.5\n";
    double of_both = estimate_of(&of, 1000, "1", "1");
    of.space = "tree_probability 0.5\nn_components 10 100 linear\n";
    CHECK(estimate_of(&of, 1000, "1", "1") >= of_both + 1000.0 * 4 * 99);
    of.space = "tree_probability 1\n";
    of.settings[4] = "resource";
    of.settings[5] = "rounds";
    double with_none = estimate_of(&of, 1000, "1", "0");
    CHECK(with_none >= least);
    CHECK(estimate_of(&of, 1000, "1", "500") > with_none); /* models that wait */
    CHECK(estimate_of(&of, 1000, "1", "500") == estimate_of(&of, 1000, "1", "1000"));
    of.space = "tree_probability 1\nnum_round 100000\n"; /* as many as there is room for */
    CHECK(estimate_of(&of, 1000, "1", "7") == estimate_of(&of, 1000, "1", "0") + 7 * 1048576.0);
}

int main(void) {
    RUN(searches_take_no_more_than_estimated);
    RUN(estimates_are_near);
    RUN(refits_take_no_more_than_estimated);
    RUN(the_largest_configuration_counts);
    RUN(workers_take_no_more_than_estimated);
    RUN(grows_with_what_takes_memory);
    return check_report();
}
