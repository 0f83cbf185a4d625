/* Step 9 of the data's path: what each section of a model file holds, written. Every model has exactly one form, so
 * equal models give equal bytes. Knows nothing of headers and checksums. */
#include <string.h>

#include "base/memory.h"
#include "model/model_format.h"

static void put_text(struct byte_writer *out, const char *text) {
    size_t n_bytes = strlen(text);
    mxb__put_u32(out, (uint32_t)n_bytes);
    mxb__put_bytes(out, text, n_bytes);
}

static void put_f32s(struct byte_writer *out, const float *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        mxb__put_f32(out, values[i]);
    }
}

static void put_f64s(struct byte_writer *out, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        mxb__put_f64(out, values[i]);
    }
}

static void put_dictionary(struct byte_writer *out, const struct dictionary *dictionary) {
    mxb__put_u32(out, dictionary->n_texts);
    for (uint32_t i = 0; i < dictionary->n_texts; i++) {
        put_text(out, dictionary->texts[i]);
    }
}

static void put_labels(const mxb_model *model, struct byte_writer *out) {
    if (model->label_texts[0] == NULL) {
        mxb__put_u8(out, LABELS_NUMERIC);
        put_f64s(out, model->labels, 2);
        return;
    }
    mxb__put_u8(out, LABELS_TEXT);
    put_text(out, model->label_texts[0]);
    put_text(out, model->label_texts[1]);
}

static void encode_meta(const mxb_model *model, struct byte_writer *out) {
    mxb__put_u8(out, (uint8_t)model->loss);
    if (model->loss == MODEL_LOGLOSS) {
        put_labels(model, out);
    }
    if (model->loss == MODEL_OWN_LOSS) {
        put_text(out, model->own_loss.name);
        put_text(out, model->own_loss.metric_name);
        mxb__put_u8(out, model->has_link);
    }
    mxb__put_f64(out, model->base_score);
    mxb__put_u32(out, model->n_members);
    mxb__put_u32(out, model->n_features);
    mxb__put_u8(out, model->feature_names != NULL);
    for (uint32_t f = 0; f < model->n_features; f++) {
        int is_text = mxb_model_feature_is_text(model, f);
        mxb__put_u8(out, is_text ? FEATURE_TEXT : FEATURE_NUMERIC);
        if (model->feature_names != NULL) {
            put_text(out, model->feature_names[f]);
        }
        if (is_text) {
            put_dictionary(out, &model->dictionaries[f]);
        }
    }
}

static void encode_options(const mxb_model *model, struct byte_writer *out) {
    mxb__put_u32(out, (uint32_t)model->n_options);
    for (size_t i = 0; i < model->n_options; i++) {
        put_text(out, model->option_names[i]);
        put_text(out, model->option_values[i]);
    }
}

static void encode_scaling(const mxb_model *model, struct byte_writer *out) {
    const struct scaling *scaling = &model->scaling;
    uint32_t n_features = scaling->features == NULL ? 0 : scaling->n_features;
    mxb__put_u8(out, (uint8_t)scaling->kind);
    mxb__put_u32(out, n_features);
    for (uint32_t f = 0; f < n_features; f++) {
        const struct scaling_feature *feature = &scaling->features[f];
        mxb__put_f32(out, feature->missing);
        if (scaling->kind == SCALING_RANK) {
            mxb__put_u32(out, feature->n_knots);
            put_f64s(out, feature->knots, feature->n_knots);
            put_f32s(out, feature->knot_scores, feature->n_knots);
        } else {
            mxb__put_f64(out, feature->center);
            mxb__put_f64(out, feature->factor);
        }
    }
}

static void encode_projections(const mxb_model *model, struct byte_writer *out) {
    mxb__put_u32(out, model->n_projections);
    for (uint32_t p = 0; p < model->n_projections; p++) {
        const struct projection *projection = &model->projections[p];
        mxb__put_u32(out, projection->n_components);
        put_f32s(out, projection->weights, (size_t)projection->n_features * projection->n_components);
        put_f32s(out, projection->phases, projection->n_components);
    }
}

static void encode_tree(const struct tree *tree, struct byte_writer *out) {
    mxb__put_u32(out, tree->max_depth);
    mxb__put_u32(out, tree->n_nodes);
    mxb__put_f64(out, tree->gain);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct tree_node *node = &tree->nodes[i];
        mxb__put_u8(out, node->split);
        mxb__put_f64(out, node->value);
        if (node->split != SPLIT_NONE) { /* children follow from the order of the nodes */
            mxb__put_u32(out, node->feature);
            mxb__put_u8(out, node->missing_left);
            mxb__put_f32(out, node->share);
        }
    }
}

static void encode_symmetric(const struct symmetric *tree, struct byte_writer *out) {
    mxb__put_u32(out, tree->max_depth);
    mxb__put_u32(out, tree->depth);
    mxb__put_f64(out, tree->gain);
    for (uint32_t l = 0; l < tree->depth; l++) {
        const struct symmetric_level *level = &tree->levels[l];
        mxb__put_f64(out, level->threshold);
        mxb__put_u32(out, level->feature);
        mxb__put_u8(out, level->missing_left);
        mxb__put_f32(out, level->share);
    }
    put_f64s(out, tree->values, mxb__symmetric_n_leaves(tree));
}

static void encode_own_term(const struct own_term *own, struct byte_writer *out) {
    char *bytes = NULL;
    uint32_t n_bytes = 0;
    if (out->status == MXB_OK) {
        out->status = mxb__own_term_write(own, &bytes, &n_bytes, out->error);
    }
    put_text(out, own->box->learner.name);
    mxb__put_f64(out, own->rate);
    mxb__put_u32(out, n_bytes);
    mxb__put_bytes(out, bytes, n_bytes);
    mxb__free(bytes);
}

static void encode_terms(const mxb_model *model, struct byte_writer *out) {
    mxb__put_u32(out, model->n_terms);
    for (uint32_t i = 0; i < model->n_terms; i++) {
        const struct term *term = &model->terms[i];
        mxb__put_u8(out, (uint8_t)term->kind);
        mxb__put_u32(out, term->first_output);
        mxb__put_u32(out, term->n_outputs);
        if (term->kind == TERM_TREE) {
            encode_tree(&term->tree, out);
        } else if (term->kind == TERM_SYMMETRIC) {
            encode_symmetric(&term->symmetric, out);
        } else if (term->kind == TERM_OWN) {
            encode_own_term(&term->own, out);
        } else {
            mxb__put_u32(out, term->fourier.projection);
            mxb__put_u8(out, term->repaired);
            mxb__put_f64(out, term->fourier.gain);
            mxb__put_f64(out, term->fourier.intercept);
            put_f64s(out, term->fourier.weights, model->projections[term->fourier.projection].n_components);
        }
    }
}

static void encode_curve(const mxb_model *model, struct byte_writer *out) {
    size_t n_values = model->train_curve == NULL ? 0 : (size_t)model->n_curve + 1;
    mxb__put_u8(out, model->stopped_early);
    mxb__put_u32(out, (uint32_t)n_values);
    mxb__put_u8(out, model->valid_curve != NULL);
    put_f64s(out, model->train_curve, n_values);
    if (model->valid_curve != NULL) {
        put_f64s(out, model->valid_curve, n_values);
    }
}

static int is_listed(const struct term *term) { return term->repaired && !mxb__tells_repairs(term); }

static uint32_t count_listed(const mxb_model *model) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < model->n_terms; i++) {
        n += (uint32_t)is_listed(&model->terms[i]);
    }
    return n;
}

static void encode_repairs(const mxb_model *model, struct byte_writer *out) {
    mxb__put_u32(out, count_listed(model));
    for (uint32_t i = 0; i < model->n_terms; i++) {
        if (is_listed(&model->terms[i])) {
            mxb__put_u32(out, i);
        }
    }
}

uint32_t mxb__model_n_sections(const mxb_model *model) {
    return count_listed(model) > 0 ? MXB__N_SECTIONS : MXB__N_NEEDED_SECTIONS;
}

void mxb__section_encode(const mxb_model *model, enum section_id id, struct byte_writer *out) {
    static void (*const encoders[])(const mxb_model *, struct byte_writer *) = {
        [SECTION_META] = encode_meta,       [SECTION_OPTIONS] = encode_options,
        [SECTION_SCALING] = encode_scaling, [SECTION_PROJECTIONS] = encode_projections,
        [SECTION_TERMS] = encode_terms,     [SECTION_CURVE] = encode_curve,
        [SECTION_REPAIRS] = encode_repairs,
    };
    encoders[id](model, out);
}
