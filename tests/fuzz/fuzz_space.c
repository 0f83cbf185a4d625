/* Any text as a search space: refused with a sentence, or one that can be written and read again, and whose every draw
 * is allowed, the same each time and within the range. */
#include <math.h>
#include <stdint.h>

#include "base/memory.h"
#include "fuzz/fuzz_text.h"
#include "tune/space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_CONFIGS = 4 };

/* What was drawn for an option, but for depths, which may have changed places. */
static void check_value(const struct range *range, const char *text) {
    if (strstr(range->option, "_max_depth") != NULL) {
        return;
    }
    if (range->n_values == 0) {
        double value = strtod(text, NULL);
        MUST(value >= range->lowest && value <= range->highest && (!range->is_whole || value == floor(value)));
        return;
    }
    size_t i = 0;
    while (i < range->n_values && strcmp(range->values[i], text) != 0) {
        i++;
    }
    MUST(i < range->n_values);
}

static void draw(const mxb_space *space, uint64_t seed) {
    for (size_t config = 0; config < N_CONFIGS; config++) {
        mxb_params *params, *again;
        MUST(mxb_params_create(&params, NULL) == MXB_OK && mxb_params_create(&again, NULL) == MXB_OK);
        MUST(mxb_space_draw(space, seed, config, params, NULL) == MXB_OK);
        MUST(mxb_space_draw(space, seed, config, again, NULL) == MXB_OK);
        for (size_t i = 0; i < mxb_space_n_options(space); i++) {
            const char *option = mxb_space_option(space, i);
            const char *text = mxb_params_get(params, option);
            MUST(text != NULL && strcmp(text, mxb_params_get(again, option)) == 0);
            check_value(&space->ranges[i], text);
        }
        mxb_params_free(params);
        mxb_params_free(again);
    }
}

/* Read from its own text, a space is the same. */
static void read_again(const mxb_space *space) {
    mxb_space *again;
    char *text, *second;
    MUST(mxb__space_format(space, &text, NULL) == MXB_OK);
    MUST(mxb_space_create(text, &again, NULL) == MXB_OK);
    MUST(mxb__space_format(again, &second, NULL) == MXB_OK);
    MUST(strcmp(text, second) == 0);
    mxb__free(text);
    mxb__free(second);
    mxb_space_free(again);
}

/* Every option of it, to what was drawn first. */
static void fix(mxb_space *space) {
    mxb_params *params;
    MUST(mxb_params_create(&params, NULL) == MXB_OK);
    MUST(mxb_space_draw(space, 0, 0, params, NULL) == MXB_OK);
    for (size_t i = 0; i < mxb_space_n_options(space); i++) {
        const char *option = mxb_space_option(space, i);
        MUST(mxb_space_fix(space, option, mxb_params_get(params, option), NULL) == MXB_OK);
        MUST(strcmp(mxb_space_scale(space, i), "fixed") == 0);
    }
    mxb_params_free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = copy_text(data, size);
    mxb_space *space;
    mxb_error error = {""};
    mxb_status status = mxb_space_create(text, &space, &error);
    free(text);
    if (status != MXB_OK) {
        MUST(status == MXB_ERROR_PARAM && space == NULL);
        check_sentence(&error);
        return 0;
    }
    MUST(mxb_space_n_options(space) > 0 && mxb_space_n_options(space) <= mxb_option_count());
    draw(space, size);
    read_again(space);
    fix(space);
    draw(space, size);
    read_again(space);
    mxb_space_free(space);
    return 0;
}
