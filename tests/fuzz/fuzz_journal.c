/* Any bytes as a journal of a search: records that are written again as the same bytes, and a warning if there are more
 * behind them, or an error; never a crash, leak or wrong record. Once as they are, and once with checksums put right,
 * for who keeps a search of just this header. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "fuzz/must.h"
#include "tune/journal.h"
#include "tune/journal_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char ABOUT[] = "data 0123456789abcdef\nn_configs 8\neta 2\nspace \nnum_round 3 9 integer\n";

/* What was read, written again. */
static void compare(const struct journal_contents *contents, const char *about, const uint8_t *data, size_t n_good) {
    unsigned char record[JOURNAL_RECORD_SIZE];
    char *header;
    size_t n_header;
    MUST(mxb__journal_encode_header(about, &header, &n_header, NULL) == MXB_OK);
    MUST(n_good == n_header + contents->n_records * JOURNAL_RECORD_SIZE);
    MUST(memcmp(header, data, n_header) == 0);
    mxb__free(header);
    for (size_t i = 0; i < contents->n_records; i++) {
        const uint8_t *at = data + n_header + i * JOURNAL_RECORD_SIZE;
        mxb__journal_encode_record(&contents->records[i].trial, &contents->records[i].result, record);
        MUST(memcmp(record, at, 40 + strnlen((const char *)at + 40, 127)) == 0); /* behind the message is anything */
    }
}

static void try_bytes(const uint8_t *data, size_t size, const char *about) {
    struct journal_contents contents;
    mxb_error error = {""};
    size_t n_good = 1;
    mxb_status status = mxb__journal_parse(data, size, "a.mxj", about, &contents, &n_good, &error);
    if (status != MXB_OK) {
        MUST(status == MXB_ERROR_FORMAT || status == MXB_ERROR_PARAM);
        MUST(strncmp(error.message, "the journal \"a.mxj\" is ", 23) == 0);
        MUST(contents.n_records == 0);
    } else {
        MUST(n_good <= size && (contents.warning[0] != '\0') == (n_good < size));
        MUST(n_good > 0 || contents.n_records == 0);
        if (n_good > 0) {
            compare(&contents, about, data, n_good);
        }
    }
    mxb__free(contents.records);
}

/* Puts the checksums right, those of records but for some; `about` takes the text of the header. 0 where there is none.
 */
static int repair(uint8_t *data, size_t size, char **about) {
    size_t n_head = JOURNAL_MAGIC_SIZE + 4;
    if (size < n_head + 8) {
        return 0;
    }
    memcpy(data, JOURNAL_MAGIC, JOURNAL_MAGIC_SIZE);
    size_t n_about = mxb__load_u32(data + JOURNAL_MAGIC_SIZE) % (size - n_head - 7);
    mxb__store_u32(data + JOURNAL_MAGIC_SIZE, (uint32_t)n_about);
    *about = calloc(n_about + 1, 1);
    MUST(*about != NULL);
    for (size_t i = 0; i < n_about; i++) { /* a text has no zeros */
        data[n_head + i] = data[n_head + i] == 0 ? ' ' : data[n_head + i];
        (*about)[i] = (char)data[n_head + i];
    }
    mxb__store_u64(data + n_head + n_about, mxb__crc64(data, n_head + n_about));
    for (size_t at = n_head + n_about + 8; at + JOURNAL_RECORD_SIZE <= size; at += JOURNAL_RECORD_SIZE) {
        if (data[at] != 0xFF) {
            uint64_t checksum = mxb__crc64(data + at, JOURNAL_RECORD_SIZE - 8);
            mxb__store_u64(data + at + JOURNAL_RECORD_SIZE - 8, checksum);
        }
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *about = NULL;
    try_bytes(data, size, ABOUT);
    uint8_t *copy = malloc(size + 1);
    MUST(copy != NULL);
    memcpy(copy, data, size);
    if (repair(copy, size, &about)) {
        try_bytes(copy, size, about);
        try_bytes(copy, size, ABOUT);
    }
    free(about);
    free(copy);
    return 0;
}
