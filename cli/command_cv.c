/* mixboost cv: how well the options, or those that tuning finds, do on a CSV file, by cross-validation. Parse, check,
 * read, train every fold, tell. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "mixboost/mixboost.h"
#include "nested.h"
#include "output.h"
#include "progress.h"
#include "settings_table.h"
#include "source.h"
#include "text.h"
#include "training_data.h"
#include "training_input.h"
#include "tuning.h"

enum { MAX_FOLDS = 1000, MAX_REPEATS = 1000 };

static const struct flag flags[] = {
    TRAINING_INPUT_LABEL_FLAG,
    {"folds", "N", "Parts that the rows are dealt into, each left out once: 2 to 1000; without it 5.", 0},
    {"repeats", "N", "How often all of that is done, with the rows dealt anew: 1 to 1000; without it once.", 0},
    {"seed", "S", "Seed of the dealing: 0 to 4294967295; without it random_state.", 0},
    TRAINING_INPUT_WEIGHT_FLAG,
    {"tune", NULL,
     "Tune in each fold, as mixboost tune does, and judge what that finds; the flags from here to --resume say how.",
     0},
    {"inner-folds", "N", "Judge every configuration on N folds of the rows trained on, by the mean: 2 to 1000.", 0},
    TUNING_FLAGS,
    {"journal", "FILE", "Keep every result in a file for each fold, FILE.1 and so on, for --resume.", 0},
    TUNING_RESUME_FLAG,
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
    int tunes;
    struct tuning tuning; /* where it does */
    mxb_params *params;
    struct training_data data;
    double *losses;     /* [n_repeats][n_folds] */
    mxb_params **found; /* by tuning, likewise */
};

static size_t n_losses(const struct validation *validation) {
    return (size_t)(validation->n_folds * validation->n_repeats);
}

static void validation_clear(struct validation *validation) {
    for (size_t i = 0; validation->found != NULL && i < n_losses(validation); i++) {
        mxb_params_free(validation->found[i]);
    }
    free(validation->found);
    free(validation->losses);
    training_data_clear(&validation->data);
    tuning_clear(&validation->tuning);
    mxb_params_free(validation->params);
}

static struct nested nested_of(const struct validation *validation) {
    return (struct nested){.tuning = &validation->tuning,
                           .dataset = validation->data.train,
                           .n_folds = (size_t)validation->n_folds,
                           .n_repeats = (size_t)validation->n_repeats,
                           .stratified = validation->stratified,
                           .seed = validation->seed};
}

static int check_tuning(struct validation *validation, const struct arguments *arguments) {
    const char *given = tuning_given_flag(arguments, "inner-folds");
    validation->tunes = arguments_flag(arguments, "tune") != NULL;
    if (!validation->tunes) {
        return given == NULL ? EXIT_DONE : fail_usage("--%s is for --tune", given);
    }
    return tuning_init(&validation->tuning, arguments, "inner-folds");
}

/* Everything that can be wrong before a file is read. */
static int check_arguments(struct validation *validation, const struct arguments *arguments) {
    int code = source_check_header(arguments);
    if (code == EXIT_DONE) {
        code = training_input_options(arguments, &validation->params);
    }
    if (code == EXIT_DONE) {
        code = check_tuning(validation, arguments);
    }
    if (code == EXIT_DONE && !validation->tunes) {
        code = training_input_check(validation->params);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    validation->stratified =
        training_input_has_classes(validation->tunes ? validation->tuning.params : validation->params);
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
    if (code == EXIT_DONE && validation->tunes) {
        struct nested nested = nested_of(validation);
        code = nested_check_journals(&nested);
    }
    return code;
}

static int read_data(struct validation *validation, const struct arguments *arguments) {
    validation->data.n_threads = training_input_n_threads(validation->params);
    return training_data_read(&validation->data, arguments);
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

/* All folds with the options as they are. */
static int validate_options(struct validation *validation, struct watch *watch) {
    mxb_error error;
    watch->n_rounds = (size_t)strtod(mxb_params_get(validation->params, "num_round"), NULL);
    mxb_status status = mxb_cross_validate(validation->data.train, validation->params, (size_t)validation->n_folds,
                                           (size_t)validation->n_repeats, validation->stratified, validation->seed,
                                           watch_update, watch, validation->losses, &error);
    return status == MXB_OK || interrupt_caught() ? EXIT_DONE : fail_status(status, &error);
}

static int validate_tuning(struct validation *validation, struct watch *watch) {
    struct nested nested = nested_of(validation);
    return nested_validate(&nested, &watch->progress, validation->losses, validation->found);
}

static int validate(struct validation *validation, const struct arguments *arguments) {
    const char *journal = arguments_flag(arguments, "journal");
    struct watch watch = {0};
    validation->losses = calloc(n_losses(validation), sizeof *validation->losses);
    validation->found = calloc(n_losses(validation), sizeof *validation->found);
    if (validation->losses == NULL || validation->found == NULL) {
        return fail_data("out of memory");
    }
    progress_init(&watch.progress, arguments_flag(arguments, "quiet") != NULL, n_losses(validation), "fold",
                  "held out");
    int code = validation->tunes ? validate_tuning(validation, &watch) : validate_options(validation, &watch);
    progress_finish(&watch.progress);
    if (interrupt_caught()) {
        return fail_data("stopped after %zu of %zu folds%s", watch.progress.round, n_losses(validation),
                         journal == NULL ? "" : "; --resume goes on from the journals");
    }
    return code;
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
    size_t n_rows = mxb_dataset_n_rows(validation->data.train);
    size_t n_folds = (size_t)validation->n_folds;
    return n_rows / n_folds + (fold < n_rows % n_folds);
}

static const char *metric_name(const struct validation *validation) {
    return training_input_metric(validation->tunes ? validation->tuning.params : validation->params);
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

/* What tuning found in each fold, some folds at a time. */
static void print_found(const struct validation *validation) {
    enum { REPEAT, FOLD, N_HEADS };
    struct settings_head heads[N_HEADS] = {[REPEAT] = {.name = "repeat"}, [FOLD] = {.name = "fold"}};
    size_t n_folds = (size_t)validation->n_folds;
    size_t first_head = validation->n_repeats > 1 ? REPEAT : FOLD;
    printf("\nfound by tuning:\n");
    for (size_t first = 0; first < n_losses(validation); first += SETTINGS_TABLE_MAX) {
        size_t n = 0;
        for (; n < SETTINGS_TABLE_MAX && first + n < n_losses(validation); n++) {
            snprintf(heads[REPEAT].texts[n], TEXT_NUMBER_SIZE, "%zu", (first + n) / n_folds + 1);
            snprintf(heads[FOLD].texts[n], TEXT_NUMBER_SIZE, "%zu", (first + n) % n_folds + 1);
        }
        printf("\n");
        settings_table_print(validation->tuning.space, validation->found + first, n, heads + first_head,
                             N_HEADS - first_head);
    }
}

static const char *json_number(char out[TEXT_NUMBER_SIZE], double number) {
    return isfinite(number) ? text_number(out, number) : "null";
}

/* What tuning found for a fold: all options of the space, and the rounds. */
static void print_json_settings(const struct validation *validation, const mxb_params *found) {
    const mxb_space *space = validation->tuning.space;
    printf(", \"rounds\": %s, \"settings\": {", mxb_params_get(found, "num_round"));
    for (size_t i = 0; i < mxb_space_n_options(space); i++) {
        const char *option = mxb_space_option(space, i);
        printf("%s\"%s\": \"%s\"", i == 0 ? "" : ", ", option, mxb_params_get(found, option));
    }
    printf("}");
}

static void print_json(const struct validation *validation) {
    char number[TEXT_NUMBER_SIZE];
    double means[MAX_REPEATS];
    struct spread all = spread_of(validation->losses, n_losses(validation));
    struct spread repeats = spread_of_repeats(validation, means);
    printf(
        "{\"metric\": \"%s\", \"rows\": %zu, \"folds\": %zu, \"repeats\": %zu, \"seed\": %llu, \"stratified\": %s,\n",
        metric_name(validation), mxb_dataset_n_rows(validation->data.train), (size_t)validation->n_folds,
        (size_t)validation->n_repeats, (unsigned long long)validation->seed, validation->stratified ? "true" : "false");
    printf(" \"mean\": %s, ", json_number(number, all.mean));
    printf("\"deviation\": %s, ", json_number(number, all.deviation));
    printf("\"deviation_of_repeats\": %s,\n \"results\": [", json_number(number, repeats.deviation));
    for (size_t i = 0; i < n_losses(validation); i++) {
        size_t fold = i % (size_t)validation->n_folds;
        printf("%s\n  {\"repeat\": %zu, \"fold\": %zu, \"rows\": %zu, \"loss\": %s", i == 0 ? "" : ",",
               i / (size_t)validation->n_folds + 1, fold + 1, n_held_out(validation, fold),
               json_number(number, validation->losses[i]));
        if (validation->tunes) {
            print_json_settings(validation, validation->found[i]);
        }
        printf("}");
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
        code = validate(&validation, arguments);
    }
    if (code == EXIT_DONE && arguments_flag(arguments, "quiet") == NULL) {
        source_report_oddities(validation.data.table, arguments);
    }
    if (code == EXIT_DONE) {
        if (arguments_flag(arguments, "json") != NULL) {
            print_json(&validation);
        } else {
            print_table(&validation);
        }
        if (validation.tunes && arguments_flag(arguments, "json") == NULL) {
            print_found(&validation);
        }
        code = output_finish_stdout();
    }
    validation_clear(&validation);
    interrupt_release();
    return code;
}

const struct command command_cv = {
    .name = "cv",
    .summary = "judge options, or tuning, by cross-validation on a CSV file",
    .usage =
        "DATA.csv --label COLUMN [--folds N] [--repeats N] [--seed S]\n"
        "                   [--weight COLUMN] [--json] [--NAME VALUE ...]\n"
        "                   [--tune [--inner-folds N | --valid-fraction F] [--space NAME|FILE] ...]",
    .operands = {{"DATA.csv", "The rows to learn from and to be judged by; - reads standard input."}},
    .n_operands = 1,
    .flags = flags,
    .n_flags = sizeof flags / sizeof *flags,
    .takes_options = 1,
    .run = run_cv,
};
