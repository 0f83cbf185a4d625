/* Steps 4 and 5 of the data's path as the boosting loop sees them: the loss of a training, one of the table or a
 * caller's. What a caller's functions give is checked here. */
#ifndef MXB_LOSS_OBJECTIVE_H
#define MXB_LOSS_OBJECTIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/callbacks.h"
#include "loss/loss.h"

struct objective {
    const struct loss *loss; /* of the table; NULL: the caller's */
    const struct training_kernels *kernels;
    const mxb_loss *own; /* NULL: of the table */
};

/* Where rows come from, for messages. */
struct loss_place {
    const char *owner;          /* "the training data" */
    const uint32_t *array_rows; /* row i is row array_rows[i] of the caller's arrays, from 0; NULL: row i */
    uint32_t round;             /* rounds that the scores are made of */
};

/** The caller's loss if it has a name, else that of the table. */
struct objective mxb__objective_find(const mxb_loss *own, const char *name);

static inline int mxb__objective_two_classes(const struct objective *objective) {
    return objective->own == NULL && objective->loss->two_classes;
}

/** What the hessians of rows without weights are. */
static inline enum hessian mxb__objective_hessian(const struct objective *objective) {
    return objective->own == NULL ? objective->loss->hessian : HESSIAN_STORED;
}

/** Whether hessians are the same in every round, with or without weights. */
static inline int mxb__objective_constant_hessian(const struct objective *objective) {
    return mxb__objective_hessian(objective) == HESSIAN_ONE;
}

/** Doubles of scratch that the calls below need for n rows. */
size_t mxb__objective_scratch(const struct objective *objective, size_t n_rows);

/** The constant score to start from; the rows' scores are not looked at. Always finite. */
mxb_status mxb__objective_start(const struct objective *objective, const struct loss_rows *rows, double *start,
                                mxb_error *error);

/** The derivatives of every row, if wanted, their range and the metric. Of a caller's loss the metric is finite, and
 *  derivatives are finite and the second not negative before weights multiply them. */
mxb_status mxb__objective_measure(const struct objective *objective, const struct loss_rows *rows,
                                  const struct loss_place *place, struct pool *pool, double *scratch,
                                  struct measurement *measured, mxb_error *error);

#endif
