/* What rounds gained by each feature: sums of splits' gains, and shares of the fourier rounds'. What each round took
 * off the training curve. */
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

/* Of each kind of trees, what the splits of that kind on a feature gained. */
static void trees(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_own_model(&MAKE_SHAPES[s]);
        double ordinary[5] = {0}, symmetric[5] = {0}, importances[5];
        mxb_error error;
        for (uint32_t r = 0; r < model->n_terms; r++) {
            const struct term *term = &model->terms[r];
            for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++) {
                const struct tree_node *node = &term->tree.nodes[i];
                double gain = term->tree.gain * (double)node->share / model->n_members;
                ordinary[node->feature] += node->split != SPLIT_NONE ? gain : 0;
            }
            for (uint32_t l = 0; term->kind == TERM_SYMMETRIC && l < term->symmetric.depth; l++) {
                const struct symmetric_level *level = &term->symmetric.levels[l];
                symmetric[level->feature] += term->symmetric.gain * (double)level->share / model->n_members;
            }
        }
        size_t n_bytes = model->n_features * sizeof *importances;
        OK(mxb_model_importance(model, MXB_IMPORTANCE_TREE, importances, &error), error);
        CHECK(memcmp(importances, ordinary, n_bytes) == 0);
        OK(mxb_model_importance(model, MXB_IMPORTANCE_SYMMETRIC, importances, &error), error);
        CHECK(memcmp(importances, symmetric, n_bytes) == 0);
        CHECK((sum_of(ordinary, model->n_features) > 0) == (MAKE_SHAPES[s].n_trees > 0));
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
    for (int part = 0; part < 3; part++) {
        OK(mxb_model_importance(model, (mxb_importance)part, importances, &error), error);
        for (int f = 0; f < 4; f++) {
            CHECK(isfinite(importances[f]) && importances[f] > 1e300);
        }
    }
    mxb_model_free(model);
}

/* ---- rounds ---- */

/* A model of three rounds of three members, of all classes, with these gains. */
static mxb_model *make_mixed_rounds(const double gains[9]) {
    struct model_shape shape = {.seed = 3,
                                .loss = MODEL_MSE,
                                .n_features = 2,
                                .n_trees = 3,
                                .n_symmetric = 3,
                                .max_depth = 2,
                                .n_projections = 1,
                                .n_components = 4,
                                .n_fourier = 3,
                                .n_members = 3};
    mxb_model *model = make_model(&shape);
    CHECK_INT(model->n_terms, 9);
    for (uint32_t i = 0; i < model->n_terms; i++) {
        struct term *term = &model->terms[i];
        *(term->kind == TERM_TREE        ? &term->tree.gain
          : term->kind == TERM_SYMMETRIC ? &term->symmetric.gain
                                         : &term->fourier.gain) = gains[i];
    }
    static const double curve[] = {8, 5, 5.5, 1};
    CHECK_INT(model->n_curve, 4);
    memcpy(model->train_curve, curve, sizeof curve);
    return model;
}

/* A fall is shared by gains, a rise too, and evenly where no member gained anything. */
static void members_share_a_round(void) {
    static const double gains[] = {1, 4, 1, 0, 0, 0, 0, 3, 1};
    static const double expected[] = {0.5, 2, 0.5, -0.5 / 3, -0.5 / 3, -0.5 / 3, 0, 3.375, 1.125};
    mxb_model *model = make_mixed_rounds(gains);
    double sum = 0;
    for (size_t i = 0; i < 9; i++) {
        double decrease = mxb_model_round_decrease(model, i / 3 + 1, i % 3);
        CHECK_NEAR(decrease, expected[i], 1e-15);
        sum += decrease;
    }
    CHECK_NEAR(sum, 7, 1e-14);
    mxb_model_free(model);
}

static void members_of_the_largest_gains(void) {
    static const double gains[] = {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX, 0, DBL_MAX, DBL_MAX, 1, 1};
    static const double expected[] = {1, 1, 1, -0.25, 0, -0.25, 4.5, 0, 0};
    mxb_model *model = make_mixed_rounds(gains);
    for (size_t i = 0; i < 9; i++) {
        CHECK_NEAR(mxb_model_round_decrease(model, i / 3 + 1, i % 3), expected[i], 1e-15);
    }
    mxb_model_free(model);
}

/* The gain of a caller's learner is not known: then nobody's counts. */
static void a_callers_learner_shares_evenly(void) {
    static const double gains[] = {1, 4, 1, 0, 0, 0, 0, 3, 1};
    mxb_learner learner = {.name = "line"};
    mxb_model *model = make_mixed_rounds(gains);
    mxb__term_clear(&model->terms[1]);
    model->terms[1] = (struct term){.kind = TERM_OWN, .n_outputs = 1};
    make_sure(mxb__own_term_create(&model->terms[1].own, &learner, 1, 0.5, NULL));
    for (size_t member = 0; member < 3; member++) {
        CHECK_NEAR(mxb_model_round_decrease(model, 1, member), 1, 1e-15);
    }
    CHECK_NEAR(mxb_model_round_decrease(model, 3, 1), 3.375, 1e-15);
    mxb_model_free(model);
}

/* Alone, a term has the whole round, whatever it gained. */
static void one_member_has_the_round(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_own_model(&MAKE_SHAPES[s]);
        for (uint32_t r = 1; model->n_members == 1 && r <= model->n_terms; r++) {
            CHECK(mxb_model_round_decrease(model, r, 0) == model->train_curve[r - 1] - model->train_curve[r]);
        }
        mxb_model_free(model);
    }
}

static void rounds_that_are_not_there(void) {
    static const double gains[9] = {0};
    mxb_model *model = make_mixed_rounds(gains);
    CHECK(isnan(mxb_model_round_decrease(NULL, 1, 0)));
    CHECK(isnan(mxb_model_round_decrease(model, 0, 0)) && isnan(mxb_model_round_decrease(model, 4, 0)));
    CHECK(isnan(mxb_model_round_decrease(model, 1, 3)));
    mxb__free(model->train_curve);
    model->train_curve = NULL;
    CHECK(isnan(mxb_model_round_decrease(model, 1, 0)));
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
    FAILS(mxb_model_importance(model, (mxb_importance)3, importances, &error), error, MXB_ERROR_PARAM,
          "part is 3; it must be 0, 1 or 2 (tree, fourier or symmetric)");
    FAILS(mxb_model_importance(model, (mxb_importance)-1, importances, &error), error, MXB_ERROR_PARAM,
          "part is -1; it must be 0, 1 or 2 (tree, fourier or symmetric)");
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
    RUN(members_share_a_round);
    RUN(members_of_the_largest_gains);
    RUN(a_callers_learner_shares_evenly);
    RUN(one_member_has_the_round);
    RUN(rounds_that_are_not_there);
    RUN(arguments_and_memory);
    return check_report();
}
