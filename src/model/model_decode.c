/* Step 9 of the data's path: what a model file says about a model, read and doubted: meta, options, scaling and curve.
 * Whatever passes is safe to predict with, to show and to save. Knows nothing of headers and checksums. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/sort.h"
#include "model/model_format.h"
#include "model/utf8.h"

static const float MAX_INPUT = 1e30f; /* of a scaled value */

mxb_status mxb__section_damaged(const struct section_input *section, const char *format, ...) {
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return mxb__fail(section->error, MXB_ERROR_FORMAT, "%s is damaged: %s", section->file, what);
}

static mxb_status ends_early(const struct section_input *section) {
    return mxb__section_damaged(section, "section %s ends too early", section->name);
}

mxb_status mxb__section_check_count(const struct section_input *section, uint32_t count, uint32_t limit,
                                    size_t bytes_each, const char *what) {
    if (section->in.overrun) {
        return ends_early(section);
    }
    if (count > limit) {
        return mxb__section_damaged(section, "section %s: %" PRIu32 " %s; at most %" PRIu32, section->name, count, what,
                                    limit);
    }
    if (count > section->in.n_left / bytes_each) {
        return mxb__section_damaged(section, "section %s: %" PRIu32 " %s in %zu bytes", section->name, count, what,
                                    section->in.n_left);
    }
    return MXB_OK;
}

/* A byte that is 0 or 1. */
static mxb_status get_flag(struct section_input *section, const char *what, uint8_t *flag) {
    *flag = mxb__get_u8(&section->in);
    if (*flag > 1) {
        return mxb__section_damaged(section, "section %s: %s is %u, not 0 or 1", section->name, what, *flag);
    }
    return MXB_OK;
}

static mxb_status get_finite(struct section_input *section, const char *what, double *value) {
    *value = mxb__get_f64(&section->in);
    if (!isfinite(*value)) {
        return mxb__section_damaged(section, "section %s: %s is not finite", section->name, what);
    }
    return MXB_OK;
}

/* A text without NUL bytes, in place; the caller checks what else it may not hold. */
static mxb_status get_bytes(struct section_input *section, uint32_t limit, const char *what,
                            const unsigned char **bytes, uint32_t *n_bytes) {
    *n_bytes = mxb__get_u32(&section->in);
    MXB_TRY(mxb__section_check_count(section, *n_bytes, limit, 1, what));
    *bytes = mxb__get_bytes(&section->in, *n_bytes);
    if (memchr(*bytes, 0, *n_bytes) != NULL) {
        return mxb__section_damaged(section, "section %s: a zero byte in a text", section->name);
    }
    return MXB_OK;
}

/* The same as a copy. */
static mxb_status get_text(struct section_input *section, uint32_t limit, const char *what, char **text) {
    const unsigned char *bytes;
    uint32_t n_bytes;
    MXB_TRY(get_bytes(section, limit, what, &bytes, &n_bytes));
    MXB_TRY(mxb__alloc(text, (size_t)n_bytes + 1, 1, "a name", section->error));
    memcpy(*text, bytes, n_bytes);
    (*text)[n_bytes] = '\0';
    return MXB_OK;
}

mxb_status mxb__section_get_text(struct section_input *section, const char *what, char **text) {
    return get_text(section, MXB__MAX_NAME_BYTES, what, text);
}

mxb_status mxb__section_get_own_name(struct section_input *section, const char *what, char name[MXB__OWN_NAME_SIZE]) {
    char *text = NULL;
    mxb_status status = mxb__section_get_text(section, what, &text);
    if (status == MXB_OK && !mxb__own_name_fits(text, strlen(text))) {
        status = mxb__section_damaged(section, "section %s: a name that is not 1 to 63 printable ASCII characters",
                                      section->name);
    }
    if (status == MXB_OK) {
        strcpy(name, text);
    }
    mxb__free(text);
    return status;
}

/* ---- Meta ---- */

/* A caller's loss, and its functions if the caller brings them. What it is called and whether it has a link stays as
 * the file says. */
static mxb_status decode_own_loss(struct section_input *section, mxb_model *model) {
    mxb_loss *loss = &model->own_loss;
    MXB_TRY(mxb__section_get_own_name(section, "bytes of a loss's name", loss->name));
    MXB_TRY(mxb__section_get_own_name(section, "bytes of a metric's name", loss->metric_name));
    MXB_TRY(get_flag(section, "has_link", &model->has_link));
    if (section->own != NULL && strcmp(section->own->loss.name, loss->name) == 0) {
        mxb_loss named = *loss;
        *loss = section->own->loss;
        memcpy(loss->metric_name, named.metric_name, sizeof loss->metric_name);
    }
    return MXB_OK;
}

/* Of finite numbers, by their bits: a process may take denormal ones for 0. */
static int is_above(double x, double lower) { return mxb__sort_key(x) > mxb__sort_key(lower); }

/* The two labels of logloss. Texts count as 0 and 1. */
static mxb_status decode_labels(struct section_input *section, mxb_model *model) {
    uint8_t kind = mxb__get_u8(&section->in);
    if (kind != LABELS_NUMERIC && kind != LABELS_TEXT) {
        return mxb__section_damaged(section, "section meta: labels of kind %u; 1 and 2 are known", kind);
    }
    for (size_t k = 0; k < 2; k++) {
        model->labels[k] = (double)k;
        MXB_TRY(kind == LABELS_NUMERIC
                    ? get_finite(section, "a label", &model->labels[k])
                    : get_text(section, MXB__MAX_TEXT_BYTES, "bytes of a label", &model->label_texts[k]));
    }
    int ascend = kind == LABELS_NUMERIC ? is_above(model->labels[1], model->labels[0])
                                        : strcmp(model->label_texts[0], model->label_texts[1]) < 0;
    return ascend ? MXB_OK : mxb__section_damaged(section, "section meta: the labels do not ascend");
}

static mxb_status decode_loss(struct section_input *section, mxb_model *model) {
    uint8_t loss = mxb__get_u8(&section->in);
    if (loss < MODEL_MSE || loss > MODEL_OWN_LOSS) {
        return mxb__section_damaged(section, "section meta: loss %u; 1 to 3 are known", loss);
    }
    model->loss = (enum model_loss)loss;
    if (model->loss == MODEL_LOGLOSS) {
        MXB_TRY(decode_labels(section, model));
    }
    if (model->loss == MODEL_OWN_LOSS) {
        MXB_TRY(decode_own_loss(section, model));
    }
    return MXB_OK;
}

/* How many bytes the next n texts take with a NUL each; leaves the reader where it is. */
static mxb_status measure_texts(struct section_input section, uint32_t n, size_t *n_bytes) {
    *n_bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        const unsigned char *bytes;
        uint32_t length;
        MXB_TRY(get_bytes(&section, MXB__MAX_TEXT_BYTES, "bytes of a text", &bytes, &length));
        *n_bytes += (size_t)length + 1;
    }
    return MXB_OK;
}

static mxb_status decode_dictionary(struct section_input *section, uint32_t feature, struct dictionary *dictionary) {
    uint32_t n_texts = mxb__get_u32(&section->in);
    size_t n_bytes;
    MXB_TRY(mxb__section_check_count(section, n_texts, MXB__MAX_TEXTS, 4, "texts"));
    MXB_TRY(measure_texts(*section, n_texts, &n_bytes));
    dictionary->is_text = 1;
    MXB_TRY(mxb__alloc(&dictionary->texts, n_texts, sizeof *dictionary->texts, "texts", section->error));
    MXB_TRY(mxb__alloc(&dictionary->bytes, n_bytes, 1, "texts", section->error));
    char *next = dictionary->bytes;
    for (uint32_t i = 0; i < n_texts; i++) {
        uint32_t length = mxb__get_u32(&section->in);
        memcpy(next, mxb__get_bytes(&section->in, length), length);
        next[length] = '\0';
        dictionary->texts[i] = next;
        next += length + 1;
        if (i > 0 && strcmp(dictionary->texts[i - 1], dictionary->texts[i]) >= 0) {
            return mxb__section_damaged(section, "section meta: feature %" PRIu32 ", the texts do not ascend", feature);
        }
    }
    dictionary->n_texts = n_texts;
    return MXB_OK;
}

static mxb_status decode_feature(struct section_input *section, uint32_t feature, mxb_model *model) {
    uint8_t kind = mxb__get_u8(&section->in);
    if (kind != FEATURE_NUMERIC && kind != FEATURE_TEXT) {
        return mxb__section_damaged(section, "section meta: feature %" PRIu32 " is of kind %u; 1 and 2 are known",
                                    feature, kind);
    }
    if (model->feature_names != NULL) {
        MXB_TRY(mxb__section_get_text(section, "bytes of a feature's name", &model->feature_names[feature]));
    }
    if (kind == FEATURE_NUMERIC) {
        return MXB_OK;
    }
    if (model->dictionaries == NULL) {
        MXB_TRY(mxb__alloc_zeroed(&model->dictionaries, model->n_features, sizeof *model->dictionaries, "texts",
                                  section->error));
    }
    return decode_dictionary(section, feature, &model->dictionaries[feature]);
}

static mxb_status decode_members(struct section_input *section, mxb_model *model) {
    uint32_t n_members = mxb__get_u32(&section->in);
    if (n_members < 1 || n_members > MXB__MAX_MEMBERS) {
        return mxb__section_damaged(section, "section meta: %" PRIu32 " members, not 1 to %" PRIu32, n_members,
                                    MXB__MAX_MEMBERS);
    }
    model->n_members = n_members;
    return MXB_OK;
}

static mxb_status decode_meta(struct section_input *section, mxb_model *model) {
    uint8_t has_names;
    MXB_TRY(decode_loss(section, model));
    MXB_TRY(get_finite(section, "base_score", &model->base_score));
    MXB_TRY(decode_members(section, model));
    uint32_t n_features = mxb__get_u32(&section->in);
    MXB_TRY(get_flag(section, "has_names", &has_names));
    MXB_TRY(mxb__section_check_count(section, n_features, MXB__MAX_FEATURES, has_names ? 5 : 1, "features"));
    if (n_features == 0) {
        return mxb__section_damaged(section, "section meta: no features");
    }
    model->n_features = n_features;
    if (has_names) {
        MXB_TRY(mxb__alloc_zeroed(&model->feature_names, n_features, sizeof *model->feature_names, "feature names",
                                  section->error));
    }
    for (uint32_t f = 0; f < n_features; f++) {
        MXB_TRY(decode_feature(section, f, model));
    }
    return MXB_OK;
}

/* ---- Options ---- */

static mxb_status get_printable(struct section_input *section, const char *what, char **text) {
    MXB_TRY(mxb__section_get_text(section, what, text));
    if (!mxb__utf8_printable(*text, strlen(*text))) {
        return mxb__section_damaged(section, "section options: a text that is not printable");
    }
    return MXB_OK;
}

static mxb_status decode_options(struct section_input *section, mxb_model *model) {
    uint32_t n_options = mxb__get_u32(&section->in);
    MXB_TRY(mxb__section_check_count(section, n_options, MXB__MAX_OPTIONS, 8, "options"));
    model->n_options = n_options;
    MXB_TRY(mxb__alloc_zeroed(&model->option_names, n_options, sizeof *model->option_names, "option names",
                              section->error));
    MXB_TRY(mxb__alloc_zeroed(&model->option_values, n_options, sizeof *model->option_values, "option values",
                              section->error));
    for (uint32_t i = 0; i < n_options; i++) {
        MXB_TRY(get_printable(section, "bytes of an option's name", &model->option_names[i]));
        MXB_TRY(get_printable(section, "bytes of an option's value", &model->option_values[i]));
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(model->option_names[k], model->option_names[i]) == 0) {
                return mxb__section_damaged(section, "section options: one option twice");
            }
        }
    }
    return MXB_OK;
}

/* ---- Scaling ---- */

static mxb_status decode_table(struct section_input *section, uint32_t f, struct scaling_feature *feature) {
    uint32_t n_knots = mxb__get_u32(&section->in);
    MXB_TRY(mxb__section_check_count(section, n_knots, MXB__MAX_KNOTS, 12, "knots"));
    if (n_knots == 0) {
        return mxb__section_damaged(section, "section scaling: feature %" PRIu32 " has no knots", f);
    }
    MXB_TRY(mxb__alloc(&feature->knots, n_knots, sizeof *feature->knots, "scaling tables", section->error));
    MXB_TRY(mxb__alloc(&feature->knot_scores, n_knots, sizeof *feature->knot_scores, "scaling tables", section->error));
    feature->n_knots = n_knots;
    for (uint32_t i = 0; i < n_knots; i++) {
        feature->knots[i] = mxb__get_f64(&section->in);
        if (!isfinite(feature->knots[i]) || (i > 0 && !is_above(feature->knots[i], feature->knots[i - 1]))) {
            return mxb__section_damaged(
                section, "section scaling: feature %" PRIu32 ", knot %" PRIu32 " is not finite or not above the last",
                f, i);
        }
    }
    for (uint32_t i = 0; i < n_knots; i++) {
        feature->knot_scores[i] = mxb__get_f32(&section->in);
        float score = feature->knot_scores[i];
        if (!(fabsf(score) <= MAX_INPUT) || (i > 0 && !(feature->knot_scores[i - 1] <= score))) {
            return mxb__section_damaged(
                section, "section scaling: feature %" PRIu32 ", score %" PRIu32 " is out of range or below the last", f,
                i);
        }
    }
    return MXB_OK;
}

static mxb_status decode_scaling(struct section_input *section, mxb_model *model) {
    struct scaling *scaling = &model->scaling;
    uint8_t kind = mxb__get_u8(&section->in);
    uint32_t n_features = mxb__get_u32(&section->in);
    if (kind > SCALING_STANDARD) {
        return mxb__section_damaged(section, "section scaling: kind %u; 0 to 3 are known", kind);
    }
    scaling->kind = (enum scaling_kind)kind;
    if (n_features == 0) {
        return MXB_OK;
    }
    if (n_features != model->n_features) {
        return mxb__section_damaged(section, "section scaling: %" PRIu32 " features of %" PRIu32, n_features,
                                    model->n_features);
    }
    MXB_TRY(mxb__section_check_count(section, n_features, MXB__MAX_FEATURES, 20, "features"));
    scaling->n_features = n_features;
    MXB_TRY(mxb__alloc_zeroed(&scaling->features, n_features, sizeof *scaling->features, "scaling", section->error));
    for (uint32_t f = 0; f < n_features; f++) {
        struct scaling_feature *feature = &scaling->features[f];
        feature->missing = mxb__get_f32(&section->in);
        if (!(fabsf(feature->missing) <= MAX_INPUT)) {
            return mxb__section_damaged(
                section, "section scaling: feature %" PRIu32 ", the value for missing is out of range", f);
        }
        if (scaling->kind == SCALING_RANK) {
            MXB_TRY(decode_table(section, f, feature));
        } else {
            MXB_TRY(get_finite(section, "a center", &feature->center));
            MXB_TRY(get_finite(section, "a factor", &feature->factor));
        }
    }
    return MXB_OK;
}

/* ---- Curve ---- */

static mxb_status get_curve(struct section_input *section, uint32_t n, double **curve) {
    MXB_TRY(mxb__alloc(curve, n, sizeof **curve, "the training curve", section->error));
    for (uint32_t i = 0; i < n; i++) {
        MXB_TRY(get_finite(section, "a loss", &(*curve)[i]));
    }
    return MXB_OK;
}

static mxb_status decode_curve(struct section_input *section, mxb_model *model) {
    uint8_t has_valid;
    MXB_TRY(get_flag(section, "stopped_early", &model->stopped_early));
    uint32_t n_values = mxb__get_u32(&section->in);
    MXB_TRY(get_flag(section, "has_valid", &has_valid));
    MXB_TRY(mxb__section_check_count(section, n_values, MXB__MAX_TERMS + 1, has_valid ? 16 : 8, "losses"));
    if (model->stopped_early && !has_valid) {
        return mxb__section_damaged(section, "section curve: stopped early without validation");
    }
    size_t n_rounds = mxb_model_n_rounds(model);
    if (n_values > 0 && n_values <= n_rounds) {
        return mxb__section_damaged(section, "section curve: %u losses for %zu rounds", n_values, n_rounds);
    }
    if (n_values == 0) {
        return has_valid ? mxb__section_damaged(section, "section curve: validation without training") : MXB_OK;
    }
    model->n_curve = n_values - 1;
    MXB_TRY(get_curve(section, n_values, &model->train_curve));
    return has_valid ? get_curve(section, n_values, &model->valid_curve) : MXB_OK;
}

/* ---- All ---- */

mxb_status mxb__section_decode(enum section_id id, struct section_input *section, mxb_model *model) {
    static mxb_status (*const decoders[])(struct section_input *, mxb_model *) = {
        [SECTION_META] = decode_meta,
        [SECTION_OPTIONS] = decode_options,
        [SECTION_SCALING] = decode_scaling,
        [SECTION_PROJECTIONS] = mxb__projections_decode,
        [SECTION_TERMS] = mxb__terms_decode,
        [SECTION_CURVE] = decode_curve,
        [SECTION_REPAIRS] = mxb__repairs_decode,
    };
    mxb_status status = decoders[id](section, model);
    /* Zeros read beyond the end may have failed a check first; where the section ends is then the better answer. */
    if (section->in.overrun) {
        return ends_early(section);
    }
    if (status == MXB_OK && section->in.n_left > 0) {
        return mxb__section_damaged(section, "section %s has %zu bytes too many", section->name, section->in.n_left);
    }
    return status;
}
