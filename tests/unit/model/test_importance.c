/* What rounds gained by each feature: sums of splits' gains, and shares of the fourier rounds'. */
#include <float.h>

#include "check.h"
#include "model/sobol.h"
#include "unit/model/make_model.h"

static double sum_of(const double *values, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum;
}

static double fourier_gains(const mxb_model *model, uint32_t projection) {
    double sum = 0;
    for (uint32_t r = 0; r < model->n_terms; r++) {
        const struct term *term = &model->terms[r];
        sum += term->kind == TERM_FOURIER && term->fourier.projection == projection ? term->fourier.gain : 0;
    }
    return sum / model->n_members;
}

static void trees(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_own_model(&MAKE_SHAPES[s]);
        double expected[5] = {0}, importances[5];
        mxb_error error;
        for (uint32_t r = 0; r < model->n_terms; r++) {
            const struct term *term = &model->terms[r];
            for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++) {
                const struct tree_node *node = &term->tree.nodes[i];
                double gain = term->tree.gain * (double)node->share / model->n_members;
                expected[node->feature] += node->split != SPLIT_NONE ? gain : 0;
            }
            for (uint32_t l = 0; term->kind == TERM_SYMMETRIC && l < term->symmetric.depth; l++) {
                const struct symmetric_level *level = &term->symmetric.levels[l];
                expected[level->feature] += term->symmetric.gain * (double)level->share / model->n_members;
            }
        }
        OK(mxb_model_importance(model, MXB_IMPORTANCE_TREE, importances, &error), error);
        for (uint32_t f = 0; f < model->n_features; f++) {
            CHECK(importances[f] == expected[f]);
        }
        mxb_model_free(model);
    }
}

static void fourier_rounds(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_own_model(&MAKE_SHAPES[s]);
        double importances[5], indices[5], expected[5] = {0};
        mxb_error error;
        OK(mxb_model_importance(model, MXB_IMPORTANCE_FOURIER, importances, &error), error);
        for (uint32_t p = 0; p < model->n_projections; p++) {
            if (model->collapsed_weights[p] == NULL) {
                continue;
            }
            OK(mxb__sobol_indices(&model->projections[p], model->collapsed_weights[p], indices, &error), error);
            for (uint32_t f = 0; f < model->n_features; f++) {
                expected[f] += fourier_gains(model, p) * indices[f] / sum_of(indices, model->n_features);
            }
        }
        for (uint32_t f = 0; f < model->n_features; f++) {
            CHECK_NEAR(importances[f], expected[f], 1e-14 * expected[f]);
            CHECK((importances[f] > 0) == (MAKE_SHAPES[s].n_fourier > 0));
        }
        mxb_model_free(model);
    }
}

/* A feature that no component turns with has no share; rounds that are constant have an even one. */
static void features_without_a_part(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[4]);
    double importances[4];
    mxb_error error;
    float *weights = model->projections[0].weights;
    memset(weights + 16, 0, 8 * sizeof *weights);
    OK(mxb_model_importance(model, MXB_IMPORTANCE_FOURIER, importances, &error), error);
    CHECK(importances[0] > 0 && importances[1] > 0 && importances[2] == 0 && importances[3] > 0);
    CHECK_NEAR(sum_of(importances, 4), fourier_gains(model, 0), 1e-12);
    memset(weights, 0, 32 * sizeof *weights);
    OK(mxb_model_importance(model, MXB_IMPORTANCE_FOURIER, importances, &error), error);
    for (int f = 0; f < 4; f++) {
        CHECK_NEAR(importances[f], fourier_gains(model, 0) / 4, 1e-15);
    }
    mxb_model_free(model);
}

/* Nor has one that was constant in the training: the others have theirs as if it were not there. */
static void constant_features(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[4]);
    double importances[4], without[4];
    mxb_error error;
    struct scaling_feature *constant = &model->scaling.features[2];
    CHECK_INT(model->scaling.kind, SCALING_STANDARD);
    constant->factor = 0;
    constant->missing = 0;
    OK(mxb_model_importance(model, MXB_IMPORTANCE_FOURIER, importances, &error), error);
    memset(model->projections[0].weights + 16, 0, 8 * sizeof *model->projections[0].weights);
    OK(mxb_model_importance(model, MXB_IMPORTANCE_FOURIER, without, &error), error);
    CHECK(importances[2] == 0 && importances[0] > 0);
    CHECK(memcmp(importances, without, sizeof without) == 0);
    mxb_model_free(model);
}

static void finite_whatever_the_gains(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[7]);
    double importances[4];
    mxb_error error;
    for (uint32_t r = 0; r < model->n_terms; r++) {
        struct term *term = &model->terms[r];
        *(term->kind == TERM_TREE        ? &term->tree.gain
          : term->kind == TERM_SYMMETRIC ? &term->symmetric.gain
                                         : &term->fourier.gain) = DBL_MAX;
    }
    for (int part = 0; part < 2; part++) {
        OK(mxb_model_importance(model, (mxb_importance)part, importances, &error), error);
        for (int f = 0; f < 4; f++) {
            CHECK(isfinite(importances[f]) && importances[f] > 1e300);
        }
    }
    mxb_model_free(model);
}

static void arguments_and_memory(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[5]);
    double importances[3];
    mxb_error error;
    FAILS(mxb_model_importance(NULL, MXB_IMPORTANCE_TREE, importances, &error), error, MXB_ERROR_PARAM,
          "model is NULL");
    FAILS(mxb_model_importance(model, MXB_IMPORTANCE_TREE, NULL, &error), error, MXB_ERROR_PARAM,
          "importances is NULL");
    FAILS(mxb_model_importance(model, (mxb_importance)2, importances, &error), error, MXB_ERROR_PARAM,
          "part is 2; it must be 0 or 1 (tree or fourier)");
    FAILS(mxb_model_importance(model, (mxb_importance)-1, importances, &error), error, MXB_ERROR_PARAM,
          "part is -1; it must be 0 or 1 (tree or fourier)");
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY) {
        mxb__memory_fail_at(++n, 0);
        status = mxb_model_importance(model, MXB_IMPORTANCE_FOURIER, importances, &error);
        mxb__memory_fail_at(0, 0);
    }
    CHECK_INT(status, MXB_OK);
    CHECK_INT(n, 10); /* gains, and for each of two projections its indices, a copy in two parts, and scratch */
    mxb_model_free(model);
}

int main(void) {
    RUN(trees);
    RUN(fourier_rounds);
    RUN(features_without_a_part);
    RUN(constant_features);
    RUN(finite_whatever_the_gains);
    RUN(arguments_and_memory);
    return check_report();
}
