/* From a command line to a search that is ready to run. Prints nothing but complaints. */
#define _POSIX_C_SOURCE 200809L
#include "tuning.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"
#include "output.h"
#include "training_input.h"

enum { MAX_SPACE_SIZE = 1 << 20, MAX_FOLDS = 1000 };

/* Flags whose value is that of a setting, and the setting. */
static const struct {
    const char *flag;
    const char *setting;
} settings[] = {{"configs", "n_configs"},
                {"eta", "eta"},
                {"min-resource", "min_resource"},
                {"resource", "resource"},
                {"valid-fraction", "valid_fraction"}};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

const char *tuning_given_flag(const struct arguments *arguments, const char *folds_flag) {
    const char *others[] = {folds_flag, "space", "time-limit", "journal", "resume"};
    for (size_t i = 0; i < N_SETTINGS; i++) {
        if (arguments_flag(arguments, settings[i].flag) != NULL) {
            return settings[i].flag;
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (arguments_flag(arguments, others[i]) != NULL) {
            return others[i];
        }
    }
    return NULL;
}

/* ---- The space ---- */

static int fail_space(const char *path, const char *reason) {
    return fail_data("cannot read the space \"%s\": %s (default, paper and paper-node need no file)", path, reason);
}

/* Reads the text of a space from a file, to be freed. */
static int read_space(const char *path, char **text) {
    FILE *file = fopen(path, "rb");
    *text = file == NULL ? NULL : malloc(MAX_SPACE_SIZE + 1);
    if (*text == NULL) {
        int code = file == NULL ? fail_space(path, strerror(errno)) : fail_data("out of memory");
        if (file != NULL) {
            fclose(file);
        }
        return code;
    }
    errno = 0;
    size_t n = fread(*text, 1, MAX_SPACE_SIZE + 1, file);
    int reason = ferror(file) ? errno : 0;
    fclose(file);
    if (reason != 0) {
        return fail_space(path, strerror(reason));
    }
    if (n > MAX_SPACE_SIZE || memchr(*text, '\0', n) != NULL) {
        return fail_space(path, n > MAX_SPACE_SIZE ? "it is larger than a megabyte" : "it is not a text");
    }
    (*text)[n] = '\0';
    return EXIT_DONE;
}

static int create_space(const char *name, mxb_space **space) {
    mxb_error error;
    char *text = NULL;
    const char *built_in = mxb_space_built_in(name);
    int code = built_in != NULL ? EXIT_DONE : read_space(name, &text);
    if (code == EXIT_DONE) {
        mxb_status status = mxb_space_create(built_in != NULL ? built_in : text, space, &error);
        code = status == MXB_OK ? EXIT_DONE : fail_data("\"%s\": %s", name, error.message);
    }
    free(text);
    return code;
}

/* Every option that was given always has that value; threads are no part of a configuration. */
static int fix_options(struct tuning *tuning) {
    mxb_error error;
    mxb_status status = MXB_OK;
    for (size_t i = 0; status == MXB_OK && i < mxb_option_count(); i++) {
        const char *value = arguments_option(tuning->arguments, i);
        if (value != NULL && mxb_option_is_kept(i)) {
            status = mxb_space_fix(tuning->space, mxb_option_name(i), value, &error);
        }
    }
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

/* A space may name the objective, which decides more than what is drawn. */
static int follow_objective(struct tuning *tuning) {
    mxb_error error;
    mxb_params *drawn = NULL;
    mxb_status status = mxb_params_copy(tuning->params, &drawn, &error);
    if (status == MXB_OK) {
        status = mxb_space_draw(tuning->space, 0, 0, drawn, &error);
    }
    if (status == MXB_OK) {
        status = mxb_params_set(tuning->params, "objective", mxb_params_get(drawn, "objective"), &error);
    }
    mxb_params_free(drawn);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

/* ---- The rest of the command line ---- */

/* "90", "90s", "10m" and "2h" as seconds. */
static int read_time_limit(struct tuning *tuning) {
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
    const char *text = arguments_flag(tuning->arguments, "time-limit");
    if (text == NULL) {
        return EXIT_DONE;
    }
    char *end;
    double number = strtod(text, &end);
    int is_decimal = strspn(text, "0123456789.") == (size_t)(end - text) && end != text;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        double seconds = number * units[i].seconds;
        if (is_decimal && strcmp(end, units[i].unit) == 0 && seconds > 0 && seconds <= 1e9) {
            snprintf(tuning->time_limit, sizeof tuning->time_limit, "%.15g", seconds);
            return EXIT_DONE;
        }
    }
    return fail_usage("--time-limit must be a time such as 90s, 10m or 2h, not \"%s\"", text);
}

/* What judges configurations is one of these at the most. */
static int check_judges(const struct tuning *tuning) {
    const char *const flags[] = {tuning->folds_flag, "valid", "valid-fraction"};
    const char *given = NULL;
    uint64_t n_folds;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (arguments_flag(tuning->arguments, flags[i]) != NULL && given != NULL) {
            return fail_usage("--%s and --%s exclude each other", given, flags[i]);
        }
        given = arguments_flag(tuning->arguments, flags[i]) != NULL ? flags[i] : given;
    }
    return arguments_count(tuning->arguments, tuning->folds_flag, 2, MAX_FOLDS, &n_folds);
}

/* ---- Settings ---- */

/* Makes one setting what a flag says; the complaint names the flag, too, where that has another name. */
static int set(mxb_tuner *tuner, const char *setting, const char *flag, const char *value) {
    mxb_error error;
    mxb_status status = value == NULL ? MXB_OK : mxb_tuner_set(tuner, setting, value, &error);
    if (status == MXB_OK) {
        return EXIT_DONE;
    }
    return strncmp(setting, "n_", 2) == 0 ? fail_usage("--%s: %s", flag, error.message) : fail_status(status, &error);
}

static int set_all(const struct tuning *tuning, mxb_tuner *tuner) {
    const struct arguments *arguments = tuning->arguments;
    int code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < N_SETTINGS; i++) {
        code = set(tuner, settings[i].setting, settings[i].flag, arguments_flag(arguments, settings[i].flag));
    }
    if (code == EXIT_DONE) {
        code = set(tuner, "n_folds", tuning->folds_flag, arguments_flag(arguments, tuning->folds_flag));
    }
    if (code == EXIT_DONE && *tuning->time_limit != '\0') {
        code = set(tuner, "time_limit", "time-limit", tuning->time_limit);
    }
    if (code == EXIT_DONE) {
        code = set(tuner, "random_state", "random_state", mxb_params_get(tuning->params, "random_state"));
    }
    if (code == EXIT_DONE) {
        code = set(tuner, "n_threads", "n_threads", mxb_params_get(tuning->params, "n_threads"));
    }
    return code;
}

/* What settings and options have wrong by themselves: a search of a row that nobody looks at says so. */
static int check_settings(const struct tuning *tuning) {
    mxb_error error;
    mxb_dataset *row = NULL;
    mxb_tuner *tuner = NULL;
    mxb_status status = mxb_dataset_create(1, &row, &error);
    if (status == MXB_OK) {
        status = mxb_tuner_create(row, NULL, tuning->space, tuning->params, &tuner, &error);
    }
    int code = status == MXB_OK ? set_all(tuning, tuner) : EXIT_DONE;
    if (status == MXB_OK && code == EXIT_DONE) {
        status = mxb_tuner_check(tuner, &error);
    }
    mxb_tuner_free(tuner);
    mxb_dataset_free(row);
    return status == MXB_OK ? code : fail_status(status, &error);
}

/* ---- All of it ---- */

int tuning_init(struct tuning *tuning, const struct arguments *arguments, const char *folds_flag) {
    *tuning = (struct tuning){.arguments = arguments, .folds_flag = folds_flag};
    const char *space = arguments_flag(arguments, "space");
    int code = training_input_options(arguments, &tuning->params);
    if (code == EXIT_DONE) {
        code = read_time_limit(tuning);
    }
    if (code == EXIT_DONE) {
        code = check_judges(tuning);
    }
    if (code == EXIT_DONE && arguments_flag(arguments, "resume") != NULL &&
        arguments_flag(arguments, "journal") == NULL) {
        code = fail_usage("--resume needs --journal FILE");
    }
    if (code == EXIT_DONE) {
        code = create_space(space != NULL ? space : "default", &tuning->space);
    }
    if (code == EXIT_DONE) {
        code = fix_options(tuning);
    }
    if (code == EXIT_DONE) {
        code = follow_objective(tuning);
    }
    return code == EXIT_DONE ? check_settings(tuning) : code;
}

void tuning_clear(struct tuning *tuning) {
    mxb_space_free(tuning->space);
    mxb_params_free(tuning->params);
}

int tuning_check_journal(const struct tuning *tuning, const char *path) {
    const char *model = arguments_flag(tuning->arguments, "model");
    int resumes = arguments_flag(tuning->arguments, "resume") != NULL;
    struct stat found;
    if (model != NULL && (strcmp(path, model) == 0 || output_is_same(path, model))) {
        return fail_usage("--journal and --model name the same file, \"%s\"", path);
    }
    int code = output_check(path, 0);
    if (code == EXIT_DONE && !resumes && stat(path, &found) == 0 && found.st_size > 0) {
        return fail_data("the journal \"%s\" is there already; --resume goes on from it", path);
    }
    return code;
}

/* ---- The tuner ---- */

static int prepare(const struct tuning *tuning, mxb_tuner *tuner, const char *journal, const char *where) {
    mxb_error error;
    int resumes = arguments_flag(tuning->arguments, "resume") != NULL;
    int code = set_all(tuning, tuner);
    if (code != EXIT_DONE) {
        return code;
    }
    mxb_status status = journal == NULL ? MXB_OK : mxb_tuner_set_journal(tuner, journal, resumes, &error);
    if (status == MXB_OK) {
        status = mxb_tuner_start(tuner, &error);
    }
    return status == MXB_OK ? EXIT_DONE : fail_status_in(where, status, &error);
}

int tuning_start(const struct tuning *tuning, const mxb_dataset *train, const mxb_dataset *valid, const char *journal,
                 const char *where, mxb_tuner **tuner) {
    mxb_error error;
    mxb_status status = mxb_tuner_create(train, valid, tuning->space, tuning->params, tuner, &error);
    int code = status == MXB_OK ? prepare(tuning, *tuner, journal, where) : fail_status_in(where, status, &error);
    if (code != EXIT_DONE) {
        mxb_tuner_free(*tuner);
        *tuner = NULL;
        return code;
    }
    if (mxb_tuner_warning(*tuner) != NULL) {
        report("%swarning: %s", where, mxb_tuner_warning(*tuner));
    }
    return EXIT_DONE;
}
