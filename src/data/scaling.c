/* Step 3 of the data's path: applies a scaling that is already there. The same function serves training and prediction,
 * so both see the same inputs to the last bit. Knows nothing of how the tables were fitted. */
#include "data/scaling.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/memory.h"
#include "kernels/kernels.h"

static double clip(double x, double limit) { return x > limit ? limit : x < -limit ? -limit : x; }

struct rank_table mxb__scaling_table(const struct scaling_feature *feature) {
    return (struct rank_table){.n_knots = feature->n_knots,
                               .knots = feature->knots,
                               .scores = feature->knot_scores,
                               .missing = feature->missing};
}

void mxb__scale_values(enum scaling_kind kind, const struct scaling_feature *feature, const double *values, size_t n,
                       float *out) {
    if (kind == SCALING_RANK) {
        struct rank_table table = mxb__scaling_table(feature);
        mxb__kernels_portable.scale_ranks(&table, values, n, out);
        return;
    }
    double bound = kind == SCALING_STANDARD ? STANDARD_BOUND : INFINITY;
    for (size_t i = 0; i < n; i++) {
        /* A difference is made finite first: infinite times a factor of 0 would be NaN. */
        double scaled = clip(clip(values[i] - feature->center, DBL_MAX) * feature->factor, bound);
        out[i] = mxb__factor(isnan(values[i]) ? (double)feature->missing : scaled);
    }
}

float mxb__scale_value(enum scaling_kind kind, const struct scaling_feature *feature, double x) {
    float scaled;
    mxb__scale_values(kind, feature, &x, 1, &scaled);
    return scaled;
}

void mxb__scale_column(enum scaling_kind kind, const struct scaling_feature *feature, const double *values, size_t n,
                       float *out, size_t stride) {
    enum { AT_ONCE = 64 };
    float scaled[AT_ONCE];
    for (size_t first = 0; first < n; first += AT_ONCE) {
        size_t count = n - first < AT_ONCE ? n - first : AT_ONCE;
        mxb__scale_values(kind, feature, values + first, count, scaled);
        for (size_t i = 0; i < count; i++) {
            out[(first + i) * stride] = scaled[i];
        }
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
