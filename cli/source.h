/* CSV files as the commands need them: where the program meets the library's tables. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "arguments.h"
#include "mixboost/mixboost.h"

/** Reads the CSV file at `path` as the flag --header says. Returns EXIT_DONE, or an exit code after the sentence. */
int source_read(const char *path, const struct arguments *arguments, mxb_table **table);

/** Says so if --header has a value it cannot have; for complaining before any work is done. */
int source_check_header(const struct arguments *arguments);

/** Loads a model from a file, which cannot be standard input. Returns EXIT_DONE, or an exit code after the sentence. */
int source_load_model(const char *path, mxb_model **model);

/* The flag of source_read, for the commands that have it. */
#define SOURCE_HEADER_FLAG                                                                  \
    {                                                                                       \
        "header", "auto|yes|no",                                                            \
            "Whether the first line names the columns; auto (the default): it does if one " \
            "of its fields is not a number.",                                               \
            0                                                                               \
    }

#endif
