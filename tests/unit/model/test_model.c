#include <float.h>

#include "check.h"
#include "unit/model/make_model.h"

static void answers(void) {
    mxb_model *model = make_small_model();
    CHECK_INT(mxb_model_n_features(model), 2);
    CHECK_TEXT(mxb_model_feature_name(model, 1), "bc");
    CHECK(mxb_model_feature_name(model, 2) == NULL);
    CHECK_INT(mxb_model_feature_splits(model, 0), 0);
    CHECK_INT(mxb_model_feature_splits(model, 1), 1);
    CHECK_INT(mxb_model_feature_splits(model, 2), 0);
    CHECK_INT(mxb_model_n_rounds(model), 2);
    CHECK(mxb_model_round_learner(model, 0, 0) == NULL);
    CHECK_TEXT(mxb_model_round_learner(model, 1, 0), "tree");
    CHECK_TEXT(mxb_model_round_learner(model, 2, 0), "fourier");
    CHECK(mxb_model_round_learner(model, 3, 0) == NULL);
    CHECK_INT(mxb_model_round_depth(model, 1, 0), 1);
    CHECK_INT(mxb_model_round_depth(model, 2, 0), 0);
    CHECK_INT(mxb_model_round_depth(model, SIZE_MAX, 0), 0);
    CHECK_TEXT(mxb_model_option(model, "gamma"), "2.5");
    CHECK(mxb_model_option(model, "gam") == NULL && mxb_model_option(model, NULL) == NULL);
    CHECK_TEXT(mxb_model_metric(model), "logloss");
    CHECK_INT(mxb_model_n_curve(model), 2);
    CHECK(mxb_model_curve(model, 0, 0) == 0.75 && mxb_model_curve(model, 2, 1) == 0);
    CHECK(isnan(mxb_model_curve(model, 3, 0)));
    CHECK_INT(mxb_model_stopped_early(model), 0);
    CHECK_INT(mxb_model_n_repairs(model), 1);
    mxb_model_free(model);
}

static void answers_of_nothing(void) {
    CHECK(mxb_model_n_features(NULL) == 0 && mxb_model_feature_name(NULL, 0) == NULL);
    CHECK(mxb_model_feature_splits(NULL, 0) == 0 && mxb_model_n_rounds(NULL) == 0);
    CHECK(mxb_model_round_learner(NULL, 1, 0) == NULL && mxb_model_round_depth(NULL, 1, 0) == 0);
    CHECK(mxb_model_option(NULL, "gamma") == NULL && mxb_model_metric(NULL) == NULL);
    CHECK(mxb_model_n_curve(NULL) == 0 && isnan(mxb_model_curve(NULL, 0, 0)));
    CHECK(mxb_model_stopped_early(NULL) == 0 && mxb_model_n_repairs(NULL) == 0);
    mxb_model_free(NULL);

    mxb_model *model = make_model(&MAKE_SHAPES[0]);
    CHECK(mxb_model_feature_name(model, 0) == NULL);
    CHECK_TEXT(mxb_model_metric(model), "rmse");
    CHECK(isnan(mxb_model_curve(model, 0, 1)));
    mxb_model_free(model);
}

static void labels(void) {
    mxb_model *classes = make_model(&MAKE_SHAPES[2]), *numbers = make_model(&MAKE_SHAPES[1]);
    mxb_model *texts = make_text_model(), *own = make_own_model(&MAKE_SHAPES[1]);
    CHECK(mxb_model_label(classes, 0) == -1 && mxb_model_label(classes, 1) == 3);
    CHECK(isnan(mxb_model_label(classes, 2)) && isnan(mxb_model_label(classes, SIZE_MAX)));
    CHECK(mxb_model_label(texts, 0) == 0 && mxb_model_label(texts, 1) == 1);
    CHECK(isnan(mxb_model_label(numbers, 0)) && isnan(mxb_model_label(own, 1)) && isnan(mxb_model_label(NULL, 0)));
    mxb_model_free(classes);
    mxb_model_free(numbers);
    mxb_model_free(texts);
    mxb_model_free(own);
}

static void build_adds_up(void) {
    struct model_shape shape = MAKE_SHAPES[5];
    shape.n_symmetric = 3;
    mxb_model *model = make_model(&shape);
    const struct term *first = NULL, *second = NULL;
    size_t splits[3] = {0};
    for (uint32_t r = 0; r < model->n_terms; r++) {
        const struct term *term = &model->terms[r];
        if (term->kind == TERM_FOURIER) {
            second = first;
            first = term;
        }
        for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++) {
            splits[term->tree.nodes[i].feature] += term->tree.nodes[i].split != SPLIT_NONE;
        }
        for (uint32_t l = 0; term->kind == TERM_SYMMETRIC && l < term->symmetric.depth; l++) {
            splits[term->symmetric.levels[l].feature]++;
        }
    }
    REQUIRE(first != NULL && second != NULL);
    for (uint32_t f = 0; f < 3; f++) {
        CHECK_INT(mxb_model_feature_splits(model, f), splits[f]);
    }
    CHECK(first->fourier.projection == 0 && second->fourier.projection == 1);
    CHECK(memcmp(model->collapsed_weights[0], first->fourier.weights, 4 * sizeof(double)) == 0);
    CHECK(memcmp(model->collapsed_weights[1], second->fourier.weights, 4 * sizeof(double)) == 0);
    CHECK(model->collapsed_weights[2] == NULL);
    CHECK(model->collapsed_intercept == second->fourier.intercept + first->fourier.intercept);
    mxb_model_free(model);
}

static void build_stays_finite(void) {
    struct model_shape shape = {
        .seed = 1, .loss = MODEL_MSE, .n_features = 1, .n_projections = 1, .n_components = 1, .n_fourier = 3};
    mxb_model *model = make_model(&shape);
    mxb_error error;
    for (int r = 0; r < 3; r++) {
        model->terms[r].fourier.weights[0] = -DBL_MAX;
        model->terms[r].fourier.intercept = DBL_MAX;
    }
    OK(mxb__model_build(model, &error), error);
    CHECK(model->collapsed_weights[0][0] == -DBL_MAX && model->collapsed_intercept == DBL_MAX);
    mxb_model_free(model);
}

/* Only projections that a round uses count. */
static void widest_projection(void) {
    struct model_shape shape = MAKE_SHAPES[5];
    mxb_model *model = make_model(&shape); /* 3 projections, 2 rounds: on the second and the first */
    struct projection *last = &model->projections[2];
    CHECK(model->collapsed_weights[2] == NULL);
    mxb__projection_clear(last);
    *last = make_projection(3, 50);
    make_sure(mxb__model_build(model, NULL));
    CHECK_INT(model->n_components, 4);
    mxb_model_free(model);
}

static void build_may_fail(void) {
    mxb_model *model = make_small_model();
    mxb_error error;
    uint64_t n = 1;
    mxb_status status = MXB_ERROR_MEMORY;
    for (; status != MXB_OK; n++) {
        mxb__memory_fail_at(n, 0);
        status = mxb__model_build(model, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || status == MXB_ERROR_MEMORY);
    }
    CHECK_INT(n, 35);
    mxb_model_free(model);
}

/* With all that describes a model, and without what it is made of. */
static void copy_without_terms(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_own_model(&MAKE_SHAPES[s]), *copy;
        mxb_error error;
        OK(mxb__model_copy_empty(model, &copy, &error), error);
        CHECK_INT(mxb_model_n_rounds(copy), 0);
        CHECK_INT(mxb_model_n_members(copy), mxb_model_n_members(model));
        CHECK_INT(mxb_model_n_curve(copy), mxb_model_n_curve(model));
        CHECK(copy->n_projections == 0 && copy->scaling.features == NULL && copy->collapsed_weights == NULL);
        CHECK(copy->scaling.kind == model->scaling.kind);
        CHECK(copy->loss == MODEL_OWN_LOSS && copy->has_link == 1);
        CHECK_TEXT(copy->own_loss.name, "huber");
        mxb_model_free(model);
        struct term term = make_tree(copy->n_features, 2);
        OK(mxb__model_add_term(copy, &term, &error), error);
        mxb_model_free(copy);
    }
}

static void copy_may_fail(void) {
    mxb_model *model = make_small_model(), *copy;
    mxb_error error;
    mxb_status status = MXB_ERROR_MEMORY;
    int n_failures = 0;
    for (uint64_t n = 1; status != MXB_OK; n++) {
        mxb__memory_fail_at(n, 0);
        status = mxb__model_copy_empty(model, &copy, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || (status == MXB_ERROR_MEMORY && copy == NULL));
        n_failures += status != MXB_OK;
    }
    CHECK(n_failures > 8);
    mxb_model_free(copy);
    mxb_model_free(model);
}

static void append_may_fail(void) {
    mxb_model *model;
    mxb_error error;
    make_sure(mxb__model_create(&model, NULL));
    struct term term = make_tree(1, 1);
    struct projection projection = make_projection(1, 1);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__model_add_term(model, &term, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__model_add_projection(model, &projection, &error), MXB_ERROR_MEMORY);
    CHECK(model->n_terms == 0 && model->n_projections == 0);
    mxb__term_clear(&term); /* still the caller's */
    mxb__projection_clear(&projection);
    mxb_model_free(model);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__model_create(&model, &error), MXB_ERROR_MEMORY);
    CHECK(model == NULL);
}

static void bounded(void) {
    CHECK(mxb__bounded(INFINITY) == DBL_MAX && mxb__bounded(-INFINITY) == -DBL_MAX && mxb__bounded(NAN) == 0);
    CHECK(mxb__bounded(DBL_MAX) == DBL_MAX && mxb__bounded(-1.5) == -1.5);
}

/* Terms stand round by round, member after member. */
static void rounds_of_members(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[6]);
    CHECK_INT(mxb_model_n_members(model), 2);
    CHECK_INT(mxb_model_n_rounds(model), 8);
    for (size_t i = 0; i < model->n_terms; i++) {
        const struct term *term = &model->terms[i];
        CHECK_TEXT(mxb_model_round_learner(model, i / 2 + 1, i % 2), mxb__term_name(term));
        CHECK_INT(mxb_model_round_depth(model, i / 2 + 1, i % 2), term->kind == TERM_TREE ? 4 : 0);
    }
    CHECK(mxb_model_round_learner(model, 1, 2) == NULL && mxb_model_round_learner(model, 9, 0) == NULL);
    CHECK(mxb_model_round_learner(model, 0, 1) == NULL && mxb_model_round_depth(model, 9, 1) == 0);
    mxb_model_free(model);
}

static void asks_for_texts(void) {
    mxb_model *model = make_text_model(), *plain = make_small_model();
    CHECK_INT(mxb_model_feature_is_text(model, 0), 0);
    CHECK_INT(mxb_model_feature_is_text(model, 1), 1);
    CHECK_INT(mxb_model_feature_is_text(model, 3), 1);
    CHECK_INT(mxb_model_feature_is_text(model, 4), 0);
    CHECK_INT(mxb_model_feature_n_texts(model, 0), 0);
    CHECK_INT(mxb_model_feature_n_texts(model, 1), 6);
    CHECK_INT(mxb_model_feature_n_texts(model, 3), 0);
    CHECK_TEXT(mxb_model_feature_text(model, 1, 5), "\xFF");
    CHECK(mxb_model_feature_text(model, 1, 6) == NULL && mxb_model_feature_text(model, 0, 0) == NULL);
    CHECK(mxb_model_feature_text(model, 9, 0) == NULL && mxb_model_feature_text(NULL, 0, 0) == NULL);
    CHECK_TEXT(mxb_model_label_text(model, 0), "<=50K");
    CHECK_TEXT(mxb_model_label_text(model, 1), ">50K");
    CHECK(mxb_model_label_text(model, 2) == NULL && mxb_model_label_text(NULL, 0) == NULL);
    CHECK(mxb_model_label_text(plain, 0) == NULL && mxb_model_feature_is_text(plain, 0) == 0);
    CHECK_INT(mxb_model_feature_is_text(NULL, 0), 0);
    CHECK_INT(mxb_model_feature_n_texts(NULL, 0), 0);
    mxb_model_free(model);
    mxb_model_free(plain);
}

int main(void) {
    RUN(answers);
    RUN(answers_of_nothing);
    RUN(labels);
    RUN(build_adds_up);
    RUN(build_stays_finite);
    RUN(widest_projection);
    RUN(build_may_fail);
    RUN(copy_without_terms);
    RUN(copy_may_fail);
    RUN(append_may_fail);
    RUN(bounded);
    RUN(rounds_of_members);
    RUN(asks_for_texts);
    return check_report();
}
