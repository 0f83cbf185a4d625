/* Lays help out in columns. Decides no wording but the headings. */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "columns.h"
#include "mixboost/mixboost.h"

enum { MAX_RANGE_WIDTH = 26 };

static size_t longer(size_t width, const char *text) {
    size_t n = strlen(text);
    return n > width ? n : width;
}

static const char *flag_label(const struct flag *flag, char *out, size_t out_size) {
    snprintf(out, out_size, "--%s%s%s", flag->name, flag->value == NULL ? "" : " ",
             flag->value == NULL ? "" : flag->value);
    return out;
}

static void print_flags(const struct command *command) {
    static const struct flag help = {"help", NULL, "Print this text and do nothing else.", 0};
    char label[64];
    size_t width = strlen("--help");
    for (size_t i = 0; i < command->n_operands; i++) {
        width = longer(width, command->operands[i].name);
    }
    for (size_t i = 0; i < command->n_flags; i++) {
        width = longer(width, flag_label(&command->flags[i], label, sizeof label));
    }
    for (size_t i = 0; i < command->n_operands; i++) {
        const struct operand *operand = &command->operands[i];
        columns_print((struct cell[]){{operand->name, width}, {operand->help, columns_last_width(width, 1)}}, 2);
    }
    for (size_t i = 0; i <= command->n_flags; i++) {
        const struct flag *flag = i < command->n_flags ? &command->flags[i] : &help;
        flag_label(flag, label, sizeof label);
        columns_print((struct cell[]){{label, width}, {flag->help, columns_last_width(width, 1)}}, 2);
    }
}

static void print_options(void) {
    char label[64];
    size_t name_width = strlen("option");
    size_t default_width = strlen("default");
    size_t range_width = strlen("allowed");
    for (size_t i = 0; i < mxb_option_count(); i++) {
        name_width = longer(name_width, mxb_option_name(i));
        default_width = longer(default_width, mxb_option_default(i));
        range_width = longer(range_width, mxb_option_range(i));
    }
    name_width += 2; /* the dashes */
    if (range_width > MAX_RANGE_WIDTH) {
        range_width = MAX_RANGE_WIDTH;
    }
    size_t help_width = columns_last_width(name_width + default_width + range_width, 3);
    columns_print(
        (struct cell[]){
            {"option", name_width}, {"default", default_width}, {"allowed", range_width}, {"meaning", help_width}},
        4);
    for (size_t i = 0; i < mxb_option_count(); i++) {
        snprintf(label, sizeof label, "--%s", mxb_option_name(i));
        columns_print((struct cell[]){{label, name_width},
                                      {mxb_option_default(i), default_width},
                                      {mxb_option_range(i), range_width},
                                      {mxb_option_help(i), help_width}},
                      4);
    }
}

void help_print_command(const struct command *command) {
    printf("mixboost %s: %s\n\nusage: mixboost %s %s\n\n", command->name, command->summary, command->name,
           command->usage);
    print_flags(command);
    if (command->note != NULL) {
        printf("\n%s\n", command->note);
    }
    if (command->takes_options) {
        printf("\nOptions of the training, each as --NAME VALUE or --NAME=VALUE; - may stand for _ in NAME:\n\n");
        print_options();
    }
}

void help_print_program(const struct command *const *commands, size_t n_commands) {
    size_t width = strlen("help COMMAND");
    printf("mixboost %s: boosting with trees and random Fourier features, from a CSV file to predictions\n\n",
           mxb_version());
    printf("usage: mixboost COMMAND ...\n\n");
    for (size_t i = 0; i < n_commands; i++) {
        columns_print((struct cell[]){{commands[i]->name, width}, {commands[i]->summary, columns_last_width(width, 1)}},
                      2);
    }
    columns_print((struct cell[]){{"help COMMAND", width}, {"how to use a command", columns_last_width(width, 1)}}, 2);
    columns_print((struct cell[]){{"--version", width}, {"the program's version", columns_last_width(width, 1)}}, 2);
    printf("\nResults go to standard output, messages to standard error.\n");
    printf("Exit codes: 0 done, 1 trouble with data or files, 2 wrong usage.\n");
}
