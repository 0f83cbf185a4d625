/* Step 10 of the data's path: from scores to what a caller asked for. */
#ifndef MXB_MODEL_LINK_H
#define MXB_MODEL_LINK_H

#include "model/model.h"

/** PARAM unless the model can give this output. */
mxb_status mxb__link_check(const mxb_model *model, enum mxb_output output, mxb_error *error);

/** Whether scores go through a caller's function, which runs on the calling thread only, for all rows at once. */
int mxb__link_is_own(const mxb_model *model, enum mxb_output output);

/** Turns n scores into the output, in place, by the library's own links. */
void mxb__link_apply(const mxb_model *model, enum mxb_output output, size_t n, double *scores);

/** The same by the caller's function; DATA where it gives a number that is not finite. The n scores are those of
 *  the rows of `dataset`, or where it is NULL of rows without one. */
mxb_status mxb__link_apply_own(const mxb_model *model, const struct mxb_dataset *dataset, size_t n, double *scores,
                               mxb_error *error);

#endif
