/* The table of settings and what is made of it. Knows nothing of how a setting is used. */
#include "tune/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/choice.h"
#include "base/number.h"

enum kind { WHOLE, WHOLE_OR_0, NUMBER, FRACTION, CHOICE, NAME };

struct setting_row {
    const char *name;
    enum kind kind;
    const char *initial;
    const char *range; /* in words; of a choice the choices */
    double lowest;     /* of numbers; a fraction is over it */
    double highest;
    const char *help;
};

static const struct setting_row TABLE[N_SETTINGS] = {
    [SETTING_N_CONFIGS] = {"n_configs", WHOLE, "512", "1 to 1000000", 1, 1e6, "Configurations of the first stage."},
    [SETTING_ETA] = {"eta", WHOLE, "4", "2 to 1000", 2, 1000,
                     "Of so many configurations of a stage the best goes on, with so many times the resource."},
    [SETTING_MIN_RESOURCE] = {"min_resource", FRACTION, "1/4", "a number or a fraction a/b over 0, up to 1", 0, 1,
                              "Fraction of the resource that the first stage may have at the least."},
    [SETTING_RESOURCE] = {"resource", CHOICE, "rows", "rows | rounds", 0, 1,
                          "What the stages have more and more of: training rows, or rounds of each configuration."},
    [SETTING_N_FOLDS] = {"n_folds", WHOLE_OR_0, "0", "2 to 1000, or 0", 2, 1000,
                         "Folds that every configuration is judged on, by the mean; 0: one part of the rows."},
    [SETTING_VALID_FRACTION] = {"valid_fraction", NUMBER, "0.2", "0.001 to 0.999", 0.001, 0.999,
                                "Fraction of the rows that configurations are judged on where there are no folds."},
    [SETTING_STRATIFY] = {"stratify", CHOICE, "auto", "false | true | auto", 0, 2,
                          "Whether folds and fractions keep the shares of label values; auto: for logloss."},
    [SETTING_RANDOM_STATE] = {"random_state", WHOLE, "0", "0 to 4294967295", 0, 4294967295.0,
                              "Seed of configurations, folds and fractions."},
    [SETTING_SCORING] = {"scoring", NAME, "metric", "a name of up to 63 printable characters", 0, 0,
                         "What losses that the caller tells are, for the journal alone; metric: that of the training."},
    [SETTING_TIME_LIMIT] = {"time_limit", NUMBER, "0", "0 to 1e9", 0, 1e9,
                            "Seconds that the trials of a run may take; 0: any. The last training comes after them."},
    [SETTING_N_THREADS] = {"n_threads", WHOLE, "0", "0 to 4096", 0, 4096, "Processors that the trials share; 0: all."},
    [SETTING_MEMORY] = {"memory", WHOLE, "1024", "0 to 1000000000", 0, 1e9,
                        "Megabytes for models that wait for their next rounds; those beyond are trained again."},
};

size_t mxb_setting_count(void) { return N_SETTINGS; }
const char *mxb_setting_name(size_t index) { return index < N_SETTINGS ? TABLE[index].name : NULL; }
const char *mxb_setting_default(size_t index) { return index < N_SETTINGS ? TABLE[index].initial : NULL; }
const char *mxb_setting_range(size_t index) { return index < N_SETTINGS ? TABLE[index].range : NULL; }
const char *mxb_setting_help(size_t index) { return index < N_SETTINGS ? TABLE[index].help : NULL; }

int mxb__setting_is_kept(enum setting setting) {
    return setting != SETTING_TIME_LIMIT && setting != SETTING_N_THREADS && setting != SETTING_MEMORY;
}

static enum setting find_setting(const char *name) {
    enum setting setting = 0;
    while (setting < N_SETTINGS && strcmp(TABLE[setting].name, name) != 0) {
        setting++;
    }
    return setting;
}

/* ---- Values ---- */

/* "0.25" or "1/4". */
static int read_fraction(const char *text, double *value) {
    double divisor = 1.0;
    const char *slash = strchr(text, '/');
    size_t length = slash == NULL ? strlen(text) : (size_t)(slash - text);
    if (!mxb__number_parse(text, length, value) ||
        (slash != NULL && !mxb__number_parse(slash + 1, strlen(slash + 1), &divisor))) {
        return 0;
    }
    *value /= divisor;
    return divisor > 0.0;
}

static int is_printable(const char *text) {
    size_t i = 0;
    while (text[i] >= ' ' && text[i] <= '~') {
        i++;
    }
    return i > 0 && text[i] == '\0';
}

static int read_value(const struct setting_row *row, const char *text, double *value) {
    switch (row->kind) {
        case CHOICE:
            *value = mxb__choice_find(row->range, text);
            return *value >= 0.0;
        case NAME:
            *value = 0.0;
            return is_printable(text);
        case FRACTION:
            return read_fraction(text, value) && *value > row->lowest && *value <= row->highest;
        case WHOLE_OR_0:
            if (strcmp(text, "0") == 0) {
                *value = 0.0;
                return 1;
            }
            break;
        default:
            break;
    }
    return mxb__number_parse(text, strlen(text), value) && *value >= row->lowest && *value <= row->highest &&
           (row->kind == NUMBER || *value == floor(*value));
}

mxb_status mxb__settings_set(struct settings *settings, const char *name, const char *value, mxb_error *error) {
    char quoted[SETTING_TEXT_SIZE];
    double number;
    enum setting setting = find_setting(name);
    if (setting == N_SETTINGS) {
        return mxb__fail(error, MXB_ERROR_PARAM, "there is no setting \"%s\"",
                         mxb__quote(quoted, sizeof quoted, name, SIZE_MAX));
    }
    if (strlen(value) >= SETTING_TEXT_SIZE || !read_value(&TABLE[setting], value, &number)) {
        int is_whole = TABLE[setting].kind == WHOLE || TABLE[setting].kind == WHOLE_OR_0;
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is \"%s\"; it must be %s%s", name,
                         mxb__quote(quoted, sizeof quoted, value, SIZE_MAX), is_whole ? "a whole number, " : "",
                         TABLE[setting].range);
    }
    settings->values[setting] = number + 0.0;
    snprintf(settings->texts[setting], SETTING_TEXT_SIZE, "%s", value);
    return MXB_OK;
}

void mxb__settings_init(struct settings *settings) {
    for (enum setting setting = 0; setting < N_SETTINGS; setting++) {
        read_value(&TABLE[setting], TABLE[setting].initial, &settings->values[setting]);
        snprintf(settings->texts[setting], SETTING_TEXT_SIZE, "%s", TABLE[setting].initial);
    }
}

const char *mxb__setting_value(const struct settings *settings, enum setting setting, char out[SETTING_TEXT_SIZE]) {
    if (TABLE[setting].kind == CHOICE || TABLE[setting].kind == NAME) {
        snprintf(out, SETTING_TEXT_SIZE, "%s", settings->texts[setting]);
    } else {
        mxb__number_format(settings->values[setting], out);
    }
    return out;
}

const char *mxb__settings_get(const struct settings *settings, const char *name) {
    enum setting setting = find_setting(name);
    return setting == N_SETTINGS ? NULL : settings->texts[setting];
}
