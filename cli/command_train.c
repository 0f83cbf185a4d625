/* mixboost train: a CSV file becomes a model file. Parse, check, read, train, save, tell. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static const struct flag flags[] = {
    TRAINING_INPUT_LABEL_FLAG,
    {"model", "OUT.mxb", "The file that the model is saved to.", 1},
    TRAINING_INPUT_WEIGHT_FLAG,
    {"valid", "VALID.csv", "Rows to judge every round by: the training stops early and keeps the best round.", 0},
    {"valid-fraction", "F", "The same with this share of the rows of DATA.csv, drawn at random: over 0, below 1.", 0},
    {"from", "MODEL", "Go on from this model: num_round counts its rounds too.", 0},
    {"checkpoint-every", "N", "Save the model so far every N rounds; --from goes on from it after a crash.", 0},
    SOURCE_HEADER_FLAG,
    {"quiet", NULL, "No progress and no summary.", 0},
};

/* What a training needs. All NULL until made, all freed in the end. */
struct training {
    mxb_params *params;
    double valid_fraction;     /* 0: not asked for */
    uint64_t checkpoint_every; /* rounds; 0: never */
    size_t n_saved;            /* rounds of the last checkpoint */
    mxb_model *from;           /* NULL: from nothing */
    mxb_table *table;
    mxb_table *valid_table;
    mxb_dataset *all; /* the rows of the table; `train` when none are split off */
    mxb_dataset *train;
    mxb_dataset *valid;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *model;
};

static void training_clear(struct training *training) {
    mxb_model_free(training->model);
    mxb_model_free(training->from);
    mxb_trainer_free(training->trainer);
    mxb_prepared_free(training->prepared);
    if (training->train != training->all) {
        mxb_dataset_free(training->train);
    }
    mxb_dataset_free(training->valid);
    mxb_dataset_free(training->all);
    mxb_table_free(training->valid_table);
    mxb_table_free(training->table);
    mxb_params_free(training->params);
}

static int set_valid_fraction(struct training *training, const struct arguments *arguments) {
    const char *text = arguments_flag(arguments, "valid-fraction");
    if (text == NULL) {
        return EXIT_DONE;
    }
    char *end;
    training->valid_fraction = strtod(text, &end);
    if (end == text || *end != '\0' || !(training->valid_fraction > 0 && training->valid_fraction < 1)) {
        return fail_usage("--valid-fraction must be a number over 0 and below 1, not \"%s\"", text);
    }
    return EXIT_DONE;
}

/* Everything that can be wrong before a file is read. */
static int check_arguments(struct training *training, const struct arguments *arguments) {
    const char *data = arguments->operands[0];
    const char *model = arguments_flag(arguments, "model");
    const char *valid = arguments_flag(arguments, "valid");
    int code = source_check_header(arguments);
    if (code == EXIT_DONE) {
        code = set_valid_fraction(training, arguments);
    }
    if (code == EXIT_DONE) {
        code = arguments_count(arguments, "checkpoint-every", 1, 1000000, &training->checkpoint_every);
    }
    if (code == EXIT_DONE) {
        code = training_input_options(arguments, &training->params);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    if (valid != NULL && training->valid_fraction > 0) {
        return fail_usage("--valid and --valid-fraction exclude each other");
    }
    if (valid != NULL && strcmp(valid, "-") == 0 && strcmp(data, "-") == 0) {
        return fail_usage("standard input can be DATA.csv or --valid, not both");
    }
    if (strcmp(model, "-") == 0) {
        return fail_usage("a model cannot go to standard output; give --model the name of a file");
    }
    if (output_is_same(model, data) || (valid != NULL && output_is_same(model, valid))) {
        return fail_usage("--model \"%s\" would overwrite the data", model);
    }
    return output_check(model, 0);
}

/* The number, from 1, of the column that `text` names or numbers; 0: none, or it would take the table (NULL) to know.
 */
static size_t column_number(const mxb_table *table, const char *text) {
    size_t n_columns = table == NULL ? SIZE_MAX : mxb_table_n_columns(table);
    for (size_t i = 0; text != NULL && table != NULL && i < n_columns; i++) {
        const char *name = mxb_table_column_name(table, i);
        if (name != NULL && strcmp(name, text) == 0) {
            return i + 1;
        }
    }
    char *end;
    unsigned long long number = text == NULL ? 0 : strtoull(text, &end, 10);
    int is_number = text != NULL && *text >= '0' && *text <= '9' && *end == '\0';
    return is_number && number <= n_columns ? (size_t)number : 0;
}

/* The header's name of the column that `text` names or numbers, so that the same column is found in a file with another
 * order; `text` itself where there is no such name. */
static const char *column_name(const mxb_table *table, const char *text) {
    size_t number = table == NULL ? 0 : column_number(table, text);
    const char *name = number == 0 ? NULL : mxb_table_column_name(table, number - 1);
    return name != NULL ? name : text;
}

/* The column of feature `index`, from 0, in a file without header: the others are `label` and `weight`, 0 = none. */
static size_t feature_column(size_t index, size_t label, size_t weight) {
    size_t low = label < weight ? label : weight;
    size_t high = label < weight ? weight : label;
    size_t column = index + 1;
    column += low > 0 && low <= column;
    column += high > 0 && high <= column;
    return column;
}

/* What is known of a file's columns before it is read: the features of the model to go on from or of the training
 * rows. Nothing, where there is neither yet. */
static int list_features(const struct training *training, const struct arguments *arguments,
                         struct features *features) {
    const mxb_model *from = training->from;
    const mxb_table *table = training->table;
    size_t label = column_number(table, arguments_flag(arguments, "label"));
    size_t weight = column_number(table, arguments_flag(arguments, "weight"));
    size_t n_features = from != NULL ? mxb_model_n_features(from) : mxb_dataset_n_features(training->train);
    int code = features_init(features, n_features);
    for (size_t i = 0; i < features->n; i++) {
        const char *name =
            from != NULL ? mxb_model_feature_name(from, i) : mxb_dataset_feature_name(training->train, i);
        features->names[i] = name;
        if (from != NULL ? mxb_model_feature_is_text(from, i) : mxb_dataset_feature_is_text(training->train, i)) {
            features_add_text(features, name, feature_column(i, label, weight));
        }
    }
    int label_is_text = table != NULL  ? label > 0 && mxb_table_column_is_text(table, label - 1)
                        : from != NULL ? mxb_model_label_text(from, 0) != NULL
                                       : 0;
    if (code == EXIT_DONE && label_is_text) {
        features_add_text(features, column_name(table, arguments_flag(arguments, "label")), label);
    }
    return code;
}

/* Reads a file and makes the dataset of the given label, weight and features, or, where none are known yet, of all
 * columns that are left. */
static int read_file(const struct training *training, const struct arguments *arguments, const char *path,
                     mxb_table **table, mxb_dataset **dataset) {
    mxb_error error;
    struct features features;
    int code = list_features(training, arguments, &features);
    const char *label = column_name(training->table, arguments_flag(arguments, "label"));
    const char *weight = column_name(training->table, arguments_flag(arguments, "weight"));
    if (code == EXIT_DONE) {
        code = source_read(path, arguments, &features, training_input_n_threads(training->params), table);
    }
    if (code == EXIT_DONE) {
        mxb_status status = mxb_dataset_from_table(*table, label, weight, features.n == 0 ? NULL : features.names,
                                                   features.n, dataset, &error);
        code = status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
    }
    features_clear(&features);
    return code;
}

static int read_from(struct training *training, const struct arguments *arguments) {
    mxb_error error;
    const char *path = arguments_flag(arguments, "from");
    mxb_status status = path == NULL ? MXB_OK : mxb_model_load(path, &training->from, &error);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

static int read_train(struct training *training, const struct arguments *arguments) {
    int code = read_file(training, arguments, arguments->operands[0], &training->table, &training->all);
    training->train = training->all;
    return code;
}

/* The validation file, its columns found by the names they have in the training file. */
static int read_valid(struct training *training, const struct arguments *arguments) {
    return read_file(training, arguments, arguments_flag(arguments, "valid"), &training->valid_table, &training->valid);
}

static int split_valid(struct training *training) {
    mxb_error error;
    int stratify = training_input_has_classes(training->params);
    uint64_t seed = training_input_seed(training->params);
    training->train = NULL;
    mxb_status status = mxb_dataset_split(training->all, training->valid_fraction, stratify, seed, &training->train,
                                          &training->valid, &error);
    if (status == MXB_ERROR_DATA &&
        stratify) { /* labels that hardly repeat; what the training has to say of them comes first */
        status = mxb_dataset_split(training->all, training->valid_fraction, 0, seed, &training->train, &training->valid,
                                   &error);
    }
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

static int read_data(struct training *training, const struct arguments *arguments) {
    int code = read_from(training, arguments);
    if (code == EXIT_DONE) {
        code = read_train(training, arguments);
    }
    if (code == EXIT_DONE && arguments_flag(arguments, "valid") != NULL) {
        code = read_valid(training, arguments);
    }
    if (code == EXIT_DONE && training->valid_fraction > 0) {
        code = split_valid(training);
    }
    return code;
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

static void print_summary(const mxb_model *model, const char *path, double seconds) {
    char text[TEXT_NUMBER_SIZE];
    char best[48] = "";
    char valid[80] = "";
    struct stat saved;
    size_t n_trained = mxb_model_n_curve(model);
    size_t n_kept = mxb_model_n_rounds(model);
    double valid_loss = mxb_model_curve(model, n_kept, 1);
    const char *metric = mxb_model_metric(model);
    if (mxb_model_stopped_early(model)) {
        snprintf(best, sizeof best, "; round %zu is the best", n_kept);
    }
    if (!isnan(valid_loss)) {
        snprintf(valid, sizeof valid, ", validation %s %.6g", metric, valid_loss);
    }
    report("trained %zu round%s in %s%s: train %s %.6g%s", n_trained, plural(n_trained), text_duration(text, seconds),
           best, metric, mxb_model_curve(model, n_kept, 0), valid);
    double n_bytes = stat(path, &saved) == 0 ? (double)saved.st_size : 0;
    report("wrote %s (%s)", path, text_size(text, n_bytes));
}

static mxb_status begin(struct training *training, mxb_error *error) {
    mxb_status status = mxb_prepared_create(training->train, training->params, &training->prepared, error);
    if (status != MXB_OK) {
        return status;
    }
    return training->from == NULL
               ? mxb_trainer_create(training->prepared, training->valid, training->params, &training->trainer, error)
               : mxb_trainer_create_from(training->prepared, training->valid, training->params, training->from,
                                         &training->trainer, error);
}

static mxb_status save_so_far(struct training *training, const char *path, mxb_error *error) {
    mxb_model_free(training->model);
    training->model = NULL;
    mxb_status status = mxb_trainer_model(training->trainer, &training->model, error);
    return status == MXB_OK ? mxb_model_save(training->model, path, error) : status;
}

/* Trains to the end, with a stop at each checkpoint. */
static mxb_status train_all(struct training *training, const char *path, struct progress *progress, mxb_error *error) {
    mxb_status status = begin(training, error);
    while (status == MXB_OK && !mxb_trainer_is_done(training->trainer)) {
        size_t every = (size_t)training->checkpoint_every;
        size_t done = mxb_trainer_n_rounds(training->trainer);
        size_t until = every == 0 ? SIZE_MAX : (done / every + 1) * every;
        status = mxb_trainer_run(training->trainer, until, progress_update, progress, error);
        if (status == MXB_OK && !mxb_trainer_is_done(training->trainer)) {
            status = save_so_far(training, path, error);
            training->n_saved = mxb_trainer_n_rounds(training->trainer);
        }
    }
    return status;
}

static int is_auto(const struct training *training, const char *option) {
    return strcmp(mxb_params_get(training->params, option), "auto") == 0;
}

/* The search is for a training that goes on as the model did. */
static int follow_rate(struct training *training, mxb_error *error) {
    const char *rate = mxb_model_option(training->from, "learning_rate");
    return rate == NULL || mxb_params_set(training->params, "learning_rate", rate, error) == MXB_OK;
}

/* Makes num_round the number that it stands for. Where it is auto and no rows judge the training, it is searched for,
 * which takes longer than the training. */
static int choose_rounds(struct training *training, int quiet, size_t *n_rounds) {
    mxb_error error;
    struct progress progress;
    char duration[TEXT_NUMBER_SIZE];
    int is_search = training->valid == NULL && is_auto(training, "num_round");
    if (training->from != NULL && is_auto(training, "learning_rate") && !follow_rate(training, &error)) {
        return fail_status(MXB_ERROR_PARAM, &error);
    }
    progress_init(&progress, quiet, 0, "choosing num_round: round", "kept aside");
    mxb_status status =
        mxb_choose_rounds(training->train, training->valid, training->params, progress_update, &progress, &error);
    progress_finish(&progress);
    if (interrupt_caught()) {
        return fail_data("stopped while num_round was chosen; nothing was written");
    }
    if (status != MXB_OK) {
        return fail_status(status, &error);
    }
    *n_rounds = strtoul(mxb_params_get(training->params, "num_round"), NULL, 10);
    if (is_search && !quiet && progress.round == 0) {
        report("num_round auto: %zu rounds; the rows, or those of a class, are too few to keep some aside", *n_rounds);
    } else if (is_search && !quiet) {
        report("num_round auto: %zu round%s best for rows kept aside, in %s", *n_rounds,
               *n_rounds == 1 ? " is" : "s are", text_duration(duration, progress.seconds));
    }
    if (is_search && training->from != NULL && *n_rounds < mxb_model_n_rounds(training->from)) {
        return fail_data(
            "num_round auto: %zu rounds are best for rows kept aside; the model to go on from already has %zu",
            *n_rounds, mxb_model_n_rounds(training->from));
    }
    return EXIT_DONE;
}

/* Trains and saves. Ctrl-C stops the training; once the saving has begun it is finished first. */
static int fit(struct training *training, const char *path, int quiet, size_t n_rounds) {
    mxb_error error;
    struct progress progress;
    progress_init(&progress, quiet, n_rounds, "round", "validation");
    progress.may_stop_early = training->valid != NULL;
    mxb_status status = train_all(training, path, &progress, &error);
    progress_finish(&progress);
    if (interrupt_caught()) {
        return training->n_saved == 0
                   ? fail_data("stopped after %zu round%s; nothing was written", progress.round, plural(progress.round))
                   : fail_data("stopped after %zu rounds; %s has the first %zu", progress.round, path,
                               training->n_saved);
    }
    if (status == MXB_OK) {
        status = save_so_far(training, path, &error);
    }
    if (status != MXB_OK) {
        return fail_status(status, &error);
    }
    if (!quiet) {
        print_summary(training->model, path, progress.seconds);
    }
    return EXIT_DONE;
}

static int run_train(const struct arguments *arguments) {
    struct training training = {0};
    size_t n_rounds;
    int quiet = arguments_flag(arguments, "quiet") != NULL;
    int code = check_arguments(&training, arguments);
    if (code == EXIT_DONE) {
        code = read_data(&training, arguments);
    }
    if (code == EXIT_DONE) {
        interrupt_catch();
        code = choose_rounds(&training, quiet, &n_rounds);
    }
    if (code == EXIT_DONE) {
        code = fit(&training, arguments_flag(arguments, "model"), quiet, n_rounds);
    }
    if (code == EXIT_DONE && !quiet) {
        source_report_oddities(training.table, arguments);
    }
    training_clear(&training);
    interrupt_release();
    return code;
}

const struct command command_train = {
    .name = "train",
    .summary = "fit a model to a CSV file and save it",
    .usage =
        "DATA.csv --label COLUMN --model OUT.mxb [--weight COLUMN]\n"
        "                      [--valid VALID.csv | --valid-fraction F] [--from MODEL]\n"
        "                      [--checkpoint-every N] [--NAME VALUE ...]",
    .operands = {{"DATA.csv", "The rows to learn from; - reads standard input."}},
    .n_operands = 1,
    .flags = flags,
    .n_flags = sizeof flags / sizeof *flags,
    .takes_options = 1,
    .run = run_train,
};
