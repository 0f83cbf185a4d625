/* The command line after the command's name, taken apart. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <stdint.h>

#include "command.h"

struct arguments {
    const struct command *command;
    const char *operands[MAX_OPERANDS];
    const char **values; /* of the command's flags, then of the library's options; NULL: not given */
};

/** Takes `n_words` words apart by what `command` accepts. Returns EXIT_DONE, or an exit code after saying why. Free
 *  with arguments_clear in either case. The words must outlive it. */
int arguments_parse(const struct command *command, int n_words, char **words, struct arguments *arguments);
void arguments_clear(struct arguments *arguments);

/** The value of a flag of the command, "" for a flag without value, or NULL when it was not given. */
const char *arguments_flag(const struct arguments *arguments, const char *name);

/** Reads the whole number that flag `name` was given into `*count`, which stays as it is without the flag. Returns
 *  EXIT_DONE, or an exit code after saying that it must be `lowest` to `highest`. */
int arguments_count(const struct arguments *arguments, const char *name, uint64_t lowest, uint64_t highest,
                    uint64_t *count);

/** What was given for option `index` of the library's table, or NULL. */
const char *arguments_option(const struct arguments *arguments, size_t index);

#endif
