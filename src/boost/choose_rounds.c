/* How many rounds are enough for a training without a validation set: trainings on a part of the rows each, judged by
 * the rest, through the public calls. Equal rows stay together, so a row of weight k counts as k rows here too. Knows
 * nothing of what a round is. */
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "boost/early_stop.h"
#include "boost/params.h"
#include "data/dataset.h"
#include "data/folds.h"
#include "data/labels.h"
#include "data/row_keys.h"
#include "data/sort.h"
#include "loss/objective.h"

enum {
    N_PARTS = 5,          /* of the rows; each training is judged by one of them */
    JUDGED_ROWS = 2000,   /* parts are judged by until there are so many rows in them */
    LEAST_ROWS = 10,      /* that differ; fewer say nothing */
    ROUNDS_OF_FEW = 50,   /* for these */
    ROUNDS_AT_A_TIME = 10 /* of one training, before the others catch up */
};

struct part {
    mxb_dataset *others; /* that it is trained on */
    mxb_dataset *rows;   /* that it is judged by */
    mxb_prepared *prepared;
    mxb_trainer *trainer;
};

struct choice {
    const mxb_dataset *dataset;
    mxb_params params; /* those of the trainings: as the caller's, but for the rounds */
    struct labels labels;
    uint32_t *part_of_row; /* MXB__NO_FOLD for a row that weighs nothing */
    struct part parts[N_PARTS];
    size_t n_parts; /* that trainings are judged by */

    uint64_t *keys; /* [n_rows] and so the others: for putting the rows in order */
    uint64_t *spare_keys;
    uint32_t *rows;
    uint32_t *spare_rows;
    uint64_t *row_keys;
};

/* ---- parts ---- */

/* Rows by label and then in random order, copies side by side; those that weigh nothing are left out. Returns how many
 * there are. */
static size_t order_rows(struct choice *choice) {
    const struct labels *labels = &choice->labels;
    uint64_t seed = (uint64_t)mxb__param(&choice->params, OPTION_RANDOM_STATE);
    struct random_stream random = mxb__random_stream(seed, RANDOM_PARTS, 0);
    size_t n = 0;
    for (size_t i = 0; i < labels->n_rows; i++) {
        if (labels->weights == NULL || labels->weights[i] > 0.0) {
            choice->keys[n] = mxb__random_bits(random, choice->row_keys[i]);
            choice->rows[n++] = (uint32_t)i;
        }
    }
    mxb__sort_keys(choice->keys, choice->rows, n, choice->spare_keys, choice->spare_rows);
    for (size_t i = 0; i < n; i++) {
        choice->keys[i] = mxb__sort_key(mxb__label_of(labels, choice->rows[i]));
    }
    mxb__sort_keys(choice->keys, choice->rows, n, choice->spare_keys, choice->spare_rows);
    return n;
}

/* Deals the rows out, equal ones together, so that the parts have much the same labels. Returns 0 where they are too
 * few: in all, or, with two classes, of one. */
static int deal_rows(struct choice *choice) {
    size_t n = order_rows(choice);
    mxb__params_resolve(&choice->params, n); /* as for the training on all rows */
    size_t n_different = 0, n_of_label = 0, least_of_class = SIZE_MAX;
    for (size_t i = 0; i < choice->labels.n_rows; i++) {
        choice->part_of_row[i] = MXB__NO_FOLD;
    }
    for (size_t i = 0; i < n; i++) {
        int same_label = i > 0 && choice->keys[i] == choice->keys[i - 1];
        int is_equal = same_label && choice->row_keys[choice->rows[i]] == choice->row_keys[choice->rows[i - 1]];
        if (!same_label && i > 0) {
            least_of_class = n_of_label < least_of_class ? n_of_label : least_of_class;
        }
        n_of_label = same_label ? n_of_label + !is_equal : 1;
        n_different += !is_equal;
        choice->part_of_row[choice->rows[i]] = (uint32_t)((n_different - 1) % N_PARTS);
    }
    least_of_class = n_of_label < least_of_class ? n_of_label : least_of_class;
    choice->n_parts = (JUDGED_ROWS * N_PARTS + n_different - 1) / (n_different > 0 ? n_different : 1);
    choice->n_parts = choice->n_parts < N_PARTS ? choice->n_parts : N_PARTS;
    return n_different >= LEAST_ROWS && (choice->labels.is_1 == NULL || least_of_class > 1);
}

static mxb_status begin_part(struct choice *choice, uint32_t index, mxb_error *error) {
    const mxb_dataset *dataset = choice->dataset;
    struct part *part = &choice->parts[index];
    MXB_TRY(mxb__folds_select(dataset, choice->part_of_row, index, 1, &part->others, error));
    MXB_TRY(mxb__folds_select(dataset, choice->part_of_row, index, 0, &part->rows, error));
    MXB_TRY(mxb_prepared_create(part->others, &choice->params, &part->prepared, error));
    return mxb_trainer_create(part->prepared, part->rows, &choice->params, &part->trainer, error);
}

/* ---- rounds ---- */

static double mean_loss(const struct choice *choice, size_t round, int valid) {
    double sum = 0.0;
    for (size_t i = 0; i < choice->n_parts; i++) {
        sum += mxb_trainer_curve(choice->parts[i].trainer, round, valid) / (double)choice->n_parts;
    }
    return sum;
}

static mxb_status run_parts(struct choice *choice, uint32_t patience, mxb_progress_fn progress, void *context,
                            size_t *n_rounds, mxb_error *error) {
    double began = mxb__seconds_now();
    struct early_stop stop;
    mxb__early_stop_init(&stop, patience, mean_loss(choice, 0, 1));
    int is_enough = 0;
    for (uint32_t round = 1; !is_enough && !mxb_trainer_is_done(choice->parts[0].trainer);) {
        uint32_t until = round + ROUNDS_AT_A_TIME;
        for (size_t i = 0; i < choice->n_parts; i++) {
            MXB_TRY(mxb_trainer_run(choice->parts[i].trainer, until - 1, NULL, NULL, error));
        }
        for (; !is_enough && round < until && round <= mxb_trainer_n_rounds(choice->parts[0].trainer); round++) {
            double loss = mean_loss(choice, round, 1);
            is_enough = mxb__early_stop_add(&stop, round, loss);
            if (progress != NULL &&
                !progress(context, round, mean_loss(choice, round, 0), loss, mxb__seconds_now() - began)) {
                return mxb__fail(error, MXB_STOPPED, "the choice of num_round was stopped after round %u", round);
            }
        }
    }
    *n_rounds = stop.best_round > 0 ? stop.best_round : 1;
    return MXB_OK;
}

/* ---- all of it ---- */

static mxb_status choose(struct choice *choice, uint32_t patience, mxb_progress_fn progress, void *context,
                         size_t *n_rounds, mxb_error *error) {
    static const char purpose[] = "the choice of num_round";
    size_t n = choice->labels.n_rows;
    MXB_TRY(mxb__alloc(&choice->part_of_row, n, sizeof *choice->part_of_row, purpose, error));
    MXB_TRY(mxb__alloc(&choice->keys, n, sizeof *choice->keys, purpose, error));
    MXB_TRY(mxb__alloc(&choice->spare_keys, n, sizeof *choice->spare_keys, purpose, error));
    MXB_TRY(mxb__alloc(&choice->rows, n, sizeof *choice->rows, purpose, error));
    MXB_TRY(mxb__alloc(&choice->spare_rows, n, sizeof *choice->spare_rows, purpose, error));
    MXB_TRY(mxb__alloc(&choice->row_keys, n, sizeof *choice->row_keys, purpose, error));
    mxb__row_keys(choice->dataset, &choice->labels, choice->row_keys);
    if (!deal_rows(choice)) {
        *n_rounds = ROUNDS_OF_FEW;
        return MXB_OK;
    }
    for (uint32_t i = 0; i < choice->n_parts; i++) {
        MXB_TRY(begin_part(choice, i, error));
    }
    return run_parts(choice, patience, progress, context, n_rounds, error);
}

static void clear(struct choice *choice) {
    for (size_t i = 0; i < N_PARTS; i++) {
        mxb_trainer_free(choice->parts[i].trainer);
        mxb_prepared_free(choice->parts[i].prepared);
        mxb_dataset_free(choice->parts[i].rows);
        mxb_dataset_free(choice->parts[i].others);
    }
    mxb__free(choice->row_keys);
    mxb__free(choice->spare_rows);
    mxb__free(choice->rows);
    mxb__free(choice->spare_keys);
    mxb__free(choice->keys);
    mxb__free(choice->part_of_row);
    mxb__labels_clear(&choice->labels);
}

/* The number of rounds, searched for; `choice` has the options of the trainings. */
static mxb_status search(struct choice *choice, mxb_progress_fn progress, void *context, size_t *n_rounds,
                         mxb_error *error) {
    uint32_t patience = mxb__param_count(&choice->params, OPTION_EARLY_STOPPING_ROUNDS);
    MXB_TRY(mxb_params_set(&choice->params, "early_stopping_rounds", "0", error)); /* all stop together */
    const char *objective_name = choice->params.texts[OPTION_OBJECTIVE];
    struct objective objective = mxb__objective_find(&choice->params.own.loss, objective_name);
    int two_classes = mxb__objective_two_classes(&objective);
    MXB_TRY(mxb__labels_read(choice->dataset, two_classes, NULL, NULL, "the training data", &choice->labels, error));
    mxb_status status = choose(choice, patience, progress, context, n_rounds, error);
    clear(choice);
    return status;
}

mxb_status mxb_choose_rounds(const mxb_dataset *train, const mxb_dataset *valid, mxb_params *params,
                             mxb_progress_fn progress, void *context, mxb_error *error) {
    if (train == NULL || params == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the %s NULL", train == NULL ? "training data is" : "options are");
    }
    size_t n_rounds = mxb__param_rounds(params);
    char text[MXB__NUMBER_SIZE];
    MXB_TRY(mxb__params_check(params, error));
    if (valid == NULL && isnan(mxb__param(params, OPTION_NUM_ROUND))) {
        struct choice choice = {.dataset = train, .params = *params};
        MXB_TRY(search(&choice, progress, context, &n_rounds, error));
        MXB_TRY(mxb_params_set(params, "learning_rate", choice.params.texts[OPTION_LEARNING_RATE], error));
    }
    mxb__number_format((double)n_rounds, text);
    return mxb_params_set(params, "num_round", text, error);
}
