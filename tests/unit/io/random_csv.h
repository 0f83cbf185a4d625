/* Random CSV text: numbers, missing values and texts, quotes, blanks, all line ends, and now and then a mistake. */
#ifndef RANDOM_CSV_H
#define RANDOM_CSV_H

#include <stdio.h>
#include <string.h>

#include "base/random.h"

struct random_csv {
    struct random_stream stream;
    uint64_t next;
    char text[1 << 16];
    size_t n_bytes;
};

static size_t random_below(struct random_csv *csv, size_t n) { return mxb__random_bits(csv->stream, csv->next++) % n; }

static void put_bytes(struct random_csv *csv, const char *bytes, size_t n) {
    memcpy(csv->text + csv->n_bytes, bytes, n);
    csv->n_bytes += n;
}

static void put_text(struct random_csv *csv, const char *text) { put_bytes(csv, text, strlen(text)); }

static void put_number(struct random_csv *csv) {
    static const char *const odd[] = {"0",     "-0",  "+5",        ".5",    "5.",   "1e3",
                                      "-1E-5", "inf", "-Infinity", "1e999", "00012"};
    char number[64];
    double x = (double)(int64_t)mxb__random_bits(csv->stream, csv->next++) * 0x1p-60;
    size_t kind = random_below(csv, 8);
    if (kind == 0) {
        put_text(csv, odd[random_below(csv, sizeof odd / sizeof odd[0])]);
        return;
    }
    if (kind == 1) {
        snprintf(number, sizeof number, "%d", (int)random_below(csv, 100000) - 50000);
    } else {
        snprintf(number, sizeof number, "%.*g", (int)random_below(csv, 22) + 1, x);
    }
    put_text(csv, number);
}

static void put_quoted(struct random_csv *csv) {
    static const char alphabet[] = "ab1,\"\n\r \t.";
    put_text(csv, "\"");
    for (size_t n = random_below(csv, 8); n > 0; n--) {
        char c = alphabet[random_below(csv, sizeof alphabet - 1)];
        put_bytes(csv, &c, 1);
        if (c == '"') {
            put_bytes(csv, &c, 1);
        }
    }
    put_text(csv, "\"");
}

/* `oddness` 0: numbers alone; the more, the more of all the rest. */
static void put_cell(struct random_csv *csv, size_t oddness) {
    static const char *const others[] = {"",  "NA", " nan ", "  ",     "x",       "new york", " y\t", "a\"b", "5\"",
                                         "e", "1e", "1.2.3", "\"12\"", "\" 7 \"", "\"\"",     "-",    "\r",   "1 2"};
    if (random_below(csv, 12) >= oddness) {
        put_number(csv);
    } else if (random_below(csv, 3) == 0) {
        put_quoted(csv);
    } else if (random_below(csv, 60) == 0) {
        put_bytes(csv, "a\0b", 3);
    } else {
        put_text(csv, others[random_below(csv, sizeof others / sizeof others[0])]);
    }
}

static void put_line_end(struct random_csv *csv, size_t style) {
    static const char *const ends[] = {"\n", "\r\n", "\n\n", "\n \t\n", "\r\n\r\n"};
    put_text(csv, ends[random_below(csv, 10) == 0 ? random_below(csv, 5) : style % 2]);
}

/* A mistake in every tenth text or so. */
static void put_mistake(struct random_csv *csv, size_t n_rows) {
    static const char *const mistakes[] = {"\"open", "\"a\"b", ",", "1,2,3,4,5,6,7", "\"a\n\" \"b\""};
    if (random_below(csv, 10 * n_rows) == 0) {
        put_text(csv, mistakes[random_below(csv, sizeof mistakes / sizeof mistakes[0])]);
    }
}

static void random_csv_fill(struct random_csv *csv, uint64_t seed, size_t max_rows) {
    csv->stream = mxb__random_stream(seed, RANDOM_ROWS, 0);
    csv->next = 0;
    csv->n_bytes = 0;
    size_t n_columns = 1 + random_below(csv, 5);
    size_t n_rows = 1 + random_below(csv, max_rows);
    size_t style = random_below(csv, 2);
    size_t oddness[5];
    for (size_t j = 0; j < n_columns; j++) {
        oddness[j] = random_below(csv, 3) * random_below(csv, 5);
    }
    if (random_below(csv, 8) == 0) {
        put_text(csv, "\xef\xbb\xbf");
    }
    if (random_below(csv, 2) == 0) {
        for (size_t j = 0; j < n_columns; j++) {
            char name[] = {(char)('a' + j), j + 1 < n_columns ? ',' : '\n', '\0'};
            put_text(csv, name);
        }
    }
    for (size_t i = 0; i < n_rows; i++) {
        for (size_t j = 0; j < n_columns; j++) {
            put_text(csv, j == 0 ? "" : ",");
            put_cell(csv, oddness[j]);
        }
        put_mistake(csv, n_rows);
        put_line_end(csv, style);
    }
    csv->n_bytes -= random_below(csv, 3) == 0 ? 1 : 0; /* the last line need not end */
}

#endif
