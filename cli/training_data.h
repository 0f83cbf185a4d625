/* The CSV files of a training: rows to learn from and, where a file of them is named, rows to judge by. */
#ifndef CLI_TRAINING_DATA_H
#define CLI_TRAINING_DATA_H

#include "arguments.h"
#include "mixboost/mixboost.h"

struct training_data {
    const mxb_model *from; /* whose columns the files must have; NULL: whatever they have */
    int n_threads;         /* 0: all processors */
    /* What was read; NULL until then. */
    mxb_table *table;
    mxb_table *valid_table;
    mxb_dataset *train; /* every row of DATA.csv */
    mxb_dataset *valid; /* every row of --valid; NULL: not given */
};

/** Says what is wrong with the names of the files DATA.csv, --valid and --model, before any is read: EXIT_DONE, or an
 *  exit code after the sentence. */
int training_data_check(const struct arguments *arguments);

/** Reads the files. Free with training_data_clear in any case. Returns EXIT_DONE, or an exit code after the sentence.
 */
int training_data_read(struct training_data *data, const struct arguments *arguments);
void training_data_clear(struct training_data *data);

#endif
