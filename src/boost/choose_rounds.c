/* How many rounds are enough for a training without a validation set: trainings on a part of the rows each, judged by
 * the rest, through the public calls. Knows nothing of what a round is. */
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
#include "data/prepared.h"
#include "data/row_keys.h"
#include "data/sort.h"
#include "data/text_coding.h"
#include "loss/objective.h"

enum {
    N_PARTS = 5,           /* of the rows; each training is judged by one of them */
    JUDGED_ROWS = 2000,    /* parts are judged by until there are so many rows in them, */
    JUDGED_OF_CLASS = 100, /* and, of two classes, so many of the rarer one */
    LEAST_ROWS = 30,       /* fewer say nothing */
    MANY_ROWS = 500,       /* of fewer, copies do not count */
    ROUNDS_OF_FEW = 30,    /* where rows say nothing */
    ROUNDS_AT_A_TIME = 10  /* of one training, before the others catch up */
};

struct part {
    mxb_dataset *others; /* that it is trained on */
    mxb_dataset *rows;   /* that it is judged by */
    mxb_prepared *prepared;
    mxb_trainer *trainer;
};

struct choice {
    mxb_dataset *dataset; /* the rows that weigh anything */
    mxb_params params;    /* those of the trainings: as the caller's, but for the rounds */
    struct labels labels;
    uint32_t *part_of_row;
    struct part parts[N_PARTS];
    size_t n_parts; /* that trainings are judged by */

    uint64_t *keys; /* [n_rows] and so the others: for putting the rows in order */
    uint64_t *spare_keys;
    uint32_t *rows;
    uint32_t *spare_rows;
    uint64_t *row_keys;
};

/* ---- parts ---- */

/* Rows as they are where all of them are trained on: with texts numbered. */
static mxb_status find_row_keys(struct choice *choice, mxb_error *error) {
    mxb_dataset *view = NULL;
    struct dictionary *dictionaries = NULL;
    mxb_status status = mxb__dataset_create_view(choice->dataset, &view, error);
    if (status == MXB_OK) {
        status = mxb__texts_learn(view, &dictionaries, error);
    }
    if (status == MXB_OK) {
        mxb__row_keys(view, &choice->labels, choice->row_keys);
    }
    mxb__dictionaries_free(dictionaries, choice->dataset->n_columns);
    mxb_dataset_free(view);
    return status;
}

/* Rows by label and then in random order, copies side by side. */
static void order_rows(struct choice *choice) {
    const struct labels *labels = &choice->labels;
    uint64_t seed = (uint64_t)mxb__param(&choice->params, OPTION_RANDOM_STATE);
    struct random_stream random = mxb__random_stream(seed, RANDOM_PARTS, 0);
    size_t n = labels->n_rows;
    for (size_t i = 0; i < n; i++) {
        choice->keys[i] = mxb__random_bits(random, choice->row_keys[i]);
        choice->rows[i] = (uint32_t)i;
    }
    mxb__sort_keys(choice->keys, choice->rows, n, choice->spare_keys, choice->spare_rows);
    for (size_t i = 0; i < n; i++) {
        choice->keys[i] = mxb__sort_key(mxb__label_of(labels, choice->rows[i]));
    }
    mxb__sort_keys(choice->keys, choice->rows, n, choice->spare_keys, choice->spare_rows);
}

/* Whether the rows of each part and those of all others weigh enough for a training. */
static int parts_weigh_enough(const struct choice *choice) {
    const double *weights = choice->labels.weights;
    double sums[N_PARTS] = {0}, others[N_PARTS] = {0};
    int all_do = 1;
    for (size_t i = 0; weights != NULL && i < choice->labels.n_rows; i++) {
        for (uint32_t part = 0; part < N_PARTS; part++) {
            *(choice->part_of_row[i] == part ? &sums[part] : &others[part]) += weights[i];
        }
    }
    for (size_t part = 0; weights != NULL && part < N_PARTS; part++) {
        all_do &= mxb__weight_sum_is_fine(sums[part]) && mxb__weight_sum_is_fine(others[part]);
    }
    return all_do;
}

/* How many of the parts of some rows have so many of them. */
static size_t parts_with(size_t n_wanted, size_t n_rows) {
    size_t n_parts = (n_wanted * N_PARTS + n_rows - 1) / n_rows;
    return n_parts < N_PARTS ? n_parts : N_PARTS;
}

/* Deals the rows out, so that the parts have much the same labels, and copies of a row go to different ones. Returns 0
 * where they are too few: in all, or, with two classes, of one, or by what they weigh. Of few rows those that differ
 * are counted, so that a handful of rows with weights is too few as its copies are. */
static int deal_rows(struct choice *choice) {
    size_t n = choice->labels.n_rows, n_counted = 0, n_of_label = 0, least_of_class = SIZE_MAX;
    order_rows(choice);
    for (size_t i = 0; i < n; i++) {
        int same_label = i > 0 && choice->keys[i] == choice->keys[i - 1];
        int is_equal = same_label && choice->row_keys[choice->rows[i]] == choice->row_keys[choice->rows[i - 1]];
        int counts = n >= MANY_ROWS || !is_equal;
        if (!same_label && i > 0) {
            least_of_class = n_of_label < least_of_class ? n_of_label : least_of_class;
        }
        n_of_label = same_label ? n_of_label + (size_t)counts : 1;
        n_counted += (size_t)counts;
        choice->part_of_row[choice->rows[i]] = (uint32_t)(i % N_PARTS);
    }
    least_of_class = n_of_label < least_of_class ? n_of_label : least_of_class;
    choice->n_parts = parts_with(JUDGED_ROWS, n);
    if (choice->labels.is_1 != NULL) {
        size_t of_class = parts_with(JUDGED_OF_CLASS, least_of_class);
        choice->n_parts = choice->n_parts > of_class ? choice->n_parts : of_class;
    }
    return n_counted >= LEAST_ROWS && (choice->labels.is_1 == NULL || least_of_class > 1) && parts_weigh_enough(choice);
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
    MXB_TRY(find_row_keys(choice, error));
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
    mxb_dataset_free(choice->dataset);
}

/* The number of rounds, searched for; `choice` has the options of the trainings. */
static mxb_status search(struct choice *choice, const mxb_dataset *train, mxb_progress_fn progress, void *context,
                         size_t *n_rounds, mxb_error *error) {
    uint32_t patience = mxb__param_count(&choice->params, OPTION_EARLY_STOPPING_ROUNDS);
    MXB_TRY(mxb_params_set(&choice->params, "early_stopping_rounds", "0", error)); /* all stop together */
    const char *objective_name = choice->params.texts[OPTION_OBJECTIVE];
    struct objective objective = mxb__objective_find(&choice->params.own.loss, objective_name);
    int two_classes = mxb__objective_two_classes(&objective);
    mxb_status status = mxb__training_rows(train, two_classes, &choice->dataset, &choice->labels, error);
    if (status == MXB_OK) {
        mxb__params_resolve(&choice->params, choice->labels.n_rows); /* as for the training on all rows */
        status = choose(choice, patience, progress, context, n_rounds, error);
    }
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
        struct choice choice = {.params = *params};
        MXB_TRY(search(&choice, train, progress, context, &n_rounds, error));
    }
    mxb__number_format((double)n_rounds, text);
    return mxb_params_set(params, "num_round", text, error);
}
