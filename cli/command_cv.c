/* mixboost cv: how well the options do on a CSV file, by cross-validation. Parse, check, read, train every fold, tell.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "mixboost/mixboost.h"
#include "output.h"
#include "progress.h"
#include "source.h"
#include "text.h"
#include "training_input.h"

enum { MAX_FOLDS = 1000, MAX_REPEATS = 1000 };

static const struct flag flags[] = {
    TRAINING_INPUT_LABEL_FLAG,
    {"folds", "N", "Parts that the rows are dealt into, each left out once: 2 to 1000; without it 5.", 0},
    {"repeats", "N", "How often all of that is done, with the rows dealt anew: 1 to 1000; without it once.", 0},
    {"seed", "S", "Seed of the dealing: 0 to 4294967295; without it random_state.", 0},
    TRAINING_INPUT_WEIGHT_FLAG,
    SOURCE_HEADER_FLAG,
    {"json", NULL, "Print the result as JSON.", 0},
    {"quiet", NULL, "No progress.", 0},
};

/* What a cross-validation needs. All NULL until made, all freed in the end. */
struct validation {
    uint64_t n_folds;
    uint64_t n_repeats;
    uint64_t seed;
    int stratified;
    mxb_params *params;
    mxb_table *table;
    mxb_dataset *dataset;
    double *losses; /* [n_repeats][n_folds] */
};

static void validation_clear(struct validation *validation) {
    free(validation->losses);
    mxb_dataset_free(validation->dataset);
    mxb_table_free(validation->table);
    mxb_params_free(validation->params);
}

/* Everything that can be wrong before a file is read. */
static int check_arguments(struct validation *validation, const struct arguments *arguments) {
    int code = source_check_header(arguments);
    if (code == EXIT_DONE) {
        code = training_input_options(arguments, &validation->params);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    validation->stratified = training_input_has_classes(validation->params);
    validation->n_folds = 5;
    validation->n_repeats = 1;
    validation->seed = training_input_seed(validation->params);
    code = arguments_count(arguments, "folds", 2, MAX_FOLDS, &validation->n_folds);
    if (code == EXIT_DONE) {
        code = arguments_count(arguments, "repeats", 1, MAX_REPEATS, &validation->n_repeats);
    }
    if (code == EXIT_DONE) {
        code = arguments_count(arguments, "seed", 0, UINT32_MAX, &validation->seed);
    }
    return code;
}

static int read_data(struct validation *validation, const struct arguments *arguments) {
    mxb_error error;
    int code = source_read(arguments->operands[0], arguments, NULL, training_input_n_threads(validation->params),
                           &validation->table);
    if (code != EXIT_DONE) {
        return code;
    }
    mxb_status status =
        mxb_dataset_from_table(validation->table, arguments_flag(arguments, "label"),
                               arguments_flag(arguments, "weight"), NULL, 0, &validation->dataset, &error);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

/* ---- Folds ---- */

struct watch {
    struct progress progress; /* counts folds */
    size_t n_rounds;          /* of every fold; 0: num_round is auto, and nobody knows */
    size_t round;             /* of the fold being trained */
};

/* An mxb_progress_fn with a struct watch as context. */
static int watch_update(void *context, size_t fold, double train_loss, double held_out_loss, double seconds) {
    struct watch *watch = context;
    if (isnan(held_out_loss)) {
        watch->round++;
        double part = watch->n_rounds == 0 ? 0.0 : (double)watch->round / (double)watch->n_rounds;
        return progress_advance(&watch->progress, part, seconds);
    }
    watch->round = 0;
    return progress_update(&watch->progress, fold, train_loss, held_out_loss, seconds);
}

static size_t n_losses(const struct validation *validation) {
    return (size_t)(validation->n_folds * validation->n_repeats);
}

static int validate(struct validation *validation, int quiet) {
    mxb_error error;
    struct watch watch = {.n_rounds = (size_t)strtod(mxb_params_get(validation->params, "num_round"), NULL)};
    validation->losses = calloc(n_losses(validation), sizeof *validation->losses);
    if (validation->losses == NULL) {
        return fail_data("out of memory");
    }
    progress_init(&watch.progress, quiet, n_losses(validation), "fold", "held out");
    mxb_status status = mxb_cross_validate(validation->dataset, validation->params, (size_t)validation->n_folds,
                                           (size_t)validation->n_repeats, validation->stratified, validation->seed,
                                           watch_update, &watch, validation->losses, &error);
    progress_finish(&watch.progress);
    if (interrupt_caught()) {
        return fail_data("stopped after %zu of %zu folds", watch.progress.round, n_losses(validation));
    }
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

/* ---- The result ---- */

struct spread {
    double mean;
    double deviation; /* the sample's standard deviation; NaN for one value */
};

/* Of values of any size: neither the sum nor the squares overflow. */
static struct spread spread_of(const double *values, size_t n) {
    struct spread spread = {0, NAN};
    double largest = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        spread.mean += values[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(values[i] - spread.mean));
    }
    for (size_t i = 0; i < n && largest > 0; i++) {
        double share = (values[i] - spread.mean) / largest;
        squares += share * share;
    }
    if (n > 1) {
        spread.deviation = largest * sqrt(squares / (double)(n - 1));
    }
    return spread;
}

/* The mean of every repeat, and the spread of these. */
static struct spread spread_of_repeats(const struct validation *validation, double means[MAX_REPEATS]) {
    for (size_t repeat = 0; repeat < validation->n_repeats; repeat++) {
        size_t n_folds = (size_t)validation->n_folds;
        means[repeat] = spread_of(validation->losses + repeat * n_folds, n_folds).mean;
    }
    return spread_of(means, (size_t)validation->n_repeats);
}

/* Rows that a fold holds out; fold 0 is the first. Sizes differ by at most one, the larger first. */
static size_t n_held_out(const struct validation *validation, size_t fold) {
    size_t n_rows = mxb_dataset_n_rows(validation->dataset);
    size_t n_folds = (size_t)validation->n_folds;
    return n_rows / n_folds + (fold < n_rows % n_folds);
}

static const char *metric_name(const struct validation *validation) {
    return training_input_has_classes(validation->params) ? "logloss" : "rmse";
}

static void print_table(const struct validation *validation) {
    double means[MAX_REPEATS];
    int has_repeats = validation->n_repeats > 1;
    printf("%s  fold      rows  %s\n", has_repeats ? "  repeat" : "", metric_name(validation));
    for (size_t i = 0; i < n_losses(validation); i++) {
        size_t fold = i % (size_t)validation->n_folds;
        if (has_repeats) {
            printf("%8zu", i / (size_t)validation->n_folds + 1);
        }
        printf("%6zu  %8zu  %.6g\n", fold + 1, n_held_out(validation, fold), validation->losses[i]);
    }
    struct spread all = spread_of(validation->losses, n_losses(validation));
    printf("\nmean %.6g ± %.3g (standard deviation over %zu folds)\n", all.mean, all.deviation, n_losses(validation));
    if (has_repeats) {
        struct spread repeats = spread_of_repeats(validation, means);
        printf("mean %.6g ± %.3g (standard deviation over %zu repeats)\n", repeats.mean, repeats.deviation,
               (size_t)validation->n_repeats);
    }
}

static const char *json_number(char out[TEXT_NUMBER_SIZE], double number) {
    return isfinite(number) ? text_number(out, number) : "null";
}

static void print_json(const struct validation *validation) {
    char number[TEXT_NUMBER_SIZE];
    double means[MAX_REPEATS];
    struct spread all = spread_of(validation->losses, n_losses(validation));
    struct spread repeats = spread_of_repeats(validation, means);
    printf(
        "{\"metric\": \"%s\", \"rows\": %zu, \"folds\": %zu, \"repeats\": %zu, \"seed\": %llu, \"stratified\": %s,\n",
        metric_name(validation), mxb_dataset_n_rows(validation->dataset), (size_t)validation->n_folds,
        (size_t)validation->n_repeats, (unsigned long long)validation->seed, validation->stratified ? "true" : "false");
    printf(" \"mean\": %s, ", json_number(number, all.mean));
    printf("\"deviation\": %s, ", json_number(number, all.deviation));
    printf("\"deviation_of_repeats\": %s,\n \"results\": [", json_number(number, repeats.deviation));
    for (size_t i = 0; i < n_losses(validation); i++) {
        size_t fold = i % (size_t)validation->n_folds;
        printf("%s\n  {\"repeat\": %zu, \"fold\": %zu, \"rows\": %zu, \"loss\": %s}", i == 0 ? "" : ",",
               i / (size_t)validation->n_folds + 1, fold + 1, n_held_out(validation, fold),
               json_number(number, validation->losses[i]));
    }
    printf("\n ]}\n");
}

static int run_cv(const struct arguments *arguments) {
    struct validation validation = {0};
    int code = check_arguments(&validation, arguments);
    if (code == EXIT_DONE) {
        code = read_data(&validation, arguments);
    }
    if (code == EXIT_DONE) {
        interrupt_catch();
        code = validate(&validation, arguments_flag(arguments, "quiet") != NULL);
    }
    if (code == EXIT_DONE && arguments_flag(arguments, "quiet") == NULL) {
        source_report_oddities(validation.table, arguments);
    }
    if (code == EXIT_DONE) {
        if (arguments_flag(arguments, "json") != NULL) {
            print_json(&validation);
        } else {
            print_table(&validation);
        }
        code = output_finish_stdout();
    }
    validation_clear(&validation);
    interrupt_release();
    return code;
}

const struct command command_cv = {
    .name = "cv",
    .summary = "judge options by cross-validation on a CSV file",
    .usage =
        "DATA.csv --label COLUMN [--folds N] [--repeats N] [--seed S]\n"
        "                   [--weight COLUMN] [--json] [--NAME VALUE ...]",
    .operands = {{"DATA.csv", "The rows to learn from and to be judged by; - reads standard input."}},
    .n_operands = 1,
    .flags = flags,
    .n_flags = sizeof flags / sizeof *flags,
    .takes_options = 1,
    .run = run_cv,
};
