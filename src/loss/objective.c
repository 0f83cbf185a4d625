/* The loss of a training. Losses of the table go straight to loss.c; a caller's functions are called on the calling
 * thread, for all rows at once, and every number they give is looked at. Knows nothing of learners. */
#include "loss/objective.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

struct objective mxb__objective_find(const mxb_loss *own, const char *name) {
    int is_own = own != NULL && own->name[0] != '\0';
    struct objective objective = {is_own ? NULL : mxb__loss_find(name), mxb__training_kernels(), is_own ? own : NULL};
    return objective;
}

size_t mxb__objective_scratch(const struct objective *objective, size_t n_rows) {
    return mxb__loss_scratch(n_rows) + (objective->own == NULL ? 0 : n_rows);
}

/* ---- Messages ---- */

enum { TEXT_SIZE = 128 };

static const char *name_loss(char text[TEXT_SIZE], const mxb_loss *own) {
    snprintf(text, TEXT_SIZE, "the loss \"%s\"", own->name);
    return text;
}

static mxb_status call_result(mxb_status status, const mxb_error *said, const mxb_loss *own, const char *where,
                              mxb_error *error) {
    char who[TEXT_SIZE];
    return mxb__callback_result(status, said, name_loss(who, own), where, error);
}

static const char *describe_place(char text[TEXT_SIZE], const struct loss_place *place) {
    snprintf(text, TEXT_SIZE, "after round %" PRIu32 " on %s", place->round, place->owner);
    return text;
}

static mxb_status bad_row(const mxb_loss *own, const struct loss_place *place, const char *what, double value,
                          size_t row, mxb_error *error) {
    char who[TEXT_SIZE];
    char number[MXB__NUMBER_SIZE];
    mxb__number_format(value, number);
    size_t shown = place->array_rows == NULL ? row : place->array_rows[row];
    return mxb__fail(error, MXB_ERROR_DATA,
                     "%s gave a %s of %s after round %" PRIu32 " in row %zu of %s; it must be finite%s",
                     name_loss(who, own), what, number, place->round, shown + 1, place->owner,
                     isfinite(value) ? " and not negative" : "");
}

/* ---- Start ---- */

mxb_status mxb__objective_start(const struct objective *objective, const struct loss_rows *rows, double *start,
                                mxb_error *error) {
    const mxb_loss *own = objective->own;
    mxb_error said = {""};
    char number[MXB__NUMBER_SIZE];
    *start = 0.0;
    if (own == NULL) {
        *start = mxb__loss_start(objective->loss, rows);
        return MXB_OK;
    }
    if (own->start == NULL) {
        return MXB_OK;
    }
    mxb_status status = own->start(own->context, rows->n_rows, rows->labels, rows->weights, start, &said);
    MXB_TRY(call_result(status, &said, own, "in giving a start value", error));
    if (!isfinite(*start)) {
        mxb__number_format(*start, number);
        return mxb__fail(error, MXB_ERROR_DATA, "the loss \"%s\" gave a start value of %s; it must be finite",
                         own->name, number);
    }
    return MXB_OK;
}

/* ---- Metric ---- */

/* The weighted mean of the values. Rows of weight 0 do not count, whatever their value is. */
static mxb_status mean_value(const mxb_loss *own, const struct loss_rows *rows, const struct loss_place *place,
                             struct pool *pool, double *scratch, double *metric, mxb_error *error) {
    mxb_error said = {""};
    char where[TEXT_SIZE];
    double *values = scratch + mxb__loss_scratch(rows->n_rows);
    mxb_status status = own->value(own->context, rows->n_rows, rows->labels, rows->scores, values, &said);
    MXB_TRY(call_result(status, &said, own, describe_place(where, place), error));
    for (size_t i = 0; i < rows->n_rows; i++) {
        if (rows->weights != NULL && rows->weights[i] == 0.0) {
            values[i] = 0.0;
        } else if (!isfinite(values[i])) {
            return bad_row(own, place, "value", values[i], i, error);
        }
    }
    *metric = mxb__loss_mean(rows, values, pool, scratch);
    return MXB_OK;
}

static mxb_status take_metric(const mxb_loss *own, const struct loss_rows *rows, const struct loss_place *place,
                              struct pool *pool, double *scratch, double *metric, mxb_error *error) {
    mxb_error said = {""};
    char where[TEXT_SIZE];
    if (own->metric == NULL) {
        return mean_value(own, rows, place, pool, scratch, metric, error);
    }
    *metric = 0.0;
    mxb_status status =
        own->metric(own->context, rows->n_rows, rows->labels, rows->weights, rows->scores, metric, &said);
    MXB_TRY(call_result(status, &said, own, describe_place(where, place), error));
    if (!isfinite(*metric)) {
        char number[MXB__NUMBER_SIZE];
        mxb__number_format(*metric, number);
        return mxb__fail(error, MXB_ERROR_DATA, "the loss \"%s\" gave a metric of %s %s", own->name, number,
                         describe_place(where, place));
    }
    return MXB_OK;
}

/* ---- Derivatives ---- */

static mxb_status take_derivatives(const mxb_loss *own, const struct loss_rows *rows, const struct loss_place *place,
                                   mxb_error *error) {
    mxb_error said = {""};
    char where[TEXT_SIZE];
    double *g = rows->g;
    double *h = rows->h;
    mxb_status status = own->derivatives(own->context, rows->n_rows, rows->labels, rows->scores, g, h, &said);
    MXB_TRY(call_result(status, &said, own, describe_place(where, place), error));
    for (size_t i = 0; i < rows->n_rows; i++) {
        if (!isfinite(g[i])) {
            return bad_row(own, place, "first derivative", g[i], i, error);
        }
        if (!isfinite(h[i]) || h[i] < 0.0) {
            return bad_row(own, place, "second derivative", h[i], i, error);
        }
    }
    return MXB_OK;
}

/* ---- Both ---- */

mxb_status mxb__objective_measure(const struct objective *objective, const struct loss_rows *rows,
                                  const struct loss_place *place, struct pool *pool, double *scratch,
                                  struct measurement *measured, mxb_error *error) {
    const mxb_loss *own = objective->own;
    if (own == NULL) {
        *measured = mxb__loss_measure(objective->loss, objective->kernels, rows, pool, scratch);
        return MXB_OK;
    }
    *measured = (struct measurement){0};
    if (rows->g != NULL) {
        MXB_TRY(take_derivatives(own, rows, place, error));
        measured->range = mxb__loss_weigh(rows, pool, scratch);
    }
    return rows->only_derivatives ? MXB_OK : take_metric(own, rows, place, pool, scratch, &measured->metric, error);
}
