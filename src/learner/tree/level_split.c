/* The best cut of a feature for a whole level: what each node gains by each cut is added up, node by node. */
#include "learner/tree/level_split.h"

#include <string.h>

int mxb__level_divides(struct gradient_sum total, const struct split_rules *rules) {
    return (double)total.h * (1.0 + 1e-9) >= 2.0 * rules->least_h; /* rounding forbids no cut */
}

double mxb__level_score(struct gradient_sum total, const struct split_rules *rules) {
    double g = (double)total.g;
    return g * g / ((double)total.h * rules->unit + rules->lambda);
}

/* As gains_of in tree_split.c has it, with a product for the quotient. */
static struct cut_gains gains_of(struct gradient_sum total, struct gradient_sum missing,
                                 const struct split_rules *rules) {
    double weight = (double)total.h * rules->unit + 2.0 * rules->lambda;
    struct cut_gains node = {{total, missing, *rules}, mxb__level_score(total, rules) * rules->lambda, 1.0 / weight};
    return node;
}

/* Where goes what the node gains with its missing values on the left; NULL where no node so far has any. */
static double *left_of(const struct level_gains *gains, const struct cut_gains *node) {
    if (!*gains->has_missing && mxb__has_missing(&node->cuts)) {
        memcpy(gains->left, gains->right, gains->n * sizeof *gains->left);
        *gains->has_missing = 1;
    }
    return *gains->has_missing ? gains->left : NULL;
}

void mxb__level_add(const struct training_kernels *kernels, const struct feature_cells *cells,
                    struct gradient_sum total, const struct split_rules *rules, const struct level_gains *gains) {
    struct cut_gains node = gains_of(total, cells->missing, rules);
    double *left = left_of(gains, &node);
    if (cells->words != NULL) {
        kernels->add_gains_packed(cells->words, cells->n, &node, gains->right, left);
    } else {
        kernels->add_gains_wide(cells->sums, cells->n, &node, gains->right, left);
    }
}

/* What the node gains by the cuts behind bins first .. end - 1, which all leave the same to the left. */
static void add_cuts(const struct level_gains *gains, const struct cut_gains *node, double *left, size_t first,
                     size_t end, struct gradient_sum below) {
    double right_gain = mxb__cut_gain(node, below);
    for (size_t bin = first; bin < end && right_gain != 0.0; bin++) {
        gains->right[bin] += right_gain;
    }
    if (left != NULL) {
        double left_gain = mxb__cut_gain(node, mxb__plus(below, node->cuts.missing));
        for (size_t bin = first; bin < end && left_gain != 0.0; bin++) {
            left[bin] += left_gain;
        }
    }
}

void mxb__level_add_sorted(const struct sorted_rows *rows, struct gradient_sum total, const struct split_rules *rules,
                           const struct level_gains *gains) {
    struct sorted_rows present = *rows;
    struct cut_gains node = gains_of(total, mxb__sorted_take_missing(&present), rules);
    double *left = left_of(gains, &node);
    struct gradient_sum below = {0, 0};
    uint32_t bin = 0;
    for (size_t i = 0; i < present.n;) {
        uint32_t first = bin;
        struct gradient_sum before = below;
        i = mxb__sorted_move_bin(&present, i, &below, &bin);
        add_cuts(gains, &node, left, first, bin, before);
    }
    add_cuts(gains, &node, left, bin, gains->n, below);
}

struct level_cut mxb__level_best(const struct level_gains *gains, double score, const struct split_rules *rules) {
    const double *sides[] = {gains->right, gains->left};
    uint8_t n_sides = *gains->has_missing ? 2 : 1;
    double best = 0.0;
    for (uint8_t side = 0; side < n_sides; side++) {
        for (size_t i = 0; i < gains->n; i++) {
            best = mxb__larger(sides[side][i], best);
        }
    }
    if (!mxb__gain_counts(best, score)) {
        return (struct level_cut){0};
    }
    for (uint32_t bin = 0;; bin++) {
        for (uint8_t side = 0; side < n_sides; side++) {
            if (mxb__gain_ties(sides[side][bin], best)) {
                return (struct level_cut){best * rules->unit, bin, side, *gains->has_missing};
            }
        }
    }
}
