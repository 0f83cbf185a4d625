/* A training between its rounds: what the two halves of the trainer share. trainer_setup.c makes it, trainer.c runs it.
 */
#ifndef MXB_BOOST_TRAINER_H
#define MXB_BOOST_TRAINER_H

#include "boost/early_stop.h"
#include "boost/member.h"
#include "data/dataset.h"

struct mxb_trainer {
    struct training training;
    mxb_dataset *valid_view; /* owned: the validation rows with their texts as the training has them; NULL: no texts */
    struct labels valid_labels;

    uint32_t n_members;
    struct member *members; /* [n_members] */
    double *means;          /* the members' scores of the training or validation rows; NULL: there is one member */
    mxb_model *model;       /* the model to be, without its rounds; the curve has as many as are done */

    struct early_stop stop;
    int is_done;
    int has_failed;
};

/** What preparing data for these options depends on. */
struct prepare_settings mxb__prepare_settings(const mxb_params *params);

/** Decides which members are trained at once, and how far each goes ahead. */
void mxb__plan_members(struct training *training);

/** Takes stock after `round` rounds, when all members have: losses for the curve, whether to stop. */
mxb_status mxb__trainer_judge(mxb_trainer *trainer, uint32_t round, struct pool *pool, mxb_error *error);

#endif
