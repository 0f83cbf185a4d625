/* What configurations are drawn from: an option each and the range of its values. */
#ifndef MXB_TUNE_SPACE_H
#define MXB_TUNE_SPACE_H

#include <stddef.h>

#include "base/status.h"
#include "mixboost/tune.h"

enum scale { SCALE_LINEAR, SCALE_LOG10, SCALE_INTEGER, SCALE_CHOICE, SCALE_FIXED };

/** "linear", "log10", "integer", "choice", "fixed". */
const char *mxb__scale_name(enum scale scale);

struct range {
    char *option;
    enum scale scale;
    int is_whole;  /* numbers drawn are whole ones */
    double lowest; /* of numbers */
    double highest;
    size_t n_values; /* of a choice; 1 where fixed */
    char **values;   /* as mxb_params_get gives them */
};

struct mxb_space {
    int has_defaults; /* configuration 0 has only what is fixed */
    size_t n_ranges;
    struct range *ranges;
};

void mxb__range_clear(struct range *range);

/** Adds a range, whose texts become the space's, also on failure; an option that is there already is a failure. */
mxb_status mxb__space_add(mxb_space *space, struct range *range, mxb_error *error);

/** The option's range, or NULL. */
struct range *mxb__space_find(const mxb_space *space, const char *option);

/** The one text of a value that the option takes ("0.1" for "1e-1"), to be freed with mxb__free. */
mxb_status mxb__space_read_value(const char *option, const char *value, char **text, mxb_error *error);

/** Fills an empty space from text; the lines in messages count from 1. */
mxb_status mxb__space_parse(mxb_space *space, const char *text, mxb_error *error);

/** The space as text, a line for each option, to be freed with mxb__free. */
mxb_status mxb__space_format(const mxb_space *space, char **text, mxb_error *error);

mxb_status mxb__space_copy(mxb_space **to, const mxb_space *from, mxb_error *error);

#endif
