/* How much memory a training will take, before anything of it is there: learners are asked for their workspaces, and
 * the rounds are those that the schedule will draw, all of their trees as large as they may be. Knows nothing of
 * how rounds are fitted. */
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "boost/schedule.h"
#include "boost/trainer.h"
#include "kernels/rank_table.h"
#include "mixboost/tune.h"
#include "model/row_pass.h"

/* Of the sorting of a feature: values, keys and weights, keys and row numbers twice. */
enum { SORT_BYTES = 4 * 8 + 2 * 4 };
/* A model that is ready to predict has its trees twice, and while it is made the thresholds of them in order. */
enum { MODEL_COPIES = 5 };
/* Rounds that are drawn to see how large they are. */
enum { MOST_DRAWN = 2000 };
/* A projection looks at so many rows, and at pairs of them. */
enum { SAMPLE_ROWS = 512, PAIRS_BYTES = 1 << 16 };
/* A feature's name, whatever it is called, and a few small blocks, whatever they are. */
enum { NAME_BYTES = 128, FEW_BYTES = 1 << 14 };

/* ---- preparing ---- */

/* Of a feature: how projections see it. A part of the rows has the knots of the whole. */
static size_t scaling_bytes(const mxb_prepared *prepared) {
    size_t n_knots = prepared->settings.scaling == SCALING_RANK ? MXB__MAX_KNOTS : 1;
    return sizeof *prepared->scaling.features + n_knots * (sizeof *prepared->knots + sizeof *prepared->knot_scores);
}

static size_t feature_bytes(const mxb_prepared *prepared) {
    size_t of_cuts = prepared->settings.exact ? 0 : MXB__MAX_CUTS * sizeof *prepared->cuts;
    return sizeof(struct column) + sizeof *prepared->bins + NAME_BYTES + of_cuts + scaling_bytes(prepared);
}

static size_t prepared_bytes(const mxb_prepared *prepared) {
    size_t n = prepared->n_rows;
    size_t d = prepared->n_features;
    size_t of_row = sizeof(uint32_t) + 3 * sizeof(double); /* its number, label, weight and key */
    size_t codes = prepared->settings.exact ? d * (sizeof *prepared->codes + sizeof *prepared->order)
                                            : d + mxb__n_blocks(d, MXB__PANEL) * MXB__PANEL;
    return mxb__block_bytes(n * codes) + mxb__block_bytes(n * of_row) + d * feature_bytes(prepared) + FEW_BYTES;
}

static size_t preparing_bytes(const mxb_prepared *prepared, const mxb_params *params) {
    size_t n_threads = mxb__param_threads(params, OPTION_N_THREADS);
    size_t n_at_once = n_threads < prepared->n_features ? n_threads : prepared->n_features;
    return prepared_bytes(prepared) + mxb__block_bytes(n_at_once * prepared->n_rows * SORT_BYTES);
}

/* ---- rounds ---- */

static int has_fourier(const struct training *training) {
    return mxb__schedule_probability(&training->params, &mxb__fourier_learner) > 0.0;
}

static size_t term_bytes(const struct training *training, const struct learner_ops *learner, const struct draw *draw) {
    size_t n = training->prepared->n_rows;
    size_t n_full = (size_t)1 << draw->max_depth;
    size_t few = 2 * sizeof(struct term) + 64; /* terms have room for as many again */
    if (learner == &mxb__fourier_learner) {
        return few + mxb__param_count(&training->params, OPTION_N_COMPONENTS) * sizeof(double);
    }
    if (learner != &mxb__tree_learner) {
        return few; /* what it keeps is the caller's */
    }
    return few + (draw->is_symmetric ? n_full * sizeof(double) + draw->max_depth * sizeof(struct symmetric_level)
                                     : 2 * (n_full < n ? n_full : n) * sizeof(struct tree_node));
}

/* Of one member. Where rounds are many, the first of them speak for the others. */
static size_t rounds_bytes(const struct training *training, size_t n_rounds) {
    const mxb_params *params = &training->params;
    size_t c = mxb__param_count(params, OPTION_N_COMPONENTS);
    size_t of_projection = (training->prepared->n_features + 2) * c * sizeof(float) + 256;
    size_t n_bytes = has_fourier(training) ? mxb__param_count(params, OPTION_N_PROJECTIONS) * of_projection : 0;
    size_t n_drawn = n_rounds < MOST_DRAWN ? n_rounds : MOST_DRAWN;
    size_t of_terms = 0;
    for (size_t round = 1; round <= n_drawn; round++) {
        struct draw draw;
        const struct learner_ops *learner =
            mxb__schedule_draw(params, mxb__schedule_seed(params, 0), (uint32_t)round, &draw);
        of_terms += term_bytes(training, learner, &draw);
    }
    return n_bytes + (size_t)((double)of_terms * (double)n_rounds / (double)(n_drawn > 0 ? n_drawn : 1));
}

/* ---- all of it ---- */

/* What a projection learns of the rows and of the rounds before it. */
static size_t sample_bytes(const struct training *training) {
    size_t n = training->prepared->n_rows < SAMPLE_ROWS ? training->prepared->n_rows : SAMPLE_ROWS;
    size_t c = mxb__param_count(&training->params, OPTION_N_COMPONENTS);
    return has_fourier(training) ? n * (training->prepared->n_features + c) * 2 * sizeof(double) + PAIRS_BYTES : 0;
}

/* What threads need to add a finished round to the scores of `n` rows: exact trees do so with validation rows, and a
 * training that goes on from a model. */
static size_t adding_bytes(const struct training *training, size_t n) {
    size_t n_rows = n < MXB__PASS_ROWS ? n : MXB__PASS_ROWS;
    size_t c = has_fourier(training) ? mxb__param_count(&training->params, OPTION_N_COMPONENTS) : 0;
    return mxb__param_threads(&training->params, OPTION_N_THREADS) * (n_rows + 1) *
           (training->prepared->n_features + c + 2) * 2 * sizeof(double);
}

/* Names and values of the options, as a model keeps them. */
static size_t option_bytes(void) { return 2 * sizeof(mxb_params) + N_OPTIONS * 2 * 64; }

static void fill(mxb_training_memory *memory, const struct training *training, size_t n_rounds) {
    const mxb_prepared *prepared = training->prepared;
    size_t n_members = mxb__param_count(&training->params, OPTION_N_MEMBERS);
    size_t n_valid = training->valid == NULL ? 0 : training->valid->n_rows;
    size_t n_most = prepared->n_rows > n_valid ? prepared->n_rows : n_valid;
    size_t of_rounds = n_members * rounds_bytes(training, n_rounds);
    size_t of_features = prepared->n_features * (NAME_BYTES + (has_fourier(training) ? scaling_bytes(prepared) : 0));
    size_t of_rows = mxb__block_bytes(n_valid * 3 * sizeof(double)) + mxb__block_bytes(n_most * sizeof(double));
    memory->prepared = prepared_bytes(prepared);
    memory->preparing = preparing_bytes(prepared, &training->params);
    memory->training = of_rows + of_rounds + n_rounds * 2 * sizeof(double) + sizeof(mxb_trainer) + option_bytes() +
                       adding_bytes(training, n_most) +
                       n_members * (mxb__member_bytes(training) + of_features + sample_bytes(training) + FEW_BYTES);
    memory->model = MODEL_COPIES * of_rounds + 2 * of_features + n_rounds * 2 * sizeof(double) + option_bytes();
}

mxb_status mxb_params_memory(const mxb_params *params, const mxb_dataset *train, const mxb_dataset *valid,
                             size_t n_rounds, mxb_training_memory *memory, mxb_error *error) {
    double some_weight = 1.0;
    if (params == NULL || train == NULL || memory == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL",
                         params == NULL  ? "params"
                         : train == NULL ? "train"
                                         : "memory");
    }
    struct training training = {.valid = valid, .params = *params};
    mxb_prepared like = {.n_rows = train->n_rows, .n_features = (uint32_t)train->n_columns};
    memset(memory, 0, sizeof *memory);
    MXB_TRY(mxb__params_check(params, error));
    like.settings = mxb__prepare_settings(params);
    like.fields.n = like.n_features; /* where none share a byte */
    like.labels.weights = train->weight.data == NULL ? NULL : &some_weight;
    if (like.settings.exact) { /* only these look at bins: each value may have one */
        MXB_TRY(mxb__alloc_zeroed(&like.bins, train->n_columns, sizeof *like.bins, "bins", error));
        for (size_t f = 0; f < train->n_columns; f++) {
            like.bins[f].n_cuts = like.n_rows == 0 ? 0 : (uint32_t)(like.n_rows - 1);
        }
    }
    training.prepared = &like;
    training.objective = mxb__objective_find(&training.params.own.loss, training.params.texts[OPTION_OBJECTIVE]);
    mxb__params_resolve(&training.params, like.n_rows);
    mxb__plan_members(&training);
    fill(memory, &training, n_rounds);
    mxb__free(like.bins);
    return MXB_OK;
}
