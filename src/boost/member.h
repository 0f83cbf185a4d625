/* A member of a training: one ensemble, of a seed of its own, with all that a round changes. Members never meet but in
 * the mean of their scores, so each may be trained on a thread of its own. */
#ifndef MXB_BOOST_MEMBER_H
#define MXB_BOOST_MEMBER_H

#include "boost/params.h"
#include "learner/learner.h"
#include "loss/objective.h"

enum { N_LEARNERS = 3 };

extern const struct learner_ops *const mxb__learners[N_LEARNERS];

/* What all members of a training look at and none changes. */
struct training {
    const mxb_prepared *prepared;
    const mxb_dataset *valid; /* NULL: none */
    mxb_params params;
    struct objective objective;
    const struct training_kernels *kernels;
    uint32_t n_at_once; /* members that are trained at the same time; they share the threads */
    uint32_t n_ahead;   /* rounds that a member may go on before it waits for the others; 1 where it is alone */
};

/* Pools of one call, for a member at a time; equal thread counts share one. */
struct pools {
    struct pool *all;
    struct pool *tree;
    struct pool *ridge;
    struct pool *kernel;
};

struct member {
    struct learner_options options;
    char *workspaces[N_LEARNERS]; /* NULL for a class that is never drawn */
    mxb_model *model;             /* its rounds so far and what these share; nothing describes it */
    double *scores;               /* [n_rows] of the training rows */
    double *g;                    /* [n_rows] at these scores */
    double *h;                    /* NULL: g implies them */
    double *valid_scores;
    double *scratch; /* of the loss */
    struct measurement measured;
    uint32_t n_measured; /* after so many rounds; one more is added where a caller's loss stopped the training */
    double *kept;        /* [n_ahead][n_rows + valid rows] scores after the last rounds; NULL: n_ahead is 1 */

    mxb_status status; /* what its last round came to */
    mxb_error error;
};

/** A thread option's share of a member. */
uint32_t mxb__member_threads(const struct training *training, enum option option);

/** Makes member `which`, from 0, with the rounds of `from` (NULL: none) that are its own, all scores `base_score`, and
 *  inputs of projections as `scaling` has them (NULL: no round needs any). Whatever this comes to, it can be cleared.
 */
mxb_status mxb__member_init(struct member *member, const struct training *training, uint32_t which,
                            const mxb_model *from, const struct scaling *scaling, double base_score, mxb_error *error);
void mxb__member_clear(struct member *member);

/** The bytes that making one takes, without its model. Of what is prepared only sizes and settings are looked at. */
size_t mxb__member_bytes(const struct training *training);

/** The rows of `labels` with these scores, for a loss. */
struct loss_rows mxb__member_rows(const struct labels *labels, const double *scores);

/** Takes stock after `round` rounds: the gradients at the present scores. */
mxb_status mxb__member_measure(struct member *member, const struct training *training, uint32_t round,
                               struct pool *pool, mxb_error *error);

/** Whether they are numbers; no round can follow where they are not. */
int mxb__member_is_finite(const struct member *member);

/** The scores of the training or validation rows after `round` rounds, one of the last n_ahead. */
const double *mxb__member_scores(const struct member *member, const struct training *training, uint32_t round,
                                 int is_valid);

/** What a learner is told of the present scores; the pools are left out. */
struct fit_input mxb__member_fit_input(const struct member *member, const struct training *training);

/** Trains until so many rounds are measured, or one after which the gradients are not finite. */
mxb_status mxb__member_run(struct member *member, const struct training *training, uint32_t until_round,
                           const struct pools *pools, mxb_error *error);

/** Adds a round that the model has already to the scores. */
mxb_status mxb__member_add_old_round(struct member *member, const struct training *training, uint32_t round,
                                     struct pool *pool, mxb_error *error);

#endif
