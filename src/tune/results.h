/* What is known of every trial, stage by stage, and who goes on. Decisions rest on stage and numbers alone, never on
 * the order in which results arrive. */
#ifndef MXB_TUNE_RESULTS_H
#define MXB_TUNE_RESULTS_H

#include <stddef.h>

#include "base/status.h"
#include "mixboost/tune.h"
#include "tune/plan.h"

enum trial_state { TRIAL_WAITS, TRIAL_IS_OUT, TRIAL_IS_DONE };

struct trial_slot {
    enum trial_state state;
    mxb_trial_result result; /* once done */
};

struct stage_results {
    size_t n_configs;
    size_t *configs;          /* ascending; NULL: not reached */
    size_t *order;            /* the same as they are handed out, the best of the stage before first */
    struct trial_slot *slots; /* [config's place][fold] */
    size_t n_done;
    size_t next; /* trials before it, in that order, do not wait */
};

struct results {
    size_t n_stages;
    size_t n_folds;
    size_t n_all;                 /* configurations */
    int keeps_first;              /* the first goes on in any case, where there is room for another */
    size_t stage;                 /* being run; n_stages when all is done */
    struct stage_results *stages; /* [n_stages] */
};

/** All configurations in the first stage. Cleared by the caller also after a failure. */
mxb_status mxb__results_init(struct results *results, const struct plan *plan, size_t n_folds, mxb_error *error);
void mxb__results_clear(struct results *results);

/** The slot of a trial, or NULL where there is none, or not yet. */
struct trial_slot *mxb__results_find(const struct results *results, const mxb_trial *trial);

/** The first trial of the stage being run that waits: 1, and it is out now, or 0. */
int mxb__results_take(struct results *results, mxb_trial *trial);

/** A trial that is out waits again. */
void mxb__results_put_back(struct results *results, const mxb_trial *trial);

/** All that are out wait again. */
void mxb__results_put_all_back(struct results *results);

/** Whether results can be added: PARAM where there is no such trial or it is done. */
mxb_status mxb__results_check(const struct results *results, const mxb_trial *trial, const mxb_trial_result *result,
                              mxb_error *error);

/** Adds a result that was checked. */
void mxb__results_add(struct results *results, const mxb_trial *trial, const mxb_trial_result *result);

/** Once all trials of the stage are done, goes on to the next; the first failure is the error if all failed. Does
 * nothing while some are not done. */
mxb_status mxb__results_advance(struct results *results, mxb_error *error);

/** The mean loss over the folds; NaN if not all are done, infinite if one failed. */
double mxb__results_loss(const struct results *results, size_t stage, size_t config);

/** All configurations, best first: by the last stage in which they are done on all folds, by loss, by number. */
mxb_status mxb__results_rank(const struct results *results, size_t *configs, mxb_error *error);

/** The first of that ranking whose last loss is no failure's, or SIZE_MAX. */
size_t mxb__results_best(const struct results *results, size_t *stage);

#endif
