/* A space as text, read and written: a line for each option. Knows nothing of how values are drawn. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/number.h"
#include "tune/space.h"

enum { QUOTED_SIZE = 64, MAX_WORDS = 1000 };

/* The line of a space whose first configuration is not drawn. */
static const char DEFAULTS[] = "defaults";

/* What some editors begin a file with. */
static const char BYTE_ORDER_MARK[] = "\xEF\xBB\xBF";

/* The words of a line, in place. */
struct words {
    size_t n;
    const char *text[MAX_WORDS];
    size_t length[MAX_WORDS];
};

static const char *quote(const struct words *words, size_t word, char out[QUOTED_SIZE]) {
    return mxb__quote(out, QUOTED_SIZE, words->text[word], words->length[word]);
}

static int is_word(const struct words *words, size_t word, const char *text) {
    return strlen(text) == words->length[word] && memcmp(words->text[word], text, words->length[word]) == 0;
}

static mxb_status copy_word(const struct words *words, size_t word, char **copy, mxb_error *error) {
    MXB_TRY(mxb__alloc_zeroed(copy, words->length[word] + 1, 1, "a search space", error));
    memcpy(*copy, words->text[word], words->length[word]);
    return MXB_OK;
}

static mxb_status split_line(const char *line, const char *end, struct words *words, mxb_error *error) {
    static const char blanks[] = " \t\r";
    words->n = 0;
    for (const char *at = line; at < end && *at != '#';) {
        if (strchr(blanks, *at) != NULL) {
            at++;
            continue;
        }
        if (words->n == MAX_WORDS) {
            return mxb__fail(error, MXB_ERROR_PARAM, "it has more than %d words", (int)MAX_WORDS);
        }
        words->text[words->n] = at;
        while (at < end && *at != '#' && strchr(blanks, *at) == NULL) {
            at++;
        }
        words->length[words->n] = (size_t)(at - words->text[words->n]);
        words->n++;
    }
    return MXB_OK;
}

/* ---- One option ---- */

/* Its index in the table of options, which has as many where there is no such option. */
static size_t find_option(const char *option) {
    size_t i = 0;
    while (i < mxb_option_count() && strcmp(mxb_option_name(i), option) != 0) {
        i++;
    }
    return i;
}

static mxb_status check_option(const char *option, int is_range, mxb_error *error) {
    char quoted[QUOTED_SIZE];
    size_t index = find_option(option);
    if (index == mxb_option_count()) {
        return mxb__fail(error, MXB_ERROR_PARAM, "there is no option \"%s\"",
                         mxb__quote(quoted, sizeof quoted, option, SIZE_MAX));
    }
    if (!mxb_option_is_kept(index)) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s cannot be tuned: threads are shared out by the tuner", option);
    }
    if (is_range && strcmp(option, "objective") == 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "objective cannot be tuned: its losses cannot be compared");
    }
    return MXB_OK;
}

mxb_status mxb__space_read_value(const char *option, const char *value, char **text, mxb_error *error) {
    mxb_params *params;
    *text = NULL;
    MXB_TRY(mxb_params_create(&params, error));
    mxb_status status = mxb_params_set(params, option, value, error);
    if (status == MXB_OK) {
        status = mxb__copy_text(text, mxb_params_get(params, option), error);
    }
    mxb_params_free(params);
    return status;
}

static mxb_status read_value(const struct words *words, size_t word, const char *option, char **text,
                             mxb_error *error) {
    char *copy;
    MXB_TRY(copy_word(words, word, &copy, error));
    mxb_status status = mxb__space_read_value(option, copy, text, error);
    mxb__free(copy);
    return status;
}

static mxb_status read_values(const struct words *words, size_t n_values, struct range *range, mxb_error *error) {
    MXB_TRY(mxb__alloc_zeroed(&range->values, n_values, sizeof *range->values, "a search space", error));
    for (size_t i = 0; i < n_values; i++) {
        MXB_TRY(read_value(words, 1 + i, range->option, &range->values[i], error));
        range->n_values++;
    }
    return MXB_OK;
}

static mxb_status read_bound(const struct words *words, size_t word, const struct range *range, double *bound,
                             mxb_error *error) {
    char quoted[QUOTED_SIZE];
    char *text;
    if (!mxb__number_parse(words->text[word], words->length[word], bound) || !isfinite(*bound)) {
        return mxb__fail(error, MXB_ERROR_PARAM, "\"%s\" is no number", quote(words, word, quoted));
    }
    if (range->is_whole && *bound != floor(*bound)) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s takes whole numbers, and %s is none", range->option,
                         quote(words, word, quoted));
    }
    MXB_TRY(read_value(words, word, range->option, &text, error));
    mxb__free(text);
    return MXB_OK;
}

static mxb_status read_bounds(const struct words *words, struct range *range, mxb_error *error) {
    char low[MXB__NUMBER_SIZE];
    char high[MXB__NUMBER_SIZE];
    const char *type = mxb_option_type(find_option(range->option));
    if (words->n != 4) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s needs a lowest and a highest value before \"%s\"", range->option,
                         mxb__scale_name(range->scale));
    }
    if (strncmp(type, "integer", strlen("integer")) != 0 && strncmp(type, "number", strlen("number")) != 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is a %s, so its scale must be choice", range->option, type);
    }
    range->is_whole = range->scale == SCALE_INTEGER || strncmp(type, "integer", strlen("integer")) == 0;
    MXB_TRY(read_bound(words, 1, range, &range->lowest, error));
    MXB_TRY(read_bound(words, 2, range, &range->highest, error));
    mxb__number_format(range->lowest, low);
    mxb__number_format(range->highest, high);
    if (range->lowest > range->highest) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the lowest %s, %s, is above the highest, %s", range->option, low,
                         high);
    }
    if (range->scale == SCALE_LOG10 && range->lowest <= 0.0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the lowest %s is %s; on a log10 scale it must be over 0",
                         range->option, low);
    }
    return MXB_OK;
}

static enum scale scale_of(const struct words *words) {
    enum scale scale = SCALE_LINEAR;
    while (scale < SCALE_FIXED && !is_word(words, words->n - 1, mxb__scale_name(scale))) {
        scale++;
    }
    return scale;
}

static mxb_status read_range(const struct words *words, struct range *range, mxb_error *error) {
    char quoted[QUOTED_SIZE];
    MXB_TRY(copy_word(words, 0, &range->option, error));
    MXB_TRY(check_option(range->option, words->n > 2, error));
    if (words->n == 1) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s has no value", range->option);
    }
    range->scale = words->n == 2 ? SCALE_FIXED : scale_of(words);
    if (words->n == 2) {
        return read_values(words, 1, range, error);
    }
    if (range->scale == SCALE_CHOICE) {
        return read_values(words, words->n - 2, range, error);
    }
    if (range->scale == SCALE_FIXED) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "\"%s\" is no scale; a line ends with linear, log10, integer or choice",
                         quote(words, words->n - 1, quoted));
    }
    return read_bounds(words, range, error);
}

/* ---- The whole ---- */

static mxb_status parse_line(mxb_space *space, const char *line, const char *end, mxb_error *error) {
    struct words words;
    struct range range = {0};
    MXB_TRY(split_line(line, end, &words, error));
    if (words.n == 0) {
        return MXB_OK;
    }
    if (words.n == 1 && is_word(&words, 0, DEFAULTS)) {
        space->has_defaults = 1;
        return MXB_OK;
    }
    mxb_status status = read_range(&words, &range, error);
    if (status != MXB_OK) {
        mxb__range_clear(&range);
        return status;
    }
    return mxb__space_add(space, &range, error);
}

mxb_status mxb__space_parse(mxb_space *space, const char *text, mxb_error *error) {
    mxb_error cause = {{0}};
    size_t number = 1;
    int has_mark = strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0;
    for (const char *line = text + (has_mark ? strlen(BYTE_ORDER_MARK) : 0); *line != '\0'; number++) {
        const char *end = line + strcspn(line, "\n");
        mxb_status status = parse_line(space, line, end, &cause);
        if (status != MXB_OK) {
            return mxb__fail(error, status, "line %zu of the search space: %s", number, cause.message);
        }
        line = *end == '\0' ? end : end + 1;
    }
    return space->n_ranges > 0 ? MXB_OK : mxb__fail(error, MXB_ERROR_PARAM, "the search space has no option");
}

static void put_text(struct byte_writer *out, const char *text) { mxb__put_bytes(out, text, strlen(text)); }

static void put_range(struct byte_writer *out, const struct range *range) {
    char number[MXB__NUMBER_SIZE];
    put_text(out, range->option);
    for (size_t i = 0; i < range->n_values; i++) {
        put_text(out, " ");
        put_text(out, range->values[i]);
    }
    for (int i = 0; range->n_values == 0 && i < 2; i++) {
        mxb__number_format(i == 0 ? range->lowest : range->highest, number);
        put_text(out, " ");
        put_text(out, number);
    }
    if (range->scale != SCALE_FIXED) {
        put_text(out, " ");
        put_text(out, mxb__scale_name(range->scale));
    }
    put_text(out, "\n");
}

mxb_status mxb__space_format(const mxb_space *space, char **text, mxb_error *error) {
    struct byte_writer out = {.status = MXB_OK, .error = error};
    if (space->has_defaults) {
        put_text(&out, DEFAULTS);
        put_text(&out, "\n");
    }
    for (size_t i = 0; i < space->n_ranges; i++) {
        put_range(&out, &space->ranges[i]);
    }
    mxb__put_u8(&out, 0);
    if (out.status != MXB_OK) {
        mxb__free(out.bytes);
        return out.status;
    }
    *text = out.bytes;
    return MXB_OK;
}
