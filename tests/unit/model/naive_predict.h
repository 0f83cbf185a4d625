/* Predictions the slow way, rows to predict, and models with rounds of a caller's learner among the others: for the
 * tests of prediction. */
#ifndef NAIVE_PREDICT_H
#define NAIVE_PREDICT_H

#include <float.h>

#include "data/dataset.h"
#include "unit/boost/make_own.h"
#include "unit/model/make_model.h"

/* ---- The oracle: a recursive walk and plain cosines, a row at a time, round by round ---- */

static inline double walk(const struct tree *tree, uint32_t at, const double *row) {
    const struct tree_node *node = &tree->nodes[at];
    if (node->split == SPLIT_NONE) {
        return node->value;
    }
    int left = isnan(row[node->feature]) ? node->missing_left : row[node->feature] <= node->value;
    return walk(tree, left ? node->left : node->left + 1, row);
}

/* Down a tree that is not there: below node k are 2k + 1 and 2k + 2. */
static inline double walk_levels(const struct symmetric *tree, const double *row) {
    size_t at = 0;
    for (uint32_t l = 0; l < tree->depth; l++) {
        const struct symmetric_level *level = &tree->levels[l];
        double x = row[level->feature];
        int left = isnan(x) ? level->missing_left : x <= level->threshold;
        at = left ? 2 * at + 1 : 2 * at + 2;
    }
    return tree->values[at - (mxb__symmetric_n_leaves(tree) - 1)];
}

static inline double project(const mxb_model *model, const struct fourier *fourier, const double *row) {
    const struct projection *projection = &model->projections[fourier->projection];
    double sum = fourier->intercept;
    for (uint32_t j = 0; j < projection->n_components; j++) {
        double turns = (double)projection->phases[j];
        for (uint32_t f = 0; f < model->n_features; f++) {
            float input = mxb__scale_value(model->scaling.kind, &model->scaling.features[f], row[f]);
            turns += (double)input * (double)projection->weights[f * projection->n_components + j];
        }
        turns = fabs(turns) < 0x1p22 ? turns - floor(turns) : 0; /* floats have no turns beyond */
        sum += fourier->weights[j] * sqrt(2.0 / projection->n_components) * cos(8 * atan(1) * turns);
    }
    return sum;
}

static inline double term_value(const mxb_model *model, const struct term *term, const double *row) {
    return term->kind == TERM_TREE        ? walk(&term->tree, 0, row)
           : term->kind == TERM_SYMMETRIC ? walk_levels(&term->symmetric, row)
                                          : project(model, &term->fourier, row);
}

static inline double raw_score(const mxb_model *model, const double *row) {
    double sum = model->n_members * model->base_score;
    for (uint32_t i = 0; i < model->n_terms; i++) {
        sum += term_value(model, &model->terms[i], row);
    }
    return sum / model->n_members;
}

/* ---- Data ---- */

/* Mostly ordinary numbers; one in eight is missing or infinite. */
static inline double *make_rows(size_t n_rows, uint32_t n_features) {
    static const double special[] = {NAN, NAN, INFINITY, -INFINITY, DBL_MAX, -0.0};
    double *rows = malloc(n_rows * n_features * sizeof *rows);
    make_stream = mxb__random_stream(99, RANDOM_ROWS, n_features);
    for (size_t i = 0; i < n_rows * n_features; i++) {
        rows[i] = make_below(8) == 0 ? special[make_below(6)] : make_number();
    }
    return rows;
}

static inline mxb_dataset *make_dataset(const double *rows, size_t n_rows, uint32_t n_features) {
    mxb_dataset *dataset;
    make_sure(mxb_dataset_create(n_rows, &dataset, NULL));
    ptrdiff_t stride = (ptrdiff_t)(n_features * sizeof *rows);
    make_sure(mxb_dataset_add_matrix(dataset, rows, MXB_FLOAT64, n_features, stride, sizeof *rows, NULL));
    return dataset;
}

static inline int same_bits(const double *one, const double *other, size_t n) {
    return memcmp(one, other, n * sizeof *one) == 0;
}

/* ---- Models with rounds of a caller's learner ---- */

/* Puts three rounds of lines of the first feature among the others, one of them first. */
static inline void make_line_rounds(mxb_model *model, struct line_learner *lines) {
    mxb_learner *learner = line_learner_make(lines, "line", 0);
    for (uint32_t k = 0; k < 3 * model->n_members; k++) {
        uint32_t round = 2 * (k / model->n_members) + 1;
        struct term term = {.kind = TERM_OWN, .n_outputs = 1};
        struct line *line = malloc(sizeof *line);
        *line = (struct line){make_number(), make_number()};
        make_sure(mxb__own_term_create(&term.own, learner, round, 0.3, NULL));
        term.own.box->term = line;
        term.own.box->has_term = 1;
        lines->n_live++;
        make_sure(mxb__model_add_term(model, &term, NULL));
        uint32_t to = (round - 1) * model->n_members + k % model->n_members;
        to = to < model->n_terms ? to : model->n_terms - 1;
        memmove(model->terms + to + 1, model->terms + to, (model->n_terms - 1 - to) * sizeof term);
        model->terms[to] = term;
    }
    mxb_learner_free(learner);
    make_sure(mxb__model_build(model, NULL));
}

static inline double link_cube(void *context, double score) {
    (void)context;
    return score * score * score;
}

/* Gives the model a loss with a link. */
static inline void make_own_link(mxb_model *model, mxb_loss_link_fn link) {
    model->loss = MODEL_OWN_LOSS;
    memcpy(model->own_loss.name, "cubic", 6);
    model->own_loss.link = link;
    model->has_link = 1;
}

#endif
