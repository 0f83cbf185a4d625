/* Complaints: one sentence on standard error each, and the exit code that goes with it. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "mixboost/mixboost.h"

/** The command line is wrong: prints the sentence and returns EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int fail_usage(const char *format, ...);

/** A file or its data are wrong: prints the sentence and returns EXIT_DATA. */
__attribute__((format(printf, 1, 2))) int fail_data(const char *format, ...);

/** The library refused: prints its sentence and returns EXIT_USAGE for a wrong option, EXIT_DATA for anything else. */
int fail_status(mxb_status status, const mxb_error *error);

/** The same with its sentence behind `where`, "fold 1: ". */
int fail_status_in(const char *where, mxb_status status, const mxb_error *error);

/** A sentence that is not a failure. */
__attribute__((format(printf, 1, 2))) void report(const char *format, ...);

#endif
