/* The best split of a node: what decides between splits is here, for histograms and for exact trees. */
#ifndef MXB_LEARNER_TREE_SPLIT_H
#define MXB_LEARNER_TREE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "data/bins.h"
#include "kernels/kernels.h"

/* What a split is held to, in the quanta of the sums. */
struct split_rules {
    double lambda_l2;
    double min_child_weight;
};

struct split {
    double gain; /* decrease of the Newton objective, in squared gradient quanta per hessian quantum; 0 = no split */
    uint32_t feature;
    uint32_t bin;         /* codes up to this one go left */
    uint8_t missing_left; /* where missing values go */
};

/** The best split on one feature, from its cells as sums. Gains within 1e-9 of the best are ties, and the lowest bin
 *  wins, missing values to the right before to the left. Where the node has no missing values, these will follow the
 *  heavier child. */
struct split mxb__split_find(const struct gradient_sum *cells, const struct feature_bins *bins,
                             struct gradient_sum total, const struct split_rules *rules);

/* The rows of a node by ascending code of one feature, missing ones last. */
struct sorted_rows {
    const uint32_t *rows;
    size_t n;
    const uint32_t *codes;           /* by row number, of the whole set */
    const struct gradient_sum *sums; /* likewise */
};

/** The same split, from the rows themselves. */
struct split mxb__split_find_sorted(const struct sorted_rows *rows, const struct feature_bins *bins,
                                    struct gradient_sum total, const struct split_rules *rules);

/** The best of the splits on features 0 .. n - 1: the lowest feature within a tie of the largest gain. */
struct split mxb__split_choose(const struct split *of_feature, uint32_t n);

#endif
