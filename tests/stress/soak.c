/* A long run: predictions of single rows and batches, loads, then trainings of all kinds, over and over. The memory of
 * the process does not grow, and results stay what they were.
 *
 *     soak [PREDICTIONS [TRAININGS]] */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "counted_memory.h"
#include "stress/served_model.h"

enum { MOST_GROWTH = 1 << 20 };

static struct served served;
static size_t n_predictions = 20000;
static size_t n_trainings = 400;

/* Of the process, resident, in bytes; 0 where the system does not tell. */
static size_t memory(void) {
    unsigned long long pages[2] = {0};
    char text[128] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        size_t n = fread(text, 1, sizeof text - 1, file);
        char *end = text;
        text[n] = '\0';
        pages[0] = strtoull(end, &end, 10);
        pages[1] = strtoull(end, &end, 10);
        fclose(file);
    }
    return (size_t)pages[1] * (size_t)sysconf(_SC_PAGESIZE);
}

/* Does things 0 .. n - 1, the first quarter of them to warm up. What the library has asked for must be the same to the
 * byte ever after. What is resident goes up and down with the kind of thing that was done last and with which thread
 * took memory first, so the most of a quarter of them is compared, the second with the last. */
static void check_growth(const char *what, size_t n, int (*is_right)(size_t i)) {
    size_t quarter = n / 4, n_wrong = 0, first = 0, last = 0, n_kept = 0, n_changed = 0;
    for (size_t i = 0; i < n; i++) {
        n_wrong += !is_right(i);
        n_kept = i <= quarter ? live_bytes : n_kept;
        n_changed += live_bytes != n_kept;
        if (i >= quarter && i < 2 * quarter) {
            size_t now = memory();
            first = now > first ? now : first;
        } else if (i >= n - quarter) {
            size_t now = memory();
            last = now > last ? now : last;
        }
    }
    CHECK_INT(n_wrong, 0);
    CHECK_INT(n_changed, 0);
    CHECK(first > 0 && last > 0);
    size_t growth = last > first ? last - first : 0;
    CHECK(growth < MOST_GROWTH);
    printf("%zu %s, %zu wrong, %zu left memory behind, %zu bytes of growth to %zu\n", n, what, n_wrong, n_changed,
           growth, last);
}

/* ---- predictions ---- */

static int predict_once(size_t i) {
    size_t row = i * 7 % N_SERVED_ROWS;
    switch (i % 50) {
        case 0:
            return served_load_agrees(&served);
        case 1:
            return served_batch_agrees(&served, served.model, 2);
        case 2:
        case 3:
            return served_batch_agrees(&served, served.model, 1);
        case 4:
        case 5:
            return served_rows_agree(&served, served.model, 0, N_SERVED_ROWS);
        case 6:
        case 7:
            return served_rows_agree(&served, served.model, row / 2, 32);
        default:
            return served_rows_agree(&served, served.model, row, 1);
    }
}

static void predictions_keep_nothing(void) { check_growth("predictions", n_predictions, predict_once); }

/* ---- trainings ---- */

enum { N_KINDS = 5 };

static struct made_data numbers; /* labels that are numbers, weighted */
static mxb_params *params_of_kind[N_KINDS];
static struct model_bytes bytes_of_kind[N_KINDS];

static struct model_bytes train_kind(size_t kind) {
    mxb_model *model = NULL;
    struct model_bytes bytes = {NULL, 0};
    const mxb_dataset *valid = kind == 1 ? numbers.dataset : NULL;
    if (mxb_train(numbers.dataset, valid, params_of_kind[kind], NULL, NULL, &model, NULL) == MXB_OK) {
        bytes = bytes_of(model);
    }
    mxb_model_free(model);
    return bytes;
}

/* The kinds in turn, and one that fails. */
static int train_once(size_t i) {
    size_t kind = i % (N_KINDS + 2);
    if (kind == N_KINDS) {
        return served_training_agrees(&served);
    }
    if (kind == N_KINDS + 1) {
        mxb_model *model = NULL;
        mxb_error error;
        return mxb_train(numbers.dataset, NULL, served.params, NULL, NULL, &model, &error) == MXB_ERROR_DATA &&
               model == NULL; /* labels of more than two classes */
    }
    struct model_bytes bytes = train_kind(kind);
    if (bytes_of_kind[kind].bytes == NULL) { /* the first of its kind */
        bytes_of_kind[kind] = bytes;
        return bytes.bytes != NULL;
    }
    int same = same_bytes(bytes, bytes_of_kind[kind]);
    mxb_bytes_free(bytes.bytes);
    return same;
}

static void trainings_keep_nothing(void) {
    numbers = data_make((struct data_recipe){.n_rows = 400, .n_features = 5, .seed = 4, .missing = 0.1, .weighted = 1});
    params_of_kind[0] = PARAMS("num_round", "10", "tree_probability", "0.6", "n_components", "12", "n_threads", "3");
    params_of_kind[1] = PARAMS("num_round", "30", "early_stopping_rounds", "3", "n_threads", "1");
    params_of_kind[2] = PARAMS("num_round", "10", "use_histograms", "false", "n_threads", "2");
    params_of_kind[3] = PARAMS("num_round", "5", "n_members", "3", "n_threads", "2");
    params_of_kind[4] = PARAMS("num_round", "8", "tree_probability", "0", "alpha", "0", "n_threads", "1");
    check_growth("trainings", n_trainings, train_once);
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        mxb_params_free(params_of_kind[kind]);
        mxb_bytes_free(bytes_of_kind[kind].bytes);
    }
    data_clear(&numbers);
}

int main(int argc, char **argv) {
    n_predictions = argc > 1 ? strtoull(argv[1], NULL, 10) : n_predictions;
    n_trainings = argc > 2 ? strtoull(argv[2], NULL, 10) : n_trainings;
    check_test = "the model";
    if (served_make(&served)) {
        RUN(predictions_keep_nothing);
        RUN(trainings_keep_nothing);
    } else {
        check_failed(__FILE__, __LINE__, "cannot train the model");
    }
    served_clear(&served);
    return check_report();
}
