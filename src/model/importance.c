/* Step 9 of the data's path: what a model's rounds took off the loss, feature by feature and round by round, as
 * docs/importance.md defines it. Knows nothing of data. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "model/sobol.h"

/* ---- trees ---- */

static void add_gain(double *importance, double gain, uint32_t n_members) {
    *importance = mxb__bounded(*importance + gain / (double)n_members);
}

void mxb__term_add_split_gains(const struct term *term, uint32_t n_members, double *importances) {
    if (term->kind == TERM_TREE) {
        for (uint32_t i = 0; i < term->tree.n_nodes; i++) {
            const struct tree_node *node = &term->tree.nodes[i];
            if (node->split != SPLIT_NONE) {
                add_gain(&importances[node->feature], term->tree.gain * (double)node->share, n_members);
            }
        }
    } else if (term->kind == TERM_SYMMETRIC) {
        for (uint32_t l = 0; l < term->symmetric.depth; l++) {
            const struct symmetric_level *level = &term->symmetric.levels[l];
            add_gain(&importances[level->feature], term->symmetric.gain * (double)level->share, n_members);
        }
    }
}

/* ---- fourier rounds ---- */

/* Indices of the function that the rounds of a projection are together. A feature that scales to one number whatever
 * its value moves no component, though each has a frequency for it. */
static mxb_status find_indices(const mxb_model *model, uint32_t p, double *indices, mxb_error *error) {
    const struct scaling *scaling = &model->scaling;
    struct projection moving;
    MXB_TRY(mxb__projection_copy(&moving, &model->projections[p], error));
    for (uint32_t f = 0; f < moving.n_features; f++) {
        if (mxb__scaling_is_constant(scaling->kind, &scaling->features[f])) {
            size_t first = (size_t)f * moving.n_components;
            memset(moving.weights + first, 0, moving.n_components * sizeof *moving.weights);
        }
    }
    mxb_status status = mxb__sobol_indices(&moving, model->collapsed_weights[p], indices, error);
    mxb__projection_clear(&moving);
    return status;
}

/* Shares what the rounds of a projection gained among the features; evenly where its function is constant. */
static mxb_status add_projection(const mxb_model *model, uint32_t p, double gain, double *importances,
                                 mxb_error *error) {
    uint32_t d = model->n_features;
    double *indices, total = 0;
    MXB_TRY(mxb__alloc(&indices, d, sizeof *indices, "importances", error));
    mxb_status status = find_indices(model, p, indices, error);
    for (uint32_t f = 0; f < d && status == MXB_OK; f++) {
        total += indices[f];
    }
    for (uint32_t f = 0; f < d && status == MXB_OK; f++) {
        double share = total > 0 ? indices[f] / total : 1 / (double)d;
        importances[f] = mxb__bounded(importances[f] + gain * share);
    }
    mxb__free(indices);
    return status;
}

static mxb_status add_projections(const mxb_model *model, double *importances, mxb_error *error) {
    double *gains;
    mxb_status status = MXB_OK;
    MXB_TRY(mxb__alloc_zeroed(&gains, model->n_projections, sizeof *gains, "importances", error));
    for (uint32_t i = 0; i < model->n_terms; i++) {
        const struct term *term = &model->terms[i];
        if (term->kind == TERM_FOURIER) {
            double *gain = &gains[term->fourier.projection];
            *gain = mxb__bounded(*gain + term->fourier.gain / (double)model->n_members);
        }
    }
    for (uint32_t p = 0; p < model->n_projections && status == MXB_OK; p++) {
        if (gains[p] > 0) {
            status = add_projection(model, p, gains[p], importances, error);
        }
    }
    mxb__free(gains);
    return status;
}

mxb_status mxb_model_importance(const mxb_model *model, mxb_importance part, double *importances, mxb_error *error) {
    if (model == NULL || importances == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", model == NULL ? "model" : "importances");
    }
    if ((int)part < MXB_IMPORTANCE_TREE || (int)part > MXB_IMPORTANCE_SYMMETRIC) {
        return mxb__fail(error, MXB_ERROR_PARAM, "part is %d; it must be 0, 1 or 2 (tree, fourier or symmetric)",
                         (int)part);
    }
    memset(importances, 0, model->n_features * sizeof *importances);
    if (part == MXB_IMPORTANCE_FOURIER) {
        return add_projections(model, importances, error);
    }
    enum term_kind kind = part == MXB_IMPORTANCE_TREE ? TERM_TREE : TERM_SYMMETRIC;
    for (uint32_t i = 0; i < model->n_terms; i++) {
        if (model->terms[i].kind == kind) {
            mxb__term_add_split_gains(&model->terms[i], model->n_members, importances);
        }
    }
    return MXB_OK;
}

/* ---- rounds ---- */

/* The part of a round that one of its terms has: by their gains, or evenly where these are all 0 or one is unknown. */
static double find_part(const struct term *terms, uint32_t n_members, size_t member) {
    double n_terms = (double)n_members, total = 0;
    for (uint32_t m = 0; m < n_members; m++) {
        total += mxb__term_gain(&terms[m]) / (2 * n_terms); /* so that the sum is in range */
    }
    return total > 0 ? mxb__term_gain(&terms[member]) / (2 * n_terms) / total : 1 / n_terms;
}

double mxb_model_round_decrease(const mxb_model *model, size_t round, size_t member) {
    if (mxb_model_round_learner(model, round, member) == NULL) {
        return (double)NAN;
    }
    double decrease = mxb_model_curve(model, round - 1, 0) - mxb_model_curve(model, round, 0);
    return decrease * find_part(&model->terms[(round - 1) * model->n_members], model->n_members, member);
}
