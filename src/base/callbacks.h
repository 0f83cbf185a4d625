/* What a caller brings of his own: a loss, learner classes. Values of plain functions, copied wherever they are kept.
 */
#ifndef MXB_BASE_CALLBACKS_H
#define MXB_BASE_CALLBACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { MXB__OWN_NAME_SIZE = 64 /* the NUL included */, MXB__MAX_OWN_LEARNERS = 64 };

struct mxb_loss {
    char name[MXB__OWN_NAME_SIZE];
    char metric_name[MXB__OWN_NAME_SIZE];
    mxb_loss_value_fn value; /* NULL: only the names are known */
    mxb_loss_derivatives_fn derivatives;
    mxb_loss_start_fn start;   /* NULL: 0 */
    mxb_loss_metric_fn metric; /* NULL: the mean of the values */
    mxb_loss_link_fn link;     /* NULL: none */
    void *context;
};

struct mxb_learner {
    char name[MXB__OWN_NAME_SIZE];
    mxb_learner_fit_fn fit;
    mxb_learner_predict_fn predict; /* NULL: only the name is known */
    mxb_learner_free_fn free_term;  /* NULL: nothing to free */
    mxb_learner_write_fn write;     /* NULL together with `read` */
    mxb_learner_read_fn read;
    void *context;
};

/* All that one caller brings, found by its names. */
struct own_parts {
    mxb_loss loss; /* no name: none */
    uint32_t n_learners;
    mxb_learner learners[MXB__MAX_OWN_LEARNERS];
};

/** Whether a name may be given: 1 to 63 printable ASCII characters. */
int mxb__own_name_fits(const char *name, size_t n_bytes);

/** The learner of that name, or NULL. */
const mxb_learner *mxb__own_learner_find(const struct own_parts *own, const char *name);

/** Turns what a callback came to into what the library's caller is told: "WHO failed WHERE: " and the callback's own
 *  sentence, or for MXB_STOPPED that the training was stopped. MXB_OK stays that. */
mxb_status mxb__callback_result(mxb_status status, const mxb_error *said, const char *who, const char *where,
                                mxb_error *error);

#endif
