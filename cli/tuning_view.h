/* How a search goes on, for people: drawn in place on a terminal, a line a stage elsewhere, nothing when quiet. */
#ifndef CLI_TUNING_VIEW_H
#define CLI_TUNING_VIEW_H

#include <stddef.h>

#include "mixboost/tune.h"
#include "progress.h"

struct tuning_view {
    enum progress_style style;
    double share_before; /* of the work: what an earlier run has left in the journal */
    double seconds;      /* since the search began */
    size_t n_told;       /* stages whose end was told, in lines */
    /* What stands on the terminal. */
    size_t n_lines;
    double shown_seconds;
};

/** Reports what will be done. */
void tuning_view_begin(struct tuning_view *view, int quiet, const mxb_tuner *tuner);

/** An mxb_tune_progress_fn with a struct tuning_view as context. Stops the search once an interrupt was caught. */
int tuning_view_update(void *context, const mxb_tuner *tuner, double seconds);

/** Shows how it ended, and leaves the cursor on a new line. */
void tuning_view_finish(struct tuning_view *view, const mxb_tuner *tuner);

#endif
