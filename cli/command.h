/* What a command of the program is: one const object each, from which its parsing and its help are made. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stddef.h>

struct arguments;

/* `--name` or `--name VALUE`. */
struct flag {
    const char *name;  /* without the dashes */
    const char *value; /* what follows it, for the help: "COLUMN"; NULL: nothing does */
    const char *help;
    int required;
};

/* An argument without a name, all of them required and in order. */
struct operand {
    const char *name;
    const char *help;
};

enum { MAX_OPERANDS = 2 };

struct command {
    const char *name;
    const char *summary;
    const char *usage; /* what follows "mixboost NAME" */
    const char *note;  /* for the help, below the flags; NULL: none */
    struct operand operands[MAX_OPERANDS];
    size_t n_operands;
    const struct flag *flags;
    size_t n_flags;
    int takes_options; /* every option of the library's table is a flag as well */
    int (*run)(const struct arguments *arguments);
};

extern const struct command command_train;
extern const struct command command_tune;
extern const struct command command_cv;
extern const struct command command_predict;
extern const struct command command_show;

/* What the program returns. */
enum exit_code { EXIT_DONE = 0, EXIT_DATA = 1, EXIT_USAGE = 2 };

#endif
