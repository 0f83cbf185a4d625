/* Step 3 of the data's path: applies a scaling that is already there. The same function serves training and prediction,
 * so both see the same inputs to the last bit. Knows nothing of how the tables were fitted. */
#include "data/scaling.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/memory.h"

static double clip(double x, double limit) { return x > limit ? limit : x < -limit ? -limit : x; }

/* Values whose intervals are searched side by side, so that one does not wait for the other's loads. */
enum { SIDE_BY_SIDE = 8 };

/* knots[low] <= x < knots[low + 1] for each value that lies inside. Without branches on the values, which nobody could
 * predict. The count is a constant where this is inlined. */
static inline void find_intervals(const struct scaling_feature *feature, const double *values, size_t count,
                                  uint32_t *low) {
    const double *knots = feature->knots;
    for (size_t k = 0; k < count; k++) {
        low[k] = 0;
    }
    for (uint32_t n = feature->n_knots - 1; n > 1; n -= n / 2) { /* intervals left */
        for (size_t k = 0; k < count; k++) {
            low[k] += knots[low[k] + n / 2] <= values[k] ? n / 2 : 0;
        }
    }
}

/* Linear between the knots, constant beyond the ends. */
static double rank_score(const struct scaling_feature *feature, double x, uint32_t low) {
    const double *knots = feature->knots;
    uint32_t last = feature->n_knots - 1;
    if (x <= knots[0]) {
        return (double)feature->knot_scores[0];
    }
    if (x >= knots[last]) {
        return (double)feature->knot_scores[last];
    }
    double width = knots[low + 1] - knots[low];
    double part = x - knots[low];
    if (isinf(width)) { /* halves, which are exact at this size */
        width = knots[low + 1] / 2 - knots[low] / 2;
        part = x / 2 - knots[low] / 2;
    }
    double from = (double)feature->knot_scores[low], to = (double)feature->knot_scores[low + 1];
    return from + part / width * (to - from);
}

/* `low` is the interval of x, with ranks. */
static inline float scale(enum scaling_kind kind, const struct scaling_feature *feature, double x, uint32_t low) {
    if (isnan(x)) {
        return mxb__factor((double)feature->missing);
    }
    if (kind == SCALING_RANK) {
        return mxb__factor(rank_score(feature, x, low));
    }
    /* A difference is made finite first: infinite times a factor of 0 would be NaN. */
    return mxb__factor(clip(x - feature->center, DBL_MAX) * feature->factor);
}

float mxb__scale_value(enum scaling_kind kind, const struct scaling_feature *feature, double x) {
    uint32_t low = 0;
    if (kind == SCALING_RANK) {
        find_intervals(feature, &x, 1, &low);
    }
    return scale(kind, feature, x, low);
}

void mxb__scale_column(enum scaling_kind kind, const struct scaling_feature *feature, const double *values, size_t n,
                       float *out, size_t stride) {
    size_t i = 0;
    for (; i + SIDE_BY_SIDE <= n; i += SIDE_BY_SIDE) {
        uint32_t low[SIDE_BY_SIDE] = {0};
        if (kind == SCALING_RANK) {
            find_intervals(feature, values + i, SIDE_BY_SIDE, low);
        }
        for (size_t k = 0; k < SIDE_BY_SIDE; k++) {
            out[(i + k) * stride] = scale(kind, feature, values[i + k], low[k]);
        }
    }
    for (; i < n; i++) {
        out[i * stride] = mxb__scale_value(kind, feature, values[i]);
    }
}

int mxb__scaling_is_constant(enum scaling_kind kind, const struct scaling_feature *feature) {
    float low = mxb__scale_value(kind, feature, -DBL_MAX), high = mxb__scale_value(kind, feature, DBL_MAX);
    return low == high &&
           low == mxb__factor((double)feature->missing); /* scaling keeps the order: all others lie between */
}

static mxb_status copy_feature(struct scaling_feature *to, const struct scaling_feature *from, mxb_error *error) {
    *to = *from;
    to->knots = NULL;
    to->knot_scores = NULL;
    if (from->n_knots == 0) {
        return MXB_OK;
    }
    MXB_TRY(mxb__alloc(&to->knots, from->n_knots, sizeof *to->knots, "scaling tables", error));
    memcpy(to->knots, from->knots, from->n_knots * sizeof *to->knots);
    MXB_TRY(mxb__alloc(&to->knot_scores, from->n_knots, sizeof *to->knot_scores, "scaling tables", error));
    memcpy(to->knot_scores, from->knot_scores, from->n_knots * sizeof *to->knot_scores);
    return MXB_OK;
}

mxb_status mxb__scaling_copy(struct scaling *to, const struct scaling *from, mxb_error *error) {
    struct scaling copy = {.kind = from->kind, .n_features = from->n_features, .features = NULL};
    mxb_status status = MXB_OK;
    memset(to, 0, sizeof *to);
    if (from->features != NULL) {
        MXB_TRY(mxb__alloc_zeroed(&copy.features, copy.n_features, sizeof *copy.features, "scaling tables", error));
        for (uint32_t f = 0; f < copy.n_features && status == MXB_OK; f++) {
            status = copy_feature(&copy.features[f], &from->features[f], error);
        }
    }
    if (status == MXB_OK) {
        *to = copy;
    } else {
        mxb__scaling_clear(&copy);
    }
    return status;
}

void mxb__scaling_clear(struct scaling *scaling) {
    for (uint32_t f = 0; scaling->features != NULL && f < scaling->n_features; f++) {
        mxb__free(scaling->features[f].knots);
        mxb__free(scaling->features[f].knot_scores);
    }
    mxb__free(scaling->features);
    memset(scaling, 0, sizeof *scaling);
}
