/* The journal's bytes: layout, what is read of them, and damage at every byte: a warning and a shorter journal, or an
 * error, never a wrong result. */
#include "tune/journal.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "check.h"
#include "tune/journal_format.h"
#include "unit/boost/make_data.h"

enum { N_RECORDS = 8, MAX_BYTES = 4096 };

static const char ABOUT[] = "data 12\neta 4\nspace \nnum_round 10\n";
enum { N_HEADER = JOURNAL_MAGIC_SIZE + 4 + sizeof ABOUT - 1 + 8 };

static mxb_error error;

/* A journal in memory. */
static unsigned char bytes[MAX_BYTES];
static size_t n_bytes;
static struct journal_record records[N_RECORDS];

static struct journal_record make_record(size_t i) {
    struct journal_record record = {
        .trial = {.stage = i / 2, .config = 1000 + i, .fold = i % 3},
        .result = {.status = MXB_OK, .loss = -0.1 * (double)i, .n_rounds = 3 * i, .seconds = 1e-3 * (double)i}};
    if (i == 1) {
        record.result.status = MXB_ERROR_MEMORY;
        record.result.loss = HUGE_VAL;
        snprintf(record.result.message, sizeof record.result.message, "out of memory: %zu bytes for a test", i);
    }
    if (i == 2) { /* has no zeros around the end of a sector */
        record.result.status = MXB_ERROR_DATA;
        memset(record.result.message, 'x', sizeof record.result.message - 1);
    }
    return record;
}

static void make_journal(void) {
    char *header;
    if (mxb__journal_encode_header(ABOUT, &header, &n_bytes, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        return;
    }
    memcpy(bytes, header, n_bytes);
    mxb__free(header);
    for (size_t i = 0; i < N_RECORDS; i++) {
        records[i] = make_record(i);
        mxb__journal_encode_record(&records[i].trial, &records[i].result, bytes + n_bytes);
        n_bytes += JOURNAL_RECORD_SIZE;
    }
}

static int same_record(const struct journal_record *a, const struct journal_record *b) {
    return a->trial.stage == b->trial.stage && a->trial.config == b->trial.config && a->trial.fold == b->trial.fold &&
           a->result.status == b->result.status && a->result.n_rounds == b->result.n_rounds &&
           memcmp(&a->result.loss, &b->result.loss, sizeof(double)) == 0 &&
           memcmp(&a->result.seconds, &b->result.seconds, sizeof(double)) == 0 &&
           strcmp(a->result.message, b->result.message) == 0;
}

/* Parses an exact copy, so that a sanitizer sees the first byte read beyond it; counts the records if they are the
 * first of those written, -1 if they are not. */
static mxb_status parse(const unsigned char *from, size_t n, const char *about, int *n_records, size_t *n_good,
                        char warning[256]) {
    unsigned char *copy = malloc(n > 0 ? n : 1);
    struct journal_contents contents;
    memcpy(copy, from, n);
    mxb_status status = mxb__journal_parse(copy, n, "a.mxj", about, &contents, n_good, &error);
    *n_records = status == MXB_OK ? (int)contents.n_records : 0;
    for (size_t i = 0; status == MXB_OK && i < contents.n_records; i++) {
        if (i >= N_RECORDS || !same_record(&contents.records[i], &records[i])) {
            *n_records = -1;
        }
    }
    memcpy(warning, contents.warning, sizeof contents.warning);
    mxb__free(contents.records);
    free(copy);
    return status;
}

static void what_was_written_is_read(void) {
    char warning[256];
    int n_records;
    size_t n_good;
    OK(parse(bytes, n_bytes, ABOUT, &n_records, &n_good, warning), error);
    CHECK_INT(n_records, N_RECORDS);
    CHECK_INT(n_good, n_bytes);
    CHECK_INT(n_bytes, N_HEADER + N_RECORDS * JOURNAL_RECORD_SIZE);
    CHECK_TEXT(warning, "");
    OK(parse(bytes, N_HEADER, ABOUT, &n_records, &n_good, warning), error);
    CHECK_INT(n_records, 0);
    CHECK_INT(n_good, N_HEADER);
    CHECK_TEXT(warning, "");
}

/* Byte for byte, so that a journal can be gone on from on another machine. */
static void layout(void) {
    static const unsigned char head[] = {'m', 'i', 'x', 'b', 'o', 'o',  's', 't', ' ', 't',
                                         'u', 'n', 'e', ' ', '1', '\n', 3,   0,   0,   0};
    static const unsigned char wanted[40] = {
        4,    3,    2,    1,    8,    7,    6,    5,    5, 0, 0, 0, 5, 0, 0, 0, /* stage, configuration, fold, status */
        0,    0,    0,    0,    0,    0,    0xF8, 0x3F,                         /* 1.5 */
        0,    0,    0,    0,    0,    0,    0xD0, 0xBF,                         /* -0.25 */
        0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0x10, 0x0F};                        /* rounds */
    mxb_trial trial = {.stage = 0x01020304, .config = 0x05060708, .fold = 5};
    mxb_trial_result result = {
        .status = MXB_ERROR_MEMORY, .loss = 1.5, .seconds = -0.25, .n_rounds = 0x0F10111213141516, .message = "why"};
    unsigned char record[JOURNAL_RECORD_SIZE];
    char *header;
    size_t n_header;
    OK(mxb__journal_encode_header("abc", &header, &n_header, &error), error);
    CHECK_INT(n_header, 16 + 4 + 3 + 8);
    CHECK(memcmp(header, head, sizeof head) == 0 && memcmp(header + 20, "abc", 3) == 0);
    CHECK(mxb__load_u64((unsigned char *)header + 23) == mxb__crc64(header, 23));
    mxb__free(header);
    memset(record, 0xAA, sizeof record);
    mxb__journal_encode_record(&trial, &result, record);
    CHECK(memcmp(record, wanted, sizeof wanted) == 0);
    CHECK(memcmp(record + 40, "why", 4) == 0);
    for (size_t i = 43; i < 168; i++) {
        CHECK_INT(record[i], 0);
    }
    CHECK(mxb__load_u64(record + 168) == mxb__crc64(record, 168));
}

static void the_longest_message_is_kept(void) {
    char warning[256];
    int n_records;
    size_t n_good;
    struct journal_record old = records[0];
    memset(records[0].result.message, 'x', sizeof records[0].result.message - 1);
    mxb__journal_encode_record(&records[0].trial, &records[0].result, bytes + N_HEADER);
    OK(parse(bytes, n_bytes, ABOUT, &n_records, &n_good, warning), error);
    CHECK_INT(n_records, N_RECORDS);
    records[0] = old;
    mxb__journal_encode_record(&records[0].trial, &records[0].result, bytes + N_HEADER);
}

/* ---- damage ---- */

/* Cut anywhere: the whole records before the cut, with a warning if there is more. */
static void every_truncation_is_cut_off(void) {
    for (size_t n = 1; n < n_bytes; n++) {
        char warning[256];
        char wanted[256] = "";
        int n_records;
        size_t n_good;
        OK(parse(bytes, n, ABOUT, &n_records, &n_good, warning), error);
        size_t n_whole = n < N_HEADER ? 0 : (n - N_HEADER) / JOURNAL_RECORD_SIZE;
        size_t kept = n < N_HEADER ? 0 : N_HEADER + n_whole * JOURNAL_RECORD_SIZE;
        if (kept < n) {
            snprintf(wanted, sizeof wanted, "the last %zu bytes of the journal \"a.mxj\" are damaged and were cut off",
                     n - kept);
        }
        CHECK_INT(n_records, n_whole);
        CHECK_INT(n_good, kept);
        CHECK_TEXT(warning, wanted);
    }
}

static void check_damaged(size_t at, const char *sentence) {
    char warning[256];
    int n_records;
    size_t n_good;
    if (sentence != NULL) {
        FAILS(parse(bytes, n_bytes, ABOUT, &n_records, &n_good, warning), error, MXB_ERROR_FORMAT, sentence);
    } else { /* the last record is the end */
        OK(parse(bytes, n_bytes, ABOUT, &n_records, &n_good, warning), error);
        CHECK_INT(n_records, N_RECORDS - 1);
        CHECK_INT(n_good, n_bytes - JOURNAL_RECORD_SIZE);
        CHECK_TEXT(warning, "the last 176 bytes of the journal \"a.mxj\" are damaged and were cut off");
    }
    if (check_n_failed > 0) {
        fprintf(stderr, "    (byte %zu)\n", at);
    }
}

/* Every byte in turn, changed in one bit, in all bits, and to 0. */
static void every_changed_byte_is_seen(void) {
    for (size_t at = 0; at < n_bytes; at++) {
        unsigned char was = bytes[at];
        char damaged[128];
        size_t record = at < N_HEADER ? 0 : (at - N_HEADER) / JOURNAL_RECORD_SIZE;
        snprintf(damaged, sizeof damaged, "the journal \"a.mxj\" is damaged: record %zu of %d is not what was written",
                 record + 1, N_RECORDS);
        const char *sentence = at < JOURNAL_MAGIC_SIZE  ? "the journal \"a.mxj\" is no journal of this version"
                               : at < N_HEADER          ? "the journal \"a.mxj\" is damaged at its beginning"
                               : record + 1 < N_RECORDS ? damaged
                                                        : NULL;
        for (int change = 0; change < 10; change++) {
            unsigned flip = change < 8 ? 1u << change : change == 8 ? 0xFFu : was;
            bytes[at] = (unsigned char)(was ^ flip);
            if (bytes[at] != was) {
                check_damaged(at, sentence);
            }
        }
        bytes[at] = was;
        if (check_n_failed > 0) {
            return;
        }
    }
}

/* After a power cut, with the sectors behind it written. */
static void a_sector_that_never_reached_the_disk_ends_the_journal(void) {
    size_t n_seen = 0;
    for (size_t at = (N_HEADER + 511) / 512 * 512; at < n_bytes; at += 512) {
        unsigned char lost[MAX_BYTES];
        char warning[256];
        int n_records;
        size_t n_good;
        memcpy(lost, bytes, n_bytes);
        memset(lost + at, 0, n_bytes - at < 512 ? n_bytes - at : 512);
        OK(parse(lost, n_bytes, ABOUT, &n_records, &n_good, warning), error);
        CHECK_INT(n_records, (at - N_HEADER) / JOURNAL_RECORD_SIZE);
        CHECK(strstr(warning, " bytes of the journal \"a.mxj\" are damaged and were cut off") != NULL);
        n_seen++;
    }
    CHECK(n_seen >= 2);
}

/* Two of them at random, cut at random: right records from the first on, or an error. */
static void much_damage_gives_no_wrong_record(void) {
    struct dice dice = {7};
    unsigned char damaged[MAX_BYTES];
    size_t n_errors = 0;
    size_t n_cut = 0;
    for (int i = 0; i < 20000; i++) {
        char warning[256];
        int n_records;
        size_t n_good;
        size_t n = 1 + dice_below(&dice, n_bytes);
        memcpy(damaged, bytes, n);
        for (size_t k = 1 + dice_below(&dice, 40); k > 0; k--) {
            damaged[n - 1 - dice_below(&dice, n < 400 ? n : 400)] = (unsigned char)dice_bits(&dice);
        }
        mxb_status status = parse(damaged, n, ABOUT, &n_records, &n_good, warning);
        CHECK(status == MXB_OK ? n_records >= 0 : status == MXB_ERROR_FORMAT);
        CHECK(status != MXB_OK || (n_good <= n && (n_good == n) == (warning[0] == '\0')));
        n_errors += status != MXB_OK;
        n_cut += status == MXB_OK && n_records > 0;
    }
    CHECK(n_errors > 1000 && n_cut > 1000);
}

/* ---- other searches ---- */

static void check_refused_saying(const char *about, const char *what) {
    char warning[256];
    char sentence[512];
    int n_records;
    size_t n_good;
    snprintf(sentence, sizeof sentence, "the journal \"a.mxj\" is of another search: it has %s", what);
    FAILS(parse(bytes, n_bytes, about, &n_records, &n_good, warning), error, MXB_ERROR_PARAM, sentence);
}

static void check_refused(const char *about, const char *had, const char *has) {
    char what[256];
    snprintf(what, sizeof what, "\"%s\", this one \"%s\"", had, has);
    check_refused_saying(about, what);
}

static void another_search_is_refused_with_the_line_that_differs(void) {
    check_refused("data 13\neta 4\nspace \nnum_round 10\n", "data 12", "data 13");
    check_refused("data 12\neta 5\nspace \nnum_round 10\n", "eta 4", "eta 5");
    check_refused("data 12\neta 4\nspace \nnum_round 11\n", "num_round 10", "num_round 11");
    check_refused("data 12\neta 4\nspace \nnum_round 100\n", "num_round 10", "num_round 100");
    check_refused("data 12\neta 4\nspace \nnum_round 1\n", "num_round 10", "num_round 1");
    check_refused("data 13\ndata 12\neta 4\nspace \nnum_round 10\n", "data 12", "data 13"); /* though it comes later */
    check_refused("data 12\neta 4\ngamma 1\nspace \nnum_round 9\n", "num_round 10", "gamma 1");
    check_refused("data 12\neta2 4\nspace \nnum_round 10\n", "eta 4", "eta2 4");
    check_refused_saying("data 12\neta 4\nspace \n", "\"num_round 10\", which this one has not");
    check_refused_saying("data 12\neta 4\nspace \nnum_round 10\nalpha 1\n", "no \"alpha 1\", which this one has");
    check_refused_saying("data 12\ngamma 1\neta 4\nspace \nnum_round 10\n", "no \"gamma 1\", which this one has");
    check_refused_saying("", "\"data 12\", which this one has not");
    check_refused_saying("eta 4\ndata 12\nspace \nnum_round 10\n", "its lines in another order");
}

/* As no version of ours writes it. */
static void a_last_line_may_lack_its_end(void) {
    char *header;
    size_t n_header;
    size_t n_good;
    struct journal_contents contents;
    OK(mxb__journal_encode_header("data 12\neta 4", &header, &n_header, &error), error);
    FAILS(mxb__journal_parse((const unsigned char *)header, n_header, "a.mxj", "data 12\neta 5\n", &contents, &n_good,
                             &error),
          error, MXB_ERROR_PARAM, "the journal \"a.mxj\" is of another search: it has \"eta 4\", this one \"eta 5\"");
    mxb__free(header);
}

static void what_is_no_journal_is_refused(void) {
    static const char *const texts[] = {"a,b,y\n1,2,3\n", "m", "MIXBOOST", "mixboost tune 2\n and more",
                                        "mixboost model"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char warning[256];
        int n_records;
        size_t n_good;
        mxb_status status =
            parse((const unsigned char *)texts[i], strlen(texts[i]), ABOUT, &n_records, &n_good, warning);
        if (i == 1) { /* as of one whose first write was cut short */
            CHECK_INT(status, MXB_OK);
            continue;
        }
        CHECK_INT(status, MXB_ERROR_FORMAT);
        CHECK_TEXT(error.message, "the journal \"a.mxj\" is no journal of this version");
    }
}

/* A header that was cut short is begun anew only by the search that wrote it. */
static void the_beginning_of_another_search_is_refused(void) {
    static const char other[] = "data 13\neta 4\nspace \nnum_round 10\n";
    for (size_t n = 1; n < N_HEADER; n++) {
        char warning[256];
        int n_records;
        size_t n_good;
        mxb_status status = parse(bytes, n, other, &n_records, &n_good, warning);
        int is_common = n <= JOURNAL_MAGIC_SIZE + 4 + 6; /* up to "data 1" */
        CHECK_INT(status, is_common ? MXB_OK : MXB_ERROR_FORMAT);
        CHECK(is_common || strcmp(error.message, "the journal \"a.mxj\" is damaged at its beginning") == 0);
    }
}

static void out_of_memory(void) {
    char warning[256];
    char *header;
    int n_records;
    size_t n_good;
    mxb__memory_fail_at(1, 1);
    CHECK_INT(parse(bytes, n_bytes, ABOUT, &n_records, &n_good, warning), MXB_ERROR_MEMORY);
    CHECK_INT(parse(bytes, N_HEADER - 1, ABOUT, &n_records, &n_good, warning), MXB_ERROR_MEMORY);
    CHECK_INT(mxb__journal_encode_header(ABOUT, &header, &n_good, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
}

int main(void) {
    make_journal();
    RUN(what_was_written_is_read);
    RUN(layout);
    RUN(the_longest_message_is_kept);
    RUN(every_truncation_is_cut_off);
    RUN(every_changed_byte_is_seen);
    RUN(a_sector_that_never_reached_the_disk_ends_the_journal);
    RUN(much_damage_gives_no_wrong_record);
    RUN(another_search_is_refused_with_the_line_that_differs);
    RUN(a_last_line_may_lack_its_end);
    RUN(what_is_no_journal_is_refused);
    RUN(the_beginning_of_another_search_is_refused);
    RUN(out_of_memory);
    return check_report();
}
