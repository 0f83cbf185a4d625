/* Where results go: standard output, or a file that appears whole or not at all. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

struct output {
    FILE *file;
    const char *path; /* NULL: standard output */
    char *target;     /* `path` with links followed; NULL: what is written goes straight to its end */
    char *temporary;  /* the file beside it that is written until it is whole */
    int error;        /* errno of the first write that failed, or 0 */
};

/** Says what is known to speak against writing a file at `path`, before the work for it is done: EXIT_DONE when nothing
 *  is, else an exit code after the sentence. `may_be_special`: a pipe or a device will do. Writes nothing. */
int output_check(const char *path, int may_be_special);

/** Whether the two paths are the same existing file. */
int output_is_same(const char *path, const char *other);

/** Begins. `path` NULL is standard output. A path that exists and is not a regular file (a pipe, a device) is written
 *  straight to. Returns EXIT_DONE, or an exit code after the sentence. */
int output_open(struct output *output, const char *path);

/** Writes a text. Returns 0 when nothing more can be written. */
int output_write(struct output *output, const char *text);

/** Writes numbers, each on a line, as the shortest text that reads back. Returns 0 when nothing more can be written. */
int output_write_numbers(struct output *output, const double *numbers, size_t n, int n_threads);

/** Ends: makes the file appear, if everything was written. Returns EXIT_DONE, or an exit code after the sentence. */
int output_close(struct output *output);

/** Ends, and leaves nothing behind. */
void output_discard(struct output *output);

/** Sends out what was printed on standard output. Returns EXIT_DONE, or an exit code after the sentence. */
int output_finish_stdout(void);

#endif
