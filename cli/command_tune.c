/* mixboost tune: finds good options for a CSV file and saves the model that they give. Parse, check, read, search, tell
 * what was found, train the winner, save. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "mixboost/tune.h"
#include "output.h"
#include "progress.h"
#include "saved_model.h"
#include "settings_table.h"
#include "source.h"
#include "text.h"
#include "training_data.h"
#include "training_input.h"
#include "tuning.h"
#include "tuning_text.h"
#include "tuning_view.h"

static const struct flag flags[] = {
    TRAINING_INPUT_LABEL_FLAG,
    TRAINING_INPUT_MODEL_FLAG,
    TRAINING_INPUT_WEIGHT_FLAG,
    {"folds", "N", "Judge every configuration on N folds, by the mean: 2 to 1000.", 0},
    {"valid", "VALID.csv", "Judge configurations by these rows.", 0},
    TUNING_FLAGS,
    {"journal", "FILE", "Keep every result in this file, for --resume after a crash or a stop.", 0},
    TUNING_RESUME_FLAG,
    SOURCE_HEADER_FLAG,
    {"quiet", NULL, "No progress and no summary.", 0},
};

/* What tuning needs. All NULL until made, all freed in the end. */
struct search {
    const struct arguments *arguments;
    int quiet;
    struct tuning tuning;
    struct training_data data;
    mxb_tuner *tuner;
    int was_stopped; /* by a signal */
    size_t best;     /* the configuration to take */
    mxb_params *best_params;
    mxb_model *model;
};

static void search_clear(struct search *search) {
    mxb_model_free(search->model);
    mxb_params_free(search->best_params);
    mxb_tuner_free(search->tuner);
    training_data_clear(&search->data);
    tuning_clear(&search->tuning);
}

/* Everything that can be wrong before the data is read. */
static int check_arguments(struct search *search, const struct arguments *arguments) {
    const char *journal = arguments_flag(arguments, "journal");
    const char *space = arguments_flag(arguments, "space");
    const char *model = arguments_flag(arguments, "model");
    search->arguments = arguments;
    search->quiet = arguments_flag(arguments, "quiet") != NULL;
    int code = source_check_header(arguments);
    if (code == EXIT_DONE) {
        code = tuning_init(&search->tuning, arguments, "folds");
    }
    if (code == EXIT_DONE) {
        code = training_data_check(arguments);
    }
    if (code == EXIT_DONE && space != NULL && output_is_same(model, space)) {
        code = fail_usage("--model \"%s\" would overwrite the space", model);
    }
    return code == EXIT_DONE && journal != NULL ? tuning_check_journal(&search->tuning, journal) : code;
}

/* ---- The search ---- */

/* Says why there is no configuration to take. */
static int fail_empty(const struct search *search) {
    const char *limit = arguments_flag(search->arguments, "time-limit");
    if (search->was_stopped || limit == NULL) {
        return fail_data("stopped before any configuration was judged; nothing was written");
    }
    return fail_data("no configuration could be judged within %s; nothing was written", limit);
}

/* Reports what kept the search from its end, if anything did. */
static void report_stop(const struct search *search) {
    size_t stage = mxb_tuner_stage(search->tuner);
    size_t n_stages = mxb_tuner_n_stages(search->tuner);
    if (stage < n_stages && (search->was_stopped || !search->quiet)) {
        report("%s in stage %zu of %zu, after %zu of %zu trials; the best configuration so far is taken",
               search->was_stopped ? "stopped" : "the time is up", stage + 1, n_stages, tuning_n_done(search->tuner),
               tuning_n_trials(search->tuner));
    }
}

static int run_search(struct search *search) {
    mxb_error error;
    struct tuning_view view;
    const char *journal = arguments_flag(search->arguments, "journal");
    int code = tuning_start(&search->tuning, search->data.train, search->data.valid, journal, "", &search->tuner);
    if (code != EXIT_DONE) {
        return code;
    }
    tuning_view_begin(&view, search->quiet, search->tuner);
    mxb_status status = mxb_tuner_run(search->tuner, tuning_view_update, &view, &error);
    tuning_view_finish(&view, search->tuner);
    search->was_stopped = interrupt_caught();
    if (status != MXB_OK && status != MXB_STOPPED) {
        return fail_status(status, &error);
    }
    if (!search->quiet) {
        tuning_report_failures(search->tuner, "");
    }
    search->best = mxb_tuner_best(search->tuner);
    if (search->best == SIZE_MAX) {
        return fail_empty(search);
    }
    status = mxb_tuner_params(search->tuner, search->best, &search->best_params, &error);
    report_stop(search);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

/* ---- What was found ---- */

/* Those that the last stage with a result has judged. */
struct finalists {
    size_t n;                                /* all of them; the best are here, as many as have room */
    struct settings_head heads[2];           /* rank and loss */
    mxb_params *configs[SETTINGS_TABLE_MAX]; /* freed each */
};

static mxb_status list_finalists(const struct search *search, size_t stage, const size_t *ranking,
                                 struct finalists *finalists, mxb_error *error) {
    mxb_status status = MXB_OK;
    for (size_t i = 0; status == MXB_OK && i < mxb_tuner_stage_size(search->tuner, 0); i++) {
        double loss = mxb_tuner_loss(search->tuner, stage, ranking[i]);
        size_t at = finalists->n;
        finalists->n += isnan(loss) ? 0 : 1;
        if (isnan(loss) || at >= SETTINGS_TABLE_MAX) {
            continue;
        }
        snprintf(finalists->heads[0].texts[at], TEXT_NUMBER_SIZE, "%zu", at + 1);
        snprintf(finalists->heads[1].texts[at], TEXT_NUMBER_SIZE, isfinite(loss) ? "%.6g" : "failed", loss);
        status = mxb_tuner_params(search->tuner, ranking[i], &finalists->configs[at], error);
    }
    return status;
}

/* "the best 5 of 8 finalists, by mean rmse on all rows:", or after a search that was ended early "1 configuration
 * judged in stage 2 of 3, by rmse on 1/4 of the rows:". */
static void print_title(const mxb_tuner *tuner, size_t stage, size_t n, const char *metric) {
    char resource[TUNING_TEXT_SIZE];
    size_t n_stages = mxb_tuner_n_stages(tuner);
    if (n > SETTINGS_TABLE_MAX) {
        printf("the best %d of ", (int)SETTINGS_TABLE_MAX);
    }
    if (mxb_tuner_stage(tuner) == n_stages) {
        printf("%zu finalist%s", n, n == 1 ? "" : "s");
    } else {
        printf("%zu configuration%s judged in stage %zu of %zu", n, n == 1 ? "" : "s", stage + 1, n_stages);
    }
    printf(", by %s%s %s:\n\n", mxb_tuner_n_folds(tuner) > 1 ? "mean " : "", metric,
           tuning_resource(resource, tuner, stage));
}

static mxb_status print_finalists(const struct search *search, size_t *ranking, mxb_error *error) {
    const mxb_tuner *tuner = search->tuner;
    const char *metric = training_input_metric(search->best_params);
    size_t stage = tuning_last_stage(tuner, search->best);
    struct finalists finalists = {.heads = {{.name = "rank"}, {.name = metric}}};
    mxb_status status = mxb_tuner_ranking(tuner, ranking, error);
    if (status == MXB_OK) {
        status = list_finalists(search, stage, ranking, &finalists, error);
    }
    if (status == MXB_OK) {
        print_title(tuner, stage, finalists.n, metric);
        settings_table_print(mxb_tuner_space(tuner), finalists.configs,
                             finalists.n < SETTINGS_TABLE_MAX ? finalists.n : SETTINGS_TABLE_MAX, finalists.heads, 2);
    }
    for (size_t i = 0; i < SETTINGS_TABLE_MAX; i++) {
        mxb_params_free(finalists.configs[i]);
    }
    return status;
}

struct share {
    const char *option;
    double importance;
};

/* The larger first; those that nothing can be told of come last. */
static int compare_shares(const void *a, const void *b) {
    double first = ((const struct share *)a)->importance;
    double second = ((const struct share *)b)->importance;
    return isnan(first) || isnan(second) ? isnan(first) - isnan(second) : (first < second) - (first > second);
}

static void print_share(const struct share *share) {
    if (isnan(share->importance)) {
        printf("        -  %s (too few configurations)\n", share->option);
    } else {
        printf("  %5.1f %%  %s\n", 100 * share->importance, share->option);
    }
}

static mxb_status print_importances(const mxb_tuner *tuner, double *importances, struct share *shares,
                                    mxb_error *error) {
    const mxb_space *space = mxb_tuner_space(tuner);
    size_t n_drawn = 0;
    mxb_status status = mxb_tuner_importance(tuner, importances, error);
    if (status != MXB_OK) {
        return status;
    }
    for (size_t i = 0; i < mxb_space_n_options(space); i++) {
        if (tuning_is_drawn(space, i)) {
            shares[n_drawn++] = (struct share){mxb_space_option(space, i), importances[i]};
        }
    }
    qsort(shares, n_drawn, sizeof *shares, compare_shares);
    if (n_drawn > 0 && isnan(shares[0].importance)) {
        printf("\nwhat mattered cannot be told of so few configurations\n");
    } else if (n_drawn > 0) {
        printf("\nwhat mattered, as the part of the differences that each option explains by itself:\n\n");
    }
    for (size_t i = 0; i < n_drawn && !isnan(shares[0].importance); i++) {
        print_share(&shares[i]);
    }
    return MXB_OK;
}

static int print_result(const struct search *search) {
    mxb_error error;
    size_t n_options = mxb_space_n_options(mxb_tuner_space(search->tuner));
    size_t *ranking = calloc(mxb_tuner_stage_size(search->tuner, 0), sizeof *ranking);
    double *importances = calloc(n_options, sizeof *importances);
    struct share *shares = calloc(n_options, sizeof *shares);
    int code = ranking != NULL && importances != NULL && shares != NULL ? EXIT_DONE : fail_data("out of memory");
    if (code == EXIT_DONE) {
        mxb_status status = print_finalists(search, ranking, &error);
        if (status == MXB_OK) {
            status = print_importances(search->tuner, importances, shares, &error);
        }
        code = status == MXB_OK ? output_finish_stdout() : fail_status(status, &error);
    }
    free(shares);
    free(importances);
    free(ranking);
    return code;
}

/* ---- The model ---- */

static mxb_status train_best(struct search *search, struct progress *progress, mxb_error *error) {
    progress_init(progress, search->quiet, mxb_params_max_rounds(search->best_params), "round", "validation");
    progress->may_stop_early = search->data.valid != NULL;
    mxb_status status = mxb_tuner_refit(search->tuner, progress_update, progress, &search->model, error);
    progress_finish(progress);
    return status;
}

/* The first signal ends the search or, if it comes later, nothing: the model is worth waiting for. */
static int refit(struct search *search) {
    mxb_error error;
    struct progress progress;
    const char *path = arguments_flag(search->arguments, "model");
    if (search->was_stopped) {
        interrupt_catch(); /* one more stops this, too */
    }
    mxb_status status = train_best(search, &progress, &error);
    if (interrupt_caught() && !search->was_stopped) {
        report("the search is done, and the best configuration is trained again; one more signal stops that");
        interrupt_catch();
        mxb_model_free(search->model);
        search->model = NULL;
        status = train_best(search, &progress, &error);
    }
    if (interrupt_caught()) {
        return fail_data("stopped while the best configuration was trained; nothing was written");
    }
    if (status == MXB_OK) {
        status = mxb_model_save(search->model, path, &error);
    }
    if (status != MXB_OK) {
        return fail_status(status, &error);
    }
    if (!search->quiet) {
        saved_model_report(search->model, path, progress.seconds);
    }
    return EXIT_DONE;
}

/* Reports how to go on where there is something left to do. */
static void report_way_on(const struct search *search, int code) {
    const char *journal = arguments_flag(search->arguments, "journal");
    const mxb_tuner *tuner = search->tuner;
    int is_left = tuner != NULL && (code != EXIT_DONE || mxb_tuner_stage(tuner) < mxb_tuner_n_stages(tuner));
    int is_told = code != EXIT_DONE || search->was_stopped || !search->quiet;
    if (journal != NULL && is_left && is_told && tuning_n_done(tuner) > 0) {
        report("%s has what was done; --resume goes on from it", journal);
    }
}

static int run_tune(const struct arguments *arguments) {
    struct search search = {0};
    int code = check_arguments(&search, arguments);
    if (code == EXIT_DONE) {
        search.data.n_threads = training_input_n_threads(search.tuning.params);
        code = training_data_read(&search.data, arguments);
    }
    if (code == EXIT_DONE) {
        interrupt_catch();
        code = run_search(&search);
    }
    if (code == EXIT_DONE) {
        int printed = search.quiet ? EXIT_DONE : print_result(&search);
        code = refit(&search);
        code = code == EXIT_DONE ? printed : code;
    }
    report_way_on(&search, code);
    if (code == EXIT_DONE && !search.quiet) {
        source_report_oddities(search.data.table, arguments);
    }
    search_clear(&search);
    interrupt_release();
    return code;
}

const struct command command_tune = {
    .name = "tune",
    .summary = "find good options for a CSV file, fit a model with them and save it",
    .usage =
        "DATA.csv --label COLUMN --model OUT.mxb [--weight COLUMN] [--space NAME|FILE]\n"
        "                     [--configs N] [--eta N] [--min-resource F] [--resource rows|rounds]\n"
        "                     [--folds N | --valid VALID.csv | --valid-fraction F] [--time-limit TIME]\n"
        "                     [--journal FILE [--resume]] [--NAME VALUE ...]",
    .note =
        "The rows that judge a trial also stop it early. With --valid they stop the last training, too;\n"
        "without it that has the mean of the rounds of the winner's trials, some more for more rows.",
    .operands = {{"DATA.csv", "The rows to learn from; - reads standard input."}},
    .n_operands = 1,
    .flags = flags,
    .n_flags = sizeof flags / sizeof *flags,
    .takes_options = 1,
    .run = run_tune,
};
