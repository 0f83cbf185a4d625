/* The engine of histogram trees: each open node has a slot that holds the sums of its bins. */
#ifndef MXB_LEARNER_TREE_HISTOGRAMS_H
#define MXB_LEARNER_TREE_HISTOGRAMS_H

#include "learner/tree/tree_engine.h"

extern const struct engine_ops mxb__histogram_engine;

uint32_t mxb__slot_take(struct tree_engine *engine);
void mxb__slot_return(struct tree_engine *engine, uint32_t slot);

/* Builds the histogram of `node`; then, if `sibling` is a slot, subtracts it there: what held the parent now holds the
 * other child. */
struct histogram_request {
    struct engine_node node;
    uint32_t sibling;
};
void mxb__histograms_build(struct tree_engine *engine, const struct histogram_request *requests, size_t n);

/* tree_rows.c: the partition, by bin codes. */
void mxb__rows_partition(struct tree_engine *engine, struct partition_request *requests, size_t n);

#endif
