/* Trainings on text, from end to end: a column of text is a column of its sorted ranks, to the last bit; the dictionary
 * depends on the texts alone; what a training does not know is missing. */
#include <stdio.h>

#include "base/memory.h"
#include "check.h"
#include "model/model.h"
#include "unit/boost/make_data.h"
#include "unit/boost/make_own.h"

enum { N = 400, N_TEXTS = 40, N_FEATURES = 3 };

/* Two features of numbers, in the middle one of text, with missing values. The text is coded at random, with some texts
 * twice and some that no row has; its twin has the ranks of the texts that are met. */
struct text_data {
    struct made_data numbers;
    char bytes[N_TEXTS][16];
    const char *texts[N_TEXTS];
    int32_t codes[N];
    double ranks[N];
    char known[N_TEXTS][16]; /* the texts that are met, ascending */
    size_t n_known;
    double weights[N];
};

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static size_t find_known(const struct text_data *data, const char *text) {
    size_t i = 0;
    while (i < data->n_known && strcmp(data->known[i], text) != 0) {
        i++;
    }
    return i;
}

/* Ranks among the texts of the rows that weigh anything; a text that none of them has is missing. */
static void rank_rows(struct text_data *data) {
    data->n_known = 0;
    for (size_t i = 0; i < N; i++) {
        const char *text = data->codes[i] < 0 ? NULL : data->texts[data->codes[i]];
        if (text != NULL && data->weights[i] > 0 && find_known(data, text) == data->n_known) {
            strcpy(data->known[data->n_known++], text);
        }
    }
    qsort(data->known, data->n_known, sizeof data->known[0], compare);
    for (size_t i = 0; i < N; i++) {
        size_t rank = data->codes[i] < 0 ? data->n_known : find_known(data, data->texts[data->codes[i]]);
        data->ranks[i] = rank < data->n_known ? (double)rank : (double)NAN;
    }
}

static void text_data_make(struct text_data *data, int two_classes) {
    struct dice dice = {77};
    data->numbers = data_make((struct data_recipe){
        .n_rows = N, .n_features = N_FEATURES, .seed = 5, .missing = 0.05, .two_classes = two_classes});
    for (size_t i = 0; i < N_TEXTS; i++) {
        size_t value = dice_below(&dice, 30); /* of 40 texts some are the same */
        snprintf(data->bytes[i], sizeof data->bytes[i],
                 value % 3 == 0   ? "%zu"
                 : value % 3 == 1 ? "k\xC3\xA9%zu"
                                  : "Z %zu",
                 value);
        data->texts[i] = data->bytes[i];
    }
    for (size_t i = 0; i < N; i++) {
        data->codes[i] = (int32_t)dice_below(&dice, N_TEXTS - 5) - 2; /* the last ones are never met */
        double effect = data->codes[i] < 0 ? 3 : (double)(data->texts[data->codes[i]][0] % 5);
        data->numbers.y[i] = two_classes ? effect + dice_normal(&dice) > 2 : data->numbers.y[i] + effect;
        data->weights[i] = 1;
    }
    rank_rows(data);
}

/* The rows in the given order (NULL: as they are), with the text or with its ranks. The arrays must stay. */
static mxb_dataset *view(const struct text_data *data, int as_text, const size_t *order) {
    const struct made_data *numbers = &data->numbers;
    mxb_dataset *dataset = NULL, *ordered = NULL;
    int fine = mxb_dataset_create(N, &dataset, NULL) == MXB_OK;
    for (size_t f = 0; fine && f < N_FEATURES; f++) {
        char name[8];
        snprintf(name, sizeof name, "f%zu", f);
        fine = f != 1    ? mxb_dataset_add_column(dataset, name, numbers->x + f * N, 8, MXB_FLOAT64, NULL) == MXB_OK
               : as_text ? mxb_dataset_add_text_column(dataset, name, data->codes, 4, MXB_INT32, data->texts, N_TEXTS,
                                                       NULL) == MXB_OK
                         : mxb_dataset_add_column(dataset, name, data->ranks, 8, MXB_FLOAT64, NULL) == MXB_OK;
    }
    fine = fine && mxb_dataset_set_label(dataset, numbers->y, 8, MXB_FLOAT64, NULL) == MXB_OK &&
           mxb_dataset_set_weight(dataset, data->weights, 8, MXB_FLOAT64, NULL) == MXB_OK;
    CHECK(fine);
    if (order == NULL) {
        return dataset;
    }
    CHECK_INT(mxb_dataset_select(dataset, order, N, &ordered, NULL), MXB_OK);
    mxb_dataset_free(dataset);
    return ordered;
}

static mxb_model *fit(const mxb_dataset *train, const mxb_dataset *valid, const char *objective) {
    mxb_params *params = PARAMS("num_round", "12", "objective", objective, "tree_probability", "0.6", "n_components",
                                "8", "max_max_depth", "4", "hist_nbins", "16", "n_threads", "1");
    mxb_model *model;
    mxb_error error = {""};
    if (mxb_train(train, valid, params, NULL, NULL, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    mxb_params_free(params);
    return model;
}

/* The bytes of the model as if its text feature were numeric. */
static struct model_bytes bytes_without_texts(mxb_model *model) {
    struct dictionary *dictionaries = model->dictionaries;
    model->dictionaries = NULL;
    struct model_bytes bytes = bytes_of(model);
    model->dictionaries = dictionaries;
    return bytes;
}

static void text_is_its_ranks(void) {
    static const char *const objectives[] = {"mse", "logloss"};
    for (int k = 0; k < 2; k++) {
        static struct text_data data;
        static double one[N], other[N];
        text_data_make(&data, k);
        mxb_dataset *text = view(&data, 1, NULL), *ranks = view(&data, 0, NULL);
        mxb_model *of_text = fit(text, text, objectives[k]), *of_ranks = fit(ranks, ranks, objectives[k]);
        struct model_bytes a = bytes_without_texts(of_text), b = bytes_of(of_ranks);
        CHECK(same_bytes(a, b));
        CHECK(mxb_model_feature_splits(of_text, 1) > 0);
        CHECK_INT(mxb_model_predict(of_text, text, MXB_PREDICT_RAW, 1, one, NULL), MXB_OK);
        CHECK_INT(mxb_model_predict(of_ranks, ranks, MXB_PREDICT_RAW, 1, other, NULL), MXB_OK);
        CHECK_INT(memcmp(one, other, sizeof one), 0);
        CHECK_INT(mxb_model_feature_n_texts(of_text, 1), data.n_known);
        for (size_t i = 0; i < data.n_known; i++) {
            CHECK_TEXT(mxb_model_feature_text(of_text, 1, i), data.known[i]);
        }
        mxb_bytes_free(a.bytes);
        mxb_bytes_free(b.bytes);
        mxb_model_free(of_text);
        mxb_model_free(of_ranks);
        mxb_dataset_free(text);
        mxb_dataset_free(ranks);
        data_clear(&data.numbers);
    }
}

/* Neither the order of rows, nor that of the caller's texts, nor rows of weight 0 show in the dictionary. */
static void the_dictionary_is_of_the_texts_alone(void) {
    static struct text_data data, other;
    static size_t order[N];
    struct dice dice = {3};
    text_data_make(&data, 0);
    other = data;
    for (size_t i = 0; i < N; i++) {
        order[i] = i;
    }
    for (size_t i = N - 1; i > 0; i--) {
        size_t k = dice_below(&dice, i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; i < N_TEXTS; i++) {
        other.texts[i] = data.texts[N_TEXTS - 1 - i];
    }
    for (size_t i = 0; i < N; i++) {
        other.codes[i] = data.codes[i] < 0 ? 1000 : N_TEXTS - 1 - data.codes[i];
    }
    mxb_dataset *plain = view(&data, 1, NULL), *shuffled = view(&data, 1, order), *recoded = view(&other, 1, NULL);
    mxb_model *a = fit(plain, NULL, "mse"), *b = fit(shuffled, NULL, "mse"), *c = fit(recoded, NULL, "mse");
    CHECK_INT(mxb_model_feature_n_texts(a, 1), mxb_model_feature_n_texts(b, 1));
    for (size_t i = 0; i < mxb_model_feature_n_texts(a, 1); i++) {
        CHECK_TEXT(mxb_model_feature_text(b, 1, i), mxb_model_feature_text(a, 1, i));
    }
    struct model_bytes bytes = bytes_of(a), recoded_bytes = bytes_of(c);
    CHECK(same_bytes(bytes, recoded_bytes));
    mxb_bytes_free(bytes.bytes);
    mxb_bytes_free(recoded_bytes.bytes);
    mxb_model_free(a);
    mxb_model_free(b);
    mxb_model_free(c);
    mxb_dataset_free(plain);
    mxb_dataset_free(shuffled);
    mxb_dataset_free(recoded);
    data_clear(&data.numbers);
}

/* Rows of weight 0 that alone have a text: as if they were absent, in the model's bytes too. */
static void texts_without_weight_are_absent(void) {
    static struct text_data data;
    static size_t rows[N];
    size_t n_rows = 0;
    text_data_make(&data, 0);
    for (size_t i = 0; i < N; i++) {
        if (data.codes[i] >= 0 && data.texts[data.codes[i]][0] == 'Z') {
            data.weights[i] = 0;
        } else {
            rows[n_rows++] = i;
        }
    }
    size_t n_all = data.n_known;
    rank_rows(&data);
    CHECK(n_rows < N && data.n_known < n_all);
    mxb_dataset *weighted = view(&data, 1, NULL), *present;
    CHECK_INT(mxb_dataset_select(weighted, rows, n_rows, &present, NULL), MXB_OK);
    mxb_model *a = fit(weighted, NULL, "mse"), *b = fit(present, NULL, "mse");
    struct model_bytes one = bytes_of(a), other = bytes_of(b);
    CHECK(same_bytes(one, other));
    CHECK_INT(mxb_model_feature_n_texts(a, 1), data.n_known);
    static double of_text[N], of_ranks[N];
    mxb_dataset *ranks = view(&data, 0, NULL);
    mxb_model *twin = fit(ranks, NULL, "mse");
    CHECK_INT(mxb_model_predict(a, weighted, MXB_PREDICT_VALUE, 2, of_text, NULL), MXB_OK);
    CHECK_INT(mxb_model_predict(twin, ranks, MXB_PREDICT_VALUE, 2, of_ranks, NULL), MXB_OK);
    CHECK_INT(memcmp(of_text, of_ranks, sizeof of_text), 0); /* the texts it has not met are missing */
    mxb_bytes_free(one.bytes);
    mxb_bytes_free(other.bytes);
    mxb_model_free(a);
    mxb_model_free(b);
    mxb_model_free(twin);
    mxb_dataset_free(ranks);
    mxb_dataset_free(present);
    mxb_dataset_free(weighted);
    data_clear(&data.numbers);
}

/* Validation rows have texts and codes of their own. */
static void validation_is_coded_by_the_training(void) {
    static struct text_data data;
    text_data_make(&data, 0);
    mxb_dataset *text = view(&data, 1, NULL), *ranks = view(&data, 0, NULL);
    mxb_dataset *parts[4];
    CHECK_INT(mxb_dataset_split(text, 0.3, 0, 1, &parts[0], &parts[1], NULL), MXB_OK);
    CHECK_INT(mxb_dataset_split(ranks, 0.3, 0, 1, &parts[2], &parts[3], NULL), MXB_OK);
    mxb_model *a = fit(parts[0], parts[1], "mse"), *b = fit(parts[2], parts[3], "mse");
    CHECK_INT(mxb_model_n_curve(a), mxb_model_n_curve(b));
    int all_known = mxb_model_feature_n_texts(a, 1) == data.n_known;
    for (size_t round = 0; all_known && round <= mxb_model_n_curve(a); round++) {
        CHECK(mxb_model_curve(a, round, 1) == mxb_model_curve(b, round, 1));
    }
    CHECK(all_known);
    mxb_error error;
    mxb_model *model;
    FAILS(mxb_train(parts[0], parts[3], NULL, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "feature \"f1\" of the dataset holds numbers, that of the training data holds text");
    CHECK_INT(mxb_train(parts[2], parts[1], NULL, NULL, NULL, &model, &error), MXB_ERROR_DATA);
    CHECK(strncmp(error.message, "feature \"f1\" of the dataset holds text (\"", 41) == 0);
    mxb_model_free(a);
    mxb_model_free(b);
    for (int i = 0; i < 4; i++) {
        mxb_dataset_free(parts[i]);
    }
    mxb_dataset_free(text);
    mxb_dataset_free(ranks);
    data_clear(&data.numbers);
}

/* Labels of two texts are labels 0 and 1; the model keeps the texts. */
static void labels_may_be_texts(void) {
    static const char *const texts[] = {"yes", "perhaps", "no"};
    static struct text_data data;
    static int8_t codes[N];
    static double one[N], other[N];
    text_data_make(&data, 1);
    mxb_dataset *numbers = view(&data, 0, NULL), *named = view(&data, 0, NULL), *parts[2];
    for (size_t i = 0; i < N; i++) {
        codes[i] = data.numbers.y[i] > 0 ? 0 : 2;
    }
    CHECK_INT(mxb_dataset_set_text_label(named, codes, 1, MXB_INT8, texts, 3, NULL), MXB_OK);
    mxb_model *a = fit(numbers, numbers, "logloss"), *b = fit(named, named, "logloss"), *loaded;
    CHECK_INT(mxb_model_predict(a, numbers, MXB_PREDICT_VALUE, 1, one, NULL), MXB_OK);
    CHECK_INT(mxb_model_predict(b, named, MXB_PREDICT_VALUE, 1, other, NULL), MXB_OK);
    CHECK_INT(memcmp(one, other, sizeof one), 0);
    CHECK(mxb_model_curve(a, 5, 1) == mxb_model_curve(b, 5, 1));
    CHECK(mxb_model_label_text(a, 0) == NULL);
    struct model_bytes bytes = bytes_of(b);
    CHECK_INT(mxb_model_from_bytes(bytes.bytes, bytes.n_bytes, &loaded, NULL), MXB_OK);
    CHECK_TEXT(mxb_model_label_text(loaded, 0), "no");
    CHECK_TEXT(mxb_model_label_text(loaded, 1), "yes");
    CHECK_INT(mxb_dataset_split(named, 0.25, 1, 4, &parts[0], &parts[1], NULL), MXB_OK);
    mxb_model_free(b);
    b = fit(parts[0], parts[1], "logloss");
    CHECK_TEXT(mxb_model_label_text(b, 1), "yes");
    mxb_error error;
    mxb_params *params = PARAMS("objective", "mse");
    mxb_model *model;
    CHECK_INT(mxb_train(named, NULL, params, NULL, NULL, &model, &error), MXB_ERROR_DATA);
    CHECK(strstr(error.message, "labels must be numbers") != NULL);
    mxb_params_free(params);
    mxb_bytes_free(bytes.bytes);
    mxb_model_free(a);
    mxb_model_free(b);
    mxb_model_free(loaded);
    mxb_dataset_free(parts[0]);
    mxb_dataset_free(parts[1]);
    mxb_dataset_free(named);
    mxb_dataset_free(numbers);
    data_clear(&data.numbers);
}

/* A caller's learner sees the model's numbers, in training, validation and prediction. */
static void learners_of_ones_own_see_numbers(void) {
    static struct text_data data;
    static double of_text[N], of_ranks[N];
    struct line_learner lines = {.feature = 1};
    mxb_learner *learner = line_learner_make(&lines, "line", 0);
    mxb_params *params = PARAMS("num_round", "6", "n_threads", "1");
    mxb_error error;
    mxb_model *a, *b;
    text_data_make(&data, 0);
    for (size_t i = 0; i < N; i++) { /* texts that the training has not met must be missing to it too */
        data.weights[i] = data.codes[i] < 0 || data.texts[data.codes[i]][0] != 'Z';
    }
    rank_rows(&data);
    mxb_dataset *text = view(&data, 1, NULL), *ranks = view(&data, 0, NULL);
    OK(mxb_params_add_learner(params, learner, 0.5, &error), error);
    OK(mxb_train(text, text, params, NULL, NULL, &a, &error), error);
    OK(mxb_train(ranks, ranks, params, NULL, NULL, &b, &error), error);
    CHECK(lines.n_fits > 0 && lines.n_predicts > 0);
    CHECK(mxb_model_curve(a, 6, 1) == mxb_model_curve(b, 6, 1));
    OK(mxb_model_predict(a, text, MXB_PREDICT_VALUE, 1, of_text, &error), error);
    OK(mxb_model_predict(b, ranks, MXB_PREDICT_VALUE, 1, of_ranks, &error), error);
    CHECK_INT(memcmp(of_text, of_ranks, sizeof of_text), 0);
    mxb_model_free(a);
    mxb_model_free(b);
    mxb_params_free(params);
    mxb_learner_free(learner);
    mxb_dataset_free(text);
    mxb_dataset_free(ranks);
    data_clear(&data.numbers);
}

/* Exact trees: as many thresholds as there are texts. */
static void exact_trees_take_text(void) {
    static struct text_data data;
    static double of_text[N], of_ranks[N];
    mxb_params *params = PARAMS("num_round", "6", "use_histograms", "false", "tree_probability", "1", "n_threads", "1");
    mxb_error error;
    mxb_model *a, *b;
    text_data_make(&data, 0);
    mxb_dataset *text = view(&data, 1, NULL), *ranks = view(&data, 0, NULL);
    OK(mxb_train(text, NULL, params, NULL, NULL, &a, &error), error);
    OK(mxb_train(ranks, NULL, params, NULL, NULL, &b, &error), error);
    OK(mxb_model_predict(a, text, MXB_PREDICT_VALUE, 1, of_text, &error), error);
    OK(mxb_model_predict(b, ranks, MXB_PREDICT_VALUE, 1, of_ranks, &error), error);
    CHECK_INT(memcmp(of_text, of_ranks, sizeof of_text), 0);
    mxb_model_free(a);
    mxb_model_free(b);
    mxb_params_free(params);
    mxb_dataset_free(text);
    mxb_dataset_free(ranks);
    data_clear(&data.numbers);
}

/* Each fold numbers the texts of its own training rows; labels may be texts there too. */
static void cross_validation_takes_text(void) {
    static const char *const texts[] = {"bad", "good"};
    static struct text_data data;
    static int8_t codes[N];
    double of_text[4], of_ranks[4], metric;
    text_data_make(&data, 1);
    mxb_dataset *text = view(&data, 1, NULL), *ranks = view(&data, 0, NULL);
    mxb_params *params = PARAMS("objective", "logloss", "num_round", "5", "n_threads", "1");
    mxb_error error;
    for (size_t i = 0; i < N; i++) {
        codes[i] = data.numbers.y[i] > 0;
    }
    CHECK_INT(mxb_dataset_set_text_label(text, codes, 1, MXB_INT8, texts, 2, NULL), MXB_OK);
    OK(mxb_cross_validate(text, params, 4, 1, 1, 9, NULL, NULL, of_text, &error), error);
    OK(mxb_cross_validate(ranks, params, 4, 1, 1, 9, NULL, NULL, of_ranks, &error), error);
    CHECK_INT(memcmp(of_text, of_ranks, sizeof of_text), 0); /* every text is in every fold */
    mxb_model *model = fit(text, text, "logloss");
    OK(mxb_model_evaluate(model, text, 1, &metric, &error), error);
    CHECK_NEAR(metric, mxb_model_curve(model, mxb_model_n_rounds(model), 1), 1e-12);
    FAILS(mxb_model_evaluate(model, ranks, 1, &metric, &error), error, MXB_ERROR_DATA,
          "the labels of the dataset are numbers, the training labels are texts");
    mxb_model_free(model);
    mxb_params_free(params);
    mxb_dataset_free(text);
    mxb_dataset_free(ranks);
    data_clear(&data.numbers);
}

/* Going on from a model: the same bytes as at one go, or the reason why not. */
static void goes_on_from_a_model(void) {
    static struct text_data data;
    text_data_make(&data, 0);
    mxb_dataset *text = view(&data, 1, NULL), *ranks = view(&data, 0, NULL), *half, *rest;
    mxb_params *short_run = PARAMS("num_round", "4", "tree_probability", "0.6", "n_components", "8");
    mxb_params *long_run = PARAMS("num_round", "9", "tree_probability", "0.6", "n_components", "8");
    mxb_model *first, *at_once, *on = NULL;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_error error;
    OK(mxb_train(text, text, short_run, NULL, NULL, &first, &error), error);
    OK(mxb_train(text, text, long_run, NULL, NULL, &at_once, &error), error);
    OK(mxb_prepared_create(text, long_run, &prepared, &error), error);
    OK(mxb_trainer_create_from(prepared, text, long_run, first, &trainer, &error), error);
    OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
    OK(mxb_trainer_model(trainer, &on, &error), error);
    struct model_bytes a = bytes_of(at_once), b = bytes_of(on);
    CHECK(same_bytes(a, b));
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    OK(mxb_prepared_create(ranks, long_run, &prepared, &error), error);
    FAILS(mxb_trainer_create_from(prepared, NULL, long_run, first, &trainer, &error), error, MXB_ERROR_DATA,
          "feature \"f1\" of the dataset holds numbers, that of the model holds text");
    mxb_prepared_free(prepared);
    OK(mxb_dataset_split(text, 0.95, 0, 1, &half, &rest, &error), error);
    OK(mxb_prepared_create(half, long_run, &prepared, &error), error);
    FAILS(mxb_trainer_create_from(prepared, NULL, long_run, first, &trainer, &error), error, MXB_ERROR_DATA,
          "feature \"f1\" does not have the texts that the model knows; to go on from it they must be the same");
    mxb_prepared_free(prepared);
    static struct text_data renamed; /* as many texts, one of them another */
    renamed = data;
    for (size_t i = 0; i < N_TEXTS; i++) {
        renamed.texts[i] = strcmp(data.texts[i], data.known[0]) == 0 ? "!" : data.texts[i];
    }
    mxb_dataset *other = view(&renamed, 1, NULL);
    OK(mxb_prepared_create(other, long_run, &prepared, &error), error);
    FAILS(mxb_trainer_create_from(prepared, NULL, long_run, first, &trainer, &error), error, MXB_ERROR_DATA,
          "feature \"f1\" does not have the texts that the model knows; to go on from it they must be the same");
    mxb_prepared_free(prepared);
    mxb_dataset_free(other);
    mxb_dataset_free(half);
    mxb_dataset_free(rest);
    mxb_bytes_free(a.bytes);
    mxb_bytes_free(b.bytes);
    mxb_model_free(first);
    mxb_model_free(at_once);
    mxb_model_free(on);
    mxb_params_free(short_run);
    mxb_params_free(long_run);
    mxb_dataset_free(text);
    mxb_dataset_free(ranks);
    data_clear(&data.numbers);
}

static void survives_every_failing_allocation(void) {
    static const char *const texts[] = {"no", "yes"};
    static struct text_data data;
    static int8_t codes[N];
    text_data_make(&data, 1);
    mxb_dataset *text = view(&data, 1, NULL);
    for (size_t i = 0; i < N; i++) {
        codes[i] = data.numbers.y[i] > 0;
    }
    CHECK_INT(mxb_dataset_set_text_label(text, codes, 1, MXB_INT8, texts, 2, NULL), MXB_OK);
    mxb_params *params = PARAMS("objective", "logloss", "num_round", "2", "n_threads", "1");
    mxb_model *model = NULL;
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY && n < 2000) {
        mxb__memory_fail_at(++n, 0);
        status = mxb_train(text, text, params, NULL, NULL, &model, NULL);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (model != NULL));
    }
    CHECK_INT(status, MXB_OK);
    CHECK(n > 50);
    mxb_model_free(model);
    mxb_params_free(params);
    mxb_dataset_free(text);
    data_clear(&data.numbers);
}

static int stop_at_once(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    *(double *)context = train_loss + valid_loss + 0 * seconds * (double)round;
    return 0;
}

/* Whatever texts no row has. */
static void num_round_is_searched_for_as_with_ranks(void) {
    static struct text_data data;
    double losses[2] = {0};
    text_data_make(&data, 1); /* rows of one label are dealt by their keys */
    mxb_params *params = PARAMS("objective", "logloss");
    for (int i = 0; i < 2; i++) {
        mxb_dataset *set = view(&data, i, NULL);
        CHECK_INT(mxb_choose_rounds(set, NULL, params, stop_at_once, &losses[i], NULL), MXB_STOPPED);
        mxb_dataset_free(set);
    }
    CHECK(losses[0] > 0 && losses[0] == losses[1]);
    mxb_params_free(params);
    data_clear(&data.numbers);
}

int main(void) {
    RUN(text_is_its_ranks);
    RUN(the_dictionary_is_of_the_texts_alone);
    RUN(texts_without_weight_are_absent);
    RUN(validation_is_coded_by_the_training);
    RUN(labels_may_be_texts);
    RUN(learners_of_ones_own_see_numbers);
    RUN(exact_trees_take_text);
    RUN(cross_validation_takes_text);
    RUN(goes_on_from_a_model);
    RUN(survives_every_failing_allocation);
    RUN(num_round_is_searched_for_as_with_ranks);
    return check_report();
}
