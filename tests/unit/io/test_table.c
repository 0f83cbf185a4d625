/* CSV text to columns of doubles: headers, missing values, text, blank lines, growth, and each error's sentence. */
#define _XOPEN_SOURCE 700
#include "io/table.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

static mxb_status parse(const char *text, mxb_header header, mxb_table **table, mxb_error *error) {
    return mxb__table_parse(text, strlen(text), "data.csv", &(struct table_options){.header = header}, table, error);
}

static size_t print_cell(const struct table_column *column, size_t row, char *out, size_t size) {
    if (column->is_text) {
        int64_t code = column->codes[row];
        return (size_t)snprintf(out, size, code < 0 ? "?" : "'%s'", code < 0 ? "" : column->texts[code]);
    }
    return (size_t)snprintf(out, size, isnan(column->values[row]) ? "?" : "%g", column->values[row]);
}

/* The whole table as text: names, then rows; missing is "?", text in single quotes. On failure the sentence. */
static const char *chosen_table_of(const char *text, struct table_options options) {
    static char out[4000];
    mxb_table *table;
    mxb_error error;
    size_t used = 0;
    if (mxb__table_parse(text, strlen(text), "data.csv", &options, &table, &error) != MXB_OK) {
        CHECK(table == NULL);
        return strcpy(out, error.message);
    }
    out[0] = '\0';
    for (size_t j = 0; table->has_header && j < table->n_columns; j++) {
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%s", j == 0 ? "" : ",", table->columns[j].name);
    }
    for (size_t i = 0; i < table->n_rows; i++) {
        for (size_t j = 0; j < table->n_columns; j++) {
            used += (size_t)snprintf(out + used, sizeof out - used, "%c", j == 0 ? '|' : ',');
            used += print_cell(&table->columns[j], i, out + used, sizeof out - used);
        }
    }
    mxb_table_free(table);
    return out;
}

static const char *table_of(const char *text, mxb_header header) {
    return chosen_table_of(text, (struct table_options){.header = header});
}

static const char *automatic(const char *text) { return table_of(text, MXB_HEADER_AUTO); }

static void finds_the_header(void) {
    CHECK_TEXT(automatic("a,b\n1,2\n3,4\n"), "a,b|1,2|3,4");
    CHECK_TEXT(automatic("1,2\n3,4\n"), "|1,2|3,4");
    CHECK_TEXT(automatic("1,b\n3,4\n"), "1,b|3,4");
    CHECK_TEXT(automatic("1,NA\n3,4\n"), "|1,?|3,4");
    CHECK_TEXT(automatic("\"1\",\" 2 \"\n3,4\n"), "|1,2|3,4");
    CHECK_TEXT(table_of("1,2\n3,4\n", MXB_HEADER_YES), "1,2|3,4");
    CHECK_TEXT(table_of("a,2\n3,4\n", MXB_HEADER_NO), "|'a',2|'3',4");
    CHECK_TEXT(automatic("\xef\xbb\xbfx,y\r\n1,2\r\n"), "x,y|1,2");
}

static void names_columns(void) {
    CHECK_TEXT(automatic(" a , \"b, c\" ,\" d\"\"e \"\n1,2,3\n"), "a,b, c, d\"e |1,2,3");
    CHECK_TEXT(automatic(",x,\"\"\n1,2,3\n"), "column 1,x,column 3|1,2,3");
    CHECK_TEXT(automatic("a,b,a\n1,2,3\n"), "data.csv: columns 1 and 3 have the same name \"a\"");
    CHECK_TEXT(automatic("column 2,\n1,2\n"), "data.csv: columns 1 and 2 have the same name \"column 2\"");
    mxb_table *table;
    mxb_error error;
    FAILS(mxb__table_parse("a,b\0c\n1,2\n", 10, "data.csv", &(struct table_options){.header = MXB_HEADER_AUTO}, &table,
                           &error),
          error, MXB_ERROR_DATA, "data.csv: line 1, column 2: the name has a zero byte in it");
}

static void knows_missing_values(void) {
    CHECK_TEXT(automatic("a,b,c\n,NA,nan\n na , NaN,\"\"\nNAN,Na,\" \"\n"), "a,b,c|?,?,?|?,?,?|?,?,?");
    CHECK_TEXT(automatic("a,b\ninf,-Infinity\n1e999,-1e999\n"), "a,b|inf,-inf|inf,-inf");
    CHECK_TEXT(automatic("a,b\nN,1\n2,nano\n"), "a,b|'N','1'|'2','nano'");
    CHECK_TEXT(automatic("a,b\n-nan,1\n"), "a,b|'-nan',1");
}

static void remembers_the_first_text(void) {
    mxb_table *table;
    mxb_error error;
    OK(parse("a,b\n1,2\n\"x\ny\",3\n5,\"say \"\"no\"\", "
             "0123456789012345678901234567890123456789012345678901234567890\"\nz,!\n",
             MXB_HEADER_AUTO, &table, &error),
       error);
    CHECK_INT(table->n_rows, 4);
    CHECK_INT(table->columns[0].text_line, 3);
    CHECK_TEXT(table->columns[0].text, "x\\x0ay");
    CHECK_INT(table->columns[1].text_line, 5);
    CHECK_TEXT(table->columns[1].text, "say \"no\", 0123456789012345678901234567890123...");
    CHECK(table->columns[0].values == NULL);
    mxb_table_free(table);
}

/* A column with one cell of text is text, all of it, as written. */
static void reads_text(void) {
    CHECK_TEXT(automatic("a,b\n01,1\n1.0,2\nx,3\n"), "a,b|'01',1|'1.0',2|'x',3");
    CHECK_TEXT(automatic("a,b\n  new york\t,1\n\" new \"\"york\"\" \",2\n\"x,\ny\",3\n"),
               "a,b|'new york',1|'new \"york\"',2|'x,\ny',3");
    CHECK_TEXT(automatic("a,b\nx,1\n,2\nNA,3\nnan,4\n\" NaN \",5\n\"\",6\n\"x\",7\n"),
               "a,b|'x',1|?,2|?,3|?,4|?,5|?,6|'x',7");
    CHECK_TEXT(automatic("a\nx\n\n1\n\n\n"), "a|'x'|?|'1'");
    CHECK_TEXT(automatic("\n\na,b\n\n1,x\n \n2,y\n"), "a,b|1,'x'|2,'y'");
    CHECK_TEXT(table_of("\nx\n\n2\n", MXB_HEADER_NO), "|?|'x'|?|'2'");
    CHECK_TEXT(automatic("a,b\n\xff\xfe,1\n\xc3\xa9,1\n"), "a,b|'\xff\xfe',1|'\xc3\xa9',1");
}

static void codes_texts_in_the_order_of_the_file(void) {
    mxb_table *table;
    mxb_error error;
    OK(parse("a,b\nz,1\na,2\n,2\nz,3\nm,3\n", MXB_HEADER_AUTO, &table, &error), error);
    const struct table_column *column = &table->columns[0];
    const int64_t codes[] = {0, 1, -1, 0, 2};
    CHECK_INT(column->n_texts, 3);
    CHECK_TEXT(column->texts[2], "m");
    CHECK_INT(memcmp(column->codes, codes, sizeof codes), 0);
    CHECK_INT(mxb_table_column_is_text(table, 0), 1);
    CHECK_INT(mxb_table_column_is_text(table, 1), 0);
    CHECK_INT(mxb_table_column_is_text(table, 2), 0);
    CHECK_INT(mxb_table_column_is_text(NULL, 0), 0);
    mxb_table_free(table);
}

static void reads_columns_as_text_on_request(void) {
    static const char *const by_name[] = {"b", "1"};
    static const char *const by_number[] = {"2"};
    static const char *const unknown[] = {"c"};
    CHECK_TEXT(chosen_table_of("a,b\n1,2\n3,\n", (struct table_options){.text_columns = by_name, .n_text = 1}),
               "a,b|1,'2'|3,?");
    CHECK_TEXT(chosen_table_of("a,b\n1,2\n", (struct table_options){.text_columns = by_name, .n_text = 2}),
               "a,b|'1','2'");
    CHECK_TEXT(chosen_table_of("1,02\n3,4\n", (struct table_options){.text_columns = by_number, .n_text = 1}),
               "|1,'02'|3,'4'");
    CHECK_TEXT(chosen_table_of("a,b\n1,\n", (struct table_options){.text_columns = by_name, .n_text = 1}), "a,b|1,?");
    CHECK_TEXT(chosen_table_of("a,b\n1,2\n", (struct table_options){.text_columns = unknown, .n_text = 1}),
               "data.csv has no column \"c\"; its columns are a, b");
    CHECK_TEXT(chosen_table_of("1,2\n", (struct table_options){.text_columns = unknown, .n_text = 1}),
               "data.csv has no column \"c\"; it has no header, so its columns are known as 1 to 2");
}

/* What is wrong with a text is the trouble of whoever asks for it. */
static void remembers_texts_it_cannot_hold(void) {
    mxb_table *table;
    mxb_error error;
    OK(mxb__table_parse("a,b\n1,2\n1\0002,3\nx\0y,4\n", 20, "data.csv",
                        &(struct table_options){.header = MXB_HEADER_AUTO}, &table, &error),
       error);
    CHECK_TEXT(table->columns[0].problem, "the text has a zero byte in it");
    CHECK_INT(table->columns[0].problem_line, 3);
    CHECK(table->columns[1].problem == NULL && table->columns[1].values[2] == 4);
    mxb_table_free(table);
}

/* Every cell finds its text again, however many there are. */
static void keeps_many_texts(void) {
    enum { ROWS = 30000 };
    struct random_stream stream = mxb__random_stream(5, RANDOM_ROWS, 0);
    char *text = malloc(ROWS * 30);
    size_t used = 0;
    mxb_table *table;
    mxb_error error;
    REQUIRE(text != NULL);
    for (int i = 0; i < ROWS; i++) {
        unsigned id = (unsigned)(mxb__random_bits(stream, (uint64_t)i) % 9000);
        used += (size_t)snprintf(text + used, 30, "%d,\"id \"\"%u\"\"\"\n", i, id);
    }
    OK(mxb__table_parse(text, used, "data.csv", &(struct table_options){.header = MXB_HEADER_NO}, &table, &error),
       error);
    free(text);
    const struct table_column *column = &table->columns[1];
    CHECK(column->n_texts > 8000 && column->n_texts <= 9000);
    int n_wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        char expected[30];
        snprintf(expected, sizeof expected, "id \"%u\"", (unsigned)(mxb__random_bits(stream, (uint64_t)i) % 9000));
        n_wrong += strcmp(column->texts[column->codes[i]], expected) != 0;
    }
    CHECK_INT(n_wrong, 0);
    mxb_table_free(table);
}

static void handles_blank_lines(void) {
    CHECK_TEXT(automatic("\n \na,b\n\n1,2\n\t\n\r\n3,4\n\n\n"), "a,b|1,2|3,4");
    CHECK_TEXT(automatic("a\n1\n\n2\n"), "a|1|?|2");
    CHECK_TEXT(automatic("a\n\n\n2\n\n\n"), "a|?|?|2");
    CHECK_TEXT(automatic("a\n1\n\"\"\n"), "a|1|?");
    CHECK_TEXT(automatic("\n1\n2\n"), "|?|1|2");
    CHECK_TEXT(automatic("\na\n1\n"), "a|1");
    CHECK_TEXT(automatic("1,2\n\"\"\n"), "data.csv: line 2 has 1 field, the first line has 2");
}

static void explains_bad_files(void) {
    CHECK_TEXT(automatic(""), "data.csv is empty");
    CHECK_TEXT(automatic("\xef\xbb\xbf"), "data.csv is empty");
    CHECK_TEXT(automatic("\n\r\n \n"), "data.csv is empty");
    CHECK_TEXT(automatic("a,b\n"), "data.csv has a header and no rows");
    CHECK_TEXT(automatic("a\n\n\n"), "data.csv has a header and no rows");
    CHECK_TEXT(table_of("1,2\n", MXB_HEADER_YES), "data.csv has a header and no rows");
    CHECK_TEXT(automatic("a,b\r"), "data.csv has a header and no rows");
    CHECK_TEXT(automatic("a,b\r1,2\r"), "data.csv has lines that end with CR alone; they must end with LF or CR LF");
    CHECK_TEXT(automatic("1,2\r3,4"), "data.csv has lines that end with CR alone; they must end with LF or CR LF");
    CHECK_TEXT(automatic("a,b,c,d,e\n1,2,3,4,5\n\n\n\n\n1,2,3,4\n"),
               "data.csv: line 7 has 4 fields, the first line has 5");
    CHECK_TEXT(automatic("a,b\n\"1\n\n\",2\n1,2,3\n"), "data.csv: line 5 has 3 fields, the first line has 2");
    CHECK_TEXT(automatic("a,b\n1\n"), "data.csv: line 2 has 1 field, the first line has 2");
    CHECK_TEXT(automatic("a,b\n1,\"2\n3,4\n"), "data.csv: line 2, column 2: the quoted field never ends");
    CHECK_TEXT(automatic("a,b\n1,\"2\"3\n"), "data.csv: line 2, column 2: text follows the closing quote");
    CHECK_TEXT(automatic("\xff\xfe"), "data.csv is UTF-16 text; it must be UTF-8");
}

static void limits_the_number_of_columns(void) {
    size_t limit = MXB__MAX_TABLE_COLUMNS;
    mxb_table *table;
    mxb_error error;
    char *text = malloc(limit + 1);
    REQUIRE(text != NULL);
    memset(text, ',', limit + 1);
    OK(mxb__table_parse(text, limit - 1, "data.csv", &(struct table_options){.header = MXB_HEADER_AUTO}, &table,
                        &error),
       error);
    CHECK_INT(table->n_columns, limit);
    CHECK_INT(table->n_rows, 1);
    mxb_table_free(table);
    OK(mxb__table_parse(text, limit - 1, "data.csv", &(struct table_options){.header = MXB_HEADER_NO}, &table, &error),
       error);
    mxb_table_free(table);
    FAILS(mxb__table_parse(text, limit, "data.csv", &(struct table_options){.header = MXB_HEADER_AUTO}, &table, &error),
          error, MXB_ERROR_DATA, "data.csv has 131073 columns; at most 131072 are allowed");
    free(text);
}

/* Many rows of very different length: every cell lands where it belongs, however the columns grew. */
static void keeps_every_cell_while_growing(void) {
    enum { ROWS = 20000 };
    struct random_stream stream = mxb__random_stream(9, RANDOM_ROWS, 0);
    char *text = malloc(ROWS * 90);
    size_t used = 0;
    mxb_table *table;
    mxb_error error;
    REQUIRE(text != NULL);
    for (int i = 0; i < ROWS; i++) {
        double x = (double)(int64_t)mxb__random_bits(stream, (uint64_t)i);
        used += (size_t)(i < 500 ? snprintf(text + used, 90, "%d,,\n", i)
                                 : snprintf(text + used, 90, "%d,%.17g,%.17g\r\n", i, x, 1 / x));
    }
    OK(mxb__table_parse(text, used, "data.csv", &(struct table_options){.header = MXB_HEADER_AUTO}, &table, &error),
       error);
    free(text);
    CHECK_INT(table->n_rows, ROWS);
    int n_wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        double x = (double)(int64_t)mxb__random_bits(stream, (uint64_t)i);
        n_wrong += table->columns[0].values[i] != i;
        n_wrong += i < 500 ? !isnan(table->columns[1].values[i]) : table->columns[1].values[i] != x;
        n_wrong += i < 500 ? !isnan(table->columns[2].values[i]) : table->columns[2].values[i] != 1 / x;
    }
    CHECK_INT(n_wrong, 0);
    mxb_table_free(table);
}

static void reads_files(void) {
    char path[] = "/tmp/mixboost-table-XXXXXX";
    char expected[128];
    mxb_table *table;
    mxb_error error;
    int file = mkstemp(path);
    REQUIRE(file >= 0);
    REQUIRE(write(file, "a,b\n1,2\n3,x\n", 12) == 12);
    close(file);
    OK(mxb_table_read_csv(path, MXB_HEADER_AUTO, NULL, 0, 0, &table, &error), error);
    CHECK_INT(mxb_table_n_rows(table), 2);
    CHECK_INT(mxb_table_n_columns(table), 2);
    CHECK_TEXT(mxb_table_column_name(table, 1), "b");
    CHECK(mxb_table_column_name(table, 2) == NULL);
    CHECK_TEXT(table->path, path);
    mxb_table_free(table);
    OK(mxb_table_read_csv(path, MXB_HEADER_NO, NULL, 0, 0, &table, &error), error);
    CHECK(mxb_table_column_name(table, 0) == NULL);
    mxb_table_free(table);
    unlink(path);
    snprintf(expected, sizeof expected, "cannot read \"%s\": No such file or directory", path);
    FAILS(mxb_table_read_csv(path, MXB_HEADER_AUTO, NULL, 0, 0, &table, &error), error, MXB_ERROR_IO, expected);
    CHECK(table == NULL);
}

static void calls_standard_input_by_name(void) {
    mxb_table *table;
    mxb_error error;
    FAILS(mxb__table_parse("", 0, "-", &(struct table_options){.header = MXB_HEADER_AUTO}, &table, &error), error,
          MXB_ERROR_DATA, "standard input is empty");
    FAILS(mxb__table_parse("", 0, "a\nb", &(struct table_options){.header = MXB_HEADER_AUTO}, &table, &error), error,
          MXB_ERROR_DATA, "a\\x0ab is empty");
}

static void checks_arguments(void) {
    mxb_table *table;
    mxb_error error;
    FAILS(mxb_table_read_csv(NULL, MXB_HEADER_AUTO, NULL, 0, 0, &table, &error), error, MXB_ERROR_PARAM,
          "path is NULL");
    FAILS(mxb_table_read_csv("x", MXB_HEADER_AUTO, NULL, 0, 0, NULL, &error), error, MXB_ERROR_PARAM, "table is NULL");
    FAILS(mxb_table_read_csv("x", (mxb_header)3, NULL, 0, 0, &table, &error), error, MXB_ERROR_PARAM,
          "header is 3; it must be 0 (auto), 1 (yes) or 2 (no)");
    static const char *const columns[] = {"1", NULL};
    FAILS(mxb_table_read_csv("x", MXB_HEADER_AUTO, columns, 2, 0, &table, &error), error, MXB_ERROR_PARAM,
          "text_columns[1] is NULL");
    FAILS(mxb_table_read_csv("x", MXB_HEADER_AUTO, NULL, 2, 0, &table, &error), error, MXB_ERROR_PARAM,
          "text_columns is NULL, n_text is 2");
    FAILS(mxb_table_read_csv("x", MXB_HEADER_AUTO, NULL, 0, -1, &table, &error), error, MXB_ERROR_PARAM,
          "n_threads is -1; it must be 0 (all processors) or more");
    CHECK_INT(mxb_table_n_rows(NULL), 0);
    CHECK_INT(mxb_table_n_columns(NULL), 0);
    CHECK(mxb_table_column_name(NULL, 0) == NULL);
    mxb_table_free(NULL);
}

static void survives_every_failing_allocation(void) {
    char path[] = "/tmp/mixboost-table-XXXXXX";
    mxb_table *table;
    uint64_t n;
    int file = mkstemp(path);
    REQUIRE(file >= 0);
    REQUIRE(write(file, "a,b\n", 4) == 4);
    for (int i = 0; i < 100; i++) {
        char line[32];
        snprintf(line, sizeof line, "1.25,\"x%03d\"\"\"\n", i); /* a new text each */
        REQUIRE(write(file, line, strlen(line)) == (ssize_t)strlen(line));
    }
    close(file);
    for (int for_ever = 0; for_ever <= 1; for_ever++) {
        for (n = 1; n < 1000; n++) {
            mxb__memory_fail_at(n, for_ever);
            mxb_status status = mxb_table_read_csv(path, MXB_HEADER_AUTO, NULL, 0, 1, &table, NULL);
            mxb__memory_fail_at(0, 0);
            if (status == MXB_OK) {
                break;
            }
            CHECK_INT(status, MXB_ERROR_MEMORY);
            CHECK(table == NULL);
        }
        CHECK(n > 8 && n < 1000);
        mxb_table_free(table);
    }
    unlink(path);
}

static void a_column_of_numbers_and_text_says_why_it_is_text(void) {
    static const char text[] = "n,t,m,q\n1,x,7,\"\"\n2,y,7o,3\n3,8z,9,4\n";
    mxb_table *table;
    mxb_error error;
    OK(mxb__table_parse(text, sizeof text - 1, "d.csv", &(struct table_options){.header = MXB_HEADER_YES}, &table,
                        &error),
       error);
    CHECK(mxb_table_column_oddity(table, 0) == NULL);
    CHECK(mxb_table_column_oddity(table, 1) == NULL); /* no number among the texts */
    CHECK_TEXT(mxb_table_column_oddity(table, 2), "7o");
    CHECK(mxb_table_column_oddity(table, 3) == NULL);
    CHECK(mxb_table_column_oddity(table, 4) == NULL && mxb_table_column_oddity(NULL, 0) == NULL);
    mxb_table_free(table);
}

int main(void) {
    RUN(finds_the_header);
    RUN(names_columns);
    RUN(knows_missing_values);
    RUN(remembers_the_first_text);
    RUN(reads_text);
    RUN(codes_texts_in_the_order_of_the_file);
    RUN(reads_columns_as_text_on_request);
    RUN(remembers_texts_it_cannot_hold);
    RUN(keeps_many_texts);
    RUN(handles_blank_lines);
    RUN(explains_bad_files);
    RUN(limits_the_number_of_columns);
    RUN(keeps_every_cell_while_growing);
    RUN(reads_files);
    RUN(calls_standard_input_by_name);
    RUN(checks_arguments);
    RUN(survives_every_failing_allocation);
    RUN(a_column_of_numbers_and_text_says_why_it_is_text);
    return check_report();
}
