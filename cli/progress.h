/* How a training, or one fold after the other, goes on, for people: a bar on a terminal, a few lines elsewhere, nothing
 * when quiet. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

enum progress_style { PROGRESS_NONE, PROGRESS_LINES, PROGRESS_BAR };

struct progress {
    enum progress_style style;
    const char *unit;       /* what is counted: "round" */
    const char *valid_name; /* what its second loss is of: "validation" */
    size_t n_rounds;        /* so many will be trained; 0: nobody knows yet */
    int may_stop_early;     /* or fewer */
    /* The last round done. */
    size_t round;
    double train_loss;
    double valid_loss; /* NaN: there is no validation set */
    double seconds;    /* since the training began */
    double part;       /* how much of the next one is done, 0 to 1 */
    /* What stands on standard error. */
    int is_shown;
    size_t shown_round;
    double shown_seconds;
};

/** What suits standard error. */
enum progress_style progress_choose_style(int quiet);

/** `n_rounds` 0: as many as it takes. */
void progress_init(struct progress *progress, int quiet, size_t n_rounds, const char *unit, const char *valid_name);

/** An mxb_progress_fn with a struct progress as context. Stops the training once an interrupt was caught. */
int progress_update(void *context, size_t round, double train_loss, double valid_loss, double seconds);

/** The same between two rounds, when `part` (0 to 1) of the next is done: moves the bar. */
int progress_advance(struct progress *progress, double part, double seconds);

/** Shows the last round, if there was one, and leaves the cursor on a new line. */
void progress_finish(struct progress *progress);

#endif
