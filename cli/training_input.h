/* What every command that trains takes from its command line: the options, and which columns matter. */
#ifndef CLI_TRAINING_INPUT_H
#define CLI_TRAINING_INPUT_H

#include <stdint.h>

#include "arguments.h"
#include "mixboost/mixboost.h"

/** Makes params of the options that were given. Returns EXIT_DONE, or an exit code after the sentence. */
int training_input_options(const struct arguments *arguments, mxb_params **params);

/** Whether the options go together, before any row is read; an exit code. */
int training_input_check(const mxb_params *params);

/** Whether labels are classes, of which a random part of the rows should have its share. */
int training_input_has_classes(const mxb_params *params);

/** The name of the loss that is measured: "rmse" or "logloss". */
const char *training_input_metric(const mxb_params *params);

/** The threads to use; 0: all processors. */
int training_input_n_threads(const mxb_params *params);

/** The seed that the training uses. */
uint64_t training_input_seed(const mxb_params *params);

/* The flags that name columns and files. */
#define TRAINING_INPUT_LABEL_FLAG \
    { "label", "COLUMN", "The column to predict: its name, or its number counted from 1.", 1 }
#define TRAINING_INPUT_WEIGHT_FLAG \
    { "weight", "COLUMN", "The column that says how much each row counts: its name or number.", 0 }
#define TRAINING_INPUT_MODEL_FLAG \
    { "model", "OUT.mxb", "The file that the model is saved to.", 1 }

#endif
