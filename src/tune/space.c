/* A space in memory, and the configurations drawn from it: each a pure function of (seed, number), so that any process
 * can draw any one of them. Knows nothing of how a space is written. */
#include "tune/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/math.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"

const char *mxb__scale_name(enum scale scale) {
    static const char *const names[] = {"linear", "log10", "integer", "choice", "fixed"};
    return names[scale];
}

/* ---- Ranges ---- */

void mxb__range_clear(struct range *range) {
    mxb__free(range->option);
    for (size_t i = 0; i < range->n_values; i++) {
        mxb__free(range->values[i]);
    }
    mxb__free(range->values);
    *range = (struct range){0};
}

static mxb_status copy_texts(struct range *to, const struct range *from, mxb_error *error) {
    MXB_TRY(mxb__copy_text(&to->option, from->option, error));
    MXB_TRY(mxb__alloc_zeroed(&to->values, from->n_values, sizeof *to->values, "a search space", error));
    for (size_t i = 0; i < from->n_values; i++) {
        MXB_TRY(mxb__copy_text(&to->values[i], from->values[i], error));
        to->n_values++;
    }
    return MXB_OK;
}

static mxb_status copy_range(struct range *to, const struct range *from, mxb_error *error) {
    *to = *from;
    to->option = NULL;
    to->values = NULL;
    to->n_values = 0;
    mxb_status status = copy_texts(to, from, error);
    if (status != MXB_OK) {
        mxb__range_clear(to);
    }
    return status;
}

struct range *mxb__space_find(const mxb_space *space, const char *option) {
    size_t i = 0;
    while (i < space->n_ranges && strcmp(space->ranges[i].option, option) != 0) {
        i++;
    }
    return i < space->n_ranges ? &space->ranges[i] : NULL;
}

mxb_status mxb__space_add(mxb_space *space, struct range *range, mxb_error *error) {
    mxb_status status = MXB_OK;
    if (mxb__space_find(space, range->option) != NULL) {
        status = mxb__fail(error, MXB_ERROR_PARAM, "%s is there twice", range->option);
    }
    if (status == MXB_OK) {
        size_t n = space->n_ranges;
        status = mxb__grow(&space->ranges, n, n + 1, sizeof *space->ranges, "a search space", error);
    }
    if (status != MXB_OK) {
        mxb__range_clear(range);
        return status;
    }
    space->ranges[space->n_ranges++] = *range;
    return MXB_OK;
}

/* ---- Spaces ---- */

mxb_status mxb_space_create(const char *text, mxb_space **space, mxb_error *error) {
    mxb_space *made;
    if (space == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "space is NULL");
    }
    *space = NULL;
    if (text == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the text of a search space is NULL");
    }
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "a search space", error));
    mxb_status status = mxb__space_parse(made, text, error);
    if (status != MXB_OK) {
        mxb_space_free(made);
        return status;
    }
    *space = made;
    return MXB_OK;
}

mxb_status mxb__space_copy(mxb_space **to, const mxb_space *from, mxb_error *error) {
    mxb_space *made;
    *to = NULL;
    MXB_TRY(mxb__alloc_zeroed(&made, 1, sizeof *made, "a search space", error));
    made->has_defaults = from->has_defaults;
    mxb_status status = MXB_OK;
    for (size_t i = 0; status == MXB_OK && i < from->n_ranges; i++) {
        struct range range;
        status = copy_range(&range, &from->ranges[i], error);
        if (status == MXB_OK) {
            status = mxb__space_add(made, &range, error);
        }
    }
    if (status != MXB_OK) {
        mxb_space_free(made);
        return status;
    }
    *to = made;
    return MXB_OK;
}

void mxb_space_free(mxb_space *space) {
    if (space == NULL) {
        return;
    }
    for (size_t i = 0; i < space->n_ranges; i++) {
        mxb__range_clear(&space->ranges[i]);
    }
    mxb__free(space->ranges);
    mxb__free(space);
}

mxb_status mxb_space_fix(mxb_space *space, const char *option, const char *value, mxb_error *error) {
    if (space == NULL || option == NULL || value == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "space, option or value is NULL");
    }
    char *text;
    struct range range;
    MXB_TRY(mxb__space_read_value(option, value, &text, error));
    struct range given = {
        .option = (char *)option /* only read */, .scale = SCALE_FIXED, .n_values = 1, .values = &text};
    mxb_status status = copy_range(&range, &given, error);
    mxb__free(text);
    MXB_TRY(status);
    struct range *before = mxb__space_find(space, option);
    if (before == NULL) {
        return mxb__space_add(space, &range, error);
    }
    mxb__range_clear(before);
    *before = range;
    return MXB_OK;
}

size_t mxb_space_n_options(const mxb_space *space) { return space->n_ranges; }

const char *mxb_space_option(const mxb_space *space, size_t index) {
    return index < space->n_ranges ? space->ranges[index].option : NULL;
}

const char *mxb_space_scale(const mxb_space *space, size_t index) {
    return index < space->n_ranges ? mxb__scale_name(space->ranges[index].scale) : NULL;
}

/* ---- Drawing ---- */

/* To six digits: a whole number of so many and a power of ten, as text, so that it is the nearest number to them. */
static double rounded(double value) {
    char text[32];
    int exponent = 0;
    for (; value != 0.0 && fabs(value) < 1e5; exponent--) {
        value *= 10.0;
    }
    for (; fabs(value) >= 1e6; exponent++) {
        value /= 10.0;
    }
    snprintf(text, sizeof text, "%.0fe%d", floor(value + 0.5), exponent);
    mxb__number_parse(text, strlen(text), &value);
    return value;
}

static double draw_number(const struct range *range, double uniform) {
    double span = range->highest - range->lowest;
    double value = range->lowest + uniform * span;
    if (range->scale == SCALE_LOG10) {
        double lowest = mxb__log(range->lowest);
        value = mxb__exp(lowest + uniform * (mxb__log(range->highest) - lowest));
        value = range->is_whole ? floor(value + 0.5) : rounded(value);
    } else if (range->is_whole) {
        value = range->lowest + floor(uniform * (span + 1.0));
    } else {
        value = rounded(value);
    }
    return fmin(fmax(value, range->lowest), range->highest);
}

static mxb_status draw_option(const struct range *range, double uniform, mxb_params *params, mxb_error *error) {
    char number[MXB__NUMBER_SIZE];
    const char *text = number;
    if (range->n_values > 0) {
        size_t chosen = (size_t)(uniform * (double)range->n_values);
        text = range->values[chosen];
    } else {
        mxb__number_format(draw_number(range, uniform), number);
    }
    return mxb_params_set(params, range->option, text, error);
}

static int is_drawn(const mxb_space *space, const char *option) {
    const struct range *range = mxb__space_find(space, option);
    return range != NULL && range->scale != SCALE_FIXED;
}

/* Puts depths in order: two that were drawn change places, one that was drawn becomes the other. */
static mxb_status order_depths(const mxb_space *space, mxb_params *params, mxb_error *error) {
    static const char *const options[] = {"min_max_depth", "max_max_depth"};
    char texts[2][MXB__NUMBER_SIZE];
    double depths[2];
    for (int i = 0; i < 2; i++) {
        const char *text = mxb_params_get(params, options[i]);
        snprintf(texts[i], sizeof texts[i], "%s", text);
        if (!mxb__number_parse(text, strlen(text), &depths[i])) {
            return MXB_OK; /* auto */
        }
    }
    if (depths[0] <= depths[1]) {
        return MXB_OK;
    }
    for (int i = 0; i < 2; i++) {
        if (is_drawn(space, options[i])) {
            MXB_TRY(mxb_params_set(params, options[i], texts[1 - i], error));
        }
    }
    return MXB_OK;
}

mxb_status mxb_space_draw(const mxb_space *space, uint64_t seed, size_t config, mxb_params *params, mxb_error *error) {
    if (space == NULL || params == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", space == NULL ? "space" : "params");
    }
    struct random_stream stream = mxb__random_stream(seed, RANDOM_OPTIONS, config);
    int is_default = config == 0 && space->has_defaults;
    for (size_t i = 0; i < space->n_ranges; i++) {
        if (is_default && space->ranges[i].scale != SCALE_FIXED) {
            continue;
        }
        MXB_TRY(draw_option(&space->ranges[i], mxb__random_uniform(stream, i), params, error));
    }
    return is_default ? MXB_OK : order_depths(space, params, error);
}
