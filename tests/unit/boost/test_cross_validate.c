/* Cross-validation: against trainings by hand; what a fold may not see; progress, messages, failing memory. */
#include "base/memory.h"
#include "data/dataset.h"
#include "data/folds.h"
#include "data/labels.h"
#include "mixboost/tune.h"
#include "unit/boost/train_data.h"

static mxb_error error;

enum { N_FOLDS = 4, N_REPEATS = 2, N_LOSSES = N_FOLDS * N_REPEATS, MOST_ROWS = 1000 };

/* The rows of one fold, or of all others. */
struct part {
    size_t n_rows;
    size_t rows[MOST_ROWS];
    mxb_dataset *dataset;
};

static void select_part(const struct made_data *data, const uint32_t *folds, size_t fold, int others,
                        struct part *part) {
    part->n_rows = 0;
    for (size_t i = 0; i < data->n_rows; i++) {
        if ((folds[i] != fold) == others) {
            part->rows[part->n_rows++] = i;
        }
    }
    if (mxb_dataset_select(data->dataset, part->rows, part->n_rows, &part->dataset, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
}

static void deal(const struct made_data *data, int stratify, uint64_t seed, size_t repeat, uint32_t *folds) {
    struct labels labels = {.n_rows = data->n_rows, .values = data->y, .weights = data->weights};
    if (mxb__folds_deal(&labels, N_FOLDS, stratify, seed, repeat, folds, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
}

/* What a cross-validation said of itself. */
struct heard {
    size_t n_calls;
    size_t n_folds;
    double train[N_LOSSES];
    double held_out[N_LOSSES];
    double seconds;
    size_t stop_at; /* the call that says so; 0: none */
    int is_wrong;
};

static int hear(void *context, size_t fold, double train_loss, double held_out_loss, double seconds) {
    struct heard *heard = context;
    heard->n_calls++;
    heard->is_wrong |= fold != heard->n_folds + 1 || !isfinite(train_loss) || seconds < heard->seconds;
    heard->seconds = seconds;
    if (!isnan(held_out_loss) && heard->n_folds < N_LOSSES) {
        heard->train[heard->n_folds] = train_loss;
        heard->held_out[heard->n_folds++] = held_out_loss;
    }
    return heard->n_calls != heard->stop_at;
}

/* Each fold is a training on the other folds' rows and its model's metric on its own. */
static void is_what_trainings_by_hand_give(void) {
    for (int variant = 0; variant < 4; variant++) {
        int classes = variant % 2;
        struct made_data data = data_make((struct data_recipe){.n_rows = 203,
                                                               .n_features = 4,
                                                               .seed = 9,
                                                               .missing = 0.1,
                                                               .two_classes = classes,
                                                               .weighted = variant >= 2});
        mxb_params *params = PARAMS("num_round", "15", "objective", classes ? "logloss" : "mse", "tree_probability",
                                    "0.7", "random_state", "3");
        double losses[N_LOSSES];
        struct heard heard = {0};
        OK(mxb_cross_validate(data.dataset, params, N_FOLDS, N_REPEATS, classes, 17, hear, &heard, losses, &error),
           error);
        CHECK_INT(heard.n_calls, N_LOSSES * 16);
        CHECK(!heard.is_wrong);
        for (size_t i = 0; i < N_LOSSES; i++) {
            static uint32_t folds[MOST_ROWS];
            struct part train_part;
            struct part held_out;
            mxb_model *model;
            double by_hand;
            deal(&data, classes, 17, i / N_FOLDS, folds);
            select_part(&data, folds, i % N_FOLDS, 1, &train_part);
            select_part(&data, folds, i % N_FOLDS, 0, &held_out);
            OK(mxb_train(train_part.dataset, NULL, params, NULL, NULL, &model, &error), error);
            OK(mxb_model_evaluate(model, held_out.dataset, 1, &by_hand, &error), error);
            CHECK(losses[i] == by_hand);
            CHECK(heard.held_out[i] == by_hand);
            CHECK(heard.train[i] == mxb_model_curve(model, 15, 0));
            mxb_model_free(model);
            mxb_dataset_free(train_part.dataset);
            mxb_dataset_free(held_out.dataset);
        }
        CHECK(memcmp(losses, losses + N_FOLDS, N_FOLDS * sizeof *losses) != 0); /* repeats differ */
        mxb_params_free(params);
        data_clear(&data);
    }
}

/* Nonsense in the rows of a fold changes nothing that its training computes, and everything in the others. */
static void a_held_out_row_cannot_be_seen(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 300, .n_features = 3, .seed = 21});
    mxb_params *params = PARAMS("num_round", "10", "tree_probability", "0.5");
    static uint32_t folds[MOST_ROWS];
    double losses[N_FOLDS];
    struct heard clean = {0};
    struct heard poisoned = {0};
    deal(&data, 0, 1, 0, folds);
    OK(mxb_cross_validate(data.dataset, params, N_FOLDS, 1, 0, 1, hear, &clean, losses, &error), error);
    for (size_t i = 0; i < data.n_rows; i++) {
        if (folds[i] == 2) {
            data.y[i] = 1e6 * (double)(i + 1);
            for (size_t f = 0; f < 3; f++) {
                data.x[f * data.n_rows + i] = f == 0 ? (double)NAN : f == 1 ? (double)INFINITY : -1e9 * (double)(i + 1);
            }
        }
    }
    OK(mxb_cross_validate(data.dataset, params, N_FOLDS, 1, 0, 1, hear, &poisoned, losses, &error), error);
    for (size_t fold = 0; fold < N_FOLDS; fold++) {
        CHECK((clean.train[fold] == poisoned.train[fold]) == (fold == 2));
        CHECK(clean.held_out[fold] != poisoned.held_out[fold]);
    }
    mxb_params_free(params);
    data_clear(&data);
}

static void does_not_depend_on_threads_and_has_defaults(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 60, .n_features = 3, .seed = 2});
    mxb_params *all[] = {PARAMS("n_threads", "1"), PARAMS("n_threads", "3"), NULL};
    double losses[3][N_LOSSES];
    for (int i = 0; i < 3; i++) {
        OK(mxb_cross_validate(data.dataset, all[i], N_FOLDS, N_REPEATS, 0, 0, NULL, NULL, losses[i], &error), error);
        CHECK(memcmp(losses[i], losses[0], sizeof losses[0]) == 0);
        mxb_params_free(all[i]);
    }
    data_clear(&data);
}

/* The seed deals the rows; random_state is left to the trainings. */
static void the_seed_is_not_the_training_s(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 200, .n_features = 3, .seed = 2});
    mxb_params *params[] = {PARAMS("num_round", "5", "random_state", "1"),
                            PARAMS("num_round", "5", "random_state", "2")};
    double losses[3][N_FOLDS];
    for (int i = 0; i < 3; i++) {
        OK(mxb_cross_validate(data.dataset, params[i == 2], N_FOLDS, 1, 0, i == 1 ? 6 : 5, NULL, NULL, losses[i],
                              &error),
           error);
    }
    CHECK(memcmp(losses[0], losses[1], sizeof losses[0]) != 0);
    CHECK(memcmp(losses[0], losses[2], sizeof losses[0]) != 0);
    mxb_params_free(params[0]);
    mxb_params_free(params[1]);
    data_clear(&data);
}

/* Also with labels that are missing or would be a class of their own. */
static void weight_0_is_a_row_absent(void) {
    struct made_data data =
        data_make((struct data_recipe){.n_rows = 400, .n_features = 3, .seed = 8, .two_classes = 1, .weighted = 1});
    mxb_params *params = PARAMS("num_round", "10", "objective", "logloss");
    static size_t rows[MOST_ROWS];
    size_t n = 0;
    mxb_dataset *rest;
    double all[N_FOLDS];
    double some[N_FOLDS];
    for (size_t i = 0; i < 400; i++) {
        if (i % 5 == 3) {
            data.weights[i] = 0;
            data.y[i] = i % 2 == 0 ? (double)i : (double)NAN;
        } else {
            rows[n++] = i;
        }
    }
    OK(mxb_dataset_select(data.dataset, rows, n, &rest, &error), error);
    OK(mxb_cross_validate(data.dataset, params, N_FOLDS, 1, 1, 4, NULL, NULL, all, &error), error);
    OK(mxb_cross_validate(rest, params, N_FOLDS, 1, 1, 4, NULL, NULL, some, &error), error);
    for (size_t k = 0; k < N_FOLDS; k++) { /* the models are the same; the rows' losses sum in other lanes */
        CHECK_NEAR(all[k] / some[k], 1, 1e-14);
    }
    mxb_dataset_free(rest);
    mxb_params_free(params);
    data_clear(&data);
}

/* After any round, and after a fold was measured. */
static void stops_when_asked_to(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 100, .n_features = 2, .seed = 1});
    mxb_params *params = PARAMS("num_round", "3");
    double losses[N_LOSSES];
    static const struct {
        size_t stop_at;
        const char *sentence;
    } cases[] = {{1, "repeat 1, fold 1: training was stopped after round 1"},
                 {4, "repeat 1, fold 1: cross-validation was stopped"},
                 {7, "repeat 1, fold 2: training was stopped after round 3"},
                 {32, "repeat 2, fold 4: cross-validation was stopped"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heard heard = {.stop_at = cases[i].stop_at};
        FAILS(mxb_cross_validate(data.dataset, params, N_FOLDS, N_REPEATS, 0, 1, hear, &heard, losses, &error), error,
              MXB_STOPPED, cases[i].sentence);
        CHECK_INT(heard.n_calls, cases[i].stop_at);
    }
    mxb_params_free(params);
    data_clear(&data);
}

static void says_what_is_wrong(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 20, .n_features = 2, .two_classes = 1});
    mxb_params *params = PARAMS("num_round", "2", "objective", "logloss");
    mxb_params *deep = PARAMS("min_max_depth", "5", "max_max_depth", "4");
    double losses[20];
    for (size_t i = 0; i < 20; i++) {
        data.y[i] = i < 4 ? 5 : 6;
    }
    FAILS(mxb_cross_validate(NULL, params, 2, 1, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_PARAM,
          "dataset is NULL");
    FAILS(mxb_cross_validate(data.dataset, params, 2, 1, 0, 0, NULL, NULL, NULL, &error), error, MXB_ERROR_PARAM,
          "losses is NULL");
    FAILS(mxb_cross_validate(data.dataset, params, 1, 1, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_PARAM,
          "n_folds is 1; it must be 2 to 1000");
    FAILS(mxb_cross_validate(data.dataset, params, 1001, 1, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_PARAM,
          "n_folds is 1001; it must be 2 to 1000");
    FAILS(mxb_cross_validate(data.dataset, params, 2, 0, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_PARAM,
          "n_repeats is 0; it must be at least 1");
    FAILS(mxb_cross_validate(data.dataset, deep, 2, 1, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_PARAM,
          "min_max_depth is 5 and max_max_depth 4; the first must not be larger");
    FAILS(mxb_cross_validate(data.dataset, params, 21, 1, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_DATA,
          "21 folds need at least as many rows; the data has 20");
    FAILS(mxb_cross_validate(data.dataset, params, 5, 1, 1, 0, NULL, NULL, losses, &error), error, MXB_ERROR_DATA,
          "label 5 has 4 rows; 5 stratified folds need at least 5 of each label");
    data.y[10] = 7;
    FAILS(mxb_cross_validate(data.dataset, params, 5, 1, 1, 0, NULL, NULL, losses, &error), error, MXB_ERROR_DATA,
          "the labels of the dataset have more than two values (5, 6, 7, ...); logloss needs exactly two");
    data.y[10] = INFINITY;
    FAILS(mxb_cross_validate(data.dataset, NULL, 5, 1, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_DATA,
          "the label of row 11 of the dataset is inf; labels must be finite numbers");
    data.dataset->label.data = NULL;
    FAILS(mxb_cross_validate(data.dataset, NULL, 5, 1, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_DATA,
          "the dataset has no label");
    mxb_params_free(params);
    mxb_params_free(deep);
    data_clear(&data);
}

/* A mistake that only a fold's training can meet is told with its number. */
static void names_the_fold(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 20, .n_features = 2, .two_classes = 1});
    mxb_params *params = PARAMS("num_round", "2", "objective", "logloss");
    double losses[40];
    static uint32_t folds[20];
    struct labels labels = {.n_rows = 20, .values = data.y};
    OK(mxb__folds_deal(&labels, 20, 0, 0, 0, folds, &error), error);
    for (size_t i = 0; i < 20; i++) {
        data.y[i] = folds[i] == 13; /* one row: without it there is one class */
    }
    FAILS(mxb_cross_validate(data.dataset, params, 20, 1, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_DATA,
          "fold 14: all labels of the training data are 0; logloss needs two different values");
    FAILS(mxb_cross_validate(data.dataset, params, 20, 2, 0, 0, NULL, NULL, losses, &error), error, MXB_ERROR_DATA,
          "repeat 1, fold 14: all labels of the training data are 0; logloss needs two different values");
    mxb_params_free(params);
    data_clear(&data);
}

static void survives_every_failing_allocation(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .two_classes = 1});
    mxb_params *params = PARAMS("num_round", "2", "objective", "logloss", "tree_probability", "0.5", "n_threads", "1");
    double losses[2];
    uint64_t n;
    for (n = 1; n < 2000; n++) {
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb_cross_validate(data.dataset, params, 2, 1, 1, 0, NULL, NULL, losses, NULL);
        mxb__memory_fail_at(0, 0);
        if (status == MXB_OK) {
            break;
        }
        CHECK_INT(status, MXB_ERROR_MEMORY);
    }
    CHECK(n > 100 && n < 2000);
    mxb_params_free(params);
    data_clear(&data);
}

/* ---- mxb_dataset_fold ---- */

/* The loss of one fold by the public calls. */
static double loss_of_fold(const mxb_dataset *dataset, const mxb_params *params, int stratify, size_t index) {
    mxb_dataset *train_part = NULL, *held_out = NULL;
    mxb_model *model = NULL;
    double loss = NAN;
    if (mxb_dataset_fold(dataset, N_FOLDS, stratify, 17, index / N_FOLDS, index % N_FOLDS, &train_part, &held_out,
                         &error) != MXB_OK ||
        mxb_train(train_part, NULL, params, NULL, NULL, &model, &error) != MXB_OK ||
        mxb_model_evaluate(model, held_out, 1, &loss, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    mxb_model_free(model);
    mxb_dataset_free(train_part);
    mxb_dataset_free(held_out);
    return loss;
}

/* Numbers, classes, classes of text; with weights, of which some are 0, and there any label. */
static void folds_are_those_of_a_cross_validation(void) {
    static const char *const texts[] = {"no", "yes", "other"};
    for (int variant = 0; variant < 12; variant++) {
        int kind = variant % 3, weighted = variant / 3 % 2, stratify = variant >= 6 && kind > 0;
        struct made_data data = data_make((struct data_recipe){
            .n_rows = 203, .n_features = 4, .seed = 9, .missing = 0.1, .two_classes = kind > 0, .weighted = weighted});
        mxb_params *params = PARAMS("num_round", "2", "n_threads", "1", "n_components", "4", "objective",
                                    kind > 0 ? "logloss" : "mse", "random_state", "3");
        int8_t codes[203];
        double losses[N_LOSSES];
        for (size_t i = 0; i < 203; i++) {
            int is_idle = weighted && i % 6 == 1;
            data.y[i] = is_idle ? (i % 4 == 1 ? (double)NAN : 1e4) : data.y[i];
            codes[i] = is_idle ? (int8_t)(i % 4 == 1 ? -1 : 2) : (int8_t)data.y[i];
            if (is_idle) {
                data.weights[i] = 0;
            }
        }
        if (kind == 2) {
            OK(mxb_dataset_set_text_label(data.dataset, codes, 1, MXB_INT8, texts, 3, &error), error);
        }
        OK(mxb_cross_validate(data.dataset, params, N_FOLDS, N_REPEATS, stratify, 17, NULL, NULL, losses, &error),
           error);
        for (size_t i = 0; i < N_LOSSES; i++) {
            CHECK(losses[i] == loss_of_fold(data.dataset, params, stratify, i));
        }
        mxb_params_free(params);
        data_clear(&data);
    }
}

static void folds_say_what_is_wrong(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 20, .n_features = 2, .two_classes = 1});
    mxb_dataset *a = (mxb_dataset *)1, *b = (mxb_dataset *)1;
    for (size_t i = 0; i < 20; i++) {
        data.y[i] = i < 4 ? 5 : 6;
    }
    FAILS(mxb_dataset_fold(NULL, 2, 0, 0, 0, 0, &a, &b, &error), error, MXB_ERROR_PARAM,
          "dataset, train or held_out is NULL");
    FAILS(mxb_dataset_fold(data.dataset, 2, 0, 0, 0, 0, NULL, &b, &error), error, MXB_ERROR_PARAM,
          "dataset, train or held_out is NULL");
    FAILS(mxb_dataset_fold(data.dataset, 2, 0, 0, 0, 0, &a, NULL, &error), error, MXB_ERROR_PARAM,
          "dataset, train or held_out is NULL");
    FAILS(mxb_dataset_fold(data.dataset, 1, 0, 0, 0, 0, &a, &b, &error), error, MXB_ERROR_PARAM,
          "n_folds is 1; it must be 2 to 1000");
    CHECK(a == NULL && b == NULL);
    FAILS(mxb_dataset_fold(data.dataset, 3, 0, 0, 0, 3, &a, &b, &error), error, MXB_ERROR_PARAM,
          "fold is 3; it must be below n_folds, 3");
    FAILS(mxb_dataset_fold(data.dataset, 21, 0, 0, 0, 3, &a, &b, &error), error, MXB_ERROR_DATA,
          "21 folds need at least as many rows; the data has 20");
    FAILS(mxb_dataset_fold(data.dataset, 5, 1, 0, 0, 0, &a, &b, &error), error, MXB_ERROR_DATA,
          "label 5 has 4 rows; 5 stratified folds need at least 5 of each label");
    data.y[10] = INFINITY;
    FAILS(mxb_dataset_fold(data.dataset, 5, 0, 0, 0, 0, &a, &b, &error), error, MXB_ERROR_DATA,
          "the label of row 11 of the dataset is inf; labels must be finite numbers");
    CHECK(a == NULL && b == NULL);
    data_clear(&data);
}

static void a_fold_survives_every_failing_allocation(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .two_classes = 1});
    mxb_dataset *a = NULL, *b = NULL;
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY && n < 100) {
        mxb__memory_fail_at(++n, 0);
        status = mxb_dataset_fold(data.dataset, 2, 1, 0, 0, 0, &a, &b, NULL);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (a != NULL) && (status == MXB_OK) == (b != NULL));
    }
    CHECK(status == MXB_OK && n > 6);
    mxb_dataset_free(a);
    mxb_dataset_free(b);
    data_clear(&data);
}

int main(void) {
    RUN(is_what_trainings_by_hand_give);
    RUN(a_held_out_row_cannot_be_seen);
    RUN(does_not_depend_on_threads_and_has_defaults);
    RUN(the_seed_is_not_the_training_s);
    RUN(weight_0_is_a_row_absent);
    RUN(stops_when_asked_to);
    RUN(says_what_is_wrong);
    RUN(names_the_fold);
    RUN(survives_every_failing_allocation);
    RUN(folds_are_those_of_a_cross_validation);
    RUN(folds_say_what_is_wrong);
    RUN(a_fold_survives_every_failing_allocation);
    return check_report();
}
