/* Help texts, made from what the commands and the library's option table say of themselves. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stddef.h>

#include "command.h"

/** The program's own help: what it is, its commands. On standard output. */
void help_print_program(const struct command *const *commands, size_t n_commands);

/** The help of one command. On standard output. */
void help_print_command(const struct command *command);

#endif
