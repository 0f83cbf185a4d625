/* Step 9 of the data's path: the projections and rounds of a model file, read and doubted. Predictions follow these
 * numbers without looking, so every index is proved here. Knows nothing of headers and checksums. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/math.h"
#include "base/memory.h"
#include "model/model_format.h"

/* Bytes in the file: the smallest node is a leaf, the smallest term a caller's with a name of one letter and no bytes.
 */
enum { LEAF_BYTES = 9, TERM_BYTES = 26 };

/* ---- Projections ---- */

static mxb_status get_weights(struct section_input *section, size_t n, float *weights) {
    for (size_t i = 0; i < n; i++) {
        weights[i] = mxb__get_f32(&section->in);
        if (weights[i] != mxb__factor((double)weights[i])) {
            return mxb__section_damaged(section,
                                        "section projections: a weight has more than 12 digits or is too large");
        }
    }
    return MXB_OK;
}

static mxb_status get_phases(struct section_input *section, size_t n, float *phases) {
    for (size_t i = 0; i < n; i++) {
        phases[i] = mxb__get_f32(&section->in);
        if (!isfinite(phases[i])) {
            return mxb__section_damaged(section, "section projections: a phase is not finite");
        }
    }
    return MXB_OK;
}

static mxb_status decode_projection(struct section_input *section, uint32_t n_features, struct projection *projection) {
    uint32_t n_components = mxb__get_u32(&section->in);
    size_t bytes_each = ((size_t)n_features + 1) * 4;
    MXB_TRY(mxb__section_check_count(section, n_components, MXB__MAX_COMPONENTS, bytes_each, "components"));
    if (n_components == 0) {
        return mxb__section_damaged(section, "section projections: no components");
    }
    size_t n_weights = (size_t)n_features * n_components;
    projection->n_components = n_components;
    projection->n_features = n_features;
    MXB_TRY(mxb__alloc(&projection->weights, n_weights, sizeof(float), "a projection", section->error));
    MXB_TRY(mxb__alloc(&projection->phases, n_components, sizeof(float), "a projection", section->error));
    MXB_TRY(get_weights(section, n_weights, projection->weights));
    return get_phases(section, n_components, projection->phases);
}

mxb_status mxb__projections_decode(struct section_input *section, mxb_model *model) {
    uint32_t n = mxb__get_u32(&section->in);
    size_t bytes_each = 4 + ((size_t)model->n_features + 1) * 4;
    MXB_TRY(mxb__section_check_count(section, n, MXB__MAX_PROJECTIONS, bytes_each, "projections"));
    if (n > 0 && model->scaling.features == NULL) {
        return mxb__section_damaged(section, "section projections: %" PRIu32 " of them, but no scaling", n);
    }
    MXB_TRY(mxb__alloc_zeroed(&model->projections, n, sizeof *model->projections, "projections", section->error));
    model->n_projections = n;
    for (uint32_t p = 0; p < n; p++) {
        MXB_TRY(decode_projection(section, model->n_features, &model->projections[p]));
    }
    return MXB_OK;
}

/* ---- Splits ---- */

struct stored_split {
    double threshold;
    uint32_t feature;
    uint8_t missing_left;
    float share;
};

/* A part of a tree, for messages: "tree of round 3, node 5". */
struct part_name {
    const char *tree;
    uint32_t round; /* from 1 */
    const char *part;
    uint32_t index;
};

static mxb_status part_damaged(const struct section_input *section, const struct part_name *name, const char *what) {
    return mxb__section_damaged(section, "%s of round %" PRIu32 ", %s %" PRIu32 ": %s", name->tree, name->round,
                                name->part, name->index, what);
}

static mxb_status get_split(struct section_input *section, const mxb_model *model, const struct part_name *name,
                            struct stored_split *split) {
    split->threshold = mxb__get_f64(&section->in);
    split->feature = mxb__get_u32(&section->in);
    split->missing_left = mxb__get_u8(&section->in);
    split->share = mxb__get_f32(&section->in);
    if (isnan(split->threshold)) {
        return part_damaged(section, name, "the threshold is not a number");
    }
    if (split->feature >= model->n_features) {
        char what[64];
        snprintf(what, sizeof what, "feature %" PRIu32 " of %" PRIu32, split->feature, model->n_features);
        return part_damaged(section, name, what);
    }
    if (split->missing_left > 1) {
        return part_damaged(section, name, "missing_left is not 0 or 1");
    }
    if (!(split->share >= 0 && split->share <= 1)) {
        return part_damaged(section, name, "its share of the gain is not 0 to 1");
    }
    return MXB_OK;
}

/* What a round of this kind took off the loss. */
static mxb_status get_gain(struct section_input *section, const char *kind, uint32_t round, double *gain) {
    *gain = mxb__get_f64(&section->in);
    if (!(*gain >= 0 && isfinite(*gain))) {
        return mxb__section_damaged(section, "%s of round %" PRIu32 ": the gain is negative or not finite", kind,
                                    round);
    }
    return MXB_OK;
}

/* ---- Trees ---- */

/* Where a tree is while its nodes arrive level by level: the next pair of children belongs to the next split, so
 *
 *     index   0 | 1 2 | 3 4 5 6 | ...       every node is led to exactly once, by a split before it,
 *     depth   0 | 1 1 | 2 2 2 2 | ...       and no cycle can be written down. */
struct tree_cursor {
    uint32_t round; /* from 1 */
    uint32_t index;
    uint32_t depth;     /* of node `index` */
    uint32_t level_end; /* first index of the next level */
    uint32_t n_claimed; /* nodes that a split, or being the root, leads to */
};

static struct part_name node_name(const struct tree_cursor *at) {
    return (struct part_name){"tree", at->round, "node", at->index};
}

static mxb_status node_damaged(const struct section_input *section, const struct tree_cursor *at, const char *what) {
    struct part_name name = node_name(at);
    return part_damaged(section, &name, what);
}

static mxb_status decode_split(struct section_input *section, const mxb_model *model, const struct tree *tree,
                               struct tree_cursor *at, struct tree_node *node) {
    struct part_name name = node_name(at);
    struct stored_split split;
    MXB_TRY(get_split(section, model, &name, &split));
    if (at->depth >= tree->max_depth) {
        return node_damaged(section, at, "a split at the maximal depth");
    }
    if (tree->n_nodes - at->n_claimed < 2) {
        return node_damaged(section, at, "its children lie beyond the last node");
    }
    node->value = split.threshold;
    node->feature = split.feature;
    node->missing_left = split.missing_left;
    node->share = split.share;
    node->left = at->n_claimed;
    at->n_claimed += 2;
    return MXB_OK;
}

static mxb_status decode_node(struct section_input *section, const mxb_model *model, const struct tree *tree,
                              struct tree_cursor *at, struct tree_node *node) {
    if (at->index >= at->n_claimed) {
        return node_damaged(section, at, "no split leads to it");
    }
    if (at->index == at->level_end) {
        at->depth++;
        at->level_end = at->n_claimed;
    }
    node->split = mxb__get_u8(&section->in);
    if (node->split == SPLIT_NUMERIC) {
        return decode_split(section, model, tree, at, node);
    }
    if (node->split != SPLIT_NONE) {
        return node_damaged(section, at, "an unknown kind of split");
    }
    node->value = mxb__get_f64(&section->in);
    return isfinite(node->value) ? MXB_OK : node_damaged(section, at, "the value is not finite");
}

static mxb_status decode_tree(struct section_input *section, const mxb_model *model, uint32_t round,
                              struct tree *tree) {
    struct tree_cursor at = {.round = round, .level_end = 1, .n_claimed = 1};
    tree->max_depth = mxb__get_u32(&section->in);
    uint32_t n_nodes = mxb__get_u32(&section->in);
    if (tree->max_depth > MXB__MAX_TREE_DEPTH) {
        return mxb__section_damaged(section, "tree of round %" PRIu32 ": maximal depth %" PRIu32 "; at most %d", round,
                                    tree->max_depth, MXB__MAX_TREE_DEPTH);
    }
    uint32_t limit = ((uint32_t)2 << tree->max_depth) - 1;
    MXB_TRY(mxb__section_check_count(section, n_nodes, limit, LEAF_BYTES, "nodes"));
    if (n_nodes == 0) {
        return mxb__section_damaged(section, "tree of round %" PRIu32 ": no nodes", round);
    }
    MXB_TRY(get_gain(section, "tree", round, &tree->gain));
    MXB_TRY(mxb__alloc_zeroed(&tree->nodes, n_nodes, sizeof *tree->nodes, "a tree", section->error));
    tree->n_nodes = n_nodes;
    for (; at.index < n_nodes; at.index++) {
        MXB_TRY(decode_node(section, model, tree, &at, &tree->nodes[at.index]));
    }
    return MXB_OK;
}

/* ---- Symmetric trees ---- */

static mxb_status decode_symmetric(struct section_input *section, const mxb_model *model, uint32_t round,
                                   struct symmetric *tree) {
    uint32_t max_depth = mxb__get_u32(&section->in);
    uint32_t depth = mxb__get_u32(&section->in);
    if (max_depth > MXB__MAX_SYMMETRIC_DEPTH || depth > max_depth) {
        return mxb__section_damaged(
            section, "symmetric tree of round %" PRIu32 ": %" PRIu32 " levels of %" PRIu32 "; at most %d", round, depth,
            max_depth, MXB__MAX_SYMMETRIC_DEPTH);
    }
    MXB_TRY(mxb__section_check_count(section, (uint32_t)1 << depth, UINT32_MAX, sizeof(double), "leaves"));
    tree->max_depth = max_depth;
    tree->depth = depth;
    MXB_TRY(get_gain(section, "symmetric tree", round, &tree->gain));
    MXB_TRY(mxb__symmetric_allocate(tree, section->error));
    for (uint32_t l = 0; l < depth; l++) {
        struct part_name name = {"symmetric tree", round, "level", l};
        struct stored_split split;
        MXB_TRY(get_split(section, model, &name, &split));
        tree->levels[l] = (struct symmetric_level){split.threshold, split.feature, split.share, split.missing_left};
    }
    for (size_t i = 0; i < mxb__symmetric_n_leaves(tree); i++) {
        tree->values[i] = mxb__get_f64(&section->in);
        if (!isfinite(tree->values[i])) {
            return mxb__section_damaged(section, "symmetric tree of round %" PRIu32 ": a value is not finite", round);
        }
    }
    return MXB_OK;
}

/* ---- Rounds ---- */

static mxb_status decode_fourier(struct section_input *section, const mxb_model *model, uint32_t round,
                                 struct term *term) {
    struct fourier *fourier = &term->fourier;
    fourier->projection = mxb__get_u32(&section->in);
    term->repaired = mxb__get_u8(&section->in);
    MXB_TRY(get_gain(section, "fourier term", round, &fourier->gain));
    fourier->intercept = mxb__get_f64(&section->in);
    if (fourier->projection >= model->n_projections) {
        return mxb__section_damaged(section, "fourier term of round %" PRIu32 ": projection %" PRIu32 " of %" PRIu32,
                                    round, fourier->projection, model->n_projections);
    }
    if (term->repaired > 1) {
        return mxb__section_damaged(section, "fourier term of round %" PRIu32 ": repaired is not 0 or 1", round);
    }
    uint32_t n_components = model->projections[fourier->projection].n_components;
    MXB_TRY(mxb__section_check_count(section, n_components, MXB__MAX_COMPONENTS, 8, "weights"));
    MXB_TRY(mxb__alloc(&fourier->weights, n_components, sizeof *fourier->weights, "weights", section->error));
    int finite = isfinite(fourier->intercept);
    for (uint32_t j = 0; j < n_components; j++) {
        fourier->weights[j] = mxb__get_f64(&section->in);
        finite = finite && isfinite(fourier->weights[j]);
    }
    if (!finite) {
        return mxb__section_damaged(section, "fourier term of round %" PRIu32 ": a weight is not finite", round);
    }
    return MXB_OK;
}

static mxb_status decode_own_term(struct section_input *section, uint32_t round, struct own_term *own) {
    mxb_learner unknown = {.name = ""};
    MXB_TRY(mxb__section_get_own_name(section, "bytes of a learner's name", unknown.name));
    double rate = mxb__get_f64(&section->in);
    uint32_t n_bytes = mxb__get_u32(&section->in);
    if (!isfinite(rate)) {
        return mxb__section_damaged(section, "term of round %" PRIu32 ": the rate is not finite", round);
    }
    MXB_TRY(mxb__section_check_count(section, n_bytes, UINT32_MAX, 1, "bytes of a term"));
    const unsigned char *bytes = mxb__get_bytes(&section->in, n_bytes);
    const mxb_learner *known = mxb__own_learner_find(section->own, unknown.name);
    MXB_TRY(mxb__own_term_create(own, known != NULL && known->read != NULL ? known : &unknown, round, rate,
                                 section->error));
    mxb_error said = {""};
    mxb_status status = mxb__own_term_read(own, bytes, n_bytes, &said);
    return status == MXB_OK ? MXB_OK : mxb__fail(section->error, status, "%s: %s", section->file, said.message);
}

static mxb_status decode_term(struct section_input *section, const mxb_model *model, uint32_t round,
                              struct term *term) {
    uint8_t kind = mxb__get_u8(&section->in);
    term->first_output = mxb__get_u32(&section->in);
    term->n_outputs = mxb__get_u32(&section->in);
    if (kind < TERM_TREE || kind > TERM_SYMMETRIC) {
        return mxb__section_damaged(section, "term of round %" PRIu32 ": kind %u; 1 to 4 are known", round, kind);
    }
    if (term->first_output != 0 || term->n_outputs != 1) {
        return mxb__section_damaged(
            section, "term of round %" PRIu32 ": %" PRIu32 " outputs from %" PRIu32 "; 1 from 0 is known", round,
            term->n_outputs, term->first_output);
    }
    term->kind = (enum term_kind)kind;
    if (term->kind == TERM_OWN) {
        return decode_own_term(section, round, &term->own);
    }
    if (term->kind == TERM_SYMMETRIC) {
        return decode_symmetric(section, model, round, &term->symmetric);
    }
    return term->kind == TERM_TREE ? decode_tree(section, model, round, &term->tree)
                                   : decode_fourier(section, model, round, term);
}

mxb_status mxb__terms_decode(struct section_input *section, mxb_model *model) {
    uint32_t n_terms = mxb__get_u32(&section->in);
    MXB_TRY(mxb__section_check_count(section, n_terms, MXB__MAX_TERMS, TERM_BYTES, "terms"));
    if (n_terms % model->n_members != 0) {
        return mxb__section_damaged(section, "section terms: %" PRIu32 " terms of %" PRIu32 " members", n_terms,
                                    model->n_members);
    }
    MXB_TRY(mxb__alloc_zeroed(&model->terms, n_terms, sizeof *model->terms, "the ensemble", section->error));
    model->capacity = n_terms;
    model->n_terms = n_terms;
    for (uint32_t i = 0; i < n_terms; i++) {
        MXB_TRY(decode_term(section, model, i / model->n_members + 1, &model->terms[i]));
    }
    return MXB_OK;
}

mxb_status mxb__repairs_decode(struct section_input *section, mxb_model *model) {
    uint32_t n = mxb__get_u32(&section->in);
    MXB_TRY(mxb__section_check_count(section, n, MXB__MAX_TERMS, 4, "terms"));
    if (n == 0) {
        return mxb__section_damaged(section, "section repairs: no terms");
    }
    for (uint32_t i = 0, first = 0; i < n; i++) {
        uint32_t t = mxb__get_u32(&section->in);
        if (t < first || t >= model->n_terms || mxb__tells_repairs(&model->terms[t])) {
            return mxb__section_damaged(
                section, "section repairs: term %" PRIu32 " is not there, out of order or tells of itself", t);
        }
        model->terms[t].repaired = 1;
        first = t + 1;
    }
    return MXB_OK;
}
