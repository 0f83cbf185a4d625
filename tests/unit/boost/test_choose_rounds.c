/* The choice of num_round: against trainings by hand; what it may not depend on; few rows, progress, failing memory. */
#include "base/memory.h"
#include "base/random.h"
#include "boost/params.h"
#include "data/sort.h"
#include "unit/boost/train_data.h"

enum { N_PARTS = 5, OF_FEW = 30, AT_MOST = 2000, MOST_ROWS = 5000 };

static mxb_error error;

/* The number alone, 0 where it fails; the options are as they were. */
static mxb_status choose_rounds(const mxb_dataset *train, const mxb_dataset *valid, const mxb_params *params,
                                mxb_progress_fn progress, void *context, size_t *n_rounds, mxb_error *told) {
    mxb_params own = *params;
    mxb_status status = mxb_choose_rounds(train, valid, &own, progress, context, told);
    *n_rounds = status == MXB_OK ? (size_t)atoi(mxb_params_get(&own, "num_round")) : 0;
    return status;
}

/* 0, and a failed check, where it fails. */
static size_t choose(const struct made_data *data, const mxb_params *params) {
    size_t n_rounds = 0;
    if (params == NULL || choose_rounds(data->dataset, NULL, params, NULL, NULL, &n_rounds, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, params == NULL ? "no options" : error.message);
    }
    return n_rounds;
}

static int set(mxb_params *params, const char *name, const char *value) {
    return mxb_params_set(params, name, value, NULL) == MXB_OK;
}

/* Options of trainings that are soon at their best. */
static mxb_params *brisk(int two_classes) {
    return PARAMS("objective", two_classes ? "logloss" : "mse", "num_round", "auto", "early_stopping_rounds", "6",
                  "learning_rate", "0.3", "tree_probability", "0.8", "max_max_depth", "4", "n_components", "6",
                  "random_state", "3", "n_threads", "1");
}

/* Only the rows that are told, in their order. */
static struct made_data take(const struct made_data *data, const size_t *rows, size_t n_rows, int weighted) {
    struct made_data taken = data_allocate(n_rows, data->n_features, weighted);
    for (size_t i = 0; i < n_rows; i++) {
        taken.y[i] = data->y[rows[i]];
        for (size_t f = 0; f < data->n_features; f++) {
            taken.x[f * n_rows + i] = data->x[f * data->n_rows + rows[i]];
        }
        if (weighted) {
            taken.weights[i] = data->weights[rows[i]];
        }
    }
    CHECK(data_view(&taken));
    return taken;
}

/* ---- a slow twin ---- */

struct dealt_row {
    uint64_t label, draw;
    size_t row;
};

static int compare_rows(const void *first, const void *second) {
    const struct dealt_row *a = first, *b = second;
    int by_draw = (a->draw > b->draw) - (a->draw < b->draw);
    return a->label != b->label ? (a->label > b->label) - (a->label < b->label) : by_draw;
}

/* The part of each row, all rows being different, by label and then at random. */
static void deal(const struct made_data *data, uint64_t seed, size_t *parts) {
    static struct dealt_row rows[MOST_ROWS];
    struct random_stream random = mxb__random_stream(seed, RANDOM_PARTS, 0);
    for (size_t i = 0; i < data->n_rows; i++) {
        uint64_t key = mxb__mix64(mxb__sort_key(data->y[i]));
        for (size_t f = 0; f < data->n_features; f++) {
            key = mxb__mix64(key + mxb__sort_key(data->x[f * data->n_rows + i]));
        }
        rows[i] = (struct dealt_row){mxb__sort_key(data->y[i]), mxb__random_bits(random, key), i};
    }
    qsort(rows, data->n_rows, sizeof *rows, compare_rows);
    for (size_t i = 0; i < data->n_rows; i++) {
        parts[rows[i].row] = i % N_PARTS;
    }
}

/* Adds the curve of a training that is judged by one part to those before it, for a mean of `n_judges`. */
static void add_curve(const struct made_data *data, const mxb_params *params, const size_t *parts, size_t part,
                      size_t n_judges, double *curve) {
    static size_t rows[2][MOST_ROWS];
    size_t n[2] = {0, 0};
    mxb_dataset *sets[2];
    mxb_model *model;
    for (size_t i = 0; i < data->n_rows; i++) {
        int judges = parts[i] == part;
        rows[judges][n[judges]++] = i;
    }
    OK(mxb_dataset_select(data->dataset, rows[0], n[0], &sets[0], &error), error);
    OK(mxb_dataset_select(data->dataset, rows[1], n[1], &sets[1], &error), error);
    OK(mxb_train(sets[0], sets[1], params, NULL, NULL, &model, &error), error);
    for (size_t round = 0; round <= mxb_model_n_curve(model); round++) {
        curve[round] += mxb_model_curve(model, round, 1) / (double)n_judges;
    }
    mxb_model_free(model);
    mxb_dataset_free(sets[0]);
    mxb_dataset_free(sets[1]);
}

static int note_loss(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    (void)train_loss, (void)seconds;
    ((double *)context)[round] = valid_loss;
    return 1;
}

/* The same losses after each round as the mean of trainings by hand has, up to the first round that is too many after
 * the best, and that one chosen. */
static size_t check_choice(const struct made_data *data, const mxb_params *params, size_t n_judges) {
    static size_t parts[MOST_ROWS];
    static double curve[AT_MOST + 1], told[AT_MOST + 1];
    size_t patience = (size_t)strtod(mxb_params_get(params, "early_stopping_rounds"), NULL);
    size_t most = patience > 0 ? 300 : AT_MOST, round = 1, best = 0, n_rounds = 0;
    mxb_params *by_hand = PARAMS("n_threads", "2");
    memset(curve, 0, sizeof curve);
    for (size_t i = 0; i < mxb_option_count(); i++) {
        CHECK(set(by_hand, mxb_option_name(i), mxb_params_get(params, mxb_option_name(i))));
    }
    mxb__params_resolve(by_hand, data->n_rows); /* not for the rows of some parts */
    CHECK(set(by_hand, "early_stopping_rounds", "0") && set(by_hand, "num_round", patience > 0 ? "300" : "2000"));
    deal(data, (uint64_t)strtod(mxb_params_get(params, "random_state"), NULL), parts);
    for (size_t part = 0; part < n_judges; part++) {
        add_curve(data, by_hand, parts, part, n_judges, curve);
    }
    CHECK_INT(choose_rounds(data->dataset, NULL, params, note_loss, told, &n_rounds, &error), MXB_OK);
    for (; round <= most && (patience == 0 || round - best <= patience); round++) {
        CHECK(told[round] == curve[round]);
        best = curve[round] < curve[best] ? round : best;
    }
    CHECK(patience == 0 || round < most);
    CHECK_INT(n_rounds, best > 0 ? best : 1);
    mxb_params_free(by_hand);
    return n_rounds;
}

static void agrees_with_trainings_by_hand(void) {
    for (uint64_t seed = 1; seed <= 8; seed++) {
        int two_classes = seed % 2 == 0;
        struct made_data data = data_make((struct data_recipe){.n_rows = 20 + 40 * (size_t)seed,
                                                               .n_features = 3,
                                                               .seed = seed,
                                                               .missing = seed % 3 == 0 ? 0.1 : 0.0,
                                                               .two_classes = two_classes,
                                                               .weighted = seed > 6});
        mxb_params *params = brisk(two_classes);
        CHECK(params != NULL && set(params, "n_members", seed == 5 ? "2" : "1"));
        CHECK(check_choice(&data, params, N_PARTS) > 1);
        mxb_params_free(params);
        data_clear(&data);
    }
}

/* Of many rows some parts are enough to judge by: 3 of 4,000 rows, of which they have 2,400. Where a class is rare, as
 * many as have 100 rows of it. */
static void many_rows_need_fewer_judges(void) {
    static const struct {
        size_t n_rows, n_rare, n_judges;
    } cases[] = {{2000, 0, 5},   {2499, 0, 5},   {2500, 0, 4},   {4000, 0, 3},   {5000, 0, 2},
                 {5000, 251, 2}, {5000, 249, 3}, {5000, 125, 4}, {5000, 124, 5}, {5000, 7, 5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int two_classes = k % 2 == 1 || cases[k].n_rare > 0;
        struct made_data data = data_make((struct data_recipe){
            .n_rows = cases[k].n_rows, .n_features = 2, .seed = 3 + k, .two_classes = two_classes});
        for (size_t i = 0; cases[k].n_rare > 0 && i < data.n_rows; i++) {
            data.y[i] = i < cases[k].n_rare;
        }
        mxb_params *params = brisk(two_classes);
        CHECK(set(params, "learning_rate", "1") && set(params, "alpha", "auto"));
        check_choice(&data, params, cases[k].n_judges);
        mxb_params_free(params);
        data_clear(&data);
    }
}

/* early_stopping_rounds=0: the best of as many rounds as auto may come to. */
static void without_patience_all_rounds_are_tried(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .seed = 2});
    mxb_params *params = PARAMS("early_stopping_rounds", "0", "tree_probability", "1", "max_max_depth", "2",
                                "learning_rate", "0.02", "n_threads", "1");
    check_choice(&data, params, N_PARTS);
    mxb_params_free(params);
    data_clear(&data);
}

/* ---- what it does not depend on ---- */

static void rows_of_weight_0_do_not_matter(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct made_data data = data_make(
            (struct data_recipe){.n_rows = 90, .n_features = 3, .seed = 6, .two_classes = two_classes, .weighted = 1});
        size_t rows[90], n_rows = 0;
        for (size_t i = 0; i < data.n_rows; i++) {
            int is_idle = i % 4 == 3;
            data.weights[i] = is_idle ? 0.0 : 1.0 + (double)(i % 3);
            data.y[i] = !is_idle ? data.y[i] : i % 8 == 3 ? (double)NAN : 7.0;
            data.x[i] = is_idle ? HUGE_VAL : data.x[i];
            if (!is_idle) {
                rows[n_rows++] = i;
            }
        }
        struct made_data kept = take(&data, rows, n_rows, 1);
        mxb_params *params = brisk(two_classes);
        CHECK_INT(choose(&data, params), choose(&kept, params));
        mxb_params_free(params);
        data_clear(&data);
        data_clear(&kept);
    }
}

static void threads_do_not_matter(void) {
    static const char *const threads[] = {"1", "2", "3", "8"};
    struct made_data data = data_make((struct data_recipe){.n_rows = 2600, .n_features = 4, .seed = 5, .missing = 0.1});
    size_t n_rounds[4];
    for (size_t t = 0; t < 4; t++) {
        mxb_params *params = brisk(0);
        CHECK(set(params, "n_threads", threads[t]));
        n_rounds[t] = choose(&data, params);
        CHECK_INT(n_rounds[t], n_rounds[0]);
        mxb_params_free(params);
    }
    data_clear(&data);
}

/* Texts count, not the numbers that stand for them. */
static void numbers_of_texts_do_not_matter(void) {
    static const char *const texts[2][3] = {{"fig", "lime", "pear"}, {"pear", "fig", "lime"}};
    struct made_data data = data_make((struct data_recipe){.n_rows = 120, .n_features = 2, .seed = 7});
    size_t n_rounds[2] = {0, 0};
    for (size_t k = 0; k < 2; k++) {
        int32_t codes[120];
        mxb_params *params = brisk(0);
        for (size_t i = 0; i < 120; i++) {
            int32_t text = (int32_t)(i * i % 7 % 3);
            codes[i] = i % 11 == 0 ? -1 : k == 0 ? text : (text + 1) % 3;
        }
        OK(mxb_dataset_add_text_column(data.dataset, NULL, codes, sizeof *codes, MXB_INT32, texts[k], 3, &error),
           error);
        n_rounds[k] = choose(&data, params);
        mxb_params_free(params);
        mxb_dataset_free(data.dataset);
        REQUIRE(data_view(&data));
    }
    CHECK(n_rounds[0] > 0);
    CHECK_INT(n_rounds[0], n_rounds[1]);
    data_clear(&data);
}

/* ---- too few rows ---- */

static int count_calls(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    (void)round, (void)train_loss, (void)valid_loss, (void)seconds;
    ++*(size_t *)context;
    return 1;
}

/* Whether rounds were tried for these rows, times `n_copies`; if not, the number is that of few rows. */
static int is_tried(const struct made_data *data, size_t n_rows, size_t n_copies, int two_classes) {
    size_t rows[500], n_calls = 0, n_rounds = 0;
    for (size_t i = 0; i < n_rows * n_copies; i++) {
        rows[i] = i % n_rows;
    }
    struct made_data taken = take(data, rows, n_rows * n_copies, 0);
    mxb_params *params = brisk(two_classes);
    CHECK_INT(choose_rounds(taken.dataset, NULL, params, count_calls, &n_calls, &n_rounds, &error), MXB_OK);
    CHECK(n_calls > 0 ? n_calls >= n_rounds : n_rounds == OF_FEW);
    mxb_params_free(params);
    data_clear(&taken);
    return n_calls > 0;
}

static void few_rows_say_nothing(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 30, .n_features = 2, .seed = 1});
    for (size_t n_copies = 1; n_copies <= 13; n_copies += 12) {
        CHECK(!is_tried(&data, 29, n_copies, 0));
        CHECK(is_tried(&data, 30, n_copies, 0));
    }
    CHECK(is_tried(&data, 20, 25, 0)); /* 500 */
    data_clear(&data);
}

/* A class of one row, or of copies of one, is in no training that is judged by this row. */
static void a_class_of_one_row_says_nothing(void) {
    for (size_t n_of_class = 1; n_of_class <= 2; n_of_class++) {
        struct made_data data = data_make((struct data_recipe){.n_rows = 40, .n_features = 2, .seed = 1});
        for (size_t i = 0; i < 40; i++) {
            data.y[i] = i < n_of_class ? -3.0 : 5.0;
        }
        CHECK_INT(is_tried(&data, 40, 1, 1), n_of_class > 1);
        CHECK_INT(is_tried(&data, 40, 3, 1), n_of_class > 1);
        CHECK(is_tried(&data, 40, 1, 0)); /* as numbers they are labels like others */
        data_clear(&data);
    }
}

/* The start is right but for rounding, which is all that rounds can improve on. */
static void a_constant_label_is_soon_learnt(void) {
    for (size_t n = 12; n <= 1500; n *= 5) {
        struct made_data data = data_make((struct data_recipe){.n_rows = n, .n_features = 3, .seed = 2});
        for (size_t i = 0; i < n; i++) {
            data.y[i] = 3.25;
        }
        mxb_params *params = PARAMS("n_threads", "1");
        CHECK(choose(&data, params) < 300);
        mxb_model *model = train(&data, params);
        REQUIRE(model != NULL);
        double *predicted = predict(model, &data);
        for (size_t i = 0; i < n; i++) {
            CHECK_NEAR(predicted[i], 3.25, 1e-13);
        }
        free(predicted);
        mxb_model_free(model);
        mxb_params_free(params);
        data_clear(&data);
    }
}

/* ---- progress ---- */

struct watcher {
    size_t n_calls, stop_at; /* the call that stops; 0: none */
    size_t last_round, n_begun, n_judged;
    double seconds, best;
    size_t best_round;
};

/* Rounds come one by one, from 1 once for the choice and once more for the training. */
static int watch(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    struct watcher *watcher = context;
    if (round == 1) {
        watcher->n_begun++;
        watcher->seconds = 0.0;
    }
    CHECK_INT(round, round == 1 ? 1 : watcher->last_round + 1);
    CHECK(isfinite(train_loss) && seconds >= watcher->seconds);
    CHECK_INT(isfinite(valid_loss), watcher->n_begun == 1);
    if (watcher->n_begun == 1) {
        watcher->n_judged++;
        watcher->best_round = watcher->n_judged == 1 || valid_loss < watcher->best ? round : watcher->best_round;
        watcher->best = watcher->best_round == round ? valid_loss : watcher->best;
    }
    watcher->last_round = round;
    watcher->seconds = seconds;
    return ++watcher->n_calls != watcher->stop_at;
}

static void progress_sees_the_choice_and_the_training(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 100, .n_features = 3, .seed = 8});
    mxb_params *params = brisk(0);
    struct watcher watcher = {0};
    size_t n_rounds;
    OK(choose_rounds(data.dataset, NULL, params, watch, &watcher, &n_rounds, &error), error);
    CHECK_INT(watcher.best_round, n_rounds);
    CHECK_INT(watcher.n_judged, n_rounds + 6);
    size_t n_judged = watcher.n_judged;
    for (size_t stop_at = 1; stop_at <= n_judged; stop_at++) {
        char sentence[80];
        watcher = (struct watcher){.stop_at = stop_at};
        snprintf(sentence, sizeof sentence, "the choice of num_round was stopped after round %zu", stop_at);
        FAILS(choose_rounds(data.dataset, NULL, params, watch, &watcher, &n_rounds, &error), error, MXB_STOPPED,
              sentence);
        CHECK(n_rounds == 0 && watcher.n_calls == stop_at);
    }
    mxb_model *model;
    watcher = (struct watcher){.stop_at = 3};
    FAILS(mxb_train(data.dataset, NULL, params, watch, &watcher, &model, &error), error, MXB_STOPPED,
          "the choice of num_round was stopped after round 3");
    CHECK(model == NULL);
    watcher = (struct watcher){.stop_at = n_judged + 2};
    FAILS(mxb_train(data.dataset, NULL, params, watch, &watcher, &model, &error), error, MXB_STOPPED,
          "training was stopped after round 2");
    CHECK(model == NULL && watcher.n_begun == 2 && watcher.n_judged == n_judged);
    mxb_params_free(params);
    data_clear(&data);
}

/* ---- what it is for, and what it refuses ---- */

static void a_training_chooses_first(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct made_data data =
            data_make((struct data_recipe){.n_rows = 80, .n_features = 3, .seed = 9, .two_classes = two_classes});
        mxb_params *params = brisk(two_classes);
        char text[24];
        mxb_model *model = train(&data, params);
        size_t n_rounds = choose(&data, params);
        CHECK_INT(mxb_model_n_rounds(model), n_rounds);
        snprintf(text, sizeof text, "%zu", n_rounds);
        CHECK_TEXT(mxb_params_get(params, "num_round"), "auto");
        CHECK_TEXT(mxb_model_option(model, "num_round"), text);
        CHECK(set(params, "num_round", text));
        CHECK_INT(choose(&data, params), n_rounds);
        struct model_bytes chosen = bytes_of(model), given = train_bytes(&data, params);
        CHECK(same_bytes(chosen, given));
        mxb_bytes_free(chosen.bytes);
        mxb_bytes_free(given.bytes);
        mxb_model_free(model);
        mxb_params_free(params);
        data_clear(&data);
    }
}

/* A row that is kept aside is judged by what the others say of rows like it: where its copies were all kept aside with
 * it, only those of the other label would be left. */
static void copies_are_in_all_parts(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 1000, .n_features = 2, .seed = 3});
    for (size_t i = 0; i < 1000; i++) {
        data.x[i] = (double)(i % 2);
        data.x[1000 + i] = (double)(i / 2 % 2);
        data.y[i] = i % 2 == 1 ? (double)(i % 10 < 8) : (double)(i % 10 < 2);
    }
    mxb_params *params = brisk(1);
    struct watcher watcher = {0};
    CHECK_INT(mxb_choose_rounds(data.dataset, NULL, params, watch, &watcher, &error), MXB_OK);
    CHECK(watcher.best < 0.52); /* the entropy of 1 : 4 is 0.5004 */
    mxb_params_free(params);
    data_clear(&data);
}

static void mistakes_are_told_as_by_a_training(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = 50, .n_features = 2, .seed = 1});
    mxb_params *params = brisk(0), *classes = brisk(1);
    mxb_model *model;
    size_t n_rounds = 1;
    FAILS(choose_rounds(NULL, NULL, params, NULL, NULL, &n_rounds, &error), error, MXB_ERROR_PARAM,
          "the training data is NULL");
    FAILS(mxb_choose_rounds(data.dataset, NULL, NULL, NULL, NULL, &error), error, MXB_ERROR_PARAM,
          "the options are NULL");
    CHECK_INT(n_rounds, 0);
    CHECK(set(params, "min_max_depth", "9"));
    FAILS(choose_rounds(data.dataset, NULL, params, NULL, NULL, &n_rounds, &error), error, MXB_ERROR_PARAM,
          "min_max_depth is 9 and max_max_depth 4; the first must not be larger");
    CHECK(set(params, "min_max_depth", "1"));
    data.y[7] = (double)NAN;
    FAILS(mxb_train(data.dataset, NULL, params, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "the label of row 8 of the training data is nan; labels must be finite numbers");
    for (size_t i = 0; i < 50; i++) {
        data.y[i] = 2.0;
    }
    FAILS(mxb_train(data.dataset, NULL, classes, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "all labels of the training data are 2; logloss needs two different values");
    mxb_params_free(params);
    mxb_params_free(classes);
    data_clear(&data);
}

static void every_allocation_may_fail(void) {
    struct made_data data =
        data_make((struct data_recipe){.n_rows = 30, .n_features = 2, .seed = 2, .two_classes = 1, .weighted = 1});
    mxb_params *params = brisk(1);
    CHECK(set(params, "early_stopping_rounds", "2"));
    size_t expected = choose(&data, params), n_rounds = 0;
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 1;
    for (; n < 5000 && status == MXB_ERROR_MEMORY; n++) {
        for (int for_ever = 1; for_ever >= 0; for_ever--) {
            mxb__memory_fail_at(n, for_ever);
            status = choose_rounds(data.dataset, NULL, params, NULL, NULL, &n_rounds, &error);
            mxb__memory_fail_at(0, 0);
            if (status == MXB_ERROR_MEMORY) {
                CHECK(n_rounds == 0 && strncmp(error.message, "out of memory", 13) == 0);
            }
        }
    }
    CHECK_INT(status, MXB_OK);
    CHECK_INT(n_rounds, expected);
    CHECK(n > 200);
    mxb_params_free(params);
    data_clear(&data);
}

int main(void) {
    RUN(agrees_with_trainings_by_hand);
    RUN(many_rows_need_fewer_judges);
    RUN(without_patience_all_rounds_are_tried);
    RUN(copies_are_in_all_parts);
    RUN(rows_of_weight_0_do_not_matter);
    RUN(threads_do_not_matter);
    RUN(numbers_of_texts_do_not_matter);
    RUN(few_rows_say_nothing);
    RUN(a_class_of_one_row_says_nothing);
    RUN(a_constant_label_is_soon_learnt);
    RUN(progress_sees_the_choice_and_the_training);
    RUN(a_training_chooses_first);
    RUN(mistakes_are_told_as_by_a_training);
    RUN(every_allocation_may_fail);
    return check_report();
}
