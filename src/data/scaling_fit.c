/* Fits the scaling of a feature for the fourier learner. Knows nothing of projections. */
#include <float.h>
#include <math.h>

#include "base/math.h"
#include "data/distinct.h"
#include "data/scaling.h"

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

/* Knots at about equal steps of weight, the first and the last value among them, each with the normal score of its
 * mid-rank: the share of the weight below it and half of its own. */
static void fit_rank(const struct distinct *finite, double total, double *knots, float *knot_scores,
                     struct scaling_feature *feature) {
    int all_fit = finite->n <= MXB__MAX_KNOTS;
    double below = 0.0;
    uint32_t n_knots = 0;
    for (size_t i = 0; i < finite->n; i++) {
        double upper = below + finite->weights[i];
        double due = total * ((double)n_knots / (MXB__MAX_KNOTS - 1));
        if (all_fit || i + 1 == finite->n || (upper > due && n_knots + 1 < MXB__MAX_KNOTS)) {
            knots[n_knots] = finite->values[i];
            /* Beside very unequal weights a rank rounds to 0 or 1, whose scores are infinite. */
            double rank = fmin(fmax((below + finite->weights[i] / 2) / total, 0x1p-53), 1.0 - 0x1p-53);
            knot_scores[n_knots] = (float)mxb__normal_quantile(rank);
            n_knots++;
        }
        below = upper;
    }
    feature->n_knots = n_knots;
    feature->knots = knots;
    feature->knot_scores = knot_scores;
}

void mxb__scaling_fit(enum scaling_kind kind, const struct distinct *distinct, double *knots, float *knot_scores,
                      struct scaling_feature *feature) {
    *feature = (struct scaling_feature){.center = 0.0, .factor = 0.0};
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
        knots[0] = 0.0; /* nothing is known of this feature: every value scales to 0 */
        knot_scores[0] = 0.0f;
        *feature = (struct scaling_feature){
            .n_knots = kind == SCALING_RANK ? 1 : 0, .knots = knots, .knot_scores = knot_scores};
        return;
    }
    double total = sum_of_weights(&finite);
    double median = median_of(&finite, total);
    switch (kind) {
        case SCALING_NONE:
            feature->center = median; /* a shift of the inputs only turns the random phases */
            feature->factor = 1.0;
            break;
        case SCALING_STANDARD:
            fit_standard(&finite, total, feature);
            break;
        case SCALING_RANK:
            fit_rank(&finite, total, knots, knot_scores, feature);
            break;
    }
    feature->missing = mxb__scale_value(kind, feature, median);
}
