/* Nested cross-validation: what tuning will give. Each part of the rows is left out once; the others are tuned on, with
 * folds of their own, and the model of the winner is measured on the part left out. */
#ifndef CLI_NESTED_H
#define CLI_NESTED_H

#include <stdint.h>

#include "mixboost/tune.h"
#include "progress.h"
#include "tuning.h"

struct nested {
    const struct tuning *tuning; /* how each search is done */
    const mxb_dataset *dataset;
    size_t n_folds;
    size_t n_repeats;
    int stratified;
    uint64_t seed; /* of the dealing */
};

/** Says what is known to speak against the journals: one for each fold, "FILE.1" and so on. Returns EXIT_DONE, or an
 *  exit code after the sentence. */
int nested_check_journals(const struct nested *nested);

/** Tunes and measures every fold of every repeat: its loss, and the options that were found, to be freed each.
 *  `progress` counts folds. Returns EXIT_DONE, also after an interrupt, or an exit code after the sentence. */
int nested_validate(const struct nested *nested, struct progress *progress, double *losses, mxb_params **found);

#endif
