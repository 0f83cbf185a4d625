/* mixboost: a heterogeneous Newton boosting machine. The whole public API.
 *
 * Read it in the order data takes: a dataset (your arrays, or a CSV file), options, a training, a model, predictions.
 * The small library mixboost-predict has the sections that say so, and no others.
 *
 *     mxb_dataset *data;  mxb_model *model;  mxb_error error;
 *     mxb_dataset_create(n_rows, &data, &error);
 *     mxb_dataset_add_matrix(data, x, MXB_FLOAT64, n_features, n_features * sizeof *x, sizeof *x, &error);
 *     mxb_dataset_set_label(data, y, sizeof *y, MXB_FLOAT64, &error);
 *     mxb_train(data, NULL, NULL, NULL, NULL, &model, &error);
 *     mxb_model_predict(model, data, MXB_PREDICT_VALUE, 0, out, &error);
 *
 * Every call that can fail returns an mxb_status and takes, last, an optional mxb_error that the caller owns (NULL: no
 * text wanted). The library never prints, exits or aborts, keeps no global state, and starts no thread that outlives a
 * call. Handles may be read by several threads at once; writing to one handle is for one thread at a time. What must
 * outlive a handle must do so while that is used; they may be freed in any order. */
#ifndef MIXBOOST_H
#define MIXBOOST_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MXB_API       __attribute__((visibility("default")))
#define MXB_NODISCARD __attribute__((warn_unused_result))
#else
#define MXB_API
#define MXB_NODISCARD
#endif

#define MXB_VERSION_MAJOR 0
#define MXB_VERSION_MINOR 1
#define MXB_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status (in mixboost-predict too) ---------------------------------------------------------------------------- */

/** What a call came to. The values are fixed. */
typedef enum mxb_status {
    MXB_OK = 0,
    MXB_ERROR_PARAM = 1,  /**< an option or another argument is wrong */
    MXB_ERROR_DATA = 2,   /**< the data cannot be used: labels, weights, columns, text where numbers belong */
    MXB_ERROR_IO = 3,     /**< a file cannot be read or written */
    MXB_ERROR_FORMAT = 4, /**< the bytes are not a model, a damaged one, or one of a newer version */
    MXB_ERROR_MEMORY = 5, /**< an allocation failed; nothing leaked */
    MXB_STOPPED = 6       /**< the caller's progress function, or another callback, asked to stop */
} mxb_status;

/** The sentence that goes with a status other than MXB_OK. Ends with a NUL; longer text is cut. */
typedef struct mxb_error {
    char message[1024];
} mxb_error;

/** The library's version, "0.1.0". */
MXB_API const char *mxb_version(void);

/** Writes each number as a line: the shortest decimal text that reads back as it, "0.1", "1e-300" or "nan". `text` has
 * 32 bytes a number; returns how many are taken, without a NUL. `n_threads` below 1: all processors. */
MXB_API size_t mxb_numbers_format(const double *numbers, size_t n, int n_threads, char *text);

/* ---- Dataset: a view of columns, a label and a weight (in mixboost-predict too) ---------------------------------- */

/** Rows of features, numbers or text, with a label and a weight where there are any. It points into the caller's
 * arrays, which must stay as they are for as long as the dataset, or anything made from it, is used. */
typedef struct mxb_dataset mxb_dataset;

/** How one value lies in memory. The values are fixed. */
typedef enum mxb_type {
    MXB_FLOAT32 = 1,
    MXB_FLOAT64 = 2,
    MXB_INT8 = 3,
    MXB_INT16 = 4,
    MXB_INT32 = 5,
    MXB_INT64 = 6,
    MXB_UINT8 = 7,
    MXB_UINT16 = 8,
    MXB_UINT32 = 9,
    MXB_UINT64 = 10,
    MXB_BOOL = 11 /**< one byte, 0 or not 0 */
} mxb_type;

/** Makes a dataset of `n_rows` rows (at least 1, fewer than 2^32) and no columns. On failure `*dataset` is NULL. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_create(size_t n_rows, mxb_dataset **dataset, mxb_error *error);

/** Adds a feature whose value in row i lies `i * stride` bytes after `data`. NaN means missing. `name` is copied and
 *  may be NULL; either all features of a dataset have names, each a different one, or none has. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_add_column(mxb_dataset *dataset, const char *name, const void *data,
                                                        ptrdiff_t stride, mxb_type type, mxb_error *error);

/** Adds a feature that holds text: row i has texts[code], where the code (an integer type) lies `i * stride` bytes
 * after `codes`; a code below 0 or not below `n_texts` (at most 2^24) means missing. Neither codes nor texts are
 * copied. A training numbers the texts it meets in the order of their bytes and keeps them in the model; a text that
 * the model does not know counts as missing. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_add_text_column(mxb_dataset *dataset, const char *name, const void *codes,
                                                             ptrdiff_t stride, mxb_type type, const char *const *texts,
                                                             size_t n_texts, mxb_error *error);

/** Marks missing values: bit `bit_offset + i` (least significant first) is 0 where row i is missing. Not copied. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_set_validity(mxb_dataset *dataset, size_t column, const uint8_t *bitmap,
                                                          size_t bit_offset, mxb_error *error);

/** Adds `n_columns` unnamed features; row i of column j lies `i * row_stride + j * column_stride` after `data`. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_add_matrix(mxb_dataset *dataset, const void *data, mxb_type type,
                                                        size_t n_columns, ptrdiff_t row_stride, ptrdiff_t column_stride,
                                                        mxb_error *error);

/** Sets what is to be predicted: finite numbers; for `logloss`, exactly two different ones. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_set_label(mxb_dataset *dataset, const void *data, ptrdiff_t stride,
                                                       mxb_type type, mxb_error *error);

/** The same with text, for `logloss` only: two different texts, none missing. Described as for a text column. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_set_text_label(mxb_dataset *dataset, const void *codes, ptrdiff_t stride,
                                                            mxb_type type, const char *const *texts, size_t n_texts,
                                                            mxb_error *error);

/** Sets how much each row counts: finite, not negative, not all zero. Weight k is as k copies of the row, weight 0 as
 *  if the row were absent. Without this call every row has weight 1. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_set_weight(mxb_dataset *dataset, const void *data, ptrdiff_t stride,
                                                        mxb_type type, mxb_error *error);

/** Makes a dataset of the given rows of another (numbered from 0, any order, repeats allowed). `rows` is copied;
 * columns, label and weight stay views of the same arrays. Nothing can be added to the subset. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_select(const mxb_dataset *dataset, const size_t *rows, size_t n_rows,
                                                    mxb_dataset **subset, mxb_error *error);

MXB_API size_t mxb_dataset_n_rows(const mxb_dataset *dataset);
MXB_API size_t mxb_dataset_n_features(const mxb_dataset *dataset);
/** The name of feature `column`, or NULL when the features have none or there is no such feature. */
MXB_API const char *mxb_dataset_feature_name(const mxb_dataset *dataset, size_t column);
/** 1 if feature `column` holds text, else 0. */
MXB_API int mxb_dataset_feature_is_text(const mxb_dataset *dataset, size_t column);

/** Values of a feature in `n` rows from `first` on, NaN where missing. Of text the values are numbers: its rank among
 *  all texts of the column, or, in a dataset that a learner of one's own is handed, among those the training met. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_read(const mxb_dataset *dataset, size_t column, size_t first, size_t n,
                                                  double *values, mxb_error *error);

/** Frees the view, not the arrays. NULL is fine. */
MXB_API void mxb_dataset_free(mxb_dataset *dataset);

/* ---- Table: a CSV file in memory --------------------------------------------------------------------------------- */

/** All columns of a CSV file: numbers as float64, or text. Empty cells, `NA` and `nan` are missing. Owns its memory. */
typedef struct mxb_table mxb_table;

/** Whether a CSV file's first line names the columns. AUTO: it does if a field of it is no number and not missing. */
typedef enum mxb_header { MXB_HEADER_AUTO = 0, MXB_HEADER_YES = 1, MXB_HEADER_NO = 2 } mxb_header;

/** Reads a CSV file (RFC 4180; `path` "-" is standard input). Numbers are read exactly, whatever the locale. A column
 *  with a cell that is neither a number nor missing is text, all of it, as it is written but for blanks around it. So
 *  are the `n_text` columns that `text_columns` (may be NULL) names, or numbers from 1 on, whatever they hold.
 *  `n_threads` 0: all processors. */
MXB_API MXB_NODISCARD mxb_status mxb_table_read_csv(const char *path, mxb_header header,
                                                    const char *const *text_columns, size_t n_text, int n_threads,
                                                    mxb_table **table, mxb_error *error);

MXB_API size_t mxb_table_n_rows(const mxb_table *table);
MXB_API size_t mxb_table_n_columns(const mxb_table *table);
/** The header's name of a column, or NULL when the file has no header or no such column. */
MXB_API const char *mxb_table_column_name(const mxb_table *table, size_t column);
/** 1 if a column holds text, else 0. */
MXB_API int mxb_table_column_is_text(const mxb_table *table, size_t column);
/** A cell, made printable, that is no number in a column of which others are: why it is text. NULL if it is not so. */
MXB_API const char *mxb_table_column_oddity(const mxb_table *table, size_t column);

/** Makes a dataset of a table's columns; the table must outlive it. `label` and `weight` (NULL: none) name a column or
 *  give its number, counted from 1; a column so named wins over one so numbered. `features` names the `n_features`
 *  columns to use, in order; where the table or the caller has no names (an entry is NULL), the columns other than
 *  label and weight are taken in order and must be as many. `features` NULL: all columns but label and weight. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_from_table(const mxb_table *table, const char *label, const char *weight,
                                                        const char *const *features, size_t n_features,
                                                        mxb_dataset **dataset, mxb_error *error);

MXB_API void mxb_table_free(mxb_table *table);

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/** A value for every option. */
typedef struct mxb_params mxb_params;

/** All options at their defaults. */
MXB_API MXB_NODISCARD mxb_status mxb_params_create(mxb_params **params, mxb_error *error);

/** Sets an option from text: "0.05", "true". `preset` changes those options that are set neither before nor after. */
MXB_API MXB_NODISCARD mxb_status mxb_params_set(mxb_params *params, const char *name, const char *value,
                                                mxb_error *error);

/** The value of an option as text, or NULL for an unknown name. Valid until an option is set or the params freed. */
MXB_API const char *mxb_params_get(const mxb_params *params, const char *name);

MXB_API void mxb_params_free(mxb_params *params);

/** The option table, `index` from 0 to mxb_option_count() - 1; beyond that the texts are NULL. */
MXB_API size_t mxb_option_count(void);
MXB_API const char *mxb_option_name(size_t index);
/** "integer", "number", "boolean", "number or auto", "choice" or "list or auto". */
MXB_API const char *mxb_option_type(size_t index);
MXB_API const char *mxb_option_default(size_t index);
/** What is allowed, in words: "1 to 256", "over 0", "mse | logloss". */
MXB_API const char *mxb_option_range(size_t index);
MXB_API const char *mxb_option_help(size_t index);

/* ---- Losses and learners of one's own ---------------------------------------------------------------------------- */

/* Callbacks run on the calling thread only. They return MXB_OK to go on, MXB_STOPPED to stop the training (which may go
 * on later, as after a progress function stopped it; a trainer that was still being made must be made again), anything
 * else to make it fail with that status; `error`, never NULL, takes the sentence. Numbers they give must be finite, or
 * the training fails with a sentence that names round and row. More in docs/own-losses.md and docs/own-learners.md. */

/** A loss: how wrong a score is. Handed to a training by its params. */
typedef struct mxb_loss mxb_loss;

/** The loss of each of n rows, weights left out. */
typedef mxb_status (*mxb_loss_value_fn)(void *context, size_t n, const double *labels, const double *scores,
                                        double *values, mxb_error *error);
/** First and second derivative of each row's loss by its score, weights left out; the second must be 0 or more. */
typedef mxb_status (*mxb_loss_derivatives_fn)(void *context, size_t n, const double *labels, const double *scores,
                                              double *first, double *second, mxb_error *error);
/** The constant score to start from. `weights` is NULL where all are 1. */
typedef mxb_status (*mxb_loss_start_fn)(void *context, size_t n, const double *labels, const double *weights,
                                        double *start, mxb_error *error);
/** The metric of the training curve over all rows, lower is better. `weights` is NULL where all are 1. */
typedef mxb_status (*mxb_loss_metric_fn)(void *context, size_t n, const double *labels, const double *weights,
                                         const double *scores, double *metric, mxb_error *error);
/** The prediction that a score stands for; finite. */
typedef double (*mxb_loss_link_fn)(void *context, double score);

/** Makes a loss of the two functions it cannot do without. `name` (copied; 1 to 63 printable ASCII characters, not
 *  "mse" or "logloss") is kept in models; `context` goes to every callback and must outlive whatever uses the loss. */
MXB_API MXB_NODISCARD mxb_status mxb_loss_create(const char *name, mxb_loss_value_fn value,
                                                 mxb_loss_derivatives_fn derivatives, void *context, mxb_loss **loss,
                                                 mxb_error *error);
/** Without it a training starts from 0. */
MXB_API void mxb_loss_set_start(mxb_loss *loss, mxb_loss_start_fn start);
/** Without it the metric is the weighted mean of the values, named as the loss. `name` is copied, cut to 63
 *  bytes, and what is not printable ASCII in it becomes "?". */
MXB_API void mxb_loss_set_metric(mxb_loss *loss, const char *name, mxb_loss_metric_fn metric);
/** Without it predictions are scores. */
MXB_API void mxb_loss_set_link(mxb_loss *loss, mxb_loss_link_fn link);
MXB_API void mxb_loss_free(mxb_loss *loss);

/** Trains with this loss (copied) instead of `objective`, on labels that are any finite numbers; NULL takes it back. */
MXB_API MXB_NODISCARD mxb_status mxb_params_set_loss(mxb_params *params, const mxb_loss *loss, mxb_error *error);

/** A learner class: the K subclasses of the paper are the built-in ones and these. */
typedef struct mxb_learner mxb_learner;

/** What a round offers a learner of one's own. */
typedef struct mxb_round mxb_round;

/** The training rows (those that weigh anything). */
MXB_API const mxb_dataset *mxb_round_data(const mxb_round *round);
/** First and second derivative of the loss in every row, weights multiplied in. */
MXB_API const double *mxb_round_gradients(const mxb_round *round);
MXB_API const double *mxb_round_hessians(const mxb_round *round);
/** The round, counted from 1, and a seed of its own for what the learner draws. */
MXB_API size_t mxb_round_number(const mxb_round *round);
MXB_API uint64_t mxb_round_seed(const mxb_round *round);
/** The round as a weighted least-squares problem: targets -g/h, weights h; both 0 where -g/h is not finite. */
MXB_API void mxb_round_targets(const mxb_round *round, double *targets, double *weights);

/** Fits a term: sets `*term` to whatever the other callbacks understand and writes its value in every training row,
 *  before the learning rate. On failure `*term` is not looked at. `round` is gone when the function returns. */
typedef mxb_status (*mxb_learner_fit_fn)(void *context, const mxb_round *round, void **term, double *values,
                                         mxb_error *error);
/** The term's value in every row of `data`; for the training rows the same as `fit` wrote. Called on whichever thread
 *  predicts, so on several at once if several do. */
typedef mxb_status (*mxb_learner_predict_fn)(void *context, const void *term, const mxb_dataset *data, double *values,
                                             mxb_error *error);
/** Called once for each term, when the last model that has it is freed. */
typedef void (*mxb_learner_free_fn)(void *context, void *term);
/** Writes the term as bytes if `capacity` suffices (`bytes` may be NULL if it is 0); returns how many there are. */
typedef size_t (*mxb_learner_write_fn)(void *context, const void *term, void *bytes, size_t capacity);
/** Makes a term of bytes that may come from anywhere. */
typedef mxb_status (*mxb_learner_read_fn)(void *context, const void *bytes, size_t n_bytes, void **term,
                                          mxb_error *error);

/** Makes a learner class. `name` (copied; 1 to 63 printable ASCII characters, not "tree", "symmetric" or
 *  "fourier") is kept in models; `free_term` may be NULL. `context` goes to every callback and must outlive every model
 * that has a term of this learner. */
MXB_API MXB_NODISCARD mxb_status mxb_learner_create(const char *name, mxb_learner_fit_fn fit,
                                                    mxb_learner_predict_fn predict, mxb_learner_free_fn free_term,
                                                    void *context, mxb_learner **learner, mxb_error *error);
/** Without these a model with a term of this learner cannot be saved. */
MXB_API void mxb_learner_set_files(mxb_learner *learner, mxb_learner_write_fn write, mxb_learner_read_fn read);
MXB_API void mxb_learner_free(mxb_learner *learner);

/** Lets rounds draw this learner with this probability; what the learners so added leave of 1 is shared by the built-in
 *  ones as `tree_probability` says. `params` keeps a copy. At most 64 learners of different names. */
MXB_API MXB_NODISCARD mxb_status mxb_params_add_learner(mxb_params *params, const mxb_learner *learner,
                                                        double probability, mxb_error *error);

/* ---- Training ---------------------------------------------------------------------------------------------------- */

/** Splits the rows at random into two datasets, `fraction` (over 0, below 1) of them in the second. Both keep
 *  the order of the rows and have at least one. With `stratify` not 0 each label value is split in that proportion, and
 *  one that has several rows keeps one in the first part; there may be at most 4,096 values, and half as many as rows.
 *  The same seed gives the same split. On failure both are NULL. */
MXB_API MXB_NODISCARD mxb_status mxb_dataset_split(const mxb_dataset *dataset, double fraction, int stratify,
                                                   uint64_t seed, mxb_dataset **first, mxb_dataset **second,
                                                   mxb_error *error);

/** A fitted ensemble. Never changes once made. */
typedef struct mxb_model mxb_model;

/** Called on the calling thread after every round. `round` counts from 1; `valid_loss` is NaN without rows to judge by;
 *  `seconds` since the first round of this call began. Returns 0 to stop, anything else to go on. */
typedef int (*mxb_progress_fn)(void *context, size_t round, double train_loss, double valid_loss, double seconds);

/** Fits a model to `train`. With `valid` (may be NULL) the training stops early and the best round is kept. `params`
 *  NULL: defaults. `progress` (may be NULL) first hears of mxb_choose_rounds' rounds. On success `*model` is the
 *  caller's (mxb_model_free), else NULL. Same data, options and seed give the same bytes for any number of threads. */
MXB_API MXB_NODISCARD mxb_status mxb_train(const mxb_dataset *train, const mxb_dataset *valid, const mxb_params *params,
                                           mxb_progress_fn progress, void *context, mxb_model **model,
                                           mxb_error *error);

/** Makes `num_round` the number that it stands for. Only for auto without `valid` it is searched for: how many rounds
 * of trainings on four fifths of the rows are best for the others (docs/rounds.md). `progress` (may be NULL) hears of
 * them as of a training with validation data. */
MXB_API MXB_NODISCARD mxb_status mxb_choose_rounds(const mxb_dataset *train, const mxb_dataset *valid,
                                                   mxb_params *params, mxb_progress_fn progress, void *context,
                                                   mxb_error *error);

/** Training data made ready: checked, binned, scaled. Serves any number of trainings, also at the same time. */
typedef struct mxb_prepared mxb_prepared;

/** Prepares `train`, which must outlive it. Uses the options `objective`, `use_histograms`, `hist_nbins` (not for
 * exact trees), `fourier_scaling` and the thread counts; a trainer on it must have the same first four. */
MXB_API MXB_NODISCARD mxb_status mxb_prepared_create(const mxb_dataset *train, const mxb_params *params,
                                                     mxb_prepared **prepared, mxb_error *error);
MXB_API void mxb_prepared_free(mxb_prepared *prepared);

/** A training that can pause between rounds. */
typedef struct mxb_trainer mxb_trainer;

/** Begins a training with no rounds done; without `valid`, num_round must be a number. Both must outlive it. */
MXB_API MXB_NODISCARD mxb_status mxb_trainer_create(const mxb_prepared *prepared, const mxb_dataset *valid,
                                                    const mxb_params *params, mxb_trainer **trainer, mxb_error *error);

/** Begins a training with the rounds of `model` (copied) done, `num_round` counting these too: on the same data and
 * with the options it keeps the same bytes come out as from one long training. On other data of the same features,
 * texts and label values the old rounds stay as they are and the curve is that of the new data. Options that
 * are auto by the number of rows become the model's. `objective`, `base_score` and `n_members` must be, and if
 * it has fourier rounds so must `random_state` and the options of projections, `gamma` to `fourier_linear`. */
MXB_API MXB_NODISCARD mxb_status mxb_trainer_create_from(const mxb_prepared *prepared, const mxb_dataset *valid,
                                                         const mxb_params *params, const mxb_model *model,
                                                         mxb_trainer **trainer, mxb_error *error);

/** Trains until `until_round` rounds are done, or `num_round`, or early stopping says enough. After MXB_STOPPED the
 *  trainer may go on; after any other failure it may only be freed. Pausing never changes the result. */
MXB_API MXB_NODISCARD mxb_status mxb_trainer_run(mxb_trainer *trainer, size_t until_round, mxb_progress_fn progress,
                                                 void *context, mxb_error *error);

MXB_API size_t mxb_trainer_n_rounds(const mxb_trainer *trainer);

/** The metric after `round` rounds, 0 to mxb_trainer_n_rounds, as mxb_model_curve. */
MXB_API double mxb_trainer_curve(const mxb_trainer *trainer, size_t round, int valid);

/** 1 when no further round will be trained, else 0. */
MXB_API int mxb_trainer_is_done(const mxb_trainer *trainer);

/** Makes the model of the rounds so far; with early stopping, up to the best of them. The trainer may go on. */
MXB_API MXB_NODISCARD mxb_status mxb_trainer_model(const mxb_trainer *trainer, mxb_model **model, mxb_error *error);
MXB_API void mxb_trainer_free(mxb_trainer *trainer);

/** Trains on all folds but one and measures on the one left out, for each of `n_folds` (2 to 1000) folds of each of
 *  `n_repeats` shuffles of the rows: `losses` takes the metric of each, n_folds * n_repeats values, repeat by repeat.
 *  Folds differ by at most one row; with `stratify` not 0 so do their rows of each label value, of which there must be
 *  `n_folds` or more. The same seed gives the same folds. Everything a training learns from data (bins, scaling) comes
 *  from its own rows, and none is stopped early, since that would look at the rows it is judged by. `progress` (may be
 *  NULL) is called after every round of every training; its `round` then counts folds from 1, through all repeats,
 *  and `valid_loss` is NaN but for one more call at the end of each fold, which has what was measured. */
MXB_API MXB_NODISCARD mxb_status mxb_cross_validate(const mxb_dataset *dataset, const mxb_params *params,
                                                    size_t n_folds, size_t n_repeats, int stratify, uint64_t seed,
                                                    mxb_progress_fn progress, void *context, double *losses,
                                                    mxb_error *error);

/* ---- Model: load, predict, ask (in mixboost-predict too) --------------------------------------------------------- */

/** Loads a model; any bytes at all are safe to try. On failure `*model` is NULL. */
MXB_API MXB_NODISCARD mxb_status mxb_model_load(const char *path, mxb_model **model, mxb_error *error);
MXB_API MXB_NODISCARD mxb_status mxb_model_from_bytes(const void *bytes, size_t n_bytes, mxb_model **model,
                                                      mxb_error *error);

/** What a prediction is. The values are fixed. */
typedef enum mxb_output {
    MXB_PREDICT_VALUE = 0,       /**< the number itself, or the more likely of the two labels (of two texts 0 or 1) */
    MXB_PREDICT_PROBABILITY = 1, /**< of the larger label; only for `logloss` */
    MXB_PREDICT_RAW = 2          /**< the sum of the ensemble before the link function */
} mxb_output;

/** Predicts every row of `dataset` into `out` (its n_rows values). Features are taken in order and must be as many as
 *  the model's; where both have names these must agree. `n_threads` 0: all processors. A row's prediction depends on
 *  that row alone, to the last bit. */
MXB_API MXB_NODISCARD mxb_status mxb_model_predict(const mxb_model *model, const mxb_dataset *dataset,
                                                   mxb_output output, int n_threads, double *out, mxb_error *error);

/** The same for rows (at least 1) of numbers one behind the other, on the calling thread; up to 32 of 1,000 features
 * without the heap. NaN and what is not a text's number are missing. Not for models with a caller's learner. */
MXB_API MXB_NODISCARD mxb_status mxb_model_predict_rows(const mxb_model *model, const double *rows, size_t n_rows,
                                                        size_t n_values, mxb_output output, double *out,
                                                        mxb_error *error);

MXB_API size_t mxb_model_n_features(const mxb_model *model);
/** The name of a feature, or NULL. */
MXB_API const char *mxb_model_feature_name(const mxb_model *model, size_t feature);
/** 1 if the feature holds text, else 0. */
MXB_API int mxb_model_feature_is_text(const mxb_model *model, size_t feature);
/** How many texts a text feature has, 0 for a numeric one, and the text that number `code` stands for (NULL: none). */
MXB_API size_t mxb_model_feature_n_texts(const mxb_model *model, size_t feature);
MXB_API const char *mxb_model_feature_text(const mxb_model *model, size_t feature, size_t code);
/** The smaller (0) or larger (1) of the two labels of a `logloss` model, or NaN; where these are texts 0 and 1, and the
 *  texts that they stand for (NULL: none). */
MXB_API double mxb_model_label(const mxb_model *model, size_t label);
MXB_API const char *mxb_model_label_text(const mxb_model *model, size_t label);
/** In how many tree splits the feature is used; a level of a symmetric tree is one. */
MXB_API size_t mxb_model_feature_splits(const mxb_model *model, size_t feature);
/** Rounds that predictions use, and members that each of them has: a prediction is the mean of theirs. */
MXB_API size_t mxb_model_n_rounds(const mxb_model *model);
MXB_API size_t mxb_model_n_members(const mxb_model *model);
/** What a round, from 1, of a member, from 0, drew: "tree", "symmetric", "fourier" or a caller's name; NULL: none. */
MXB_API const char *mxb_model_round_learner(const mxb_model *model, size_t round, size_t member);
/** The maximal depth drawn for a tree; 0 for other learners. */
MXB_API size_t mxb_model_round_depth(const mxb_model *model, size_t round, size_t member);

/** The options the model was trained with, as text; NULL for an unknown name. Thread counts are not kept. */
MXB_API const char *mxb_model_option(const mxb_model *model, const char *name);
/** The metric of the training curve: "rmse", "logloss" or the name of the caller's. */
MXB_API const char *mxb_model_metric(const mxb_model *model);
/** Rounds of the training curve; more than mxb_model_n_rounds when the training stopped early. */
MXB_API size_t mxb_model_n_curve(const mxb_model *model);
/** The metric on the training (`valid` 0) or validation rows after `round` rounds, 0 to mxb_model_n_curve, or NaN. */
MXB_API double mxb_model_curve(const mxb_model *model, size_t round, int valid);
/** 1 if the best round on a validation set was kept, else 0. */
MXB_API int mxb_model_stopped_early(const mxb_model *model);
/** Rounds with numerical repairs: a ridge system that needed jitter; steps or targets beyond a double, left out. */
MXB_API size_t mxb_model_n_repairs(const mxb_model *model);

MXB_API void mxb_model_free(mxb_model *model);

/* ---- Model: save, look inside ------------------------------------------------------------------------------------ */

/** Saves atomically: after a crash the file holds the old bytes or the new, never a mixture. Same model, same bytes. */
MXB_API MXB_NODISCARD mxb_status mxb_model_save(const mxb_model *model, const char *path, mxb_error *error);

/** The bytes that mxb_model_save would write, to be freed with mxb_bytes_free. */
MXB_API MXB_NODISCARD mxb_status mxb_model_to_bytes(const mxb_model *model, void **bytes, size_t *n_bytes,
                                                    mxb_error *error);
/** As mxb_model_load and mxb_model_from_bytes, for models with a loss or learners of one's own: `params` brings these,
 *  found by their names. What it does not bring, and what mxb_model_load never has, is missed only where it is needed:
 *  a learner by all predictions, a loss by mxb_model_evaluate, and its link by predictions that are not raw. */
MXB_API MXB_NODISCARD mxb_status mxb_model_load_with(const char *path, const mxb_params *params, mxb_model **model,
                                                     mxb_error *error);
MXB_API MXB_NODISCARD mxb_status mxb_model_from_bytes_with(const void *bytes, size_t n_bytes, const mxb_params *params,
                                                           mxb_model **model, mxb_error *error);

/** The whole model as JSON text (NUL at the end, not counted), to be freed with mxb_bytes_free. */
MXB_API MXB_NODISCARD mxb_status mxb_model_to_json(const mxb_model *model, char **json, size_t *n_bytes,
                                                   mxb_error *error);
MXB_API void mxb_bytes_free(void *bytes);

/** Predictions after each round in turn: of the first round, of the first two, and so on. */
typedef struct mxb_stages mxb_stages;

/** Begins before round 1. `model` and `dataset` must outlive it; arguments as for mxb_model_predict. */
MXB_API MXB_NODISCARD mxb_status mxb_stages_create(const mxb_model *model, const mxb_dataset *dataset, int n_threads,
                                                   mxb_stages **stages, mxb_error *error);
/** Goes one round on and predicts every row, bit for bit as a model of the rounds so far would. All rounds together
 *  take a few times as long as one mxb_model_predict. PARAM after the last; after any other failure only free it. */
MXB_API MXB_NODISCARD mxb_status mxb_stages_next(mxb_stages *stages, mxb_output output, double *out, mxb_error *error);
MXB_API void mxb_stages_free(mxb_stages *stages);

/** The metric of the model's curve over the rows of a dataset with a label; `n_threads` as for mxb_model_predict. */
MXB_API MXB_NODISCARD mxb_status mxb_model_evaluate(const mxb_model *model, const mxb_dataset *dataset, int n_threads,
                                                    double *metric, mxb_error *error);

/** The learner class that an importance is about. The values are fixed. */
typedef enum mxb_importance {
    MXB_IMPORTANCE_TREE = 0, /**< ordinary trees */
    MXB_IMPORTANCE_FOURIER = 1,
    MXB_IMPORTANCE_SYMMETRIC = 2
} mxb_importance;

/** How much of the loss the rounds of one class took off through each feature, into n_features values, finite and not
 *  negative. All classes are in one unit; docs/importance.md defines it. */
MXB_API MXB_NODISCARD mxb_status mxb_model_importance(const mxb_model *model, mxb_importance part, double *importances,
                                                      mxb_error *error);

/** What the training curve fell in a round, below 0 where it rose: the member's share (docs/importance.md); or NaN. */
MXB_API double mxb_model_round_decrease(const mxb_model *model, size_t round, size_t member);

#ifdef __cplusplus
}
#endif

#endif
