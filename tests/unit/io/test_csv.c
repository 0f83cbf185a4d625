/* CSV text to fields: quoting, line ends, blanks, line numbers and the sentences of what is wrong. */
#include "io/csv.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/random.h"
#include "check.h"

/* All fields of a text as one line: fields in [ ] (quoted ones in < >), lines ended by a bar with the number of the
 * first. On failure the sentence. */
static const char *fields_of(const char *text, size_t n_bytes) {
    static char out[4000];
    struct csv_reader reader;
    struct csv_field field;
    mxb_error error;
    size_t used = 0;
    out[0] = '\0';
    if (mxb__csv_init(&reader, text, n_bytes, "f.csv", &error) != MXB_OK) {
        return strcpy(out, error.message);
    }
    while (!mxb__csv_is_at_end(&reader)) {
        do {
            char copy[64];
            if (mxb__csv_next(&reader, &field, &error) != MXB_OK) {
                return strcpy(out, error.message);
            }
            size_t n = mxb__csv_copy(&field, copy, sizeof copy);
            used += (size_t)snprintf(out + used, sizeof out - used, "%c%.*s%c", field.quoted ? '<' : '[', (int)n, copy,
                                     field.quoted ? '>' : ']');
        } while (!field.is_last);
        used += (size_t)snprintf(out + used, sizeof out - used, "%s|%zu ",
                                 mxb__csv_is_blank_line(&reader, &field) ? "blank" : "", reader.record_line);
    }
    return out;
}

static const char *fields(const char *text) { return fields_of(text, strlen(text)); }

static void splits_lines_and_fields(void) {
    CHECK_TEXT(fields(""), "");
    CHECK_TEXT(fields("a"), "[a]|1 ");
    CHECK_TEXT(fields("a,b\n1,2\n"), "[a][b]|1 [1][2]|2 ");
    CHECK_TEXT(fields("a,b\r\n1,2\r\n"), "[a][b]|1 [1][2]|2 ");
    CHECK_TEXT(fields("a,b\n1,2"), "[a][b]|1 [1][2]|2 ");
    CHECK_TEXT(fields("1,2\r"), "[1][2]|1 ");
    CHECK_TEXT(fields("1,"), "[1][]|1 ");
    CHECK_TEXT(fields("1,\n"), "[1][]|1 ");
    CHECK_TEXT(fields(",\n,"), "[][]|1 [][]|2 ");
    CHECK_TEXT(fields("\n\n1\n"), "[]blank|1 []blank|2 [1]|3 ");
    CHECK_TEXT(fields("\r\n \t\r\n"), "[]blank|1 []blank|2 ");
    CHECK_TEXT(fields("a\rb,c\r\r\n"), "[a\rb][c\r]|1 ");
}

static void drops_blanks_around_fields(void) {
    CHECK_TEXT(fields(" a b ,\tc\t,  \n"), "[a b][c][]|1 ");
    CHECK_TEXT(fields(" \"a\" ,\t\" b \"\t\r\n"), "<a>< b >|1 ");
    CHECK_TEXT(fields("\" \"\n"), "< >|1 ");
}

static void understands_quotes(void) {
    CHECK_TEXT(fields("\"a,b\",\"c\nd\"\n1,2\n"), "<a,b><c\nd>|1 [1][2]|3 ");
    CHECK_TEXT(fields("\"a\"\"b\",\"\"\"\",\"\"\n"), "<a\"b><\"><>|1 ");
    CHECK_TEXT(fields("\"a\""), "<a>|1 ");
    CHECK_TEXT(fields("\"a\"\r"), "<a>|1 ");
    CHECK_TEXT(fields("\"\"\n"), "<>|1 ");
    CHECK_TEXT(fields("5\",a\"b\"c\n"), "[5\"][a\"b\"c]|1 ");
    CHECK_TEXT(fields("\"\r\n\r\n\",x\ny,z"), "<\r\n\r\n>[x]|1 [y][z]|4 ");
}

static void skips_byte_order_mark(void) {
    CHECK_TEXT(fields("\xef\xbb\xbf"
                      "a,b\n"),
               "[a][b]|1 ");
    CHECK_TEXT(fields("\xef\xbb\xbf\"a\",b\n"), "<a>[b]|1 ");
    CHECK_TEXT(fields("\xef\xbb\xbf"), "");
    CHECK_TEXT(fields_of("\xff\xfe"
                         "a\0",
                         4),
               "f.csv is UTF-16 text; it must be UTF-8");
    CHECK_TEXT(fields_of("\xfe\xff\0a", 4), "f.csv is UTF-16 text; it must be UTF-8");
}

static void explains_broken_quotes(void) {
    CHECK_TEXT(fields("a,b\n1,\"x\ny\n"), "f.csv: line 2, column 2: the quoted field never ends");
    CHECK_TEXT(fields("\""), "f.csv: line 1, column 1: the quoted field never ends");
    CHECK_TEXT(fields("\"a\"\""), "f.csv: line 1, column 1: the quoted field never ends");
    CHECK_TEXT(fields("a\n\"b\"c\n"), "f.csv: line 2, column 1: text follows the closing quote");
    CHECK_TEXT(fields("1,\"b\n\" \"c\"\n"), "f.csv: line 2, column 2: text follows the closing quote");
    CHECK_TEXT(fields("\"b\"\rc"), "f.csv: line 1, column 1: text follows the closing quote");
}

static void limits_the_length_of_a_field(void) {
    size_t n = MXB__MAX_FIELD_BYTES;
    struct csv_reader reader;
    struct csv_field field;
    mxb_error error;
    char *text = malloc(n + 8);
    REQUIRE(text != NULL);
    memset(text, 'x', n + 8);
    OK(mxb__csv_init(&reader, text, n, "f.csv", &error), error);
    OK(mxb__csv_next(&reader, &field, &error), error);
    CHECK_INT(field.n_bytes, n);
    OK(mxb__csv_init(&reader, text, n + 1, "f.csv", &error), error);
    FAILS(mxb__csv_next(&reader, &field, &error), error, MXB_ERROR_DATA,
          "f.csv: line 1, column 1: the field is longer than 1048576 bytes");
    text[0] = '"';
    text[n + 2] = '"';
    OK(mxb__csv_init(&reader, text, n + 3, "f.csv", &error), error);
    FAILS(mxb__csv_next(&reader, &field, &error), error, MXB_ERROR_DATA,
          "f.csv: line 1, column 1: the field is longer than 1048576 bytes; its closing quote may be missing");
    free(text);
}

static void copies_no_more_than_fits(void) {
    struct csv_field field = {.text = "a\"\"b\"\"", .n_bytes = 6, .quoted = 1};
    char out[8] = "########";
    CHECK_INT(mxb__csv_copy(&field, out, 2), 2);
    CHECK(memcmp(out, "a\"######", 8) == 0);
    CHECK_INT(mxb__csv_copy(&field, out, 8), 4);
    CHECK(memcmp(out, "a\"b\"####", 8) == 0);
}

/* Writing random fields and reading them gives the same fields back. */
static void reads_back_what_a_writer_wrote(void) {
    static const char alphabet[] = "ab,\"\n\r \t0";
    struct random_stream stream = mxb__random_stream(5, RANDOM_ROWS, 0);
    uint64_t next = 0;
    for (int trial = 0; trial < 3000; trial++) {
        char values[12][10];
        size_t lengths[12];
        char text[400];
        size_t used = 0;
        size_t n_columns = 1 + mxb__random_bits(stream, next++) % 4;
        size_t n_rows = 1 + mxb__random_bits(stream, next++) % 3;
        for (size_t i = 0; i < n_rows * n_columns; i++) {
            lengths[i] = mxb__random_bits(stream, next++) % 9;
            text[used++] = '"';
            for (size_t j = 0; j < lengths[i]; j++) {
                values[i][j] = alphabet[mxb__random_bits(stream, next++) % (sizeof alphabet - 1)];
                text[used++] = values[i][j];
                if (values[i][j] == '"') {
                    text[used++] = '"';
                }
            }
            text[used++] = '"';
            if ((i + 1) % n_columns != 0) {
                text[used++] = ',';
            } else if (trial % 2 == 0) {
                text[used++] = '\r';
                text[used++] = '\n';
            } else {
                text[used++] = '\n';
            }
        }
        struct csv_reader reader;
        struct csv_field field;
        mxb_error error;
        OK(mxb__csv_init(&reader, text, used, "f.csv", &error), error);
        for (size_t i = 0; i < n_rows * n_columns; i++) {
            char copy[10];
            OK(mxb__csv_next(&reader, &field, &error), error);
            REQUIRE(mxb__csv_copy(&field, copy, sizeof copy) == lengths[i]);
            REQUIRE(memcmp(copy, values[i], lengths[i]) == 0);
            REQUIRE(field.is_last == ((i + 1) % n_columns == 0));
        }
        REQUIRE(mxb__csv_is_at_end(&reader));
    }
}

static int same_state(const struct csv_reader *a, const struct csv_reader *b) {
    return a->next == b->next && a->line == b->line && a->n_fields == b->n_fields && a->record_line == b->record_line &&
           a->is_line_done == b->is_line_done;
}

/* A field that is skipped, or read as a number alone, is the field that is read, and leaves the reader in the same
 * state. */
static void skips_and_reads_numbers_as_fields(void) {
    static const char alphabet[] = "1234567890.,,\n\r -\"ex";
    struct random_stream stream = mxb__random_stream(6, RANDOM_ROWS, 0);
    uint64_t next = 0;
    size_t n_numbers = 0;
    for (int trial = 0; trial < 5000; trial++) {
        char text[40];
        size_t n = 1 + mxb__random_bits(stream, next++) % sizeof text;
        for (size_t i = 0; i < n; i++) {
            text[i] = alphabet[mxb__random_bits(stream, next++) % (sizeof alphabet - 1)];
        }
        struct csv_reader reader, twin;
        struct csv_field field;
        mxb_error error;
        OK(mxb__csv_init(&reader, text, n, "f.csv", &error), error);
        twin = reader;
        while (!mxb__csv_is_at_end(&reader) && mxb__csv_next(&twin, &field, &error) == MXB_OK) {
            double number, expected;
            int is_last;
            struct csv_reader skipping = reader;
            mxb__csv_skip(&skipping);
            REQUIRE(same_state(&skipping, &twin));
            if (mxb__csv_next_number(&reader, &number, &is_last)) {
                REQUIRE(mxb__number_parse(field.text, field.n_bytes, &expected) && number == expected);
                REQUIRE(is_last == field.is_last && same_state(&reader, &twin));
                n_numbers++;
            }
            reader = twin;
        }
    }
    CHECK(n_numbers > 2000);
}

/* A number that is too long for a field is left to the one who says so. */
static void long_numbers_are_fields(void) {
    size_t n = MXB__MAX_FIELD_BYTES;
    char *text = malloc(n + 2);
    double number;
    int is_last;
    struct csv_reader reader;
    REQUIRE(text != NULL);
    memset(text, '1', n + 1);
    text[n + 1] = '\n';
    OK(mxb__csv_init(&reader, text, n + 2, "f.csv", NULL), (mxb_error){{0}});
    CHECK_INT(mxb__csv_next_number(&reader, &number, &is_last), 0);
    reader.next++;
    CHECK_INT(mxb__csv_next_number(&reader, &number, &is_last), 1);
    free(text);
}

/* Lines end where the reader of fields says, wherever there are quotes. */
static void finds_the_ends_of_lines(void) {
    static const char alphabet[] = "a,\"\"\n\r \t";
    struct random_stream stream = mxb__random_stream(7, RANDOM_ROWS, 0);
    uint64_t next = 0;
    size_t n_lines = 0;
    for (int trial = 0; trial < 20000; trial++) {
        char text[30];
        size_t n = 1 + mxb__random_bits(stream, next++) % sizeof text;
        for (size_t i = 0; i < n; i++) {
            text[i] = alphabet[mxb__random_bits(stream, next++) % (sizeof alphabet - 1)];
        }
        struct csv_reader reader;
        struct csv_field field = {.is_last = 1};
        mxb_error error;
        OK(mxb__csv_init(&reader, text, n, "f.csv", &error), error);
        while (!mxb__csv_is_at_end(&reader)) {
            size_t n_breaks = 0;
            const char *start = reader.next;
            const char *end = mxb__csv_line_end(start, text + n, &n_breaks);
            size_t line = reader.line;
            mxb_status status;
            do {
                status = mxb__csv_next(&reader, &field, &error);
            } while (status == MXB_OK && !field.is_last);
            if (status != MXB_OK) {
                break;
            }
            REQUIRE(end == reader.next && line + n_breaks == reader.line);
            REQUIRE(mxb__csv_begins_blank_line(start, text + n) == mxb__csv_is_blank_line(&reader, &field));
            n_lines++;
        }
    }
    CHECK(n_lines > 20000);
}

/* Behind the end there may be what looks like more of the line. */
static void lines_end_where_the_text_does(void) {
    static const char *const texts[] = {"a,b\n", "\"a\n", "\"a\"\n", "a,\"b\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *end = texts[i] + strlen(texts[i]) - 1;
        size_t n_breaks = 0;
        CHECK(mxb__csv_line_end(texts[i], end, &n_breaks) == end);
        CHECK_INT(n_breaks, 0);
    }
}

int main(void) {
    RUN(splits_lines_and_fields);
    RUN(drops_blanks_around_fields);
    RUN(understands_quotes);
    RUN(skips_byte_order_mark);
    RUN(explains_broken_quotes);
    RUN(limits_the_length_of_a_field);
    RUN(copies_no_more_than_fits);
    RUN(reads_back_what_a_writer_wrote);
    RUN(skips_and_reads_numbers_as_fields);
    RUN(long_numbers_are_fields);
    RUN(finds_the_ends_of_lines);
    RUN(lines_end_where_the_text_does);
    return check_report();
}
