/* mixboost train: a CSV file becomes a model file. Parse, check, read, train, save, tell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "mixboost/mixboost.h"
#include "mixboost/tune.h"
#include "progress.h"
#include "saved_model.h"
#include "source.h"
#include "text.h"
#include "training_data.h"
#include "training_input.h"

static const struct flag flags[] = {
    TRAINING_INPUT_LABEL_FLAG,
    TRAINING_INPUT_MODEL_FLAG,
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
    struct training_data data;
    mxb_dataset *first; /* parts of the rows of DATA.csv, where some are split off */
    mxb_dataset *second;
    const mxb_dataset *train; /* what is trained on and judged by: the files' rows or these parts */
    const mxb_dataset *valid;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_model *model;
};

static void training_clear(struct training *training) {
    mxb_model_free(training->model);
    mxb_model_free(training->from);
    mxb_trainer_free(training->trainer);
    mxb_prepared_free(training->prepared);
    mxb_dataset_free(training->second);
    mxb_dataset_free(training->first);
    training_data_clear(&training->data);
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
    if (code == EXIT_DONE) {
        code = training_input_check(training->params);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    if (arguments_flag(arguments, "valid") != NULL && training->valid_fraction > 0) {
        return fail_usage("--valid and --valid-fraction exclude each other");
    }
    return training_data_check(arguments);
}

static int read_from(struct training *training, const struct arguments *arguments) {
    mxb_error error;
    const char *path = arguments_flag(arguments, "from");
    mxb_status status = path == NULL ? MXB_OK : mxb_model_load(path, &training->from, &error);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

static int split_valid(struct training *training) {
    mxb_error error;
    const mxb_dataset *all = training->data.train;
    int stratify = training_input_has_classes(training->params);
    uint64_t seed = training_input_seed(training->params);
    mxb_status status =
        mxb_dataset_split(all, training->valid_fraction, stratify, seed, &training->first, &training->second, &error);
    if (status == MXB_ERROR_DATA &&
        stratify) { /* labels that hardly repeat; what the training has to say of them comes first */
        status = mxb_dataset_split(all, training->valid_fraction, 0, seed, &training->first, &training->second, &error);
    }
    training->train = training->first;
    training->valid = training->second;
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

static int read_data(struct training *training, const struct arguments *arguments) {
    int code = read_from(training, arguments);
    if (code == EXIT_DONE) {
        training->data.from = training->from;
        training->data.n_threads = training_input_n_threads(training->params);
        code = training_data_read(&training->data, arguments);
    }
    if (code == EXIT_DONE && training->valid_fraction > 0) {
        return split_valid(training);
    }
    training->train = training->data.train;
    training->valid = training->data.valid;
    return code;
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

/* Whether the model can be gone on from: said before the search, which may take long. */
static mxb_status check_from(const struct training *training, mxb_error *error) {
    char n_rounds[32];
    mxb_params *params = NULL;
    mxb_prepared *prepared = NULL;
    mxb_trainer *trainer = NULL;
    size_t n_done = mxb_model_n_rounds(training->from);
    snprintf(n_rounds, sizeof n_rounds, "%zu", n_done == 0 ? 1 : n_done);
    mxb_status status = mxb_params_copy(training->params, &params, error);
    if (status == MXB_OK) {
        status = mxb_params_set(params, "num_round", n_rounds, error);
    }
    if (status == MXB_OK) {
        status = mxb_prepared_create(training->train, params, &prepared, error);
    }
    if (status == MXB_OK) {
        status = mxb_trainer_create_from(prepared, NULL, params, training->from, &trainer, error);
    }
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
    return status;
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
    mxb_status status = is_search && training->from != NULL ? check_from(training, &error) : MXB_OK;
    if (status != MXB_OK) {
        return fail_status(status, &error);
    }
    progress_init(&progress, quiet, 0, "choosing num_round: round", "kept aside");
    status = mxb_choose_rounds(training->train, training->valid, training->params, progress_update, &progress, &error);
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
        return training->n_saved == 0 ? fail_data("stopped after %zu round%s; nothing was written", progress.round,
                                                  progress.round == 1 ? "" : "s")
                                      : fail_data("stopped after %zu rounds; %s has the first %zu", progress.round,
                                                  path, training->n_saved);
    }
    if (status == MXB_OK) {
        status = save_so_far(training, path, &error);
    }
    if (status != MXB_OK) {
        return fail_status(status, &error);
    }
    if (!quiet) {
        saved_model_report(training->model, path, progress.seconds);
    }
    return EXIT_DONE;
}

static int run_train(const struct arguments *arguments) {
    struct training training = {0};
    size_t n_rounds = 0;
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
        source_report_oddities(training.data.table, arguments);
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
