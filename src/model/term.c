/* Step 9 of the data's path: what one round added, whatever its learner. The only file of the model, with the file
 * format and predictions, that tells the kinds apart. */
#include <math.h>
#include <string.h>

#include "model/model.h"

mxb_status mxb__term_copy(struct term *to, const struct term *from, const struct projection *projections,
                          mxb_error *error) {
    *to = *from;
    if (from->kind == TERM_TREE) {
        return mxb__tree_copy(&to->tree, &from->tree, error);
    }
    if (from->kind == TERM_SYMMETRIC) {
        return mxb__symmetric_copy(&to->symmetric, &from->symmetric, error);
    }
    if (from->kind == TERM_OWN) {
        mxb__own_term_share(&to->own, &from->own);
        return MXB_OK;
    }
    return mxb__fourier_copy(&to->fourier, &from->fourier, projections[from->fourier.projection].n_components, error);
}

void mxb__term_clear(struct term *term) {
    if (term->kind == TERM_TREE) {
        mxb__tree_clear(&term->tree);
    } else if (term->kind == TERM_SYMMETRIC) {
        mxb__symmetric_clear(&term->symmetric);
    } else if (term->kind == TERM_FOURIER) {
        mxb__fourier_clear(&term->fourier);
    } else if (term->kind == TERM_OWN) {
        mxb__own_term_clear(&term->own);
    }
    memset(term, 0, sizeof *term);
}

const char *mxb__term_name(const struct term *term) {
    switch (term->kind) {
        case TERM_TREE:
            return "tree";
        case TERM_SYMMETRIC:
            return "symmetric";
        case TERM_FOURIER:
            return "fourier";
        default:
            return term->own.box->learner.name;
    }
}

double mxb__term_gain(const struct term *term) {
    switch (term->kind) {
        case TERM_TREE:
            return term->tree.gain;
        case TERM_SYMMETRIC:
            return term->symmetric.gain;
        case TERM_FOURIER:
            return term->fourier.gain;
        default:
            return (double)NAN;
    }
}
