/* Every allocation of every operation fails, once and for ever after. The operation reports MXB_ERROR_MEMORY and leaves
 * nothing behind, or it does without the block (threads it cannot start) and comes to the same result. A new operation
 * is one function and one row of OPERATIONS. */
#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "stress/faults.h"
#include "stress/mean_learner.h"
#include "stress/outcome.h"
#include "unit/boost/make_data.h"

enum { N_ROWS = 60 };

static struct made_data data;
static struct made_data valid;
static mxb_model *mixed; /* a model of two classes with both learners */
enum { N_BROAD = 7000 };
static mxb_model *broad; /* a model of N_BROAD features, whose rows need the heap */
static mxb_prepared *prepared;
static mxb_trainer *trainer; /* on it, after some rounds */
static void *saved;          /* the bytes of `mixed` */
static size_t n_saved;

static char folder[] = "/tmp/mixboost-test-XXXXXX";

/* ---- operations: each begins with an empty outcome and stops at the first failure ---- */

#define TRY(call)                     \
    do {                              \
        mxb_status try_code = (call); \
        if (try_code != MXB_OK) {     \
            return try_code;          \
        }                             \
    } while (0)

static mxb_status read_csv(struct outcome *outcome, mxb_error *error) {
    TRY(mxb_table_read_csv("data.csv", MXB_HEADER_AUTO, NULL, 0, 1, &outcome->table, error));
    return mxb_dataset_from_table(outcome->table, "y", "w", NULL, 0, &outcome->dataset, error);
}

static mxb_status choose_columns(struct outcome *outcome, mxb_error *error) {
    static const char *const features[] = {"b", "a"};
    TRY(mxb_table_read_csv("data.csv", MXB_HEADER_YES, NULL, 0, 3, &outcome->table, error));
    return mxb_dataset_from_table(outcome->table, "4", NULL, features, 2, &outcome->dataset, error);
}

static mxb_status name_columns(struct outcome *outcome, mxb_error *error) {
    static const uint8_t present[N_ROWS / 8 + 1] = {0xFF, 0x0F, 0xF3};
    TRY(mxb_dataset_create(N_ROWS, &outcome->dataset, error));
    for (size_t f = 0; f < 20; f++) {
        char name[8];
        snprintf(name, sizeof name, "x%zu", f);
        TRY(mxb_dataset_add_column(outcome->dataset, name, data.x, sizeof(double), MXB_FLOAT64, error));
    }
    TRY(mxb_dataset_set_validity(outcome->dataset, 7, present, 0, error));
    return mxb_dataset_set_label(outcome->dataset, data.y, sizeof(double), MXB_FLOAT64, error);
}

static mxb_status select_rows(struct outcome *outcome, mxb_error *error) {
    const size_t rows[] = {5, 3, 3, 59};
    return mxb_dataset_select(data.dataset, rows, 4, &outcome->dataset, error);
}

static mxb_status split_rows(struct outcome *outcome, mxb_error *error) {
    mxb_dataset *second;
    TRY(mxb_dataset_split(data.dataset, 0.3, 1, 7, &outcome->dataset, &second, error));
    mxb_dataset_free(second);
    return MXB_OK;
}

/* Makes the outcome's params of names and values up to NULL. */
static mxb_status set_options(struct outcome *outcome, const char *const *pairs, mxb_error *error) {
    TRY(mxb_params_create(&outcome->params, error));
    for (; *pairs != NULL; pairs += 2) {
        TRY(mxb_params_set(outcome->params, pairs[0], pairs[1], error));
    }
    return MXB_OK;
}

#define OPTIONS(...) TRY(set_options(outcome, (const char *const[]){__VA_ARGS__, NULL}, error))

static mxb_status make_params(struct outcome *outcome, mxb_error *error) {
    OPTIONS("num_round", "7");
    return MXB_OK;
}

static mxb_status prepare_data(struct outcome *outcome, mxb_error *error) {
    OPTIONS("objective", "logloss", "n_threads", "1");
    return mxb_prepared_create(data.dataset, outcome->params, &outcome->prepared, error);
}

static mxb_status train_with(struct outcome *outcome, const char *tree_probability, const char *n_threads,
                             const mxb_dataset *validation, mxb_error *error) {
    OPTIONS("num_round", "6", "objective", "logloss", "n_components", "4", "max_max_depth", "3", "n_threads", n_threads,
            "tree_probability", tree_probability, "symmetric_probability", "0.5");
    return mxb_train(data.dataset, validation, outcome->params, NULL, NULL, &outcome->model, error);
}

static mxb_status train_trees(struct outcome *outcome, mxb_error *error) {
    return train_with(outcome, "1", "1", NULL, error);
}

static mxb_status train_exact(struct outcome *outcome, mxb_error *error) {
    OPTIONS("num_round", "4", "use_histograms", "false", "tree_probability", "1", "symmetric_probability", "0.5",
            "n_threads", "1");
    return mxb_train(data.dataset, NULL, outcome->params, NULL, NULL, &outcome->model, error);
}

/* The trainings that num_round is chosen by, and then the one of so many rounds. */
static mxb_status train_as_chosen(struct outcome *outcome, mxb_error *error) {
    OPTIONS("num_round", "auto", "early_stopping_rounds", "2", "learning_rate", "0.8", "objective", "logloss",
            "n_components", "4", "max_max_depth", "3", "tree_probability", "0.6", "n_threads", "1");
    return mxb_train(data.dataset, NULL, outcome->params, NULL, NULL, &outcome->model, error);
}

/* With one thread one after the other, with three side by side, and gone on from. */
static mxb_status train_members(struct outcome *outcome, const char *n_threads, mxb_error *error) {
    mxb_trainer *more = NULL;
    mxb_model *model;
    OPTIONS("num_round", "3", "objective", "logloss", "n_components", "4", "n_members", "4", "max_max_depth", "3",
            "tree_probability", "0.5", "random_state", "5", "n_threads", n_threads);
    TRY(mxb_train(data.dataset, valid.dataset, outcome->params, NULL, NULL, &model, error));
    mxb_status status = mxb_params_set(outcome->params, "num_round", "5", error);
    if (status == MXB_OK) {
        status = mxb_trainer_create_from(prepared, valid.dataset, outcome->params, model, &more, error);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_run(more, 5, NULL, NULL, error);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_model(more, &outcome->model, error);
    }
    mxb_trainer_free(more);
    mxb_model_free(model);
    return status;
}

static mxb_status train_members_in_turn(struct outcome *outcome, mxb_error *error) {
    return train_members(outcome, "1", error);
}

static mxb_status train_members_at_once(struct outcome *outcome, mxb_error *error) {
    return train_members(outcome, "3", error);
}

static mxb_status train_fourier(struct outcome *outcome, mxb_error *error) {
    return train_with(outcome, "0", "1", NULL, error);
}

/* A bank of projections that learn from the rounds before. */
static mxb_status train_bank(struct outcome *outcome, mxb_error *error) {
    static const char *const options[][2] = {
        {"num_round", "6"}, {"n_components", "4"},       {"n_projections", "2"}, {"fourier_metric", "learned"},
        {"gamma", "auto"},  {"tree_probability", "0.3"}, {"n_threads", "1"},     {"objective", "logloss"}};
    TRY(mxb_params_create(&outcome->params, error));
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        TRY(mxb_params_set(outcome->params, options[i][0], options[i][1], error));
    }
    return mxb_train(data.dataset, valid.dataset, outcome->params, NULL, NULL, &outcome->model, error);
}

static mxb_status train_mixed(struct outcome *outcome, mxb_error *error) {
    return train_with(outcome, "0.5", "1", valid.dataset, error);
}

static mxb_status train_with_threads(struct outcome *outcome, mxb_error *error) {
    return train_with(outcome, "0.5", "3", valid.dataset, error);
}

/* Columns and labels of text, from the file to the prediction. */
static mxb_status train_on_text(struct outcome *outcome, mxb_error *error) {
    static const char *const text_columns[] = {"b"};
    TRY(mxb_table_read_csv("text.csv", MXB_HEADER_AUTO, text_columns, 1, 1, &outcome->table, error));
    TRY(mxb_dataset_from_table(outcome->table, "y", NULL, NULL, 0, &outcome->dataset, error));
    OPTIONS("objective", "logloss", "num_round", "3", "n_threads", "1");
    TRY(mxb_train(outcome->dataset, outcome->dataset, outcome->params, NULL, NULL, &outcome->model, error));
    mxb_status status = mxb_model_predict(outcome->model, outcome->dataset, MXB_PREDICT_RAW, 1, outcome->values, error);
    if (status != MXB_OK) {
        mxb_model_free(outcome->model);
        outcome->model = NULL;
    }
    return status;
}

/* ---- a learner and a loss of one's own ---- */

static mxb_status train_own(struct outcome *outcome, mxb_error *error) {
    OPTIONS("num_round", "6", "n_components", "4", "n_threads", "1");
    TRY(mean_learner_add(outcome->params, error));
    return mxb_train(data.dataset, valid.dataset, outcome->params, NULL, NULL, &outcome->model, error);
}

static mxb_status load_own(struct outcome *outcome, mxb_error *error) {
    TRY(train_own(outcome, error));
    mxb_status status = mxb_model_save(outcome->model, "own.mxb", error);
    mxb_model_free(outcome->model);
    outcome->model = NULL;
    TRY(status);
    TRY(mxb_model_load_with("own.mxb", outcome->params, &outcome->model, error));
    status = mxb_model_predict(outcome->model, data.dataset, MXB_PREDICT_RAW, 1, outcome->values, error);
    if (status != MXB_OK) {
        mxb_model_free(outcome->model);
        outcome->model = NULL;
    }
    return status;
}

/* ---- models ---- */

static mxb_status take_model(struct outcome *outcome, mxb_error *error) {
    return mxb_trainer_model(trainer, &outcome->model, error);
}

static mxb_status continue_training(struct outcome *outcome, mxb_error *error) {
    mxb_trainer *more;
    OPTIONS("num_round", "12", "objective", "logloss", "n_components", "4", "max_max_depth", "3", "n_threads", "1",
            "tree_probability", "0.5", "early_stopping_rounds", "0");
    TRY(mxb_trainer_create_from(prepared, valid.dataset, outcome->params, mixed, &more, error));
    mxb_status status = mxb_trainer_run(more, 12, NULL, NULL, error);
    if (status == MXB_OK) {
        status = mxb_trainer_model(more, &outcome->model, error);
    }
    mxb_trainer_free(more);
    return status;
}

static mxb_status cross_validate(struct outcome *outcome, mxb_error *error) {
    OPTIONS("num_round", "3", "n_threads", "1");
    return mxb_cross_validate(data.dataset, outcome->params, 3, 1, 1, 7, NULL, NULL, outcome->values, error);
}

static mxb_status evaluate(struct outcome *outcome, mxb_error *error) {
    return mxb_model_evaluate(mixed, data.dataset, 1, outcome->values, error);
}

static mxb_status save(struct outcome *outcome, mxb_error *error) {
    (void)outcome;
    return mxb_model_save(mixed, "model.mxb", error);
}

static mxb_status load(struct outcome *outcome, mxb_error *error) {
    return mxb_model_load("good.mxb", &outcome->model, error);
}

static mxb_status make_bytes(struct outcome *outcome, mxb_error *error) {
    return mxb_model_to_bytes(mixed, &outcome->bytes, &outcome->n_bytes, error);
}

static mxb_status load_bytes(struct outcome *outcome, mxb_error *error) {
    return mxb_model_from_bytes(saved, n_saved, &outcome->model, error);
}

static mxb_status make_json(struct outcome *outcome, mxb_error *error) {
    char *json = NULL;
    mxb_status status = mxb_model_to_json(mixed, &json, &outcome->n_bytes, error);
    outcome->bytes = json;
    return status;
}

static mxb_status predict(struct outcome *outcome, mxb_error *error) {
    return mxb_model_predict(mixed, data.dataset, MXB_PREDICT_PROBABILITY, 1, outcome->values, error);
}

static mxb_status find_importances(struct outcome *outcome, mxb_error *error) {
    return mxb_model_importance(mixed, MXB_IMPORTANCE_FOURIER, outcome->values, error);
}

/* The sum of what comes of each. */
static mxb_status walk_stages(const mxb_model *model, struct outcome *outcome, mxb_error *error) {
    mxb_stages *stages;
    double staged[N_ROWS];
    TRY(mxb_stages_create(model, data.dataset, 1, &stages, error));
    mxb_status status = MXB_OK;
    for (size_t r = 0; r < mxb_model_n_rounds(model) && status == MXB_OK; r++) {
        status = mxb_stages_next(stages, MXB_PREDICT_RAW, staged, error);
        for (size_t i = 0; i < N_ROWS && status == MXB_OK; i++) {
            outcome->values[i] += staged[i];
        }
    }
    mxb_stages_free(stages);
    return status;
}

static mxb_status predict_stages(struct outcome *outcome, mxb_error *error) {
    return walk_stages(mixed, outcome, error);
}

static mxb_status predict_own_stages(struct outcome *outcome, mxb_error *error) {
    TRY(train_own(outcome, error));
    mxb_status status = walk_stages(outcome->model, outcome, error);
    if (status != MXB_OK) {
        mxb_model_free(outcome->model);
        outcome->model = NULL;
    }
    return status;
}

static mxb_status predict_wide_row(struct outcome *outcome, mxb_error *error) {
    static const double wide[N_BROAD];
    return mxb_model_predict_rows(broad, wide, 1, N_BROAD, MXB_PREDICT_RAW, outcome->values, error);
}

static mxb_status predict_with_threads(struct outcome *outcome, mxb_error *error) {
    static double many[600];
    mxb_dataset *repeated;
    size_t rows[600];
    for (size_t i = 0; i < 600; i++) {
        rows[i] = i % N_ROWS;
    }
    TRY(mxb_dataset_select(data.dataset, rows, 600, &repeated, error));
    mxb_status status = mxb_model_predict(mixed, repeated, MXB_PREDICT_RAW, 3, many, error);
    mxb_dataset_free(repeated);
    memcpy(outcome->values, many, status == MXB_OK ? N_ROWS * sizeof(double) : 0);
    return status;
}

static const struct operation {
    const char *name;
    mxb_status (*run)(struct outcome *outcome, mxb_error *error);
    int spares_threads; /* 1: a failure may cost threads and nothing else */
} OPERATIONS[] = {
    {"CSV file to dataset", read_csv, 0},
    {"chosen columns, three threads", choose_columns, 1},
    {"named columns", name_columns, 0},
    {"selection of rows", select_rows, 0},
    {"split", split_rows, 0},
    {"options", make_params, 0},
    {"prepare", prepare_data, 0},
    {"train trees", train_trees, 0},
    {"train exact trees", train_exact, 0},
    {"train fourier", train_fourier, 0},
    {"train bank", train_bank, 0},
    {"train both, with validation", train_mixed, 0},
    {"train both, three threads", train_with_threads, 1},
    {"choose num_round and train", train_as_chosen, 0},
    {"train members", train_members_in_turn, 0},
    {"train members, three threads", train_members_at_once, 1},
    {"train on text", train_on_text, 0},
    {"train with an own learner and loss", train_own, 0},
    {"own learner and loss: save, load, predict", load_own, 0},
    {"model of a trainer", take_model, 0},
    {"continue a training", continue_training, 0},
    {"cross-validate", cross_validate, 0},
    {"evaluate", evaluate, 0},
    {"save", save, 0},
    {"load a file", load, 0},
    {"to bytes", make_bytes, 0},
    {"from bytes", load_bytes, 0},
    {"to JSON", make_json, 0},
    {"predict", predict, 0},
    {"predict, three threads", predict_with_threads, 1},
    {"predict a wide row", predict_wide_row, 0},
    {"importances", find_importances, 0},
    {"stages", predict_stages, 0},
    {"stages with an own learner", predict_own_stages, 0},
};

/* ---- the test ---- */

static uint64_t expected; /* the hash of the outcome without failures */
static uint64_t n_tried;

static int check_run(const struct operation *operation, struct fault_plan plan, uint64_t *n_allocations) {
    struct outcome outcome = {0};
    mxb_error error = {""};
    int failed_before = check_n_failed;
    int64_t live = faults_n_live_blocks();
    faults_begin(plan);
    mxb_status status = operation->run(&outcome, &error);
    struct fault_report report = faults_end();
    *n_allocations = report.n_counted;
    if (status == MXB_OK) {
        CHECK(plan.n == 0 || operation->spares_threads);
        uint64_t hash = outcome_hash(&outcome);
        CHECK(plan.n == 0 || hash == expected);
        expected = hash;
    } else {
        CHECK(plan.n > 0);
        CHECK_INT(status, MXB_ERROR_MEMORY);
        CHECK(strstr(error.message, "out of memory") != NULL);
        CHECK(outcome.model == NULL && outcome.bytes == NULL && outcome.prepared == NULL);
    }
    CHECK((report.n_failed > 0) == (plan.n > 0));
    outcome_clear(&outcome);
    CHECK_INT(faults_n_live_blocks(), live);
    n_tried++;
    if (check_n_failed > failed_before) {
        fprintf(stderr, "    (%s, allocation %llu%s)\n", operation->name, (unsigned long long)plan.n,
                plan.for_ever ? " and all after it" : "");
    }
    return check_n_failed == failed_before;
}

static void every_allocation_may_fail(void) {
    for (size_t i = 0; i < sizeof OPERATIONS / sizeof OPERATIONS[0]; i++) {
        const struct operation *operation = &OPERATIONS[i];
        uint64_t n_allocations;
        uint64_t n_seen;
        uint64_t first = expected = 0;
        if (!check_run(operation, (struct fault_plan){.calls = 1u << FAULT_ALLOCATE}, &n_allocations)) {
            continue;
        }
        first = expected;
        CHECK(n_allocations > 0);
        int fine = 1;
        for (uint64_t n = 1; fine && n <= n_allocations; n++) {
            for (int for_ever = 0; for_ever <= 1; for_ever++) {
                struct fault_plan plan = {.calls = 1u << FAULT_ALLOCATE, .n = n, .for_ever = for_ever};
                fine = check_run(operation, plan, &n_seen) && fine;
            }
        }
        /* What all runs shared is as it was. */
        check_run(operation, (struct fault_plan){.calls = 1u << FAULT_ALLOCATE}, &n_seen);
        CHECK(expected == first && n_seen == n_allocations);
        printf("%-30s %llu allocations\n", operation->name, (unsigned long long)n_allocations);
    }
}

static int write_text(void) {
    FILE *file = fopen("text.csv", "w");
    if (file == NULL) {
        return 0;
    }
    fprintf(file, "a,b,y\n");
    for (int i = 0; i < N_ROWS; i++) {
        fprintf(file, "\"say \"\"%d\"\"\",%d,%s\n", i % 23, i % 5, i % 3 == 0 ? "no" : "yes");
    }
    return fclose(file) == 0;
}

static int write_csv(void) {
    FILE *file = fopen("data.csv", "w");
    if (file == NULL) {
        return 0;
    }
    fprintf(file, "a,\"b \"\"c\"\"\",w,y,b\n");
    for (int i = 0; i < 300; i++) {
        fprintf(file, "%d.5,%s,%d,%d,%d\n", i, i % 7 == 0 ? "" : "1e-3", i % 3, i % 2, -i);
    }
    return fclose(file) == 0;
}

static int make_broad(void) {
    struct made_data rows = data_make((struct data_recipe){.n_rows = 20, .n_features = N_BROAD, .seed = 4});
    mxb_params *params = PARAMS("num_round", "2", "tree_probability", "0", "n_components", "2", "n_threads", "1");
    int fine = params != NULL && mxb_train(rows.dataset, NULL, params, NULL, NULL, &broad, NULL) == MXB_OK;
    mxb_params_free(params);
    data_clear(&rows);
    return fine;
}

static int make_world(void) {
    data = data_make((struct data_recipe){
        .n_rows = N_ROWS, .n_features = 3, .seed = 2, .missing = 0.1, .two_classes = 1, .weighted = 1});
    valid = data_make((struct data_recipe){.n_rows = 30, .n_features = 3, .seed = 3, .two_classes = 1});
    mxb_params *params = PARAMS("num_round", "8", "objective", "logloss", "tree_probability", "0.5", "n_components",
                                "4", "max_max_depth", "3", "symmetric_probability", "0.5", "n_threads", "1");
    int fine = params != NULL && write_csv() && write_text() && make_broad() &&
               mxb_train(data.dataset, valid.dataset, params, NULL, NULL, &mixed, NULL) == MXB_OK &&
               mxb_model_to_bytes(mixed, &saved, &n_saved, NULL) == MXB_OK &&
               mxb_model_save(mixed, "good.mxb", NULL) == MXB_OK &&
               mxb_prepared_create(data.dataset, params, &prepared, NULL) == MXB_OK &&
               mxb_trainer_create(prepared, valid.dataset, params, &trainer, NULL) == MXB_OK &&
               mxb_trainer_run(trainer, 4, NULL, NULL, NULL) == MXB_OK;
    mxb_params_free(params);
    return fine;
}

static void free_world(void) {
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_model_free(mixed);
    mxb_model_free(broad);
    mxb_bytes_free(saved);
    data_clear(&data);
    data_clear(&valid);
    unlink("data.csv");
    unlink("text.csv");
    unlink("good.mxb");
    unlink("model.mxb");
    unlink("own.mxb");
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || !make_world()) {
        fprintf(stderr, "cannot make the data of the test\n");
        return 1;
    }
    RUN(every_allocation_may_fail);
    free_world();
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%llu runs\n", (unsigned long long)n_tried);
    return check_report();
}
