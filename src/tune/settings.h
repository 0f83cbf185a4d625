/* THE table of the tuner's settings: every one once. Setter, help and journal read it. */
#ifndef MXB_TUNE_SETTINGS_H
#define MXB_TUNE_SETTINGS_H

#include <stddef.h>

#include "base/status.h"
#include "mixboost/tune.h"

enum setting {
    SETTING_N_CONFIGS,
    SETTING_ETA,
    SETTING_MIN_RESOURCE,
    SETTING_RESOURCE,
    SETTING_N_FOLDS,
    SETTING_VALID_FRACTION,
    SETTING_STRATIFY,
    SETTING_RANDOM_STATE,
    SETTING_SCORING,
    SETTING_TIME_LIMIT,
    SETTING_N_THREADS,
    SETTING_MEMORY,
    N_SETTINGS
};

enum { SETTING_TEXT_SIZE = 64 };
enum { RESOURCE_ROWS = 0, RESOURCE_ROUNDS = 1 };

struct settings {
    double values[N_SETTINGS]; /* numbers; the index of a choice */
    char texts[N_SETTINGS][SETTING_TEXT_SIZE];
};

void mxb__settings_init(struct settings *settings);
mxb_status mxb__settings_set(struct settings *settings, const char *name, const char *value, mxb_error *error);

/** The text of a setting, or NULL for an unknown name. */
const char *mxb__settings_get(const struct settings *settings, const char *name);

/** The one text of a setting's value: "0.25" for "1/4" and "0.250". Returns `out`. */
const char *mxb__setting_value(const struct settings *settings, enum setting setting, char out[SETTING_TEXT_SIZE]);

/** Whether a setting shapes the result; time, threads and memory do not. */
int mxb__setting_is_kept(enum setting setting);

static inline size_t mxb__setting_count(const struct settings *settings, enum setting setting) {
    return (size_t)settings->values[setting];
}

#endif
