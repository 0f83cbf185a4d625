/* The best split on a feature: all gains first, then the lowest bin within a tie of the largest, so that the winner
 * does not depend on the order of the search. Knows nothing of rows. */
#include "learner/tree/tree_split.h"

static const double TIE = 1e-9;
/* A gain below this part of the node's own score is rounding. */
static const double NOISE = 1e-12;

static double score(struct gradient_sum sum, double lambda_l2) {
    double g = (double)sum.g;
    return g * g / ((double)sum.h + lambda_l2);
}

static struct gradient_sum plus(struct gradient_sum a, struct gradient_sum b) {
    struct gradient_sum sum = {a.g + b.g, a.h + b.h};
    return sum;
}

static struct gradient_sum minus(struct gradient_sum a, struct gradient_sum b) {
    struct gradient_sum sum = {a.g - b.g, a.h - b.h};
    return sum;
}

static double gain_of(struct gradient_sum left, struct gradient_sum right, double parent_score,
                      const struct split_rules *rules) {
    int allowed = left.h > 0 && right.h > 0 && (double)left.h >= rules->min_child_weight &&
                  (double)right.h >= rules->min_child_weight;
    return allowed ? score(left, rules->lambda_l2) + score(right, rules->lambda_l2) - parent_score : 0.0;
}

struct split mxb__split_find(const struct gradient_sum *cells, const struct feature_bins *bins,
                             struct gradient_sum total, const struct split_rules *rules) {
    double gains[2][MXB__MAX_BINS]; /* [missing_left][bin] */
    struct split none = {0};
    struct gradient_sum missing = cells[mxb__missing_code(bins)];
    int has_missing = missing.g != 0 || missing.h != 0;
    /* Without missing values, a split after the last bin would leave the right side empty. */
    uint32_t n_bins = bins->n_cuts + (has_missing ? 1u : 0u);
    double parent_score = score(total, rules->lambda_l2);
    double best = NOISE * parent_score;
    int found = 0;

    struct gradient_sum left = {0, 0};
    for (uint32_t b = 0; b < n_bins; b++) {
        left = plus(left, cells[b]);
        struct gradient_sum left_and_missing = plus(left, missing);
        gains[0][b] = gain_of(left, minus(total, left), parent_score, rules);
        gains[1][b] =
            has_missing ? gain_of(left_and_missing, minus(total, left_and_missing), parent_score, rules) : 0.0;
        for (int side = 0; side < 2; side++) {
            if (gains[side][b] > best) {
                best = gains[side][b];
                found = 1;
            }
        }
    }
    if (!found) {
        return none;
    }
    left = (struct gradient_sum){0, 0};
    for (uint32_t b = 0;; b++) {
        left = plus(left, cells[b]);
        for (uint8_t side = 0; side < 2; side++) {
            if (gains[side][b] >= best * (1.0 - TIE)) {
                int heavier_left = left.h >= total.h - left.h;
                struct split split = {best, 0, (uint8_t)b, has_missing ? side : (uint8_t)heavier_left};
                return split;
            }
        }
    }
}

struct split mxb__split_choose(const struct split *of_feature, uint32_t n) {
    double best = 0.0;
    for (uint32_t f = 0; f < n; f++) {
        best = of_feature[f].gain > best ? of_feature[f].gain : best;
    }
    struct split chosen = {0};
    for (uint32_t f = 0; f < n && best > 0.0; f++) {
        if (of_feature[f].gain >= best * (1.0 - TIE)) {
            chosen = of_feature[f];
            chosen.feature = f;
            break;
        }
    }
    return chosen;
}
