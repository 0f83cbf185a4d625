/* Splits of nodes with few rows, which need no histogram: clearing, subtracting and scanning 256 bins of each feature
 * would cost more than the rows do. */
#ifndef MXB_LEARNER_TREE_TINY_H
#define MXB_LEARNER_TREE_TINY_H

#include "learner/tree/tree_cells.h"

/* Nodes with no more rows are tiny. */
enum { MXB__TINY_ROWS = 48 };

/* Scratch for one group of fields; all 0 between calls. */
struct tiny_cells {
    struct gradient_sum sums[MXB__GROUP][MXB__CELLS];
    uint64_t is_seen[MXB__GROUP][MXB__MAX_BINS / 64]; /* a bit a bin */
};

/** The largest gains of a node on the sampled features of the fields. */
void mxb__tiny_gains(const struct tree_engine *engine, const struct engine_node *node, struct field_run run,
                     struct tiny_cells *cells, double *gains);

/** The split with the gain that was found on the feature. */
struct split mxb__tiny_locate(const struct tree_engine *engine, const struct engine_node *node, uint32_t feature,
                              struct tiny_cells *cells, double gain);

/** The sum over the rows of a node. */
struct gradient_sum mxb__tiny_total(const struct tree_engine *engine, const struct engine_node *node);

/** Takes the rows of a node out of the histogram of its parent: cells of the run, words or sums. */
void mxb__tiny_subtract(const struct tree_engine *engine, const struct engine_node *node, struct field_run run,
                        void *cells);

#endif
