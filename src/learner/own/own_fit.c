/* Step 7 of the data's path for the caller's learner classes: what a round shows them, and their answer checked. All of
 * them are one class to the boosting loop; the draw says which one is meant. Knows nothing of losses. */
#include <math.h>

#include "base/random.h"
#include "data/dataset.h"
#include "learner/learner.h"

struct mxb_round {
    const struct fit_input *input;
    uint32_t number;
    int *is_cut; /* set where a target was beyond a double */
};

const mxb_dataset *mxb_round_data(const mxb_round *round) { return round->input->prepared->view; }

const double *mxb_round_gradients(const mxb_round *round) { return round->input->g; }

const double *mxb_round_hessians(const mxb_round *round) { return round->input->h; }

size_t mxb_round_number(const mxb_round *round) { return round->number; }

uint64_t mxb_round_seed(const mxb_round *round) {
    return mxb__random_bits(mxb__random_stream(round->input->options->seed, RANDOM_OWN_LEARNER, round->number), 0);
}

void mxb_round_targets(const mxb_round *round, double *targets, double *weights) {
    const struct fit_input *input = round->input;
    for (size_t i = 0; i < input->prepared->n_rows; i++) {
        double target = -input->g[i] / input->h[i];
        int usable = input->h[i] > 0.0 && isfinite(target);
        *round->is_cut |= input->h[i] > 0.0 && !usable;
        targets[i] = usable ? target : 0.0;
        weights[i] = usable ? input->h[i] : 0.0;
    }
}

/* The workspace holds the term's values on the training rows, until they are added to the scores, and room for those on
 * the rows that are only scored. */
struct own_values {
    double *train;
    double *valid;
};

static size_t carve(struct own_values *values, const struct fit_input *input, void *base) {
    struct workspace workspace = {base, 0};
    size_t n_valid = input->valid == NULL ? 0 : input->valid->n_rows;
    values->train = mxb__carve(&workspace, input->prepared->n_rows, sizeof *values->train);
    values->valid = mxb__carve(&workspace, n_valid, sizeof *values->valid);
    return workspace.used;
}

static size_t workspace_bytes(const struct fit_input *input) {
    struct own_values values;
    return carve(&values, input, NULL);
}

static mxb_status fit_values(const struct fit_input *input, const mxb_learner *learner, struct term *term,
                             double *values, mxb_error *error) {
    int is_cut = 0;
    struct own_term *own = &term->own;
    mxb_round round = {input, own->box->round, &is_cut};
    mxb_error said = {""};
    mxb__own_term_blank_values(values, input->prepared->n_rows);
    mxb_status status = learner->fit(learner->context, &round, &own->box->term, values, &said);
    own->box->has_term = status == MXB_OK;
    MXB_TRY(mxb__own_term_result(own, status, &said, "in", error));
    MXB_TRY(mxb__own_term_check_values(own, input->prepared->view, values, "the training data", error));
    for (size_t i = 0; i < input->prepared->n_rows; i++) {
        values[i] *= own->rate;
    }
    term->repaired = (uint8_t)is_cut;
    return MXB_OK;
}

static mxb_status fit(const struct fit_input *input, const struct draw *draw, void *workspace, struct term *term,
                      mxb_error *error) {
    *term = (struct term){.kind = TERM_OWN, .n_outputs = 1};
    MXB_TRY(mxb__own_term_create(&term->own, draw->own, draw->round, input->options->learning_rate, error));
    struct own_values values;
    carve(&values, input, workspace);
    mxb_status status = fit_values(input, draw->own, term, values.train, error);
    if (status != MXB_OK) {
        mxb__term_clear(term);
    }
    return status;
}

static void add(const struct fit_input *input, void *workspace, double *scores) {
    struct own_values values;
    carve(&values, input, workspace);
    for (size_t i = 0; i < input->prepared->n_rows; i++) {
        scores[i] += values.train[i];
    }
}

static mxb_status add_valid(const struct fit_input *input, const struct term *term, void *workspace, double *scores,
                            mxb_error *error) {
    struct own_values values;
    carve(&values, input, workspace);
    return mxb__own_term_add_values(&term->own, input->valid, values.valid, scores, error);
}

const struct learner_ops mxb__own_learner = {"own", workspace_bytes, fit, add, add_valid};
