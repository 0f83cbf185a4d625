/* The estimate of a search's memory against what the library asks for: never less at its peak, and no slower in growth
 * with rows. */
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
                                "1", "n_components", "1", "max_max_depth", "3");
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
    size_t before = most_bytes = n_bytes;
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

static void workers_take_no_more_than_estimated(void) {
    for (size_t i = 0; i < N_CASES; i += 3) {
        double one[2] = {0}, many[2] = {0};
        measure(&CASES[i], FEW_ROWS, "1", &one[0], &one[1]);
        measure(&CASES[i], FEW_ROWS, "8", &many[0], &many[1]);
        CHECK(many[0] <= many[1]);
        CHECK(many[0] - one[0] <= many[1] - one[1]);
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
    of.space = "tree_probability 1\nn_components 10 100 linear\n";
    CHECK(estimate_of(&of, 1000, "1", "1") >= least + 1000.0 * 4 * 99);
    of.space = "tree_probability 1\n";
    of.settings[4] = "resource";
    of.settings[5] = "rounds";
    CHECK(estimate_of(&of, 1000, "1", "1") == least + 1048576.0);
    CHECK(estimate_of(&of, 1000, "1", "500") == least + 500.0 * 1048576.0);
}

int main(void) {
    RUN(searches_take_no_more_than_estimated);
    RUN(workers_take_no_more_than_estimated);
    RUN(grows_with_what_takes_memory);
    return check_report();
}
