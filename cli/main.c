/* The program: finds the command, hands it its arguments, returns its exit code. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "help.h"
#include "message.h"
#include "mixboost/mixboost.h"
#include "output.h"
#include "suggestion.h"

static const struct command *const commands[] = {&command_train, &command_tune, &command_cv, &command_predict,
                                                 &command_show};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* A closed standard stream would give its number to the next file opened, and messages would land in a model. Its place
 * is taken by one that fails as a closed one does. */
static void guard_streams(void) {
    for (int stream = 0; stream <= 2; stream++) {
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF) {
            (void)!open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

static int find_command(const char *name, const struct command **command) {
    struct suggestion suggestion;
    suggestion_init(&suggestion, name);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            *command = commands[i];
            return EXIT_DONE;
        }
        suggestion_offer(&suggestion, commands[i]->name);
    }
    if (suggestion.nearest == NULL) {
        return fail_usage("unknown command \"%s\" (mixboost --help lists all)", name);
    }
    return fail_usage("unknown command \"%s\"; did you mean %s? (mixboost --help lists all)", name, suggestion.nearest);
}

static int is_help(const char *word) { return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0; }

static int wants_help(int n_words, char **words) {
    for (int i = 0; i < n_words && strcmp(words[i], "--") != 0; i++) {
        if (is_help(words[i])) {
            return 1;
        }
    }
    return 0;
}

static int run_command(const struct command *command, int n_words, char **words) {
    struct arguments arguments;
    int code = arguments_parse(command, n_words, words, &arguments);
    if (code == EXIT_DONE) {
        code = command->run(&arguments);
    }
    arguments_clear(&arguments);
    return code;
}

int main(int n_words, char **words) {
    const struct command *command = NULL;
    guard_streams();
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of writing, with a sentence */
    signal(SIGXFSZ, SIG_IGN); /* so is a limit on the size of files */

    int asks_help = n_words > 1 && strcmp(words[1], "help") == 0;
    if (n_words < 2 || is_help(words[1]) || (asks_help && n_words == 2)) {
        help_print_program(commands, N_COMMANDS);
        return output_finish_stdout();
    }
    if (strcmp(words[1], "--version") == 0) {
        printf("mixboost %s\n", mxb_version());
        return output_finish_stdout();
    }
    int code = find_command(words[asks_help ? 2 : 1], &command);
    if (code != EXIT_DONE) {
        return code;
    }
    if (asks_help || wants_help(n_words - 2, words + 2)) {
        help_print_command(command);
        return output_finish_stdout();
    }
    return run_command(command, n_words - 2, words + 2);
}
