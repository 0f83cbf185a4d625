/* Rows read in pieces by many threads: the table and the sentences of a plain reader, for any pieces and threads. The
 * source is included to ask its parts alone. */
#define _XOPEN_SOURCE 700
#include "io/table_rows.c"

#include <stdlib.h>

#include "check.h"
#include "plain_table.h"
#include "random_csv.h"

static struct random_csv csv;

/* Compares the reader with its twin. The text lies in a block of just its size, so that a sanitizer sees every byte
 * read beyond. */
static int agrees(const struct table_options *options) {
    char *text = malloc(csv.n_bytes);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, csv.text, csv.n_bytes);
    char *expected = plain_as_text(text, csv.n_bytes, options);
    char *found = table_as_text(text, csv.n_bytes, options);
    int same = strcmp(expected, found) == 0;
    if (!same) {
        fprintf(stderr, "%zu threads, %zu bytes:\n%.*s\nis\n%.2000s\nnot\n%.2000s\n", options->n_threads,
                options->piece_bytes, (int)csv.n_bytes, text, found, expected);
    }
    free(found);
    free(expected);
    free(text);
    return same;
}

static void reads_as_its_twin(size_t n_trials, size_t max_rows, size_t max_piece) {
    static const size_t threads[] = {1, 2, 3, 8};
    static const char *const first_column[] = {"1"};
    size_t n_wrong = 0;
    for (uint64_t seed = 0; seed < n_trials && n_wrong == 0; seed++) {
        random_csv_fill(&csv, seed + 1000 * max_rows, max_rows);
        struct table_options options = {.header = (mxb_header)(seed % 3), .text_columns = first_column};
        options.n_text = seed % 5 == 0;
        options.piece_bytes = seed % 16 == 0 ? 0 : 1 + random_below(&csv, max_piece);
        options.n_threads = threads[random_below(&csv, 4)];
        n_wrong += !agrees(&options);
    }
    CHECK_INT(n_wrong, 0);
}

static void reads_small_texts_as_its_twin(void) {
    reads_as_its_twin(8000, 6, 40);
    reads_as_its_twin(1500, 60, 200);
}

/* Large enough for lists of texts that are a piece's own. */
static void reads_large_texts_as_its_twin(void) { reads_as_its_twin(300, 900, 8000); }

/* Large enough to be worth the threads. */
static void threads_read_at_once(void) {
    enum { ROWS = 60000 };
    static const char *const words[] = {"one", "\"two \"\"2\"\"\"", "three"};
    char *text = malloc((size_t)ROWS * 60);
    size_t used = 0;
    size_t n_wrong = 0;
    size_t wrong_at[2] = {0, 0};
    REQUIRE(text != NULL);
    for (int i = 0; i < ROWS; i++) {
        wrong_at[i >= 50000] = i == 30000 || i == 50000 ? used : wrong_at[i >= 50000];
        used += (size_t)sprintf(text + used, "%d,%.17g,t%d,\"u\n%d\",%s,%s\n", i, 1.0 / (i + 1), i % 1000, i % 7,
                                i % 5 == 3 ? " NA" : words[i % 3], i % 4 == 0 ? "7" : "w");
    }
    struct table_options options = {.header = MXB_HEADER_NO, .n_threads = 3, .piece_bytes = 4096};
    mxb_table *table;
    mxb_error error;
    OK(mxb__table_parse(text, used, "data.csv", &options, &table, &error), error);
    CHECK_INT(table->n_rows, ROWS);
    CHECK_INT(table->columns[2].n_texts, 1000);
    CHECK_INT(table->columns[3].n_texts, 7);
    CHECK_INT(table->columns[4].n_texts, 3);
    CHECK_INT(table->columns[5].n_texts, 2);
    for (int i = 0; i < ROWS; i++) {
        n_wrong += table->columns[0].values[i] != i || table->columns[1].values[i] != 1.0 / (i + 1);
        n_wrong += table->columns[2].codes[i] != i % 1000 || table->columns[3].codes[i] != i % 7;
        n_wrong += table->columns[4].codes[i] != (i % 5 == 3 ? -1 : i % 3);
        n_wrong += table->columns[5].codes[i] != (i % 4 != 0);
    }
    CHECK_INT(n_wrong, 0);
    mxb_table_free(table);
    text[wrong_at[1]] = ',';
    text[wrong_at[0]] = ',';
    FAILS(mxb__table_parse(text, used, "data.csv", &options, &table, &error), error, MXB_ERROR_DATA,
          "data.csv: line 60001 has 7 fields, the first line has 6");
    free(text);
}

/* The first of several mistakes is told, wherever pieces begin. */
static void tells_the_first_mistake(void) {
    static const char text[] = "a,b\n1,2\n3,4\n5\n6,7\n\"x\n\",1,1\n8,\"9\" 0\n\"";
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        for (size_t piece_bytes = 1; piece_bytes < sizeof text; piece_bytes++) {
            struct table_options options = {.n_threads = n_threads, .piece_bytes = piece_bytes};
            mxb_table *table;
            mxb_error error;
            FAILS(mxb__table_parse(text, sizeof text - 1, "data.csv", &options, &table, &error), error, MXB_ERROR_DATA,
                  "data.csv: line 4 has 1 field, the first line has 2");
        }
    }
}

/* Rows of no more than commas, and one that is shorter. */
static void reads_the_shortest_rows(void) {
    size_t n_wrong = 0;
    for (size_t n_columns = 1; n_columns <= 4; n_columns++) {
        for (size_t n_rows = 1; n_rows <= 5; n_rows++) {
            for (int ending = 0; ending < 3; ending++) {
                csv.n_bytes = 0;
                for (size_t i = 0; i < n_rows; i++) {
                    put_text(&csv, i == 0 ? "" : "\n");
                    put_bytes(&csv, ",,,", n_columns - 1);
                }
                put_text(&csv, ending == 0 ? "" : ending == 1 ? "\n" : "\n1");
                n_wrong += !agrees(&(struct table_options){.header = MXB_HEADER_NO, .n_threads = 2, .piece_bytes = 3});
            }
        }
    }
    CHECK_INT(n_wrong, 0);
}

/* Lines too short for the columns get no room: a file of a megabyte does not ask for a terabyte. */
static void makes_no_room_for_rows_that_cannot_be(void) {
    mxb_table table = {.n_columns = 100000};
    struct csv_pieces pieces = {.n_rows = 500000};
    CHECK_INT(n_rows_to_store(&table, &pieces, 1000000), 11);
    pieces.n_rows = 7;
    CHECK_INT(n_rows_to_store(&table, &pieces, 1000000), 7);
}

static void pieces_beyond_the_room_are_left(void) {
    csv.n_bytes = 0;
    put_text(&csv, "1,2,3\n");
    for (size_t i = 0; i < 100; i++) {
        put_text(&csv, "1\n");
    }
    put_text(&csv, ",,\n,,\n");
    for (size_t piece_bytes = 1; piece_bytes < csv.n_bytes; piece_bytes++) {
        CHECK(agrees(&(struct table_options){.header = MXB_HEADER_NO, .n_threads = 2, .piece_bytes = piece_bytes}));
    }
}

static void too_many_rows_are_refused(void) {
    char path[] = "data.csv";
    mxb_table table = {.path = path, .n_columns = 1};
    struct csv_pieces pieces = {.n_rows = MXB__MAX_ROWS + 1};
    mxb_error error;
    FAILS(mxb__table_read_rows(&table, &pieces, NULL, &error), error, MXB_ERROR_DATA,
          "data.csv has more than 4294967295 rows");
}

enum { N_KEPT = 1 << 18 };

/* The even or the odd numbers, downwards. */
static void keep_lesser_ones(void *context, size_t index, size_t thread) {
    _Atomic size_t *least = context;
    (void)thread;
    for (size_t i = N_KEPT; i-- > 0;) {
        keep_least(least, 2 * i + index);
    }
}

static void threads_keep_the_least(void) {
    struct pool *pool = mxb__pool_open(2);
    for (int repeat = 0; repeat < 5; repeat++) {
        _Atomic size_t least = NONE;
        mxb__pool_run(pool, 2, 1e9, keep_lesser_ones, &least);
        CHECK_INT(least, 0);
    }
    mxb__pool_close(pool);
}

int main(void) {
    RUN(reads_small_texts_as_its_twin);
    RUN(reads_large_texts_as_its_twin);
    RUN(threads_read_at_once);
    RUN(tells_the_first_mistake);
    RUN(reads_the_shortest_rows);
    RUN(makes_no_room_for_rows_that_cannot_be);
    RUN(pieces_beyond_the_room_are_left);
    RUN(too_many_rows_are_refused);
    RUN(threads_keep_the_least);
    return check_report();
}
