/* Columns of text coded in pieces: the codes and texts, and what is wrong with them, as in one go. Random tables are
 * compared with a plain reader in test_table_rows.c. The source is included so that there can be too many texts. */
#define _XOPEN_SOURCE 700
#include "data/dictionary.h"

static size_t most_texts = MXB__MAX_TEXTS;
#undef MXB__MAX_TEXTS
#define MXB__MAX_TEXTS most_texts
#include "io/table_texts.c"

#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "plain_table.h"

enum { ROWS = 400 };

static char text[ROWS * 40];
static size_t n_bytes;

static void put(const char *format, int i) { n_bytes += (size_t)snprintf(text + n_bytes, 40, format, i); }

/* What is read is the same in one go and in pieces. */
static void check_pieces(void) {
    struct table_options plain = {.header = MXB_HEADER_NO, .n_threads = 1, .piece_bytes = sizeof text};
    char *expected = table_as_text(text, n_bytes, &plain);
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        for (size_t piece_bytes = 1; piece_bytes < 2 * n_bytes; piece_bytes = piece_bytes * 5 / 3 + 1) {
            struct table_options options = {MXB_HEADER_NO, NULL, 0, n_threads, piece_bytes};
            char *found = table_as_text(text, n_bytes, &options);
            CHECK_TEXT(found, expected);
            free(found);
        }
    }
    free(expected);
}

static void codes_are_those_of_the_file(void) {
    n_bytes = 0;
    for (int i = 0; i < ROWS; i++) {
        put("%d,", i);
        put(i % 7 == 0 ? "NA," : "\"t \"\"%d\"\"\",", i * i % 91);
        put("\"u\n%d\"\n", i % 5);
    }
    check_pieces();
}

/* The last piece has anything from a part of a line on. */
static void codes_of_a_last_line_are_those_of_the_file(void) {
    n_bytes = 0;
    for (int i = 0; i < ROWS; i++) {
        put("t%d,", i * i % 91);
        put("u%d\n", i % 5);
    }
    struct table_options options = {.header = MXB_HEADER_NO, .n_threads = 1};
    char *expected = table_as_text(text, n_bytes, &options);
    options.n_threads = 2;
    for (options.piece_bytes = n_bytes / 3 - 10; options.piece_bytes <= n_bytes / 3; options.piece_bytes++) {
        char *found = table_as_text(text, n_bytes, &options);
        CHECK_TEXT(found, expected);
        free(found);
    }
    free(expected);
}

/* A zero byte ends a column's texts, and those of no other. */
static void problems_stay_where_they_are(void) {
    n_bytes = 0;
    for (int i = 0; i < ROWS; i++) {
        put("a%d,", i);
        put("b%d\n", i % 9);
    }
    for (size_t row_at = n_bytes / 3; row_at < n_bytes; row_at += n_bytes / 3) {
        size_t at = row_at;
        while (text[at] != 'a') {
            at++;
        }
        text[at + 1] = '\0';
        check_pieces();
    }
}

static void every_problem_is_told_by_its_line(void) {
    static const char rows[] = "a,b\nc,d\0\ne\0,f\n";
    struct table_options options = {.header = MXB_HEADER_NO};
    mxb_table *table;
    mxb_error error;
    OK(mxb__table_parse(rows, sizeof rows - 1, "data.csv", &options, &table, &error), error);
    CHECK_INT(table->columns[0].problem_line, 3);
    CHECK_INT(table->columns[1].problem_line, 2);
    mxb_table_free(table);
}

static void too_many_texts_are_a_problem(void) {
    struct table_options options = {.header = MXB_HEADER_NO};
    mxb_table *table;
    mxb_error error;
    n_bytes = 0;
    for (int i = 0; i < ROWS; i++) {
        put("a%d,", i % 100);
        put("b%d\n", i / 2);
    }
    most_texts = 100;
    OK(mxb__table_parse(text, n_bytes, "data.csv", &options, &table, &error), error);
    CHECK(table->columns[0].problem == NULL && table->columns[0].n_texts == 100);
    CHECK_TEXT(table->columns[1].problem, "the column has more than 16777216 different texts");
    CHECK_INT(table->columns[1].problem_line, 201);
    mxb_table_free(table);
    check_pieces();
    most_texts = (size_t)1 << 24;
}

/* Those of empty lines alone. */
static void pieces_may_have_no_rows(void) {
    n_bytes = 0;
    for (int i = 0; i < ROWS; i++) {
        put("t%d\n", i % 7);
    }
    memset(text + n_bytes, '\n', ROWS);
    n_bytes += ROWS;
    check_pieces();
}

/* It says so, or what is read is right. */
static void survives_every_failing_allocation(void) {
    n_bytes = 0;
    for (int i = 0; i < ROWS; i++) {
        put(i % 2 == 0 ? "a%d," : "%d,", i); /* of which the lines are read again */
        put("\"b\"\"%d\"\n", i % 9);
    }
    struct table_options options = {MXB_HEADER_NO, NULL, 0, 2, 450};
    char *expected = table_as_text(text, n_bytes, &options);
    size_t n_failed = 0;
    for (uint64_t n = 1; n < 400; n++) {
        mxb__memory_fail_at(n, n % 2 == 0);
        char *found = table_as_text(text, n_bytes, &options);
        mxb__memory_fail_at(0, 0);
        int has_failed = strncmp(found, "out of memory: ", 15) == 0;
        CHECK(has_failed || strcmp(found, expected) == 0);
        n_failed += (size_t)has_failed;
        free(found);
    }
    CHECK(n_failed > 50);
    free(expected);
}

int main(void) {
    RUN(codes_are_those_of_the_file);
    RUN(codes_of_a_last_line_are_those_of_the_file);
    RUN(problems_stay_where_they_are);
    RUN(every_problem_is_told_by_its_line);
    RUN(too_many_texts_are_a_problem);
    RUN(pieces_may_have_no_rows);
    RUN(survives_every_failing_allocation);
    return check_report();
}
