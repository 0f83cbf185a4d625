/* Fits the scaling of a feature for the fourier learner. Knows nothing of projections. */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/math.h"
#include "data/distinct.h"
#include "data/scaling.h"
#include "data/sorted.h"

static double sum_of_weights(const struct distinct *finite) {
    double sum = 0.0;
    for (size_t i = 0; i < finite->n; i++) {
        sum += finite->weights[i];
    }
    return sum;
}

/* The value that half of the weight lies below, or the middle of two. */
static double median_of(const struct distinct *finite, double total) {
    double below = 0.0;
    size_t i = 0;
    for (; i + 1 < finite->n; i++) {
        below += finite->weights[i];
        if (below >= total / 2) {
            break;
        }
    }
    if (i + 1 < finite->n && below == total / 2) {
        return finite->values[i] / 2 + finite->values[i + 1] / 2;
    }
    return finite->values[i];
}

static void fit_standard(const struct distinct *finite, double total, struct scaling_feature *feature) {
    double mean = 0.0;
    for (size_t i = 0; i < finite->n; i++) {
        mean += finite->weights[i] / total * finite->values[i];
    }
    mean = fmin(fmax(mean, finite->values[0]), finite->values[finite->n - 1]); /* rounding may leave the range */
    /* Deviations relative to the largest: their squares neither overflow nor vanish. Halves, for the same reason. */
    double low = mean / 2 - finite->values[0] / 2;
    double high = finite->values[finite->n - 1] / 2 - mean / 2;
    double largest = fmax(low, high);
    double variance = 0.0;
    for (size_t i = 0; i < finite->n && largest > 0.0; i++) {
        double deviation = (finite->values[i] / 2 - mean / 2) / largest;
        variance += finite->weights[i] / total * (deviation * deviation);
    }
    double half_deviation = largest * sqrt(variance);
    feature->center = mean;
    feature->factor = finite->n > 1 && half_deviation > DBL_MIN ? 0.5 / half_deviation : 0.0;
}

/* The normal score of a value's mid-rank: the share of the weight below it and half of its own. */
static float score_of(double below, double weight, double total) {
    /* Beside very unequal weights a rank rounds to 0 or 1, whose scores are infinite. */
    double rank = fmin(fmax((below + weight / 2) / total, 0x1p-53), 1.0 - 0x1p-53);
    return (float)mxb__normal_quantile(rank);
}

/* The weight after which the next knot comes. */
static double due_after(double total, uint32_t n_knots) { return total * ((double)n_knots / (MXB__MAX_KNOTS - 1)); }

/* Knots at about equal steps of weight, the first and the last value among them. */
static void fit_rank(const struct distinct *finite, double total, struct scaling_feature *feature) {
    int all_fit = finite->n <= MXB__MAX_KNOTS;
    double below = 0.0;
    uint32_t n_knots = 0;
    for (size_t i = 0; i < finite->n; i++) {
        double upper = below + finite->weights[i];
        double due = due_after(total, n_knots);
        if (all_fit || i + 1 == finite->n || (upper > due && n_knots + 1 < MXB__MAX_KNOTS)) {
            feature->knots[n_knots] = finite->values[i];
            feature->knot_scores[n_knots] = score_of(below, finite->weights[i], total);
            n_knots++;
        }
        below = upper;
    }
    feature->n_knots = n_knots;
}

/* Nothing is known of this feature: every value scales to 0. */
static void fit_nothing(enum scaling_kind kind, struct scaling_feature *feature) {
    if (kind == SCALING_RANK) {
        feature->n_knots = 1;
        feature->knots[0] = 0.0;
        feature->knot_scores[0] = 0.0f;
    }
}

static void fit_none(double median, struct scaling_feature *feature) {
    feature->center = median; /* a shift of the inputs only turns the random phases */
    feature->factor = 1.0;
}

void mxb__scaling_fit(enum scaling_kind kind, const struct distinct *distinct, double *knots, float *knot_scores,
                      struct scaling_feature *feature) {
    *feature = (struct scaling_feature){.knots = knots, .knot_scores = knot_scores};
    struct distinct finite = *distinct;
    if (finite.n > 0 && isinf(finite.values[finite.n - 1])) {
        finite.n--;
    }
    if (finite.n > 0 && isinf(finite.values[0])) {
        finite.values++;
        finite.weights++;
        finite.n--;
    }
    if (finite.n == 0) {
        fit_nothing(kind, feature);
        return;
    }
    double total = sum_of_weights(&finite);
    double median = median_of(&finite, total);
    switch (kind) {
        case SCALING_NONE:
            fit_none(median, feature);
            break;
        case SCALING_UNBOUNDED:
        case SCALING_STANDARD:
            fit_standard(&finite, total, feature);
            break;
        case SCALING_RANK:
            fit_rank(&finite, total, feature);
            break;
    }
    feature->missing = mxb__scale_value(kind, feature, median);
}

/* ---- The same where every row weighs 1 ---- */

static double median_of_sorted(const struct sorted *finite) {
    double low = mxb__sorted_value(finite, (finite->n - 1) / 2), high = mxb__sorted_value(finite, finite->n / 2);
    return low == high ? low : low / 2 + high / 2;
}

static int has_more_runs(const struct sorted *finite, size_t limit) {
    size_t n_runs = 0;
    for (size_t begin = 0; begin < finite->n && n_runs <= limit; n_runs++) {
        begin = mxb__sorted_run_end(finite, begin);
    }
    return n_runs > limit;
}

static void fit_rank_sorted(const struct sorted *finite, struct scaling_feature *feature) {
    int all_fit = !has_more_runs(finite, MXB__MAX_KNOTS);
    double total = (double)finite->n;
    uint32_t n_knots = 0;
    for (size_t begin = 0, end; begin < finite->n; begin = end) {
        if (!all_fit) { /* the next knot is the first value with weight beyond the due one, or the last of all */
            size_t due = n_knots + 1 < MXB__MAX_KNOTS ? (size_t)due_after(total, n_knots) : finite->n - 1;
            begin = due > begin ? mxb__sorted_run_begin(finite, due) : begin;
        }
        end = mxb__sorted_run_end(finite, begin);
        feature->knots[n_knots] = mxb__sorted_value(finite, begin);
        feature->knot_scores[n_knots] = score_of((double)begin, (double)(end - begin), total);
        n_knots++;
    }
    feature->n_knots = n_knots;
}

void mxb__scaling_fit_sorted(enum scaling_kind kind, const struct sorted *sorted, double *knots, float *knot_scores,
                             struct scaling_feature *feature) {
    assert(kind == SCALING_NONE || kind == SCALING_RANK);
    *feature = (struct scaling_feature){.knots = knots, .knot_scores = knot_scores};
    size_t first = 0, end = sorted->n;
    if (end > 0 && isinf(mxb__sorted_value(sorted, end - 1))) {
        end = mxb__sorted_run_begin(sorted, end - 1);
    }
    if (end > 0 && isinf(mxb__sorted_value(sorted, 0))) {
        first = mxb__sorted_run_end(sorted, 0);
    }
    if (first == end) {
        fit_nothing(kind, feature);
        return;
    }
    struct sorted finite = mxb__sorted_part(sorted, first, end);
    double median = median_of_sorted(&finite);
    if (kind == SCALING_RANK) {
        fit_rank_sorted(&finite, feature);
    } else {
        fit_none(median, feature);
    }
    feature->missing = mxb__scale_value(kind, feature, median);
}
