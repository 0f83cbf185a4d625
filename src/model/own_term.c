/* Step 9 of the data's path: a round of a caller's learner. The term itself is the caller's and opaque; copies of a
 * model share it, and the last one to go frees it. Knows nothing of files beyond the bytes the learner makes of it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "data/dataset.h"
#include "model/model.h"

mxb_status mxb__own_term_create(struct own_term *own, const mxb_learner *learner, uint32_t round, double rate,
                                mxb_error *error) {
    own->rate = rate;
    MXB_TRY(mxb__alloc_zeroed(&own->box, 1, sizeof *own->box, "a learner's term", error));
    atomic_init(&own->box->n_holders, 1);
    own->box->learner = *learner;
    own->box->round = round;
    return MXB_OK;
}

void mxb__own_term_share(struct own_term *to, const struct own_term *from) {
    *to = *from;
    atomic_fetch_add(&to->box->n_holders, 1);
}

void mxb__own_term_clear(struct own_term *own) {
    struct own_box *box = own->box;
    own->box = NULL;
    if (box == NULL || atomic_fetch_sub(&box->n_holders, 1) > 1) {
        return;
    }
    if (box->has_term && box->learner.free_term != NULL) {
        box->learner.free_term(box->learner.context, box->term);
    }
    mxb__free(box->bytes);
    mxb__free(box);
}

mxb_status mxb__own_term_result(const struct own_term *own, mxb_status status, const mxb_error *said, const char *doing,
                                mxb_error *error) {
    char who[MXB__OWN_NAME_SIZE + 32];
    char where[64];
    snprintf(who, sizeof who, "the learner \"%s\"", own->box->learner.name);
    snprintf(where, sizeof where, "%s round %" PRIu32, doing, own->box->round);
    return mxb__callback_result(status, said, who, where, error);
}

void mxb__own_term_blank_values(double *values, size_t n_rows) {
    for (size_t i = 0; i < n_rows; i++) {
        values[i] = (double)NAN;
    }
}

mxb_status mxb__own_term_check_values(const struct own_term *own, const struct mxb_dataset *dataset,
                                      const double *values, const char *owner, mxb_error *error) {
    for (size_t i = 0; i < dataset->n_rows; i++) {
        if (!isfinite(values[i])) {
            char number[MXB__NUMBER_SIZE];
            mxb__number_format(values[i], number);
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the learner \"%s\" gave %s in round %" PRIu32 " for row %zu of %s; values must be finite",
                             own->box->learner.name, number, own->box->round,
                             (size_t)mxb__dataset_array_row(dataset, i) + 1, owner);
        }
    }
    return MXB_OK;
}

mxb_status mxb__own_term_add_values(const struct own_term *own, const struct mxb_dataset *dataset, double *values,
                                    double *scores, mxb_error *error) {
    const struct own_box *box = own->box;
    mxb_error said = {""};
    if (!box->has_term) {
        return mxb__fail(
            error, MXB_ERROR_PARAM,
            "the model has rounds of the learner \"%s\", which is not here; load it by mxb_model_load_with "
            "and params with that learner",
            box->learner.name);
    }
    mxb__own_term_blank_values(values, dataset->n_rows);
    mxb_status status = box->learner.predict(box->learner.context, box->term, dataset, values, &said);
    MXB_TRY(mxb__own_term_result(own, status, &said, "in predicting", error));
    MXB_TRY(mxb__own_term_check_values(own, dataset, values, "the dataset", error));
    for (size_t i = 0; i < dataset->n_rows; i++) {
        scores[i] = mxb__bounded(scores[i] + own->rate * values[i]);
    }
    return MXB_OK;
}

/* ---- Bytes ---- */

int mxb__own_term_is_writable(const struct own_term *own) {
    return !own->box->has_term || own->box->learner.write != NULL;
}

mxb_status mxb__own_term_write(const struct own_term *own, char **bytes, uint32_t *n_bytes, mxb_error *error) {
    const struct own_box *box = own->box;
    *bytes = NULL;
    if (!box->has_term) { /* as they were read */
        *n_bytes = box->n_bytes;
        MXB_TRY(mxb__alloc(bytes, box->n_bytes, 1, "a learner's term", error));
        memcpy(*bytes, box->bytes, box->n_bytes);
        return MXB_OK;
    }
    size_t n = box->learner.write(box->learner.context, box->term, NULL, 0);
    if (n > UINT32_MAX) {
        return mxb__fail(error, MXB_ERROR_DATA,
                         "the learner \"%s\" makes %zu bytes of its term of round %" PRIu32
                         "; a model file takes up to %" PRIu32,
                         box->learner.name, n, box->round, UINT32_MAX);
    }
    MXB_TRY(mxb__alloc(bytes, n, 1, "a learner's term", error));
    memset(*bytes, 0, n);
    size_t n_written = box->learner.write(box->learner.context, box->term, *bytes, n);
    if (n_written != n) {
        mxb__free(*bytes);
        *bytes = NULL;
        return mxb__fail(error, MXB_ERROR_DATA,
                         "the learner \"%s\" made %zu bytes of its term of round %" PRIu32 ", having announced %zu",
                         box->learner.name, n_written, box->round, n);
    }
    *n_bytes = (uint32_t)n;
    return MXB_OK;
}

mxb_status mxb__own_term_read(struct own_term *own, const void *bytes, uint32_t n_bytes, mxb_error *error) {
    struct own_box *box = own->box;
    mxb_error said = {""};
    if (box->learner.read == NULL) {
        MXB_TRY(mxb__alloc(&box->bytes, n_bytes, 1, "a learner's term", error));
        memcpy(box->bytes, bytes, n_bytes);
        box->n_bytes = n_bytes;
        return MXB_OK;
    }
    mxb_status status = box->learner.read(box->learner.context, bytes, n_bytes, &box->term, &said);
    box->has_term = status == MXB_OK;
    return mxb__own_term_result(own, status, &said, "in reading its term of", error);
}
