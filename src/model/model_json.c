/* Step 9 of the data's path: the whole model as JSON, for other programs. Numbers read back as the same doubles; JSON
 * has no infinities, so these are the texts "inf" and "-inf". Bytes that are not UTF-8 become U+FFFD. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "model/model_format.h"
#include "model/utf8.h"

static void put_text(struct byte_writer *out, const char *text) { mxb__put_bytes(out, text, strlen(text)); }

static void put_number(struct byte_writer *out, double number) {
    char text[MXB__NUMBER_SIZE];
    mxb__number_format(number, text);
    if (isinf(number)) {
        put_text(out, number > 0 ? "\"inf\"" : "\"-inf\"");
    } else {
        put_text(out, isnan(number) ? "null" : text);
    }
}

static void put_count(struct byte_writer *out, uint64_t count) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, count);
    put_text(out, text);
}

static void put_string(struct byte_writer *out, const char *text) {
    size_t n_bytes = strlen(text);
    put_text(out, "\"");
    for (size_t i = 0; i < n_bytes;) {
        size_t length = mxb__utf8_length(text + i, n_bytes - i);
        unsigned char byte = (unsigned char)text[i];
        char escaped[8];
        if (length == 0) {
            put_text(out, "\\ufffd");
        } else if (byte < 0x20) {
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)byte);
            put_text(out, escaped);
        } else {
            put_text(out, byte == '"' || byte == '\\' ? "\\" : "");
            mxb__put_bytes(out, text + i, length);
        }
        i += length == 0 ? 1 : length;
    }
    put_text(out, "\"");
}

/* `"name": `, after a comma unless it is the first of its object. */
static void put_key(struct byte_writer *out, const char *separator, const char *name) {
    put_text(out, separator);
    put_text(out, "\"");
    put_text(out, name);
    put_text(out, "\": ");
}

static void put_doubles(struct byte_writer *out, const double *values, size_t n) {
    put_text(out, "[");
    for (size_t i = 0; i < n; i++) {
        put_text(out, i == 0 ? "" : ", ");
        put_number(out, values[i]);
    }
    put_text(out, "]");
}

static void put_floats(struct byte_writer *out, const float *values, size_t n) {
    put_text(out, "[");
    for (size_t i = 0; i < n; i++) {
        put_text(out, i == 0 ? "" : ", ");
        put_number(out, (double)values[i]);
    }
    put_text(out, "]");
}

static void put_strings(struct byte_writer *out, char *const *texts, size_t n) {
    put_text(out, "[");
    for (size_t i = 0; i < n; i++) {
        put_text(out, i == 0 ? "" : ", ");
        put_string(out, texts[i]);
    }
    put_text(out, "]");
}

/* The classes whose gains have features, and what these are called. */
static const struct {
    mxb_importance part;
    const char *name;
} GAINS[] = {{MXB_IMPORTANCE_TREE, "tree_gain"},
             {MXB_IMPORTANCE_SYMMETRIC, "symmetric_gain"},
             {MXB_IMPORTANCE_FOURIER, "fourier_gain"}};
enum { N_GAINS = sizeof GAINS / sizeof *GAINS };

/* What the rounds of each class gained by each feature, [N_GAINS][n_features], the caller's to free. NULL after a
 * failure, which sticks to `out`. */
static double *find_gains(struct byte_writer *out, const mxb_model *model) {
    double *gains = NULL;
    if (out->status == MXB_OK) {
        out->status = mxb__alloc(&gains, N_GAINS * (size_t)model->n_features, sizeof *gains, "importances", out->error);
    }
    for (size_t k = 0; k < N_GAINS && out->status == MXB_OK; k++) {
        out->status = mxb_model_importance(model, GAINS[k].part, gains + k * model->n_features, out->error);
    }
    return gains;
}

static void put_features(struct byte_writer *out, const mxb_model *model) {
    double *gains = find_gains(out, model);
    put_key(out, ",\n", "features");
    for (uint32_t f = 0; out->status == MXB_OK && f < model->n_features; f++) {
        put_key(out, f == 0 ? "[\n  {" : ",\n  {", "name");
        if (model->feature_names == NULL) {
            put_text(out, "null");
        } else {
            put_string(out, model->feature_names[f]);
        }
        put_key(out, ", ", "splits");
        put_count(out, mxb_model_feature_splits(model, f));
        for (size_t k = 0; k < N_GAINS; k++) {
            put_key(out, ", ", GAINS[k].name);
            put_number(out, gains[k * model->n_features + f]);
        }
        if (mxb_model_feature_is_text(model, f)) {
            put_key(out, ", ", "texts");
            put_strings(out, model->dictionaries[f].texts, model->dictionaries[f].n_texts);
        }
        put_text(out, "}");
    }
    put_text(out, "]");
    mxb__free(gains);
}

static void put_options(struct byte_writer *out, const mxb_model *model) {
    put_key(out, ",\n", "options");
    put_text(out, "{");
    for (size_t i = 0; i < model->n_options; i++) {
        put_text(out, i == 0 ? "\n  " : ",\n  ");
        put_string(out, model->option_names[i]);
        put_text(out, ": ");
        put_string(out, model->option_values[i]);
    }
    put_text(out, "}");
}

static void put_scaling(struct byte_writer *out, const struct scaling *scaling) {
    static const char *const kinds[] = {"none", "unbounded", "rank", "standard"};
    put_key(out, ",\n", "scaling");
    if (scaling->features == NULL) {
        put_text(out, "null");
        return;
    }
    put_key(out, "{", "kind");
    put_string(out, kinds[scaling->kind]);
    put_key(out, ", ", "features");
    for (uint32_t f = 0; f < scaling->n_features; f++) {
        const struct scaling_feature *feature = &scaling->features[f];
        put_key(out, f == 0 ? "[\n  {" : ",\n  {", "missing");
        put_number(out, (double)feature->missing);
        if (scaling->kind == SCALING_RANK) {
            put_key(out, ", ", "knots");
            put_doubles(out, feature->knots, feature->n_knots);
            put_key(out, ", ", "scores");
            put_floats(out, feature->knot_scores, feature->n_knots);
        } else {
            put_key(out, ", ", "center");
            put_number(out, feature->center);
            put_key(out, ", ", "factor");
            put_number(out, feature->factor);
        }
        put_text(out, "}");
    }
    put_text(out, "]}");
}

static void put_projections(struct byte_writer *out, const mxb_model *model) {
    put_key(out, ",\n", "projections");
    put_text(out, "[");
    for (uint32_t p = 0; p < model->n_projections; p++) {
        const struct projection *projection = &model->projections[p];
        put_key(out, p == 0 ? "\n  {" : ",\n  {", "n_components");
        put_count(out, projection->n_components);
        put_key(out, ", ", "phases");
        put_floats(out, projection->phases, projection->n_components);
        put_key(out, ",\n   ", "weights");
        for (uint32_t f = 0; f < projection->n_features; f++) {
            put_text(out, f == 0 ? "[" : ",\n    ");
            put_floats(out, projection->weights + (size_t)f * projection->n_components, projection->n_components);
        }
        put_text(out, "]}");
    }
    put_text(out, "]");
}

/* The part of a split's object that both kinds of trees have. */
static void put_split(struct byte_writer *out, uint32_t feature, double threshold, int missing_left, double gain) {
    put_key(out, "{", "feature");
    put_count(out, feature);
    put_key(out, ", ", "threshold");
    put_number(out, threshold);
    put_key(out, ", ", "missing");
    put_string(out, missing_left ? "left" : "right");
    put_key(out, ", ", "gain");
    put_number(out, gain);
}

static void put_node(struct byte_writer *out, const struct tree *tree, const struct tree_node *node) {
    if (node->split == SPLIT_NONE) {
        put_key(out, "{", "value");
        put_number(out, node->value);
    } else {
        put_split(out, node->feature, node->value, node->missing_left, tree->gain * (double)node->share);
        put_key(out, ", ", "left");
        put_count(out, node->left);
        put_key(out, ", ", "right");
        put_count(out, (uint64_t)node->left + 1);
    }
    put_text(out, "}");
}

static void put_shape(struct byte_writer *out, uint32_t max_depth, double gain) {
    put_key(out, ", ", "max_depth");
    put_count(out, max_depth);
    put_key(out, ", ", "gain");
    put_number(out, gain);
}

static void put_tree(struct byte_writer *out, const struct tree *tree) {
    put_shape(out, tree->max_depth, tree->gain);
    put_key(out, ", ", "nodes");
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        put_text(out, i == 0 ? "[" : ",\n    ");
        put_node(out, tree, &tree->nodes[i]);
    }
    put_text(out, "]}");
}

static void put_symmetric(struct byte_writer *out, const struct symmetric *tree) {
    put_shape(out, tree->max_depth, tree->gain);
    put_key(out, ", ", "levels");
    put_text(out, "[");
    for (uint32_t l = 0; l < tree->depth; l++) {
        const struct symmetric_level *level = &tree->levels[l];
        put_text(out, l == 0 ? "" : ",\n    ");
        put_split(out, level->feature, level->threshold, level->missing_left, tree->gain * (double)level->share);
        put_text(out, "}");
    }
    put_text(out, "]");
    put_key(out, ",\n    ", "values");
    put_doubles(out, tree->values, mxb__symmetric_n_leaves(tree));
    put_text(out, "}");
}

static void put_fourier(struct byte_writer *out, const mxb_model *model, const struct fourier *fourier) {
    put_key(out, ", ", "projection");
    put_count(out, fourier->projection);
    put_key(out, ", ", "gain");
    put_number(out, fourier->gain);
    put_key(out, ", ", "intercept");
    put_number(out, fourier->intercept);
    put_key(out, ", ", "weights");
    put_doubles(out, fourier->weights, model->projections[fourier->projection].n_components);
    put_text(out, "}");
}

/* The caller's bytes as hexadecimal text, null where the learner does not write any. */
static void put_own_term(struct byte_writer *out, const struct own_term *own) {
    char *bytes = NULL;
    uint32_t n_bytes = 0;
    put_key(out, ", ", "rate");
    put_number(out, own->rate);
    put_key(out, ", ", "bytes");
    if (!mxb__own_term_is_writable(own)) {
        put_text(out, "null}");
        return;
    }
    if (out->status == MXB_OK) {
        out->status = mxb__own_term_write(own, &bytes, &n_bytes, out->error);
    }
    put_text(out, "\"");
    for (uint32_t i = 0; i < n_bytes; i++) {
        char digits[4];
        snprintf(digits, sizeof digits, "%02x", (unsigned)(unsigned char)bytes[i]);
        put_text(out, digits);
    }
    put_text(out, "\"}");
    mxb__free(bytes);
}

static void put_rounds(struct byte_writer *out, const mxb_model *model) {
    put_key(out, ",\n", "rounds");
    put_text(out, "[");
    for (uint32_t t = 0; t < model->n_terms; t++) {
        const struct term *term = &model->terms[t];
        put_key(out, t == 0 ? "\n  {" : ",\n  {", "learner");
        put_string(out, mxb__term_name(term));
        put_key(out, ", ", "decrease");
        put_number(out, mxb_model_round_decrease(model, t / model->n_members + 1, t % model->n_members));
        put_key(out, ", ", "repaired");
        put_text(out, term->repaired ? "true" : "false");
        if (term->kind == TERM_TREE) {
            put_tree(out, &term->tree);
        } else if (term->kind == TERM_SYMMETRIC) {
            put_symmetric(out, &term->symmetric);
        } else if (term->kind == TERM_OWN) {
            put_own_term(out, &term->own);
        } else {
            put_fourier(out, model, &term->fourier);
        }
    }
    put_text(out, "]");
}

static void put_curve(struct byte_writer *out, const char *name, const double *curve, uint32_t n_curve) {
    put_key(out, ", ", name);
    if (curve == NULL) {
        put_text(out, "null");
    } else {
        put_doubles(out, curve, (size_t)n_curve + 1);
    }
}

static void put_model(struct byte_writer *out, const mxb_model *model) {
    put_key(out, "{", "format");
    put_count(out, MXB__FORMAT_VERSION);
    put_key(out, ",\n", "loss");
    put_string(out, model->loss == MODEL_OWN_LOSS  ? model->own_loss.name
                    : model->loss == MODEL_LOGLOSS ? "logloss"
                                                   : "mse");
    put_key(out, ",\n", "labels");
    if (model->label_texts[0] != NULL) {
        put_strings(out, model->label_texts, 2);
    } else if (model->loss == MODEL_LOGLOSS) {
        put_doubles(out, model->labels, 2);
    } else {
        put_text(out, "null");
    }
    put_key(out, ",\n", "base_score");
    put_number(out, model->base_score);
    put_key(out, ",\n", "n_members");
    put_count(out, model->n_members);
    put_features(out, model);
    put_options(out, model);
    put_scaling(out, &model->scaling);
    put_projections(out, model);
    put_rounds(out, model);
    put_key(out, ",\n", "curve");
    put_key(out, "{", "metric");
    put_string(out, mxb_model_metric(model));
    put_curve(out, "train", model->train_curve, model->n_curve);
    put_curve(out, "valid", model->valid_curve, model->n_curve);
    put_text(out, "}");
    put_key(out, ",\n", "stopped_early");
    put_text(out, model->stopped_early ? "true" : "false");
    put_key(out, ",\n", "n_repairs");
    put_count(out, model->n_repairs);
    put_text(out, "}\n");
}

mxb_status mxb_model_to_json(const mxb_model *model, char **json, size_t *n_bytes, mxb_error *error) {
    struct byte_writer out = {.error = error};
    if (json == NULL || n_bytes == NULL || model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", model == NULL ? "model" : "the place for the text");
    }
    *json = NULL;
    *n_bytes = 0;
    put_model(&out, model);
    mxb__put_u8(&out, 0);
    if (out.status != MXB_OK) {
        mxb__free(out.bytes);
        return out.status;
    }
    *json = out.bytes;
    *n_bytes = out.n_bytes - 1;
    return MXB_OK;
}
