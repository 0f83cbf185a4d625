/* One trial: a training on a fold's rows, judged on those it holds out. */
#ifndef MXB_TUNE_TRIAL_H
#define MXB_TUNE_TRIAL_H

#include <stddef.h>

#include "base/status.h"
#include "mixboost/tune.h"

struct trial_input {
    const mxb_prepared *prepared;
    const mxb_dataset *valid;
    const mxb_params *params; /* of the configuration, with the threads it may use */
    size_t until_round;
    const mxb_model *from; /* rounds of the same training that are done; NULL: none */
    mxb_progress_fn progress;
    void *context;
};

/** Runs it. Any failure but MXB_STOPPED, which is the call's own, is in the result. `model` (may be NULL) is what was
 *  trained, NULL after a failure. */
mxb_status mxb__trial_run(const struct trial_input *input, mxb_trial_result *result, mxb_model **model,
                          mxb_error *error);

/** Puts a failure into a result. */
void mxb__trial_fail(mxb_trial_result *result, mxb_status status, const mxb_error *said);

#endif
