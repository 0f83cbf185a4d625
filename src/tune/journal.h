/* A file that has every result before it counts: what is in it survives the process. */
#ifndef MXB_TUNE_JOURNAL_H
#define MXB_TUNE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "mixboost/tune.h"

struct journal {
    int file;         /* -1: none */
    pid_t owner;      /* the process that opened it */
    char *path;       /* for messages */
    uint64_t n_bytes; /* of the header and whole records */
    double synced_at; /* seconds; since then the disk may not have all */
};

struct journal_record {
    mxb_trial trial;
    mxb_trial_result result;
};

/* What a journal had when it was opened. */
struct journal_contents {
    size_t n_records;
    struct journal_record *records; /* the caller's to free */
    char warning[256];              /* "": none */
};

/** Opens `path` for this process alone. `about` is text, line by line what the results depend on: a journal that is
 *  there must have the same, and `resume` be given. A damaged end is cut off; anything else wrong is an error. */
mxb_status mxb__journal_open(struct journal *journal, const char *path, int resume, const char *about,
                             struct journal_contents *contents, mxb_error *error);

/** Adds a record: written when this returns, and on the disk a second later if more follow. A failure leaves the
 * journal as it was. */
mxb_status mxb__journal_append(struct journal *journal, const mxb_trial *trial, const mxb_trial_result *result,
                               mxb_error *error);

/** Waits for the disk, if there is a file. */
mxb_status mxb__journal_sync(struct journal *journal, mxb_error *error);

void mxb__journal_close(struct journal *journal);

/** The contents of a journal's bytes, for files and fuzzing; `n_good` takes the bytes that are to be kept, 0 where not
 *  even the header is whole. */
mxb_status mxb__journal_parse(const unsigned char *bytes, size_t n_bytes, const char *path, const char *about,
                              struct journal_contents *contents, size_t *n_good, mxb_error *error);

#endif
