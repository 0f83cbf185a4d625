/* A training between its rounds: what the two halves of the trainer share. trainer_setup.c makes it, trainer.c runs it.
 */
#ifndef MXB_BOOST_TRAINER_H
#define MXB_BOOST_TRAINER_H

#include "boost/early_stop.h"
#include "boost/params.h"
#include "data/dataset.h"
#include "data/prepared.h"
#include "learner/learner.h"
#include "loss/objective.h"
#include "model/model.h"

enum { N_LEARNERS = 3 };

extern const struct learner_ops *const mxb__learners[N_LEARNERS];

struct mxb_trainer {
    const mxb_prepared *prepared;
    const mxb_dataset *valid; /* NULL: none */
    mxb_dataset *valid_view;  /* owned: `valid` with its texts as the training has them; NULL: it has none */
    mxb_params params;
    struct objective objective;
    const struct kernels *kernels;
    struct learner_options options;
    char *workspaces[N_LEARNERS]; /* NULL for a class that is never drawn */

    mxb_model *model; /* all rounds so far */
    double *scores;   /* [n_rows] of the training rows */
    double *g;        /* [n_rows] at these scores */
    double *h;        /* NULL: g implies them */
    struct gradient_range range;
    struct labels valid_labels;
    double *valid_scores;
    double *scratch; /* of the loss */

    struct early_stop stop;
    int is_unjudged; /* the last round is in the scores but not in the curve: a caller's loss stopped the training */
    int is_done;
    int has_failed;
};

/** What a learner is told of the present scores; the pools are left out. */
struct fit_input mxb__trainer_fit_input(const mxb_trainer *trainer);

/** Takes stock after `round` rounds: gradients at the present scores, losses for the curve, whether to stop. */
mxb_status mxb__trainer_evaluate(mxb_trainer *trainer, uint32_t round, struct pool *pool, mxb_error *error);

#endif
