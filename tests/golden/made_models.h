/* Models that no training makes, or only a rare one: what else the format can hold. For make_golden.c. */
#ifndef MADE_MODELS_H
#define MADE_MODELS_H

#include <float.h>

#include "unit/model/make_model.h"

/* ---- One feature ---- */

/* The example of docs/model-format.md: one feature, one split. */
static inline mxb_model *made_example(void) {
    mxb_model *model;
    struct term term = {.kind = TERM_TREE, .n_outputs = 1, .tree = {.n_nodes = 3, .max_depth = 1, .gain = 8}};
    make_sure(mxb__model_create(&model, NULL));
    model->loss = MODEL_MSE;
    model->base_score = 0.5;
    model->n_features = 1;
    model->feature_names = make_block(1, sizeof *model->feature_names);
    model->feature_names[0] = make_text("x");
    term.tree.nodes = make_block(3, sizeof *term.tree.nodes);
    term.tree.nodes[0] = (struct tree_node){
        .split = SPLIT_NUMERIC, .value = 1.5, .feature = 0, .left = 1, .missing_left = 1, .share = 1};
    term.tree.nodes[1].value = -2;
    term.tree.nodes[2].value = 3;
    make_sure(mxb__model_add_term(model, &term, NULL));
    make_sure(mxb__model_build(model, NULL));
    return model;
}

/* A random model, whose options say what its loss is. */
static inline mxb_model *made_at_random(const struct model_shape *shape, const char *objective) {
    mxb_model *model = make_model(shape);
    mxb__free(model->option_values[2]);
    model->option_values[2] = make_text(objective);
    return model;
}

static inline mxb_model *made_constant(void) {
    const struct model_shape shape = {.seed = 21, .loss = MODEL_MSE, .n_features = 1};
    return made_at_random(&shape, "mse");
}

/* ---- Rounds with repairs, and trees as deep as they may be ---- */

static inline mxb_model *made_repaired(void) {
    const struct model_shape shape = {.seed = 22,
                                      .loss = MODEL_LOGLOSS,
                                      .n_features = 3,
                                      .named = 1,
                                      .n_trees = 5,
                                      .n_symmetric = 4,
                                      .max_depth = 3,
                                      .n_projections = 3,
                                      .n_components = 21,
                                      .n_fourier = 9,
                                      .n_members = 2,
                                      .scaling = SCALING_RANK,
                                      .with_valid = 1};
    return made_at_random(&shape, "logloss");
}

/* Trees of which all but the first had leaves beyond a double, so that the file lists them. */
static inline mxb_model *made_left_out(void) {
    const struct model_shape shape = {
        .seed = 28, .loss = MODEL_MSE, .n_features = 3, .n_trees = 4, .n_symmetric = 3, .max_depth = 3};
    mxb_model *model = made_at_random(&shape, "mse");
    for (uint32_t t = 1; t < model->n_terms; t++) {
        model->terms[t].repaired = 1;
    }
    make_sure(mxb__model_build(model, NULL));
    return model;
}

/* Every level has one leaf, left and right in turn, until the last has two. */
static inline struct term made_chain(uint32_t depth, uint32_t n_features) {
    struct term term = {.kind = TERM_TREE, .n_outputs = 1};
    term.tree.max_depth = depth;
    term.tree.n_nodes = 2 * depth + 1;
    term.tree.nodes = make_block(term.tree.n_nodes, sizeof *term.tree.nodes);
    for (uint32_t i = 0, level = 0; i < term.tree.n_nodes; i++) {
        struct tree_node *node = &term.tree.nodes[i];
        node->value = make_number();
        if (level < depth && i == 2 * level - level % 2) {
            node->split = SPLIT_NUMERIC;
            node->feature = level % n_features;
            node->missing_left = (uint8_t)(level % 2);
            node->left = 2 * level + 1;
            level++;
        }
    }
    return term;
}

static inline void made_add(mxb_model *model, struct term term) { make_sure(mxb__model_add_term(model, &term, NULL)); }

static inline mxb_model *made_without_curve(mxb_model *model) {
    mxb__free(model->train_curve);
    model->train_curve = NULL;
    model->n_curve = 0;
    make_sure(mxb__model_build(model, NULL));
    return model;
}

static inline struct term made_symmetric(uint32_t n_features, uint32_t depth) {
    struct term term = make_symmetric(n_features, depth);
    while (term.symmetric.depth != depth) {
        mxb__term_clear(&term);
        term = make_symmetric(n_features, depth);
    }
    return term;
}

static inline mxb_model *made_deep(void) {
    const struct model_shape shape = {.seed = 23, .loss = MODEL_MSE, .n_features = 3, .n_trees = 1};
    mxb_model *model = made_at_random(&shape, "mse"); /* one tree that is a leaf */
    made_add(model, made_chain(30, 3));
    made_add(model, made_symmetric(3, 10));
    made_add(model, made_symmetric(3, 0));
    return made_without_curve(model);
}

/* ---- Numbers and texts at their ends ---- */

/* The last of the four features of rows.csv. */
static inline void made_towns(mxb_model *model, const char *const *texts, size_t n_texts) {
    model->dictionaries = make_block(model->n_features, sizeof *model->dictionaries);
    make_sure(mxb__dictionary_fill(&model->dictionaries[3], texts, n_texts, NULL));
}

/* A symmetric tree whose levels and leaves have the largest and smallest doubles. */
static inline struct term made_extreme_tree(void) {
    static const double thresholds[] = {DBL_MAX, -DBL_MAX, 5e-324, -0.0};
    static const double values[] = {DBL_MAX, -DBL_MAX, 5e-324, -0.0, DBL_MIN, 1e-300, -1e300, 1};
    struct term term = {.kind = TERM_SYMMETRIC, .n_outputs = 1, .symmetric = {.depth = 4, .max_depth = 16}};
    make_sure(mxb__symmetric_allocate(&term.symmetric, NULL));
    term.symmetric.gain = DBL_MAX;
    for (uint32_t l = 0; l < 4; l++) {
        term.symmetric.levels[l] = (struct symmetric_level){thresholds[l], l % 3, 0.25f, (uint8_t)(l % 2)};
    }
    for (uint32_t i = 0; i < 16; i++) {
        term.symmetric.values[i] = values[(5 * i + i / 8) % 8];
    }
    return term;
}

/* Scores beyond the doubles, and such as are no number. */
static inline mxb_model *made_extreme(void) {
    static const char *const texts[] = {"", "Oslo", "Rome", "line\nbreak", "\xC3\x85rhus", "\xFF"};
    const struct model_shape shape = {.seed = 24,
                                      .loss = MODEL_MSE,
                                      .n_features = 4,
                                      .named = 1,
                                      .n_trees = 9,
                                      .max_depth = 4,
                                      .n_projections = 2,
                                      .n_components = 11,
                                      .n_fourier = 4,
                                      .scaling = SCALING_UNBOUNDED};
    mxb_model *model = made_at_random(&shape, "mse");
    mxb__free(model->feature_names[1]);
    model->feature_names[1] = make_text("\xFF\n");
    made_towns(model, texts, 6);
    for (int i = 0; i < 3; i++) {
        made_add(model, made_extreme_tree());
    }
    for (uint32_t t = 0; t < model->n_terms; t++) {
        if (model->terms[t].kind == TERM_FOURIER) {
            double *weights = model->terms[t].fourier.weights;
            weights[0] = model->terms[t].fourier.projection == 0 ? DBL_MAX : -DBL_MAX;
            weights[8] = -weights[0];
            model->terms[t].fourier.intercept = DBL_MAX / 4;
        }
    }
    return made_without_curve(model);
}

/* A feature of text of which training met none. */
static inline mxb_model *made_unmet(void) {
    const struct model_shape shape = {
        .seed = 25, .loss = MODEL_LOGLOSS, .n_features = 4, .named = 1, .n_trees = 6, .max_depth = 3};
    mxb_model *model = made_at_random(&shape, "logloss");
    made_towns(model, NULL, 0);
    model->labels[0] = 0;
    model->labels[1] = 1;
    model->label_texts[0] = make_text("<=50K");
    model->label_texts[1] = make_text("\xFF");
    make_sure(mxb__model_build(model, NULL));
    return model;
}

/* ---- A caller's ---- */

static inline mxb_model *made_with_loss(const struct model_shape *shape, int has_link) {
    mxb_model *model = made_at_random(shape, "huber");
    model->loss = MODEL_OWN_LOSS;
    strcpy(model->own_loss.name, "huber");
    strcpy(model->own_loss.metric_name, "mean huber");
    model->has_link = (uint8_t)has_link;
    return model;
}

static inline mxb_model *made_own_loss(void) {
    const struct model_shape shape = {.seed = 26, .loss = MODEL_MSE, .n_features = 2, .n_trees = 5, .max_depth = 3};
    return made_with_loss(&shape, 0);
}

/* With a learner that nobody brings, once with no bytes. */
static inline mxb_model *made_own_stranger(void) {
    const struct model_shape shape = {.seed = 27, .loss = MODEL_MSE, .n_features = 2, .n_trees = 2, .max_depth = 2};
    const mxb_learner learner = {.name = "a stranger"};
    mxb_model *model = made_with_loss(&shape, 1);
    for (uint32_t k = 0; k < 2; k++) {
        struct term term = {.kind = TERM_OWN, .n_outputs = 1};
        make_sure(mxb__own_term_create(&term.own, &learner, model->n_terms + 1, 0.5, NULL));
        make_sure(mxb__own_term_read(&term.own, "\x01\xFEz", k == 0 ? 3 : 0, NULL));
        made_add(model, term);
    }
    return made_without_curve(model);
}

#endif
