/* mixboost: tuning. Successive halving over random configurations: many are trained with little, the better ones go on
 * with more, until the last are trained with everything (docs/tuning.md).
 *
 *     mxb_space *space;  mxb_tuner *tuner;  mxb_model *model;  mxb_error error;
 *     mxb_space_create(mxb_space_built_in("default"), &space, &error);
 *     mxb_tuner_create(train, NULL, space, NULL, &tuner, &error);
 *     mxb_tuner_set(tuner, "n_configs", "64", &error);
 *     mxb_tune(tuner, NULL, NULL, &model, &error);
 *
 * Same data, space, options and settings give the same losses, ranking and model, to the last bit, on any number of
 * threads, and after any interruption where a journal is kept. The rules of mixboost/mixboost.h hold here too. */
#ifndef MIXBOOST_TUNE_H
#define MIXBOOST_TUNE_H

#include "mixboost/mixboost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Spaces: what configurations are drawn from ------------------------------------------------------------------ */

/** Options and the ranges that their values are drawn from. */
typedef struct mxb_space mxb_space;

/** The text of a built-in space, "default", "paper" or "paper-node"; NULL for any other name. */
MXB_API const char *mxb_space_built_in(const char *name);

/** Reads a space: a line for each option, `OPTION LOWEST HIGHEST SCALE` with the scale linear, log10 or integer,
 *  `OPTION VALUE VALUE ... choice`, or `OPTION VALUE` for one that is always the same; `#` begins a comment. With
 *  a line `defaults` configuration 0 is not drawn: it has what is always the same, and else what it is drawn over, and
 *  goes on to the last stage unless that has one alone. */
MXB_API MXB_NODISCARD mxb_status mxb_space_create(const char *text, mxb_space **space, mxb_error *error);

/** From now on the option, of the space or not, always has this value. */
MXB_API MXB_NODISCARD mxb_status mxb_space_fix(mxb_space *space, const char *option, const char *value,
                                               mxb_error *error);

/** How many options the space has, and the name of one, or NULL. */
MXB_API size_t mxb_space_n_options(const mxb_space *space);
MXB_API const char *mxb_space_option(const mxb_space *space, size_t index);
/** "linear", "log10", "integer", "choice" or "fixed"; NULL where there is no such option. */
MXB_API const char *mxb_space_scale(const mxb_space *space, size_t index);

/** Sets the options of configuration number `config`, a function of these arguments alone. Numbers have six digits.
 *  If `min_max_depth` would be larger than `max_max_depth` they change places, or the one that is drawn becomes the
 * other. */
MXB_API MXB_NODISCARD mxb_status mxb_space_draw(const mxb_space *space, uint64_t seed, size_t config,
                                                mxb_params *params, mxb_error *error);

MXB_API void mxb_space_free(mxb_space *space);

/* ---- What tuning needs of data and options ----------------------------------------------------------------------- */

/** One fold of mxb_cross_validate's: the rows that it trains on and those that it measures on. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_fold(const mxb_dataset *dataset, size_t n_folds, int stratify,
                                                  uint64_t seed, size_t repeat, size_t fold, mxb_dataset **train,
                                                  mxb_dataset **held_out, mxb_error *error);

/** A number that tells datasets apart: by names, values, texts, labels and weights, whatever arrays they lie in. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_digest(const mxb_dataset *dataset, uint64_t *digest, mxb_error *error);

/** Whether an option shapes the model, which keeps its value; thread counts do not. 0 where there is no such index. */
MXB_API int mxb_option_is_kept(size_t index);

/** A copy, to be freed with mxb_params_free. */
MXB_API MXB_NODISCARD mxb_status mxb_params_copy(const mxb_params *params, mxb_params **copy, mxb_error *error);

/** MXB_ERROR_PARAM for options that contradict each other, which every training would refuse. */
MXB_API MXB_NODISCARD mxb_status mxb_params_check(const mxb_params *params, mxb_error *error);

/** The rounds of a training at the most: `num_round`, or what auto stands for. */
MXB_API size_t mxb_params_max_rounds(const mxb_params *params);

/** A number that tells losses and learners of one's own apart, by their names and probabilities; 0: there are none. */
MXB_API uint64_t mxb_params_own_digest(const mxb_params *params);

/** Whether a training could begin: labels, weights and features of `train`, and whether `valid` (may be NULL) goes with
 *  it. Options that contradict each other are not looked at. */
MXB_API MXB_NODISCARD mxb_status mxb_training_check(const mxb_dataset *train, const mxb_dataset *valid,
                                                    const mxb_params *params, mxb_error *error);

/** Whether rows can judge a training: with objective logloss some of them must have each label that `train` has. How
 * many have the label that fewer of them have is put into *n_rarer, unless it is NULL; SIZE_MAX with other objectives.
 */
MXB_API MXB_NODISCARD mxb_status mxb_judging_check(const mxb_dataset *train, const mxb_dataset *judging,
                                                   const mxb_params *params, size_t *n_rarer, mxb_error *error);

/** Bytes that a training takes at the most, beside the callers' arrays and texts. */
typedef struct mxb_training_memory {
    size_t prepared;  /* data that is prepared */
    size_t preparing; /* the same while it is */
    size_t training;  /* a training on it, with the rounds that it has */
    size_t model;     /* a finished model, and while it is made */
} mxb_training_memory;

/** An estimate for `n_rounds` rounds of the largest trees that the options allow; `valid` may be NULL. Of the datasets
 *  only the sizes are looked at. MXB_ERROR_PARAM for options that contradict each other. */
MXB_API MXB_NODISCARD mxb_status mxb_params_memory(const mxb_params *params, const mxb_dataset *train,
                                                   const mxb_dataset *valid, size_t n_rounds,
                                                   mxb_training_memory *memory, mxb_error *error);

/** Prepares some of the rows that `whole` was made of with the bins, scaling and texts of `whole`, which it may
 *  outlive; `part` must outlive it. Exact trees, which have no bins, are prepared anew. Of the options only thread
 *  counts are used. */
MXB_API MXB_NODISCARD mxb_status mxb_prepared_create_part(const mxb_prepared *whole, const mxb_dataset *part,
                                                          const mxb_params *params, mxb_prepared **prepared,
                                                          mxb_error *error);

/* ---- The tuner --------------------------------------------------------------------------------------------------- */

/** One search for a configuration. */
typedef struct mxb_tuner mxb_tuner;

/** Begins a search. Configurations are judged on `valid`, or, where that is NULL, on folds or a fraction of `train` as
 *  the settings say. `space` NULL: the default one; `params` (may be NULL) has the options that the space does not
 *  have, and a loss or learners of one's own. Both are copied, the datasets must outlive the tuner. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_create(const mxb_dataset *train, const mxb_dataset *valid,
                                                  const mxb_space *space, const mxb_params *params, mxb_tuner **tuner,
                                                  mxb_error *error);
MXB_API void mxb_tuner_free(mxb_tuner *tuner);

/** Changes a setting from text, before the search starts; and its value, or NULL for an unknown name. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_set(mxb_tuner *tuner, const char *name, const char *value, mxb_error *error);
MXB_API const char *mxb_tuner_get(const mxb_tuner *tuner, const char *name);

/** The table of settings, `index` from 0 to mxb_setting_count() - 1; beyond that the texts are NULL. */
MXB_API size_t mxb_setting_count(void);
MXB_API const char *mxb_setting_name(size_t index);
MXB_API const char *mxb_setting_default(size_t index);
/** What is allowed, in words. */
MXB_API const char *mxb_setting_range(size_t index);
MXB_API const char *mxb_setting_help(size_t index);

/** Adds a fold of rows of `train`, numbered from 0, instead of those that the settings would make; before the start. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_add_fold(mxb_tuner *tuner, const size_t *train_rows, size_t n_train,
                                                    const size_t *valid_rows, size_t n_valid, mxb_error *error);

/** Keeps every result in a file, before it counts. A file that is there already is gone on from with `resume` not 0,
 *  else refused; so is one of other data or settings, and one that another run has open. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_set_journal(mxb_tuner *tuner, const char *path, int resume,
                                                       mxb_error *error);

/** Whether the settings go together, and the options of any configuration, before any row is looked at. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_check(const mxb_tuner *tuner, mxb_error *error);

/** Checks everything, makes the folds and reads the journal. mxb_tuner_run does it where it has not been done. After a
 *  failure the tuner may only be freed. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_start(mxb_tuner *tuner, mxb_error *error);

/** What the start has to say that is no error (rows of the caller's that judge lack a class, a damaged end of the
 * journal was cut off), or NULL. */
MXB_API const char *mxb_tuner_warning(const mxb_tuner *tuner);

/** Called on the calling thread after its own trials, after rounds of these, or while it waits for others, several
 * times a second where rounds are not longer; `seconds` since the call began. It may make calls that take the tuner as
 * const. Returns 0 to stop, anything else to go on. */
typedef int (*mxb_tune_progress_fn)(void *context, const mxb_tuner *tuner, double seconds);

/** Runs all trials that are left, those that were handed out and not told of among them, or until `time_limit`.
 * MXB_STOPPED after `progress` said so: trials that were not finished are lost, no others, and the tuner may go on. A
 * trial that fails is the last of its stage; the search fails, with the reason of the first, if all of a stage do. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_run(mxb_tuner *tuner, mxb_tune_progress_fn progress, void *context,
                                               mxb_error *error);

/** Trains the best configuration so far on all training rows; where it was judged on a `valid` of the caller's, that
 * one stops the training. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_refit(const mxb_tuner *tuner, mxb_progress_fn progress, void *context,
                                                 mxb_model **model, mxb_error *error);

/** mxb_tuner_run and mxb_tuner_refit; the latter also after a stop, if there is a configuration to take. */
MXB_API MXB_NODISCARD mxb_status mxb_tune(mxb_tuner *tuner, mxb_tune_progress_fn progress, void *context,
                                          mxb_model **model, mxb_error *error);

/* ---- Trials one by one, for who runs them elsewhere -------------------------------------------------------------- */

/** A configuration on a fold, in a stage; all counted from 0. */
typedef struct mxb_trial {
    size_t stage;
    size_t config;
    size_t fold;
} mxb_trial;

/** What became of a trial. */
typedef struct mxb_trial_result {
    mxb_status status; /**< MXB_OK, or why it failed */
    double loss;       /**< on the fold's held-out rows, after the best round where it was stopped early */
    size_t n_rounds;   /**< that the loss is of */
    double seconds;
    char message[128]; /**< where it failed: the sentence, cut */
} mxb_trial_result;

/** Hands out a trial that waits, the better configurations of the stage before first: 1, or 0 if none does until others
 * are told, or at all. */
MXB_API int mxb_tuner_next(mxb_tuner *tuner, mxb_trial *trial);
/** Takes it back, so that it is handed out again. */
MXB_API void mxb_tuner_take_back(mxb_tuner *tuner, const mxb_trial *trial);

/** Trains and measures, in this process, on `n_threads` (0: all processors). Several threads may do so at once, also
 * with a tuner that was never told of the stages before. `model` (may be NULL) takes what was trained. A failure of the
 * trial is in the result; only wrong arguments and MXB_STOPPED, after `progress` (may be NULL), are this call's. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_evaluate(mxb_tuner *tuner, const mxb_trial *trial, int n_threads,
                                                    mxb_progress_fn progress, void *context, mxb_trial_result *result,
                                                    mxb_model **model, mxb_error *error);

/** Tells the result, of mxb_tuner_evaluate or anything else to be made small; the journal has it when this returns. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_tell(mxb_tuner *tuner, const mxb_trial *trial,
                                                const mxb_trial_result *result, mxb_error *error);

/* ---- What is known, after the start ------------------------------------------------------------------------------ */

/** Stages of the search, and the one that runs: mxb_tuner_n_stages when all is done. */
MXB_API size_t mxb_tuner_n_stages(const mxb_tuner *tuner);
MXB_API size_t mxb_tuner_stage(const mxb_tuner *tuner);
/** Configurations of a stage, the fraction of rows or rounds that they get, and how they share the processors. */
MXB_API size_t mxb_tuner_stage_size(const mxb_tuner *tuner, size_t stage);
MXB_API double mxb_tuner_stage_resource(const mxb_tuner *tuner, size_t stage);
MXB_API size_t mxb_tuner_stage_workers(const mxb_tuner *tuner, size_t stage);
MXB_API size_t mxb_tuner_stage_threads(const mxb_tuner *tuner, size_t stage);
/** Folds a configuration is judged on. */
MXB_API size_t mxb_tuner_n_folds(const mxb_tuner *tuner);
/** Trials of a stage that are done. */
MXB_API size_t mxb_tuner_n_done(const mxb_tuner *tuner, size_t stage);
/** Bytes that the tuner takes at the most beside the callers' arrays: an estimate from the data and the stages. */
MXB_API size_t mxb_tuner_memory(const mxb_tuner *tuner);

/** The configuration at a place of a stage, in ascending order; SIZE_MAX where the stage is not reached. */
MXB_API size_t mxb_tuner_stage_config(const mxb_tuner *tuner, size_t stage, size_t place);
/** The mean loss of a configuration over the folds; NaN if not all are done, infinite if one failed. */
MXB_API double mxb_tuner_loss(const mxb_tuner *tuner, size_t stage, size_t config);
/** What became of a trial: 1, or 0 if it is not done. */
MXB_API int mxb_tuner_result(const mxb_tuner *tuner, const mxb_trial *trial, mxb_trial_result *result);

/** The best configuration so far, of those in the latest stage that has one done on all folds; SIZE_MAX: none. */
MXB_API size_t mxb_tuner_best(const mxb_tuner *tuner);
/** All configurations, best first: by the stage they came to, then by loss, then by number. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_ranking(const mxb_tuner *tuner, size_t *configs, mxb_error *error);

/** The options of a configuration, for a training on all rows: where its trials were stopped early, `num_round` is the
 *  mean of their rounds, more for more rows; where it is auto and the rows that judge have few of a class, it stays so
 *  (docs/tuning.md). To be freed with mxb_params_free. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_params(const mxb_tuner *tuner, size_t config, mxb_params **params,
                                                  mxb_error *error);

/** What share of the differences between configurations each option of the space explains, by itself, 0 to 1 each, into
 *  mxb_space_n_options values; NaN where there are too few to tell: docs/tuning.md. */
MXB_API MXB_NODISCARD mxb_status mxb_tuner_importance(const mxb_tuner *tuner, double *importances, mxb_error *error);
/** The tuner's space. */
MXB_API const mxb_space *mxb_tuner_space(const mxb_tuner *tuner);

#ifdef __cplusplus
}
#endif

#endif
