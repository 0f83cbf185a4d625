/* Takes a command line apart and complains about what does not fit. Knows no command in particular. */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "mixboost/mixboost.h"
#include "suggestion.h"

/* Flags of the command and options of the library are numbered through: first the flags, then the options. */

static size_t n_names(const struct command *command) {
    return command->n_flags + (command->takes_options ? mxb_option_count() : 0);
}

static const char *name_at(const struct command *command, size_t i) {
    return i < command->n_flags ? command->flags[i].name : mxb_option_name(i - command->n_flags);
}

/* What the value of a flag or option looks like, or NULL when it takes none. */
static const char *value_at(const struct command *command, size_t i) {
    return i < command->n_flags ? command->flags[i].value : mxb_option_range(i - command->n_flags);
}

/* Whether the first n characters of `typed` are `name`, '-' and '_' being the same. */
static int is_name(const char *typed, size_t n, const char *name) {
    if (strlen(name) != n) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        char a = typed[i] == '-' ? '_' : typed[i];
        char b = name[i] == '-' ? '_' : name[i];
        if (a != b) {
            return 0;
        }
    }
    return 1;
}

static int fail_unknown(const struct command *command, const char *word, size_t n_dashes, size_t n) {
    char typed[64];
    size_t kept = n < sizeof typed ? n : sizeof typed - 1;
    memcpy(typed, word + n_dashes, kept);
    typed[kept] = '\0';

    struct suggestion suggestion;
    suggestion_init(&suggestion, typed);
    for (size_t i = 0; i < n_names(command); i++) {
        suggestion_offer(&suggestion, name_at(command, i));
    }
    suggestion_offer(&suggestion, "help");
    if (suggestion.nearest == NULL) {
        return fail_usage("unknown option %.*s%s (mixboost %s --help lists all)", (int)n_dashes, word, typed,
                          command->name);
    }
    return fail_usage("unknown option %.*s%s; did you mean --%s? (mixboost %s --help lists all)", (int)n_dashes, word,
                      typed, suggestion.nearest, command->name);
}

/* Takes the flag words[0] and, where it has one, its value; *n_taken says how many words that were. */
static int take_flag(struct arguments *arguments, int n_words, char **words, int *n_taken) {
    const struct command *command = arguments->command;
    size_t n_dashes = strncmp(words[0], "--", 2) == 0 ? 2 : 1;
    const char *typed = words[0] + n_dashes;
    size_t n = strcspn(typed, "=");
    const char *attached = typed[n] == '=' ? typed + n + 1 : NULL;

    size_t i = 0;
    while (i < n_names(command) && !(n_dashes == 2 && is_name(typed, n, name_at(command, i)))) {
        i++;
    }
    if (i == n_names(command)) {
        return fail_unknown(command, words[0], n_dashes, n);
    }
    const char *name = name_at(command, i);
    if (arguments->values[i] != NULL) {
        return fail_usage("--%s is given twice", name);
    }
    *n_taken = 1;
    if (value_at(command, i) == NULL) {
        if (attached != NULL) {
            return fail_usage("--%s takes no value, but is given \"%s\"", name, attached);
        }
        arguments->values[i] = "";
    } else if (attached != NULL) {
        arguments->values[i] = attached;
    } else if (n_words > 1 && strncmp(words[1], "--", 2) != 0) {
        arguments->values[i] = words[1];
        *n_taken = 2;
    } else {
        return fail_usage("--%s needs a value: --%s %s", name, name,
                          i < command->n_flags ? command->flags[i].value : "VALUE");
    }
    return EXIT_DONE;
}

static int take_operand(struct arguments *arguments, size_t *n_operands, const char *word) {
    const struct command *command = arguments->command;
    if (*n_operands == command->n_operands) {
        return fail_usage("%s does not know what to do with \"%s\" (mixboost %s --help says what it takes)",
                          command->name, word, command->name);
    }
    arguments->operands[(*n_operands)++] = word;
    return EXIT_DONE;
}

static int check_complete(const struct arguments *arguments, size_t n_operands) {
    const struct command *command = arguments->command;
    if (n_operands < command->n_operands) {
        return fail_usage("%s needs %s (mixboost %s --help says what it takes)", command->name,
                          command->operands[n_operands].name, command->name);
    }
    for (size_t i = 0; i < command->n_flags; i++) {
        const struct flag *flag = &command->flags[i];
        if (flag->required && arguments->values[i] == NULL) {
            return fail_usage("%s needs --%s %s (mixboost %s --help says what it takes)", command->name, flag->name,
                              flag->value, command->name);
        }
    }
    return EXIT_DONE;
}

int arguments_parse(const struct command *command, int n_words, char **words, struct arguments *arguments) {
    memset(arguments, 0, sizeof *arguments);
    arguments->command = command;
    arguments->values = calloc(n_names(command) + 1, sizeof *arguments->values);
    if (arguments->values == NULL) {
        return fail_data("out of memory");
    }
    size_t n_operands = 0;
    int only_operands = 0; /* after "--" */
    for (int i = 0; i < n_words;) {
        int n_taken = 1;
        int code = EXIT_DONE;
        if (only_operands || words[i][0] != '-' || words[i][1] == '\0') {
            code = take_operand(arguments, &n_operands, words[i]);
        } else if (strcmp(words[i], "--") == 0) {
            only_operands = 1;
        } else {
            code = take_flag(arguments, n_words - i, words + i, &n_taken);
        }
        if (code != EXIT_DONE) {
            return code;
        }
        i += n_taken;
    }
    return check_complete(arguments, n_operands);
}

void arguments_clear(struct arguments *arguments) { free(arguments->values); }

const char *arguments_flag(const struct arguments *arguments, const char *name) {
    for (size_t i = 0; i < arguments->command->n_flags; i++) {
        if (strcmp(arguments->command->flags[i].name, name) == 0) {
            return arguments->values[i];
        }
    }
    return NULL;
}

int arguments_count(const struct arguments *arguments, const char *name, uint64_t lowest, uint64_t highest,
                    uint64_t *count) {
    enum { MAX_DIGITS = 18 };
    const char *text = arguments_flag(arguments, name);
    if (text == NULL) {
        return EXIT_DONE;
    }
    size_t n_digits = strspn(text, "0123456789");
    unsigned long long number = n_digits <= MAX_DIGITS ? strtoull(text, NULL, 10) : UINT64_MAX;
    if (n_digits == 0 || text[n_digits] != '\0' || number < lowest || number > highest) {
        return fail_usage("--%s must be a whole number from %llu to %llu, not \"%s\"", name, (unsigned long long)lowest,
                          (unsigned long long)highest, text);
    }
    *count = number;
    return EXIT_DONE;
}

const char *arguments_option(const struct arguments *arguments, size_t index) {
    return arguments->command->takes_options ? arguments->values[arguments->command->n_flags + index] : NULL;
}
