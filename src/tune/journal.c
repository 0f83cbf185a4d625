/* The journal's bytes and how they are read: a header with what the results depend on, then records of one size, each
 * with its checksum. Knows nothing of stages. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "tune/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "tune/journal_format.h"

enum { QUOTED_SIZE = 160, SECTOR_SIZE = 512 /* bytes that a disk writes all or none of */ };

static mxb_status fail_at(mxb_error *error, const char *path, const char *what) {
    char quoted[QUOTED_SIZE];
    return mxb__fail(error, MXB_ERROR_FORMAT, "the journal \"%s\" %s",
                     mxb__quote(quoted, sizeof quoted, path, SIZE_MAX), what);
}

/* ---- The header ---- */

mxb_status mxb__journal_encode_header(const char *about, char **bytes, size_t *n_bytes, mxb_error *error) {
    struct byte_writer out = {.status = MXB_OK, .error = error};
    unsigned char checksum[8];
    size_t n_about = strlen(about);
    mxb__put_bytes(&out, JOURNAL_MAGIC, JOURNAL_MAGIC_SIZE);
    mxb__put_u32(&out, (uint32_t)n_about);
    mxb__put_bytes(&out, about, n_about);
    if (out.status == MXB_OK) {
        mxb__store_u64(checksum, mxb__crc64(out.bytes, out.n_bytes));
        mxb__put_bytes(&out, checksum, sizeof checksum);
    }
    if (out.status != MXB_OK) {
        mxb__free(out.bytes);
        return out.status;
    }
    *bytes = out.bytes;
    *n_bytes = out.n_bytes;
    return MXB_OK;
}

static size_t line_length(const char *line, size_t n_bytes) {
    const char *end = memchr(line, '\n', n_bytes);
    return end == NULL ? n_bytes : (size_t)(end - line);
}

struct lines {
    const char *text;
    size_t n_bytes;
};

static int has_line(struct lines lines, const char *line, size_t length) {
    for (size_t i = 0; i < lines.n_bytes;) {
        size_t n = line_length(lines.text + i, lines.n_bytes - i);
        if (n == length && memcmp(lines.text + i, line, n) == 0) {
            return 1;
        }
        i += n + 1;
    }
    return 0;
}

/* Quotes the first line that others do not have; 0 if there is none. */
static int quote_own_line(struct lines lines, struct lines others, char out[QUOTED_SIZE]) {
    for (size_t i = 0; i < lines.n_bytes;) {
        size_t n = line_length(lines.text + i, lines.n_bytes - i);
        if (!has_line(others, lines.text + i, n)) {
            mxb__quote(out, QUOTED_SIZE, lines.text + i, n);
            return 1;
        }
        i += n + 1;
    }
    return 0;
}

/* Where two lists of lines part: the start of the first line that differs. */
static size_t parting_line(struct lines theirs, struct lines ours) {
    size_t line = 0;
    for (size_t i = 0; i < theirs.n_bytes && i < ours.n_bytes && theirs.text[i] == ours.text[i]; i++) {
        line = theirs.text[i] == '\n' ? i + 1 : line;
    }
    return line;
}

static int same_first_word(struct lines theirs, struct lines ours, size_t start) {
    size_t i = start;
    while (i < theirs.n_bytes && i < ours.n_bytes && theirs.text[i] == ours.text[i] && theirs.text[i] != ' ') {
        i++;
    }
    return i < theirs.n_bytes && i < ours.n_bytes && theirs.text[i] == ' ' && ours.text[i] == ' ';
}

/* Quotes the two values of what both lists have at the same place; where one has a line more, a line that the other
 * does not have at all. Returns 1 for a line of theirs, plus 2 for one of ours. */
static int quote_difference(struct lines theirs, struct lines ours, char had[QUOTED_SIZE], char has[QUOTED_SIZE]) {
    size_t line = parting_line(theirs, ours);
    if (!same_first_word(theirs, ours, line)) {
        return quote_own_line(theirs, ours, had) + 2 * quote_own_line(ours, theirs, has);
    }
    mxb__quote(had, QUOTED_SIZE, theirs.text + line, line_length(theirs.text + line, theirs.n_bytes - line));
    mxb__quote(has, QUOTED_SIZE, ours.text + line, line_length(ours.text + line, ours.n_bytes - line));
    return 3;
}

static mxb_status compare_about(const char *there, size_t n_there, const char *about, const char *path,
                                mxb_error *error) {
    char quoted[QUOTED_SIZE];
    char had[QUOTED_SIZE];
    char has[QUOTED_SIZE];
    struct lines theirs = {there, n_there};
    struct lines ours = {about, strlen(about)};
    if (n_there == ours.n_bytes && memcmp(there, about, n_there) == 0) {
        return MXB_OK;
    }
    mxb__quote(quoted, sizeof quoted, path, SIZE_MAX);
    switch (quote_difference(theirs, ours, had, has)) {
        case 1:
            return mxb__fail(error, MXB_ERROR_PARAM,
                             "the journal \"%s\" is of another search: it has \"%s\", which this one has not", quoted,
                             had);
        case 2:
            return mxb__fail(error, MXB_ERROR_PARAM,
                             "the journal \"%s\" is of another search: it has no \"%s\", which this one has", quoted,
                             has);
        case 3:
            return mxb__fail(error, MXB_ERROR_PARAM,
                             "the journal \"%s\" is of another search: it has \"%s\", this one \"%s\"", quoted, had,
                             has);
        default:
            return mxb__fail(error, MXB_ERROR_PARAM,
                             "the journal \"%s\" is of another search: it has its lines in another order", quoted);
    }
}

/* A header that is not whole was cut short while it was written, and is the beginning of ours. */
static mxb_status check_beginning(const unsigned char *bytes, size_t n_bytes, const char *path, const char *about,
                                  mxb_error *error) {
    char *header;
    size_t n_header;
    MXB_TRY(mxb__journal_encode_header(about, &header, &n_header, error));
    int is_ours = n_bytes < n_header && memcmp(bytes, header, n_bytes) == 0;
    mxb__free(header);
    return is_ours ? MXB_OK : fail_at(error, path, "is damaged at its beginning");
}

/* Where the header ends, 0 where it is not whole, as after a crash while it was written. */
static mxb_status parse_header(const unsigned char *bytes, size_t n_bytes, const char *path, const char *about,
                               size_t *n_header, mxb_error *error) {
    size_t n_known = n_bytes < JOURNAL_MAGIC_SIZE ? n_bytes : JOURNAL_MAGIC_SIZE;
    size_t n_head = JOURNAL_MAGIC_SIZE + 4;
    *n_header = 0;
    if (memcmp(bytes, JOURNAL_MAGIC, n_known) != 0) {
        return fail_at(error, path, "is no journal of this version");
    }
    size_t n_about = n_bytes < n_head ? 0 : mxb__load_u32(bytes + JOURNAL_MAGIC_SIZE);
    size_t n = n_head + n_about;
    if (n_bytes < n + 8) {
        return check_beginning(bytes, n_bytes, path, about, error);
    }
    if (mxb__load_u64(bytes + n) != mxb__crc64(bytes, n)) {
        return fail_at(error, path, "is damaged at its beginning");
    }
    *n_header = n + 8;
    return compare_about((const char *)bytes + n_head, n_about, about, path, error);
}

/* ---- Records ---- */

void mxb__journal_encode_record(const mxb_trial *trial, const mxb_trial_result *result,
                                unsigned char bytes[JOURNAL_RECORD_SIZE]) {
    uint64_t numbers[2];
    memset(bytes, 0, JOURNAL_RECORD_SIZE);
    memcpy(&numbers[0], &result->loss, sizeof numbers[0]);
    memcpy(&numbers[1], &result->seconds, sizeof numbers[1]);
    mxb__store_u32(bytes, (uint32_t)trial->stage);
    mxb__store_u32(bytes + 4, (uint32_t)trial->config);
    mxb__store_u32(bytes + 8, (uint32_t)trial->fold);
    mxb__store_u32(bytes + 12, (uint32_t)result->status);
    mxb__store_u64(bytes + 16, numbers[0]);
    mxb__store_u64(bytes + 24, numbers[1]);
    mxb__store_u64(bytes + 32, result->n_rounds);
    memcpy(bytes + 40, result->message, strnlen(result->message, sizeof result->message - 1));
    mxb__store_u64(bytes + JOURNAL_RECORD_SIZE - 8, mxb__crc64(bytes, JOURNAL_RECORD_SIZE - 8));
}

static int is_whole(const unsigned char *bytes) {
    return mxb__load_u64(bytes + JOURNAL_RECORD_SIZE - 8) == mxb__crc64(bytes, JOURNAL_RECORD_SIZE - 8);
}

static void decode_record(const unsigned char *bytes, struct journal_record *record) {
    struct byte_reader in = {.bytes = bytes, .n_left = JOURNAL_RECORD_SIZE};
    memset(record, 0, sizeof *record);
    record->trial.stage = mxb__get_u32(&in);
    record->trial.config = mxb__get_u32(&in);
    record->trial.fold = mxb__get_u32(&in);
    record->result.status = (mxb_status)mxb__get_u32(&in);
    record->result.loss = mxb__get_f64(&in);
    record->result.seconds = mxb__get_f64(&in);
    record->result.n_rounds = mxb__get_u64(&in);
    memcpy(record->result.message, in.bytes, sizeof record->result.message - 1);
}

static int is_zero(const unsigned char *bytes, size_t n) {
    size_t i = 0;
    while (i < n && bytes[i] == 0) {
        i++;
    }
    return n > 0 && i == n;
}

/* Whether a record, `at` in the file, is not whole since a sector of it never reached the disk: the system writes them
 * in any order, and after a power cut a later record may be there where this one is not. */
static int is_lost(const unsigned char *bytes, size_t at) {
    size_t n_first = SECTOR_SIZE - at % SECTOR_SIZE;
    n_first = n_first < JOURNAL_RECORD_SIZE ? n_first : JOURNAL_RECORD_SIZE;
    return is_zero(bytes, n_first) || is_zero(bytes + n_first, JOURNAL_RECORD_SIZE - n_first);
}

/* How many records there are in the bytes behind the header. Those from the first lost one on and those behind the last
 * whole one are a damaged end; others that are not whole there may be none. */
static mxb_status count_records(const unsigned char *bytes, size_t n_bytes, size_t n_header, const char *path,
                                size_t *n_records, mxb_error *error) {
    char what[96];
    size_t n = n_bytes / JOURNAL_RECORD_SIZE;
    *n_records = 0;
    while (n > 0 && !is_whole(bytes + (n - 1) * JOURNAL_RECORD_SIZE)) {
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        const unsigned char *record = bytes + i * JOURNAL_RECORD_SIZE;
        if (!is_whole(record) && is_lost(record, n_header + i * JOURNAL_RECORD_SIZE)) {
            return MXB_OK;
        }
        if (!is_whole(record)) {
            snprintf(what, sizeof what, "is damaged: record %zu of %zu is not what was written", i + 1, n);
            return fail_at(error, path, what);
        }
        *n_records = i + 1;
    }
    return MXB_OK;
}

mxb_status mxb__journal_parse(const unsigned char *bytes, size_t n_bytes, const char *path, const char *about,
                              struct journal_contents *contents, size_t *n_good, mxb_error *error) {
    char quoted[QUOTED_SIZE];
    size_t n_header;
    size_t n_records = 0;
    *contents = (struct journal_contents){0};
    *n_good = 0;
    MXB_TRY(parse_header(bytes, n_bytes, path, about, &n_header, error));
    if (n_header > 0) {
        MXB_TRY(count_records(bytes + n_header, n_bytes - n_header, n_header, path, &n_records, error));
        MXB_TRY(mxb__alloc(&contents->records, n_records, sizeof *contents->records, "a journal", error));
        for (size_t i = 0; i < n_records; i++) {
            decode_record(bytes + n_header + i * JOURNAL_RECORD_SIZE, &contents->records[i]);
        }
        contents->n_records = n_records;
        *n_good = n_header + n_records * JOURNAL_RECORD_SIZE;
    }
    if (n_bytes > *n_good) {
        snprintf(contents->warning, sizeof contents->warning,
                 "the last %zu bytes of the journal \"%s\" are damaged "
                 "and were cut off",
                 n_bytes - *n_good, mxb__quote(quoted, sizeof quoted, path, SIZE_MAX));
    }
    return MXB_OK;
}
