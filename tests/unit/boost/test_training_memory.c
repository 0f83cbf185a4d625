/* The estimate of a training's memory against what the library asks for, part by part: never less, and near to it. */
#include "counted_memory.h"

#include "base/memory.h"
#include "check.h"
#include "mixboost/tune.h"
#include "unit/boost/make_data.h"

static mxb_error error;

struct memory_case {
    size_t n_features;
    int two_classes;
    int weighted;
    mxb_params *(*params)(void);
};

static mxb_params *deep_trees(void) {
    return PARAMS("objective", "logloss", "num_round", "30", "tree_probability", "1", "min_max_depth", "7",
                  "max_max_depth", "7", "symmetric_probability", "0", "min_child_weight", "0");
}
static mxb_params *symmetric_trees(void) {
    return PARAMS("num_round", "30", "tree_probability", "1", "symmetric_probability", "1", "symmetric_depth", "7");
}
static mxb_params *exact_trees(void) {
    return PARAMS("objective", "logloss", "num_round", "30", "tree_probability", "1", "use_histograms", "false",
                  "symmetric_depth", "5");
}
static mxb_params *fourier(void) {
    return PARAMS("num_round", "30", "tree_probability", "0", "n_components", "70", "n_projections", "3");
}
static mxb_params *both(void) { return PARAMS("objective", "logloss", "num_round", "30", "tree_probability", "0.6"); }
static mxb_params *members(void) {
    return PARAMS("num_round", "10", "tree_probability", "0.6", "n_members", "5", "fourier_scaling", "standard");
}

static const struct memory_case CASES[] = {
    {10, 1, 0, deep_trees}, {3, 0, 1, symmetric_trees}, {20, 1, 1, exact_trees},
    {15, 0, 1, fourier},    {40, 1, 0, both},           {6, 0, 0, members},
};

/* What the parts really take. */
static void measure(const mxb_dataset *train, const mxb_dataset *valid, const mxb_params *params,
                    mxb_training_memory *taken) {
    mxb_prepared *prepared = NULL;
    mxb_trainer *trainer = NULL;
    mxb_model *model = NULL;
    size_t before = most_bytes = live_bytes;
    OK(mxb_prepared_create(train, params, &prepared, &error), error);
    taken->preparing = most_bytes - before;
    taken->prepared = live_bytes - before;
    before = most_bytes = live_bytes;
    OK(mxb_trainer_create(prepared, valid, params, &trainer, &error), error);
    OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
    taken->training = most_bytes - before;
    before = most_bytes = live_bytes;
    OK(mxb_trainer_model(trainer, &model, &error), error);
    taken->model = most_bytes - before;
    mxb_model_free(model);
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
}

static int is_near(size_t taken, size_t foretold, double most) {
    return taken <= foretold && (double)foretold <= most * (double)taken + 5e5;
}

static void trainings_take_no_more_than_estimated(void) {
    static const size_t n_rows[] = {50, 600, 5000};
    for (size_t i = 0; i < 6 * sizeof CASES / sizeof CASES[0]; i++) {
        const struct memory_case *of = &CASES[i / 6];
        struct data_recipe recipe = {.n_rows = n_rows[i % 3],
                                     .n_features = of->n_features,
                                     .seed = 5,
                                     .two_classes = of->two_classes,
                                     .weighted = of->weighted};
        struct made_data train = data_make(recipe);
        recipe.n_rows = 500;
        struct made_data valid = data_make(recipe);
        mxb_params *params = of->params();
        mxb_training_memory taken = {0};
        mxb_training_memory foretold = {0};
        OK(mxb_params_set(params, "early_stopping_rounds", "0", &error), error);
        OK(mxb_params_set(params, "n_threads", i % 6 < 3 ? "1" : "3", &error), error);
        measure(train.dataset, i % 2 == 0 ? valid.dataset : NULL, params, &taken);
        OK(mxb_params_memory(params, train.dataset, i % 2 == 0 ? valid.dataset : NULL, mxb_params_max_rounds(params),
                             &foretold, &error),
           error);
        CHECK(is_near(taken.prepared, foretold.prepared, 2.0));
        CHECK(is_near(taken.preparing, foretold.preparing, 3.0));
        CHECK(is_near(taken.training, foretold.training, 2.0));
        CHECK(is_near(taken.model, foretold.model, 6.0));
        mxb_params_free(params);
        data_clear(&train);
        data_clear(&valid);
    }
}

/* Not all of them are drawn one by one. */
static void many_rounds_are_as_few(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 1000, .n_features = 5, .seed = 1});
    mxb_params *params = both();
    mxb_training_memory few = {0}, many = {0}, none = {0};
    OK(mxb_params_memory(params, data.dataset, NULL, 0, &none, &error), error);
    OK(mxb_params_memory(params, data.dataset, NULL, 1500, &few, &error), error);
    OK(mxb_params_memory(params, data.dataset, NULL, 150000, &many, &error), error);
    double growth = (double)(many.training - none.training) / (double)(few.training - none.training);
    CHECK(growth > 90.0 && growth < 110.0);
    mxb_params_free(params);
    data_clear(&data);
}

static void options_that_contradict_are_refused(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 100, .n_features = 3, .seed = 1});
    mxb_params *params = PARAMS("min_max_depth", "5", "max_max_depth", "3");
    mxb_training_memory memory = {1, 1, 1, 1};
    FAILS(mxb_params_memory(params, data.dataset, NULL, 10, &memory, &error), error, MXB_ERROR_PARAM,
          "min_max_depth is 5 and max_max_depth 3; the first must not be larger");
    CHECK(memory.prepared == 0 && memory.preparing == 0 && memory.training == 0 && memory.model == 0);
    mxb_params_free(params);
    data_clear(&data);
}

static void memory_may_lack(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 100, .n_features = 3, .seed = 1});
    mxb_params *params = exact_trees();
    mxb_training_memory memory;
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb_params_memory(params, data.dataset, NULL, 10, &memory, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    mxb_params_free(params);
    data_clear(&data);
}

int main(void) {
    RUN(trainings_take_no_more_than_estimated);
    RUN(many_rounds_are_as_few);
    RUN(options_that_contradict_are_refused);
    RUN(memory_may_lack);
    return check_report();
}
