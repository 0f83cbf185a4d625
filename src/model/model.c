/* Step 9 of the data's path: the model in memory, from an empty one to a finished one, and what can be asked of it.
 * Knows nothing of files or of how a term was fitted. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/forest.h"
#include "model/waves.h"

mxb_status mxb__model_create(mxb_model **model, mxb_error *error) {
    MXB_TRY(mxb__alloc_zeroed(model, 1, sizeof **model, "a model", error));
    (*model)->n_members = 1;
    return MXB_OK;
}

mxb_status mxb__model_add_term(mxb_model *model, struct term *term, mxb_error *error) {
    if (model->n_terms == model->capacity) {
        uint32_t capacity = model->capacity == 0 ? 16 : 2 * model->capacity;
        MXB_TRY(mxb__grow(&model->terms, model->n_terms, capacity, sizeof *model->terms, "the ensemble", error));
        model->capacity = capacity;
    }
    model->terms[model->n_terms++] = *term;
    return MXB_OK;
}

mxb_status mxb__model_add_projection(mxb_model *model, struct projection *projection, mxb_error *error) {
    uint32_t n = model->n_projections;
    MXB_TRY(mxb__grow(&model->projections, n, (size_t)n + 1, sizeof *model->projections, "a projection", error));
    model->projections[model->n_projections++] = *projection;
    return MXB_OK;
}

/* ---- Derived parts ---- */

static void clear_derived(mxb_model *model) {
    for (uint32_t p = 0; model->collapsed_weights != NULL && p < model->n_projections; p++) {
        mxb__free(model->collapsed_weights[p]);
    }
    mxb__free(model->collapsed_weights);
    mxb__free(model->feature_splits);
    mxb__forest_free(model->forest);
    mxb__waves_free(model->waves);
    model->forest = NULL;
    model->waves = NULL;
    model->collapsed_weights = NULL;
    model->feature_splits = NULL;
    model->collapsed_intercept = 0;
    model->n_components = 0;
    model->n_repairs = 0;
    model->n_own_terms = 0;
}

static mxb_status collapse(mxb_model *model, const struct fourier *fourier, mxb_error *error) {
    uint32_t n_components = model->projections[fourier->projection].n_components;
    double **sum = &model->collapsed_weights[fourier->projection];
    if (*sum == NULL) {
        MXB_TRY(mxb__alloc_zeroed(sum, n_components, sizeof **sum, "collapsed weights", error));
    }
    mxb__fourier_collapse(*sum, fourier, n_components);
    model->n_components = n_components > model->n_components ? n_components : model->n_components;
    model->collapsed_intercept = mxb__bounded(model->collapsed_intercept + fourier->intercept);
    return MXB_OK;
}

static void count_splits(mxb_model *model, const struct tree *tree) {
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        if (tree->nodes[i].split != SPLIT_NONE) {
            model->feature_splits[tree->nodes[i].feature]++;
        }
    }
}

static void count_levels(mxb_model *model, const struct symmetric *tree) {
    for (uint32_t l = 0; l < tree->depth; l++) {
        model->feature_splits[tree->levels[l].feature]++;
    }
}

mxb_status mxb__model_build(mxb_model *model, mxb_error *error) {
    clear_derived(model);
    MXB_TRY(mxb__alloc_zeroed(&model->feature_splits, model->n_features, sizeof *model->feature_splits, "split counts",
                              error));
    MXB_TRY(mxb__alloc_zeroed(&model->collapsed_weights, model->n_projections, sizeof *model->collapsed_weights,
                              "collapsed weights", error));
    for (uint32_t i = 0; i < model->n_terms; i++) {
        const struct term *term = &model->terms[i];
        model->n_repairs += term->repaired;
        if (term->kind == TERM_TREE) {
            count_splits(model, &term->tree);
        } else if (term->kind == TERM_SYMMETRIC) {
            count_levels(model, &term->symmetric);
        } else if (term->kind == TERM_FOURIER) {
            MXB_TRY(collapse(model, &term->fourier, error));
        } else {
            model->n_own_terms++;
        }
    }
    MXB_TRY(mxb__forest_build(model, &model->forest, error));
    return mxb__waves_build(model, &model->waves, error);
}

/* ---- Copy, all but the terms ---- */

static mxb_status copy_texts(char ***to, char *const *from, size_t n, mxb_error *error) {
    if (from == NULL) {
        return MXB_OK;
    }
    MXB_TRY(mxb__alloc_zeroed(to, n, sizeof **to, "names", error));
    for (size_t i = 0; i < n; i++) {
        MXB_TRY(mxb__copy_text(&(*to)[i], from[i], error));
    }
    return MXB_OK;
}

static mxb_status copy_curve(double **to, const double *from, uint32_t n_curve, mxb_error *error) {
    if (from == NULL) {
        return MXB_OK;
    }
    MXB_TRY(mxb__alloc(to, (size_t)n_curve + 1, sizeof **to, "the training curve", error));
    memcpy(*to, from, ((size_t)n_curve + 1) * sizeof **to);
    return MXB_OK;
}

static mxb_status copy_parts(mxb_model *to, const mxb_model *from, mxb_error *error) {
    to->n_members = from->n_members;
    to->n_features = from->n_features;
    to->loss = from->loss;
    memcpy(to->labels, from->labels, sizeof to->labels);
    to->own_loss = from->own_loss;
    to->has_link = from->has_link;
    for (size_t k = 0; k < 2 && from->label_texts[k] != NULL; k++) {
        MXB_TRY(mxb__copy_text(&to->label_texts[k], from->label_texts[k], error));
    }
    to->base_score = from->base_score;
    to->n_options = from->n_options;
    to->n_curve = from->n_curve;
    to->stopped_early = from->stopped_early;
    to->scaling.kind = from->scaling.kind;
    MXB_TRY(copy_texts(&to->feature_names, from->feature_names, from->n_features, error));
    MXB_TRY(mxb__dictionaries_copy(&to->dictionaries, from->dictionaries, from->n_features, error));
    MXB_TRY(copy_texts(&to->option_names, from->option_names, from->n_options, error));
    MXB_TRY(copy_texts(&to->option_values, from->option_values, from->n_options, error));
    MXB_TRY(copy_curve(&to->train_curve, from->train_curve, from->n_curve, error));
    return copy_curve(&to->valid_curve, from->valid_curve, from->n_curve, error);
}

mxb_status mxb__model_copy_empty(const mxb_model *model, mxb_model **copy, mxb_error *error) {
    MXB_TRY(mxb__model_create(copy, error));
    mxb_status status = copy_parts(*copy, model, error);
    if (status != MXB_OK) {
        mxb_model_free(*copy);
        *copy = NULL;
    }
    return status;
}

static void free_texts(char **texts, size_t n) {
    for (size_t i = 0; texts != NULL && i < n; i++) {
        mxb__free(texts[i]);
    }
    mxb__free(texts);
}

void mxb_model_free(mxb_model *model) {
    if (model == NULL) {
        return;
    }
    clear_derived(model);
    free_texts(model->feature_names, model->n_features);
    mxb__dictionaries_free(model->dictionaries, model->n_features);
    mxb__free(model->label_texts[0]);
    mxb__free(model->label_texts[1]);
    free_texts(model->option_names, model->n_options);
    free_texts(model->option_values, model->n_options);
    mxb__scaling_clear(&model->scaling);
    for (uint32_t i = 0; i < model->n_terms; i++) {
        mxb__term_clear(&model->terms[i]);
    }
    mxb__free(model->terms);
    for (uint32_t p = 0; p < model->n_projections; p++) {
        mxb__projection_clear(&model->projections[p]);
    }
    mxb__free(model->projections);
    mxb__free(model->train_curve);
    mxb__free(model->valid_curve);
    mxb__free(model);
}

/* ---- What can be asked ---- */

size_t mxb_model_n_features(const mxb_model *model) { return model == NULL ? 0 : model->n_features; }

const char *mxb_model_feature_name(const mxb_model *model, size_t feature) {
    int known = model != NULL && model->feature_names != NULL && feature < model->n_features;
    return known ? model->feature_names[feature] : NULL;
}

static const struct dictionary *find_dictionary(const mxb_model *model, size_t feature) {
    static const struct dictionary numeric = {0};
    int known = model != NULL && model->dictionaries != NULL && feature < model->n_features;
    return known ? &model->dictionaries[feature] : &numeric;
}

int mxb_model_feature_is_text(const mxb_model *model, size_t feature) {
    return find_dictionary(model, feature)->is_text;
}

size_t mxb_model_feature_n_texts(const mxb_model *model, size_t feature) {
    return find_dictionary(model, feature)->n_texts;
}

const char *mxb_model_feature_text(const mxb_model *model, size_t feature, size_t code) {
    const struct dictionary *dictionary = find_dictionary(model, feature);
    return code < dictionary->n_texts ? dictionary->texts[code] : NULL;
}

const char *mxb_model_label_text(const mxb_model *model, size_t label) {
    return model != NULL && label < 2 ? model->label_texts[label] : NULL;
}

double mxb_model_label(const mxb_model *model, size_t label) {
    int known = model != NULL && model->loss == MODEL_LOGLOSS && label < 2;
    return known ? model->labels[label] : (double)NAN;
}

size_t mxb_model_feature_splits(const mxb_model *model, size_t feature) {
    int known = model != NULL && model->feature_splits != NULL && feature < model->n_features;
    return known ? model->feature_splits[feature] : 0;
}

size_t mxb_model_n_rounds(const mxb_model *model) { return model == NULL ? 0 : model->n_terms / model->n_members; }

size_t mxb_model_n_members(const mxb_model *model) { return model == NULL ? 0 : model->n_members; }

static const struct term *find_term(const mxb_model *model, size_t round, size_t member) {
    int known = round >= 1 && round <= mxb_model_n_rounds(model) && member < mxb_model_n_members(model);
    return known ? &model->terms[(round - 1) * model->n_members + member] : NULL;
}

const char *mxb_model_round_learner(const mxb_model *model, size_t round, size_t member) {
    const struct term *term = find_term(model, round, member);
    return term == NULL ? NULL : mxb__term_name(term);
}

size_t mxb_model_round_depth(const mxb_model *model, size_t round, size_t member) {
    const struct term *term = find_term(model, round, member);
    if (term == NULL) {
        return 0;
    }
    return term->kind == TERM_TREE        ? term->tree.max_depth
           : term->kind == TERM_SYMMETRIC ? term->symmetric.max_depth
                                          : 0;
}

const char *mxb_model_option(const mxb_model *model, const char *name) {
    for (size_t i = 0; model != NULL && name != NULL && i < model->n_options; i++) {
        if (strcmp(model->option_names[i], name) == 0) {
            return model->option_values[i];
        }
    }
    return NULL;
}

const char *mxb_model_metric(const mxb_model *model) {
    if (model != NULL && model->loss == MODEL_OWN_LOSS) {
        return model->own_loss.metric_name;
    }
    return model == NULL ? NULL : model->loss == MODEL_LOGLOSS ? "logloss" : "rmse";
}

size_t mxb_model_n_curve(const mxb_model *model) { return model == NULL ? 0 : model->n_curve; }

double mxb_model_curve(const mxb_model *model, size_t round, int valid) {
    if (model == NULL || round > model->n_curve) {
        return (double)NAN;
    }
    const double *curve = valid ? model->valid_curve : model->train_curve;
    return curve == NULL ? (double)NAN : curve[round];
}

int mxb_model_stopped_early(const mxb_model *model) { return model != NULL && model->stopped_early; }

size_t mxb_model_n_repairs(const mxb_model *model) { return model == NULL ? 0 : model->n_repairs; }
