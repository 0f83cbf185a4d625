/* Trains on data that is the same bits everywhere and prints a line for each training and number of threads:
 *
 *     mse_wide 3 model 0123456789abcdef... predictions 0123456789abcdef...
 *
 * The SHA-256 must not depend on the threads, the compiler or its optimisation; identities.py compares them. Within one
 * build this program itself checks that save, load and save again give the same bytes, that a training that is paused,
 * or gone on with from a saved model, gives the same model, and that a row predicted alone is the row predicted in a
 * batch. Only the public header is used, and no function of libm, whose last bits differ from one version to the next.
 *
 *     identity [--keep FOLDER] [THREADS ...]
 *
 * keeps each model, and the rows it was trained on as doubles, in a folder. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "identity/sha256.h"
#include "mixboost/mixboost.h"

enum { N_FEATURES = 7, N_ALONE = 50, MAX_OPTIONS = 16 };

static mxb_error error;

static void check(mxb_status status, const char *what) {
    if (status != MXB_OK) {
        fprintf(stderr, "identity: %s: %s\n", what, error.message);
        exit(1);
    }
}

static void require(int condition, const char *name, const char *what) {
    if (!condition) {
        fprintf(stderr, "identity: %s: %s\n", name, what);
        exit(1);
    }
}

/* ---- Data ---- */

static uint64_t state;

static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / 16777216.0;
}

/* Nearly standard normal: every sum of multiples of 2^-24 is exact. */
static double normal(void) {
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        sum += uniform();
    }
    return sum - 6;
}

/* e^x to some digits, by multiplications and divisions alone. */
static double exponential(double x) {
    double size = x < 0 ? -x : x, term = 1, sum = 1, scale = 1;
    for (; size >= 1; size -= 1) {
        scale *= 2.718281828459045;
    }
    for (int k = 1; k < 20; k++) {
        term = term * size / k;
        sum += term;
    }
    return x < 0 ? 1 / (scale * sum) : scale * sum;
}

struct rows {
    size_t n;
    double *x, *y, *weight;
};

enum labels { MILD, EXTREME, TWO_CLASSES };

static void fill_rows(struct rows *rows, enum labels labels, int extreme_weights) {
    for (size_t i = 0; i < rows->n; i++) {
        double *x = rows->x + i * N_FEATURES;
        for (size_t j = 0; j < N_FEATURES; j++) {
            x[j] = normal();
        }
        x[2] = (double)(int)(4 * x[2]);              /* few distinct values */
        x[3] = exponential(3 * x[3]);                /* long tail */
        x[4] = uniform() < 0.1 ? (double)NAN : x[4]; /* missing */
        double score = x[0] * x[1] + (x[2] > 1 ? 1 : 0) + 0.5 * x[5];
        switch (labels) {
            case MILD:
                rows->y[i] = score + 0.3 * normal();
                break;
            case EXTREME:
                rows->y[i] = exponential(6 * normal()) + score;
                break;
            case TWO_CLASSES:
                rows->y[i] = score + normal() > 0.4 ? 1 : 0;
                break;
        }
        rows->weight[i] = extreme_weights ? exponential(13.815510557964274 * (2 * uniform() - 1)) : 1 + uniform();
    }
}

/* ---- Trainings ---- */

struct setting {
    const char *name;
    size_t n;
    enum labels labels;
    int extreme_weights;
    int validate;
    const char *options[MAX_OPTIONS]; /* name, value, name, value */
};

/* The other options, so that models change with the arithmetic alone and not with defaults. A setting that begins with
 * a preset has that preset's instead. */
static const char *const ALWAYS[][2] = {
    {"learning_rate", "0.1"},
    {"colsample", "1"},
    {"subsample", "1"},
    {"lambda_l2", "1"},
    {"min_child_weight", "0.01"},
    {"early_stopping_rounds", "50"},
    {"base_score", "auto"},
    {"n_members", "1"},
    {"tree_probability", "0.6"},
    {"min_max_depth", "1"},
    {"max_max_depth", "8"},
    {"use_histograms", "true"},
    {"hist_nbins", "256"},
    {"symmetric_probability", "0"},
    {"symmetric_depth", "6"},
    {"split_noise", "0"},
    {"split_prior", "0"},
    {"leaf_rows", "sample"},
    {"alpha", "0.001"},
    {"fit_intercept", "true"},
    {"gamma", "0.05"},
    {"n_components", "100"},
    {"n_projections", "1"},
    {"fourier_scaling", "rank"},
    {"fourier_metric", "isotropic"},
    {"fourier_linear", "false"},
};

/* Up to 2^16 rows histograms are wide; above, mild gradients are packed. */
static const struct setting settings[] = {
    {"mse_wide",
     3000,
     EXTREME,
     1,
     0,
     {"num_round", "25", "subsample", "0.7", "colsample", "0.6", "fourier_scaling", "standard"}},
    {"logloss_wide",
     3000,
     TWO_CLASSES,
     1,
     1,
     {"num_round", "25", "objective", "logloss", "subsample", "0.7", "fourier_scaling", "rank"}},
    {"mse_none", 2500, MILD, 0, 1, {"num_round", "25", "colsample", "0.5", "hist_nbins", "16", "gamma", "0.01"}},
    {"mse_packed", 70000, MILD, 0, 0, {"num_round", "7", "subsample", "0.5", "colsample", "0.8", "n_components", "24"}},
    {"logloss_packed",
     70000,
     TWO_CLASSES,
     0,
     0,
     {"num_round", "7", "objective", "logloss", "n_components", "24", "fourier_scaling", "standard"}},
    {"mse_extreme", 70000, EXTREME, 1, 0, {"num_round", "5", "n_components", "24", "fourier_scaling", "rank"}},
    {"mse_exact",
     3000,
     EXTREME,
     1,
     1,
     {"num_round", "25", "use_histograms", "false", "subsample", "0.7", "colsample", "0.6"}},
    {"logloss_exact",
     70000,
     TWO_CLASSES,
     0,
     0,
     {"num_round", "4", "use_histograms", "false", "objective", "logloss", "n_components", "8"}},
    {"mse_bank",
     3000,
     EXTREME,
     1,
     1,
     {"num_round", "40", "n_components", "24", "n_projections", "2", "gamma", "auto", "fourier_metric", "learned"}},
    {"logloss_bank",
     2500,
     TWO_CLASSES,
     0,
     0,
     {"num_round", "40", "objective", "logloss", "n_projections", "3", "gamma", "auto", "fourier_metric", "learned"}},
    {"logloss_noisy",
     70000,
     TWO_CLASSES,
     0,
     0,
     {"num_round", "5", "objective", "logloss", "subsample", "0.8", "leaf_rows", "all", "split_noise", "0.6",
      "split_prior", "0.2", "n_components", "8"}},
    {"mse_paper",
     2500,
     MILD,
     0,
     1,
     {"preset", "paper", "num_round", "25", "learning_rate", "0.1", "tree_probability", "0.6", "min_max_depth", "1",
      "max_max_depth", "8", "symmetric_depth", "6"}},
    {"symmetric_wide", 3000, EXTREME, 1, 1, {"num_round", "25", "symmetric_probability", "0.7", "subsample", "0.7"}},
    {"symmetric_packed",
     70000,
     TWO_CLASSES,
     0,
     0,
     {"num_round", "6", "symmetric_probability", "0.8", "symmetric_depth", "9", "objective", "logloss"}},
    {"symmetric_exact",
     3000,
     MILD,
     0,
     1,
     {"num_round", "12", "symmetric_probability", "0.8", "use_histograms", "false", "colsample", "0.6"}},
    {"defaults", 3000, MILD, 0, 0, {"preset", "default", "num_round", "30"}},
    {"defaults_of_few", 600, TWO_CLASSES, 0, 1, {"preset", "default", "num_round", "30", "objective", "logloss"}},
    {"members_linear",
     2500,
     EXTREME,
     1,
     1,
     {"num_round", "20", "n_members", "3", "fourier_linear", "true", "n_components", "24", "subsample", "0.7",
      "early_stopping_rounds", "4"}},
};

static void digest(const void *bytes, size_t n, char text[SHA256_TEXT]) {
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, bytes, n);
    sha256_end(&hash, text);
}

static mxb_params *make_params(const struct setting *setting, const char *threads) {
    mxb_params *params;
    check(mxb_params_create(&params, &error), setting->name);
    check(mxb_params_set(params, "n_threads", threads, &error), setting->name);
    int has_preset = strcmp(setting->options[0], "preset") == 0;
    for (size_t i = 0; !has_preset && i < sizeof ALWAYS / sizeof ALWAYS[0]; i++) {
        check(mxb_params_set(params, ALWAYS[i][0], ALWAYS[i][1], &error), setting->name);
    }
    for (int i = 0; i + 1 < MAX_OPTIONS && setting->options[i] != NULL; i += 2) {
        check(mxb_params_set(params, setting->options[i], setting->options[i + 1], &error), setting->name);
    }
    return params;
}

/* Frees the model. */
static mxb_model *saved_and_loaded(mxb_model *model) {
    void *bytes;
    size_t n_bytes;
    mxb_model *loaded;
    check(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), "save the model");
    check(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), "load the model");
    mxb_bytes_free(bytes);
    mxb_model_free(model);
    return loaded;
}

/* Trains to a round and then to the end: with the same trainer, or with one that goes on from the saved model. */
static mxb_model *train_in_parts(const mxb_dataset *train, const mxb_dataset *valid, const mxb_params *params,
                                 size_t round, int from_file) {
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *model;
    check(mxb_prepared_create(train, params, &prepared, &error), "prepare");
    check(mxb_trainer_create(prepared, valid, params, &trainer, &error), "create the trainer");
    check(mxb_trainer_run(trainer, round, NULL, NULL, &error), "run to a round");
    if (from_file) {
        check(mxb_trainer_model(trainer, &model, &error), "take the model so far");
        mxb_trainer_free(trainer);
        model = saved_and_loaded(model);
        check(mxb_trainer_create_from(prepared, valid, params, model, &trainer, &error), "go on");
        mxb_model_free(model);
    }
    check(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), "run to the end");
    check(mxb_trainer_model(trainer, &model, &error), "take the model");
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    return model;
}

/* The digest of a model's bytes, after a check that loading and saving them again changes nothing. */
static void digest_model(const mxb_model *model, const char *name, char text[SHA256_TEXT]) {
    void *bytes, *again;
    size_t n_bytes, n_again;
    mxb_model *loaded;
    check(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), name);
    check(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), name);
    check(mxb_model_to_bytes(loaded, &again, &n_again, &error), name);
    require(n_again == n_bytes && memcmp(again, bytes, n_bytes) == 0, name, "save, load, save changed the bytes");
    digest(bytes, n_bytes, text);
    mxb_model_free(loaded);
    mxb_bytes_free(again);
    mxb_bytes_free(bytes);
}

/* The digest of the raw predictions and, behind them, the values or probabilities. */
static void digest_predictions(const mxb_model *model, const mxb_dataset *data, int n_threads, const char *name,
                               char text[SHA256_TEXT]) {
    size_t n = mxb_dataset_n_rows(data);
    double *batch = malloc(2 * n * sizeof *batch), alone;
    mxb_output output = isnan(mxb_model_label(model, 0)) ? MXB_PREDICT_VALUE : MXB_PREDICT_PROBABILITY;
    require(batch != NULL, name, "out of memory");
    check(mxb_model_predict(model, data, MXB_PREDICT_RAW, n_threads, batch, &error), name);
    check(mxb_model_predict(model, data, output, n_threads, batch + n, &error), name);
    for (size_t i = 0; i < N_ALONE; i++) {
        size_t row = i * (n / N_ALONE);
        mxb_dataset *single;
        check(mxb_dataset_select(data, &row, 1, &single, &error), name);
        check(mxb_model_predict(model, single, MXB_PREDICT_RAW, 1, &alone, &error), name);
        require(memcmp(&alone, &batch[row], sizeof alone) == 0, name, "a row alone and in a batch differ");
        mxb_dataset_free(single);
    }
    digest(batch, 2 * n * sizeof *batch, text);
    free(batch);
}

/* A training that is interrupted gives the same model. The more threads, the later the round. */
static void interrupt(const struct setting *setting, const mxb_dataset *train, const mxb_dataset *valid,
                      const mxb_params *params, size_t round, const char *expected) {
    for (int from_file = 0; from_file < 2; from_file++) {
        char text[SHA256_TEXT];
        mxb_model *model = train_in_parts(train, valid, params, round, from_file);
        digest_model(model, setting->name, text);
        require(strcmp(text, expected) == 0, setting->name,
                from_file ? "going on from a file changed the model" : "a pause changed the model");
        mxb_model_free(model);
    }
}

static void run_setting(const struct setting *setting, const mxb_dataset *data, const char *threads,
                        const char *folder) {
    mxb_dataset *train = NULL, *valid = NULL;
    mxb_params *params = make_params(setting, threads);
    mxb_model *model;
    char of_model[SHA256_TEXT], of_predictions[SHA256_TEXT], path[4096];
    if (setting->validate) {
        check(mxb_dataset_split(data, 0.25, setting->labels == TWO_CLASSES, 7, &train, &valid, &error), setting->name);
    }
    const mxb_dataset *rows = setting->validate ? train : data;
    check(mxb_train(rows, valid, params, NULL, NULL, &model, &error), setting->name);
    digest_model(model, setting->name, of_model);
    digest_predictions(model, data, atoi(threads), setting->name, of_predictions);
    printf("%s %s model %s predictions %s\n", setting->name, threads, of_model, of_predictions);
    if (setting->n < 10000) {
        interrupt(setting, rows, valid, params, (size_t)atoi(threads), of_model);
    }
    if (folder != NULL) {
        snprintf(path, sizeof path, "%s/%s.mxb", folder, setting->name);
        check(mxb_model_save(model, path, &error), setting->name);
    }
    mxb_model_free(model);
    mxb_params_free(params);
    mxb_dataset_free(valid);
    mxb_dataset_free(train);
}

/* Features, label and weight of each row, as they lie in memory. */
static void keep_rows(const struct rows *rows, const char *name, const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.rows", folder, name);
    FILE *file = fopen(path, "wb");
    size_t n_written = 0;
    for (size_t i = 0; file != NULL && i < rows->n; i++) {
        n_written += fwrite(rows->x + i * N_FEATURES, sizeof(double), N_FEATURES, file);
        n_written += fwrite(rows->y + i, sizeof(double), 1, file);
        n_written += fwrite(rows->weight + i, sizeof(double), 1, file);
    }
    require(file != NULL && fclose(file) == 0 && n_written == rows->n * (N_FEATURES + 2), name, "cannot keep the rows");
}

static mxb_dataset *view(const struct rows *rows, const char *name) {
    mxb_dataset *data;
    ptrdiff_t row_bytes = N_FEATURES * (ptrdiff_t)sizeof(double);
    check(mxb_dataset_create(rows->n, &data, &error), name);
    check(mxb_dataset_add_matrix(data, rows->x, MXB_FLOAT64, N_FEATURES, row_bytes, sizeof(double), &error), name);
    check(mxb_dataset_set_label(data, rows->y, sizeof(double), MXB_FLOAT64, &error), name);
    check(mxb_dataset_set_weight(data, rows->weight, sizeof(double), MXB_FLOAT64, &error), name);
    return data;
}

static void digest_rows(const struct rows *rows, char text[SHA256_TEXT]) {
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, rows->x, rows->n * N_FEATURES * sizeof(double));
    sha256_add(&hash, rows->y, rows->n * sizeof(double));
    sha256_add(&hash, rows->weight, rows->n * sizeof(double));
    sha256_end(&hash, text);
}

int main(int argc, char **argv) {
    static char *few_threads[] = {"1", "2", "3", "8"};
    int keeps = argc > 2 && strcmp(argv[1], "--keep") == 0;
    const char *folder = keeps ? argv[2] : NULL;
    int n_counts = argc - 1 - 2 * keeps;
    char **counts = n_counts > 0 ? argv + argc - n_counts : few_threads;
    n_counts = n_counts > 0 ? n_counts : (int)(sizeof few_threads / sizeof *few_threads);
    for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++) {
        const struct setting *setting = &settings[s];
        struct rows rows = {setting->n, malloc(setting->n * N_FEATURES * sizeof(double)),
                            malloc(setting->n * sizeof(double)), malloc(setting->n * sizeof(double))};
        char of_rows[SHA256_TEXT];
        require(rows.x != NULL && rows.y != NULL && rows.weight != NULL, setting->name, "out of memory");
        state = 1000 + s;
        fill_rows(&rows, setting->labels, setting->extreme_weights);
        digest_rows(&rows, of_rows);
        printf("%s data %s\n", setting->name, of_rows);
        mxb_dataset *data = view(&rows, setting->name);
        for (int t = 0; t < n_counts; t++) {
            run_setting(setting, data, counts[t], folder);
        }
        if (folder != NULL) {
            keep_rows(&rows, setting->name, folder);
        }
        mxb_dataset_free(data);
        free(rows.x);
        free(rows.y);
        free(rows.weight);
    }
    return 0;
}
