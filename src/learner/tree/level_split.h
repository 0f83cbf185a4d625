/* The split of a level of a symmetric tree: one for all its nodes. A node that a cut would leave with too light a side
 * is not divided by it, and gains nothing: its rows stay together. So what a cut gains, the sum over the nodes, is what
 * the tree gains. What decides between splits is here, for histograms and for exact trees. */
#ifndef MXB_LEARNER_LEVEL_SPLIT_H
#define MXB_LEARNER_LEVEL_SPLIT_H

#include "learner/tree/tree_split.h"

/* What the nodes of a level gain together by the cuts of a feature, in units of the rules. Summed in the order of the
 * nodes, so that it has the same bits however the work is shared. */
struct level_gains {
    size_t n;      /* cuts, behind as many bins */
    double *right; /* [n] with the missing values on the right */
    double *left;  /* [n] on the left, once a node has any; until then the same */
    uint8_t *has_missing;
};

/* The best cut of a feature. */
struct level_cut {
    double gain; /* as that of a split; 0 = none */
    uint32_t bin;
    uint8_t missing_left;
    uint8_t has_missing; /* else missing values will follow the heavier side */
};

/** Whether some cut could divide a node; others add nothing to the gains of any. */
int mxb__level_divides(struct gradient_sum total, const struct split_rules *rules);

/** Its own score, beside which a gain must count. */
double mxb__level_score(struct gradient_sum total, const struct split_rules *rules);

/** Adds the gains of a node, from its cells. */
void mxb__level_add(const struct training_kernels *kernels, const struct feature_cells *cells,
                    struct gradient_sum total, const struct split_rules *rules, const struct level_gains *gains);

/** The same, from its rows. */
void mxb__level_add_sorted(const struct sorted_rows *rows, struct gradient_sum total, const struct split_rules *rules,
                           const struct level_gains *gains);

/** The best cut: gains within 1e-9 of the largest are ties, and the lowest bin wins, missing values to the right before
 *  to the left. `score` is the sum of the nodes' own. */
struct level_cut mxb__level_best(const struct level_gains *gains, double score, const struct split_rules *rules);

#endif
