/* What a search knows, in words and numbers for people. */
#ifndef CLI_TUNING_TEXT_H
#define CLI_TUNING_TEXT_H

#include "mixboost/tune.h"

enum { TUNING_TEXT_SIZE = 64, TUNING_SETTINGS_SIZE = 2048 };

/** Whether configurations differ in option `index` of the space. */
int tuning_is_drawn(const mxb_space *space, size_t index);

/** "learning_rate=0.05 max_max_depth=7": the options of `params` in which configurations differ. What does not fit is
 *  left out. Returns `out`. */
char *tuning_settings(char out[TUNING_SETTINGS_SIZE], const mxb_space *space, const mxb_params *params);

/** "on 1/4 of the rows", "with all rounds". Returns `out`. */
char *tuning_resource(char out[TUNING_TEXT_SIZE], const mxb_tuner *tuner, size_t stage);

/** How much of the work of all trials is done, 0 to 1. */
double tuning_share(const mxb_tuner *tuner);

/** Trials of the whole search, and those that are done. */
size_t tuning_n_trials(const mxb_tuner *tuner);
size_t tuning_n_done(const mxb_tuner *tuner);

/** The latest stage that has a loss of this configuration, or SIZE_MAX. */
size_t tuning_last_stage(const mxb_tuner *tuner, size_t config);

/** Reports "stages: 8 configurations on 1/4 of the rows, 2 on all rows; 3 folds each; at most 1.2 MB of memory". */
void tuning_report_plan(const mxb_tuner *tuner);

/** Reports trials that failed, if any did, behind `where`. */
void tuning_report_failures(const mxb_tuner *tuner, const char *where);

#endif
