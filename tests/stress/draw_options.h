/* Options drawn at random from the library's own table, so that a new option is drawn as soon as it exists: at its
 * default, at a usual value, anywhere in its range and at the ends of it. An option whose ends would take hours has a
 * row in DRAW_ONLY. */
#ifndef DRAW_OPTIONS_H
#define DRAW_OPTIONS_H

#include <stdio.h>

#include "stress/draw_data.h"

enum { DRAW_TEXT = 64 };

/* All values that are drawn of these; with more than 2^16 rows only the first two. */
static const struct {
    const char *name;
    const char *values[8];
} DRAW_ONLY[] = {
    {"num_round", {"1", "3", "2", "7", "15", "30", "50", "1000000"}}, /* the last is cut short by pausing */
    {"n_members", {"1", "2", "1", "1", "1", "3", "4", "16"}},
    {"n_components", {"1", "6", "2", "10", "25", "60", "130", "13"}},
    {"n_threads", {"1", "3", "0", "2", "1", "1", "2", "40"}},
    {"tree_n_threads", {"0", "2", "0", "0", "1", "3", "40", "64"}},
    {"ridge_n_threads", {"0", "2", "0", "0", "1", "3", "0", "40"}},
    {"kernel_n_threads", {"0", "2", "0", "0", "1", "3", "0", "40"}},
    {"max_max_depth", {"3", "5", "8", "4", "10", "2", "6", "30"}},
    {"min_max_depth", {"1", "2", "auto", "1", "3", "auto", "2", "30"}},
    {"symmetric_depth", {"auto", "3", "1", "4", "2", "9", "6", "16"}},
    {"symmetric_probability", {"0", "0.5", "0", "0", "0.3", "1", "0.7", "0"}},
};

static inline int draw_from_list(struct dice *dice, const char *name, int many_rows, char *text) {
    for (size_t i = 0; i < sizeof DRAW_ONLY / sizeof DRAW_ONLY[0]; i++) {
        if (strcmp(DRAW_ONLY[i].name, name) == 0) {
            snprintf(text, DRAW_TEXT, "%s", DRAW_ONLY[i].values[dice_below(dice, many_rows ? 2 : 8)]);
            return 1;
        }
    }
    return 0;
}

static inline double draw_number(struct dice *dice, double lowest, double highest, int open) {
    double value = highest;
    switch (dice_below(dice, 8)) {
        case 0:
            value = open ? nextafter(lowest, highest) : lowest;
            break;
        case 1:
            break;
        case 2:
            value = pow(10.0, 600.0 * dice_uniform(dice) - 300.0);
            break;
        case 3:
            value = lowest < 0.0 ? -dice_uniform(dice) : dice_uniform(dice);
            break;
        default:
            value = pow(10.0, 5.0 * dice_uniform(dice) - 4.0);
    }
    return fmin(highest, fmax(open ? nextafter(lowest, highest) : lowest, value));
}

/* One of "a | b | c". */
static inline void draw_choice(struct dice *dice, const char *choices, char *text) {
    size_t n = 1;
    for (const char *bar = strstr(choices, " | "); bar != NULL; bar = strstr(bar + 3, " | ")) {
        n++;
    }
    for (size_t skip = dice_below(dice, n); skip > 0; skip--) {
        choices = strstr(choices, " | ") + 3;
    }
    const char *end = strstr(choices, " | ");
    snprintf(text, DRAW_TEXT, "%.*s", end == NULL ? (int)strlen(choices) : (int)(end - choices), choices);
}

/* A value of option `index`; 0 where its range is none that this knows, so it stays at its default. */
static inline int draw_value(struct dice *dice, size_t index, int many_rows, char *text) {
    const char *type = mxb_option_type(index);
    const char *range = mxb_option_range(index);
    double lowest;
    double highest;
    if (draw_from_list(dice, mxb_option_name(index), many_rows, text)) {
        return 1;
    }
    if (strcmp(type, "choice") == 0 || strncmp(type, "boolean", 7) == 0) {
        draw_choice(dice, range, text);
        return 1;
    }
    if (strcmp(type, "number or auto") == 0 && draw_one_in(dice, 3)) {
        snprintf(text, DRAW_TEXT, "auto");
        return 1;
    }
    int open = sscanf(range, "over %lf, up to %lf", &lowest, &highest) == 2;
    if (!open && sscanf(range, "%lf to %lf", &lowest, &highest) != 2) {
        return 0;
    }
    double value = draw_number(dice, lowest, highest, open);
    if (strcmp(type, "integer") == 0) {
        value = draw_one_in(dice, 2) ? lowest + (double)dice_below(dice, 300) : ceil(value);
        value = fmin(value, highest);
    }
    snprintf(text, DRAW_TEXT, "%.17g", value);
    return 1;
}

/* Depths in order, and one time in four a probability for each: 1/64, and for the first what is left of 1. */
static inline mxb_status draw_depths(struct dice *dice, mxb_params *params, mxb_error *error) {
    char text[32 * 9];
    int highest = atoi(mxb_params_get(params, "max_max_depth"));
    int lowest = atoi(mxb_params_get(params, "min_max_depth"));
    if (lowest == 0) { /* auto */
        lowest = highest < 2 ? highest : 2;
    }
    if (lowest > highest) {
        lowest = highest;
        mxb_status status = mxb_params_set(params, "min_max_depth", mxb_params_get(params, "max_max_depth"), error);
        if (status != MXB_OK) {
            return status;
        }
    }
    if (!draw_one_in(dice, 4)) {
        return MXB_OK;
    }
    size_t n = (size_t)snprintf(text, sizeof text, "%.6f", (64 - (highest - lowest)) / 64.0);
    for (int depth = lowest + 1; depth <= highest; depth++) {
        n += (size_t)snprintf(text + n, sizeof text - n, ",0.015625");
    }
    return mxb_params_set(params, "depth_probabilities", text, error);
}

/* NULL, with the sentence, where the library refuses a value of its own table. */
static inline mxb_params *draw_params(struct dice *dice, int two_classes, int many_rows, mxb_error *error) {
    mxb_params *params = NULL;
    char text[DRAW_TEXT];
    size_t often = 1 + dice_below(dice, 6); /* one option in so many leaves its default */
    int fine = mxb_params_create(&params, error) == MXB_OK;
    for (size_t i = 0; fine && i < mxb_option_count(); i++) {
        const char *name = mxb_option_name(i);
        int in_list = draw_from_list(dice, name, many_rows, text);
        if ((in_list || draw_one_in(dice, often)) && (in_list || draw_value(dice, i, many_rows, text))) {
            fine = mxb_params_set(params, name, text, error) == MXB_OK;
        }
    }
    fine = fine && mxb_params_set(params, "objective", two_classes ? "logloss" : "mse", error) == MXB_OK;
    if (fine && draw_one_in(dice, 100)) { /* what each thread gets is much to clear */
        fine = mxb_params_set(params, "n_threads", "4096", error) == MXB_OK;
    }
    fine = fine && draw_depths(dice, params, error) == MXB_OK;
    if (!fine) {
        mxb_params_free(params);
        return NULL;
    }
    return params;
}

static inline double option_number(const mxb_params *params, const char *name) {
    return strtod(mxb_params_get(params, name), NULL);
}

#endif
