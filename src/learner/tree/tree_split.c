/* The best split on a feature: the largest gain first, then the lowest bin within a tie of it, so that the winner does
 * not depend on the order of the search. The rules are written once, for cells of a histogram and for sorted rows. */
#include "learner/tree/tree_split.h"

#include <float.h>
#include <math.h>

#include "base/prefetch.h"

enum { AHEAD = 24 }; /* rows; without looking ahead a walk over sorted rows takes four times as long */

struct split_rules mxb__split_rules(double lambda_l2, double min_child_weight) {
    int exponent; /* all hessians stay below 2^62 quanta */
    frexp(fmin(0x1p62 + lambda_l2, DBL_MAX), &exponent);
    double unit = ldexp(1.0, -exponent);
    struct split_rules rules = {unit, lambda_l2 * unit, fmax(min_child_weight, 1.0)};
    return rules;
}

/* ---- gains of a cut ---- */

/* With wl + wr = h + 2 lambda, the children's scores less the parent's g^2 / (h + lambda) are
 * (cut score - lambda g^2 / (h + lambda)) / (h + 2 lambda). */
struct gains {
    struct cut_search cuts;
    double parent; /* the parent's score */
    double lost;   /* of the cut's score, to the penalty of a second child */
    double weight; /* of both children */
};

static struct gains gains_of(struct gradient_sum total, struct gradient_sum missing, const struct split_rules *rules) {
    double g = (double)total.g;
    double h = (double)total.h * rules->unit;
    double parent = g * g / (h + rules->lambda);
    struct gains gains = {{total, missing, *rules}, parent, parent * rules->lambda, h + 2.0 * rules->lambda};
    return gains;
}

/* In quanta; 0 if it is no more than rounding. */
static double gain_of(const struct gains *gains, double cut_score) {
    double gain = (cut_score - gains->lost) / gains->weight;
    return mxb__gain_counts(gain, gains->parent) ? gain * gains->cuts.rules.unit : 0.0;
}

/* Whether the cut between `left` and the rest, behind `bin`, ties with the best gain, with missing values to the right
 * or to the left. */
static int take_cut(const struct gains *gains, struct gradient_sum left, uint32_t bin, double best,
                    struct split *split) {
    int has_missing = mxb__has_missing(&gains->cuts);
    int missing_left = !has_missing && left.h >= gains->cuts.total.h - left.h;
    int taken = mxb__gain_ties(gain_of(gains, mxb__cut_score(&gains->cuts, left)), best);
    if (!taken && has_missing) {
        left = mxb__plus(left, gains->cuts.missing);
        missing_left = 1;
        taken = mxb__gain_ties(gain_of(gains, mxb__cut_score(&gains->cuts, left)), best);
    }
    if (taken) {
        *split = (struct split){best, 0, bin, (uint8_t)missing_left, left};
    }
    return taken;
}

/* ---- from cells ---- */

struct feature_cells mxb__feature_cells(const void *cells, int packed, const struct feature_bins *bins) {
    uint32_t missing = mxb__missing_code(bins);
    struct feature_cells of_feature = {.n = missing};
    if (packed) {
        of_feature.words = cells;
        of_feature.missing = mxb__unpacked(of_feature.words[missing]);
    } else {
        of_feature.sums = cells;
        of_feature.missing = of_feature.sums[missing];
    }
    return of_feature;
}

double mxb__split_gain(const struct training_kernels *kernels, const struct feature_cells *cells,
                       struct gradient_sum total, const struct split_rules *rules) {
    struct gains gains = gains_of(total, cells->missing, rules);
    double score = cells->words != NULL ? kernels->best_cut_packed(cells->words, cells->n, &gains.cuts)
                                        : kernels->best_cut_wide(cells->sums, cells->n, &gains.cuts);
    return gain_of(&gains, score);
}

struct split mxb__split_locate(const struct feature_cells *cells, struct gradient_sum total,
                               const struct split_rules *rules, double gain) {
    struct gains gains = gains_of(total, cells->missing, rules);
    struct gradient_sum left = {0, 0};
    struct split split = {0};
    for (uint32_t i = 0; i < cells->n; i++) {
        left = mxb__plus(left, cells->words != NULL ? mxb__unpacked(cells->words[i]) : cells->sums[i]);
        if (take_cut(&gains, left, cells->bin_of != NULL ? cells->bin_of[i] : i, gain, &split)) {
            break;
        }
    }
    return split;
}

/* ---- from sorted rows ---- */

struct gradient_sum mxb__sorted_take_missing(struct sorted_rows *rows) {
    struct gradient_sum missing = {0, 0};
    while (rows->n > 0 && rows->codes[rows->rows[rows->n - 1]] == rows->missing_code) {
        missing = mxb__plus(missing, rows->sums[rows->rows[--rows->n]]);
    }
    return missing;
}

size_t mxb__sorted_move_bin(const struct sorted_rows *rows, size_t first, struct gradient_sum *left, uint32_t *bin) {
    size_t i = first;
    *bin = rows->codes[rows->rows[first]];
    for (; i < rows->n && rows->codes[rows->rows[i]] == *bin; i++) {
        size_t later = rows->rows[i + AHEAD < rows->n ? i + AHEAD : rows->n - 1];
        MXB__PREFETCH(rows->codes + later);
        MXB__PREFETCH(rows->sums + later);
        *left = mxb__plus(*left, rows->sums[rows->rows[i]]);
    }
    return i;
}

double mxb__split_gain_sorted(const struct sorted_rows *rows, struct gradient_sum total,
                              const struct split_rules *rules) {
    struct sorted_rows present = *rows;
    struct gains gains = gains_of(total, mxb__sorted_take_missing(&present), rules);
    struct gradient_sum left = {0, 0};
    double best = 0.0;
    uint32_t bin;
    for (size_t i = 0; i < present.n;) {
        i = mxb__sorted_move_bin(&present, i, &left, &bin);
        best = mxb__larger(mxb__cut_score(&gains.cuts, left), best);
        if (mxb__has_missing(&gains.cuts)) {
            best = mxb__larger(mxb__cut_score(&gains.cuts, mxb__plus(left, gains.cuts.missing)), best);
        }
    }
    return gain_of(&gains, best);
}

struct split mxb__split_locate_sorted(const struct sorted_rows *rows, struct gradient_sum total,
                                      const struct split_rules *rules, double gain) {
    struct sorted_rows present = *rows;
    struct gains gains = gains_of(total, mxb__sorted_take_missing(&present), rules);
    struct gradient_sum left = {0, 0};
    struct split split = {0};
    uint32_t bin = 0;
    size_t i = 0;
    /* Without rows of code 0, the cut behind that bin has nothing but missing values on its left. */
    if (present.n > 0 && present.codes[present.rows[0]] == 0) {
        i = mxb__sorted_move_bin(&present, i, &left, &bin);
    }
    while (!take_cut(&gains, left, bin, gain, &split) && i < present.n) {
        i = mxb__sorted_move_bin(&present, i, &left, &bin);
    }
    return split;
}

/* ---- among features ---- */

static double with_factors(double gain, const struct split_factors *factors, uint32_t place, uint32_t feature) {
    if (factors->noise.deviation > 0.0 && gain > 0.0) {
        gain *= mxb__split_noise_factor(&factors->noise, place, feature);
    }
    return factors->prior == NULL ? gain : gain * factors->prior[feature];
}

uint32_t mxb__split_choose(const double *gains, uint32_t n, const struct split_factors *factors, uint32_t place) {
    double best = 0.0;
    for (uint32_t f = 0; f < n; f++) {
        best = mxb__larger(with_factors(gains[f], factors, place, f), best);
    }
    uint32_t chosen = 0;
    while (chosen < n &&
           !(gains[chosen] > 0.0 && mxb__gain_ties(with_factors(gains[chosen], factors, place, chosen), best))) {
        chosen++;
    }
    return chosen;
}
