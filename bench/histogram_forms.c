/* What the form of the histograms does to accuracy: trains on 80 % of a table with wide histograms and with packed
 * ones, which the library itself chooses by the number of rows, and prints the loss of each on the other rows. Started
 * by forms.py with a CSV file, its label, an objective and a seed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boost/trainer.h"
#include "learner/tree/quanta.h"

static const char *const SETTINGS[][2] = {
    {"num_round", "100"}, {"learning_rate", "0.1"},  {"min_max_depth", "6"},        {"max_max_depth", "6"},
    {"lambda_l2", "1"},   {"min_child_weight", "1"}, {"tree_probability", "1"},     {"hist_nbins", "256"},
    {"subsample", "1"},   {"leaf_rows", "sample"},   {"symmetric_probability", "0"}};
enum { N_SETTINGS = sizeof SETTINGS / sizeof SETTINGS[0] };

static const double HELD_OUT = 0.2;

struct outcome {
    double loss;     /* on the rows held out */
    size_t n_packed; /* rounds whose histograms were packed */
};

static void must(mxb_status status, const mxb_error *error) {
    if (status != MXB_OK) {
        fprintf(stderr, "histogram_forms: %s\n", error->message);
        exit(1);
    }
}

static void set(mxb_params *params, const char *name, const char *value) {
    mxb_error error;
    must(mxb_params_set(params, name, value, &error), &error);
}

/* Whether the tree learner packs the next round: packed quanta may turn out too coarse for the gradients. */
static int will_pack(const mxb_trainer *trainer, uint64_t *words) {
    struct fit_input input = mxb__member_fit_input(&trainer->members[0], &trainer->training);
    struct quanta quanta;
    uint32_t round = (uint32_t)mxb_trainer_n_rounds(trainer) + 1;
    return mxb__quanta_packed(&input, &quanta) && mxb__quanta_write_packed(&input, quanta, round, words);
}

static struct outcome train(const mxb_prepared *prepared, const mxb_dataset *held_out, const mxb_params *params,
                            size_t max_wide_rows) {
    mxb_error error;
    mxb_trainer *trainer;
    mxb_model *model;
    struct outcome outcome = {0};
    uint64_t *words;
    must(mxb__alloc(&words, prepared->n_rows, sizeof *words, "packed gradients", &error), &error);
    must(mxb_trainer_create(prepared, NULL, params, &trainer, &error), &error);
    trainer->members[0].options.max_wide_rows = max_wide_rows;
    while (!mxb_trainer_is_done(trainer)) {
        outcome.n_packed += will_pack(trainer, words) ? 1 : 0;
        must(mxb_trainer_run(trainer, mxb_trainer_n_rounds(trainer) + 1, NULL, NULL, &error), &error);
    }
    must(mxb_trainer_model(trainer, &model, &error), &error);
    must(mxb_model_evaluate(model, held_out, 0, &outcome.loss, &error), &error);
    mxb_model_free(model);
    mxb_trainer_free(trainer);
    mxb__free(words);
    return outcome;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: histogram_forms CSV LABEL OBJECTIVE SEED\n");
        return 2;
    }
    const char *objective = argv[3];
    const char *seed = argv[4];
    mxb_error error;
    mxb_table *table;
    mxb_dataset *data;
    mxb_dataset *train_rows;
    mxb_dataset *held_out;
    mxb_params *params;
    mxb_prepared *prepared;
    must(mxb_table_read_csv(argv[1], MXB_HEADER_YES, NULL, 0, 0, &table, &error), &error);
    must(mxb_dataset_from_table(table, argv[2], NULL, NULL, 0, &data, &error), &error);
    int stratify = strcmp(objective, "logloss") == 0;
    must(mxb_dataset_split(data, HELD_OUT, stratify, strtoull(seed, NULL, 10), &train_rows, &held_out, &error), &error);
    must(mxb_params_create(&params, &error), &error);
    for (size_t i = 0; i < N_SETTINGS; i++) {
        set(params, SETTINGS[i][0], SETTINGS[i][1]);
    }
    set(params, "objective", objective);
    set(params, "random_state", seed);
    must(mxb_prepared_create(train_rows, params, &prepared, &error), &error);

    struct outcome wide = train(prepared, held_out, params, SIZE_MAX);
    struct outcome packed = train(prepared, held_out, params, 0);
    printf("{\"n_rows\": %zu, \"n_features\": %zu, \"wide\": %.17g, \"packed\": %.17g, \"packed_rounds\": %zu}\n",
           mxb_dataset_n_rows(train_rows), mxb_dataset_n_features(data), wide.loss, packed.loss, packed.n_packed);

    mxb_prepared_free(prepared);
    mxb_params_free(params);
    mxb_dataset_free(held_out);
    mxb_dataset_free(train_rows);
    mxb_dataset_free(data);
    mxb_table_free(table);
    return wide.n_packed == 0 ? 0 : 1;
}
