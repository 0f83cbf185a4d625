/* Step 3 of the data's path, for text: which number each text of a column counts as. A training finds the numbers, and
 * whoever has them (the model) codes other datasets by them. */
#ifndef MXB_DATA_TEXT_CODING_H
#define MXB_DATA_TEXT_CODING_H

#include "data/dataset.h"
#include "data/dictionary.h"

/** Makes a dictionary of each text column from the texts that the rows of `view` have, and codes `view` by them.
 *  *dictionaries has one entry a column, or is NULL where no column holds text. */
mxb_status mxb__texts_learn(mxb_dataset *view, struct dictionary **dictionaries, mxb_error *error);

/** DATA where a text column of `dataset` meets a numeric feature or the other way round. `owner` says whose the
 * features are, which have been found to be as many; `dictionaries` NULL: all are numeric. */
mxb_status mxb__texts_check(const mxb_dataset *dataset, const struct dictionary *dictionaries, const char *owner,
                            mxb_error *error);

/** The same check, and the dataset coded by the dictionaries: *view has the same rows, with a text that its dictionary
 *  does not have missing. *view is NULL where there is nothing to code. */
mxb_status mxb__texts_apply(const mxb_dataset *dataset, const struct dictionary *dictionaries, const char *owner,
                            mxb_dataset **view, mxb_error *error);

#endif
