/* The best split of a node: what decides between splits is here, for histograms and for exact trees. Of each feature
 * only the largest gain is found; where it lies is looked up once, on the feature that wins. */
#ifndef MXB_LEARNER_TREE_SPLIT_H
#define MXB_LEARNER_TREE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "data/bins.h"
#include "kernels/training_kernels.h"
#include "learner/tree/tree_noise.h"

/** Whether a gain is as good as the best. */
static inline int mxb__gain_ties(double gain, double best) { return gain >= best * (1.0 - 1e-9); }

/** Whether a gain, beside the score of what is split, is more than rounding. */
static inline int mxb__gain_counts(double gain, double score) { return gain > 1e-12 * score; }

struct split {
    double gain; /* decrease of the Newton objective, in squared gradient quanta per hessian quantum; 0 = no split */
    uint32_t feature;
    uint32_t bin;             /* codes up to this one go left */
    uint8_t missing_left;     /* where missing values go */
    struct gradient_sum left; /* of all rows that go left, missing values included */
};

/** The rules for a penalty and a least weight of a child, both in hessian quanta; either may be infinite. */
struct split_rules mxb__split_rules(double lambda_l2, double min_child_weight);

/* The sums in a feature's bins, ascending. Empty bins may be left out, but never bin 0: the cut behind it parts missing
 * values from all others where it is empty. */
struct feature_cells {
    const uint64_t *words;           /* [n] packed, or NULL: */
    const struct gradient_sum *sums; /* [n] wide */
    size_t n;
    const uint8_t *bin_of; /* [n]; NULL = 0, 1, 2 .. */
    struct gradient_sum missing;
};

/** The cells of a histogram, a bin after the other and then the missing values. */
struct feature_cells mxb__feature_cells(const void *cells, int packed, const struct feature_bins *bins);

/** The largest gain of a split on the feature; 0 if it has none. */
double mxb__split_gain(const struct training_kernels *kernels, const struct feature_cells *cells,
                       struct gradient_sum total, const struct split_rules *rules);

/** The split with that gain, not 0: gains within 1e-9 of it are ties, and the lowest bin wins, missing values to the
 *  right before to the left. Where the node has no missing values, these will follow the heavier child. */
struct split mxb__split_locate(const struct feature_cells *cells, struct gradient_sum total,
                               const struct split_rules *rules, double gain);

/* The rows of a node by ascending code of one feature, missing ones last. */
struct sorted_rows {
    const uint32_t *rows;
    size_t n;
    const uint32_t *codes;           /* by row number, of the whole set */
    const struct gradient_sum *sums; /* likewise */
    uint32_t missing_code;
};

/** Drops the missing rows and returns their sum. */
struct gradient_sum mxb__sorted_take_missing(struct sorted_rows *rows);

/** Adds the rows from the first-th on that have its code, none of them missing, to `left`; returns the next one with
 *  another code. */
size_t mxb__sorted_move_bin(const struct sorted_rows *rows, size_t first, struct gradient_sum *left, uint32_t *bin);

/** The same gain and split, from the rows themselves. */
double mxb__split_gain_sorted(const struct sorted_rows *rows, struct gradient_sum total,
                              const struct split_rules *rules);
struct split mxb__split_locate_sorted(const struct sorted_rows *rows, struct gradient_sum total,
                                      const struct split_rules *rules, double gain);

/* What features' gains are multiplied by before they are compared. */
struct split_factors {
    const double *prior; /* [n_features] (split_prior.h); NULL: none */
    struct split_noise noise;
};

/** The feature to split on, of 0 .. n - 1: the lowest within a tie of the largest gain, once the factors are on them;
 *  noise is drawn by `place` (tree_noise.h). n if there is none. */
uint32_t mxb__split_choose(const double *gains, uint32_t n, const struct split_factors *factors, uint32_t place);

#endif
