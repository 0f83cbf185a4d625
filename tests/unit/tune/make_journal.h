/* Journals of real searches, for tests that cut, mend and reorder them. */
#ifndef MAKE_JOURNAL_H
#define MAKE_JOURNAL_H

#include <stdio.h>
#include <unistd.h>

#include "tune/journal_format.h"
#include "unit/tune/make_search.h"

enum { MAX_JOURNAL = 1 << 16 };

/* The bytes of a file, and where its records begin. */
struct journal_bytes {
    unsigned char bytes[MAX_JOURNAL];
    size_t n_bytes;
    size_t n_header;
    size_t n_records;
};

static inline int journal_load(const char *path, struct journal_bytes *journal) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return 0;
    }
    journal->n_bytes = fread(journal->bytes, 1, MAX_JOURNAL, file);
    journal->n_header = JOURNAL_MAGIC_SIZE + 4 + 8 + journal->bytes[JOURNAL_MAGIC_SIZE] +
                        ((size_t)journal->bytes[JOURNAL_MAGIC_SIZE + 1] << 8);
    journal->n_records = (journal->n_bytes - journal->n_header) / JOURNAL_RECORD_SIZE;
    return fclose(file) == 0;
}

static inline int journal_store(const char *path, const void *bytes, size_t n_bytes) {
    FILE *file = fopen(path, "wb");
    return file != NULL && fwrite(bytes, 1, n_bytes, file) == n_bytes && fclose(file) == 0;
}

static inline unsigned char *journal_record_at(struct journal_bytes *journal, size_t i) {
    return journal->bytes + journal->n_header + i * JOURNAL_RECORD_SIZE;
}

/* Starts a search with a journal; NULL, and a failed check, where that fails. */
static inline mxb_tuner *journal_start(mxb_tuner *tuner, const char *path, int resume) {
    mxb_error error = {"no tuner"};
    if (tuner == NULL || mxb_tuner_set_journal(tuner, path, resume, &error) != MXB_OK ||
        mxb_tuner_start(tuner, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        mxb_tuner_free(tuner);
        return NULL;
    }
    return tuner;
}

#endif
