/* A search for a configuration as a command line asks for it: its space, its settings, its journal. */
#ifndef CLI_TUNING_H
#define CLI_TUNING_H

#include "arguments.h"
#include "mixboost/tune.h"

struct tuning {
    const struct arguments *arguments;
    const char *folds_flag; /* the name of the one that says how many folds judge a configuration */
    char time_limit[32];    /* in seconds; "" without one */
    mxb_params *params;     /* the options that were given, and the objective */
    mxb_space *space;       /* in which they are fixed */
};

/** Takes options, space and time limit from the command line, and says what is wrong with them. Free with tuning_clear
 *  in any case. Returns EXIT_DONE, or an exit code after the sentence. */
int tuning_init(struct tuning *tuning, const struct arguments *arguments, const char *folds_flag);
void tuning_clear(struct tuning *tuning);

/** The first flag of TUNING_FLAGS, or the one for folds, that was given; NULL: none. */
const char *tuning_given_flag(const struct arguments *arguments, const char *folds_flag);

/** Says what is known to speak against a journal at `path`. Returns EXIT_DONE, or an exit code after the sentence. */
int tuning_check_journal(const struct tuning *tuning, const char *path);

/** Starts a search on `train`; `valid` and `journal` (its path) may be NULL. Reports what the start has to say behind
 *  `where`. Returns EXIT_DONE, or an exit code after the sentence; then `*tuner` is NULL. */
int tuning_start(const struct tuning *tuning, const mxb_dataset *train, const mxb_dataset *valid, const char *journal,
                 const char *where, mxb_tuner **tuner);

/* The flags that every command has that tunes. */
#define TUNING_FLAGS                                                                                                 \
    {"space", "NAME|FILE",                                                                                           \
     "What configurations are drawn from: default (also without this), paper or paper-node, or a file with a "       \
     "line for each option, such as \"alpha 0.001 10 log10\". --NAME VALUE fixes an option.",                        \
     0},                                                                                                             \
        {"configs", "N", "Configurations of the first stage: 1 to 1000000; without it 512.", 0},                     \
        {"eta", "N",                                                                                                 \
         "One in N configurations goes on to the next stage, with N times the resource: 2 to 1000; without "         \
         "it 4.",                                                                                                    \
         0},                                                                                                         \
        {"min-resource", "F",                                                                                        \
         "Part of the resource that the first stage has at the least, as 1/16 or 0.05; without it 1/4.", 0},         \
        {"resource", "rows|rounds", "What the stages have more and more of; without it rows.", 0},                   \
        {"valid-fraction", "F",                                                                                      \
         "Judge configurations by this part of the rows, drawn at random; 0.2 without this and without folds.", 0},  \
    {                                                                                                                \
        "time-limit", "TIME",                                                                                        \
            "End a search after this time, with the best so far: 90 or 90s, 10m, 2h. The last training comes after " \
            "it and is not limited.",                                                                                \
            0                                                                                                        \
    }

#define TUNING_RESUME_FLAG \
    { "resume", NULL, "Go on from the journal, if it is there; all else must be as it was.", 0 }

#endif
