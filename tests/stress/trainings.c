/* Random trainings: data, options and seed drawn at random, odd and extreme ones included, and what must hold of every
 * one checked.
 *
 *     trainings [COUNT [FIRST_SEED]]
 *
 * A failure names its seed; `trainings 1 SEED` repeats it. */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "boost/trainer.h"
#include "check.h"
#include "data/prepared.h"
#include "model/model.h"
#include "stress/draw_data.h"
#include "stress/draw_options.h"

enum {
    MANY_ROWS_EVERY = 100, /* one training in so many has more than 2^16 rows */
    MOST_ROUNDS = 60,      /* longer trainings are paused here and taken as they are */
    LIMIT = 120            /* seconds a training may take */
};

/* A few steps of the smallest double, the rounding of labels that are no larger. */
static const double TINY = 1e-320;

/* One drawn training and what came of it. */
struct trial {
    struct drawn_data data;
    mxb_params *params;
    mxb_model *model;
    double largest; /* of labels and scores, the unit of rounding errors */
};

static unsigned long long seed;
static size_t n_rounds_trained, n_many_rows, n_refused;
static size_t n_never_risen, n_same_leaves, n_same_scores; /* trainings of which this was asked */

/* ---- whatever happens, the seed is told ---- */

static void tell_seed(void) { fprintf(stderr, "seed %llu; repeat with: stress_trainings 1 %llu\n", seed, seed); }

static void tell_and_die(int number) {
    fprintf(stderr, number == SIGALRM ? "a training took over %d seconds\n" : "signal\n", LIMIT);
    tell_seed();
    _exit(1);
}

/* The sanitizers' own; NULL in a build without them. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void describe(const struct trial *trial) {
    const struct drawn_data *data = &trial->data;
    fprintf(stderr, "    %zu rows (%zu to train on), %zu columns, %s, %s\n", data->n_rows,
            mxb_dataset_n_rows(data->train), data->n_columns, data->weights != NULL ? "weighted" : "not weighted",
            data->valid == NULL          ? "no validation"
            : data->valid == data->train ? "validated on itself"
                                         : "validated");
    for (size_t i = 0; trial->params != NULL && i < mxb_option_count(); i++) {
        const char *value = mxb_params_get(trial->params, mxb_option_name(i));
        if (strcmp(value, mxb_option_default(i)) != 0) {
            fprintf(stderr, "    %s %s\n", mxb_option_name(i), value);
        }
    }
    tell_seed();
}

/* ---- training ---- */

static void check_same_scores(const mxb_trainer *trainer, const mxb_model *model);

/* In pieces of random length, which must not matter. */
static mxb_status train_in_pieces(struct dice *dice, const struct trial *trial, mxb_model **model, mxb_error *error) {
    mxb_prepared *prepared = NULL;
    mxb_trainer *trainer = NULL;
    mxb_status status = mxb_prepared_create(trial->data.train, trial->params, &prepared, error);
    if (status == MXB_OK) {
        status = mxb_trainer_create(prepared, trial->data.valid, trial->params, &trainer, error);
    }
    size_t until = 0;
    while (status == MXB_OK && until < MOST_ROUNDS && !mxb_trainer_is_done(trainer)) {
        until += draw_one_in(dice, 2) ? MOST_ROUNDS : dice_below(dice, 6);
        until = until < MOST_ROUNDS ? until : MOST_ROUNDS;
        status = mxb_trainer_run(trainer, until, NULL, NULL, error);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_model(trainer, model, error);
    }
    if (status == MXB_OK) {
        check_same_scores(trainer, *model);
    }
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    return status;
}

/* A label times its weight over 1e300, and a loss that leaves the range of a double, are errors and no bugs. Fitted to
 * a sample of the rows, a round may double the residuals of the others. */
static int may_be_refused(const struct trial *trial) {
    const struct drawn_data *data = &trial->data;
    int starts_by_itself = strcmp(mxb_params_get(trial->params, "base_score"), "auto") == 0;
    double base_score = starts_by_itself ? 0.0 : fabs(option_number(trial->params, "base_score"));
    double limit = option_number(trial->params, "subsample") < 1.0 ? 1e299 * ldexp(1.0, -MOST_ROUNDS) : 1e299;
    for (size_t i = 0; i < data->n_rows; i++) {
        double weight = drawn_weight(data, i);
        if (weight > 0.0 && fmax(1.0, weight) * fmax(base_score, fabs(data->labels[i])) > limit) {
            return 1;
        }
    }
    return 0;
}

/* ---- what must hold ---- */

static double *predict(const mxb_model *model, const mxb_dataset *dataset, mxb_output output, int n_threads) {
    double *out = malloc(mxb_dataset_n_rows(dataset) * sizeof *out);
    mxb_error error;
    if (mxb_model_predict(model, dataset, output, n_threads, out, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        memset(out, 0, mxb_dataset_n_rows(dataset) * sizeof *out);
    }
    return out;
}

static void check_finite(struct trial *trial) {
    const mxb_model *model = trial->model;
    size_t n = trial->data.n_rows;
    size_t n_bad = 0;
    for (size_t r = 0; r <= mxb_model_n_curve(model); r++) {
        n_bad += !(isfinite(mxb_model_curve(model, r, 0)) && mxb_model_curve(model, r, 0) >= 0.0);
        n_bad += trial->data.valid != NULL && !isfinite(mxb_model_curve(model, r, 1));
    }
    CHECK_INT(n_bad, 0);
    double *raw = predict(model, trial->data.all, MXB_PREDICT_RAW, 1);
    double *value = predict(model, trial->data.all, MXB_PREDICT_VALUE, 1);
    double *probability = trial->data.two_classes ? predict(model, trial->data.all, MXB_PREDICT_PROBABILITY, 1) : NULL;
    for (size_t i = 0; i < n; i++) {
        n_bad += !(isfinite(raw[i]) && isfinite(value[i]));
        n_bad += !(trial->data.two_classes || value[i] == raw[i]);
        n_bad += !(probability == NULL || (probability[i] >= 0.0 && probability[i] <= 1.0));
        double size = trial->data.two_classes               ? 1.0
                      : drawn_weight(&trial->data, i) > 0.0 ? fabs(trial->data.labels[i])
                                                            : 0.0;
        trial->largest = fmax(trial->largest, fmax(fabs(raw[i]), size));
    }
    CHECK_INT(n_bad, 0);
    free(raw);
    free(value);
    free(probability);
}

static double largest_weight(const struct drawn_data *data) {
    double largest = 0.0;
    for (size_t i = 0; i < data->n_rows; i++) {
        largest = fmax(largest, drawn_weight(data, i));
    }
    return largest;
}

/* Squared loss, and steps by all rows: every round is a step towards the minimum of a quadratic function, and no longer
 * than the whole way. Not so for gradients near 2^-1000, where quanta end, nor for the mean of members. */
static void check_loss_never_rises(const struct trial *trial) {
    const mxb_model *model = trial->model;
    int by_a_sample = option_number(trial->params, "subsample") < 1.0 &&
                      strcmp(mxb_params_get(trial->params, "leaf_rows"), "sample") == 0;
    if (trial->data.two_classes || by_a_sample || model->n_members > 1 ||
        trial->largest * largest_weight(&trial->data) < 1e-280) {
        return;
    }
    n_never_risen++;
    for (size_t r = 1; r <= mxb_model_n_curve(model); r++) {
        double before = mxb_model_curve(model, r - 1, 0);
        double after = mxb_model_curve(model, r, 0);
        if (!(after <= before * (1.0 + 1e-12) + 1e-14 * fmax(trial->largest, mxb_model_curve(model, 0, 0)) + TINY)) {
            fprintf(stderr, "    round %zu, %s\n", r,
                    r <= mxb_model_n_rounds(model) ? mxb_model_round_learner(model, r, 0) : "?");
            CHECK_NEAR(after, before, 0.0);
            return;
        }
    }
}

static double largest_leaf(const struct tree *tree) {
    double largest = 0.0;
    for (uint32_t n = 0; n < tree->n_nodes; n++) {
        largest = tree->nodes[n].split == SPLIT_NONE ? fmax(largest, fabs(tree->nodes[n].value)) : largest;
    }
    return largest;
}

/* Sum of the sizes of what the rounds add to a score at most: the unit of rounding errors in sums of them. */
static double sizes_of_terms(const mxb_model *model, int *only_trees) {
    double sum = fabs(model->base_score);
    *only_trees = 1;
    for (uint32_t r = 0; r < model->n_terms; r++) {
        sum += model->terms[r].kind == TERM_TREE ? largest_leaf(&model->terms[r].tree) : 0.0;
        if (model->terms[r].kind == TERM_FOURIER) {
            const struct fourier *fourier = &model->terms[r].fourier;
            *only_trees = 0;
            sum += fabs(fourier->intercept);
            for (uint32_t c = 0; c < model->projections[fourier->projection].n_components; c++) {
                sum += fabs(fourier->weights[c]);
            }
        }
    }
    return sum;
}

/* Trained on and validated by the same rows, one scored by its place in the training, the other by predicting it: with
 * trees alone each row must find the same leaf, so the curves agree to the last bit. (Rows of weight 0, which only a
 * validation set keeps, shift the others to other lanes of the sum.) */
static void check_same_leaves(const struct trial *trial) {
    const mxb_model *model = trial->model;
    int only_trees;
    double sizes = sizes_of_terms(model, &only_trees);
    if (trial->data.valid != trial->data.train || trial->data.valid == NULL) {
        return;
    }
    n_same_leaves++;
    for (size_t r = 0; r <= mxb_model_n_rounds(model); r++) {
        double trained = mxb_model_curve(model, r, 0);
        CHECK_NEAR(mxb_model_curve(model, r, 1), trained,
                   only_trees ? (trial->data.weights != NULL ? 1e-12 * trained : 0.0) : 1e-12 * fmax(trained, sizes));
    }
}

/* Each training row has the score that its model predicts: with trees alone, which send it to the same leaves, to the
 * last bit. (Not where the model ends before the training, nor of several members, whose mean has no scores.) */
static void check_same_scores(const mxb_trainer *trainer, const mxb_model *model) {
    const struct mxb_prepared *prepared = trainer->training.prepared;
    int only_trees;
    double sizes = sizes_of_terms(model, &only_trees);
    size_t n_others = 0;
    if (model->n_members > 1 || mxb_model_n_rounds(model) < mxb_model_n_curve(model)) {
        return;
    }
    n_same_scores++;
    double *raw = predict(model, prepared->view, MXB_PREDICT_RAW, 1);
    for (size_t i = 0; i < prepared->n_rows; i++) {
        double trained = trainer->members[0].scores[i];
        n_others += only_trees ? raw[i] != trained : !(fabs(raw[i] - trained) <= 1e-12 * sizes);
    }
    CHECK_INT(n_others, 0);
    free(raw);
}

/* The metric of predictions against the curve: the library's, and where the rows are those of the arrays our own. */
static void check_curve(const struct trial *trial) {
    const struct drawn_data *data = &trial->data;
    int only_trees;
    double curve = mxb_model_curve(trial->model, mxb_model_n_rounds(trial->model), 0);
    double sizes = fmax(trial->largest, sizes_of_terms(trial->model, &only_trees));
    double evaluated = -1.0;
    CHECK_INT(mxb_model_evaluate(trial->model, data->train, 1, &evaluated, NULL), MXB_OK);
    CHECK_NEAR(evaluated, curve, 1e-12 * sizes + TINY);
    if (data->train != data->all) {
        return;
    }
    double *raw = predict(trial->model, data->all, MXB_PREDICT_RAW, 1);
    double smaller_label = fmin(data->labels[0], data->labels[1 % data->n_rows]);
    long double sum = 0.0L;
    long double weights = 0.0L;
    for (size_t i = 0; i < data->n_rows; i++) {
        long double weight = (long double)drawn_weight(data, i);
        if (weight == 0.0L) {
            continue;
        }
        long double error = (long double)raw[i] - (long double)data->labels[i];
        long double wrong_side = data->labels[i] == smaller_label ? (long double)raw[i] : -(long double)raw[i];
        sum +=
            weight * (!data->two_classes ? error * error : fmaxl(wrong_side, 0.0L) + log1pl(expl(-fabsl(wrong_side))));
        weights += weight;
    }
    double metric = (double)(data->two_classes ? sum / weights : sqrtl(sum / weights));
    CHECK_NEAR(curve, metric, 1e-12 * sizes + TINY);
    free(raw);
}

static void check_saving(struct dice *dice, const struct trial *trial) {
    struct model_bytes bytes = bytes_of(trial->model);
    mxb_model *loaded = NULL;
    mxb_error error = {""};
    CHECK(bytes.bytes != NULL);
    if (draw_one_in(dice, 20)) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/mixboost-stress-%ld.mxb", (long)getpid());
        CHECK(mxb_model_save(trial->model, path, &error) == MXB_OK && mxb_model_load(path, &loaded, &error) == MXB_OK);
        unlink(path);
    } else {
        CHECK(mxb_model_from_bytes(bytes.bytes, bytes.n_bytes, &loaded, &error) == MXB_OK);
    }
    if (loaded == NULL) {
        check_failed(__FILE__, __LINE__, error.message);
    } else {
        struct model_bytes again = bytes_of(loaded);
        CHECK(same_bytes(bytes, again));
        mxb_bytes_free(again.bytes);
        double *a = predict(trial->model, trial->data.all, MXB_PREDICT_RAW, 1);
        double *b = predict(loaded, trial->data.all, MXB_PREDICT_RAW, 3);
        CHECK(memcmp(a, b, trial->data.n_rows * sizeof *a) == 0);
        free(a);
        free(b);
    }
    mxb_bytes_free(bytes.bytes);
    mxb_model_free(loaded);
}

/* A row alone, and the last of the stages, are the prediction of all rows. */
static void check_rows_and_stages(struct dice *dice, const struct trial *trial) {
    const struct drawn_data *data = &trial->data;
    const mxb_model *model = trial->model;
    mxb_stages *stages = NULL;
    mxb_error error = {""};
    double *whole = predict(model, data->all, MXB_PREDICT_VALUE, 1), *row = malloc(data->n_columns * sizeof *row);
    double *staged = malloc(data->n_rows * sizeof *staged);
    for (int k = 0; k < 20; k++) {
        size_t i = dice_below(dice, (uint32_t)data->n_rows);
        double alone = 0.0;
        for (size_t f = 0; f < data->n_columns; f++) {
            CHECK_INT(mxb_dataset_read(data->all, f, i, 1, &row[f], NULL), MXB_OK);
        }
        CHECK_INT(mxb_model_predict_rows(model, row, 1, data->n_columns, MXB_PREDICT_VALUE, &alone, &error), MXB_OK);
        CHECK(memcmp(&alone, &whole[i], sizeof alone) == 0);
    }
    CHECK_INT(mxb_stages_create(model, data->all, (int)dice_below(dice, 4), &stages, &error), MXB_OK);
    size_t n_rounds = mxb_model_n_rounds(model);
    for (size_t r = 0; r < n_rounds; r++) {
        CHECK_INT(mxb_stages_next(stages, MXB_PREDICT_VALUE, staged, &error), MXB_OK);
    }
    CHECK(n_rounds == 0 || memcmp(staged, whole, data->n_rows * sizeof *staged) == 0);
    mxb_stages_free(stages);
    free(whole);
    free(row);
    free(staged);
}

/* Finite, trees' only where they split, and of fourier rounds what these gained together. */
static void check_importances(const struct trial *trial) {
    const mxb_model *model = trial->model;
    size_t n_features = trial->data.n_columns;
    double *trees = malloc(3 * n_features * sizeof *trees);
    double *symmetric = trees + n_features, *fourier = symmetric + n_features;
    long double of_features = 0.0L, of_rounds = 0.0L; /* gains may be near the largest double */
    mxb_error error = {""};
    CHECK_INT(mxb_model_importance(model, MXB_IMPORTANCE_TREE, trees, &error), MXB_OK);
    CHECK_INT(mxb_model_importance(model, MXB_IMPORTANCE_SYMMETRIC, symmetric, &error), MXB_OK);
    CHECK_INT(mxb_model_importance(model, MXB_IMPORTANCE_FOURIER, fourier, &error), MXB_OK);
    for (size_t f = 0; f < n_features; f++) {
        double of_trees[] = {trees[f], symmetric[f]};
        for (int kind = 0; kind < 2; kind++) {
            CHECK(isfinite(of_trees[kind]) && of_trees[kind] >= 0.0);
            CHECK(of_trees[kind] == 0.0 || mxb_model_feature_splits(model, f) > 0);
        }
        CHECK(isfinite(fourier[f]) && fourier[f] >= 0.0);
        of_features += (long double)fourier[f];
    }
    for (uint32_t r = 0; r < model->n_terms; r++) {
        of_rounds += model->terms[r].kind == TERM_FOURIER ? (long double)model->terms[r].fourier.gain : 0.0L;
    }
    of_rounds /= (long double)model->n_members;
    if (of_rounds < (long double)DBL_MAX) { /* beyond, sums are cut: those of a projection and those of a feature */
        CHECK(fabsl(of_features - of_rounds) <= 1e-9L * of_rounds + (long double)TINY);
    }
    free(trees);
}

/* What the members took off in each round is, together, what the curve fell. */
static void check_decreases(const mxb_model *model) {
    for (size_t round = 1; round <= mxb_model_n_rounds(model); round++) {
        long double before = (long double)mxb_model_curve(model, round - 1, 0);
        long double after = (long double)mxb_model_curve(model, round, 0);
        long double left = before - after;
        for (size_t member = 0; member < mxb_model_n_members(model); member++) {
            left -= (long double)mxb_model_round_decrease(model, round, member);
        }
        CHECK(fabsl(left) <= 1e-12L * (before + after) + (long double)TINY);
    }
}

/* Once more in one go and with other threads: the same bytes. */
static void check_again(struct dice *dice, const struct trial *trial) {
    static const char *const threads[] = {"1", "2", "5"};
    if (option_number(trial->params, "num_round") > MOST_ROUNDS ||
        !draw_one_in(dice, trial->data.n_rows > 4096 ? 1 : 4)) {
        return;
    }
    mxb_model *again = NULL;
    mxb_error error = {""};
    CHECK(mxb_params_set(trial->params, "n_threads", threads[dice_below(dice, 3)], &error) == MXB_OK);
    CHECK(mxb_train(trial->data.train, trial->data.valid, trial->params, NULL, NULL, &again, &error) == MXB_OK);
    struct model_bytes a = bytes_of(trial->model);
    struct model_bytes b = bytes_of(again);
    CHECK(same_bytes(a, b));
    mxb_bytes_free(a.bytes);
    mxb_bytes_free(b.bytes);
    mxb_model_free(again);
}

/* ---- all of it ---- */

static void check_trial(struct dice *dice, struct trial *trial) {
    mxb_error error = {""};
    if (trial->data.train == NULL) {
        check_failed(__FILE__, __LINE__, "cannot make the data");
        return;
    }
    mxb_status status = train_in_pieces(dice, trial, &trial->model, &error);
    if (status == MXB_ERROR_DATA && may_be_refused(trial)) {
        n_refused++;
        return;
    }
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        return;
    }
    n_rounds_trained += mxb_model_n_curve(trial->model);
    check_finite(trial);
    check_loss_never_rises(trial);
    check_same_leaves(trial);
    check_curve(trial);
    check_saving(dice, trial);
    check_rows_and_stages(dice, trial);
    check_importances(trial);
    check_decreases(trial->model);
    check_again(dice, trial);
}

static void run_trial(void) {
    int failed_before = check_n_failed;
    struct dice dice = {seed * 0x9E3779B97F4A7C15u + 1};
    int many_rows = seed % MANY_ROWS_EVERY == 0;
    mxb_error error = {""};
    alarm(LIMIT);
    struct trial trial = {.data = draw_data(&dice, many_rows)};
    trial.params = draw_params(&dice, trial.data.two_classes, many_rows, &error);
    if (trial.params == NULL) {
        check_failed(__FILE__, __LINE__, error.message);
    } else {
        check_trial(&dice, &trial);
    }
    n_many_rows += (size_t)many_rows;
    if (check_n_failed > failed_before) {
        describe(&trial);
    }
    mxb_model_free(trial.model);
    mxb_params_free(trial.params);
    drawn_clear(&trial.data);
    alarm(0);
}

int main(int argc, char **argv) {
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
    unsigned long long first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    signal(SIGALRM, tell_and_die);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(tell_seed);
    } else {
        signal(SIGSEGV, tell_and_die);
        signal(SIGABRT, tell_and_die);
    }
    for (seed = first; seed < first + count; seed++) {
        RUN(run_trial);
    }
    printf("%zu trainings, %zu of over 2^16 rows, %zu rounds; %zu refused for values out of range\n", count,
           n_many_rows, n_rounds_trained, n_refused);
    printf("%zu whose loss may not rise, %zu validated on themselves, %zu with scores to predict\n", n_never_risen,
           n_same_leaves, n_same_scores);
    return check_report();
}
