/* Models made by hand, or at random, for the tests of src/model and the corpus of the fuzzer: valid in every respect,
 * and the same in every run. */
#ifndef MAKE_MODEL_H
#define MAKE_MODEL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/model.h"

struct model_shape {
    uint64_t seed;
    enum model_loss loss;
    uint32_t n_features;
    int named;
    uint32_t n_trees;
    uint32_t n_symmetric; /* rounds */
    uint32_t max_depth;   /* of both */
    uint32_t n_projections;
    uint32_t n_components;
    uint32_t n_fourier; /* rounds, spread over the projections */
    uint32_t n_members; /* 0 is 1 */
    enum scaling_kind scaling;
    int with_valid;
};

static struct random_stream make_stream;
static uint64_t make_index;

/* Uniform on [-2, 2). */
static inline double make_number(void) { return 4 * mxb__random_uniform(make_stream, make_index++) - 2; }

static inline uint32_t make_below(uint32_t n) {
    return (uint32_t)(mxb__random_uniform(make_stream, make_index++) * (double)n);
}

/* A failure to make a model is a bug of the test. */
static inline void make_sure(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "cannot make a model\n");
        exit(1);
    }
}

static inline void *make_block(size_t count, size_t size) {
    void *block;
    make_sure(mxb__alloc_zeroed(&block, count, size, "a test", NULL));
    return block;
}

static inline char *make_text(const char *text) {
    char *copy;
    make_sure(mxb__copy_text(&copy, text, NULL));
    return copy;
}

static inline double make_threshold(void) {
    switch (make_below(12)) {
        case 0:
            return (double)INFINITY;
        case 1:
            return (double)-INFINITY;
        case 2:
            return -0.0;
        default:
            return make_number();
    }
}

/* A random tree, level by level; three of four nodes that may split do. */
static inline struct term make_tree(uint32_t n_features, uint32_t max_depth) {
    struct term term = {.kind = TERM_TREE, .n_outputs = 1};
    struct tree *tree = &term.tree;
    uint32_t level_end = 1, depth = 0;
    tree->max_depth = max_depth;
    tree->n_nodes = 1;
    tree->nodes = make_block(((size_t)2 << max_depth) - 1, sizeof *tree->nodes);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        struct tree_node *node = &tree->nodes[i];
        if (i == level_end) {
            depth++;
            level_end = tree->n_nodes;
        }
        if (depth < max_depth && make_below(4) > 0) {
            node->split = SPLIT_NUMERIC;
            node->value = make_threshold();
            node->feature = make_below(n_features);
            node->missing_left = (uint8_t)make_below(2);
            node->left = tree->n_nodes;
            node->share = 1 / (float)tree->n_nodes;
            tree->n_nodes += 2;
        } else {
            node->value = make_number();
        }
    }
    tree->gain = (double)tree->n_nodes / 4;
    return term;
}

/* A random symmetric tree, of any depth up to the maximal one. */
static inline struct term make_symmetric(uint32_t n_features, uint32_t max_depth) {
    struct term term = {.kind = TERM_SYMMETRIC, .n_outputs = 1};
    struct symmetric *tree = &term.symmetric;
    tree->max_depth = max_depth;
    tree->depth = make_below(max_depth + 1);
    make_sure(mxb__symmetric_allocate(tree, NULL));
    for (uint32_t l = 0; l < tree->depth; l++) {
        tree->levels[l] = (struct symmetric_level){make_threshold(), make_below(n_features), 1 / (float)(l + 1),
                                                   (uint8_t)make_below(2)};
    }
    for (size_t i = 0; i < mxb__symmetric_n_leaves(tree); i++) {
        tree->values[i] = make_number();
    }
    tree->gain = (double)tree->depth / 2;
    return term;
}

static inline struct term make_fourier(uint32_t projection, uint32_t n_components) {
    struct term term = {.kind = TERM_FOURIER, .n_outputs = 1};
    term.fourier.projection = projection;
    term.repaired = (uint8_t)make_below(2);
    term.fourier.intercept = make_number();
    term.fourier.gain = fabs(term.fourier.intercept);
    term.fourier.weights = make_block(n_components, sizeof *term.fourier.weights);
    for (uint32_t j = 0; j < n_components; j++) {
        term.fourier.weights[j] = make_number();
    }
    return term;
}

static inline struct projection make_projection(uint32_t n_features, uint32_t n_components) {
    struct projection projection = {.n_components = n_components, .n_features = n_features};
    projection.weights = make_block((size_t)n_features * n_components, sizeof(float));
    projection.phases = make_block(n_components, sizeof(float));
    for (size_t i = 0; i < (size_t)n_features * n_components; i++) {
        projection.weights[i] = mxb__factor(make_number());
    }
    for (uint32_t j = 0; j < n_components; j++) {
        projection.phases[j] = (float)(make_number() / 4 + 0.5);
    }
    return projection;
}

static inline void make_scaling(struct scaling *scaling, enum scaling_kind kind, uint32_t n_features) {
    scaling->kind = kind;
    scaling->n_features = n_features;
    scaling->features = make_block(n_features, sizeof *scaling->features);
    for (uint32_t f = 0; f < n_features; f++) {
        struct scaling_feature *feature = &scaling->features[f];
        feature->missing = (float)make_number();
        if (kind != SCALING_RANK) {
            feature->center = make_number();
            feature->factor = kind == SCALING_NONE ? 1 : fabs(make_number());
            continue;
        }
        feature->n_knots = 1 + make_below(5);
        feature->knots = make_block(feature->n_knots, sizeof(double));
        feature->knot_scores = make_block(feature->n_knots, sizeof(float));
        for (uint32_t i = 0; i < feature->n_knots; i++) {
            feature->knots[i] = (double)i + make_number() / 8;
            feature->knot_scores[i] = (float)(i / 2);
        }
    }
}

static inline void make_options(mxb_model *model) {
    static const char *const texts[][2] = {{"num_round", "3"}, {"learning_rate", "0.1"}, {"objective", "m\xC3\xA9"}};
    model->n_options = 3;
    model->option_names = make_block(3, sizeof(char *));
    model->option_values = make_block(3, sizeof(char *));
    for (size_t i = 0; i < 3; i++) {
        model->option_names[i] = make_text(texts[i][0]);
        model->option_values[i] = make_text(texts[i][1]);
    }
}

static inline double *make_curve(uint32_t n_curve) {
    double *curve = make_block((size_t)n_curve + 1, sizeof *curve);
    for (uint32_t i = 0; i <= n_curve; i++) {
        curve[i] = fabs(make_number());
    }
    return curve;
}

static inline void make_names(mxb_model *model) {
    model->feature_names = make_block(model->n_features, sizeof(char *));
    for (uint32_t f = 0; f < model->n_features; f++) {
        char name[32];
        snprintf(name, sizeof name, "feature %u", (unsigned)f);
        model->feature_names[f] = make_text(name);
    }
}

/* Trees first, every third round a fourier one and of the others every second a symmetric tree, as long as there are
 * any. */
static inline void make_rounds(mxb_model *model, const struct model_shape *shape) {
    uint32_t n_trees = shape->n_trees, n_symmetric = shape->n_symmetric;
    uint32_t n_fourier = shape->n_projections > 0 ? shape->n_fourier : 0;
    while (n_trees + n_symmetric + n_fourier > 0) {
        int fourier = n_fourier > 0 && (n_trees + n_symmetric == 0 || model->n_terms % 3 == 2);
        int symmetric = n_symmetric > 0 && (n_trees == 0 || model->n_terms % 2 == 1);
        struct term term;
        if (fourier) {
            n_fourier--;
            term = make_fourier(n_fourier % shape->n_projections, shape->n_components);
        } else if (symmetric) {
            n_symmetric--;
            term = make_symmetric(shape->n_features, shape->max_depth);
        } else {
            n_trees--;
            term = make_tree(shape->n_features, shape->max_depth);
        }
        make_sure(mxb__model_add_term(model, &term, NULL));
    }
}

/** A random model of the given shape, built. */
static inline mxb_model *make_model(const struct model_shape *shape) {
    mxb_model *model;
    make_stream = mxb__random_stream(shape->seed, RANDOM_ROWS, 0);
    make_index = 0;
    make_sure(mxb__model_create(&model, NULL));
    model->n_features = shape->n_features;
    model->loss = shape->loss;
    if (shape->loss == MODEL_LOGLOSS) {
        model->labels[0] = -1;
        model->labels[1] = 3;
    }
    model->base_score = make_number();
    if (shape->named) {
        make_names(model);
    }
    make_options(model);
    if (shape->n_projections > 0) {
        make_scaling(&model->scaling, shape->scaling, shape->n_features);
    }
    for (uint32_t p = 0; p < shape->n_projections; p++) {
        struct projection projection = make_projection(shape->n_features, shape->n_components);
        make_sure(mxb__model_add_projection(model, &projection, NULL));
    }
    make_rounds(model, shape);
    model->n_members = shape->n_members > 0 ? shape->n_members : 1;
    model->n_curve = model->n_terms / model->n_members + 1;
    model->train_curve = make_curve(model->n_curve);
    if (shape->with_valid) {
        model->valid_curve = make_curve(model->n_curve);
        model->stopped_early = 1;
    }
    make_sure(mxb__model_build(model, NULL));
    return model;
}

/* The shapes that most tests go through. */
static const struct model_shape MAKE_SHAPES[] = {
    {.seed = 1, .loss = MODEL_MSE, .n_features = 1}, /* a constant */
    {.seed = 2, .loss = MODEL_MSE, .n_features = 3, .n_trees = 4, .max_depth = 3},
    {.seed = 3, .loss = MODEL_LOGLOSS, .n_features = 5, .named = 1, .n_trees = 6, .max_depth = 4, .with_valid = 1},
    {.seed = 4, .loss = MODEL_MSE, .n_features = 2, .n_projections = 1, .n_components = 5, .n_fourier = 2},
    {.seed = 5,
     .loss = MODEL_LOGLOSS,
     .n_features = 4,
     .named = 1,
     .n_trees = 4,
     .max_depth = 2,
     .n_projections = 1,
     .n_components = 8,
     .n_fourier = 3,
     .scaling = SCALING_STANDARD,
     .with_valid = 1},
    {.seed = 8,
     .loss = MODEL_MSE,
     .n_features = 3,
     .n_trees = 5,
     .max_depth = 5,
     .n_projections = 3,
     .n_components = 4,
     .n_fourier = 2,
     .scaling = SCALING_RANK},
    {.seed = 9,
     .loss = MODEL_LOGLOSS,
     .n_features = 3,
     .n_trees = 11,
     .max_depth = 4,
     .n_projections = 2,
     .n_components = 6,
     .n_fourier = 5,
     .n_members = 2, /* each with a projection of its own */
     .scaling = SCALING_RANK},
    {.seed = 10,
     .loss = MODEL_LOGLOSS,
     .n_features = 4,
     .n_trees = 5,
     .n_symmetric = 7,
     .max_depth = 4,
     .n_projections = 1,
     .n_components = 3,
     .n_fourier = 2,
     .with_valid = 1},
};
enum { MAKE_N_SHAPES = sizeof MAKE_SHAPES / sizeof MAKE_SHAPES[0] };

/** A copy of the first n_rounds rounds, not built; its members are taken apart and joined again. */
static inline mxb_status make_cut(const mxb_model *model, uint32_t n_rounds, mxb_model **cut, mxb_error *error) {
    mxb_model *members[16] = {NULL}; /* no shape has more */
    mxb_status status = mxb__model_copy_empty(model, cut, error);
    for (uint32_t m = 0; m < model->n_members && status == MXB_OK; m++) {
        status = mxb__model_create(&members[m], error);
        if (status == MXB_OK) {
            status = mxb__members_part(members[m], model, m, error);
        }
        if (status == MXB_OK && m == 0) {
            status = mxb__scaling_copy(&members[0]->scaling, &model->scaling, error);
        }
    }
    if (status == MXB_OK) {
        status = mxb__members_join(*cut, (const mxb_model *const *)members, n_rounds, error);
    }
    for (uint32_t m = 0; m < model->n_members; m++) {
        mxb_model_free(members[m]);
    }
    if (status != MXB_OK) {
        mxb_model_free(*cut);
        *cut = NULL;
    }
    return status;
}

/** A random model with a caller's loss and two last rounds of a caller's learner that is not here, whose bytes are
 * kept.
 */
static inline mxb_model *make_own_model(const struct model_shape *shape) {
    mxb_model *model = make_model(shape);
    mxb_learner learner = {.name = "line"};
    model->loss = MODEL_OWN_LOSS;
    memcpy(model->own_loss.name, "huber", 6);
    memcpy(model->own_loss.metric_name, "mean huber", 11);
    model->has_link = 1;
    for (uint32_t k = 0; k < 2 * model->n_members; k++) {
        struct term term = {.kind = TERM_OWN, .n_outputs = 1};
        make_sure(mxb__own_term_create(&term.own, &learner, model->n_terms / model->n_members + 1, 0.5, NULL));
        make_sure(mxb__own_term_read(&term.own, "\x01\xFEz", k == 0 ? 3 : 0, NULL));
        make_sure(mxb__model_add_term(model, &term, NULL));
    }
    model->n_curve = model->n_terms / model->n_members + 1;
    for (int valid = 0; valid < 2; valid++) {
        double **curve = valid ? &model->valid_curve : &model->train_curve;
        if (*curve != NULL) {
            mxb__free(*curve);
            *curve = make_curve(model->n_curve);
        }
    }
    make_sure(mxb__model_build(model, NULL));
    return model;
}

/** A model with text: the second and the last feature hold some, the last one none that was met, and so do the labels.
 */
static inline mxb_model *make_text_model(void) {
    static const char *const texts[] = {"", "10", "9", "new\nline", "\xC3\xA9", "\xFF"};
    struct model_shape shape = {
        .seed = 7, .loss = MODEL_LOGLOSS, .n_features = 4, .named = 1, .n_trees = 5, .max_depth = 3, .with_valid = 1};
    mxb_model *model = make_model(&shape);
    model->dictionaries = make_block(4, sizeof *model->dictionaries);
    make_sure(mxb__dictionary_fill(&model->dictionaries[1], texts, 6, NULL));
    make_sure(mxb__dictionary_fill(&model->dictionaries[3], texts, 0, NULL));
    model->labels[0] = 0;
    model->labels[1] = 1;
    model->label_texts[0] = make_text("<=50K");
    model->label_texts[1] = make_text(">50K");
    return model;
}

/** A model small enough to know each byte of its file: two features, a tree of one split, a fourier round. */
static inline mxb_model *make_small_model(void) {
    mxb_model *model;
    struct term tree = {.kind = TERM_TREE, .n_outputs = 1}, fourier = {.kind = TERM_FOURIER, .n_outputs = 1};
    struct projection projection = {.n_components = 2, .n_features = 2};
    make_sure(mxb__model_create(&model, NULL));
    model->n_features = 2;
    model->feature_names = make_block(2, sizeof(char *));
    model->feature_names[0] = make_text("a");
    model->feature_names[1] = make_text("bc");
    model->loss = MODEL_LOGLOSS;
    model->labels[1] = 1;
    model->base_score = 0.5;
    model->n_options = 1;
    model->option_names = make_block(1, sizeof(char *));
    model->option_values = make_block(1, sizeof(char *));
    model->option_names[0] = make_text("gamma");
    model->option_values[0] = make_text("2.5");
    model->scaling.kind = SCALING_RANK;
    model->scaling.n_features = 2;
    model->scaling.features = make_block(2, sizeof *model->scaling.features);
    for (uint32_t f = 0; f < 2; f++) {
        struct scaling_feature *feature = &model->scaling.features[f];
        feature->n_knots = 2 - f; /* feature 1 is a constant */
        feature->knots = make_block(2, sizeof(double));
        feature->knot_scores = make_block(2, sizeof(float));
        feature->knots[1] = 1;
        feature->knot_scores[0] = -1;
        feature->knot_scores[1] = 1;
    }
    projection.weights = make_block(4, sizeof(float));
    projection.phases = make_block(2, sizeof(float));
    projection.weights[3] = 0.25f;
    projection.phases[1] = 0.5f;
    make_sure(mxb__model_add_projection(model, &projection, NULL));
    tree.tree = (struct tree){.n_nodes = 3, .max_depth = 1, .nodes = make_block(3, sizeof(struct tree_node))};
    tree.tree.nodes[0] =
        (struct tree_node){.value = 1.5, .feature = 1, .left = 1, .share = 1, .split = 1, .missing_left = 1};
    tree.tree.gain = 8;
    tree.tree.nodes[1].value = -2;
    tree.tree.nodes[2].value = 2;
    make_sure(mxb__model_add_term(model, &tree, NULL));
    fourier.repaired = 1;
    fourier.fourier.gain = 0.5;
    fourier.fourier.intercept = 0.125;
    fourier.fourier.weights = make_block(2, sizeof(double));
    fourier.fourier.weights[0] = 4;
    make_sure(mxb__model_add_term(model, &fourier, NULL));
    model->n_curve = 2;
    model->train_curve = make_block(3, sizeof(double));
    model->valid_curve = make_block(3, sizeof(double));
    model->train_curve[0] = 0.75;
    make_sure(mxb__model_build(model, NULL));
    return model;
}

#endif
