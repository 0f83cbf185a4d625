/* Step 10 of the data's path, round by round: predictions of the first round, of the first two, and so on. */
#ifndef MXB_MODEL_STAGES_H
#define MXB_MODEL_STAGES_H

#include "model/model.h"

/** As mxb_stages_create. Random features of all rows are kept between rounds where they take at most `cache_bytes`, and
 *  computed again where not. */
mxb_status mxb__stages_create(const mxb_model *model, const mxb_dataset *dataset, int n_threads, size_t cache_bytes,
                              mxb_stages **stages, mxb_error *error);

#endif
