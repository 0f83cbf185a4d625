/* Files of more than 2^32 bytes: a model saved, loaded and predicted with, or refused; a CSV file read.
 *
 *     large_files model|csv BYTES FOLDER */
#define _XOPEN_SOURCE 700
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stress/mean_learner.h"
#include "unit/boost/train_data.h"

enum { N_ROWS = 300, N_ROUNDS = 6, N_OWN = 3, PATH_ROOM = 1000, LINE_BYTES = 4096 };

static size_t n_wanted;
static char first_path[PATH_ROOM + 40], second_path[PATH_ROOM + 60];

static size_t file_bytes(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? (size_t)about.st_size : 0;
}

/* ---- a learner whose terms are large: a mean, and words that say where they stand ---- */

static size_t term_words;

static uint64_t word_at(size_t i) { return i * 0x9E3779B97F4A7C15u + 1; }

static size_t write_heavy(void *context, const void *term, void *bytes, size_t capacity) {
    size_t n_bytes = term_words * sizeof(uint64_t);
    (void)context;
    if (capacity >= n_bytes) {
        uint64_t *words = bytes;
        memcpy(words, term, sizeof(double));
        for (size_t i = 1; i < term_words; i++) {
            words[i] = word_at(i);
        }
    }
    return n_bytes;
}

static mxb_status read_heavy(void *context, const void *bytes, size_t n_bytes, void **term, mxb_error *error) {
    const char *at = bytes;
    size_t n_wrong = n_bytes != term_words * sizeof(uint64_t);
    for (size_t i = 1; n_wrong == 0 && i < term_words; i++) {
        uint64_t word;
        memcpy(&word, at + i * sizeof word, sizeof word);
        n_wrong += word != word_at(i);
    }
    if (n_wrong > 0) {
        snprintf(error->message, sizeof error->message, "a term of other bytes");
        return MXB_ERROR_FORMAT;
    }
    return read_mean(context, bytes, sizeof(double), term, error);
}

/* Rounds of it and others; terms of `n_wanted` bytes in all. */
static mxb_params *heavy_params(void) {
    mxb_params *params = PARAMS("num_round", "6", "random_state", "7", "n_components", "8", "n_threads", "2");
    mxb_learner *learner = NULL;
    CHECK_INT(mxb_learner_create("heavy", fit_mean, predict_mean, free_mean, NULL, &learner, NULL), MXB_OK);
    mxb_learner_set_files(learner, write_heavy, read_heavy);
    CHECK_INT(mxb_params_add_learner(params, learner, 0.5, NULL), MXB_OK);
    mxb_learner_free(learner);
    return params;
}

/* ---- models ---- */

static void check_same_files(void) {
    enum { AT_ONCE = 1 << 20 };
    FILE *one = fopen(first_path, "rb"), *other = fopen(second_path, "rb");
    char *bytes = malloc(2 * AT_ONCE);
    size_t n = 0, n_bytes = 0;
    REQUIRE(one != NULL && other != NULL);
    do {
        n = fread(bytes, 1, AT_ONCE, one);
        size_t n_other = fread(bytes + AT_ONCE, 1, AT_ONCE, other);
        CHECK(n == n_other && memcmp(bytes, bytes + AT_ONCE, n) == 0);
        n_bytes += n;
    } while (n > 0);
    CHECK(n_bytes == file_bytes(first_path));
    fclose(one);
    fclose(other);
    free(bytes);
}

static void check_refused(const char *path, const char *what, size_t has, size_t belong) {
    char sentence[PATH_ROOM + 200], quoted[PATH_ROOM + 80];
    mxb_model *model = NULL;
    mxb_error error;
    snprintf(quoted, sizeof quoted, "\"%s\"", path);
    snprintf(sentence, sizeof sentence, "%s is %s: %zu bytes %s %zu%s", quoted, what, has,
             has < belong ? "of" : "where", belong, has < belong ? "" : " belong");
    FAILS(mxb_model_load(path, &model, &error), error, MXB_ERROR_FORMAT, sentence);
}

/* Without the learner a model can be shown; with it, predicted with and saved as the same bytes. */
static void check_loaded(const mxb_params *params, const mxb_model *model, const struct made_data *data,
                         const double *expected) {
    mxb_model *shown = NULL, *whole = NULL;
    mxb_error error;
    OK(mxb_model_load(first_path, &shown, &error), error);
    for (size_t r = 0; r <= N_ROUNDS; r++) {
        CHECK(mxb_model_curve(shown, r, 0) == mxb_model_curve(model, r, 0));
        CHECK(r == 0 || strcmp(mxb_model_round_learner(shown, r, 0), mxb_model_round_learner(model, r, 0)) == 0);
    }
    mxb_model_free(shown);
    OK(mxb_model_load_with(first_path, params, &whole, &error), error);
    double *raw = predict(whole, data);
    CHECK(memcmp(raw, expected, N_ROWS * sizeof *raw) == 0);
    OK(mxb_model_save(whole, second_path, &error), error);
    check_same_files();
    free(raw);
    mxb_model_free(whole);
}

static void model_file(void) {
    struct made_data data = data_make((struct data_recipe){.n_rows = N_ROWS, .n_features = 4, .seed = 5});
    mxb_params *params = heavy_params();
    mxb_model *model = train(&data, params);
    size_t n_own = 0;
    mxb_error error;
    REQUIRE(model != NULL);
    double *expected = predict(model, &data);
    for (size_t r = 1; r <= N_ROUNDS; r++) {
        n_own += strcmp(mxb_model_round_learner(model, r, 0), "heavy") == 0;
    }
    CHECK_INT(n_own, N_OWN);
    CHECK(strcmp(mxb_model_round_learner(model, N_ROUNDS, 0), "heavy") != 0); /* something stands behind them */
    term_words = 1;
    OK(mxb_model_save(model, first_path, &error), error);
    size_t small = file_bytes(first_path);
    CHECK_INT(truncate(first_path, (off_t)n_wanted), 0); /* all but the beginning is a hole */
    check_refused(first_path, "damaged", n_wanted, small);
    term_words = n_wanted / N_OWN / sizeof(uint64_t);
    OK(mxb_model_save(model, first_path, &error), error);
    size_t n_bytes = file_bytes(first_path);
    CHECK_INT(n_bytes, small + N_OWN * (term_words - 1) * sizeof(uint64_t));
    check_loaded(params, model, &data, expected);
    CHECK_INT(truncate(first_path, (off_t)n_bytes - 1), 0);
    check_refused(first_path, "truncated", n_bytes - 1, n_bytes);
    printf("%zu bytes of a model\n", n_bytes);
    free(expected);
    mxb_model_free(model);
    mxb_params_free(params);
    data_clear(&data);
}

/* ---- CSV ---- */

/* Lines of one length: a number, blanks, one of seven texts and a number. */
static size_t write_lines(void) {
    static const char *const texts[] = {"a", "b", "c", "d", "e", "f", "g"};
    FILE *file = fopen(first_path, "wb");
    size_t n_lines = n_wanted / LINE_BYTES + 1;
    int fine = file != NULL;
    for (size_t i = 0; fine && i < n_lines; i++) {
        fine = fprintf(file, "%12zu.5,%*s,%010zu\n", i, LINE_BYTES - 27, texts[i % 7], i % 1000) == LINE_BYTES;
    }
    return file != NULL && fclose(file) == 0 && fine ? n_lines : 0;
}

static void csv_file(void) {
    size_t n_lines = write_lines();
    mxb_table *table;
    mxb_dataset *dataset;
    mxb_error error;
    REQUIRE(n_lines > 0);
    size_t n_bytes = file_bytes(first_path);
    OK(mxb_table_read_csv(first_path, MXB_HEADER_NO, NULL, 0, 2, &table, &error), error);
    OK(mxb_dataset_from_table(table, NULL, NULL, NULL, 0, &dataset, &error), error);
    CHECK_INT(mxb_dataset_n_rows(dataset), n_lines);
    CHECK_INT(mxb_dataset_n_features(dataset), 3);
    CHECK(mxb_dataset_feature_is_text(dataset, 1));
    double *values = malloc(3 * n_lines * sizeof *values);
    for (size_t f = 0; f < 3; f++) {
        OK(mxb_dataset_read(dataset, f, 0, n_lines, values + f * n_lines, &error), error);
    }
    size_t n_wrong = 0;
    for (size_t i = 0; i < n_lines; i++) {
        n_wrong += values[i] != (double)i + 0.5 || values[n_lines + i] != (double)(i % 7) ||
                   values[2 * n_lines + i] != (double)(i % 1000);
    }
    CHECK_INT(n_wrong, 0);
    printf("%zu bytes of CSV, %zu rows\n", n_bytes, n_lines);
    free(values);
    mxb_dataset_free(dataset);
    mxb_table_free(table);
}

int main(int argc, char **argv) {
    if (argc != 4 || strlen(argv[3]) > PATH_ROOM) {
        fprintf(stderr, "usage: large_files model|csv BYTES FOLDER\n");
        return 2;
    }
    n_wanted = strtoull(argv[2], NULL, 10);
    snprintf(first_path, sizeof first_path, "%s/large-%ld", argv[3], (long)getpid());
    snprintf(second_path, sizeof second_path, "%s-again", first_path);
    if (strcmp(argv[1], "model") == 0) {
        RUN(model_file);
    } else {
        RUN(csv_file);
    }
    unlink(first_path);
    unlink(second_path);
    return check_report();
}
